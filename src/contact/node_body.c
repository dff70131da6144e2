// A node against bodies: inside a tetrahedron, against the point of the surface that is nearest at rest (Overby et al.
// 2017, 5.1); outside, against the nearest point of the surface as it is; but where it came in, if that is elsewhere.
// Against sheets: where it went through, otherwise against the nearest point.
#include <math.h>
#include <string.h>

#include "contact/query.h"
#include "linalg/vec3.h"

#define ABOVE 0.5 // cosine

static bool accept_at_rest(void* user, int item)
{
    const SnContactQuery* q = user;
    return !q->own || !sn_contact_has_node(q->target->surface, item, q->node); // the trees have the same triangles
}

// The node's place relative to the triangle's point, at some positions.
static void offset_at(const SnContactQuery* q, const double* x, const SnNearest* nearest, double offset[3])
{
    double point[3];
    sn_combine_nodes(x, sn_tree_corners(q->target->surface, nearest->item), 0, 3, nearest->weights, point);
    sn_subtract3(x + 3 * (int64_t)q->node, point, offset);
}

// before: how far from the plane the node was when the step began.
static SnStatus add_contact(const SnContactQuery* q, const SnContactPlane* plane, double before, SnContactList* list)
{
    const SnContacts* c = q->contacts;
    const SnNearest* nearest = &plane->nearest;
    const int* n = sn_tree_corners(q->target->surface, nearest->item);
    SnContact contact = {
        .at = {.count = 4,
               .node = {q->node, n[0], n[1], n[2]},
               .weight = {1, -nearest->weights[0], -nearest->weights[1], -nearest->weights[2]},
               .offset = sn_contact_gap(c, c->options.thickness, before)},
        .target = c->obstacle_count + q->pair->body,
        .friction = c->options.friction,
    };
    memcpy(contact.at.normal, plane->normal, sizeof contact.at.normal);
    return sn_contact_list_add(list, &contact);
}

// Inside: out to the surface that is nearest at rest. The direction there is the normal where it is long enough to
// tell.
static bool find_exit(SnContactQuery* q, int inside, const double weights[4], SnContactPlane* plane)
{
    const SnContactBody* body = q->target->body;
    double there[3], offset[3], *normal = plane->normal;
    const int* tetrahedron = sn_tree_corners(q->target->tetrahedra, inside);
    sn_combine_nodes(body->rest, tetrahedron, body->first_node, 4, weights, there);
    if (!sn_tree_nearest(q->target->rest, body->rest, there, INFINITY, accept_at_rest, q, &plane->nearest))
        return false;
    const int* n = sn_tree_corners(q->target->surface, plane->nearest.item);
    sn_contact_face_normal(q->x, n, 0, normal);
    sn_combine_nodes(q->x, n, 0, 3, plane->nearest.weights, plane->nearest.point);
    sn_subtract3(plane->nearest.point, q->p, offset);
    double length = sn_length3(offset);
    if (length > 0.1 * q->target->edge && sn_dot3(offset, normal) > 0.5 * length)
        for (int c = 0; c < 3; c++) normal[c] = offset[c] / length;
    return sn_dot3(normal, normal) > 0;
}

// Outside: away from the nearest point; of a sheet, on a face, to the side where the node was when the step began.
bool sn_contact_nearest(const SnContactQuery* q, const double p[3], double reach, SnContactPlane* plane)
{
    const SnTarget* t = q->target;
    SnNearest* nearest = &plane->nearest;
    if (!sn_contact_triangle(q, p, reach, nearest)) return false;
    double offset[3], then[3], *normal = plane->normal;
    const int* n = sn_tree_corners(t->surface, nearest->item);
    sn_subtract3(p, nearest->point, offset);
    sn_contact_face_normal(q->x, n, 0, normal);
    bool flat = sn_dot3(normal, normal) == 0, far = nearest->distance > 1e-6 * t->edge;
    if (far && (nearest->feature != 7 || flat))
        for (int c = 0; c < 3; c++) normal[c] = offset[c] / nearest->distance;
    double side = sn_dot3(offset, normal);
    if (t->body->sheet && !far) {
        sn_contact_face_normal(q->contacts->start.x, n, 0, then);
        offset_at(q, q->contacts->start.x, nearest, offset);
        side = sn_dot3(offset, then);
    }
    for (int c = 0; c < 3 && side < 0; c++) normal[c] = -normal[c];
    return sn_dot3(normal, normal) > 0;
}

