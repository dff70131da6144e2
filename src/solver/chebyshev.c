// chebyshev: the Laplacian's quasi-Newton step, accelerated by Chebyshev's semi-iterative method (Liu, Bouaziz, Kavan
// 2017, Alg. 3): x' = w (x^ - x_before) + x_before, where x^ is the plain step from x.
//
// w = 1 for the first S iterations, then 2/(2 - rho^2), then 4/(4 - rho^2 w). The spectral radius rho is estimated from
// the plain steps' shrinking; a step that raises the energy is not accelerated, and the weights start over.
#include <math.h>

#include "core/timer.h"
#include "linalg/vector.h"
#include "solver/initial.h"
#include "solver/line_search.h"
#include "solver/parameters.h"

#define CAUTION 0.25    // see SnSearch,
#define CAUTION_FAR 0.1 // and where the last iteration went far
enum { DELAY = 10 };    // S

typedef struct Chebyshev {
    const SnInitialType* initial;
    void* initial_state;
    SnConstraintInverse constraints;
    double* before;     // 3 x node_count: the iterate before the last
    double* here;       // 3 x node_count: the iterate a step starts from
    double last_length; // of the last plain step
    double rho, weight;
    int count; // iterations since the weights started
} Chebyshev;

static void destroy(void* state)
{
    Chebyshev* c = state;
    if (!c) return;
    if (c->initial_state) c->initial->destroy(c->initial_state);
    sn_constraint_inverse_free(&c->constraints);
    SN_FREE(c->before, c->here, c);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Chebyshev* c;
    if (!SN_NEW(c, 1, "the solver")) return SN_ERROR_MEMORY;
    int64_t n = 3 * (int64_t)objective->nodes.count;
    c->initial = sn_initial_find(def->initial ? def->initial : "laplacian");
    SnStatus status = SN_NEW(c->before, n, "the solver") && SN_NEW(c->here, n, "the solver") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) status = sn_constraint_inverse_create(&c->constraints, objective->constraints);
    if (status == SN_OK) status = c->initial->create(objective, def, &c->initial_state);
    SN_FINISH(status, c, destroy, state);
}

static void restart(Chebyshev* c)
{
    c->count = 0;
    c->weight = 1;
    c->last_length = 0;
    c->rho = 0;
}

static SnStatus start(void* state, SnSearch* s)
{
    Chebyshev* c = state;
    restart(c);
    return c->initial->start ? c->initial->start(c->initial_state, s) : SN_OK;
}

// rho from how much shorter the plain step is than the last one, during the delay; then the weights of the recurrence.
static void update_weight(Chebyshev* c, double length)
{
    if (c->count > 0 && c->count <= DELAY && c->last_length > 0) {
        double ratio = length / c->last_length;
        c->rho = fmin(0.9992, c->count == 1 ? ratio : fmax(ratio, 0.5 * (c->rho + ratio)));
    }
    c->last_length = length;
    if (c->count < DELAY)
        c->weight = 1;
    else if (c->count == DELAY)
        c->weight = 2 / (2 - c->rho * c->rho);
    else
        c->weight = 4 / (4 - c->rho * c->rho * c->weight);
    c->count++;
}

// Goes on from the plain step x^ = s->x to w (x^ - before) + before, if that is lower.
static void accelerate(Chebyshev* c, SnSearch* s)
{
    SnTasks* tasks = s->objective->nodes.tasks;
    int n = 3 * s->objective->nodes.count;
    double begin = sn_now_ms();
    sn_vector_axpy(tasks, n, -1, c->before, s->x, s->trial);
    sn_vector_axpy(tasks, n, c->weight, s->trial, c->before, s->trial);
    SnObjectiveValue value = sn_objective_gradient(s->objective, s->trial, s->trial_g);
    s->evaluations++;
    s->ms.evaluate += sn_now_ms() - begin;
    if (!(value.total <= s->value.total)) {
        restart(c);
        sn_search_evaluate(s); // the reactions were the trial's
        return;
    }
    double *x = s->x, *g = s->g;
    s->x = s->trial, s->g = s->trial_g, s->trial = x, s->trial_g = g;
    s->value = value;
    s->norm = sn_vector_norm(tasks, n, s->g);
}

// What an iteration leaves, at the method's rate, relative to how far it goes: r/(1 - r), r = rho/(1 + sqrt(1 -
// rho^2)).
static double left(const Chebyshev* c)
{
    double rate = c->rho / (1 + sqrt(1 - c->rho * c->rho));
    return fmax(rate / (1 - rate), 1);
}

static SnStatus iterate(void* state, SnSearch* s)
{
    Chebyshev* c = state;
    SnTasks* tasks = s->objective->nodes.tasks;
    int n = 3 * s->objective->nodes.count;
    if (s->stalled) return SN_OK;
    double begin = sn_now_ms();
    SnInitialInverse b = {c->initial, c->initial_state, s, 0};
    SN_TRY(sn_constraint_inverse_update(&c->constraints, s->x, s->g));
    SN_TRY(sn_constraint_inverse_apply(&c->constraints, sn_initial_inverse(&b), s->g, s->d));
    sn_vector_scale(tasks, n, -1, s->d);
    s->ms.solve += sn_now_ms() - begin;
    sn_vector_copy(tasks, n, s->x, c->here);
    if (!sn_line_search(s)) {
        s->stalled = "the line search found no lower energy";
        return SN_OK;
    }
    update_weight(c, s->step * sn_vector_norm(tasks, n, s->d));
    if (c->weight > 1) accelerate(c, s);
    double* here = c->here;
    c->here = c->before;
    c->before = here;
    bool far = s->norm <= s->tolerance && sn_stopping_moves(s->objective, s->x, here, left(c));
    s->caution = far ? CAUTION_FAR : CAUTION;
    return SN_OK;
}

// What the initial inverse remembers.
static int64_t memory_size(const void* state)
{
    const Chebyshev* c = state;
    return c->initial->memory ? c->initial->memory->size(c->initial_state) : 0;
}

static void save(const void* state, double* numbers)
{
    const Chebyshev* c = state;
    if (c->initial->memory) c->initial->memory->save(c->initial_state, numbers);
}

static void restore(void* state, const double* numbers)
{
    Chebyshev* c = state;
    if (c->initial->memory) c->initial->memory->restore(c->initial_state, numbers);
}

static const SnMemory memory = {.size = memory_size, .save = save, .restore = restore};

static const SnParameter parameters[] = {{SN_ROW_INITIAL}, {0}};

const SnSolverType sn_chebyshev = {
    .name = "chebyshev",
    .summary = "quasi-Newton steps with a constant matrix, accelerated by Chebyshev's method",
    .parameters = parameters,
    .caution = CAUTION,
    .create = create,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
    .memory = &memory,
};
