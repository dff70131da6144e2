// Nodes are pushed with q, and r is what that leaves of the gradient. With d = -h (r - (C^T f - q)) the points of
// constraints move by C d = C h (C^T f - q) - C h r, to where they are off by w = C h (C^T f - q) + b. Asked for are
// forces within the cones of contact and friction that w would not change: f = P(f - w/s), P the nearest force in the
// cone, s of any size. Steps along -w, projected, find them; how long they are is taken from the curvature that the
// step before has met (Barzilai and Borwein 1988; Birgin, Martinez, Raydan 2000), and each takes one h. Cones share no
// matrix with each other, so contacts may depend on each other or be too many.
//
// q is what the forces that were found last do to nodes, whatever became of the constraints since then, so that h of
// gradients from one direction to the next differs by h of the gradient alone. r and C^T f - q go to zero as the
// minimum comes near, and h is taken of nothing larger: factors of few bits are off by a percent of what they are
// applied to, and among the touched nodes h has other bits than for all of them.
//
// Most constraints that are found are not reached by a step. Where h is known among few nodes, forces are found for
// those alone that have some, or would be crossed without; when these are right, h of them tells of the others, first
// of those whose nodes are known, then of all, and those that are crossed then are taken in.
//
// The method goes on from there, so that errors matter only beside the step that it takes: both are measured by what
// they do to the energy.
#include "constraint/dual.h"

#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "core/share.h"
#include "linalg/node_vector.h"
#include "linalg/vec3.h"
#include "linalg/vector.h"

enum { GRAIN = 128 }; // constraints that are looked at together

SnStatus sn_dual_create(SnDual* v, SnConstraints* constraints)
{
    int64_t n = 3 * (int64_t)constraints->nodes->count;
    v->constraints = constraints;
    bool room = SN_NEW(v->spread, n, "constraints") && SN_NEW(v->moved, n, "constraints") &&
                SN_NEW(v->base, n, "constraints") && SN_NEW(v->base_touched, n, "constraints");
    return room ? SN_OK : SN_ERROR_MEMORY;
}

void sn_dual_free(SnDual* v)
{
    sn_free(v->force), sn_free(v->offset), sn_free(v->motion), sn_free(v->last_force);
    sn_free(v->best), sn_free(v->items), sn_free(v->own), sn_free(v->work), sn_free(v->works), sn_free(v->parts);
    sn_free(v->first_node);
    sn_clusters_free(&v->clusters);
    sn_free(v->nodes), sn_free(v->spread), sn_free(v->moved), sn_free(v->base), sn_free(v->base_touched);
    *v = (SnDual){0};
}

void sn_dual_start(SnDual* v)
{
    v->length = SN_DUAL_FIRST_STEP;
}

bool sn_dual_pushes(const SnDual* v, int node)
{
    const double* f = v->base + 3 * (int64_t)node;
    return f[0] != 0 || f[1] != 0 || f[2] != 0;
}

static const SnKept* kept_of(const SnDual* v, int i)
{
    return &v->constraints->now->items[i];
}

static int64_t count_nodes(const SnDual* v)
{
    int64_t count = 0;
    for (int i = 0; i < v->count; i++) count += kept_of(v, i)->constraint.at.count;
    return count;
}

static SnStatus make_room(SnDual* v)
{
    double** vectors[SN_DUAL_VECTORS] = {&v->force, &v->offset, &v->motion, &v->last_force, &v->best};
    for (int k = 0; k < SN_DUAL_VECTORS; k++)
        if (!SN_GROW(*vectors[k], v->capacity[k], 3 * (int64_t)v->count, "constraints")) return SN_ERROR_MEMORY;
    bool room = SN_GROW(v->items, v->item_capacity, v->count, "constraints") &&
                SN_GROW(v->own, v->own_capacity, v->count, "constraints") &&
                SN_GROW(v->work, v->work_capacity, v->count, "constraints") &&
                SN_GROW(v->works, v->works_capacity, v->count, "constraints") &&
                SN_GROW(v->parts, v->part_capacity, v->count / GRAIN + 1, "constraints") &&
                SN_GROW(v->first_node, v->first_capacity, (int64_t)v->count + 1, "constraints") &&
                SN_GROW(v->nodes, v->node_capacity, count_nodes(v), "constraints");
    return room ? SN_OK : SN_ERROR_MEMORY;
}

static bool rubs(const SnDual* v, const SnKept* item)
{
    return item->constraint.friction > 0 && v->constraints->nodes->inertia > 0;
}

