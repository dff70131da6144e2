// Uzawa's method with conjugate gradients on the rows' forces (Overby, Brown, Li, Narain 2017, section 5, with the
// sign of its update of x corrected): S f = C A^-1 (C^T f + r) + C x - d = 0, S = C A^-1 C^T, one solve per iteration.
// A row that gives way has its compliance on the diagonal of S.
//
// Unilateral rows make an active set: those that would pull are left out, those that are violated are taken in, until
// neither is left.
#include <math.h>

#include "linalg/vector.h"
#include "solver/global.h"

enum { MOST_ROUNDS = 20, MOST_ITERATIONS = 500 };

struct SnUzawa {
    int capacity;                      // of rows
    int count;                         // of active ones
    int* active;                       // which rows
    double *residual, *search, *image; // per active row: rho, s, a
    double* scale;                     // per active row: about 1/S_ii
    double* q;                         // 3 x node_count
};

SnStatus sn_uzawa_create(const SnObjective* o, SnUzawa** out)
{
    *out = NULL;
    SnUzawa* u;
    if (!SN_NEW(u, 1, "constraints")) return SN_ERROR_MEMORY;
    if (!SN_NEW(u->q, 3 * (int64_t)o->node_count, "constraints")) {
        sn_uzawa_destroy(u);
        return SN_ERROR_MEMORY;
    }
    *out = u;
    return SN_OK;
}

void sn_uzawa_destroy(SnUzawa* u)
{
    if (!u) return;
    sn_free(u->active), sn_free(u->residual), sn_free(u->search), sn_free(u->image), sn_free(u->scale), sn_free(u->q);
    sn_free(u);
}

static SnStatus reserve(SnUzawa* u, int count)
{
    int a = u->capacity, b = a, c = a, d = a, e = a;
    if (!SN_GROW(u->active, a, count, "constraints") || !SN_GROW(u->residual, b, count, "constraints") ||
        !SN_GROW(u->search, c, count, "constraints") || !SN_GROW(u->image, d, count, "constraints") ||
        !SN_GROW(u->scale, e, count, "constraints"))
        return SN_ERROR_MEMORY;
    u->capacity = a;
    return SN_OK;
}

static bool moves(const SnObjective* o, const SnRow* row)
{
    for (int k = 0; k < row->count; k++)
        if (o->free_index[row->node[k]] >= 0 && row->weight[k] != 0) return true;
    return false;
}

// d = A^-1 (r + C^T f)
static SnStatus solve_with_forces(SnUzawa* u, SnGlobal* g, const SnObjective* o, const double* r, double* d)
{
    sn_vector_copy(o->tasks, 3 * o->node_count, r, u->q);
    for (int i = 0; i < g->rows.count; i++)
        if (g->rows.rows[i].force != 0) sn_row_add(&g->rows.rows[i], g->rows.rows[i].force, u->q);
    return sn_prefactored_solve(g->prefactored, u->q, d);
}

// The gap at x + d, less what the row gives way.
static double gap_at(const SnRow* row, const double* x, const double* d)
{
    return sn_row_gap(row, x) + sn_row_gap(row, d) + row->offset + row->compliance * row->force;
}

// Rows are preconditioned by the diagonal of C diag(A)^-1 C^T.
static double scale_of(const SnGlobal* g, const SnObjective* o, const SnRow* row)
{
    const SnScalarMatrix* m = &g->prefactored->matrix;
    double sum = row->compliance;
    for (int k = 0; k < row->count; k++) {
        int j = o->free_index[row->node[k]];
        if (j >= 0) sum += row->weight[k] * row->weight[k] / m->values[m->col_start[j]];
    }
    return 1 / sum;
}

