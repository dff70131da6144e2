// A shirt for the walker: a tube of triangles with a narrow neck, which hangs on the shoulders of a figure of the same
// height at the origin. Every other ring is turned by half a cell, so that triangles are about equilateral.
#include "core/pi.h"
#include "mesh/elements.h"
#include "mesh/lattice.h"

#include <math.h>

// From the neck to the hem, parts of the figure's height: how high, half as wide, half as deep.
static const double profile[][3] = {
    {0.889, 0.072, 0.072}, {0.861, 0.150, 0.106}, {0.822, 0.194, 0.133}, {0.767, 0.200, 0.139}, {0.544, 0.200, 0.139}};
enum { PARTS = sizeof profile / sizeof *profile - 1 };

static double part_length(int k)
{
    double down = profile[k][0] - profile[k + 1][0], out = profile[k + 1][1] - profile[k][1];
    return sqrt(down * down + out * out);
}

// The ring at this part of the way from the neck to the hem, turned by a part of a cell.
static void place_ring(double part, double height, double turn, int around, double* x)
{
    double total = 0, t = 0;
    int k = 0;
    for (int i = 0; i < PARTS; i++) total += part_length(i);
    for (t = part * total; k + 1 < PARTS && t > part_length(k); k++) t -= part_length(k);
    t /= part_length(k);
    double ring[3];
    for (int c = 0; c < 3; c++) ring[c] = height * ((1 - t) * profile[k][c] + t * profile[k + 1][c]);
    for (int i = 0; i < around; i++, x += 3) {
        double angle = 2 * SN_PI * (i + turn) / around;
        x[0] = ring[1] * cos(angle), x[1] = ring[0], x[2] = ring[2] * sin(angle);
    }
}

static void fill(double height, int around, int rows, SnMesh* mesh)
{
    int* next = mesh->triangles;
    for (int j = 0; j <= rows; j++)
        place_ring((double)j / rows, height, j % 2 ? 0.5 : 0, around, mesh->nodes + 3 * (size_t)j * (size_t)around);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < around; i++) {
            int a = around * j + i, b = around * j + (i + 1) % around, below = j % 2 ? b + around : a + around;
            const int two[6] = {a, b, below, j % 2 ? a : b, b + around, a + around};
            for (int k = 0; k < 6; k++) *next++ = two[k];
        }
}

static SnStatus make(const SnShapeDef* def, SnMesh** mesh)
{
    int around = def->cells[0], rows = (int)lround(around / 2.1);
    *mesh = NULL;
    SN_TRY(sn_check_positive("shirt", "height", def->length));
    SN_TRY(sn_check_cells("shirt", "cells", around, 4));
    SN_TRY(sn_check_elements("shirt", 2.0 * around * rows));
    SN_TRY(sn_mesh_allocate(around * (rows + 1), 2, 2 * around * rows, mesh));
    fill(def->length, around, rows, *mesh);
    return SN_OK;
}

static const SnParameter parameters[] = {
    {"height", SN_NUMBER, offsetof(SnShapeDef, length), .value = "1.8", .range = ">0", .unit = "m",
     .doc = "of the figure that wears it, whose feet are at the origin"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .value = "24", .range = ">=4", .doc = "cells around it"},
    {0},
};

const SnShape sn_shape_shirt = {
    .name = "shirt",
    .summary = "a tube of triangles with a narrow neck, on the shoulders of a walker of the same height",
    .parameters = parameters,
    .make = make,
};
