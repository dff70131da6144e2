// Products of vectors over nodes, three entries each: over all nodes, each once, of all processes (core/share.h).
#pragma once
#include "core/tasks.h"

double sn_nodes_dot(SnTasks* tasks, int node_count, const double* x, const double* y);
double sn_nodes_norm(SnTasks* tasks, int node_count, const double* x);
// out[k] = xs[k].ys[k]
void sn_nodes_pairs(SnTasks* tasks, int node_count, int count, const double* const* xs, const double* const* ys,
                    double* out);
