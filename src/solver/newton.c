// newton: d = -H^-1 g with the Hessian at each iterate; `linear` chooses how: cholesky, factored anew in each
// iteration, or pcg, conjugate gradients with an incomplete Cholesky factor to a tolerance that tightens towards the
// minimum.
//
// The Hessian as it is makes convergence quadratic, where it is positive definite, as it is near every regular minimum.
// Where it is not, it is projected element by element, which makes every direction one of descent but slows convergence
// to linear, and is then tried again after one, two, four ... iterations.
#include <math.h>
#include <string.h>

#include "constraint/joined.h"
#include "core/timer.h"
#include "linalg/block_jacobi.h"
#include "linalg/block_rows.h"
#include "linalg/cholesky.h"
#include "linalg/incomplete_cholesky.h"
#include "solver/line_search.h"
#include "solver/parameters.h"

enum { MOST_SHIFTS = 24, MOST_PCG = 1000, MOST_STUCK = 3 };

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
    double first_norm;    // |g| at the start of the minimisation
    double last_norm;
    int next_try,
        patience; // the iteration from which on the true Hessian is tried, and how long to wait after a refusal
    int stuck;    // iterations in a row at the numerical floor without progress
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

static SnStatus build(Newton* newton, SnObjective* o, const SnSolverDef* def)
{
    bool pcg = def->linear && strcmp(def->linear, "pcg") == 0;
    newton->most_cg = pcg && def->cg_iterations > 0 ? def->cg_iterations : MOST_PCG;
    bool jacobi = def->preconditioner && strcmp(def->preconditioner, "block-jacobi") == 0;
    int64_t n = 3 * (int64_t)o->nodes.free_count;
    if (!SN_NEW(newton->rhs, n, "the solver") || !SN_NEW(newton->answer, n, "the solver")) return SN_ERROR_MEMORY;
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, o->nodes.free_count, &newton->hessian));
    const SnBlockMatrix* matrix = &newton->hessian->matrix;
    if (!pcg) {
        SN_TRY(sn_cholesky_create(matrix, &newton->cholesky));
        sn_cholesky_set_tasks(newton->cholesky, o->nodes.tasks);
        if (!o->constraints->joins) return SN_OK;
    }
    SN_TRY(sn_block_rows_create(matrix, &newton->matrix));
    if (jacobi)
        SN_TRY(sn_block_jacobi_create(matrix, &newton->jacobi));
    else if (pcg)
        SN_TRY(sn_incomplete_cholesky_create(matrix, &newton->incomplete));
    return sn_pcg_create((int)n, &newton->pcg);
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
    newton->first_norm = newton->last_norm = s->norm;
    newton->next_try = 0, newton->patience = 1, newton->stuck = 0;
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

// To a residual that shrinks with the gradient (Eisenstat and Walker 1996), so that no iteration is solved better than
// it deserves and the last ones converge superlinearly.
static void conjugate(Newton* newton, SnSearch* s, SnLinearMap preconditioner, bool* definite)
{
    double forcing = fmin(0.1, sqrt(s->norm / newton->first_norm));
    sn_block_rows_update(newton->matrix, s->objective->nodes.tasks);
    SnPcgReport report = sn_pcg_solve(newton->pcg, s->objective->nodes.tasks, sn_joined_map(&newton->joined),
                                      preconditioner, newton->rhs, newton->answer,
                                      (SnPcgOptions){.tolerance = forcing, .max_iterations = newton->most_cg});
    *definite = !report.indefinite;
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

static SnStatus solve(Newton* newton, SnSearch* s, bool project, bool* definite)
{
    memset(newton->answer, 0, 3 * (size_t)s->objective->nodes.free_count * sizeof *newton->answer);
    assemble(newton, s, project);
    if (newton->matrix)
        SN_TRY(sn_joined_update(&newton->joined, s->objective->constraints, s->x, s->g,
                                sn_block_rows_map(newton->matrix)));
    return newton->cholesky ? solve_cholesky(newton, s, project, definite) : solve_pcg(newton, s, definite);
}

// After a refusal it is left alone for a while, each time for longer.
static SnStatus try_true_hessian(Newton* newton, SnSearch* s, bool* definite)
{
    SN_TRY(solve(newton, s, false, definite));
    if (*definite) return SN_OK;
    newton->next_try = s->iterations + newton->patience;
    newton->patience *= 2;
    return SN_OK;
}

// Where steps are too small for the energy to tell, the gradient says whether they still help; not by halves, but over
// a few of them: each is dear.
static bool at_the_floor(Newton* newton, const SnSearch* s)
{
    newton->stuck = s->floor_reached && s->norm > 0.8 * newton->last_norm ? newton->stuck + 1 : 0;
    return newton->stuck >= MOST_STUCK;
}

static SnStatus iterate(void* state, SnSearch* s)
{
    Newton* newton = state;
    bool definite = false;
    sn_objective_gather(s->objective, -1, s->g, newton->rhs);
    newton->last_norm = s->norm;
    if (s->iterations >= newton->next_try) SN_TRY(try_true_hessian(newton, s, &definite));
    if (!definite) SN_TRY(solve(newton, s, true, &definite));
    if (!definite && newton->cholesky &&
        !newton->joined.count) { // a conjugate-gradient iterate is still a direction of descent
        s->stalled = "the Hessian cannot be factored";
        return SN_OK;
    }
    sn_objective_scatter(s->objective, newton->answer, s->d);
    if (!sn_line_search(s))
        s->stalled = "the line search found no lower energy";
    else if (at_the_floor(newton, s))
        s->stalled = "the numerical floor is reached";
    return SN_OK;
}

static const SnParameter parameters[] = {
    {"linear", SN_CHOICE, offsetof(SnSolverDef, linear), .value = "cholesky", SN_NAMES("cholesky", "pcg"),
     .doc = "its linear systems by a factorisation, or by preconditioned conjugate gradients"},
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
