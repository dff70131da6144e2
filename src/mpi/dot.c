// dot over several processes (Li et al. 2019): the nodes that a process has are its subdomain. H_j is the projected
// Hessian of the whole mesh at the start of the step, restricted to them, copies of others' nodes too; the inverse is
// q -> copies -> H_j^-1 q_j -> mean of the copies, and L-BFGS goes around that.
#include <math.h>
#include <stdlib.h>

#include "core/timer.h"
#include "linalg/cholesky.h"
#include "mpi/linear.h"
#include "mpi/solvers.h"
#include "solver/initial.h"

typedef struct Dot {
    SnHessian* hessian;
    SnRows rows;
    SnSharedMatrix matrix;
    IS nodes;   // rows of this subdomain, as PETSc numbers them, increasing
    int* order; // free_count: the part's row in each place
    Mat* own;   // one: the matrix restricted to them
    SnBlockMatrix blocks;
    SnCholesky* cholesky;
    bool symmetric;
    double* share; // free_count: one over the number of copies
    double* x;     // 3 x free_count
} Dot;

static void destroy(void* state)
{
    Dot* d = state;
    if (!d) return;
    sn_cholesky_destroy(d->cholesky);
    sn_block_matrix_free(&d->blocks);
    if (d->own) MatDestroySubMatrices(1, &d->own);
    ISDestroy(&d->nodes);
    sn_shared_matrix_free(&d->matrix);
    sn_rows_free(&d->rows);
    sn_hessian_destroy(d->hessian);
    SN_FREE(d->order, d->share, d->x, d);
}

// A row of the part and its number in all.
typedef struct Place {
    PetscInt global;
    int row;
} Place;

static int compare(const void* a, const void* b)
{
    const Place *p = a, *q = b;
    return (p->global > q->global) - (p->global < q->global);
}

static SnStatus choose_nodes(Dot* d, int count)
{
    Place* places;
    PetscInt* numbers = NULL;
    if (!SN_NEW(places, count, "subdomains")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(numbers, count, "subdomains") ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) places[i] = (Place){d->rows.global[i], i};
    qsort(places, (size_t)count, sizeof *places, compare);
    for (int i = 0; i < count && status == SN_OK; i++) numbers[i] = places[i].global, d->order[i] = places[i].row;
    if (status == SN_OK)
        status =
            sn_petsc(ISCreateBlock(PETSC_COMM_SELF, 3, count, numbers, PETSC_COPY_VALUES, &d->nodes), "ISCreateBlock");
    SN_FREE(places, numbers);
    return status;
}

// The lower triangle, from the rows of the upper one; values: or the pattern alone, of which there is room for all.
static SnStatus read_blocks(Dot* d, bool values)
{
    SnBlockMatrix* m = &d->blocks;
    for (int j = 0; j < m->n; j++) {
        for (int c = 0; c < 3; c++) {
            PetscInt size;
            const PetscInt* columns;
            const PetscScalar* numbers;
            int64_t k = -1;
            SN_PETSC(MatGetRow(d->own[0], 3 * j + c, &size, &columns, &numbers));
            for (PetscInt i = 0; i < size; i++) {
                if (columns[i] < 3 * j) continue;
                k += columns[i] % 3 == 0;
                if (!values && c == 0 && columns[i] % 3 == 0) m->row[m->col_start[j] + k] = (int)(columns[i] / 3);
                int r = (int)(columns[i] % 3);
                double* column = m->values + sn_block_column(m, j, c);
                if (values && k == 0 && r >= c) column[r - c] = numbers[i];
                if (values && k > 0) column[3 - c + 3 * (k - 1) + r] = numbers[i];
            }
            if (!values && c == 0) m->col_start[j + 1] = m->col_start[j] + k + 1;
            SN_PETSC(MatRestoreRow(d->own[0], 3 * j + c, &size, &columns, &numbers));
        }
    }
    return SN_OK;
}

static SnStatus make_blocks(Dot* d, int count)
{
    MatInfo info;
    SN_PETSC(MatGetInfo(d->own[0], MAT_LOCAL, &info));
    int64_t most = (int64_t)info.nz_used / 9 + count;
    d->blocks.n = count;
    if (!SN_NEW(d->blocks.col_start, (int64_t)count + 1, "subdomains") || !SN_NEW(d->blocks.row, most, "subdomains") ||
        !SN_NEW(d->blocks.values, 9 * (most / 2 + count), "subdomains"))
        return SN_ERROR_MEMORY;
    SN_TRY(read_blocks(d, false));
    return sn_cholesky_create(&d->blocks, &d->cholesky);
}