// How a constraint's point moves when nodes do.
static inline void gather(const SnDual* v, int i, const double* x, double y[3])
{
    y[0] = y[1] = y[2] = 0;
    for (int k = v->first_node[i]; k < v->first_node[i + 1]; k++) {
        const double *at = x + v->nodes[k].place, w = v->nodes[k].weight;
        int apart = v->nodes[k].apart;
        y[0] += w * at[0], y[1] += w * at[apart], y[2] += w * at[2 * apart];
    }
}

// Its force at nodes.
static inline void scatter(const SnDual* v, int i, const double f[3], double* g)
{
    if (f[0] == 0 && f[1] == 0 && f[2] == 0) return;
    for (int k = v->first_node[i]; k < v->first_node[i + 1]; k++) {
        double *at = g + v->nodes[k].place, w = v->nodes[k].weight;
        int apart = v->nodes[k].apart;
        at[0] += w * f[0], at[apart] += w * f[1], at[2 * apart] += w * f[2];
    }
}

// Where the nodes of a constraint are in a vector, from `count` on. Pinned ones are left out. Returns how many there
// are then.
static int place(SnDual* v, const SnCompliance* touched, int i, int count)
{
    const SnStencil* at = &kept_of(v, i)->constraint.at;
    for (int k = 0; k < at->count; k++) {
        int node = at->node[k], apart = 1;
        int64_t place = touched ? sn_compliance_place(touched, node, &apart) : 3 * (int64_t)node;
        if (v->constraints->nodes->free_index[node] >= 0) v->nodes[count++] = (SnDualNode){place, at->weight[k], apart};
    }
    return count;
}

// Of all constraints in vectors of all nodes.
static void place_nodes(SnDual* v)
{
    int count = 0;
    for (int i = 0; i < v->count; i++) {
        v->first_node[i] = count;
        count = place(v, NULL, i, count);
    }
    v->first_node[v->count] = count;
}

// Of those whose nodes are all known, in vectors of these; others have no place there.
static void place_touched(SnDual* v, const SnCompliance* touched)
{
    const int* free_index = v->constraints->nodes->free_index;
    int count = 0;
    for (int i = 0; i < v->count; i++) {
        const SnStencil* at = &kept_of(v, i)->constraint.at;
        bool known = true;
        for (int k = 0; k < at->count; k++) known &= free_index[at->node[k]] < 0 || touched->at[at->node[k]] >= 0;
        v->first_node[i] = count;
        if (known) count = place(v, touched, i, count);
    }
    v->first_node[v->count] = count;
}

// How far a constraint's point gives way to a force on it alone, where the inverse is known.
static double known_yield(const SnCompliance* c, const SnStencil* at)
{
    double sum = 0;
    for (int k = 0; k < at->count; k++)
        for (int l = 0; l < at->count; l++)
            sum += at->weight[k] * at->weight[l] * sn_compliance_entry(c, at->node[k], at->node[l]);
    return sum;
}

static void set_cones(SnDual* v)
{
    for (int i = 0; i < v->count; i++) {
        const SnKept* kept = kept_of(v, i);
        SnDualItem* item = &v->items[i];
        memcpy(item->normal, kept->constraint.at.normal, sizeof item->normal);
        item->least = kept->constraint.unilateral ? 0 : -INFINITY;
        item->friction = rubs(v, kept) ? kept->constraint.friction : 0;
        item->give = kept->multiplier.compliance;
        v->own[i] = sn_constraint_is_own(v->constraints->nodes, kept);
    }
}

static const SnCompliance* numbers_of(const SnDualInverse* h)
{
    return h->swept ? NULL : h->compliance;
}

static void set_yields(SnDual* v, const SnCompliance* touched)
{
    for (int k = 0; k < v->work_count; k++) {
        const SnStencil* at = &kept_of(v, v->work[k])->constraint.at;
        SnDualItem* item = &v->items[v->work[k]];
        item->yield = touched ? known_yield(touched, at) : sn_constraint_yield(v->constraints->nodes, at);
        item->yield += item->give;
        item->stiffness = item->yield > 0 ? 1 / item->yield : 0;
    }
}

// The forces that constraints have, in their cones.
static void take_forces(SnDual* v)
{
    for (int i = 0; i < v->count; i++) {
        const SnMultiplier* m = &kept_of(v, i)->multiplier;
        double* f = v->force + 3 * (int64_t)i;
        for (int a = 0; a < 3; a++) f[a] = m->force * v->items[i].normal[a] + m->tangent[a];
        sn_dual_project(&v->items[i], f);
    }
}

