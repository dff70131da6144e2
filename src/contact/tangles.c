// Parts of surfaces on the wrong side of others, and how they get back.
#include "contact/tangles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/inside.h"
#include "core/sets.h"
#include "linalg/vec3.h"
#include "mesh/bounding_tree.h"

#define LEAST_WAY 0.05 // of unit ways along a line, summed up: less is rounding, or nowhere to go
#define STEEP 4.0      // the ways of edges that all but lie in the triangle must not outvote all others

void sn_tangles_free(SnTangles* t)
{
    sn_free(t->items), sn_free(t->marked), sn_free(t->crossings);
    sn_free(t->root), sn_free(t->vote), sn_free(t->size), sn_free(t->way);
    *t = (SnTangles){0};
}

// The crossings of one surface's edges with another's triangles.
typedef struct Tangle {
    SnContacts* contacts;
    int surface, other, count;
    const SnCrossing* crossings;
    const SnTree* tree; // of the other's triangles
    bool inside;        // the other has one, and parts of it are on the wrong side as a whole
} Tangle;

static const double* place(const Tangle* t, int point)
{
    return t->contacts->safe + 3 * (int64_t)point;
}

// Which parts the crossings cut the surface into, by the lowest of their points, and how large these are.
static void find_parts(const Tangle* t)
{
    SnTangles* all = &t->contacts->tangles;
    const SnSurfaceElements *nodes = &t->contacts->surfaces->items[t->surface].of[SN_SURFACE_NODES],
                            *edges = &t->contacts->surfaces->items[t->surface].of[SN_SURFACE_EDGES];
    for (int i = 0; i < nodes->count; i++) {
        int p = nodes->points[i];
        all->root[p] = p, all->vote[p] = all->size[p] = 0;
    }
    for (int i = 0, k = 0; i < edges->count; i++) {
        while (k < t->count && t->crossings[k].index < i) k++;
        if (k < t->count && t->crossings[k].index == i) continue;
        sn_sets_join(all->root, edges->points[2 * i], edges->points[2 * i + 1]);
    }
    for (int i = 0; i < nodes->count; i++) all->size[sn_sets_root(all->root, nodes->points[i])]++;
}

// Twice the area of a triangle, along its normal.
static void normal_of(const Tangle* t, const int triangle[3], double normal[3])
{
    double u[3], v[3];
    sn_subtract3(place(t, triangle[1]), place(t, triangle[0]), u);
    sn_subtract3(place(t, triangle[2]), place(t, triangle[0]), v);
    sn_cross3(u, v, normal);
}

// Does each edge of the surface join two triangles that agree which side is out? Of obstacles one side always is.
static bool has_inside(const SnContacts* c, int surface)
{
    const SnSurfaceElements* triangles = &c->surfaces->items[surface].of[SN_SURFACE_TRIANGLES];
    const SnNeighbours* n = c->neighbours;
    if (c->obstacle_of[surface] >= 0) return true;
    for (int64_t i = 0; i < 3 * (int64_t)triangles->count; i++) {
        const int* p = triangles->points + i / 3 * 3;
        int from = p[i % 3], to = p[(i + 1) % 3], back = 0;
        for (int64_t k = n->first[to]; k < n->first[to + 1]; k++) back += n->triangles[2 * k] == from;
        if (back != 1) return false;
    }
    return true;
}

// Both ends of each crossing edge say which of their parts is on the wrong side.
static void vote(const Tangle* t)
{
    SnTangles* all = &t->contacts->tangles;
    for (int k = 0; k < t->count; k++) {
        const SnCrossing* x = &t->crossings[k];
        int a = sn_sets_root(all->root, x->edge[0]), b = sn_sets_root(all->root, x->edge[1]);
        double normal[3], along[3];
        if (a == b) continue;
        normal_of(t, x->triangle, normal);
        sn_subtract3(place(t, x->edge[1]), place(t, x->edge[0]), along);
        bool first = t->inside                      ? sn_dot3(along, normal) > 0
                     : all->size[a] != all->size[b] ? all->size[a] < all->size[b]
                                                    : a > b;
        all->vote[a] += first ? 1 : -1, all->vote[b] += first ? -1 : 1;
    }
}

