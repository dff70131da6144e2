// A point of a few nodes, sum_k w_k x_k, and a plane: the gap between them is n . (sum_k w_k x_k) - d.
#pragma once
#include "core/memory.h"

// Four points, each a node or carried by four of them.
enum { SN_STENCIL_NODES = 16 };

typedef struct SnStencil {
    int count;        // of nodes
    int first;        // of contacts: how many of these are on the side of the first one
    double normal[3]; // of unit length
    double offset;    // d, m
    int node[SN_STENCIL_NODES];
    double weight[SN_STENCIL_NODES];
} SnStencil;

// m: negative behind the plane. x: 3 per node.
double sn_stencil_gap(const SnStencil* stencil, const double* x);
// The same without the offset: a row of the Jacobian C times x.
double sn_stencil_along(const SnStencil* stencil, const double* x);
// Adds scale n w_k to the nodes: the row of C, transposed.
void sn_stencil_add(const SnStencil* stencil, double scale, double* f);
// Of contacts: 1 where the normal points to the first side, -1 where it points away from it.
double sn_stencil_sign(const SnStencil* stencil);
// Adds w_k force to the nodes.
void sn_stencil_spread(const SnStencil* stencil, double scale, const double force[3], double* f);
