// Multifrontal Cholesky (Duff & Reid 1983; Liu 1992) and its triangular sweeps, in parallel over subtrees of the
// elimination tree and inside the large fronts at its top.
#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

#include "linalg/factor_copy.h"

enum {
    CHUNK_STRIPS = 24,     // of a front's rows, for one task
    CHUNK_NODES = 32,      // of a child's columns
    CHUNK_ENTRIES = 32768, // of the factor, in a sweep
    PERMUTE_GRAIN = 8192,
};
static const double PARALLEL_WORK = 4e5; // operations from which a front of the top is shared among threads
static const double SHORT_ERROR = 0.02;  // of A^-1 A x, from which floats are taken

struct SnCholesky {
    const SnBlockMatrix* matrix; // one of these two
    const SnScalarMatrix* scalar;
    SnTasks* tasks;
    SnFactorPlan plan;
    const SnFrontKernels* fronts;
    const SnSweepKernels* sweeps;
    double* l;                   // the factor
    int* place;                  // n: where node k of the order is in vectors; NULL: at order[k]
    SnFactorPrecision precision; // asked for, for the sweeps
    SnFactorCopy copy;           // the same in fewer bits
    double* probe;               // 2 x 3n: of short copies, whether they will do
    double* work;                // fronts
    double* vector;              // plan.rows, four numbers each with three right-hand sides
    double* sums;                // of the top's sweeps
    bool* indefinite;            // group_count + 1
    double shift;
    bool factored;
};

// Strips of one task in a sweep over a supernode of the top.
static int sweep_chunk(int columns)
{
    int strips = CHUNK_ENTRIES / (8 * columns) * 2; // an even number, as panels want
    return strips < 8 ? 8 : strips;
}

static int chunks_of(int count, int size)
{
    return count / size + (count % size != 0);
}

// Numbers needed for the sums of the top's chunks.
static int64_t sums_length(const SnFactorPlan* plan)
{
    int64_t most = 0;
    for (int k = plan->group_start[plan->group_count]; k < plan->group_start[plan->group_count + 1]; k++) {
        int s = plan->sequence[k], columns = sn_plan_columns(plan, s);
        int64_t chunks = chunks_of(sn_strips(sn_plan_below(plan, s)), sweep_chunk(columns));
        if (4 * columns * (chunks + 1) > most) most = 4 * columns * (chunks + 1);
    }
    return most;
}

static SnStatus create(SnCholesky* c, int n, const int64_t* col_start, const int* row, int block, SnCholesky** out)
{
    c->fronts = sn_front_kernels();
    c->sweeps = sn_sweep_kernels(block == 1, SN_FACTOR_DOUBLE);
    SnStatus status = sn_factor_plan_create(n, col_start, row, block, &c->plan);
    int64_t width = block == 1 ? 4 : 1;
    if (status == SN_OK && (!SN_NEW(c->l, c->plan.l_at[c->plan.shape.count], "the Cholesky factor") ||
                            !SN_NEW(c->work, c->plan.work_length, "the Cholesky factorisation's fronts") ||
                            !SN_NEW(c->vector, width * c->plan.rows, "the Cholesky sweeps") ||
                            !SN_NEW(c->sums, sums_length(&c->plan), "the Cholesky sweeps") ||
                            !SN_NEW(c->indefinite, c->plan.group_count + 1, "the Cholesky factorisation")))
        status = SN_ERROR_MEMORY;
    c->copy = (SnFactorCopy){.plan = &c->plan, .l = c->l};
    if (status != SN_OK)
        sn_cholesky_destroy(c);
    else
        *out = c;
    return status;
}

SnStatus sn_cholesky_create(const SnBlockMatrix* matrix, SnCholesky** cholesky)
{
    *cholesky = NULL;
    SnCholesky* c;
    if (!SN_NEW(c, 1, "the Cholesky factorisation")) return SN_ERROR_MEMORY;
    c->matrix = matrix;
    return create(c, matrix->n, matrix->col_start, matrix->row, 3, cholesky);
}

SnStatus sn_cholesky_create_scalar(const SnScalarMatrix* matrix, SnCholesky** cholesky)
{
    *cholesky = NULL;
    SnCholesky* c;
    if (!SN_NEW(c, 1, "the Cholesky factorisation")) return SN_ERROR_MEMORY;
    c->scalar = matrix;
    return create(c, matrix->n, matrix->col_start, matrix->row, 1, cholesky);
}

