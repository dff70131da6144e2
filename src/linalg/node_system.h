// A scalar symmetric matrix over the free nodes with its factor, solved for three axes at once and for vectors over all
// nodes.
#pragma once
#include "linalg/cholesky.h"

typedef struct SnNodeSystem {
    SnScalarMatrix matrix;
    SnCholesky* cholesky;
    int made;    // factors so far
    int* pinned; // nodes without a row
    int pinned_count;
} SnNodeSystem;

// For the matrix as it is now, whose pattern stays; free_index: node_count, the row of each node or -1; store: see
// sn_cholesky_create, or NULL.
SnStatus sn_node_system_build(SnNodeSystem* system, int node_count, const int* free_index, SnFactorStore* store);
void sn_node_system_free(SnNodeSystem* system);
// r = A^-1 q, both 3 x node_count and zero at pinned nodes; r may be q.
SnStatus sn_node_system_solve(const SnNodeSystem* system, const double* q, double* r);
