// auto: L-BFGS around the traces of the Hessian's blocks, whose iterations are cheap and few; where it gets nowhere, or
// something touches, Newton with conjugate gradients takes over for the rest of the minimisation.
//
// The choice rests on the gradients and on counts alone, never on a clock: the same problem takes the same path on any
// machine and with any number of threads. docs/solvers.md has the measurements behind the two constants.
#include <math.h>
#include <string.h>

#include "solver/initial.h"
#include "solver/parameters.h"

enum {
    LOOK_BACK = 30,        // iterations over which the rate of convergence is taken
    DEAR_ITERATIONS = 500, // what Newton's share is worth, in iterations of L-BFGS
};

extern const SnInitialType sn_initial_trace_laplacian;
extern const SnSolverType sn_lbfgs, sn_newton;

typedef struct Auto {
    SnObjective* objective;
    SnSolverDef def;
    void* lbfgs;
    void* newton; // made when it is first needed
    bool switched;
    double best;                 // the smallest gradient so far,
    double best_then[LOOK_BACK]; // and at each of the last iterations, by iteration modulo LOOK_BACK
} Auto;

static void destroy(void* state)
{
    Auto* a = state;
    if (!a) return;
    sn_lbfgs.destroy(a->lbfgs);
    sn_newton.destroy(a->newton);
    sn_free(a);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Auto* a;
    if (!SN_NEW(a, 1, "the solver")) return SN_ERROR_MEMORY;
    a->objective = objective;
    a->def = *def;
    a->def.linear = "pcg";
    SnStatus status = sn_lbfgs_create_around(&sn_initial_trace_laplacian, objective, def, &a->lbfgs);
    if (status != SN_OK) {
        destroy(a);
        return status;
    }
    *state = a;
    return SN_OK;
}

static SnStatus go_over(Auto* a, SnSearch* s)
{
    if (!a->newton) SN_TRY(sn_newton.create(a->objective, &a->def, &a->newton));
    a->switched = true;
    s->stalled = NULL;
    return sn_newton.start(a->newton, s);
}

// Something touches: which contacts hold and which slip is found in few iterations with constraints in the matrix, and
// in very many without.
static bool touches(const SnSearch* s)
{
    const SnConstraints* c = s->objective->constraints;
    return c->contacts && sn_constraints_push(c, s->x);
}

static SnStatus start(void* state, SnSearch* s)
{
    Auto* a = state;
    a->switched = false;
    a->best = s->norm;
    return touches(s) && s->tolerance > 0 ? go_over(a, s) : sn_lbfgs.start(a->lbfgs, s);
}

// Iterations to come if the gradient goes on shrinking as it did lately.
static double iterations_left(const Auto* a, const SnSearch* s)
{
    double rate = log(a->best / a->best_then[s->iterations % LOOK_BACK]) / LOOK_BACK;
    return rate < 0 ? log(s->tolerance / a->best) / rate : INFINITY;
}

static SnStatus switch_if_slow(Auto* a, SnSearch* s)
{
    a->best = fmin(a->best, s->norm);
    double most = fmin(DEAR_ITERATIONS, s->iteration_limit - s->iterations);
    bool slow = s->stalled || (s->iterations >= LOOK_BACK && iterations_left(a, s) > most);
    bool open = s->iterations >= LOOK_BACK && !s->objective->constraints->settled; // as above
    a->best_then[s->iterations % LOOK_BACK] = a->best;
    if (s->tolerance <= 0 || (!open && (!slow || s->norm <= s->tolerance))) return SN_OK;
    return go_over(a, s);
}

static SnStatus iterate(void* state, SnSearch* s)
{
    Auto* a = state;
    if (a->switched) return sn_newton.iterate(a->newton, s);
    SN_TRY(sn_lbfgs.iterate(a->lbfgs, s));
    return switch_if_slow(a, s);
}

static int64_t memory_size(const void* state)
{
    return sn_lbfgs.memory->size(((const Auto*)state)->lbfgs);
}

static void save(const void* state, double* numbers)
{
    sn_lbfgs.memory->save(((const Auto*)state)->lbfgs, numbers);
}

static void restore(void* state, const double* numbers)
{
    sn_lbfgs.memory->restore(((Auto*)state)->lbfgs, numbers);
}

static const SnMemory memory = {.size = memory_size, .save = save, .restore = restore};

static const SnParameter parameters[] = {{SN_ROW_HISTORY}, {SN_ROW_PRECONDITIONER}, {0}};

const SnSolverType sn_auto = {
    .name = "auto",
    .summary = "lbfgs/trace-laplacian, and newton/pcg where that gets nowhere or something touches",
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
    .memory = &memory,
};
