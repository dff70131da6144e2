// CHOLMOD: nodal ordering (METIS, or AMD for small ones) expanded to three unknowns a node, supernodal LL^T.
#include "linalg/cholesky.h"

#include <cblas.h>
#include <cholmod.h>
#include <dlfcn.h>
#include <string.h>

enum { SMALL = 2000 }; // nodes up to which AMD orders as well as METIS and faster

struct SnCholesky {
    const SnBlockMatrix* matrix; // one of these two
    const SnScalarMatrix* scalar;
    SnTasks* tasks;
    cholmod_common common;
    bool started;
    SuiteSparse_long *p, *i; // the scalar pattern
    cholmod_sparse a;
    cholmod_factor* factor;
    cholmod_dense *x, *y, *e; // workspaces of the solve
    int (*get_levels)(void);  // OpenMP's, when CHOLMOD brought it in
    void (*set_levels)(int);
};

// CHOLMOD and OpenBLAS would start threads of their own; the bits must not depend on them.
typedef struct Quiet {
    int blas_threads, levels;
} Quiet;

static Quiet quiet_begin(SnCholesky* c)
{
    Quiet quiet = {openblas_get_num_threads(), c->get_levels ? c->get_levels() : 0};
    openblas_set_num_threads(1);
    if (c->set_levels) c->set_levels(0);
    return quiet;
}

static void quiet_end(SnCholesky* c, Quiet quiet)
{
    if (c->set_levels) c->set_levels(quiet.levels);
    openblas_set_num_threads(quiet.blas_threads);
}

static SnStatus cholmod_failure(SnCholesky* c, const char* what)
{
    if (c->common.status == CHOLMOD_OUT_OF_MEMORY) return sn_fail(SN_ERROR_MEMORY, "out of memory: %s", what);
    return sn_fail(SN_ERROR_UNSUPPORTED, "%s failed with CHOLMOD status %d%s", what, c->common.status,
                   c->common.status == CHOLMOD_TOO_LARGE ? " (the problem is too large)" : "");
}

static SnStatus fill_pattern(SnCholesky* c)
{
    const SnBlockMatrix* m = c->matrix;
    int64_t entries = sn_block_matrix_entries(m);
    if (!SN_NEW(c->p, 3 * (int64_t)m->n + 1, "the Hessian's pattern") ||
        !SN_NEW(c->i, entries, "the Hessian's pattern"))
        return SN_ERROR_MEMORY;
    SuiteSparse_long* out = c->i;
    for (int j = 0; j < m->n; j++) {
        for (int k = 0; k < 3; k++) {
            c->p[3 * j + k] = out - c->i;
            for (int r = k; r < 3; r++) *out++ = 3 * j + r;
            for (int64_t b = m->col_start[j] + 1; b < m->col_start[j + 1]; b++)
                for (int r = 0; r < 3; r++) *out++ = 3 * (SuiteSparse_long)m->row[b] + r;
        }
    }
    c->p[3 * m->n] = out - c->i;
    c->a = (cholmod_sparse){.nrow = 3 * (size_t)m->n, .ncol = 3 * (size_t)m->n, .nzmax = (size_t)entries};
    c->a.p = c->p, c->a.i = c->i, c->a.x = m->values;
    c->a.stype = -1, c->a.itype = CHOLMOD_LONG, c->a.xtype = CHOLMOD_REAL, c->a.dtype = CHOLMOD_DOUBLE;
    c->a.sorted = 1, c->a.packed = 1;
    return SN_OK;
}

