// `sinew race`: the same problems, the same tolerance, several solvers.
#include "cli/race.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/overrides.h"
#include "core/memory.h"
#include "solver/initial.h"

// Everything there is: each solver, and lbfgs around each initial inverse.
static const char* all_solvers(SnArena* arena)
{
    const char* list = "";
    for (int i = 0; i < sn_solver_count() && list; i++) {
        const char* name = sn_solver_at(i)->name;
        if (strcmp(name, "lbfgs") != 0) {
            list = sn_arena_print(arena, "%s%s%s", list, *list ? "," : "", name);
            continue;
        }
        for (int k = 0; k < sn_initial_count() && list; k++) {
            const char* initial = sn_initial_at(k)->name;
            if (sn_solver_find(initial)) continue; // a solver of its own, as dot is
            list = sn_arena_print(arena, "%s%s%s/%s", list, *list ? "," : "", name, initial);
        }
    }
    return list;
}

// "a,b,c" becomes racers.
static SnStatus enter_racers(SnRace* race, SnArena* arena, const char* list)
{
    int capacity = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        if (length > 0) {
            if (!SN_GROW(race->racers, capacity, race->racer_count + 1, "racers")) return SN_ERROR_MEMORY;
            SnRacer* racer = &race->racers[race->racer_count++];
            *racer = (SnRacer){.name = sn_arena_text(arena, list, length)};
            if (!racer->name) return SN_ERROR_MEMORY;
        }
        list += length + (list[length] == ',');
    }
    return SN_OK;
}

// How many steps the scene has, which also shows all that is wrong with it before anything is run.
static int plan_steps(SnRace* race, const SnArguments* arguments, SnArena* arena, const char** title)
{
    SnScene* scene;
    int code = sn_load_scene(race->source, race->overrides, race->override_count, race->quiet, &scene);
    if (code != SN_EXIT_DONE) return code;
    int frames = sn_scene_frames(scene), left = frames - race->first;
    *title = sn_arena_print(arena, "%s", sn_scene_name(scene));
    sn_scene_destroy(scene);
    if (!*title) return sn_exit_of(SN_ERROR_MEMORY);
    if (!sn_option_given(arguments, "steps")) race->count = left < 10 ? left : 10;
    if (race->count >= 1 && race->count <= left) return SN_EXIT_DONE;
    return sn_usage_error(arguments,
                          "the scene has %d steps; --after %d leaves %d to race over (--set time.frames=N "
                          "for more)",
                          frames, race->first, left < 0 ? 0 : left);
}

static int race_scene(const SnArguments* arguments, SnRace* race, SnArena* arena, int plot_step)
{
    const char *title = NULL, *given = sn_option_value(arguments, "solvers");
    const char* list = given && strcmp(given, "all") != 0 ? given : all_solvers(arena);
    if (!list) return sn_exit_of(SN_ERROR_MEMORY);
    SnStatus status = enter_racers(race, arena, list);
    if (status != SN_OK) return sn_exit_of(status);
    if (race->racer_count == 0) return sn_usage_error(arguments, "--solvers names none");
    int code = plan_steps(race, arguments, arena, &title);
    if (code != SN_EXIT_DONE) return code;
    if (plot_step >= 0 && (plot_step <= race->first || plot_step > race->first + race->count))
        return sn_usage_error(arguments, "--plot-step %d: the race is over steps %d to %d", plot_step, race->first + 1,
                              race->first + race->count);
    code = sn_race_run(race);
    if (code != SN_EXIT_DONE) return code;
    const char* output = sn_option_value(arguments, "output");
    char* folder = output ? sn_copy_text(output) : sn_path_with_ending(race->source->path, ".race");
    status =
        folder ? sn_race_write(race, title, folder, plot_step < 0 ? -1 : plot_step - race->first - 1) : SN_ERROR_MEMORY;
    if (status == SN_OK) {
        sn_race_print_table(race);
        if (!race->quiet) printf("wrote %s/\n", folder);
    }
    sn_free(folder);
    return sn_exit_of(status);
}

