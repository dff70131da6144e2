// The forces of constraints in a step of a quasi-Newton method: its quadratic model is minimised with the constraints
// kept, and not with energies that stand in for them. So what the method has learned is about the elastic bodies alone
// and stays true while contacts come and go.
#pragma once
#include "constraint/compliance.h"

typedef struct SnDual {
    SnConstraints* constraints;
    double length;   // of the next step
    int64_t applied; // how often an inverse was, so far
    int capacity[8];
    double *force, *offset, *way, *motion, *last_force, *last_motion, *best; // 3 per constraint
    double* yield;                                                           // m/N, of each constraint
    double *spread, *moved;                                                  // 3 x node_count
} SnDual;

// An inverse of all nodes, and what is known of it among those that constraints touch.
typedef struct SnDualInverse {
    SnInverse all, touched;         // the latter of vectors as in compliance
    const SnCompliance* compliance; // NULL: nothing is known
} SnDualInverse;

SnStatus sn_dual_create(SnDual* dual, SnConstraints* constraints);
void sn_dual_free(SnDual* dual);
void sn_dual_start(SnDual* dual); // of a minimisation

// g: the gradient at x without the constraints' forces, p = h g: d = -h (g - C^T f), with forces f that keep the
// constraints at x + d. These become the constraints' multipliers.
SnStatus sn_dual_solve(SnDual* dual, SnDualInverse h, const double* x, const double* g, const double* p, double* d);