// A fill-reducing order of the nodes, expanded to the unknowns: perm has 3n entries.
static SnStatus order_nodes(SnCholesky* c, SuiteSparse_long* perm)
{
    const SnBlockMatrix* m = c->matrix;
    SuiteSparse_long* row = NULL;
    if (!SN_NEW(row, m->col_start[m->n], "the node order")) return SN_ERROR_MEMORY;
    for (int64_t k = 0; k < m->col_start[m->n]; k++) row[k] = m->row[k];
    cholmod_sparse nodes = {.nrow = (size_t)m->n, .ncol = (size_t)m->n, .nzmax = (size_t)m->col_start[m->n]};
    nodes.p = m->col_start, nodes.i = row;
    nodes.stype = -1, nodes.itype = CHOLMOD_LONG, nodes.xtype = CHOLMOD_PATTERN, nodes.packed = 1, nodes.sorted = 1;
    int ok = m->n <= SMALL ? cholmod_l_amd(&nodes, NULL, 0, perm, &c->common)
                           : cholmod_l_metis(&nodes, NULL, 0, 1, perm, &c->common);
    sn_free(row);
    if (!ok) return cholmod_failure(c, "ordering the Hessian");
    for (int j = m->n - 1; j >= 0; j--)
        for (int k = 2; k >= 0; k--) perm[3 * j + k] = 3 * perm[j] + k;
    return SN_OK;
}

static SnStatus analyse(SnCholesky* c)
{
    SuiteSparse_long* perm = NULL;
    if (!SN_NEW(perm, 3 * (int64_t)c->matrix->n, "the node order")) return SN_ERROR_MEMORY;
    SnStatus status = order_nodes(c, perm);
    if (status == SN_OK) {
        c->common.nmethods = 1;
        c->common.method[0].ordering = CHOLMOD_GIVEN;
        c->factor = cholmod_l_analyze_p(&c->a, perm, NULL, 0, &c->common);
        if (!c->factor) status = cholmod_failure(c, "analysing the Hessian");
    }
    sn_free(perm);
    return status;
}

static SnStatus fill_scalar_pattern(SnCholesky* c)
{
    const SnScalarMatrix* m = c->scalar;
    int64_t entries = m->col_start[m->n];
    if (!SN_NEW(c->i, entries, "the matrix's pattern")) return SN_ERROR_MEMORY;
    for (int64_t k = 0; k < entries; k++) c->i[k] = m->row[k];
    c->a = (cholmod_sparse){.nrow = (size_t)m->n, .ncol = (size_t)m->n, .nzmax = (size_t)entries};
    c->a.p = m->col_start, c->a.i = c->i, c->a.x = m->values;
    c->a.stype = -1, c->a.itype = CHOLMOD_LONG, c->a.xtype = CHOLMOD_REAL, c->a.dtype = CHOLMOD_DOUBLE;
    c->a.sorted = 1, c->a.packed = 1;
    return SN_OK;
}

static SnStatus analyse_scalar(SnCholesky* c)
{
    c->common.nmethods = 1;
    c->common.method[0].ordering = c->scalar->n <= SMALL ? CHOLMOD_AMD : CHOLMOD_METIS;
    c->factor = cholmod_l_analyze(&c->a, &c->common);
    return c->factor ? SN_OK : cholmod_failure(c, "analysing the matrix");
}

static SnStatus create(const SnBlockMatrix* matrix, const SnScalarMatrix* scalar, SnCholesky** out)
{
    *out = NULL;
    SnCholesky* c;
    if (!SN_NEW(c, 1, "the Cholesky factorisation")) return SN_ERROR_MEMORY;
    c->matrix = matrix;
    c->scalar = scalar;
    c->started = cholmod_l_start(&c->common);
    c->common.print = 0;
    c->common.supernodal = CHOLMOD_SUPERNODAL;
    c->common.final_ll = 1;
    c->common.quick_return_if_not_posdef = 1;
    void* symbol = dlsym(RTLD_DEFAULT, "omp_get_max_active_levels");
    memcpy(&c->get_levels, &symbol, sizeof symbol);
    symbol = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
    memcpy(&c->set_levels, &symbol, sizeof symbol);
    Quiet quiet = quiet_begin(c);
    SnStatus status = matrix ? fill_pattern(c) : fill_scalar_pattern(c);
    if (status == SN_OK) status = matrix ? analyse(c) : analyse_scalar(c);
    quiet_end(c, quiet);
    if (status != SN_OK) {
        sn_cholesky_destroy(c);
        return status;
    }
    *out = c;
    return SN_OK;
}

