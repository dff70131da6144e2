// Handles: nodes held in place or moved by a script, until they are released.
#include <math.h>
#include <string.h>

#include "world/motion.h"
#include "world/world.h"

SnHandleDef sn_default_handle_def(void)
{
    return (SnHandleDef){.motion = {.until = INFINITY, .release = INFINITY}};
}

static SnStatus fill_handle(SnWorld* world, const SnHandleDef* def, SnHandle* handle)
{
    const SnBody* body = &world->model.bodies[def->body];
    handle->body = def->body;
    handle->node_count = def->nodes ? def->node_count : body->node_count;
    if (!SN_NEW(handle->nodes, handle->node_count, "a handle") ||
        !SN_NEW(handle->start, 3 * (int64_t)handle->node_count, "a handle"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < handle->node_count; i++) {
        int node = def->nodes ? def->nodes[i] : i;
        if (node < 0 || node >= body->node_count)
            return sn_fail(SN_ERROR_VALUE, "a handle names node %d of body '%s', which has nodes 0 to %d", node,
                           body->name, body->node_count - 1);
        handle->nodes[i] = body->first_node + node;
        memcpy(handle->start + 3 * (int64_t)i, world->state.x + 3 * (int64_t)handle->nodes[i], 3 * sizeof(double));
    }
    handle->motion = def->motion;
    size_t keys = (size_t)def->motion.keyframe_count;
    handle->keyframes = sn_copy_memory(def->motion.keyframes, keys, sizeof(SnKeyframe), "a handle");
    if (!handle->keyframes) return SN_ERROR_MEMORY;
    handle->motion.keyframes = handle->keyframes;
    return sn_handle_set_hold(world, def, handle);
}

void sn_handle_free(SnHandle* handle)
{
    sn_free(handle->nodes), sn_free(handle->start), sn_free(handle->keyframes);
    sn_free(handle->place), sn_free(handle->way), sn_free(handle->force);
}

bool sn_handle_eliminates(const SnHandle* handle)
{
    return handle->how == SN_HOLD_ELIMINATE && !handle->released;
}

SnStatus sn_world_add_handle(SnWorld* world, const SnHandleDef* def, int* index)
{
    if (world->state.step > 0) return sn_fail(SN_ERROR_VALUE, "handles must be added before the first step");
    if (def->body < 0 || def->body >= world->model.body_count)
        return sn_fail(SN_ERROR_VALUE, "a handle names body %d: the world has %d", def->body, world->model.body_count);
    SN_TRY(sn_motion_check(&def->motion));
    if (!SN_GROW(world->model.handles, world->model.handle_capacity, world->model.handle_count + 1, "handles"))
        return SN_ERROR_MEMORY;
    SnHandle* handle = &world->model.handles[world->model.handle_count];
    *handle = (SnHandle){0};
    SnStatus status = fill_handle(world, def, handle);
    if (status != SN_OK) {
        sn_handle_free(handle);
        return status;
    }
    if (index) *index = world->model.handle_count;
    world->model.handle_count++;
    sn_world_discard_problem(world);
    return SN_OK;
}

// A handle lets go for the first step that ends after its release time. Forces jump then: nobody looks back beyond it.
void sn_world_release_handles(SnWorld* world, double time)
{
    double slack = 1e-9 * world->state.step_length; // 3 x 0.1 is not 0.3
    for (int i = 0; i < world->model.handle_count; i++) {
        SnHandle* handle = &world->model.handles[i];
        bool released = time > handle->motion.release + slack;
        if (released != handle->released) {
            if (released && handle->how == SN_HOLD_ENERGY) sn_pins_let_go(world, handle);
            sn_world_discard_problem(world);
            world->state.last_length = 0;
        }
        handle->released = released;
    }
}

void sn_world_place_handles(const SnWorld* world, double time, double* x)
{
    for (int i = 0; i < world->model.handle_count; i++) {
        const SnHandle* handle = &world->model.handles[i];
        for (int k = 0; k < handle->node_count && sn_handle_eliminates(handle); k++)
            sn_motion_apply(&handle->motion, time, handle->start + 3 * (int64_t)k, x + 3 * (int64_t)handle->nodes[k]);
    }
}

void sn_world_move_handles(const SnWorld* world, double time, bool after, double* v)
{
    double lean = (after ? 1e-6 : -1e-6) * world->state.step_length;
    for (int i = 0; i < world->model.handle_count; i++) {
        const SnHandle* handle = &world->model.handles[i];
        for (int k = 0; k < handle->node_count && sn_handle_eliminates(handle); k++)
            sn_motion_velocity(&handle->motion, time, lean, handle->start + 3 * (int64_t)k,
                               v + 3 * (int64_t)handle->nodes[k]);
    }
}
