// Actuators of a world (potential/actuator.h): what they make of rest shapes at a time, and the work that they do.
//
// The elastic energy U(x, t) then depends on time by itself; the work is the integral of dU/dt with x kept, the mean of
// its powers at the start and the end of a step times what the ramps change by: of second order, whatever the
// integrator. What expands freely takes none.
#include "potential/actuator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/handle.h"
#include "linalg/graph.h"
#include "potential/ramp.h"
#include "world/added.h"
#include "world/definitions.h"
#include "world/event.h"
#include "world/shelf.h"

SnActuatorDef sn_default_actuator_def(const char* type)
{
    SnActuatorDef def = {.type = type};
    const SnActuatorType* found = type ? sn_actuator_find(type) : NULL;
    sn_parameters_default(sn_actuator_parameters, &def);
    if (found) sn_parameters_default(found->parameters, &def);
    return def;
}

void sn_actuator_free(SnActuator* actuator)
{
    SN_FREE(actuator->elements, actuator->points);
}

double sn_actuator_factor(const SnActuator* actuator, double time)
{
    return actuator->scale * sn_ramp_at(&actuator->def.ramp, time - actuator->since);
}

// With all factors of its ramp times `scale`.
static SnStatus check_factors(const SnActuatorDef* def, const SnActuatorType* type, double scale)
{
    for (int i = 0; i < (def->ramp.count > 0 ? def->ramp.count : 1); i++) {
        double factor = scale * (def->ramp.count > 0 ? def->ramp.points[2 * i + 1] : 1);
        SnActuation e = {{1, 1, 1}, 1, 0, 1};
        type->act(def, factor, &e);
        if (!(fmin(fmin(e.growth[0], e.growth[1]), fmin(e.growth[2], e.stretch)) > 0))
            return sn_fail(SN_ERROR_VALUE,
                           "with the factor %g of its ramp, an actuator of type %s leaves nothing of a length; strains "
                           "times factors must be above -1",
                           factor, type->name);
    }
    return SN_OK;
}

SnStatus sn_actuator_check(const SnActuatorDef* def)
{
    const SnActuatorType* type = def->type ? sn_actuator_find(def->type) : NULL;
    if (!def->type) return sn_fail(SN_ERROR_VALUE, "an actuator has no type, such as growth");
    if (!type) return sn_table_unknown(&sn_actuator_table, def->type);
    SN_TRY(sn_parameters_check(type->parameters, def, "actuator"));
    SN_TRY(sn_ramp_check(&def->ramp, "an actuator"));
    return check_factors(def, type, 1);
}

// Fibers, or, of ropes, springs.
static bool can_pull(const SnBody* body, int element)
{
    if (body->tetrahedron_count == 0) return body->triangle_count == 0 && strcmp(body->type->name, "spring") == 0;
    return bsearch(&element, body->fibers, (size_t)body->fiber_count, sizeof element, sn_compare_ints) != NULL;
}

static SnStatus check_elements(const SnBody* body, const SnActuatorType* type, const SnActuator* actuator)
{
    bool any = !type->fibers;
    int count = sn_body_elements(body).count;
    for (int i = 0; i < actuator->element_count; i++) {
        int element = actuator->elements[i] - body->first_element;
        if (element < 0 || element >= count)
            return sn_fail(SN_ERROR_VALUE, "an actuator names element %d of body '%s', which has %d", element,
                           body->name, count);
        any = any || can_pull(body, element);
    }
    if (any) return SN_OK;
    return sn_fail(
        SN_ERROR_VALUE,
        "an actuator of type %s acts on fibers of a solid or on a rope of type spring; body '%s' has neither "
        "there. Give its material `fiber: {stiffness: 1e5, direction: [1, 0, 0]}`",
        type->name, body->name);
}

static SnStatus fill(const SnModel* model, const SnActuatorDef* def, SnActuator* actuator)
{
    const SnBody* body = &model->bodies[def->body];
    actuator->type = sn_actuator_find(def->type);
    actuator->def = *def, actuator->scale = 1;
    actuator->def.type = actuator->type->name, actuator->def.elements = NULL;
    if (def->ramp.count > 0) {
        actuator->points = sn_copy_memory(def->ramp.points, 2 * (size_t)def->ramp.count, sizeof(double), "a ramp");
        if (!actuator->points) return SN_ERROR_MEMORY;
    }
    actuator->def.ramp.points = actuator->points;
    actuator->element_count = def->elements ? def->element_count : sn_body_elements(body).count;
    if (!SN_NEW(actuator->elements, actuator->element_count, "an actuator")) return SN_ERROR_MEMORY;
    for (int i = 0; i < actuator->element_count; i++)
        actuator->elements[i] = body->first_element + (def->elements ? def->elements[i] : i);
    return check_elements(body, actuator->type, actuator);
}

