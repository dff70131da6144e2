// A box of cells, with one corner at the origin.
#include "core/handle.h"
#include "mesh/lattice.h"

SnStatus sn_mesh_make_box_pattern(const double size[3], const int cells[3], SnBoxPattern pattern, SnMesh** mesh)
{
    SN_NEED(mesh);
    *mesh = NULL;
    SN_NEED(size);
    SN_NEED(cells);
    for (int i = 0; i < 3; i++) SN_TRY(sn_check_positive("box", "size", size[i]));
    if (pattern != SN_BOX_KUHN && pattern != SN_BOX_BCC)
        return sn_fail(SN_ERROR_VALUE, "box: unknown pattern %d", (int)pattern);
    SN_TRY(sn_make_lattice("box", cells, pattern, false, mesh));
    for (int n = 0; n < (*mesh)->node_count; n++)
        for (int i = 0; i < 3; i++) (*mesh)->nodes[3 * n + i] *= size[i] / cells[i];
    return SN_OK;
}

static SnStatus slab(const SnShapeDef* def, struct SnSlab* made)
{
    double spacing[3];
    for (int i = 0; i < 3; i++) {
        SN_TRY(sn_check_positive("box", "size", def->size[i]));
        spacing[i] = def->size[i] / def->cells[i];
    }
    if (def->pattern != SN_BOX_KUHN) return sn_fail(SN_ERROR_UNSUPPORTED, "box: of this pattern only as a whole");
    return sn_make_lattice_slab("box", def->cells, spacing, made);
}

SnStatus sn_mesh_make_box(const double size[3], const int cells[3], SnMesh** mesh)
{
    return sn_mesh_make_box_pattern(size, cells, SN_BOX_KUHN, mesh);
}

static SnStatus make(const SnShapeDef* def, SnMesh** mesh)
{
    return sn_mesh_make_box_pattern(def->size, def->cells, def->pattern, mesh);
}

static const SnParameter parameters[] = {
    {"size", SN_NUMBER, offsetof(SnShapeDef, size), .count = 3, .value = "[1, 1, 1]", .range = ">0", .unit = "m",
     .doc = "length of its sides"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .count = 3, .value = "[10, 10, 10]", .range = ">0",
     .doc = "cells along each side"},
    {"pattern", SN_ENUM, offsetof(SnShapeDef, pattern), .value = "kuhn",
     .names = (const char* const[]){"kuhn", "bcc", NULL}, .doc = "how cells are cut into elements"},
    {0},
};

const SnShape sn_shape_box = {
    .name = "box",
    .summary = "a box of tetrahedra with a corner at the origin",
    .parameters = parameters,
    .make = make,
    .slab = slab,
};
