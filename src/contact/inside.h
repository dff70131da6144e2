// The inside of contacts.
#pragma once
#include "contact/contacts.h"
#include "contact/neighbours.h"
#include "contact/pairs.h"
#include "contact/tangles.h"
#include "core/share.h"

#define SN_CONTACT_NEAR 1.5       // thicknesses within which elements are near
#define SN_CONTACT_SEPARATION 0.1 // of the thickness that is kept in any case
#define SN_CONTACT_ARRANGED 1e-3  // of the thickness: what the script has nearer at the start is there by its will
#define SN_CONTACT_PART 1e-2      // of the thickness, that a pair which lacks no more gets back at once,
#define SN_CONTACT_BACK 3e-3      // and one that is nearer in each step, where nothing else is said
#define SN_CONTACT_FAR 0.25       // of the edges: further than this nothing is looked for that is not on the way
#define SN_CONTACT_CLOSE 1.5      // thicknesses: nearer than this halves of a crease are kept apart
#define SN_CONTACT_FLAT 0.9       // of the thickness, that edges inside of flat faces of sheets keep
#define SN_CONTACT_AT_REST 2.0    // thicknesses: elements of one body that are nearer than this at rest do not push
enum { SN_CONTACT_GRAIN = 1024 }; // pairs of a chunk
enum { SN_NODE_GRAIN = 256 };     // nodes of a chunk

typedef struct SnContactList {
    int count, capacity;
    SnContact* items;
} SnContactList;

struct SnContacts {
    int body_count, obstacle_count;
    int node_count, body_point_count, point_count; // nodes; with what they carry; with vertices of obstacles
    SnContactBody* bodies;
    const SnObstacle* obstacles;
    SnContactOptions options;
    SnTasks* tasks;
    int* first_skin;      // body_count: the first of its skin's points; -1: it has none
    int* carriers;        // SN_CARRIERS for each carried point: nodes of the world
    double* weights;      // and how much of each it is
    SnSurfaces* surfaces; // bodies, then obstacles that are surfaces
    SnPairs* pairs;
    SnNeighbours* neighbours;
    double *radius, *reach; // per surface: what is near; how far to look for it now
    int* obstacle_of;       // per surface: an obstacle's number; -1: a body
    int* first_vertex;      // obstacle_count: the first of its points; -1: it is known by its distance
    double* apart;          // body_count x obstacle_count, m: how far it is kept from it; negative: they do not touch
    int touching_count;     // points of bodies that can touch
    int* touching;
    double *safe, *aim, *rest, *before; // 3 x point_count; before: where the stage began
    double* began;                      // 3 x point_count: where held nodes and vertices were at the very start
    bool* arranged;        // body_point_count x obstacle_count: as near then as the script has them by its will
    double* clear;         // body_point_count x obstacle_count, m: how far it is where the stage began from an obstacle
                           // that stays; -infinity: that moves, or they do not meet
    double* end;           // 3 x point_count: while it is found how far they may go
    bool obstacles_move;   // in this stage
    bool aimed;            // the pairs found last are those of the way to the aim,
    bool stood;            // or of points that stay where they are, at `end`
    const int* free_index; // node_count
    double span;
    double* fraction; // point_count: how far each may go; of what nodes carry, the least of theirs
    double* allowed;  // point_count: the same, while it is being found
    bool* changed;    // point_count: it does not go all the way
    double scene;     // how far scripted things may go
    double passed;    // how far obstacles are on their way, at the safe place
    int pair_capacity, node_capacity;
    double* pair_hit;      // per pair, nodes and triangles first: of its way; 1: it is not hit
    double* node_hit;      // obstacle_count per touching node
    double* first_hit;     // point_count: of its way, when it is first stopped
    SnContactList blocked; // what stopped the last advance
    bool begun;            // tangles are to be looked for
    SnTangles tangles;
    SnContactList untangling; // what pushes these apart in this stage
    int pushing_count;
    const int64_t* pushing; // keys, ascending
    int chunk_capacity;
    SnContactList* found; // per chunk
    int nearness_capacity;
    SnNearness* nearness; // per chunk
    SnStatus* status;
};

// The nodes that a point of a body goes with: itself, or those that carry it; none of an obstacle's.
typedef struct SnCarried {
    int count, node[SN_CARRIERS];
    double weight[SN_CARRIERS];
} SnCarried;
SnCarried sn_contact_carried(const SnContacts* contacts, int point);
// Puts what nodes carry where they have it. x: 3 x point_count
void sn_contact_carry(const SnContacts* contacts, double* x);
// A coordinate of a node, or of an obstacle's vertex, when it has gone a part of its way.
static inline double sn_contact_on_the_way(const SnContacts* c, int64_t k, double way)
{
    return way == 1 ? c->aim[k] : c->safe[k] + way * (c->aim[k] - c->safe[k]);
}
// Where points are when each node has gone its own part of the way: c->end.
void sn_contact_set_ends(SnContacts* contacts);

