// Packs of decompositions: the lane functions of svd3.h and polar3.h in loops over lanes.
#include "linalg/decompose.h"
#include "linalg/polar3.h"
#include "linalg/svd3.h"

SN_INLINE void svd3_lane(const double f[9][SN_LANES], double u[9][SN_LANES], double s[3][SN_LANES],
                         double v[9][SN_LANES], int l)
{
    double a[9], b[9], c[3], d[9];
    for (int k = 0; k < 9; k++) a[k] = f[k][l];
    sn_lane_svd3(a, b, c, d);
    for (int k = 0; k < 9; k++) u[k][l] = b[k];
    for (int k = 0; k < 9; k++) v[k][l] = d[k];
    for (int k = 0; k < 3; k++) s[k][l] = c[k];
}

static void svd3(const double f[9][SN_LANES], double u[9][SN_LANES], double s[3][SN_LANES], double v[9][SN_LANES])
{
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) svd3_lane(f, u, s, v, l);
}

SN_INLINE void svd32_lane(const double f[6][SN_LANES], double u[9][SN_LANES], double s[2][SN_LANES],
                          double v[4][SN_LANES], int l)
{
    double a[6], b[9], c[2], d[4];
    for (int k = 0; k < 6; k++) a[k] = f[k][l];
    sn_lane_svd32(a, b, c, d);
    for (int k = 0; k < 9; k++) u[k][l] = b[k];
    for (int k = 0; k < 4; k++) v[k][l] = d[k];
    for (int k = 0; k < 2; k++) s[k][l] = c[k];
}

static void svd32(const double f[6][SN_LANES], double u[9][SN_LANES], double s[2][SN_LANES], double v[4][SN_LANES])
{
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) svd32_lane(f, u, s, v, l);
}

// R = (4 (f^2 + i1) F - 8 F F^T F + 8 f cof F) / q'
SN_INLINE void polar3_lane(const double f[9][SN_LANES], double r[9][SN_LANES], double* wrong, int l)
{
    double a[9], c[9], s[6];
    for (int k = 0; k < 9; k++) a[k] = f[k][l];
    sn_lane_cross(a + 3, a + 6, c);
    sn_lane_cross(a + 6, a, c + 3);
    sn_lane_cross(a, a + 3, c + 6);
    for (int k = 0; k < 3; k++) s[k] = sn_lane_dot(a + 3 * k, a + 3 * k);
    s[3] = sn_lane_dot(a, a + 3), s[4] = sn_lane_dot(a, a + 6), s[5] = sn_lane_dot(a + 3, a + 6);
    double i1 = s[0] + s[1] + s[2];
    double i2 = sn_lane_dot(c, c) + sn_lane_dot(c + 3, c + 3) + sn_lane_dot(c + 6, c + 6);
    SnStretchSum sum = sn_lane_stretch_sum(i1, i2, sn_lane_dot(a, c));
    double inverse = 1.0 / sum.slope, p = 4.0 * (sum.value * sum.value + i1) * inverse, q = -8.0 * inverse;
    double t = 8.0 * sum.value * inverse;
    for (int k = 0; k < 3; k++) {
        double x = a[k], y = a[3 + k], z = a[6 + k];
        r[k][l] = p * x + q * (x * s[0] + y * s[3] + z * s[4]) + t * c[k];
        r[3 + k][l] = p * y + q * (x * s[3] + y * s[1] + z * s[5]) + t * c[3 + k];
        r[6 + k][l] = p * z + q * (x * s[4] + y * s[5] + z * s[2]) + t * c[6 + k];
    }
    wrong[l] = sum.wrong;
}

static void polar3(const double f[9][SN_LANES], double r[9][SN_LANES])
{
    double wrong[SN_LANES], any = 0.0, u[9][SN_LANES], s[3][SN_LANES], v[9][SN_LANES];
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) polar3_lane(f, r, wrong, l);
    for (int l = 0; l < SN_LANES; l++) any += wrong[l];
    if (any == 0.0) return;
    svd3(f, u, s, v);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) {
            double by_values =
                u[k % 3][l] * v[k / 3][l] + u[3 + k % 3][l] * v[3 + k / 3][l] + u[6 + k % 3][l] * v[6 + k / 3][l];
            r[k][l] = wrong[l] == 0.0 ? r[k][l] : by_values;
        }
}

extern const SnDecompositions SN_KERNEL(sn_decompositions);
const SnDecompositions SN_KERNEL(sn_decompositions) = {svd3, svd32, polar3};
