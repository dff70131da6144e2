// Constraints that join several nodes, as a product: what they add to a Hessian that has only their blocks' upper bound
// on its diagonal, so that its pattern stays the same.
#pragma once
#include "constraint/constraints.h"
#include "linalg/pcg.h"

typedef struct SnJoinedConstraint {
    int count;
    int row[SN_STENCIL_NODES]; // of the matrix; -1: pinned
    double weight[SN_STENCIL_NODES];
    double block[9];
} SnJoinedConstraint;

typedef struct SnJoined {
    int count, capacity;
    SnJoinedConstraint* items;
    SnLinearMap matrix; // with the bound on its diagonal
} SnJoined;

// For the constraints at x, where the gradient is g, beside `matrix`.
SnStatus sn_joined_update(SnJoined* joined, const SnConstraints* constraints, const double* x, const double* g,
                          SnLinearMap matrix);
SnLinearMap sn_joined_map(SnJoined* joined); // y = (matrix - bound + joined constraints) x
void sn_joined_free(SnJoined* joined);
