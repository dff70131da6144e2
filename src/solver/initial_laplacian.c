// laplacian: A = M/b^2 + sum k V G^T G, scalar and constant, factored once per step length (Liu, Bouaziz, Kavan 2017).
#include <math.h>

#include "core/timer.h"
#include "linalg/cholesky.h"
#include "potential/laplacian.h"
#include "solver/initial.h"
#include "solver/rows.h"

// Factors that do not stay in the cache are swept in single precision: it is but a preconditioner.
enum { SINGLE_FROM = 2000000 };

typedef struct Laplacian {
    SnScalarMatrix matrix; // L, plus the inertia once that is known
    double* diagonal;      // of L, per row
    SnCholesky* cholesky;
    double inertia; // that the factor was made with; negative: there is none yet
    double* rows;   // 3 x free_count
} Laplacian;

static void destroy(void* state)
{
    Laplacian* l = state;
    if (!l) return;
    sn_cholesky_destroy(l->cholesky);
    sn_scalar_matrix_free(&l->matrix);
    sn_free(l->diagonal);
    sn_free(l->rows);
    sn_free(l);
}

static SnStatus build(Laplacian* l, SnObjective* o)
{
    SN_TRY(sn_laplacian_create(o->potential, o->free_index, o->free_count, &l->matrix));
    if (!SN_NEW(l->diagonal, o->free_count, "the Laplacian") ||
        !SN_NEW(l->rows, 3 * (int64_t)o->free_count, "the Laplacian"))
        return SN_ERROR_MEMORY;
    for (int j = 0; j < o->free_count; j++) l->diagonal[j] = l->matrix.values[l->matrix.col_start[j]];
    SN_TRY(sn_cholesky_create_scalar(&l->matrix, &l->cholesky));
    if (sn_cholesky_factor_entries(l->cholesky) > SINGLE_FROM) SN_TRY(sn_cholesky_set_single(l->cholesky, true));
    sn_cholesky_set_tasks(l->cholesky, o->tasks);
    return SN_OK;
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)def;
    *state = NULL;
    Laplacian* l;
    if (!SN_NEW(l, 1, "the Laplacian")) return SN_ERROR_MEMORY;
    l->inertia = -1;
    SnStatus status = build(l, objective);
    if (status != SN_OK) {
        destroy(l);
        return status;
    }
    *state = l;
    return SN_OK;
}

// Factors again only when the step length has changed. A body nobody holds needs a little on the diagonal.
static SnStatus start(void* state, SnSearch* s)
{
    Laplacian* l = state;
    const SnObjective* o = s->objective;
    if (l->inertia == o->inertia) return SN_OK;
    double begin = sn_now_ms(), mean = 0, shift = 0;
    if (o->potential->dissipation_count) {
        sn_laplacian_update(o->potential, o->free_index, &l->matrix);
        for (int j = 0; j < o->free_count; j++) l->diagonal[j] = l->matrix.values[l->matrix.col_start[j]];
    }
    for (int i = 0; i < o->node_count; i++) {
        int row = o->free_index[i];
        if (row < 0) continue;
        l->matrix.values[l->matrix.col_start[row]] = l->diagonal[row] + o->inertia * o->mass[i];
        mean += l->diagonal[row] / o->free_count;
    }
    bool definite = false;
    for (int k = 0; k < 20 && !definite; k++, shift = fmax(10 * shift, 1e-12 * mean)) {
        SN_TRY(sn_cholesky_factor(l->cholesky, shift, &definite));
        s->factorizations++;
    }
    l->inertia = o->inertia;
    if (!definite) s->stalled = "the Laplacian cannot be factored";
    s->ms.factor += sn_now_ms() - begin;
    return SN_OK;
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)yy_over_sy;
    Laplacian* l = state;
    sn_rows_gather(s->objective, 1, q, l->rows);
    SN_TRY(sn_cholesky_solve(l->cholesky, l->rows, l->rows));
    sn_rows_scatter(s->objective, l->rows, r);
    return SN_OK;
}

const SnInitialType sn_initial_laplacian = {
    .name = "laplacian",
    .summary = "M/b^2 + Laplacian of effective stiffnesses: constant, scalar, factored once",
    .linear = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
};
