#include "constraint/clusters.h"

#include <stdlib.h>
#include <string.h>

#include "constraint/constants.h"
#include "core/sets.h"

// An item, by the bodies that it is between, or the one and what it touches, and a node of the first that bears it.
typedef struct SnClusterPlace {
    int of[2], node, item;
} SnClusterPlace;

typedef struct SnClusterBond {
    double strength;
    int item[2]; // of all, the first one first
} SnClusterBond;

void sn_clusters_free(SnClusters* c)
{
    sn_free(c->all), sn_free(c->places), sn_free(c->bonds), sn_free(c->own), sn_free(c->root), sn_free(c->size);
    sn_free(c->push), sn_free(c->motion);
    *c = (SnClusters){0};
}

static SnClusterPlace place_of(const SnClusterItems* given, int item)
{
    const SnConstraint* it = &given->set->items[item].constraint;
    int main[2] = {-1, -1}, of[2];
    double most[2] = {0};
    for (int k = 0; k < it->at.count; k++) {
        int side = it->at.weight[k] < 0;
        if (fabs(it->at.weight[k]) > most[side]) most[side] = fabs(it->at.weight[k]), main[side] = it->at.node[k];
    }
    for (int side = 0; side < 2; side++)
        of[side] = main[side] < 0 ? -1 - it->target : given->compliance->body[main[side]];
    bool swap = main[0] < 0 || (main[1] >= 0 && of[1] < of[0]);
    return (SnClusterPlace){{of[swap], of[!swap]}, main[swap], item};
}

static int compare(int a, int b)
{
    return a < b ? -1 : a > b;
}

static int compare_places(const void* a, const void* b)
{
    const SnClusterPlace *p = a, *q = b;
    if (p->of[0] != q->of[0]) return compare(p->of[0], q->of[0]);
    if (p->of[1] != q->of[1]) return compare(p->of[1], q->of[1]);
    return p->node != q->node ? compare(p->node, q->node) : compare(p->item, q->item);
}

static int compare_bonds(const void* a, const void* b)
{
    const SnClusterBond *p = a, *q = b;
    if (p->strength != q->strength) return p->strength > q->strength ? -1 : 1;
    return p->item[0] != q->item[0] ? compare(p->item[0], q->item[0]) : compare(p->item[1], q->item[1]);
}

static const SnStencil* stencil_of(const SnClusterItems* given, int item)
{
    return &given->set->items[item].constraint.at;
}

// The push that an item's force is for its nodes.
static void put(SnClusters* c, const SnClusterItems* given, int item, const double f[3])
{
    const SnStencil* at = stencil_of(given, item);
    for (int k = 0, apart = 0; k < at->count; k++) {
        int64_t place = sn_compliance_place(given->compliance, at->node[k], &apart);
        for (int a = 0; a < 3 && place >= 0; a++) c->push[place + a * apart] += at->weight[k] * f[a];
    }
}

static void take_away(SnClusters* c, const SnClusterItems* given, int item)
{
    const SnStencil* at = stencil_of(given, item);
    for (int k = 0, apart = 0; k < at->count; k++) {
        int64_t place = sn_compliance_place(given->compliance, at->node[k], &apart);
        for (int a = 0; a < 3 && place >= 0; a++) c->push[place + a * apart] = 0;
    }
}

// The motion of the bodies that the item is of when it has this force.
static void respond(SnClusters* c, const SnClusterItems* given, int item, const double f[3])
{
    const SnCompliance* compliance = given->compliance;
    const SnStencil* at = stencil_of(given, item);
    put(c, given, item, f);
    for (int k = 0; k < at->count; k++) {
        if (compliance->at[at->node[k]] < 0) continue;
        const SnCompliantBody* body = &compliance->bodies[compliance->which[compliance->body[at->node[k]]]];
        int64_t first = 3 * (int64_t)body->first;
        bool done = false;
        for (int l = 0; l < k && !done; l++)
            done = compliance->at[at->node[l]] >= 0 && compliance->body[at->node[l]] == body->root;
        if (!done) given->h.apply(given->h.self, body, c->push + first, c->motion + first);
    }
    take_away(c, given, item);
}

// How the point of another item of these bodies moves then.
static void take(const SnClusters* c, const SnClusterItems* given, int item, double w[3])
{
    const SnStencil* at = stencil_of(given, item);
    w[0] = w[1] = w[2] = 0;
    for (int k = 0, apart = 0; k < at->count; k++) {
        int64_t place = sn_compliance_place(given->compliance, at->node[k], &apart);
        for (int a = 0; a < 3 && place >= 0; a++) w[a] += at->weight[k] * c->motion[place + a * apart];
    }
}

