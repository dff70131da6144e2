// hessian, rest-hessian, warped-rest-hessian: the projected Hessian, at the start of each step (LBFGS-H), or of the
// rest shape once and for all; warped: r = R K^-1 R^T q with one rotation per node, that of its elements (stiffness
// warping, Mueller et al. 2002).
#include <string.h>

#include "linalg/svd3.h"
#include "potential/map.h"
#include "solver/factored_hessian.h"
#include "solver/initial.h"

typedef struct Factored {
    SnFactoredHessian factor;
    double* rotations; // 9 x free_count, column after column; NULL: not warped
} Factored;

static void destroy(void* state)
{
    Factored* f = state;
    if (!f) return;
    sn_factored_hessian_free(&f->factor);
    sn_free(f->rotations);
    sn_free(f);
}

// Those of the rest shape are made at any step and have to be the same then.
static SnStatus create_state(SnObjective* o, bool rest, bool warped, void** state)
{
    *state = NULL;
    Factored* f;
    if (!SN_NEW(f, 1, "the solver")) return SN_ERROR_MEMORY;
    SnStatus status = sn_factored_hessian_build(&f->factor, o, rest);
    if (status == SN_OK && warped && !SN_NEW(f->rotations, 9 * (int64_t)o->nodes.free_count, "the solver"))
        status = SN_ERROR_MEMORY;
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
    return sn_factored_hessian_factor(&((Factored*)state)->factor, s, s->x);
}

static SnStatus start_at_rest(void* state, SnSearch* s)
{
    Factored* f = state;
    if (f->factor.inertia == s->objective->nodes.inertia) return SN_OK;
    return sn_factored_hessian_factor(&f->factor, s, s->objective->potential->rest);
}

// Adds V F of each element to its nodes; strands have no rotation to tell of.
static void add_gradients(Factored* f, const SnSearch* s)
{
    const SnPotential* p = s->objective->potential;
    for (int i = 0; i < p->patch_count; i++) {
        const SnPatch* patch = &p->patches[i];
        const SnTermGroup* group = &p->groups[patch->group];
        for (int e = 0; e < patch->element_count && group->term->coordinates == 3; e++) {
            SnTermPack pack = sn_potential_pack(group, patch->first_pack + e / SN_LANES);
            int lane = e % SN_LANES, nodes[SN_TERM_NODES];
            double g[3][SN_TERM_NODES], gradient[9] = {0};
            sn_map_weights(group->term, &pack, lane, g);
            for (int a = 0; a < group->term->nodes; a++) {
                nodes[a] = p->slot_node[patch->first_slot + pack.nodes[a * SN_LANES + lane]];
                for (int k = 0; k < 9; k++) gradient[k] += g[k / 3][a] * s->x[3 * (int64_t)nodes[a] + k % 3];
            }
            for (int a = 0; a < group->term->nodes; a++) {
                int64_t row = s->objective->nodes.free_index[nodes[a]];
                for (int k = 0; k < 9 && row >= 0; k++) f->rotations[9 * row + k] += pack.volume[lane] * gradient[k];
            }
        }
    }
}

static SnStatus start_warped(void* state, SnSearch* s)
{
    Factored* f = state;
    SN_TRY(start_at_rest(f, s));
    int n = s->objective->nodes.free_count;
    memset(f->rotations, 0, 9 * (size_t)n * sizeof *f->rotations);
    add_gradients(f, s);
    for (int j = 0; j < n; j++) {
        double *r = f->rotations + 9 * (int64_t)j, u[9], sigma[3], v[9];
        sn_lane_svd3(r, u, sigma, v);
        for (int k = 0; k < 9; k++)
            r[k] = u[k % 3] * v[k / 3] + u[3 + k % 3] * v[3 + k / 3] + u[6 + k % 3] * v[6 + k / 3];
    }
    return SN_OK;
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)yy_over_sy;
    return sn_factored_hessian_apply(&((Factored*)state)->factor, s->objective, q, r);
}

// rows <- R rows, or R^T rows.
static void rotate_rows(Factored* f, int n, bool transposed)
{
    for (int j = 0; j < n; j++) {
        double *x = f->factor.rows + 3 * (int64_t)j, y[3];
        const double* r = f->rotations + 9 * (int64_t)j;
        for (int i = 0; i < 3; i++)
            y[i] = transposed ? r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2]
                              : r[i] * x[0] + r[3 + i] * x[1] + r[6 + i] * x[2];
        memcpy(x, y, sizeof y);
    }
}

static SnStatus apply_warped(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)yy_over_sy;
    Factored* f = state;
    double* rows = f->factor.rows;
    sn_objective_gather(s->objective, 1, q, rows);
    rotate_rows(f, s->objective->nodes.free_count, true);
    SN_TRY(sn_cholesky_solve(f->factor.cholesky, rows, rows));
    rotate_rows(f, s->objective->nodes.free_count, false);
    sn_objective_scatter(s->objective, rows, r);
    return SN_OK;
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
    .apply = apply_warped,
};
