// Finding contacts: nodes against obstacles, and against the tetrahedra and surfaces of bodies, their own included.
//
// Each contact is a row (contact/rows.h) that keeps one node at least `thickness` away from a surface, linearised where
// the node is now. Rows are found anew whenever the nodes have moved; a contact has the same key as long as the node
// touches the same obstacle or body.
#pragma once
#include "contact/rows.h"
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
    double span;     // s, from then to the time that rows are for
    double further;  // the step ends this many times as far: rows keep that end out of the surface
} SnContactStart;

typedef struct SnContacts SnContacts;

// obstacles: the caller's, who places them before sn_contacts_begin.
SnStatus sn_contacts_create(int body_count, const SnContactBody* bodies, int obstacle_count,
                            const SnObstacle* obstacles, const SnContactOptions* options, SnTasks* tasks,
                            SnContacts** contacts);
void sn_contacts_destroy(SnContacts* contacts);

void sn_contacts_begin(SnContacts* contacts, const SnContactStart* start);
// Adds the rows for nodes at x, keys increasing; no forces yet. The same for any number of threads.
SnStatus sn_contacts_collect(SnContacts* contacts, const double* x, SnRowSet* rows);

// Keys of contacts: above those of everything else; then node, and obstacle or body.
#define SN_CONTACT_KEYS ((int64_t)1 << 60)
static inline bool sn_row_is_contact(const SnRow* row)
{
    return row->key >= SN_CONTACT_KEYS;
}
// What the row's node touches: an obstacle's number, or one more than all obstacles and a body's.
static inline int sn_contact_target(const SnRow* row)
{
    return (int)(row->key & 0xfffff);
}
