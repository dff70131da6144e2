// Triangular sweeps over a Cholesky factor, or over a copy of it in fewer bits, in parallel over subtrees of the
// elimination tree and inside the large fronts at its top.
#include <math.h>
#include <string.h>

#include "linalg/cholesky_state.h"

enum {
    CHUNK_ENTRIES = 32768, // of the factor, for one task
    PERMUTE_GRAIN = 8192,
};
static const double SHORT_ERROR = 0.02; // of A^-1 A x, from which floats are taken

// Strips of one task in a sweep over a supernode of the top.
static int sweep_chunk(int columns)
{
    int strips = CHUNK_ENTRIES / (8 * columns) * 2; // an even number, as panels want
    return strips < 8 ? 8 : strips;
}

int64_t sn_cholesky_sums_length(const SnFactorPlan* plan)
{
    int64_t most = 0;
    for (int k = plan->group_start[plan->group_count]; k < plan->group_start[plan->group_count + 1]; k++) {
        int s = plan->sequence[k], columns = sn_plan_columns(plan, s);
        int64_t chunks = sn_chunks_of(sn_strips(sn_plan_below(plan, s)), sweep_chunk(columns));
        if (4 * columns * (chunks + 1) > most) most = 4 * columns * (chunks + 1);
    }
    return most;
}

typedef struct Sweep {
    const SnCholesky* c;
    const SnSweepKernels* kernels;
    double *vector, *sums; // to work with
    const double* b;
    double* x;
    bool moved;       // b and x have their rows at c->place
    const int* nodes; // some, of which there are `count`; NULL: all
    int count;
    int width; // numbers a row of the work vector: 4 with three right-hand sides
    int lanes; // of a column's sums
    int s;     // supernode of the top
    int chunk;
} Sweep;

static const void* strips_of(const Sweep* sweep, int s)
{
    return sweep->width == SN_MANY ? sweep->c->l + sweep->c->plan.l_at[s] : sn_factor_copy_strips(&sweep->c->copy, s);
}

static double* own_rows(const Sweep* sweep, int s)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    return sweep->vector + (int64_t)sweep->width * plan->block * plan->shape.first[s];
}

static const int* places_of(const Sweep* sweep)
{
    return sweep->moved ? sweep->c->place : sweep->c->plan.shape.order;
}

// Numbers of a node in a vector of the caller's, and in the work vector.
static int given_length(const Sweep* sweep)
{
    return sweep->width == SN_MANY ? SN_MANY * sweep->c->plan.block : 3;
}

static int own_length(const Sweep* sweep)
{
    return sweep->width == 4 ? 4 : given_length(sweep);
}

static void bring_in(void* context, int first, int last)
{
    const Sweep* sweep = context;
    const int* order = places_of(sweep);
    int length = given_length(sweep), own = own_length(sweep);
    for (int k = first; k < last; k++) {
        const double* from = sweep->b + length * (int64_t)order[k];
        double* to = sweep->vector + own * (int64_t)k;
        for (int q = 0; q < length; q++) to[q] = from[q];
        if (own > length) to[length] = 0;
    }
}

static void bring_out(void* context, int first, int last)
{
    const Sweep* sweep = context;
    const int* order = places_of(sweep);
    int length = given_length(sweep), own = own_length(sweep);
    for (int k = first; k < last; k++) {
        const double* from = sweep->vector + own * (int64_t)k;
        double* to = sweep->x + length * (int64_t)order[k];
        for (int q = 0; q < length; q++) to[q] = from[q];
    }
}

// Whether a sweep takes a supernode.
static bool takes(const Sweep* sweep, int s)
{
    return !sweep->nodes || sweep->c->wanted[s];
}

// A sweep of some nodes takes what depends on them, or they on it: all supernodes from theirs to the roots.
static void want(SnCholesky* c, const int* nodes, int count)
{
    const SnFactorPlan* plan = &c->plan;
    int64_t entries = 0;
    memset(c->wanted, 0, (size_t)plan->shape.count * sizeof *c->wanted);
    for (int k = 0; k < count; k++)
        for (int s = c->home[nodes[k]]; s >= 0 && !c->wanted[s]; s = plan->shape.parent[s]) {
            c->wanted[s] = true;
            entries += plan->l_at[s + 1] - plan->l_at[s];
        }
    c->swept = (double)entries / (double)plan->l_at[plan->shape.count];
}

