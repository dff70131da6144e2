// How the nodes that constraints touch move when one of them is pushed, as numbers: the rows and columns of an inverse
// B that are theirs (constraint/columns.h), turned with the nodes as B is. Forces that are found among a few nodes then
// need no more of B.
#pragma once
#include "constraint/columns.h"
#include "constraint/inverse.h"

// Nodes of one body; between bodies B is zero.
typedef struct SnCompliantBody {
    int root;            // what SnCompliance.body has for its nodes
    int count, capacity; // of nodes
    int ready;           // of them are in the matrix
    int first;           // where they are among all
    int* node;
    double* turn; // 9 x capacity: their rotations
    // Forces are found to a percent with these, and reading them is what that takes: floats.
    int side; // of the matrix: how many rows it has room for
    float* b; // side x side, m/N,
    float* h; // and corrected, see below; width 3 only
} SnCompliantBody;

typedef struct SnCompliance {
    const SnNodes* nodes;
    int width;  // rows per node: 1, B is the same for x, y and z, and zero between them; or 3
    int* body;  // node_count: the first node of the body that it belongs to
    int* which; // node_count: number of the body with this first node, -1: none yet
    int* at;    // node_count: where it is in its body, -1: not there
    int count;  // nodes of all bodies
    int body_count, body_capacity;
    SnCompliantBody* bodies;
    SnColumns columns; // of B, which outlast a minimisation
} SnCompliance;

// body: 1 per node, see above; it becomes the compliance's.
SnStatus sn_compliance_create(SnCompliance* compliance, const SnNodes* nodes, int width, int* body);
void sn_compliance_free(SnCompliance* compliance);
void sn_compliance_clear(SnCompliance* compliance); // before a minimisation

SnStatus sn_compliance_add(SnCompliance* compliance, int node); // once, if it is free
// How often B is to be applied to many until all is there; to the nodes of one body: a part of that.
double sn_compliance_price(const SnCompliance* compliance);
int64_t sn_compliance_entries(const SnCompliance* compliance);
SnStatus sn_compliance_complete(SnCompliance* compliance, SnManyInverse b);
// Columns that a run has remembered are found again.
SnStatus sn_compliance_recall(SnCompliance* compliance, SnManyInverse b);
// The nodes have places in vectors, as they also have after that; nothing of B is known.
void sn_compliance_place_bodies(SnCompliance* compliance);

// Vectors among them have, for each body, x of its nodes, then y, then z (width 1), or x, y, z of each (3). Where x of
// a node is, -1: nowhere, and how far y is from there.
static inline int64_t sn_compliance_place(const SnCompliance* c, int node, int* apart)
{
    if (c->at[node] < 0) return -1;
    const SnCompliantBody* body = &c->bodies[c->which[c->body[node]]];
    *apart = c->width == 1 ? body->count : 1;
    return 3 * (int64_t)body->first + c->width * c->at[node];
}

// How far a node gives way to a push on another, in the mean over the axes; zero if one of them is not there.
double sn_compliance_entry(const SnCompliance* compliance, int row, int column);

// From here on, of width 3: h = scale b + sum_ij w_ij v_i v_j^T is what is applied of a body; v_i has three numbers of
// each of its nodes and is `apart` from the one before; `sums` has room for as many as all of them and one more have.
void sn_compliance_correct(const SnCompliance* compliance, const SnCompliantBody* body, double scale, int count,
                           const double* w, const double* v, int64_t apart, double* sums);

// to = those of x, 3 x node_count, that are the nodes'.
void sn_compliance_take(const SnCompliance* compliance, const double* x, double* to);
// r = B q, or h q, of a body: its part of these
void sn_compliance_apply_body(const SnCompliance* compliance, const SnCompliantBody* body, const double* q, double* r);
