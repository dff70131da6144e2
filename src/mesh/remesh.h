// A surface as a net of triangles that is changed: edges split, collapsed and flipped; see remesh.c.
#pragma once
#include "mesh/mesh.h"

typedef struct SnNet {
    int node_count, node_capacity;
    double* x; // 3 x node_count
    int x_capacity;
    char* fixed; // node_count: a corner, which stays
    int triangle_count, triangle_capacity, sharp_capacity;
    int* triangles; // 3 x triangle_count
    char* sharp;    // 3 x triangle_count: the edge after each corner is kept
} SnNet;

// Who is next to whom, for as long as nothing changes.
typedef struct SnNetLinks {
    int edge_count;
    int* ends;         // 2 x edge_count
    int* edge_of;      // 3 x triangle_count
    int* side_start;   // edge_count + 1
    int* sides;        // 3 x triangle_count: where each edge is, as 3 triangle + corner
    int* around_start; // node_count + 1
    int* around;       // 3 x triangle_count: triangles at each node
    int* sharp_at;     // node_count: how many sharp edges
    char* open;        // node_count: it is on an edge of one triangle
    char* touched;     // node_count: something near it was changed
} SnNetLinks;

void sn_net_free(SnNet* net);
SnStatus sn_net_link(SnNet* net, SnNetLinks* links); // sharp edges are sharp on all sides then
void sn_net_unlink(SnNetLinks* links);
void sn_net_normal(const SnNet* net, const int* triangle, double normal[3]); // with twice its area for length
// Triangles at `node` but not at `with` (-1: nobody) keep their side, and no edge gets too long, when it goes to x.
bool sn_net_may_move(const SnNet* net, const SnNetLinks* links, int node, int with, const double x[3], double longest);

// Each changes what it may in one pass, and says how many times.
SnStatus sn_net_split(SnNet* net, double longest, int* count);
SnStatus sn_net_collapse(SnNet* net, double shortest, double longest, int* count);
SnStatus sn_net_flip(SnNet* net, double longest, int* count);
