// One step: for each stage of the integrator: what it starts from, handles moved; minimise; velocities; then the
// ledger.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/timer.h"
#include "linalg/vector.h"
#include "world/world.h"

static SnStatus minimize(SnWorld* world)
{
    SnSearch* s = world->problem.search;
    if (world->problem.solver) return sn_minimize(world->model.solver_type, world->problem.solver, s);
    s->iterations = s->evaluations = s->factorizations = 0; // every node is held
    s->outcome = SN_OUTCOME_CONVERGED;
    s->detail[0] = 0, s->worst_count = 0;
    s->ms = (SnTimes){0};
    sn_search_evaluate(s);
    return SN_OK;
}

// Without a feasible start there is no new state: everything stays where it was, and nobody looks back beyond it.
static void stay(SnWorld* world)
{
    size_t size = 3 * (size_t)world->model.node_count * sizeof *world->state.v;
    memset(world->state.v, 0, size);
    for (int k = 0; k < world->state.account_count; k++) world->state.accounts[k].part = 0;
    world->state.last_length = 0;
    world->state.force_known = false;
    sn_ledger_end(world, world->energy.elastic);
}

// The state at the end of the step, into stage_x and stage_v, where that is not the last stage's. Its elastic energy.
static double extrapolate(SnWorld* world, double time)
{
    double further = world->model.integrator->extrapolate;
    if (further == 1) return world->problem.search->value.elastic;
    for (int64_t k = 0; k < 3 * (int64_t)world->model.node_count; k++) {
        world->scratch.stage_x[k] = world->state.x[k] + further * (world->scratch.stage_x[k] - world->state.x[k]);
        world->scratch.stage_v[k] = world->state.v[k] + further * (world->scratch.stage_v[k] - world->state.v[k]);
    }
    sn_world_place_handles(world, time, world->scratch.stage_x);
    sn_world_move_handles(world, time, false, world->scratch.stage_v);
    sn_pins_place(world, time);
    sn_pins_find_forces(world, world->scratch.stage_x);
    return sn_potential_energy(world->problem.potential, world->scratch.stage_x);
}

// Takes over the end of the last stage as the state, and keeps the old one where it will be asked for.
static void accept(SnWorld* world, double elastic)
{
    int n = 3 * world->model.node_count;
    if (world->model.integrator->remembers) {
        sn_vector_copy(world->model.tasks, n, world->state.x, world->state.before_x);
        sn_vector_copy(world->model.tasks, n, world->state.v, world->state.before_v);
    }
    sn_vector_copy(world->model.tasks, n, world->scratch.stage_x, world->state.x);
    sn_vector_copy(world->model.tasks, n, world->scratch.stage_v, world->state.v);
    world->state.last_length = world->state.step_length;
    sn_ledger_end(world, elastic);
}

static void report_state(const SnWorld* world, SnStepReport* report)
{
    report->step = world->state.step;
    report->time = world->state.time;
    report->energy = world->energy;
    sn_ledger_momentum(world, report->momentum, report->angular_momentum);
    for (int c = 0; c < 3; c++) {
        report->impulse[c] =
            world->state.accounts[SN_ACCOUNT_IMPULSE + c].sum + world->state.accounts[SN_ACCOUNT_DRAG + c].sum;
        report->angular_impulse[c] =
            world->state.accounts[SN_ACCOUNT_IMPULSE + 3 + c].sum + world->state.accounts[SN_ACCOUNT_DRAG + 3 + c].sum;
    }
    report->tolerance = world->problem.search->tolerance;
    report->drift = sn_pins_drift(world);
    sn_world_report_contacts(world, report);
}

static void report_search(SnWorld* world, SnStepReport* report)
{
    const SnSearch* s = world->problem.search;
    report->iterations += s->iterations;
    report->evaluations += s->evaluations;
    report->factorizations += s->factorizations;
    report->gradient = s->norm;
    report->ms.evaluate += s->ms.evaluate;
    report->ms.assemble += s->ms.assemble;
    report->ms.factor += s->ms.factor;
    report->ms.solve += s->ms.solve;
    report->ms.contact += s->ms.contact;
    if (s->outcome > report->outcome) {
        report->outcome = s->outcome;
        snprintf(world->detail, sizeof world->detail, "%s", s->detail);
        report->worst_count = s->worst_count;
        memcpy(report->worst, s->worst, sizeof s->worst);
    }
}