void sn_cholesky_set_tasks(SnCholesky* c, SnTasks* tasks)
{
    c->tasks = tasks;
}

SnStatus sn_cholesky_set_places(SnCholesky* c, const int* places)
{
    int n = c->plan.shape.n;
    if (!c->place && !SN_NEW(c->place, n, "the Cholesky sweeps")) return SN_ERROR_MEMORY;
    for (int k = 0; k < n; k++) c->place[k] = places[c->plan.shape.order[k]];
    return SN_OK;
}

static void solve(SnCholesky* c, bool moved, const double* b, double* x);

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
    solve(c, false, b, b);
    for (int i = 0; i < 3 * n; i++) error[i % 3] += (b[i] - x[i]) * (b[i] - x[i]) / n;
    return sqrt(fmax(error[0], fmax(error[1], error[2])));
}

static void copy_for_sweeps(SnCholesky* c)
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
    if (c->factored) copy_for_sweeps(c);
    return c->precision == precision ? SN_OK : SN_ERROR_MEMORY;
}

void sn_cholesky_destroy(SnCholesky* c)
{
    if (!c) return;
    sn_factor_plan_free(&c->plan);
    sn_factor_copy_free(&c->copy);
    sn_free(c->l), sn_free(c->place), sn_free(c->probe), sn_free(c->work), sn_free(c->vector), sn_free(c->sums),
        sn_free(c->indefinite);
    sn_free(c);
}

double sn_cholesky_factor_entries(const SnCholesky* c)
{
    return c->plan.nonzeros;
}

double sn_cholesky_factor_flops(const SnCholesky* c)
{
    return c->plan.flops;
}

double sn_cholesky_bytes(const SnCholesky* c)
{
    const SnFactorPlan* plan = &c->plan;
    int count = plan->shape.count;
    double indices = 2.0 * (double)plan->shape.row_start[count] + (double)plan->target_start[count];
    return (double)c->copy.length + 8.0 * (double)plan->l_at[count] + 8.0 * (double)plan->work_length + 4.0 * indices +
           (double)plan->entry_start[count] * sizeof(SnFactorEntry) + 32.0 * plan->rows;
}

// Factoring

static SnFront front_of(const SnCholesky* c, int s)
{
    const SnFactorPlan* plan = &c->plan;
    return (SnFront){.columns = sn_plan_columns(plan, s),
                     .below = sn_plan_below(plan, s),
                     .l = c->l + plan->l_at[s],
                     .p = c->work + plan->p_at[s],
                     .u = c->work + plan->u_at[s]};
}

static void add_diagonal_block(const SnCholesky* c, const SnFactorEntry* e, double* p, int strips)
{
    for (int k = 0; k < 3; k++) {
        const double* from = c->matrix->values + sn_block_column(c->matrix, e->column, k);
        double* to = sn_packed_column(p, strips, e->place + k);
        to[e->row + k] += c->shift;
        for (int r = k; r < 3; r++) to[e->row + r] += from[r - k];
    }
}

static void add_block(const SnCholesky* c, const SnFactorEntry* e, double* p, int strips)
{
    int place = e->place < 0 ? ~e->place : e->place;
    double* to[3];
    for (int k = 0; k < 3; k++) to[k] = sn_packed_column(p, strips, place + k) + e->row;
    for (int k = 0; k < 3; k++) {
        const double* from = c->matrix->values + sn_block_column(c->matrix, e->column, k) + 3 * e->local - k;
        for (int r = 0; r < 3; r++)
            if (e->place < 0)
                to[r][k] += from[r];
            else
                to[k][r] += from[r];
    }
}

static void add_number(const SnCholesky* c, const SnFactorEntry* e, double* p, int strips)
{
    double value = c->scalar->values[c->scalar->col_start[e->column] + e->local];
    int place = e->place < 0 ? ~e->place : e->place;
    sn_packed_column(p, strips, place)[e->row] += e->local == 0 ? value + c->shift : value;
}

static void add_matrix(const SnCholesky* c, int s, const SnFront* front)
{
    const SnFactorPlan* plan = &c->plan;
    int strips = sn_strips(front->columns) + sn_strips(front->below);
    for (int64_t k = plan->entry_start[s]; k < plan->entry_start[s + 1]; k++) {
        const SnFactorEntry* e = plan->entry + k;
        if (c->scalar)
            add_number(c, e, front->p, strips);
        else if (e->local == 0)
            add_diagonal_block(c, e, front->p, strips);
        else
            add_block(c, e, front->p, strips);
    }
}

