// A figure of a paper, made anew: simulations, curves, and whether what was expected is seen.
#pragma once
#include <sinew/scene.h>
#include <stdio.h>

#include "core/arena.h"
#include "core/table.h"
#include "view/plot.h"

enum { SN_SHEET_CURVES = 16, SN_SHEET_PLOTS = 2 };

// What a figure comes to: plots with their curves, what was measured, and the verdict.
typedef struct SnSheet {
    SnArena arena; // of everything below
    int plot_count;
    SnPlot plots[SN_SHEET_PLOTS];
    SnCurveData curves[SN_SHEET_PLOTS][SN_SHEET_CURVES];
    char measured[2048]; // sentences with numbers
    char missing[512];   // what was expected and is not seen; "": all is
} SnSheet;

// A figure: a const struct at the end of its functions, and a row in the table of paper.c.
typedef struct SnFigure {
    const char* name;     // diss-3
    const char* shows;    // one line
    const char* source;   // "Brown et al. 2018, Fig. 3"
    const char* expected; // the qualitative result, in words
    SnStatus (*make)(SnSheet* sheet);
} SnFigure;

SN_TABLE(SnFigure, figure)

// Makes the sheet, and of it FIGURE.csv, .svg, .png and .txt in the folder, which is made when it is not there. The
// caller frees the sheet's arena, also after a failure.
SnStatus sn_figure_make(const SnFigure* figure, const char* folder, SnSheet* sheet);
// What was expected, measured and not seen, as text.
void sn_figure_print(const SnFigure* figure, const SnSheet* sheet, FILE* file);

// One simulation of a scene of scenes/paper, with some values of it changed.
typedef struct SnTrial {
    const char* name;         // of its curve
    const char* overrides[8]; // as of `--set`; NULL after the last
} SnTrial;

typedef struct SnTrialRun {
    int count;
    SnStepReport* reports; // count; the first is the start
    int node_count;
    double* x; // 3 x node_count: at the end
} SnTrialRun;

// Simulates the scene's frames; memory of the sheet.
SnStatus sn_trial_run(SnSheet* sheet, const char* scene, const SnTrial* trial, SnTrialRun* run);

// Adds a plot, and curves to it: a value of each step over time. Reports are those of the step and of the start.
typedef double SnTrialValue(const SnStepReport* now, const SnStepReport* start);
SnPlot* sn_sheet_plot(SnSheet* sheet, const char* title, const char* x_label, const char* y_label);
SnStatus sn_sheet_add_run(SnSheet* sheet, const char* name, const SnTrialRun* run, SnTrialValue* value);
SnStatus sn_sheet_add_curve(SnSheet* sheet, const char* name, int count, const double* x, const double* y);

void sn_sheet_measured(SnSheet* sheet, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Notes what is missing unless the condition holds.
void sn_sheet_expect(SnSheet* sheet, bool seen, const char* format, ...) __attribute__((format(printf, 3, 4)));
