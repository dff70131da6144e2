// One stage of a step: what it starts from, the target, the first guess, and the velocities after it.
//
// Held nodes are where their script has them at the end of the stage. Where the stage starts from x^n alone their
// velocity is their displacement over b; otherwise it is the script's own: the formula of the stage would let them
// ring.
#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "core/share.h"
#include "linalg/vec3.h"
#include "linalg/vector.h"
#include "world/world.h"

int sn_world_first_lost(const SnModel* model, int node)
{
    int number = node >= 0 ? sn_share_number(model->tasks, node) : -1;
    return (int)sn_share_largest(model->tasks, number);
}

static bool starts_from_the_present(const SnStage* stage)
{
    return stage->before == 0 && stage->middle == 0 && stage->half == 0;
}

// x^p, v^p and the target x~ = x^p + b v^p + b^2 M^-1 f_ext. Nodes in no element stay.
static void set_start(const SnModel* model, const SnState* s, const SnProblem* p, SnScratch* w, const SnStage* stage)
{
    double h = s->step_length, b = stage->alpha * h;
    bool looks_back = stage->before != 0, has_middle = stage->middle != 0;
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        double x = stage->present * s->x[k], v = stage->present * s->v[k], m = p->mass[k / 3];
        if (looks_back) x += stage->before * s->before_x[k], v += stage->before * s->before_v[k];
        if (has_middle) x += stage->middle * w->stage_x[k], v += stage->middle * w->stage_v[k];
        if (stage->half != 0 && m > 0) x += stage->half * h * s->v[k], v += stage->half * h * s->force[k] / m;
        bool held = p->free_index[k / 3] < 0;
        w->xp[k] = held ? s->x[k] : x;
        w->vp[k] = held ? 0 : v;
        w->target[k] = held ? s->x[k] : x + b * v + b * b * model->def.gravity[k % 3];
    }
}

// Held nodes; the last stage's x is such that the step ends where the script says.
static void set_held(const SnModel* model, const SnState* state, const SnProblem* problem, SnScratch* w,
                     const SnStage* stage, double at)
{
    double further = model->integrator->extrapolate, h = state->step_length, b = stage->alpha * h;
    sn_handles_place(model, problem, at, w->target);
    bool own = starts_from_the_present(stage);
    if (!own) sn_handles_move(model, problem, at, -SN_LEAN * h, w->vp);
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        if (problem->free_index[k / 3] >= 0) continue;
        if (further != 1) w->target[k] = state->x[k] + (w->target[k] - state->x[k]) / further;
        if (!own) w->xp[k] = w->target[k] - b * w->vp[k];
    }
}

// Puts held nodes of x where they belong, and those that are held by energy, too, unless x is to be feasible.
static void put_held(const SnModel* model, const SnProblem* problem, const SnScratch* scratch, bool pins, double* x)
{
    for (int64_t i = 0; i < model->node_count; i++)
        if (problem->free_index[i] < 0) memcpy(x + 3 * i, scratch->target + 3 * i, 3 * sizeof *x);
    if (pins) sn_pins_put(model, problem, scratch, x);
}

// First guesses: x^p + b v^p + b^2 a with an acceleration a, of external forces (the target x~), none, or the last
// step's; or to stay.
typedef enum Guess { TARGET, STEADY, LAST, STAY, GUESSES } Guess;

#define CLEARLY 1e-12 // lower, relatively: bodies that fall go as they fall, to the last digit

static void set_guess(const SnModel* model, const SnState* state, const SnProblem* problem, const SnScratch* scratch,
                      double b, Guess kind, double* x)
{
    int n = 3 * model->node_count;
    if (kind == TARGET || kind == STAY)
        sn_vector_copy(model->tasks, n, kind == STAY ? state->x : scratch->target, x);
    else
        sn_vector_axpy(model->tasks, n, b, scratch->vp, scratch->xp, x);
    double weight = kind == LAST ? b * b / state->last_length : 0;
    for (int k = 0; k < n && weight > 0; k++) x[k] += weight * (state->v[k] - state->before_v[k]);
    put_held(model, problem, scratch, true, x);
}

// The one of them with the lowest energy: bodies that fall follow the first, bodies that rest the second, and bodies
// that hang or are driven the third; not where something may touch, which is no smooth motion. What is under great
// stress may be so fast that only the last is near its minimum. Where none is feasible, or without inertia, the end of
// the stage before.
static void guess(const SnModel* model, const SnState* state, const SnProblem* problem, const SnScratch* scratch,
                  const SnStage* stage, double* x)
{
    double b = stage->alpha * state->step_length, least = INFINITY;
    const double *last = stage->middle != 0 ? scratch->stage_x : state->x, *g = model->def.gravity;
    bool falls = g[0] != 0 || g[1] != 0 || g[2] != 0 || model->load_count > 0;
    const char* asked = model->def.solver.first_guess;
    bool any = !asked || strcmp(asked, "target") != 0;
    bool goes_on = any && b > 0 && state->before_v && state->last_length > 0 && !problem->constraints.contacts;
    // What is pressed into what it slides on, or was let go under great stress, of which f^n makes a long way.
    bool wedges = problem->constraints.touched != NULL || stage->half != 0;
    bool offered[GUESSES] = {
        [TARGET] = b > 0, [STEADY] = any && b > 0 && falls, [LAST] = goes_on, [STAY] = b > 0 && wedges};
    int best = -1;
    for (int k = 0; k < GUESSES; k++) {
        if (!offered[k]) continue;
        set_guess(model, state, problem, scratch, b, (Guess)k, x);
        if (k == TARGET && !falls && !goes_on && !wedges && !problem->barrier) return;
        double value = sn_objective_value(&problem->objective, x).total;
        if (value < least - (k == LAST && isfinite(least) ? CLEARLY * fabs(least) : 0)) least = value, best = k;
    }
    if (best >= 0) {
        set_guess(model, state, problem, scratch, b, (Guess)best, x);
        return;
    }
    sn_vector_copy(model->tasks, 3 * model->node_count, last, x);
    put_held(model, problem, scratch, b == 0, x);
}

