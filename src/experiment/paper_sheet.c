// What figures of papers are made of: simulations of the papers' scenes, and curves.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "experiment/gallery.h"
#include "experiment/paper.h"

static const SnTable scenes = {
    .noun = "scene of the papers", .rows = sn_paper_scenes, .stride = sizeof *sn_paper_scenes};

static SnStatus simulate(SnSheet* sheet, const SnScene* scene, SnWorld* world, SnTrialRun* run)
{
    run->count = sn_scene_frames(scene) + 1;
    run->node_count = sn_world_node_count(world);
    size_t size = 3 * (size_t)run->node_count * sizeof *run->x;
    run->reports = sn_arena_allocate(&sheet->arena, (size_t)run->count * sizeof *run->reports);
    run->x = sn_arena_allocate(&sheet->arena, size);
    if (!run->reports || !run->x) return SN_ERROR_MEMORY;
    SN_TRY(sn_world_measure(world, &run->reports[0]));
    for (int i = 1; i < run->count; i++) {
        SnStepReport* report = &run->reports[i];
        SN_TRY(sn_world_step(world, report));
        sn_sheet_expect(sheet, report->outcome == SN_OUTCOME_CONVERGED, "step %d of %s: %s %s", i, sn_scene_name(scene),
                        sn_outcome_name(report->outcome), report->detail);
        report->detail = "";
    }
    memcpy(run->x, sn_world_positions(world), size);
    return SN_OK;
}

SnStatus sn_trial_run(SnSheet* sheet, const char* name, const SnTrial* trial, SnTrialRun* run)
{
    const SnGalleryScene* found = sn_table_find(&scenes, name);
    if (!found) return sn_table_unknown(&scenes, name);
    int count = 0;
    while (count < 8 && trial->overrides[count]) count++;
    SnScene* scene = NULL;
    SnWorld* world = NULL;
    SnStatus status = sn_scene_parse(found->text, strlen(found->text), name, trial->overrides, count, &scene);
    if (status == SN_OK) status = sn_scene_create_world(scene, &world);
    if (status == SN_OK) status = simulate(sheet, scene, world, run);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

SnPlot* sn_sheet_plot(SnSheet* sheet, const char* title, const char* x_label, const char* y_label)
{
    SnPlot* plot = &sheet->plots[sheet->plot_count++];
    *plot = (SnPlot){.title = title, .x = {.label = x_label}, .y = {.label = y_label}};
    return plot;
}

SnStatus sn_sheet_add_curve(SnSheet* sheet, const char* name, int count, const double* x, const double* y)
{
    SnPlot* plot = &sheet->plots[sheet->plot_count - 1];
    double* copy = sn_arena_allocate(&sheet->arena, 2 * (size_t)count * sizeof *copy);
    if (!copy) return SN_ERROR_MEMORY;
    memcpy(copy, x, (size_t)count * sizeof *copy);
    memcpy(copy + count, y, (size_t)count * sizeof *copy);
    sheet->curves[sheet->plot_count - 1][plot->curve_count++] = (SnCurveData){name, count, copy, copy + count};
    return SN_OK;
}

SnStatus sn_sheet_add_run(SnSheet* sheet, const char* name, const SnTrialRun* run, SnTrialValue* value)
{
    double* x = sn_arena_allocate(&sheet->arena, 2 * (size_t)run->count * sizeof *x);
    if (!x) return SN_ERROR_MEMORY;
    for (int i = 0; i < run->count; i++) {
        x[i] = run->reports[i].time;
        x[run->count + i] = value(&run->reports[i], &run->reports[0]);
    }
    return sn_sheet_add_curve(sheet, name, run->count, x, x + run->count);
}

static void append(char* text, size_t size, const char* format, va_list list)
{
    size_t used = strlen(text);
    if (used && used + 2 < size) text[used++] = ';', text[used++] = ' ', text[used] = 0;
    vsnprintf(text + used, size - used, format, list);
}

void sn_sheet_measured(SnSheet* sheet, const char* format, ...)
{
    va_list list;
    va_start(list, format);
    append(sheet->measured, sizeof sheet->measured, format, list);
    va_end(list);
}

void sn_sheet_expect(SnSheet* sheet, bool seen, const char* format, ...)
{
    if (seen) return;
    va_list list;
    va_start(list, format);
    append(sheet->missing, sizeof sheet->missing, format, list);
    va_end(list);
}
