// ln J for materials with a barrier at J = 0, continued below a stretch t so that inverted elements recover.
//
// ln J = sum l(s_i) with l(s) = ln s for s >= t and its second-order Taylor polynomial at t below (C2). With t = 0
// there is no continuation, and J <= 0 is marked infeasible.
#pragma once
#include <sinew/material.h>

#include "linalg/lane.h"

typedef struct BarrierLog {
    double value;      // ln J
    double d1, d2, d3; // l'(s_i)
    double e1, e2, e3; // l''(s_i)
    bool feasible;
} BarrierLog;

SN_INLINE double barrier_continued(double s, double t, double inverse)
{
    double d = (sn_lane_min(s, t) - t) * inverse; // 0 above t
    return d - 0.5 * d * d;
}

SN_INLINE double barrier_slope(double s, double t, double inverse)
{
    double above = sn_lane_max(s, t), d = (sn_lane_min(s, t) - t) * inverse;
    return (1.0 - d) / above;
}

SN_INLINE BarrierLog barrier_log(SnStretches s, double t)
{
    double inverse = 1.0 / (t > 0.0 ? t : INFINITY); // 0 without continuation
    double a1 = sn_lane_max(s.s1, t), a2 = sn_lane_max(s.s2, t), a3 = sn_lane_max(s.s3, t);
    double product = a1 * a2 * a3;
    BarrierLog b;
    b.feasible = product > 0.0;
    b.value = sn_lane_log(b.feasible ? product : 1.0) + barrier_continued(s.s1, t, inverse) +
              barrier_continued(s.s2, t, inverse) + barrier_continued(s.s3, t, inverse);
    b.d1 = barrier_slope(s.s1, t, inverse);
    b.d2 = barrier_slope(s.s2, t, inverse);
    b.d3 = barrier_slope(s.s3, t, inverse);
    b.e1 = -1.0 / (a1 * a1);
    b.e2 = -1.0 / (a2 * a2);
    b.e3 = -1.0 / (a3 * a3);
    return b;
}
