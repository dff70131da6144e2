// gauss-seidel: graph-coloured Gauss-Seidel for constraints on one node each (Overby, Brown, Li, Narain 2017, section
// 5.3).
//
// A node's best place, all others held, is d* = (r - sum_j A_ij d_j)/A_ii; its constraints keep it on their planes, and
// it moves within them, over-relaxed, as far as friction lets it. Nodes of one colour share no entry of A and move at
// once. The first d is that of the forces of the step before, by the prefactored matrix, so that sweeps only have to
// bend it near the constraints.
#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "constraint/method.h"
#include "constraint/wedge.h"
#include "linalg/coloring.h"
#include "linalg/free_nodes.h"

enum { GRAIN = 256 };

typedef struct GaussSeidel {
    const SnNodes* nodes;
    SnColoring coloring;
    SnGraph graph;    // of A
    double* values;   // per edge: A_ij
    int made;         // number of the factor that the values are of
    int* first;       // free_count + 1, into list
    int* list;        // the constraints of each free node
    int capacity;     // of list
    double *r, *d;    // 3 x free_count
    double* position; // 3 x free_count: x of the free nodes
    double* change;   // per chunk: the longest move
} GaussSeidel;

static void destroy(void* state)
{
    GaussSeidel* s = state;
    if (!s) return;
    sn_coloring_free(&s->coloring);
    sn_graph_free(&s->graph);
    sn_free(s->values), sn_free(s->first), sn_free(s->list);
    sn_free(s->r), sn_free(s->d), sn_free(s->position), sn_free(s->change);
    sn_free(s);
}

// Values in the graph's order: of edge i-j, the entry in the lower triangle.
static void fill_values(GaussSeidel* s, const SnScalarMatrix* m)
{
    for (int j = 0; j < m->n; j++)
        for (int64_t k = m->col_start[j] + 1; k < m->col_start[j + 1]; k++) {
            int ends[2][2] = {{j, m->row[k]}, {m->row[k], j}};
            for (int e = 0; e < 2; e++)
                for (int64_t at = s->graph.start[ends[e][0]]; at < s->graph.start[ends[e][0] + 1]; at++)
                    if (s->graph.to[at] == ends[e][1]) s->values[at] = m->values[k];
        }
}

static SnStatus build(GaussSeidel* s, const SnScalarMatrix* m)
{
    int64_t n = m->n;
    SN_TRY(sn_graph_from_pattern(m->n, m->col_start, m->row, &s->graph));
    SN_TRY(sn_coloring_create(&s->graph, &s->coloring));
    if (!SN_NEW(s->values, s->graph.start[n], "constraints") || !SN_NEW(s->first, n + 2, "constraints") ||
        !SN_NEW(s->r, 3 * n, "constraints") || !SN_NEW(s->d, 3 * n, "constraints") ||
        !SN_NEW(s->position, 3 * n, "constraints") || !SN_NEW(s->change, n / GRAIN + 1, "constraints"))
        return SN_ERROR_MEMORY;
    return SN_OK;
}

static SnStatus create(const SnNodes* nodes, const SnNodeSystem* system, void** state)
{
    *state = NULL;
    GaussSeidel* s;
    if (!SN_NEW(s, 1, "constraints")) return SN_ERROR_MEMORY;
    s->nodes = nodes;
    SN_FINISH(build(s, &system->matrix), s, destroy, state);
}

// The constraints of each free node, in their order.
static SnStatus list_constraints(GaussSeidel* s, const SnConstraintSet* set)
{
    int n = s->graph.n, *next = s->first + 1;
    const int* free_index = s->nodes->free_index;
    if (!SN_GROW(s->list, s->capacity, set->count, "constraints")) return SN_ERROR_MEMORY;
    memset(s->first, 0, ((size_t)n + 2) * sizeof *s->first);
    for (int i = 0; i < set->count; i++) {
        int at = free_index[set->items[i].constraint.at.node[0]];
        if (at >= 0) next[at + 1]++;
    }
    for (int i = 1; i <= n; i++) next[i] += next[i - 1];
    for (int i = 0; i < set->count; i++) {
        int at = free_index[set->items[i].constraint.at.node[0]];
        if (at >= 0) s->list[next[at]++] = i;
    }
    return SN_OK;
}

typedef struct Sweep {
    GaussSeidel* s;
    const SnScalarMatrix* matrix;
    SnConstraints* constraints;
    const int* vertices; // of the colour
    double relaxation;
} Sweep;

// How far a constraint is from being kept when its node has moved by d.
static double gap_of(const SnStencil* at, const double* x, const double* d)
{
    double along = 0;
    for (int c = 0; c < 3; c++) along += at->normal[c] * (x[c] + d[c]);
    return at->weight[0] * along - at->offset;
}

// The nearest point to d that keeps the node's constraints, and their forces for a diagonal entry of A, over-relaxed as
// the node's way is: constraints in turn, each giving back first what it took the last time (Dykstra 1983), which for
// one is its plane at once. Once forces stay, all passes would be the same.
static void project(const Sweep* w, int i, double diagonal, double* d)
{
    const GaussSeidel* s = w->s;
    SnKept* items = w->constraints->now->items;
    int first = s->first[i], last = s->first[i + 1];
    for (int k = first; k < last; k++) items[s->list[k]].multiplier.force = 0;
    bool changed = true;
    for (int pass = 0; changed && pass < (last - first > 1 ? SN_CORNER_PASSES : 1); pass++) {
        changed = false;
        for (int k = first; k < last; k++) {
            SnKept* item = &items[s->list[k]];
            const SnStencil* at = &item->constraint.at;
            double weight = at->weight[0], old = item->multiplier.force;
            double give = item->multiplier.compliance / w->relaxation;
            double gap = gap_of(at, s->position + 3 * i, d) + give * old;
            double push = old - gap / (weight * weight / diagonal + give);
            double force = item->constraint.unilateral && push < 0 ? 0 : push;
            item->multiplier.force = force;
            changed |= fabs(force - old) > SN_CORNER_SAME * fabs(force);
            for (int c = 0; c < 3; c++) d[c] += (force - old) * weight * at->normal[c] / diagonal;
        }
    }
}

