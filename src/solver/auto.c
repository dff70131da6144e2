// auto: L-BFGS around the traces of the Hessian's blocks, or around a kept Hessian, whichever has cost less so far;
// where that gets nowhere Newton with conjugate gradients takes over for the rest of the minimisation. Equilibria,
// which no inertia holds back, begin around the Hessian, kept from one to the next, and are Newton's where that has
// cost more than Newton would, or gets nowhere. So are bodies whose contacts are dearer to keep than Newton would be,
// stacks of stiff ones above all, for a while.
//
// The traces' iterations are cheap, and few in compact bodies at loose tolerances; otherwise a factor of the whole
// Hessian, kept and turned as long as it serves, takes much fewer. The first choice is a guess, by what each would cost
// a compact body; after that the work shows it: a Hessian is taken when a minimisation, or all of them together, have
// spent on the traces what it could have saved, and given up when it has cost more than these would have, by as much
// as it takes to make one. Each time that it is given up it is waited for longer. Ropes, whose Hessian is hardly dearer
// than an iteration, are Newton's, too.
//
// Choices rest on gradients and on counted work alone (solver/work.h), never on a clock: the same problem takes the
// same path on any machine and with any number of threads. docs/solvers.md has the measurements behind the constants.
#include <math.h>
#include <string.h>

#include "solver/parameters.h"
#include "solver/work.h"

enum {
    LOOK_BACK = 30,        // iterations over which the rate of convergence is taken
    DEAR_ITERATIONS = 500, // what Newton's share is worth, in iterations of L-BFGS
    SMALL = 12000,         // nodes up to which equilibria are found by factoring
};
#define FIRST_WAIT 0.5     // Hessians' worth of work that one could have saved, until it is tried for the first time
#define LATER_WAIT 2.0     // and until it is tried again, at least
#define ANALYSIS 1.5       // Hessians' worth of work that making room for one costs
#define MOST_ENTRIES 1.5e8 // of a Hessian's factor, which is 600 MB
#define SHARE 1.2          // times the root of the traces' iterations is what a kept Hessian takes, about
#define RATE 0.5           // log of what an iteration of the traces divides the gradient by, in compact bodies
#define HORIZON 8          // minimisations in which a Hessian that is taken at the very first has to pay for itself
#define CHEAP 4            // iterations' worth up to which a Hessian is taken in each, as by Newton
#define LIKELY 100         // times as large as what acts the first gradient may well be
#define DEAR_CONTACTS 600  // iterations of the traces' worth of work after which contacts are Newton's,
#define NEWTON_CONTACTS 8  // or so many of Newton's, as long as nobody knows what it takes,
#define USUAL_CG 15        // iterations of conjugate gradients in each of these
#define NEWTON_STILL 30    // in equilibria so many,
#define FIRST_LEAVE 8      // in this minimisation and in so many more that touch, the first time,
#define MOST_LEAVE 128     // and twice as many each time, up to so many
#define DOUBT 3            // times what the traces were thought to take, they are left alone before they were tried

extern const SnInitialType sn_initial_trace_laplacian, sn_initial_kept_hessian;
extern const SnSolverType sn_lbfgs, sn_newton;

typedef enum Method { TRACES, HESSIAN, METHODS, NEWTON = METHODS } Method;

typedef struct Auto {
    SnObjective* objective;
    SnSolverDef def;
    void* state[METHODS];                        // of L-BFGS; around the Hessian, made when it is first needed
    void* newton;                                // made when it is first needed
    double iteration[METHODS], refresh[METHODS]; // what they cost; see solver/work.h
    double again[METHODS];                       // and a matrix that is applied once more
    double newton_iteration;                     // and one of Newton's
    double kept_work;                            // of keeping constraints, when last looked at
    bool still;                                  // there are no traces
    bool affordable;                             // a Hessian's factor is not too large
    bool cheap;                                  // and hardly dearer than an iteration: ropes
    bool direct;                                 // Newton's is made in less time than assembled
    Method method, usually; // of the present minimisation; of those in which Newton has not taken over
    double usual;           // work of a minimisation with the traces, as of late; 0: not known
    double sum, count;      // work since the method was last changed, and in how many minimisations
    double wait;            // work on the traces, in all of them, until a Hessian is tried
    double spent;           // work of the present minimisation, with the present method,
    double iterations;      // and in how many
    int taken;              // matrices, when last looked at
    int64_t applied;
    double leave, next_leave;    // minimisations (with contacts) that are Newton's, and how many the next time
    double failed;               // work of the one before them
    double steps, usual_steps;   // Newton's usual iterations' worth of this minimisation, and as of late; 0: not known
    double best;                 // the smallest gradient so far,
    double best_then[LOOK_BACK]; // and at each of the last iterations, by iteration modulo LOOK_BACK
} Auto;