double sn_cholesky_swept(const SnCholesky* c)
{
    return c->swept;
}

static void bring_some_in(const Sweep* sweep)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    size_t own = (size_t)own_length(sweep), given = (size_t)given_length(sweep);
    for (int s = 0; s < plan->shape.count; s++)
        if (takes(sweep, s))
            memset(own_rows(sweep, s), 0,
                   own * (size_t)(plan->shape.first[s + 1] - plan->shape.first[s]) * sizeof(double));
    for (int k = 0; k < sweep->count; k++)
        memcpy(sweep->vector + own * (size_t)sweep->c->rank[sweep->nodes[k]],
               sweep->b + given * (size_t)sweep->nodes[k], given * sizeof(double));
}

static void bring_some_out(const Sweep* sweep)
{
    size_t own = (size_t)own_length(sweep), given = (size_t)given_length(sweep);
    for (int k = 0; k < sweep->count; k++)
        memcpy(sweep->x + given * (size_t)sweep->nodes[k],
               sweep->vector + own * (size_t)sweep->c->rank[sweep->nodes[k]], given * sizeof(double));
}

// Copies between the borders of a group (or, g < 0, of all) and the rows they stand for.
typedef enum Transfer { CLEAR, ADD_TO_ROWS, TAKE_FROM_ROWS } Transfer;

static void transfer_border(const Sweep* sweep, int b, Transfer transfer)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    int s = plan->border[b], length = plan->block * sweep->width;
    if (!takes(sweep, s)) return;
    double* border = sweep->vector + (int64_t)sweep->width * plan->border_at[b];
    for (int64_t k = plan->shape.row_start[s]; k < plan->shape.row_start[s + 1]; k++, border += length) {
        double* row = sweep->vector + (int64_t)length * plan->shape.row[k];
        for (int q = 0; q < length; q++) {
            if (transfer == CLEAR) border[q] = 0;
            if (transfer == ADD_TO_ROWS) row[q] += border[q];
            if (transfer == TAKE_FROM_ROWS) border[q] = row[q];
        }
    }
}

static void transfer_group(const Sweep* sweep, int g, Transfer transfer)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    for (int b = 0; b < plan->border_count; b++)
        if (plan->border_group[b] == g) transfer_border(sweep, b, transfer);
    memset(sweep->vector + (int64_t)sweep->width * (plan->spare + g), 0, (size_t)sweep->width * sizeof(double));
}

static bool is_zero(const double* x, int count)
{
    for (int i = 0; i < count; i++)
        if (x[i] != 0) return false;
    return true;
}

// Whether there was anything to do: what is pushed at few nodes moves few rows on the way to the roots.
static bool forward_supernode(const Sweep* sweep, int s)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    int columns = sn_plan_columns(plan, s), strips = sn_strips(sn_plan_below(plan, s));
    if (!takes(sweep, s) || is_zero(own_rows(sweep, s), sweep->width * columns)) return false;
    const void* l = strips_of(sweep, s);
    sweep->kernels->forward_diagonal(l, columns, own_rows(sweep, s));
    sweep->kernels->forward_rows(l, columns, strips, 0, strips, own_rows(sweep, s),
                                 plan->target + plan->target_start[s], sweep->vector);
    return true;
}

static void backward_supernode(const Sweep* sweep, int s)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    int columns = sn_plan_columns(plan, s), strips = sn_strips(sn_plan_below(plan, s));
    if (!takes(sweep, s)) return;
    const void* l = strips_of(sweep, s);
    double sums[SN_MANY * SN_FRONT_WIDEST] __attribute__((aligned(64)));
    memset(sums, 0, (size_t)(sweep->lanes * columns) * sizeof *sums);
    sweep->kernels->backward_rows(l, columns, strips, 0, strips, plan->target + plan->target_start[s], sweep->vector,
                                  sums);
    sweep->kernels->backward_diagonal(l, columns, sums, own_rows(sweep, s));
}

