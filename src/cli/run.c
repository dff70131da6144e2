// `sinew run`: from the options to a scene, a world and a run file.
#include "cli/run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/run_file.h"
#include "cli/overrides.h"
#include "cli/simulate.h"

// "time.frames=100" from --frames 100 and so on, then the --set ones, which therefore win.
static bool add_given_overrides(SnOverrides* overrides, const SnArguments* arguments)
{
    static const struct {
        const char *option, *path;
    } shorthands[] = {{"frames", "time.frames"}, {"integrator", "integrator.type"}};
    for (size_t i = 0; i < sizeof shorthands / sizeof *shorthands; i++) {
        const char* value = sn_option_value(arguments, shorthands[i].option);
        if (value &&
            !sn_overrides_add(overrides, sn_arena_print(&overrides->arena, "%s=%s", shorthands[i].path, value)))
            return false;
    }
    const char* solver = sn_option_value(arguments, "solver");
    if (solver && !sn_overrides_add_solver(overrides, solver)) return false;
    return sn_overrides_add_set(overrides, arguments);
}

// What a run to be resumed was started with.
static SnStatus read_recorded(const char* path, SnOverrides* overrides)
{
    SnRunFile* run;
    const char* text;
    SN_TRY(sn_run_file_open_lightly(path, &run));
    SnStatus status = sn_run_file_meta(run, "overrides", &text);
    if (status == SN_OK && text && !sn_overrides_add_lines(overrides, text)) status = SN_ERROR_MEMORY;
    sn_run_file_destroy(run);
    return status;
}

typedef struct Numbers {
    int frames, threads;
} Numbers;

const SnParameter sn_run_parameters[] = {
    {"frames", SN_INTEGER, offsetof(Numbers, frames), .range = ">=0",
     .doc = "simulate N frames instead of the scene's number"},
    {"threads", SN_INTEGER, offsetof(Numbers, threads), .range = ">=1 <=1024",
     .doc = "use N threads (one per processor); the result does not depend on it"},
    {0},
};

static int run_to(const SnArguments* arguments, const SnSceneSource* source, SnSimulate* simulate, const char* path,
                  int threads, SnOverrides* overrides)
{
    bool resume = sn_option_given(arguments, "resume") && access(path, F_OK) == 0;
    if (resume) {
        SnStatus status = read_recorded(path, overrides);
        if (status != SN_OK) return sn_exit_of(status);
    }
    if (!add_given_overrides(overrides, arguments)) return sn_exit_of(SN_ERROR_MEMORY);
    const char* recorded = sn_overrides_lines(overrides, &overrides->arena);
    if (!recorded) return sn_exit_of(SN_ERROR_MEMORY);
    bool quiet = sn_option_given(arguments, "quiet");
    SnScene* scene;
    int code = sn_load_scene(source, overrides->items, overrides->count, quiet, &scene);
    if (code != SN_EXIT_DONE) return code;
    SnSimulation simulation = {
        .scene = scene, .path = path, .overrides = recorded, .resume = resume, .quiet = quiet, .threads = threads};
    code = simulate(&simulation);
    sn_scene_destroy(scene);
    return code;
}

int sn_run_scene(const SnArguments* arguments, const SnSceneSource* source, SnSimulate* simulate)
{
    Numbers numbers;
    if (!sn_overrides_check_set(arguments) || !sn_options_read(arguments, &numbers)) return SN_EXIT_USAGE;
    if (!sn_take_memory(arguments)) return SN_EXIT_USAGE;
    const char* given = sn_option_value(arguments, "output");
    char* path = given ? sn_copy_text(given) : sn_path_with_ending(source->path, ".run");
    if (!path) return sn_exit_of(SN_ERROR_MEMORY);
    SnOverrides overrides = {0};
    int code = run_to(arguments, source, simulate, path, numbers.threads, &overrides);
    sn_overrides_free(&overrides);
    sn_free(path);
    sn_give_memory_back();
    return code;
}

static int run(const SnArguments* arguments)
{
    return sn_run_scene(arguments, &(SnSceneSource){.path = arguments->words[0]}, sn_simulate);
}

static const SnOption options[] = {SN_RUN_OPTIONS, {0}};

const SnCommand sn_command_run = {
    .name = "run",
    .usage = "SCENE [-o RUN] [options]",
    .summary = "simulate a scene and keep everything in a run file",
    .help = "Shows one line of progress on a terminal, one line per frame elsewhere. Ctrl-C ends the run after\n"
            "the current step with everything saved, SIGTERM after at most a second with what it has saved by\n"
            "then; --resume goes on from there, to the same bits as if it had never stopped, with the options\n"
            "it was started with and those given now.",
    .parameters = sn_run_parameters,
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
