// Fewer triangles for what needs no detail, the small shadow maps of the sky: vertices of one cell of a grid become one
// (Rossignac & Borrel 1993), the one nearest to their mean, and triangles within two cells vanish.
#include <math.h>

#include "core/memory.h"
#include "linalg/vec3.h"
#include "view/picture_surface.h"

enum { CELLS = 32, MANY = 2000 }; // along the longest side; triangles that are worth it

typedef struct Grid {
    double lo[3], width; // of a cell
    int count;           // of cells
    int* cell;           // vertex_count
    double* sums;        // 4 x count: positions, how many
    double* best;        // count: squared distance of the representative from the mean
    int* chosen;         // count: the representative, a vertex
} Grid;

static bool find_box(const SnPictureSurface* s, const double* x, Grid* grid)
{
    double hi[3], side = 0;
    for (int i = 0; i < 3; i++) grid->lo[i] = INFINITY, hi[i] = -INFINITY;
    for (int v = 0; v < s->vertex_count; v++)
        for (int i = 0; i < 3; i++) {
            double at = x[3 * (size_t)s->source[v] + (size_t)i];
            if (!isfinite(at)) return false;
            grid->lo[i] = fmin(grid->lo[i], at), hi[i] = fmax(hi[i], at);
        }
    for (int i = 0; i < 3; i++) side = fmax(side, hi[i] - grid->lo[i]);
    grid->width = side / CELLS;
    grid->count = (CELLS + 1) * (CELLS + 1) * (CELLS + 1);
    return grid->width > 0 && isfinite(side);
}

static int cell_of(const Grid* grid, const double* x)
{
    int cell = 0;
    for (int i = 0; i < 3; i++) cell = cell * (CELLS + 1) + (int)fmin((x[i] - grid->lo[i]) / grid->width, CELLS);
    return cell;
}

static void choose(const SnPictureSurface* s, const double* x, Grid* grid)
{
    for (int v = 0; v < s->vertex_count; v++) {
        const double* at = x + 3 * (size_t)s->source[v];
        double* sum = grid->sums + 4 * (size_t)(grid->cell[v] = cell_of(grid, at));
        for (int i = 0; i < 3; i++) sum[i] += at[i];
        sum[3]++;
    }
    for (int c = 0; c < grid->count; c++) grid->best[c] = INFINITY;
    for (int v = 0; v < s->vertex_count; v++) {
        int c = grid->cell[v];
        const double *at = x + 3 * (size_t)s->source[v], *sum = grid->sums + 4 * (size_t)c;
        double mean[3] = {sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3]}, distance = sn_distance3(at, mean);
        if (distance < grid->best[c]) grid->best[c] = distance, grid->chosen[c] = v;
    }
}

static void take_triangles(SnPictureSurface* s, const Grid* grid)
{
    for (int t = 0; t < s->triangle_count; t++) {
        const int* v = s->triangles + 3 * (size_t)t;
        int a = grid->cell[v[0]], b = grid->cell[v[1]], c = grid->cell[v[2]];
        if (a == b || b == c || c == a) continue;
        int* to = s->coarse + 3 * (size_t)s->coarse_count++;
        to[0] = grid->chosen[a], to[1] = grid->chosen[b], to[2] = grid->chosen[c];
    }
}

SnStatus sn_picture_surface_coarsen(SnPictureSurface* s, const double* x)
{
    Grid grid = {0};
    if (s->triangle_count < MANY || !find_box(s, x, &grid)) return SN_OK;
    bool room = SN_NEW(grid.cell, s->vertex_count, "surface") && SN_NEW(grid.sums, 4 * grid.count, "surface") &&
                SN_NEW(grid.best, grid.count, "surface") && SN_NEW(grid.chosen, grid.count, "surface") &&
                SN_NEW(s->coarse, 3 * (int64_t)s->triangle_count, "surface");
    if (room) {
        choose(s, x, &grid);
        take_triangles(s, &grid);
    }
    SN_FREE(grid.cell, grid.sums, grid.best, grid.chosen);
    return room ? SN_OK : SN_ERROR_MEMORY;
}
