// A chain of edges along x from the origin.
#include "core/handle.h"
#include "mesh/elements.h"
#include "mesh/lattice.h"

SnStatus sn_mesh_make_rope(double length, int cells, SnMesh** mesh)
{
    SN_NEED(mesh);
    *mesh = NULL;
    SN_TRY(sn_check_positive("rope", "length", length));
    SN_TRY(sn_check_cells("rope", "cells", cells, 1));
    SN_TRY(sn_check_elements("rope", cells + 1.0)); // it has one more node than edges
    SN_TRY(sn_mesh_allocate(cells + 1, 1, cells, mesh));
    for (int i = 0; i <= cells; i++) (*mesh)->nodes[3 * i] = i * (length / cells);
    for (int i = 0; i < 2 * cells; i++) (*mesh)->edges[i] = (i + 1) / 2;
    return SN_OK;
}

static SnStatus make(const SnShapeDef* def, SnMesh** mesh)
{
    return sn_mesh_make_rope(def->length, def->cells[0], mesh);
}

static const SnParameter parameters[] = {
    {"length", SN_NUMBER, offsetof(SnShapeDef, length), .value = "1", .range = ">0", .unit = "m", .doc = "its length"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .value = "20", .range = ">0", .doc = "edges along it"},
    {0},
};

const SnShape sn_shape_rope = {
    .name = "rope",
    .summary = "a chain of edges along x from the origin",
    .parameters = parameters,
    .make = make,
};
