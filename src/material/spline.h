// The curves of the spline material, made ready for evaluation: cubic pieces with energies by exact integration.
#pragma once
#include <sinew/material.h>

#include "core/status.h"

enum { SN_SPLINE_PIECES = 64, SN_SPLINE_POINTS = SN_SPLINE_PIECES - 1 };

// Piece k holds from from[k] on; with d = s - origin[k] the slope is p0 + p1 d + p2 d^2 + p3 d^3.
typedef struct SnSplineCurve {
    double from[SN_SPLINE_PIECES]; // from[0] = -infinity, +infinity where there is no piece
    double origin[SN_SPLINE_PIECES];
    double energy[SN_SPLINE_PIECES]; // at the origin; 0 at s = 1
    double p0[SN_SPLINE_PIECES], p1[SN_SPLINE_PIECES], p2[SN_SPLINE_PIECES], p3[SN_SPLINE_PIECES];
} SnSplineCurve;

typedef struct SnSpline {
    SnSplineCurve a, b, c;
    double lo, hi; // the range of its points
} SnSpline;

// A curve alone: checked and made ready, and its value.
SnStatus sn_spline_curve_set(const SnCurve* curve, SnSplineCurve* out);
double sn_spline_curve_at(const SnSplineCurve* curve, double s);

SnStatus sn_spline_create(const SnSplineDef* def, SnSpline** spline);
void sn_spline_destroy(SnSpline* spline);

// True when the stress of a bar that is stretched alone, a'(s) + 2 b'(s) + c'(s), falls somewhere between the points;
// *at is the first such stretch.
bool sn_spline_softens(const SnSpline* spline, double* at);