static double dot(int n, const double* x, const double* y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static double largest(int n, const double* x)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// One iteration along s: q = A^-1 C^T s, a = C q, t = s.rho / s.a; d -= t q, f -= t s, rho -= t a, and the next s is P
// rho without what it has of this one. False: s does not move anything any more, as happens where rows depend on each
// other.
static SnStatus advance(SnUzawa* u, SnGlobal* g, const SnObjective* o, double* d, bool* moved)
{
    SnRow* rows = g->rows.rows;
    int n = 3 * o->node_count;
    for (int k = 0; k < n; k++) u->q[k] = 0;
    for (int i = 0; i < u->count; i++) sn_row_add(&rows[u->active[i]], u->search[i], u->q);
    SN_TRY(sn_prefactored_solve(g->prefactored, u->q, u->q));
    for (int i = 0; i < u->count; i++) {
        const SnRow* row = &rows[u->active[i]];
        u->image[i] = sn_row_gap(row, u->q) + row->offset + row->compliance * u->search[i];
    }
    double curvature = dot(u->count, u->search, u->image), slope = dot(u->count, u->search, u->residual);
    *moved = curvature > 0 && isfinite(slope / curvature);
    if (!*moved) return SN_OK;
    double t = slope / curvature;
    sn_vector_axpy(o->tasks, n, -t, u->q, d, d);
    for (int i = 0; i < u->count; i++) {
        rows[u->active[i]].force -= t * u->search[i];
        u->residual[i] -= t * u->image[i];
    }
    double back = 0;
    for (int i = 0; i < u->count; i++) back += u->scale[i] * u->residual[i] * u->image[i] / curvature;
    for (int i = 0; i < u->count; i++) u->search[i] = u->scale[i] * u->residual[i] - back * u->search[i];
    return SN_OK;
}

static SnStatus conjugate_gradients(SnUzawa* u, SnGlobal* g, const SnObjective* o, const double* x, double* d)
{
    bool moved = true;
    for (int i = 0; i < u->count; i++) {
        const SnRow* row = &g->rows.rows[u->active[i]];
        u->residual[i] = gap_at(row, x, d);
        u->scale[i] = scale_of(g, o, row);
        u->search[i] = u->scale[i] * u->residual[i];
    }
    bool go_on = o->hard && g->rows.count == o->rows->count; // friction and energies do not, from step to step
    double enough = fmax(g->precision, (go_on ? g->reduction : 0) * largest(u->count, u->residual));
    for (int k = 0; k < MOST_ITERATIONS && moved && largest(u->count, u->residual) > enough; k++) {
        SN_TRY(advance(u, g, o, d, &moved));
        g->iterations += moved;
    }
    return SN_OK;
}

// Takes in violated rows and lets go those that pull; false when nothing changed.
static bool choose_active(SnUzawa* u, const SnGlobal* g, const SnObjective* o, const double* x, const double* d,
                          bool* released)
{
    int count = 0, before = u->count;
    bool changed = false;
    *released = false;
    for (int i = 0, k = 0; i < g->rows.count; i++) {
        SnRow* row = &g->rows.rows[i];
        bool was = k < before && u->active[k] == i, is = !row->unilateral || row->force > 0;
        k += was;
        if (!moves(o, row)) continue;
        if (row->unilateral && !was && gap_at(row, x, d) < -g->precision) is = true;
        if (was && !is) *released = true, row->force = 0;
        changed |= was != is;
        if (is) u->image[count++] = i; // `active` is still being read
    }
    for (int i = 0; i < count; i++) u->active[i] = (int)u->image[i];
    u->count = count;
    return changed;
}

SnStatus sn_uzawa_solve(SnUzawa* u, SnGlobal* g, const SnObjective* o, const double* r, const double* x, double* d)
{
    bool released;
    SN_TRY(reserve(u, g->rows.count));
    for (int i = 0; i < g->rows.count; i++)
        if (!moves(o, &g->rows.rows[i]) || (g->rows.rows[i].unilateral && g->rows.rows[i].force < 0))
            g->rows.rows[i].force = 0;
    SN_TRY(solve_with_forces(u, g, o, r, d));
    u->count = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!choose_active(u, g, o, x, d, &released)) break;
        if (released) SN_TRY(solve_with_forces(u, g, o, r, d));
        SN_TRY(conjugate_gradients(u, g, o, x, d));
    }
    return SN_OK;
}
