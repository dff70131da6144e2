// Forces that do not depend on where nodes are: force, traction, acceleration.
#include <stddef.h>

#include "linalg/vec3.h"
#include "potential/load.h"

static void add_force(const SnLoad* load, const SnLoadState* state, SnLoadSum* sum)
{
    double factor = sn_load_factor(load, state->time);
    for (int i = 0; i < load->node_count; i++) {
        double share = load->weights ? factor * load->weights[i] : factor / load->all_nodes;
        for (int c = 0; c < 3; c++) sum->force[3 * (int64_t)load->nodes[i] + c] += share * load->def.vector[c];
    }
}

static const SnParameter force_parameters[] = {
    {"force", SN_NUMBER, offsetof(SnLoadDef, vector), .count = 3, .example = "[0, -10, 0]", .unit = "N",
     .doc = "in all, in equal parts on each of the nodes"},
    {"at", SN_NUMBER, offsetof(SnLoadDef, at), .count = 3, .unset = "[nan, nan, nan]", .example = "[1, 0.5, 0.25]",
     .unit = "m",
     .doc = "in place of `where`: a point of the placed rest shape; it acts at the nearest one of the body's surface"},
    {0},
};

const SnLoadType sn_load_force = {
    .name = "force",
    .summary = "a force that keeps its direction, in equal parts on each node",
    .parameters = force_parameters,
    .at_point = true,
    .add = add_force,
};

static void add_traction(const SnLoad* load, const SnLoadState* state, SnLoadSum* sum)
{
    double factor = sn_load_factor(load, state->time);
    for (int i = 0; i < load->triangle_count; i++) {
        const int* t = load->triangles + 3 * (int64_t)i;
        double area[3];
        sn_load_area(t, state->rest, area);
        double third = factor * sn_length3(area) / 6;
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) sum->force[3 * (int64_t)t[a] + c] += third * load->def.vector[c];
    }
}

static const SnParameter traction_parameters[] = {
    {"traction", SN_NUMBER, offsetof(SnLoadDef, vector), .count = 3, .example = "[0, 1e3, 0]", .unit = "Pa",
     .doc = "force per area at rest of the triangles whose corners are chosen"},
    {0},
};

const SnLoadType sn_load_traction = {
    .name = "traction",
    .summary = "a force per area at rest that keeps its direction, on triangles",
    .parameters = traction_parameters,
    .on_surface = true,
    .add = add_traction,
};

static void add_acceleration(const SnLoad* load, const SnLoadState* state, SnLoadSum* sum)
{
    double factor = sn_load_factor(load, state->time);
    for (int i = 0; i < load->node_count; i++)
        for (int c = 0; c < 3; c++)
            sum->force[3 * (int64_t)load->nodes[i] + c] += factor * state->mass[load->nodes[i]] * load->def.vector[c];
}

static const SnParameter acceleration_parameters[] = {
    {"acceleration", SN_NUMBER, offsetof(SnLoadDef, vector), .count = 3, .example = "[0, 9.81, 0]", .unit = "m/s2",
     .doc = "of the nodes by their mass, besides gravity: a body's own gravity is the difference"},
    {0},
};

const SnLoadType sn_load_acceleration = {
    .name = "acceleration",
    .summary = "a force by mass: gravity of one body alone, or a shaken frame of reference",
    .parameters = acceleration_parameters,
    .add = add_acceleration,
};
