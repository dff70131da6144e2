// Handles: nodes held in place or moved by a script, until they are released.
#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "world/added.h"
#include "world/event.h"
#include "world/motion.h"
#include "world/shelf.h"
#include "world/steer.h"
#include "world/world.h"

static SnStatus keep_targets(const SnHandleDef* def, SnHandle* handle)
{
    int64_t count = (int64_t)def->target_count * 3 * handle->node_count;
    if (def->target_count < 0 || (def->target_count > 0) != (def->targets && def->target_times))
        return sn_fail(SN_ERROR_VALUE, "%d targets of a handle%s", def->target_count,
                       def->target_count < 0 ? "; there can be 0 or more" : " without places and times");
    if (def->target_count == 0 || handle->node_count == 0) return SN_OK;
    for (int i = 0; i < def->target_count; i++)
        if (!isfinite(def->target_times[i]) || (i > 0 && !(def->target_times[i] > def->target_times[i - 1])))
            return sn_fail(SN_ERROR_VALUE, "targets of a handle: time %d is %g s; times must increase", i,
                           def->target_times[i]);
    int beyond = sn_first_beyond((int)(count / 3), def->targets);
    if (beyond >= 0)
        return sn_fail(SN_ERROR_VALUE, "targets of a handle: node %d is not at a finite place at %g s",
                       beyond % handle->node_count, def->target_times[beyond / handle->node_count]);
    SN_TRY(sn_point_cache_create(handle->node_count, def->target_count, 1, &handle->targets));
    memcpy(handle->targets->times, def->target_times, (size_t)def->target_count * sizeof(double));
    memcpy(handle->targets->points, def->targets, (size_t)count * sizeof(double));
    return SN_OK;
}

static SnStatus fill_handle(const SnModel* model, const double* x, const SnHandleDef* def, SnHandle* handle)
{
    const SnBody* body = &model->bodies[def->body];
    handle->body = def->body;
    SN_TRY(sn_body_choose_nodes(body, def->nodes, def->node_count, "a handle", &handle->nodes, &handle->node_count));
    if (!SN_NEW(handle->start, 3 * (int64_t)handle->node_count, "a handle")) return SN_ERROR_MEMORY;
    for (int i = 0; i < handle->node_count; i++)
        memcpy(handle->start + 3 * (int64_t)i, x + 3 * (int64_t)handle->nodes[i], 3 * sizeof(double));
    SN_TRY(keep_targets(def, handle));
    SN_TRY(sn_motion_copy(&def->motion, &handle->motion, &handle->keyframes));
    SN_TRY(sn_handle_set_axes(handle, def, body->name));
    SN_TRY(sn_handle_set_hinge(handle, def, body->name));
    return sn_handle_set_hold(handle, def, body->name);
}

// A node follows one handle only, of those that have not let go by now.
static SnStatus check_nodes(const SnModel* model, const SnHandle* handle, double now)
{
    int* holder;
    SnStatus status = SN_OK;
    if (!SN_NEW(holder, model->node_count, "a handle")) return SN_ERROR_MEMORY;
    for (int h = 0; h <= model->handle_count && status == SN_OK; h++) {
        const SnHandle* one = h < model->handle_count ? &model->handles[h] : handle;
        if (one != handle && one->motion.release <= now) continue; // it has let go
        for (int i = 0; i < one->node_count && status == SN_OK; i++) {
            int *held = &holder[one->nodes[i]], node = one->nodes[i] - model->bodies[one->body].first_node;
            const char* name = model->bodies[one->body].name;
            if (*held && *held - 1 != h && one->axis_count > 0 && model->handles[*held - 1].axis_count > 0)
                continue; // below
            if (*held && *held - 1 == h)
                status = sn_fail(SN_ERROR_VALUE, "a handle names node %d of body '%s' twice", node, name);
            else if (*held)
                status = sn_fail(SN_ERROR_VALUE,
                                 "node %d of body '%s' is held by handle %d already; a node can follow one handle only",
                                 node, name, *held - 1);
            *held = h + 1;
        }
    }
    sn_free(holder);
    return status;
}

