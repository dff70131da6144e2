#include "cli/plot_measured.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "archive/measured.h"
#include "cli/run.h"
#include "core/memory.h"

// "tip.displacement, m"
static const char* label(SnArena* arena, const SnValueInfo* info, bool whole)
{
    SnValueInfo all = *info;
    if (whole) all.component = "";
    return sn_arena_print(arena, "%s%s%s", sn_value_label(&all).text, *info->unit ? ", " : "", info->unit);
}

static const char* name_curve(SnArena* arena, const char* path, bool several, const SnValueInfo* info, bool whole)
{
    SnValueInfo all = *info;
    if (whole) all.component = "";
    if (!several) return sn_arena_print(arena, "%s", sn_value_label(&all).text);
    char* stem = sn_path_with_ending(sn_path_name(path), "");
    const char* name = !stem   ? NULL
                       : whole ? sn_arena_print(arena, "%s", stem)
                               : sn_arena_print(arena, "%s %s", stem, info->component);
    sn_free(stem);
    return name;
}

static double largest(const SnCurveData* curve)
{
    double most = 0;
    for (int i = 0; i < curve->count; i++)
        if (isfinite(curve->y[i])) most = fmax(most, fabs(curve->y[i]));
    return most;
}

// One number, or, with `whole`, the length of all of its components.
static SnStatus add_curve(SnRunFile* run, const SnValueInfo* info, bool whole, SnArena* arena, const double* x,
                          int count, SnCurveData* curve)
{
    SnValueInfo all = *info;
    if (whole) all.component = "";
    double* y = sn_arena_allocate(arena, ((size_t)count + 1) * sizeof *y);
    const SnValueInfo* found;
    if (!y) return SN_ERROR_MEMORY;
    SnMeasuredDef one = {sn_arena_print(arena, "%s", sn_value_label(&all).text), info->name};
    if (!one.word) return SN_ERROR_MEMORY;
    SN_TRY(sn_measured_read(run, &one, count, y, &found));
    *curve = (SnCurveData){NULL, count, x, y};
    return SN_OK;
}

// Times, or what is to be along that axis: of the same probe, where it has that.
static SnStatus read_other_axis(const SnPlotMeasured* def, SnRunFile* run, SnArena* arena, double* x, int* count,
                                SnPlot* plot)
{
    const SnRunStep* steps;
    const SnValueInfo* info;
    SN_TRY(sn_run_file_read_steps(run, -1, &steps, count));
    for (int i = 0; i < *count && !def->against; i++) x[i] = steps[i].time;
    plot->x.label = "time, s";
    if (!def->against) return SN_OK;
    SnMeasuredDef other = {def->against, NULL};
    for (int i = 0; i < sn_run_file_value_count(run) && def->of; i++)
        if (sn_value_matches(&sn_run_file_values(run)[i], def->against, def->of)) other.of = def->of;
    SN_TRY(sn_measured_read(run, &other, *count, x, &info));
    bool whole = strcmp(def->against + strlen(def->against) - strlen(info->component), info->component) != 0;
    plot->x.label = label(arena, info, whole);
    return plot->x.label ? SN_OK : SN_ERROR_MEMORY;
}

SnStatus sn_plot_measured(const SnPlotMeasured* def, SnRunFile* run, const char* path, bool several, SnArena* arena,
                          SnCurveData* curves, SnPlot* plot)
{
    const SnRunStep* steps;
    int count, before = plot->curve_count;
    SN_TRY(sn_measured_need(run, &(SnMeasuredDef){def->what, def->of}));
    SN_TRY(sn_run_file_read_steps(run, -1, &steps, &count));
    double* x = sn_arena_allocate(arena, ((size_t)count + 1) * sizeof *x);
    if (!x) return SN_ERROR_MEMORY;
    SN_TRY(read_other_axis(def, run, arena, x, &count, plot));
    const SnValueInfo *infos = sn_run_file_values(run), *last = NULL;
    for (int i = 0; i < sn_run_file_value_count(run) && plot->curve_count < SN_PLOT_MOST_CURVES; i++) {
        const SnValueInfo* info = &infos[i];
        bool same = last && strcmp(last->name, info->name) == 0 && strcmp(last->what, info->what) == 0;
        if (!sn_value_matches(info, def->what, def->of)) continue;
        size_t length = strlen(def->what), own = strlen(info->component);
        bool one = own > 0 && length > own && strcmp(def->what + length - own, info->component) == 0 &&
                   def->what[length - own - 1] == '.';
        bool whole = own == 0 || (!one && (def->against || several)); // its length, in one curve
        if (whole && same) continue;
        last = info;
        SnCurveData* curve = &curves[plot->curve_count];
        SN_TRY(add_curve(run, info, whole, arena, x, count, curve));
        bool more = plot->curve_count > before; // components that are 0 beside others, to rounding, are left out
        if (!whole && !one && more && largest(curve) <= 1e-9 * largest(curve - 1)) continue;
        curve->name = name_curve(arena, path, several, info, whole || several);
        plot->y.label = sn_arena_print(arena, "%s%s%s", info->what, *info->unit ? ", " : "", info->unit);
        if (!curve->name || !plot->y.label) return SN_ERROR_MEMORY;
        plot->curve_count++;
    }
    return SN_OK;
}