static bool read_options(const SnArguments* arguments, SnRace* race, int* plot_step)
{
    if (!sn_overrides_check_set(arguments)) return false;
    if (!sn_option_integer(arguments, "steps", 1, 1000000, &race->count) ||
        !sn_option_integer(arguments, "after", 0, INT_MAX, &race->first) ||
        !sn_option_integer(arguments, "plot-step", 1, INT_MAX, plot_step) ||
        !sn_option_integer(arguments, "iterations", 1, INT_MAX, &race->iterations) ||
        !sn_option_integer(arguments, "threads", 1, 1024, &race->threads) ||
        !sn_option_numbers(arguments, "tolerance", 1, &race->tolerance))
        return false;
    if (sn_option_given(arguments, "tolerance") && !(race->tolerance >= 0)) {
        sn_usage_error(arguments, "--tolerance %g: must be 0 or positive", race->tolerance);
        return false;
    }
    const char* reference = sn_option_value(arguments, "reference");
    race->reference_name = reference ? reference : "newton";
    race->quiet = sn_option_given(arguments, "quiet");
    return true;
}

static int run(const SnArguments* arguments)
{
    SnSceneSource source = {.path = arguments->words[0]};
    SnRace race = {.source = &source, .tolerance = -1};
    SnOverrides overrides = {0};
    SnArena arena = {0};
    int plot_step = -1;
    if (!read_options(arguments, &race, &plot_step)) return SN_EXIT_USAGE;
    int code = SN_EXIT_DONE;
    if (!sn_overrides_add_set(&overrides, arguments)) code = sn_exit_of(SN_ERROR_MEMORY);
    race.overrides = overrides.items, race.override_count = overrides.count;
    if (code == SN_EXIT_DONE) code = race_scene(arguments, &race, &arena, plot_step);
    sn_race_free(&race);
    sn_free(race.racers);
    sn_overrides_free(&overrides);
    sn_arena_free(&arena);
    return code;
}

static const SnOption options[] = {
    {"solvers", 0, "A,B,C", false, "who races, as in newton,lbfgs/laplacian,dot:subdomains=4 (all)"},
    {"steps", 0, "N", false, "race over N steps (10, or as many as the scene has)"},
    {"after", 0, "N", false, "let the reference make N steps first (0)"},
    {"tolerance", 0, "EPS", false, "the tolerance of all (the scene's)"},
    {"iterations", 0, "N", false, "at most N iterations per step for all (the scene's)"},
    {"reference", 0, "NAME", false, "the solver that is converged to 1e-12 (newton)"},
    {"plot-step", 0, "N", false, "plot this step (the one that took the most iterations)"},
    {"output", 'o', "DIR", false, "where tables and plots go (the scene's name with .race for its ending)"},
    {"set", 0, "PATH=VALUE", true, "change any value of the scene, as in bodies.0.material.young=1e6"},
    {"threads", 0, "N", false, "use N threads (one per processor)"},
    {"quiet", 'q', NULL, false, "print the table only"},
    {0},
};

const SnCommand sn_command_race = {
    .name = "race",
    .usage = "SCENE [--solvers A,B,C] [-o DIR] [options]",
    .summary = "let solvers compete on the same steps: a table and convergence plots",
    .help = "Every step starts, for every solver, from the state of a reference that is converged to 1e-12, so all\n"
            "solve the same problems. The error is (E - E*) / (E0 - E*): the energy above the reference's, relative\n"
            "to that at the start. A solver is TYPE or TYPE/INITIAL with keys of `solver:` behind it, as in\n"
            "lbfgs/laplacian:history=10; `sinew list solvers` and `sinew list initials` show what there is.\n"
            "\n"
            "DIR gets table.csv (a row per solver), steps.csv (per step), convergence.csv (per iteration), and the\n"
            "error over iterations and over time as iterations.svg, time.svg and the same as .png. Each solver makes\n"
            "one step that does not count first, so that what is done once is not in the times (setup_ms has it);\n"
            "memory is the peak of everything allocated.",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
