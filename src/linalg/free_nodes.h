// Between vectors over all nodes (3 x node_count) and vectors over the free ones (3 x free_count).
#pragma once
#include "core/tasks.h"

// free_index: node_count, the row of each free node, -1 where a node is pinned. out = the free entries of x, times
// factor.
void sn_free_gather(SnTasks* tasks, int node_count, const int* free_index, double factor, const double* x, double* out);
// x = rows spread out, zero at pinned nodes.
void sn_free_scatter(SnTasks* tasks, int node_count, const int* free_index, const double* rows, double* x);
