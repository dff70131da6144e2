// How far each free node has turned between two shapes.
#include "solver/warp.h"

#include <math.h>

#include "linalg/decompose.h"

enum { GRAIN = 16 }; // packs

// Of what keeps a node whose neighbours are all in line, as on a rope, from turning about that line.
#define FIRMNESS 1e-3

static int packs(const SnWarp* w)
{
    return (w->count + SN_LANES - 1) / SN_LANES;
}

static void list_neighbours(SnWarp* w, const SnBlockMatrix* a)
{
    for (int j = 0; j < a->n; j++) {
        w->start[j + 1] += a->col_start[j + 1] - a->col_start[j] - 1;
        for (int64_t k = a->col_start[j] + 1; k < a->col_start[j + 1]; k++) w->start[a->row[k] + 1]++;
    }
    for (int j = 0; j < a->n; j++) w->start[j + 1] += w->start[j];
    for (int j = 0; j < a->n; j++)
        for (int64_t k = a->col_start[j] + 1; k < a->col_start[j + 1]; k++) {
            w->neighbours[w->start[j]++] = w->node[a->row[k]];
            w->neighbours[w->start[a->row[k]]++] = w->node[j];
        }
    for (int j = a->n; j > 0; j--) w->start[j] = w->start[j - 1];
    w->start[0] = 0;
}

SnStatus sn_warp_build(SnWarp* w, const SnObjective* o, const SnBlockMatrix* pattern)
{
    int n = w->count = o->nodes.free_count;
    w->tasks = o->nodes.tasks;
    if (!SN_NEW(w->node, n, "the solver") || !SN_NEW(w->start, (int64_t)n + 1, "the solver") ||
        !SN_NEW(w->neighbours, 2 * (pattern->col_start[n] - n), "the solver") ||
        !SN_NEW(w->rotations, 9 * SN_LANES * (int64_t)packs(w), "the solver"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < o->nodes.count; i++)
        if (o->nodes.free_index[i] >= 0) w->node[o->nodes.free_index[i]] = i;
    list_neighbours(w, pattern);
    return SN_OK;
}

void sn_warp_free(SnWarp* w)
{
    sn_free(w->node);
    sn_free(w->start);
    sn_free(w->neighbours);
    sn_free(w->rotations);
}

typedef struct Turn {
    SnWarp* warp;
    const double *from, *to;
} Turn;

// sum (to_j - to_i) (from_j - from_i)^T over the neighbours j of a node i, and a little of the identity.
static void find_spread(const Turn* t, int row, double f[9][SN_LANES], int lane)
{
    const SnWarp* w = t->warp;
    int64_t i = 3 * (int64_t)w->node[row];
    double a[9] = {0}, size = 1e-300;
    for (int64_t k = w->start[row]; k < w->start[row + 1]; k++) {
        int64_t j = 3 * (int64_t)w->neighbours[k];
        for (int c = 0; c < 3; c++) {
            double from = t->from[j + c] - t->from[i + c];
            size += from * from;
            for (int r = 0; r < 3; r++) a[3 * c + r] += (t->to[j + r] - t->to[i + r]) * from;
        }
    }
    for (int k = 0; k < 9; k++) f[k][lane] = a[k] + (k % 4 == 0 ? FIRMNESS * size : 0);
}

static void turn_packs(void* context, int first, int last)
{
    const Turn* t = context;
    for (int p = first; p < last; p++) {
        double f[9][SN_LANES], (*r)[SN_LANES] = (double(*)[SN_LANES])(t->warp->rotations + 9 * SN_LANES * (int64_t)p);
        for (int l = 0; l < SN_LANES; l++) { // the last pack is filled up with its last node
            int row = SN_LANES * p + l;
            find_spread(t, row < t->warp->count ? row : t->warp->count - 1, f, l);
        }
        sn_decompositions()->polar3((const double(*)[SN_LANES])f, r);
    }
}

void sn_warp_turn(SnWarp* w, const double* from, const double* to)
{
    sn_tasks_for(w->tasks, packs(w), GRAIN, turn_packs, &(Turn){w, from, to});
}

void sn_warp_rotation(const SnWarp* w, int row, double r[9])
{
    const double* from = w->rotations + 9 * SN_LANES * (int64_t)(row / SN_LANES) + row % SN_LANES;
    for (int k = 0; k < 9; k++) r[k] = from[k * SN_LANES];
}

typedef struct Rows {
    const SnWarp* warp;
    bool transposed;
    int lanes;
    double* rows;
} Rows;

static void apply_to(const Rows* t, int row)
{
    int step = t->transposed ? 1 : 3; // from entry to entry of a row of R, or of R^T
    const double* r = t->warp->rotations + 9 * SN_LANES * (int64_t)(row / SN_LANES) + row % SN_LANES;
    double* x = t->rows + 3 * (int64_t)row * t->lanes;
    for (int l = 0; l < t->lanes; l++, x++) {
        double y[3] = {x[0], x[t->lanes], x[2 * t->lanes]};
        for (int i = 0; i < 3; i++) {
            const double* a = r + (t->transposed ? 3 * i : i) * SN_LANES;
            x[i * t->lanes] = a[0] * y[0] + a[step * SN_LANES] * y[1] + a[2 * step * SN_LANES] * y[2];
        }
    }
}

static void apply_packs(void* context, int first, int last)
{
    const Rows* t = context;
    for (int row = SN_LANES * first; row < SN_LANES * last && row < t->warp->count; row++) apply_to(t, row);
}

void sn_warp_apply(const SnWarp* w, bool transposed, int lanes, double* rows)
{
    sn_tasks_for(w->tasks, packs(w), GRAIN, apply_packs, &(Rows){w, transposed, lanes, rows});
}

void sn_warp_apply_some(const SnWarp* w, bool transposed, int lanes, const int* nodes, int count, double* rows)
{
    Rows t = {w, transposed, lanes, rows};
    for (int k = 0; k < count; k++) apply_to(&t, nodes[k]);
}
