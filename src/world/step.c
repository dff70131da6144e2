// One step: for each stage of the integrator: what it starts from, handles moved, contacts found; minimise; velocities;
// then the ledger. Where contacts cut it short it is taken in parts (world/parts.c).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/handle.h"
#include "core/plain.h"
#include "core/share.h"
#include "core/timer.h"
#include "linalg/vec3.h"
#include "linalg/vector.h"
#include "world/event.h"
#include "world/report.h"
#include "world/sleep.h"
#include "world/world.h"

enum {
    MOST_FOLLOWED = 50, // rounds of loads that follow what they push,
    MOST_OPEN = 3,      // of which so many may come to the limit of iterations
};

static SnStatus minimize(const SnModel* model, SnProblem* problem)
{
    SnSearch* s = problem->search;
    if (problem->solver) return sn_minimize(model->solver_type, problem->solver, s);
    s->iterations = s->evaluations = s->factorizations = s->bounded = 0; // every node is held
    s->outcome = SN_OUTCOME_CONVERGED;
    s->detail[0] = 0, s->worst_count = 0;
    s->ms = (SnTimes){0};
    SnConstraints* c = &problem->constraints;
    SnAdvance way;
    SN_TRY(sn_constraints_advance(c, s->x, NULL, &way));
    if (c->contacts) sn_contacts_take(c->contacts);
    if (!way.whole) {
        sn_constraints_safe(c, s->x);
        s->outcome = SN_OUTCOME_STALLED;
        snprintf(s->detail, sizeof s->detail, "every node is held, and something is in the way of the handles");
    }
    sn_search_evaluate(s);
    return SN_OK;
}

// How a minimisation among contacts went. Cut short, nodes did not get to where it would have them; without a tolerance
// it need not get anywhere else.
static bool judge(const SnProblem* problem, SnPart* part)
{
    const SnConstraints* c = &problem->constraints;
    const SnSearch* s = problem->search;
    if (!problem->solver || !c->contacts || s->outcome == SN_OUTCOME_CONVERGED) return false;
    part->cut |= !c->reached;
    part->failed |= !c->reached || (c->count > 0 && s->tolerance > 0);
    return !c->reached;
}

// The stages as they are for this step.
static void choose_stages(const SnModel* model, const SnState* state, SnStage* stages)
{
    const SnIntegratorType* type = model->integrator;
    double gamma = model->def.gamma > 0 ? model->def.gamma : type->gamma;
    memcpy(stages, type->stages, sizeof type->stages);
    double ratio = state->last_length > 0 ? state->step_length / state->last_length : 0;
    if (type->adjust) type->adjust(gamma, ratio, stages);
}

// The stage has no end that could be reckoned with: there is no new state.
static void lose(SnWorld* world, int node, const char* why, SnStepReport* report)
{
    world->problem.search->value.total = INFINITY;
    sn_constraints_drop(&world->problem.constraints); // nor are its forces
    report->outcome = SN_OUTCOME_STALLED;
    report->gradient = INFINITY;
    report->worst_count = 1, report->worst[0] = node;
    snprintf(world->detail, sizeof world->detail, "%s at node %d; a shorter step or smaller forces may help", why,
             node);
}

// Whether the search has come to numbers; if not, it is lost.
static bool is_sound(SnWorld* world, SnStepReport* report)
{
    const SnSearch* s = world->problem.search;
    int count = world->model.node_count, node = sn_first_beyond(count, s->x);
    for (int i = 0; i < count && node < 0 && isnan(s->norm); i++)
        if (isnan(s->g[3 * i] + s->g[3 * i + 1] + s->g[3 * i + 2])) node = i;
    node = sn_world_first_lost(&world->model, node);
    if (node < 0 && isnan(s->norm)) node = 0;
    if (node >= 0 && isfinite(s->value.total)) lose(world, node, "the solver came to what is not a number", report);
    return isfinite(s->value.total);
}

