// A node against bodies: inside a tetrahedron, against the point of the surface that is nearest at rest (Overby et al.
// 2017, 5.1); outside, against the nearest point of the surface as it is; but where it came in, if that is elsewhere.
#include <math.h>
#include <string.h>

#include "contact/query.h"
#include "linalg/vec3.h"

#define FACING 0.1 // cosine

// A search for the tetrahedron that a point is in.
typedef struct Inside {
    const SnContactQuery* query;
    const double* p;
    int tetrahedron; // -1: none
    double* weights; // 4
} Inside;

static bool has_node(const SnTree* tree, int item, int node)
{
    const int* corners = sn_tree_corners(tree, item);
    for (int k = 0; k < tree->corners; k++)
        if (corners[k] == node) return true;
    return false;
}

static void face_normal(const double* x, const int* n, int shift, double normal[3])
{
    double u[3], v[3];
    sn_subtract3(x + 3 * (int64_t)(n[1] - shift), x + 3 * (int64_t)(n[0] - shift), u);
    sn_subtract3(x + 3 * (int64_t)(n[2] - shift), x + 3 * (int64_t)(n[0] - shift), v);
    sn_cross3(u, v, normal);
    if (sn_normalize3(normal) == 0) memset(normal, 0, 3 * sizeof *normal);
}

// A body touches itself only with parts that are apart at rest, or on the other side of a gap: neighbours are neither.
static bool apart_at_rest(const SnContactQuery* q, const int* corners, int count)
{
    const SnContactBody* body = q->target->body;
    double middle[4], there[3], way[3], thickness = q->contacts->options.thickness, normal[3];
    int64_t node = q->node - body->first_node;
    for (int k = 0; k < count; k++) middle[k] = 1.0 / count;
    sn_combine_nodes(body->rest, corners, body->first_node, count, middle, there);
    sn_subtract3(there, body->rest + 3 * node, way);
    double length = sn_length3(way);
    if (length > 2 * q->target->edge + 2 * thickness) return true;
    if (length < 2 * thickness || !q->target->facing || sn_dot3(way, q->target->facing + 3 * node) < FACING * length)
        return false;
    if (count == 3) face_normal(body->rest, corners, body->first_node, normal);
    return count == 4 || sn_dot3(way, normal) < -FACING * length;
}

static bool look_inside(void* user, int item)
{
    Inside* in = user;
    const SnContactQuery* q = in->query;
    const SnTree* tree = q->target->tetrahedra;
    const int* n = sn_tree_corners(tree, item);
    double corners[12], weights[4];
    if (q->own && has_node(tree, item, q->node)) return true;
    for (int k = 0; k < 4; k++) memcpy(corners + 3 * k, q->x + 3 * (int64_t)n[k], 3 * sizeof *corners);
    if (!sn_point_in_tetrahedron(corners, in->p, weights)) return true;
    for (int k = 0; k < 4; k++)
        if (weights[k] < 0) return true;
    if (q->own && !apart_at_rest(q, n, 4)) return true;
    in->tetrahedron = item;
    memcpy(in->weights, weights, sizeof weights);
    return false;
}

int sn_contact_inside(const SnContactQuery* q, const double p[3], double weights[4])
{
    SnBox box;
    Inside in = {q, p, -1, weights};
    memcpy(box.lo, p, sizeof box.lo), memcpy(box.hi, p, sizeof box.hi);
    sn_tree_overlaps(q->target->tetrahedra, &box, look_inside, &in);
    return in.tetrahedron;
}

static bool accept_triangle(void* user, int item)
{
    const SnContactQuery* q = user;
    const SnTree* tree = q->target->surface;
    return !q->own || (!has_node(tree, item, q->node) && apart_at_rest(q, sn_tree_corners(tree, item), 3));
}

static bool accept_at_rest(void* user, int item)
{
    const SnContactQuery* q = user;
    return !q->own || !has_node(q->target->surface, item, q->node); // the trees have the same triangles
}

// The node's place relative to the triangle's point, at some positions.
static void way_at(const SnContactQuery* q, const double* x, const SnNearest* nearest, double way[3])
{
    double point[3];
    sn_combine_nodes(x, sn_tree_corners(q->target->surface, nearest->item), 0, 3, nearest->weights, point);
    sn_subtract3(x + 3 * (int64_t)q->node, point, way);
}

static SnStatus add_row(const SnContactQuery* q, int index, int body, const SnContactPlane* plane, SnRowSet* rows)
{
    const SnContacts* c = q->contacts;
    const SnNearest* nearest = &plane->nearest;
    const int* n = sn_tree_corners(q->target->surface, nearest->item);
    double before[3];
    way_at(q, c->start.x, nearest, before);
    SnRow row = {
        .count = 4,
        .node = {q->node, n[0], n[1], n[2]},
        .weight = {1, -nearest->weights[0], -nearest->weights[1], -nearest->weights[2]},
        .unilateral = true,
        .friction = c->options.friction,
        .offset = sn_contact_gap(c, c->options.thickness, sn_dot3(before, plane->normal)),
        .key = sn_contact_key(c, index, c->obstacle_count + body),
    };
    memcpy(row.normal, plane->normal, sizeof row.normal);
    return sn_row_set_add(rows, &row);
}

