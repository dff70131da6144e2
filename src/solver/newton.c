// newton: d = -H^-1 g with the Hessian factored anew in each iteration; Armijo line search.
//
// The Hessian is projected element by element, which makes every direction one of descent but slows convergence to
// linear where an element stays projected. So once full steps make good progress the true Hessian is tried, and kept
// if it is positive definite: then convergence is quadratic.
#include <math.h>

#include "core/timer.h"
#include "linalg/cholesky.h"
#include "solver/line_search.h"
#include "solver/rows.h"

enum { MOST_SHIFTS = 24 };

typedef struct Newton {
    SnHessian* hessian;
    SnCholesky* cholesky;
    double* rhs; // 3 x free_count
    double last_norm;
    bool indefinite; // the true Hessian was tried in this minimisation and was not positive definite
} Newton;

static void destroy(void* state)
{
    Newton* newton = state;
    if (!newton) return;
    sn_cholesky_destroy(newton->cholesky);
    sn_hessian_destroy(newton->hessian);
    sn_free(newton->rhs);
    sn_free(newton);
}

static SnStatus build(Newton* newton, SnObjective* o)
{
    if (!SN_NEW(newton->rhs, 3 * (int64_t)o->free_count, "the solver")) return SN_ERROR_MEMORY;
    SN_TRY(sn_hessian_create(o->potential, o->free_index, o->free_count, &newton->hessian));
    SN_TRY(sn_cholesky_create(&newton->hessian->matrix, &newton->cholesky));
    sn_cholesky_set_tasks(newton->cholesky, o->tasks);
    return SN_OK;
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)def;
    *state = NULL;
    Newton* newton;
    if (!SN_NEW(newton, 1, "the solver")) return SN_ERROR_MEMORY;
    SnStatus status = build(newton, objective);
    if (status != SN_OK) {
        destroy(newton);
        return status;
    }
    *state = newton;
    return SN_OK;
}

static void assemble(Newton* newton, SnSearch* s, bool project)
{
    double start = sn_now_ms();
    sn_objective_diagonal(s->objective, newton->hessian->diagonal);
    sn_hessian_assemble(newton->hessian, s->x, project);
    s->ms.assemble += sn_now_ms() - start;
}

// Without inertia the projected Hessian may be singular (a body nobody holds); then a small multiple of the identity
// is added, ten times more at each failure.
static SnStatus factor(Newton* newton, SnSearch* s, int tries, bool* definite)
{
    double start = sn_now_ms(), shift = 0, diagonal = 0;
    const SnBlockMatrix* m = &newton->hessian->matrix;
    for (int j = 0; j < m->n; j++)
        for (int c = 0; c < 3; c++) diagonal += fabs(m->values[sn_block_column(m, j, c)]) / (3.0 * m->n);
    SnStatus status = SN_OK;
    *definite = false;
    for (int k = 0; k < tries && !*definite && status == SN_OK; k++) {
        status = sn_cholesky_factor(newton->cholesky, shift, definite);
        s->factorizations++;
        shift = shift > 0 ? 10 * shift : 1e-12 * diagonal;
    }
    s->ms.factor += sn_now_ms() - start;
    return status;
}

static SnStatus find_direction(Newton* newton, SnSearch* s)
{
    double start = sn_now_ms();
    sn_rows_gather(s->objective, -1, s->g, newton->rhs);
    SN_TRY(sn_cholesky_solve(newton->cholesky, newton->rhs, newton->rhs));
    sn_rows_scatter(s->objective, newton->rhs, s->d);
    s->ms.solve += sn_now_ms() - start;
    return SN_OK;
}

// Is it time to try the true Hessian?
static bool nearly_there(Newton* newton, const SnSearch* s)
{
    bool progress = s->iterations > 0 && s->step == 1 && s->norm < 0.25 * newton->last_norm;
    if (s->iterations == 0) newton->indefinite = false;
    newton->last_norm = s->norm;
    return progress && !newton->indefinite;
}

static SnStatus iterate(void* state, SnSearch* s)
{
    Newton* newton = state;
    bool definite = false;
    if (nearly_there(newton, s)) {
        assemble(newton, s, false);
        SN_TRY(factor(newton, s, 1, &definite));
        newton->indefinite = !definite;
    }
    if (!definite) {
        assemble(newton, s, true);
        SN_TRY(factor(newton, s, MOST_SHIFTS, &definite));
    }
    if (!definite) {
        s->stalled = "the Hessian cannot be factored";
        return SN_OK;
    }
    SN_TRY(find_direction(newton, s));
    if (!sn_line_search(s))
        s->stalled = "the line search found no lower energy";
    else if (s->floor_reached && s->norm > 0.5 * newton->last_norm)
        s->stalled = "the numerical floor is reached"; // more iterations would not help, and each is dear
    return SN_OK;
}

const SnSolverType sn_newton = {
    .name = "newton",
    .summary = "Newton: sparse Cholesky of the (projected) Hessian in each iteration, Armijo line search",
    .create = create,
    .destroy = destroy,
    .iterate = iterate,
};
