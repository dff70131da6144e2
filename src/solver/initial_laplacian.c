// laplacian: A = M/b^2 + sum k V G^T G, scalar and constant, factored once per step length (Liu, Bouaziz, Kavan 2017).
#include "solver/initial.h"
#include "solver/prefactored.h"

static void destroy(void* state)
{
    sn_prefactored_destroy(state);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)def;
    SnPrefactored* prefactored;
    SnStatus status = sn_prefactored_create(objective, NULL, SN_FACTOR_SHORT, &prefactored);
    *state = prefactored;
    return status;
}

static SnStatus start(void* state, SnSearch* s)
{
    return sn_prefactored_start(state, s);
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)s, (void)yy_over_sy;
    return sn_node_system_solve(&((SnPrefactored*)state)->system, q, r);
}

const SnInitialType sn_initial_laplacian = {
    .name = "laplacian",
    .summary = "M/b^2 + Laplacian of effective stiffnesses: constant, scalar, factored once",
    .linear = true,
    .symmetric = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
};
