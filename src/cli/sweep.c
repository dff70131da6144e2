// `sinew sweep`: a scene with all combinations of values, on all processors; or values that match a measured curve.
#include "experiment/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/overrides.h"
#include "cli/plot_measured.h"
#include "cli/run.h"
#include "cli/sweep_against.h"

typedef struct Numbers {
    int jobs, frames, runs;
} Numbers;

static const SnParameter parameters[] = {
    {"jobs", SN_INTEGER, offsetof(Numbers, jobs), .range = ">=1 <=256",
     .doc = "so many runs at a time (one per processor)"},
    {"frames", SN_INTEGER, offsetof(Numbers, frames), .range = ">=1",
     .doc = "simulate N frames instead of the scene's number"},
    {"runs", SN_INTEGER, offsetof(Numbers, runs), .value = "40", .range = ">=2",
     .doc = "of --fit: at most so many in all"},
    {0},
};

// "young=1e5 poisson=0.3": the last words of the paths.
static const char* name_case(SnSweep* sweep, int number)
{
    char name[200] = "";
    for (int k = 0; k < sweep->over_count; k++) {
        const char* dot = strrchr(sweep->overs[k].path, '.');
        sn_append(name, sizeof name, "%s%s=%s", k ? " " : "", dot ? dot + 1 : sweep->overs[k].path,
                  sweep->cases[number].values[k]);
    }
    return sn_arena_text(&sweep->arena, name, strlen(name));
}

// Each thing that was measured over time, a curve for each case; as many as a plot holds.
static SnStatus plot_values(SnSweep* sweep)
{
    SnStatus status = SN_OK;
    SnRunFile *runs[SN_PLOT_MOST_CURVES] = {0}, *first = NULL;
    const char *paths[SN_PLOT_MOST_CURVES], *names[SN_PLOT_MOST_CURVES];
    int count = 0;
    for (int i = 0; i < sweep->case_count && count < SN_PLOT_MOST_CURVES; i++) {
        if (!sweep->cases[i].done || !(paths[count] = sn_sweep_path(sweep, i, ".run"))) continue;
        if (!(names[count] = name_case(sweep, i))) continue;
        if (sn_run_file_open(paths[count], &runs[count]) == SN_OK) first = runs[0], count++;
    }
    for (int k = 0; first && k < sn_run_file_value_count(first) && status == SN_OK; k++) {
        const SnValueInfo *info = &sn_run_file_values(first)[k], *before = info - 1;
        if (k > 0 && strcmp(before->name, info->name) == 0 && strcmp(before->what, info->what) == 0) continue;
        SnCurveData curves[SN_PLOT_MOST_CURVES];
        SnPlot plot = {.title = info->name, .curves = curves};
        SnPlotMeasured def = {info->what, info->name, NULL};
        for (int i = 0; i < count && status == SN_OK; i++) {
            status = sn_plot_measured(&def, runs[i], paths[i], true, &sweep->arena, curves, &plot);
            if (status == SN_OK && plot.curve_count == i + 1) curves[i].name = names[i];
        }
        const char* path = sn_arena_print(&sweep->arena, "%s/%s.%s.svg", sweep->folder, info->name, info->what);
        if (status == SN_OK) status = path ? sn_plot_write(&plot, path) : SN_ERROR_MEMORY;
    }
    for (int i = 0; i < count; i++) sn_run_file_destroy(runs[i]);
    return status;
}

static int finish(SnSweep* sweep, bool stopped)
{
    int done = 0;
    SnStatus status = sn_sweep_write_table(sweep);
    if (status == SN_OK) status = plot_values(sweep);
    if (status == SN_OK) status = sn_sweep_plot_against(sweep);
    for (int i = 0; i < sweep->case_count; i++) done += sweep->cases[i].done;
    if (status != SN_OK) return sn_exit_of(status);
    if (!sweep->quiet)
        printf("%d of %d cases done; wrote %s/table.csv and %s/table.sqlite\n", done, sweep->case_count, sweep->folder,
               sweep->folder);
    if (stopped) sn_complain("stopped; the same command goes on from there");
    return done == sweep->case_count ? SN_EXIT_DONE : SN_EXIT_FAILED;
}

