// dot over several processes (Li et al. 2019): each splits its elements into subdomains as one process does. H_j is the
// projected Hessian of the whole mesh at the start of the step, restricted to the nodes of subdomain j, copies of
// others' nodes too; the inverse is q -> copies -> H_j^-1 q_j -> mean of the copies, and L-BFGS goes around that.
#include <math.h>
#include <stdlib.h>

#include "core/timer.h"
#include "linalg/cholesky.h"
#include "mpi/linear.h"
#include "mpi/solvers.h"
#include "solver/initial.h"

typedef struct Subdomain {
    int count;  // its free nodes
    int* order; // count: the part's row in each place, by increasing numbers in all
    SnBlockMatrix blocks;
    SnCholesky* cholesky;
    double* x; // 3 x count
} Subdomain;

typedef struct Dot {
    SnHessian* hessian;
    SnRows rows;
    SnSharedMatrix matrix;
    int count;
    Subdomain* parts;
    IS* nodes; // count: rows of a subdomain, as PETSc numbers them, increasing
    Mat* own;  // count: the matrix restricted to them
    bool symmetric;
    double* share; // node_count: one over the number of copies in subdomains
} Dot;

static void destroy(void* state)
{
    Dot* d = state;
    if (!d) return;
    for (int i = 0; i < d->count && d->parts; i++) {
        sn_cholesky_destroy(d->parts[i].cholesky);
        sn_block_matrix_free(&d->parts[i].blocks);
        if (d->nodes) ISDestroy(&d->nodes[i]);
        SN_FREE(d->parts[i].order, d->parts[i].x);
    }
    if (d->own) MatDestroySubMatrices(d->count, &d->own);
    sn_shared_matrix_free(&d->matrix);
    sn_rows_free(&d->rows);
    sn_hessian_destroy(d->hessian);
    SN_FREE(d->parts, d->nodes, d->share, d);
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

static SnStatus choose_nodes(const Dot* d, const int* rows, Subdomain* p, IS* nodes)
{
    Place* places;
    PetscInt* numbers = NULL;
    if (!SN_NEW(places, p->count, "subdomains")) return SN_ERROR_MEMORY;
    bool room = SN_NEW(numbers, p->count, "subdomains") && SN_NEW(p->order, p->count, "subdomains") &&
                SN_NEW(p->x, 3 * (int64_t)p->count, "subdomains");
    for (int i = 0; i < p->count; i++) places[i] = (Place){d->rows.global[rows[i]], rows[i]};
    qsort(places, (size_t)p->count, sizeof *places, compare);
    for (int i = 0; i < p->count && room; i++) numbers[i] = places[i].global, p->order[i] = places[i].row;
    SnStatus status = SN_ERROR_MEMORY;
    if (room)
        status =
            sn_petsc(ISCreateBlock(PETSC_COMM_SELF, 3, p->count, numbers, PETSC_COPY_VALUES, nodes), "ISCreateBlock");
    SN_FREE(places, numbers);
    return status;
}

// The lower triangle, from the rows of the upper one; values: or the pattern alone, of which there is room for all.
static SnStatus read_blocks(Mat own, SnBlockMatrix* m, bool values)
{
    for (int j = 0; j < m->n; j++) {
        for (int c = 0; c < 3; c++) {
            PetscInt size;
            const PetscInt* columns;
            const PetscScalar* numbers;
            int64_t k = -1;
            SN_PETSC(MatGetRow(own, 3 * j + c, &size, &columns, &numbers));
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
            SN_PETSC(MatRestoreRow(own, 3 * j + c, &size, &columns, &numbers));
        }
    }
    return SN_OK;
}

static SnStatus make_blocks(Mat own, Subdomain* p)
{
    MatInfo info;
    SN_PETSC(MatGetInfo(own, MAT_LOCAL, &info));
    int64_t most = (int64_t)info.nz_used / 9 + p->count;
    p->blocks.n = p->count;
    if (!SN_NEW(p->blocks.col_start, (int64_t)p->count + 1, "subdomains") ||
        !SN_NEW(p->blocks.row, most, "subdomains") ||
        !SN_NEW(p->blocks.values, 9 * (most / 2 + p->count), "subdomains"))
        return SN_ERROR_MEMORY;
    SN_TRY(read_blocks(own, &p->blocks, false));
    return sn_cholesky_create(&p->blocks, NULL, &p->cholesky);
}

// Of all processes.
static void count_copies(Dot* d, const SnObjective* o)
{
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < d->parts[i].count; k++) d->share[d->rows.part_node[d->parts[i].order[k]]]++;
    sn_share_add(o->nodes.tasks, 1, d->share);
    for (int i = 0; i < o->nodes.count; i++) {
        double share = d->share[i] > 0 ? 1 / d->share[i] : 0;
        d->share[i] = d->symmetric ? sqrt(share) : share;
    }
}

// So many of all, in about equal numbers; at least one.
static SnSolverDef own_subdomains(const SnFabric* f, const SnSolverDef* def)
{
    SnSolverDef own = *def;
    if (def->subdomains > 0) own.subdomains = def->subdomains / f->size + (f->rank < def->subdomains % f->size);
    if (def->subdomains > 0 && own.subdomains == 0) own.subdomains = 1;
    return own;
}

