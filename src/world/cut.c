// The velocities after a stage that contacts have cut short.
//
// Nodes are where they are safe, x, and not where the minimisation was going to, y. Their momentum is not lost with
// their way: velocities are those of the way to y, whose forces balance but for what is left over, less what contacts
// still have to stop, by impulses without rebound or friction. As much of that as there is energy for, that is; the
// rest is the velocity of the way they went. Where a budget ended the step it is half of that at most: y is far from a
// minimum then, and what is in the way is often not known, so that the same would come again, and things that cannot
// get away from each other would stay as fast as they are for ever.
#include <math.h>

#include "core/share.h"
#include "linalg/vec3.h"
#include "world/world.h"

#define SPENT 0.5

// Velocities with which contacts come no nearer in the time b than they may: contact after contact, again and again.
static void stop_contacts(SnConstraintSet* set, const SnProblem* problem, const double* x, double b, double* v)
{
    enum { SWEEPS = 30 };
    bool any = true;
    for (int i = 0; i < set->count; i++) set->items[i].multiplier.stop = 0;
    for (int sweep = 0; sweep < SWEEPS && any; sweep++) {
        any = false;
        for (int i = 0; i < set->count; i++)
            if (sn_constraint_is_contact(&set->items[i].constraint))
                any |= sn_impact_push(problem, &set->items[i], x, b, v);
    }
}

// Twice the kinetic energy of free nodes at u + part (v - u).
static double kinetic_of(const SnModel* model, const SnProblem* problem, const double* u, const double* v, double part)
{
    double sum = 0;
    for (int i = 0; i < model->node_count; i++) {
        if (problem->free_index[i] < 0 || !sn_share_owns(model->tasks, i)) continue;
        for (int64_t k = 3 * (int64_t)i; k < 3 * (int64_t)i + 3; k++) {
            double w = u[k] + part * (v[k] - u[k]);
            sum += problem->mass[i] * w * w;
        }
    }
    return sn_share_total(model->tasks, sum);
}

// Twice the kinetic energy that free nodes may have: what they had, what elasticity, gravity and loads gave. Not what
// handles and obstacles did: where these go on against what cannot get out of their way, their forces say nothing.
static double energy_left(const SnModel* model, const SnState* state, const SnProblem* problem, const SnScratch* w,
                          double elastic)
{
    double sum = 0;
    for (int i = 0; i < model->node_count; i++) {
        if (problem->free_index[i] < 0 || !sn_share_owns(model->tasks, i)) continue;
        for (int64_t k = 3 * (int64_t)i; k < 3 * (int64_t)i + 3; k++) {
            double way = w->stage_x[k] - state->x[k], v = state->v[k];
            double external = problem->gravity[k] + (problem->loads.acting ? problem->loads.acting[k] : 0);
            sum += external * way + 0.5 * problem->mass[i] * v * v;
        }
    }
    return 2 * (elastic - problem->search->value.elastic + sn_share_total(model->tasks, sum));
}

// The largest part of the way from u to v with no more kinetic energy than is left.
static double part_of(const SnModel* model, const SnProblem* problem, const double* u, const double* v, double left)
{
    double none = kinetic_of(model, problem, u, v, 0), all = kinetic_of(model, problem, u, v, 1);
    if (all <= left) return 1;
    if (none >= left) return 0;
    // none + 2 p t + q t^2 = left, of which q > 0
    double middle = kinetic_of(model, problem, u, v, 0.5), q = 2 * (all + none) - 4 * middle,
           p = 0.5 * (all - none - q);
    double root = sqrt(fmax(p * p + q * (left - none), 0));
    return q > 0 ? fmin((root - p) / q, 1) : 0;
}

void sn_cut_end_stage(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* w,
                      const SnStage* stage, double elastic)
{
    double b = stage->alpha * state->step_length, *u = w->stage_v, *v = w->stopped_v;
    const double* y = problem->constraints.end;
    if (!(b > 0) || model->integrator->extrapolate != 1 || state->resting > 0) return;
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++)
        v[k] = problem->free_index[k / 3] >= 0 ? (y[k] - w->xp[k]) / b : u[k];
    stop_contacts(&state->constraints, problem, w->stage_x, b, v);
    double part = part_of(model, problem, u, v, energy_left(model, state, problem, w, elastic));
    if (problem->search->budget > 0) part = fmin(part, SPENT);
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) u[k] += part * (v[k] - u[k]);
}