SnStatus sn_cholesky_create(const SnBlockMatrix* matrix, SnCholesky** cholesky)
{
    return create(matrix, NULL, cholesky);
}

SnStatus sn_cholesky_create_scalar(const SnScalarMatrix* matrix, SnCholesky** cholesky)
{
    return create(NULL, matrix, cholesky);
}

void sn_cholesky_set_tasks(SnCholesky* c, SnTasks* tasks)
{
    c->tasks = tasks;
}

void sn_cholesky_destroy(SnCholesky* c)
{
    if (!c) return;
    if (c->started) {
        cholmod_l_free_dense(&c->x, &c->common);
        cholmod_l_free_dense(&c->y, &c->common);
        cholmod_l_free_dense(&c->e, &c->common);
        cholmod_l_free_factor(&c->factor, &c->common);
        cholmod_l_finish(&c->common);
    }
    sn_free(c->p);
    sn_free(c->i);
    sn_free(c);
}

SnStatus sn_cholesky_factor(SnCholesky* c, double shift, bool* definite)
{
    double beta[2] = {shift, 0};
    Quiet quiet = quiet_begin(c);
    cholmod_l_factorize_p(&c->a, beta, NULL, 0, c->factor, &c->common);
    quiet_end(c, quiet);
    *definite = c->common.status == CHOLMOD_OK && c->factor->minor == c->factor->n;
    if (c->common.status == CHOLMOD_OK || c->common.status == CHOLMOD_NOT_POSDEF) return SN_OK;
    return cholmod_failure(c, "factoring the Hessian");
}

static SnStatus solve_scalar(SnCholesky* c, const double* b, double* x)
{
    size_t n = (size_t)c->scalar->n;
    double* columns = NULL;
    if (!SN_NEW(columns, 3 * n, "the right-hand sides")) return SN_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++) columns[k * n + i] = b[3 * i + k];
    cholmod_dense rhs = {.nrow = n, .ncol = 3, .nzmax = 3 * n, .d = n, .x = columns};
    rhs.xtype = CHOLMOD_REAL, rhs.dtype = CHOLMOD_DOUBLE;
    Quiet quiet = quiet_begin(c);
    int ok = cholmod_l_solve2(CHOLMOD_A, c->factor, &rhs, NULL, &c->x, NULL, &c->y, &c->e, &c->common);
    quiet_end(c, quiet);
    const double* result = ok ? c->x->x : NULL;
    for (size_t i = 0; i < n && ok; i++)
        for (size_t k = 0; k < 3; k++) x[3 * i + k] = result[k * n + i];
    sn_free(columns);
    return ok ? SN_OK : cholmod_failure(c, "solving with the matrix");
}

SnStatus sn_cholesky_solve(SnCholesky* c, const double* b, double* x)
{
    if (c->scalar) return solve_scalar(c, b, x);
    size_t n = 3 * (size_t)c->matrix->n;
    cholmod_dense rhs = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = (void*)(uintptr_t)b};
    rhs.xtype = CHOLMOD_REAL, rhs.dtype = CHOLMOD_DOUBLE;
    Quiet quiet = quiet_begin(c);
    int ok = cholmod_l_solve2(CHOLMOD_A, c->factor, &rhs, NULL, &c->x, NULL, &c->y, &c->e, &c->common);
    quiet_end(c, quiet);
    if (!ok) return cholmod_failure(c, "solving with the Hessian");
    memcpy(x, c->x->x, n * sizeof *x);
    return SN_OK;
}

double sn_cholesky_factor_entries(const SnCholesky* c)
{
    return c->factor ? (double)c->factor->xsize : 0;
}