static SnStatus split(Dot* d, const SnObjective* o, const SnDotRows* rows)
{
    if (!SN_NEW(d->parts, rows->count, "subdomains") || !SN_NEW(d->nodes, rows->count, "subdomains") ||
        !SN_NEW(d->share, o->nodes.count, "subdomains"))
        return SN_ERROR_MEMORY;
    d->count = rows->count;
    for (int i = 0; i < d->count; i++) {
        d->parts[i].count = rows->start[i + 1] - rows->start[i];
        SN_TRY(choose_nodes(d, rows->rows + rows->start[i], &d->parts[i], &d->nodes[i]));
    }
    return SN_OK;
}

static SnStatus build(Dot* d, SnObjective* o, const SnSolverDef* def)
{
    SnFabric* fabric = sn_fabric_of(o);
    SnDotRows rows;
    SnSolverDef own = own_subdomains(fabric, def);
    SN_TRY(sn_rows_create(fabric, o, &d->rows));
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, d->rows.count, &d->hessian));
    SN_TRY(sn_shared_matrix_create(&d->rows, sn_blocks_of(&d->hessian->matrix), false, &d->matrix));
    SnStatus status = sn_dot_list_rows(o, &own, &rows);
    if (status == SN_OK) status = split(d, o, &rows);
    sn_dot_rows_free(&rows);
    SN_TRY(sn_mpi_agree(fabric->comm, status));
    count_copies(d, o);
    return SN_OK;
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    if (def->disjoint)
        return sn_fail(SN_ERROR_UNSUPPORTED, "`overlap: false` of dot is for comparisons on one machine; leave it out");
    Dot* d;
    if (!SN_NEW(d, 1, "subdomains")) return SN_ERROR_MEMORY;
    d->symmetric = def->symmetric_blend;
    SN_FINISH(build(d, objective, def), d, destroy, state);
}

static SnStatus factor(Subdomain* p, bool* definite)
{
    double mean = 0, shift = 0;
    const SnBlockMatrix* m = &p->blocks;
    for (int j = 0; j < m->n; j++)
        for (int c = 0; c < 3; c++) mean += fabs(m->values[sn_block_column(m, j, c)]) / (3.0 * m->n);
    *definite = false;
    for (int k = 0; k < 20 && !*definite; k++, shift = fmax(10 * shift, 1e-12 * mean))
        SN_TRY(sn_cholesky_factor(p->cholesky, shift, definite));
    return SN_OK;
}

static SnStatus start(void* state, SnSearch* s)
{
    Dot* d = state;
    const SnObjective* o = s->objective;
    double begin = sn_now_ms();
    bool first = !d->own, all = true;
    sn_objective_supported_diagonal(o, d->hessian->diagonal);
    sn_hessian_assemble(d->hessian, s->x, true);
    SN_TRY(sn_shared_matrix_update(&d->matrix));
    SN_PETSC(MatCreateSubMatrices(d->matrix.matrix, d->count, d->nodes, d->nodes,
                                  first ? MAT_INITIAL_MATRIX : MAT_REUSE_MATRIX, &d->own));
    for (int i = 0; i < d->count; i++) {
        if (first) SN_TRY(make_blocks(d->own[i], &d->parts[i]));
        SN_TRY(read_blocks(d->own[i], &d->parts[i].blocks, true));
    }
    double assembled = sn_now_ms();
    s->ms.assemble += assembled - begin;
    for (int i = 0; i < d->count; i++) {
        bool definite;
        SN_TRY(factor(&d->parts[i], &definite));
        all &= definite;
    }
    if (sn_share_any(o->nodes.tasks, !all)) s->stalled = "the Hessian of a subdomain cannot be factored";
    s->factorizations++;
    s->ms.factor += sn_now_ms() - assembled;
    return SN_OK;
}

static SnStatus apply_part(const Dot* d, const Subdomain* p, const double* q, double* r)
{
    for (int k = 0; k < p->count; k++) {
        int64_t node = d->rows.part_node[p->order[k]];
        for (int c = 0; c < 3; c++) p->x[3 * (int64_t)k + c] = (d->symmetric ? d->share[node] : 1) * q[3 * node + c];
    }
    SN_TRY(sn_cholesky_solve(p->cholesky, p->x, p->x));
    for (int k = 0; k < p->count; k++) {
        int64_t node = d->rows.part_node[p->order[k]];
        for (int c = 0; c < 3; c++) r[3 * node + c] += d->share[node] * p->x[3 * (int64_t)k + c];
    }
    return SN_OK;
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    Dot* d = state;
    const SnNodes* nodes = &s->objective->nodes;
    (void)yy_over_sy;
    memset(r, 0, 3 * (size_t)nodes->count * sizeof *r);
    for (int i = 0; i < d->count; i++) SN_TRY(apply_part(d, &d->parts[i], q, r));
    sn_share_add(nodes->tasks, 3, r);
    return SN_OK;
}

static const SnInitialType initial = {
    .name = "dot",
    .summary = "the projected Hessian of each subdomain at the start of each step, inverses averaged",
    .linear = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
};

static SnStatus create_dot(SnObjective* objective, const SnSolverDef* def, void** state)
{
    return sn_lbfgs_create_around(&initial, objective, def, state);
}

const SnSolverType sn_mpi_dot = {
    .name = "dot",
    .summary = "domain-decomposed L-BFGS: subdomains of all processes",
    .create = create_dot,
    .destroy = sn_mpi_lbfgs_destroy,
    .start = sn_mpi_lbfgs_start,
    .iterate = sn_mpi_lbfgs_iterate,
};
