// Coulomb friction across a constraint, with a multiplier of its own: what sticks does not creep.
//
// The force on the constraint's point is l - k s, cut to the length mu p: l the multiplier (SnMultiplier.tangent), s
// how far the point has slipped along the surface since x^p, beyond the surface itself, k the constraint's penalty, p
// its normal force as of the last iteration. That is the gradient of the Moreau envelope of mu p |s|; multipliers that
// are taken over make s zero where the point sticks, and the force opposed to it, of length mu p, where it slips.
//
// With a slip speed e there is no multiplier, and k = mu p/(e b): the smoothed law mu p min(1, |v|/e).
#pragma once
#include "constraint/constraint.h"
#include "constraint/nodes.h"

typedef struct SnFriction {
    const SnNodes* nodes;
    double speed; // e, m/s; 0: what sticks sticks
} SnFriction;

// There is friction to be had from it.
bool sn_friction_acts(const SnFriction* friction, const SnKept* item);
double sn_friction_energy(const SnFriction* friction, const SnKept* item, const double* x);
// The force on the constraint's point at x, N, and how far this has slipped along the surface since x^p, m.
void sn_friction_force(const SnFriction* friction, const SnKept* item, const double* x, double force[3],
                       double slip[3]);
// How far the constraint's point has slipped along the surface since x^p, and in steps before though it stuck, m.
void sn_friction_slip(const SnFriction* friction, const SnKept* item, const double* x, double slip[3]);
// How far it has crept though it sticks, m: the next step takes that back.
void sn_friction_left(const SnFriction* friction, const SnKept* item, const double* x, double left[3]);
// As two constraints across the normal that give way, with the force it has at x: the parabola that touches its energy
// at x from above.
void sn_friction_tangents(const SnFriction* friction, const SnKept* item, const double* x, SnKept tangents[2]);
// The part of its slip that is left when the constraint's only node, which wants to be at `at` with so many N/m, is
// slowed down by friction; and that slip.
double sn_friction_slip_left(const SnFriction* friction, const SnKept* item, const double at[3], double stiffness,
                             double slip[3]);

// Friction's curvature at x: `across` in the tangent plane, less `along` of direction direction^T.
typedef struct SnFrictionCurvature {
    double direction[3], across, along;
} SnFrictionCurvature;
void sn_friction_curvature(const SnFriction* friction, const SnKept* item, const double* x, SnFrictionCurvature* out);
