// Handles that hold by energy, k/2 |x - t|^2 for each node and the place t where it belongs (potential/pin.c): the
// nodes are free, and the handle moves the other end of a spring. So its work is the force on the node times the
// displacement of t, and what the spring has stored is elastic energy. A solver that keeps limits exactly keeps the
// places of those without a stiffness of their own, too, and then they store nothing.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/share.h"
#include "linalg/vec3.h"
#include "potential/laplacian.h"
#include "potential/pin.h"
#include "world/definitions.h"
#include "world/motion.h"
#include "world/world.h"

#define STIFFNESS 1e3 // default, relative to what a node has of its own

SnStatus sn_handle_set_hold(SnHandle* handle, const SnHandleDef* def, const char* body)
{
    char of[128];
    snprintf(of, sizeof of, "handle of body '%s':", body);
    SN_TRY(sn_parameters_check(sn_handle_parameters, def, of));
    if (def->stiffness > 0 && def->how == SN_HOLD_ELIMINATE)
        return sn_fail(SN_ERROR_VALUE,
                       "a handle of body '%s' has a stiffness of %g N/m, but takes its nodes out of the problem, which "
                       "needs none; leave it 0, or hold by energy",
                       body, def->stiffness);
    handle->how = def->how;
    handle->stiffness = def->stiffness;
    return SN_OK;
}

static const SnHandle* handle_of(const SnModel* model, const SnPin* pin)
{
    return &model->handles[pin->handle];
}

// Where its force is in the state.
static int64_t force_at(const SnModel* model, const SnPin* pin)
{
    return 3 * ((int64_t)handle_of(model, pin)->first_pin + pin->entry);
}

int sn_pins_held(const SnModel* model, const SnProblem* problem, int body)
{
    int count = 0;
    for (int i = 0; i < problem->pin_count; i++) count += handle_of(model, &problem->pins[i])->body == body;
    return count;
}

// A stiffness that is given is a spring's, and every solver has it.
static bool is_kept(const SnModel* model, const SnHandle* handle)
{
    return model->solver_type->keeps_limits && !(handle->stiffness > 0);
}

static void list_kind(const SnModel* model, SnProblem* problem, bool kept)
{
    for (int i = 0; i < model->handle_count; i++) {
        const SnHandle* handle = &model->handles[i];
        bool holds = handle->how == SN_HOLD_ENERGY && !problem->released[i] && is_kept(model, handle) == kept;
        for (int n = 0; n < handle->node_count && holds; n++) {
            problem->pins[problem->pin_count] = (SnPin){i, n};
            problem->pin_nodes[problem->pin_count++] = handle->nodes[n];
        }
    }
}

static SnStatus list_pins(const SnModel* model, SnProblem* problem)
{
    int64_t count = model->pin_count;
    if (!SN_NEW(problem->pins, count, "handles") || !SN_NEW(problem->pin_nodes, count, "handles") ||
        !SN_NEW(problem->pin_shares, count, "handles"))
        return SN_ERROR_MEMORY;
    list_kind(model, problem, false);
    problem->spring_count = problem->pin_count;
    list_kind(model, problem, true);
    return SN_OK;
}

// What its elements and, in a step of h, its inertia put up against a node's being moved, N/m; into k, of all nodes.
static void find_resistance(const SnModel* model, const SnPotential* potential, double* k)
{
    double h = model->def.time_step, inertia = model->integrator->order > 0 ? 1 / (h * h) : 0;
    sn_laplacian_diagonal(potential, k);
    for (int b = 0; b < model->body_count; b++) {
        const SnBody* body = &model->bodies[b];
        for (int i = 0; i < body->node_count; i++) {
            double mass = sn_body_density(body, i) * potential->node_volume[body->first_node + i];
            k[body->first_node + i] += inertia * mass;
        }
    }
    sn_share_add(model->tasks, 1, k);
}

// Nodes in no element put up nothing, and stay; any stiffness will do.
static void find_stiffness(const SnModel* model, SnProblem* problem, const double* resistance,
                           SnMaterialParameters* parameters)
{
    for (int i = 0; i < problem->pin_count; i++) {
        double against = resistance[problem->pin_nodes[i]], own = STIFFNESS * against,
               given = handle_of(model, &problem->pins[i])->stiffness;
        double k = given > 0 ? given : own > 0 ? own : 1;
        parameters[i].mu = k;
        problem->pin_shares[i] = i < problem->spring_count ? k / (k + against) : 1;
    }
}

static SnStatus add_group(const SnModel* model, SnProblem* problem, int first, int end, SnKeep keep,
                          const SnMaterialParameters* parameters)
{
    return sn_potential_add(problem->potential, &(SnTermsDef){.term = &sn_pin,
                                                              .material = model->bodies[0].type, // not looked at
                                                              .count = end - first,
                                                              .elements = problem->pin_nodes + first,
                                                              .parameters = parameters + first,
                                                              .per_element = true,
                                                              .keep = keep,
                                                              .name = "handles"});
}