// Where a subtree of a group ends; those of roots that are not in the top are whole trees.
typedef enum End { INSIDE, HANGS, WHOLE } End;

static End end_of(const SnFactorPlan* plan, int g, int s)
{
    int parent = plan->shape.parent[s];
    if (parent < 0) return WHOLE;
    return parent > plan->sequence[plan->group_start[g + 1] - 1] ? HANGS : INSIDE;
}

// Whole trees are swept back at once, as long as they are in the cache; if nothing is pushed in one nothing moves.
static void forward_group(void* context, int g)
{
    const Sweep* sweep = context;
    const SnFactorPlan* plan = &sweep->c->plan;
    bool any = false;
    transfer_group(sweep, g, CLEAR);
    for (int k = plan->group_start[g], first = k; k < plan->group_start[g + 1]; k++) {
        any |= forward_supernode(sweep, plan->sequence[k]);
        End end = end_of(plan, g, plan->sequence[k]);
        for (int i = k; i >= first && any && end == WHOLE; i--) backward_supernode(sweep, plan->sequence[i]);
        if (end != INSIDE) first = k + 1, any = false;
    }
}

static void backward_group(void* context, int g)
{
    const Sweep* sweep = context;
    const SnFactorPlan* plan = &sweep->c->plan;
    bool done = false;
    transfer_group(sweep, g, TAKE_FROM_ROWS);
    for (int k = plan->group_start[g + 1] - 1; k >= plan->group_start[g]; k--) {
        End end = end_of(plan, g, plan->sequence[k]);
        if (end != INSIDE) done = end == WHOLE;
        if (!done) backward_supernode(sweep, plan->sequence[k]);
    }
}

static void forward_chunk(void* context, int index)
{
    const Sweep* sweep = context;
    const SnFactorPlan* plan = &sweep->c->plan;
    int s = sweep->s, strips = sn_strips(sn_plan_below(plan, s)), first = index * sweep->chunk;
    int last = first + sweep->chunk < strips ? first + sweep->chunk : strips;
    sweep->kernels->forward_rows(strips_of(sweep, s), sn_plan_columns(plan, s), strips, first, last, own_rows(sweep, s),
                                 plan->target + plan->target_start[s], sweep->vector);
}

static void backward_chunk(void* context, int index)
{
    const Sweep* sweep = context;
    const SnFactorPlan* plan = &sweep->c->plan;
    int s = sweep->s, strips = sn_strips(sn_plan_below(plan, s)), first = index * sweep->chunk;
    int last = first + sweep->chunk < strips ? first + sweep->chunk : strips, columns = sn_plan_columns(plan, s);
    double* sums = sweep->sums + sweep->lanes * (int64_t)columns * (index + 1);
    memset(sums, 0, (size_t)(sweep->lanes * columns) * sizeof *sums);
    sweep->kernels->backward_rows(strips_of(sweep, s), columns, strips, first, last,
                                  plan->target + plan->target_start[s], sweep->vector, sums);
}

static void forward_top(Sweep* sweep)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    int top = plan->group_count;
    for (int b = 0; b < plan->border_count; b++) transfer_border(sweep, b, ADD_TO_ROWS);
    transfer_group(sweep, top, CLEAR);
    for (int k = plan->group_start[top]; k < plan->group_start[top + 1]; k++) {
        int s = sweep->s = plan->sequence[k], columns = sn_plan_columns(plan, s);
        if (!takes(sweep, s) || is_zero(own_rows(sweep, s), sweep->width * columns)) continue;
        sweep->chunk = sweep_chunk(columns);
        sweep->kernels->forward_diagonal(strips_of(sweep, s), columns, own_rows(sweep, s));
        int chunks = sn_chunks_of(sn_strips(sn_plan_below(plan, s)), sweep->chunk);
        sn_tasks_run(sweep->c->tasks, chunks, forward_chunk, sweep);
    }
}

