// Coulomb friction across a constraint: b R with R = mu p rho(|T v|), rho(s) = s - e/2 above the slip speed e and
// s^2/(2 e) below it, p the normal force of the last iteration, v = (displacement since x^p)/b less the obstacle's
// velocity, T the tangent plane.
#pragma once
#include "constraint/constraint.h"
#include "constraint/nodes.h"

typedef struct SnFriction {
    const SnNodes* nodes;
    double speed; // e, m/s
} SnFriction;

// There is friction to be had from it.
bool sn_friction_acts(const SnFriction* friction, const SnKept* item);
double sn_friction_energy(const SnFriction* friction, const SnKept* item, const double* x);
// The force on the constraint's point at x, N, and how far this has slipped along the surface since x^p, m.
void sn_friction_force(const SnFriction* friction, const SnKept* item, const double* x, double force[3],
                       double slip[3]);
// As two constraints across the normal that give way, with the force it has at x: the parabola that touches its energy
// at x from above.
void sn_friction_tangents(const SnFriction* friction, const SnKept* item, const double* x, SnKept tangents[2]);
// The part of its slip that is left when the constraint's only node, which wants to be at `at` with so many N/m, is
// slowed down by friction; and that slip.
double sn_friction_slip_left(const SnFriction* friction, const SnKept* item, const double at[3], double stiffness,
                             double slip[3]);

// Friction's curvature at x: `across` in the tangent plane, less `along` of slip slip^T.
typedef struct SnFrictionCurvature {
    double slip[3], across, along;
} SnFrictionCurvature;
// What slips faster meets no more friction, so along the slip the second derivative is zero; but a step taken by that
// overshoots where the nodes are about to stick. So it is zero only where they are being driven on, or slip on when the
// gradient g alone has moved them, each by 1/resistance, and elsewhere that of the parabola that touches the energy
// from above.
void sn_friction_curvature(const SnFriction* friction, const SnKept* item, const double* x, const double* g,
                           double resistance, SnFrictionCurvature* out);
