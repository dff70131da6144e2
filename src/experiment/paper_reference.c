// Where a world without contacts gets to by the classical Runge-Kutta method (RK4), which shares nothing with the
// integrators but the forces: what orders of accuracy are measured against.
//
// The force of dissipations at (x, v) is that of a stage of length b from x - b v, for a b that is close to nothing.
#include <string.h>

#include "core/memory.h"
#include "experiment/paper.h"
#include "world/world.h"

#define INSTANT 1e-6 // s

typedef struct Motion {
    const SnObjective* objective;
    int size;                // 3 x node_count
    double *x, *v;           // the state
    double *stage_x, *slope; // slope: x' and v', 2 x size
    double *sum, *g, *before;
} Motion;

// The objective is that of the problem, which outlives the step.
static void watch(void* user, const SnSearch* search)
{
    *(const SnObjective**)user = search->objective;
}

// slope = (v, M^-1 f) at (x, v); what is held stays.
static void find_slope(const Motion* m, const double* x, const double* v)
{
    const SnObjective* o = m->objective;
    for (int i = 0; i < m->size; i++) m->before[i] = x[i] - INSTANT * v[i];
    SnPast past = {.xp = m->before, .count = 1, .weight = {1}, .x = {x}, .lead = -INSTANT, .v = v, .ahead = true};
    sn_potential_begin_stage(o->potential, &past, INSTANT);
    sn_potential_gradient(o->potential, x, m->g);
    for (int i = 0; i < m->size; i++) {
        bool free = o->nodes.free_index[i / 3] >= 0;
        double force = (o->external ? o->external[i] : 0) - m->g[i];
        m->slope[i] = free ? v[i] : 0;
        m->slope[m->size + i] = free ? force / o->nodes.mass[i / 3] : 0;
    }
}

static void make_step(const Motion* m, double h)
{
    static const double reach[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double *x = m->stage_x, *v = m->stage_x + m->size;
    memset(m->sum, 0, 2 * (size_t)m->size * sizeof *m->sum);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < m->size; i++) {
            x[i] = m->x[i] + (k ? reach[k] * h * m->slope[i] : 0);
            v[i] = m->v[i] + (k ? reach[k] * h * m->slope[m->size + i] : 0);
        }
        find_slope(m, x, v);
        for (int i = 0; i < 2 * m->size; i++) m->sum[i] += weight[k] * m->slope[i];
    }
    for (int i = 0; i < m->size; i++) m->x[i] += h * m->sum[i], m->v[i] += h * m->sum[m->size + i];
}

SnStatus sn_study_rk4(SnWorld* world, int steps, double h, double* x)
{
    Motion m = {.size = 3 * sn_world_node_count(world), .x = x};
    size_t bytes = (size_t)m.size * sizeof *x;
    double* block;
    if (!SN_NEW(block, 9 * (int64_t)m.size, "a reference")) return SN_ERROR_MEMORY;
    m.v = block, m.stage_x = m.v + m.size, m.slope = m.stage_x + 2 * m.size, m.sum = m.slope + 2 * m.size;
    m.g = m.sum + 2 * m.size, m.before = m.g + m.size;
    memcpy(m.x, sn_world_positions(world), bytes);
    memcpy(m.v, sn_world_velocities(world), bytes);
    sn_world_watch(world, watch, &m.objective);
    SnStatus status = sn_world_step(world, NULL); // builds the problem
    for (int i = 0; i < m.size && status == SN_OK; i++)
        if (m.objective->nodes.free_index[i / 3] < 0) m.v[i] = 0; // what is held does not move
    for (int i = 0; i < steps && status == SN_OK; i++) make_step(&m, h);
    sn_free(block);
    return status;
}