// What runs on other machines is looked at here.
static int merge(SnSweep* sweep)
{
    SnStatus status = sn_sweep_reopen(sweep);
    if (status == SN_OK) sn_sweep_look(sweep);
    return status == SN_OK ? finish(sweep, false) : sn_exit_of(status);
}

// The scene with the first values: what is wrong with it is said before anything is run.
static int check_scene(SnSweep* sweep, const char* const* values)
{
    SnOverrides overrides = {0};
    SnScene* scene = NULL;
    bool good = true;
    for (int i = 0; i < sweep->fixed_count; i++) good &= sn_overrides_add(&overrides, sweep->fixed[i]);
    for (int k = 0; k < sweep->over_count; k++)
        good &= sn_overrides_add(&overrides, sn_arena_print(&sweep->arena, "%s=%s", sweep->overs[k].path, values[k]));
    int code = good ? sn_load_scene(&(SnSceneSource){.path = sweep->scene}, overrides.items, overrides.count,
                                    sweep->quiet, &scene)
                    : sn_exit_of(SN_ERROR_MEMORY);
    sn_scene_destroy(scene);
    sn_overrides_free(&overrides);
    return code;
}

static int run_fit(SnSweep* sweep, const SnArguments* arguments, int most_runs)
{
    SnSweepFit fit = {.curve = sn_option_value(arguments, "fit"),
                      .what = sn_option_value(arguments, "what"),
                      .of = sn_option_value(arguments, "of"),
                      .against = sn_option_value(arguments, "against"),
                      .most_runs = most_runs};
    if (!fit.what) return sn_usage_error(arguments, "--fit needs --what: what of the measured is to match the curve");
    SnStatus status = sn_sweep_fit(sweep, &fit);
    if (status != SN_OK) return sn_exit_of(status);
    for (int k = 0; k < sweep->over_count && !fit.stopped; k++)
        printf("%s = %.6g +- %.2g\n", sweep->overs[k].path, fit.best[k], fit.spread[k]);
    if (!fit.stopped)
        printf("root of the mean square %.6g after %d runs, %s\n", fit.misfit, fit.runs,
               fit.converged ? "converged" : "not converged: more --runs may help");
    int code = finish(sweep, fit.stopped);
    return code == SN_EXIT_DONE && !fit.converged ? SN_EXIT_FAILED : code;
}

static int write_files(SnSweep* sweep, bool slurm)
{
    SnStatus status = sn_sweep_open(sweep);
    if (status == SN_OK) status = slurm ? sn_sweep_write_slurm(sweep) : sn_sweep_write_parallel(sweep);
    if (status == SN_OK && !sweep->quiet)
        printf(slurm ? "wrote %s/slurm.sh for %d cases: sbatch it, then sinew sweep --merge %s\n"
                     : "wrote %s/parallel.txt for %d cases: parallel < it, then sinew sweep --merge %s\n",
               sweep->folder, sweep->case_count, sweep->folder);
    return sn_exit_of(status);
}

static int sweep_scene(SnSweep* sweep, const SnArguments* arguments, const Numbers* numbers)
{
    SnStatus status = SN_OK;
    const char *one, *first[SN_SWEEP_MOST_OVERS];
    bool stopped = false, fits = sn_option_given(arguments, "fit");
    for (int i = 0; status == SN_OK && (one = sn_option_at(arguments, "over", i)); i++)
        status = sn_sweep_add_over(sweep, one);
    if (status != SN_OK) return sn_exit_of(status);
    if (fits) return run_fit(sweep, arguments, numbers->runs);
    for (int k = 0; k < sweep->over_count; k++) first[k] = sweep->overs[k].values[0];
    int code = check_scene(sweep, first);
    if (code != SN_EXIT_DONE) return code;
    status = sn_sweep_combine(sweep);
    if (status != SN_OK) return sn_exit_of(status);
    if (sn_option_given(arguments, "slurm")) return write_files(sweep, true);
    if (sn_option_given(arguments, "parallel")) return write_files(sweep, false);
    status = sn_sweep_open(sweep);
    if (status == SN_OK) status = sn_sweep_run(sweep, 0, &stopped);
    return status == SN_OK ? finish(sweep, stopped) : sn_exit_of(status);
}

