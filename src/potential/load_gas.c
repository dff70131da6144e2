// Gas in a closed surface, a chamber: (ambient + p) (V0/V)^n - ambient from inside, with p what it would have at the
// volume V0 at rest. Pumped by the ramp, which p is multiplied by.
//
// A stiff gas in a soft chamber pushes the less the more it has pushed: its pressure is found as the root of one
// equation (world/load.c), and not by going on with what the last shape says.
#include <math.h>
#include <stddef.h>

#include "potential/load.h"

static double pressure(const SnLoad* load, const SnLoadState* state)
{
    double gas = load->def.ambient + sn_load_factor(load, state->time) * load->def.gas;
    double ratio = sn_load_enclosed(load, state->tasks, state->rest) / sn_load_enclosed(load, state->tasks, state->x);
    return gas * pow(ratio > 0 ? ratio : 0, load->def.exponent) - load->def.ambient;
}

static void add(const SnLoad* load, const SnLoadState* state, SnLoadSum* sum)
{
    double p = isnan(state->pressure) ? pressure(load, state) : state->pressure;
    sn_load_add_pressure(load, sn_load_enclosed(load, state->tasks, state->rest) > 0 ? p : -p, state->x, sum);
}

static const SnParameter parameters[] = {
    {"gas", SN_NUMBER, offsetof(SnLoadDef, gas), .example = "2e4", .unit = "Pa",
     .doc =
         "above `ambient`, at the volume that the chosen triangles enclose at rest; they must be a closed surface: a "
         "shell's, or the wall of a cavity. Negative: sucks"},
    {"ambient", SN_NUMBER, offsetof(SnLoadDef, ambient), .value = "101325", .range = ">=0", .unit = "Pa",
     .doc = "pressure outside; 0 with `exponent: 0`: a constant pressure"},
    {"exponent", SN_NUMBER, offsetof(SnLoadDef, exponent), .value = "1", .range = ">=0 <=10",
     .doc = "n of p V^n: 1 where heat has time to leave, 1.4 of air where it has not"},
    {0},
};

const SnLoadType sn_load_gas = {
    .name = "gas",
    .summary = "a closed chamber of gas, which is compressed as it gets smaller",
    .parameters = parameters,
    .on_surface = true,
    .follows = true,
    .closed = true,
    .add = add,
    .pressure = pressure,
};
