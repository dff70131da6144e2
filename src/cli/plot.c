// `sinew plot`: what the steps of one run, or of several, came to, over time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sinew/run.h>

#include "cli/command.h"
#include "cli/plot_measured.h"
#include "cli/run.h"
#include "core/arena.h"
#include "view/plot.h"

typedef double Value(const SnRunStep* step);

typedef struct Line {
    const char* name;
    Value* value;
} Line;

#define VALUE(name, expression)            \
    static double name(const SnRunStep* s) \
    {                                      \
        return expression;                 \
    }
VALUE(kinetic, s->energy.kinetic)
VALUE(elastic, s->energy.elastic)
VALUE(gravity, s->energy.gravity)
VALUE(total, s->energy.kinetic + s->energy.elastic + s->energy.gravity)
VALUE(pins, s->energy.pins)
VALUE(viscous, s->energy.viscous)
VALUE(friction, s->energy.friction)
VALUE(numerical, s->energy.numerical)
VALUE(px, s->momentum[0])
VALUE(py, s->momentum[1])
VALUE(pz, s->momentum[2])
VALUE(lx, s->angular_momentum[0])
VALUE(ly, s->angular_momentum[1])
VALUE(lz, s->angular_momentum[2])
VALUE(turning, hypot(hypot(lx(s), ly(s)), lz(s)))
VALUE(iterations, s->step > 0 ? s->iterations : NAN)
VALUE(gradient, s->step > 0 ? s->gradient : NAN)
VALUE(tolerance, s->step > 0 ? s->tolerance : NAN)
VALUE(ms_local, s->step > 0 ? s->ms_local : NAN)
VALUE(ms_global, s->step > 0 ? s->ms_global : NAN)
VALUE(ms_contact, s->step > 0 ? s->ms_contact : NAN)
VALUE(ms_total, s->step > 0 ? s->ms_total : NAN)

enum { MOST_LINES = 8, MOST_RUNS = 16, MOST_LOSSES = 8 };

// What can be drawn: of one run all lines that are not 0 throughout, of several runs the one that is compared.
typedef struct Subject {
    const char* what;
    SnAxis axis;
    Line lines[MOST_LINES];
    Line compared;
} Subject;

static const Subject subjects[] = {
    {"energy",
     {.label = "energy, J"},
     {{"kinetic", kinetic},
      {"elastic", elastic},
      {"gravity", gravity},
      {"all three", total},
      {"work of handles", pins},
      {"viscous loss", viscous},
      {"friction loss", friction},
      {"numerical loss", numerical}},
     {"kinetic + elastic + gravity, J", total}},
    {"momentum",
     {.label = "kg m/s (p), kg m2/s (l)"},
     {{"px", px}, {"py", py}, {"pz", pz}, {"lx", lx}, {"ly", ly}, {"lz", lz}},
     {"angular momentum, kg m2/s", turning}},
    {"iterations",
     {.label = "iterations per step", .whole = true, .from_zero = true},
     {{"iterations", iterations}},
     {"iterations per step", iterations}},
    {"convergence",
     {.label = "gradient at the end of each step, N", .logarithmic = true, .floor = 1e-16},
     {{"gradient", gradient}, {"allowed", tolerance}},
     {"gradient at the end of each step, N", gradient}},
    {"time",
     {.label = "ms per step", .from_zero = true},
     {{"local", ms_local}, {"global", ms_global}, {"contact", ms_contact}, {"all", ms_total}},
     {"ms per step", ms_total}},
    {0},
};
static const SnTable subject_table = {.noun = "thing to plot", .rows = subjects, .stride = sizeof *subjects};

typedef struct Run {
    SnRunFile* file;
    const SnRunStep* steps;
    int count;
    const SnRunLoss* losses; // frame after frame, the same dissipations in each
    int loss_count;
} Run;

static SnStatus read_run(const char* path, Run* run)
{
    SN_TRY(sn_run_file_open(path, &run->file));
    SN_TRY(sn_run_file_read_steps(run->file, -1, &run->steps, &run->count));
    return sn_run_file_read_losses(run->file, -1, &run->losses, &run->loss_count);
}

