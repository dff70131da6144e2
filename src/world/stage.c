// One stage of a step: what it starts from, the target, the first guess, and the velocities after it.
//
// Held nodes are where their script has them at the end of the stage. Where the stage starts from x^n alone their
// velocity is the way they went over b; otherwise it is the script's own: the formula of the stage would let them
// ring.
#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "linalg/vector.h"
#include "world/world.h"

static bool starts_from_the_present(const SnStage* stage)
{
    return stage->before == 0 && stage->middle == 0 && stage->half == 0;
}

// x^p, v^p and the target x~ = x^p + b v^p + b^2 M^-1 f_ext. Nodes in no element stay.
static void set_start(SnWorld* w, const SnStage* stage)
{
    double h = w->state.step_length, b = stage->alpha * h;
    bool looks_back = stage->before != 0, has_middle = stage->middle != 0;
    for (int64_t k = 0; k < 3 * (int64_t)w->model.node_count; k++) {
        double x = stage->present * w->state.x[k], v = stage->present * w->state.v[k], m = w->problem.mass[k / 3];
        if (looks_back) x += stage->before * w->state.before_x[k], v += stage->before * w->state.before_v[k];
        if (has_middle) x += stage->middle * w->scratch.stage_x[k], v += stage->middle * w->scratch.stage_v[k];
        if (stage->half != 0 && m > 0)
            x += stage->half * h * w->state.v[k], v += stage->half * h * w->state.force[k] / m;
        bool pinned = w->problem.free_index[k / 3] < 0;
        w->scratch.xp[k] = pinned ? w->state.x[k] : x;
        w->scratch.vp[k] = pinned ? 0 : v;
        w->scratch.target[k] = pinned ? w->state.x[k] : x + b * v + b * b * w->model.def.gravity[k % 3];
    }
}

// Held nodes; the last stage's x is such that the step ends where the script says.
static void set_held(SnWorld* w, const SnStage* stage, double at)
{
    double further = w->model.integrator->extrapolate, b = stage->alpha * w->state.step_length;
    sn_world_place_handles(w, at, w->scratch.target);
    bool own = starts_from_the_present(stage);
    if (!own) sn_world_move_handles(w, at, false, w->scratch.vp);
    for (int64_t k = 0; k < 3 * (int64_t)w->model.node_count; k++) {
        if (w->problem.free_index[k / 3] >= 0) continue;
        if (further != 1) w->scratch.target[k] = w->state.x[k] + (w->scratch.target[k] - w->state.x[k]) / further;
        if (!own) w->scratch.xp[k] = w->scratch.target[k] - b * w->scratch.vp[k];
    }
}

// Puts the free nodes of the search where `from` has them; those that are held by energy may be put where they belong.
static void start_at(SnWorld* w, const double* from, bool pins)
{
    for (int i = 0; i < w->model.node_count; i++)
        if (w->problem.free_index[i] >= 0)
            memcpy(w->problem.search->x + 3 * (int64_t)i, from + 3 * (int64_t)i, 3 * sizeof(double));
    if (pins) sn_pins_put(w, w->problem.search->x);
}

// The first guess: the target x~, or going on without regard to external forces, x^p + b v^p, whichever has the lower
// energy: bodies that fall follow the first, bodies that hang or rest the second. Where neither is feasible, the end of
// the stage before. Held nodes are where they belong.
static void guess(SnWorld* w, const SnStage* stage)
{
    SnSearch* s = w->problem.search;
    double b = stage->alpha * w->state.step_length;
    const double *last = stage->middle != 0 ? w->scratch.stage_x : w->state.x, *g = w->model.def.gravity;
    sn_vector_copy(w->model.tasks, 3 * w->model.node_count, w->scratch.target, s->x);
    sn_pins_put(w, s->x);
    if (b == 0) {
        start_at(w, last, true);
        return;
    }
    bool falls = g[0] != 0 || g[1] != 0 || g[2] != 0;
    if (!falls && !w->problem.barrier) return;
    double target = sn_objective_value(&w->problem.objective, s->x).total, ahead = INFINITY;
    if (falls) {
        sn_vector_axpy(w->model.tasks, 3 * w->model.node_count, b, w->scratch.vp, w->scratch.xp, s->trial);
        start_at(w, s->trial, true);
        ahead = sn_objective_value(&w->problem.objective, s->x).total;
    }
    if (!isfinite(target) && !isfinite(ahead))
        start_at(w, last, false);
    else if (!(ahead < target))
        start_at(w, w->scratch.target, true);
}

