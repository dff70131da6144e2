// trace-laplacian: A_ij = m_i/b^2 delta_ij + 2/3 tr H_ij, scalar, with H_ij the 3x3 blocks of the projected Hessian.
//
// Of all matrices L (x) I3 the one with L_ij = tr H_ij / 3 is nearest to H, and it is positive semidefinite as H is. It
// knows which elements have become stiff, and along which of their lines, without knowing how they are turned. Twice
// that, because H is stiffer than its mean in some directions and steps that are too long cost more than steps that
// are too short. L is kept from step to step, and taken anew when the iterations that its age has cost are worth that.
// Near the rest shape the constant Laplacian is as good, and costs nothing: it is the first L.
#include <string.h>

#include "core/timer.h"
#include "solver/initial.h"
#include "solver/prefactored.h"
#include "solver/wear.h"
#include "solver/work.h"

#define FIRST_RATE 0.1 // see solver/wear.h

typedef struct Trace {
    SnPrefactored* factor;
    SnHessian* hessian;
    SnWear wear;   // of L
    bool constant; // L is that of the rest shape
} Trace;

static void destroy(void* state)
{
    Trace* t = state;
    if (!t) return;
    sn_prefactored_destroy(t->factor);
    sn_hessian_destroy(t->hessian);
    sn_free(t);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    (void)def;
    *state = NULL;
    Trace* t;
    if (!SN_NEW(t, 1, "the Laplacian")) return SN_ERROR_MEMORY;
    t->wear.hope = FIRST_RATE, t->wear.growth = 2;
    t->constant = true;
    SnStatus status = sn_prefactored_create(objective, NULL, SN_FACTOR_SHORT, &t->factor);
    if (status == SN_OK)
        status = sn_hessian_create(objective->potential, objective->nodes.free_index, objective->nodes.free_count,
                                   &t->hessian);
    if (status == SN_OK) {
        const SnCholesky* c = t->factor->system.cholesky;
        t->wear.worth = sn_work_scalar_refresh(objective, sn_cholesky_factor_flops(c)) /
                        sn_work_iteration(objective, sn_work_scalar_solve(sn_cholesky_factor_entries(c)));
    }
    SN_FINISH(status, t, destroy, state);
}

static void set(Trace* t, int column, int64_t k, float value)
{
    SnScalarMatrix* l = &t->factor->system.matrix;
    l->values[k] = value;
    if (k == l->col_start[column]) t->factor->diagonal[column] = value;
}

static float get(const Trace* t, int column, int64_t k)
{
    const SnScalarMatrix* l = &t->factor->system.matrix;
    return (float)(k == l->col_start[column] ? t->factor->diagonal[column] : l->values[k]);
}

// L_ij = 2/3 tr H_ij, in single precision, which is what is remembered. The patterns are the same.
static void take_traces(Trace* t, SnSearch* s)
{
    double begin = sn_now_ms();
    const SnBlockMatrix* h = &t->hessian->matrix;
    sn_hessian_assemble(t->hessian, s->x, true);
    for (int j = 0; j < h->n; j++)
        for (int64_t k = h->col_start[j]; k < h->col_start[j + 1]; k++) {
            double block[9];
            sn_block_read(h, j, k - h->col_start[j], block);
            set(t, j, k, (float)((block[0] + block[4] + block[8]) * (2.0 / 3)));
        }
    t->factor->inertia = -1;
    t->constant = false;
    s->ms.assemble += sn_now_ms() - begin;
}

// The constant Laplacian, in single precision, too.
static void take_constant(Trace* t, const SnObjective* o)
{
    const SnScalarMatrix* l = &t->factor->system.matrix;
    if (!t->constant || o->potential->dissipation_count || o->potential->actuated) sn_prefactored_update(t->factor, o);
    for (int j = 0; j < l->n; j++)
        for (int64_t k = l->col_start[j]; k < l->col_start[j + 1]; k++) set(t, j, k, get(t, j, k));
}

// Without a tolerance nobody would see when it no longer serves.
static SnStatus start(void* state, SnSearch* s)
{
    Trace* t = state;
    if (!t->wear.taken && s->tolerance > 0) {
        t->wear.taken = true;
        take_constant(t, s->objective);
    }
    if (sn_wear_start(&t->wear, s)) take_traces(t, s);
    return t->factor->inertia == s->objective->nodes.inertia ? SN_OK : sn_prefactored_factor(t->factor, s);
}

static bool stale(void* state, const SnSearch* s)
{
    return sn_wear_stale(&((Trace*)state)->wear, s);
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)yy_over_sy;
    Trace* t = state;
    sn_wear_apply(&t->wear, s);
    return sn_node_system_solve(&t->factor->system, q, r);
}

static SnStatus apply_many(void* state, const int* nodes, int count, double* rows)
{
    return sn_cholesky_solve_some(((Trace*)state)->factor->system.cholesky, nodes, count, rows);
}

static const SnCholesky* factor_of(const void* state)
{
    return ((const Trace*)state)->factor->system.cholesky;
}

static int takes_of(const void* state)
{
    return ((const Trace*)state)->wear.takes;
}

// Remembered are the counts, and L: two numbers of single precision in each double.
static int64_t memory_size(const void* state)
{
    const SnScalarMatrix* l = &((const Trace*)state)->factor->system.matrix;
    return SN_WEAR_COUNTS + (l->col_start[l->n] + 1) / 2;
}

static void save(const void* state, double* numbers)
{
    const Trace* t = state;
    const SnScalarMatrix* l = &t->factor->system.matrix;
    memset(numbers, 0, (size_t)memory_size(state) * sizeof *numbers);
    sn_wear_save(&t->wear, numbers);
    for (int j = 0; j < l->n; j++)
        for (int64_t k = l->col_start[j]; k < l->col_start[j + 1]; k++) {
            float value = get(t, j, k);
            memcpy((char*)(numbers + SN_WEAR_COUNTS) + k * (int64_t)sizeof value, &value, sizeof value);
        }
}

static void restore(void* state, const double* numbers)
{
    Trace* t = state;
    const SnScalarMatrix* l = &t->factor->system.matrix;
    sn_wear_restore(&t->wear, numbers);
    t->factor->inertia = -1;
    if (t->wear.taken) t->constant = false;
    for (int j = 0; t->wear.taken && j < l->n; j++)
        for (int64_t k = l->col_start[j]; k < l->col_start[j + 1]; k++) {
            float value;
            memcpy(&value, (const char*)(numbers + SN_WEAR_COUNTS) + k * (int64_t)sizeof value, sizeof value);
            set(t, j, k, value);
        }
}

static const SnMemory memory = {.size = memory_size, .save = save, .restore = restore};

const SnInitialType sn_initial_trace_laplacian = {
    .name = "trace-laplacian",
    .summary = "M/b^2 + traces of the Hessian's blocks: scalar, taken anew when iterations grow",
    .linear = true,
    .symmetric = true,
    .scalar = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
    .apply_many = apply_many,
    .stale = stale,
    .factor = factor_of,
    .taken = takes_of,
    .memory = &memory,
};
