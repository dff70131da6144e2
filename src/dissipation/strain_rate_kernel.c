// strain-rate: R = shear |E'|^2 + bulk/2 tr(E')^2 of the rate of Green's strain: a fluid's viscosity.
#include "dissipation/dissipation_pack.h"

static SnViscosity viscosity(SnDissipationParameters p)
{
    return (SnViscosity){.shear = p.shear, .bulk = p.bulk};
}

static const SnDissipationPacks packs = {.viscosity = viscosity};

static const SnParameter parameters[] = {
    {"shear", SN_NUMBER, offsetof(SnDampingDef, shear), .value = "100", .range = ">=0", .unit = "Pa s",
     .doc = "viscosity"},
    {"bulk", SN_NUMBER, offsetof(SnDampingDef, bulk), .value = "0", .range = ">=0", .unit = "Pa s",
     .doc = "viscosity of changes of volume"},
    {"rate", SN_ENUM, offsetof(SnDampingDef, rate), .value = "difference",
     .names = (const char* const[]){"difference", "end", NULL},
     .doc =
         "`difference`: of the strain, as the integrator has differences: as exact as it is, and angular momentum is "
         "kept; `end`: F'^T F at the end of the stage (Brown et al. 2018, eq. 28), which is exact to first order"},
    {0},
};

SN_DISSIPATION(strain_rate, "strain-rate", "shear |E'|^2 + bulk/2 tr(E')^2, E = (F^T F - I)/2",
               .keeps = "linear and angular momentum", .rate = SN_RATE_STRAIN, .parameters = parameters);
