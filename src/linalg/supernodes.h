// The shape of a sparse Cholesky factor: elimination order, and supernodes (runs of columns with the same rows).
//
// Everything is counted in nodes of the graph; a node stands for one or three scalar columns. Wide supernodes are cut
// into chains of links, each the only child of the next.
#pragma once
#include "linalg/graph_parts.h"

typedef struct SnSupernodes {
    int n, count; // nodes, supernodes
    int* order;   // n: the node eliminated k-th, part after part; below, nodes are named by their place in this order
    int* first;   // count + 1: supernode s has columns first[s] .. first[s+1]-1
    int* parent;  // count: a larger number, -1 for roots
    bool* link;   // count: continues the chain of s-1, whose rows are exactly its columns and rows
    int64_t* row_start; // count + 1, into row
    int* row;           // the rows below the supernode's columns, increasing
} SnSupernodes;

// `widest` is the most columns of a supernode; the links of a chain but the first have exactly as many. `block` is how
// many scalar columns a node has, which bears on how many zeros are worth storing for wider supernodes.
SnStatus sn_supernodes_create(const SnGraphParts* parts, int block, int widest, SnSupernodes* supernodes);
void sn_supernodes_free(SnSupernodes* supernodes);
