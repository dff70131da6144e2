// What each element bears at x: how it is deformed, its energy and its stress.
//
// The stress needs no more of a term than its gradient: with g_a = dU/dx_a = V P B_a at corners x_a, and F the sum of
// x_a B_a^T, the sum of g_a x_a^T is V P F^T, which is Cauchy's stress times the volume that the element has now.
#pragma once
#include "potential/potential.h"

typedef struct SnBorne {
    double volume;      // m3, at rest; 0: there is no element of this number
    double energy;      // J
    double gradient[9]; // F, row after row; a sheet keeps its thickness, a strand its section
    double rate[9];     // dF/dt, 1/s, the same
    double virial[9];   // V P F^T, J, row after row
} SnBorne;

// Energies of bodies, fibers and limits; not what damping does, nor what constraints do that a solver keeps. borne: as
// many as SnTermsDef.members have numbered, zero before.
void sn_potential_bear(const SnPotential* potential, const double* x, const double* v, SnBorne* borne);