// C^T f - q, at `nodes` nodes
static void spread(SnDual* v, int nodes, const double* q)
{
    for (int64_t k = 0; k < 3 * (int64_t)nodes; k++) v->spread[k] = -q[k];
    for (int k = 0; k < v->work_count; k++) scatter(v, v->work[k], v->force + 3 * (int64_t)v->work[k], v->spread);
}

// moved = h (C^T f - q)
static SnStatus push(SnDual* v, SnInverse h)
{
    spread(v, v->constraints->nodes->count, v->base);
    v->applied++;
    return h.apply(h.self, v->spread, v->moved);
}

static SnStatus move(SnDual* v, const SnDualInverse* h)
{
    if (!h->compliance) return push(v, h->all);
    spread(v, h->compliance->count, v->base_touched);
    return h->touched.apply(h->touched.self, v->spread, v->moved);
}

// b, how far off the constraints' points would be with q.
static void set_up(SnDual* v, const double* x, const double* p)
{
    const SnConstraints* c = v->constraints;
    for (int i = 0; i < v->count; i++) {
        const SnKept* kept = kept_of(v, i);
        const SnStencil* at = &kept->constraint.at;
        double *b = v->offset + 3 * (int64_t)i, way[3], slip[3] = {0};
        gather(v, i, p, way);
        if (rubs(v, kept)) sn_friction_slip(&c->friction, kept, x, slip);
        double gap = sn_stencil_gap(at, x);
        for (int a = 0; a < 3; a++) b[a] = slip[a] + gap * at->normal[a] - way[a];
    }
}

// The list of those that work.
static void list_work(SnDual* v)
{
    v->work_count = 0;
    for (int i = 0; i < v->count; i++)
        if (v->works[i]) v->work[v->work_count++] = i;
}

static void take_all(SnDual* v)
{
    for (int i = 0; i < v->count; i++) v->works[i] = true;
    list_work(v);
}

// Those that have a force, may pull, or would be crossed with q.
static void take_likely(SnDual* v)
{
    for (int i = 0; i < v->count; i++) {
        const double *f = v->force + 3 * (int64_t)i, *b = v->offset + 3 * (int64_t)i;
        bool idle = f[0] == 0 && f[1] == 0 && f[2] == 0 && v->items[i].least == 0;
        v->works[i] = !idle || sn_dot3(b, v->items[i].normal) < 0;
    }
    list_work(v);
}

// Those, too, that would be crossed with the forces found, as far as that is known: without their nodes they are off by
// b, which is not below zero. Whether that is an error of more than so much.
static bool take_crossed(SnDual* v, double most)
{
    const SnNodes* nodes = v->constraints->nodes;
    double sum = 0;
    for (int i = 0; i < v->count; i++) {
        double moved[3];
        if (v->works[i]) continue;
        gather(v, i, v->moved, moved);
        double way = sn_dot3(moved, v->items[i].normal) + sn_dot3(v->offset + 3 * (int64_t)i, v->items[i].normal);
        double yield = sn_constraint_yield(nodes, &kept_of(v, i)->constraint.at);
        v->works[i] = way < 0 && yield > 0;
        if (v->works[i]) sum += way * way / yield;
    }
    if (!(sqrt(sum) > most)) return false;
    list_work(v);
    return true;
}

// motion = C h (C^T f - q) + b, springs giving way, and what it says, of some.
static void look_at(void* self, int first, int last)
{
    SnDual* v = self;
    SnDualSums sums = {0};
    for (int k = first; k < last; k++) {
        int i = v->work[k];
        const SnDualItem* item = &v->items[i];
        int64_t at = 3 * (int64_t)i;
        const double *f = v->force + at, *b = v->offset + at;
        double *w = v->motion + at, df[3], dw[3], moved[3];
        gather(v, i, v->moved, moved);
        for (int a = 0; a < 3; a++) {
            double now = moved[a] + (b[a] + item->give * f[a]);
            df[a] = f[a] - v->last_force[at + a], dw[a] = now - w[a], w[a] = now;
        }
        if (!v->own[i]) continue;
        sn_dual_add_error(item, f, w, &sums);
        sn_dual_add_curvature(item, df, dw, &sums);
    }
    v->parts[first / GRAIN] = sums;
}

