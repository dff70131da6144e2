// What solvers minimise: E(x) = 1/(2 b^2) |x - target|^2_M + U(x) - force.x, over the free nodes.
#pragma once
#include "potential/potential.h"

typedef struct SnObjective {
    SnPotential* potential;
    SnTasks* tasks;
    int node_count;
    int free_count;
    const int* free_index; // node_count: row of each free node, -1 where pinned
    const double* mass;    // node_count, kg
    double inertia;        // 1/b^2, 1/s2; 0 without inertia
    const double* target;  // 3 x node_count
    const double* force;   // 3 x node_count or NULL, N
    double* reaction;      // 3 x node_count: the gradient at pinned nodes, that is the force their handles exert
} SnObjective;

typedef struct SnObjectiveValue {
    double total;     // E, J
    double elastic;   // U, J
    double magnitude; // of the numbers E was summed from: what its rounding is relative to
} SnObjectiveValue;
// The inertia's share of the Hessian: m/b^2 for each free row.
void sn_objective_diagonal(const SnObjective* objective, double* diagonal);
SnObjectiveValue sn_objective_value(const SnObjective* objective, const double* x);
// The same, and dE/dx: zero at pinned nodes (their entries go to objective->reaction).
SnObjectiveValue sn_objective_gradient(const SnObjective* objective, const double* x, double* g);