static int dissipation_order(const SnWorld* w)
{
    return w->model.def.dissipation_order > 0 ? w->model.def.dissipation_order : w->model.integrator->order;
}

SnStatus sn_stage_begin(SnWorld* w, const SnStage* stage, double time)
{
    double b = stage->alpha * w->state.step_length;
    w->problem.objective.nodes.inertia = b > 0 ? 1 / (b * b) : 0;
    w->problem.objective.force = b > 0 ? NULL : w->problem.gravity;
    set_start(w, stage);
    double at = time - (1 - w->model.integrator->extrapolate * stage->end) * w->state.step_length;
    set_held(w, stage, at);
    sn_pins_begin_stage(w, stage, at);
    sn_potential_begin_stage(w->problem.potential, w->scratch.xp, dissipation_order(w) == 2 ? w->state.v : NULL, b);
    SnConstraints* constraints = &w->problem.constraints;
    sn_world_begin_constraints(w, at);
    SN_TRY(sn_constraints_collect(constraints, w->state.x)); // what rests on something is told from what falls
    if (w->state.step == 0 && stage->middle == 0 && constraints->contacts) SN_TRY(sn_world_warn_of_starts(w));
    sn_constraints_set_penalty(constraints, SN_PENALTY_GUESS);
    guess(w, stage);
    return sn_constraints_collect(constraints, w->problem.search->x);
}

void sn_stage_end(SnWorld* w, const SnStage* stage)
{
    double b = stage->alpha * w->state.step_length;
    const double* x = w->problem.search->x;
    for (int64_t k = 0; k < 3 * (int64_t)w->model.node_count; k++) {
        w->scratch.stage_x[k] = x[k];
        w->scratch.stage_v[k] = b > 0 ? (x[k] - w->scratch.xp[k]) / b : 0;
    }
    sn_pins_find_forces(w, x);
    if (!w->model.integrator->needs_force) return;
    // By impulse and momentum, as that has the forces of constraints in it (Brown et al. 2018, eq. 37); at held nodes
    // without the handle, for the day when it lets go.
    for (int64_t k = 0; k < 3 * (int64_t)w->model.node_count; k++) {
        bool pinned = w->problem.free_index[k / 3] < 0;
        w->state.force[k] = pinned ? w->problem.gravity[k] - w->scratch.reaction[k]
                                   : w->problem.mass[k / 3] * (w->scratch.stage_v[k] - w->scratch.vp[k]) / b;
    }
    if (sn_impact_stops(w)) sn_impact_keep_out(w);
}

void sn_stage_begin_present(SnWorld* w)
{
    double *v = w->scratch.vp, h = w->state.step_length;
    memcpy(v, w->state.v, 3 * (size_t)w->model.node_count * sizeof *v);
    sn_world_move_handles(w, w->state.time, true, v);
    for (int64_t k = 0; k < 3 * (int64_t)w->model.node_count; k++) w->scratch.xp[k] = w->state.x[k] - h * v[k];
    sn_potential_begin_stage(w->problem.potential, w->scratch.xp, v,
                             h); // the second order is exact where the rate is v
}

void sn_stage_force(SnWorld* w)
{
    double* g = w->problem.search->g;
    sn_stage_begin_present(w);
    sn_pins_place(w, w->state.time);
    sn_pins_begin_forces(w);
    sn_potential_gradient(w->problem.potential, w->state.x, g);
    sn_ledger_drag_rates(w);
    for (int64_t k = 0; k < 3 * (int64_t)w->model.node_count; k++) w->state.force[k] = w->problem.gravity[k] - g[k];
    w->state.force_known = true;
}