// Forces that follow what they push, as they are at the minimum, and that with them.
static SnStatus follow(SnWorld* world, const SnStage* stage, const SnPart* part, SnStepReport* report)
{
    SnProblem* problem = &world->problem;
    double at = sn_stage_time(&world->model, &world->state, stage, part->time);
    int rounds = 0, open = 0;
    for (; rounds < MOST_FOLLOWED && open < MOST_OPEN && isfinite(problem->search->value.total); rounds++) {
        if (!sn_loads_follow(&world->model, &world->state, problem, &world->scratch, stage, at)) return SN_OK;
        sn_report_search(problem->search, report, world->detail);
        SN_TRY(minimize(&world->model, problem));
        open += problem->search->tolerance > 0 && problem->search->outcome == SN_OUTCOME_ITERATION_LIMIT;
    }
    if (!sn_loads_follow(&world->model, &world->state, problem, &world->scratch, stage, at)) return SN_OK;
    report->outcome = SN_OUTCOME_STALLED;
    snprintf(world->detail, sizeof world->detail,
             "loads that follow what they push did not settle in %d rounds; they are too strong for what holds it, or "
             "the step is too long",
             rounds);
    return SN_OK;
}

// One stage after the other. Where the caller asks whether something hit, the stage in which it did is the last one; so
// is one that failed, where the step can be taken in shorter parts.
static SnStatus run(SnWorld* world, int count, const SnStage* stages, SnPart* part, SnStepReport* report, bool* hit)
{
    const SnModel* model = &world->model;
    SnState* state = &world->state;
    SnProblem* problem = &world->problem;
    SnScratch* scratch = &world->scratch;
    for (int k = 0; k < count; k++) {
        SN_TRY(sn_stage_begin(model, state, problem, scratch, &stages[k], part->time));
        if (problem->lost >= 0) {
            lose(world, problem->lost, "the step goes beyond all numbers", report);
            return SN_OK;
        }
        sn_ledger_begin_stage(model, state, problem, scratch, &stages[k]);
        SN_TRY(minimize(model, problem));
        SN_TRY(follow(world, &stages[k], part, report));
        sn_world_stop_flinging(world, part);
        sn_report_search(problem->search, report, world->detail);
        bool cut = judge(problem, part);
        if ((part->failed && part->again) || !is_sound(world, report)) return SN_OK;
        sn_stage_end(model, state, problem, scratch, &stages[k]);
        if (cut) sn_cut_end_stage(model, state, problem, scratch, &stages[k], world->elastic);
        if (hit && sn_impact_happened(model, state, problem)) {
            *hit = true;
            return SN_OK;
        }
        sn_ledger_stage(model, state, problem, scratch, &stages[k]);
        sn_impact_end_stage(model, state, problem, scratch, &stages[k]);
    }
    return SN_OK;
}

// What was gained from nowhere is taken off again; an end that has gained more than that is none.
static void take_off(SnWorld* world, double gain, SnStepReport* report)
{
    const char* search = world->model.def.solver.line_search; // none: whatever comes
    if (gain == 0 || sn_excess_remove(world, gain) || (search && strcmp(search, "none") == 0)) return;
    world->problem.search->value.total = INFINITY;
    sn_constraints_drop(&world->problem.constraints);
    report->outcome = SN_OUTCOME_STALLED;
    sn_plain_print(world->detail, sizeof world->detail,
                   "the solve came to %.3g J more than there are; more iterations or a shorter step may help", gain);
}

// Forces of stages that are not taken are those of other step lengths, and a fixed number of iterations may not get rid
// of them.
static bool begins_anew(const SnModel* model)
{
    return model->integrator->order == 2 && model->def.solver.tolerance == 0;
}

// A step in which something hits, and the one after it, are backward Euler's: others take the stress of the impact once
// more and bounce (Rannacher 1984 starts so after any jump). next: what the step after this one may look back to, as
// last_length.
static SnStatus run_stages(SnWorld* world, SnPart* part, SnStepReport* report, double* next)
{
    static const SnStage euler = {.alpha = 1, .end = 1, .present = 1};
    const SnModel* model = &world->model;
    SnState* state = &world->state;
    SnStage stages[SN_MOST_STAGES];
    bool after = state->last_length < 0 && sn_impact_stops(model, &world->problem), hit = false;
    double excess = 0;
    choose_stages(model, state, stages);
    *next = state->step_length;
    bool anew = !after && begins_anew(model);
    if (anew) SN_TRY(sn_constraint_set_copy(&state->constraints, &world->scratch.begun_constraints));
    if (!after) SN_TRY(run(world, model->integrator->stage_count, stages, part, report, &hit));
    if ((part->failed && part->again) || !isfinite(world->problem.search->value.total)) return SN_OK;
    if (!after && !hit) excess = sn_excess(world, report);
    if (!after && !hit && (excess == 0 || model->integrator->order == 1)) {
        take_off(world, excess, report);
        return SN_OK;
    }
    if (anew) SN_TRY(sn_constraint_set_copy(&world->scratch.begun_constraints, &state->constraints));
    sn_ledger_reset(model, state);
    if (model->integrator->extrapolate != 1) world->model.integrator = sn_integrator_find("backward-euler");
    SN_TRY(run(world, 1, &euler, part, report, NULL));
    hit |= sn_impact_happened(model, state, &world->problem);
    *next = hit ? -state->step_length : 0; // nobody looks back beyond it
    if ((part->failed && part->again) || !isfinite(world->problem.search->value.total)) return SN_OK;
    take_off(world, sn_excess(world, report), report);
    return SN_OK;
}