static SnDualSums look(SnDual* v)
{
    SnDualSums sums = {0};
    SnTasks* tasks = v->constraints->nodes->tasks;
    sn_tasks_for(tasks, v->work_count, GRAIN, look_at, v);
    for (int k = 0; k * GRAIN < v->work_count; k++) {
        const SnDualSums* part = &v->parts[k];
        sums.error += part->error, sums.size += part->size;
        sums.ff += part->ff, sums.fw += part->fw, sums.ww += part->ww;
    }
    sn_share_sum(tasks, sizeof sums / sizeof(double), &sums.error);
    sums.error = sqrt(sums.error), sums.size = sqrt(sums.size);
    return sums;
}

static SnStatus go(SnDual* v, const SnDualInverse* h, int turn, SnDualSums* sums)
{
    for (int k = 0; k < v->work_count; k++) {
        int64_t at = 3 * (int64_t)v->work[k];
        double *f = v->force + at, *last = v->last_force + at;
        last[0] = f[0], last[1] = f[1], last[2] = f[2];
        sn_dual_go_on(&v->items[v->work[k]], v->length, v->motion + at, f);
    }
    SN_TRY(move(v, h));
    *sums = look(v);
    v->length = sn_dual_length(sums, turn, SN_DUAL_FIRST_STEP);
    return SN_OK;
}

// The step without further forces, as the root of an energy: r.h r.
static double step_of(const SnDual* v, const double* r, const double* p)
{
    const SnNodes* nodes = v->constraints->nodes;
    return sqrt(fmax(sn_nodes_dot(nodes->tasks, nodes->count, r, p), 0));
}

static bool is_enough(const SnDualInverse* h, const SnDualSums* sums, double step)
{
    return sums->error <= h->error * step || sums->error <= SN_DUAL_ERROR * sums->size;
}

// Clusters are put right by themselves; where that makes others much worse, as where they are many side by side, it is
// undone. Whether there was anything to do.
static SnStatus settle_clusters(SnDual* v, const SnDualInverse* h, const SnClusterItems* given, bool* wanted,
                                SnDualSums* sums, bool* done)
{
    size_t bytes = 3 * (size_t)v->count * sizeof(double);
    double before = sums->error;
    memcpy(v->last_force, v->force, bytes);
    *done = sn_clusters_settle(&v->clusters, given, before * before, v->motion, v->force) > 0;
    if (!*done) return SN_OK;
    SN_TRY(move(v, h));
    *sums = look(v);
    if (sums->error <= SN_CLUSTER_WORSE * before) return SN_OK;
    *wanted = false;
    memcpy(v->force, v->last_force, bytes);
    SN_TRY(move(v, h));
    *sums = look(v);
    return SN_OK;
}

// Now and then, once steps have not been enough for long; found when that is first so.
static SnStatus see_to_clusters(SnDual* v, const SnDualInverse* h, int taken, bool* wanted, SnDualSums* sums,
                                bool* done)
{
    *done = false;
    if (!*wanted || taken < SN_CLUSTER_FIRST || (taken - SN_CLUSTER_FIRST) % SN_CLUSTER_EVERY > 0) return SN_OK;
    SnClusterItems given = {v->constraints->now, v->items, v->work, v->work_count, h->compliance, h->body};
    if (taken == SN_CLUSTER_FIRST) SN_TRY(sn_clusters_find(&v->clusters, &given));
    *wanted = v->clusters.count > 0;
    return *wanted ? settle_clusters(v, h, &given, wanted, sums, done) : SN_OK;
}

// Errors go up and down; the smallest one counts. steps: how many there were so far, and then.
static SnStatus find_forces(SnDual* v, const SnDualInverse* h, double step, int* steps)
{
    size_t bytes = 3 * (size_t)v->count * sizeof(double);
    bool clusters = h->compliance && h->compliance->width == 3 && !h->swept, settled;
    memcpy(v->last_force, v->force, bytes);
    SnDualSums sums = look(v);
    double least = sums.error, before = INFINITY;
    memcpy(v->best, v->force, bytes);
    for (int taken = 0; *steps < h->steps && !is_enough(h, &sums, step); taken++, ++*steps) {
        if (taken % SN_DUAL_PATIENCE == 0) {
            if (least > SN_DUAL_PROGRESS * before) break; // it has no answer, or none in reach
            before = least;
        }
        SN_TRY(see_to_clusters(v, h, taken, &clusters, &sums, &settled));
        if (!settled) SN_TRY(go(v, h, *steps, &sums));
        if (sums.error < least) memcpy(v->best, v->force, bytes);
        least = fmin(sums.error, least);
    }
    v->constraints->bounded += !is_enough(h, &sums, step);
    if (!(sums.error > least)) return SN_OK;
    memcpy(v->force, v->best, bytes);
    return move(v, h);
}

