// newton: d = -H^-1 g with the Hessian at each iterate; `linear` chooses how: cholesky, factored anew in each
// iteration, or pcg, conjugate gradients with an incomplete Cholesky factor to a tolerance that tightens towards the
// minimum.
#include <math.h>
#include <string.h>

#include "constraint/joined.h"
#include "core/timer.h"
#include "linalg/block_jacobi.h"
#include "linalg/block_rows.h"
#include "linalg/cholesky.h"
#include "linalg/incomplete_cholesky.h"
#include "solver/newton_loop.h"
#include "solver/parameters.h"

enum { MOST_SHIFTS = 24, MOST_PCG = 1000 };

#define CAUTION_PCG 0.3 // see SnSearch: what conjugate gradients leave over is soft

typedef struct Newton {
    SnHessian* hessian;
    SnCholesky* cholesky; // with linear: cholesky
    SnBlockRows* matrix;  // with linear: pcg, as the next two
    SnIncompleteCholesky* incomplete;
    SnBlockJacobi* jacobi; // in its place
    SnPcg* pcg;            // also with linear: cholesky where constraints join nodes
    SnJoined joined;
    int most_cg;          // iterations of pcg
    double *rhs, *answer; // 3 x free_count
    SnNewtonLoop loop;
} Newton;

static void destroy(void* state)
{
    Newton* newton = state;
    if (!newton) return;
    sn_pcg_destroy(newton->pcg);
    sn_joined_free(&newton->joined);
    sn_incomplete_cholesky_destroy(newton->incomplete);
    sn_block_jacobi_destroy(newton->jacobi);
    sn_block_rows_destroy(newton->matrix);
    sn_cholesky_destroy(newton->cholesky);
    sn_hessian_destroy(newton->hessian);
    SN_FREE(newton->rhs, newton->answer, newton);
}

// What constraints on several nodes need beside a factor.
static SnStatus make_joined(Newton* newton, const SnObjective* o)
{
    SN_TRY(sn_block_rows_create(&newton->hessian->matrix, &newton->matrix));
    return sn_pcg_create(3 * o->nodes.free_count, &newton->pcg);
}

static SnStatus build(Newton* newton, SnObjective* o, const SnSolverDef* def)
{
    bool pcg = def->linear && strcmp(def->linear, "pcg") == 0;
    newton->most_cg = pcg && def->cg_iterations > 0 ? def->cg_iterations : MOST_PCG;
    newton->loop.projected = def->projected;
    bool jacobi = def->preconditioner && strcmp(def->preconditioner, "block-jacobi") == 0;
    int64_t n = 3 * (int64_t)o->nodes.free_count;
    if (!SN_NEW(newton->rhs, n, "the solver") || !SN_NEW(newton->answer, n, "the solver")) return SN_ERROR_MEMORY;
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, o->nodes.free_count, &newton->hessian));
    const SnBlockMatrix* matrix = &newton->hessian->matrix;
    if (!pcg) {
        SN_TRY(sn_cholesky_create(matrix, o->nodes.factors, &newton->cholesky));
        sn_cholesky_set_tasks(newton->cholesky, o->nodes.tasks);
        return o->constraints->joins ? make_joined(newton, o) : SN_OK;
    }
    SN_TRY(make_joined(newton, o));
    return jacobi ? sn_block_jacobi_create(matrix, &newton->jacobi)
                  : sn_incomplete_cholesky_create(matrix, &newton->incomplete);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Newton* newton;
    if (!SN_NEW(newton, 1, "the solver")) return SN_ERROR_MEMORY;
    SN_FINISH(build(newton, objective, def), newton, destroy, state);
}

static SnStatus start(void* state, SnSearch* s)
{
    Newton* newton = state;
    if (s->objective->constraints->joins && !newton->matrix)
        SN_TRY(make_joined(newton, s->objective)); // somebody grabs
    sn_newton_start(&newton->loop, s);
    newton->loop.caution = newton->cholesky ? 1 : CAUTION_PCG;
    return SN_OK;
}

static void assemble(Newton* newton, SnSearch* s, bool project)
{
    double begin = sn_now_ms();
    sn_objective_diagonal(s->objective, newton->hessian->diagonal);
    sn_hessian_assemble(newton->hessian, s->x, project);
    sn_constraints_hessian(s->objective->constraints, s->x, s->g, &newton->hessian->matrix);
    s->ms.assemble += sn_now_ms() - begin;
}

