// Plots of what probes have measured.
#pragma once
#include <sinew/run.h>

#include "core/arena.h"
#include "view/plot.h"

typedef struct SnPlotMeasured {
    const char* what;    // a word for it (archive/measured.h)
    const char* of;      // the probe; NULL: any
    const char* against; // a word for what is along the other axis; NULL: time
} SnPlotMeasured;

// Curves of the run at `path`, opened as `run`: named by that file where there are several runs.
enum { SN_PLOT_MOST_CURVES = 64 };
SnStatus sn_plot_measured(const SnPlotMeasured* def, SnRunFile* run, const char* path, bool several, SnArena* arena,
                          SnCurveData* curves, SnPlot* plot);
