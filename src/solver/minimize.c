// The loop that all solvers share: evaluate, test the one stopping rule, iterate.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "constraint/constants.h"
#include "core/plain.h"
#include "core/share.h"
#include "core/timer.h"
#include "linalg/node_vector.h"
#include "linalg/vec3.h"
#include "solver/islands.h"
#include "solver/line_search.h"
#include "solver/shifts.h"

#define EARLY 100.0  // tolerances: contacts are looked for anew when the gradient is that small,
#define LATER 0.1    // and again at so much of that;
#define AGAIN 0.1    // where something was in the way, also at so much of the gradient that this has left,
#define AT_ONCE 0.02 // or as soon as it is so much of it
#define WELL 1e-2    // of the tolerance: nobody would ask for less
#define ROUNDING 100 // times that of nodes' places is what forces have of it at most
enum {
    LOOKS = 8,     // times in all before the minimum is reached,
    PART = 2,      // or once, when such a part of a budget is spent,
    APART = 5,     // after so many iterations, as planes stay from some time on, and twice as many before the last one
    PATIENCE = 50, // iterations at the numerical floor before giving up
    SETTLE = 3,    // planes may follow where they lead for such a part of the limit of iterations
    AT_LEAST = 2,  // after the first, where something touches
    MORE = 2,      // quarters of a fixed number of iterations, where something is in the way after them,
    MORE_AT_LEAST = 4, // iterations, if that is more
};

SnStatus sn_search_create(SnObjective* objective, const SnSolverDef* def, SnSearch** out)
{
    *out = NULL;
    SnSearch* s;
    if (!SN_NEW(s, 1, "the solver")) return SN_ERROR_MEMORY;
    int64_t n = 3 * (int64_t)objective->nodes.count;
    s->objective = objective;
    s->iteration_limit = def->iterations;
    s->budget = def->budget;
    s->armijo = def->armijo;
    s->wolfe = 0.9;
    s->line_search = sn_line_search_find(def->line_search ? def->line_search : "armijo");
    bool room = SN_NEW(s->x, n, "the solver") && SN_NEW(s->g, n, "the solver") && SN_NEW(s->d, n, "the solver") &&
                SN_NEW(s->trial, n, "the solver") && SN_NEW(s->trial_g, n, "the solver");
    SnStatus status = room ? SN_OK : SN_ERROR_MEMORY;
    if (room && objective->constraints->contacts) status = sn_islands_create(objective, &s->islands);
    SN_FINISH(status, s, sn_search_destroy, out);
}

void sn_search_destroy(SnSearch* s)
{
    if (!s) return;
    sn_islands_destroy(s->islands);
    sn_free(s->x);
    sn_free(s->g);
    sn_free(s->d);
    sn_free(s->trial);
    sn_free(s->trial_g);
    sn_free(s);
}

void sn_search_evaluate(SnSearch* s)
{
    double start = sn_now_ms();
    s->value = sn_objective_gradient(s->objective, s->x, s->g);
    s->norm = sn_nodes_norm(s->objective->nodes.tasks, s->objective->nodes.count, s->g);
    s->tolerance = sn_stopping_allowed(&s->stopping, s->objective, s->x);
    s->evaluations++;
    s->stale = false;
    s->ms.evaluate += sn_now_ms() - start;
}

// The free nodes with the largest residuals, the largest first.
static void find_worst(SnSearch* s)
{
    enum { WORST = SN_WORST_NODES };
    double sizes[WORST];
    int count = 0, *nodes = s->worst;
    for (int i = 0; i < s->objective->nodes.count; i++) {
        const double* g = s->g + 3 * (int64_t)i;
        double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        if (s->objective->nodes.free_index[i] < 0 || (count == WORST && !(size > sizes[WORST - 1]))) continue;
        int at = count < WORST ? count++ : WORST - 1;
        for (; at > 0 && size > sizes[at - 1]; at--) sizes[at] = sizes[at - 1], nodes[at] = nodes[at - 1];
        sizes[at] = size, nodes[at] = i;
    }
    sn_share_pick(s->objective->nodes.tasks, WORST, &count, sizes, nodes);
    s->worst_count = count;
}

