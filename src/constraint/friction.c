// Coulomb friction across a constraint.
#include "constraint/friction.h"

#include <math.h>
#include <string.h>

#include "core/isa.h"
#include "linalg/vec3.h"

#define STICKS (1 - 1e-9) // of the limit

// How far a node goes at the slip speed, m.
static double slip_length(const SnFriction* f)
{
    return f->speed / sqrt(f->nodes->inertia);
}

bool sn_friction_acts(const SnFriction* f, const SnKept* item)
{
    return f->nodes->inertia > 0 && item->constraint.friction > 0 && item->multiplier.normal_force > 0 &&
           item->multiplier.stiffness > 0;
}

// Three numbers by value: written to memory one by one and read again two at a time, they took half of all friction's
// time.
typedef struct Three {
    double v[3];
} Three;

SN_INLINE Three three(const double v[3])
{
    return (Three){{v[0], v[1], v[2]}};
}

SN_INLINE double length(Three a)
{
    return sn_length3(a.v);
}

// The part across the normal.
SN_INLINE Three project(const SnConstraint* c, Three a)
{
    double along = sn_dot3(a.v, c->at.normal);
    for (int k = 0; k < 3; k++) a.v[k] -= along * c->at.normal[k];
    return a;
}

// The part of a displacement along the surface, beyond that of the surface itself.
SN_INLINE Three project_slip(const SnFriction* f, const SnConstraint* c, Three slip)
{
    double b = 1 / sqrt(f->nodes->inertia);
    for (int a = 0; a < 3; a++) slip.v[a] -= b * c->velocity[a];
    return project(c, slip);
}

// How far the constraint's point slipped along the surface since x^p, m.
SN_INLINE Three slip_of(const SnFriction* f, const SnConstraint* c, const double* x)
{
    double u = 0, v = 0, w = 0;
    for (int k = 0; k < c->at.count; k++) {
        const double *to = x + 3 * (int64_t)c->at.node[k], *from = f->nodes->start + 3 * (int64_t)c->at.node[k];
        u += c->at.weight[k] * (to[0] - from[0]);
        v += c->at.weight[k] * (to[1] - from[1]);
        w += c->at.weight[k] * (to[2] - from[2]);
    }
    return project_slip(f, c, (Three){{u, v, w}});
}

// What the force would be if there were no limit to it.
typedef struct Trial {
    double limit;      // mu p, N
    double stiffness;  // N/m
    Three slip, crept; // m, of this step and of those before
    Three force;       // N
    double length;     // of it
    Three multiplier;  // N
} Trial;

SN_INLINE Trial find_trial(const SnFriction* f, const SnKept* item, const double* x)
{
    static const Three none;
    Trial t = {.limit = item->constraint.friction * item->multiplier.normal_force};
    t.stiffness = f->speed > 0 ? t.limit / slip_length(f) : item->multiplier.stiffness;
    t.slip = slip_of(f, &item->constraint, x);
    t.crept = project(&item->constraint, f->speed == 0 ? three(item->multiplier.crept) : none);
    t.multiplier = project(&item->constraint, f->speed == 0 ? three(item->multiplier.tangent) : none);
    for (int a = 0; a < 3; a++) t.force.v[a] = t.multiplier.v[a] - t.stiffness * (t.slip.v[a] + t.crept.v[a]);
    t.length = length(t.force);
    return t;
}

// The part of the trial force that there is.
static double cut(const Trial* t)
{
    return t->length > t->limit ? t->limit / t->length : 1;
}

void sn_friction_slip(const SnFriction* f, const SnKept* item, const double* x, double slip[3])
{
    Three now = slip_of(f, &item->constraint, x), crept = project(&item->constraint, three(item->multiplier.crept));
    for (int a = 0; a < 3; a++) slip[a] = f->speed == 0 ? now.v[a] + crept.v[a] : now.v[a];
}

