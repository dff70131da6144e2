// Rows follow the iterate: after each iteration they are found anew where the nodes are now, and once the minimum for
// their forces is near enough, the forces are taken over (augmented Lagrangian; Hestenes 1969, Powell 1969).
//
// The rest of the objective has not changed, so value and gradient are corrected, not evaluated again.
#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "linalg/vector.h"
#include "solver/solver.h"

#define FORCE_ERROR 2e-3 // of the rows' forces: at the tolerance alone, what rests would never come to rest

#define MOST_STIFFNESS 10.0
enum { PATIENCE = 5 };

// Gradients of pinned nodes are kept as their reactions; here they are together.
static void join(const SnObjective* o, double* g)
{
    for (int i = 0; i < o->node_count; i++)
        if (o->free_index[i] < 0) memcpy(g + 3 * (int64_t)i, o->reaction + 3 * (int64_t)i, 3 * sizeof *g);
}

static void part(const SnObjective* o, double* g)
{
    for (int i = 0; i < o->node_count; i++) {
        if (o->free_index[i] >= 0) continue;
        memcpy(o->reaction + 3 * (int64_t)i, g + 3 * (int64_t)i, 3 * sizeof *g);
        memset(g + 3 * (int64_t)i, 0, 3 * sizeof *g);
    }
}

static double norm_of(const SnSearch* s)
{
    const SnObjective* o = s->objective;
    double sum = 0;
    for (int64_t k = 0; k < 3 * (int64_t)o->node_count; k++)
        if (o->free_index[k / 3] >= 0) sum += s->g[k] * s->g[k];
    return sqrt(sum);
}

// Takes the rows' energy out of the value and the gradient (sign -1), or puts it in.
static void correct(SnSearch* s, double sign)
{
    s->value.total += sign * sn_row_energy(s->objective, s->x);
    sn_row_gradient(s->objective, sign, s->x, s->g);
}

// Forces that converge slowly need stiffer rows; if they still do, rows contradict each other, and forces would grow
// for ever.
static void take_over(SnSearch* s, double change)
{
    SnObjective* o = s->objective;
    sn_row_energy_finish(o, s->x);
    s->slow_changes = s->row_change > 0 && change > 0.7 * s->row_change ? s->slow_changes + 1 : 0;
    if (s->slow_changes >= PATIENCE && o->row_stiffness < MOST_STIFFNESS) {
        o->row_stiffness *= 3;
        s->slow_changes = 0;
        sn_row_energy_start(o);
    }
    s->contradicting |= s->slow_changes >= PATIENCE;
    s->row_change = change;
}

// The length of all forces that rows hold with.
static double force_of(const SnRowSet* set)
{
    double sum = 0;
    for (int i = 0; i < set->count; i++)
        for (int k = 0; k < set->rows[i].count; k++) {
            double force = set->rows[i].weight[k] * set->rows[i].force;
            sum += force * force;
        }
    return sqrt(sum);
}

SnStatus sn_search_follow(SnSearch* s)
{
    SnObjective* o = s->objective;
    s->rows_settled = true;
    if (!o->rows || (!o->collect && (o->hard || o->rows->count == 0))) return SN_OK;
    if (o->hard) {
        double size = force_of(o->rows);
        s->rows_settled = size == 0 || s->norm <= fmax(s->balance * size, 1e-3 * s->tolerance);
        return SN_OK;
    }
    double begin = sn_now_ms();
    int before = o->rows->count;
    join(o, s->g);
    correct(s, -1);
    if (o->collect) SN_TRY(o->collect(o->collector, s->x));
    double found = sn_now_ms();
    s->ms.contact += found - begin;
    sn_row_energy_start(o);
    correct(s, 1);
    s->norm = norm_of(s);
    double size, change = sn_row_change(o, s->x, &size);
    if (change > 0 && !s->contradicting && s->norm <= fmax(0.5 * change, fmin(s->tolerance, s->balance * size))) {
        correct(s, -1);
        take_over(s, change);
        correct(s, 1);
        s->norm = norm_of(s);
        change = sn_row_change(o, s->x, &size);
    }
    if (s->contradicting) change = 0;
    s->rows_settled = o->rows->count == 0 || (change <= fmax(FORCE_ERROR * size, 1e-3 * s->tolerance) &&
                                              s->norm <= fmax(s->balance * size, 1e-3 * s->tolerance));
    part(o, s->g);
    s->followed = before > 0 || o->rows->count > 0;
    s->ms.solve += sn_now_ms() - found;
    return SN_OK;
}
