// Handles that hold by energy, k/2 |x - t|^2 for each node and the place t where it belongs (potential/pin.c): the
// nodes are free, and the handle moves the other end of a spring. So its work is the force on the node times the way of
// t, and what the spring has stored is elastic energy. A solver that keeps limits exactly keeps the places, too, and
// then the spring stores nothing.
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "potential/laplacian.h"
#include "potential/pin.h"
#include "world/motion.h"
#include "world/world.h"

#define STIFFNESS 1e3 // default, relative to what a node has of its own

SnStatus sn_handle_set_hold(const SnWorld* world, const SnHandleDef* def, SnHandle* handle)
{
    const char* body = world->model.bodies[def->body].name;
    if (def->how != SN_HOLD_ELIMINATE && def->how != SN_HOLD_ENERGY)
        return sn_fail(SN_ERROR_VALUE,
                       "a handle of body '%s' has %d for how it holds; there are SN_HOLD_ELIMINATE and "
                       "SN_HOLD_ENERGY",
                       body, (int)def->how);
    if (!(def->stiffness >= 0) || !isfinite(def->stiffness))
        return sn_fail(SN_ERROR_VALUE,
                       "the stiffness of a handle of body '%s' is %g N/m; it must be positive, or 0 for one that suits "
                       "its nodes",
                       body, def->stiffness);
    if (def->stiffness > 0 && def->how == SN_HOLD_ELIMINATE)
        return sn_fail(SN_ERROR_VALUE,
                       "a handle of body '%s' has a stiffness of %g N/m, but takes its nodes out of the problem, which "
                       "needs none; leave it 0, or hold by energy",
                       body, def->stiffness);
    handle->how = def->how;
    handle->stiffness = def->stiffness;
    if (def->how == SN_HOLD_ELIMINATE) return SN_OK;
    int64_t size = 3 * (int64_t)handle->node_count;
    bool made = SN_NEW(handle->place, size, "a handle") && SN_NEW(handle->way, size, "a handle") &&
                SN_NEW(handle->force, size, "a handle");
    return made ? SN_OK : SN_ERROR_MEMORY;
}

static bool pins(const SnHandle* handle)
{
    return handle->how == SN_HOLD_ENERGY && !handle->released;
}

int sn_pins_held(const SnWorld* world, int body)
{
    int count = 0;
    for (int i = 0; i < world->model.handle_count; i++)
        if (pins(&world->model.handles[i]) && world->model.handles[i].body == body)
            count += world->model.handles[i].node_count;
    return count;
}

// What its elements and, in a step of h, its inertia put up against a node's being moved, N/m; into k, of all nodes.
static void find_resistance(const SnWorld* world, double* k)
{
    double h = world->model.def.time_step, inertia = world->model.integrator->order > 0 ? 1 / (h * h) : 0;
    sn_laplacian_diagonal(world->problem.potential, k);
    for (int b = 0; b < world->model.body_count; b++) {
        const SnBody* body = &world->model.bodies[b];
        for (int i = 0; i < body->node_count; i++) {
            double mass = sn_body_density(body, i) * world->problem.potential->node_volume[body->first_node + i];
            k[body->first_node + i] += inertia * mass;
        }
    }
}

// Nodes in no element put up nothing, and stay; any stiffness will do.
static SnStatus add_terms(SnWorld* world, const double* resistance, SnMaterialParameters* parameters)
{
    int count = 0;
    for (int i = 0; i < world->model.handle_count; i++) {
        const SnHandle* handle = &world->model.handles[i];
        for (int n = 0; n < handle->node_count && pins(handle); n++) {
            double own = STIFFNESS * resistance[handle->nodes[n]];
            parameters[count].mu = handle->stiffness > 0 ? handle->stiffness : own > 0 ? own : 1;
            world->problem.pin_nodes[count++] = handle->nodes[n];
        }
    }
    world->problem.pin_group = world->problem.potential->group_count;
    return sn_potential_add(
        world->problem.potential,
        &(SnTermsDef){.term = &sn_pin,
                      .material = world->model.bodies[0].type, // not looked at
                      .count = count,
                      .elements = world->problem.pin_nodes,
                      .parameters = parameters,
                      .per_element = true,
                      .keep = world->model.solver_type->keeps_limits ? SN_KEEP_PROJECTION : SN_KEEP_PENALTY,
                      .name = "handles"});
}