static bool is_wrong(const Tangle* t, int point)
{
    SnTangles* all = &t->contacts->tangles;
    return all->vote[sn_sets_root(all->root, point)] > 0;
}

static SnStatus note(const Tangle* t, int point)
{
    SnTangles* all = &t->contacts->tangles;
    if (!SN_GROW(all->items, all->capacity, (int64_t)all->count + 1, "contacts")) return SN_ERROR_MEMORY;
    all->items[all->count++] = (SnTangled){point, t->other};
    all->marked[point] = true;
    return SN_OK;
}

// A node is to be `gap` further on along the normal than the point of a triangle. The pair has no other contact.
static SnStatus push(const Tangle* t, int point, const int triangle[3], const double weights[3], const double normal[3],
                     double gap)
{
    SnContacts* c = t->contacts;
    SnPair pair = {{point, triangle[0], triangle[1], triangle[2]}};
    SnDistance d = {.weight = {1, -weights[0], -weights[1], -weights[2]}};
    SnContact contact;
    bool scripted = true;
    for (int k = 0; k < 4; k++) scripted &= sn_contact_scripted(c, pair.point[k]);
    if (scripted) return SN_OK;
    sn_contact_push(c, &pair, &d, normal, gap, &contact);
    return sn_contact_list_add(&c->untangling, &contact);
}

static double way_out(const Tangle* t)
{
    return t->contacts->options.push * t->contacts->span;
}

// To the nearest place of a surface that it is inside of.
static SnStatus push_out(const Tangle* t, int point)
{
    SnContacts* c = t->contacts;
    const SnSurfaceElements* triangles = &c->surfaces->items[t->other].of[SN_SURFACE_TRIANGLES];
    SnNearest nearest;
    double normal[3];
    if (!sn_tree_nearest(t->tree, c->safe, place(t, point), INFINITY, NULL, NULL, &nearest)) return SN_OK;
    const int* triangle = triangles->points + 3 * (int64_t)nearest.item;
    double thickness = sn_contact_thickness(c, point, triangle[0]), depth = nearest.distance;
    if (depth > 1e-9 * thickness)
        for (int a = 0; a < 3; a++) normal[a] = (nearest.point[a] - place(t, point)[a]) / depth;
    else
        normal_of(t, triangle, normal);
    if (!(sn_length3(normal) > 0)) return SN_OK; // on a triangle without area: neighbours will push
    sn_normalize3(normal);
    return push(t, point, triangle, nearest.weights, normal, fmin(thickness, way_out(t) - depth));
}

// Where the edge goes through the triangle: weights of the corners.
static void weights_at(const Tangle* t, const SnCrossing* x, double weights[3])
{
    double u[3], v[3], n[3], sum = 0;
    const double *p = place(t, x->edge[0]), *q = place(t, x->edge[1]);
    for (int k = 0; k < 3; k++) { // the volumes of what the edge makes with the opposite side
        sn_subtract3(place(t, x->triangle[(k + 1) % 3]), p, u);
        sn_subtract3(place(t, x->triangle[(k + 2) % 3]), p, v);
        sn_cross3(u, v, n);
        sn_subtract3(q, p, u);
        sum += weights[k] = fabs(sn_dot3(n, u));
    }
    for (int k = 0; k < 3; k++) weights[k] = sum > 0 ? weights[k] / sum : 1.0 / 3;
}

// Adds the way on which the line along which the triangle and those at the edge cross gets shorter.
static void add_shorter_way(const Tangle* t, const SnCrossing* x, double way[3])
{
    const SnNeighbours* n = t->contacts->neighbours;
    double normal[3], e[3];
    int a = x->edge[0], b = x->edge[1];
    normal_of(t, x->triangle, normal), sn_normalize3(normal);
    sn_subtract3(place(t, b), place(t, a), e), sn_normalize3(e);
    for (int64_t k = n->first[a]; k < n->first[a + 1]; k++) {
        int c = n->triangles[2 * k], d = n->triangles[2 * k + 1], third = c == b ? d : c;
        double face[3], line[3], into[3];
        if (c != b && d != b) continue;
        normal_of(t, (int[]){a, b, third}, face);
        sn_cross3(normal, face, line);
        if (!(sn_length3(line) > 0)) continue;
        sn_normalize3(line);
        sn_subtract3(place(t, third), place(t, a), into);
        double along = sn_dot3(into, e), slope = 2 * sn_dot3(e, line) / sn_dot3(e, normal);
        slope = fmin(fmax(slope, -STEEP), STEEP);
        for (int i = 0; i < 3; i++) into[i] -= along * e[i];
        double sign = sn_dot3(into, line) < 0 ? -1 : 1;
        for (int i = 0; i < 3; i++) way[i] += sign * (line[i] - slope * normal[i]);
    }
}

