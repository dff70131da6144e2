#include "archive/start.h"

#include <string.h>
#include <sys/stat.h>

#include "archive/remake.h"
#include "archive/run_file.h"
#include "core/handle.h"
#include "core/memory.h"
#include "scene/scene.h"
#include "world/world.h"

// there: how many bodies the run had then.
static SnStatus check_bodies(const SnRunFile* run, int there, const SnWorld* world)
{
    int count = sn_world_body_count(world);
    if (count != there)
        return sn_fail(SN_ERROR_VALUE, "%s: the scene starts from this run, which has %d bodies; the scene has %d",
                       sn_run_file_path(run), there, count);
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
    int64_t n = 3 * (int64_t)sn_run_file_node_count(run); // it may have more that came later
    if (!SN_NEW(values, 2 * n, "a frame")) return SN_ERROR_MEMORY;
    SnStatus status = sn_run_file_read_frame(run, frame, values, values + n);
    double time = sn_run_file_frame_time(run, frame);
    if (status == SN_OK) sn_remake_set(world, time, values, values + n);
    sn_free(values);
    world->state.origin_time = time;
    return status;
}

static SnStatus start(const SnSceneFrom* from, SnWorld* world)
{
    SnRunFile* run;
    SN_TRY(sn_run_file_open(from->run, &run));
    int count = sn_run_file_frame_count(run), frame = from->frame < 0 ? count + from->frame : from->frame;
    SnStatus status = check_bodies(run, sn_run_file_body_count(run), world);
    if (status == SN_OK && (frame < 0 || frame >= count))
        status = sn_fail(SN_ERROR_VALUE, "%s: the scene starts from frame %d of this run, which has frames 0 to %d",
                         from->run, from->frame, count - 1);
    if (status == SN_OK) status = put_frame(run, frame, world);
    sn_run_file_destroy(run);
    return status;
}

SnStatus sn_run_start_world(const SnScene* scene, SnWorld** world)
{
    SN_NEED(world);
    *world = NULL;
    SN_HANDLE(scene);
    const SnSceneFrom* from = sn_scene_from(scene);
    SnWorld* made;
    SN_TRY(sn_scene_create_unstarted(scene, &made));
    SnStatus status = from ? start(from, made) : SN_OK;
    SN_FINISH(status, made, sn_world_destroy, world);
}

SnStatus sn_start_again(SnRunFile* run, const SnScene* scene, SnWorld** world)
{
    SnWorld* made;
    *world = NULL;
    SN_TRY(sn_scene_create_unstarted(scene, &made));
    bool from = sn_scene_from(scene) && sn_run_file_frame_count(run) > 0;
    SnStatus status = from ? check_bodies(run, sn_run_file_bodies_at(run, 0), made) : SN_OK;
    if (status == SN_OK && from) status = put_frame(run, 0, made);
    SN_FINISH(status, made, sn_world_destroy, world);
}

bool sn_is_same_file(const char* path, const char* other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

SnStatus sn_start_check_output(const SnScene* scene, const char* path)
{
    const SnSceneFrom* from = sn_scene_from(scene);
    if (!from || !sn_is_same_file(from->run, path)) return SN_OK;
    return sn_fail(SN_ERROR_FILE,
                   "%s: the scene starts from this run, which would be lost; choose another name with -o", path);
}
