// Finding contacts: nodes against obstacles, and against the tetrahedra and surfaces of bodies, their own included.
//
// Each contact is a plane (contact/stencil.h) that one node is to be kept in front of, `thickness` away from a surface,
// linearised where the node is now. Contacts are found anew whenever the nodes have moved; it is the same contact as
// long as the node touches the same obstacle or body.
#pragma once
#include "contact/stencil.h"
#include "core/tasks.h"
#include "obstacle/obstacle.h"

// A body as contacts see it; the arrays must outlive the detector.
typedef struct SnContactBody {
    int first_node, node_count;
    const double* rest; // 3 x node_count
    int tetrahedron_count;
    const int* tetrahedra; // of the body's own nodes
    int surface_count;
    const int* surface; // 3 x surface_count
    bool sheet;         // it has no inside: its surface has two sides
} SnContactBody;

// A node, the first of the stencil, and what it touches.
typedef struct SnContact {
    SnStencil at;
    int target;         // an obstacle's number, or one more than all obstacles and a body's
    double friction;    // Coulomb's coefficient
    double velocity[3]; // m/s, of the obstacle's point
} SnContact;

typedef struct SnContactOptions {
    double thickness; // m: how far nodes are kept from other bodies
    double friction;  // between bodies
    double push;      // m/s: what starts inside is pushed out no faster than this
    bool bodies;      // different bodies touch each other
    bool self;        // a body touches itself
} SnContactOptions;

// Where the step began.
typedef struct SnContactStart {
    const double* x; // 3 x node_count
    double span;     // s, from then to the time that contacts are for
    double further;  // the step ends this many times as far: contacts keep that end out of the surface
} SnContactStart;

typedef struct SnContacts SnContacts;

// obstacles: the caller's, who places them before sn_contacts_begin.
SnStatus sn_contacts_create(int body_count, const SnContactBody* bodies, int obstacle_count,
                            const SnObstacle* obstacles, const SnContactOptions* options, SnTasks* tasks,
                            SnContacts** contacts);
void sn_contacts_destroy(SnContacts* contacts);

void sn_contacts_begin(SnContacts* contacts, const SnContactStart* start);
// Calls `add` with the contacts of nodes at x, by node, then target. The same for any number of threads.
typedef SnStatus SnContactAdd(void* user, const SnContact* contact);
SnStatus sn_contacts_collect(SnContacts* contacts, const double* x, SnContactAdd* add, void* user);
