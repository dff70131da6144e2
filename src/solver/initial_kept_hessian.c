// kept-hessian: the projected Hessian of an earlier x, kept from step to step and taken anew when the iterations that
// its age has cost are worth that: LBFGS-H for bodies that deform little from step to step, at the price of a solve.
#include <math.h>
#include <string.h>

#include "solver/factored_hessian.h"
#include "solver/initial.h"
#include "solver/work.h"

enum { LEAST_PATIENCE = 4 }; // iterations before it is doubted within a minimisation

typedef struct Kept {
    SnFactoredHessian factor;
    int size;        // 3 x node_count
    double* x;       // where it was taken
    bool taken;      // it has been
    int takes;       // how often, as far as this state knows
    double worth;    // what taking it anew costs, in iterations
    double applied;  // iterations since the last start
    double usual;    // iterations of the first minimisation after it was taken; negative: not known yet
    double excess;   // iterations beyond the usual, summed since
    double patience; // iterations until it is taken anew within a minimisation
} Kept;

static void destroy(void* state)
{
    Kept* k = state;
    if (!k) return;
    sn_factored_hessian_free(&k->factor);
    sn_free(k->x);
    sn_free(k);
}

static SnStatus create(SnObjective* o, const SnSolverDef* def, void** state)
{
    (void)def;
    *state = NULL;
    Kept* k;
    if (!SN_NEW(k, 1, "the solver")) return SN_ERROR_MEMORY;
    k->usual = -1;
    k->size = 3 * o->nodes.count;
    SnStatus status = SN_NEW(k->x, k->size, "the solver") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) status = sn_factored_hessian_build(&k->factor, o, true);
    if (status != SN_OK) {
        destroy(k);
        return status;
    }
    const SnCholesky* c = k->factor.cholesky;
    k->worth = sn_work_block_refresh(o, sn_cholesky_factor_flops(c)) /
               sn_work_iteration(o, sn_work_block_solve(sn_cholesky_factor_entries(c)));
    *state = k;
    return SN_OK;
}

// What the iterations since the last start say about it.
static bool outworn(Kept* k)
{
    if (!k->taken || k->applied > k->patience) return true;
    if (k->usual < 0) k->usual = k->applied;
    k->excess = fmax(0, k->excess + k->applied - k->usual);
    return k->excess > k->worth;
}

static SnStatus start(void* state, SnSearch* s)
{
    Kept* k = state;
    bool fresh = outworn(k);
    if (fresh) {
        memcpy(k->x, s->x, (size_t)k->size * sizeof *k->x);
        k->taken = true, k->takes++, k->usual = -1, k->excess = 0;
    }
    k->patience = fmax(LEAST_PATIENCE, k->worth);
    k->applied = 0;
    if (!fresh && k->factor.inertia == s->objective->nodes.inertia) return SN_OK;
    return sn_factored_hessian_factor(&k->factor, s, k->x);
}

static bool stale(const void* state)
{
    const Kept* k = state;
    return k->applied > k->patience;
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)yy_over_sy;
    Kept* k = state;
    k->applied++;
    return sn_factored_hessian_apply(&k->factor, s->objective, q, r);
}

static const SnCholesky* factor_of(const void* state)
{
    return ((const Kept*)state)->factor.cholesky;
}

static int takes_of(const void* state)
{
    return ((const Kept*)state)->takes;
}

// Remembered are the counts and where it was taken.
enum { COUNTS = 5 };

static int64_t memory_size(const void* state)
{
    return COUNTS + ((const Kept*)state)->size;
}

static void save(const void* state, double* numbers)
{
    const Kept* k = state;
    double counts[COUNTS] = {k->taken, k->applied, k->usual, k->excess, k->patience};
    memcpy(numbers, counts, sizeof counts);
    memcpy(numbers + COUNTS, k->x, (size_t)k->size * sizeof *k->x);
}

static void restore(void* state, const double* numbers)
{
    Kept* k = state;
    double counts[COUNTS] = {0, 0, -1, 0, 0};
    if (numbers) memcpy(counts, numbers, sizeof counts);
    if (numbers) memcpy(k->x, numbers + COUNTS, (size_t)k->size * sizeof *k->x);
    k->taken = counts[0] != 0, k->applied = counts[1], k->usual = counts[2], k->excess = counts[3];
    k->patience = counts[4];
    k->factor.inertia = -1;
}

static const SnMemory memory = {.size = memory_size, .save = save, .restore = restore};

const SnInitialType sn_initial_kept_hessian = {
    .name = "kept-hessian",
    .summary = "the projected Hessian, kept over steps and taken anew when iterations grow",
    .linear = true,
    .symmetric = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
    .stale = stale,
    .factor = factor_of,
    .taken = takes_of,
    .memory = &memory,
};
