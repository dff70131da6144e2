// Pressure: a force along each triangle's normal as it is now, by its present area, against the outside.
//
// On a closed surface it has the energy -p V, on others none; on both it is the force at the end of the stage.
#include <stddef.h>

#include "potential/load.h"

static void add(const SnLoad* load, const SnLoadState* state, SnLoadSum* sum)
{
    double factor = -sn_load_factor(load, state->time) * load->def.pressure / 6; // of a third of twice the area
    for (int i = 0; i < load->triangle_count; i++) {
        const int* t = load->triangles + 3 * (int64_t)i;
        double area[3];
        sn_load_area(t, state->x, area);
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) sum->force[3 * (int64_t)t[a] + c] += factor * area[c];
    }
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
