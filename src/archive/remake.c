#include "archive/remake.h"

#include <string.h>

#include "scene/override_list.h"
#include "scene/scene.h"
#include "world/world.h"

SnStatus sn_remake_scene(SnRunFile* run, SnScene** scene)
{
    SnOverrides list = {0};
    const char *recorded, *text = sn_run_file_scene(run);
    *scene = NULL;
    SN_TRY(sn_run_file_meta(run, "overrides", &recorded));
    bool good = !recorded || sn_overrides_add_lines(&list, recorded);
    SnStatus status = good ? sn_scene_parse(text, strlen(text), sn_run_file_path(run), list.items, list.count, scene)
                           : SN_ERROR_MEMORY;
    sn_overrides_free(&list);
    return status;
}

SnStatus sn_remake_world(SnRunFile* run, SnScene* scene, SnWorld** world)
{
    *world = NULL;
    SN_TRY(sn_scene_create_unstarted(scene, world));
    int now = sn_world_node_count(*world), then = sn_run_file_node_count(run);
    if (now == then) return SN_OK;
    sn_world_destroy(*world);
    *world = NULL;
    return sn_fail(SN_ERROR_VALUE, "%s: its scene has %d nodes now, the run has %d; files it names were changed",
                   sn_run_file_path(run), now, then);
}

void sn_remake_set(SnWorld* world, const double* positions, const double* velocities)
{
    size_t bytes = 3 * (size_t)world->model.node_count * sizeof *positions;
    memcpy(world->state.x, positions, bytes);
    memcpy(world->state.v, velocities, bytes);
}
