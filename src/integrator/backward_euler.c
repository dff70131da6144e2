// backward-euler: x^p = x^n, v^p = v^n, b = h. First order; damps fast motion strongly.
#include "integrator/integrator.h"

const SnIntegratorType sn_backward_euler = {
    .name = "backward-euler",
    .summary = "first order, unconditionally stable, damps fast motion",
    .order = 1,
    .stage_count = 1,
    .stages = {{.alpha = 1, .end = 1, .present = 1}},
    .extrapolate = 1,
};
