// auto: L-BFGS around the traces of the Hessian's blocks, or around a kept Hessian, whichever has cost less so far;
// where that gets nowhere Newton with conjugate gradients takes over for the rest of the minimisation. Equilibria are
// Newton's where that has cost more than Newton would, or gets nowhere. So are bodies whose contacts are dearer to keep
// than Newton would be, stacks of stiff ones above all, for a while.
//
// The traces' iterations are cheap, and few in compact bodies at loose tolerances; otherwise a factor of the whole
// Hessian, kept and turned as long as it serves, takes much fewer. Where even a compact body would need one, it is
// there from the start; otherwise the first iterations of the traces show how many there will be, and after that the
// work does: a Hessian is taken when three minimisations promise that it soon pays, or when all of them together have
// spent on the traces what it could have saved, and given up when it has cost more than these would have, by as much
// as it takes to make one. Each time that it is given up it is waited for longer. Ropes, whose Hessian is hardly dearer
// than an iteration, are Newton's, too; so are small sheets for a while, when a kept Hessian has cost more than Newton.
//
// Minimisations in which something touches are looked at by themselves: a Hessian has to be applied in each step
// towards forces of contacts, where the traces' inverse is known among the nodes that touch. It is taken between two of
// them, if several that the traces have ended by themselves say that it pays.
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
    PART = 4,              // of the iterations that there may be is what buckles in contact has around the traces
};
#define FIRST_WAIT 1.0     // Hessians' worth of work that one could have saved, until it is tried for the first time
#define LATER_WAIT 2.0     // and until it is tried again, at least
#define ANALYSIS 1.5       // Hessians' worth of work that making room for one costs
#define MOST_ENTRIES 1.5e8 // of a Hessian's factor, which is 600 MB
#define SHARE 1.2          // times the root of the traces' iterations is what a kept Hessian takes, about
#define RATE 0.5           // log of what an iteration of the traces divides the gradient by, in compact bodies
#define HORIZON 8          // minimisations in which a Hessian that is taken at the very first has to pay for itself
#define CHEAP 4            // iterations' worth up to which a Hessian is taken in each, as by Newton
#define LIKELY 100         // times as large as what acts the first gradient may well be
#define DEAR_CONTACTS 600  // iterations of the traces' worth of work after which contacts are Newton's,
#define NEWTON_CONTACTS 32 // or so many of Newton's, as long as nobody knows what it takes,
#define NEWTON_FREE 5      // so many where nothing touches,
#define USUAL_CG 15        // iterations of conjugate gradients in each of these
#define NEWTON_STILL 30    // in equilibria so many,
#define FIRST_LEAVE 8      // in this minimisation and in so many more of its kind, the first time,
#define MOST_LEAVE 128     // and twice as many each time, up to so many,
#define WORSE 1.2          // unless it takes more than it was to save, where nothing touches so many times as much
#define CONTACT_WAIT 1.0   // times as much is waited for within a minimisation in which something touches
#define TRIAL 0.15         // of a Hessian's price is spent on the traces before it is known how fast they are
#define TRIALS 3           // iterations, at least,
#define LEFT_OVER 5        // times as much error is left over by the traces as by a Hessian, at the same residual
#define MORE 4             // times the work that they have had until they are given up is the most that is sure,
#define MOST_TRACES 1000   // and so many are the most that they are thought to take
#define AMISS 4            // times as dear as the traces is a Hessian in contact that is given up,
#define EVIDENCE 3         // and so many minimisations say that it would not be, before it is taken
#define FURTHER 5          // times the steps towards forces of contacts around the traces are those around a Hessian,
#define AMONG 1.5          // and so many solves, where its inverse is known among the nodes that touch
#define SURE 1.5           // times its price a Hessian has to save in the first minimisations, to be taken at once

extern const SnInitialType sn_initial_trace_laplacian, sn_initial_kept_hessian;
extern const SnSolverType sn_lbfgs, sn_newton;

typedef enum Method { TRACES, HESSIAN, METHODS, NEWTON = METHODS } Method;

