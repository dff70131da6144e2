// Coulomb friction across a constraint.
#include "constraint/friction.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"

// How far a node goes at the slip speed, m.
static double slip_length(const SnFriction* f)
{
    return f->speed / sqrt(f->nodes->inertia);
}

bool sn_friction_acts(const SnFriction* f, const SnKept* item)
{
    return f->nodes->inertia > 0 && item->constraint.friction > 0 && item->multiplier.normal_force > 0;
}

// Leaves the part of a displacement along the surface, beyond that of the surface itself; its length is returned.
static double project_slip(const SnFriction* f, const SnConstraint* c, double slip[3])
{
    double b = 1 / sqrt(f->nodes->inertia);
    for (int a = 0; a < 3; a++) slip[a] -= b * c->velocity[a];
    double along = sn_dot3(slip, c->at.normal);
    for (int a = 0; a < 3; a++) slip[a] -= along * c->at.normal[a];
    return sn_length3(slip);
}

// How far the constraint's point slipped along the surface since x^p, m; its length is returned.
static double slip_of(const SnFriction* f, const SnConstraint* c, const double* x, double slip[3])
{
    memset(slip, 0, 3 * sizeof *slip);
    for (int k = 0; k < c->at.count; k++)
        for (int a = 0; a < 3; a++) {
            int64_t i = 3 * (int64_t)c->at.node[k] + a;
            slip[a] += c->at.weight[k] * (x[i] - f->nodes->start[i]);
        }
    return project_slip(f, c, slip);
}

double sn_friction_energy(const SnFriction* f, const SnKept* item, const double* x)
{
    double slip[3], b = 1 / sqrt(f->nodes->inertia), e = b * f->speed, length = slip_of(f, &item->constraint, x, slip);
    return item->constraint.friction * item->multiplier.normal_force *
           (length < e ? length * length / (2 * e) : length - e / 2);
}

// N per m of slip, against it.
static double factor_of(const SnFriction* f, const SnKept* item, double length)
{
    double e = slip_length(f);
    return item->constraint.friction * item->multiplier.normal_force / (length < e ? e : length);
}

void sn_friction_force(const SnFriction* f, const SnKept* item, const double* x, double force[3], double slip[3])
{
    memset(force, 0, 3 * sizeof *force), memset(slip, 0, 3 * sizeof *slip);
    if (!sn_friction_acts(f, item)) return;
    double factor = factor_of(f, item, slip_of(f, &item->constraint, x, slip));
    for (int a = 0; a < 3; a++) force[a] = -factor * slip[a];
}

// Two directions across the normal, the first one that of the slip, if there is any.
static void tangent_plane(const double normal[3], const double slip[3], double directions[2][3])
{
    double* first = directions[0];
    memcpy(first, slip, 3 * sizeof *first);
    if (sn_length3(first) == 0) sn_across3(normal, first);
    double length = sn_length3(first);
    for (int a = 0; a < 3; a++) first[a] /= length;
    sn_cross3(normal, first, directions[1]);
}

void sn_friction_tangents(const SnFriction* f, const SnKept* item, const double* x, SnKept tangents[2])
{
    const SnConstraint* c = &item->constraint;
    double slip[3], length = slip_of(f, c, x, slip), factor = factor_of(f, item, length);
    double b = 1 / sqrt(f->nodes->inertia), directions[2][3];
    tangent_plane(c->at.normal, slip, directions);
    for (int k = 0; k < 2; k++) {
        tangents[k] = *item;
        SnConstraint* t = &tangents[k].constraint;
        t->unilateral = false, t->friction = 0;
        memcpy(t->at.normal, directions[k], sizeof directions[k]);
        t->at.offset = 0;
        t->at.offset = sn_stencil_gap(&t->at, f->nodes->start) + b * sn_dot3(directions[k], c->velocity);
        tangents[k].multiplier.compliance = 1 / factor;
        tangents[k].multiplier.force = -factor * sn_dot3(directions[k], slip);
    }
}

double sn_friction_slip_left(const SnFriction* f, const SnKept* item, const double at[3], double stiffness,
                             double slip[3])
{
    const SnConstraint* c = &item->constraint;
    const double* start = f->nodes->start + 3 * (int64_t)c->at.node[0];
    for (int a = 0; a < 3; a++) slip[a] = at[a] - start[a];
    double length = project_slip(f, c, slip), e = slip_length(f);
    double less = c->friction * item->multiplier.normal_force / stiffness;
    return length <= e + less ? e / (e + less) : 1 - less / length;
}

void sn_friction_curvature(const SnFriction* f, const SnKept* item, const double* x, const double* g, double resistance,
                           SnFrictionCurvature* out)
{
    *out = (SnFrictionCurvature){0};
    if (!sn_friction_acts(f, item)) return;
    double length = slip_of(f, &item->constraint, x, out->slip), e = slip_length(f);
    const double* pull = g + 3 * (int64_t)item->constraint.at.node[0];
    bool driven = length > e && sn_dot3(pull, out->slip) < 0.5 * length * length * resistance;
    out->across = factor_of(f, item, length);
    out->along = driven ? out->across / (length * length) : 0;
}
