// A handle: the nodes of a body that are held, and how they move.
#include "core/pi.h"
#include "scene/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sn_find_body(SnScene* scene, const SnNode* node, const char* context)
{
    enum { MOST = 64 };
    const char* names[MOST];
    int count = 0;
    for (int i = 0; i < scene->body_count; i++) {
        if (strcmp(scene->bodies[i].name, node->text) == 0) return i;
        if (count < MOST) names[count++] = scene->bodies[i].name;
    }
    size_t digits = strspn(node->text, "0123456789");
    if (digits > 0 && digits < 9 && !node->text[digits] && atoi(node->text) < scene->body_count)
        return atoi(node->text);
    sn_report_unknown(&scene->problems, node->place, "body", node->text, context, names, count);
    return -1;
}

// [t, [dx, dy, dz]], times increasing.
static bool read_keyframe(SnScene* scene, const SnNode* node, const char* what, const SnKeyframe* before,
                          SnKeyframe* keyframe)
{
    SnProblems* problems = &scene->problems;
    if (node->kind != SN_NODE_LIST || node->count != 2) {
        sn_problem_error(problems, node->place, "%s must be pairs [time, [dx, dy, dz]], found %s", what,
                         sn_node_words(node).text);
        return false;
    }
    const SnNode *time = node->first, *move = time->next;
    if (!sn_read_number(problems, time, what, (SnVariables){0}, &keyframe->time)) return false;
    if (!sn_check_range(problems, time, what, NULL, keyframe->time)) return false;
    if (!sn_read_numbers(problems, move, what, NULL, 3, keyframe->move)) return false;
    for (int i = 0; i < 3; i++)
        if (!sn_check_range(problems, move, what, NULL, keyframe->move[i])) return false;
    sn_lengths(problems, 3, keyframe->move);
    if (before && keyframe->time <= before->time) {
        sn_problem_error(problems, time->place, "%s must have increasing times, but %g follows %g", what,
                         keyframe->time, before->time);
        return false;
    }
    return true;
}

static SnStatus read_keyframes(SnScene* scene, const char* context, const SnNode* node, SnMotion* motion,
                               SnKeyframe** keyframes)
{
    char what[128];
    int count = 0;
    if (sn_node_is_null(node)) return SN_OK;
    snprintf(what, sizeof what, "'keyframes' in motion of %s", context);
    if (!sn_check_list(&scene->problems, node, what)) return SN_OK;
    if (!SN_NEW(*keyframes, node->count, "keyframes")) return SN_ERROR_MEMORY;
    for (const SnNode* item = node->first; item; item = item->next) {
        const SnKeyframe* before = count ? &(*keyframes)[count - 1] : NULL;
        if (!read_keyframe(scene, item, what, before, &(*keyframes)[count])) return SN_OK;
        count++;
    }
    motion->keyframes = count ? *keyframes : NULL;
    motion->keyframe_count = count;
    return SN_OK;
}

static void read_rotate(SnScene* scene, const SnNode* node, const char* context, const double middle[3],
                        SnMotion* motion)
{
    if (!node) return;
    const double* a = motion->rotate_axis;
    const SnNode* axis = sn_node_find(node, "axis");
    if (axis && axis->kind == SN_NODE_LIST && a[0] == 0 && a[1] == 0 && a[2] == 0)
        sn_problem_error(&scene->problems, axis->place,
                         "'axis' in rotate of motion of %s must not be zero, as in [1, 0, 0]", context);
    if (!sn_node_find(node, "centre")) memcpy(motion->rotate_centre, middle, sizeof motion->rotate_centre);
    motion->rotate_rate = motion->rotate_rate * SN_PI / 180;
}

SnStatus sn_build_motion(SnScene* scene, const char* context, const SnMotionPart* part, const double centre[3],
                         SnMotion* motion, SnKeyframe** keyframes)
{
    *motion = part->def;
    read_rotate(scene, part->rotate, context, centre, motion);
    return read_keyframes(scene, context, sn_node_find(part->node, "keyframes"), motion, keyframes);
}

SnStatus sn_claim_nodes(SnScene* scene, SnSceneBody* body, int index)
{
    const SnSceneHandle* handle = &scene->handles[index];
    int nodes = body->mesh->node_count;
    if (!body->handle_of) {
        if (!SN_NEW(body->handle_of, nodes, "handles of nodes")) return SN_ERROR_MEMORY;
        for (int n = 0; n < nodes; n++) body->handle_of[n] = -1;
    }
    int shared = 0, first = -1;
    for (int i = 0; i < handle->def.node_count; i++) {
        int* owner = &body->handle_of[handle->nodes[i]];
        if (*owner >= 0 && handle->def.axis_count > 0 && scene->handles[*owner].def.axis_count > 0) continue;
        if (*owner >= 0 && shared++ == 0) first = handle->nodes[i];
        if (*owner < 0) *owner = index;
    }
    if (shared == 0) return SN_OK;
    const SnSceneHandle* other = &scene->handles[body->handle_of[first]];
    sn_problem_error(&scene->problems, handle->place,
                     "%s and %s (line %d) both hold %d node%s of %s, node %d for one; a node can follow one "
                     "handle only",
                     handle->context, other->context, other->place.line, shared, shared > 1 ? "s" : "", body->context,
                     first);
    return SN_OK;
}

