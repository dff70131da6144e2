// Obstacles that are taken out of a world and put into it while it runs. One that is out keeps its number, and touches
// nothing.
#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "world/event.h"
#include "world/shelf.h"
#include "world/steer.h"

static SnStatus check(const SnWorld* world, int obstacle, bool out)
{
    if (obstacle < 0 || obstacle >= world->model.obstacle_count)
        return sn_fail(SN_ERROR_VALUE, "there is no obstacle %d; the world has %d, counted from 0", obstacle,
                       world->model.obstacle_count);
    const SnWorldObstacle* o = &world->model.obstacles[obstacle];
    if (o->out != out) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "obstacle '%s' is %s", o->name, out ? "on the shelf already" : "there already");
}

// What was not inside anything is not, and nothing crosses anything.
SnStatus sn_shelf_admit_touch(SnWorld* world, const char* who, const SnStepReport* before)
{
    SnStepReport after;
    sn_change_forget(world);
    SN_TRY(sn_change_measure(world, &after));
    if (world->model.def.contact.untangle) return SN_OK;
    if (world->problem.constraints.contacts) SN_TRY(sn_contacts_check_start(&world->model, &world->problem));
    if (after.depth <= before->depth) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "obstacle '%s' would have a body %g m inside it", who, after.depth);
}

SnStatus sn_world_remove_obstacle(SnWorld* world, int obstacle)
{
    SN_CHANGE(world);
    SN_TRY(check(world, obstacle, true));
    const SnModel* model = &world->model;
    for (int k = 0; k < model->slide_count; k++)
        if (model->slides[k].obstacle == obstacle && model->slides[k].node_count > 0)
            return sn_fail(SN_ERROR_VALUE, "obstacle '%s' has slide %d on it; release that first",
                           model->obstacles[obstacle].name, k);
    sn_world_discard_problem(world);
    world->model.obstacles[obstacle].out = true;
    sn_change_forget(world);
    return sn_world_note(world, "remove-obstacle", obstacle, 0, NULL);
}

SnStatus sn_world_place_obstacle(SnWorld* world, int obstacle, const SnPose* pose)
{
    SN_CHANGE(world);
    SN_NEED(pose);
    SnStepReport before;
    double numbers[12], now = world->state.time;
    SN_TRY(check(world, obstacle, false));
    SN_TRY(sn_steer_check_pose(pose, "obstacle", obstacle));
    SN_TRY(sn_change_measure(world, &before));
    SnWorldObstacle *o = &world->model.obstacles[obstacle], old = *o;
    SnAside aside = sn_shelf_set_aside(world);
    o->out = false, o->steered = true, o->from = o->to = *pose, o->begin = o->end = now;
    SnStatus status = sn_shelf_admit_touch(world, o->name, &before);
    if (status != SN_OK) {
        *o = old;
        sn_shelf_put_back(world, &aside);
        return status;
    }
    sn_shelf_drop_aside(world, &aside);
    memcpy(numbers, pose->rotation, sizeof pose->rotation);
    memcpy(numbers + 9, pose->shift, sizeof pose->shift);
    return sn_world_note(world, "place-obstacle", obstacle, 12, numbers);
}
