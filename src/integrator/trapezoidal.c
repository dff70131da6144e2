// trapezoidal: x^p = x^n + h/2 v^n, v^p = v^n + h/2 M^-1 f^n, b = h/2. Second order; damps nothing, and what is too
// fast for the step rings on.
#include "integrator/integrator.h"

const SnIntegratorType sn_trapezoidal = {
    .name = "trapezoidal",
    .summary = "second order, no damping of its own: fast motion rings on",
    .order = 2,
    .stage_count = 1,
    .stages = {{.alpha = 0.5, .end = 1, .present = 1, .half = 0.5}},
    .extrapolate = 1,
    .care = SN_UNDAMPED_CARE,
    .needs_force = true,
};
