#include "live/retrace.h"

#include <stdio.h>
#include <string.h>

#include "archive/again.h"
#include "archive/remake.h"
#include "archive/start.h"
#include "core/status.h"
#include "scene/scene.h"

static SnStatus begin(const SnRetraceDef* def, SnAgain* again)
{
    SnRunOptions options = sn_default_run_options();
    char at[32];
    SN_TRY(sn_run_file_open(def->from, &again->run));
    SN_TRY(sn_start_again(again->run, def->scene, &again->world));
    options.name = sn_scene_name(def->scene), options.scene = sn_scene_text(def->scene);
    SN_TRY(sn_again_start(again, def->to, &options));
    SN_TRY(sn_remake_note_folder(again->made, def->scene));
    const char* name = strrchr(def->from, '/');
    snprintf(at, sizeof at, "%lld", (long long)def->step);
    SN_TRY(sn_run_file_set_meta(again->made, "branch_of", name ? name + 1 : def->from));
    return sn_run_file_set_meta(again->made, "branch_step", at);
}

static SnStatus go(const SnRetraceDef* def, SnAgain* again)
{
    SnStepReport now;
    SN_TRY(sn_world_measure(again->world, &now));
    while (now.step < def->step) {
        if (def->stop && def->stop(def->user)) return sn_fail(SN_ERROR_VALUE, "given up");
        SN_TRY(sn_again_step(again, &now));
        SN_TRY(sn_run_file_write_frame(again->made, again->world));
    }
    return SN_OK;
}

SnStatus sn_retrace(const SnRetraceDef* def, SnWorld** world, SnRunFile** run)
{
    SnAgain again = {0};
    SnStatus status = begin(def, &again);
    if (status == SN_OK) status = go(def, &again);
    sn_run_file_destroy(again.run);
    *world = again.world, *run = again.made;
    if (status == SN_OK) return SN_OK;
    sn_run_file_destroy(again.made);
    sn_world_destroy(again.world);
    *world = NULL, *run = NULL;
    return status;
}
