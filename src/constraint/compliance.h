// How the nodes that constraints touch move when one of them is pushed, as numbers: the rows and columns of a scalar
// inverse B that are theirs. Forces that are found among a few nodes then need no more of B.
#pragma once
#include "constraint/inverse.h"

// Nodes of one body; between bodies B is zero.
typedef struct SnCompliantBody {
    int count, capacity; // of nodes
    int ready;           // of them have their columns
    int first;           // where they are among all
    int* node;
    int side;  // of the matrix: how many nodes it has room for
    double* b; // side x side, m/N
} SnCompliantBody;

typedef struct SnCompliance {
    const SnNodes* nodes;
    int* body;  // node_count: the first node of the body that it belongs to
    int* which; // node_count: number of the body with this first node, -1: none yet
    int* at;    // node_count: where it is in its body, -1: not there
    int count;  // nodes of all bodies
    int body_count, body_capacity;
    SnCompliantBody* bodies;
    double *q, *r; // 3 x node_count
} SnCompliance;

// body: 1 per node, see above; it becomes the compliance's.
SnStatus sn_compliance_create(SnCompliance* compliance, const SnNodes* nodes, int* body);
void sn_compliance_free(SnCompliance* compliance);
void sn_compliance_clear(SnCompliance* compliance);

SnStatus sn_compliance_add(SnCompliance* compliance, int node); // once, if it is free
int sn_compliance_price(const SnCompliance* compliance);        // how often B is to be applied until all is there
int64_t sn_compliance_entries(const SnCompliance* compliance);
SnStatus sn_compliance_complete(SnCompliance* compliance, SnInverse b);

// Where a node is among all of them; -1: nowhere.
static inline int sn_compliance_place(const SnCompliance* c, int node)
{
    return c->at[node] < 0 ? -1 : c->bodies[c->which[c->body[node]]].first + c->at[node];
}

// to = those of x, 3 x node_count, that are the nodes'.
void sn_compliance_take(const SnCompliance* compliance, const double* x, double* to);
void sn_compliance_apply(const SnCompliance* compliance, const double* q, double* r); // both 3 x count