// Ends the search without convergence, naming the nodes that are furthest from it.
static SnStatus stall(SnSearch* s, const char* why)
{
    find_worst(s);
    int count = s->worst_count;
    s->outcome = SN_OUTCOME_STALLED;
    int used =
        sn_plain_print(s->detail, sizeof s->detail, "%s; the residual is %.3g N (%.3g N asked for), largest at node%s",
                       why, s->norm, s->tolerance, count > 1 ? "s" : "");
    for (int k = 0; k < count && used < (int)sizeof s->detail; k++)
        used += snprintf(s->detail + used, sizeof s->detail - (size_t)used, "%s %d", k > 0 ? "," : "", s->worst[k]);
    if (s->objective->constraints->count > 0 && used < (int)sizeof s->detail)
        snprintf(s->detail + used, sizeof s->detail - (size_t)used,
                 "; with contacts, shorter steps or solver newton get further");
    return SN_OK;
}

static bool is_beyond(const SnSearch* s)
{
    const SnNodes* nodes = &s->objective->nodes;
    return sn_share_any(nodes->tasks, sn_first_beyond(nodes->count, s->x) >= 0);
}

// Full steps, as of methods that search no line, may go to where there are no numbers; forces from there are none.
static SnStatus stall_beyond(SnSearch* s)
{
    s->norm = s->value.total = INFINITY;
    sn_constraints_drop(s->objective->constraints);
    return stall(s, "the iteration goes beyond all numbers");
}

static SnStatus end(SnSearch* s, SnOutcome outcome)
{
    s->outcome = outcome;
    return SN_OK;
}

// Gradients of pinned nodes are kept as their reactions; here they are together, and apart again.
static void join(const SnObjective* o, double* g)
{
    for (int i = 0; i < o->nodes.count; i++)
        if (o->nodes.free_index[i] < 0) memcpy(g + 3 * (int64_t)i, o->reaction + 3 * (int64_t)i, 3 * sizeof *g);
}

static void part(const SnObjective* o, double* g)
{
    for (int i = 0; i < o->nodes.count; i++) {
        if (o->nodes.free_index[i] >= 0) continue;
        memcpy(o->reaction + 3 * (int64_t)i, g + 3 * (int64_t)i, 3 * sizeof *g);
        memset(g + 3 * (int64_t)i, 0, 3 * sizeof *g);
    }
}

// After an iteration: constraints as they are at x now, and value and gradient with them.
static SnStatus update_constraints(SnSearch* s, SnStatus (*update)(SnConstraints*, SnConstraintIterate*))
{
    SnObjective* o = s->objective;
    double begin = sn_now_ms();
    bool room = SETTLE * s->iterations < s->iteration_limit && s->budget == 0;
    SnConstraintIterate it = {s->x, s->g, s->value.total, s->norm, s->tolerance, s->stopping.floor, room, 0};
    bool any = o->constraints->contacts || o->constraints->count > 0;
    if (any) join(o, s->g);
    SnStatus status = update(o->constraints, &it);
    if (any) part(o, s->g);
    s->value.total = it.value, s->norm = it.norm;
    s->ms.contact += it.ms_collect;
    s->ms.solve += sn_now_ms() - begin - it.ms_collect;
    return status;
}

// Not everything may go all the way. All of an island together only at the end: until then what goes on from just
// before a hit would be too near to it.
static SnStatus take_part(SnSearch* s, bool last)
{
    s->evaluations += 3;
    return sn_islands_take(s->islands, last, s->trial);
}

