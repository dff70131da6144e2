// Constraints that are nearly one: a node close to an edge meets the triangle, as the end of other edges that edge, and
// so on; two patches that lie on each other meet in every pair of their edges; a stiff body stands on all its corners.
// Force that goes from one to another of them moves next to nothing, so that steps along what all constraints are off
// by (constraint/dual.h) take hundreds to share it out among them. By themselves they are a problem of few numbers, and
// are put right at once.
//
// Which they are the inverse tells: of the same two bodies, i and j are bound by (n_i.S_ij n_j)^2 / (n_i.S_ii n_i
// n_j.S_jj n_j), which is 1 where a push on one moves the other as it does itself. Those that are bound most are joined
// first.
#pragma once
#include "constraint/compliance.h"
#include "constraint/constraint.h"
#include "constraint/dual_item.h"

enum { SN_CLUSTER = 12 }; // of them, at most
typedef struct SnCluster {
    int count;
    int item[SN_CLUSTER];                    // in order
    bool ready;                              // the blocks are there
    double block[SN_CLUSTER][SN_CLUSTER][9]; // m/N: how the points give way to forces on them
} SnCluster;

typedef struct SnClusters {
    int count, capacity, place_capacity, bond_capacity, own_capacity, root_capacity, size_capacity, push_capacity,
        motion_capacity;
    SnCluster* all;
    struct SnClusterPlace* places; // while they are found, as what follows
    struct SnClusterBond* bonds;
    double* own;           // n.S n of each item
    int *root, *size;      // the first of those that it is joined with, and how many these are
    double *push, *motion; // of the nodes that are known; the former zero but while it is used
} SnClusters;

// r = h q of the nodes of one body, as sn_compliance_apply_body has them.
typedef struct SnBodyInverse {
    void (*apply)(void* self, const SnCompliantBody* body, const double* q, double* r);
    void* self;
} SnBodyInverse;

// What they are found by.
typedef struct SnClusterItems {
    const SnConstraintSet* set;
    const SnDualItem* items;
    const int* work; // the numbers of those of the items that count, whose nodes are known
    int count;
    const SnCompliance* compliance;
    SnBodyInverse h;
} SnClusterItems;

void sn_clusters_free(SnClusters* clusters);
SnStatus sn_clusters_find(SnClusters* clusters, const SnClusterItems* given);
// The forces of each that has a part of the whole error, squared, become right as long as all others stay; w: how far
// off points are. Returns how many were.
int sn_clusters_settle(SnClusters* clusters, const SnClusterItems* given, double error, const double* w, double* force);