// What is usual, of minimisations in which nothing touches at their start, or of those in which something does. A run
// remembers it as it is.
typedef struct Choice {
    double hessian;           // 1: it is usually one; 0: the traces
    double usual;             // work of a minimisation with the traces, as of late; 0: not known
    double count;             // minimisations since the method was last changed,
    double sum;               // and work that the other one would have saved in them
    double wait;              // and so much of it on the traces until a Hessian is tried
    double recent[2];         // work that a Hessian could have saved in the last two of them
    double iterations;        // with the traces, as of late,
    double force;             // and work on a step towards forces of constraints; 0: there were none
    double guess;             // work of one with a Hessian, as it looked with the traces
    double ratio;             // of iterations with the traces to those with a Hessian; 0: not known
    double leave, next_leave; // minimisations that are Newton's, and how many the next time
    double failed;            // work of the one before them; where nothing touches, of a Hessian's, as of late
    double usual_steps;       // Newton's usual iterations' worth, as of late; 0: not known
    double keeping;           // work on forces of constraints in an iteration with a Hessian, as of late; 0: not known
} Choice;
enum { CHOICE = sizeof(Choice) / sizeof(double) };

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
    Method method;                               // of the present minimisation
    Choice choices[2];                           // where nothing touches, where something does
    bool made;                                   // there has been room for a Hessian from the start, or one was taken
    bool whole;                                  // of which all was made by it
    bool touching;                               // in the present one something did at its start
    double all;           // iterations with the traces in it, and to the error that a Hessian leaves
    double spent;         // work of the present minimisation, with the present method,
    double searching;     // and on longer searches along lines, which do not tell methods of L-BFGS apart;
    double keeping;       // of the former on forces of constraints,
    double forces;        // in so many steps towards them,
    double touched;       // each of which a Hessian would take so much for, where it is known; 0: nowhere
    double iterations;    // and in how many iterations
    double peak, low, at; // the largest gradient in it, the smallest since then, and after how many that was
    int taken;            // matrices, when last looked at
    int64_t applied, kept_steps;
    double steps;                // Newton's usual iterations' worth of this minimisation
    int rounds, since;           // how often contacts were found anew, and in which iteration last
    double best;                 // the smallest gradient since then,
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
    a->newton_iteration = factors ? sn_work_newton(o, 27 * flops, solve[HESSIAN]) : sn_work_conjugate(o, USUAL_CG);
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

static Choice* choice(Auto* a)
{
    return &a->choices[a->touching];
}

static Method usually(Auto* a)
{
    return choice(a)->hessian > 0 ? HESSIAN : TRACES;
}

// A Hessian's inverse is known among the nodes that constraints touch, or would be.
static bool goes_further(const Auto* a)
{
    return a->touched > 0 && a->touched < a->again[HESSIAN];
}

// Work on forces of constraints in an iteration with a Hessian, where the traces take so many steps towards them:
// before it is known, as many solves; or among the nodes that constraints touch more steps, as they go further, and few
// solves.
static double keeping_of(const Auto* a, double steps)
{
    double known = a->choices[a->touching].keeping, solves = steps * a->again[HESSIAN];
    if (steps == 0 || known > 0) return steps > 0 ? known : 0;
    return goes_further(a) ? fmin(solves, AMONG * a->again[HESSIAN] + FURTHER * steps * a->touched) : solves;
}

// Work with a Hessian where the traces take so many iterations.
static double with_hessian(const Auto* a, double iterations)
{
    double steps = a->iterations > 0 ? a->forces / a->iterations : 0;
    return SHARE * sqrt(iterations) * (a->iteration[HESSIAN] + keeping_of(a, steps));
}

// Work that a Hessian saves in the first minimisations together, relative to its price, where the gradient is to become
// so many times smaller. Before anything is known, bodies are thought to be compact.
static double pays(const Auto* a, double factor)
{
    double iterations = fmax(1, log(factor) / RATE);
    return HORIZON * (iterations * a->iteration[TRACES] - with_hessian(a, iterations)) / a->refresh[HESSIAN];
}

// Whether equilibria may be found by L-BFGS: what touches, or is held by constraints alone, is Newton's.
static bool may_keep(const Auto* a)
{
    const SnConstraints* c = a->objective->constraints;
    return !c->contacts && c->now->count == 0 && a->objective->nodes.free_count < SMALL;
}

