// Scalar functions written so that a loop over lanes around them vectorises: no branches, no library calls.
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/isa.h"

SN_INLINE double sn_lane_max(double a, double b)
{
    return a > b ? a : b;
}

SN_INLINE double sn_lane_min(double a, double b)
{
    return a < b ? a : b;
}

// Natural logarithm for normal x > 0, within 1 ulp or so: x = 2^e m, m in [1/sqrt2, sqrt2), and
// ln m = 2 atanh((m-1)/(m+1)) by its series (11 terms reach 1e-17 for |m-1|/(m+1) <= 0.172).
SN_INLINE double sn_lane_log(double x)
{
    const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t shifted = bits - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u; // exponent counted from 1/sqrt2
    uint64_t exponent = shifted >> 52;                                   // 1023 + e
    uint64_t mantissa_bits = bits - (exponent << 52) + 0x3ff0000000000000u;
    double m, e;
    memcpy(&m, &mantissa_bits, sizeof m);
    uint64_t counted = exponent | 0x4330000000000000u; // 2^52 + exponent, as a double: an exact conversion
    memcpy(&e, &counted, sizeof e);
    e -= 0x1p52 + 1023.0;
    double f = m - 1.0, r = f / (2.0 + f), q = r * r;
    double series = 1.0 / 23.0;
    series = series * q + 1.0 / 21.0;
    series = series * q + 1.0 / 19.0;
    series = series * q + 1.0 / 17.0;
    series = series * q + 1.0 / 15.0;
    series = series * q + 1.0 / 13.0;
    series = series * q + 1.0 / 11.0;
    series = series * q + 1.0 / 9.0;
    series = series * q + 1.0 / 7.0;
    series = series * q + 1.0 / 5.0;
    series = series * q + 1.0 / 3.0;
    // 2r + 2r q series = f - r (f - 2 q series), which keeps the leading term exact
    double tail = r * (f - 2.0 * q * series) - e * ln2_low;
    return e * ln2_high + (f - tail);
}

// e^x within 1 ulp or so; infinite above 709, 0 below -708: x = k ln2 + r, |r| <= ln2/2, e^r by its Taylor series.
SN_INLINE double sn_lane_exp(double x)
{
    const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33, shift = 0x1.8p52;
    double inside = sn_lane_min(sn_lane_max(x, -708.0), 709.0);
    double shifted = inside * 0x1.71547652b82fep0 + shift; // k, rounded to nearest, in the low bits
    double k = shifted - shift;
    double r = (inside - k * ln2_high) - k * ln2_low;
    double series = 1.0 / 6227020800.0; // 1/13!
    series = series * r + 1.0 / 479001600.0;
    series = series * r + 1.0 / 39916800.0;
    series = series * r + 1.0 / 3628800.0;
    series = series * r + 1.0 / 362880.0;
    series = series * r + 1.0 / 40320.0;
    series = series * r + 1.0 / 5040.0;
    series = series * r + 1.0 / 720.0;
    series = series * r + 1.0 / 120.0;
    series = series * r + 1.0 / 24.0;
    series = series * r + 1.0 / 6.0;
    series = series * r + 0.5;
    series = 1.0 + (r + r * r * series);
    uint64_t bits, power;
    memcpy(&bits, &shifted, sizeof bits);
    power = (bits + 1023u) << 52;
    double scale;
    memcpy(&scale, &power, sizeof scale);
    double value = x > 709.0 ? INFINITY : series * scale;
    return x < -708.0 ? 0.0 : value;
}
