// energy: an augmented Lagrangian (Hestenes 1969, Powell 1969), for solvers that know no constraints.
//
// Each constraint is the energy ((f - k gap)^2 - f^2)/(2 k), where f - k gap is what it pushes with, without the square
// where a unilateral one would pull. Constraints follow the iterate: after each iteration they are found anew where the
// nodes are now, and once the minimum for their forces f is near enough, these become what is pushed with. The rest of
// the objective has not changed, so value and gradient are corrected, not evaluated again.
#include <math.h>

#include "constraint/constants.h"
#include "constraint/method.h"

static double unlimited(const SnKept* item, const double* x)
{
    return sn_kept_force(item) - item->multiplier.stiffness * sn_stencil_gap(&item->constraint.at, x);
}

static double push(const SnKept* item, const double* x)
{
    double force = unlimited(item, x);
    return item->constraint.unilateral && force < 0 ? 0 : force;
}

static double energy(const SnConstraints* c, const SnKept* item, const double* x)
{
    (void)c;
    double stiffness = item->multiplier.stiffness, force = push(item, x), held = sn_kept_force(item);
    return stiffness > 0 ? (force * force - held * held) / (2 * stiffness) : 0;
}

// k n n^T where it pushes, and friction's positive semidefinite part.
//
// A constraint that is about to push counts as one that does: left out, a step would run into it, and those that bear
// little would come and go for ever.
static bool block(const SnConstraints* c, const SnKept* item, const double* x, const double* g, double out[9])
{
    const SnConstraint* it = &item->constraint;
    bool pushes = !it->unilateral || unlimited(item, x) > -SN_ABOUT_TO_PUSH * c->mean_force;
    if (!pushes && !sn_friction_acts(&c->friction, item)) return false;
    SnFrictionCurvature rub;
    (void)g;
    sn_friction_curvature(&c->friction, item, x, &rub);
    const double *n = it->at.normal, normal = pushes ? item->multiplier.stiffness : 0;
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++)
            out[3 * r + s] = (normal - rub.across) * n[r] * n[s] + rub.across * (r == s) -
                             rub.along * rub.direction[r] * rub.direction[s];
    return true;
}

// Forces that converge slowly need stiffer penalties; if they still do, constraints contradict each other, and forces
// would grow for ever. Changes that grow come of forces taken over too far from their minimum, which can go on for
// ever: the next ones wait until it is nearer.
static void take_over(SnConstraints* c, const double* x, double change)
{
    sn_constraints_take_over(c, x);
    c->slow_changes = c->last_change > 0 && change > SN_SLOW_CHANGE * c->last_change ? c->slow_changes + 1 : 0;
    if (c->slow_changes >= SN_PENALTY_PATIENCE && c->penalty < SN_PENALTY_MOST) {
        c->slow_changes = 0;
        sn_constraints_set_penalty(c, SN_PENALTY_GROWTH * c->penalty);
    }
    c->contradicting |= c->slow_changes >= SN_PENALTY_PATIENCE;
    if (c->same_change > 0 && change > c->same_change) c->share = fmax(0.5 * c->share, SN_TAKE_OVER_LEAST);
    c->last_change = c->same_change = change;
}

// Have forces and gaps settled?
static void judge(SnConstraints* c, const SnConstraintIterate* it)
{
    double size, change = sn_constraints_change(c, it->x, &size);
    double least = fmax(SN_TOLERANCE_SHARE * it->tolerance, it->floor);
    if (c->contradicting) change = 0;
    c->asked = fmax(SN_BALANCE * size, least);
    c->settled = c->count == 0 || (size == 0 && change == 0) ||
                 (change <= fmax(SN_FORCE_ERROR * size, least) && it->norm <= c->asked);
}

// Forces that have settled are not taken over: x is the minimum for those there were. Unless something is in the way
// there: what bears little is not much of all forces, and its gap not yet closed.
static SnStatus update(SnConstraints* c, SnConstraintIterate* it)
{
    double size, change = sn_constraints_change(c, it->x, &size);
    judge(c, it);
    bool done = c->settled && it->norm <= it->tolerance && !c->held_up;
    c->changed = !done && change > 0 && !c->contradicting &&
                 it->norm <= fmax(c->share * change, fmin(it->tolerance, SN_BALANCE * size));
    if (!c->changed) return SN_OK;
    sn_constraints_correct(c, it, -1);
    take_over(c, it->x, change);
    sn_constraints_correct(c, it, 1);
    c->settled = false;
    return SN_OK;
}

const SnConstraintMethod sn_augmented_lagrangian = {
    .name = "energy",
    .summary = "an augmented Lagrangian: energies whose forces are taken over as they converge; for every solver",
    .push = push,
    .energy = energy,
    .block = block,
    .update = update,
};