// Solvers that keep limits take a spring as an energy like any other, pd as what it is: a distance to a place.
static SnStatus add_terms(const SnModel* model, SnProblem* problem, const double* resistance,
                          SnMaterialParameters* parameters)
{
    int springs = problem->spring_count;
    find_stiffness(model, problem, resistance, parameters);
    problem->pin_group = problem->potential->group_count;
    SnKeep keep = model->solver_type->keeps_limits ? SN_KEEP_NONE : SN_KEEP_PENALTY;
    SN_TRY(add_group(model, problem, 0, springs, keep, parameters));
    return add_group(model, problem, springs, problem->pin_count, SN_KEEP_PROJECTION, parameters);
}

SnStatus sn_pins_add_terms(const SnModel* model, SnProblem* problem)
{
    SN_TRY(list_pins(model, problem));
    if (!sn_share_any(model->tasks, problem->pin_count > 0)) return SN_OK;
    double* resistance;
    SnMaterialParameters* parameters;
    if (!SN_NEW(resistance, model->node_count, "handles")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(parameters, problem->pin_count, "handles") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) {
        find_resistance(model, problem->potential, resistance);
        status = add_terms(model, problem, resistance, parameters);
    }
    SN_FREE(resistance, parameters);
    return status;
}

static int kept_group(const SnProblem* problem)
{
    return problem->pin_group + (problem->spring_count > 0);
}

static void tell_places(SnProblem* problem, const SnScratch* scratch)
{
    int springs = problem->spring_count;
    if (springs > 0) sn_pin_place(&problem->potential->groups[problem->pin_group], scratch->pin_place);
    if (problem->pin_count > springs)
        sn_pin_place(&problem->potential->groups[kept_group(problem)], scratch->pin_place + 3 * (int64_t)springs);
}

void sn_pins_place(const SnModel* model, SnProblem* problem, SnScratch* scratch, double time)
{
    for (int64_t i = 0; i < problem->pin_count; i++) {
        const SnPin* pin = &problem->pins[i];
        sn_handle_place(handle_of(model, pin), pin->entry, time, scratch->pin_place + 3 * i);
    }
    tell_places(problem, scratch);
}

// Where the script has it at the end of the stage, and the displacement to there; as for nodes that are taken out
// (world/stage.c). What the last stage is extrapolated from is in the middle, and so is the place.
static void begin_node(const SnModel* model, const SnState* state, const SnPin* pin, const SnStage* stage, double at,
                       double place[3], double displacement[3])
{
    const SnHandle* handle = handle_of(model, pin);
    double now[3], speed[3];
    bool own = stage->before == 0 && stage->middle == 0 && stage->half == 0;
    sn_handle_place(handle, pin->entry, at, place);
    sn_handle_place(handle, pin->entry, state->time, now);
    sn_handle_velocity(handle, pin->entry, at, -SN_LEAN * state->step_length, speed);
    for (int c = 0; c < 3; c++) {
        place[c] = now[c] + (place[c] - now[c]) / model->integrator->extrapolate;
        displacement[c] = own ? place[c] - now[c] : stage->alpha * state->step_length * speed[c];
    }
}

void sn_pins_begin_stage(const SnModel* model, const SnState* state, SnProblem* problem, SnScratch* scratch,
                         const SnStage* stage, double at)
{
    for (int64_t i = 0; i < problem->pin_count; i++)
        begin_node(model, state, &problem->pins[i], stage, at, scratch->pin_place + 3 * i,
                   scratch->pin_displacement + 3 * i);
    tell_places(problem, scratch);
}

void sn_pins_put(const SnModel* model, const SnProblem* problem, const SnScratch* scratch, double* x)
{
    for (int64_t i = 0; i < problem->pin_count; i++) {
        int64_t node = problem->pin_nodes[i];
        double share = problem->pin_shares[i];
        for (int c = 0; c < 3 && problem->free_index[node] >= 0; c++)
            x[3 * node + c] += share * (scratch->pin_place[3 * i + c] - x[3 * node + c]);
    }
    sn_share_spread(model->tasks, 3, x);
}

// Of some of the pins, by their group.
static void find_forces(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch, int group,
                        int first, int end, const double* x)
{
    if (first == end) return;
    sn_pin_forces(&problem->potential->groups[group], problem->pin_nodes + first, x, scratch->pin_force);
    for (int64_t i = first; i < end; i++)
        memcpy(state->pin_force + force_at(model, &problem->pins[i]), scratch->pin_force + 3 * (i - first),
               3 * sizeof(double));
}

static void find_spring_forces(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch,
                               const double* x)
{
    find_forces(model, state, problem, scratch, problem->pin_group, 0, problem->spring_count, x);
}

