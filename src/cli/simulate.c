// The main loop: step, write a frame, show progress; until the last frame, Ctrl-C, or a state that is not finite.
#include "cli/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "archive/exporter.h"
#include "archive/remake.h"
#include "archive/start.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/stop.h"
#include "core/memory.h"
#include "scene/scene.h"

// What the loop works on.
typedef struct Loop {
    const SnSimulation* simulation;
    SnWorld* world;
    SnRunFile* run;
    SnProgress progress;
    int64_t step, last_step;
    int every; // steps per frame
} Loop;

static void print_log(void* user, SnLogLevel level, const char* message)
{
    Loop* loop = user;
    if (level != SN_LOG_WARNING || loop->simulation->quiet) return;
    sn_progress_clear(&loop->progress);
    fprintf(stderr, "sinew: warning: %s\n", message);
}

SnStatus sn_simulation_describe(const SnSimulation* s, SnRunFile* run)
{
    char frames[16];
    snprintf(frames, sizeof frames, "%d", sn_scene_frames(s->scene));
    SnConvention convention = sn_scene_convention(s->scene);
    SN_TRY(sn_run_file_set_meta(run, "units", sn_convention_units(&convention)));
    SN_TRY(sn_run_file_set_meta(run, "up", convention.z_up ? "z" : "y"));
    SN_TRY(sn_run_file_set_meta(run, "frames", frames));
    SN_TRY(sn_remake_note_folder(run, s->scene));
    return sn_run_file_set_meta(run, "overrides", s->overrides);
}

static SnStatus open_run(Loop* loop)
{
    const SnSimulation* s = loop->simulation;
    SnWorldDef* def = sn_scene_world_def(s->scene);
    if (s->threads) def->threads = s->threads;
    def->log = (SnLog){loop, print_log};
    if (!s->resume) SN_TRY(sn_start_check_output(s->scene, s->path));
    SN_TRY(s->resume ? sn_scene_create_unstarted(s->scene, &loop->world) : sn_run_start_world(s->scene, &loop->world));
    const char* text = sn_scene_text(s->scene);
    if (s->resume)
        SN_TRY(sn_run_file_resume(s->path, text, loop->world, &loop->run));
    else
        SN_TRY(sn_run_file_create(s->path, loop->world,
                                  &(SnRunOptions){.name = sn_scene_name(s->scene),
                                                  .scene = text,
                                                  .compress = sn_scene_output(s->scene)->compress,
                                                  .contacts = sn_scene_output(s->scene)->contacts,
                                                  .residuals = sn_scene_output(s->scene)->residuals},
                                  &loop->run));
    SnStepReport now;
    SN_TRY(sn_world_measure(loop->world, &now));
    loop->step = now.step;
    return sn_simulation_describe(s, loop->run);
}

// The first node whose position is not a number, or -1.
static int find_non_finite(const SnWorld* world)
{
    const double* x = sn_world_positions(world);
    int count = sn_world_node_count(world);
    for (int i = 0; i < 3 * count; i++)
        if (!isfinite(x[i])) return i / 3;
    return -1;
}

static SnStatus make_step(Loop* loop)
{
    SnStepReport report;
    SN_TRY(sn_world_step(loop->world, &report));
    int bad = find_non_finite(loop->world);
    if (bad >= 0)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "step %" PRId64 ": node %d is no longer at a finite position; frames before it are kept in %s. "
                       "A smaller time.step or a stiffer or less compressed material may help",
                       report.step, bad, loop->simulation->path);
    SN_TRY(sn_run_file_add_step(loop->run, &report));
    loop->step = report.step;
    // Ctrl-C saves a frame between two regular ones when there are several steps to a frame.
    bool frame = loop->step % loop->every == 0 || loop->step >= loop->last_step || sn_stop_wanted();
    if (frame) SN_TRY(sn_run_file_write_frame(loop->run, loop->world));
    sn_progress_step(&loop->progress, &report, frame);
    return SN_OK;
}

// The formats of the scene's output.write, next to the run file.
static SnStatus write_exports(const SnSimulation* simulation)
{
    const SnSceneOutput* output = sn_scene_output(simulation->scene);
    if (output->write_count == 0) return SN_OK;
    char* stem = sn_path_with_ending(simulation->path, "");
    if (!stem) return SN_ERROR_MEMORY;
    SnRunFile* run = NULL;
    SnStatus status = sn_run_file_open(simulation->path, &run);
    for (int i = 0; i < output->write_count && status == SN_OK; i++) {
        const SnExporter* exporter = sn_exporter_find(output->write[i]);
        status = exporter
                     ? sn_export_run(exporter, run, stem, sn_path_name(stem), 0, sn_run_file_frame_count(run) - 1, NULL)
                     : sn_table_unknown(&sn_exporter_table, output->write[i]);
        if (status == SN_OK && !simulation->quiet) printf("wrote %s/ (%s)\n", stem, exporter->name);
    }
    sn_run_file_destroy(run);
    sn_free(stem);
    return status;
}

static int tell_interrupted(const Loop* loop)
{
    sn_complain("stopped after step %" PRId64 " of %" PRId64 "; everything so far is in %s, and the same command with "
                "--resume goes on from there",
                loop->step, loop->last_step, loop->simulation->path);
    return SN_EXIT_FAILED;
}

static int simulate(Loop* loop)
{
    const SnSimulation* s = loop->simulation;
    SnStatus status = open_run(loop);
    if (status != SN_OK) return sn_exit_of(status);
    if (!s->quiet) printf("%s: about %s of memory\n", s->path, sn_memory_taken().text);
    if (!s->quiet && s->resume)
        printf("%s: %s after step %" PRId64 "\n", s->path, loop->step < loop->last_step ? "resuming" : "nothing to do",
               loop->step);
    loop->progress = sn_progress_start(s->quiet, loop->step, loop->last_step);
    sn_stop_may_leave(s->path);
    while (status == SN_OK && loop->step < loop->last_step && !sn_stop_wanted()) status = make_step(loop);
    sn_stop_ignore();
    sn_progress_clear(&loop->progress);
    if (status == SN_OK) {
        status = sn_run_file_close(loop->run); // a full disk may show only here
        loop->run = NULL;
    }
    sn_progress_summary(&loop->progress);
    if (status != SN_OK) {
        sn_exit_of(status);
        return SN_EXIT_FAILED;
    }
    if (loop->step < loop->last_step) return tell_interrupted(loop);
    if (!s->quiet) printf("wrote %s\n", s->path);
    return sn_exit_of(write_exports(s));
}

int sn_simulate(const SnSimulation* simulation)
{
    Loop loop = {.simulation = simulation,
                 .last_step = sn_scene_frames(simulation->scene),
                 .every = sn_scene_output(simulation->scene)->every};
    sn_stop_listen("sinew");
    int code = simulate(&loop);
    sn_run_file_destroy(loop.run);
    sn_world_destroy(loop.world);
    return code;
}