static inline bool sn_contact_is_carried(const SnContacts* c, int point)
{
    return point >= c->node_count && point < c->body_point_count;
}
// All that it goes with is.
bool sn_contact_carried_scripted(const SnContacts* contacts, int point);
static inline bool sn_contact_scripted(const SnContacts* c, int point)
{
    if (sn_contact_is_carried(c, point)) return sn_contact_carried_scripted(c, point);
    return point >= c->node_count || c->free_index[point] < 0;
}
// Of a point, in all processes.
static inline int64_t sn_contact_number(const SnContacts* c, int point)
{
    if (point < c->node_count) return sn_share_number(c->tasks, point);
    return (int64_t)sn_share_count(c->tasks, c->node_count) + (point - c->node_count);
}
// How far a node is kept from an obstacle; negative: it does not touch it.
static inline double sn_contact_apart(const SnContacts* c, int node, int obstacle)
{
    return c->apart[(int64_t)c->surfaces->of_point[node] * c->obstacle_count + obstacle];
}
// Whether what it goes with is kept at the target some other way.
static inline bool sn_contact_exempt(const SnContacts* c, int point, int target)
{
    if (!c->options.kept || point >= c->body_point_count) return false;
    SnCarried by = sn_contact_carried(c, point);
    for (int k = 0; k < by.count; k++)
        if (c->options.kept[by.node[k]] && c->options.exempt(c->options.user, by.node[k], target)) return true;
    return false;
}
// Does the node touch this obstacle, which is known by its distance?
static inline bool sn_contact_meets(const SnContacts* c, int node, int obstacle)
{
    return c->first_vertex[obstacle] < 0 && sn_contact_apart(c, node, obstacle) >= 0 &&
           !sn_contact_exempt(c, node, obstacle);
}
// Whether a point that goes straight from one place to another stays farther than `near` from an obstacle, as the
// distance changes by no more than the point moves.
static inline bool sn_contact_stays_clear(const SnContacts* c, int point, int obstacle, const double* from,
                                          const double* to, double near)
{
    const double* at = c->before + 3 * (int64_t)point;
    double spare = c->clear[(int64_t)point * c->obstacle_count + obstacle] - near, a = 0, b = 0;
    if (!(spare > 0)) return false;
    for (int k = 0; k < 3; k++) {
        a += (from[k] - at[k]) * (from[k] - at[k]);
        b += (to[k] - at[k]) * (to[k] - at[k]);
    }
    return (a > b ? a : b) < (1 - 1e-9) * spare * spare;
}
void sn_contact_find_clear(SnContacts* contacts); // at the beginning of a stage
// The pair does not count: it is as the script has it, or a node is kept there some other way.
bool sn_contact_is_idle(const SnContacts* contacts, const SnPair* pair, bool edges);
// Its pair's thickness, m, of the surfaces of two points, one of which is a node.
double sn_contact_thickness(const SnContacts* contacts, int a, int b);
// The same, of pairs that come one after the other and are mostly of the same surfaces.
typedef struct SnBetween {
    int surface[2]; // negative before the first
    double thickness;
} SnBetween;
static inline void sn_contact_find_between(const SnContacts* c, const SnPair* pair, bool edges, SnBetween* between)
{
    int a = pair->point[0], b = pair->point[edges ? 2 : 1], s = c->surfaces->of_point[a], t = c->surfaces->of_point[b];
    if (s != between->surface[0] || t != between->surface[1])
        *between = (SnBetween){{s, t}, sn_contact_thickness(c, a, b)};
}
double sn_contact_friction(const SnContacts* contacts, int body, int target);
// Chunks of so many things.
static inline int sn_contact_chunks(int count, int grain)
{
    return (count + grain - 1) / grain;
}
// Nearest points of a pair, where points are at x.
void sn_contact_nearest(const double* x, const SnPair* pair, bool edges, SnDistance* distance);
// The pair is of one body, and near at rest.
bool sn_contact_near_at_rest(const SnContacts* contacts, const SnPair* pair, bool edges);
// A contact of four points at q, whose weights are known, that keeps a share of the thickness; false: they are of no
// use.
bool sn_contact_make(const SnContacts* contacts, const SnPair* pair, bool edges, const double q[4][3], double share,
                     SnContact* contact);
// A contact that pushes the pair's first side along a normal, until it is `gap` further on than the second.
void sn_contact_push(const SnContacts* contacts, const SnPair* pair, const SnDistance* distance, const double normal[3],
                     double gap, SnContact* contact);
// Adds a point to the nodes of a contact's plane, of which those from `from` on are on its side.
void sn_contact_add_point(const SnContacts* contacts, int point, double weight, int from, SnStencil* at);
SnStatus sn_contact_list_add(SnContactList* list, const SnContact* contact); // memory is kept from step to step

// Obstacles by distance (contact/node_obstacle.c): contacts of a node; how far it may go on its way to a place, if
// the obstacle goes `scene` of what is left of its own; and the contact at a place so far along its way to its aim.
SnStatus sn_contact_obstacles(const SnContacts* contacts, int node, SnContactList* found);
double sn_contact_obstacle_way(const SnContacts* contacts, int obstacle, int node, const double to[3], double scene);
// A node that only the script moves, and that does not move or was there by its will; found once, obstacles being where
// they began.
void sn_contact_arrange_obstacles(SnContacts* contacts);
bool sn_contact_obstacle_arranged(const SnContacts* contacts, int obstacle, int node);
void sn_contact_obstacle_hit(const SnContacts* contacts, int obstacle, int node, double at, SnContact* contact);