static void conjugate(Newton* newton, SnSearch* s, SnLinearMap preconditioner, bool* definite)
{
    double forcing = sn_newton_forcing(&newton->loop, s);
    sn_block_rows_update(newton->matrix, s->objective->nodes.tasks);
    SnPcgReport report = sn_pcg_solve(newton->pcg, s->objective->nodes.tasks, sn_joined_map(&newton->joined),
                                      preconditioner, newton->rhs, newton->answer,
                                      (SnPcgOptions){.tolerance = forcing, .max_iterations = newton->most_cg});
    *definite = !report.indefinite;
    s->conjugate += report.iterations;
    s->bounded += *definite && !report.converged;
}

static void apply_cholesky(void* self, SnTasks* tasks, const double* x, double* y)
{
    (void)tasks;
    sn_cholesky_solve(self, x, y); // allocates nothing, so it cannot fail
}

// Without inertia the projected Hessian may be singular (a body nobody holds); then a small multiple of the identity
// is added, ten times more at each failure.
static SnStatus solve_cholesky(Newton* newton, SnSearch* s, bool project, bool* definite)
{
    double begin = sn_now_ms(), shift = 0, diagonal = 0;
    const SnBlockMatrix* m = &newton->hessian->matrix;
    for (int j = 0; j < m->n; j++)
        for (int c = 0; c < 3; c++) diagonal += fabs(m->values[sn_block_column(m, j, c)]) / (3.0 * m->n);
    *definite = false;
    for (int k = 0; k < (project ? MOST_SHIFTS : 1) && !*definite; k++) {
        SN_TRY(sn_cholesky_factor(newton->cholesky, shift, definite));
        s->factorizations++;
        shift = shift > 0 ? 10 * shift : 1e-12 * diagonal;
    }
    double factored = sn_now_ms();
    s->ms.factor += factored - begin;
    if (!*definite) return SN_OK;
    if (newton->joined.count > 0)
        conjugate(newton, s, (SnLinearMap){apply_cholesky, newton->cholesky}, definite);
    else
        SN_TRY(sn_cholesky_solve(newton->cholesky, newton->rhs, newton->answer));
    s->ms.solve += sn_now_ms() - factored;
    return SN_OK;
}

static SnStatus solve_pcg(Newton* newton, SnSearch* s, bool* definite)
{
    SnTasks* tasks = s->objective->nodes.tasks;
    double begin = sn_now_ms();
    SnLinearMap preconditioner;
    if (newton->jacobi) {
        sn_block_rows_update(newton->matrix, tasks);
        sn_block_jacobi_update(newton->jacobi, tasks);
        preconditioner = sn_block_jacobi_map(newton->jacobi);
        *definite = true;
    } else {
        sn_incomplete_cholesky_factor(newton->incomplete, tasks, NULL, definite);
        preconditioner = sn_incomplete_cholesky_map(newton->incomplete);
    }
    s->factorizations++;
    double factored = sn_now_ms();
    s->ms.factor += factored - begin;
    if (!*definite) return SN_OK;
    conjugate(newton, s, preconditioner, definite);
    s->ms.solve += sn_now_ms() - factored;
    return SN_OK;
}

// A conjugate-gradient iterate is a direction of descent, too.
static SnStatus solve(void* self, SnSearch* s, bool project, bool* usable)
{
    Newton* newton = self;
    sn_objective_gather(s->objective, -1, s->g, newton->rhs);
    memset(newton->answer, 0, 3 * (size_t)s->objective->nodes.free_count * sizeof *newton->answer);
    assemble(newton, s, project);
    if (newton->matrix)
        SN_TRY(sn_joined_update(&newton->joined, s->objective->constraints, s->x, s->g,
                                sn_block_rows_map(newton->matrix)));
    SN_TRY(newton->cholesky ? solve_cholesky(newton, s, project, usable) : solve_pcg(newton, s, usable));
    *usable |= project && (!newton->cholesky || newton->joined.count > 0);
    if (*usable) sn_objective_scatter(s->objective, newton->answer, s->d);
    return SN_OK;
}

static SnStatus iterate(void* state, SnSearch* s)
{
    return sn_newton_iterate(&((Newton*)state)->loop, s, solve, state);
}

static const SnParameter parameters[] = {
    {"linear", SN_CHOICE, offsetof(SnSolverDef, linear), .value = "cholesky", SN_NAMES("cholesky", "pcg"),
     .doc = "its linear systems by a factorisation, or by preconditioned conjugate gradients"},
    {"projected", SN_BOOLEAN, offsetof(SnSolverDef, projected), .value = "false",
     .doc = "the Hessian is projected, element by element, in every iteration, as in the papers; false: where it is "
            "not positive definite"},
    {SN_ROW_PRECONDITIONER},
    {SN_ROW_CG_ITERATIONS},
    {0},
};

const SnSolverType sn_newton = {
    .name = "newton",
    .summary = "Newton with the (projected) Hessian of each iterate; linear: cholesky or pcg",
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
};