static SnStatus add(SnWorld* world, const SnActuatorDef* def)
{
    SnModel* model = &world->model;
    if (!SN_GROW(model->actuators, model->actuator_capacity, model->actuator_count + 1, "actuators"))
        return SN_ERROR_MEMORY;
    SnActuator* actuator = &model->actuators[model->actuator_count];
    *actuator = (SnActuator){.since = sn_world_lives(world) ? world->state.time : 0};
    SnStatus status = fill(model, def, actuator);
    if (status != SN_OK) {
        sn_actuator_free(actuator);
        return status;
    }
    model->actuator_count++;
    return SN_OK;
}

// What is stored in the same shape after a change.
static SnStatus measure_after(SnWorld* world, SnStepReport* after)
{
    world->elastic = NAN;
    SN_TRY(sn_change_measure(world, after));
    if (isfinite(after->energy.elastic)) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "an actuator would store more energy than there are numbers for");
}

// What is stored in the same shape changes with it: that is work.
static SnStatus add_between(SnWorld* world, const SnActuatorDef* def)
{
    SnStepReport before, after;
    SN_TRY(sn_change_measure(world, &before));
    SnAside aside = sn_shelf_set_aside(world);
    SnStatus status = add(world, def);
    bool added = status == SN_OK;
    if (added) status = measure_after(world, &after);
    if (status != SN_OK) {
        if (added) sn_actuator_free(&world->model.actuators[--world->model.actuator_count]);
        sn_shelf_put_back(world, &aside);
        return status;
    }
    sn_shelf_drop_aside(world, &aside);
    sn_change_forget(world);
    sn_change_book(&world->state, &before, &after);
    return SN_OK;
}

SnStatus sn_world_add_actuator(SnWorld* world, const SnActuatorDef* def, int* index)
{
    SN_CHANGE(world);
    SN_NEED(def);
    SN_TRY(sn_actuator_check(def));
    SN_TRY(sn_model_check_body(&world->model, def->body, "an actuator names"));
    if (def->elements && def->element_count < 1)
        return sn_fail(SN_ERROR_VALUE, "an actuator has %d elements; it needs one or more", def->element_count);
    bool lives = sn_world_lives(world);
    SN_TRY(lives ? add_between(world, def) : add(world, def));
    if (!lives) sn_world_discard_problem(world), world->elastic = NAN;
    if (index) *index = world->model.actuator_count - 1;
    return sn_added_note_actuator(world, def);
}

SnStatus sn_world_set_actuator(SnWorld* world, int index, double factor)
{
    SN_CHANGE(world);
    SnStepReport before, after;
    if (index < 0 || index >= world->model.actuator_count)
        return sn_fail(SN_ERROR_VALUE, "there is no actuator %d; the world has %d, counted from 0", index,
                       world->model.actuator_count);
    if (!isfinite(factor)) return sn_fail(SN_ERROR_VALUE, "an actuator of %g times what it was", factor);
    SnActuator* actuator = &world->model.actuators[index];
    SN_TRY(check_factors(&actuator->def, actuator->type, factor));
    SN_TRY(sn_change_measure(world, &before));
    double old = actuator->scale, elastic = world->elastic;
    int64_t made = world->problem.potential->actuated;
    actuator->scale = factor;
    SnStatus status = measure_after(world, &after);
    if (status != SN_OK) { // as if nobody had asked
        actuator->scale = old, world->elastic = elastic;
        sn_actuators_set(&world->model, &world->problem, world->state.time);
        world->problem.potential->actuated = made;
        return status;
    }
    sn_change_forget(world);
    sn_change_book(&world->state, &before, &after);
    return sn_world_note(world, "actuator", index, 1, &factor);
}

