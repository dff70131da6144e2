// How constraints are kept: one file per method, one row each in method_table.c.
#pragma once
#include "constraint/constraints.h"
#include "core/table.h"
#include "linalg/node_system.h"

// A global step: minimise 1/2 d^T A d - r^T d, subject to the constraints at x + d.
typedef struct SnGlobalStep {
    const SnNodeSystem* system; // A
    const double *r, *x;        // 3 x node_count; r is without the forces of constraints
    double* d;                  // 3 x node_count, zero at pinned nodes
    double precision;           // m: constraints are kept to this,
    double reduction;           // or to so much of what they were off by at first; the next step goes on from there
    int work;                   // solves that it may take
    int iterations;             // that it took to keep them
} SnGlobalStep;

struct SnConstraintMethod {
    const char* name;
    const char* summary; // one line
    // N along the normal that a constraint pushes with at x.
    double (*push)(const SnKept* item, const double* x);
    // Its energy; NULL: it has none, as it is kept in the solver's global step.
    double (*energy)(const SnConstraints* constraints, const SnKept* item, const double* x);
    // As sn_constraints_block; NULL: none. It also makes a constraint part of an initial inverse
    // (constraint/inverse.h).
    bool (*block)(const SnConstraints* constraints, const SnKept* item, const double* x, const double* g,
                  double block[9]);
    // As sn_constraints_longest_step; NULL: all the way.
    double (*longest_step)(const SnConstraints* constraints, const double* x, const double* d);
    // As sn_constraints_update; leaves constraints->settled.
    SnStatus (*update)(SnConstraints* constraints, SnConstraintIterate* iterate);
    // The global step, starting from the forces and setting them: whether it can; state for one set of nodes and
    // pattern of A; one step.
    bool (*suits)(const SnConstraints* constraints);
    SnStatus (*create)(const SnNodes* nodes, const SnNodeSystem* system, void** state);
    void (*destroy)(void* state);
    SnStatus (*solve)(void* state, SnConstraints* constraints, SnGlobalStep* step);
};

extern const SnConstraintMethod sn_augmented_lagrangian, sn_uzawa, sn_gauss_seidel;

SN_TABLE(SnConstraintMethod, constraint_method)

// Of methods of the global step: their forces are what they push with, and have settled when what is left over is small
// beside them.
double sn_constraint_push_multiplier(const SnKept* item, const double* x);
SnStatus sn_constraints_settle(SnConstraints* constraints, SnConstraintIterate* iterate);
