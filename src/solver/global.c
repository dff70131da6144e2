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
    static const char* const methods[] = {"auto", "uzawa", "gauss-seidel", "energy"};
    for (int i = 0; i < 4; i++)
        if (strcmp(methods[i], name) == 0) return methods[i];
    return NULL;
}

void sn_global_destroy(SnGlobal* g)
{
    if (!g) return;
    sn_prefactored_destroy(g->prefactored);
    sn_uzawa_destroy(g->uzawa);
    sn_gauss_seidel_destroy(g->gauss_seidel);
    sn_row_set_free(&g->rows);
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
    SN_TRY(sn_prefactored_create(o, weights, SN_FACTOR_FLOAT, &g->prefactored));
    return sn_uzawa_create(o, &g->uzawa);
}

SnStatus sn_global_create(SnObjective* objective, const SnSolverDef* def, const double* weights, SnGlobal** out)
{
    *out = NULL;
    SnGlobal* g;
    if (!SN_NEW(g, 1, "the global step")) return SN_ERROR_MEMORY;
    g->method = def->constraints ? def->constraints : "auto";
    objective->hard = strcmp(g->method, "energy") != 0;
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

// Friction ties nodes that are far apart, which sweeps are slow to tell each other.
static bool by_gauss_seidel(const SnGlobal* g, const SnObjective* o)
{
    bool asked = strcmp(g->method, "gauss-seidel") == 0;
    if (!asked && (strcmp(g->method, "auto") != 0 || o->rows->count < MANY_ROWS)) return false;
    for (int i = 0; i < o->rows->count; i++)
        if (o->rows->rows[i].count > 1 || (!asked && sn_row_has_friction(o, &o->rows->rows[i]))) return false;
    return true;
}

// An energy's row pushes with f - k gap: it gives way by 1/k, from where its force would be zero. What it pushes with
// at x is where the search for its force begins.
static void soften(SnRow* row, const double* x)
{
    if (row->stiffness <= 0) return;
    row->compliance = 1 / row->stiffness;
    row->offset += row->force * row->compliance;
    row->force = -row->stiffness * sn_row_gap(row, x);
}

static SnStatus copy_rows(SnGlobal* g, const SnObjective* o, const double* x)
{
    g->rows.count = 0;
    for (int i = 0; i < o->rows->count; i++) {
        SnRow row = o->rows->rows[i];
        if (!o->hard) soften(&row, x);
        SN_TRY(sn_row_set_add(&g->rows, &row));
    }
    for (int i = 0; i < o->rows->count; i++) {
        SnRow tangents[2];
        if (!sn_row_has_friction(o, &o->rows->rows[i])) continue;
        sn_row_tangents(o, &o->rows->rows[i], x, tangents);
        for (int a = 0; a < 2; a++) SN_TRY(sn_row_set_add(&g->rows, &tangents[a]));
    }
    return SN_OK;
}

static SnStatus solve_by_uzawa(SnGlobal* g, const SnObjective* o, const double* r, const double* x)
{
    SN_TRY(copy_rows(g, o, x));
    SN_TRY(sn_uzawa_solve(g->uzawa, g, o, r, x, g->d));
    for (int i = 0; i < o->rows->count && o->hard; i++) o->rows->rows[i].force = g->rows.rows[i].force;
    return SN_OK;
}

SnStatus sn_global_solve(SnGlobal* g, const SnObjective* o, const double* r, const double* x)
{
    g->iterations = 0;
    if (!o->rows || o->rows->count == 0) return sn_prefactored_solve(g->prefactored, r, g->d);
    if (by_gauss_seidel(g, o)) {
        if (!g->gauss_seidel) SN_TRY(sn_gauss_seidel_create(g, o, &g->gauss_seidel));
        SN_TRY(sn_gauss_seidel_solve(g->gauss_seidel, g, o, r, x, g->d));
    } else {
        SN_TRY(solve_by_uzawa(g, o, r, x));
    }
    for (int i = 0; i < o->rows->count && o->hard; i++) o->rows->rows[i].press = o->rows->rows[i].force;
    return SN_OK;
}

SnStatus sn_global_step(SnGlobal* g, const SnObjective* o, const double* r, double* x)
{
    SN_TRY(sn_global_solve(g, o, r, x));
    sn_vector_axpy(o->tasks, 3 * o->node_count, 1, g->d, x, x);
    return SN_OK;
}

SnStatus sn_global_follow(SnSearch* s)
{
    const SnObjective* o = s->objective;
    if (!o->collect || !o->rows || !o->hard) return SN_OK;
    double begin = sn_now_ms();
    SN_TRY(o->collect(o->collector, s->x));
    for (int i = 0; i < o->rows->count; i++) o->rows->rows[i].press = o->rows->rows[i].force;
    s->ms.contact += sn_now_ms() - begin;
    return SN_OK;
}
