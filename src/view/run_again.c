// A run's steps, made again and watched.
#include "view/run_again.h"

#include <math.h>
#include <string.h>

#include "archive/remake.h"
#include "core/memory.h"
#include "linalg/vec3.h"
#include "solver/initial.h"
#include "world/world.h"

struct SnRunAgain {
    SnRunFile* run; // not owned
    SnScene* scene;
    SnWorld* world;
    int64_t made; // steps
    double* residual;
    int* part; // NULL: not asked for yet
    bool* shared;
    SnStatus status; // of what is found while watching
};

static void watch(void* user, const SnSearch* search)
{
    SnRunAgain* again = user;
    const SnObjective* o = search->objective;
    for (int i = 0; i < o->nodes.count; i++)
        again->residual[i] = o->nodes.free_index[i] >= 0 ? sn_length3(search->g + 3 * (size_t)i) : 0;
    if (!again->shared || search->iterations > 0) return;
    again->status = sn_dot_subdomains(o, &sn_scene_world_def(again->scene)->solver, again->part, again->shared);
    SN_FREE(again->shared);
    again->shared = NULL;
}

// From the start.
static SnStatus start(SnRunAgain* again)
{
    sn_world_destroy(again->world);
    again->world = NULL, again->made = 0;
    SN_TRY(sn_remake_world(again->run, again->scene, &again->world));
    sn_world_watch(again->world, watch, again);
    return SN_OK;
}

static SnStatus build(SnRunAgain* again)
{
    if (!SN_NEW(again->residual, sn_run_file_node_count(again->run), "residuals")) return SN_ERROR_MEMORY;
    SN_TRY(sn_remake_scene(again->run, &again->scene));
    return start(again);
}

SnStatus sn_run_again_create(SnRunFile* run, SnRunAgain** out)
{
    *out = NULL;
    SnRunAgain* again;
    if (!SN_NEW(again, 1, "a run made again")) return SN_ERROR_MEMORY;
    again->run = run;
    SN_FINISH(build(again), again, sn_run_again_destroy, out);
}

void sn_run_again_destroy(SnRunAgain* again)
{
    if (!again) return;
    sn_world_destroy(again->world);
    sn_scene_destroy(again->scene);
    SN_FREE(again->residual, again->part, again->shared, again);
}

SnStatus sn_run_again_residual(SnRunAgain* again, int frame, const double** residual)
{
    int64_t step = sn_run_file_frame_step(again->run, frame);
    if (step < again->made) SN_TRY(start(again));
    if (step == 0) memset(again->residual, 0, (size_t)sn_run_file_node_count(again->run) * sizeof *again->residual);
    for (; again->made < step; again->made++) SN_TRY(sn_world_step(again->world, NULL));
    *residual = again->residual;
    return SN_OK;
}

SnStatus sn_run_again_subdomains(SnRunAgain* again, const int** part)
{
    int count = sn_run_file_node_count(again->run);
    if (!again->part) {
        if (!SN_NEW(again->part, count, "subdomains") || !SN_NEW(again->shared, count, "subdomains"))
            return SN_ERROR_MEMORY;
        SN_TRY(sn_world_step(again->world, NULL));
        again->made++;
        SN_TRY(again->status);
    }
    *part = again->part;
    return SN_OK;
}
