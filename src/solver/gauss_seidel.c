// Graph-coloured Gauss-Seidel for rows of one node each (Overby, Brown, Li, Narain 2017, section 5.3).
//
// A node's best place, all others held, is d* = (r - sum_j A_ij d_j)/A_ii; its rows keep it on their planes, and it
// moves within them, over-relaxed, as far as friction lets it. Nodes of one colour share no entry of A and move at
// once. The first d is that of the rows' forces of the step before, by the prefactored matrix, so that sweeps only have
// to bend it near the rows.
#include <math.h>
#include <string.h>

#include "linalg/coloring.h"
#include "solver/global.h"
#include "solver/rows.h"

enum { MOST_SWEEPS = 100, CORNER_PASSES = 30, GRAIN = 256 };

#define RELAXATION 1.6

struct SnGaussSeidel {
    SnColoring coloring;
    SnGraph graph;    // of A
    double* values;   // per edge: A_ij
    int made;         // number of the factor that the values are of
    int* row_start;   // free_count + 1, into row_list
    int* row_list;    // the rows of each free node
    int capacity;     // of row_list
    double *r, *d;    // 3 x free_count
    double* position; // 3 x free_count: x of the free nodes
    double* change;   // per chunk: the longest move
};

void sn_gauss_seidel_destroy(SnGaussSeidel* s)
{
    if (!s) return;
    sn_coloring_free(&s->coloring);
    sn_graph_free(&s->graph);
    sn_free(s->values), sn_free(s->row_start), sn_free(s->row_list);
    sn_free(s->r), sn_free(s->d), sn_free(s->position), sn_free(s->change);
    sn_free(s);
}

// Values in the graph's order: of edge i-j, the entry in the lower triangle.
static void fill_values(SnGaussSeidel* s, const SnScalarMatrix* m)
{
    for (int j = 0; j < m->n; j++)
        for (int64_t k = m->col_start[j] + 1; k < m->col_start[j + 1]; k++) {
            int ends[2][2] = {{j, m->row[k]}, {m->row[k], j}};
            for (int e = 0; e < 2; e++)
                for (int64_t at = s->graph.start[ends[e][0]]; at < s->graph.start[ends[e][0] + 1]; at++)
                    if (s->graph.to[at] == ends[e][1]) s->values[at] = m->values[k];
        }
}

static SnStatus build(SnGaussSeidel* s, const SnScalarMatrix* m)
{
    int64_t n = m->n;
    SN_TRY(sn_graph_from_pattern(m->n, m->col_start, m->row, &s->graph));
    SN_TRY(sn_coloring_create(&s->graph, &s->coloring));
    if (!SN_NEW(s->values, s->graph.start[n], "constraints") || !SN_NEW(s->row_start, n + 2, "constraints") ||
        !SN_NEW(s->r, 3 * n, "constraints") || !SN_NEW(s->d, 3 * n, "constraints") ||
        !SN_NEW(s->position, 3 * n, "constraints") || !SN_NEW(s->change, n / GRAIN + 1, "constraints"))
        return SN_ERROR_MEMORY;
    return SN_OK;
}

SnStatus sn_gauss_seidel_create(const SnGlobal* global, const SnObjective* o, SnGaussSeidel** out)
{
    (void)o;
    *out = NULL;
    SnGaussSeidel* s;
    if (!SN_NEW(s, 1, "constraints")) return SN_ERROR_MEMORY;
    SnStatus status = build(s, &global->prefactored->matrix);
    if (status != SN_OK) {
        sn_gauss_seidel_destroy(s);
        return status;
    }
    *out = s;
    return SN_OK;
}

// The rows of each free node, in their order.
static SnStatus list_rows(SnGaussSeidel* s, const SnObjective* o)
{
    const SnRow* rows = o->rows->rows;
    int n = s->graph.n, *next = s->row_start + 1;
    if (!SN_GROW(s->row_list, s->capacity, o->rows->count, "constraints")) return SN_ERROR_MEMORY;
    memset(s->row_start, 0, ((size_t)n + 2) * sizeof *s->row_start);
    for (int i = 0; i < o->rows->count; i++) {
        int at = o->free_index[rows[i].node[0]];
        if (at >= 0) next[at + 1]++;
    }
    for (int i = 1; i <= n; i++) next[i] += next[i - 1];
    for (int i = 0; i < o->rows->count; i++) {
        int at = o->free_index[rows[i].node[0]];
        if (at >= 0) s->row_list[next[at]++] = i;
    }
    return SN_OK;
}

typedef struct Sweep {
    SnGaussSeidel* s;
    const SnPrefactored* prefactored;
    SnRow* rows;
    const int* vertices; // of the colour
    const SnObjective* objective;
    double relaxation;
} Sweep;

// How far a row is from being kept when its node has moved by d.
static double gap_of(const SnRow* row, const double* x, const double* d)
{
    double along = 0;
    for (int c = 0; c < 3; c++) along += row->normal[c] * (x[c] + d[c]);
    return row->weight[0] * along - row->offset;
}

