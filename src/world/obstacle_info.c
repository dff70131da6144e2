// Obstacles as others see them: what they are, where they are now, their surface.
#include "core/handle.h"
#include "world/contact_filter.h"
#include "world/steer.h"
#include "world/world.h"

static SnStatus check_index(const SnWorld* world, int obstacle)
{
    if (obstacle >= 0 && obstacle < world->model.obstacle_count) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "there is no obstacle %d; the world has %d, counted from 0", obstacle,
                   world->model.obstacle_count);
}

SnStatus sn_world_obstacle(const SnWorld* world, int obstacle, SnObstacleInfo* info)
{
    SN_HANDLE(world);
    SN_NEED(info);
    SN_TRY(check_index(world, obstacle));
    const SnWorldObstacle* o = &world->model.obstacles[obstacle];
    const SnObstacle* shape = &world->model.obstacle_shapes[obstacle];
    *info = (SnObstacleInfo){
        .name = o->name,
        .shape = &shape->shape,
        .friction = shape->friction,
        .thickness = sn_model_obstacle_thickness(&world->model, obstacle),
        .changes = shape->type->change && (shape->type != &sn_obstacle_mesh || shape->shape.frame_count > 0),
    };
    info->out = o->out;
    sn_steer_pose(o, world->state.time - world->state.lag, &info->pose);
    return SN_OK;
}

SnStatus sn_world_obstacle_surface(SnWorld* world, int obstacle, double extent, SnMesh** mesh)
{
    SN_CHANGE(world);
    SN_NEED(mesh);
    *mesh = NULL;
    SN_TRY(check_index(world, obstacle));
    SnObstacle now = world->model.obstacle_shapes[obstacle];
    double time = world->state.time - world->state.lag;
    // A restored world has not placed it yet; a step places it anew in any case.
    sn_obstacle_place(&now, &now.before, &now.frame, time, time);
    return sn_obstacle_surface(&now, extent, mesh);
}