static void destroy(void* state)
{
    Auto* a = state;
    if (!a) return;
    for (int k = 0; k < METHODS; k++) sn_lbfgs.destroy(a->state[k]);
    sn_newton.destroy(a->newton);
    sn_free(a);
}

// Of a scalar factor's entries and multiplications; the Hessian's has blocks where that has numbers, in the same
// pattern.
static void count_work(Auto* a, double entries, double flops)
{
    const SnObjective* o = a->objective;
    double solve[METHODS] = {sn_work_scalar_solve(entries), sn_work_block_solve(9 * entries)};
    for (int k = 0; k < METHODS; k++) {
        a->iteration[k] = sn_work_iteration(o, solve[k]);
        a->again[k] = sn_work_again(o, solve[k]);
    }
    a->refresh[TRACES] = sn_work_scalar_refresh(o, flops);
    a->refresh[HESSIAN] = sn_work_block_refresh(o, 27 * flops);
    a->affordable = 9 * entries < MOST_ENTRIES;
    a->cheap = a->refresh[HESSIAN] < CHEAP * a->iteration[HESSIAN];
    a->direct = !a->cheap && a->refresh[HESSIAN] < 2 * sn_work_block_refresh(o, 0);
    bool factors = a->still || a->direct;
    a->newton_iteration = factors ? a->refresh[HESSIAN] + a->iteration[HESSIAN] : sn_work_conjugate(o, USUAL_CG);
}

static SnStatus create_hessian(Auto* a)
{
    return sn_lbfgs_create_around(&sn_initial_kept_hessian, a->objective, &a->def, &a->state[HESSIAN]);
}

static SnStatus create_newton(Auto* a)
{
    bool small = a->objective->still && a->objective->nodes.free_count < SMALL;
    a->def.linear = small || a->direct ? "cholesky" : "pcg";
    return sn_newton.create(a->objective, &a->def, &a->newton);
}

// Work that a Hessian saves where the traces take so much, in so many iterations.
static double saving(const Auto* a, double work, double iterations)
{
    return work - SHARE * sqrt(iterations) * a->iteration[HESSIAN];
}

// The same in the first minimisations together, relative to its price, where the gradient is to become so many times
// smaller. Before anything is known, bodies are thought to be compact.
static double pays(const Auto* a, double factor, double* work)
{
    double iterations = fmax(1, log(factor) / RATE), price = a->refresh[HESSIAN] - a->refresh[TRACES];
    *work = iterations * a->iteration[TRACES];
    return HORIZON * saving(a, *work, iterations) / price;
}

// Whether equilibria may be found around a kept Hessian: what touches, or is held by constraints alone, is Newton's.
static bool may_keep(const Auto* a)
{
    const SnConstraints* c = a->objective->constraints;
    return !c->contacts && c->now->count == 0 && a->objective->nodes.free_count < SMALL;
}

// Equilibria begin with one of the two. A Hessian that is likely to be needed is made room for at once.
static SnStatus build(Auto* a)
{
    double work;
    a->next_leave = FIRST_LEAVE;
    a->still = a->objective->still && a->def.tolerance > 0;
    if (a->still) return may_keep(a) ? create_hessian(a) : create_newton(a);
    SN_TRY(sn_lbfgs_create_around(&sn_initial_trace_laplacian, a->objective, &a->def, &a->state[TRACES]));
    const SnCholesky* c = sn_lbfgs_factor(a->state[TRACES]);
    count_work(a, sn_cholesky_factor_entries(c), sn_cholesky_factor_flops(c));
    a->wait = FIRST_WAIT * a->refresh[HESSIAN];
    if (!a->affordable || a->cheap || !(a->def.tolerance > 0)) return SN_OK;
    return pays(a, LIKELY / (SN_STOPPING_SHARE * a->def.tolerance), &work) < 1 ? SN_OK : create_hessian(a);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Auto* a;
    if (!SN_NEW(a, 1, "the solver")) return SN_ERROR_MEMORY;
    a->objective = objective;
    a->def = *def;
    SN_FINISH(build(a), a, destroy, state);
}