// The nearest point to d that keeps the node's rows, and their forces for a diagonal entry of A: rows in turn, each
// giving back first what it took the last time (Dykstra 1983), which for one row is its plane at once.
static void project(const Sweep* w, int i, double diagonal, double* d)
{
    const SnGaussSeidel* s = w->s;
    int first = s->row_start[i], last = s->row_start[i + 1];
    for (int k = first; k < last; k++) w->rows[s->row_list[k]].force = 0;
    for (int pass = 0; pass < (last - first > 1 ? CORNER_PASSES : 1); pass++)
        for (int k = first; k < last; k++) {
            SnRow* row = &w->rows[s->row_list[k]];
            double weight = row->weight[0], old = row->force;
            double push = old - diagonal * gap_of(row, s->position + 3 * i, d) / (weight * weight);
            row->force = row->unilateral && push < 0 ? 0 : push;
            for (int c = 0; c < 3; c++) d[c] += (row->force - old) * weight * row->normal[c] / diagonal;
        }
}

// Friction of the node's rows, one after the other, as a prox: the slip is shortened by mu f over the diagonal.
static void rub(const Sweep* w, int i, double diagonal, double* d)
{
    const SnGaussSeidel* s = w->s;
    double there[3], slip[3];
    for (int k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
        SnRow* row = &w->rows[s->row_list[k]];
        row->press = row->force;
        if (!sn_row_has_friction(w->objective, row)) continue;
        for (int c = 0; c < 3; c++) there[c] = s->position[3 * (int64_t)i + c] + d[c];
        double left = sn_row_slip_left(w->objective, row, there, diagonal, slip);
        for (int c = 0; c < 3; c++) d[c] -= (1 - left) * slip[c];
    }
}

static double relax_node(const Sweep* w, int i)
{
    const SnGaussSeidel* s = w->s;
    double* d = s->d + 3 * (int64_t)i;
    double diagonal = w->prefactored->matrix.values[w->prefactored->matrix.col_start[i]], best[3], square = 0;
    for (int c = 0; c < 3; c++) best[c] = s->r[3 * (int64_t)i + c];
    for (int64_t k = s->graph.start[i]; k < s->graph.start[i + 1]; k++) {
        const double* other = s->d + 3 * (int64_t)s->graph.to[k];
        for (int c = 0; c < 3; c++) best[c] -= s->values[k] * other[c];
    }
    for (int c = 0; c < 3; c++) best[c] = d[c] + w->relaxation * (best[c] / diagonal - d[c]);
    if (s->row_start[i] < s->row_start[i + 1]) project(w, i, diagonal, best), rub(w, i, diagonal, best);
    for (int c = 0; c < 3; c++) square += (best[c] - d[c]) * (best[c] - d[c]), d[c] = best[c];
    return square;
}

static void relax_chunk(void* context, int first, int last)
{
    const Sweep* w = context;
    double most = 0;
    for (int k = first; k < last; k++) most = fmax(most, relax_node(w, w->vertices[k]));
    w->s->change[first / GRAIN] = most;
}

// One sweep over all colours; returns the longest move, m.
static double sweep(SnGaussSeidel* s, SnGlobal* g, const SnObjective* o, double relaxation)
{
    double most = 0;
    for (int c = 0; c < s->coloring.count; c++) {
        int first = s->coloring.start[c], count = s->coloring.start[c + 1] - first;
        Sweep w = {s, g->prefactored, o->rows->rows, s->coloring.vertices + first, o, relaxation};
        sn_tasks_for(o->tasks, count, GRAIN, relax_chunk, &w);
        for (int k = 0; k * GRAIN < count; k++) most = fmax(most, s->change[k]);
    }
    return sqrt(most);
}

SnStatus sn_gauss_seidel_solve(SnGaussSeidel* s, SnGlobal* g, const SnObjective* o, const double* r, const double* x,
                               double* d)
{
    SN_TRY(list_rows(s, o));
    if (s->made != g->prefactored->made) fill_values(s, &g->prefactored->matrix), s->made = g->prefactored->made;
    sn_rows_gather(o, 1, r, s->r);
    sn_rows_gather(o, 1, x, s->position);
    memcpy(s->d, s->r, 3 * (size_t)s->graph.n * sizeof *s->d);
    for (int i = 0; i < s->graph.n; i++)
        for (int k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            const SnRow* row = &o->rows->rows[s->row_list[k]];
            double force[3], slip[3];
            sn_row_friction(o, row, x, force, slip);
            for (int c = 0; c < 3; c++)
                s->d[3 * (int64_t)i + c] += row->weight[0] * (row->force * row->normal[c] + force[c]);
        }
    SN_TRY(sn_cholesky_solve(g->prefactored->cholesky, s->d, s->d));
    double moved = INFINITY;
    for (int k = 0; k < MOST_SWEEPS && moved > g->precision; k++, g->iterations++) moved = sweep(s, g, o, RELAXATION);
    sweep(s, g, o, 1); // leaves every node at its best, where forces are what A d - r is
    sn_rows_scatter(o, s->d, d);
    return SN_OK;
}
