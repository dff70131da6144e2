// principal-stretch: R = beta/2 s' . K s', K = d2psi/ds2 of the principal stretches, made positive semidefinite.
#include "dissipation/dissipation_pack.h"

static SnViscosity viscosity(SnDissipationParameters p)
{
    return (SnViscosity){.stiffness = p.beta};
}

static const SnDissipationPacks packs = {.viscosity = viscosity};

static const SnParameter parameters[] = {{SN_ROW_BETA}, {0}};

SN_DISSIPATION(principal_stretch, "principal-stretch", "beta/2 s' . K s', K = d2psi/ds2",
               .keeps = "linear and angular momentum", .rate = SN_RATE_STRETCHES, .stiffness = true,
               .parameters = parameters);
