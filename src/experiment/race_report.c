// What a race came to: a table for people, tables for programs, and the plots of the papers.
#include "experiment/race.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/text_file.h"
#include "view/plot.h"

// A racer's steps together; counts and times are means per step.
typedef struct Sum {
    double iterations, evaluations, factorizations, ms, memory;
    double error, distance; // the largest
    int outcomes[4];
    int in_parts;
} Sum;

static Sum sum_of(const SnRace* race, const SnRacer* racer)
{
    Sum sum = {.memory = (double)racer->peak_bytes / 1e6};
    for (int i = 0; i < race->count; i++) {
        const SnRaceStep* step = &racer->steps[i];
        sum.iterations += step->iterations;
        sum.evaluations += step->evaluations;
        sum.factorizations += step->factorizations;
        sum.ms += step->ms;
        sum.error = fmax(sum.error, fabs(step->error));
        sum.distance = fmax(sum.distance, step->distance);
        sum.outcomes[step->outcome]++;
        sum.in_parts += step->parts > 1;
    }
    sum.iterations /= race->count, sum.evaluations /= race->count, sum.factorizations /= race->count;
    sum.ms /= race->count;
    return sum;
}

// "converged", or how many of the steps ended how; of parts of a step each has converged, and not the step.
static void describe_outcomes(const SnRace* race, const Sum* sum, char* text, size_t size)
{
    text[0] = 0;
    for (int k = 0; k < 4; k++) {
        const char* name = sn_outcome_name((SnOutcome)k);
        if (sum->outcomes[k] == race->count)
            snprintf(text, size, "%s", name);
        else if (sum->outcomes[k])
            sn_append(text, size, "%s%d %s", *text ? ", " : "", sum->outcomes[k], name);
    }
    if (sum->in_parts > 0) sn_append(text, size, ", %d in parts", sum->in_parts);
}

static void print_row(const SnRace* race, const SnRacer* racer, int width, FILE* out)
{
    char outcomes[96];
    Sum sum = sum_of(race, racer);
    describe_outcomes(race, &sum, outcomes, sizeof outcomes);
    fprintf(out, "%-*s %11.1f %10.2f %9.1f %11.1f %8.1f %9.1e %9.1e  %s\n", width, racer->name, sum.iterations, sum.ms,
            sum.evaluations, sum.factorizations, sum.memory, sum.error, sum.distance, outcomes);
}

void sn_race_print_table(const SnRace* race, FILE* out)
{
    int width = 6;
    for (int i = 0; i < race->racer_count; i++)
        width = (int)strlen(race->racers[i].name) > width ? (int)strlen(race->racers[i].name) : width;
    fprintf(out, "%-*s %11s %10s %9s %11s %8s %9s %9s  %s\n", width, "solver", "iterations", "ms", "evaluated",
            "factored", "MB", "error", "metres", "outcome");
    for (int i = 0; i < race->racer_count; i++) print_row(race, &race->racers[i], width, out);
    fprintf(out, "means per step over step%s %d", race->count > 1 ? "s" : "", race->first + 1);
    if (race->count > 1) fprintf(out, " to %d", race->first + race->count);
    fprintf(out, "; error and metres: the furthest from the reference\n");
    fprintf(out, "the reference is %s, converged to %.1e\n", race->reference.name, sn_race_converged_to(race));
}

// The first field of a row; a name may have commas of its own.
static void write_name(const SnRacer* racer, FILE* file)
{
    const char* quote = strchr(racer->name, ',') ? "\"" : "";
    fprintf(file, "%s%s%s,", quote, racer->name, quote);
}

static void write_table(const void* user, FILE* file)
{
    const SnRace* race = user;
    fprintf(file, "solver,steps,iterations,ms,setup_ms,evaluations,factorizations,memory_mb,error,distance,converged,"
                  "iteration_limit,stalled,unsettled\n");
    for (int i = 0; i < race->racer_count; i++) {
        const SnRacer* racer = &race->racers[i];
        Sum sum = sum_of(race, racer);
        write_name(racer, file);
        fprintf(file, "%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%d,%d,%d,%d\n", race->count, sum.iterations,
                sum.ms, racer->setup_ms, sum.evaluations, sum.factorizations, sum.memory, sum.error, sum.distance,
                sum.outcomes[0], sum.outcomes[1], sum.outcomes[2], sum.outcomes[3]);
    }
}

static void write_steps(const void* user, FILE* file)
{
    const SnRace* race = user;
    fprintf(file,
            "solver,step,iterations,ms,evaluations,factorizations,gradient,tolerance,error,distance,outcome,parts\n");
    for (int i = 0; i < race->racer_count; i++)
        for (int k = 0; k < race->count; k++) {
            const SnRaceStep* s = &race->racers[i].steps[k];
            write_name(&race->racers[i], file);
            fprintf(file, "%d,%d,%.17g,%d,%d,%.17g,%.17g,%.17g,%.17g,%s,%d\n", race->first + k + 1, s->iterations,
                    s->ms, s->evaluations, s->factorizations, s->gradient, s->tolerance, s->error, s->distance,
                    sn_outcome_name(s->outcome), s->parts);
        }
}

static void write_convergence(const void* user, FILE* file)
{
    const SnRace* race = user;
    fprintf(file, "solver,step,stage,iteration,ms,energy,gradient,error,distance\n");
    for (int i = 0; i < race->racer_count; i++)
        for (int k = 0; k < race->count; k++) {
            const SnRacer* racer = &race->racers[i];
            for (int p = 0; p < racer->steps[k].point_count; p++) {
                const SnRacePoint* point = &racer->points[racer->steps[k].first_point + p];
                write_name(racer, file);
                fprintf(file, "%d,%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g\n", race->first + k + 1, point->stage,
                        point->iteration, point->ms, point->energy, point->gradient, sn_race_error(race, k, point),
                        point->distance);
            }
        }
}

