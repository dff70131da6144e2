// Searching a body as one node sees it: the triangle nearest to a point, the tetrahedron it is in.
#include <string.h>

#include "contact/query.h"
#include "linalg/vec3.h"

#define FACING 0.1    // cosine
#define ROUNDING 1e-9 // of a distance: more than it can be wrong by

void sn_contact_face_normal(const double* x, const int* n, int shift, double normal[3])
{
    double u[3], v[3];
    sn_subtract3(x + 3 * (int64_t)(n[1] - shift), x + 3 * (int64_t)(n[0] - shift), u);
    sn_subtract3(x + 3 * (int64_t)(n[2] - shift), x + 3 * (int64_t)(n[0] - shift), v);
    sn_cross3(u, v, normal);
    if (sn_normalize3(normal) == 0) memset(normal, 0, 3 * sizeof *normal);
}

// A body touches itself only with parts that are apart at rest, or on the other side of a gap: neighbours are neither.
static bool apart_at_rest(const SnContactQuery* q, const SnTree* tree, int item)
{
    const SnTarget* t = q->target;
    const SnContactBody* body = t->body;
    const double quarter[4] = {0.25, 0.25, 0.25, 0.25};
    const int* corners = sn_tree_corners(tree, item);
    double there[3], offset[3], thickness = q->contacts->options.thickness, normal[3] = {0};
    int64_t node = q->node - body->first_node;
    if (tree->corners == 3)
        memcpy(there, t->middles + 3 * (int64_t)item, sizeof there);
    else
        sn_combine_nodes(body->rest, corners, body->first_node, 4, quarter, there);
    sn_subtract3(there, body->rest + 3 * node, offset);
    double length = sn_length3(offset);
    if (length > 2 * t->edge + 2 * thickness) return true;
    if (length < 2 * thickness || !t->facing || sn_dot3(offset, t->facing + 3 * node) < FACING * length) return false;
    if (tree->corners == 3) sn_contact_face_normal(body->rest, corners, body->first_node, normal);
    return tree->corners == 4 || sn_dot3(offset, normal) < -FACING * length;
}

bool sn_contact_may_touch(const SnContactQuery* q, const SnTree* tree, int item)
{
    return !q->own || (apart_at_rest(q, tree, item) && !sn_contact_has_node(tree, item, q->node));
}

static bool accept_triangle(void* user, int item)
{
    const SnContactQuery* q = user;
    return sn_contact_may_touch(q, q->target->surface, item);
}

bool sn_contact_triangle(const SnContactQuery* q, const double p[3], double reach, SnNearest* best)
{
    const SnTree* tree = q->target->surface;
    const SnNearbyItem* items = q->items + q->pair->tetrahedra;
    double strayed = sn_contact_strayed(q->contacts, q->node, q->target, p) * (1 + ROUNDING);
    bool found = false;
    best->distance = reach;
    for (int i = 0; i < q->pair->triangles && items[i].distance * (1 - ROUNDING) - strayed <= best->distance; i++) {
        const int *n = sn_tree_corners(tree, items[i].item), item = items[i].item;
        SnNearest nearest;
        sn_nearest_on_triangle(q->x + 3 * (int64_t)n[0], q->x + 3 * (int64_t)n[1], q->x + 3 * (int64_t)n[2], p,
                               &nearest);
        bool same = found && nearest.distance == best->distance;
        if (!(nearest.distance < best->distance || (same && item < best->item))) continue;
        *best = nearest;
        best->item = item;
        found = true;
    }
    if (best->distance <= q->pair->near * (1 - ROUNDING) - strayed) return found;
    return sn_tree_nearest(tree, q->x, p, reach, accept_triangle, (void*)q, best);
}

// A search for the tetrahedron that a point is in.
typedef struct Inside {
    const SnContactQuery* query;
    const double* p;
    int tetrahedron; // -1: none
    double* weights; // 4
} Inside;

static bool box_has(const double corners[12], const double p[3])
{
    for (int c = 0; c < 3; c++) {
        double a = corners[c], b = corners[3 + c], d = corners[6 + c], e = corners[9 + c];
        if ((p[c] < a && p[c] < b && p[c] < d && p[c] < e) || (p[c] > a && p[c] > b && p[c] > d && p[c] > e))
            return false;
    }
    return true;
}

// By its box as well, so that lists and tree find the same one.
static void look_inside(Inside* in, int item)
{
    const SnContactQuery* q = in->query;
    const int* n = sn_tree_corners(q->target->tetrahedra, item);
    double corners[12], w[4];
    if (in->tetrahedron >= 0 && in->tetrahedron < item) return;
    for (int k = 0; k < 4; k++) memcpy(corners + 3 * k, q->x + 3 * (int64_t)n[k], 3 * sizeof *corners);
    if (!box_has(corners, in->p) || !sn_point_in_tetrahedron(corners, in->p, w)) return;
    if (w[0] < 0 || w[1] < 0 || w[2] < 0 || w[3] < 0) return;
    in->tetrahedron = item;
    memcpy(in->weights, w, sizeof w);
}

static bool visit(void* user, int item)
{
    Inside* in = user;
    if (sn_contact_may_touch(in->query, in->query->target->tetrahedra, item)) look_inside(in, item);
    return true;
}

int sn_contact_inside(const SnContactQuery* q, const double p[3], double weights[4])
{
    Inside in = {q, p, -1, weights};
    double strayed = sn_contact_strayed(q->contacts, q->node, q->target, p);
    if (strayed <= q->target->margin && q->pair->near >= 0) {
        double far = strayed + ROUNDING * q->target->margin;
        for (int i = 0; i < q->pair->tetrahedra && q->items[i].distance <= far; i++) look_inside(&in, q->items[i].item);
        return in.tetrahedron;
    }
    SnBox box;
    memcpy(box.lo, p, sizeof box.lo), memcpy(box.hi, p, sizeof box.hi);
    sn_tree_overlaps(q->target->tetrahedra, &box, visit, &in);
    return in.tetrahedron;
}