SnStatus sn_world_add_pins(SnWorld* world)
{
    int64_t count = 0;
    world->problem.pin_group = -1;
    for (int b = 0; b < world->model.body_count; b++) count += sn_pins_held(world, b);
    if (count == 0) return SN_OK;
    double* resistance;
    SnMaterialParameters* parameters;
    if (!SN_NEW(world->problem.pin_nodes, count, "handles") ||
        !SN_NEW(world->problem.pin_place, 3 * count, "handles") ||
        !SN_NEW(world->problem.pin_force, 3 * count, "handles") ||
        !SN_NEW(resistance, world->model.node_count, "handles"))
        return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(parameters, count, "handles") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) {
        find_resistance(world, resistance);
        status = add_terms(world, resistance, parameters);
    }
    sn_free(resistance), sn_free(parameters);
    return status;
}

void sn_world_discard_pins(SnWorld* world)
{
    sn_free(world->problem.pin_nodes), sn_free(world->problem.pin_place), sn_free(world->problem.pin_force);
    world->problem.pin_nodes = NULL;
    world->problem.pin_place = world->problem.pin_force = NULL;
    world->problem.pin_group = -1;
}

static void tell_places(SnWorld* world)
{
    double* to = world->problem.pin_place;
    if (world->problem.pin_group < 0) return;
    for (int i = 0; i < world->model.handle_count; i++) {
        const SnHandle* handle = &world->model.handles[i];
        size_t size = 3 * (size_t)handle->node_count;
        if (!pins(handle)) continue;
        memcpy(to, handle->place, size * sizeof *to);
        to += size;
    }
    sn_pin_place(&world->problem.potential->groups[world->problem.pin_group], world->problem.pin_place);
}

void sn_pins_place(SnWorld* world, double time)
{
    for (int i = 0; i < world->model.handle_count; i++) {
        SnHandle* handle = &world->model.handles[i];
        for (int64_t n = 0; n < handle->node_count && pins(handle); n++)
            sn_motion_apply(&handle->motion, time, handle->start + 3 * n, handle->place + 3 * n);
    }
    tell_places(world);
}

// Where the script has it at the end of the stage, and the way there; as for nodes that are taken out (world/stage.c).
// What the last stage is extrapolated from is in the middle, and so is the place.
static void begin_node(const SnWorld* w, SnHandle* handle, int64_t n, const SnStage* stage, double at)
{
    double *place = handle->place + 3 * n, *way = handle->way + 3 * n, now[3], speed[3];
    const double* start = handle->start + 3 * n;
    bool own = stage->before == 0 && stage->middle == 0 && stage->half == 0;
    sn_motion_apply(&handle->motion, at, start, place);
    sn_motion_apply(&handle->motion, w->state.time, start, now);
    sn_motion_velocity(&handle->motion, at, -1e-6 * w->state.step_length, start, speed);
    for (int c = 0; c < 3; c++) {
        place[c] = now[c] + (place[c] - now[c]) / w->model.integrator->extrapolate;
        way[c] = own ? place[c] - now[c] : stage->alpha * w->state.step_length * speed[c];
    }
}

void sn_pins_begin_stage(SnWorld* world, const SnStage* stage, double at)
{
    for (int i = 0; i < world->model.handle_count; i++)
        for (int64_t n = 0; n < world->model.handles[i].node_count && pins(&world->model.handles[i]); n++)
            begin_node(world, &world->model.handles[i], n, stage, at);
    tell_places(world);
}

void sn_pins_put(const SnWorld* world, double* x)
{
    for (int i = 0; i < world->model.handle_count; i++) {
        const SnHandle* handle = &world->model.handles[i];
        for (int64_t n = 0; n < handle->node_count && pins(handle); n++)
            if (world->problem.free_index[handle->nodes[n]] >= 0)
                memcpy(x + 3 * (int64_t)handle->nodes[n], handle->place + 3 * n, 3 * sizeof *x);
    }
}