// The stages as they are for this step.
static void choose_stages(const SnWorld* world, SnStage* stages)
{
    const SnIntegratorType* type = world->model.integrator;
    double gamma = world->model.def.gamma > 0 ? world->model.def.gamma : type->gamma;
    memcpy(stages, type->stages, sizeof type->stages);
    double ratio = world->state.last_length > 0 ? world->state.step_length / world->state.last_length : 0;
    if (type->adjust) type->adjust(gamma, ratio, stages);
}

// One stage after the other. Where the caller asks whether something hit, the stage in which it did is the last one.
static SnStatus run(SnWorld* world, int count, const SnStage* stages, double time, SnStepReport* report, bool* hit)
{
    for (int k = 0; k < count; k++) {
        SN_TRY(sn_stage_begin(world, &stages[k], time));
        SN_TRY(minimize(world));
        report_search(world, report);
        if (!isfinite(world->problem.search->value.total)) return SN_OK;
        sn_stage_end(world, &stages[k]);
        if (hit && sn_impact_happened(world)) {
            *hit = true;
            return SN_OK;
        }
        sn_ledger_stage(world, &stages[k]);
        sn_impact_end_stage(world);
    }
    return SN_OK;
}

// A step in which something hits, and the one after it, are backward Euler's: others take the stress of the impact once
// more and bounce (Rannacher 1984 starts so after any jump).
static SnStatus run_stages(SnWorld* world, double time, SnStepReport* report)
{
    static const SnStage euler = {.alpha = 1, .end = 1, .present = 1};
    SnStage stages[SN_MOST_STAGES];
    choose_stages(world, stages);
    bool after = world->state.last_length < 0 && sn_impact_stops(world), hit = false;
    if (!after) SN_TRY(run(world, world->model.integrator->stage_count, stages, time, report, &hit));
    if (hit || after) {
        for (int k = 0; k < world->state.account_count; k++) world->state.accounts[k].part = 0;
        SN_TRY(run(world, 1, &euler, time, report, NULL));
        hit |= sn_impact_happened(world);
    }
    bool feasible = isfinite(world->problem.search->value.total);
    double elastic = feasible ? extrapolate(world, time) : INFINITY;
    if (isfinite(elastic)) {
        accept(world, elastic);
        if (hit || after) world->state.last_length = hit ? -world->state.step_length : 0; // nobody looks back beyond it
    } else {
        stay(world);
    }
    if (feasible && !isfinite(elastic)) {
        report->outcome = SN_OUTCOME_STALLED, report->worst_count = 0;
        snprintf(world->detail, sizeof world->detail, "the end of the step is not feasible: infinite energy");
    }
    return SN_OK;
}

static void measure_energies(SnWorld* world)
{
    if (world->measured) return;
    sn_pins_place(world, world->state.time);
    sn_ledger_state(world, sn_potential_energy(world->problem.potential, world->state.x));
}

// The ledger has the energies of the state, and the integrator its force.
static void measure(SnWorld* world)
{
    measure_energies(world);
    if (world->model.integrator->needs_force && !world->state.force_known) sn_stage_force(world);
}

SnStatus sn_world_step(SnWorld* world, SnStepReport* out)
{
    double start = sn_now_ms();
    double time = world->state.origin_time +
                  (double)(world->state.step + 1 - world->state.origin_step) * world->state.step_length;
    SnStepReport report = {.outcome = SN_OUTCOME_CONVERGED, .detail = world->detail};
    world->detail[0] = 0;
    sn_world_release_handles(world, time);
    SN_TRY(sn_world_prepare(world));
    measure(world);
    sn_ledger_begin(world);
    SN_TRY(run_stages(world, time, &report));
    world->state.step++;
    world->state.time = time;
    report_state(world, &report);
    report.ms.total = sn_now_ms() - start;
    if (out) *out = report;
    return SN_OK;
}

SnStatus sn_world_measure(SnWorld* world, SnStepReport* report)
{
    sn_world_release_handles(world, world->state.time);
    SN_TRY(sn_world_prepare(world));
    *report = (SnStepReport){.outcome = SN_OUTCOME_CONVERGED, .detail = ""};
    measure_energies(world);
    report_state(world, report);
    return SN_OK;
}
