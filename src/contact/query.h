// One node and one body that it may touch.
#pragma once
#include "contact/detector.h"

typedef struct SnContactQuery {
    const SnContacts* contacts;
    const SnTarget* target;
    const double* x;
    const double* p;           // of the node
    int node;                  // of the world
    bool own;                  // the body is the node's own
    const SnNearby* pair;      // what is listed for it
    const SnNearbyItem* items; // of the pair
} SnContactQuery;

// A point of the surface and the normal there, on the side where the node belongs.
typedef struct SnContactPlane {
    SnNearest nearest;
    double normal[3];
} SnContactPlane;

static inline const int* sn_tree_corners(const SnTree* tree, int item)
{
    return tree->items + (int64_t)tree->corners * item;
}

static inline bool sn_contact_has_node(const SnTree* tree, int item, int node)
{
    const int* corners = sn_tree_corners(tree, item);
    for (int k = 0; k < tree->corners; k++)
        if (corners[k] == node) return true;
    return false;
}

static inline void sn_combine_nodes(const double* x, const int* nodes, int shift, int count, const double* weights,
                                    double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) out[c] += weights[k] * x[3 * (int64_t)(nodes[k] - shift) + c];
}

// Searches (contact/search.c) by the list where it reaches, else by the trees; what they find is the same.
//
// Can the node touch an element of the body's tree? Not those it belongs to, and not its neighbours.
bool sn_contact_may_touch(const SnContactQuery* query, const SnTree* tree, int item);
// The triangle nearest to p that is less than `reach` away.
bool sn_contact_triangle(const SnContactQuery* query, const double p[3], double reach, SnNearest* nearest);
// The tetrahedron of lowest number that p is in, and its coordinates there; -1: in none.
int sn_contact_inside(const SnContactQuery* query, const double p[3], double weights[4]);
void sn_contact_face_normal(const double* x, const int* corners, int shift, double normal[3]);

// The plane at the point of the surface that is nearest to p, from which it points to p or, of bodies with an inside,
// outwards; false: nothing is within reach (contact/node_body.c).
bool sn_contact_nearest(const SnContactQuery* query, const double p[3], double reach, SnContactPlane* plane);

// The node was at `from` when the step began, as seen from the surface where that is now; the plane to which its path
// from there leads (contact/entry.c). false: it came from inside, or the path leads nowhere, and the plane stays as it
// is.
bool sn_contact_entry(const SnContactQuery* query, const double from[3], SnContactPlane* plane);

// Of sheets: the node went through one since the step began; the plane of the triangle that it went through
// first, on the side where it came from (contact/crossing.c).
bool sn_contact_crossing(const SnContactQuery* query, double reach, SnContactPlane* plane);
