// The kinds of actuators, in the order in which they are listed; what all of them have.
#include <stddef.h>

#include "potential/actuator.h"

const SnParameter sn_actuator_parameters[] = {
    {"ramp", SN_POINTS, offsetof(SnActuatorDef, ramp), .example = "[[0, 0], [1, 1]]", .unit = "s, -",
     .doc = "points [time, factor] by which it is multiplied, linear between them, constant beyond"},
    {0},
};

// Fg is a product, in any order.
static void grow(const SnActuatorDef* def, double factor, SnActuation* element)
{
    for (int c = 0; c < 3; c++) element->growth[c] *= 1 + factor * def->growth[c];
}

static const SnParameter growth_parameters[] = {
    {"growth", SN_NUMBER, offsetof(SnActuatorDef, growth), .count = 3, .example = "[0.1, 0.1, 0.1]", .range = ">-1",
     .doc = "strains along the axes of the rest shape, above -1: what it would grow to if nothing held it. Of sheets "
            "along warp and weft and through them, of ropes along and, twice, across them"},
    {0},
};

static const SnActuatorType growth = {
    .name = "growth",
    .summary = "elements that want to be longer, along the axes of the rest shape: swelling, growth, shrinking",
    .parameters = growth_parameters,
    .act = grow,
};

static void warm(const SnActuatorDef* def, double factor, SnActuation* element)
{
    for (int c = 0; c < 3; c++) element->growth[c] *= 1 + factor * def->heat * def->expansion;
}

static const SnParameter heat_parameters[] = {
    {"heat", SN_NUMBER, offsetof(SnActuatorDef, heat), .example = "80", .unit = "K",
     .doc = "warmer than at rest; negative: colder"},
    {"expansion", SN_NUMBER, offsetof(SnActuatorDef, expansion), .value = "1e-5", .unit = "1/K",
     .doc = "strain for each K, the same in all directions: steel 1.2e-5, rubber 2e-4"},
    {0},
};

static const SnActuatorType heat = {
    .name = "heat",
    .summary = "elements that are warmer than at rest, and expand by it",
    .parameters = heat_parameters,
    .act = warm,
};

static void shorten(const SnActuatorDef* def, double factor, SnActuation* element)
{
    element->stretch *= 1 + factor * (def->stretch - 1);
}

static const SnParameter stretch_parameters[] = {
    {"stretch", SN_NUMBER, offsetof(SnActuatorDef, stretch), .example = "0.8", .range = ">0",
     .doc = "of the length at rest: what fibers or ropes would have if nothing held them; the ramp goes from 1 to it"},
    {0},
};

static const SnActuatorType stretch = {
    .name = "stretch",
    .summary = "fibers or ropes that want another length: muscles by their stretch, tendons that are wound up",
    .parameters = stretch_parameters,
    .fibers = true,
    .act = shorten,
};

static void pull(const SnActuatorDef* def, double factor, SnActuation* element)
{
    element->tension += factor * def->tension;
}

static const SnParameter tension_parameters[] = {
    {"tension", SN_NUMBER, offsetof(SnActuatorDef, tension), .example = "1e5", .unit = "Pa",
     .doc = "force per area at rest that fibers or ropes pull with, whatever their length, besides their stiffness"},
    {0},
};

static const SnActuatorType tension = {
    .name = "tension",
    .summary = "fibers or ropes that pull: muscles by their active stress, cables by their force",
    .parameters = tension_parameters,
    .fibers = true,
    .act = pull,
};

const SnTable sn_actuator_table = {"actuator", (const void* const[]){&growth, &heat, &stretch, &tension, NULL},
                                   .parameters = offsetof(SnActuatorType, parameters)};