static double take_along(const SnClusters* c, const SnClusterItems* given, int item)
{
    double w[3];
    take(c, given, item, w);
    return sn_dot3(w, given->items[item].normal);
}

static SnStatus add_bond(SnClusters* c, const SnClusterItems* given, int i, int j, int* count)
{
    double both = take_along(c, given, i), strength = both * both / (c->own[i] * c->own[j]);
    if (!(strength > SN_CLUSTER_BOND)) return SN_OK;
    if (!SN_GROW(c->bonds, c->bond_capacity, (int64_t)*count + 1, "constraints")) return SN_ERROR_MEMORY;
    c->bonds[(*count)++] = (SnClusterBond){strength, {i < j ? i : j, i < j ? j : i}};
    return SN_OK;
}

// Each with those before it of the same bodies.
static SnStatus find_bonds(SnClusters* c, const SnClusterItems* given, int* count)
{
    for (int k = 0, first = 0; k < given->count; k++) {
        const SnClusterPlace* place = &c->places[k];
        if (memcmp(place->of, c->places[first].of, sizeof place->of) != 0) first = k;
        bool alone = k == first && (k + 1 == given->count || memcmp(place->of, place[1].of, sizeof place->of) != 0);
        if (alone) continue;
        respond(c, given, place->item, given->items[place->item].normal);
        c->own[place->item] = take_along(c, given, place->item);
        for (int l = k - SN_CLUSTER_LOOK < first ? first : k - SN_CLUSTER_LOOK; l < k; l++)
            SN_TRY(add_bond(c, given, c->places[l].item, place->item, count));
    }
    return SN_OK;
}

static void join(SnClusters* c, int bond_count)
{
    for (int k = 0; k < bond_count; k++) {
        int i = sn_sets_root(c->root, c->bonds[k].item[0]), j = sn_sets_root(c->root, c->bonds[k].item[1]);
        if (i == j || c->size[i] + c->size[j] > SN_CLUSTER) continue;
        int size = c->size[i] + c->size[j];
        sn_sets_join(c->root, i, j);
        c->size[sn_sets_root(c->root, i)] = size;
    }
}

// In the order of their first items. A root's size becomes the number of its cluster, below zero.
static SnStatus list(SnClusters* c, const SnClusterItems* given)
{
    for (int k = 0; k < given->count; k++) {
        int item = given->work[k], root = sn_sets_root(c->root, item);
        if (c->size[root] == 1) continue;
        if (c->size[root] > 0) {
            if (!SN_GROW(c->all, c->capacity, (int64_t)c->count + 1, "constraints")) return SN_ERROR_MEMORY;
            c->all[c->count].count = 0, c->all[c->count].ready = false;
            c->size[root] = -1 - c->count++;
        }
        SnCluster* cluster = &c->all[-1 - c->size[root]];
        cluster->item[cluster->count++] = item;
    }
    return SN_OK;
}

static SnStatus make_room(SnClusters* c, const SnClusterItems* given)
{
    int count = given->set->count;
    int64_t known = 3 * (int64_t)given->compliance->count;
    bool room = SN_GROW(c->own, c->own_capacity, count, "constraints") &&
                SN_GROW(c->root, c->root_capacity, count, "constraints") &&
                SN_GROW(c->size, c->size_capacity, count, "constraints") &&
                SN_GROW(c->places, c->place_capacity, given->count, "constraints") &&
                SN_GROW(c->push, c->push_capacity, known, "constraints") &&
                SN_GROW(c->motion, c->motion_capacity, known, "constraints");
    if (room && known > 0) memset(c->push, 0, (size_t)known * sizeof *c->push);
    return room ? SN_OK : SN_ERROR_MEMORY;
}

SnStatus sn_clusters_find(SnClusters* c, const SnClusterItems* given)
{
    int bonds = 0;
    c->count = 0;
    SN_TRY(make_room(c, given));
    for (int k = 0; k < given->count; k++) {
        int item = given->work[k];
        c->places[k] = place_of(given, item);
        c->root[item] = item, c->size[item] = 1;
    }
    if (given->count > 0) qsort(c->places, (size_t)given->count, sizeof *c->places, compare_places);
    SN_TRY(find_bonds(c, given, &bonds));
    if (bonds > 0) qsort(c->bonds, (size_t)bonds, sizeof *c->bonds, compare_bonds);
    join(c, bonds);
    return list(c, given);
}