static bool is_left(const Tangle* t, const SnCrossing* x)
{
    return !is_wrong(t, x->edge[0]) && !is_wrong(t, x->edge[1]);
}

// Edges that cross along one line go one way: crossings that are left, whose edges hang together. Here parts are these.
static void join_left(const Tangle* t)
{
    SnTangles* all = &t->contacts->tangles;
    const SnSurfaceElements *nodes = &t->contacts->surfaces->items[t->surface].of[SN_SURFACE_NODES],
                            *edges = &t->contacts->surfaces->items[t->surface].of[SN_SURFACE_EDGES];
    for (int i = 0; i < nodes->count; i++) all->size[nodes->points[i]] = 0;
    for (int k = 0; k < t->count; k++)
        for (int end = 0; end < 2 && is_left(t, &t->crossings[k]); end++) all->size[t->crossings[k].edge[end]] = 1;
    for (int i = 0; i < nodes->count; i++) all->root[nodes->points[i]] = nodes->points[i];
    for (int i = 0; i < edges->count; i++) {
        int a = edges->points[2 * i], b = edges->points[2 * i + 1];
        if (!all->size[a] || !all->size[b]) continue;
        a = sn_sets_root(all->root, a), b = sn_sets_root(all->root, b);
        all->root[a > b ? a : b] = a > b ? b : a;
    }
}

static SnStatus go_on(const Tangle* t, const SnCrossing* x, const double sum[3])
{
    double way[3] = {sum[0], sum[1], sum[2]}, weights[3], from[3], middle[3] = {0};
    bool clear = sn_length3(way) > LEAST_WAY;
    if (clear) sn_normalize3(way);
    weights_at(t, x, weights);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) middle[i] += weights[k] * place(t, x->triangle[k])[i];
    for (int end = 0; end < 2; end++) {
        SN_TRY(note(t, x->edge[end]));
        sn_subtract3(place(t, x->edge[end]), middle, from);
        if (clear) SN_TRY(push(t, x->edge[end], x->triangle, weights, way, sn_dot3(way, from) + way_out(t)));
    }
    return SN_OK;
}

// What crosses without cutting anything off.
static SnStatus shorten(const Tangle* t)
{
    SnTangles* all = &t->contacts->tangles;
    join_left(t);
    for (int k = 0; k < t->count; k++)
        memset(all->way + 3 * (int64_t)sn_sets_root(all->root, t->crossings[k].edge[0]), 0, 3 * sizeof *all->way);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < t->count; k++) {
            const SnCrossing* x = &t->crossings[k];
            double* way = all->way + 3 * (int64_t)sn_sets_root(all->root, x->edge[0]);
            if (!all->size[x->edge[0]] || !all->size[x->edge[1]]) continue;
            if (pass == 0)
                add_shorter_way(t, x, way);
            else
                SN_TRY(go_on(t, x, way));
        }
    return SN_OK;
}

// The end of an edge that is on the wrong side, through the triangle, to where the other end is.
static SnStatus pull_back(const Tangle* t, const SnCrossing* x, int end)
{
    double normal[3], weights[3], from[3];
    int point = x->edge[end];
    weights_at(t, x, weights);
    normal_of(t, x->triangle, normal), sn_normalize3(normal);
    sn_subtract3(place(t, point), place(t, x->triangle[0]), from);
    double depth = sn_dot3(normal, from), thickness = sn_contact_thickness(t->contacts, point, x->triangle[0]);
    for (int a = 0; a < 3 && depth > 0; a++) normal[a] = -normal[a];
    return push(t, point, x->triangle, weights, normal, fmin(thickness, way_out(t) - fabs(depth)));
}