static void read_hold(SnScene* scene, const SnHandlePart* part, SnSceneHandle* handle)
{
    const SnNode* stiffness = sn_node_find(part->node, "stiffness");
    if (stiffness && handle->def.how != SN_HOLD_ENERGY)
        sn_problem_error(
            &scene->problems, stiffness->place,
            "'stiffness' in %s is of no use to 'how: eliminate', which holds exactly; add 'how: energy', or "
            "leave it out",
            handle->context);
}

// Springs to one point are those to the targets of a single time.
static SnStatus read_point(SnScene* scene, const SnHandlePart* part, SnSceneHandle* handle)
{
    const SnNode* to = sn_node_find(part->node, "to");
    int64_t count = handle->def.node_count;
    if (!to || isnan(part->to[0])) return SN_OK;
    const char* why = handle->def.how != SN_HOLD_ENERGY ? "is for springs; add 'how: energy' and a 'stiffness'"
                      : part->motion.cache ? "does not go with 'cache' in its motion; leave one of them out"
                                           : NULL;
    if (why) sn_problem_error(&scene->problems, to->place, "'to' in %s %s", handle->context, why);
    if (why || count == 0) return SN_OK;
    if (!SN_NEW(handle->targets, 3 * count, "targets") || !SN_NEW(handle->target_times, 1, "targets"))
        return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) memcpy(handle->targets + 3 * i, part->to, sizeof part->to);
    handle->def.targets = handle->targets, handle->def.target_times = handle->target_times;
    handle->def.target_count = 1;
    return SN_OK;
}

// A list of names and vectors.
static void read_axes(SnScene* scene, const SnNode* axes, SnSceneHandle* handle)
{
    char what[96];
    snprintf(what, sizeof what, "'axes' in %s", handle->context);
    if (sn_node_is_null(axes) || !sn_check_list(&scene->problems, axes, what)) return;
    if (axes->count < 1 || axes->count > 3)
        sn_problem_error(&scene->problems, axes->place, "%s has %d directions; there can be 1 to 3", what, axes->count);
    for (const SnNode* item = axes->first; item && handle->def.axis_count < 3; item = item->next) {
        double* axis = handle->def.axes + 3 * handle->def.axis_count++;
        bool named = item->kind == SN_NODE_SCALAR && strlen(item->text) == 1 && strchr("xyz", item->text[0]);
        if (named)
            axis[item->text[0] - 'x'] = 1;
        else if (item->kind != SN_NODE_LIST)
            sn_problem_error(&scene->problems, item->place, "%s is a list of x, y, z or vectors, found %s", what,
                             sn_node_words(item).text);
        else
            sn_read_numbers(&scene->problems, item, what, NULL, 3, axis);
    }
    if (handle->def.how == SN_HOLD_ENERGY)
        sn_problem_error(&scene->problems, axes->place, "%s is of no use to 'how: energy'; leave one of them out",
                         what);
}

static void read_hinge(SnScene* scene, const SnHandlePart* part, SnSceneHandle* handle)
{
    const double* axis = handle->def.hinge_axis;
    handle->def.hinge = part->hinge != NULL;
    if (!part->hinge) return;
    const char* with = handle->def.axis_count > 0          ? "'axes'"
                       : handle->def.how == SN_HOLD_ENERGY ? "'how: energy'"
                       : part->motion.cache                ? "'cache' in its motion"
                                                           : NULL;
    if (with)
        sn_problem_error(&scene->problems, part->hinge->place,
                         "'hinge' in %s does not go with %s; leave one of them out", handle->context, with);
    const SnNode* given = sn_node_find(part->hinge, "axis");
    if (given && axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        sn_problem_error(&scene->problems, given->place,
                         "'axis' in hinge of %s must not be zero, as in [0, 0, 1]; without it nodes turn about the "
                         "point in any direction",
                         handle->context);
}

SnStatus sn_build_handle(SnScene* scene, int index)
{
    SnSceneHandle* handle = &scene->handles[index];
    const SnHandlePart* part = (const SnHandlePart*)scene->part.handles.items + index;
    handle->def = part->def;
    handle->context = sn_arena_print(&scene->arena, "handle %d", index);
    char* where = sn_arena_print(&scene->arena, "where of handle %d", index);
    handle->name = part->name ? part->name : handle->context;
    if (!handle->context || !where) return SN_ERROR_MEMORY;
    if (!part->node || !part->body) return SN_OK; // reported
    int found = sn_find_body(scene, sn_node_find(part->node, "body"), handle->context);
    SnSceneBody* body = found >= 0 ? &scene->bodies[found] : NULL;
    if (!body || !body->mesh) return SN_OK;
    double middle[3];
    for (int i = 0; i < 3; i++) middle[i] = 0.5 * (body->measure.lo[i] + body->measure.hi[i]);
    SN_TRY(sn_build_motion(scene, handle->context, &part->motion, middle, &handle->def.motion, &handle->keyframes));
    handle->def.body = found;
    read_hold(scene, part, handle);
    read_axes(scene, part->axes, handle);
    read_hinge(scene, part, handle);
    if (!part->where.node) return SN_OK;
    handle->place = part->where.node->place;
    SN_TRY(sn_select_nodes(scene, body, &part->where, where, &handle->nodes, &handle->def.node_count));
    handle->def.nodes = handle->nodes;
    SN_TRY(sn_build_handle_cache(scene, handle, &part->motion, body));
    SN_TRY(read_point(scene, part, handle));
    return sn_claim_nodes(scene, body, index);
}
