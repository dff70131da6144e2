// implicit-midpoint: half a step of backward Euler to x_m, v_m; then x^(n+1) = 2 x_m - x^n, v^(n+1) = 2 v_m - v^n.
// Second order, symplectic; keeps linear and angular momentum, and the energy of linear springs.
#include "integrator/integrator.h"

const SnIntegratorType sn_implicit_midpoint = {
    .name = "implicit-midpoint",
    .summary = "second order, symplectic: keeps momentum, angular momentum and, nearly, energy",
    .order = 2,
    .stage_count = 1,
    .stages = {{.alpha = 0.5, .end = 0.5, .present = 1}},
    .extrapolate = 2,
    .care = SN_UNDAMPED_CARE,
};
