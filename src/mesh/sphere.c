// A ball around the origin: the image of a body-centred cube.
#include "core/handle.h"
#include "mesh/lattice.h"

SnStatus sn_mesh_make_sphere(double radius, int cells, SnMesh** mesh)
{
    SN_NEED(mesh);
    *mesh = NULL;
    SN_TRY(sn_check_positive("sphere", "radius", radius));
    SN_TRY(sn_check_cells("sphere", "cells", cells, 1));
    SN_TRY(sn_check_elements("sphere", 96.0 * cells * cells * cells));
    SN_TRY(sn_make_lattice("sphere", (const int[]){2 * cells, 2 * cells, 2 * cells}, SN_BOX_BCC, false, mesh));
    for (int n = 0; n < (*mesh)->node_count; n++) {
        double* p = (*mesh)->nodes + 3 * (size_t)n;
        for (int i = 0; i < 3; i++) p[i] = p[i] / cells - 1;
        sn_cube_to_ball(p);
        for (int i = 0; i < 3; i++) p[i] *= radius;
    }
    return SN_OK;
}

static SnStatus make(const SnShapeDef* def, SnMesh** mesh)
{
    return sn_mesh_make_sphere(def->radius, def->cells[0], mesh);
}

static const SnParameter parameters[] = {
    {"radius", SN_NUMBER, offsetof(SnShapeDef, radius), .value = "0.5", .range = ">0", .unit = "m",
     .doc = "its radius"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .value = "6", .range = ">0", .doc = "cells along the radius"},
    {0},
};

const SnShape sn_shape_sphere = {
    .name = "sphere",
    .summary = "a ball of tetrahedra around the origin",
    .parameters = parameters,
    .make = make,
};