static SnStatus touch_solid(SnContactQuery* q, double reach, SnContactList* list)
{
    int inside = -1;
    double weights[4], before[3], from[3];
    SnContactPlane plane;
    if (q->target->tetrahedra) inside = sn_contact_inside(q, q->p, weights);
    bool found = inside >= 0 ? find_exit(q, inside, weights, &plane) : sn_contact_nearest(q, q->p, reach, &plane);
    if (!found) return SN_OK;
    offset_at(q, q->contacts->start.x, &plane.nearest, from); // as seen from the surface as it is now
    for (int k = 0; k < 3; k++) from[k] += plane.nearest.point[k];
    sn_contact_entry(q, from, &plane);
    offset_at(q, q->contacts->start.x, &plane.nearest, before);
    return add_contact(q, &plane, sn_dot3(before, plane.normal), list);
}

// An edge of the triangle, its normal, and what is across both; false: it has no area.
static bool frame_at(const SnContactQuery* q, const double* x, int item, double axes[3][3])
{
    const int* n = sn_tree_corners(q->target->surface, item);
    sn_subtract3(x + 3 * (int64_t)n[1], x + 3 * (int64_t)n[0], axes[0]);
    sn_contact_face_normal(x, n, 0, axes[2]);
    sn_cross3(axes[2], axes[0], axes[1]);
    return sn_normalize3(axes[0]) > 0 && sn_normalize3(axes[1]) > 0;
}

// How far from the plane the node was when the step began, as the triangle saw it, which may have turned since. False:
// it was behind, right above or below the triangle, and yet it did not go through: it got there through its own
// neighbours, which do not hold it, and held on this side it would contradict what holds the rest of the fold.
static bool look_back(const SnContactQuery* q, const SnContactPlane* plane, double* before)
{
    double then[3][3], now[3][3], offset[3], seen[3];
    const double* start = q->contacts->start.x;
    offset_at(q, start, &plane->nearest, offset);
    *before = sn_dot3(offset, plane->normal);
    if (!frame_at(q, start, plane->nearest.item, then) || !frame_at(q, q->x, plane->nearest.item, now)) return true;
    *before = 0;
    for (int a = 0; a < 3; a++) {
        seen[a] = sn_dot3(offset, then[a]);
        *before += seen[a] * sn_dot3(plane->normal, now[a]);
    }
    return *before >= 0 || fabs(seen[2]) < ABOVE * sn_length3(seen);
}

static SnStatus touch_sheet(const SnContactQuery* q, double reach, SnContactList* list)
{
    SnContactPlane plane;
    double before;
    bool through = sn_contact_crossing(q, reach, &plane);
    if (!through && !sn_contact_nearest(q, q->p, reach, &plane)) return SN_OK;
    bool belongs = look_back(q, &plane, &before);
    return through || belongs ? add_contact(q, &plane, before, list) : SN_OK;
}

SnStatus sn_contact_body(const SnContacts* c, const SnNearby* pair, const SnNearbyItem* items, const double* x,
                         SnContactList* list)
{
    int node = c->nodes[pair->index];
    const double* p = x + 3 * (int64_t)node;
    SnContactQuery q = {c, &c->targets[pair->body], x, p, node, pair->body == c->body_of[pair->index], pair, items};
    double reach = sn_contact_reach(c, node, q.target, p);
    return q.target->body->sheet ? touch_sheet(&q, reach, list) : touch_solid(&q, reach, list);
}
