// A net of springs in the xz plane from the origin: along the sides of its cells, across them, and, against bending,
// over two cells.
#include "mesh/elements.h"
#include "mesh/lattice.h"

// From a node to the other end of a spring, in cells.
static const int ways[][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 0}, {0, 2}};
enum { WAYS = sizeof ways / sizeof *ways };

// Counts the edges, or writes them.
static int visit_edges(const int cells[2], int* edges)
{
    int count = 0, row = cells[0] + 1;
    for (int j = 0; j <= cells[1]; j++)
        for (int i = 0; i <= cells[0]; i++)
            for (int w = 0; w < WAYS; w++) {
                int to[2] = {i + ways[w][0], j + ways[w][1]};
                if (to[0] > cells[0] || to[1] > cells[1] || to[1] < 0) continue;
                if (edges) edges[2 * count] = j * row + i, edges[2 * count + 1] = to[1] * row + to[0];
                count++;
            }
    return count;
}

static SnStatus make(const SnShapeDef* def, SnMesh** mesh)
{
    *mesh = NULL;
    const int* cells = def->cells;
    for (int i = 0; i < 2; i++) {
        SN_TRY(sn_check_positive("net", "size", def->size[i]));
        SN_TRY(sn_check_cells("net", "cells", cells[i], 1));
    }
    SN_TRY(sn_check_elements("net", (double)WAYS * (cells[0] + 1) * (cells[1] + 1)));
    SN_TRY(sn_mesh_allocate((cells[0] + 1) * (cells[1] + 1), 1, visit_edges(cells, NULL), mesh));
    visit_edges(cells, (*mesh)->edges);
    for (int n = 0; n < (*mesh)->node_count; n++) {
        (*mesh)->nodes[3 * n] = n % (cells[0] + 1) * (def->size[0] / cells[0]);
        (*mesh)->nodes[3 * n + 2] = n / (cells[0] + 1) * (def->size[1] / cells[1]);
    }
    return SN_OK;
}

static const SnParameter parameters[] = {
    {"size", SN_NUMBER, offsetof(SnShapeDef, size), .count = 2, .value = "[1, 1]", .range = ">0", .unit = "m",
     .doc = "length along x and z"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .count = 2, .value = "[10, 10]", .range = ">0",
     .doc = "cells along x and z"},
    {0},
};

const SnShape sn_shape_net = {
    .name = "net",
    .summary = "a cloth of springs in the xz plane from the origin: along, across and over two cells",
    .parameters = parameters,
    .make = make,
};