// What touches gets a few iterations more than the tolerance asks for, so that what rests comes to rest.
static bool is_allowed(const SnSearch* s, double part)
{
    const SnConstraints* c = s->objective->constraints;
    if (c->count > 0 && s->iterations < AT_LEAST && s->norm > WELL * s->tolerance) return false;
    return !s->stale && ((s->norm <= part * s->tolerance && c->settled) || (s->norm == 0 && !c->contacts));
}

// No energy is left that could be told from rounding, and of the gradient no more than that: what holds itself with
// nothing acting on it, as clay does, has no other measure.
static bool is_still(SnSearch* s)
{
    double least = fmin(ROUNDING * s->stopping.floor, s->stopping.characteristic); // which is what was asked for
    bool still = s->floor_reached && !s->objective->constraints->contacts && s->stopping.share > 0 && !s->stale &&
                 s->tolerance < least && s->norm <= least;
    if (still) s->tolerance = least;
    return still;
}

// The papers' rule alone, and contacts, which have rules of their own, know no caution.
static bool has_converged(const SnSearch* s)
{
    bool careful = s->stopping.share > 0 && !s->objective->constraints->contacts;
    return is_allowed(s, careful ? s->caution : 1);
}

// Without a tolerance nobody knows when the minimum is near: constraints are found anew after each quarter, and at the
// end.
static int quarter(const SnSearch* s)
{
    return (s->iteration_limit + 3) / 4;
}

static bool is_time(const SnSearch* s)
{
    return s->tolerance == 0 && (s->end - s->iterations - 1) % quarter(s) == 0;
}

// What is found to be in the way only after the last of a fixed number of iterations has had no time to push: a quarter
// more costs less than the step in parts.
static bool goes_on(SnSearch* s)
{
    const SnConstraints* c = s->objective->constraints;
    if (s->iterations < s->end) return true;
    bool more = s->tolerance == 0 && c->contacts && !c->reached && s->end > 0 && s->budget == 0;
    int most = MORE * quarter(s) > MORE_AT_LEAST ? MORE * quarter(s) : MORE_AT_LEAST;
    if (!more || s->end >= s->iteration_limit + most) return false;
    s->end += quarter(s);
    return true;
}

// E without what constraints add, but for springs.
static double energy_of(const SnSearch* s, const double* x)
{
    const SnConstraints* c = s->objective->constraints;
    return sn_objective_value(s->objective, x).total - sn_constraints_energy(c, x) + sn_constraints_spring_energy(c, x);
}

// Whether everything may go to x: where that is no minimum, as in between a fixed number of iterations, it must not be
// higher than where it is safe.
static bool goes(SnSearch* s, bool last)
{
    if (last || !is_time(s) || s->iterations + 1 >= s->end || has_converged(s)) return true;
    sn_constraints_safe(s->objective->constraints, s->trial);
    s->evaluations += 2;
    return energy_of(s, s->x) <= energy_of(s, s->trial);
}

// Constraints change with where nodes are.
static bool moves_on(const SnConstraints* c)
{
    return c->contacts || c->hinge_count > 0;
}

// With a budget nothing goes anywhere before it is spent, but all the way: a part of the way takes as much as some
// iterations, and iterations from where nodes stopped each by itself push apart elements that this has bent. In the end
// bodies go equally far in all their nodes.
static SnGoing going(SnSearch* s, bool last)
{
    bool together = s->budget > 0 && last && s->islands;
    return together ? sn_islands_joined(s->islands) : (SnGoing){.looks = s->budget > 0 && !last};
}

// Near the minimum: everything goes there as far as nothing crosses, and constraints are found anew from there.
static SnStatus advance(SnSearch* s, bool last)
{
    SnConstraints* c = s->objective->constraints;
    SnAdvance way;
    double begin = sn_now_ms();
    bool converged = has_converged(s);
    SnGoing how = going(s, last);
    SN_TRY(sn_constraints_advance(c, s->x, &how, &way));
    c->reached = way.whole && (!c->contacts || goes(s, last));
    if (c->reached && c->contacts)
        sn_contacts_take(c->contacts);
    else if (c->contacts && !way.whole && !how.looks)
        SN_TRY(take_part(s, last));
    s->ms.contact += sn_now_ms() - begin;
    SN_TRY(update_constraints(s, sn_constraints_renew));
    c->held_up = converged && way.stopped > 0;
    SN_TRY(update_constraints(s, sn_constraints_update));
    c->held_up = false;
    return SN_OK;
}

