// A chain of edges along x from the origin.
#include "mesh/lattice.h"

SnStatus sn_mesh_make_rope(double length, int cells, SnMesh** out)
{
    *out = NULL;
    SN_TRY(sn_check_positive("rope", "length", length));
    SN_TRY(sn_check_cells("rope", "cells", cells, 1));
    SN_TRY(sn_check_elements("rope", cells + 1.0)); // it has one more node than edges
    SnMesh* mesh;
    if (!SN_NEW(mesh, 1, "a mesh")) return SN_ERROR_MEMORY;
    mesh->node_count = cells + 1;
    mesh->edge_count = cells;
    if (!SN_NEW(mesh->nodes, 3 * (size_t)mesh->node_count, "nodes") ||
        !SN_NEW(mesh->edges, 2 * (size_t)mesh->edge_count, "edges")) {
        sn_mesh_destroy(mesh);
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i <= cells; i++) mesh->nodes[3 * i] = i * (length / cells);
    for (int i = 0; i < 2 * cells; i++) mesh->edges[i] = (i + 1) / 2;
    *out = mesh;
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
