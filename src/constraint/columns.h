// The columns of an inverse B at some nodes of each body, which outlast a minimisation as B does.
//
// Nodes have ranks, in the order in which they came, and of two columns that say the same the one of the later node
// counts: so that ranks are all that a run has to remember for the same bits, however the columns were found.
#pragma once
#include "constraint/nodes.h"
#include "core/status.h"
#include "linalg/cholesky.h"

// rows = B rows of SN_MANY vectors at once: of the free nodes, as many each as the columns have, of SN_MANY numbers.
// They are zero but at some of these, whatever is there, and only these are asked for.
typedef struct SnManyInverse {
    SnStatus (*apply)(void* self, const int* nodes, int count, double* rows);
    void* self;
    // What is wanted is R B R^T, with the rotation R of each node: r, column after column, of that with this row. NULL:
    // B itself.
    void (*turn)(const void* self, int row, double r[9]);
} SnManyInverse;

typedef struct SnColumnsBody {
    int root;            // what SnColumns.body has for its nodes
    int count, capacity; // of nodes, by rank
    int ready;           // of them have their columns
    int* node;
    int side; // of the matrix: how many rows it has room for
    float* b; // side x side, m/N
} SnColumnsBody;

typedef struct SnColumns {
    const SnNodes* nodes;
    int width;       // rows per node: 1, B is the same for x, y and z, and zero between them; or 3
    const int* body; // node_count: the first node of the body that it belongs to
    int* which;      // node_count: number of the body with this first node, -1: none yet
    int* rank;       // node_count: in its body, -1: it has none
    int* size;       // node_count: of the body with this first node, free nodes
    int body_count, body_capacity;
    SnColumnsBody* bodies;
    double* rows; // width x free_count x SN_MANY, made when first needed,
    int* some;    // free_count: those of them that count
} SnColumns;

// body: the caller's.
SnStatus sn_columns_create(SnColumns* columns, const SnNodes* nodes, int width, const int* body);
void sn_columns_free(SnColumns* columns);
void sn_columns_forget(SnColumns* columns);
void sn_columns_forget_body(SnColumns* columns, int root);

static inline const SnColumnsBody* sn_columns_of(const SnColumns* c, int node)
{
    int which = c->which[c->body[node]];
    return which < 0 ? NULL : &c->bodies[which];
}

SnStatus sn_columns_add(SnColumns* columns, int node); // once
// How often B is to be applied to many for so many nodes of a body that have no rank yet: a part of that, as it is but
// the body.
double sn_columns_price(const SnColumns* columns, int root, int count);
// Those that are not ready.
SnStatus sn_columns_complete(SnColumns* columns, SnManyInverse b);

// What a run remembers: a number for each node. NULL, or what are no ranks: nothing.
void sn_columns_save(const SnColumns* columns, double* ranks);
void sn_columns_restore(SnColumns* columns, const double* ranks);