static void backward_top(Sweep* sweep)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    int top = plan->group_count;
    double* sums = sweep->sums;
    for (int k = plan->group_start[top + 1] - 1; k >= plan->group_start[top]; k--) {
        int s = sweep->s = plan->sequence[k], columns = sn_plan_columns(plan, s);
        if (!takes(sweep, s)) continue;
        sweep->chunk = sweep_chunk(columns);
        int chunks = sn_chunks_of(sn_strips(sn_plan_below(plan, s)), sweep->chunk);
        sn_tasks_run(sweep->c->tasks, chunks, backward_chunk, sweep);
        memset(sums, 0, (size_t)(sweep->lanes * columns) * sizeof *sums);
        for (int i = 1; i <= chunks; i++)
            for (int q = 0; q < sweep->lanes * columns; q++) sums[q] += sums[sweep->lanes * (int64_t)columns * i + q];
        sweep->kernels->backward_diagonal(strips_of(sweep, s), columns, sums, own_rows(sweep, s));
    }
}

static void sweep_both_ways(Sweep* sweep)
{
    SnTasks* tasks = sweep->c->tasks;
    int n = sweep->c->plan.shape.n, groups = sweep->c->plan.group_count;
    if (sweep->nodes)
        bring_some_in(sweep);
    else
        sn_tasks_for(tasks, n, PERMUTE_GRAIN, bring_in, sweep);
    sn_tasks_run(tasks, groups, forward_group, sweep);
    forward_top(sweep);
    backward_top(sweep);
    sn_tasks_run(tasks, groups, backward_group, sweep);
    if (sweep->nodes)
        bring_some_out(sweep);
    else
        sn_tasks_for(tasks, n, PERMUTE_GRAIN, bring_out, sweep);
}

// Of some nodes, or, NULL, of all.
static void solve(SnCholesky* c, bool moved, const int* nodes, int count, const double* b, double* x)
{
    sweep_both_ways(&(Sweep){.c = c,
                             .kernels = c->sweeps,
                             .vector = c->vector,
                             .sums = c->sums,
                             .b = b,
                             .x = x,
                             .moved = moved,
                             .nodes = nodes,
                             .count = count,
                             .width = c->scalar ? 4 : 1,
                             .lanes = 4});
}

SnStatus sn_cholesky_solve(SnCholesky* c, const double* b, double* x)
{
    if (!c->factored) return sn_fail(SN_ERROR_VALUE, "there is no factor to solve with");
    solve(c, false, NULL, 0, b, x);
    return SN_OK;
}

SnStatus sn_cholesky_solve_placed(SnCholesky* c, const double* b, double* x)
{
    if (!c->factored || !c->place) return sn_fail(SN_ERROR_VALUE, "there is no factor to solve with, or no places");
    solve(c, true, NULL, 0, b, x);
    return SN_OK;
}

static SnStatus make_many(SnCholesky* c)
{
    if (!c->factored) return sn_fail(SN_ERROR_VALUE, "there is no factor to solve with");
    if (!c->many && !SN_NEW(c->many, SN_MANY * (int64_t)c->plan.rows, "the Cholesky sweeps")) return SN_ERROR_MEMORY;
    if (!c->many_sums && !SN_NEW(c->many_sums, SN_MANY / 4 * sn_cholesky_sums_length(&c->plan), "the Cholesky sweeps"))
        return SN_ERROR_MEMORY;
    return SN_OK;
}

static SnStatus make_some(SnCholesky* c)
{
    const SnSupernodes* shape = &c->plan.shape;
    if (c->wanted) return SN_OK;
    if ((!c->rank && !SN_NEW(c->rank, shape->n, "the Cholesky sweeps")) ||
        (!c->home && !SN_NEW(c->home, shape->n, "the Cholesky sweeps")) ||
        !SN_NEW(c->wanted, shape->count, "the Cholesky sweeps"))
        return SN_ERROR_MEMORY;
    for (int s = 0; s < shape->count; s++)
        for (int k = shape->first[s]; k < shape->first[s + 1]; k++)
            c->rank[shape->order[k]] = k, c->home[shape->order[k]] = s;
    return SN_OK;
}

static void solve_many(SnCholesky* c, const int* nodes, int count, double* rows)
{
    sweep_both_ways(&(Sweep){.c = c,
                             .kernels = sn_sweep_many_kernels(),
                             .vector = c->many,
                             .sums = c->many_sums,
                             .b = rows,
                             .x = rows,
                             .nodes = nodes,
                             .count = count,
                             .width = SN_MANY,
                             .lanes = SN_MANY});
}