SnStatus sn_actuators_build(const SnModel* model, SnProblem* problem)
{
    SnActuations* a = &problem->actuations;
    if (model->actuator_count == 0) return SN_OK;
    if (!SN_NEW(a->elements, model->element_count, "actuators") ||
        !SN_NEW(a->factors, model->actuator_count, "actuators") ||
        !SN_NEW(a->wanted, model->actuator_count, "actuators") ||
        !SN_NEW(a->before, 3 * (int64_t)model->node_count, "actuators") ||
        !SN_NEW(a->now, 3 * (int64_t)model->node_count, "actuators"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < model->actuator_count; i++) a->factors[i] = NAN;
    return sn_potential_reserve_actuation(problem->potential);
}

void sn_actuators_free(SnActuations* a)
{
    SN_FREE(a->elements, a->factors, a->wanted, a->before, a->now);
}

// How long fibers and ropes are by all that acts on them.
static void set_lengths(const SnModel* model, SnActuation* elements)
{
    for (int b = 0; b < model->body_count; b++) {
        const SnBody* body = &model->bodies[b];
        SnActuation* e = elements + body->first_element;
        for (int i = 0; i < body->edge_count && body->tetrahedron_count == 0 && body->triangle_count == 0; i++)
            e[i].along = e[i].growth[0] * e[i].stretch;
        for (int k = 0; k < body->fiber_count; k++) {
            const double* d = body->fiber_directions + 3 * (int64_t)k;
            SnActuation* fiber = &e[body->fibers[k]];
            double sum = 0, all = 0;
            for (int c = 0; c < 3; c++) sum += pow(fiber->growth[c] * d[c], 2), all += d[c] * d[c];
            fiber->along = sqrt(sum / all) * fiber->stretch;
        }
    }
}

// Rest shapes by these factors, unless that is what they are.
static bool set_factors(const SnModel* model, SnProblem* problem, const double* factors)
{
    SnActuations* a = &problem->actuations;
    size_t size = (size_t)model->actuator_count * sizeof *factors;
    if (memcmp(factors, a->factors, size) == 0) return false;
    memcpy(a->factors, factors, size);
    for (int i = 0; i < model->element_count; i++) a->elements[i] = (SnActuation){{1, 1, 1}, 1, 0, 1};
    for (int i = 0; i < model->actuator_count; i++) {
        const SnActuator* actuator = &model->actuators[i];
        for (int k = 0; k < actuator->element_count; k++)
            actuator->type->act(&actuator->def, factors[i], &a->elements[actuator->elements[k]]);
    }
    set_lengths(model, a->elements);
    sn_potential_actuate(problem->potential, a->elements);
    return true;
}

bool sn_actuators_set(const SnModel* model, SnProblem* problem, double time)
{
    double* factors = problem->actuations.wanted;
    for (int i = 0; i < model->actuator_count; i++) factors[i] = sn_actuator_factor(&model->actuators[i], time);
    return model->actuator_count > 0 && set_factors(model, problem, factors);
}

// They act as forces from outside do, by what elements would exert without them: what is small is told by that, too, in
// an equilibrium that bears nothing.
void sn_actuators_begin_stage(const SnModel* model, const SnState* state, SnProblem* problem, double at)
{
    SnActuations* a = &problem->actuations;
    double sum = 0;
    problem->objective.actuation = 0;
    if (model->actuator_count == 0) return;
    sn_actuators_set(model, problem, at);
    int64_t made = problem->potential->actuated;
    memset(a->wanted, 0, (size_t)model->actuator_count * sizeof *a->wanted);
    sn_potential_begin_stage(problem->potential, NULL, 0);
    sn_potential_gradient(problem->potential, state->x, a->now);
    if (!set_factors(model, problem, a->wanted)) return;
    sn_potential_gradient(problem->potential, state->x, a->before);
    sn_actuators_set(model, problem, at);
    problem->potential->actuated = made; // as they were
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++)
        if (problem->free_index[k / 3] >= 0) sum += pow(a->now[k] - a->before[k], 2);
    problem->objective.actuation = isfinite(sum) ? sqrt(sum) : 0;
}

// U at x with factors on the line through those of two times, at `part` of the way.
static double energy_at(const SnModel* model, SnProblem* problem, const double* x, double from, double to, double part)
{
    double* factors = problem->actuations.wanted;
    for (int i = 0; i < model->actuator_count; i++) {
        double first = sn_actuator_factor(&model->actuators[i], from);
        factors[i] = first + part * (sn_actuator_factor(&model->actuators[i], to) - first);
    }
    set_factors(model, problem, factors);
    return sn_potential_energy(problem->potential, x).elastic;
}

#define NEAR 1e-3 // of a step's change: between such points the slope of U is taken

double sn_actuators_work(const SnModel* model, SnProblem* problem, const double* x, double from, double to, bool end)
{
    bool changes = false;
    for (int i = 0; i < model->actuator_count; i++) {
        const SnActuator* actuator = &model->actuators[i];
        changes |= sn_actuator_factor(actuator, from) != sn_actuator_factor(actuator, to);
    }
    if (!changes) return 0;
    double after = energy_at(model, problem, x, from, to, (end ? 1 : 0) + NEAR);
    double work = (after - energy_at(model, problem, x, from, to, (end ? 1 : 0) - NEAR)) / (2 * NEAR);
    sn_actuators_set(model, problem, end ? to : from);
    return isfinite(work) ? work : 0;
}
