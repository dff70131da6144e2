// Slides that contradict each other, or what touches, may be kept by forces that fling nodes away. That is no end of a
// step: shorter parts are tried (world/parts.c), and in the last of them everything stays.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/plain.h"
#include "core/share.h"
#include "linalg/vec3.h"
#include "world/world.h"

#define FLUNG 0.3      // of a body's size in one step,
#define FLUNG_AHEAD 20 // times as far as anything was going to move
#define FLUNG_ENERGY 3 // times as much as there was and was given, in a stage that has not converged

// How far the fastest node would go, and the furthest has gone, m.
static void measure_ways(const SnWorld* world, const SnBody* body, double* ahead, double* gone)
{
    const SnState* state = &world->state;
    for (int64_t i = body->first_node; i < body->first_node + body->node_count; i++) {
        double way[3];
        sn_subtract3(world->problem.search->x + 3 * i, state->x + 3 * i, way);
        *gone = fmax(*gone, sn_length3(way));
        *ahead = fmax(*ahead, state->step_length * sn_length3(state->v + 3 * i));
    }
    *gone = sn_share_largest(world->model.tasks, *gone);
    *ahead = sn_share_largest(world->model.tasks, *ahead);
}

// The energy there was, and what gravity, loads, obstacles and slides that were not at their distance may have given,
// J.
static double energy_there(const SnWorld* world)
{
    const SnState* state = &world->state;
    const SnProblem* p = &world->problem;
    const SnConstraintSet* set = &state->constraints;
    double sums[2] = {0}; // what there was; what was given
    for (int64_t k = 0; k < 3 * (int64_t)world->model.node_count; k++) {
        double external = p->gravity[k] + (p->loads.acting ? p->loads.acting[k] : 0);
        if (!sn_share_owns(world->model.tasks, (int)(k / 3))) continue;
        sums[0] += 0.5 * p->mass[k / 3] * state->v[k] * state->v[k];
        sums[1] += external * (p->search->x[k] - state->x[k]);
    }
    for (int i = 0; i < set->count; i++) {
        const SnConstraint* c = &set->items[i].constraint;
        double way = fabs(sn_dot3(c->at.normal, c->velocity)) * state->step_length;
        if (!sn_constraint_is_contact(c)) way += fabs(sn_stencil_gap(&c->at, state->x));
        if (sn_constraint_is_own(p->constraints.nodes, &set->items[i]))
            sums[1] += fabs(set->items[i].multiplier.force) * way;
    }
    sn_share_sum(world->model.tasks, 2, sums);
    return world->elastic + sums[0] + fmax(sums[1], 0);
}

// How far the furthest node of bodies that are flung has gone; 0: none is.
static double flung_by(const SnWorld* world)
{
    const SnModel* model = &world->model;
    const SnSearch* s = world->problem.search;
    double ahead = 0, most = 0, furthest = 0;
    for (const SnBody* b = model->bodies; b < model->bodies + model->body_count; b++) {
        double gone = 0;
        measure_ways(world, b, &ahead, &gone);
        most = fmax(most, gone > FLUNG * sn_body_rest_size(model, b) ? gone : 0);
        furthest = fmax(furthest, gone);
    }
    if (most > FLUNG_AHEAD * ahead) return most;
    bool rises = s->outcome != SN_OUTCOME_CONVERGED && s->value.elastic > FLUNG_ENERGY * energy_there(world);
    return rises ? furthest : 0;
}

void sn_world_stop_flinging(SnWorld* world, SnPart* part)
{
    const SnModel* model = &world->model;
    SnSearch* s = world->problem.search;
    double way = model->slide_count > 0 ? flung_by(world) : 0;
    if (!(way > 0)) return;
    part->failed = true;
    if (part->again) return;
    for (int64_t i = 0; i < model->node_count; i++)
        if (world->problem.free_index[i] >= 0) memcpy(s->x + 3 * i, world->state.x + 3 * i, 3 * sizeof *s->x);
    s->outcome = SN_OUTCOME_STALLED;
    sn_plain_print(
        s->detail, sizeof s->detail,
        "slides contradict each other or what touches, and would have moved a node by %.2g m; shorter steps or "
        "fewer sliding nodes get further",
        way);
    sn_constraints_drop(&world->problem.constraints); // nor are there forces, as nothing is moved by them
    sn_search_evaluate(s);
}
