// admm: the alternating direction method of multipliers (Narain, Overby, Brown 2016; Overby, Brown, Li, Narain 2017),
// A = M/b^2 + sum w^2 G^T G:
//     local   z_i = prox of U_i at D_i x + u_i with weight w_i^2;  u_i += D_i x - z_i
//     global  x = A^-1 (M x~/b^2 + sum w_i^2 D_i^T (z_i - u_i)), subject to the constraints
//
// The global step is taken as an increment: x += A^-1 r with r = M (x~ - x)/b^2 + f + sum w^2 D^T (z - u - D x), which
// is zero at the minimum, whatever the factor's rounding. Held nodes then need no thought.
//
// Nothing makes the objective fall from one iteration to the next, and the last one of a fixed number may be anywhere:
// it may be taken back (solver/take_back.h).
#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "core/timer.h"
#include "linalg/anderson.h"
#include "linalg/vector.h"
#include "potential/local.h"
#include "solver/global.h"
#include "solver/parameters.h"
#include "solver/take_back.h"

// Weights are looked at again when the gradient is not this much smaller after so many iterations; each time that they
// are changed within a minimisation they are given twice as many: they have to settle for it to converge. Of a fixed
// number of iterations, half are left for that.
#define PROGRESS 0.15
enum { PATIENCE = 10 };

// What is left of a gradient at so many times the floor of rounding says nothing of weights: bodies that fall or rest
// would get any, and meet what they fall on with them.
#define ROUNDING 1e6

// The part of elements that may be inside out for other weights in a fixed number of iterations, where something can
// touch: what is squeezed flat needs them, and more than a third of a soft torus is. Elsewhere none: what starts so
// would be given weights with which it does not turn back, and so is it with most of what starts anywhere.
#define TURNED 0.4

typedef struct Admm {
    SnLocal* local;
    SnGlobal* global;
    SnAnderson* anderson; // of s = D x + u, or NULL
    double* s;            // that, in the local step's layout
    double* r;            // 3 x node_count
    double* from;         // 3 x node_count: where the minimisation began
    double* before;       // 3 x node_count: where the iteration began
    double relaxation;
    bool warm_start;    // u goes on from the last minimisation
    bool strayed;       // the last minimisation did not end where u led to
    bool afresh;        // nor did the last iteration
    bool limits;        // some terms are kept by projection
    bool adapts;        // weights follow what is met
    bool few;           // iterations, of a fixed number
    double norm;        // of the gradient, when progress was last looked at
    double progress;    // what it has to be of that
    int patience, next; // iterations from one look to the next, and when that is
    SnObjective* objective;
    double residual; // relative size of both residuals to stop at; 0: not looked at
} Admm;

static void destroy(void* state)
{
    Admm* a = state;
    if (!a) return;
    sn_local_destroy(a->local);
    sn_global_destroy(a->global);
    sn_anderson_destroy(a->anderson);
    SN_FREE(a->s, a->r, a->from, a->before, a);
}

static SnStatus build(Admm* a, SnObjective* o, const SnSolverDef* def)
{
    a->warm_start = def->warm_start;
    a->residual = def->residual;
    a->adapts = def->adapt;
    a->objective = o;
    for (int i = 0; i < o->potential->group_count; i++) a->limits |= o->potential->groups[i].keep == SN_KEEP_PROJECTION;
    int64_t n = 3 * (int64_t)o->nodes.count;
    if (!SN_NEW(a->r, n, "the solver") || !SN_NEW(a->from, n, "the solver")) return SN_ERROR_MEMORY;
    if (!SN_NEW(a->before, n, "the solver")) return SN_ERROR_MEMORY;
    a->relaxation = def->relaxation > 0 ? def->relaxation : 1;
    SN_TRY(sn_local_create(o->potential, a->relaxation, a->residual > 0, &a->local));
    a->local->upright = def->upright, a->local->iterations = def->local_iterations;
    if (def->merge_dissipation) SN_TRY(sn_local_merge(a->local));
    SN_TRY(sn_global_create(o, def, a->local->weight, &a->global));
    a->global->reduction = SN_GLOBAL_REDUCTION;
    if (def->anderson == 0) return SN_OK;
    if (!SN_NEW(a->s, a->local->size, "the solver")) return SN_ERROR_MEMORY;
    return sn_anderson_create((int)a->local->size, def->anderson, &a->anderson);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Admm* a;
    if (!SN_NEW(a, 1, "the solver")) return SN_ERROR_MEMORY;
    SN_FINISH(build(a, objective, def), a, destroy, state);
}

static void start_anderson(Admm* a, SnSearch* s)
{
    if (!a->anderson) return;
    sn_local_get_state(a->local, s->x, a->s);
    sn_anderson_start(a->anderson, s->objective->nodes.tasks, a->s);
}

