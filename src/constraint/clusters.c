#include "constraint/clusters.h"

#include <stdlib.h>
#include <string.h>

#include "constraint/constants.h"

// The two nodes that bear most of an item, one of each side.
typedef struct SnClusterOrder {
    int node[2], item;
} SnClusterOrder;

void sn_clusters_free(SnClusters* c)
{
    sn_free(c->all), sn_free(c->order);
    *c = (SnClusters){0};
}

// false: it has one side alone, as contacts with obstacles have.
static bool find_order(const SnStencil* at, int item, SnClusterOrder* order)
{
    double most[2] = {0};
    *order = (SnClusterOrder){{-1, -1}, item};
    for (int k = 0; k < at->count; k++) {
        int side = at->weight[k] < 0;
        if (fabs(at->weight[k]) > most[side]) most[side] = fabs(at->weight[k]), order->node[side] = at->node[k];
    }
    if (order->node[0] > order->node[1]) *order = (SnClusterOrder){{order->node[1], order->node[0]}, item};
    return order->node[0] >= 0;
}

static int compare_nodes(const SnClusterOrder* a, const SnClusterOrder* b)
{
    int k = a->node[0] == b->node[0];
    return a->node[k] < b->node[k] ? -1 : a->node[k] > b->node[k];
}

static int compare(const void* a, const void* b)
{
    const SnClusterOrder *p = a, *q = b;
    int nodes = compare_nodes(p, q);
    return nodes != 0 ? nodes : p->item < q->item ? -1 : p->item > q->item;
}

static void find_block(const SnCompliance* c, const SnStencil* a, const SnStencil* b, double block[9])
{
    memset(block, 0, 9 * sizeof *block);
    for (int k = 0; k < a->count; k++)
        for (int l = 0; l < b->count; l++)
            sn_compliance_add_block(c, a->node[k], b->node[l], a->weight[k] * b->weight[l], block);
}

static SnStatus add(SnClusters* c, const SnClusterOrder* order, int count, const SnConstraintSet* set,
                    const SnDualItem* items, const SnCompliance* compliance)
{
    if (!SN_GROW(c->all, c->capacity, (int64_t)c->count + 1, "constraints")) return SN_ERROR_MEMORY;
    SnCluster* cluster = &c->all[c->count++];
    cluster->count = count;
    for (int k = 0; k < count; k++) {
        cluster->item[k] = order[k].item;
        for (int l = 0; l <= k; l++) {
            find_block(compliance, &set->items[order[k].item].constraint.at, &set->items[order[l].item].constraint.at,
                       cluster->block[k][l]);
            for (int a = 0; a < 9; a++) cluster->block[l][k][a] = cluster->block[k][l][3 * (a % 3) + a / 3];
        }
        for (int a = 0; a < 3; a++) cluster->block[k][k][4 * a] += items[order[k].item].give;
    }
    return SN_OK;
}

SnStatus sn_clusters_find(SnClusters* c, const SnConstraintSet* set, const SnDualItem* items, const int* work,
                          int count, const SnCompliance* compliance)
{
    int n = 0;
    c->count = 0;
    if (!SN_GROW(c->order, c->order_capacity, count, "constraints")) return SN_ERROR_MEMORY;
    for (int k = 0; k < count; k++) n += find_order(&set->items[work[k]].constraint.at, work[k], &c->order[n]);
    if (n > 0) qsort(c->order, (size_t)n, sizeof *c->order, compare);
    for (int first = 0, last = 0; first < n; first = last) {
        while (last < n && last - first < SN_CLUSTER && compare_nodes(&c->order[last], &c->order[first]) == 0) last++;
        if (last - first > 1) SN_TRY(add(c, c->order + first, last - first, set, items, compliance));
    }
    return SN_OK;
}

// Forces of a cluster, and how far off its points are with them: w = base + S f.
typedef struct Trial {
    const SnCluster* cluster;
    const SnDualItem* items;
    double base[SN_CLUSTER][3], f[SN_CLUSTER][3], last[SN_CLUSTER][3], w[SN_CLUSTER][3];
} Trial;

static void add_motion(const Trial* t, int k, double sign, double w[3])
{
    for (int l = 0; l < t->cluster->count; l++)
        for (int a = 0; a < 9; a++) w[a / 3] += sign * t->cluster->block[k][l][a] * t->f[l][a % 3];
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

void sn_clusters_settle(const SnClusters* c, const SnDualItem* items, const double* w, double* force)
{
    for (int k = 0; k < c->count; k++) settle(&c->all[k], items, w, force);
}
