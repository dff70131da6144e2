// A cylinder along x from the origin: a disc, the image of a square, times a length.
#include "core/handle.h"
#include "mesh/lattice.h"

SnStatus sn_mesh_make_cylinder(double radius, double length, int radial_cells, int length_cells, SnMesh** mesh)
{
    SN_NEED(mesh);
    *mesh = NULL;
    SN_TRY(sn_check_positive("cylinder", "radius", radius));
    SN_TRY(sn_check_positive("cylinder", "length", length));
    SN_TRY(sn_check_cells("cylinder", "cells along the radius", radial_cells, 1));
    SN_TRY(sn_check_cells("cylinder", "cells along the length", length_cells, 1));
    SN_TRY(sn_check_elements("cylinder", 48.0 * radial_cells * radial_cells * length_cells));
    const int cells[] = {length_cells, 2 * radial_cells, 2 * radial_cells};
    SN_TRY(sn_make_lattice("cylinder", cells, SN_BOX_BCC, false, mesh));
    for (int n = 0; n < (*mesh)->node_count; n++) {
        double* p = (*mesh)->nodes + 3 * (size_t)n;
        double disc[2] = {p[1] / radial_cells - 1, p[2] / radial_cells - 1};
        sn_square_to_disc(disc);
        p[0] *= length / length_cells;
        p[1] = radius * disc[0];
        p[2] = radius * disc[1];
    }
    return SN_OK;
}

static SnStatus make(const SnShapeDef* def, SnMesh** mesh)
{
    return sn_mesh_make_cylinder(def->radius, def->length, def->cells[0], def->cells[1], mesh);
}

static const SnParameter parameters[] = {
    {"radius", SN_NUMBER, offsetof(SnShapeDef, radius), .value = "0.25", .range = ">0", .unit = "m",
     .doc = "its radius"},
    {"length", SN_NUMBER, offsetof(SnShapeDef, length), .value = "1", .range = ">0", .unit = "m", .doc = "its length"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .count = 2, .value = "[4, 16]", .range = ">0",
     .doc = "cells along the radius and along the length"},
    {0},
};

const SnShape sn_shape_cylinder = {
    .name = "cylinder",
    .summary = "a cylinder of tetrahedra along x from the origin",
    .parameters = parameters,
    .make = make,
};