static SnStatus start(void* state, SnSearch* s)
{
    Admm* a = state;
    sn_local_start(a->local, a->warm_start && !a->strayed);
    a->strayed = a->afresh = false;
    start_anderson(a, s);
    memcpy(a->from, s->x, 3 * (size_t)s->objective->nodes.count * sizeof *a->from);
    a->norm = s->norm;
    bool few = a->few = !(s->tolerance > 0) && s->iteration_limit < 2 * PATIENCE;
    a->local->turned = s->tolerance > 0 ? 1 : s->objective->constraints->contacts ? TURNED : 0;
    a->patience = a->next = few ? (s->iteration_limit + 1) / 2 : PATIENCE;
    a->progress = few ? pow(PROGRESS, (double)a->patience / PATIENCE) : PROGRESS;
    return sn_global_start(a->global, s);
}

static bool is_time_to_look(const Admm* a, const SnSearch* s)
{
    int made = s->iterations + 1;
    bool used = s->tolerance > 0 || made < s->iteration_limit || s->iteration_limit == 1; // that is for the next step
    return a->adapts && a->next > 0 && made >= a->next && used;
}

// Other weights, where the last iterations made too little progress.
static SnStatus adapt(Admm* a, SnSearch* s)
{
    double least = fmax(s->tolerance, ROUNDING * s->stopping.floor);
    bool slow = s->norm > a->progress * a->norm && s->norm > least;
    a->norm = s->norm;
    a->next += a->patience;
    if (!slow || !sn_local_adapt(a->local, s->x, a->global->d)) return SN_OK;
    a->patience *= 2;
    a->next += a->patience / 2;
    sn_prefactored_update(a->global->prefactored, s->objective);
    start_anderson(a, s);
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
    for (int i = 0; i < o->nodes.count; i++)
        for (int c = 0; c < 3; c++) {
            int64_t k = 3 * (int64_t)i + c;
            *(o->nodes.free_index[i] < 0 ? &o->reaction[k] : &s->g[k]) += a->r[k];
        }
    s->norm = hypot(sn_vector_norm(o->nodes.tasks, 3 * o->nodes.count, s->g), open);
    s->ms.evaluate += sn_now_ms() - begin;
}

static bool residuals_small(Admm* a, const SnSearch* s)
{
    if (!(a->residual > 0) || s->iterations == 0) return false;
    SnResiduals r = sn_local_residuals(a->local, a->r);
    return r.primal <= a->residual * r.primal_size && r.dual <= a->residual * r.dual_size;
}

// Planes come and go, and with them what the iteration leads to: nothing goes further than it does by itself there.
static bool touches(const SnSearch* s)
{
    return s->objective->constraints->contacts && s->objective->constraints->now->count > 0;
}

static void accelerate(Admm* a, SnSearch* s)
{
    if (!a->anderson) return;
    if (touches(s)) {
        start_anderson(a, s);
        return;
    }
    sn_local_get_state(a->local, s->x, a->s);
    sn_anderson_next(a->anderson, s->objective->nodes.tasks, a->s);
    sn_local_set_state(a->local, s->x, a->s);
}

// The last iteration, or the last for now: where it is taken back, u leads elsewhere.
static SnStatus finish(Admm* a, SnSearch* s)
{
    bool strayed = false;
    SN_TRY(sn_take_back(a->global, s, a->from, a->r, &strayed));
    a->strayed |= strayed, a->afresh |= strayed;
    return SN_OK;
}

// Nodes that slide and touch are wedged in between. Few iterations have no time to come down again from where one of
// them has led these, and what presses them would wait: then it is a step down the slope, and u starts afresh. Weights
// with which that is too long are too small. So with constraints that are energies, whatever the number: what pushes
// follows where nodes are. (Soft bodies that are squeezed flat would be held by such weights, and get none.)
static SnStatus keep_low(Admm* a, SnSearch* s)
{
    SnStepDown down;
    const SnConstraints* c = s->objective->constraints;
    if (s->tolerance > 0 || !(c->touched && c->now->count > 0) || !(a->few || c->method->energy)) return SN_OK;
    if (a->limits) return SN_OK; // they have no slope
    SN_TRY(sn_step_down(a->global, s, a->before, a->r, &down));
    a->strayed |= down.taken, a->afresh |= down.taken;
    if (!down.shortened || !a->adapts) return SN_OK;
    sn_local_stiffen(a->local);
    sn_prefactored_update(a->global->prefactored, s->objective);
    return sn_global_start(a->global, s);
}