// Directions of several handles at one node must not say the same twice.
static SnStatus check_axes(const SnModel* model, const SnHandle* handle)
{
    struct Basis {
        int count;
        double axes[9];
    } * bases;
    SnStatus status = SN_OK;
    if (handle->axis_count == 0) return SN_OK;
    if (!SN_NEW(bases, model->node_count, "a handle")) return SN_ERROR_MEMORY;
    for (int h = 0; h <= model->handle_count && status == SN_OK; h++) {
        const SnHandle* one = h < model->handle_count ? &model->handles[h] : handle;
        for (int i = 0; i < one->node_count && status == SN_OK; i++)
            if (!sn_handle_add_axes(one, &bases[one->nodes[i]].count, bases[one->nodes[i]].axes))
                status =
                    sn_fail(SN_ERROR_VALUE,
                            "node %d of body '%s' is held by several handles whose axes are not independent; it can "
                            "be held once in each direction",
                            one->nodes[i] - model->bodies[one->body].first_node, model->bodies[one->body].name);
    }
    sn_free(bases);
    return status;
}

void sn_handle_free(SnHandle* handle)
{
    SN_FREE(handle->nodes, handle->start, handle->keyframes, handle->from, handle->to);
    sn_point_cache_destroy(handle->targets);
    sn_handle_free_hinge(handle);
}

// Where the motion takes the node from; its script stops at `until`, and so do the targets.
static void origin_of(const SnHandle* handle, int k, double time, double x[3])
{
    const SnMotion* m = &handle->motion;
    if (handle->targets)
        sn_point_cache_at(handle->targets, time < m->until ? time : m->until, k, x);
    else
        memcpy(x, handle->start + 3 * (int64_t)k, 3 * sizeof *x);
}

void sn_handle_place(const SnHandle* handle, int k, double time, double x[3])
{
    double origin[3];
    if (handle->steered) {
        sn_steer_place(handle, k, time, x);
        return;
    }
    time -= handle->since;
    origin_of(handle, k, time, origin);
    sn_motion_apply(&handle->motion, time, origin, x);
}

// x = c + R (o - c) + ...: what the script does to the origin, and R times how fast the origin goes.
void sn_handle_velocity(const SnHandle* handle, int k, double time, double lean, double v[3])
{
    double origin[3], speed[3], here[3], there[3];
    if (handle->steered) {
        sn_steer_velocity(handle, k, time + lean, v);
        return;
    }
    time -= handle->since;
    origin_of(handle, k, time, origin);
    sn_motion_velocity(&handle->motion, time, lean, origin, v);
    if (!handle->targets || time + lean > handle->motion.until) return;
    sn_point_cache_speed(handle->targets, time, lean, k, speed);
    sn_motion_apply(&handle->motion, time, origin, here);
    for (int c = 0; c < 3; c++) origin[c] += speed[c];
    sn_motion_apply(&handle->motion, time, origin, there);
    for (int c = 0; c < 3; c++) v[c] += there[c] - here[c];
}

static SnStatus add_handle(SnWorld* world, const SnHandleDef* def, int* index)
{
    SnModel* model = &world->model;
    SN_TRY(sn_model_check_body(model, def->body, "a handle names"));
    SN_TRY(sn_shelf_check_tie(world, def->body, "a handle"));
    if (!SN_GROW(model->handles, model->handle_capacity, model->handle_count + 1, "handles")) return SN_ERROR_MEMORY;
    SnHandle* handle = &model->handles[model->handle_count];
    int pins = model->pin_count;
    *handle = (SnHandle){.first_pin = pins, .since = sn_world_lives(world) ? world->state.time : 0};
    SnStatus status = fill_handle(model, world->state.x, def, handle);
    handle->motion.release += handle->since; // which goes by the clock
    if (status == SN_OK) status = check_nodes(model, handle, sn_world_lives(world) ? world->state.time : -1);
    if (status == SN_OK) status = check_axes(model, handle);
    if (status == SN_OK && handle->how == SN_HOLD_ENERGY) {
        model->pin_count += handle->node_count;
        status = sn_state_grow(&world->state, model);
    }
    if (status != SN_OK) {
        model->pin_count = pins;
        sn_handle_free(handle);
        return status;
    }
    sn_world_discard_problem(world);
    if (index) *index = model->handle_count;
    model->handle_count++;
    return SN_OK;
}

