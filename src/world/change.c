// Changes between steps: positions, velocities, gravity, friction; and what a ray meets.
//
// What such a change adds to the energies and momenta is booked as work and impulse of handles: somebody's hand did it.
// A change that would not do leaves the world as it was.
#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "world/event.h"

static SnStatus check_numbers(const SnWorld* world, const double* values, const char* what)
{
    int node = sn_first_beyond(world->model.node_count, values);
    if (node < 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "%s of node %d, %g %g %g, is beyond all numbers", what, node, values[3 * node],
                   values[3 * node + 1], values[3 * node + 2]);
}

void sn_change_forget(SnWorld* world)
{
    world->state.force_known = false;
    world->state.last_length = 0;
    world->elastic = NAN;
}

void sn_change_structure(SnWorld* world)
{
    sn_world_discard_problem(world);
    if (world->state.step == 0) return;
    world->state.constraints.count = 0;
    sn_change_forget(world);
}

void sn_change_book(SnState* state, const SnStepReport* before, const SnStepReport* after)
{
    if (state->step == 0) return; // that is the start
    const SnEnergy *a = &before->energy, *b = &after->energy;
    SnAccount *pins = &state->accounts[SN_ACCOUNT_PINS], *impulse = &state->accounts[SN_ACCOUNT_IMPULSE];
    pins->sum += b->kinetic - a->kinetic + b->elastic - a->elastic + b->gravity - a->gravity;
    for (int c = 0; c < 3; c++) {
        impulse[c].sum += after->momentum[c] - before->momentum[c];
        impulse[3 + c].sum += after->angular_momentum[c] - before->angular_momentum[c];
    }
}

// Exchanges an array of the state with `values`, and books the difference.
static SnStatus exchange(SnWorld* world, double* array, const double* values, bool moves)
{
    SnStepReport before, after;
    size_t size = 3 * (size_t)world->model.node_count * sizeof *array;
    SN_TRY(sn_change_measure(world, &before));
    double* old = sn_copy_memory(array, 3 * (size_t)world->model.node_count, sizeof *array, "a change");
    if (!old) return SN_ERROR_MEMORY;
    memcpy(array, values, size);
    world->elastic = NAN;
    SnStatus status = sn_change_measure(world, &after);
    bool crosses = moves && world->problem.constraints.contacts && !world->model.def.contact.untangle;
    if (status == SN_OK && crosses) status = sn_contacts_check_start(&world->model, &world->problem);
    if (status == SN_OK && !isfinite(after.energy.elastic))
        status = sn_fail(SN_ERROR_VALUE, "a body would be inside out, where its energy is infinite");
    if (status != SN_OK) memcpy(array, old, size), world->elastic = NAN;
    if (status == SN_OK) sn_change_forget(world);
    if (status == SN_OK) sn_change_book(&world->state, &before, &after);
    sn_free(old);
    if (status != SN_OK) return status;
    return sn_world_note(world, moves ? "positions" : "velocities", 0, 3 * world->model.node_count, values);
}

SnStatus sn_world_set_positions(SnWorld* world, const double* positions)
{
    SN_CHANGE(world);
    SN_NEED(positions);
    SN_TRY(check_numbers(world, positions, "the position"));
    return exchange(world, world->state.x, positions, true);
}

SnStatus sn_world_set_velocities(SnWorld* world, const double* velocities)
{
    SN_CHANGE(world);
    SN_NEED(velocities);
    SN_TRY(check_numbers(world, velocities, "the velocity"));
    return exchange(world, world->state.v, velocities, false);
}

SnStatus sn_world_set_gravity(SnWorld* world, const double gravity[3])
{
    SN_CHANGE(world);
    SN_NEED(gravity);
    SnStepReport before, after;
    if (sn_first_beyond(1, gravity) >= 0)
        return sn_fail(SN_ERROR_VALUE, "gravity of %g %g %g m/s2 is beyond all numbers", gravity[0], gravity[1],
                       gravity[2]);
    SN_TRY(sn_change_measure(world, &before));
    for (int64_t k = 0; k < 3 * (int64_t)world->model.node_count; k++)
        world->problem.gravity[k] = world->problem.mass[k / 3] * gravity[k % 3];
    memcpy(world->model.def.gravity, gravity, sizeof world->model.def.gravity);
    world->state.force_known = false;
    SN_TRY(sn_change_measure(world, &after));
    sn_change_book(&world->state, &before, &after);
    return sn_world_note(world, "gravity", 0, 3, gravity);
}

