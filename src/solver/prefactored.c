// A = M/b^2 + sum w^2 G^T G: scalar, constant, factored once per step length.
#include "solver/prefactored.h"

#include <math.h>

#include "constraint/constants.h"
#include "core/timer.h"
#include "potential/laplacian.h"

void sn_prefactored_destroy(SnPrefactored* l)
{
    if (!l) return;
    sn_node_system_free(&l->system);
    SN_FREE(l->diagonal, l);
}

static SnStatus build(SnPrefactored* l, SnObjective* o, const double* weights, SnFactorPrecision large)
{
    const SnNodes* nodes = &o->nodes;
    SnScalarMatrix* matrix = &l->system.matrix;
    SN_TRY(sn_laplacian_create(o->potential, nodes->free_index, nodes->free_count, weights, matrix));
    if (!SN_NEW(l->diagonal, nodes->free_count, "the Laplacian")) return SN_ERROR_MEMORY;
    for (int j = 0; j < nodes->free_count; j++) l->diagonal[j] = matrix->values[matrix->col_start[j]];
    SN_TRY(sn_node_system_build(&l->system, nodes->count, nodes->free_index, nodes->factors));
    if (sn_cholesky_factor_entries(l->system.cholesky) > SN_FACTOR_LARGE)
        SN_TRY(sn_cholesky_set_precision(l->system.cholesky, large));
    sn_cholesky_set_tasks(l->system.cholesky, nodes->tasks);
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
    l->actuated = objective->potential->actuated;
    l->preconditions = large == SN_FACTOR_SHORT;
    SN_FINISH(build(l, objective, weights, large), l, sn_prefactored_destroy, out);
}

// What a node that only constraints hold gets. A global step is an increment, so that its minimum is the same with it.
static double support(const SnPrefactored* l, const SnObjective* o, int node, int row)
{
    if (l->preconditions) return o->nodes.support[node];
    return o->nodes.support[node] > 0 ? SN_SUPPORT_GLOBAL * l->diagonal[row] : 0;
}

// A body nobody holds needs a little on the diagonal.
SnStatus sn_prefactored_factor(SnPrefactored* l, SnSearch* s)
{
    const SnObjective* o = s->objective;
    double begin = sn_now_ms(), mean = 0, shift = 0;
    for (int i = 0; i < o->nodes.count; i++) {
        int row = o->nodes.free_index[i];
        if (row < 0) continue;
        l->system.matrix.values[l->system.matrix.col_start[row]] =
            l->diagonal[row] + sn_node_kept_inertia(&o->nodes, i);
        if (o->nodes.support) l->system.matrix.values[l->system.matrix.col_start[row]] += support(l, o, i, row);
        mean += l->diagonal[row] / o->nodes.free_count;
    }
    bool definite = false;
    for (int k = 0; k < 20 && !definite; k++, shift = fmax(10 * shift, 1e-12 * mean)) {
        SN_TRY(sn_cholesky_factor(l->system.cholesky, shift, &definite));
        s->factorizations++;
    }
    l->inertia = o->nodes.inertia;
    l->system.made++;
    if (!definite) s->stalled = "the Laplacian cannot be factored";
    s->ms.factor += sn_now_ms() - begin;
    return SN_OK;
}

void sn_prefactored_update(SnPrefactored* l, const SnObjective* o)
{
    sn_laplacian_update(o->potential, o->nodes.free_index, l->weights, &l->system.matrix);
    for (int j = 0; j < o->nodes.free_count; j++)
        l->diagonal[j] = l->system.matrix.values[l->system.matrix.col_start[j]];
    l->inertia = -1;
    l->actuated = o->potential->actuated;
}

SnStatus sn_prefactored_start(SnPrefactored* l, SnSearch* s)
{
    const SnObjective* o = s->objective;
    bool actuated = l->actuated != o->potential->actuated;
    if (l->inertia == o->nodes.inertia && !actuated) return SN_OK;
    // Weights of dissipations depend on the step length.
    if (o->potential->dissipation_count || actuated) sn_prefactored_update(l, o);
    return sn_prefactored_factor(l, s);
}
