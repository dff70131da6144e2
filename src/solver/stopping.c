// When a minimisation is done: what residual is allowed at x.
#include "solver/stopping.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/share.h"

enum { GRAIN = 2048 };

// Forces of handles and contacts work at few nodes, with levers, and most of them hold; this much of them counts,
// spread over all nodes.
#define SHARE_OF_HANDLES 0.1

#define SHARE_AT_REST (SN_STOPPING_SHARE / 4) // of equilibria, where no inertia holds soft modes back
#define SHARE_GOING (SN_STOPPING_SHARE / 5)   // of what nothing holds: it goes on with what is left over, undamped

SnStopping sn_stopping_rule(const SnSolverDef* def, double characteristic)
{
    bool error = !def->stop || strcmp(def->stop, "error") == 0;
    return (SnStopping){def->tolerance * characteristic, error ? def->tolerance : 0, 0};
}

#define CAREFUL 1e-7 // a tolerance at which nobody needs any more care

void sn_stopping_take_care(SnStopping* stopping, double care)
{
    if (!(care > 0 && stopping->share > 0)) return;
    double part = fmax(care, fmin(1, CAREFUL / stopping->share));
    stopping->characteristic *= part;
    stopping->share *= part;
}

#define STILL 0.003   // of a step's way: where more is left to go, it is not at its end
#define BY_FORCES 0.1 // of what forces do in a step, which counts as its way where there is next to none

typedef struct Sum {
    const SnObjective* objective;
    const double *x, *before;
} Sum;

static double floor_chunk(void* context, int first, int last)
{
    const Sum* s = context;
    const SnNodes* nodes = &s->objective->nodes;
    double sum = 0;
    for (int i = first; i < last; i++) {
        double resistance = sn_node_resistance(nodes, i), square = 0;
        for (int c = 0; c < 3; c++) square += s->x[3 * (int64_t)i + c] * s->x[3 * (int64_t)i + c];
        if (nodes->free_index[i] >= 0) sum += resistance * resistance * square;
    }
    return sum;
}

void sn_stopping_start(SnStopping* stopping, const SnObjective* o, const double* x)
{
    double sum = sn_share_node_sum(o->nodes.tasks, o->nodes.count, GRAIN, floor_chunk, &(Sum){o, x, NULL});
    stopping->floor = DBL_EPSILON * sqrt(sum);
}

// External forces and inertia at free nodes.
static double acting_chunk(void* context, int first, int last)
{
    const Sum* s = context;
    const SnObjective* o = s->objective;
    double sum = 0;
    for (int i = first; i < last; i++) {
        if (o->nodes.free_index[i] < 0) continue;
        for (int c = 0; c < 3; c++) {
            int64_t k = 3 * (int64_t)i + c;
            double inertia = o->nodes.inertia * o->nodes.mass[i] * (s->x[k] - o->target[k]);
            if (o->external) sum += o->external[k] * o->external[k];
            if (o->nodes.inertia > 0) sum += inertia * inertia;
        }
    }
    return sum;
}

// What acts, before it is put together.
typedef struct Acting {
    double acting;         // squares of external forces and inertia
    double handles, moved; // squares of the forces at handles that move, and how many nodes these are
    double pushes, kept;   // the same of constraints
} Acting;

static void add_handles(const SnObjective* o, Acting* sums)
{
    for (int i = 0; i < o->nodes.count; i++) {
        if (o->nodes.free_index[i] >= 0 || !sn_share_owns(o->nodes.tasks, i)) continue;
        bool moves = false;
        for (int64_t k = 3 * (int64_t)i; k < 3 * (int64_t)i + 3; k++)
            moves |= o->nodes.start && o->target[k] != o->nodes.start[k];
        for (int64_t k = 3 * (int64_t)i; k < 3 * (int64_t)i + 3 && moves; k++)
            sums->handles += o->reaction[k] * o->reaction[k];
        sums->moved += moves;
    }
}

static void add_pushes(const SnObjective* o, Acting* sums)
{
    const SnConstraintSet* set = o->constraints->now;
    for (int i = 0; i < set->count; i++) {
        double force = set->items[i].multiplier.force;
        if (!sn_share_owns(o->nodes.tasks, set->items[i].constraint.at.node[0])) continue;
        sums->pushes += force * force;
        sums->kept++;
    }
}

// The square of what acts; forces of handles and constraints as if spread over all nodes.
static double acting(const SnObjective* o, const double* x)
{
    Acting sums = {sn_share_own_sum(o->nodes.tasks, o->nodes.count, GRAIN, acting_chunk, &(Sum){o, x, NULL}), 0, 0, 0,
                   0};
    add_handles(o, &sums);
    add_pushes(o, &sums);
    sn_share_sum(o->nodes.tasks, sizeof sums / sizeof(double), &sums.acting);
    double count = sn_share_count(o->nodes.tasks, o->nodes.count);
    double levers = sums.handles * sums.moved / count + sums.pushes * sums.kept / count;
    return sums.acting + o->actuation * o->actuation + SHARE_OF_HANDLES * SHARE_OF_HANDLES * levers;
}

static double times(const SnObjective* o)
{
    if (!(o->nodes.inertia > 0)) return SHARE_AT_REST;
    bool held = o->constraints->contacts || sn_share_any(o->nodes.tasks, o->nodes.free_count < o->nodes.count);
    return held ? SN_STOPPING_SHARE : SHARE_GOING;
}

double sn_stopping_allowed(const SnStopping* stopping, const SnObjective* o, const double* x)
{
    double allowed = stopping->characteristic;
    if (!(allowed > 0)) return 0;
    if (stopping->share > 0) {
        double square = acting(o, x);
        double share = fmax(times(o) * stopping->share * sqrt(square), stopping->floor);
        if (square > 0) allowed = fmin(allowed, share); // otherwise there is nothing to compare with
    }
    return allowed;
}

static double moved_chunk(void* context, int first, int last)
{
    const Sum* s = context;
    double sum = 0;
    for (int64_t k = 3 * (int64_t)first; k < 3 * (int64_t)last; k++)
        if (s->objective->nodes.free_index[k / 3] >= 0) sum += (s->x[k] - s->before[k]) * (s->x[k] - s->before[k]);
    return sum;
}

static double way_chunk(void* context, int first, int last)
{
    const Sum* s = context;
    const SnObjective* o = s->objective;
    double sum = 0;
    for (int64_t k = 3 * (int64_t)first; k < 3 * (int64_t)last; k++) {
        double way = fabs(s->x[k] - o->nodes.start[k]), forces = BY_FORCES * fabs(s->x[k] - o->target[k]);
        if (o->nodes.free_index[k / 3] >= 0) sum += fmax(way, forces) * fmax(way, forces);
    }
    return sum;
}

bool sn_stopping_moves(const SnObjective* o, const double* x, const double* before, double times)
{
    if (!o->nodes.start || !(o->nodes.inertia > 0)) return false;
    Sum sum = {o, x, before};
    double moved = sn_share_node_sum(o->nodes.tasks, o->nodes.count, GRAIN, moved_chunk, &sum);
    double most = STILL * STILL / (times * times);
    return moved > most * sn_share_node_sum(o->nodes.tasks, o->nodes.count, GRAIN, way_chunk, &sum);
}