// The run's values as a curve over time; *empty when all are 0.
static SnStatus make_curve(SnArena* arena, const Run* run, const Line* line, const char* name, SnCurveData* curve,
                           bool* empty)
{
    double* x = sn_arena_allocate(arena, ((size_t)run->count + 1) * sizeof *x);
    double* y = sn_arena_allocate(arena, ((size_t)run->count + 1) * sizeof *y);
    if (!x || !y) return SN_ERROR_MEMORY;
    *empty = true;
    for (int i = 0; i < run->count; i++) {
        x[i] = run->steps[i].time;
        y[i] = line->value(&run->steps[i]);
        *empty = *empty && !(isfinite(y[i]) && y[i] != 0);
    }
    *curve = (SnCurveData){name, run->count, x, y};
    return SN_OK;
}

// What each dissipation has taken, where there are several: one curve is the sum already.
static SnStatus add_losses(SnArena* arena, const Run* run, SnCurveData* curves, int* curve_count)
{
    int kinds = 0;
    while (kinds < run->loss_count && run->losses[kinds].step == run->losses[0].step) kinds++;
    for (int k = 0; k < kinds && kinds > 1 && k < MOST_LOSSES; k++) {
        int count = run->loss_count / kinds;
        double* x = sn_arena_allocate(arena, (size_t)count * sizeof *x);
        double* y = sn_arena_allocate(arena, (size_t)count * sizeof *y);
        char name[160];
        snprintf(name, sizeof name, "lost to %s", run->losses[k].name);
        const char* kept = sn_arena_text(arena, name, strlen(name));
        if (!x || !y || !kept) return SN_ERROR_MEMORY;
        for (int i = 0, at = 0; i < count; i++) {
            const SnRunLoss* loss = &run->losses[i * kinds + k];
            while (at + 1 < run->count && run->steps[at].step < loss->step) at++;
            x[i] = run->steps[at].time, y[i] = loss->energy;
        }
        curves[(*curve_count)++] = (SnCurveData){kept, count, x, y};
    }
    return SN_OK;
}

static SnStatus draw(const Subject* subject, const char* const* paths, const Run* runs, int count, SnArena* arena,
                     const char* output)
{
    SnCurveData curves[MOST_RUNS + MOST_LINES + MOST_LOSSES];
    SnPlot plot = {
        .title = sn_run_file_name(runs[0].file), .x = {.label = "time, s"}, .y = subject->axis, .curves = curves};
    for (int i = 0; i < (count > 1 ? count : MOST_LINES); i++) {
        const Line* line = count > 1 ? &subject->compared : &subject->lines[i];
        bool empty;
        if (!line->name) break;
        char* ending = sn_path_with_ending(sn_path_name(paths[count > 1 ? i : 0]), "");
        const char* name = count > 1 && ending ? sn_arena_text(arena, ending, strlen(ending)) : line->name;
        sn_free(ending);
        if (!name) return SN_ERROR_MEMORY;
        SN_TRY(make_curve(arena, &runs[count > 1 ? i : 0], line, name, &curves[plot.curve_count], &empty));
        plot.curve_count += count > 1 || i == 0 || !empty;
    }
    if (count == 1 && subject == &subjects[0]) SN_TRY(add_losses(arena, &runs[0], curves, &plot.curve_count));
    if (count > 1) plot.title = subject->what, plot.y.label = subject->compared.name;
    return sn_plot_write(&plot, output);
}

static SnStatus plot_runs(const Subject* subject, const char* const* paths, int count, const char* output)
{
    SnArena arena = {0};
    Run runs[MOST_RUNS] = {0};
    SnStatus status = SN_OK;
    for (int i = 0; i < count && status == SN_OK; i++) status = read_run(paths[i], &runs[i]);
    if (status == SN_OK) status = draw(subject, paths, runs, count, &arena, output);
    for (int i = 0; i < count; i++) sn_run_file_destroy(runs[i].file);
    sn_arena_free(&arena);
    return status;
}

