// static: no inertia; each step finds the equilibrium for the handles' place at its end.
#include "integrator/integrator.h"

const SnIntegratorType sn_static = {
    .name = "static",
    .summary = "no inertia: each step is the equilibrium for the handles' place at its end",
    .stage_count = 1,
    .stages = {{.alpha = 0, .end = 1, .present = 1}},
    .extrapolate = 1,
};
