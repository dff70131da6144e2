#include "live/retrace.h"

#include <stdio.h>
#include <string.h>

#include "archive/again.h"
#include "archive/run_file.h"
#include "archive/start.h"
#include "core/memory.h"
#include "core/status.h"

// Checkpoints are of the version and kind of machine that wrote them: where one is of no use, all steps are made again.
static SnStatus begin(const SnRetraceDef* def, SnAgain* again, int64_t step, SnRetraced* retraced)
{
    int64_t at;
    SN_TRY(sn_again_start(again, NULL, NULL));
    SN_TRY(sn_start_again(again->run, def->scene, &again->world));
    if (sn_again_jump(again, step, &at) == SN_OK) return SN_OK;
    snprintf(retraced->why, sizeof retraced->why, "%s", sn_last_error());
    sn_world_destroy(again->world);
    again->world = NULL, again->next = 0;
    return sn_start_again(again->run, def->scene, &again->world);
}

static SnStatus go(const SnRetraceDef* def, SnAgain* again, int64_t step, SnRetraced* retraced)
{
    SnStepReport now;
    SN_TRY(sn_world_measure(again->world, &now));
    for (; now.step < step; retraced->made++) {
        if (def->stop && def->stop(def->user)) return sn_fail(SN_ERROR_VALUE, "given up");
        SN_TRY(sn_again_step(again, &now));
    }
    return SN_OK;
}

// It goes on from where it is.
static SnStatus check_end(const SnAgain* again, int64_t step)
{
    SnRunFile* run = again->run;
    int frame = sn_run_file_find_frame(run, step), count = sn_run_file_node_count(run);
    if (frame < 0) return sn_fail(SN_ERROR_VALUE, "%s: there is no frame %lld", sn_run_file_path(run), (long long)step);
    int there = sn_run_file_nodes_at(run, frame);
    double* x;
    if (!SN_NEW(x, 3 * (int64_t)count, "a frame")) return SN_ERROR_MEMORY;
    SnStatus status = sn_run_file_read_frame(run, frame, x, NULL);
    bool same = there == sn_world_node_count(again->world) &&
                memcmp(x, sn_world_positions(again->world), 3 * (size_t)there * sizeof *x) == 0;
    sn_free(x);
    if (status == SN_OK && !same)
        status = sn_fail(SN_ERROR_VALUE,
                         "%s: made again, it comes out another; it was made by another version, from other files, or "
                         "on another kind of machine",
                         sn_run_file_path(run));
    return status;
}

static SnStatus make_copy(const SnRetraceDef* def, const SnAgain* again, SnRunFile** made)
{
    char at[32];
    const char* name = strrchr(def->from, '/');
    SN_TRY(sn_run_file_copy(again->run, def->step, def->to, made));
    snprintf(at, sizeof at, "%lld", (long long)def->step);
    SN_TRY(sn_run_file_set_meta(*made, "branch_of", name ? name + 1 : def->from));
    return sn_run_file_set_meta(*made, "branch_step", at);
}

static SnStatus retrace(const SnRetraceDef* def, SnAgain* again, SnRetraced* retraced)
{
    SN_TRY(sn_run_file_open(def->from, &again->run));
    int64_t last = sn_run_file_frame_step(again->run, sn_run_file_frame_count(again->run) - 1);
    int64_t step = def->to ? def->step : last;
    SN_TRY(begin(def, again, step, retraced));
    SN_TRY(sn_run_file_check_bodies(again->run, again->world));
    SN_TRY(go(def, again, step, retraced));
    SN_TRY(check_end(again, step));
    if (def->to) SN_TRY(make_copy(def, again, &retraced->run));
    sn_run_file_destroy(again->run);
    again->run = NULL;
    if (!def->to) SN_TRY(sn_run_file_open_to_append(def->from, &retraced->run));
    return sn_world_note_changes(again->world, true);
}

SnStatus sn_retrace(const SnRetraceDef* def, SnRetraced* retraced)
{
    SnAgain again = {0};
    *retraced = (SnRetraced){0};
    SnStatus status = retrace(def, &again, retraced);
    sn_run_file_destroy(again.run);
    retraced->world = again.world;
    if (status == SN_OK) return SN_OK;
    sn_run_file_destroy(retraced->run);
    sn_world_destroy(retraced->world);
    retraced->world = NULL, retraced->run = NULL;
    return status;
}
