// The global step: one solve without rows, and the way to keep them that suits them.
#include "solver/global.h"

#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "linalg/vector.h"

enum { MANY_ROWS = 300 }; // from which on Gauss-Seidel is tried by itself

#define PRECISION 1e-9 // of rows, relative to the size of the rest shapes

const char* sn_global_method(const char* name)
{
    static const char* const methods[] = {"auto", "uzawa", "gauss-seidel"};
    for (int i = 0; i < 3; i++)
        if (strcmp(methods[i], name) == 0) return methods[i];
    return NULL;
}

void sn_global_destroy(SnGlobal* g)
{
    if (!g) return;
    sn_prefactored_destroy(g->prefactored);
    sn_uzawa_destroy(g->uzawa);
    sn_gauss_seidel_destroy(g->gauss_seidel);
    sn_free(g->d);
    sn_free(g);
}

static double rest_size(const SnPotential* p)
{
    double size = 0;
    for (int c = 0; c < 3; c++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < p->node_count; i++) {
            lo = fmin(lo, p->rest[3 * (int64_t)i + c]);
            hi = fmax(hi, p->rest[3 * (int64_t)i + c]);
        }
        size = fmax(size, hi - lo);
    }
    return size;
}

static SnStatus build(SnGlobal* g, SnObjective* o, const double* weights)
{
    if (!SN_NEW(g->d, 3 * (int64_t)o->node_count, "the global step")) return SN_ERROR_MEMORY;
    g->precision = PRECISION * rest_size(o->potential);
    SN_TRY(sn_prefactored_create(o, weights, &g->prefactored));
    return sn_uzawa_create(o, &g->uzawa);
}

SnStatus sn_global_create(SnObjective* objective, const SnSolverDef* def, const double* weights, SnGlobal** out)
{
    *out = NULL;
    SnGlobal* g;
    if (!SN_NEW(g, 1, "the global step")) return SN_ERROR_MEMORY;
    g->method = def->constraints ? def->constraints : "auto";
    SnStatus status = build(g, objective, weights);
    if (status != SN_OK) {
        sn_global_destroy(g);
        return status;
    }
    *out = g;
    return SN_OK;
}

SnStatus sn_global_start(SnGlobal* g, SnSearch* search)
{
    return sn_prefactored_start(g->prefactored, search);
}

static bool by_gauss_seidel(const SnGlobal* g, const SnRowSet* rows)
{
    if (strcmp(g->method, "uzawa") == 0) return false;
    if (strcmp(g->method, "auto") == 0 && rows->count < MANY_ROWS) return false;
    for (int i = 0; i < rows->count; i++)
        if (rows->rows[i].count > 1) return false;
    return true;
}

SnStatus sn_global_step(SnGlobal* g, const SnObjective* o, const double* r, double* x)
{
    g->iterations = 0;
    if (!o->rows || o->rows->count == 0) {
        SN_TRY(sn_prefactored_solve(g->prefactored, o, r, g->d));
    } else if (by_gauss_seidel(g, o->rows)) {
        if (!g->gauss_seidel) SN_TRY(sn_gauss_seidel_create(g, o, &g->gauss_seidel));
        SN_TRY(sn_gauss_seidel_solve(g->gauss_seidel, g, o, r, x, g->d));
    } else {
        SN_TRY(sn_uzawa_solve(g->uzawa, g, o, r, x, g->d));
    }
    sn_vector_axpy(o->tasks, 3 * o->node_count, 1, g->d, x, x);
    return SN_OK;
}

SnStatus sn_global_follow(SnSearch* s)
{
    const SnObjective* o = s->objective;
    if (!o->collect || !o->rows) return SN_OK;
    double begin = sn_now_ms();
    SN_TRY(o->collect(o->collector, s->x));
    s->ms.contact += sn_now_ms() - begin;
    return SN_OK;
}
