// The projected Hessian of an objective at some x, factored.
#include "solver/factored_hessian.h"

#include <math.h>
#include <string.h>

#include "core/timer.h"

SnStatus sn_factored_hessian_build(SnFactoredHessian* f, SnObjective* o, bool elastic)
{
    f->inertia = -1;
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, o->nodes.free_count, &f->hessian));
    f->hessian->elastic = elastic;
    int64_t n = 3 * (int64_t)o->nodes.free_count;
    if (!SN_NEW(f->rows, n, "the solver") || !SN_NEW(f->own, n, "the solver")) return SN_ERROR_MEMORY;
    SN_TRY(sn_cholesky_create(&f->hessian->matrix, o->nodes.factors, &f->cholesky));
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
    SN_FREE(f->rows, f->own);
}

static int64_t value_count(const SnBlockMatrix* m)
{
    return 9 * m->col_start[m->n] - 3 * (int64_t)m->n;
}

static double* diagonal(const SnBlockMatrix* m, int row)
{
    return m->values + sn_block_column(m, row / 3, row % 3);
}

static void keep_diagonal(SnFactoredHessian* f)
{
    const SnBlockMatrix* m = &f->hessian->matrix;
    for (int i = 0; i < 3 * m->n; i++) f->own[i] = *diagonal(m, i);
    f->inertia = -1;
}

void sn_factored_hessian_take(SnFactoredHessian* f, SnSearch* s, const double* x)
{
    const SnBlockMatrix* m = &f->hessian->matrix;
    double begin = sn_now_ms();
    memset(f->hessian->diagonal, 0, (size_t)m->n * sizeof *f->hessian->diagonal);
    sn_hessian_assemble(f->hessian, x, true);
    for (int64_t k = 0; k < value_count(m) && f->rounded; k++) m->values[k] = (float)m->values[k];
    keep_diagonal(f);
    s->ms.assemble += sn_now_ms() - begin;
}

SnStatus sn_factored_hessian_factor(SnFactoredHessian* f, SnSearch* s)
{
    const SnObjective* o = s->objective;
    const SnBlockMatrix* m = &f->hessian->matrix;
    double begin = sn_now_ms(), shift = 0, mean = 0;
    sn_objective_supported_diagonal(o, f->hessian->diagonal);
    for (int i = 0; i < 3 * m->n; i++) {
        *diagonal(m, i) = f->own[i] + f->hessian->diagonal[i / 3];
        mean += fabs(*diagonal(m, i)) / (3.0 * m->n);
    }
    bool definite = false;
    for (int k = 0; k < 20 && !definite; k++, shift = fmax(10 * shift, 1e-12 * mean)) {
        SN_TRY(sn_cholesky_factor(f->cholesky, shift, &definite));
        s->factorizations++;
    }
    if (!definite) s->stalled = "the Hessian cannot be factored";
    f->inertia = definite ? o->nodes.inertia : -1;
    s->ms.factor += sn_now_ms() - begin;
    return SN_OK;
}

int64_t sn_factored_hessian_size(const SnFactoredHessian* f)
{
    return (value_count(&f->hessian->matrix) + 1) / 2;
}

// The diagonal is the matrix's own.
void sn_factored_hessian_save(const SnFactoredHessian* f, double* numbers)
{
    const SnBlockMatrix* m = &f->hessian->matrix;
    char* to = (char*)numbers;
    numbers[sn_factored_hessian_size(f) - 1] = 0;
    for (int64_t k = 0; k < value_count(m); k++) {
        float value = (float)m->values[k];
        memcpy(to + k * (int64_t)sizeof value, &value, sizeof value);
    }
    for (int i = 0; i < 3 * m->n; i++) {
        float value = (float)f->own[i];
        memcpy(to + (diagonal(m, i) - m->values) * (int64_t)sizeof value, &value, sizeof value);
    }
}

void sn_factored_hessian_restore(SnFactoredHessian* f, const double* numbers)
{
    const SnBlockMatrix* m = &f->hessian->matrix;
    for (int64_t k = 0; k < value_count(m); k++) {
        float value;
        memcpy(&value, (const char*)numbers + k * (int64_t)sizeof value, sizeof value);
        m->values[k] = value;
    }
    keep_diagonal(f);
}

SnStatus sn_factored_hessian_apply(SnFactoredHessian* f, const SnObjective* o, const SnWarp* warp, const double* q,
                                   double* r)
{
    sn_objective_gather(o, 1, q, f->rows);
    if (warp) sn_warp_apply(warp, true, 1, f->rows);
    SN_TRY(sn_cholesky_solve(f->cholesky, f->rows, f->rows));
    if (warp) sn_warp_apply(warp, false, 1, f->rows);
    sn_objective_scatter(o, f->rows, r);
    return SN_OK;
}

SnStatus sn_factored_hessian_apply_among(SnFactoredHessian* f, const SnWarp* warp, const int* nodes, int count,
                                         double* rows)
{
    if (warp) sn_warp_apply_some(warp, true, 1, nodes, count, rows);
    SN_TRY(sn_cholesky_solve_among(f->cholesky, nodes, count, rows));
    if (warp) sn_warp_apply_some(warp, false, 1, nodes, count, rows);
    return SN_OK;
}
