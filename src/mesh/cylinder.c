// A cylinder along x from the origin: a disc, the image of a square, times a length.
#include "mesh/lattice.h"

SnStatus sn_mesh_make_cylinder(double radius, double length, int radial_cells, int length_cells, SnMesh** mesh)
{
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

static SnStatus make(const double values[SN_SHAPE_PARAMETERS][3], int pattern, SnMesh** mesh)
{
    int cells[2];
    (void)pattern;
    *mesh = NULL;
    SN_TRY(sn_cell_counts("cylinder", values[2], 2, cells));
    return sn_mesh_make_cylinder(values[0][0], values[1][0], cells[0], cells[1], mesh);
}

const SnShape sn_shape_cylinder = {
    .name = "cylinder",
    .summary = "a cylinder of tetrahedra along x from the origin",
    .parameters = {{"radius", 1, false, {0.25}, "m", "its radius"},
                   {"length", 1, false, {1}, "m", "its length"},
                   {"cells", 2, true, {4, 16}, "", "cells along the radius and along the length"}},
    .make = make,
};
