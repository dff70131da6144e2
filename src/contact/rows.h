// Linear constraints on a few nodes each, shared by contacts and sliding: n . (sum_k w_k x_k) = d, or >= d.
#pragma once
#include "core/memory.h"

enum { SN_ROW_NODES = 4 };

typedef struct SnRow {
    int count; // of nodes
    int node[SN_ROW_NODES];
    double weight[SN_ROW_NODES];
    double normal[3];   // of unit length
    double offset;      // d, m
    bool unilateral;    // it only pushes along the normal: dropped where it would have to pull
    double friction;    // Coulomb's coefficient
    double velocity[3]; // m/s, of the obstacle's point
    double force;       // N along the normal, as the last global step found it; where the next one starts
    double press;       // N along the normal that friction goes by, as of the last iteration
    double stiffness;   // N/m, of the energy that solvers without constraints put in its place; they set it
    double compliance;  // m/N: how far it gives way in the global step of a solver that keeps rows; 0: not at all
    double turned;      // how far its normal has turned to and fro since the stage began; negative: not known
    int64_t key;        // the same contact in two steps has the same key
} SnRow;

typedef struct SnRowSet {
    int count, capacity;
    SnRow* rows;
} SnRowSet;

SnStatus sn_row_set_add(SnRowSet* set, const SnRow* row); // memory is kept from step to step
void sn_row_set_free(SnRowSet* set);

// n . (sum_k w_k x_k) - d, m: negative where a unilateral row is violated. x: 3 per node.
double sn_row_gap(const SnRow* row, const double* x);
// Adds scale n w_k to the row's nodes: C^T.
void sn_row_add(const SnRow* row, double scale, double* f);

// Forces of rows with the same key are taken over from the step before; both sets sorted by key.
void sn_row_set_sort(SnRowSet* set);
void sn_row_set_warm_start(SnRowSet* set, const SnRowSet* before);
// Rows that push nodes at x and whose normals keep turning stay as they were before, and so do those that are gone: at
// sharp edges they would turn, or come and go, for ever. Both sets sorted by key.
SnStatus sn_row_set_hold(SnRowSet* set, const SnRowSet* before, const double* x);
