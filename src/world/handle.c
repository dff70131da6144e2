// Handles: nodes held in place or moved by a script, until they are released.
#include <string.h>

#include "core/handle.h"
#include "world/motion.h"
#include "world/world.h"

static SnStatus fill_handle(const SnModel* model, const double* x, const SnHandleDef* def, SnHandle* handle)
{
    const SnBody* body = &model->bodies[def->body];
    handle->body = def->body;
    SN_TRY(sn_body_choose_nodes(body, def->nodes, def->node_count, "a handle", &handle->nodes, &handle->node_count));
    if (!SN_NEW(handle->start, 3 * (int64_t)handle->node_count, "a handle")) return SN_ERROR_MEMORY;
    for (int i = 0; i < handle->node_count; i++)
        memcpy(handle->start + 3 * (int64_t)i, x + 3 * (int64_t)handle->nodes[i], 3 * sizeof(double));
    SN_TRY(sn_motion_copy(&def->motion, &handle->motion, &handle->keyframes));
    return sn_handle_set_hold(handle, def, body->name);
}

// A node follows one handle only.
static SnStatus check_nodes(const SnModel* model, const SnHandle* handle)
{
    int* holder;
    SnStatus status = SN_OK;
    if (!SN_NEW(holder, model->node_count, "a handle")) return SN_ERROR_MEMORY;
    for (int h = 0; h <= model->handle_count && status == SN_OK; h++) {
        const SnHandle* one = h < model->handle_count ? &model->handles[h] : handle;
        for (int i = 0; i < one->node_count && status == SN_OK; i++) {
            int *held = &holder[one->nodes[i]], node = one->nodes[i] - model->bodies[one->body].first_node;
            const char* name = model->bodies[one->body].name;
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

void sn_handle_free(SnHandle* handle)
{
    SN_FREE(handle->nodes, handle->start, handle->keyframes);
}

SnStatus sn_world_add_handle(SnWorld* world, const SnHandleDef* def, int* index)
{
    SN_HANDLE(world);
    SN_NEED(def);
    SnModel* model = &world->model;
    if (world->state.step > 0) return sn_fail(SN_ERROR_VALUE, "handles must be added before the first step");
    SN_TRY(sn_model_check_body(model, def->body, "a handle names"));
    if (!SN_GROW(model->handles, model->handle_capacity, model->handle_count + 1, "handles")) return SN_ERROR_MEMORY;
    SnHandle* handle = &model->handles[model->handle_count];
    int pins = model->pin_count;
    *handle = (SnHandle){.first_pin = pins};
    SnStatus status = fill_handle(model, world->state.x, def, handle);
    if (status == SN_OK) status = check_nodes(model, handle);
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

bool sn_handle_released(const SnHandle* handle, double time, double h)
{
    double slack = 1e-9 * h; // 3 x 0.1 is not 0.3
    return time > handle->motion.release + slack;
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
    return model->handles[handle].how == SN_HOLD_ELIMINATE && !problem->released[handle];
}

void sn_handles_place(const SnModel* model, const SnProblem* problem, double time, double* x)
{
    for (int i = 0; i < model->handle_count; i++) {
        const SnHandle* handle = &model->handles[i];
        for (int k = 0; k < handle->node_count && sn_handle_eliminates(model, problem, i); k++)
            sn_motion_apply(&handle->motion, time, handle->start + 3 * (int64_t)k, x + 3 * (int64_t)handle->nodes[k]);
    }
}

void sn_handles_move(const SnModel* model, const SnProblem* problem, double time, double lean, double* v)
{
    for (int i = 0; i < model->handle_count; i++) {
        const SnHandle* handle = &model->handles[i];
        for (int k = 0; k < handle->node_count && sn_handle_eliminates(model, problem, i); k++)
            sn_motion_velocity(&handle->motion, time, lean, handle->start + 3 * (int64_t)k,
                               v + 3 * (int64_t)handle->nodes[k]);
    }
}
