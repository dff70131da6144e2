// admm: the alternating direction method of multipliers (Narain, Overby, Brown 2016; Overby, Brown, Li, Narain 2017),
// A = M/b^2 + sum w^2 G^T G:
//     local   z_i = prox of U_i at D_i x + u_i with weight w_i^2;  u_i += D_i x - z_i
//     global  x = A^-1 (M x~/b^2 + sum w_i^2 D_i^T (z_i - u_i)), subject to the rows
//
// The global step is taken as an increment: x += A^-1 r with r = M (x~ - x)/b^2 + f + sum w^2 D^T (z - u - D x), which
// is zero at the minimum, whatever the factor's rounding. Held nodes then need no thought.
#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "linalg/anderson.h"
#include "linalg/vector.h"
#include "potential/local.h"
#include "solver/global.h"

#define ROW_REDUCTION 0.03 // of rows, in each global step

typedef struct Admm {
    SnLocal* local;
    SnGlobal* global;
    SnAnderson* anderson; // of s = D x + u, or NULL
    double* s;            // that, in the local step's layout
    double* r;            // 3 x node_count
    bool warm_start;      // u goes on from the last minimisation
    bool limits;          // some groups are hard
    double residual;      // relative size of both residuals to stop at; 0: not looked at
} Admm;

static void destroy(void* state)
{
    Admm* a = state;
    if (!a) return;
    sn_local_destroy(a->local);
    sn_global_destroy(a->global);
    sn_anderson_destroy(a->anderson);
    sn_free(a->s), sn_free(a->r);
    sn_free(a);
}

static SnStatus build(Admm* a, SnObjective* o, const SnSolverDef* def)
{
    a->warm_start = def->warm_start;
    a->residual = def->residual;
    o->potential->hard = true;
    for (int i = 0; i < o->potential->group_count; i++) a->limits |= o->potential->groups[i].hard;
    if (!SN_NEW(a->r, 3 * (int64_t)o->node_count, "the solver")) return SN_ERROR_MEMORY;
    o->pull = a->limits ? a->r : NULL;
    double relaxation = def->relaxation > 0 ? def->relaxation : 1;
    SN_TRY(sn_local_create(o->potential, relaxation, a->residual > 0, &a->local));
    if (def->merge_dissipation) SN_TRY(sn_local_merge(a->local));
    SN_TRY(sn_global_create(o, def, a->local->weight, &a->global));
    a->global->reduction = ROW_REDUCTION;
    if (def->anderson == 0) return SN_OK;
    if (!SN_NEW(a->s, a->local->size, "the solver")) return SN_ERROR_MEMORY;
    return sn_anderson_create((int)a->local->size, def->anderson, &a->anderson);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Admm* a;
    if (!SN_NEW(a, 1, "the solver")) return SN_ERROR_MEMORY;
    SnStatus status = build(a, objective, def);
    if (status != SN_OK) {
        destroy(a);
        return status;
    }
    *state = a;
    return SN_OK;
}

static SnStatus start(void* state, SnSearch* s)
{
    Admm* a = state;
    sn_local_start(a->local, a->warm_start);
    if (a->anderson) {
        sn_local_get_state(a->local, s->x, a->s);
        sn_anderson_start(a->anderson, s->objective->tasks, a->s);
    }
    return sn_global_start(a->global, s);
}

// The gradient, in which limits pull with what ADMM has found for them instead of an energy's force.
static void evaluate(void* state, SnSearch* s)
{
    Admm* a = state;
    const SnObjective* o = s->objective;
    sn_search_evaluate(s);
    if (!a->limits) return;
    double begin = sn_now_ms(), open = sn_local_pull(a->local, s->x, a->r);
    for (int i = 0; i < o->node_count; i++)
        for (int c = 0; c < 3; c++) {
            int64_t k = 3 * (int64_t)i + c;
            *(o->free_index[i] < 0 ? &o->reaction[k] : &s->g[k]) += a->r[k];
        }
    s->norm = hypot(sn_vector_norm(o->tasks, 3 * o->node_count, s->g), open);
    s->ms.evaluate += sn_now_ms() - begin;
}

// r += M (x~ - x)/b^2 + f
static void add_inertia(const SnObjective* o, const double* x, double* r)
{
    for (int i = 0; i < o->node_count; i++)
        for (int c = 0; c < 3; c++) {
            int64_t k = 3 * (int64_t)i + c;
            if (o->inertia > 0) r[k] += o->inertia * o->mass[i] * (o->target[k] - x[k]);
            if (o->force) r[k] += o->force[k];
        }
}

static bool residuals_small(Admm* a, const SnSearch* s)
{
    if (!(a->residual > 0) || s->iterations == 0) return false;
    SnResiduals r = sn_local_residuals(a->local, a->r);
    return r.primal <= a->residual * r.primal_size && r.dual <= a->residual * r.dual_size;
}

static SnStatus iterate(void* state, SnSearch* s)
{
    Admm* a = state;
    if (s->stalled) return SN_OK;
    if (s->iterations > 0) SN_TRY(sn_global_follow(s));
    double begin = sn_now_ms();
    sn_local_step(a->local, s->x, a->r);
    add_inertia(s->objective, s->x, a->r);
    double local = sn_now_ms();
    SN_TRY(sn_global_step(a->global, s->objective, a->r, s->x));
    s->ms.evaluate += local - begin;
    s->ms.solve += sn_now_ms() - local;
    s->settled = residuals_small(a, s);
    if (a->anderson) {
        sn_local_get_state(a->local, s->x, a->s);
        sn_anderson_next(a->anderson, s->objective->tasks, a->s);
        sn_local_set_state(a->local, s->x, a->s);
    }
    s->stale = true;
    if (s->tolerance > 0 || s->watch || !s->objective->hard) evaluate(a, s);
    return SN_OK;
}

static int64_t memory_size(const void* state)
{
    const Admm* a = state;
    return a->warm_start ? a->local->size : 0;
}

static void save_memory(const void* state, double* numbers)
{
    const Admm* a = state;
    memcpy(numbers, a->local->u, (size_t)memory_size(a) * sizeof *numbers);
}

static void restore_memory(void* state, const double* numbers)
{
    Admm* a = state;
    size_t bytes = (size_t)memory_size(a) * sizeof *numbers;
    if (numbers)
        memcpy(a->local->u, numbers, bytes);
    else
        memset(a->local->u, 0, bytes);
}

static const SnMemory memory = {.size = memory_size, .save = save_memory, .restore = restore_memory};

const SnSolverType sn_admm = {
    .name = "admm",
    .summary = "ADMM: element by element, then one constant matrix; keeps limits and constraints exactly",
    .keeps_rows = true,
    .keeps_limits = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
    .evaluate = evaluate,
    .memory = &memory,
};
