// What crosses at the start: edges that go through triangles.
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
    const int* edge;    // two points
    SnCrossings* found;
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

static bool visit(void* user, int item)
{
    Search* s = user;
    const int* t = s->contacts->surfaces->items[s->other].of[SN_SURFACE_TRIANGLES].points + 3 * (int64_t)item;
    const double* x = s->x;
    for (int k = 0; k < 3; k++)
        if (t[k] == s->edge[0] || t[k] == s->edge[1]) return true;
    if (!goes_through(x + 3 * (int64_t)s->edge[0], x + 3 * (int64_t)s->edge[1], x + 3 * (int64_t)t[0],
                      x + 3 * (int64_t)t[1], x + 3 * (int64_t)t[2]))
        return true;
    if (s->found->count++ > 0) return true;
    s->found->surface[0] = s->surface, s->found->surface[1] = s->other;
    memcpy(s->found->edge, s->edge, sizeof s->found->edge);
    memcpy(s->found->triangle, t, sizeof s->found->triangle);
    return true;
}

static void look(Search* s, const SnTree* tree)
{
    const SnElements* edges = &s->contacts->surfaces->items[s->surface].of[SN_SURFACE_EDGES];
    for (int64_t i = 0; i < edges->count; i++) {
        SnBox box;
        s->edge = edges->points + 2 * i;
        for (int a = 0; a < 3; a++) {
            double p = s->x[3 * (int64_t)s->edge[0] + a], q = s->x[3 * (int64_t)s->edge[1] + a];
            box.lo[a] = fmin(p, q), box.hi[a] = fmax(p, q);
        }
        sn_tree_overlaps(tree, &box, visit, s);
    }
}

SnStatus sn_contacts_find_crossings(SnContacts* c, SnCrossings* found)
{
    *found = (SnCrossings){0};
    for (int b = 0; b < c->surfaces->count; b++) {
        const SnElements* triangles = &c->surfaces->items[b].of[SN_SURFACE_TRIANGLES];
        SnTree* tree;
        if (triangles->count == 0) continue;
        SN_TRY(sn_tree_create(triangles->count, 3, triangles->points, c->safe, &tree));
        sn_tree_refit(tree, c->tasks, c->safe, 0);
        for (int a = 0; a < c->surfaces->count; a++)
            if (sn_surfaces_touch(c->surfaces, a, b)) look(&(Search){c, c->safe, a, b, NULL, found}, tree);
        sn_tree_destroy(tree);
    }
    for (int k = 0; k < 2; k++) {
        int obstacle = found->count > 0 ? c->obstacle_of[found->surface[k]] : -1;
        found->target[k] = obstacle >= 0 ? obstacle : c->obstacle_count + found->surface[k];
    }
    return SN_OK;
}
