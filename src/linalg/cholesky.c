// Multifrontal Cholesky (Duff & Reid 1983; Liu 1992), in parallel over subtrees of the elimination tree and inside the
// large fronts at its top. Solving is in cholesky_solve.c.
#include "linalg/factor_store.h"

#include <string.h>

enum {
    CHUNK_STRIPS = 24, // of a front's rows, for one task
    CHUNK_NODES = 32,  // of a child's columns
};
static const double PARALLEL_WORK = 4e5; // operations from which a front of the top is shared among threads

// Of a matrix of blocks or of numbers, the other being NULL.
static SnStatus create(const SnBlockMatrix* blocks, const SnScalarMatrix* numbers, int n, const int64_t* col_start,
                       const int* row, SnFactorStore* store, SnCholesky** out)
{
    SnCholesky* c;
    *out = NULL;
    if (!SN_NEW(c, 1, "the Cholesky factorisation")) return SN_ERROR_MEMORY;
    int block = blocks ? 3 : 1;
    c->matrix = blocks, c->scalar = numbers;
    c->fronts = sn_front_kernels();
    c->sweeps = sn_sweep_kernels(block == 1, SN_FACTOR_DOUBLE);
    c->store = store;
    SnStatus status =
        sn_factor_plan_create(n, col_start, row, block, store ? sn_factor_store_order : NULL, store, &c->plan);
    int64_t width = block == 1 ? 4 : 1;
    if (status == SN_OK && (!SN_NEW(c->l, c->plan.l_at[c->plan.shape.count], "the Cholesky factor") ||
                            !SN_NEW(c->work, c->plan.work_length, "the Cholesky factorisation's fronts") ||
                            !SN_NEW(c->vector, width * c->plan.rows, "the Cholesky sweeps") ||
                            !SN_NEW(c->sums, sn_cholesky_sums_length(&c->plan), "the Cholesky sweeps") ||
                            !SN_NEW(c->indefinite, c->plan.group_count + 1, "the Cholesky factorisation")))
        status = SN_ERROR_MEMORY;
    if (status == SN_OK && store && numbers) status = sn_factor_store_expect(c);
    c->copy = (SnFactorCopy){.plan = &c->plan, .l = c->l};
    SN_FINISH(status, c, sn_cholesky_free, out);
}

SnStatus sn_cholesky_create(const SnBlockMatrix* matrix, SnFactorStore* store, SnCholesky** cholesky)
{
    return create(matrix, NULL, matrix->n, matrix->col_start, matrix->row, store, cholesky);
}

SnStatus sn_cholesky_create_scalar(const SnScalarMatrix* matrix, SnFactorStore* store, SnCholesky** cholesky)
{
    return create(NULL, matrix, matrix->n, matrix->col_start, matrix->row, store, cholesky);
}

void sn_cholesky_set_tasks(SnCholesky* c, SnTasks* tasks)
{
    c->tasks = tasks;
}

void sn_cholesky_destroy(SnCholesky* c)
{
    if (c && (!c->store || !sn_factor_store_take(c->store, c))) sn_cholesky_free(c);
}

void sn_cholesky_free(SnCholesky* c)
{
    if (!c) return;
    sn_factor_plan_free(&c->plan);
    sn_factor_copy_free(&c->copy);
    SN_FREE(c->l, c->place, c->probe, c->work, c->vector, c->sums, c->many, c->many_sums, c->rank, c->home, c->wanted,
            c->indefinite, c->values, c->value_start, c->kept, c);
}

int sn_cholesky_parts(const SnCholesky* c)
{
    return c->plan.parts.count;
}

int sn_cholesky_parts_kept(const SnCholesky* c)
{
    return c->kept_count;
}

double sn_cholesky_factor_entries(const SnCholesky* c)
{
    return c->plan.nonzeros;
}

double sn_cholesky_factor_flops(const SnCholesky* c)
{
    return c->plan.flops;
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

static int end_of_chunk(const Share* share, int first)
{
    return first + CHUNK_STRIPS < share->strips ? first + CHUNK_STRIPS : share->strips;
}

static void clear_chunk(void* context, int index)
{
    const Share* share = context;
    int first = index * CHUNK_STRIPS, last = end_of_chunk(share, first);
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
    int first = index * CHUNK_STRIPS;
    share->c->fronts->factor_rows(&share->front, first, end_of_chunk(share, first));
}

static void update_chunk(void* context, int index)
{
    const Share* share = context;
    int first = (share->chunks - 1 - index) * CHUNK_STRIPS; // the longest first
    share->c->fronts->update(&share->front, first, end_of_chunk(share, first));
}

// Assembles and eliminates one front; false if it is not positive definite.
static bool factor_front(SnCholesky* c, int s, SnTasks* tasks)
{
    const SnFactorPlan* plan = &c->plan;
    Share share = {.c = c, .front = front_of(c, s)};
    share.strips = sn_strips(share.front.below);
    share.chunks = sn_chunks_of(share.strips, CHUNK_STRIPS);
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
        sn_tasks_run(tasks, sn_chunks_of(nodes, CHUNK_NODES), extend_chunk, &share);
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
        if (!c->kept || !c->kept[plan->sequence[k]]) c->indefinite[g] = !factor_front(c, plan->sequence[k], tasks);
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
    if (c->kept) sn_factor_store_fetch(c->store, c, shift);
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
    if (c->factored) sn_cholesky_copy_for_sweeps(c);
    return SN_OK;
}