static SnStatus write_file(const SnRace* race, const char* folder, const char* name,
                           void (*write)(const void* race, FILE* file))
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return sn_text_file_write(path, write, race);
}

// What a plot shows of a step's first stage.
typedef struct View {
    const char* name; // of the file
    bool over_time;   // or over iterations
    bool distance;    // or the error of the energy
} View;

// A curve over iterations or time; the wait before the first iteration is level.
static SnStatus fill_curve(const SnRace* race, const SnRacer* racer, int step, const View* view, SnArena* arena,
                           SnCurveData* curve)
{
    const SnRaceStep* s = &racer->steps[step];
    double* x = sn_arena_allocate(arena, ((size_t)s->point_count + 1) * sizeof *x);
    double* y = sn_arena_allocate(arena, ((size_t)s->point_count + 1) * sizeof *y);
    if (!x || !y) return SN_ERROR_MEMORY;
    *curve = (SnCurveData){racer->name, 0, x, y};
    if (view->over_time) curve->count = 1;
    for (int p = 0; p < s->point_count; p++) {
        const SnRacePoint* point = &racer->points[s->first_point + p];
        if (point->stage > 0) break;
        x[curve->count] = view->over_time ? point->ms : point->iteration;
        y[curve->count++] = view->distance ? point->distance : sn_race_error(race, step, point);
    }
    if (view->over_time) x[0] = 0, y[0] = curve->count > 1 ? y[1] : 1;
    return SN_OK;
}

// Below this an error is rounding; a power of ten.
static double error_floor(const SnRace* race, int step)
{
    const SnRaceStep* s = &race->reference.steps[step];
    if (s->point_count == 0) return 1e-16;
    const SnRacePoint* first = &race->reference.points[s->first_point];
    const SnRacePoint* last = &race->reference.points[s->first_point + s->point_count - 1];
    double drop = first->energy - last->energy;
    double rounding = drop > 0 ? 1e-15 * first->magnitude / drop : 0;
    return pow(10, fmin(-3, fmax(-16, ceil(log10(rounding))))); // the lower edge of the plot
}

// Times that differ a lot are shown on a logarithmic axis.
static void choose_time_axis(const SnCurveData* curves, int count, SnAxis* axis)
{
    double shortest = INFINITY, longest = 0, first = INFINITY;
    for (int i = 0; i < count; i++) {
        if (curves[i].count < 2) continue;
        shortest = fmin(shortest, curves[i].x[curves[i].count - 1]);
        longest = fmax(longest, curves[i].x[curves[i].count - 1]);
        first = fmin(first, curves[i].x[1]);
    }
    axis->logarithmic = longest > 20 * shortest;
    axis->floor = isfinite(first) && first > 1e-3 ? first : 1e-3;
}

// Of distances, ten digits are shown.
static double distance_floor(const SnRace* race, int step)
{
    double most = 0;
    for (int i = 0; i < race->racer_count; i++) {
        const SnRaceStep* s = &race->racers[i].steps[step];
        if (s->point_count > 0) most = fmax(most, race->racers[i].points[s->first_point].distance);
    }
    return most > 0 ? pow(10, ceil(log10(most)) - 10) : 1e-16;
}

static SnStatus write_plot(const SnRace* race, const char* folder, int step, const View* view)
{
    SnArena arena = {0};
    char path[4096];
    SnCurveData* curves = sn_arena_allocate(&arena, (size_t)race->racer_count * sizeof *curves);
    SnStatus status = curves ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < race->racer_count && status == SN_OK; i++)
        status = fill_curve(race, &race->racers[i], step, view, &arena, &curves[i]);
    bool over_time = view->over_time, distance = view->distance;
    SnPlot plot = {
        .title = sn_arena_print(&arena, "%.40s, step %d", race->title, race->first + step + 1),
        .x = {.label = over_time ? "milliseconds" : "iterations", .whole = !over_time, .from_zero = true},
        .y = {.label = distance ? "metres from the minimum" : "relative error (E - E*) / (E0 - E*)",
              .logarithmic = true,
              .floor = distance ? distance_floor(race, step) : error_floor(race, step)},
        .curves = curves,
        .curve_count = race->racer_count,
    };
    if (status == SN_OK && over_time) choose_time_axis(curves, race->racer_count, &plot.x);
    for (int k = 0; k < 2 && status == SN_OK; k++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, view->name, k ? "png" : "svg");
        status = sn_plot_write(&plot, path);
    }
    sn_arena_free(&arena);
    return status;
}

SnStatus sn_race_write(const SnRace* race, const char* folder)
{
    SN_TRY(sn_folder_make(folder));
    SN_TRY(write_file(race, folder, "table.csv", write_table));
    SN_TRY(write_file(race, folder, "steps.csv", write_steps));
    SN_TRY(write_file(race, folder, "convergence.csv", write_convergence));
    int step = race->plot_step ? race->plot_step - race->first - 1 : sn_race_hardest(race);
    static const View views[] = {{"iterations", false, false}, {"time", true, false}, {"distance", true, true}};
    for (int k = 0; k < 3; k++) SN_TRY(write_plot(race, folder, step, &views[k]));
    return SN_OK;
}