// The state at the end of the step, into stage_x and stage_v, where that is not the last stage's. Its elastic energy.
static double extrapolate(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* w, double time)
{
    double further = model->integrator->extrapolate;
    if (!isfinite(problem->search->value.total)) return INFINITY;
    if (further == 1) return problem->search->value.elastic;
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        w->stage_x[k] = state->x[k] + further * (w->stage_x[k] - state->x[k]);
        w->stage_v[k] = state->v[k] + further * (w->stage_v[k] - state->v[k]);
    }
    if (sn_constraints_lag(state, problem, time) == 0) { // otherwise held nodes are where they got to
        sn_handles_place(model, problem, time, w->stage_x);
        sn_handles_move(model, problem, time, -SN_LEAN * state->step_length, w->stage_v);
    }
    sn_actuators_set(model, problem, time);
    sn_pins_place(model, problem, w, time);
    sn_pins_find_forces(model, state, problem, w, w->stage_x);
    return sn_potential_energy(problem->potential, w->stage_x).elastic;
}

// Takes over the end of the last stage as the state, and keeps the old one where it will be asked for.
static void accept(const SnModel* model, SnState* state, SnScratch* scratch, double next)
{
    int n = 3 * model->node_count;
    sn_vector_copy(model->tasks, n, state->v, scratch->start_v);
    scratch->length = state->step_length;
    if (model->integrator->remembers) sn_vector_copy(model->tasks, n, state->x, state->before_x);
    if (state->before_v) sn_vector_copy(model->tasks, n, state->v, state->before_v);
    sn_vector_copy(model->tasks, n, scratch->stage_x, state->x);
    sn_vector_copy(model->tasks, n, scratch->stage_v, state->v);
    state->last_length = next;
}

// Without a feasible start there is no new state: everything stays where it was, and nobody looks back beyond it.
static void stay(const SnModel* model, SnState* state)
{
    memset(state->v, 0, 3 * (size_t)model->node_count * sizeof *state->v);
    sn_ledger_reset(model, state);
    state->last_length = 0;
    state->force_known = false;
}

// The new state, if there is one; its elastic energy.
static void take_over(SnWorld* world, double time, double next, SnStepReport* report)
{
    double elastic = extrapolate(&world->model, &world->state, &world->problem, &world->scratch, time);
    double h = time - world->state.time, lag = sn_constraints_lag(&world->state, &world->problem, time);
    world->state.lag = isfinite(elastic) ? lag : world->state.lag + h;
    if (isfinite(elastic)) {
        sn_loads_keep(&world->model, &world->problem, &world->state);
        accept(&world->model, &world->state, &world->scratch, next);
        world->elastic = elastic;
        return;
    }
    stay(&world->model, &world->state);
    sn_actuators_set(&world->model, &world->problem, time);
    sn_pins_go_on(&world->model, &world->state, &world->problem, &world->scratch, time);
    if (sn_share_any(world->model.tasks, world->model.actuator_count > 0 || world->problem.pin_count > 0))
        world->elastic = sn_potential_energy(world->problem.potential, world->state.x).elastic;
    if (!isfinite(world->problem.search->value.total)) return;
    report->outcome = SN_OUTCOME_STALLED, report->worst_count = 0;
    snprintf(world->detail, sizeof world->detail, "the end of the step is not feasible: infinite energy");
}

// The elastic energy of the state.
static double measure(SnWorld* world)
{
    if (isnan(world->elastic)) {
        sn_pins_place(&world->model, &world->problem, &world->scratch, world->state.time);
        world->elastic = sn_potential_energy(world->problem.potential, world->state.x).elastic;
    }
    return world->elastic;
}

