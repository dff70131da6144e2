// Plots: curves over linear or logarithmic axes, with a legend, as SVG or PNG.
#pragma once
#include <sinew/base.h>

typedef struct SnCurveData {
    const char* name; // in the legend
    int count;
    const double *x, *y; // a number that is not finite interrupts the curve
} SnCurveData;

typedef struct SnAxis {
    const char* label;
    bool logarithmic;         // numbers at or below `floor` are drawn there
    double floor;             // of a logarithmic axis, > 0
    bool whole;               // only whole numbers are marked
    bool from_zero;           // a linear axis that begins at 0
    const char* const* names; // of an x axis of words: those of 1, 2 ..., name_count of them; NULL: it has numbers
    int name_count;
} SnAxis;

typedef struct SnPlot {
    const char* title;
    SnAxis x, y;
    const SnCurveData* curves;
    int curve_count;
    int width, height; // pixels; 0: 800 x 480
} SnPlot;

// The format follows from the path's ending, .svg or .png. On failure no half-written file is left behind.
SnStatus sn_plot_write(const SnPlot* plot, const char* path);
