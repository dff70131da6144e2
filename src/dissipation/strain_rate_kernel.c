// strain-rate: R = shear |E'|^2 + bulk/2 tr(E')^2 of the rate of Green's strain: a fluid's viscosity.
#include "dissipation/dissipation_pack.h"

static SnViscosity viscosity(SnDissipationParameters p)
{
    return (SnViscosity){.shear = p.shear, .bulk = p.bulk};
}

static const SnDissipationPacks packs = {.viscosity = viscosity};

SN_DISSIPATION(strain_rate, "strain-rate", "shear |E'|^2 + bulk/2 tr(E')^2, E = (F^T F - I)/2",
               .keeps = "linear and angular momentum", .rate = SN_RATE_STRAIN, .numbers = SN_TAKES_VISCOSITY);
