// A = M/b^2 + sum w^2 G^T G: scalar, constant, factored once per step length.
#include "solver/prefactored.h"

#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "potential/laplacian.h"

void sn_prefactored_destroy(SnPrefactored* l)
{
    if (!l) return;
    sn_cholesky_destroy(l->cholesky);
    sn_scalar_matrix_free(&l->matrix);
    sn_free(l->diagonal);
    sn_free(l->pinned);
    sn_free(l);
}

// Solves are on vectors over all nodes.
static SnStatus place_rows(SnPrefactored* l, const SnObjective* o)
{
    int* places;
    if (!SN_NEW(places, o->free_count, "the Laplacian")) return SN_ERROR_MEMORY;
    for (int i = 0; i < o->node_count; i++)
        if (o->free_index[i] >= 0)
            places[o->free_index[i]] = i;
        else
            l->pinned[l->pinned_count++] = i;
    SnStatus status = sn_cholesky_set_places(l->cholesky, places);
    sn_free(places);
    return status;
}

static SnStatus build(SnPrefactored* l, SnObjective* o, const double* weights, SnFactorPrecision large)
{
    SN_TRY(sn_laplacian_create(o->potential, o->free_index, o->free_count, weights, &l->matrix));
    if (!SN_NEW(l->diagonal, o->free_count, "the Laplacian") ||
        !SN_NEW(l->pinned, o->node_count - o->free_count, "the Laplacian"))
        return SN_ERROR_MEMORY;
    for (int j = 0; j < o->free_count; j++) l->diagonal[j] = l->matrix.values[l->matrix.col_start[j]];
    SN_TRY(sn_cholesky_create_scalar(&l->matrix, &l->cholesky));
    if (sn_cholesky_factor_entries(l->cholesky) > SN_FACTOR_LARGE)
        SN_TRY(sn_cholesky_set_precision(l->cholesky, large));
    sn_cholesky_set_tasks(l->cholesky, o->tasks);
    return place_rows(l, o);
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

SnStatus sn_prefactored_solve(SnPrefactored* l, const double* q, double* r)
{
    SN_TRY(sn_cholesky_solve_placed(l->cholesky, q, r));
    for (int k = 0; k < l->pinned_count; k++) memset(r + 3 * (int64_t)l->pinned[k], 0, 3 * sizeof *r);
    return SN_OK;
}
