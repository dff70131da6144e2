// Constraints at one place: a node close to an edge meets the triangle, as the end of other edges that edge, and so on;
// the nodes that bear most of them are the same two. Force that goes from one to another of them moves next to nothing,
// so that steps along what all constraints are off by (constraint/dual.h) take hundreds to share it out among them. By
// themselves they are a problem of few numbers, and are put right at once.
#pragma once
#include "constraint/compliance.h"
#include "constraint/constraint.h"
#include "constraint/dual_item.h"

enum { SN_CLUSTER = 6 }; // of them, at most
typedef struct SnCluster {
    int count;
    int item[SN_CLUSTER];
    double block[SN_CLUSTER][SN_CLUSTER][9]; // m/N: how the points give way to forces on them
} SnCluster;

typedef struct SnClusters {
    int count, capacity, order_capacity;
    SnCluster* all;
    struct SnClusterOrder* order; // while they are found
} SnClusters;

void sn_clusters_free(SnClusters* clusters);
// Among the `count` of the set's items in `work`, whose nodes are known with three rows each.
SnStatus sn_clusters_find(SnClusters* clusters, const SnConstraintSet* set, const SnDualItem* items, const int* work,
                          int count, const SnCompliance* compliance);
// The forces of each become right as long as all others stay; w: how far off points are.
void sn_clusters_settle(const SnClusters* clusters, const SnDualItem* items, const double* w, double* force);