static void count_copies(Dot* d, const SnObjective* o)
{
    const SnPartOf* of = &d->rows.fabric->of;
    for (int i = 0; i < o->nodes.count; i++) {
        int row = o->nodes.free_index[i];
        double share = 1.0 / (1 + of->sharer_start[i + 1] - of->sharer_start[i]);
        if (row >= 0) d->share[row] = d->symmetric ? sqrt(share) : share;
    }
}

static SnStatus build(Dot* d, SnObjective* o)
{
    int count = o->nodes.free_count;
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, count, &d->hessian));
    SN_TRY(sn_rows_create(sn_fabric_of(o), o, &d->rows));
    if (!SN_NEW(d->order, count, "subdomains") || !SN_NEW(d->share, count, "subdomains") ||
        !SN_NEW(d->x, 3 * (int64_t)count, "subdomains"))
        return SN_ERROR_MEMORY;
    SN_TRY(sn_shared_matrix_create(&d->rows, sn_blocks_of(&d->hessian->matrix), false, &d->matrix));
    SN_TRY(choose_nodes(d, count));
    count_copies(d, o);
    return SN_OK;
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Dot* d;
    if (!SN_NEW(d, 1, "subdomains")) return SN_ERROR_MEMORY;
    d->symmetric = def->symmetric_blend;
    SN_FINISH(build(d, objective), d, destroy, state);
}

static SnStatus factor(Dot* d, bool* definite)
{
    double mean = 0, shift = 0;
    const SnBlockMatrix* m = &d->blocks;
    for (int j = 0; j < m->n; j++)
        for (int c = 0; c < 3; c++) mean += fabs(m->values[sn_block_column(m, j, c)]) / (3.0 * m->n);
    *definite = false;
    for (int k = 0; k < 20 && !*definite; k++, shift = fmax(10 * shift, 1e-12 * mean))
        SN_TRY(sn_cholesky_factor(d->cholesky, shift, definite));
    return SN_OK;
}

static SnStatus start(void* state, SnSearch* s)
{
    Dot* d = state;
    const SnObjective* o = s->objective;
    double begin = sn_now_ms();
    bool definite;
    sn_objective_supported_diagonal(o, d->hessian->diagonal);
    sn_hessian_assemble(d->hessian, s->x, true);
    SN_TRY(sn_shared_matrix_update(&d->matrix));
    bool first = !d->own;
    SN_PETSC(MatCreateSubMatrices(d->matrix.matrix, 1, &d->nodes, &d->nodes,
                                  first ? MAT_INITIAL_MATRIX : MAT_REUSE_MATRIX, &d->own));
    if (first) SN_TRY(make_blocks(d, o->nodes.free_count));
    SN_TRY(read_blocks(d, true));
    double assembled = sn_now_ms();
    s->ms.assemble += assembled - begin;
    SN_TRY(factor(d, &definite));
    if (sn_share_any(o->nodes.tasks, !definite)) s->stalled = "the Hessian of a subdomain cannot be factored";
    s->factorizations++;
    s->ms.factor += sn_now_ms() - assembled;
    return SN_OK;
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    Dot* d = state;
    const SnNodes* nodes = &s->objective->nodes;
    (void)yy_over_sy;
    sn_objective_gather(s->objective, 1, q, r); // the rows of the part
    for (int k = 0; k < nodes->free_count; k++)
        for (int c = 0; c < 3; c++) {
            int row = d->order[k];
            d->x[3 * (int64_t)k + c] = (d->symmetric ? d->share[row] : 1) * r[3 * (int64_t)row + c];
        }
    SN_TRY(sn_cholesky_solve(d->cholesky, d->x, d->x));
    memset(r, 0, 3 * (size_t)nodes->count * sizeof *r);
    for (int k = 0; k < nodes->free_count; k++)
        for (int c = 0; c < 3; c++) {
            int row = d->order[k];
            r[3 * (int64_t)d->rows.part_node[row] + c] = d->share[row] * d->x[3 * (int64_t)k + c];
        }
    sn_share_add(nodes->tasks, 3, r);
    return SN_OK;
}

static const SnInitialType initial = {
    .name = "dot",
    .summary = "the projected Hessian of each process's nodes at the start of each step, inverses averaged",
    .linear = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
};

static SnStatus create_dot(SnObjective* objective, const SnSolverDef* def, void** state)
{
    if (def->subdomains > 0 || def->subdomain_nodes > 0)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "subdomains of processes are not distributed yet: each process is one; leave "
                       "`subdomains` out");
    return sn_lbfgs_create_around(&initial, objective, def, state);
}

const SnSolverType sn_mpi_dot = {
    .name = "dot",
    .summary = "domain-decomposed L-BFGS: each process is a subdomain",
    .create = create_dot,
    .destroy = sn_mpi_lbfgs_destroy,
    .start = sn_mpi_lbfgs_start,
    .iterate = sn_mpi_lbfgs_iterate,
};
