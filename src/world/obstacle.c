// Adding an obstacle: its shape is checked and kept, its motion copied.
#include <stdio.h>
#include <string.h>

#include "core/handle.h"
#include "obstacle/height_map.h"
#include "world/added.h"
#include "world/definitions.h"
#include "world/event.h"
#include "world/motion.h"
#include "world/shelf.h"

static SnStatus fill(SnWorldObstacle* o, SnObstacle* shape, const SnObstacleDef* def, double since)
{
    SN_TRY(sn_parameters_check(sn_obstacle_parameters, def, ""));
    SN_TRY(sn_groups_copy(def->groups, def->group_count, &o->groups));
    SN_TRY(sn_motion_copy(&def->motion, &o->motion, &o->keyframes));
    SN_TRY(sn_obstacle_create(shape, &def->shape));
    shape->friction = def->friction;
    shape->thickness = def->thickness;
    o->out = def->shelf;
    o->since = shape->since = since;
    return SN_OK;
}

static void discard(SnWorldObstacle* o, SnObstacle* shape)
{
    SN_FREE(o->name, o->keyframes);
    sn_groups_free(&o->groups);
    sn_obstacle_destroy(shape);
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

static SnStatus add(SnWorld* world, const SnObstacleDef* def)
{
    SnModel* model = &world->model;
    int count = model->obstacle_count;
    char name[32];
    if (!SN_GROW(model->obstacles, model->obstacle_capacity, count + 1, "obstacles") ||
        !SN_GROW(model->obstacle_shapes, model->obstacle_shape_capacity, count + 1, "obstacles"))
        return SN_ERROR_MEMORY;
    SnWorldObstacle* o = &model->obstacles[count];
    *o = (SnWorldObstacle){0};
    model->obstacle_shapes[count] = (SnObstacle){0};
    snprintf(name, sizeof name, "obstacle %d", count);
    o->name = sn_copy_text(def->name ? def->name : name);
    double since = sn_world_lives(world) ? world->state.time : 0;
    SnStatus status = o->name ? fill(o, &model->obstacle_shapes[count], def, since) : SN_ERROR_MEMORY;
    if (status == SN_OK && world->events.noting) status = sn_added_check_obstacle(def);
    if (status != SN_OK) {
        if (status != SN_ERROR_MEMORY) sn_fail_prefix(status, "obstacle '%s'", o->name);
        discard(o, &model->obstacle_shapes[count]);
        return status;
    }
    warn_of_holes(model, o, &model->obstacle_shapes[count]);
    model->obstacle_count++;
    return SN_OK;
}

// Between steps it may be refused; then there is nothing new. Contacts are counted otherwise with one more obstacle.
static SnStatus add_between(SnWorld* world, const SnObstacleDef* def)
{
    SnModel* model = &world->model;
    SnStepReport before;
    SN_TRY(sn_change_measure(world, &before));
    SN_TRY(add(world, def));
    SnAside aside = sn_shelf_set_aside(world);
    int kept = world->state.constraints.count;
    world->state.constraints.count = 0;
    SnStatus status = sn_shelf_admit_touch(world, model->obstacles[model->obstacle_count - 1].name, &before);
    if (status == SN_OK) {
        sn_shelf_drop_aside(world, &aside);
        return SN_OK;
    }
    model->obstacle_count--;
    sn_shelf_put_back(world, &aside);
    world->state.constraints.count = kept;
    discard(&model->obstacles[model->obstacle_count], &model->obstacle_shapes[model->obstacle_count]);
    return status;
}

// A file of heights may be another one when it is asked for again.
static SnStatus load_heights(const SnWorld* world, SnObstacleDef* def, double** heights)
{
    SnObstacleShape* s = &def->shape;
    bool terrain = !s->custom && s->type && strcmp(s->type, "terrain") == 0;
    *heights = NULL;
    if (!world->events.noting || !terrain || !s->height_map || s->heights) return SN_OK;
    SN_TRY(sn_height_map_load(s->height_map, &s->columns, &s->rows, heights));
    s->heights = *heights, s->height_map = NULL;
    return SN_OK;
}

SnStatus sn_world_add_obstacle(SnWorld* world, const SnObstacleDef* given, int* index)
{
    SN_CHANGE(world);
    SN_NEED(given);
    SnObstacleDef def = *given;
    double* heights;
    bool lives = sn_world_lives(world);
    SN_TRY(load_heights(world, &def, &heights));
    SnStatus status = lives ? add_between(world, &def) : add(world, &def);
    if (status == SN_OK && !lives) sn_world_discard_problem(world);
    if (status == SN_OK && lives) status = sn_added_note_obstacle(world, &def, world->model.obstacle_count - 1);
    sn_free(heights);
    if (status == SN_OK && index) *index = world->model.obstacle_count - 1;
    return status;
}