// A Hessian that is likely to be needed is made room for at once.
static SnStatus build(Auto* a)
{
    for (int k = 0; k < 2; k++) a->choices[k].next_leave = FIRST_LEAVE;
    a->still = a->objective->still && a->def.tolerance > 0;
    if (a->still && !may_keep(a)) return create_newton(a);
    SN_TRY(sn_lbfgs_create_around(&sn_initial_trace_laplacian, a->objective, &a->def, &a->state[TRACES]));
    const SnCholesky* c = sn_lbfgs_factor(a->state[TRACES]);
    count_work(a, sn_cholesky_factor_entries(c), sn_cholesky_factor_flops(c));
    for (int k = 0; k < 2; k++) a->choices[k].wait = FIRST_WAIT * a->refresh[HESSIAN];
    if (!a->affordable || a->cheap || !(a->def.tolerance > 0)) return SN_OK;
    bool likely = a->still || pays(a, LIKELY / (SN_STOPPING_SHARE * a->def.tolerance)) > 1;
    a->made = likely;
    return likely ? create_hessian(a) : SN_OK;
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
    int64_t steps = a->kept_steps;
    a->kept_work = sn_lbfgs_kept_work(a->state[a->method]);
    a->kept_steps = sn_lbfgs_kept_steps(a->state[a->method]);
    double keeping = (double)(a->applied - applied) * a->again[a->method] + a->kept_work - kept;
    a->keeping += keeping, a->forces += (double)(a->kept_steps - steps);
    if (a->method == TRACES) a->touched = sn_lbfgs_touched_work(a->state[TRACES]);
    return (a->taken - taken) * a->refresh[a->method] + keeping;
}

static SnStatus begin(Auto* a, Method method, SnSearch* s)
{
    a->method = method;
    if (method == NEWTON) return begin_newton(a, s);
    a->iterations = a->at = a->searching = 0, a->peak = a->low = s->norm;
    if (!a->state[method]) SN_TRY(create_hessian(a));
    a->made |= method == HESSIAN;
    taking(a);
    a->keeping = a->forces = 0;
    SN_TRY(sn_lbfgs.start(a->state[method], s));
    a->spent = taking(a);
    return SN_OK;
}

// Iterations that the traces will have taken to the error that a Hessian leaves, as it looks by now.
static double expected(const Auto* a, const SnSearch* s)
{
    double rate = log(a->peak / a->low) / (a->iterations - a->at);
    return rate > 0 ? fmin(a->at + log(LEFT_OVER * a->peak / s->tolerance) / rate, MOST_TRACES) : MOST_TRACES;
}

static void look(Auto* a, const SnSearch* s)
{
    if (s->norm > a->peak) a->peak = a->low = s->norm, a->at = a->iterations;
    if (a->rounds != s->objective->constraints->rounds) { // those that were in the way make it larger again
        a->rounds = s->objective->constraints->rounds;
        a->since = s->iterations, a->best = s->norm;
    }
    a->low = fmin(a->low, s->norm), a->best = fmin(a->best, s->norm);
    a->all = expected(a, s);
}

static void change(Choice* c, Method method)
{
    c->hessian = method == HESSIAN;
    c->count = c->sum = c->recent[0] = c->recent[1] = c->ratio = 0;
}

// The same in the present minimisation, with the traces. What taking them anew has cost is no reason.
static double saved(const Auto* a)
{
    return a->iterations * a->iteration[TRACES] + a->keeping - with_hessian(a, a->iterations);
}

static void choose_first(Auto* a, const SnSearch* s)
{
    if (!a->affordable || pays(a, s->norm / s->tolerance) < SURE) return;
    choice(a)->usual = a->refresh[HESSIAN];
    change(choice(a), HESSIAN);
}

// Between contacts its long steps are not safe.
static double wait_of(const Auto* a, const Choice* c)
{
    bool between = a->objective->constraints->contacts;
    return between ? fmax(c->wait, LATER_WAIT * a->refresh[HESSIAN]) : c->wait;
}

static double room_of(const Auto* a)
{
    return a->made ? 0 : ANALYSIS * a->refresh[HESSIAN];
}

// In contact a Hessian is taken at the start of a minimisation, when several before it say so; in the very first, when
// there is one already, as where nothing touched.
static void choose_again(Auto* a)
{
    Choice *c = choice(a), *free = &a->choices[false];
    if (c->usual == 0 && c->count == 0 && free->hessian > 0 && free->leave == 0) {
        change(c, HESSIAN);
        c->usual = free->usual;
    }
    if (c->hessian > 0 || c->count < EVIDENCE || c->sum <= room_of(a) + wait_of(a, c)) return;
    change(c, HESSIAN);
    c->leave = 0;
}

