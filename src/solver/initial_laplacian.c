// laplacian: A = M/b^2 + sum k V G^T G, scalar and constant, factored once per step length (Liu, Bouaziz, Kavan 2017).
#include "potential/laplacian.h"
#include "solver/parameters.h"
#include "solver/prefactored.h"

typedef struct Laplacian {
    SnPrefactored* prefactored;
    double* weights; // NULL: the usual ones
} Laplacian;

static void destroy(void* state)
{
    Laplacian* l = state;
    if (!l) return;
    sn_prefactored_destroy(l->prefactored);
    SN_FREE(l->weights, l);
}

static SnStatus build(Laplacian* l, SnObjective* o, const SnSolverDef* def)
{
    const double* interval = def->stiffness_interval;
    bool given = interval[0] != 0 || interval[1] != 0;
    if (given && (interval[0] != 0.5 || interval[1] != 1.5)) {
        if (interval[0] <= 0 || interval[0] >= 1 || interval[1] <= 1)
            return sn_fail(SN_ERROR_VALUE, "stiffness-interval is [%g, %g]; both are positive, and 1 is between them",
                           interval[0], interval[1]);
        if (!SN_NEW(l->weights, sn_laplacian_weight_count(o->potential), "the Laplacian")) return SN_ERROR_MEMORY;
        sn_laplacian_weights(o->potential, interval, l->weights);
    }
    return sn_prefactored_create(o, l->weights, SN_FACTOR_SHORT, &l->prefactored);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Laplacian* l;
    if (!SN_NEW(l, 1, "the solver")) return SN_ERROR_MEMORY;
    SN_FINISH(build(l, objective, def), l, destroy, state);
}

static SnStatus start(void* state, SnSearch* s)
{
    return sn_prefactored_start(((Laplacian*)state)->prefactored, s);
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)s, (void)yy_over_sy;
    return sn_node_system_solve(&((Laplacian*)state)->prefactored->system, q, r);
}

static SnStatus apply_many(void* state, const int* nodes, int count, double* rows)
{
    return sn_cholesky_solve_some(((Laplacian*)state)->prefactored->system.cholesky, nodes, count, rows);
}

static const SnCholesky* factor_of(const void* state)
{
    return ((const Laplacian*)state)->prefactored->system.cholesky;
}

static const SnParameter parameters[] = {{SN_ROW_STIFFNESS_INTERVAL}, {0}};

const SnInitialType sn_initial_laplacian = {
    .name = "laplacian",
    .summary = "M/b^2 + Laplacian of effective stiffnesses: constant, scalar, factored once",
    .parameters = parameters,
    .linear = true,
    .symmetric = true,
    .scalar = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
    .apply_many = apply_many,
    .factor = factor_of,
};