static SnStatus begin_newton(Auto* a, SnSearch* s)
{
    if (!a->newton) SN_TRY(create_newton(a));
    s->stalled = NULL;
    return sn_newton.start(a->newton, s);
}

// Work on matrices that were taken anew, or applied to keep constraints.
static double taking(Auto* a)
{
    int taken = a->taken;
    int64_t applied = a->applied;
    a->taken = sn_lbfgs_taken(a->state[a->method]);
    a->applied = sn_lbfgs_applied(a->state[a->method]);
    double kept = a->kept_work;
    a->kept_work = sn_lbfgs_kept_work(a->state[a->method]);
    return (a->taken - taken) * a->refresh[a->method] + (double)(a->applied - applied) * a->again[a->method] +
           a->kept_work - kept;
}

static SnStatus begin(Auto* a, Method method, SnSearch* s)
{
    a->method = method;
    if (method == NEWTON) return begin_newton(a, s);
    a->spent = a->iterations = 0;
    if (!a->state[method]) SN_TRY(create_hessian(a));
    taking(a);
    SN_TRY(sn_lbfgs.start(a->state[method], s));
    double work = taking(a);
    if (method == HESSIAN || a->usual > 0) a->spent += work; // the first traces have to be taken anyway
    return SN_OK;
}

static void change(Auto* a, Method method)
{
    a->usually = method;
    a->sum = a->count = 0;
}

// The same in the present minimisation, with the traces.
static double saved(const Auto* a)
{
    return saving(a, a->spent, a->iterations);
}

static void choose_first(Auto* a, const SnSearch* s)
{
    double work;
    if (!a->affordable || pays(a, s->norm / s->tolerance, &work) < 1) return;
    a->usual = DOUBT * work;
    change(a, HESSIAN);
}

// What Newton takes is known by now, or that it would have taken more, where it came in late; it is no better than what
// was left for it.
static void look_back_at_newton(Auto* a)
{
    if (a->steps == 0) return;
    bool whole = a->iterations == 0 && a->usual_steps > 0;
    a->usual_steps = whole ? 0.5 * (a->usual_steps + a->steps) : fmax(a->usual_steps, a->steps);
    a->steps = 0;
    if (a->usual_steps * a->newton_iteration > a->failed) a->leave = 0;
}

// What the last minimisation says: the Hessian costs more than the traces did.
static void look_back(Auto* a)
{
    if (a->spent == 0) return;
    if (a->method == NEWTON) a->spent *= 2; // it would have taken more
    if (a->usually == TRACES) {
        a->usual = a->usual > 0 ? 0.5 * (a->usual + a->spent) : a->spent;
        a->sum = fmax(0, a->sum + saved(a));
        return;
    }
    a->sum += a->spent, a->count++;
    if (a->sum <= a->count * a->usual + a->refresh[HESSIAN]) return;
    a->wait = fmax(2 * a->wait, LATER_WAIT * a->refresh[HESSIAN]);
    change(a, TRACES);
}

static bool touches(const SnSearch* s)
{
    const SnConstraints* c = s->objective->constraints;
    return c->contacts && sn_constraints_push(c, s->x);
}

static SnStatus start_still(Auto* a, SnSearch* s)
{
    if (a->steps > 0) a->usual_steps = a->steps;
    if (a->method == HESSIAN) a->next_leave = fmax(FIRST_LEAVE, 0.5 * a->next_leave);
    a->steps = 0;
    a->best = s->norm;
    bool leave = a->leave > 0;
    a->leave -= leave;
    if (leave || !may_keep(a)) return begin(a, NEWTON, s);
    SN_TRY(begin(a, HESSIAN, s));
    const SnCholesky* c = sn_lbfgs_factor(a->state[HESSIAN]);
    count_work(a, sn_cholesky_factor_entries(c) / 9, sn_cholesky_factor_flops(c) / 27);
    return SN_OK;
}

