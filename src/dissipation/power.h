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

// One step of Halley's method in u = log z, where the logarithm of both terms' sum is convex with slopes between p and
// 1; log_y is y's, log_c that of 2qk/eta.
SN_INLINE double sn_power_step(double u, double log_y, double log_c, double p)
{
    double power = sn_lane_exp(log_c + p * u - log_y), linear = sn_lane_exp(u - log_y);
    double sum = sn_lane_max(power + linear, 1e-300), value = sn_lane_log(sum), part = power / sum;
    double rise = (p * power + linear) / sum, bend = (1.0 - p) * (1.0 - p) * part * (1.0 - part);
    return u - value * rise / (rise * rise - 0.5 * value * bend);
}

// z, and the force eta (y - z), which would cancel; y > 0, p = 2q - 1 > 0. The loop over iterations is outside that
// over lanes, for that to vectorise.
SN_INLINE void sn_power_root(const double* y, const double* eta, double c, double p, double* z, double* force)
{
    enum { ITERATIONS = 6 }; // 4 from p = 0.01 on
    double u[SN_LANES], log_y[SN_LANES], log_c[SN_LANES];
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        log_y[l] = sn_lane_log(y[l]), log_c[l] = sn_lane_log(c / eta[l]);
        u[l] = sn_lane_min(log_y[l], (log_y[l] - log_c[l]) / p);
    }
    for (int i = 0; i < (p < 0.01 ? ITERATIONS : 4); i++) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) u[l] = sn_power_step(u[l], log_y[l], log_c[l], p);
    }
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        z[l] = sn_lane_exp(u[l]);
        force[l] = eta[l] * sn_lane_exp(log_c[l] + p * u[l]);
    }
}

SN_INLINE void sn_power_between(const double* r, const double* floor, double k, double q, double* value, double* slope,
                                double* curvature)
{
    double p = 2.0 * q - 1.0, c = 2.0 * q * k, y[SN_LANES], eta[SN_LANES], z[SN_LANES], force[SN_LANES];
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        y[l] = sn_lane_max(sqrt(r[l]), 1e-60);
        eta[l] = c * sn_lane_exp((q - 1.0) * sn_lane_log(floor[l]));
    }
    sn_power_root(y, eta, c, p, z, force);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        double steep = p * force[l] / sn_lane_max(z[l], 1e-300), rest = force[l] / eta[l];
        double rise = steep < 1e280 ? eta[l] * steep / (steep + eta[l]) : eta[l];
        value[l] = force[l] * z[l] / (2.0 * q) + 0.5 * eta[l] * rest * rest;
        slope[l] = 0.5 * force[l] / y[l];
        curvature[l] = 0.25 * (rise - force[l] / y[l]) / (y[l] * y[l]);
    }
}

SN_INLINE void sn_power_lanes(const double* r, const double* floor, double k, double q, double* value, double* slope,
                              double* curvature)
{
    if (q >= 1.0) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) sn_power_smooth(r[l], floor[l], k, q, value + l, slope + l, curvature + l);
    } else if (q > 0.5)
        sn_power_between(r, floor, k, q, value, slope, curvature);
    else {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) sn_power_dry(r[l], floor[l], k, value + l, slope + l, curvature + l);
    }
}

// eta (y - z) at the minimum over z of k z^(2q) + eta/2 (y - z)^2; dry, z is 0 up to eta y = k.
SN_INLINE void sn_power_pull(const double* y, const double* eta, double k, double q, double* force)
{
    double z[SN_LANES], safe[SN_LANES];
    for (int l = 0; l < SN_LANES; l++) safe[l] = sn_lane_max(y[l], 1e-60);
    if (q > 0.5)
        sn_power_root(safe, eta, 2.0 * q * k, 2.0 * q - 1.0, z, force);
    else
        for (int l = 0; l < SN_LANES; l++) force[l] = sn_lane_min(eta[l] * y[l], k);
}