SnStatus sn_world_set_friction(SnWorld* world, int obstacle, double friction)
{
    SN_CHANGE(world);
    SnModel* model = &world->model;
    if (obstacle < -1 || obstacle >= model->obstacle_count)
        return sn_fail(SN_ERROR_VALUE, "there is no obstacle %d; the world has %d, counted from 0, and -1 is bodies",
                       obstacle, model->obstacle_count);
    if (!(friction >= 0) || isinf(friction))
        return sn_fail(SN_ERROR_VALUE, "a friction of %g; it must be a number, 0 or more", friction);
    if (obstacle < 0)
        model->def.contact.friction = friction;
    else
        model->obstacle_shapes[obstacle].friction = friction;
    if (obstacle >= 0 && world->problem.obstacles) world->problem.obstacles[obstacle].friction = friction;
    return sn_world_note(world, "friction", obstacle < 0 ? model->obstacle_count : obstacle, 1, &friction);
}

// Where the ray from `origin` along `direction` meets a triangle, as its share of the direction, and the weights of the
// corners (Möller and Trumbore 1997); infinity: it does not.
static double meet(const double origin[3], const double direction[3], const double* const corner[3], double weight[3])
{
    double e1[3], e2[3], from[3], p[3], q[3];
    sn_subtract3(corner[1], corner[0], e1);
    sn_subtract3(corner[2], corner[0], e2);
    sn_subtract3(origin, corner[0], from);
    sn_cross3(direction, e2, p);
    sn_cross3(from, e1, q);
    double det = sn_dot3(e1, p);
    if (det == 0) return INFINITY;
    weight[1] = sn_dot3(from, p) / det;
    weight[2] = sn_dot3(direction, q) / det;
    weight[0] = 1 - weight[1] - weight[2];
    double t = sn_dot3(e2, q) / det;
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0 && t >= 0 ? t : INFINITY;
}

static void pick_body(const SnWorld* world, int b, const double origin[3], const double direction[3], double* nearest,
                      SnPick* pick)
{
    const SnBody* body = &world->model.bodies[b];
    if (world->state.out[b] != 0) return;
    const double* x = world->state.x + 3 * (int64_t)body->first_node;
    for (int i = 0; i < body->surface_count; i++) {
        const int* t = body->surface + 3 * (int64_t)i;
        double weight[3] = {0};
        double share =
            meet(origin, direction,
                 (const double* const[3]){x + 3 * (int64_t)t[0], x + 3 * (int64_t)t[1], x + 3 * (int64_t)t[2]}, weight);
        if (!(share < *nearest)) continue;
        *nearest = share;
        pick->body = b, pick->triangle = i;
        for (int c = 0; c < 3; c++) pick->nodes[c] = body->first_node + t[c], pick->weights[c] = weight[c];
    }
}

SnStatus sn_world_pick(const SnWorld* world, const double origin[3], const double direction[3], SnPick* pick)
{
    SN_HANDLE(world);
    SN_NEED(origin);
    SN_NEED(direction);
    SN_NEED(pick);
    if (!isfinite(sn_length3(origin)) || !(sn_length3(direction) > 0 && isfinite(sn_length3(direction))))
        return sn_fail(SN_ERROR_VALUE, "a ray needs an origin of numbers and a direction that is not zero");
    double nearest = INFINITY;
    *pick = (SnPick){.body = -1, .distance = INFINITY};
    for (int b = 0; b < world->model.body_count; b++) pick_body(world, b, origin, direction, &nearest, pick);
    if (pick->body < 0) return SN_OK;
    pick->distance = nearest * sn_length3(direction);
    for (int c = 0; c < 3; c++) pick->point[c] = origin[c] + nearest * direction[c];
    return SN_OK;
}