static void make_ready(SnClusters* c, SnCluster* cluster, const SnClusterItems* given)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int m = 0; m < 3 * cluster->count && !cluster->ready; m++) {
        int l = m / 3, a = m % 3;
        respond(c, given, cluster->item[l], axes[a]);
        for (int k = 0; k < cluster->count; k++) {
            double w[3];
            take(c, given, cluster->item[k], w);
            for (int b = 0; b < 3; b++) cluster->block[k][l][3 * b + a] = w[b];
        }
        cluster->block[l][l][4 * a] += given->items[cluster->item[l]].give;
    }
    cluster->ready = true;
}

// Forces of a cluster, and how far off its points are with them: w = base + S f.
typedef struct Trial {
    const SnCluster* cluster;
    const SnDualItem* items;
    double base[SN_CLUSTER][3], f[SN_CLUSTER][3], last[SN_CLUSTER][3], w[SN_CLUSTER][3];
} Trial;

static void add_motion(const Trial* t, int k, double sign, double w[3])
{
    for (int l = 0; l < t->cluster->count; l++) {
        const double *s = t->cluster->block[k][l], *f = t->f[l];
        for (int a = 0; a < 3; a++) w[a] += sign * (s[3 * a] * f[0] + s[3 * a + 1] * f[1] + s[3 * a + 2] * f[2]);
    }
}

static void begin(Trial* t, const double* w, const double* force)
{
    for (int k = 0; k < t->cluster->count; k++) {
        int64_t at = 3 * (int64_t)t->cluster->item[k];
        memcpy(t->f[k], force + at, sizeof t->f[k]);
        memcpy(t->w[k], w + at, sizeof t->w[k]);
        memcpy(t->base[k], w + at, sizeof t->base[k]);
    }
    for (int k = 0; k < t->cluster->count; k++) add_motion(t, k, -1, t->base[k]);
    memcpy(t->last, t->f, sizeof t->f);
}

static SnDualSums look(Trial* t)
{
    SnDualSums sums = {0};
    for (int k = 0; k < t->cluster->count; k++) {
        const SnDualItem* item = &t->items[t->cluster->item[k]];
        double now[3], df[3], dw[3];
        memcpy(now, t->base[k], sizeof now);
        add_motion(t, k, 1, now);
        for (int a = 0; a < 3; a++) {
            df[a] = t->f[k][a] - t->last[k][a];
            dw[a] = now[a] - t->w[k][a], t->w[k][a] = now[a];
        }
        sn_dual_add_error(item, t->f[k], t->w[k], &sums);
        sn_dual_add_curvature(item, df, dw, &sums);
    }
    return sums;
}

// As for all constraints, the smallest error counts.
static void settle(const SnCluster* cluster, const SnDualItem* items, const double* w, double* force)
{
    Trial t = {.cluster = cluster, .items = items};
    double best[SN_CLUSTER][3], length = SN_DUAL_FIRST_STEP;
    begin(&t, w, force);
    memcpy(best, t.f, sizeof best);
    SnDualSums sums = look(&t);
    double first = sums.error, least = first;
    for (int step = 0; step < SN_CLUSTER_STEPS && sums.error > SN_CLUSTER_ERROR * SN_CLUSTER_ERROR * first; step++) {
        memcpy(t.last, t.f, sizeof t.f);
        for (int k = 0; k < cluster->count; k++) sn_dual_go_on(&items[cluster->item[k]], length, t.w[k], t.f[k]);
        sums = look(&t);
        length = sn_dual_length(&sums, step, SN_DUAL_FIRST_STEP);
        if (sums.error < least) least = sums.error, memcpy(best, t.f, sizeof best);
    }
    for (int k = 0; k < cluster->count; k++) memcpy(force + 3 * (int64_t)cluster->item[k], best[k], sizeof best[k]);
}

static double error_of(const SnCluster* cluster, const SnDualItem* items, const double* w, const double* force)
{
    SnDualSums sums = {0};
    for (int k = 0; k < cluster->count; k++) {
        int64_t at = 3 * (int64_t)cluster->item[k];
        sn_dual_add_error(&items[cluster->item[k]], force + at, w + at, &sums);
    }
    return sums.error;
}

int sn_clusters_settle(SnClusters* c, const SnClusterItems* given, double error, const double* w, double* force)
{
    int settled = 0;
    for (int k = 0; k < c->count; k++) {
        if (!(error_of(&c->all[k], given->items, w, force) > SN_CLUSTER_SHARE * error)) continue;
        make_ready(c, &c->all[k], given);
        settle(&c->all[k], given->items, w, force);
        settled++;
    }
    return settled;
}