static void leave_to_newton(Choice* c)
{
    c->leave = c->next_leave;
    c->next_leave = fmin(2 * c->next_leave, MOST_LEAVE);
}

// Where nothing touches, a Hessian that is cheap to make had better be made in each iteration if a kept one takes more
// work than Newton does, or would. In between it is tried once more.
static void choose_newton(Auto* a)
{
    Choice* c = choice(a);
    double steps = c->usual_steps > 0 ? c->usual_steps : NEWTON_FREE;
    bool known = c->hessian > 0 && c->count >= EVIDENCE;
    if (!a->direct || !known || c->leave > 0 || c->failed <= steps * a->newton_iteration) return;
    leave_to_newton(c);
    c->count = EVIDENCE - 1;
}

static double will_save(const Auto* a)
{
    double keeping = a->iterations > 0 ? a->keeping / a->iterations : 0;
    return a->all * (a->iteration[TRACES] + keeping) - with_hessian(a, a->all);
}

static double mean(double so_far, double last)
{
    return so_far > 0 ? 0.5 * (so_far + last) : last;
}

static double slow_mean(double so_far, double last)
{
    return so_far > 0 ? 0.75 * so_far + 0.25 * last : last;
}

// What Newton takes is known by now, or that it would have taken more, where it came in late; it is no better than what
// was left for it.
static void look_back_at_newton(Auto* a)
{
    if (a->steps == 0) return;
    Choice* c = choice(a);
    bool whole = a->iterations == 0 && c->usual_steps > 0;
    double usual = a->touching ? mean(c->usual_steps, a->steps) : slow_mean(c->usual_steps, a->steps);
    c->usual_steps = whole ? usual : fmax(c->usual_steps, a->steps);
    a->steps = 0;
    if (c->usual_steps * a->newton_iteration > (a->touching ? 1 : WORSE) * c->failed) c->leave = 0;
}

// In contact Newton's share of the work counts as it is; elsewhere it is known only that the rest would have taken
// more.
static double work_of(const Auto* a)
{
    if (a->method != NEWTON) return a->spent;
    return a->touching ? a->spent + a->steps * a->newton_iteration : 2 * a->spent;
}

// Contacts that are Newton's are no matter of a Hessian.
static void look_back_at_traces(Auto* a, Choice* c)
{
    bool left = a->touching && a->method == NEWTON;
    c->usual = mean(c->usual, work_of(a));
    c->iterations = mean(c->iterations, a->iterations);
    c->guess = with_hessian(a, a->iterations);
    c->recent[1] = c->recent[0], c->recent[0] = will_save(a);
    if (a->forces > 0) c->force = mean(c->force, a->keeping / a->forces);
    c->count = left ? 0 : c->count + 1;
    c->sum = left ? 0 : fmax(0, c->sum + saved(a));
}

// What the traces would have taken: as much as they usually do; where something touches, as many times the iterations
// of a Hessian as they took when it was taken, with as many steps towards forces in each, or fewer that go as far.
static double instead(const Auto* a, const Choice* c)
{
    if (!a->touching || c->ratio == 0 || a->iterations == 0) return c->usual;
    double steps = a->forces / a->iterations / (goes_further(a) ? FURTHER : 1);
    return c->ratio * a->iterations * (a->iteration[TRACES] + steps * c->force);
}

// What the last minimisation says: the Hessian costs more than the traces did.
static void look_back(Auto* a)
{
    Choice* c = choice(a);
    if (a->spent == 0) return;
    if (usually(a) == TRACES) {
        look_back_at_traces(a, c);
        return;
    }
    bool left = a->touching && a->method == NEWTON;
    c->count++;
    if (a->touching && a->iterations > 0) c->keeping = mean(c->keeping, a->keeping / a->iterations);
    if (!a->touching && a->method == HESSIAN && a->whole) c->failed = slow_mean(c->failed, a->spent + a->searching);
    if (a->touching && c->ratio == 0 && a->whole && c->iterations > 0 && a->iterations > 0)
        c->ratio = fmax(1, c->iterations / a->iterations);
    c->sum += work_of(a) - instead(a, c);
    if (!left && c->sum <= a->refresh[HESSIAN]) return;
    c->wait = fmax(2 * c->wait, LATER_WAIT * a->refresh[HESSIAN]);
    change(c, TRACES);
}

