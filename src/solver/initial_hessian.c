// hessian, rest-hessian, warped-rest-hessian: the projected Hessian, at the start of each step (LBFGS-H), or of the
// rest shape once and for all; warped: r = R K^-1 R^T q with one rotation per node (solver/warp.h).
#include "solver/factored_hessian.h"
#include "solver/initial.h"

typedef struct Factored {
    SnFactoredHessian factor;
    SnWarp warp; // empty: not warped
} Factored;

static void destroy(void* state)
{
    Factored* f = state;
    if (!f) return;
    sn_factored_hessian_free(&f->factor);
    sn_warp_free(&f->warp);
    sn_free(f);
}

// Those of the rest shape are made at any step and have to be the same then.
static SnStatus create_state(SnObjective* o, bool rest, bool warped, void** state)
{
    *state = NULL;
    Factored* f;
    if (!SN_NEW(f, 1, "the solver")) return SN_ERROR_MEMORY;
    SnStatus status = sn_factored_hessian_build(&f->factor, o, rest);
    if (status == SN_OK && warped) status = sn_warp_build(&f->warp, o, &f->factor.hessian->matrix);
    SN_FINISH(status, f, destroy, state);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)def;
    return create_state(objective, false, false, state);
}

static SnStatus create_at_rest(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)def;
    return create_state(objective, true, false, state);
}

static SnStatus create_warped(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)def;
    return create_state(objective, true, true, state);
}

static SnStatus start(void* state, SnSearch* s)
{
    sn_factored_hessian_take(&((Factored*)state)->factor, s, s->x);
    return sn_factored_hessian_factor(&((Factored*)state)->factor, s);
}

static SnStatus start_at_rest(void* state, SnSearch* s)
{
    Factored* f = state;
    if (f->factor.inertia == s->objective->nodes.inertia) return SN_OK;
    sn_factored_hessian_take(&f->factor, s, s->objective->potential->rest);
    return sn_factored_hessian_factor(&f->factor, s);
}

static SnStatus start_warped(void* state, SnSearch* s)
{
    Factored* f = state;
    SN_TRY(start_at_rest(f, s));
    sn_warp_turn(&f->warp, s->objective->potential->rest, s->x);
    return SN_OK;
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)yy_over_sy;
    Factored* f = state;
    return sn_factored_hessian_apply(&f->factor, s->objective, f->warp.node ? &f->warp : NULL, q, r);
}

const SnInitialType sn_initial_hessian = {
    .name = "hessian",
    .summary = "the projected Hessian at the start of each step, factored anew",
    .linear = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
};

const SnInitialType sn_initial_rest_hessian = {
    .name = "rest-hessian",
    .summary = "the Hessian of the rest shape, factored once",
    .linear = true,
    .create = create_at_rest,
    .destroy = destroy,
    .start = start_at_rest,
    .apply = apply,
};

const SnInitialType sn_initial_warped_rest_hessian = {
    .name = "warped-rest-hessian",
    .summary = "the Hessian of the rest shape, turned with each node",
    .linear = true,
    .create = create_warped,
    .destroy = destroy,
    .start = start_warped,
    .apply = apply,
};
