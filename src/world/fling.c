// Slides that contradict each other, or what touches, may be kept by forces that fling nodes away. That is no end of a
// step: shorter parts are tried (world/parts.c), and in the last of them everything stays.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/vec3.h"
#include "world/world.h"

#define FLUNG 0.3      // of a body's size in one step,
#define FLUNG_AHEAD 20 // times as far as anything was going to move

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
}

static double rest_size(const SnBody* body)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * body->node_count; i++) {
        lo[i % 3] = fmin(lo[i % 3], body->rest[i]);
        hi[i % 3] = fmax(hi[i % 3], body->rest[i]);
    }
    return sn_distance3(lo, hi);
}

void sn_world_stop_flinging(const SnWorld* world, SnPart* part)
{
    const SnModel* model = &world->model;
    SnSearch* s = world->problem.search;
    double ahead = 0, most = 0;
    if (model->slide_count == 0) return;
    for (const SnBody* b = model->bodies; b < model->bodies + model->body_count; b++) {
        double gone = 0;
        measure_ways(world, b, &ahead, &gone);
        most = fmax(most, gone > FLUNG * rest_size(b) ? gone : 0);
    }
    if (!(most > FLUNG_AHEAD * ahead)) return;
    part->failed = true;
    if (part->again) return;
    for (int64_t i = 0; i < model->node_count; i++)
        if (world->problem.free_index[i] >= 0) memcpy(s->x + 3 * i, world->state.x + 3 * i, 3 * sizeof *s->x);
    s->outcome = SN_OUTCOME_STALLED;
    snprintf(s->detail, sizeof s->detail,
             "slides contradict each other or what touches, and would have moved a node by %.2g m; shorter steps or "
             "fewer sliding nodes get further",
             most);
    sn_search_evaluate(s);
}
