#include "live/retrace.h"

#include <stdio.h>
#include <string.h>

#include "archive/again.h"
#include "archive/remake.h"
#include "archive/run_file.h"
#include "archive/start.h"
#include "core/memory.h"
#include "core/status.h"
#include "scene/scene.h"

static SnStatus begin(const SnRetraceDef* def, SnAgain* again)
{
    SnRunOptions options = sn_default_run_options();
    char at[32];
    SN_TRY(sn_run_file_open(def->from, &again->run));
    SN_TRY(sn_start_again(again->run, def->scene, &again->world));
    options.name = sn_scene_name(def->scene), options.scene = sn_scene_text(def->scene), options.residuals = true;
    SN_TRY(sn_again_start(again, def->to, &options));
    if (!def->to) return SN_OK;
    SN_TRY(sn_remake_note_folder(again->made, def->scene));
    const char* name = strrchr(def->from, '/');
    snprintf(at, sizeof at, "%lld", (long long)def->step);
    SN_TRY(sn_run_file_set_meta(again->made, "branch_of", name ? name + 1 : def->from));
    return sn_run_file_set_meta(again->made, "branch_step", at);
}

static SnStatus go(const SnRetraceDef* def, SnAgain* again)
{
    SnStepReport now;
    int64_t last = sn_run_file_frame_step(again->run, sn_run_file_frame_count(again->run) - 1);
    SN_TRY(sn_world_measure(again->world, &now));
    while (now.step < (def->to ? def->step : last)) {
        if (def->stop && def->stop(def->user)) return sn_fail(SN_ERROR_VALUE, "given up");
        SN_TRY(sn_again_step(again, &now));
        if (again->made) SN_TRY(sn_run_file_write_frame(again->made, again->world));
    }
    return SN_OK;
}

// Where a file goes on itself, that it would go on from where it is.
static SnStatus check_end(const SnAgain* again)
{
    SnRunFile* run = again->run;
    int count = sn_run_file_node_count(run);
    double* x;
    if (!SN_NEW(x, 3 * (int64_t)count, "a frame")) return SN_ERROR_MEMORY;
    SnStatus status = sn_run_file_read_frame(run, sn_run_file_frame_count(run) - 1, x, NULL);
    bool same = count == sn_world_node_count(again->world) &&
                memcmp(x, sn_world_positions(again->world), 3 * (size_t)count * sizeof *x) == 0;
    sn_free(x);
    if (status == SN_OK && !same)
        status = sn_fail(SN_ERROR_VALUE,
                         "%s: made again, it comes out another; it was made by another version, from other files, or "
                         "on another kind of machine",
                         sn_run_file_path(run));
    return status;
}

SnStatus sn_retrace(const SnRetraceDef* def, SnWorld** world, SnRunFile** run)
{
    SnAgain again = {0};
    SnStatus status = begin(def, &again);
    if (status == SN_OK) status = go(def, &again);
    if (status == SN_OK && !def->to) status = check_end(&again);
    sn_run_file_destroy(again.run);
    if (status == SN_OK && !def->to) status = sn_run_file_open_to_append(def->from, &again.made);
    if (status == SN_OK && !def->to) status = sn_world_note_changes(again.world, true);
    *world = again.world, *run = again.made;
    if (status == SN_OK) return SN_OK;
    sn_run_file_destroy(again.made);
    sn_world_destroy(again.world);
    *world = NULL, *run = NULL;
    return status;
}
