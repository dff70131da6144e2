// A sheet of triangles in the xz plane from the origin, its normal along y; diagonals alternate like a chessboard.
#include "core/handle.h"
#include "mesh/elements.h"
#include "mesh/lattice.h"

static void fill_cloth(const double size[2], const int cells[2], SnMesh* mesh)
{
    int row = cells[0] + 1;
    int* next = mesh->triangles;
    for (int j = 0; j <= cells[1]; j++) {
        for (int i = 0; i <= cells[0]; i++) {
            double* p = mesh->nodes + 3 * ((size_t)j * (size_t)row + (size_t)i);
            p[0] = i * (size[0] / cells[0]);
            p[2] = j * (size[1] / cells[1]);
            if (i == cells[0] || j == cells[1]) continue;
            int a = j * row + i, quad[4] = {a, a + row, a + row + 1, a + 1}; // counter-clockwise seen from above
            int first = (i + j) & 1;
            for (int half = 0; half < 2; half++) {
                *next++ = quad[first];
                *next++ = quad[(first + 1 + half) % 4];
                *next++ = quad[(first + 2 + half) % 4];
            }
        }
    }
}

SnStatus sn_mesh_make_cloth(const double size[2], const int cells[2], SnMesh** mesh)
{
    SN_NEED(mesh);
    *mesh = NULL;
    SN_NEED(size);
    SN_NEED(cells);
    for (int i = 0; i < 2; i++) {
        SN_TRY(sn_check_positive("cloth", "size", size[i]));
        SN_TRY(sn_check_cells("cloth", "cells", cells[i], 1));
    }
    SN_TRY(sn_check_elements("cloth", 2.0 * cells[0] * cells[1]));
    SN_TRY(sn_mesh_allocate((cells[0] + 1) * (cells[1] + 1), 2, 2 * cells[0] * cells[1], mesh));
    fill_cloth(size, cells, *mesh);
    return SN_OK;
}

static SnStatus make(const SnShapeDef* def, SnMesh** mesh)
{
    return sn_mesh_make_cloth(def->size, def->cells, mesh);
}

static const SnParameter parameters[] = {
    {"size", SN_NUMBER, offsetof(SnShapeDef, size), .count = 2, .value = "[1, 1]", .range = ">0", .unit = "m",
     .doc = "length along x and z"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .count = 2, .value = "[20, 20]", .range = ">0",
     .doc = "cells along x and z"},
    {0},
};

const SnShape sn_shape_cloth = {
    .name = "cloth",
    .summary = "a sheet of triangles in the xz plane from the origin",
    .parameters = parameters,
    .make = make,
};
