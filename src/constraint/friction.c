// Coulomb friction across a constraint.
#include "constraint/friction.h"

#include <math.h>
#include <string.h>

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

static double project(const SnConstraint* c, double v[3])
{
    double along = sn_dot3(v, c->at.normal);
    for (int a = 0; a < 3; a++) v[a] -= along * c->at.normal[a];
    return sn_length3(v);
}

// Leaves the part of a displacement along the surface, beyond that of the surface itself; its length is returned.
static double project_slip(const SnFriction* f, const SnConstraint* c, double slip[3])
{
    double b = 1 / sqrt(f->nodes->inertia);
    for (int a = 0; a < 3; a++) slip[a] -= b * c->velocity[a];
    return project(c, slip);
}

// How far the constraint's point slipped along the surface since x^p, m.
static void slip_of(const SnFriction* f, const SnConstraint* c, const double* x, double slip[3])
{
    memset(slip, 0, 3 * sizeof *slip);
    for (int k = 0; k < c->at.count; k++)
        for (int a = 0; a < 3; a++) {
            int64_t i = 3 * (int64_t)c->at.node[k] + a;
            slip[a] += c->at.weight[k] * (x[i] - f->nodes->start[i]);
        }
    project_slip(f, c, slip);
}

// What the force would be if there were no limit to it.
typedef struct Trial {
    double limit;              // mu p, N
    double stiffness;          // N/m
    double slip[3], crept[3];  // m, of this step and of those before
    double force[3], length;   // N
    double multiplier[3], own; // N: and its length
} Trial;

static void find_trial(const SnFriction* f, const SnKept* item, const double* x, Trial* t)
{
    t->limit = item->constraint.friction * item->multiplier.normal_force;
    t->stiffness = f->speed > 0 ? t->limit / slip_length(f) : item->multiplier.stiffness;
    slip_of(f, &item->constraint, x, t->slip);
    memset(t->multiplier, 0, sizeof t->multiplier);
    memset(t->crept, 0, sizeof t->crept);
    if (f->speed == 0) {
        memcpy(t->multiplier, item->multiplier.tangent, sizeof t->multiplier);
        memcpy(t->crept, item->multiplier.crept, sizeof t->crept);
    }
    project(&item->constraint, t->crept);
    t->own = project(&item->constraint, t->multiplier);
    for (int a = 0; a < 3; a++) t->force[a] = t->multiplier[a] - t->stiffness * (t->slip[a] + t->crept[a]);
    t->length = sn_length3(t->force);
}

// The part of the trial force that there is.
static double cut(const Trial* t)
{
    return t->length > t->limit ? t->limit / t->length : 1;
}

void sn_friction_slip(const SnFriction* f, const SnKept* item, const double* x, double slip[3])
{
    double crept[3];
    slip_of(f, &item->constraint, x, slip);
    memcpy(crept, item->multiplier.crept, sizeof crept);
    project(&item->constraint, crept);
    for (int a = 0; a < 3 && f->speed == 0; a++) slip[a] += crept[a];
}

double sn_friction_energy(const SnFriction* f, const SnKept* item, const double* x)
{
    Trial t;
    find_trial(f, item, x, &t);
    double square = t.length <= t.limit ? t.length * t.length : (2 * t.length - t.limit) * t.limit;
    return (square - t.own * t.own) / (2 * t.stiffness);
}

void sn_friction_force(const SnFriction* f, const SnKept* item, const double* x, double force[3], double slip[3])
{
    memset(force, 0, 3 * sizeof *force), memset(slip, 0, 3 * sizeof *slip);
    if (!sn_friction_acts(f, item)) return;
    Trial t;
    find_trial(f, item, x, &t);
    memcpy(slip, t.slip, sizeof t.slip);
    for (int a = 0; a < 3; a++) force[a] = cut(&t) * t.force[a];
}

void sn_friction_left(const SnFriction* f, const SnKept* item, const double* x, double left[3])
{
    Trial t;
    memset(left, 0, 3 * sizeof *left);
    if (f->speed > 0 || !sn_friction_acts(f, item)) return;
    find_trial(f, item, x, &t);
    for (int a = 0; a < 3 && t.length < STICKS * t.limit; a++) left[a] = t.slip[a] + t.crept[a];
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
    Trial trial;
    find_trial(f, item, x, &trial);
    tangent_plane(c->at.normal, trial.force, directions);
    for (int k = 0; k < 2; k++) {
        tangents[k] = *item;
        SnConstraint* t = &tangents[k].constraint;
        t->unilateral = false, t->friction = 0;
        memcpy(t->at.normal, directions[k], sizeof directions[k]);
        t->at.offset = 0;
        t->at.offset = sn_stencil_gap(&t->at, f->nodes->start) + b * sn_dot3(directions[k], c->velocity) +
                       sn_dot3(directions[k], trial.multiplier) / trial.stiffness - sn_dot3(directions[k], trial.crept);
        tangents[k].multiplier.compliance = 1 / (cut(&trial) * trial.stiffness);
        tangents[k].multiplier.force = cut(&trial) * sn_dot3(directions[k], trial.force);
    }
}

double sn_friction_slip_left(const SnFriction* f, const SnKept* item, const double at[3], double stiffness,
                             double slip[3])
{
    const SnConstraint* c = &item->constraint;
    const double* start = f->nodes->start + 3 * (int64_t)c->at.node[0];
    for (int a = 0; a < 3; a++) slip[a] = at[a] - start[a] + item->multiplier.crept[a];
    double length = project_slip(f, c, slip), e = slip_length(f);
    double less = c->friction * item->multiplier.normal_force / stiffness;
    return length <= e + less ? e / (e + less) : 1 - less / length;
}

// What slips faster meets no more friction: along the force there is no curvature then.
void sn_friction_curvature(const SnFriction* f, const SnKept* item, const double* x, SnFrictionCurvature* out)
{
    *out = (SnFrictionCurvature){0};
    if (!sn_friction_acts(f, item)) return;
    Trial t;
    find_trial(f, item, x, &t);
    out->across = cut(&t) * t.stiffness;
    if (!(t.length > t.limit)) return;
    out->along = out->across;
    for (int a = 0; a < 3; a++) out->direction[a] = t.force[a] / t.length;
}
