// One stage of a step: what it starts from, the target, the first guess, and the velocities after it.
//
// Held nodes are where their script has them at the end of the stage. Where the stage starts from x^n alone their
// velocity is the way they went over b; otherwise it is the script's own: the formula of the stage would let them
// ring.
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "world/world.h"

static bool starts_from_the_present(const SnStage* stage)
{
    return stage->before == 0 && stage->middle == 0 && stage->half == 0;
}

// x^p, v^p and the target x~ = x^p + b v^p + b^2 M^-1 f_ext. Nodes in no element stay.
static void set_start(SnWorld* w, const SnStage* stage)
{
    double h = w->step_length, b = stage->alpha * h;
    bool looks_back = stage->before != 0, has_middle = stage->middle != 0;
    for (int64_t k = 0; k < 3 * (int64_t)w->node_count; k++) {
        double x = stage->present * w->x[k], v = stage->present * w->v[k], m = w->mass[k / 3];
        if (looks_back) x += stage->before * w->before_x[k], v += stage->before * w->before_v[k];
        if (has_middle) x += stage->middle * w->stage_x[k], v += stage->middle * w->stage_v[k];
        if (stage->half != 0 && m > 0) x += stage->half * h * w->v[k], v += stage->half * h * w->force[k] / m;
        bool pinned = w->free_index[k / 3] < 0;
        w->xp[k] = pinned ? w->x[k] : x;
        w->vp[k] = pinned ? 0 : v;
        w->target[k] = pinned ? w->x[k] : x + b * v + b * b * w->def.gravity[k % 3];
    }
}

// Held nodes; the last stage's x is such that the step ends where the script says.
static void set_held(SnWorld* w, const SnStage* stage, double at)
{
    double further = w->integrator->extrapolate, b = stage->alpha * w->step_length;
    sn_world_place_handles(w, at, w->target);
    bool own = starts_from_the_present(stage);
    if (!own) sn_world_move_handles(w, at, false, w->vp);
    for (int64_t k = 0; k < 3 * (int64_t)w->node_count; k++) {
        if (w->free_index[k / 3] >= 0) continue;
        if (further != 1) w->target[k] = w->x[k] + (w->target[k] - w->x[k]) / further;
        if (!own) w->xp[k] = w->target[k] - b * w->vp[k];
    }
}

// Puts the free nodes of the search where `from` has them; those that are held by energy may be put where they belong.
static void start_at(SnWorld* w, const double* from, bool pins)
{
    for (int i = 0; i < w->node_count; i++)
        if (w->free_index[i] >= 0) memcpy(w->search->x + 3 * (int64_t)i, from + 3 * (int64_t)i, 3 * sizeof(double));
    if (pins) sn_pins_put(w, w->search->x);
}

// The first guess: the target x~, or going on without regard to external forces, x^p + b v^p, whichever has the lower
// energy: bodies that fall follow the first, bodies that hang or rest the second. Where neither is feasible, the end of
// the stage before. Held nodes are where they belong.
static void guess(SnWorld* w, const SnStage* stage)
{
    SnSearch* s = w->search;
    double b = stage->alpha * w->step_length;
    const double *last = stage->middle != 0 ? w->stage_x : w->x, *g = w->def.gravity;
    sn_vector_copy(w->tasks, 3 * w->node_count, w->target, s->x);
    sn_pins_put(w, s->x);
    if (b == 0) {
        start_at(w, last, true);
        return;
    }
    bool falls = g[0] != 0 || g[1] != 0 || g[2] != 0;
    if (!falls && !w->barrier) return;
    double target = sn_objective_value(&w->objective, s->x).total, ahead = INFINITY;
    if (falls) {
        sn_vector_axpy(w->tasks, 3 * w->node_count, b, w->vp, w->xp, s->trial);
        start_at(w, s->trial, true);
        ahead = sn_objective_value(&w->objective, s->x).total;
    }
    if (!isfinite(target) && !isfinite(ahead))
        start_at(w, last, false);
    else if (!(ahead < target))
        start_at(w, w->target, true);
}

static int dissipation_order(const SnWorld* w)
{
    return w->def.dissipation_order > 0 ? w->def.dissipation_order : w->integrator->order;
}

SnStatus sn_stage_begin(SnWorld* w, const SnStage* stage, double time)
{
    double b = stage->alpha * w->step_length;
    w->objective.inertia = b > 0 ? 1 / (b * b) : 0;
    w->objective.force = b > 0 ? NULL : w->gravity;
    set_start(w, stage);
    double at = time - (1 - w->integrator->extrapolate * stage->end) * w->step_length;
    set_held(w, stage, at);
    sn_pins_begin_stage(w, stage, at);
    sn_potential_begin_stage(w->potential, w->xp, dissipation_order(w) == 2 ? w->v : NULL, b);
    sn_world_begin_rows(w, at);
    SN_TRY(sn_world_collect_rows(w, w->x)); // what rests on something is told from what falls
    if (w->step == 0 && stage->middle == 0 && w->contacts) SN_TRY(sn_world_warn_of_starts(w));
    w->objective.row_stiffness = 1;
    sn_row_energy_start(&w->objective);
    guess(w, stage);
    return sn_world_collect_rows(w, w->search->x);
}

void sn_stage_end(SnWorld* w, const SnStage* stage)
{
    double b = stage->alpha * w->step_length;
    const double* x = w->search->x;
    for (int64_t k = 0; k < 3 * (int64_t)w->node_count; k++) {
        w->stage_x[k] = x[k];
        w->stage_v[k] = b > 0 ? (x[k] - w->xp[k]) / b : 0;
    }
    sn_pins_find_forces(w, x);
    if (!w->integrator->needs_force) return;
    // By impulse and momentum, as that has the forces of constraints in it (Brown et al. 2018, eq. 37); at held nodes
    // without the handle, for the day when it lets go.
    for (int64_t k = 0; k < 3 * (int64_t)w->node_count; k++) {
        bool pinned = w->free_index[k / 3] < 0;
        w->force[k] = pinned ? w->gravity[k] - w->reaction[k] : w->mass[k / 3] * (w->stage_v[k] - w->vp[k]) / b;
    }
    if (sn_impact_stops(w)) sn_impact_keep_out(w);
}

void sn_stage_begin_present(SnWorld* w)
{
    double *v = w->vp, h = w->step_length;
    memcpy(v, w->v, 3 * (size_t)w->node_count * sizeof *v);
    sn_world_move_handles(w, w->time, true, v);
    for (int64_t k = 0; k < 3 * (int64_t)w->node_count; k++) w->xp[k] = w->x[k] - h * v[k];
    sn_potential_begin_stage(w->potential, w->xp, v, h); // the second order is exact where the rate is v
}

void sn_stage_force(SnWorld* w)
{
    double* g = w->search->g;
    sn_stage_begin_present(w);
    sn_pins_place(w, w->time);
    sn_pins_begin_forces(w);
    sn_potential_gradient(w->potential, w->x, g);
    sn_ledger_drag_rates(w);
    for (int64_t k = 0; k < 3 * (int64_t)w->node_count; k++) w->force[k] = w->gravity[k] - g[k];
    w->force_known = true;
}
