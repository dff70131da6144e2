// syrup: R = thickness |E'|^2 of the rate of Green's strain.
#include "dissipation/dissipation_pack.h"

static SnViscosity viscosity(SnDissipationParameters p)
{
    return (SnViscosity){.shear = p.extra[0]};
}

static const SnDissipationPacks packs = {.viscosity = viscosity};

static const SnParameter parameters[] = {
    {"thickness", SN_NUMBER, offsetof(SnDampingDef, extra[0]), .value = "50", .range = ">=0", .unit = "Pa s",
     .doc = "viscosity"},
    {0},
};

SN_DISSIPATION(syrup, "syrup", "thickness |E'|^2", .keeps = "linear and angular momentum", .rate = SN_RATE_STRAIN,
               .parameters = parameters);
