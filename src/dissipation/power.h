// Powers of the quadratic form: f(r) = k r^q over lanes, its slope and curvature.
//
// A power q < 1 has no slope at 0: where nothing moves, its force is anything up to a threshold (q = 1/2), or grows
// steeply. In its place stands its envelope (Moreau 1965), with y = sqrt r and the rate y - z that is left over:
//     f(r) = min_z k z^(2q) + eta/2 (y - z)^2,   eta = 2 q k s^(2q - 2),   s = sqrt floor,
// a problem in one dimension (Brown et al. 2018, App. B, with the weight eta): k 2q z^(2q - 1) + eta z = eta y. For
// q = 1/2, z is exactly 0 up to y = s. What the envelope gives way by is taken off by a shift of y, which the
// minimisation finds (potential/viscous.h): the floor says how fast it does, not what.
#pragma once
#include "dissipation/dissipation_pack.h"
#include "linalg/lane.h"

// k ((r + e)^q - e^q), q >= 1
SN_INLINE void sn_power_smooth(double r, double e, double k, double q, double* value, double* slope, double* curvature)
{
    double sum = r + e, power = k * sn_lane_exp(q * sn_lane_log(sum));
    *value = power - k * sn_lane_exp(q * sn_lane_log(e));
    *slope = q * power / sum;
    *curvature = (q - 1.0) * *slope / sum;
}

SN_INLINE void sn_power_dry(double r, double e, double k, double* value, double* slope, double* curvature)
{
    double y = sqrt(r), s = sqrt(e), sticks = y <= s ? 1.0 : 0.0, safe = sn_lane_max(y, s);
    *value = sticks != 0.0 ? 0.5 * k * r / s : k * (y - 0.5 * s);
    *slope = 0.5 * k / safe;
    *curvature = sticks != 0.0 ? 0.0 : -0.25 * k / (safe * safe * safe);
}

// By Newton's method in u = log z, where both terms' sum has a logarithm that is convex with slopes from p = 2q - 1 to
// 1; from above, so that it comes down to the root.
SN_INLINE void sn_power_between(double r, double e, double k, double q, double* value, double* slope, double* curvature)
{
    enum { ITERATIONS = 7 };
    double p = 2.0 * q - 1.0, y = sn_lane_max(sqrt(r), 1e-60), c = 2.0 * q * k;
    double eta = c * sn_lane_exp((q - 1.0) * sn_lane_log(e));
    double log_y = sn_lane_log(y), log_c = sn_lane_log(c / eta), u = sn_lane_min(log_y, (log_y - log_c) / p);
    for (int i = 0; i < ITERATIONS; i++) {
        double power = sn_lane_exp(log_c + p * u - log_y), linear = sn_lane_exp(u - log_y), sum = power + linear;
        u -= sn_lane_log(sn_lane_max(sum, 1e-300)) * sum / sn_lane_max(p * power + linear, 1e-300);
    }
    double z = sn_lane_exp(u), force = eta * sn_lane_exp(log_c + p * u); // = eta (y - z), which would cancel
    double steep = p * force / sn_lane_max(z, 1e-300), rest = force / eta;
    double rise = steep < 1e280 ? eta * steep / (steep + eta) : eta;
    *value = force * z / (2.0 * q) + 0.5 * eta * rest * rest;
    *slope = 0.5 * force / y;
    *curvature = 0.25 * (rise - force / y) / (y * y);
}

SN_INLINE void sn_power_lanes(const double* r, const double* floor, double k, double q, double* value, double* slope,
                              double* curvature)
{
    if (q >= 1.0) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) sn_power_smooth(r[l], floor[l], k, q, value + l, slope + l, curvature + l);
    } else if (q > 0.5) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) sn_power_between(r[l], floor[l], k, q, value + l, slope + l, curvature + l);
    } else {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) sn_power_dry(r[l], floor[l], k, value + l, slope + l, curvature + l);
    }
}