void sn_pins_find_forces(SnWorld* world, const double* x)
{
    const double* from = world->problem.pin_force;
    if (world->problem.pin_group < 0) return;
    sn_pin_forces(&world->problem.potential->groups[world->problem.pin_group], world->problem.pin_nodes, x,
                  world->problem.pin_force);
    for (int i = 0; i < world->model.handle_count; i++) {
        SnHandle* handle = &world->model.handles[i];
        size_t size = 3 * (size_t)handle->node_count;
        if (!pins(handle)) continue;
        memcpy(handle->force, from, size * sizeof *from);
        from += size;
    }
}

// A solver that keeps places has not yet found what that needs; nor has the force at the start any of it.
void sn_pins_begin_forces(SnWorld* world)
{
    if (!world->model.solver_type->keeps_limits) {
        sn_pins_find_forces(world, world->state.x);
        return;
    }
    for (int i = 0; i < world->model.handle_count; i++)
        if (pins(&world->model.handles[i]))
            memset(world->model.handles[i].force, 0, 3 * (size_t)world->model.handles[i].node_count * sizeof(double));
}

static void add_node(const SnHandle* handle, int64_t n, double b, const double* x, const double* way, double* amounts)
{
    const double* force = handle->force + 3 * n;
    for (int c = 0; c < 3; c++) amounts[SN_ACCOUNT_PINS] += force[c] * way[c];
    sn_ledger_add_wrench(amounts + SN_ACCOUNT_IMPULSE, b, x + 3 * (int64_t)handle->nodes[n], force);
}

void sn_pins_add_given(const SnWorld* w, double b, const double* x, double* amounts)
{
    for (int i = 0; i < w->model.handle_count; i++)
        for (int64_t n = 0; n < w->model.handles[i].node_count && pins(&w->model.handles[i]); n++)
            add_node(&w->model.handles[i], n, b, x, w->model.handles[i].way + 3 * n, amounts);
}

// The script may have a corner at the start of a step: the speed is that after it.
void sn_pins_add_rates(const SnWorld* w, double* amounts)
{
    for (int i = 0; i < w->model.handle_count; i++) {
        const SnHandle* handle = &w->model.handles[i];
        for (int64_t n = 0; n < handle->node_count && pins(handle); n++) {
            double speed[3];
            sn_motion_velocity(&handle->motion, w->state.time, 1e-6 * w->state.step_length, handle->start + 3 * n,
                               speed);
            add_node(handle, n, 1, w->state.x, speed, amounts);
        }
    }
}

// What it pulled with is no longer in the force, and what its springs had stored stays with it. A state that was saved
// later has neither.
void sn_pins_let_go(SnWorld* world, SnHandle* handle)
{
    double stored = 0;
    for (int64_t n = 0; n < handle->node_count; n++) {
        double place[3], *force = handle->force + 3 * n;
        int64_t node = 3 * (int64_t)handle->nodes[n];
        sn_motion_apply(&handle->motion, world->state.time, handle->start + 3 * n, place);
        for (int c = 0; c < 3; c++) {
            stored += 0.5 * force[c] * (place[c] - world->state.x[node + c]);
            world->state.force[node + c] -= force[c];
            force[c] = 0;
        }
    }
    world->measured = false;
    if (world->model.solver_type->keeps_limits) return;
    world->state.accounts[SN_ACCOUNT_PINS].sum -= stored;
    sn_ledger_read_accounts(world);
}

double sn_pins_drift(const SnWorld* world)
{
    double most = 0;
    for (int i = 0; i < world->model.handle_count; i++) {
        const SnHandle* handle = &world->model.handles[i];
        for (int64_t n = 0; n < handle->node_count && pins(handle); n++) {
            const double* x = world->state.x + 3 * (int64_t)handle->nodes[n];
            double place[3];
            sn_motion_apply(&handle->motion, world->state.time, handle->start + 3 * n, place);
            double off[3] = {x[0] - place[0], x[1] - place[1], x[2] - place[2]};
            most = fmax(most, sn_dot3(off, off));
        }
    }
    return sqrt(most);
}