static SnStatus iterate(void* state, SnSearch* s)
{
    Admm* a = state;
    if (s->stalled) return SN_OK;
    if (s->iterations > 0) sn_global_take_over(s);
    if (a->afresh) sn_local_start(a->local, false), start_anderson(a, s);
    a->afresh = false;
    double begin = sn_now_ms();
    memcpy(a->before, s->x, 3 * (size_t)s->objective->nodes.count * sizeof *a->before);
    a->local->probe = is_time_to_look(a, s);
    a->local->relaxation = touches(s) ? 1 : a->relaxation;
    sn_local_step(a->local, s->x, a->r);
    sn_objective_add_pull(s->objective, s->x, a->r);
    double local = sn_now_ms();
    SN_TRY(sn_global_step(a->global, s->objective, a->r, s->x));
    if (sn_global_call_back(a->global, s, a->from)) sn_local_start(a->local, false), start_anderson(a, s);
    SN_TRY(keep_low(a, s));
    s->ms.evaluate += local - begin;
    s->ms.solve += sn_now_ms() - local;
    s->settled = residuals_small(a, s);
    accelerate(a, s);
    s->stale = true;
    if (s->iterations + 1 >= s->end) SN_TRY(finish(a, s));
    if (s->tolerance > 0 || s->watch || a->local->probe || s->objective->constraints->method->energy) evaluate(a, s);
    return a->local->probe ? adapt(a, s) : SN_OK;
}

// Where x did not go to where u leads, as something was in the way, nobody goes on from u: from step to step it would
// grow without bound.
static void end(void* state, const SnSearch* s)
{
    Admm* a = state;
    const SnConstraints* c = s->objective->constraints;
    a->strayed |= c->contacts && !c->reached;
}

// Remembered are u, where it goes on, and the weights' factors, two of single precision in each double.
static int64_t size_of_u(const Admm* a)
{
    return a->warm_start ? a->local->size : 0;
}

static int64_t factor_count(const Admm* a)
{
    return a->adapts ? a->local->pack_count * SN_LANES : 0;
}

static int64_t memory_size(const void* state)
{
    return size_of_u(state) + factor_count(state) / 2; // lanes are even
}

static void save_memory(const void* state, double* numbers)
{
    const Admm* a = state;
    size_t size = (size_t)size_of_u(a) * sizeof *numbers;
    if (a->strayed)
        memset(numbers, 0, size);
    else
        memcpy(numbers, a->local->u, size);
    memcpy(numbers + size_of_u(a), a->local->factor, (size_t)factor_count(a) * sizeof *a->local->factor);
}

static void restore_memory(void* state, const double* numbers)
{
    Admm* a = state;
    SnLocal* local = a->local;
    a->strayed = false;
    if (numbers) {
        memcpy(local->u, numbers, (size_t)size_of_u(a) * sizeof *numbers);
        memcpy(local->factor, numbers + size_of_u(a), (size_t)factor_count(a) * sizeof *local->factor);
    } else {
        memset(local->u, 0, (size_t)size_of_u(a) * sizeof *numbers);
        for (int64_t i = 0; i < factor_count(a); i++) local->factor[i] = 1;
    }
    sn_local_fill_weights(local);
    sn_prefactored_update(a->global->prefactored, a->objective);
}

static const SnMemory memory = {.size = memory_size, .save = save_memory, .restore = restore_memory};

static const SnParameter parameters[] = {
    {"relaxation", SN_NUMBER, offsetof(SnSolverDef, relaxation), .value = "1", .range = ">=1 <2",
     .doc = "over-relaxation, where nothing touches; 1: none"},
    {SN_ROW_ANDERSON},
    {"adapt", SN_BOOLEAN, offsetof(SnSolverDef, adapt), .value = "true",
     .doc = "weights follow the stiffness that is met, where iterations make little progress; false: as the papers "
            "have them"},
    {"warm-start", SN_BOOLEAN, offsetof(SnSolverDef, warm_start), .value = "false",
     .doc = "start from the stresses of the step before"},
    {"upright", SN_BOOLEAN, offsetof(SnSolverDef, upright), .value = "true",
     .doc = "local steps keep stretches from being negative, so that what is inside out turns back, whatever the "
            "material; otherwise as the material has it"},
    {"local-iterations", SN_INTEGER, offsetof(SnSolverDef, local_iterations), .value = "0", .range = ">=0",
     .doc = "of Newton's method within an element's local step, at most; 0: until it has converged"},
    {"merge-dissipation", SN_BOOLEAN, offsetof(SnSolverDef, merge_dissipation), .value = "true",
     .doc = "damping is part of each element's local step; otherwise a term of its own"},
    {"residual", SN_NUMBER, offsetof(SnSolverDef, residual), .value = "0", .range = ">=0",
     .doc = "stop also when its primal and dual residuals are this small, relatively; 0: they are not looked at"},
    {SN_ROW_CONSTRAINTS},
    {0},
};

const SnSolverType sn_admm = {
    .name = "admm",
    .summary = "ADMM: element by element, then one constant matrix; keeps limits and constraints exactly",
    .parameters = parameters,
    .caution = 0.5,
    .global_step = true,
    .keeps_limits = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
    .evaluate = evaluate,
    .end = end,
    .memory = &memory,
};
