// A box of cells, with one corner at the origin.
#include "mesh/lattice.h"

SnStatus sn_mesh_make_box_pattern(const double size[3], const int cells[3], SnBoxPattern pattern, SnMesh** mesh)
{
    *mesh = NULL;
    for (int i = 0; i < 3; i++) SN_TRY(sn_check_positive("box", "size", size[i]));
    if (pattern != SN_BOX_KUHN && pattern != SN_BOX_BCC)
        return sn_fail(SN_ERROR_VALUE, "box: unknown pattern %d", (int)pattern);
    SN_TRY(sn_make_lattice("box", cells, pattern, false, mesh));
    for (int n = 0; n < (*mesh)->node_count; n++)
        for (int i = 0; i < 3; i++) (*mesh)->nodes[3 * n + i] *= size[i] / cells[i];
    return SN_OK;
}

SnStatus sn_mesh_make_box(const double size[3], const int cells[3], SnMesh** mesh)
{
    return sn_mesh_make_box_pattern(size, cells, SN_BOX_KUHN, mesh);
}

static SnStatus make(const double values[SN_SHAPE_PARAMETERS][3], int pattern, SnMesh** mesh)
{
    int cells[3];
    *mesh = NULL;
    SN_TRY(sn_cell_counts("box", values[1], 3, cells));
    return sn_mesh_make_box_pattern(values[0], cells, (SnBoxPattern)pattern, mesh);
}

static const char* const patterns[] = {"kuhn", "bcc", NULL};

const SnShape sn_shape_box = {
    .name = "box",
    .summary = "a box of tetrahedra with a corner at the origin",
    .parameters = {{"size", 3, false, {1, 1, 1}, "m", "length of its sides"},
                   {"cells", 3, true, {10, 10, 10}, "", "cells along each side"}},
    .patterns = patterns,
    .make = make,
};
