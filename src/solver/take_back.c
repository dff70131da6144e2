// The end of a fixed number of iterations, taken back as far as it takes to be no higher than where it began or stayed;
// and single iterations that lead uphill.
#include "solver/take_back.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 16 };

#define SPIKE 0.9 // of the energy of the last iterate: one that is so much lower is taken in its place

#define FORCES_OFF 3.0 // by so much may the forces of constraints be too small before they have converged

static double energy_at(const SnObjective* o, const double* x)
{
    return sn_objective_value(o, x).total;
}

// What it may take to keep the constraints that are not kept at x: no more than the work of their forces, and no more
// than it takes to move all there is as far as the furthest one is off, J.
static double work_to_keep(const SnObjective* o, const double* x)
{
    const SnConstraints* c = o->constraints;
    double work = 0, mass = 0, furthest = 0;
    for (int i = 0; i < c->now->count && !c->method->energy; i++) {
        double gap = sn_stencil_gap(&c->now->items[i].constraint.at, x), force = c->now->items[i].multiplier.force;
        if (force == 0 || c->now->items[i].constraint.springy) continue; // what gives way need not be kept
        work += fmax(-force * gap, 0);
        furthest = fmax(furthest, fabs(gap));
    }
    for (int i = 0; i < o->nodes.count && work > 0; i++) mass += o->nodes.free_index[i] < 0 ? 0 : o->nodes.mass[i];
    return o->nodes.inertia > 0 ? fmin(FORCES_OFF * work, o->nodes.inertia * mass * furthest * furthest) : work;
}

// What is lower, where it began or staying: into `from`; and what the end may have at most.
static double find_reference(SnSearch* s, double* from)
{
    const SnNodes* nodes = &s->objective->nodes;
    size_t size = 3 * (size_t)nodes->count * sizeof *from;
    double begun = energy_at(s->objective, from) + work_to_keep(s->objective, from);
    if (!nodes->start || !(nodes->inertia > 0)) return begun;
    memcpy(s->trial, s->x, size);
    for (int64_t i = 0; i < nodes->count; i++)
        if (nodes->free_index[i] >= 0) memcpy(s->trial + 3 * i, nodes->start + 3 * i, 3 * sizeof *s->trial);
    double stayed = energy_at(s->objective, s->trial) + work_to_keep(s->objective, s->trial);
    if (!(stayed < begun)) return begun;
    memcpy(from, s->trial, size);
    return stayed;
}

// trial = from + t d with the largest t of a few whose energy is not above `most`; false: none is.
static bool go_along(SnSearch* s, const double* from, const double* d, double most)
{
    int n = 3 * s->objective->nodes.count;
    double t = 1;
    for (int k = 0; k < HALVINGS; k++) {
        for (int i = 0; i < n; i++) s->trial[i] = from[i] + t * d[i];
        if (energy_at(s->objective, s->trial) <= most) return true;
        t = t > 0.5 ? t - 0.125 : 0.5 * t;
    }
    memcpy(s->trial, from, (size_t)n * sizeof *s->trial);
    return false;
}

// d = A^-1 times the force at `from`, subject to the constraints.
static SnStatus find_slope(SnGlobal* global, const SnSearch* s, const double* from, double* r)
{
    const SnObjective* o = s->objective;
    sn_potential_gradient(o->potential, from, r);
    for (int i = 0; i < 3 * o->nodes.count; i++) r[i] = -r[i];
    sn_objective_add_pull(o, from, r);
    return sn_global_solve(global, o, r, from);
}

// Where the way to the end leads uphill from the first: down the slope there, in the metric of the global step, so that
// a motion does not stop in mid-air.
static SnStatus go_down(SnGlobal* global, SnSearch* s, const double* from, double* r, double most)
{
    SN_TRY(find_slope(global, s, from, r));
    go_along(s, from, global->d, fmin(most, energy_at(s->objective, from)));
    return SN_OK;
}

// trial = from + t d as low as `most`; t.
static double halve(SnSearch* s, const double* from, const double* d, double most)
{
    const SnObjective* o = s->objective;
    double part = 1;
    for (int k = 0; k < HALVINGS; k++, part *= 0.5) {
        for (int i = 0; i < 3 * o->nodes.count; i++) s->trial[i] = from[i] + part * d[i];
        s->evaluations++;
        if (energy_at(o, s->trial) + work_to_keep(o, s->trial) <= most) break;
    }
    return part;
}

void sn_shorten(SnSearch* s)
{
    const SnObjective* o = s->objective;
    const SnConstraints* c = o->constraints;
    bool wedged = c->touched && !(s->tolerance > 0);
    double most = wedged ? energy_at(o, s->x) + work_to_keep(o, s->x) : INFINITY;
    double part = isfinite(most) ? halve(s, s->x, s->d, most) : 1;
    for (int i = 0; i < 3 * o->nodes.count; i++) s->x[i] += part * s->d[i];
}

SnStatus sn_step_down(SnGlobal* global, SnSearch* s, const double* from, double* r, SnStepDown* down)
{
    const SnObjective* o = s->objective;
    double most = energy_at(o, from) + work_to_keep(o, from);
    s->evaluations += 2;
    *down = (SnStepDown){.taken = !(energy_at(o, s->x) + work_to_keep(o, s->x) <= most) && isfinite(most)};
    if (!down->taken) return SN_OK;
    SN_TRY(find_slope(global, s, from, r));
    down->shortened = halve(s, from, global->d, most) < 1;
    memcpy(s->x, s->trial, 3 * (size_t)o->nodes.count * sizeof *s->x);
    return SN_OK;
}

// Iterates that have not converged may leap for once: the one before the last, or halfway to it, may be far lower.
static bool leap_back(const SnGlobal* global, SnSearch* s)
{
    const SnObjective* o = s->objective;
    double least = SPIKE * (energy_at(o, s->x) + work_to_keep(o, s->x)), best = 0;
    int n = 3 * o->nodes.count;
    for (double back = 0.5; back <= 1 && o->nodes.inertia > 0; back += 0.5) {
        for (int i = 0; i < n; i++) s->trial[i] = s->x[i] - back * global->d[i];
        double energy = energy_at(o, s->trial) + work_to_keep(o, s->trial);
        if (energy < least) least = energy, best = back;
    }
    for (int i = 0; i < n && best > 0; i++) s->x[i] -= best * global->d[i];
    s->evaluations += 3;
    return best > 0;
}

SnStatus sn_take_back(SnGlobal* global, SnSearch* s, double* from, double* r, bool* strayed)
{
    int n = 3 * s->objective->nodes.count;
    if (leap_back(global, s)) s->stale = *strayed = true;
    double most = find_reference(s, from);
    if (energy_at(s->objective, s->x) <= most || !isfinite(most)) return SN_OK;
    for (int i = 0; i < n; i++) r[i] = s->x[i] - from[i];
    if (!go_along(s, from, r, most)) SN_TRY(go_down(global, s, from, r, most));
    memcpy(s->x, s->trial, (size_t)n * sizeof *s->x);
    s->stale = *strayed = true;
    s->evaluations += 3;
    return SN_OK;
}
