// Cholesky factors of single 3x3 blocks, column-major.
#pragma once
#include <math.h>
#include <stdbool.h>

// v = the inverse of the lower Cholesky factor of a (whose lower triangle is read). False if a pivot is not positive,
// or less than `least` of its diagonal entry.
static inline bool sn_tile3_invert_factor(const double a[9], double least, double v[9])
{
    double d0 = a[0];
    if (!(d0 > 0) || !isfinite(d0)) return false;
    double l00 = sqrt(d0), l10 = a[1] / l00, l20 = a[2] / l00;
    double d1 = a[4] - l10 * l10;
    if (!(d1 > least * a[4]) || !isfinite(d1)) return false;
    double l11 = sqrt(d1), l21 = (a[5] - l20 * l10) / l11;
    double d2 = a[8] - l20 * l20 - l21 * l21;
    if (!(d2 > least * a[8]) || !isfinite(d2)) return false;
    double l22 = sqrt(d2);
    v[0] = 1 / l00, v[4] = 1 / l11, v[8] = 1 / l22;
    v[1] = -l10 * v[0] * v[4];
    v[5] = -l21 * v[4] * v[8];
    v[2] = -(l20 * v[0] + l21 * v[1]) * v[8];
    v[3] = v[6] = v[7] = 0;
    return true;
}