static SnStatus start(void* state, SnSearch* s)
{
    Auto* a = state;
    if (a->still) return start_still(a, s);
    look_back_at_newton(a);
    look_back(a);
    a->spent = a->iterations = 0;
    a->best = s->norm;
    bool outright = a->cheap || s->objective->nodes.inertia == 0, touched = touches(s);
    if (s->objective->constraints->now->count > 0) change(a, TRACES); // a Hessian would be applied too often
    if (s->tolerance > 0 && a->usual == 0 && s->objective->constraints->now->count == 0) choose_first(a, s);
    bool leave = touched && a->leave > 0;
    a->leave -= leave;
    return begin(a, s->tolerance > 0 && (outright || leave) ? NEWTON : a->usually, s);
}

// Iterations to come if the gradient goes on shrinking as it did lately.
static double iterations_left(const Auto* a, const SnSearch* s)
{
    double rate = log(a->best / a->best_then[s->iterations % LOOK_BACK]) / LOOK_BACK;
    return rate < 0 ? log(s->tolerance / a->best) / rate : INFINITY;
}

// Contacts take more work than they are worth, or than Newton would.
static bool too_dear(const Auto* a, const SnSearch* s)
{
    double guess = fmin(DEAR_CONTACTS * a->iteration[TRACES], NEWTON_CONTACTS * a->newton_iteration);
    double most = a->usual_steps > 0 ? a->usual_steps * a->newton_iteration : guess;
    return s->objective->constraints->now->count > 0 && a->spent > most;
}

// L-BFGS gets nowhere, or contacts do not settle: Newton.
static bool hopeless(const Auto* a, const SnSearch* s)
{
    double most = fmin(DEAR_ITERATIONS, s->iteration_limit - s->iterations);
    bool slow = s->stalled || (s->iterations >= LOOK_BACK && iterations_left(a, s) > most);
    bool open = too_dear(a, s) && (!s->objective->constraints->settled || s->norm > s->tolerance);
    return open || (slow && s->norm > s->tolerance);
}

// The traces have cost what a Hessian would have.
static bool worth_a_hessian(const Auto* a, const SnSearch* s)
{
    bool contacts = s->objective->constraints->contacts; // between which its long steps are not safe
    double wait = contacts ? fmax(a->wait, LATER_WAIT * a->refresh[HESSIAN]) : a->wait;
    double room = a->state[HESSIAN] ? 0 : ANALYSIS * a->refresh[HESSIAN];
    bool worth = saved(a) > room + a->refresh[HESSIAN] || a->sum + saved(a) > room + wait;
    bool near = s->objective->constraints->now->count > 0;
    return a->method == TRACES && a->affordable && worth && !near && s->norm > s->tolerance;
}

static void leave_to_newton(Auto* a)
{
    a->failed = a->spent;
    a->leave = a->next_leave;
    a->next_leave = fmin(2 * a->next_leave, MOST_LEAVE);
}

// An equilibrium that has cost more than Newton would, or gets nowhere.
static SnStatus change_if_dear(Auto* a, SnSearch* s)
{
    double steps = a->usual_steps > 0 ? a->usual_steps : NEWTON_STILL;
    a->best = fmin(a->best, s->norm);
    bool give_up = s->norm > s->tolerance && (a->spent > steps * a->newton_iteration || hopeless(a, s));
    a->best_then[s->iterations % LOOK_BACK] = a->best;
    if (!give_up) return SN_OK;
    leave_to_newton(a);
    return begin(a, NEWTON, s);
}

static SnStatus change_if_better(Auto* a, SnSearch* s)
{
    a->best = fmin(a->best, s->norm);
    bool give_up = s->tolerance > 0 && hopeless(a, s);
    a->best_then[s->iterations % LOOK_BACK] = a->best;
    if (give_up && too_dear(a, s)) leave_to_newton(a);
    if (give_up) return begin(a, NEWTON, s);
    if (!(s->tolerance > 0) || !worth_a_hessian(a, s)) return SN_OK;
    a->usual = fmax(a->usual, 2 * a->spent); // it would have taken more
    change(a, HESSIAN);
    return begin(a, HESSIAN, s);
}