static SnStatus take_part(SnWorld* world, SnPart* part, SnStepReport* report)
{
    const SnModel* model = &world->model;
    SnState* state = &world->state;
    SnProblem* problem = &world->problem;
    SnLedgerStart ledger;
    sn_actuators_set(model, problem, state->time);
    double elastic = measure(world), next, from = state->time;
    double given = sn_actuators_work(model, problem, state->x, from, part->time, false);
    sn_potential_set_shifts(problem->potential, state->shifts);
    if (sn_keeps_force(model) && !state->force_known) sn_stage_force(model, state, problem, &world->scratch);
    sn_ledger_begin(model, state, problem, &world->scratch, elastic, &ledger);
    SN_TRY(run_stages(world, part, report, &next));
    if (part->failed && part->again) return SN_OK;
    take_over(world, part->time, part->cut ? 0 : next, report);
    if (isfinite(problem->search->value.total)) sn_potential_get_shifts(problem->potential, state->shifts);
    if (part->cut && model->integrator->needs_force) state->force_known = false;
    given += sn_actuators_work(model, problem, state->x, from, part->time, true);
    if (given != 0) state->accounts[SN_ACCOUNT_LOADS].sum += given / 2;
    sn_ledger_end(model, state, problem, &ledger, world->elastic);
    state->time = part->time;
    SN_TRY(sn_touches_list(model, state, problem, &world->touches));
    if (isfinite(problem->search->value.total)) sn_attachments_tear(model, state, problem);
    sn_touches_add_errors(model, &world->touches, &report->errors);
    return SN_OK;
}

SnStatus sn_world_take_part(SnWorld* world, SnPart* part, SnStepReport* report)
{
    const SnIntegratorType* own = world->model.integrator;
    SnStatus status = take_part(world, part, report);
    world->model.integrator = own;
    return status;
}

static SnStatus step(SnWorld* world, SnStepReport* out)
{
    const SnModel* model = &world->model;
    SnState* state = &world->state;
    double start = sn_now_ms();
    double time = state->origin_time + (double)(state->step + 1 - state->origin_step) * state->step_length;
    SnStepReport report = {.outcome = SN_OUTCOME_CONVERGED, .detail = world->detail};
    world->detail[0] = 0;
    SN_TRY(sn_sleep_begin(world, time));
    if (sn_handles_release(model, state, time)) world->elastic = NAN;
    SN_TRY(sn_world_prepare(world, time));
    SN_TRY(sn_world_prepare_solver(world));
    SN_TRY(sn_world_take_parts(world, time, &report));
    SN_TRY(sn_contacts_report_crossings(&world->problem, &report, world->detail));
    sn_factor_store_clear(&world->factors); // what is of use has been taken
    sn_sleep_end(world, &report);
    world->problem.reported = true;
    state->step++;
    double told = sn_now_ms();
    SN_TRY(sn_report_state(model, state, &world->problem, world->elastic, &report));
    SN_TRY(sn_probes_measure(world, &report));
    sn_report_errors(&report, world->detail);
    report.ms.contact += sn_now_ms() - told;
    report.ms.total = sn_now_ms() - start;
    if (out) *out = report;
    return SN_OK;
}

SnStatus sn_world_step(SnWorld* world, SnStepReport* out)
{
    SN_CHANGE(world);
    world->busy = true;
    SnStatus status = step(world, out);
    world->busy = false;
    return status;
}

static SnStatus measure_all(SnWorld* world, SnStepReport* report)
{
    SN_TRY(sn_world_prepare(world, world->state.time));
    *report = (SnStepReport){.outcome = SN_OUTCOME_CONVERGED, .detail = ""};
    sn_constraints_stand(&world->model, &world->state, &world->problem);
    SN_TRY(sn_report_state(&world->model, &world->state, &world->problem, measure(world), report));
    return sn_probes_measure(world, report);
}

SnStatus sn_change_measure(SnWorld* world, SnStepReport* report)
{
    world->busy = true;
    SnStatus status = measure_all(world, report);
    world->busy = false;
    return status;
}

SnStatus sn_world_measure(SnWorld* world, SnStepReport* report)
{
    SN_CHANGE(world);
    SN_NEED(report);
    SN_TRY(sn_world_prepare(world, world->state.time));
    SN_TRY(sn_world_prepare_solver(world)); // what it cannot do is said before a run begins
    return sn_change_measure(world, report);
}