static bool touches(const SnSearch* s)
{
    const SnConstraints* c = s->objective->constraints;
    return c->contacts && sn_constraints_push(c, s->x);
}

static SnStatus start_still(Auto* a, SnSearch* s)
{
    Choice* c = choice(a);
    if (a->steps > 0) c->usual_steps = a->steps;
    if (a->method != NEWTON) c->next_leave = fmax(FIRST_LEAVE, 0.5 * c->next_leave);
    look_back(a);
    a->steps = a->spent = 0;
    a->best = s->norm, a->rounds = a->since = 0;
    bool leave = c->leave > 0;
    c->leave -= leave;
    return begin(a, leave || !a->state[TRACES] || !may_keep(a) ? NEWTON : usually(a), s);
}

static SnStatus start(void* state, SnSearch* s)
{
    Auto* a = state;
    if (a->still) return start_still(a, s);
    look_back(a);
    look_back_at_newton(a);
    a->spent = a->iterations = a->keeping = a->forces = 0;
    a->best = s->norm, a->rounds = a->since = 0;
    bool outright = a->cheap || s->objective->nodes.inertia == 0, touched = touches(s);
    a->touching = s->objective->constraints->now->count > 0;
    a->whole = true;
    if (!a->touching && choice(a)->usual == 0 && s->tolerance > 0) choose_first(a, s);
    if (a->touching && a->affordable) choose_again(a);
    if (!a->touching) choose_newton(a);
    bool leave = (touched || !a->touching) && choice(a)->leave > 0;
    choice(a)->leave -= leave;
    return begin(a, s->tolerance > 0 && (outright || leave) ? NEWTON : usually(a), s);
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
    const Choice* c = &a->choices[true];
    double guess = fmin(DEAR_CONTACTS * a->iteration[TRACES], NEWTON_CONTACTS * a->newton_iteration);
    double most = c->usual_steps > 0 ? c->usual_steps * a->newton_iteration : guess;
    bool hessian = a->touching && a->method == HESSIAN;
    if (hessian && c->sum < 0 && c->usual_steps == 0)
        most *= AMISS; // it has done well, and what Newton takes is a guess
    if (hessian && c->iterations > 0) most = fmin(most, AMISS * fmax(c->guess, fmax(c->usual, instead(a, c))));
    return s->objective->constraints->now->count > 0 && a->spent > most;
}

// L-BFGS gets nowhere, or contacts do not settle: Newton.
static bool hopeless(const Auto* a, const SnSearch* s)
{
    double most = fmin(DEAR_ITERATIONS, s->iteration_limit - s->iterations);
    bool early = a->method == HESSIAN || PART * s->iterations < s->iteration_limit;
    bool waits = early && s->objective->constraints->now->count > 0; // what buckles takes its time
    bool slow = s->stalled || (!waits && s->iterations - a->since >= LOOK_BACK && iterations_left(a, s) > most);
    bool open = too_dear(a, s) && (!s->objective->constraints->settled || s->norm > s->tolerance);
    return open || (slow && s->norm > s->tolerance);
}

// The traces have cost what a Hessian would have; or will have, as it looks in the very first minimisation, or in three
// of them one after the other.
static bool worth_a_hessian(Auto* a, const SnSearch* s)
{
    const Choice* c = choice(a);
    if (a->method != TRACES || !a->affordable || s->norm <= s->tolerance) return false;
    double price = a->refresh[HESSIAN], room = room_of(a);
    if (a->touching) return saved(a) > room + CONTACT_WAIT * wait_of(a, c);
    if (s->objective->constraints->now->count > 0) return false; // the next start will tell
    if (saved(a) > room + price || c->sum + saved(a) > room + wait_of(a, c)) return true;
    if (c->wait > FIRST_WAIT * price || a->spent < TRIAL * price || a->iterations < TRIALS) return false;
    double saves = will_save(a);
    if (c->usual > 0) saves = fmin(saves, fmin(c->recent[0], c->recent[1]));
    return (a->still ? 1 : HORIZON) * saves - a->spent > room + price;
}

