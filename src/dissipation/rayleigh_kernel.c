// rayleigh: R = beta/2 F' : K F', K the material's second derivative by F, made positive semidefinite.
#include "dissipation/dissipation_pack.h"

static SnViscosity viscosity(SnDissipationParameters p)
{
    return (SnViscosity){.stiffness = p.beta};
}

static const SnDissipationPacks packs = {.viscosity = viscosity};

static const SnParameter parameters[] = {{SN_ROW_BETA}, {0}};

SN_DISSIPATION(rayleigh, "rayleigh", "beta/2 F' : K F', K = d2psi/dF2",
               .keeps = "linear momentum; angular too with conserve-momentum", .rate = SN_RATE_GRADIENT,
               .stiffness = true, .parameters = parameters);