// The end of a minimisation is where nothing has crossed, whatever the iterate is.
static SnStatus end_safely(SnSearch* s)
{
    SnConstraints* c = s->objective->constraints;
    if (!c->contacts || c->reached) return SN_OK;
    if (isfinite(s->value.total)) SN_TRY(advance(s, true));
    if (c->reached) return SN_OK;
    sn_constraints_safe(c, s->x);
    s->stale = true;
    return SN_OK;
}

// The last time that contacts were looked for: when, and the gradient that those in the way have left.
typedef struct Look {
    int iteration;
    double left;
} Look;

// With a budget what is in the way is looked for while as much is left to push it apart.
static bool is_part(const SnSearch* s)
{
    return PART * s->evaluations >= s->budget - s->spent;
}

// Contacts are looked for before the minimum is reached, too: what is found then need not be looked for when it is, and
// what was in the way has hardly ever been all.
static bool is_early(const SnSearch* s, int advances, const Look* last)
{
    double early = advances == 0 ? EARLY : LATER * EARLY;
    if (s->stale) return false;
    if (!s->objective->constraints->contacts) return s->norm <= AGAIN * last->left; // that costs nothing
    if (s->budget > 0) return advances == 0 && is_part(s);
    bool room = s->iterations + 2 * APART < s->iteration_limit, apart = s->iterations - last->iteration >= APART;
    bool soon = s->iterations > last->iteration && s->norm <= AT_ONCE * last->left;
    bool again = room && advances < LOOKS && (soon || (apart && s->norm <= AGAIN * last->left));
    return again || (advances < 2 && s->norm <= early * s->tolerance);
}

static SnStatus start(const SnSolverType* solver, void* state, SnSearch* s)
{
    s->iterations = s->evaluations = s->factorizations = s->conjugate = s->bounded = 0;
    s->end = s->iteration_limit;
    SnConstraints* c = s->objective->constraints;
    s->ms = (SnTimes){.contact = c->ms_aim};
    c->ms_aim = 0;
    s->detail[0] = 0, s->worst_count = 0;
    s->stalled = NULL;
    s->stale = s->settled = s->floor_reached = false;
    s->caution = solver->caution > 0 ? solver->caution : 1;
    c->reached = false;
    c->bounded = 0;
    sn_constraints_start(c);
    sn_stopping_start(&s->stopping, s->objective, s->x);
    sn_search_evaluate(s);
    if (!isfinite(s->value.total) || !isfinite(s->norm)) {
        s->norm = INFINITY;
        return stall(s, "the start is not feasible: infinite energy");
    }
    return solver->start ? solver->start(state, s) : SN_OK;
}

static bool is_spent(const SnSearch* s)
{
    return s->budget > 0 && s->iterations > 0 && s->spent + s->evaluations >= s->budget;
}