void sn_pins_find_forces(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch,
                         const double* x)
{
    find_spring_forces(model, state, problem, scratch, x);
    find_forces(model, state, problem, scratch, kept_group(problem), problem->spring_count, problem->pin_count, x);
}

// A solver that keeps places has not yet found what that needs; nor has the force at the start any of it.
void sn_pins_begin_forces(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch)
{
    find_spring_forces(model, state, problem, scratch, state->x);
    for (int i = problem->spring_count; i < problem->pin_count; i++)
        memset(state->pin_force + force_at(model, &problem->pins[i]), 0, 3 * sizeof(double));
}

static void add_node(const double* x, const double* force, double b, const double* displacement, double* amounts)
{
    for (int c = 0; c < 3; c++) amounts[SN_ACCOUNT_PINS] += force[c] * displacement[c];
    sn_ledger_add_wrench(amounts + SN_ACCOUNT_IMPULSE, b, x, force);
}

void sn_pins_add_given(const SnModel* model, const SnState* state, const SnProblem* problem, const SnScratch* scratch,
                       double b, const double* x, double* amounts)
{
    for (int64_t i = 0; i < problem->pin_count; i++)
        add_node(x + 3 * (int64_t)problem->pin_nodes[i], state->pin_force + force_at(model, &problem->pins[i]), b,
                 scratch->pin_displacement + 3 * i, amounts);
}

// The script may have a corner at the start of a step: the speed is that after it.
void sn_pins_add_rates(const SnModel* model, const SnState* state, const SnProblem* problem, double* amounts)
{
    for (int64_t i = 0; i < problem->pin_count; i++) {
        const SnPin* pin = &problem->pins[i];
        double speed[3], lean = SN_LEAN * state->step_length;
        sn_handle_velocity(handle_of(model, pin), pin->entry, state->time, lean, speed);
        add_node(state->x + 3 * (int64_t)problem->pin_nodes[i], state->pin_force + force_at(model, pin), 1, speed,
                 amounts);
    }
}

// What it pulled with is no longer in the force, and what its springs had stored stays with it. A state that was saved
// later has neither.
void sn_pins_let_go(const SnModel* model, SnState* state, const SnHandle* handle)
{
    double stored = 0;
    for (int64_t n = 0; n < handle->node_count; n++) {
        double place[3], *force = state->pin_force + 3 * (handle->first_pin + n);
        int64_t node = 3 * (int64_t)handle->nodes[n];
        sn_handle_place(handle, (int)n, state->time, place);
        for (int c = 0; c < 3; c++) {
            stored += 0.5 * force[c] * (place[c] - state->x[node + c]);
            if (model->integrator->needs_force) state->force[node + c] -= force[c];
            force[c] = 0;
        }
    }
    if (model->integrator->needs_force) sn_share_spread(model->tasks, 3, state->force);
    if (is_kept(model, handle)) return;
    state->accounts[SN_ACCOUNT_PINS].sum -= sn_share_total(model->tasks, stored);
    sn_works_let_go(model, state, handle, stored);
}

// What their springs store with the nodes at x and the handles where they are at a time, J, with a sign added to the
// handles' works.
static double add_stored(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch, double time,
                         double sign)
{
    double sum = 0;
    sn_pins_place(model, problem, scratch, time);
    sn_pins_find_forces(model, state, problem, scratch, state->x);
    for (int64_t i = 0; i < problem->pin_count; i++) {
        const double *place = scratch->pin_place + 3 * i, *x = state->x + 3 * (int64_t)problem->pin_nodes[i];
        double way[3] = {place[0] - x[0], place[1] - x[1], place[2] - x[2]};
        double stored = 0.5 * sign * sn_dot3(scratch->pin_force + 3 * i, way);
        sn_works_let_go(model, state, handle_of(model, &problem->pins[i]), -stored);
        sum += stored;
    }
    return sum;
}

// Where nodes stay and the handles go on, these have given what their springs store more.
void sn_pins_go_on(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch, double time)
{
    if (model->solver_type->keeps_limits) return;
    double given = add_stored(model, state, problem, scratch, state->time, -1);
    given += add_stored(model, state, problem, scratch, time, 1);
    state->accounts[SN_ACCOUNT_PINS].sum += sn_share_total(model->tasks, given);
}

double sn_pins_drift(const SnModel* model, const SnState* state, const SnProblem* problem)
{
    double most = 0;
    for (int64_t i = 0; i < problem->pin_count; i++) {
        const SnPin* pin = &problem->pins[i];
        const double* x = state->x + 3 * (int64_t)problem->pin_nodes[i];
        double place[3];
        sn_handle_place(handle_of(model, pin), pin->entry, state->time, place);
        double off[3] = {x[0] - place[0], x[1] - place[1], x[2] - place[2]};
        most = fmax(most, sn_dot3(off, off));
    }
    return sqrt(sn_share_largest(model->tasks, most));
}
