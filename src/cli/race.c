// `sinew race`: the same problems, the same tolerance, several solvers.
#include "experiment/race.h"

#include <stdio.h>

#include "cli/overrides.h"
#include "cli/run.h"
#include "core/memory.h"

static void tell(const char* racer, bool reference)
{
    fprintf(stderr, "sinew: %s%s\n", racer, reference ? " (the reference)" : "");
}

// How many steps the scene has, which also shows all that is wrong with it before anything is run.
static int plan_steps(SnRace* race, const SnArguments* arguments)
{
    SnScene* scene;
    int code = sn_load_scene(&(SnSceneSource){.path = race->path}, race->overrides, race->override_count,
                             sn_option_given(arguments, "quiet"), &scene);
    if (code != SN_EXIT_DONE) return code;
    int frames = sn_scene_frames(scene), left = frames - race->first;
    sn_scene_destroy(scene);
    if (!sn_option_given(arguments, "steps")) race->count = left < 10 ? left : 10;
    if (race->count < 1 || race->count > left)
        return sn_usage_error(arguments,
                              "the scene has %d steps; --after %d leaves %d to race over (--set time.frames=N "
                              "for more)",
                              frames, race->first, left < 0 ? 0 : left);
    if (race->plot_step && (race->plot_step <= race->first || race->plot_step > race->first + race->count))
        return sn_usage_error(arguments, "--plot-step %d: the race is over steps %d to %d", race->plot_step,
                              race->first + 1, race->first + race->count);
    return SN_EXIT_DONE;
}

static int report(const SnRace* race, const SnArguments* arguments)
{
    const char* output = sn_option_value(arguments, "output");
    char* folder = output ? sn_copy_text(output) : sn_path_with_ending(race->path, ".race");
    SnStatus status = folder ? sn_race_write(race, folder) : SN_ERROR_MEMORY;
    if (status == SN_OK) {
        sn_race_print_table(race, stdout);
        if (!sn_option_given(arguments, "quiet")) printf("wrote %s/\n", folder);
    }
    sn_free(folder);
    return sn_exit_of(status);
}

static int race_scene(const SnArguments* arguments, SnRace* race)
{
    const char* list = sn_option_value(arguments, "solvers");
    const char* one;
    SnStatus status = SN_OK;
    if (list || !sn_option_given(arguments, "racer")) status = sn_race_enter(race, list);
    for (int i = 0; status == SN_OK && (one = sn_option_at(arguments, "racer", i)); i++)
        status = sn_race_add(race, &(SnRacer){.name = one, .solver = one});
    if (status != SN_OK) return sn_exit_of(status);
    if (race->racer_count == 0) return sn_usage_error(arguments, "--solvers names none");
    int code = plan_steps(race, arguments);
    if (code != SN_EXIT_DONE) return code;
    status = sn_race_run(race);
    return status == SN_OK ? report(race, arguments) : sn_exit_of(status);
}

static bool read_options(const SnArguments* arguments, SnRace* race)
{
    if (!sn_overrides_check_set(arguments) || !sn_options_read(arguments, race)) return false;
    const char* reference = sn_option_value(arguments, "reference");
    race->reference.name = race->reference.solver = reference ? reference : "newton";
    race->tell = sn_option_given(arguments, "quiet") ? NULL : tell;
    return true;
}

static int run(const SnArguments* arguments)
{
    SnRace race = {.path = arguments->words[0]};
    SnOverrides overrides = {0};
    if (!read_options(arguments, &race)) return SN_EXIT_USAGE;
    bool good = sn_overrides_add_set(&overrides, arguments);
    race.overrides = overrides.items, race.override_count = overrides.count;
    int code = good ? race_scene(arguments, &race) : sn_exit_of(SN_ERROR_MEMORY);
    sn_race_free(&race);
    sn_overrides_free(&overrides);
    return code;
}

static const SnParameter parameters[] = {
    {"steps", SN_INTEGER, offsetof(SnRace, count), .range = ">=1 <=1000000",
     .doc = "race over N steps (10, or as many as the scene has)"},
    {"after", SN_INTEGER, offsetof(SnRace, first), .value = "0", .range = ">=0",
     .doc = "let the reference make N steps first"},
    {"tolerance", SN_NUMBER, offsetof(SnRace, tolerance), .unset = "-1", .example = "EPS", .range = ">=0",
     .doc = "the tolerance of all (the scene's)"},
    {"iterations", SN_INTEGER, offsetof(SnRace, iterations), .range = ">=1",
     .doc = "at most N iterations per step for all (the scene's)"},
    {"plot-step", SN_INTEGER, offsetof(SnRace, plot_step), .range = ">=1",
     .doc = "plot this step (the one that took the most iterations)"},
    {"threads", SN_INTEGER, offsetof(SnRace, threads), .range = ">=1 <=1024",
     .doc = "use N threads (one per processor)"},
    {0},
};

static const SnOption options[] = {
    {"solvers", 0, "A,B,C", false, "who races, as in newton,lbfgs/laplacian,dot:subdomains=4 (all)"},
    {"racer", 0, "NAME", true, "one more; also with paths of the scene, as in admm:material.weight=0.5"},
    {"reference", 0, "NAME", false, "the solver that is converged to 1e-12 (newton)"},
    {"output", 'o', "DIR", false, "where tables and plots go (the scene's name with .race for its ending)"},
    {"set", 0, "PATH=VALUE", true, "change any value of the scene, as in bodies.0.material.young=1e6"},
    {"quiet", 'q', NULL, false, "print the table only"},
    {0},
};

const SnCommand sn_command_race = {
    .name = "race",
    .usage = "SCENE [--solvers A,B,C] [-o DIR] [options]",
    .summary = "let solvers compete on the same steps: a table and convergence plots",
    .help = "Every step starts, for every solver, from the state of a reference that is converged to 1e-12, so all\n"
            "solve the same problems. The error is (E - E*) / |E0 - E*|: the energy above the reference's, relative\n"
            "to that at the start. A solver is TYPE or TYPE/INITIAL with keys of `solver:` behind it, as in\n"
            "lbfgs/laplacian:history=10; `sinew list solvers` and `sinew list initials` show what there is. A key\n"
            "with a dot in it is a path of the scene, of which material, damping and limits are those of all bodies.\n"
            "\n"
            "DIR gets table.csv (a row per solver), steps.csv (per step), convergence.csv (per iteration), and the\n"
            "error over iterations and over time, and the distance from the reference's minimum over time, as\n"
            "iterations.svg, time.svg, distance.svg and the same as .png. Each solver makes one step that does not\n"
            "count first, so that what is done once is not in the times (setup_ms has it); memory is the peak of\n"
            "everything allocated.",
    .parameters = parameters,
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
