// Pressure: a force along each triangle's normal as it is now, by its present area, against the outside.
//
// On a closed surface it has the energy -p V, on others none; on both it is the force at the end of the stage.
#include <stddef.h>

#include "potential/load.h"

static void add(const SnLoad* load, const SnLoadState* state, SnLoadSum* sum)
{
    sn_load_add_pressure(load, -sn_load_factor(load, state->time) * load->def.pressure, state->x, sum);
}

static const SnParameter parameters[] = {
    {"pressure", SN_NUMBER, offsetof(SnLoadDef, pressure), .example = "1e3", .unit = "Pa",
     .doc = "from outside on the triangles whose corners are chosen, along their normals as they are; negative: from "
            "inside. A sheet's outside is where its triangles run counter-clockwise"},
    {0},
};

const SnLoadType sn_load_pressure = {
    .name = "pressure",
    .summary = "a force per present area against each triangle, which follows its normal; negative: inflates",
    .parameters = parameters,
    .on_surface = true,
    .follows = true,
    .add = add,
};
