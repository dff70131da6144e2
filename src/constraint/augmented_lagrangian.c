// energy: an augmented Lagrangian (Hestenes 1969, Powell 1969), for solvers that know no constraints.
//
// Each constraint is the energy ((f - k gap)^2 - f^2)/(2 k), where f - k gap is what it pushes with, without the square
// where a unilateral one would pull. Constraints follow the iterate: after each iteration they are found anew where the
// nodes are now, and once the minimum for their forces f is near enough, these become what is pushed with. The rest of
// the objective has not changed, so value and gradient are corrected, not evaluated again.
#include <math.h>

#include "constraint/constants.h"
#include "constraint/method.h"
#include "core/timer.h"

static double unlimited(const SnKept* item, const double* x)
{
    return item->multiplier.force - item->multiplier.stiffness * sn_stencil_gap(&item->constraint.at, x);
}

static double push(const SnKept* item, const double* x)
{
    double force = unlimited(item, x);
    return item->constraint.unilateral && force < 0 ? 0 : force;
}

static double energy(const SnConstraints* c, const SnKept* item, const double* x)
{
    (void)c;
    const SnMultiplier* m = &item->multiplier;
    double force = push(item, x);
    return m->stiffness > 0 ? (force * force - m->force * m->force) / (2 * m->stiffness) : 0;
}

// k n n^T where it pushes, and friction's positive semidefinite part.
//
// A constraint that is about to push counts as one that does: left out, a step would run into it, and those that bear
// little would come and go for ever.
static bool block(const SnConstraints* c, const SnKept* item, const double* x, const double* g, double out[9])
{
    const SnConstraint* it = &item->constraint;
    bool pushes = !it->unilateral || unlimited(item, x) > -c->mean_force;
    if (!pushes && !sn_friction_acts(&c->friction, item)) return false;
    SnFrictionCurvature rub;
    sn_friction_curvature(&c->friction, item, x, g, item->multiplier.stiffness / c->penalty, &rub);
    const double *n = it->at.normal, normal = pushes ? item->multiplier.stiffness : 0;
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++)
            out[3 * r + s] =
                (normal - rub.across) * n[r] * n[s] + rub.across * (r == s) - rub.along * rub.slip[r] * rub.slip[s];
    return true;
}

// Takes the constraints' energy out of value and gradient (sign -1), or puts it in.
static void correct(const SnConstraints* c, SnConstraintIterate* it, double sign)
{
    it->value += sign * sn_constraints_energy(c, it->x);
    sn_constraints_gradient(c, sign, it->x, it->g);
}

static void measure(const SnConstraints* c, SnConstraintIterate* it)
{
    double sum = 0;
    for (int64_t k = 0; k < 3 * (int64_t)c->nodes->count; k++)
        if (c->nodes->free_index[k / 3] >= 0) sum += it->g[k] * it->g[k];
    it->norm = sqrt(sum);
}

// Forces that converge slowly need stiffer penalties; if they still do, constraints contradict each other, and forces
// would grow for ever.
static void take_over(SnConstraints* c, const double* x, double change)
{
    sn_constraints_take_over(c, x);
    c->slow_changes = c->last_change > 0 && change > SN_SLOW_CHANGE * c->last_change ? c->slow_changes + 1 : 0;
    if (c->slow_changes >= SN_PENALTY_PATIENCE && c->penalty < SN_PENALTY_MOST) {
        c->slow_changes = 0;
        sn_constraints_set_penalty(c, SN_PENALTY_GROWTH * c->penalty);
    }
    c->contradicting |= c->slow_changes >= SN_PENALTY_PATIENCE;
    c->last_change = change;
}

static SnStatus collect(SnConstraints* c, SnConstraintIterate* it)
{
    double begin = sn_now_ms();
    correct(c, it, -1);
    if (c->contacts) SN_TRY(sn_constraints_collect(c, it->x));
    it->ms_collect += sn_now_ms() - begin;
    sn_constraints_set_penalty(c, c->penalty);
    correct(c, it, 1);
    measure(c, it);
    return SN_OK;
}

static SnStatus update(SnConstraints* c, SnConstraintIterate* it)
{
    int before = c->now->count;
    double size;
    SN_TRY(collect(c, it));
    double change = sn_constraints_change(c, it->x, &size);
    if (change > 0 && !c->contradicting &&
        it->norm <= fmax(SN_TAKE_OVER * change, fmin(it->tolerance, c->balance * size))) {
        correct(c, it, -1);
        take_over(c, it->x, change);
        correct(c, it, 1);
        measure(c, it);
        change = sn_constraints_change(c, it->x, &size);
    }
    if (c->contradicting) change = 0;
    double least = SN_TOLERANCE_SHARE * it->tolerance;
    c->settled = c->now->count == 0 ||
                 (change <= fmax(SN_FORCE_ERROR * size, least) && it->norm <= fmax(c->balance * size, least));
    c->changed = before > 0 || c->now->count > 0;
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
