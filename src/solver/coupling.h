// Rows that join several nodes, as a product: what they add to a Hessian that has only their blocks' upper bound on its
// diagonal, so that its pattern stays the same.
#pragma once
#include "linalg/pcg.h"
#include "solver/objective.h"

typedef struct SnCoupledRow {
    int count;
    int row[SN_ROW_NODES]; // of the matrix; -1: pinned
    double weight[SN_ROW_NODES];
    double block[9];
} SnCoupledRow;

typedef struct SnCoupling {
    int count, capacity;
    SnCoupledRow* rows;
    SnLinearMap matrix; // with the bound on its diagonal
} SnCoupling;

// For the objective's rows at x, where its gradient is g, beside `matrix`.
SnStatus sn_coupling_update(SnCoupling* coupling, const SnObjective* objective, const double* x, const double* g,
                            SnLinearMap matrix);
SnLinearMap sn_coupling_map(SnCoupling* coupling); // y = (matrix - bound + rows) x
void sn_coupling_free(SnCoupling* coupling);
