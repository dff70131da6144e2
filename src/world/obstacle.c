// Adding an obstacle: its shape is checked and kept, its motion copied.
#include <stdio.h>

#include "core/handle.h"
#include "world/definitions.h"
#include "world/motion.h"
#include "world/world.h"

static SnStatus fill(SnWorldObstacle* o, SnObstacle* shape, const SnObstacleDef* def)
{
    SN_TRY(sn_parameters_check(sn_obstacle_parameters, def, ""));
    SN_TRY(sn_groups_copy(def->groups, def->group_count, &o->groups));
    SN_TRY(sn_motion_copy(&def->motion, &o->motion, &o->keyframes));
    SN_TRY(sn_obstacle_create(shape, &def->shape));
    shape->friction = def->friction;
    shape->thickness = def->thickness;
    return SN_OK;
}

static void warn_of_holes(const SnModel* model, const SnWorldObstacle* o, const SnObstacle* shape)
{
    int open = sn_obstacle_open_edges(shape);
    if (open > 0)
        sn_log(&model->def.log, SN_LOG_WARNING,
               "obstacle '%s': the mesh is not closed (%d edges do not join two triangles that agree which side is "
               "out); near these, inside and outside may be mistaken",
               o->name, open);
}

SnStatus sn_world_add_obstacle(SnWorld* world, const SnObstacleDef* def, int* index)
{
    SN_HANDLE(world);
    SN_NEED(def);
    SnModel* model = &world->model;
    int count = model->obstacle_count;
    char name[32];
    if (world->state.step > 0) return sn_fail(SN_ERROR_VALUE, "obstacles must be added before the first step");
    if (!SN_GROW(model->obstacles, model->obstacle_capacity, count + 1, "obstacles") ||
        !SN_GROW(model->obstacle_shapes, model->obstacle_shape_capacity, count + 1, "obstacles"))
        return SN_ERROR_MEMORY;
    SnWorldObstacle* o = &model->obstacles[count];
    *o = (SnWorldObstacle){0};
    model->obstacle_shapes[count] = (SnObstacle){0};
    snprintf(name, sizeof name, "obstacle %d", count);
    o->name = sn_copy_text(def->name ? def->name : name);
    SnStatus status = o->name ? fill(o, &model->obstacle_shapes[count], def) : SN_ERROR_MEMORY;
    if (status != SN_OK) {
        if (status != SN_ERROR_MEMORY) sn_fail_prefix(status, "obstacle '%s'", o->name);
        SN_FREE(o->name, o->keyframes);
        sn_groups_free(&o->groups);
        return status;
    }
    warn_of_holes(model, o, &model->obstacle_shapes[count]);
    if (index) *index = count;
    model->obstacle_count++;
    sn_world_discard_problem(world);
    return SN_OK;
}
