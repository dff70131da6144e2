// The inside of the detector.
#pragma once
#include "contact/contacts.h"
#include "mesh/normals.h"

// A body that can be touched: trees over its tetrahedra and its surface, as they are and as they were at rest.
typedef struct SnTarget {
    const SnContactBody* body;
    SnTree* tetrahedra; // of the world's nodes; NULL: none
    SnTree* surface;    // of the world's nodes; NULL: none
    SnTree* rest;       // the surface at rest, of the body's nodes; NULL: without tetrahedra
    double* facing;     // 3 x the body's nodes: normals at rest, of unit length or zero; NULL: without tetrahedra
    double edge;        // mean length of the surface's edges at rest, m
    double moved[3];    // mean way of its nodes since the step began
    double spread;      // how far from that any went, m
} SnTarget;

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
    double* last;   // 3 x node_count: where they were when rows were last found
    bool found_any; // since the stage began
    int chunk_count;
    SnRowSet* found; // chunk_count
    SnStatus* status;
};

// Rows of one node (contact/node_obstacle.c, contact/node_body.c), added to `rows` with increasing keys.
SnStatus sn_contact_obstacles(SnContacts* contacts, int index, const double* x, SnRowSet* rows);
SnStatus sn_contact_bodies(SnContacts* contacts, int index, const double* x, SnRowSet* rows);

static inline int64_t sn_contact_key(const SnContacts* c, int index, int target)
{
    return SN_CONTACT_KEYS | (int64_t)c->nodes[index] << 20 | target;
}

// What the gap must be, given what it was when the step began: as much as asked for, but what began inside is only
// pushed out gradually; and such that the step's end, which lies further on, has it.
static inline double sn_contact_gap(const SnContacts* c, double wanted, double before)
{
    double most = before + c->options.push * c->start.span, gap = most < wanted ? most : wanted;
    return before + (gap - before) / c->start.further;
}
