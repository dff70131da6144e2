// A torus around y: a disc, the image of a square, swept around a circle in the xz plane.
#include "core/handle.h"
#include "core/pi.h"
#include "mesh/elements.h"
#include "mesh/lattice.h"

#include <math.h>

// Cells that are long against their thickness are bent so much that their tetrahedra turn over.
static SnStatus check_volumes(SnMesh** mesh, int major_cells, int minor_cells)
{
    for (int t = 0; t < (*mesh)->tetrahedron_count; t++) {
        if (sn_tetrahedron_volume((*mesh)->nodes, (*mesh)->tetrahedra + 4 * (size_t)t) > 0) continue;
        sn_mesh_destroy(*mesh);
        *mesh = NULL;
        return sn_fail(
            SN_ERROR_VALUE,
            "torus: %d cells around are too few for %d along the minor radius; take more around or fewer along",
            major_cells, minor_cells);
    }
    return SN_OK;
}

SnStatus sn_mesh_make_torus(double major_radius, double minor_radius, int major_cells, int minor_cells, SnMesh** mesh)
{
    SN_NEED(mesh);
    *mesh = NULL;
    SN_TRY(sn_check_positive("torus", "major radius", major_radius));
    SN_TRY(sn_check_positive("torus", "minor radius", minor_radius));
    if (minor_radius >= major_radius)
        return sn_fail(SN_ERROR_VALUE, "torus: minor radius %g must be below the major radius %g", minor_radius,
                       major_radius);
    SN_TRY(sn_check_cells("torus", "cells around the major circle", major_cells, 3));
    SN_TRY(sn_check_cells("torus", "cells along the minor radius", minor_cells, 1));
    SN_TRY(sn_check_elements("torus", 48.0 * minor_cells * minor_cells * major_cells));
    const int cells[] = {major_cells, 2 * minor_cells, 2 * minor_cells};
    SN_TRY(sn_make_lattice("torus", cells, SN_BOX_BCC, true, mesh));
    for (int n = 0; n < (*mesh)->node_count; n++) {
        double* p = (*mesh)->nodes + 3 * (size_t)n;
        double disc[2] = {p[1] / minor_cells - 1, p[2] / minor_cells - 1};
        double angle = 2 * SN_PI * p[0] / major_cells;
        sn_square_to_disc(disc);
        p[0] = (major_radius + minor_radius * disc[0]) * cos(angle);
        p[1] = minor_radius * disc[1];
        p[2] = (major_radius + minor_radius * disc[0]) * sin(angle);
    }
    return check_volumes(mesh, major_cells, minor_cells);
}

static SnStatus make(const SnShapeDef* def, SnMesh** mesh)
{
    return sn_mesh_make_torus(def->radii[0], def->radii[1], def->cells[0], def->cells[1], mesh);
}

static const SnParameter parameters[] = {
    {"radii", SN_NUMBER, offsetof(SnShapeDef, radii), .count = 2, .value = "[0.5, 0.15]", .range = ">0", .unit = "m",
     .doc = "major and minor radius"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .count = 2, .value = "[64, 3]", .range = ">0",
     .doc = "cells around the major circle and along the minor radius"},
    {0},
};

const SnShape sn_shape_torus = {
    .name = "torus",
    .summary = "a torus of tetrahedra around y, its centre at the origin",
    .parameters = parameters,
    .make = make,
};