// One front's work, cut into tasks.
typedef struct Share {
    const SnCholesky* c;
    SnFront front;
    int child; // whose remainder is added
    int strips, chunks;
} Share;

static void clear_chunk(void* context, int index)
{
    const Share* share = context;
    int first = index * CHUNK_STRIPS,
        last = first + CHUNK_STRIPS < share->strips ? first + CHUNK_STRIPS : share->strips;
    int64_t begin = sn_packed_block(share->strips, first), end = sn_packed_block(share->strips, last);
    memset(share->front.u + begin, 0, (size_t)(end - begin) * sizeof(double));
}

static void extend_chunk(void* context, int index)
{
    const Share* share = context;
    const SnFactorPlan* plan = &share->c->plan;
    int64_t start = plan->shape.row_start[share->child];
    int nodes = (int)(plan->shape.row_start[share->child + 1] - start);
    int first = index * CHUNK_NODES, last = first + CHUNK_NODES < nodes ? first + CHUNK_NODES : nodes;
    share->c->fronts->extend(&share->front, share->c->work + plan->u_at[share->child], nodes, plan->block,
                             plan->relative + start, first, last);
}

static void rows_chunk(void* context, int index)
{
    const Share* share = context;
    int first = index * CHUNK_STRIPS,
        last = first + CHUNK_STRIPS < share->strips ? first + CHUNK_STRIPS : share->strips;
    share->c->fronts->factor_rows(&share->front, first, last);
}

static void update_chunk(void* context, int index)
{
    const Share* share = context;
    int first = (share->chunks - 1 - index) * CHUNK_STRIPS; // the longest first
    int last = first + CHUNK_STRIPS < share->strips ? first + CHUNK_STRIPS : share->strips;
    share->c->fronts->update(&share->front, first, last);
}

// Assembles and eliminates one front; false if it is not positive definite.
static bool factor_front(SnCholesky* c, int s, SnTasks* tasks)
{
    const SnFactorPlan* plan = &c->plan;
    Share share = {.c = c, .front = front_of(c, s)};
    share.strips = sn_strips(share.front.below);
    share.chunks = chunks_of(share.strips, CHUNK_STRIPS);
    double rows = share.front.columns + share.front.below;
    if (share.front.columns * rows * rows < PARALLEL_WORK) tasks = NULL;
    if (!plan->shape.link[s]) {
        int diagonal = sn_strips(share.front.columns);
        int64_t panel = sn_packed_block(diagonal + share.strips, diagonal);
        memset(share.front.p, 0, (size_t)panel * sizeof(double));
        sn_tasks_run(tasks, share.chunks, clear_chunk, &share);
    }
    add_matrix(c, s, &share.front);
    for (int child = plan->child[s]; child >= 0 && !plan->shape.link[s]; child = plan->next[child]) {
        share.child = child;
        int nodes = (int)(plan->shape.row_start[child + 1] - plan->shape.row_start[child]);
        sn_tasks_run(tasks, chunks_of(nodes, CHUNK_NODES), extend_chunk, &share);
    }
    if (!c->fronts->factor_diagonal(&share.front)) return false;
    sn_tasks_run(tasks, share.chunks, rows_chunk, &share);
    sn_tasks_run(tasks, share.chunks, update_chunk, &share);
    return true;
}

static void factor_sequence(SnCholesky* c, int g, SnTasks* tasks)
{
    const SnFactorPlan* plan = &c->plan;
    for (int k = plan->group_start[g]; k < plan->group_start[g + 1] && !c->indefinite[g]; k++)
        c->indefinite[g] = !factor_front(c, plan->sequence[k], tasks);
}

static void factor_group(void* context, int g)
{
    SnCholesky* c = context;
    c->indefinite[g] = false;
    factor_sequence(c, g, NULL);
}

SnStatus sn_cholesky_factor(SnCholesky* c, double shift, bool* definite)
{
    int groups = c->plan.group_count;
    c->shift = shift;
    c->factored = false;
    *definite = true;
    sn_tasks_run(c->tasks, groups, factor_group, c);
    for (int g = 0; g < groups; g++)
        if (c->indefinite[g]) *definite = false;
    if (*definite) {
        c->indefinite[groups] = false;
        factor_sequence(c, groups, c->tasks);
        *definite = !c->indefinite[groups];
    }
    c->factored = *definite;
    if (c->factored) copy_for_sweeps(c);
    return SN_OK;
}

