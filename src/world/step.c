// One step: handles move; for each stage of the integrator: target, minimise, velocities; then the ledger.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/timer.h"
#include "linalg/vector.h"
#include "world/world.h"

// The stage's target x~ = x^p + b v^p + b^2 M^-1 f (or only the force, without inertia).
static void set_target(SnWorld* world, const SnStage* stage)
{
    double b = stage->alpha * world->def.time_step;
    world->objective.inertia = b > 0 ? 1 / (b * b) : 0;
    world->objective.force = b > 0 ? NULL : world->gravity;
    for (int i = 0; i < world->node_count; i++)
        for (int c = 0; c < 3; c++) {
            int64_t k = 3 * (int64_t)i + c;
            world->target[k] = world->x[k] + b * world->v[k] + b * b * world->def.gravity[c];
        }
}

// The first guess: the target where that is feasible, else the last state; held nodes where they belong.
static void guess(SnWorld* world, double time)
{
    SnSearch* s = world->search;
    int n = 3 * world->node_count;
    sn_vector_copy(world->tasks, n, world->objective.inertia > 0 ? world->target : world->x, s->x);
    for (int i = 0; i < world->node_count; i++)
        if (world->mass[i] == 0) memcpy(s->x + 3 * (int64_t)i, world->x + 3 * (int64_t)i, 3 * sizeof(double));
    sn_world_place_handles(world, time, s->x);
    if (world->objective.inertia == 0 || !world->barrier || isfinite(sn_potential_energy(world->potential, s->x)))
        return;
    sn_vector_copy(world->tasks, n, world->x, s->x);
    sn_world_place_handles(world, time, s->x);
}

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

// Without a feasible start there is no new state: everything stays where it was.
static void stay_if_infeasible(SnWorld* world)
{
    SnSearch* s = world->search;
    if (isfinite(s->value.total)) return;
    sn_vector_copy(world->tasks, 3 * world->node_count, world->x, s->x);
    memset(world->reaction, 0, 3 * (size_t)world->node_count * sizeof *world->reaction);
    s->value.elastic = world->energy.elastic;
}

// Takes over the new positions and v = (x - x^p)/b; returns how far each node went in `moved` (the search's workspace).
static const double* accept(SnWorld* world, double b)
{
    SnSearch* s = world->search;
    double* moved = s->trial;
    for (int64_t k = 0; k < 3 * (int64_t)world->node_count; k++) {
        moved[k] = s->x[k] - world->x[k];
        world->v[k] = b > 0 ? moved[k] / b : 0;
        world->x[k] = s->x[k];
    }
    return moved;
}

static void report_state(const SnWorld* world, SnStepReport* report)
{
    report->step = world->step;
    report->time = world->time;
    report->energy = world->energy;
    sn_ledger_momentum(world, report->momentum, report->angular_momentum);
    report->tolerance = world->search->tolerance;
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
    if (s->outcome > report->outcome) {
        report->outcome = s->outcome;
        snprintf(world->detail, sizeof world->detail, "%s", s->detail);
    }
}

SnStatus sn_world_step(SnWorld* world, SnStepReport* out)
{
    double start = sn_now_ms(), time = (double)(world->step + 1) * world->def.time_step;
    SnStepReport report = {.outcome = SN_OUTCOME_CONVERGED, .detail = world->detail};
    world->detail[0] = 0;
    sn_world_release_handles(world, time);
    SN_TRY(sn_world_prepare(world));
    if (!world->measured) sn_ledger_state(world, sn_potential_energy(world->potential, world->x));
    for (int k = 0; k < world->integrator->stage_count; k++) {
        const SnStage* stage = &world->integrator->stages[k];
        set_target(world, stage);
        SN_TRY(sn_world_collect_rows(world, time));
        guess(world, time);
        SN_TRY(minimize(world));
        stay_if_infeasible(world);
        report_search(world, &report);
        const double* moved = accept(world, stage->alpha * world->def.time_step);
        sn_ledger_step(world, world->search->value.elastic, moved);
    }
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
    if (!world->measured) sn_ledger_state(world, sn_potential_energy(world->potential, world->x));
    report_state(world, report);
    return SN_OK;
}
