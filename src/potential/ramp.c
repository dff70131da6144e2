#include "potential/ramp.h"

#include <math.h>

double sn_ramp_at(const SnCurve* ramp, double time)
{
    const double* p = ramp->points;
    int i = 0;
    if (ramp->count == 0) return 1;
    while (i + 1 < ramp->count && time >= p[2 * (i + 1)]) i++;
    if (time <= p[0] || i + 1 == ramp->count) return p[2 * i + 1];
    double part = (time - p[2 * i]) / (p[2 * i + 2] - p[2 * i]);
    return p[2 * i + 1] + part * (p[2 * i + 3] - p[2 * i + 1]);
}

SnStatus sn_ramp_check(const SnCurve* ramp, const char* of)
{
    if (ramp->count < 0 || (ramp->count > 0 && !ramp->points))
        return sn_fail(SN_ERROR_VALUE, "the ramp of %s has %d points; there can be 0 or more", of, ramp->count);
    for (int i = 0; i < ramp->count; i++) {
        const double* p = ramp->points + 2 * (int64_t)i;
        if (!isfinite(p[0]) || !isfinite(p[1]))
            return sn_fail(SN_ERROR_VALUE, "point %d of the ramp of %s is [%g, %g]; both must be numbers", i, of, p[0],
                           p[1]);
        if (i > 0 && !(p[0] > p[-2]))
            return sn_fail(SN_ERROR_VALUE, "the ramp of %s must have increasing times, but %g follows %g", of, p[0],
                           p[-2]);
    }
    return SN_OK;
}
