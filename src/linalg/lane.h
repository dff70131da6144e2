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
