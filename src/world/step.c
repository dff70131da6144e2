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
    SnSearch* s = world->search;
    if (world->solver) return sn_minimize(world->solver_type, world->solver, s);
    s->iterations = s->evaluations = s->factorizations = 0; // every node is held
    s->outcome = SN_OUTCOME_CONVERGED;
    s->detail[0] = 0;
    s->ms = (SnTimes){0};
    sn_search_evaluate(s);
    return SN_OK;
}

// Without a feasible start there is no new state: everything stays where it was, and nobody looks back beyond it.
static void stay(SnWorld* world)
{
    size_t size = 3 * (size_t)world->node_count * sizeof *world->v;
    memset(world->v, 0, size);
    for (int k = 0; k < world->account_count; k++) world->accounts[k].part = 0;
    world->last_length = 0;
    world->force_known = false;
    sn_ledger_end(world, world->energy.elastic);
}

// The state at the end of the step, into stage_x and stage_v, where that is not the last stage's. Its elastic energy.
static double extrapolate(SnWorld* world, double time)
{
    double further = world->integrator->extrapolate;
    if (further == 1) return world->search->value.elastic;
    for (int64_t k = 0; k < 3 * (int64_t)world->node_count; k++) {
        world->stage_x[k] = world->x[k] + further * (world->stage_x[k] - world->x[k]);
        world->stage_v[k] = world->v[k] + further * (world->stage_v[k] - world->v[k]);
    }
    sn_world_place_handles(world, time, world->stage_x);
    sn_world_move_handles(world, time, false, world->stage_v);
    sn_pins_place(world, time);
    sn_pins_find_forces(world, world->stage_x);
    return sn_potential_energy(world->potential, world->stage_x);
}

// Takes over the end of the last stage as the state, and keeps the old one where it will be asked for.
static void accept(SnWorld* world, double elastic)
{
    int n = 3 * world->node_count;
    if (world->integrator->remembers) {
        sn_vector_copy(world->tasks, n, world->x, world->before_x);
        sn_vector_copy(world->tasks, n, world->v, world->before_v);
    }
    sn_vector_copy(world->tasks, n, world->stage_x, world->x);
    sn_vector_copy(world->tasks, n, world->stage_v, world->v);
    world->last_length = world->step_length;
    sn_ledger_end(world, elastic);
}

static void report_state(const SnWorld* world, SnStepReport* report)
{
    report->step = world->step;
    report->time = world->time;
    report->energy = world->energy;
    sn_ledger_momentum(world, report->momentum, report->angular_momentum);
    for (int c = 0; c < 3; c++) {
        report->impulse[c] = world->accounts[SN_ACCOUNT_IMPULSE + c].sum + world->accounts[SN_ACCOUNT_DRAG + c].sum;
        report->angular_impulse[c] =
            world->accounts[SN_ACCOUNT_IMPULSE + 3 + c].sum + world->accounts[SN_ACCOUNT_DRAG + 3 + c].sum;
    }
    report->tolerance = world->search->tolerance;
    report->drift = sn_pins_drift(world);
    sn_world_report_contacts(world, report);
}

static void report_search(SnWorld* world, SnStepReport* report)
{
    const SnSearch* s = world->search;
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
    }
}

// The stages as they are for this step.
static void choose_stages(const SnWorld* world, SnStage* stages)
{
    const SnIntegratorType* type = world->integrator;
    double gamma = world->def.gamma > 0 ? world->def.gamma : type->gamma;
    memcpy(stages, type->stages, sizeof type->stages);
    double ratio = world->last_length > 0 ? world->step_length / world->last_length : 0;
    if (type->adjust) type->adjust(gamma, ratio, stages);
}

// One stage after the other. Where the caller asks whether something hit, the stage in which it did is the last one.
static SnStatus run(SnWorld* world, int count, const SnStage* stages, double time, SnStepReport* report, bool* hit)
{
    for (int k = 0; k < count; k++) {
        SN_TRY(sn_stage_begin(world, &stages[k], time));
        SN_TRY(minimize(world));
        report_search(world, report);
        if (!isfinite(world->search->value.total)) return SN_OK;
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
    bool after = world->last_length < 0 && sn_impact_stops(world), hit = false;
    if (!after) SN_TRY(run(world, world->integrator->stage_count, stages, time, report, &hit));
    if (hit || after) {
        for (int k = 0; k < world->account_count; k++) world->accounts[k].part = 0;
        SN_TRY(run(world, 1, &euler, time, report, NULL));
        hit |= sn_impact_happened(world);
    }
    bool feasible = isfinite(world->search->value.total);
    double elastic = feasible ? extrapolate(world, time) : INFINITY;
    if (isfinite(elastic)) {
        accept(world, elastic);
        if (hit || after) world->last_length = hit ? -world->step_length : 0; // nobody looks back beyond it
    } else {
        stay(world);
    }
    if (feasible && !isfinite(elastic)) {
        report->outcome = SN_OUTCOME_STALLED;
        snprintf(world->detail, sizeof world->detail, "the end of the step is not feasible: infinite energy");
    }
    return SN_OK;
}

static void measure_energies(SnWorld* world)
{
    if (world->measured) return;
    sn_pins_place(world, world->time);
    sn_ledger_state(world, sn_potential_energy(world->potential, world->x));
}

// The ledger has the energies of the state, and the integrator its force.
static void measure(SnWorld* world)
{
    measure_energies(world);
    if (world->integrator->needs_force && !world->force_known) sn_stage_force(world);
}

SnStatus sn_world_step(SnWorld* world, SnStepReport* out)
{
    double start = sn_now_ms();
    double time = world->origin_time + (double)(world->step + 1 - world->origin_step) * world->step_length;
    SnStepReport report = {.outcome = SN_OUTCOME_CONVERGED, .detail = world->detail};
    world->detail[0] = 0;
    sn_world_release_handles(world, time);
    SN_TRY(sn_world_prepare(world));
    measure(world);
    sn_ledger_begin(world);
    SN_TRY(run_stages(world, time, &report));
    world->step++;
    world->time = time;
    report_state(world, &report);
    report.ms.total = sn_now_ms() - start;
    if (out) *out = report;
    return SN_OK;
}

SnStatus sn_world_measure(SnWorld* world, SnStepReport* report)
{
    sn_world_release_handles(world, world->time);
    SN_TRY(sn_world_prepare(world));
    *report = (SnStepReport){.outcome = SN_OUTCOME_CONVERGED, .detail = ""};
    measure_energies(world);
    report_state(world, report);
    return SN_OK;
}
