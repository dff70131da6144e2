// fast-power-law: R = strength |S'|^(p+1), S the stretch of F = R S: the power law without a base and its units.
#include "dissipation/power.h"

static SnViscosity viscosity(SnDissipationParameters p)
{
    (void)p;
    return (SnViscosity){.shear = 1.0}; // r = |S'|^2
}

static void power(const double* r, const double* floor, const SnDissipationParameters* p, double* value, double* slope,
                  double* curvature)
{
    sn_power_lanes(r, floor, p->strength, 0.5 * (p->exponent + 1.0), value, slope, curvature);
}

static void pull(const double* y, const double* eta, const SnDissipationParameters* p, double* force)
{
    sn_power_pull(y, eta, p->strength, 0.5 * (p->exponent + 1.0), force);
}

static const SnDissipationPacks packs = {.viscosity = viscosity, .power = power, .pull = pull};

static const SnParameter parameters[] = {
    {"strength", SN_NUMBER, offsetof(SnDampingDef, strength), .value = "100", .range = ">=0", .unit = "Pa s^exponent",
     .doc = "the factor of the formula"},
    {SN_ROW_EXPONENT},
    {SN_ROW_SMOOTHING},
    {0},
};

SN_DISSIPATION(fast_power_law, "fast-power-law", "strength |S'|^(exponent + 1), F = R S",
               .keeps = "linear and angular momentum", .rate = SN_RATE_POLAR, .parameters = parameters);