static SnStatus take_hessian(Auto* a, SnSearch* s)
{
    double guess = fmin(a->all * a->iteration[TRACES], fmax(a->refresh[HESSIAN], MORE * a->spent));
    Choice* c = choice(a);
    c->usual = fmax(c->usual, fmax(2 * a->spent, guess)); // it would have taken more
    c->iterations = fmax(c->iterations, 2 * a->iterations);
    if (a->forces > 0) c->force = mean(c->force, a->keeping / a->forces);
    change(c, HESSIAN);
    a->whole = false;
    return begin(a, HESSIAN, s);
}

// Around the traces contacts are too dear: a Hessian is tried before they are Newton's, unless it was given up before.
static bool may_try_hessian(const Auto* a, const SnSearch* s)
{
    bool tried = a->choices[a->touching].wait > FIRST_WAIT * a->refresh[HESSIAN];
    return a->method == TRACES && a->touching && a->direct && !tried && too_dear(a, s);
}

// An equilibrium that has cost more than Newton would, or gets nowhere.
static SnStatus change_if_dear(Auto* a, SnSearch* s)
{
    double usual = choice(a)->usual_steps, steps = usual > 0 ? usual : NEWTON_STILL;
    look(a, s);
    bool give_up = s->norm > s->tolerance && (a->spent > steps * a->newton_iteration || hopeless(a, s));
    a->best_then[s->iterations % LOOK_BACK] = a->best;
    if (!give_up) return worth_a_hessian(a, s) ? take_hessian(a, s) : SN_OK;
    leave_to_newton(choice(a));
    return begin(a, NEWTON, s);
}

static void leave_contacts(Auto* a)
{
    a->touching = true; // by now
    choice(a)->failed = a->spent;
    leave_to_newton(choice(a));
}

static SnStatus change_if_better(Auto* a, SnSearch* s)
{
    look(a, s);
    bool give_up = s->tolerance > 0 && hopeless(a, s);
    a->best_then[s->iterations % LOOK_BACK] = a->best;
    if (give_up && may_try_hessian(a, s)) return take_hessian(a, s);
    if (give_up && too_dear(a, s)) leave_contacts(a);
    if (give_up) return begin(a, NEWTON, s);
    return s->tolerance > 0 && worth_a_hessian(a, s) ? take_hessian(a, s) : SN_OK;
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
    int evaluations = s->evaluations + 1;
    SN_TRY(sn_lbfgs.iterate(a->state[a->method], s));
    a->spent += a->iteration[a->method] + taking(a), a->iterations++;
    a->searching += fmax(0, s->evaluations - evaluations) * sn_work_evaluation(a->objective);
    return a->still ? change_if_dear(a, s) : change_if_better(a, s);
}

// Remembered are what the methods have cost, and what each of them remembers; how long that is depends on which there
// are.
enum { OWN = 12, NUMBERS = OWN + 2 * CHOICE };

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
    double own[OWN] = {a->method, a->touching, a->spent, a->keeping, a->forces,    a->iterations,
                       a->steps,  a->all,      a->whole, a->made,    a->searching, a->touched};
    memcpy(numbers, own, sizeof own);
    memcpy(numbers + OWN, a->choices, sizeof a->choices);
    numbers += NUMBERS;
    for (int k = 0; k < METHODS; k++) {
        if (a->state[k]) sn_lbfgs.memory->save(a->state[k], numbers);
        numbers += size_of(a, (Method)k);
    }
}

static void forget(double numbers[NUMBERS], double price)
{
    memset(numbers, 0, NUMBERS * sizeof *numbers);
    numbers[0] = TRACES;
    Choice* choices = (Choice*)(numbers + OWN);
    for (int k = 0; k < 2; k++) choices[k].wait = FIRST_WAIT * price, choices[k].next_leave = FIRST_LEAVE;
}

static void restore(void* state, const double* numbers)
{
    Auto* a = state;
    double own[NUMBERS];
    forget(own, a->refresh[HESSIAN]);
    if (numbers) memcpy(own, numbers, sizeof own);
    a->method = own[0] == HESSIAN ? HESSIAN : own[0] == NEWTON ? NEWTON : TRACES; // the file may be anybody's
    a->touching = own[1] != 0;
    a->spent = own[2], a->keeping = own[3], a->forces = own[4], a->iterations = own[5];
    a->steps = own[6], a->all = own[7], a->whole = own[8] != 0, a->searching = own[10], a->touched = own[11];
    if (numbers) a->made = own[9] != 0;
    memcpy(a->choices, own + OWN, sizeof a->choices);
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
