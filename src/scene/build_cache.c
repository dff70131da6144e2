// Motion from another program: a point cache becomes the targets of a handle, or the frames of an obstacle of
// triangles.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/point_cache.h"
#include "scene/build.h"

// NULL and a recorded problem where it cannot be read.
static SnStatus load(SnScene* scene, const char* context, const SnMotionPart* motion, SnPointCache** cache)
{
    *cache = NULL;
    const char* folder = motion->cache[0] == '/' ? "" : scene->folder;
    char* path = sn_arena_print(&scene->arena, "%s%s", folder, motion->cache);
    if (!path) return SN_ERROR_MEMORY;
    SnStatus status = motion->rate > 0 ? sn_point_cache_load(path, motion->rate, cache) : SN_OK; // reported
    if (status == SN_OK && *cache)
        sn_take_convention(scene, path, (int64_t)(*cache)->frame_count * (*cache)->point_count, (*cache)->points);
    if (status == SN_OK || status == SN_ERROR_MEMORY) return status;
    sn_problem_error(&scene->problems, sn_node_find(motion->node, "cache")->place, "'cache' in motion of %s: %s",
                     context, sn_last_error());
    return SN_OK;
}

// --- handles ---

static SnStatus take_targets(SnScene* scene, SnSceneHandle* handle, const SnMotionPart* motion, const SnSceneBody* body,
                             const SnPointCache* cache)
{
    SnHandleDef* def = &handle->def;
    int nodes = body->mesh->node_count, count = def->node_count, frames = cache->frame_count;
    bool own = cache->point_count == count; // the handle's nodes alone
    if (!own && cache->point_count != nodes) {
        sn_problem_error(
            &scene->problems, sn_node_find(motion->node, "cache")->place,
            "'cache' in motion of %s has %d points; it must have as many as the mesh of %s has nodes (%d), "
            "or as the handle holds (%d)",
            handle->context, cache->point_count, body->context, nodes, count);
        return SN_OK;
    }
    if (!SN_NEW(handle->targets, 3 * (int64_t)frames * count, "targets") ||
        !(handle->target_times = sn_copy_memory(cache->times, (size_t)frames, sizeof(double), "targets")))
        return SN_ERROR_MEMORY;
    for (int64_t f = 0; f < frames; f++)
        for (int i = 0; i < count; i++)
            memcpy(handle->targets + 3 * (f * count + i),
                   cache->points + 3 * (f * cache->point_count + (own ? i : handle->nodes[i])), 3 * sizeof(double));
    sn_place_points(body->frame, (int64_t)frames * count, handle->targets);
    def->targets = handle->targets, def->target_times = handle->target_times, def->target_count = frames;
    return SN_OK;
}

SnStatus sn_build_handle_cache(SnScene* scene, SnSceneHandle* handle, const SnMotionPart* motion,
                               const SnSceneBody* body)
{
    SnPointCache* cache;
    if (!motion->cache || handle->def.node_count == 0) return SN_OK;
    SN_TRY(load(scene, handle->context, motion, &cache));
    SnStatus status = cache ? take_targets(scene, handle, motion, body, cache) : SN_OK;
    sn_point_cache_destroy(cache);
    return status;
}

// --- obstacles ---

// Obstacles have frames at an even rate from time 0 on: the cache's own where it has that.
static double even_rate(const SnPointCache* cache)
{
    double shortest = INFINITY;
    for (int i = 1; i < cache->frame_count; i++) shortest = fmin(shortest, cache->times[i] - cache->times[i - 1]);
    double mean = (cache->times[cache->frame_count - 1] - cache->times[0]) / fmax(1, cache->frame_count - 1);
    if (!isfinite(shortest)) return 1;
    return 1 / (shortest > 0.999 * mean ? mean : shortest);
}

static SnStatus add_frame(SnSceneObstacle* o, const SnPointCache* cache, double time, SnMesh** out)
{
    SnMeshDef def = {.node_count = o->mesh->node_count,
                     .nodes = o->mesh->nodes,
                     .tetrahedron_count = o->mesh->tetrahedron_count,
                     .tetrahedra = o->mesh->tetrahedra,
                     .triangle_count = o->mesh->triangle_count,
                     .triangles = o->mesh->triangles};
    SN_TRY(sn_mesh_create(&def, out));
    for (int i = 0; i < def.node_count; i++) sn_point_cache_at(cache, time, i, (*out)->nodes + 3 * (int64_t)i);
    sn_place_points(o->frame, def.node_count, (*out)->nodes);
    return SN_OK;
}

static SnStatus take_frames(SnScene* scene, SnSceneObstacle* o, const SnMotionPart* motion, const SnPointCache* cache)
{
    enum { MOST = 100000 };
    SnObstacleShape* shape = &o->def.shape;
    SnPlace place = sn_node_find(motion->node, "cache")->place;
    double rate = even_rate(cache), span = rate * fmax(0, cache->times[cache->frame_count - 1]);
    if (cache->point_count != o->mesh->node_count) {
        sn_problem_error(&scene->problems, place, "'cache' in motion of %s has %d points, but its mesh has %d",
                         o->context, cache->point_count, o->mesh->node_count);
        return SN_OK;
    }
    if (span > MOST) {
        sn_problem_error(&scene->problems, place, "'cache' in motion of %s needs %.0f frames; there can be %d",
                         o->context, span, MOST);
        return SN_OK;
    }
    int count = (int)lround(span) + 1;
    if (!SN_NEW(o->frames, count, "frames")) return SN_ERROR_MEMORY;
    shape->frames = (const SnMesh* const*)o->frames;
    for (int i = 0; i < count; i++) {
        SN_TRY(add_frame(o, cache, i / rate, &o->frames[i]));
        shape->frame_count++;
    }
    shape->frame_rate = rate;
    return SN_OK;
}

SnStatus sn_build_obstacle_cache(SnScene* scene, SnSceneObstacle* o, const SnMotionPart* motion)
{
    SnPointCache* cache;
    if (!motion->cache) return SN_OK;
    if (o->frames || strcmp(o->def.shape.type, "mesh") != 0) {
        sn_problem_error(&scene->problems, sn_node_find(motion->node, "cache")->place,
                         "'cache' in motion of %s moves the vertices of `type: mesh` with a 'mesh', not of this",
                         o->context);
        return SN_OK;
    }
    if (!o->mesh) return SN_OK; // reported
    SN_TRY(load(scene, o->context, motion, &cache));
    SnStatus status = cache ? take_frames(scene, o, motion, cache) : SN_OK;
    sn_point_cache_destroy(cache);
    return status;
}
