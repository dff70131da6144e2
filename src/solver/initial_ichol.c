// ichol: the incomplete Cholesky factor of the projected Hessian at the start of each step. pcg: a few
// conjugate-gradient iterations on that Hessian, preconditioned by it or by its blocks on the diagonal.
#include <string.h>

#include "core/timer.h"
#include "linalg/block_jacobi.h"
#include "linalg/block_rows.h"
#include "linalg/incomplete_cholesky.h"
#include "solver/parameters.h"

enum {
    PCG_ITERATIONS = 8,
    PCG_LINEAR = 1000, // where constraints ask for an inverse that is linear, which a few iterations are not
};

typedef struct Incomplete {
    SnHessian* hessian;
    SnIncompleteCholesky* cholesky;
    SnBlockJacobi* jacobi; // in its place
    SnBlockRows* matrix;   // of pcg; NULL for ichol
    SnPcg* pcg;
    int iterations;        // of it
    double *rows, *answer; // 3 x free_count
} Incomplete;

static void destroy(void* state)
{
    Incomplete* c = state;
    if (!c) return;
    sn_pcg_destroy(c->pcg);
    sn_block_rows_destroy(c->matrix);
    sn_incomplete_cholesky_destroy(c->cholesky);
    sn_block_jacobi_destroy(c->jacobi);
    sn_hessian_destroy(c->hessian);
    sn_free(c->rows);
    sn_free(c->answer);
    sn_free(c);
}

// def: of pcg; NULL for ichol.
static SnStatus build(Incomplete* c, SnObjective* o, const SnSolverDef* def)
{
    int64_t n = 3 * (int64_t)o->nodes.free_count;
    if (!SN_NEW(c->rows, n, "the solver") || !SN_NEW(c->answer, n, "the solver")) return SN_ERROR_MEMORY;
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, o->nodes.free_count, &c->hessian));
    if (def && def->preconditioner && strcmp(def->preconditioner, "block-jacobi") == 0)
        SN_TRY(sn_block_jacobi_create(&c->hessian->matrix, &c->jacobi));
    else
        SN_TRY(sn_incomplete_cholesky_create(&c->hessian->matrix, &c->cholesky));
    if (!def) return SN_OK;
    c->iterations = def->cg_iterations > 0 ? def->cg_iterations : PCG_ITERATIONS;
    SN_TRY(sn_block_rows_create(&c->hessian->matrix, &c->matrix));
    return sn_pcg_create((int)n, &c->pcg);
}

static SnStatus create_state(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Incomplete* c;
    if (!SN_NEW(c, 1, "the solver")) return SN_ERROR_MEMORY;
    SN_FINISH(build(c, objective, def), c, destroy, state);
}

static SnStatus create_ichol(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)def;
    return create_state(objective, NULL, state);
}

static SnStatus create_pcg(SnObjective* objective, const SnSolverDef* def, void** state)
{
    return create_state(objective, def, state);
}

static SnStatus start(void* state, SnSearch* s)
{
    Incomplete* c = state;
    const SnObjective* o = s->objective;
    double begin = sn_now_ms();
    sn_objective_supported_diagonal(o, c->hessian->diagonal);
    sn_hessian_assemble(c->hessian, s->x, true);
    double assembled = sn_now_ms();
    bool definite = true;
    if (c->jacobi)
        sn_block_jacobi_update(c->jacobi, o->nodes.tasks);
    else
        sn_incomplete_cholesky_factor(c->cholesky, o->nodes.tasks, NULL, &definite);
    if (c->matrix) sn_block_rows_update(c->matrix, o->nodes.tasks);
    if (!definite) s->stalled = "the Hessian has no incomplete factor";
    s->factorizations++;
    s->ms.assemble += assembled - begin;
    s->ms.factor += sn_now_ms() - assembled;
    return SN_OK;
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)yy_over_sy;
    Incomplete* c = state;
    SnTasks* tasks = s->objective->nodes.tasks;
    SnLinearMap factor = c->jacobi ? sn_block_jacobi_map(c->jacobi) : sn_incomplete_cholesky_map(c->cholesky);
    int most = s->objective->constraints->now->count > 0 ? PCG_LINEAR : c->iterations;
    sn_objective_gather(s->objective, 1, q, c->rows);
    if (c->pcg)
        sn_pcg_solve(c->pcg, tasks, sn_block_rows_map(c->matrix), factor, c->rows, c->answer,
                     (SnPcgOptions){.tolerance = 1e-8, .max_iterations = most});
    else
        factor.apply(factor.self, tasks, c->rows, c->answer);
    sn_objective_scatter(s->objective, c->answer, r);
    return SN_OK;
}

const SnInitialType sn_initial_ichol = {
    .name = "ichol",
    .summary = "incomplete Cholesky of the projected Hessian at the start of each step",
    .linear = true,
    .create = create_ichol,
    .destroy = destroy,
    .start = start,
    .apply = apply,
};

static const SnParameter pcg_parameters[] = {{SN_ROW_PRECONDITIONER}, {SN_ROW_CG_ITERATIONS}, {0}};

const SnInitialType sn_initial_pcg = {
    .name = "pcg",
    .summary = "a few conjugate-gradient iterations on the projected Hessian at the start of each step",
    .parameters = pcg_parameters,
    .create = create_pcg,
    .destroy = destroy,
    .start = start,
    .apply = apply,
};
