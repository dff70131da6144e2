// Contacts without crossings: what is near, what would be hit on the way, and how far everything may go.
//
// All that touches is made of points: the nodes of the world, then vertices of skins, which nodes carry, then the
// vertices of obstacles that are surfaces. They have a safe place, which is free of crossings, and an aim, which need
// not be. Everything that is said of the way from one to the other holds for straight ways of all points (what nodes
// carry goes straight where they do), and for obstacles that turn and shift steadily.
//
// A contact is a plane (contact/stencil.h) between the nearest points of a node and a triangle, of two edges, or of a
// node and an obstacle that is known by its distance, `thickness` away from one of them.
#pragma once
#include "contact/stencil.h"
#include "core/tasks.h"
#include "obstacle/obstacle.h"

// A body as contacts see it; the arrays must outlive the contacts.
enum { SN_CARRIERS = 4 };

typedef struct SnContactBody {
    int first_node, node_count;
    const double* rest;    // 3 x node_count
    int skin_count;        // of vertices that its nodes carry, and that touch in their place; 0: nodes do
    const int* carriers;   // SN_CARRIERS x skin_count, of the body's own nodes
    const double* weights; // SN_CARRIERS x skin_count, adding up to 1
    int surface_count;
    const int* surface; // 3 x surface_count, of the body's own nodes, or of its skin's vertices
    int edge_count;
    const int* edges; // 2 x edge_count, of ropes; none where a skin touches
    int tetrahedron_count;
    const int* tetrahedra; // 4 x tetrahedron_count: their inner nodes keep out of obstacles, too, unless a skin does
    bool self;             // it touches itself
    double thickness;      // m: from other bodies it is kept by half of this and half of theirs
    double least;          // m: no distance is kept that is smaller
} SnContactBody;

typedef struct SnContact {
    SnStencil at;       // of the world's nodes
    int owner;          // the body of the first of them
    int target;         // an obstacle's number, or one more than all obstacles and a body's
    double friction;    // Coulomb's coefficient
    double velocity[3]; // m/s, of the obstacle's point
    bool blocked;       // it stopped the last advance, and is as it was when it did
    bool met;           // other elements are nearer, but it has been in the way
    int64_t key;        // the same elements have the same, in any step
    int64_t place;      // a node and the side of what it touches, whichever elements these are; 0: of edges
} SnContact;

typedef struct SnContactOptions {
    double push;   // m/s: what starts too near is pushed out no faster than this
    double back;   // of the thickness: what is nearer than that gets so much of it back in a step; 0: a little
    bool untangle; // what crosses is separated (contact/tangles.h); otherwise nothing does
    // Whether a body touches another one or an obstacle, as SnContact.target has them, and the coefficient of friction;
    // NULL: all do, and the obstacle's own, or none.
    bool (*touch)(const void* user, int body, int target);
    double (*friction)(const void* user, int body, int target);
    // Whether a node is kept at a target some other way, and does not touch it; asked for those that `kept` has. NULL:
    // none is.
    bool (*exempt)(const void* user, int node, int target);
    const bool* kept; // node_count
    const void* user;
    const double* start; // 3 x node_count: where held nodes were at the very start, copied; NULL: nothing touched then
} SnContactOptions;

typedef struct SnContacts SnContacts;

// obstacles: the caller's, where they were at the very start; they are placed before each sn_contacts_begin. Where one
// has a negative thickness, it is that of the body.
SnStatus sn_contacts_create(int body_count, const SnContactBody* bodies, int obstacle_count,
                            const SnObstacle* obstacles, const SnContactOptions* options, SnTasks* tasks,
                            SnContacts** contacts);
void sn_contacts_destroy(SnContacts* contacts);

// The number of a point in its own mesh, skin or obstacle.
int sn_contacts_own_number(const SnContacts* contacts, int point);
// How far a body is kept from a target, m.
double sn_contacts_thickness(const SnContacts* contacts, int body, int target);

// A stage begins: nodes are safe at x, and obstacles where they were before. free_index: negative where a node is held.
void sn_contacts_begin(SnContacts* contacts, const double* x, const int* free_index, double span);
// Contacts with these keys, ascending, count wherever they are near, though others may be nearer: they push already.
// The array is the caller's; none after sn_contacts_begin.
void sn_contacts_set_pushing(SnContacts* contacts, int count, const int64_t* keys);
// Edges that go through triangles at the safe place: how many of each two, and their first one.
typedef struct SnCrossingPair {
    int target[2];            // whose edge, whose triangle; as SnContact.target has them
    int count;                // either way
    int edge[2], triangle[3]; // points
} SnCrossingPair;
typedef struct SnCrossings {
    int count, pair_count, pair_capacity;
    SnCrossingPair* pairs;
} SnCrossings;
SnStatus sn_contacts_find_crossings(SnContacts* contacts, SnCrossings* found);
void sn_crossings_free(SnCrossings* crossings);
// How many are left to untangle, where that is asked for.
SnStatus sn_contacts_count_crossings(SnContacts* contacts, int* count);
// Nodes are to go to x, and obstacles to where they are now. What is near on the way is found.
SnStatus sn_contacts_aim(SnContacts* contacts, const double* x);

// Calls `add` with contacts at the safe place: of all that is near enough for its aim. The same for any number of
// threads.
typedef SnStatus SnContactAdd(void* user, const SnContact* contact);
SnStatus sn_contacts_collect(SnContacts* contacts, SnContactAdd* add, void* user);

// How near surfaces are to each other with the nodes at x and obstacles where they got to. Within SN_CONTACT_NEAR
// thicknesses; elements of one body that are as near at rest do not count.
typedef struct SnNearness {
    double distance; // m, the smallest; infinity: nothing is near
    double depth;    // m: how far the deepest free node is inside an obstacle that is known by its distance
} SnNearness;
SnStatus sn_contacts_measure(SnContacts* contacts, const double* x, SnNearness* nearness);

// How it is to go there. NULL: each node as far as it may.
typedef struct SnGoing {
    bool looks;       // it does not go yet, and what is in the way of the whole way is found, no more
    int group_count;  // nodes of a group go equally far; 0: each node is its own
    const int* group; // per node
    double* least;    // group_count, for work
} SnGoing;
// How far everything may go towards its aim.
typedef struct SnAdvance {
    bool whole;  // all the way
    int stopped; // nodes that may not go all the way
} SnAdvance;
SnStatus sn_contacts_advance(SnContacts* contacts, const SnGoing* going, SnAdvance* advance);
// Of what was found then, by nodes; one more stands for all that the script moves. How far it may go, each by itself;
// when it would first be stopped, if all went all the way; which may meet, or are moved by the script.
double sn_contacts_way(const SnContacts* contacts, int node);
double sn_contacts_first_hit(const SnContacts* contacts, int node);
bool sn_contacts_obstacles_move(const SnContacts* contacts); // in this stage
void sn_contacts_join(const SnContacts* contacts, void (*join)(void* user, int a, int b), void* user);
// They are to go so far instead (node_count + 1); whether no two with different numbers are in each other's way then.
void sn_contacts_set_ways(SnContacts* contacts, const double* ways);
SnStatus sn_contacts_look_ahead(SnContacts* contacts, const int* numbers, bool* clear);
// Where nodes would be then; that is the safe place from now on.
void sn_contacts_ahead(const SnContacts* contacts, const double* ways, double* x);
void sn_contacts_take(SnContacts* contacts);
const double* sn_contacts_safe(const SnContacts* contacts); // 3 x the world's nodes
double sn_contacts_scene(const SnContacts* contacts);       // how far obstacles and held nodes are, of their way
