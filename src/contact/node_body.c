// A node against bodies: inside a tetrahedron, against the point of the surface that is nearest at rest (Overby et al.
// 2017, 5.1); outside, against the nearest point of the surface as it is.
#include <math.h>
#include <string.h>

#include "contact/detector.h"
#include "linalg/vec3.h"

// A query: one node and one body.
typedef struct Query {
    const SnContacts* contacts;
    const SnTarget* target;
    const double* x;
    const double* p; // of the node
    int node;        // of the world
    bool own;        // the body is the node's own
    // Found inside:
    int tetrahedron;
    double weights[4];
} Query;

static const int* corners_of(const SnTree* tree, int item)
{
    return tree->items + (int64_t)tree->corners * item;
}

static bool has_node(const SnTree* tree, int item, int node)
{
    const int* corners = corners_of(tree, item);
    for (int k = 0; k < tree->corners; k++)
        if (corners[k] == node) return true;
    return false;
}

static void combine(const double* x, const int* corners, int shift, int count, const double* weights, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) out[c] += weights[k] * x[3 * (int64_t)(corners[k] - shift) + c];
}

// A body touches itself only with parts that are apart at rest, as seen from the node.
static bool apart_at_rest(const Query* q, const int* corners, int count, const double* weights)
{
    const SnContactBody* body = q->target->body;
    double there[3], way[3];
    combine(body->rest, corners, body->first_node, count, weights, there);
    sn_subtract3(there, body->rest + 3 * (int64_t)(q->node - body->first_node), way);
    return sn_length3(way) > 2 * q->target->edge + 2 * q->contacts->options.thickness;
}

static bool look_inside(void* user, int item)
{
    Query* q = user;
    const SnTree* tree = q->target->tetrahedra;
    const int* n = corners_of(tree, item);
    double corners[12], weights[4];
    if (q->own && has_node(tree, item, q->node)) return true;
    for (int k = 0; k < 4; k++) memcpy(corners + 3 * k, q->x + 3 * (int64_t)n[k], 3 * sizeof *corners);
    if (!sn_point_in_tetrahedron(corners, q->p, weights)) return true;
    for (int k = 0; k < 4; k++)
        if (weights[k] < 0) return true;
    if (q->own && !apart_at_rest(q, n, 4, weights)) return true;
    q->tetrahedron = item;
    memcpy(q->weights, weights, sizeof weights);
    return false;
}

static bool accept_triangle(void* user, int item)
{
    const Query* q = user;
    const double middle[3] = {1 / 3.0, 1 / 3.0, 1 / 3.0};
    const SnTree* tree = q->target->surface;
    return !q->own || (!has_node(tree, item, q->node) && apart_at_rest(q, corners_of(tree, item), 3, middle));
}

static bool accept_at_rest(void* user, int item)
{
    const Query* q = user;
    return !q->own || !has_node(q->target->surface, item, q->node); // the trees have the same triangles
}

static void face_normal(const double* x, const int* n, double normal[3])
{
    double u[3], v[3];
    sn_subtract3(x + 3 * (int64_t)n[1], x + 3 * (int64_t)n[0], u);
    sn_subtract3(x + 3 * (int64_t)n[2], x + 3 * (int64_t)n[0], v);
    sn_cross3(u, v, normal);
    if (sn_normalize3(normal) == 0) memset(normal, 0, 3 * sizeof *normal);
}

// n.(p - q) for the node and the triangle's point at some positions.
static double gap_at(const Query* q, const double* x, const SnNearest* nearest, const double normal[3])
{
    double point[3], way[3];
    combine(x, corners_of(q->target->surface, nearest->item), 0, 3, nearest->weights, point);
    sn_subtract3(x + 3 * (int64_t)q->node, point, way);
    return sn_dot3(way, normal);
}

static SnStatus add_row(const Query* q, int index, int body, const SnNearest* nearest, const double normal[3],
                        SnRowSet* rows)
{
    const SnContacts* c = q->contacts;
    const int* n = corners_of(q->target->surface, nearest->item);
    SnRow row = {
        .count = 4,
        .node = {q->node, n[0], n[1], n[2]},
        .weight = {1, -nearest->weights[0], -nearest->weights[1], -nearest->weights[2]},
        .unilateral = true,
        .friction = c->options.friction,
        .offset = sn_contact_gap(c, c->options.thickness, gap_at(q, c->start.x, nearest, normal)),
        .key = sn_contact_key(c, index, c->obstacle_count + body),
    };
    memcpy(row.normal, normal, sizeof row.normal);
    return sn_row_set_add(rows, &row);
}

