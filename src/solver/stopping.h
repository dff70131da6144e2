// When a minimisation is done: what residual is allowed at x.
//
// Two conditions, both scaled by the tolerance epsilon. The characteristic norm (Li et al. 2019, eq. 15): |g| <=
// epsilon <W> |l|, the bodies' own stiffness and size. It says nothing of what a body is asked to do: under a weight
// that is small beside its stiffness it is met before anything has moved. So the residual is also held against what
// acts: external forces, inertia (m/b^2 (x - x~), which balances all others), moving handles and contacts, |g| <= 1000
// epsilon |f|: 1 % at the default of 1e-5. docs/accuracy.md has the errors that are left over then.
#pragma once
#include <sinew/world.h>

#include "solver/objective.h"

#define SN_STOPPING_SHARE 1e3 // of what acts, times epsilon

typedef struct SnStopping {
    double characteristic; // N: epsilon <W> |l|; 0: only the iteration limit stops
    double share;          // of what acts: epsilon; 0: that is not looked at
    double floor;          // N: rounding, to which the second condition does not go down
} SnStopping;

// The rule that a definition asks for, with the characteristic force <W> |l| of the bodies, N.
SnStopping sn_stopping_rule(const SnSolverDef* def, double characteristic);
// So much of that (0: all of it), unless the papers' rule alone is asked for.
void sn_stopping_take_care(SnStopping* stopping, double care);
// Before a minimisation from x: the floor.
void sn_stopping_start(SnStopping* stopping, const SnObjective* objective, const double* x);
// The allowed residual at x, N, where the gradient has been evaluated; 0: none is.
double sn_stopping_allowed(const SnStopping* stopping, const SnObjective* objective, const double* x);
// Whether the last iteration of a motion, from `before` to x, still went a good part of the step's way, or `times` as
// far as it went is one. Then the residual is small though what is left over is soft, or x is near a place that is no
// minimum, and less of it should be asked for.
bool sn_stopping_moves(const SnObjective* objective, const double* x, const double* before, double times);
