// Grabs: somebody pulls at a point of a surface (constraint/grab.h). They change nothing but what constraints there
// are.
#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "core/pi.h"
#include "linalg/vec3.h"
#include "world/event.h"

// The default: a body that is free follows within a third of a second, but no point of it is torn out: the spring is no
// stiffer than what the elements of its nodes put up against their being moved.
#define FREQUENCY 3.0 // 1/s
#define WHOLE 1e-6    // what weights may be off from adding up to one

static SnStatus check_pick(const SnWorld* world, const SnPick* pick)
{
    double sum = 0;
    SN_TRY(sn_model_check_body(&world->model, pick->body, "a grab of"));
    const SnBody* body = &world->model.bodies[pick->body];
    for (int k = 0; k < 3; k++) {
        int own = pick->nodes[k] - body->first_node;
        if (own < 0 || own >= body->node_count)
            return sn_fail(SN_ERROR_VALUE, "a grab of body '%s' names node %d of the world, which is not its",
                           body->name, pick->nodes[k]);
        if (!(pick->weights[k] >= 0)) return sn_fail(SN_ERROR_VALUE, "a grab has a weight of %g", pick->weights[k]);
        sum += pick->weights[k];
    }
    if (fabs(sum - 1) < WHOLE) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "the weights of a grab add up to %g, not to 1", sum);
}

// Nodes in no element, or of several equal numbers, do not matter: those without a weight are left out.
static void set_point(const SnPick* pick, const double* x, SnGrab* grab)
{
    *grab = (SnGrab){.holds = true};
    for (int k = 0; k < 3; k++) {
        if (pick->weights[k] == 0) continue;
        grab->node[grab->count] = pick->nodes[k], grab->weight[grab->count++] = pick->weights[k];
        for (int c = 0; c < 3; c++) grab->target[c] += pick->weights[k] * x[3 * (int64_t)pick->nodes[k] + c];
    }
}

static double usual_stiffness(const SnWorld* world, int body, const SnGrab* grab)
{
    const SnProblem* problem = &world->problem;
    const SnBody* b = &world->model.bodies[body];
    double mass = 0, own = 0, rate = 2 * SN_PI * FREQUENCY;
    for (int i = 0; i < b->node_count; i++) mass += problem->mass[b->first_node + i];
    for (int k = 0; k < grab->count; k++) own += grab->weight[k] * problem->node_stiffness[grab->node[k]];
    return own > 0 ? fmin(rate * rate * mass, own) : rate * rate * mass;
}

static int first_free(const SnModel* model)
{
    int i = 0;
    while (i < model->grab_count && model->grabs[i].holds) i++;
    return i;
}

// The state's force has it now, or has no more of it.
static void change_forces(SnWorld* world)
{
    world->state.force_known = false;
    world->state.last_length = 0;
}

SnStatus sn_world_grab(SnWorld* world, const SnPick* pick, double stiffness, int* index)
{
    SN_CHANGE(world);
    SN_NEED(pick);
    SN_NEED(index);
    SnModel* model = &world->model;
    SN_TRY(check_pick(world, pick));
    if (!(stiffness >= 0) || isinf(stiffness))
        return sn_fail(SN_ERROR_VALUE, "a grab of %g N/m; it must be positive, or 0 for the usual one", stiffness);
    SN_TRY(sn_world_prepare(world, world->state.time));
    int at = first_free(model);
    if (!SN_GROW(model->grabs, model->grab_capacity, at + 1, "grabs")) return SN_ERROR_MEMORY;
    SnGrab grab;
    set_point(pick, world->state.x, &grab);
    grab.stiffness = stiffness > 0 ? stiffness : usual_stiffness(world, pick->body, &grab);
    if (!(grab.stiffness > 0)) return sn_fail(SN_ERROR_VALUE, "a grab of nodes that nothing moves");
    model->grabs[at] = grab;
    if (at == model->grab_count) model->grab_count++;
    bool still = model->integrator->order == 0; // what nothing else holds needs support
    if (still) sn_world_discard_problem(world);
    change_forces(world);
    *index = at;
    double numbers[7] = {pick->nodes[0],   pick->nodes[1],   pick->nodes[2], pick->weights[0],
                         pick->weights[1], pick->weights[2], stiffness};
    return sn_world_note(world, "grab", pick->body, 7, numbers);
}

static SnStatus find(const SnWorld* world, int grab)
{
    if (grab >= 0 && grab < world->model.grab_count && world->model.grabs[grab].holds) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "there is no grab %d, or it was let go", grab);
}

SnStatus sn_world_drag(SnWorld* world, int grab, const double target[3])
{
    SN_CHANGE(world);
    SN_NEED(target);
    SN_TRY(find(world, grab));
    if (sn_first_beyond(1, target) >= 0)
        return sn_fail(SN_ERROR_VALUE, "a grab to %g %g %g, which is beyond all numbers", target[0], target[1],
                       target[2]);
    memcpy(world->model.grabs[grab].target, target, 3 * sizeof *target);
    change_forces(world);
    return sn_world_note(world, "drag", grab, 3, target);
}

SnStatus sn_world_let_go(SnWorld* world, int grab)
{
    SN_CHANGE(world);
    SN_TRY(find(world, grab));
    world->model.grabs[grab].holds = false;
    while (world->model.grab_count > 0 && !world->model.grabs[world->model.grab_count - 1].holds)
        world->model.grab_count--;
    change_forces(world);
    return sn_world_note(world, "let-go", grab, 0, NULL);
}

SnStatus sn_world_grab_force(const SnWorld* world, int grab, SnWrench* wrench)
{
    SN_HANDLE(world);
    SN_NEED(wrench);
    SN_TRY(find(world, grab));
    const SnGrab* g = &world->model.grabs[grab];
    double point[3] = {0}, force[3], six[6] = {0};
    for (int k = 0; k < g->count; k++)
        for (int c = 0; c < 3; c++) point[c] += g->weight[k] * world->state.x[3 * (int64_t)g->node[k] + c];
    for (int c = 0; c < 3; c++) force[c] = g->stiffness * (g->target[c] - point[c]);
    sn_ledger_add_wrench(six, 1, point, force);
    memcpy(wrench->force, six, sizeof wrench->force);
    memcpy(wrench->torque, six + 3, sizeof wrench->torque);
    return SN_OK;
}
