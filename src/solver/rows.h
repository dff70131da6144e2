// Between vectors over all nodes and vectors over the free ones.
#pragma once
#include "solver/objective.h"

// rows = the free entries of x (3 x node_count), times factor.
void sn_rows_gather(const SnObjective* objective, double factor, const double* x, double* rows);
// x = rows spread out, zero at pinned nodes.
void sn_rows_scatter(const SnObjective* objective, const double* rows, double* x);
