// A study by a race: all solve the same steps, and the curves show how each converges.
#include "experiment/paper.h"

static SnStatus enter(const SnStudy* study, SnRace* race)
{
    for (int i = 0; i < SN_MOST_CURVES && study->variants[i].name; i++) {
        const SnVariant* variant = &study->variants[i];
        SN_TRY(sn_race_add(race, &(SnRacer){.name = variant->name,
                                            .solver = variant->solver ? variant->solver : "auto",
                                            .overrides = variant->changes}));
    }
    return SN_OK;
}

typedef struct View {
    const char* label;
    double floor;
} View;

static const View views[] = {
    [SN_RACE_ERROR] = {"relative error (E - E*) / (E0 - E*)", 1e-11},
    [SN_RACE_DISTANCE] = {"metres from the minimum", 1e-9},
    [SN_RACE_NORM] = {"|gradient| over the characteristic force", 1e-10},
};

// The first stage of the hardest step, over iterations or time.
static SnStatus add_curve(SnSheet* sheet, const SnRace* race, const SnRacer* racer, bool over_time, SnRaceView view)
{
    int step = sn_race_hardest(race), count = 0;
    const SnRaceStep* s = &racer->steps[step];
    double* x = sn_arena_allocate(&sheet->arena, 2 * ((size_t)s->point_count + 1) * sizeof *x);
    if (!x) return SN_ERROR_MEMORY;
    double* y = x + s->point_count + 1;
    for (int p = 0; p < s->point_count; p++) {
        const SnRacePoint* point = &racer->points[s->first_point + p];
        if (point->stage > 0) break;
        x[count] = over_time ? point->ms : point->iteration;
        y[count++] = view == SN_RACE_DISTANCE ? point->distance
                     : view == SN_RACE_NORM   ? point->gradient / race->characteristic
                                              : sn_race_error(race, step, point);
    }
    return sn_sheet_add_curve(sheet, racer->name, count, x, y);
}

static SnStatus plot(SnSheet* sheet, const SnFigure* figure, const SnRace* race, bool over_time)
{
    SnRaceView view = figure->study.race_view;
    SnPlot* made = sn_sheet_plot(sheet, figure->shows, over_time ? "milliseconds of processor time" : "iterations",
                                 views[view].label);
    made->x.from_zero = true, made->x.whole = !over_time;
    made->y.logarithmic = true, made->y.floor = views[view].floor;
    for (int i = 0; i < race->racer_count; i++) SN_TRY(add_curve(sheet, race, &race->racers[i], over_time, view));
    return SN_OK;
}

static SnStatus show(SnSheet* sheet, const SnFigure* figure, const SnRace* race)
{
    const char* names[SN_MOST_CURVES];
    double numbers[SN_MOST_CURVES];
    for (int q = 0; q < SN_MOST_QUANTITIES && figure->study.quantities[q].label; q++) {
        const SnQuantity* quantity = &figure->study.quantities[q];
        for (int i = 0; i < race->racer_count; i++) {
            names[i] = race->racers[i].name;
            numbers[i] = quantity->race_number(race, &race->racers[i], quantity->level);
        }
        SN_TRY(sn_sheet_judge(sheet, quantity, race->racer_count, names, numbers));
    }
    if (sn_race_converged_to(race) > 1e-8)
        sn_append(sheet->notes, sizeof sheet->notes, "The reference is converged to %.1e alone.",
                  sn_race_converged_to(race));
    SN_TRY(plot(sheet, figure, race, false));
    return plot(sheet, figure, race, true);
}

SnStatus sn_study_race(const SnFigure* figure, const SnFigureOptions* options, SnSheet* sheet)
{
    const SnStudy* study = &figure->study;
    const char* solver = study->race_reference ? study->race_reference : "newton";
    SnOverrides list = {0};
    SnRace race = {.path = study->scene,
                   .tolerance = -1,
                   .threads = options->threads ? options->threads : 1,
                   .processor_time = true,
                   .passes = 3, // others on the machine slow down what they share with it
                   .first = study->race_after,
                   .count = study->race_steps,
                   .reference = {.name = solver, .solver = solver}};
    SnStatus status = sn_paper_scene(study->scene, &race.text);
    if (status == SN_OK) status = sn_study_changes(study, options, &list);
    race.overrides = list.items, race.override_count = list.count;
    if (status == SN_OK) status = enter(study, &race);
    if (status == SN_OK) status = sn_race_run(&race);
    if (status == SN_OK) status = show(sheet, figure, &race);
    sn_race_free(&race);
    sn_overrides_free(&list);
    return status == SN_OK ? status : sn_fail_prefix(status, "%s", figure->name);
}
