#include "archive/start.h"

#include <string.h>

#include "archive/remake.h"
#include "core/memory.h"
#include "scene/scene.h"
#include "world/world.h"

static SnStatus check_bodies(const SnRunFile* run, const SnWorld* world)
{
    int count = sn_world_body_count(world);
    if (count != sn_run_file_body_count(run))
        return sn_fail(SN_ERROR_VALUE, "%s: the scene starts from this run, which has %d bodies; the scene has %d",
                       sn_run_file_path(run), sn_run_file_body_count(run), count);
    for (int i = 0; i < count; i++) {
        const SnBody* body = &world->model.bodies[i];
        const SnBodyInfo* before = &sn_run_file_bodies(run)[i];
        if (body->node_count != before->node_count || body->tetrahedron_count != before->tetrahedron_count)
            return sn_fail(SN_ERROR_VALUE,
                           "%s: the scene starts from this run, whose body %d (%s) has %d nodes and %d tetrahedra; in "
                           "the scene it has %d and %d",
                           sn_run_file_path(run), i, before->name, before->node_count, before->tetrahedron_count,
                           body->node_count, body->tetrahedron_count);
    }
    return SN_OK;
}

static SnStatus put_frame(SnRunFile* run, int frame, SnWorld* world)
{
    double* values;
    int64_t n = 3 * (int64_t)sn_world_node_count(world);
    if (!SN_NEW(values, 2 * n, "a frame")) return SN_ERROR_MEMORY;
    SnStatus status = sn_run_file_read_frame(run, frame, values, values + n);
    if (status == SN_OK) sn_remake_set(world, values, values + n);
    sn_free(values);
    world->state.time = world->state.origin_time = sn_run_file_frame_time(run, frame);
    return status;
}

static SnStatus start(const SnSceneFrom* from, SnWorld* world)
{
    SnRunFile* run;
    SN_TRY(sn_run_file_open(from->run, &run));
    int count = sn_run_file_frame_count(run), frame = from->frame < 0 ? count + from->frame : from->frame;
    SnStatus status = check_bodies(run, world);
    if (status == SN_OK && (frame < 0 || frame >= count))
        status = sn_fail(SN_ERROR_VALUE, "%s: the scene starts from frame %d of this run, which has frames 0 to %d",
                         from->run, from->frame, count - 1);
    if (status == SN_OK) status = put_frame(run, frame, world);
    sn_run_file_destroy(run);
    return status;
}

SnStatus sn_start_world(const SnScene* scene, SnWorld** world)
{
    const SnSceneFrom* from = sn_scene_from(scene);
    SnWorld* made;
    *world = NULL;
    SN_TRY(sn_scene_create_unstarted(scene, &made));
    SnStatus status = from ? start(from, made) : SN_OK;
    SN_FINISH(status, made, sn_world_destroy, world);
}
