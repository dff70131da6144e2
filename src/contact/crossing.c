// What crosses: edges that go through triangles.
#include <math.h>
#include <string.h>

#include "contact/inside.h"
#include "linalg/vec3.h"
#include "mesh/bounding_tree.h"

#define LEAST 1e-9 // of the elements' size: what is less deep is touching, as flat sheets do all over

typedef struct Search {
    SnContacts* contacts;
    const double* x;
    int surface, other; // of the edge, of the triangles
    int index;          // of the edge
    const int* edge;    // two points
    SnCrossingVisit* visit;
    void* user;
    SnStatus status;
} Search;

// Six times the volume of a tetrahedron.
static double volume(const double* a, const double* b, const double* c, const double* d)
{
    double u[3], v[3], w[3], n[3];
    sn_subtract3(b, a, u), sn_subtract3(c, a, v), sn_subtract3(d, a, w);
    sn_cross3(u, v, n);
    return sn_dot3(n, w);
}

// The edge from p to q goes through the inside of the triangle; touching is not crossing.
static bool goes_through(const double* p, const double* q, const double* a, const double* b, const double* c)
{
    double size = fmax(sn_distance3(p, q), fmax(sn_distance3(a, b), fmax(sn_distance3(b, c), sn_distance3(c, a))));
    double below = volume(a, b, c, p), above = volume(a, b, c, q), least = LEAST * size * size * size;
    if (!(below * above < 0) || fabs(below) < least || fabs(above) < least) return false;
    double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
    return (u > least && v > least && w > least) || (u < -least && v < -least && w < -least);
}

static bool look_at(void* user, int item)
{
    Search* s = user;
    const int* t = s->contacts->surfaces->items[s->other].of[SN_SURFACE_TRIANGLES].points + 3 * (int64_t)item;
    const double* x = s->x;
    for (int k = 0; k < 3; k++)
        if (t[k] == s->edge[0] || t[k] == s->edge[1]) return true;
    if (!goes_through(x + 3 * (int64_t)s->edge[0], x + 3 * (int64_t)s->edge[1], x + 3 * (int64_t)t[0],
                      x + 3 * (int64_t)t[1], x + 3 * (int64_t)t[2]))
        return true;
    SnCrossing crossing = {s->surface, s->other, s->index, {s->edge[0], s->edge[1]}, {t[0], t[1], t[2]}};
    s->status = s->visit(s->user, &crossing);
    return s->status == SN_OK;
}

static SnStatus look(Search* s, const SnTree* tree)
{
    const SnSurfaceElements* edges = &s->contacts->surfaces->items[s->surface].of[SN_SURFACE_EDGES];
    for (int i = 0; i < edges->count && s->status == SN_OK; i++) {
        SnBox box;
        s->index = i, s->edge = edges->points + 2 * (int64_t)i;
        for (int a = 0; a < 3; a++) {
            double p = s->x[3 * (int64_t)s->edge[0] + a], q = s->x[3 * (int64_t)s->edge[1] + a];
            box.lo[a] = fmin(p, q), box.hi[a] = fmax(p, q);
        }
        sn_tree_overlaps(tree, &box, look_at, s);
    }
    return s->status;
}

// The box of what a surface has of a kind; empty, with its low end above the other, where it has nothing.
static SnBox box_of(const SnContacts* c, int surface, int kind)
{
    const SnSurfaceElements* e = &c->surfaces->items[surface].of[kind];
    SnBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int64_t k = 0; k < (int64_t)e->count * (kind == SN_SURFACE_EDGES ? 2 : 3); k++)
        for (int a = 0; a < 3; a++) {
            double p = c->safe[3 * (int64_t)e->points[k] + a];
            box.lo[a] = p < box.lo[a] ? p : box.lo[a], box.hi[a] = p > box.hi[a] ? p : box.hi[a];
        }
    return box;
}

static bool overlap(const SnBox* a, const SnBox* b)
{
    for (int k = 0; k < 3; k++)
        if (!(a->lo[k] <= b->hi[k] && b->lo[k] <= a->hi[k])) return false;
    return true;
}