// Friction of the node's constraints, one after the other, as a prox: the slip is shortened by mu f over the diagonal.
static void rub(const Sweep* w, int i, double diagonal, double* d)
{
    const GaussSeidel* s = w->s;
    const SnFriction* friction = &w->constraints->friction;
    double there[3], slip[3];
    for (int k = s->first[i]; k < s->first[i + 1]; k++) {
        SnKept* item = &w->constraints->now->items[s->list[k]];
        item->multiplier.normal_force = item->multiplier.force;
        if (!sn_friction_acts(friction, item)) continue;
        for (int c = 0; c < 3; c++) there[c] = s->position[3 * (int64_t)i + c] + d[c];
        double left = sn_friction_slip_left(friction, item, there, diagonal, slip);
        for (int c = 0; c < 3; c++) {
            d[c] -= (1 - left) * slip[c];
            item->multiplier.tangent[c] = -diagonal * (1 - left) * slip[c];
        }
    }
}

static double relax_node(const Sweep* w, int i)
{
    const GaussSeidel* s = w->s;
    double* d = s->d + 3 * (int64_t)i;
    double diagonal = w->matrix->values[w->matrix->col_start[i]], best[3], square = 0;
    for (int c = 0; c < 3; c++) best[c] = s->r[3 * (int64_t)i + c];
    for (int64_t k = s->graph.start[i]; k < s->graph.start[i + 1]; k++) {
        const double* other = s->d + 3 * (int64_t)s->graph.to[k];
        for (int c = 0; c < 3; c++) best[c] -= s->values[k] * other[c];
    }
    for (int c = 0; c < 3; c++) best[c] = d[c] + w->relaxation * (best[c] / diagonal - d[c]);
    if (s->first[i] < s->first[i + 1]) project(w, i, diagonal, best), rub(w, i, diagonal, best);
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
static double sweep(GaussSeidel* s, SnConstraints* c, const SnGlobalStep* step, double relaxation)
{
    double most = 0;
    for (int k = 0; k < s->coloring.count; k++) {
        int first = s->coloring.start[k], count = s->coloring.start[k + 1] - first;
        Sweep w = {s, &step->system->matrix, c, s->coloring.vertices + first, relaxation};
        sn_tasks_for(s->nodes->tasks, count, GRAIN, relax_chunk, &w);
        for (int i = 0; i * GRAIN < count; i++) most = fmax(most, s->change[i]);
    }
    return sqrt(most);
}

// d = A^-1 (r + the forces of constraints and of friction)
static SnStatus begin(GaussSeidel* s, const SnConstraints* constraints, const SnGlobalStep* step)
{
    memcpy(s->d, s->r, 3 * (size_t)s->graph.n * sizeof *s->d);
    for (int i = 0; i < s->graph.n; i++)
        for (int k = s->first[i]; k < s->first[i + 1]; k++) {
            const SnKept* item = &constraints->now->items[s->list[k]];
            const SnStencil* at = &item->constraint.at;
            double force[3], slip[3];
            sn_friction_force(&constraints->friction, item, step->x, force, slip);
            for (int c = 0; c < 3; c++)
                s->d[3 * (int64_t)i + c] += at->weight[0] * (item->multiplier.force * at->normal[c] + force[c]);
        }
    return sn_cholesky_solve(step->system->cholesky, s->d, s->d);
}

static SnStatus solve(void* state, SnConstraints* c, SnGlobalStep* step)
{
    GaussSeidel* s = state;
    const SnNodes* nodes = s->nodes;
    SN_TRY(list_constraints(s, c->now));
    if (s->made != step->system->made) fill_values(s, &step->system->matrix), s->made = step->system->made;
    sn_free_gather(nodes->tasks, nodes->count, nodes->free_index, 1, step->r, s->r);
    sn_free_gather(nodes->tasks, nodes->count, nodes->free_index, 1, step->x, s->position);
    SN_TRY(begin(s, c, step));
    double moved = INFINITY;
    int most = step->work < SN_GAUSS_SEIDEL_SWEEPS ? step->work : SN_GAUSS_SEIDEL_SWEEPS;
    for (int k = 0; k < most && moved > step->precision; k++, step->iterations++)
        moved = sweep(s, c, step, SN_GAUSS_SEIDEL_RELAXATION);
    c->bounded += moved > step->precision;
    sweep(s, c, step, 1); // leaves every node at its best, where forces are what A d - r is
    sn_free_scatter(nodes->tasks, nodes->count, nodes->free_index, s->d, step->d);
    for (int i = 0; i < c->now->count; i++)
        c->now->items[i].multiplier.normal_force = c->now->items[i].multiplier.force;
    return SN_OK;
}

// Planes of one node that are nearly parallel are too slow in turn.
static bool suits(const SnConstraints* c)
{
    if (sn_slides_share_nodes(c)) return false;
    for (int i = 0; i < c->now->count; i++)
        if (c->now->items[i].constraint.at.count > 1) return false;
    return true;
}

const SnConstraintMethod sn_gauss_seidel = {
    .name = "gauss-seidel",
    .summary = "coloured Gauss-Seidel in the global step of admm and pd, where each constraint is on one node",
    .push = sn_constraint_push_multiplier,
    .update = sn_constraints_settle,
    .suits = suits,
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
