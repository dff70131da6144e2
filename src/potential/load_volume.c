// A closed chamber that is filled with something that keeps its volume, as water does: what it is pumped to is given,
// and the pressure is what that takes (world/load.c finds it).
#include <math.h>
#include <stddef.h>

#include "potential/load.h"

static double filled(const SnLoad* load, const SnLoadState* state)
{
    double ratio = 1 + sn_load_factor(load, state->time) * (load->def.volume - 1);
    return ratio * fabs(sn_load_enclosed(load, state->tasks, state->rest));
}

static void add(const SnLoad* load, const SnLoadState* state, SnLoadSum* sum)
{
    double p = isnan(state->pressure) ? 0 : state->pressure; // nobody has sought it yet
    sn_load_add_pressure(load, sn_load_enclosed(load, state->tasks, state->rest) > 0 ? p : -p, state->x, sum);
}

static const SnParameter parameters[] = {
    {"volume", SN_NUMBER, offsetof(SnLoadDef, volume), .example = "1.5", .range = ">0",
     .doc = "of that at rest, which the chosen triangles keep enclosed; the ramp goes from 1 to it. They must be a "
            "closed surface: a shell's, or the wall of a cavity"},
    {0},
};

const SnLoadType sn_load_volume = {
    .name = "volume",
    .summary = "a closed chamber of a given volume, pumped with something that cannot be compressed",
    .parameters = parameters,
    .on_surface = true,
    .follows = true,
    .closed = true,
    .add = add,
    .filled = filled,
};
