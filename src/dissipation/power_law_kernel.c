// power-law: R = A^(1-q) R0^q, q = (p+1)/2, of a base R0 that is quadratic: the force grows with the p-th power of the
// rate, and is the base's where R0 = A. p = 0 is a dry solid's, which stops in finite time.
#include "dissipation/power.h"

static void power(const double* r, const double* floor, const SnDissipationParameters* p, double* value, double* slope,
                  double* curvature)
{
    double q = 0.5 * (p->exponent + 1.0), k = sn_lane_exp((1.0 - q) * sn_lane_log(p->reference));
    sn_power_lanes(r, floor, k, q, value, slope, curvature);
}

static const SnDissipationPacks packs = {.power = power};

static const SnParameter parameters[] = {
    {SN_ROW_BASE("strain-rate")},
    {SN_ROW_EXPONENT},
    {"reference", SN_NUMBER, offsetof(SnDampingDef, reference), .value = "100", .range = ">0", .unit = "W/m3",
     .doc = "where the base dissipates so much, both do the same"},
    {SN_ROW_SMOOTHING},
    {0},
};

SN_DISSIPATION(power_law, "power-law", "reference^(1-q) R0^q, q = (exponent + 1)/2, R0 that of base",
               .keeps = "as its base does", .parameters = parameters);