static bool set_fixed(SnSweep* sweep, const SnArguments* arguments, const Numbers* numbers)
{
    enum { MOST = 32 };
    const char** fixed = sn_arena_allocate(&sweep->arena, MOST * sizeof *fixed);
    if (!fixed) return false;
    if (numbers->frames) fixed[sweep->fixed_count++] = sn_arena_print(&sweep->arena, "time.frames=%d", numbers->frames);
    for (int i = 0; sn_option_at(arguments, "set", i) && sweep->fixed_count < MOST; i++)
        fixed[sweep->fixed_count++] = sn_option_at(arguments, "set", i);
    sweep->fixed = fixed;
    return true;
}

// "study/" is "study", and "/" stays.
static const char* without_slash(SnSweep* sweep, const char* folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    return sn_arena_print(&sweep->arena, "%.*s", (int)length, folder);
}

static int run(const SnArguments* arguments)
{
    Numbers numbers;
    const char *folder = sn_option_value(arguments, "output"), *merged = sn_option_value(arguments, "merge");
    if (!sn_overrides_check_set(arguments) || !sn_options_read(arguments, &numbers)) return SN_EXIT_USAGE;
    if (!merged && arguments->word_count != 1) return sn_usage_error(arguments, "which scene?");
    if (!merged && !sn_option_given(arguments, "over"))
        return sn_usage_error(arguments, "over what? --over PATH=VALUE,VALUE,...");
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0) return sn_complain("the program does not find itself in /proc"), SN_EXIT_FAILED;
    program[length] = 0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    SnSweep sweep = {.program = program,
                     .jobs = numbers.jobs     ? numbers.jobs
                             : processors > 0 ? (int)processors
                                              : 1,
                     .quiet = sn_option_given(arguments, "quiet")};
    char* usual = merged ? NULL : sn_path_with_ending(arguments->words[0], ".study");
    sweep.scene = merged ? "" : arguments->words[0];
    folder = merged ? merged : folder ? folder : usual;
    sweep.folder = folder ? without_slash(&sweep, folder) : NULL;
    int code = !sweep.folder || !set_fixed(&sweep, arguments, &numbers) ? sn_exit_of(SN_ERROR_MEMORY)
               : merged                                                 ? merge(&sweep)
                                                                        : sweep_scene(&sweep, arguments, &numbers);
    sn_sweep_free(&sweep);
    sn_free(usual);
    return code;
}

static const SnOption options[] = {
    {"over", 0, "PATH=V,V,...", true, "a key of the scene and its values; of --fit: PATH=LO:HI"},
    {"output", 'o', "DIR", false, "the folder of the study (the scene's name with .study for its ending)"},
    {"set", 0, "PATH=VALUE", true, "change any value of the scene, the same in all cases"},
    {"fit", 0, "FILE.csv", false,
     "find the values whose runs match this curve: two columns, time (or --against) and value"},
    {"what", 0, "WHAT", false, "of --fit: what was measured that is to match, as for `sinew plot`"},
    {"of", 0, "NAME", false, "of --fit: the probe"},
    {"against", 0, "WHAT", false, "of --fit: what the first column is, unless it is the time"},
    {"slurm", 0, NULL, false, "write DIR/slurm.sh, an array job, and run nothing"},
    {"parallel", 0, NULL, false, "write DIR/parallel.txt for GNU parallel, a command in each line, and run nothing"},
    {"merge", 0, "DIR", false, "make the table and plots of what has been run elsewhere; without a scene"},
    {"quiet", 'q', NULL, false, "print nothing but errors and what --fit finds"},
    {0},
};

const SnCommand sn_command_sweep = {
    .name = "sweep",
    .usage = "SCENE --over PATH=V,V,... [--over ...] [-o DIR] [options] | --merge DIR",
    .summary = "run a scene with all combinations of values; find values that match a curve",
    .help =
        "Each case is a run of its own, DIR/000.run and so on, with one thread, as many at a time as there are\n"
        "processors. The same command again goes on with what is not done. DIR/table.csv and DIR/table.sqlite\n"
        "have a row for each: its values, outcome, energies, and of all that the scene measures the last, least and\n"
        "most value; DIR/NAME.WHAT.svg have the curves over time. --fit looks between two bounds for values of\n"
        "which a curve comes nearest to a measured one by least squares.",
    .parameters = parameters,
    .options = options,
    .max_words = 1,
    .run = run,
};
