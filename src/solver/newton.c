// newton: d = -H^-1 g with the projected Hessian, factored anew in each iteration; Armijo line search.
#include <math.h>

#include "core/timer.h"
#include "linalg/cholesky.h"
#include "solver/solver.h"

enum { MOST_SHIFTS = 24 };

typedef struct Newton {
    SnHessian* hessian;
    SnCholesky* cholesky;
    double* rhs; // 3 x free_count
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
    return sn_cholesky_create(&newton->hessian->matrix, &newton->cholesky);
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

static void assemble(Newton* newton, SnSearch* s)
{
    double start = sn_now_ms();
    const SnObjective* o = s->objective;
    for (int i = 0; i < o->node_count; i++)
        if (o->free_index[i] >= 0) newton->hessian->diagonal[o->free_index[i]] = o->inertia * o->mass[i];
    sn_hessian_assemble(newton->hessian, s->x, true);
    s->ms.assemble += sn_now_ms() - start;
}

// Without inertia the projected Hessian may be singular (a body nobody holds); then a small multiple of the identity
// is added, ten times more at each failure.
static SnStatus factor(Newton* newton, SnSearch* s, bool* definite)
{
    double start = sn_now_ms(), shift = 0, diagonal = 0;
    const SnBlockMatrix* m = &newton->hessian->matrix;
    for (int j = 0; j < m->n; j++) diagonal += fabs(m->values[sn_block_column(m, j, 0)]) / m->n;
    SnStatus status = SN_OK;
    *definite = false;
    for (int k = 0; k < MOST_SHIFTS && !*definite && status == SN_OK; k++) {
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
    const SnObjective* o = s->objective;
    for (int i = 0; i < o->node_count; i++)
        for (int c = 0; c < 3 && o->free_index[i] >= 0; c++) newton->rhs[3 * o->free_index[i] + c] = -s->g[3 * i + c];
    SN_TRY(sn_cholesky_solve(newton->cholesky, newton->rhs, newton->rhs));
    for (int i = 0; i < o->node_count; i++)
        for (int c = 0; c < 3; c++) s->d[3 * i + c] = o->free_index[i] >= 0 ? newton->rhs[3 * o->free_index[i] + c] : 0;
    s->ms.solve += sn_now_ms() - start;
    return SN_OK;
}

static SnStatus iterate(void* state, SnSearch* s)
{
    Newton* newton = state;
    bool definite;
    assemble(newton, s);
    SN_TRY(factor(newton, s, &definite));
    if (!definite) {
        s->stalled = "the Hessian cannot be factored";
        return SN_OK;
    }
    SN_TRY(find_direction(newton, s));
    if (!sn_line_search(s)) s->stalled = "the line search found no lower energy";
    return SN_OK;
}

const SnSolverType sn_newton = {
    .name = "newton",
    .summary = "projected Newton: sparse Cholesky of the Hessian in each iteration, Armijo line search",
    .create = create,
    .destroy = destroy,
    .iterate = iterate,
};
