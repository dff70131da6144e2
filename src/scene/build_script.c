// A script becomes handles: the two ends of a body, and perhaps its waist.
//
// The papers' codes test before each step whether an end has come to its turning point, so it turns at whole steps, at
// the first one that is there or beyond. Rounding the distance up to whole steps makes that a function of time.
#include "core/pi.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

// How many steps it takes to come at least `distance` far.
static double whole_steps(double distance, double speed, double step)
{
    if (distance == 0) return 0;
    return fmax(1, ceil(distance / (fabs(speed) * step) - 1e-9)); // 1.2 m by 0.03 m are 40, whatever the rounding
}

// The motion of the lower end (side -1) or the upper end (+1).
static void move_end(const SnScript* script, const SnSceneBody* body, double step, int side, SnMotion* motion)
{
    motion->velocity[script->axis] = side * script->speed;
    motion->rotate_axis[script->axis] = 1;
    motion->rotate_rate = side * script->rate * SN_PI / 180;
    for (int i = 0; i < 3; i++) motion->rotate_centre[i] = 0.5 * (body->measure.lo[i] + body->measure.hi[i]);
    for (int i = 0; i < 2 && script->speed != 0; i++)
        motion->turn[i] = whole_steps(script->turn[i], script->speed, step) * fabs(script->speed) * step;
}

// A handle for the nodes between two fractions of the extent.
static SnStatus add_handle(SnScene* scene, int body, const SnScript* script, const char* context, SnPlace place,
                           const double range[2], SnMotion motion)
{
    SnSceneBody* b = &scene->bodies[body];
    int index = scene->handle_count++, axis = script->axis;
    SnSceneHandle* handle = &scene->handles[index];
    double lo = b->measure.lo[axis], extent = b->measure.hi[axis] - lo, slack = 1e-9 * extent;
    handle->name = handle->context = context, handle->place = place;
    handle->def = sn_default_handle_def();
    handle->def.body = body;
    handle->def.motion = motion;
    if (!SN_NEW(handle->nodes, b->mesh->node_count, "a handle's nodes")) return SN_ERROR_MEMORY;
    handle->def.nodes = handle->nodes;
    for (int n = 0; n < b->mesh->node_count; n++) {
        double x = b->mesh->nodes[3 * n + axis] - lo;
        if (x >= range[0] * extent - slack && x <= range[1] * extent + slack)
            handle->nodes[handle->def.node_count++] = n;
    }
    if (handle->def.node_count == 0)
        sn_problem_error(&scene->problems, place, "%s of %s has no nodes; take a wider one or a finer mesh", context,
                         b->context);
    return sn_claim_nodes(scene, b, index);
}

static SnStatus add_ends(SnScene* scene, int index, int body, const SnScript* script, SnPlace place, double until)
{
    static const char* const names[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
    for (int side = 0; side < 2; side++) {
        SnMotion motion = sn_default_handle_def().motion;
        const char* context =
            sn_arena_print(&scene->arena, "the %s end of script %d", names[script->axis][side], index);
        if (!context) return SN_ERROR_MEMORY;
        move_end(script, &scene->bodies[body], scene->part.world.time_step, side ? 1 : -1, &motion);
        motion.until = until;
        double range[2] = {side ? 1 - script->width : 0, side ? 1 : script->width};
        SN_TRY(add_handle(scene, body, script, context, place, range, motion));
    }
    return SN_OK;
}

static SnStatus add_waist(SnScene* scene, int index, int body, const SnScript* script, SnPlace place, double release)
{
    SnMotion motion = sn_default_handle_def().motion;
    const char* context = sn_arena_print(&scene->arena, "the waist of script %d", index);
    if (!context) return SN_ERROR_MEMORY;
    memcpy(motion.velocity, script->pull, sizeof motion.velocity);
    motion.release = release;
    double range[2] = {0.5 - 0.5 * script->waist, 0.5 + 0.5 * script->waist};
    return add_handle(scene, body, script, context, place, range, motion);
}

SnStatus sn_build_script(SnScene* scene, int index)
{
    const SnScriptPart* part = (const SnScriptPart*)scene->part.scripts.items + index;
    if (!part->node || !part->type || !part->body) return SN_OK; // reported
    const char* context = sn_arena_print(&scene->arena, "script %d", index);
    if (!context) return SN_ERROR_MEMORY;
    int body = sn_find_body(scene, sn_node_find(part->node, "body"), context);
    if (body < 0 || !scene->bodies[body].mesh) return SN_OK;
    const SnScript* script = &part->def;
    SnPlace place = part->node->place;
    double step = scene->part.world.time_step, end = INFINITY;
    if (script->waist > 0) {
        const double* pull = script->pull;
        double speed = hypot(hypot(pull[0], pull[1]), pull[2]);
        end = whole_steps(script->pull_distance, speed, step) * step;
        SN_TRY(add_waist(scene, index, body, script, place, end));
    }
    return add_ends(scene, index, body, script, place, end);
}