double sn_friction_energy(const SnFriction* f, const SnKept* item, const double* x)
{
    Trial t = find_trial(f, item, x);
    double square = t.length <= t.limit ? t.length * t.length : (2 * t.length - t.limit) * t.limit;
    double own = length(t.multiplier);
    return (square - own * own) / (2 * t.stiffness);
}

void sn_friction_force(const SnFriction* f, const SnKept* item, const double* x, double force[3], double slip[3])
{
    memset(force, 0, 3 * sizeof *force), memset(slip, 0, 3 * sizeof *slip);
    if (!sn_friction_acts(f, item)) return;
    Trial t = find_trial(f, item, x);
    memcpy(slip, t.slip.v, sizeof t.slip.v);
    for (int a = 0; a < 3; a++) force[a] = cut(&t) * t.force.v[a];
}

void sn_friction_left(const SnFriction* f, const SnKept* item, const double* x, double left[3])
{
    memset(left, 0, 3 * sizeof *left);
    if (f->speed > 0 || !sn_friction_acts(f, item)) return;
    Trial t = find_trial(f, item, x);
    for (int a = 0; a < 3 && t.length < STICKS * t.limit; a++) left[a] = t.slip.v[a] + t.crept.v[a];
}

// Two directions across the normal, the first one that of the force, if there is any.
static void tangent_plane(const double normal[3], const double force[3], double directions[2][3])
{
    double* first = directions[0];
    memcpy(first, force, 3 * sizeof *first);
    if (sn_length3(first) == 0) sn_across3(normal, first);
    double length = sn_length3(first);
    for (int a = 0; a < 3; a++) first[a] /= length;
    sn_cross3(normal, first, directions[1]);
}

void sn_friction_tangents(const SnFriction* f, const SnKept* item, const double* x, SnKept tangents[2])
{
    const SnConstraint* c = &item->constraint;
    double b = 1 / sqrt(f->nodes->inertia), directions[2][3];
    Trial trial = find_trial(f, item, x);
    tangent_plane(c->at.normal, trial.force.v, directions);
    for (int k = 0; k < 2; k++) {
        tangents[k] = *item;
        SnConstraint* t = &tangents[k].constraint;
        t->unilateral = false, t->friction = 0;
        memcpy(t->at.normal, directions[k], sizeof directions[k]);
        t->at.offset = 0;
        t->at.offset = sn_stencil_gap(&t->at, f->nodes->start) + b * sn_dot3(directions[k], c->velocity) +
                       sn_dot3(directions[k], trial.multiplier.v) / trial.stiffness -
                       sn_dot3(directions[k], trial.crept.v);
        tangents[k].multiplier.compliance = 1 / (cut(&trial) * trial.stiffness);
        tangents[k].multiplier.force = cut(&trial) * sn_dot3(directions[k], trial.force.v);
    }
}

double sn_friction_slip_left(const SnFriction* f, const SnKept* item, const double at[3], double stiffness,
                             double slip[3])
{
    const SnConstraint* c = &item->constraint;
    const double* start = f->nodes->start + 3 * (int64_t)c->at.node[0];
    Three way;
    for (int a = 0; a < 3; a++) way.v[a] = at[a] - start[a] + item->multiplier.crept[a];
    way = project_slip(f, c, way);
    memcpy(slip, way.v, sizeof way.v);
    double far = length(way), e = slip_length(f), less = c->friction * item->multiplier.normal_force / stiffness;
    return far <= e + less ? e / (e + less) : 1 - less / far;
}

// What slips faster meets no more friction: along the force there is no curvature then.
void sn_friction_curvature(const SnFriction* f, const SnKept* item, const double* x, SnFrictionCurvature* out)
{
    *out = (SnFrictionCurvature){0};
    if (!sn_friction_acts(f, item)) return;
    Trial t = find_trial(f, item, x);
    out->across = cut(&t) * t.stiffness;
    if (!(t.length > t.limit)) return;
    out->along = out->across;
    for (int a = 0; a < 3; a++) out->direction[a] = t.force.v[a] / t.length;
}
