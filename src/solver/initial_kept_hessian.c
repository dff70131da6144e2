// kept-hessian: the projected Hessian of an earlier x, kept from step to step, turned with each node since, and taken
// anew when the iterations that its age has cost are worth that: LBFGS-H, mostly at the price of a solve.
//
// What it remembers is x, from which it is made again; dissipations and rest shapes that actuators change depend on the
// stage as well, and with them it remembers the matrix.
#include <string.h>

#include "solver/factored_hessian.h"
#include "solver/initial.h"
#include "solver/wear.h"
#include "solver/work.h"

#define FIRST_RATE 1.5 // see solver/wear.h

typedef struct Kept {
    SnFactoredHessian factor;
    bool known;      // the matrix is that of x
    bool dissipates; // and of the stage that it was taken in
    int size;        // 3 x node_count
    double* x;       // where it was taken
    SnWarp warp;
    bool turned; // by the warp, since then
    SnWear wear;
} Kept;

static void destroy(void* state)
{
    Kept* k = state;
    if (!k) return;
    sn_factored_hessian_free(&k->factor);
    sn_warp_free(&k->warp);
    sn_free(k->x);
    sn_free(k);
}

static SnStatus create(SnObjective* o, const SnSolverDef* def, void** state)
{
    (void)def;
    *state = NULL;
    Kept* k;
    if (!SN_NEW(k, 1, "the solver")) return SN_ERROR_MEMORY;
    k->wear.hope = FIRST_RATE, k->wear.growth = 1;
    k->size = 3 * o->nodes.count;
    k->dissipates = o->potential->dissipation_count > 0 || sn_potential_acts(o->potential);
    k->factor.rounded = true;
    SnStatus status = SN_NEW(k->x, k->size, "the solver") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) status = sn_factored_hessian_build(&k->factor, o, false);
    if (status == SN_OK) status = sn_warp_build(&k->warp, o, &k->factor.hessian->matrix);
    const SnCholesky* c = k->factor.cholesky;
    if (status == SN_OK)
        k->wear.worth = sn_work_block_refresh(o, sn_cholesky_factor_flops(c)) /
                        sn_work_iteration(o, sn_work_block_solve(sn_cholesky_factor_entries(c)));
    SN_FINISH(status, k, destroy, state);
}

static SnStatus start(void* state, SnSearch* s)
{
    Kept* k = state;
    k->turned = !sn_wear_start(&k->wear, s);
    if (k->turned)
        sn_warp_turn(&k->warp, k->x, s->x);
    else
        memcpy(k->x, s->x, (size_t)k->size * sizeof *k->x);
    if (!k->turned || !k->known) sn_factored_hessian_take(&k->factor, s, k->x);
    k->known = true;
    return k->factor.inertia == s->objective->nodes.inertia ? SN_OK : sn_factored_hessian_factor(&k->factor, s);
}

static bool stale(void* state, const SnSearch* s)
{
    return sn_wear_stale(&((Kept*)state)->wear, s);
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)yy_over_sy;
    Kept* k = state;
    sn_wear_apply(&k->wear, s);
    return sn_factored_hessian_apply(&k->factor, s->objective, k->turned ? &k->warp : NULL, q, r);
}

static SnStatus apply_many(void* state, const int* nodes, int count, double* rows)
{
    Kept* k = state;
    return sn_cholesky_solve_some(k->factor.cholesky, nodes, count, rows);
}

static void turn(const void* state, int row, double r[9])
{
    const Kept* k = state;
    if (k->turned) sn_warp_rotation(&k->warp, row, r);
}

static SnStatus apply_among(void* state, const int* nodes, int count, double* rows)
{
    Kept* k = state;
    return sn_factored_hessian_apply_among(&k->factor, k->turned ? &k->warp : NULL, nodes, count, rows);
}

static const SnCholesky* factor_of(const void* state)
{
    return ((const Kept*)state)->factor.cholesky;
}

static int takes_of(const void* state)
{
    return ((const Kept*)state)->wear.takes;
}

// Remembered are the counts and where it was taken, and the matrix where that is not enough.
static int64_t memory_size(const void* state)
{
    const Kept* k = state;
    return SN_WEAR_COUNTS + k->size + (k->dissipates ? sn_factored_hessian_size(&k->factor) : 0);
}

static void save(const void* state, double* numbers)
{
    const Kept* k = state;
    sn_wear_save(&k->wear, numbers);
    memcpy(numbers + SN_WEAR_COUNTS, k->x, (size_t)k->size * sizeof *k->x);
    if (k->dissipates) sn_factored_hessian_save(&k->factor, numbers + SN_WEAR_COUNTS + k->size);
}

static void restore(void* state, const double* numbers)
{
    Kept* k = state;
    sn_wear_restore(&k->wear, numbers);
    k->known = numbers && k->dissipates;
    k->factor.inertia = -1;
    if (numbers) memcpy(k->x, numbers + SN_WEAR_COUNTS, (size_t)k->size * sizeof *k->x);
    if (k->known) sn_factored_hessian_restore(&k->factor, numbers + SN_WEAR_COUNTS + k->size);
}

static const SnMemory memory = {.size = memory_size, .save = save, .restore = restore};

const SnInitialType sn_initial_kept_hessian = {
    .name = "kept-hessian",
    .summary = "the projected Hessian, kept over steps, turned with each node, taken anew when iterations grow",
    .linear = true,
    .symmetric = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
    .apply_many = apply_many,
    .turn = turn,
    .apply_among = apply_among,
    .stale = stale,
    .factor = factor_of,
    .taken = takes_of,
    .memory = &memory,
};
