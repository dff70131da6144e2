// A point of a few nodes, sum_k w_k x_k, and a plane: the gap between them is n . (sum_k w_k x_k) - d.
#pragma once
#include "core/memory.h"

enum { SN_STENCIL_NODES = 4 };

typedef struct SnStencil {
    int count; // of nodes
    int node[SN_STENCIL_NODES];
    double weight[SN_STENCIL_NODES];
    double normal[3]; // of unit length
    double offset;    // d, m
} SnStencil;

// m: negative behind the plane. x: 3 per node.
double sn_stencil_gap(const SnStencil* stencil, const double* x);
// The same without the offset: a row of the Jacobian C times x.
double sn_stencil_along(const SnStencil* stencil, const double* x);
// Adds scale n w_k to the nodes: the row of C, transposed.
void sn_stencil_add(const SnStencil* stencil, double scale, double* f);
// Adds w_k force to the nodes.
void sn_stencil_spread(const SnStencil* stencil, double scale, const double force[3], double* f);