static SnStatus minimize(const SnSolverType* solver, void* state, SnSearch* s)
{
    SnConstraints* c = s->objective->constraints;
    double best = s->norm;
    SnShifts shifts = sn_shifts_start(s);
    Look look = {.left = c->contacts ? 0 : s->norm};
    int since = 0, advances = 0; // iterations without a smaller gradient; how often nodes have been advanced
    if (s->watch) s->watch(s->watch_user, s);
    while (goes_on(s) && !is_spent(s)) {
        c->reached = s->exact = false;
        SN_TRY(solver->iterate(state, s));
        if (!s->stale && isnan(s->norm)) return stall_beyond(s);
        if (c->contacts && is_beyond(s)) return stall_beyond(s);
        if (c->contacts && s->norm <= s->tolerance) s->stalled = NULL; // forces and planes can still be found
        sn_shifts_settle(&shifts, solver, state, s);
        if (s->renewed) best = s->norm, since = 0;
        if (!s->stale) s->tolerance = sn_stopping_allowed(&s->stopping, s->objective, s->x);
        SN_TRY(update_constraints(s, sn_constraints_update));
        if (moves_on(c) && (has_converged(s) || s->settled || is_time(s) || is_early(s, advances, &look))) {
            SN_TRY(advance(s, false));
            advances++, best = s->norm, since = 0;
            look = (Look){s->iterations, c->reached && c->contacts ? 0 : s->norm};
        }
        s->iterations++;
        if (s->watch) s->watch(s->watch_user, s);
        if ((s->settled || has_converged(s)) && (c->reached || !moves_on(c))) return end(s, SN_OUTCOME_CONVERGED);
        if (s->tolerance > 0 && is_still(s)) return end(s, SN_OUTCOME_CONVERGED);
        if (s->stalled && !c->contacts && is_allowed(s, 1)) break; // it cannot do better
        if (s->stalled) return stall(s, s->stalled);
        since = s->norm < 0.99 * best ? 0 : since + 1;
        best = s->norm < best ? s->norm : best;
        if (s->floor_reached && s->tolerance > 0 && since >= PATIENCE && !c->contacts && is_allowed(s, 1)) break;
        if (s->floor_reached && s->tolerance > 0 && since >= PATIENCE)
            return stall(s, "the numerical floor is reached");
    }
    bool enough = !c->contacts && s->tolerance > 0 && s->iterations > 0 && is_allowed(s, 1);
    return end(s, enough ? SN_OUTCOME_CONVERGED : SN_OUTCOME_ITERATION_LIMIT);
}

// Spent, and at the minimum all the same, as far as contacts that were found in the end tell.
static bool is_done(const SnSearch* s)
{
    const SnConstraints* c = s->objective->constraints;
    bool spent = s->budget > 0 && s->outcome == SN_OUTCOME_ITERATION_LIMIT;
    return spent && c->contacts && c->reached && s->tolerance > 0 && has_converged(s);
}

// Converged, but with planes of contacts as they were before.
static void tell_open(SnSearch* s)
{
    s->open = s->outcome == SN_OUTCOME_CONVERGED ? s->objective->constraints->open : 0;
    if (s->open > 0)
        snprintf(s->detail, sizeof s->detail,
                 "planes of contacts have not settled; with those of the end the residual is %.3g N (%.3g N asked for)",
                 s->open, s->tolerance);
}

SnStatus sn_minimize(const SnSolverType* solver, void* state, SnSearch* s)
{
    SnConstraints* c = s->objective->constraints;
    SN_TRY(start(solver, state, s));
    if (isfinite(s->norm)) SN_TRY(minimize(solver, state, s));
    if (s->outcome != SN_OUTCOME_CONVERGED) SN_TRY(end_safely(s));
    if (is_done(s)) s->outcome = SN_OUTCOME_CONVERGED;
    tell_open(s);
    s->bounded += c->bounded;
    if (s->stale && solver->evaluate)
        solver->evaluate(state, s);
    else if (s->stale)
        sn_search_evaluate(s);
    if (solver->end) solver->end(state, s);
    s->spent += s->evaluations;
    if (!isfinite(s->value.total) && s->outcome != SN_OUTCOME_STALLED)
        return stall(s, "the last iterate is not feasible: infinite energy");
    sn_constraints_end(c, s->x);
    if (c->contacts && !c->reached) sn_constraints_forget_pushed(c);
    if (c->contacts && c->reached && s->outcome == SN_OUTCOME_ITERATION_LIMIT)
        SN_TRY(update_constraints(s, sn_constraints_bear));
    return SN_OK;
}
