// The nodes of a problem, as constraints and solvers see them.
#pragma once
#include "core/tasks.h"

typedef struct SnNodes {
    SnTasks* tasks;
    int count;
    int free_count;
    const int* free_index;   // count: row of each free node, -1 where pinned
    const double* mass;      // count, kg
    double inertia;          // 1/b^2, 1/s2; 0 without inertia
    const double* start;     // 3 x count: x^p, from which velocities are taken
    const double* stiffness; // count or NULL: diagonal of the potential's Laplacian, N/m
    const double* support;   // count or NULL: N/m that stand in for constraints, in matrices that do not have these
} SnNodes;

// What a node puts up against being moved, N/m.
static inline double sn_node_resistance(const SnNodes* nodes, int node)
{
    double inertia = nodes->inertia * nodes->mass[node];
    return nodes->stiffness ? inertia + nodes->stiffness[node] : inertia;
}