// Conjugate gradients may take a hundred times the usual number where contacts join many bodies.
static SnStatus iterate_newton(Auto* a, SnSearch* s)
{
    int before = s->conjugate;
    SN_TRY(sn_newton.iterate(a->newton, s));
    double taken = s->conjugate - before;
    a->steps += fmax(1, taken > 0 ? sn_work_conjugate(a->objective, taken) / a->newton_iteration : 1);
    return SN_OK;
}

static SnStatus iterate(void* state, SnSearch* s)
{
    Auto* a = state;
    if (a->method == NEWTON) return iterate_newton(a, s);
    SN_TRY(sn_lbfgs.iterate(a->state[a->method], s));
    a->spent += a->iteration[a->method] + taking(a), a->iterations++;
    return a->still ? change_if_dear(a, s) : change_if_better(a, s);
}

// Remembered are what the methods have cost, and what each of them remembers; how long that is depends on which there
// are.
enum { NUMBERS = 13 };

static int64_t size_of(const Auto* a, Method method)
{
    return a->state[method] ? sn_lbfgs.memory->size(a->state[method]) : 0;
}

static int64_t memory_size(const void* state)
{
    return NUMBERS + size_of(state, TRACES) + size_of(state, HESSIAN);
}

static void save(const void* state, double* numbers)
{
    const Auto* a = state;
    double own[NUMBERS] = {a->usual,   a->sum,   a->count,      a->wait,   a->spent, a->iterations, a->method,
                           a->usually, a->leave, a->next_leave, a->failed, a->steps, a->usual_steps};
    memcpy(numbers, own, sizeof own);
    numbers += NUMBERS;
    for (int k = 0; k < METHODS; k++) {
        if (a->state[k]) sn_lbfgs.memory->save(a->state[k], numbers);
        numbers += size_of(a, (Method)k);
    }
}

static void restore(void* state, const double* numbers)
{
    Auto* a = state;
    double own[NUMBERS] = {[3] = FIRST_WAIT * a->refresh[HESSIAN], [6] = TRACES, [7] = TRACES, [9] = FIRST_LEAVE};
    if (numbers) memcpy(own, numbers, sizeof own);
    a->usual = own[0], a->sum = own[1], a->count = own[2], a->wait = own[3], a->spent = own[4];
    a->iterations = own[5];
    a->method = own[6] == HESSIAN ? HESSIAN : own[6] == NEWTON ? NEWTON : TRACES; // the file may be anybody's
    a->usually = own[7] == HESSIAN ? HESSIAN : TRACES;
    a->leave = own[8], a->next_leave = own[9], a->failed = own[10], a->steps = own[11], a->usual_steps = own[12];
    const double* from = numbers ? numbers + NUMBERS : NULL;
    for (int k = 0; k < METHODS; k++) {
        if (a->state[k]) sn_lbfgs.memory->restore(a->state[k], from);
        if (from) from += size_of(a, (Method)k);
    }
}

// A memory with a Hessian wants one to be there, and one without wants none.
static SnStatus expect(void* state, int64_t size)
{
    Auto* a = state;
    bool wanted = size > NUMBERS + size_of(a, TRACES), there = a->state[HESSIAN] != NULL;
    if (wanted && !there) return create_hessian(a);
    if (there && !wanted) {
        sn_lbfgs.destroy(a->state[HESSIAN]);
        a->state[HESSIAN] = NULL;
    }
    return SN_OK;
}

static const SnMemory memory = {.size = memory_size, .save = save, .restore = restore, .expect = expect};

static const SnParameter parameters[] = {{SN_ROW_HISTORY}, {SN_ROW_PRECONDITIONER}, {0}};

const SnSolverType sn_auto = {
    .name = "auto",
    .summary = "lbfgs around traces of the Hessian or a kept one, whichever is cheaper; newton where that gets nowhere",
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
    .memory = &memory,
};
