// identity: (s.y / y.y) I of the newest pair; before there is one, the inverse masses, scaled to a small first step.

#include "linalg/vector.h"
#include "solver/initial.h"

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)objective, (void)def;
    double* nothing;
    if (!SN_NEW(nothing, 1, "the solver")) return SN_ERROR_MEMORY;
    *state = nothing;
    return SN_OK;
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)state;
    const SnObjective* o = s->objective;
    double factor = yy_over_sy > 0 ? 1 / yy_over_sy : 0;
    if (factor == 0) { // a step of a thousandth of the nodes' mean distance from the origin
        double size = sn_vector_norm(o->nodes.tasks, 3 * o->nodes.count, q);
        factor = size > 0 ? 1e-3 * sn_vector_norm(o->nodes.tasks, 3 * o->nodes.count, s->x) / size : 1;
    }
    for (int64_t k = 0; k < 3 * (int64_t)o->nodes.count; k++) r[k] = factor * q[k];
    return SN_OK;
}

const SnInitialType sn_initial_identity = {
    .name = "identity",
    .summary = "a multiple of the identity from the newest pair: plain L-BFGS",
    .create = create,
    .destroy = sn_free,
    .apply = apply,
};