// What the rates of dissipations are taken from, with the weights that x^p has.
static void begin_dissipations(const SnModel* model, const SnState* s, SnProblem* problem, const SnScratch* w,
                               const SnStage* stage)
{
    int order = model->def.dissipation_order > 0 ? model->def.dissipation_order : model->integrator->order;
    SnPast past = {.xp = w->xp,
                   .count = 1,
                   .weight = {stage->present},
                   .x = {s->x},
                   .lead = stage->half * s->step_length,
                   .v = stage->half != 0 ? w->present_v : s->v,
                   .ahead = order == 2,
                   .straight = order == 2 && model->integrator->extrapolate != 1};
    if (stage->before != 0) past.weight[past.count] = stage->before, past.x[past.count++] = s->before_x;
    if (stage->middle != 0) past.weight[past.count] = stage->middle, past.x[past.count++] = w->stage_x;
    sn_potential_begin_stage(problem->potential, &past, stage->alpha * s->step_length);
}

double sn_stage_time(const SnModel* model, const SnState* state, const SnStage* stage, double time)
{
    return time - (1 - model->integrator->extrapolate * stage->end) * state->step_length;
}

SnStatus sn_stage_begin(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch,
                        const SnStage* stage, double time)
{
    double b = stage->alpha * state->step_length;
    double at = sn_stage_time(model, state, stage, time);
    SnConstraints* constraints = &problem->constraints;
    problem->objective.nodes.inertia = b > 0 ? 1 / (b * b) : 0;
    problem->objective.force = b > 0 ? NULL : problem->objective.external;
    sn_actuators_begin_stage(model, state, problem, time - (1 - stage->end) * state->step_length); // by itself
    set_start(model, state, problem, scratch, stage);
    set_held(model, state, problem, scratch, stage, at);
    sn_loads_begin_stage(model, state, problem, scratch, stage, at);
    sn_pins_begin_stage(model, state, problem, scratch, stage, at);
    begin_dissipations(model, state, problem, scratch, stage);
    SN_TRY(sn_constraints_place(model, state, problem, at));
    SN_TRY(sn_constraints_aim(constraints, state->x)); // what rests on something is told from what falls
    problem->lost = sn_first_beyond(model->node_count, scratch->target);
    problem->lost = sn_world_first_lost(model, problem->lost);
    if (problem->lost >= 0) return SN_OK;
    if (state->step == 0 && constraints->contacts && !problem->start_checked) {
        SN_TRY(sn_contacts_warn_of_starts(model, state));
        SN_TRY(sn_contacts_check_start(model, problem));
        problem->start_checked = true;
    }
    sn_slides_warn(model, problem);
    sn_constraints_set_penalty(constraints, SN_PENALTY_GUESS);
    guess(model, state, problem, scratch, stage, problem->search->x);
    return sn_constraints_aim(constraints, problem->search->x);
}

void sn_stage_end(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* w, const SnStage* stage)
{
    double b = stage->alpha * state->step_length;
    const double* x = problem->search->x;
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        w->stage_x[k] = x[k];
        w->stage_v[k] = b > 0 ? (x[k] - w->xp[k]) / b : 0;
    }
    sn_pins_find_forces(model, state, problem, w, x);
    sn_loads_end_stage(model, problem, w);
    if (!model->integrator->needs_force) return;
    // By impulse and momentum, as that has the forces of constraints in it (Brown et al. 2018, eq. 37); at held nodes
    // without the handle, for the day when it lets go.
    const double* loads = problem->loads.acting;
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        bool held = problem->free_index[k / 3] < 0;
        double external = problem->gravity[k] + (loads ? loads[k] : 0);
        state->force[k] = held ? external - w->reaction[k] : problem->mass[k / 3] * (w->stage_v[k] - w->vp[k]) / b;
    }
    sn_impact_keep_out(model, state, problem, w);
}

void sn_stage_begin_present(const SnModel* model, const SnState* state, SnProblem* problem, SnScratch* scratch)
{
    double *v = scratch->present_v, h = state->step_length;
    memcpy(v, state->v, 3 * (size_t)model->node_count * sizeof *v);
    sn_handles_move(model, problem, state->time, SN_LEAN * h, v);
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) scratch->past_x[k] = state->x[k] - h * v[k];
    SnPast past = {
        .xp = scratch->past_x, .count = 1, .weight = {1}, .x = {state->x}, .lead = -h, .v = v, .ahead = true};
    sn_potential_begin_stage(problem->potential, &past, h);
}

void sn_stage_force(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch)
{
    bool moves = model->integrator->needs_force;
    if (moves)
        sn_stage_begin_present(model, state, problem, scratch);
    else
        sn_potential_begin_stage(problem->potential, NULL, 0);
    sn_pins_place(model, problem, scratch, state->time);
    sn_pins_begin_forces(model, state, problem, scratch);
    const double* loads = sn_loads_find(model, state, problem);
    if (moves) sn_ledger_drag_rates(model, state, problem, scratch);
    sn_potential_gradient(problem->potential, state->x, state->force);
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        double external = problem->gravity[k] + (loads ? loads[k] : 0);
        state->force[k] = moves || problem->free_index[k / 3] < 0 ? external - state->force[k] : 0;
    }
    state->force_known = true;
}
