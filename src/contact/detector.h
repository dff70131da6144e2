// The inside of the detector.
#pragma once
#include "contact/contacts.h"
#include "mesh/normals.h"

// How the nodes of a body went: together, and how far from that any did, m.
typedef struct SnDrift {
    double displacement[3], spread;
} SnDrift;

// A body that can be touched: trees over its tetrahedra and its surface, as they are and as they were at rest.
typedef struct SnTarget {
    const SnContactBody* body;
    SnTree* tetrahedra; // of the world's nodes; NULL: none
    SnTree* surface;    // of the world's nodes; NULL: none
    SnTree* rest;       // the surface at rest, of the body's nodes; NULL: without tetrahedra
    double* facing;     // 3 x the body's nodes: normals at rest, of unit length or zero; NULL: without tetrahedra
    double edge;        // mean length of the surface's edges at rest, m
    double* middles;    // 3 x surface_count: of the triangles at rest
    SnDrift moved;      // since the step began
    SnDrift since;      // since the lists were made
    double margin;      // m: they are good until a node went further than this past the body
} SnTarget;

// What a node may touch of a body until the lists are made anew (contact/nearby.c): `tetrahedra` of them, then
// `triangles`, from items[first] of the chunk on, the nearest first.
typedef struct SnNearby {
    int index, body;
    int first, tetrahedra, triangles;
    // m: all triangles that were this near are listed, and all tetrahedra that were within the margin; negative: there
    // were too many, and none is
    double near;
} SnNearby;

typedef struct SnNearbyItem {
    double distance; // m, when listed: from a triangle, from a tetrahedron's box along the axis where it is furthest
    int item;
} SnNearbyItem;

typedef struct SnNearbyList {
    int count, capacity;
    SnNearby* pairs; // by node, then body
    int item_count, item_capacity;
    SnNearbyItem* items;
} SnNearbyList;

typedef struct SnContactList {
    int count, capacity;
    SnContact* items;
} SnContactList;
SnStatus sn_contact_list_add(SnContactList* list, const SnContact* contact); // memory is kept from step to step

enum { SN_CONTACT_GRAIN = 128 }; // nodes of a chunk

struct SnContacts {
    int body_count, obstacle_count;
    const SnObstacle* obstacles;
    SnContactBody* bodies;
    SnTarget* targets; // body_count
    SnContactOptions options;
    SnTasks* tasks;
    SnContactStart start;
    int node_count; // that can touch: on surfaces, and of ropes
    int* nodes;     // increasing, of the world
    int* body_of;   // node_count
    double* free;   // 4 x node_count: where it was last looked at, and how far it may go from there before it can touch
    double* last;   // 3 x node_count: where they were when contacts were last found
    bool found_any; // since the stage began
    double* listed; // 3 x nodes of the world: where they were when the lists were made
    double* reach;  // node_count: the lists are good for contacts up to this far, m
    bool have_lists;
    int chunk_count;
    bool* outdated;       // chunk_count
    SnNearbyList* nearby; // chunk_count
    SnContactList* found; // chunk_count
    SnStatus* status;
};

// Contacts of one node (contact/node_obstacle.c, contact/node_body.c), added to `found` by target.
SnStatus sn_contact_obstacles(SnContacts* contacts, int index, const double* x, SnContactList* found);
SnStatus sn_contact_body(const SnContacts* contacts, const SnNearby* pair, const SnNearbyItem* items, const double* x,
                         SnContactList* found);

// The lists of what each node may touch: are they good for nodes at x? Otherwise they are made there, chunk by chunk.
bool sn_nearby_holds(SnContacts* contacts, const double* x);
void sn_nearby_begin(SnContacts* contacts, const double* x);
SnStatus sn_nearby_list(SnContacts* contacts, const double* x, int chunk);
// How far from a body to look for contacts of a node at p: as far as they went past each other since the step began,
// and a little more.
double sn_contact_reach(const SnContacts* contacts, int node, const SnTarget* target, const double p[3]);
// How far p is from where the node was, as the body saw it, when the lists were made; at most, for any point of the
// body.
double sn_contact_strayed(const SnContacts* contacts, int node, const SnTarget* target, const double p[3]);

// What the gap must be, given what it was when the step began: as much as asked for, but what began inside is only
// pushed out gradually; and such that the step's end, which lies further on, has it.
static inline double sn_contact_gap(const SnContacts* c, double wanted, double before)
{
    double most = before + c->options.push * c->start.span, gap = most < wanted ? most : wanted;
    return before + (gap - before) / c->start.further;
}
