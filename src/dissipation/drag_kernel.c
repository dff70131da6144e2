// drag: R = drag/2 m |v|^2 of each node, in proportion to its mass: air, or a viscous medium at rest.
#include "dissipation/dissipation_pack.h"

static SnViscosity viscosity(SnDissipationParameters p)
{
    return (SnViscosity){.shear = p.drag};
}

static const SnDissipationPacks packs = {.viscosity = viscosity};

static const SnParameter parameters[] = {
    {"drag", SN_NUMBER, offsetof(SnDampingDef, drag), .value = "0.1", .range = ">=0", .unit = "1/s",
     .doc = "velocities decay at this rate"},
    {0},
};

SN_DISSIPATION(drag, "drag", "drag/2 m |v|^2 of each node", .keeps = "no momentum", .rate = SN_RATE_POSITION,
               .parameters = parameters);
