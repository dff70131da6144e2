#include "cli/sweep_against.h"

#include <math.h>
#include <string.h>

#include "archive/measured.h"
#include "cli/plot_measured.h"
#include "core/expression.h"
#include "core/memory.h"

typedef struct Against {
    SnSweep* sweep;
    int over;           // the key along the axis
    const double* at;   // of it, the number of each value
    const double* last; // case_count: the last value measured; NAN: not known
    const char *title, *y_label, *file;
} Against;

static double number_of(const char* text)
{
    double value;
    char error[80];
    return sn_expression(text, NULL, 0, &value, error, sizeof error) && isfinite(value) ? value : NAN;
}

static const char* key_of(const SnSweepOver* over)
{
    const char* dot = strrchr(over->path, '.');
    return dot ? dot + 1 : over->path;
}

// The length of all components at the end of the run.
static double last_of(SnRunFile* run, const SnValueInfo* info)
{
    const SnRunStep* steps;
    const SnValueInfo* found;
    SnValueInfo whole = *info;
    int count;
    double *y, last = NAN;
    whole.component = "";
    SnValueLabel label = sn_value_label(&whole);
    if (sn_run_file_read_steps(run, -1, &steps, &count) != SN_OK || !SN_NEW(y, count, "a plot")) return NAN;
    if (sn_measured_read(run, &(SnMeasuredDef){label.text, info->name}, count, y, &found) == SN_OK && count > 0)
        last = y[count - 1];
    sn_free(y);
    return last;
}

// Cases that differ in the key alone follow each other at this distance; the last key goes fastest.
static int stride_of(const SnSweep* sweep, int over)
{
    int stride = 1;
    for (int k = over + 1; k < sweep->over_count; k++) stride *= sweep->overs[k].count;
    return stride;
}

static const char* name_others(SnSweep* sweep, int over, int number)
{
    char name[200] = "";
    for (int k = 0; k < sweep->over_count; k++)
        if (k != over)
            sn_append(name, sizeof name, "%s%s=%s", *name ? " " : "", key_of(&sweep->overs[k]),
                      sweep->cases[number].values[k]);
    return sn_arena_text(&sweep->arena, name, strlen(name));
}

static SnStatus plot(const Against* a)
{
    SnSweep* sweep = a->sweep;
    int count = sweep->overs[a->over].count, stride = stride_of(sweep, a->over);
    SnCurveData curves[SN_PLOT_MOST_CURVES];
    double lo = INFINITY, hi = -INFINITY;
    for (int k = 0; k < count; k++) lo = fmin(lo, a->at[k]), hi = fmax(hi, a->at[k]);
    SnPlot p = {.title = a->title, .curves = curves, .x.label = sweep->overs[a->over].path, .y.label = a->y_label};
    if (lo > 0 && hi >= 100 * lo) p.x.logarithmic = true, p.x.floor = lo;
    for (int i = 0; i < sweep->case_count && p.curve_count < SN_PLOT_MOST_CURVES; i++) {
        if (i / stride % count != 0) continue;
        double* y = sn_arena_allocate(&sweep->arena, (size_t)count * sizeof *y);
        if (!y) return SN_ERROR_MEMORY;
        for (int k = 0; k < count; k++) y[k] = a->last[i + k * stride];
        curves[p.curve_count++] = (SnCurveData){name_others(sweep, a->over, i), count, a->at, y};
    }
    return sn_plot_write(&p, a->file);
}

static SnStatus plot_over(SnSweep* sweep, int over, const SnValueInfo* info, const double* last)
{
    const SnSweepOver* o = &sweep->overs[over];
    double* at = sn_arena_allocate(&sweep->arena, (size_t)o->count * sizeof *at);
    if (!at) return SN_ERROR_MEMORY;
    for (int k = 0; k < o->count; k++)
        if (isnan(at[k] = number_of(o->values[k]))) return SN_OK; // words have no axis
    Against a = {.sweep = sweep, .over = over, .at = at, .last = last, .title = info->name};
    a.y_label = sn_arena_print(&sweep->arena, "%s%s%s", info->what, *info->unit ? ", " : "", info->unit);
    a.file = sn_arena_print(&sweep->arena, "%s/%s.%s.against-%s.svg", sweep->folder, info->name, info->what, key_of(o));
    return a.y_label && a.file ? plot(&a) : SN_ERROR_MEMORY;
}

static SnStatus plot_value(SnSweep* sweep, const SnValueInfo* info)
{
    double* last = sn_arena_allocate(&sweep->arena, (size_t)sweep->case_count * sizeof *last);
    if (!last) return SN_ERROR_MEMORY;
    for (int i = 0; i < sweep->case_count; i++) {
        SnRunFile* run = NULL;
        const char* path = sweep->cases[i].done ? sn_sweep_path(sweep, i, ".run") : NULL;
        last[i] = path && sn_run_file_open(path, &run) == SN_OK ? last_of(run, info) : NAN;
        sn_run_file_destroy(run);
    }
    for (int k = 0; k < sweep->over_count; k++)
        if (sweep->overs[k].count > 1) SN_TRY(plot_over(sweep, k, info, last));
    return SN_OK;
}

SnStatus sn_sweep_plot_against(SnSweep* sweep)
{
    SnRunFile* first = NULL;
    SnStatus status = SN_OK;
    if (sweep->over_count == 0 || stride_of(sweep, -1) != sweep->case_count) return SN_OK; // not all combinations
    for (int i = 0; i < sweep->case_count && !first; i++) {
        const char* path = sweep->cases[i].done ? sn_sweep_path(sweep, i, ".run") : NULL;
        if (path && sn_run_file_open(path, &first) != SN_OK) first = NULL;
    }
    for (int k = 0; first && k < sn_run_file_value_count(first) && status == SN_OK; k++) {
        const SnValueInfo *info = &sn_run_file_values(first)[k], *before = info - 1;
        bool same = k > 0 && strcmp(before->name, info->name) == 0 && strcmp(before->what, info->what) == 0;
        if (!same) status = plot_value(sweep, info);
    }
    sn_run_file_destroy(first);
    return status;
}
