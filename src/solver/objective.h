// What solvers minimise: E(x) = 1/(2 b^2) |x - target|^2_M + U(x) + W(x) - force.x, over the free nodes, subject to
// constraint rows. W is the stage's dissipation (potential/viscous.h).
#pragma once
#include "contact/rows.h"
#include "potential/potential.h"

typedef struct SnObjective {
    SnPotential* potential;
    SnTasks* tasks;
    int node_count;
    int free_count;
    const int* free_index;  // node_count: row of each free node, -1 where pinned
    const double* mass;     // node_count, kg
    double inertia;         // 1/b^2, 1/s2; 0 without inertia
    const double* target;   // 3 x node_count
    const double* force;    // 3 x node_count or NULL, N
    SnRowSet* rows;         // constraints, or NULL
    double row_stiffness;   // of rows, relative to that of their nodes
    double row_force;       // N, of rows that push, in the mean
    double* node_stiffness; // node_count or NULL: diagonal of the potential's Laplacian, N/m
    // Finds the rows anew for nodes at x; NULL: they stay as they are during a minimisation.
    SnStatus (*collect)(void* collector, const double* x);
    void* collector;
    const double* start; // 3 x node_count: x^p, from which velocities are taken
    double slip;         // m/s: below this speed friction is smoothed
    bool couples;        // there may be rows that join several nodes
    bool hard;           // the solver keeps rows itself: they have no energy and push with their `force`
    double* reaction;    // 3 x node_count: the gradient at pinned nodes, that is the force their handles exert
    const double* pull;  // 3 x node_count, N: the share of hard limits in the gradient found last; NULL: there are none
} SnObjective;

typedef struct SnObjectiveValue {
    double total;       // E, J
    double elastic;     // U, J
    double dissipation; // W, what dissipations add, J
    double magnitude;   // of the numbers E was summed from: what its rounding is relative to
} SnObjectiveValue;
// The inertia's share of the Hessian: m/b^2 for each free row.
void sn_objective_diagonal(const SnObjective* objective, double* diagonal);
SnObjectiveValue sn_objective_value(const SnObjective* objective, const double* x);
// The same, and dE/dx: zero at pinned nodes (their entries go to objective->reaction).
SnObjectiveValue sn_objective_gradient(const SnObjective* objective, const double* x, double* g);

// Rows, for solvers that know no constraints, as energies ((f - k gap)^2 - f^2)/(2 k), without the square where a
// unilateral row would pull: an augmented Lagrangian, whose forces f are those of the step before
// (solver/row_energy.c). k is row_stiffness times what the row's nodes put up against being moved.
void sn_row_energy_start(SnObjective* objective); // sets k, and press to f; whenever rows are new
double sn_row_energy(const SnObjective* objective, const double* x);
void sn_row_gradient(const SnObjective* objective, double scale, const double* x, double* g); // adds scale x it to g
// Adds to the diagonal blocks what bounds the rows' second derivative from above (for rows of one node, just that).
void sn_row_hessian(const SnObjective* objective, const double* x, const double* g, const SnBlockMatrix* matrix);
// The second derivative of a row's energy by its point sum_k w_k x_k, 3x3, made positive where the gradient g at x says
// so; false: there is none.
bool sn_row_block(const SnObjective* objective, const SnRow* row, const double* x, const double* g, double block[9]);
// How much the gradient would change if the rows took over the forces that their energies push with, and how large
// these are, N.
double sn_row_change(const SnObjective* objective, const double* x, double* size);
// There is friction to be had from it.
bool sn_row_has_friction(const SnObjective* objective, const SnRow* row);
// Friction as two rows across the normal that give way, with the force it has at x: the parabola that touches its
// energy at x from above.
void sn_row_tangents(const SnObjective* objective, const SnRow* row, const double* x, SnRow tangents[2]);
// The part of its slip that is left when the row's only node, which wants to be at `at` with so many N/m, is slowed
// down by friction; and that slip.
double sn_row_slip_left(const SnObjective* objective, const SnRow* row, const double at[3], double stiffness,
                        double slip[3]);
// Friction's force on the row's point at x, N, and how far this has slipped along the surface since x^p, m.
void sn_row_friction(const SnObjective* objective, const SnRow* row, const double* x, double force[3], double slip[3]);
void sn_row_energy_finish(const SnObjective* objective, const double* x); // f = f - k gap, as the energy pushes at x
