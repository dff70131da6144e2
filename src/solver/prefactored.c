// A = M/b^2 + sum w^2 G^T G: scalar, constant, factored once per step length.
#include "solver/prefactored.h"

#include <math.h>

#include "core/timer.h"
#include "potential/laplacian.h"
#include "solver/rows.h"

enum { LARGE = 2000000 }; // entries of a factor that does not stay in the cache

void sn_prefactored_destroy(SnPrefactored* l)
{
    if (!l) return;
    sn_cholesky_destroy(l->cholesky);
    sn_scalar_matrix_free(&l->matrix);
    sn_free(l->diagonal);
    sn_free(l->rows);
    sn_free(l);
}

static SnStatus build(SnPrefactored* l, SnObjective* o, const double* weights, SnFactorPrecision large)
{
    SN_TRY(sn_laplacian_create(o->potential, o->free_index, o->free_count, weights, &l->matrix));
    if (!SN_NEW(l->diagonal, o->free_count, "the Laplacian") ||
        !SN_NEW(l->rows, 3 * (int64_t)o->free_count, "the Laplacian"))
        return SN_ERROR_MEMORY;
    for (int j = 0; j < o->free_count; j++) l->diagonal[j] = l->matrix.values[l->matrix.col_start[j]];
    SN_TRY(sn_cholesky_create_scalar(&l->matrix, &l->cholesky));
    if (sn_cholesky_factor_entries(l->cholesky) > LARGE) SN_TRY(sn_cholesky_set_precision(l->cholesky, large));
    sn_cholesky_set_tasks(l->cholesky, o->tasks);
    return SN_OK;
}

SnStatus sn_prefactored_create(SnObjective* objective, const double* weights, SnFactorPrecision large,
                               SnPrefactored** out)
{
    *out = NULL;
    SnPrefactored* l;
    if (!SN_NEW(l, 1, "the Laplacian")) return SN_ERROR_MEMORY;
    l->inertia = -1;
    l->weights = weights;
    SnStatus status = build(l, objective, weights, large);
    if (status != SN_OK) {
        sn_prefactored_destroy(l);
        return status;
    }
    *out = l;
    return SN_OK;
}

// A body nobody holds needs a little on the diagonal.
SnStatus sn_prefactored_factor(SnPrefactored* l, SnSearch* s)
{
    const SnObjective* o = s->objective;
    double begin = sn_now_ms(), mean = 0, shift = 0;
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
    l->made++;
    if (!definite) s->stalled = "the Laplacian cannot be factored";
    s->ms.factor += sn_now_ms() - begin;
    return SN_OK;
}

void sn_prefactored_update(SnPrefactored* l, const SnObjective* o)
{
    sn_laplacian_update(o->potential, o->free_index, l->weights, &l->matrix);
    for (int j = 0; j < o->free_count; j++) l->diagonal[j] = l->matrix.values[l->matrix.col_start[j]];
    l->inertia = -1;
}

SnStatus sn_prefactored_start(SnPrefactored* l, SnSearch* s)
{
    const SnObjective* o = s->objective;
    if (l->inertia == o->inertia) return SN_OK;
    if (o->potential->dissipation_count) sn_prefactored_update(l, o); // their weights depend on the step length
    return sn_prefactored_factor(l, s);
}

SnStatus sn_prefactored_solve(SnPrefactored* l, const SnObjective* o, const double* q, double* r)
{
    sn_rows_gather(o, 1, q, l->rows);
    SN_TRY(sn_cholesky_solve(l->cholesky, l->rows, l->rows));
    sn_rows_scatter(o, l->rows, r);
    return SN_OK;
}