// Inside: out to the surface that is nearest at rest. The way there is the normal where it is long enough to tell.
static bool find_way_out(SnContactQuery* q, int inside, const double weights[4], SnContactPlane* plane)
{
    const SnContactBody* body = q->target->body;
    double there[3], way[3], *normal = plane->normal;
    const int* tetrahedron = sn_tree_corners(q->target->tetrahedra, inside);
    sn_combine_nodes(body->rest, tetrahedron, body->first_node, 4, weights, there);
    if (!sn_tree_nearest(q->target->rest, body->rest, there, INFINITY, accept_at_rest, q, &plane->nearest))
        return false;
    const int* n = sn_tree_corners(q->target->surface, plane->nearest.item);
    face_normal(q->x, n, 0, normal);
    sn_combine_nodes(q->x, n, 0, 3, plane->nearest.weights, plane->nearest.point);
    sn_subtract3(plane->nearest.point, q->p, way);
    double length = sn_length3(way);
    if (length > 0.1 * q->target->edge && sn_dot3(way, normal) > 0.5 * length)
        for (int c = 0; c < 3; c++) normal[c] = way[c] / length;
    return sn_dot3(normal, normal) > 0;
}

// Outside: away from the nearest point; of a sheet, on a face, to the side where the node was when the step began.
bool sn_contact_nearest(const SnContactQuery* q, const double p[3], double reach, SnContactPlane* plane)
{
    const SnTarget* t = q->target;
    SnNearest* nearest = &plane->nearest;
    if (!sn_tree_nearest(t->surface, q->x, p, reach, accept_triangle, (void*)q, nearest)) return false;
    double way[3], then[3], *normal = plane->normal;
    const int* n = sn_tree_corners(t->surface, nearest->item);
    sn_subtract3(p, nearest->point, way);
    face_normal(q->x, n, 0, normal);
    bool flat = sn_dot3(normal, normal) == 0, far = nearest->distance > 1e-6 * t->edge;
    if (far && (nearest->feature != 7 || flat))
        for (int c = 0; c < 3; c++) normal[c] = way[c] / nearest->distance;
    double side = sn_dot3(way, normal);
    if (t->body->sheet && !far) {
        face_normal(q->contacts->start.x, n, 0, then);
        way_at(q, q->contacts->start.x, nearest, way);
        side = sn_dot3(way, then);
    }
    for (int c = 0; c < 3 && side < 0; c++) normal[c] = -normal[c];
    return sn_dot3(normal, normal) > 0;
}

// How far beyond the thickness to look: as far as node and body went past each other since the step began.
static double reach_of(const SnContactQuery* q)
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        double d = q->p[c] - q->contacts->start.x[3 * (int64_t)q->node + c] - q->target->moved[c];
        square += d * d;
    }
    return q->contacts->options.thickness + 0.1 * q->target->edge + sqrt(square) + q->target->spread;
}

static SnStatus touch(SnContacts* c, int index, int body, const double* x, SnRowSet* rows)
{
    int node = c->nodes[index], inside = -1;
    SnContactQuery q = {.contacts = c, .target = &c->targets[body], .x = x, .p = x + 3 * (int64_t)node, .node = node};
    double weights[4], reach = reach_of(&q), from[3];
    const SnBox* all = &q.target->surface->boxes[0];
    for (int k = 0; k < 3; k++)
        if (q.p[k] < all->lo[k] - reach || q.p[k] > all->hi[k] + reach) return SN_OK;
    q.own = body == c->body_of[index];
    SnContactPlane plane;
    if (q.target->tetrahedra) inside = sn_contact_inside(&q, q.p, weights);
    bool found = inside >= 0 ? find_way_out(&q, inside, weights, &plane) : sn_contact_nearest(&q, q.p, reach, &plane);
    if (!found) return SN_OK;
    way_at(&q, c->start.x, &plane.nearest, from); // as seen from the surface as it is now
    for (int k = 0; k < 3; k++) from[k] += plane.nearest.point[k];
    sn_contact_way_in(&q, from, &plane);
    return add_row(&q, index, body, &plane, rows);
}

SnStatus sn_contact_bodies(SnContacts* c, int index, const double* x, SnRowSet* rows)
{
    for (int b = 0; b < c->body_count; b++) {
        bool wanted = b == c->body_of[index] ? c->options.self : c->options.bodies;
        if (wanted && c->targets[b].surface) SN_TRY(touch(c, index, b, x, rows));
    }
    return SN_OK;
}