// Solving

typedef struct Sweep {
    const SnCholesky* c;
    const double* b;
    double* x;
    bool moved; // b and x have their rows at c->place
    int width;  // numbers a row of the work vector: 4 with three right-hand sides
    int s;      // supernode of the top
    int chunk;
} Sweep;

static double* own_rows(const Sweep* sweep, int s)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    return sweep->c->vector + (int64_t)sweep->width * plan->block * plan->shape.first[s];
}

static const int* places_of(const Sweep* sweep)
{
    return sweep->moved ? sweep->c->place : sweep->c->plan.shape.order;
}

static void bring_in(void* context, int first, int last)
{
    const Sweep* sweep = context;
    const int* order = places_of(sweep);
    for (int k = first; k < last; k++) {
        const double* from = sweep->b + 3 * (int64_t)order[k];
        double* to = sweep->c->vector + (sweep->width == 4 ? 4 : 3) * (int64_t)k;
        for (int q = 0; q < 3; q++) to[q] = from[q];
        if (sweep->width == 4) to[3] = 0;
    }
}

static void bring_out(void* context, int first, int last)
{
    const Sweep* sweep = context;
    const int* order = places_of(sweep);
    for (int k = first; k < last; k++) {
        const double* from = sweep->c->vector + (sweep->width == 4 ? 4 : 3) * (int64_t)k;
        double* to = sweep->x + 3 * (int64_t)order[k];
        for (int q = 0; q < 3; q++) to[q] = from[q];
    }
}

// Copies between the borders of a group (or, g < 0, of all) and the rows they stand for.
typedef enum Transfer { CLEAR, ADD_TO_ROWS, TAKE_FROM_ROWS } Transfer;

static void transfer_border(const Sweep* sweep, int b, Transfer transfer)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    int s = plan->border[b], length = plan->block * sweep->width;
    double* border = sweep->c->vector + (int64_t)sweep->width * plan->border_at[b];
    for (int64_t k = plan->shape.row_start[s]; k < plan->shape.row_start[s + 1]; k++, border += length) {
        double* row = sweep->c->vector + (int64_t)length * plan->shape.row[k];
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
    memset(sweep->c->vector + (int64_t)sweep->width * (plan->spare + g), 0, (size_t)sweep->width * sizeof(double));
}

static void forward_group(void* context, int g)
{
    const Sweep* sweep = context;
    const SnCholesky* c = sweep->c;
    const SnFactorPlan* plan = &c->plan;
    transfer_group(sweep, g, CLEAR);
    for (int k = plan->group_start[g]; k < plan->group_start[g + 1]; k++) {
        int s = plan->sequence[k], columns = sn_plan_columns(plan, s), strips = sn_strips(sn_plan_below(plan, s));
        const void* l = sn_factor_copy_strips(&c->copy, s);
        c->sweeps->forward_diagonal(l, columns, own_rows(sweep, s));
        c->sweeps->forward_rows(l, columns, strips, 0, strips, own_rows(sweep, s), plan->target + plan->target_start[s],
                                c->vector);
    }
}

static void backward_group(void* context, int g)
{
    const Sweep* sweep = context;
    const SnCholesky* c = sweep->c;
    const SnFactorPlan* plan = &c->plan;
    transfer_group(sweep, g, TAKE_FROM_ROWS);
    for (int k = plan->group_start[g + 1] - 1; k >= plan->group_start[g]; k--) {
        int s = plan->sequence[k], columns = sn_plan_columns(plan, s), strips = sn_strips(sn_plan_below(plan, s));
        const void* l = sn_factor_copy_strips(&c->copy, s);
        double sums[4 * SN_FRONT_WIDEST] __attribute__((aligned(64)));
        memset(sums, 0, 4 * (size_t)columns * sizeof *sums);
        c->sweeps->backward_rows(l, columns, strips, 0, strips, plan->target + plan->target_start[s], c->vector, sums);
        c->sweeps->backward_diagonal(l, columns, sums, own_rows(sweep, s));
    }
}