// Inside of another body all of a part is pushed out; elsewhere, what crosses now.
static SnStatus sort_out_with(const Tangle* t)
{
    const SnSurfaceElements* nodes = &t->contacts->surfaces->items[t->surface].of[SN_SURFACE_NODES];
    find_parts(t);
    vote(t);
    for (int i = 0; i < nodes->count; i++) {
        if (!is_wrong(t, nodes->points[i])) continue;
        SN_TRY(note(t, nodes->points[i]));
        if (t->inside && t->surface != t->other) SN_TRY(push_out(t, nodes->points[i]));
    }
    for (int k = 0; k < t->count; k++) {
        const SnCrossing* x = &t->crossings[k];
        bool wrong[2] = {is_wrong(t, x->edge[0]), is_wrong(t, x->edge[1])};
        for (int end = 0; end < 2; end++)
            if (wrong[end] && !wrong[1 - end] && !(t->inside && t->surface != t->other)) SN_TRY(pull_back(t, x, end));
    }
    return shorten(t);
}

static SnStatus sort_out(SnContacts* c, int count, const SnCrossing* crossings)
{
    Tangle t = {.contacts = c, .surface = crossings->surface, .other = crossings->other};
    t.crossings = crossings, t.count = count;
    const SnSurfaceElements* triangles = &c->surfaces->items[t.other].of[SN_SURFACE_TRIANGLES];
    SnTree* tree;
    SN_TRY(sn_tree_create(triangles->count, 3, triangles->points, c->safe, &tree));
    sn_tree_refit(tree, c->tasks, c->safe, 0);
    t.tree = tree, t.inside = has_inside(c, t.other);
    SnStatus status = sort_out_with(&t);
    sn_tree_destroy(tree);
    return status;
}

static int compare(const void* a, const void* b)
{
    const SnTangled *p = a, *q = b;
    return p->point != q->point ? (p->point < q->point ? -1 : 1)
                                : (p->surface > q->surface) - (p->surface < q->surface);
}

bool sn_tangles_has(const SnTangles* t, int point, int surface)
{
    if (t->count == 0 || !t->marked[point]) return false;
    SnTangled key = {point, surface};
    return bsearch(&key, t->items, (size_t)t->count, sizeof key, compare) != NULL;
}

static SnStatus add(void* user, const SnCrossing* crossing)
{
    SnTangles* t = user;
    if (!SN_GROW(t->crossings, t->crossing_capacity, (int64_t)t->crossing_count + 1, "contacts"))
        return SN_ERROR_MEMORY;
    t->crossings[t->crossing_count++] = *crossing;
    return SN_OK;
}

static SnStatus make_room(SnContacts* c)
{
    SnTangles* t = &c->tangles;
    int64_t n = c->point_count;
    bool room = (t->root || SN_NEW(t->root, n, "contacts")) && (t->vote || SN_NEW(t->vote, n, "contacts")) &&
                (t->size || SN_NEW(t->size, n, "contacts")) && (t->way || SN_NEW(t->way, 3 * n, "contacts")) &&
                (t->marked || SN_NEW(t->marked, n, "contacts"));
    return room ? SN_OK : SN_ERROR_MEMORY;
}

// What is held or slides goes where it has to, also through others; all else does not cross what it has not crossed.
static bool goes_anywhere(const SnContacts* c)
{
    for (int i = 0; i < c->node_count; i++)
        if (c->free_index[i] < 0) return true;
    return c->options.kept != NULL;
}

SnStatus sn_tangles_find(SnContacts* c)
{
    SnTangles* t = &c->tangles;
    SN_TRY(make_room(c));
    memset(t->marked, 0, (size_t)c->point_count * sizeof *t->marked);
    t->count = t->crossing_count = c->untangling.count = 0;
    SN_TRY(sn_crossings_visit(c, add, t));
    t->none = t->crossing_count == 0 && !goes_anywhere(c);
    for (int i = 0, k = 0; i < t->crossing_count; i = k) {
        const SnCrossing* first = &t->crossings[i];
        while (k < t->crossing_count && t->crossings[k].surface == first->surface &&
               t->crossings[k].other == first->other)
            k++;
        SN_TRY(sort_out(c, k - i, first));
    }
    if (t->count) qsort(t->items, (size_t)t->count, sizeof *t->items, compare);
    return SN_OK;
}