SnStatus sn_world_add_handle(SnWorld* world, const SnHandleDef* def, int* index)
{
    SN_CHANGE(world);
    SN_NEED(def);
    SN_TRY(add_handle(world, def, index));
    world->state.last_length = 0, world->state.force_known = false;
    return sn_added_note_handle(world, def, &world->model.handles[world->model.handle_count - 1]);
}

// A node that is held already, and was let go, may be held again.
SnStatus sn_world_hold(SnWorld* world, int body, const int* nodes, int count, int* index)
{
    SN_CHANGE(world);
    SN_NEED(nodes);
    SN_NEED(index);
    SnHandleDef def = sn_default_handle_def();
    double* numbers;
    def.body = body, def.nodes = nodes, def.node_count = count;
    if (count < 1) return sn_fail(SN_ERROR_VALUE, "%d nodes to hold; there must be some", count);
    SN_TRY(add_handle(world, &def, index));
    world->state.last_length = 0, world->state.force_known = false;
    if (!SN_NEW(numbers, count, "changes")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) numbers[i] = nodes[i];
    SnStatus status = sn_world_note(world, "hold", body, count, numbers);
    sn_free(numbers);
    return status;
}

bool sn_handle_released(const SnHandle* handle, double time, double h)
{
    double slack = 1e-9 * h; // 3 x 0.1 is not 0.3
    return time > handle->motion.release + slack;
}

int sn_handle_of_node(const SnModel* model, const SnState* state, int node)
{
    for (int i = model->handle_count - 1; i >= 0; i--) {
        const SnHandle* handle = &model->handles[i];
        if (sn_handle_released(handle, state->time + state->step_length, state->step_length)) continue;
        for (int k = 0; k < handle->node_count; k++)
            if (handle->nodes[k] == node) return i;
    }
    return -1;
}

// A handle lets go for the first step that ends after its release time. Forces jump then: nobody looks back beyond it.
bool sn_handles_release(const SnModel* model, SnState* state, double time)
{
    bool stored = false;
    for (int i = 0; i < model->handle_count; i++) {
        const SnHandle* handle = &model->handles[i];
        if (sn_handle_released(handle, state->time, state->step_length)) continue;
        if (!sn_handle_released(handle, time, state->step_length)) continue;
        if (handle->how == SN_HOLD_ENERGY) {
            sn_pins_let_go(model, state, handle);
            stored = true;
        }
        state->last_length = 0;
    }
    return stored;
}

bool sn_handle_eliminates(const SnModel* model, const SnProblem* problem, int handle)
{
    const SnHandle* h = &model->handles[handle];
    return h->how == SN_HOLD_ELIMINATE && !sn_handle_ties(h) && !problem->released[handle];
}

void sn_handles_place(const SnModel* model, const SnProblem* problem, double time, double* x)
{
    for (int i = 0; i < model->handle_count; i++) {
        const SnHandle* handle = &model->handles[i];
        for (int k = 0; k < handle->node_count && sn_handle_eliminates(model, problem, i); k++)
            sn_handle_place(handle, k, time, x + 3 * (int64_t)handle->nodes[k]);
    }
}

void sn_handles_move(const SnModel* model, const SnProblem* problem, double time, double lean, double* v)
{
    for (int i = 0; i < model->handle_count; i++) {
        const SnHandle* handle = &model->handles[i];
        for (int k = 0; k < handle->node_count && sn_handle_eliminates(model, problem, i); k++)
            sn_handle_velocity(handle, k, time, lean, v + 3 * (int64_t)handle->nodes[k]);
    }
}