static void forward_chunk(void* context, int index)
{
    const Sweep* sweep = context;
    const SnFactorPlan* plan = &sweep->c->plan;
    int s = sweep->s, strips = sn_strips(sn_plan_below(plan, s)), first = index * sweep->chunk;
    int last = first + sweep->chunk < strips ? first + sweep->chunk : strips;
    sweep->c->sweeps->forward_rows(sn_factor_copy_strips(&sweep->c->copy, s), sn_plan_columns(plan, s), strips, first,
                                   last, own_rows(sweep, s), plan->target + plan->target_start[s], sweep->c->vector);
}

static void backward_chunk(void* context, int index)
{
    const Sweep* sweep = context;
    const SnFactorPlan* plan = &sweep->c->plan;
    int s = sweep->s, strips = sn_strips(sn_plan_below(plan, s)), first = index * sweep->chunk;
    int last = first + sweep->chunk < strips ? first + sweep->chunk : strips, columns = sn_plan_columns(plan, s);
    double* sums = sweep->c->sums + 4 * (int64_t)columns * (index + 1);
    memset(sums, 0, 4 * (size_t)columns * sizeof *sums);
    sweep->c->sweeps->backward_rows(sn_factor_copy_strips(&sweep->c->copy, s), columns, strips, first, last,
                                    plan->target + plan->target_start[s], sweep->c->vector, sums);
}

static void forward_top(Sweep* sweep)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    int top = plan->group_count;
    for (int b = 0; b < plan->border_count; b++) transfer_border(sweep, b, ADD_TO_ROWS);
    transfer_group(sweep, top, CLEAR);
    for (int k = plan->group_start[top]; k < plan->group_start[top + 1]; k++) {
        int s = sweep->s = plan->sequence[k], columns = sn_plan_columns(plan, s);
        sweep->chunk = sweep_chunk(columns);
        sweep->c->sweeps->forward_diagonal(sn_factor_copy_strips(&sweep->c->copy, s), columns, own_rows(sweep, s));
        int chunks = chunks_of(sn_strips(sn_plan_below(plan, s)), sweep->chunk);
        sn_tasks_run(sweep->c->tasks, chunks, forward_chunk, sweep);
    }
}

static void backward_top(Sweep* sweep)
{
    const SnFactorPlan* plan = &sweep->c->plan;
    int top = plan->group_count;
    double* sums = sweep->c->sums;
    for (int k = plan->group_start[top + 1] - 1; k >= plan->group_start[top]; k--) {
        int s = sweep->s = plan->sequence[k], columns = sn_plan_columns(plan, s);
        sweep->chunk = sweep_chunk(columns);
        int chunks = chunks_of(sn_strips(sn_plan_below(plan, s)), sweep->chunk);
        sn_tasks_run(sweep->c->tasks, chunks, backward_chunk, sweep);
        memset(sums, 0, 4 * (size_t)columns * sizeof *sums);
        for (int i = 1; i <= chunks; i++)
            for (int q = 0; q < 4 * columns; q++) sums[q] += sums[4 * (int64_t)columns * i + q];
        sweep->c->sweeps->backward_diagonal(sn_factor_copy_strips(&sweep->c->copy, s), columns, sums,
                                            own_rows(sweep, s));
    }
}

static void solve(SnCholesky* c, bool moved, const double* b, double* x)
{
    Sweep sweep = {.c = c, .b = b, .x = x, .moved = moved, .width = c->scalar ? 4 : 1};
    int n = c->plan.shape.n, groups = c->plan.group_count;
    sn_tasks_for(c->tasks, n, PERMUTE_GRAIN, bring_in, &sweep);
    sn_tasks_run(c->tasks, groups, forward_group, &sweep);
    forward_top(&sweep);
    backward_top(&sweep);
    sn_tasks_run(c->tasks, groups, backward_group, &sweep);
    sn_tasks_for(c->tasks, n, PERMUTE_GRAIN, bring_out, &sweep);
}

SnStatus sn_cholesky_solve(SnCholesky* c, const double* b, double* x)
{
    if (!c->factored) return sn_fail(SN_ERROR_VALUE, "there is no factor to solve with");
    solve(c, false, b, x);
    return SN_OK;
}

SnStatus sn_cholesky_solve_placed(SnCholesky* c, const double* b, double* x)
{
    if (!c->factored || !c->place) return sn_fail(SN_ERROR_VALUE, "there is no factor to solve with, or no places");
    solve(c, true, b, x);
    return SN_OK;
}
