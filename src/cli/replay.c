// `sinew replay`: a run made again, with all that was changed while it went on, and compared.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "archive/remake.h"
#include "archive/start.h"
#include "cli/command.h"
#include "core/memory.h"
#include "scene/scene.h"
#include <sinew/run.h>

typedef struct Replay {
    SnRunFile *run, *made; // made: NULL: nothing is written
    SnScene* scene;
    SnWorld* world;
    const SnEvent* events;
    int event_count, next;
    double* places; // 3 x node_count
    int frame;      // the next of the run
} Replay;

static SnStatus open_run(Replay* r, const char* path)
{
    SN_TRY(sn_run_file_open(path, &r->run));
    SN_TRY(sn_remake_scene(r->run, &r->scene));
    SN_TRY(sn_start_world(r->scene, &r->world));
    SN_TRY(sn_run_file_read_events(r->run, -1, &r->events, &r->event_count));
    int now = sn_world_node_count(r->world), then = sn_run_file_node_count(r->run);
    if (now != then)
        return sn_fail(SN_ERROR_VALUE, "%s: its scene has %d nodes now, the run has %d; files it names were changed",
                       path, now, then);
    return SN_NEW(r->places, 3 * (int64_t)now, "a frame") ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus make_file(Replay* r, const char* path)
{
    static const char* const texts[] = {"units", "up", "frames", "overrides"};
    if (!path) return SN_OK;
    SnRunOptions options = {.name = sn_run_file_name(r->run),
                            .scene = sn_run_file_scene(r->run),
                            .compress = sn_run_file_compressed(r->run),
                            .contacts = sn_scene_output(r->scene)->contacts};
    SN_TRY(sn_run_file_create(path, r->world, &options, &r->made));
    for (int i = 0; i < 4; i++) {
        const char* text;
        SN_TRY(sn_run_file_meta(r->run, texts[i], &text));
        if (text) SN_TRY(sn_run_file_set_meta(r->made, texts[i], text));
    }
    return SN_OK;
}

// The frame of this step, if there is one; whether it is the same.
static SnStatus compare(Replay* r, int64_t step, bool* same)
{
    *same = true;
    if (r->frame >= sn_run_file_frame_count(r->run) || sn_run_file_frame_step(r->run, r->frame) != step) return SN_OK;
    SN_TRY(sn_run_file_read_frame(r->run, r->frame++, r->places, NULL));
    size_t bytes = 3 * (size_t)sn_world_node_count(r->world) * sizeof *r->places;
    *same = memcmp(r->places, sn_world_positions(r->world), bytes) == 0;
    return r->made && step > 0 ? sn_run_file_write_frame(r->made, r->world) : SN_OK;
}

static SnStatus step(Replay* r)
{
    SnStepReport report;
    SN_TRY(sn_world_measure(r->world, &report));
    for (; r->next < r->event_count && r->events[r->next].step <= report.step; r->next++) {
        SnStatus status = sn_world_apply(r->world, &r->events[r->next]);
        if (status != SN_OK) return sn_fail_prefix(status, "change %d, after step %" PRId64, r->next, report.step);
    }
    SN_TRY(sn_world_step(r->world, &report));
    return r->made ? sn_run_file_add_step(r->made, &report) : SN_OK;
}

// The first frame that is not the same; -1: all are.
static SnStatus go(Replay* r, int* differs)
{
    int frames = sn_run_file_frame_count(r->run);
    int64_t first = sn_run_file_frame_step(r->run, 0), last = sn_run_file_frame_step(r->run, frames - 1);
    *differs = -1;
    for (int64_t k = first; k <= last; k++) {
        bool same;
        if (k > first) SN_TRY(step(r));
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
    if (to && strcmp(to, path) == 0) return sn_usage_error(arguments, "-o names the run itself");
    SnStatus status = open_run(&r, path);
    if (status == SN_OK) status = make_file(&r, to);
    if (status == SN_OK) status = go(&r, &differs);
    SnStatus closed = sn_run_file_close(r.made);
    if (status == SN_OK) status = closed;
    int code = status == SN_OK ? SN_EXIT_DONE : sn_exit_of(status);
    if (status == SN_OK && differs < 0)
        printf("%d frames, %d changes: the same bits\n", sn_run_file_frame_count(r.run), r.event_count);
    if (status == SN_OK && differs >= 0) {
        sn_complain("%s: frame %d came out another; it was made by another version, or on another kind of machine",
                    path, differs);
        code = SN_EXIT_FAILED;
    }
    sn_free(r.places);
    sn_run_file_destroy(r.run);
    sn_world_destroy(r.world);
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