static SnStatus plot_measured(const SnPlotMeasured* def, const char* const* paths, int count, const char* output)
{
    SnArena arena = {0};
    SnCurveData curves[SN_PLOT_MOST_CURVES];
    SnRunFile* runs[MOST_RUNS] = {0};
    SnPlot plot = {.title = def->what, .curves = curves};
    SnStatus status = SN_OK;
    for (int i = 0; i < count && status == SN_OK; i++) {
        status = sn_run_file_open(paths[i], &runs[i]);
        if (status == SN_OK) status = sn_plot_measured(def, runs[i], paths[i], count > 1, &arena, curves, &plot);
    }
    if (status == SN_OK && count == 1) plot.title = sn_run_file_name(runs[0]);
    if (status == SN_OK) status = sn_plot_write(&plot, output);
    for (int i = 0; i < count; i++) sn_run_file_destroy(runs[i]);
    sn_arena_free(&arena);
    return status;
}

static int run(const SnArguments* arguments)
{
    const char *output = sn_option_value(arguments, "output"), *what = sn_option_value(arguments, "what");
    if (!output) return sn_usage_error(arguments, "where to? -o FILE.svg or -o FILE.png");
    const char* ending = strrchr(output, '.');
    if (!ending || (strcmp(ending, ".svg") && strcmp(ending, ".png")))
        return sn_usage_error(arguments, "a plot is FILE.svg or FILE.png, not %s", output);
    if (arguments->word_count > MOST_RUNS)
        return sn_usage_error(arguments, "at most %d runs go into one plot, not %d", MOST_RUNS, arguments->word_count);
    SnPlotMeasured measured = {what, sn_option_value(arguments, "of"), sn_option_value(arguments, "against")};
    if ((measured.of || measured.against) && !what)
        return sn_usage_error(arguments, "--of and --against go with --what, as in --what force");
    const Subject* subject = sn_table_find(&subject_table, what ? what : subjects[0].what);
    if (!subject && !measured.of && !measured.against && sn_table_nearest(&subject_table, what))
        return sn_exit_of(sn_table_unknown(&subject_table, what)), SN_EXIT_USAGE;
    SnStatus status = subject && !measured.of && !measured.against
                          ? plot_runs(subject, arguments->words, arguments->word_count, output)
                          : plot_measured(&measured, arguments->words, arguments->word_count, output);
    if (status == SN_OK) printf("wrote %s\n", output);
    return sn_exit_of(status);
}

static const SnOption options[] = {
    {"output", 'o', "FILE", false, "FILE.svg or FILE.png"},
    {"what", 0, "WHAT", false,
     "energy (unless given), momentum, iterations, convergence or time; or what was measured, as in force or tip.y"},
    {"of", 0, "NAME", false, "the probe, of what was measured"},
    {"against", 0, "WHAT", false, "what was measured along the other axis, as in displacement (time)"},
    {0},
};

const SnCommand sn_command_plot = {
    .name = "plot",
    .usage = "RUN... -o FILE.svg|FILE.png [--what energy|momentum|iterations|convergence|time|MEASURED] [--of NAME]\n"
             "       [--against MEASURED]",
    .summary =
        "energies, momenta, iterations, convergence, times or what was measured, over time or against each other",
    .help =
        "Of one run: the parts of the energy ledger with the loss to each dissipation, the momenta, and so\n"
        "on; what is 0 throughout is left out. Of several runs: one curve each, named by its file: the energy "
        "(kinetic + elastic + gravity),\n"
        "the size of the angular momentum, iterations, gradient or milliseconds per step.\n"
        "convergence is the norm of the gradient at the end of each step, of one run with what was allowed.\n"
        "What `measure` of the scene asked for goes by its name, by what it is, or both (tip, displacement,\n"
        "tip.displacement), with or without a component (tip.y). Without one, of several runs or with --against, it\n"
        "is the length of the vector; of one run over time, each component by itself.",
    .options = options,
    .min_words = 1,
    .max_words = -1,
    .run = run,
};
