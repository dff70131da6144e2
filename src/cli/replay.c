// `sinew replay`: a run made again, with all that was changed while it went on, and compared.
#include <stdio.h>
#include <string.h>

#include "archive/again.h"
#include "archive/remake.h"
#include "archive/run_file.h"
#include "archive/start.h"
#include "cli/command.h"
#include "core/memory.h"
#include "scene/scene.h"
#include <sinew/run.h>

typedef struct Replay {
    SnAgain again;
    SnScene* scene;
    double* places; // 3 x node_count
    int frame;      // the next of the run
} Replay;

static SnStatus open_run(Replay* r, const char* path)
{
    SN_TRY(sn_run_file_open(path, &r->again.run));
    SN_TRY(sn_remake_scene(r->again.run, &r->scene));
    SN_TRY(sn_start_again(r->again.run, r->scene, &r->again.world));
    int now = sn_world_node_count(r->again.world), then = sn_run_file_nodes_at(r->again.run, 0);
    if (now != then)
        return sn_fail(SN_ERROR_VALUE, "%s: its scene has %d nodes now, the run has %d; files it names were changed",
                       path, now, then);
    return SN_NEW(r->places, 3 * (int64_t)sn_run_file_node_count(r->again.run), "a frame") ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus begin(Replay* r, const char* path)
{
    SnAgain* again = &r->again;
    const char* frames;
    SnRunOptions options = {.name = sn_run_file_name(again->run),
                            .scene = sn_run_file_scene(again->run),
                            .compress = sn_run_file_compressed(again->run),
                            .contacts = sn_scene_output(r->scene)->contacts,
                            .residuals = sn_scene_output(r->scene)->residuals};
    if (path) SN_TRY(sn_start_check_output(r->scene, path));
    SN_TRY(sn_again_start(again, path, &options));
    if (!path) return SN_OK;
    SN_TRY(sn_run_file_meta(again->run, "frames", &frames));
    if (frames) SN_TRY(sn_run_file_set_meta(again->made, "frames", frames));
    return sn_remake_note_folder(again->made, r->scene);
}

// The frame of this step, if there is one; whether it is the same.
static SnStatus compare(Replay* r, int64_t step, bool* same)
{
    SnAgain* again = &r->again;
    *same = true;
    if (r->frame >= sn_run_file_frame_count(again->run) || sn_run_file_frame_step(again->run, r->frame) != step)
        return SN_OK;
    SN_TRY(sn_run_file_read_frame(again->run, r->frame++, r->places, NULL));
    size_t bytes = 3 * (size_t)sn_world_node_count(again->world) * sizeof *r->places;
    *same = memcmp(r->places, sn_world_positions(again->world), bytes) == 0;
    return again->made && step > 0 ? sn_run_file_write_frame(again->made, again->world) : SN_OK;
}

// The first frame that is not the same; -1: all are.
static SnStatus go(Replay* r, int* differs)
{
    SnRunFile* run = r->again.run;
    int64_t first = sn_run_file_frame_step(run, 0),
            last = sn_run_file_frame_step(run, sn_run_file_frame_count(run) - 1);
    SnStepReport now;
    *differs = -1;
    SN_TRY(sn_world_measure(r->again.world, &now));
    for (int64_t k = first; k <= last; k++) {
        bool same;
        if (k > first) SN_TRY(sn_again_step(&r->again, &now));
        SN_TRY(compare(r, k, &same));
        if (!same && *differs < 0) *differs = r->frame - 1;
    }
    return SN_OK;
}

static int run(const SnArguments* arguments)
{
    Replay r = {0};
    int differs = -1;
    const char *path = arguments->words[0], *to = sn_option_value(arguments, "output");
    SnStatus status = open_run(&r, path);
    if (status == SN_OK) status = begin(&r, to);
    if (status == SN_OK) status = go(&r, &differs);
    SnStatus closed = sn_run_file_close(r.again.made);
    if (status == SN_OK) status = closed;
    int code = status == SN_OK ? SN_EXIT_DONE : sn_exit_of(status);
    if (status == SN_OK && differs < 0)
        printf("%d frames, %d changes: the same bits\n", sn_run_file_frame_count(r.again.run), r.again.count);
    if (status == SN_OK && differs >= 0) {
        sn_complain("%s: frame %d came out another; it was made by another version, or on another kind of machine",
                    path, differs);
        code = SN_EXIT_FAILED;
    }
    sn_free(r.places);
    sn_run_file_destroy(r.again.run);
    sn_world_destroy(r.again.world);
    sn_scene_destroy(r.scene);
    return code;
}

static const SnOption options[] = {{"output", 'o', "RUN", false, "a run file for what comes out"}, {0}};

const SnCommand sn_command_replay = {
    .name = "replay",
    .usage = "RUN [-o RUN]",
    .summary = "make a run again, with what was changed while it went on, and compare",
    .help =
        "The scene is simulated from its start; whatever was done to it between steps (`sinew view`, or a program by\n"
        "the C API) is done again at the same steps. All frames must come out bit for bit.",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
