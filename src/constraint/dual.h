// The forces of constraints in a step of a quasi-Newton method: its quadratic model is minimised with the constraints
// kept, and not with energies that stand in for them. So what the method has learned is about the elastic bodies alone
// and stays true while contacts come and go.
#pragma once
#include "constraint/clusters.h"

// A free node of a constraint.
typedef struct SnDualNode {
    int64_t place; // of x in vectors,
    double weight;
    int apart; // and how far y and z are from there
} SnDualNode;

enum { SN_DUAL_VECTORS = 5 };
typedef struct SnDual {
    SnConstraints* constraints;
    double length;   // of the next step
    int64_t applied; // how often an inverse was, so far
    bool again;      // base is from the direction before,
    bool same;       // and so are the constraints,
    int rounds;      // which had been found anew so often by then
    int count;       // of constraints
    int work_count;  // of those that push, or may: all others have no force, and stay where they are
    int item_capacity, own_capacity, work_capacity, works_capacity, part_capacity, first_capacity, node_capacity;
    int capacity[SN_DUAL_VECTORS];
    SnDualItem* items;
    SnClusters clusters;                                 // of those that work
    int* work;                                           // their numbers, in order
    bool* works;                                         // it is one of them
    bool* own;                                           // it counts in sums of this process
    SnDualSums* parts;                                   // of them, some each
    int* first_node;                                     // count + 1: of its nodes
    SnDualNode* nodes;                                   // of all constraints
    double *force, *offset, *motion, *last_force, *best; // 3 per constraint
    double *spread, *moved;                              // 3 x node_count
    double* base;                                        // the same: what nodes are pushed with as it is,
    double* base_touched;                                // and of that what is at the nodes that are known
} SnDual;

// An inverse of all nodes, and what is known of it among those of the constraints that push.
typedef struct SnDualInverse {
    SnInverse all, touched; // the latter of vectors as in compliance
    // Sets what follows, for the constraints in dual->work and the nodes that are pushed already (sn_dual_pushes).
    SnStatus (*know)(struct SnDualInverse* self, const SnDual* dual);
    void* user;
    const SnCompliance* compliance; // NULL: nothing is known
    SnBodyInverse body;             // among those of one body
    bool swept;                     // or no more than that there are few of them: its numbers are not
    double error;                   // of the step, how far off its forces may be,
    int steps;                      // and how many steps towards them there are at most
} SnDualInverse;

SnStatus sn_dual_create(SnDual* dual, SnConstraints* constraints);
void sn_dual_free(SnDual* dual);
void sn_dual_start(SnDual* dual); // of a minimisation

bool sn_dual_pushes(const SnDual* dual, int node); // it is pushed by base

// r = g - q: what is left of the gradient g without forces of constraints when nodes are pushed with q. That is what
// the forces that constraints have do; or again what those did that were found last.
SnStatus sn_dual_begin(SnDual* dual, const double* g, bool again, double* r);
// After it, with p = h r: d = -h (r - (C^T f - q)), with forces f that keep the constraints at x + d. These become the
// constraints' multipliers. The last time that h.all is applied it is to C^T f - q.
SnStatus sn_dual_solve(SnDual* dual, SnDualInverse h, const double* x, const double* r, const double* p, double* d);
