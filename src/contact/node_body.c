// A node against bodies: inside a tetrahedron, against the point of the surface that is nearest at rest (Overby et al.
// 2017, 5.1); outside, against the nearest point of the surface as it is; but where it came in, if that is elsewhere.
#include <math.h>
#include <string.h>

#include "contact/query.h"
#include "linalg/vec3.h"

static bool accept_at_rest(void* user, int item)
{
    const SnContactQuery* q = user;
    return !q->own || !sn_contact_has_node(q->target->surface, item, q->node); // the trees have the same triangles
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
    sn_contact_face_normal(q->x, n, 0, normal);
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
    if (!sn_contact_triangle(q, p, reach, nearest)) return false;
    double way[3], then[3], *normal = plane->normal;
    const int* n = sn_tree_corners(t->surface, nearest->item);
    sn_subtract3(p, nearest->point, way);
    sn_contact_face_normal(q->x, n, 0, normal);
    bool flat = sn_dot3(normal, normal) == 0, far = nearest->distance > 1e-6 * t->edge;
    if (far && (nearest->feature != 7 || flat))
        for (int c = 0; c < 3; c++) normal[c] = way[c] / nearest->distance;
    double side = sn_dot3(way, normal);
    if (t->body->sheet && !far) {
        sn_contact_face_normal(q->contacts->start.x, n, 0, then);
        way_at(q, q->contacts->start.x, nearest, way);
        side = sn_dot3(way, then);
    }
    for (int c = 0; c < 3 && side < 0; c++) normal[c] = -normal[c];
    return sn_dot3(normal, normal) > 0;
}

SnStatus sn_contact_body(const SnContacts* c, const SnNearby* pair, const SnNearbyItem* items, const double* x,
                         SnRowSet* rows)
{
    int node = c->nodes[pair->index], inside = -1;
    const double* p = x + 3 * (int64_t)node;
    SnContactQuery q = {c, &c->targets[pair->body], x, p, node, pair->body == c->body_of[pair->index], pair, items};
    double weights[4], from[3];
    SnContactPlane plane;
    if (q.target->tetrahedra) inside = sn_contact_inside(&q, p, weights);
    bool found = inside >= 0 ? find_way_out(&q, inside, weights, &plane)
                             : sn_contact_nearest(&q, p, sn_contact_reach(c, node, q.target, p), &plane);
    if (q.target->body->sheet && sn_contact_crossing(&q, sn_contact_reach(c, node, q.target, p), &plane))
        return add_row(&q, pair->index, pair->body, &plane, rows);
    if (!found) return SN_OK;
    if (q.target->body->sheet) return add_row(&q, pair->index, pair->body, &plane, rows);
    way_at(&q, c->start.x, &plane.nearest, from); // as seen from the surface as it is now
    for (int k = 0; k < 3; k++) from[k] += plane.nearest.point[k];
    sn_contact_way_in(&q, from, &plane);
    return add_row(&q, pair->index, pair->body, &plane, rows);
}
