// ln J for materials with a barrier at J = 0, continued below a stretch t so that inverted elements recover.
//
// ln J = sum l(s_i) with l(s) = ln s for s >= t. Below t the curvature of l goes linearly to 0 over a width FADE t, and
// from there l is a straight line (C2). The straight tail makes a tangled body recover in fewer iterations, and more
// often, than a quadratic one, whose square grows with the fourth power. With t = 0 there is no continuation, and J <=
// 0 is marked infeasible.
#pragma once
#include <sinew/material.h>

#include "linalg/lane.h"

typedef struct BarrierLog {
    double value;      // ln J
    double d1, d2, d3; // l'(s_i)
    double e1, e2, e3; // l''(s_i)
    bool feasible;
} BarrierLog;

#define BARRIER_FADE 0.2

// One stretch, above = max(s, t): l(s) - ln(above) and the derivatives of l.
typedef struct BarrierTail {
    double value, d, e;
} BarrierTail;

SN_INLINE BarrierTail barrier_tail(double s, double t, double inverse, double above)
{
    double depth = (sn_lane_min(s, t) - t) * inverse, x = sn_lane_max(depth, -BARRIER_FADE); // both 0 above t
    double slope = 1.0 - x - x * x * (0.5 / BARRIER_FADE);
    return (BarrierTail){x - 0.5 * x * x - x * x * x * (1.0 / (6.0 * BARRIER_FADE)) + slope * (depth - x),
                         slope / above, -(1.0 + x * (1.0 / BARRIER_FADE)) / (above * above)};
}

SN_INLINE BarrierLog barrier_log(SnStretches s, double t)
{
    double inverse = 1.0 / (t > 0.0 ? t : INFINITY); // 0 without continuation
    double a1 = sn_lane_max(s.s1, t), a2 = sn_lane_max(s.s2, t), a3 = sn_lane_max(s.s3, t), product = a1 * a2 * a3;
    BarrierTail l1 = barrier_tail(s.s1, t, inverse, a1), l2 = barrier_tail(s.s2, t, inverse, a2),
                l3 = barrier_tail(s.s3, t, inverse, a3);
    bool feasible = product > 0.0;
    return (BarrierLog){
        .value = sn_lane_log(feasible ? product : 1.0) + l1.value + l2.value + l3.value,
        .d1 = l1.d,
        .d2 = l2.d,
        .d3 = l3.d,
        .e1 = l1.e,
        .e2 = l2.e,
        .e3 = l3.e,
        .feasible = feasible,
    };
}