// Whether edges of surface a may meet triangles of surface b.
static bool may_cross(const SnContacts* c, const SnBox* boxes, int a, int b, const SnBox* triangles)
{
    return overlap(&boxes[a], triangles) && sn_surfaces_touch(c->surfaces, a, b);
}

static SnStatus visit_surface(SnContacts* c, const SnBox* boxes, int b, SnCrossingVisit* visit, void* user)
{
    const SnSurfaceElements* triangles = &c->surfaces->items[b].of[SN_SURFACE_TRIANGLES];
    SnBox box = box_of(c, b, SN_SURFACE_TRIANGLES);
    SnTree* tree;
    int first = 0;
    while (first < c->surfaces->count && !may_cross(c, boxes, first, b, &box)) first++;
    if (triangles->count == 0 || first == c->surfaces->count) return SN_OK;
    SN_TRY(sn_tree_create(triangles->count, 3, triangles->points, c->safe, &tree));
    sn_tree_refit(tree, c->tasks, c->safe, 0);
    SnStatus status = SN_OK;
    for (int a = first; a < c->surfaces->count && status == SN_OK; a++)
        if (may_cross(c, boxes, a, b, &box))
            status = look(&(Search){c, c->safe, a, b, 0, NULL, visit, user, SN_OK}, tree);
    sn_tree_destroy(tree);
    return status;
}

SnStatus sn_crossings_visit(SnContacts* c, SnCrossingVisit* visit, void* user)
{
    SnBox* boxes; // of the edges of each surface
    SnStatus status = SN_OK;
    if (!SN_NEW(boxes, c->surfaces->count, "contacts")) return SN_ERROR_MEMORY;
    for (int a = 0; a < c->surfaces->count; a++) boxes[a] = box_of(c, a, SN_SURFACE_EDGES);
    for (int b = 0; b < c->surfaces->count && status == SN_OK; b++) status = visit_surface(c, boxes, b, visit, user);
    sn_free(boxes);
    return status;
}

// Of each two surfaces how many, and the first.
typedef struct Counting {
    const SnContacts* contacts;
    SnCrossings* all;
} Counting;

static int target_of(const SnContacts* c, int surface)
{
    return c->obstacle_of[surface] >= 0 ? c->obstacle_of[surface] : c->obstacle_count + surface;
}

static SnStatus count(void* user, const SnCrossing* x)
{
    const Counting* c = user;
    SnCrossings* all = c->all;
    int target[2] = {target_of(c->contacts, x->surface), target_of(c->contacts, x->other)}, i = 0;
    all->count++;
    while (i < all->pair_count && !(memcmp(all->pairs[i].target, target, sizeof target) == 0 ||
                                    (all->pairs[i].target[0] == target[1] && all->pairs[i].target[1] == target[0])))
        i++;
    if (i < all->pair_count) {
        all->pairs[i].count++;
        return SN_OK;
    }
    if (!SN_GROW(all->pairs, all->pair_capacity, (int64_t)i + 1, "contacts")) return SN_ERROR_MEMORY;
    SnCrossingPair* pair = &all->pairs[all->pair_count++];
    *pair = (SnCrossingPair){.target = {target[0], target[1]}, .count = 1};
    memcpy(pair->edge, x->edge, sizeof pair->edge);
    memcpy(pair->triangle, x->triangle, sizeof pair->triangle);
    return SN_OK;
}

SnStatus sn_contacts_find_crossings(SnContacts* c, SnCrossings* found)
{
    *found = (SnCrossings){0};
    SnStatus status = sn_crossings_visit(c, count, &(Counting){c, found});
    if (status != SN_OK) sn_crossings_free(found);
    return status;
}

void sn_crossings_free(SnCrossings* crossings)
{
    sn_free(crossings->pairs);
    *crossings = (SnCrossings){0};
}

static SnStatus count_one(void* user, const SnCrossing* crossing)
{
    (void)crossing;
    ++*(int*)user;
    return SN_OK;
}

SnStatus sn_contacts_count_crossings(SnContacts* c, int* count)
{
    *count = 0;
    return c->options.untangle && !c->tangles.none ? sn_crossings_visit(c, count_one, count) : SN_OK;
}
