// An inverse B with the second derivative of constraints: (B^-1 + C^T K C)^-1, for solvers whose matrix has none.
#pragma once
#include "constraint/constraints.h"

// r = B q, both 3 x node_count and zero at pinned nodes.
typedef struct SnInverse {
    SnStatus (*apply)(void* self, const double* q, double* r);
    void* self;
} SnInverse;

typedef struct SnConstraintInverse {
    int count, capacity;
    bool any; // of all processes
    SnConstraints* constraints;
    struct SnConstraintFactor* factors; // count
    int number_capacity;                // 3 x count
    double *guess, *residual, *search, *image;
    double *force, *moved; // 3 x node_count
} SnConstraintInverse;

SnStatus sn_constraint_inverse_create(SnConstraintInverse* inverse, SnConstraints* constraints);
void sn_constraint_inverse_free(SnConstraintInverse* inverse);
// Those that push or rub at x, where the gradient is g, as they are now; until they change.
SnStatus sn_constraint_inverse_update(SnConstraintInverse* inverse, const double* x, const double* g);
// r = (B^-1 + C^T K C)^-1 q, by conjugate gradients to a few digits.
SnStatus sn_constraint_inverse_apply(SnConstraintInverse* inverse, SnInverse b, const double* q, double* r);