// The constraints have their forces from the direction before, changed since then by what they were still off by; where
// that went too far the former are nearer. They are in last_force.
static SnStatus choose_start(SnDual* v, const SnDualInverse* h)
{
    size_t bytes = 3 * (size_t)v->count * sizeof(double);
    memcpy(v->best, v->force, bytes);
    double changed = look(v).error;
    memcpy(v->force, v->last_force, bytes);
    SN_TRY(move(v, h));
    if (!(changed < look(v).error)) return SN_OK;
    memcpy(v->force, v->best, bytes);
    return move(v, h);
}

// From the forces that the last round has found, or the first ones.
static SnStatus begin_round(SnDual* v, SnDualInverse* h, bool first)
{
    SN_TRY(h->know(h, v));
    if (!h->compliance) take_all(v);
    set_yields(v, numbers_of(h));
    if (!h->compliance && !first) return SN_OK; // moved is that of all nodes
    if (h->compliance) {
        place_touched(v, h->compliance);
        sn_compliance_take(h->compliance, v->base, v->base_touched);
    }
    SN_TRY(move(v, h));
    return first && v->same && h->compliance ? choose_start(v, h) : SN_OK;
}

// Among the nodes that are known, then with all: moved is h of all nodes.
static SnStatus go_round(SnDual* v, SnDualInverse* h, double step, bool first, int* steps)
{
    SN_TRY(begin_round(v, h, first));
    SN_TRY(find_forces(v, h, step, steps));
    if (!h->compliance) return SN_OK;
    while (*steps < h->steps && take_crossed(v, h->error * step)) {
        set_yields(v, numbers_of(h));
        SN_TRY(find_forces(v, h, step, steps));
    }
    place_nodes(v);
    return push(v, h->all);
}

static void set_multipliers(const SnDual* v)
{
    for (int i = 0; i < v->count; i++) {
        SnKept* item = &v->constraints->now->items[i];
        const double *f = v->force + 3 * (int64_t)i, *n = v->items[i].normal;
        SnMultiplier* m = &item->multiplier;
        m->force = m->normal_force = sn_dot3(f, n);
        for (int a = 0; a < 3; a++) m->tangent[a] = rubs(v, item) ? f[a] - m->force * n[a] : 0;
    }
}

SnStatus sn_dual_begin(SnDual* v, const double* g, bool again, double* r)
{
    const SnNodes* nodes = v->constraints->nodes;
    int64_t n = 3 * (int64_t)nodes->count;
    v->same = again && v->count == v->constraints->now->count && v->rounds == v->constraints->rounds;
    v->count = v->constraints->now->count, v->rounds = v->constraints->rounds;
    SN_TRY(make_room(v));
    set_cones(v);
    if (v->same) memcpy(v->last_force, v->force, 3 * (size_t)v->count * sizeof *v->force);
    take_forces(v);
    place_nodes(v);
    if (!again) {
        memset(v->base, 0, (size_t)n * sizeof *v->base);
        for (int i = 0; i < v->count; i++) scatter(v, i, v->force + 3 * (int64_t)i, v->base);
    }
    v->again = again;
    sn_vector_axpy(nodes->tasks, (int)n, -1, v->base, g, r);
    return SN_OK;
}

SnStatus sn_dual_solve(SnDual* v, SnDualInverse h, const double* x, const double* r, const double* p, double* d)
{
    const SnNodes* nodes = v->constraints->nodes;
    int64_t n = 3 * (int64_t)nodes->count;
    double step = step_of(v, r, p);
    int64_t applied = v->applied;
    bool first = v->again;
    int steps = 0;
    set_up(v, x, p);
    take_likely(v);
    memset(v->moved, 0, (size_t)n * sizeof *v->moved);
    do {
        SN_TRY(go_round(v, &h, step, first, &steps));
        first = false;
    } while (h.compliance && steps < h.steps && take_crossed(v, h.error * step));
    if (v->applied == applied) SN_TRY(push(v, h.all)); // the first forces are right
    set_multipliers(v);
    sn_vector_axpy(nodes->tasks, (int)n, 1, v->spread, v->base, v->base); // what spread has of q goes exactly
    sn_vector_axpy(nodes->tasks, (int)n, -1, p, v->moved, d);
    return SN_OK;
}