// Inside: out to the surface that is nearest at rest. The way there is the normal where it is long enough to tell.
static bool find_way_out(Query* q, SnNearest* nearest, double normal[3])
{
    const SnContactBody* body = q->target->body;
    double there[3], point[3], way[3];
    const int* tetrahedron = corners_of(q->target->tetrahedra, q->tetrahedron);
    combine(body->rest, tetrahedron, body->first_node, 4, q->weights, there);
    if (!sn_tree_nearest(q->target->rest, body->rest, there, INFINITY, accept_at_rest, q, nearest)) return false;
    const int* n = corners_of(q->target->surface, nearest->item);
    face_normal(q->x, n, normal);
    combine(q->x, n, 0, 3, nearest->weights, point);
    sn_subtract3(point, q->p, way);
    double length = sn_length3(way);
    if (length > 0.1 * q->target->edge && sn_dot3(way, normal) > 0.5 * length)
        for (int c = 0; c < 3; c++) normal[c] = way[c] / length;
    return sn_dot3(normal, normal) > 0;
}

// Outside: away from the nearest point; of a sheet, to the side where the node was when the step began.
static bool find_near(Query* q, double reach, SnNearest* nearest, double normal[3])
{
    const SnTarget* t = q->target;
    if (!sn_tree_nearest(t->surface, q->x, q->p, reach, accept_triangle, q, nearest)) return false;
    double way[3], face[3];
    const int* n = corners_of(t->surface, nearest->item);
    sn_subtract3(q->p, nearest->point, way);
    face_normal(q->x, n, face);
    memcpy(normal, face, sizeof face);
    if (nearest->distance > 1e-6 * t->edge && (nearest->feature != 7 || sn_dot3(face, face) == 0))
        for (int c = 0; c < 3; c++) normal[c] = way[c] / nearest->distance;
    double side = sn_dot3(way, normal);
    if (t->body->sheet && sn_dot3(face, face) > 0) {
        double then[3];
        face_normal(q->contacts->start.x, n, then);
        bool above = gap_at(q, q->contacts->start.x, nearest, then) >= 0;
        side = above == (sn_dot3(normal, face) > 0) ? 1 : -1;
    }
    for (int c = 0; c < 3 && side < 0; c++) normal[c] = -normal[c];
    return sn_dot3(normal, normal) > 0;
}

// How far beyond the thickness to look: as far as node and body went past each other since the step began.
static double reach_of(const Query* q)
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
    int node = c->nodes[index];
    Query q = {.contacts = c, .target = &c->targets[body], .x = x, .p = x + 3 * (int64_t)node, .node = node};
    SnNearest nearest;
    double normal[3], reach = reach_of(&q);
    const SnBox* all = &q.target->surface->boxes[0];
    for (int k = 0; k < 3; k++)
        if (q.p[k] < all->lo[k] - reach || q.p[k] > all->hi[k] + reach) return SN_OK;
    q.own = body == c->body_of[index];
    q.tetrahedron = -1;
    SnBox box;
    memcpy(box.lo, q.p, sizeof box.lo), memcpy(box.hi, q.p, sizeof box.hi);
    if (q.target->tetrahedra) sn_tree_overlaps(q.target->tetrahedra, &box, look_inside, &q);
    bool found = q.tetrahedron >= 0 ? find_way_out(&q, &nearest, normal) : find_near(&q, reach, &nearest, normal);
    return found ? add_row(&q, index, body, &nearest, normal, rows) : SN_OK;
}

SnStatus sn_contact_bodies(SnContacts* c, int index, const double* x, SnRowSet* rows)
{
    for (int b = 0; b < c->body_count; b++) {
        bool wanted = b == c->body_of[index] ? c->options.self : c->options.bodies;
        if (wanted && c->targets[b].surface) SN_TRY(touch(c, index, b, x, rows));
    }
    return SN_OK;
}
