// Actuators: what changes by itself within elements, as functions of time alone.
//
// Growth is F = Fe Fg: an element of volume V has the energy V det Fg psi(F Fg^-1), with Fg diagonal in the axes of the
// rest shape. Fibers and ropes may have yet another length at rest, a times what it was, and pull with a tension T
// besides their stiffness: V a (psi(s/a) + T (s/a - 1)). As F = sum x_a g_a^T is linear in the weights g of the rest
// shape, all this is another rest shape, volume and tension of a pack: energies, gradients, Hessians and local steps
// are as they were.
//
// A kind is a function and a row in actuator_table.c.
#pragma once
#include <sinew/actuator.h>

#include "core/parameter.h"
#include "core/table.h"
#include "potential/potential.h"

// Of one element.
typedef struct SnActuation {
    double growth[3]; // factors of lengths: the diagonal of Fg
    double stretch;   // of fibers and ropes: the factor of their length besides
    double tension;   // Pa, of the same
    double along;     // their length at rest, of that which they were made with: by both
} SnActuation;

typedef struct SnActuatorType {
    const char* name;
    const char* summary;           // one line, as printed by `sinew list actuators`
    const SnParameter* parameters; // members of SnActuatorDef, the first one of the type's name
    bool fibers;                   // it is for fibers and ropes alone
    // What it makes of an element, with the factor of its ramp.
    void (*act)(const SnActuatorDef* def, double factor, SnActuation* element);
} SnActuatorType;

SN_TABLE(SnActuatorType, actuator)

extern const SnParameter sn_actuator_parameters[]; // those that all have

// Makes room for rest shapes to be changed; after all terms have been added.
SnStatus sn_potential_reserve_actuation(SnPotential* potential);
// Rest shapes, volumes and tensions of all terms of elements, by their numbers among all bodies' elements.
void sn_potential_actuate(SnPotential* potential, const SnActuation* elements);
