// hessian, rest-hessian, warped-rest-hessian: the projected Hessian, at the start of each step (LBFGS-H), or of the
// rest shape once and for all; warped: r = R K^-1 R^T q with one rotation per node, that of its elements (stiffness
// warping, Mueller et al. 2002).
#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "linalg/cholesky.h"
#include "linalg/svd3.h"
#include "potential/laplacian.h"
#include "potential/map.h"
#include "solver/initial.h"

typedef struct Factored {
    SnHessian* hessian;
    SnCholesky* cholesky;
    double* rows;      // 3 x free_count
    double* rotations; // 9 x free_count, column after column; NULL: not warped
    double inertia;    // that the factor was made with; negative: there is none yet
} Factored;

static void destroy(void* state)
{
    Factored* f = state;
    if (!f) return;
    sn_cholesky_destroy(f->cholesky);
    sn_hessian_destroy(f->hessian);
    sn_free(f->rows);
    sn_free(f->rotations);
    sn_free(f);
}

static SnStatus build(Factored* f, SnObjective* o, bool warped)
{
    f->inertia = -1;
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, o->nodes.free_count, &f->hessian));
    if (!SN_NEW(f->rows, 3 * (int64_t)o->nodes.free_count, "the solver")) return SN_ERROR_MEMORY;
    if (warped && !SN_NEW(f->rotations, 9 * (int64_t)o->nodes.free_count, "the solver")) return SN_ERROR_MEMORY;
    SN_TRY(sn_cholesky_create(&f->hessian->matrix, &f->cholesky));
    // It is but a preconditioner.
    if (sn_cholesky_factor_entries(f->cholesky) > SN_FACTOR_LARGE)
        SN_TRY(sn_cholesky_set_precision(f->cholesky, SN_FACTOR_FLOAT));
    sn_cholesky_set_tasks(f->cholesky, o->nodes.tasks);
    return SN_OK;
}

static SnStatus create_state(SnObjective* objective, bool warped, void** state)
{
    *state = NULL;
    Factored* f;
    if (!SN_NEW(f, 1, "the solver")) return SN_ERROR_MEMORY;
    SnStatus status = build(f, objective, warped);
    if (status != SN_OK) {
        destroy(f);
        return status;
    }
    *state = f;
    return SN_OK;
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)def;
    return create_state(objective, false, state);
}

static SnStatus create_warped(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)def;
    return create_state(objective, true, state);
}

static SnStatus factor_at(Factored* f, SnSearch* s, const double* x)
{
    const SnObjective* o = s->objective;
    double begin = sn_now_ms(), shift = 0, mean = 0;
    sn_objective_diagonal(o, f->hessian->diagonal);
    sn_hessian_assemble(f->hessian, x, true);
    double assembled = sn_now_ms();
    s->ms.assemble += assembled - begin;
    const SnBlockMatrix* m = &f->hessian->matrix;
    for (int j = 0; j < m->n; j++)
        for (int c = 0; c < 3; c++) mean += fabs(m->values[sn_block_column(m, j, c)]) / (3.0 * m->n);
    bool definite = false;
    for (int k = 0; k < 20 && !definite; k++, shift = fmax(10 * shift, 1e-12 * mean)) {
        SN_TRY(sn_cholesky_factor(f->cholesky, shift, &definite));
        s->factorizations++;
    }
    if (!definite) s->stalled = "the Hessian cannot be factored";
    s->ms.factor += sn_now_ms() - assembled;
    return SN_OK;
}

static SnStatus start(void* state, SnSearch* s)
{
    return factor_at(state, s, s->x);
}

static SnStatus start_at_rest(void* state, SnSearch* s)
{
    Factored* f = state;
    if (f->inertia == s->objective->nodes.inertia) return SN_OK;
    f->inertia = s->objective->nodes.inertia;
    return factor_at(f, s, s->objective->potential->rest);
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
    Factored* f = state;
    sn_objective_gather(s->objective, 1, q, f->rows);
    SN_TRY(sn_cholesky_solve(f->cholesky, f->rows, f->rows));
    sn_objective_scatter(s->objective, f->rows, r);
    return SN_OK;
}

// rows <- R rows, or R^T rows.
static void rotate_rows(Factored* f, int n, bool transposed)
{
    for (int j = 0; j < n; j++) {
        double *x = f->rows + 3 * (int64_t)j, y[3];
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
    sn_objective_gather(s->objective, 1, q, f->rows);
    rotate_rows(f, s->objective->nodes.free_count, true);
    SN_TRY(sn_cholesky_solve(f->cholesky, f->rows, f->rows));
    rotate_rows(f, s->objective->nodes.free_count, false);
    sn_objective_scatter(s->objective, f->rows, r);
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
    .create = create,
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
