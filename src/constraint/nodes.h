// The nodes of a problem, as constraints and solvers see them.
#pragma once
#include <math.h>

#include "core/tasks.h"

typedef struct SnNodes {
    SnTasks* tasks;
    int count;
    int free_count;
    const int* free_index;   // count: row of each free node, -1 where pinned
    const double* mass;      // count, kg; with loads, and what their drag adds to it in the stage
    double inertia;          // 1/b^2, 1/s2; 0 without inertia
    const double* start;     // 3 x count: x^p, from which velocities are taken
    const double* stiffness; // count or NULL: diagonal of the potential's Laplacian, N/m
    const double* support;   // count or NULL: N/m that stand in for constraints, in matrices that do not have these
    const double* own_mass;  // count, kg, without that; and N s/m or NULL: the drag of loads, at most; of those
    const double* drag;      // matrices that are kept from step to step
    struct SnFactorStore* factors; // of problems before this one (linalg/factor_store.h), or NULL
} SnNodes;

// What a node puts up against being moved, N/m.
static inline double sn_node_resistance(const SnNodes* nodes, int node)
{
    double inertia = nodes->inertia * nodes->mass[node];
    return nodes->stiffness ? inertia + nodes->stiffness[node] : inertia;
}

// What inertia and the drag of loads put up in matrices that are kept from step to step: no less than in any of them.
static inline double sn_node_kept_inertia(const SnNodes* nodes, int node)
{
    if (!nodes->drag) return nodes->inertia * nodes->mass[node];
    return nodes->inertia * nodes->own_mass[node] + sqrt(nodes->inertia) * nodes->drag[node];
}
