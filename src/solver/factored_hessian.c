// The projected Hessian of an objective at some x, factored.
#include "solver/factored_hessian.h"

#include <math.h>

#include "core/timer.h"

SnStatus sn_factored_hessian_build(SnFactoredHessian* f, SnObjective* o, bool elastic)
{
    f->inertia = -1;
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, o->nodes.free_count, &f->hessian));
    f->hessian->elastic = elastic;
    if (!SN_NEW(f->rows, 3 * (int64_t)o->nodes.free_count, "the solver")) return SN_ERROR_MEMORY;
    SN_TRY(sn_cholesky_create(&f->hessian->matrix, &f->cholesky));
    // It is but a preconditioner.
    if (sn_cholesky_factor_entries(f->cholesky) > SN_FACTOR_LARGE)
        SN_TRY(sn_cholesky_set_precision(f->cholesky, SN_FACTOR_FLOAT));
    sn_cholesky_set_tasks(f->cholesky, o->nodes.tasks);
    return SN_OK;
}

void sn_factored_hessian_free(SnFactoredHessian* f)
{
    sn_cholesky_destroy(f->cholesky);
    sn_hessian_destroy(f->hessian);
    sn_free(f->rows);
}

SnStatus sn_factored_hessian_factor(SnFactoredHessian* f, SnSearch* s, const double* x)
{
    const SnObjective* o = s->objective;
    double begin = sn_now_ms(), shift = 0, mean = 0;
    sn_objective_supported_diagonal(o, f->hessian->diagonal);
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
    f->inertia = definite ? o->nodes.inertia : -1;
    s->ms.factor += sn_now_ms() - assembled;
    return SN_OK;
}

SnStatus sn_factored_hessian_apply(SnFactoredHessian* f, const SnObjective* o, const SnWarp* warp, const double* q,
                                   double* r)
{
    sn_objective_gather(o, 1, q, f->rows);
    if (warp) sn_warp_apply(warp, true, f->rows);
    SN_TRY(sn_cholesky_solve(f->cholesky, f->rows, f->rows));
    if (warp) sn_warp_apply(warp, false, f->rows);
    sn_objective_scatter(o, f->rows, r);
    return SN_OK;
}
