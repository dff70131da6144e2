// The broad phase: which nodes may meet which triangles, and which edges which edges, on a straight way.
//
// What is found is a function of the positions and radii alone, in a fixed order: the lists that are kept from call to
// call (contact/pair_list.c) only save work. So runs that are resumed, and any number of threads, see the same.
#pragma once
#include "contact/surfaces.h"

typedef struct SnPair {
    int point[4]; // a node and a triangle's three corners; or the two ends of an edge and of another
} SnPair;

typedef struct SnPairArray {
    int count, capacity;
    SnPair* items; // by surfaces (the lower number first), then in the order of the elements
} SnPairArray;

typedef struct SnPairs SnPairs;

SnStatus sn_pairs_create(const SnSurfaces* surfaces, SnPairs** pairs); // the surfaces must outlive them
void sn_pairs_destroy(SnPairs* pairs);

// All pairs without a common point that may come nearer than radius[a] + radius[b], of their surfaces, while all points
// go straight from x0 to x1 (3 x point_count): those whose boxes around both ends, further out by the radius and as
// seen going along (contact/swept.h), meet, and that no plane tried (contact/apart.h) keeps apart.
SnStatus sn_pairs_find(SnPairs* pairs, const double* x0, const double* x1, const double* radius);
// Of these only those with a point that is marked, changed: one for each point. What sn_pairs_find has found is kept
// aside, and is there again after sn_pairs_back.
SnStatus sn_pairs_find_changed(SnPairs* pairs, const double* x0, const double* x1, const double* radius,
                               const bool* changed);
void sn_pairs_back(SnPairs* pairs);
// What was found last.
const SnPairArray* sn_pairs_node_triangle(const SnPairs* pairs);
const SnPairArray* sn_pairs_edge_edge(const SnPairs* pairs);

// What it took, over all calls, to tell how well lists are kept.
typedef struct SnPairsWork {
    int64_t lists, made; // lists of two surfaces that were looked through, and how many of them had to be made for it
    int64_t looked_at;   // listed pairs whose boxes were compared
} SnPairsWork;
SnPairsWork sn_pairs_work(const SnPairs* pairs);
