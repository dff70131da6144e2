// What solvers minimise: E(x) = 1/(2 b^2) |x - target|^2_M + U(x) + W(x) - force.x, over the free nodes, subject to
// constraints. W is the stage's dissipation (potential/viscous.h).
#pragma once
#include "constraint/constraints.h"
#include "potential/potential.h"

typedef struct SnObjective {
    SnPotential* potential;
    SnNodes nodes;
    const double* target;       // 3 x node_count
    const double* force;        // 3 x node_count or NULL, N
    const double* external;     // 3 x node_count or NULL, N: external forces, which are in `force` or in the target
    SnConstraints* constraints; // what is kept, and what that adds to E
    double actuation;           // N: by how much actuators change the forces of elements
    bool still;                 // there never is any inertia: equilibria
    double* reaction;           // 3 x node_count: the gradient at pinned nodes, that is the force their handles exert
} SnObjective;

typedef struct SnObjectiveValue {
    double total;       // E, J
    double elastic;     // U, J
    double dissipation; // W, what dissipations add, J
    double magnitude;   // of the numbers E was summed from: what its rounding is relative to
} SnObjectiveValue;
// The inertia's share of the Hessian: m/b^2 for each free row.
void sn_objective_diagonal(const SnObjective* objective, double* diagonal);
// The same of matrices that are kept (sn_node_kept_inertia), and what stands in for constraints (SnNodes.support).
void sn_objective_supported_diagonal(const SnObjective* objective, double* diagonal);
SnObjectiveValue sn_objective_value(const SnObjective* objective, const double* x);
// The same, and dE/dx: zero at pinned nodes (their entries go to objective->reaction).
SnObjectiveValue sn_objective_gradient(const SnObjective* objective, const double* x, double* g);

// rows = the free entries of x (3 x node_count), times factor; and x = rows spread out, zero at pinned nodes.
void sn_objective_gather(const SnObjective* objective, double factor, const double* x, double* rows);
void sn_objective_scatter(const SnObjective* objective, const double* rows, double* x);
// r += M (x~ - x)/b^2 + f: what inertia and, without it, outer forces pull with.
void sn_objective_add_pull(const SnObjective* objective, const double* x, double* r);
