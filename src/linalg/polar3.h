// The rotation of F = R S for one lane, without singular values.
//
// The sum of the stretches f = s1 + s2 + s3 is the largest root of
//     q(f) = f^4 - 2 i1 f^2 - 8 j f + i1^2 - 4 i2,   i1 = |F|^2, i2 = |cof F|^2, j = det F,
// whose other roots are the sums with two signs changed. R is its gradient by F; differentiating q = 0,
//     R = (4 (f^2 + i1) F - 8 F F^T F + 8 f cof F) / q'(f),   q'(f) = 8 (s1+s2)(s1+s3)(s2+s3).
// Where q' is small, that is near s2 = -s3 or for collapsed F, the quotient loses digits; then use singular values.
#pragma once
#include "linalg/lane.h"

typedef struct SnStretchSum {
    double value; // s1 + s2 + s3
    double slope; // q'(value)
    double wrong; // 0 where value and R are accurate, else positive
} SnStretchSum;

SN_INLINE double sn_lane_sum_step(double f, double i1, double j, double c)
{
    double f2 = f * f;
    return ((f2 - 2.0 * i1) * f2 - 8.0 * j * f + c) / (4.0 * (f2 - i1) * f - 8.0 * j);
}

// Newton's method from above, where q is convex; six steps, and the last one must be small.
SN_INLINE SnStretchSum sn_lane_stretch_sum(double i1, double i2, double j)
{
    double c = i1 * i1 - 4.0 * i2, f = sqrt(3.0 * i1) * (1.0 + 1e-15) + 1e-150;
    f -= sn_lane_sum_step(f, i1, j, c);
    f -= sn_lane_sum_step(f, i1, j, c);
    f -= sn_lane_sum_step(f, i1, j, c);
    f -= sn_lane_sum_step(f, i1, j, c);
    f -= sn_lane_sum_step(f, i1, j, c);
    double last = sn_lane_sum_step(f, i1, j, c);
    f -= last;
    double slope = 4.0 * (f * f - i1) * f - 8.0 * j;
    double flat = slope > 0.02 * f * f * f ? 0.0 : 1.0, far = fabs(last) < 1e-9 * f ? 0.0 : 1.0;
    return (SnStretchSum){f, slope, flat + far};
}
