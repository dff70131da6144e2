// Powers of the quadratic form: f(r) = k ((r + e)^q - e^q), which is k r^q for r far above e and smooth at 0.
#pragma once
#include "dissipation/dissipation_pack.h"
#include "linalg/lane.h"

SN_INLINE void sn_power_lane(double r, double e, double k, double q, double* value, double* slope, double* curvature)
{
    double sum = r + e, power = k * sn_lane_exp(q * sn_lane_log(sum));
    *value = power - k * sn_lane_exp(q * sn_lane_log(e));
    *slope = q * power / sum;
    *curvature = (q - 1.0) * *slope / sum;
}