SnStatus sn_cholesky_solve_many(SnCholesky* c, double* rows)
{
    SN_TRY(make_many(c));
    solve_many(c, NULL, 0, rows);
    return SN_OK;
}

SnStatus sn_cholesky_solve_among(SnCholesky* c, const int* nodes, int count, double* x)
{
    if (!c->factored) return sn_fail(SN_ERROR_VALUE, "there is no factor to solve with");
    SN_TRY(make_some(c));
    if (count == 0) return SN_OK;
    want(c, nodes, count);
    solve(c, false, nodes, count, x, x);
    return SN_OK;
}

SnStatus sn_cholesky_solve_some(SnCholesky* c, const int* nodes, int count, double* rows)
{
    SN_TRY(make_many(c));
    SN_TRY(make_some(c));
    if (count == 0) return SN_OK;
    want(c, nodes, count);
    solve_many(c, nodes, count, rows);
    return SN_OK;
}

SnStatus sn_cholesky_set_places(SnCholesky* c, const int* places)
{
    int n = c->plan.shape.n;
    if (!c->place && !SN_NEW(c->place, n, "the Cholesky sweeps")) return SN_ERROR_MEMORY;
    for (int k = 0; k < n; k++) c->place[k] = places[c->plan.shape.order[k]];
    return SN_OK;
}

static void copy_factor(SnCholesky* c, SnFactorPrecision precision)
{
    sn_factor_copy_fill(&c->copy, precision, c->tasks);
    c->sweeps = sn_sweep_kernels(c->plan.block == 1, precision);
}

// How far A^-1 A x is from x, as a part of x, for ones, which a stiff body's A has the least of, and for random signs.
static double error_of_sweeps(SnCholesky* c)
{
    int n = c->plan.shape.n;
    double *x = c->probe, *b = c->probe + 3 * (int64_t)n, error[3] = {0};
    uint32_t random = 1;
    for (int i = 0; i < n; i++) {
        x[3 * i] = 1;
        for (int k = 1; k < 3; k++) {
            random = 1664525 * random + 1013904223;
            x[3 * i + k] = random >> 31 ? 1 : -1;
        }
    }
    sn_scalar_matrix_multiply(c->scalar, x, b);
    for (int i = 0; i < 3 * n; i++) b[i] += c->shift * x[i];
    solve(c, false, NULL, 0, b, b);
    for (int i = 0; i < 3 * n; i++) error[i % 3] += (b[i] - x[i]) * (b[i] - x[i]) / n;
    return sqrt(fmax(error[0], fmax(error[1], error[2])));
}

void sn_cholesky_copy_for_sweeps(SnCholesky* c)
{
    copy_factor(c, c->precision);
    if (c->precision == SN_FACTOR_SHORT && !(error_of_sweeps(c) < SHORT_ERROR)) copy_factor(c, SN_FACTOR_FLOAT);
}

SnStatus sn_cholesky_set_precision(SnCholesky* c, SnFactorPrecision precision)
{
    if (precision == SN_FACTOR_SHORT && !c->scalar)
        return sn_fail(SN_ERROR_VALUE, "factors of 3x3 blocks have no sweeps in 16 bits; floats would be right");
    sn_factor_copy_free(&c->copy);
    c->precision = SN_FACTOR_DOUBLE;
    c->sweeps = sn_sweep_kernels(c->plan.block == 1, SN_FACTOR_DOUBLE);
    SN_TRY(sn_factor_copy_create(&c->plan, c->l, precision, &c->copy));
    if (precision == SN_FACTOR_SHORT && !c->probe &&
        !SN_NEW(c->probe, 6 * (int64_t)c->plan.shape.n, "the Cholesky sweeps"))
        sn_factor_copy_free(&c->copy);
    else
        c->precision = precision;
    c->sweeps = sn_sweep_kernels(c->plan.block == 1, c->precision);
    if (c->factored) sn_cholesky_copy_for_sweeps(c);
    return c->precision == precision ? SN_OK : SN_ERROR_MEMORY;
}
