// Pins: nodes tied to places that may move, U = k/2 |x - t|^2 with k = mu of the parameters, N/m. Outside of the table
// of kinds: it looks at no material, and turning everything but the places changes it.
#pragma once
#include "potential/potential.h"

extern const SnTermType sn_pin;

// Sets t of a group's pins: 3 per pin, in the order in which they were added.
void sn_pin_place(SnTermGroup* group, const double* places);

// The force on each pin's node, N, in the same order, with the nodes at x: the energy's, or, where a solver keeps the
// places exactly, what it has found to be needed for that.
void sn_pin_forces(const SnTermGroup* group, const int* nodes, const double* x, double* forces);
