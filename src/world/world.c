// The world: creation and access to its state.
#include "world/world.h"

#include <math.h>

#include "core/getter.h"
#include "core/handle.h"
#include "world/definitions.h"
#include "world/event.h"

const char* sn_outcome_name(SnOutcome outcome)
{
    switch (outcome) {
    case SN_OUTCOME_CONVERGED: return "converged";
    case SN_OUTCOME_ITERATION_LIMIT: return "iteration limit";
    case SN_OUTCOME_STALLED: return "stalled";
    case SN_OUTCOME_UNSETTLED: return "unsettled";
    }
    return "unknown";
}

SnStatus sn_world_create(const SnWorldDef* def, SnWorld** out)
{
    SN_NEED(out);
    *out = NULL;
    SN_NEED(def);
    SnWorld* world;
    if (!SN_NEW(world, 1, "a world")) return SN_ERROR_MEMORY;
    sn_handle_made(world);
    SnStatus status = sn_world_def_resolve(def, &world->model.def);
    if (status == SN_OK) {
        world->model.integrator = sn_integrator_find(world->model.def.integrator);
        world->model.solver_type = sn_solver_find(world->model.def.solver.type);
        world->state.step_length = def->time_step;
        world->elastic = NAN;
        status = sn_state_grow(&world->state, &world->model);
    }
    if (status == SN_OK) status = sn_tasks_create(def->threads, def->runner, &world->model.tasks);
    SN_FINISH(status, world, sn_world_destroy, out);
}

static void free_model(SnModel* model)
{
    for (int i = 0; i < model->body_count; i++) sn_body_free(&model->bodies[i]);
    for (int i = 0; i < model->handle_count; i++) sn_handle_free(&model->handles[i]);
    for (int i = 0; i < model->slide_count; i++) sn_slide_free(&model->slides[i]);
    for (int i = 0; i < model->load_count; i++) sn_load_free(&model->loads[i]);
    for (int i = 0; i < model->actuator_count; i++) sn_actuator_free(&model->actuators[i]);
    for (int i = 0; i < model->probe_count; i++) sn_probe_free(&model->probes[i]);
    for (int i = 0; i < model->attachment_count; i++) sn_attachment_free(&model->attachments[i]);
    for (int i = 0; i < model->obstacle_count; i++) {
        SN_FREE(model->obstacles[i].name, model->obstacles[i].keyframes);
        sn_groups_free(&model->obstacles[i].groups);
        sn_obstacle_destroy(&model->obstacle_shapes[i]);
    }
    for (int i = 0; i < model->contact_pair_count; i++)
        SN_FREE(model->contact_pairs[i].between[0], model->contact_pairs[i].between[1]);
    sn_losses_drop(model, 0);
    SN_FREE(model->actuators, model->attachments, model->contact_pairs, model->bodies, model->handles, model->slides,
            model->loads, model->probes, model->works, model->grabs, model->obstacles, model->obstacle_shapes,
            model->loss_names);
    sn_tasks_destroy(model->tasks);
}

void sn_world_destroy(SnWorld* world)
{
    if (!sn_handle_gone(world)) return;
    sn_world_discard_problem(world);
    sn_factor_store_clear(&world->factors);
    sn_state_free(&world->state);
    free_model(&world->model);
    sn_events_free(&world->events);
    SN_FREE(world->touches.items, world->measured.values, world);
}

SN_GETTER(int, sn_world_node_count, const SnWorld*, model.node_count)
SN_GETTER(const double*, sn_world_positions, const SnWorld*, state.x)
SN_GETTER(const double*, sn_world_velocities, const SnWorld*, state.v)
SN_GETTER(double, sn_world_time, const SnWorld*, state.time)
SN_GETTER(double, sn_world_time_step, const SnWorld*, state.step_length)

SnStatus sn_world_set_time_step(SnWorld* world, double time_step)
{
    SN_CHANGE(world);
    SN_TRY(sn_check_time_step(time_step));
    if (time_step == world->state.step_length) return SN_OK;
    world->state.step_length = time_step;
    world->state.origin_step = world->state.step;
    world->state.origin_time = world->state.time;
    return sn_world_note(world, "time-step", 0, 1, &time_step);
}

SN_GETTER(int, sn_world_body_count, const SnWorld*, model.body_count)
SN_GETTER(int, sn_world_obstacle_count, const SnWorld*, model.obstacle_count)
SN_GETTER(int, sn_world_loss_count, const SnWorld*, model.loss_count)

SnStatus sn_world_body(const SnWorld* world, int index, SnBodyInfo* info)
{
    SN_HANDLE(world);
    SN_NEED(info);
    SN_TRY(sn_model_check_body(&world->model, index, "there is no"));
    const SnBody* b = &world->model.bodies[index];
    *info = (SnBodyInfo){
        .name = b->name,
        .first_node = b->first_node,
        .node_count = b->node_count,
        .rest = b->rest,
        .tetrahedron_count = b->tetrahedron_count,
        .tetrahedra = b->tetrahedra,
        .triangle_count = b->triangle_count,
        .triangles = b->triangles,
        .edge_count = b->edge_count,
        .edges = b->edges,
        .surface_count = b->surface_count,
        .surface = b->surface,
        .mass = b->mass,
        .skin = b->skin,
        .out = world->state.out[index] != 0,
        .asleep = world->state.asleep[index] != 0,
        .element = b->element,
    };
    return SN_OK;
}

// FNV-1a over the bytes.
static uint64_t hash_bytes(uint64_t hash, const void* data, size_t size)
{
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

uint64_t sn_world_hash(const SnWorld* world)
{
    if (!sn_handle_lives(world)) return 0;
    size_t size = 3 * (size_t)world->model.node_count * sizeof(double);
    return hash_bytes(hash_bytes(0xcbf29ce484222325u, world->state.x, size), world->state.v, size);
}
