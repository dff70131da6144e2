// Did a node go through a sheet since the step began? A sheet has no inside, so only the path tells: node and triangles
// go straight from where they were to where they are, and where the node comes into a triangle's plane within the
// triangle, it has gone through (Provot 1997).
#include <math.h>

#include "contact/query.h"
#include "linalg/vec3.h"

enum { PIECES = 4, BISECTIONS = 40 };
#define EDGE 1e-6 // of the triangle: what goes through an edge has gone through one of its triangles

typedef struct Crossing {
    const SnContactQuery* query;
    double time; // of the first one, from 0 to 1; 2: none
    double side; // of the triangle's normal, from which the node came
    int item;
} Crossing;

// Node and corners at time t, relative to the first corner.
static void place(const SnContactQuery* q, const int* n, double t, double p[3], double u[3], double v[3])
{
    const double *from = q->contacts->start.x, *to = q->x;
    for (int c = 0; c < 3; c++) {
        int64_t a = 3 * (int64_t)n[0] + c, b = 3 * (int64_t)n[1] + c, d = 3 * (int64_t)n[2] + c,
                e = 3 * (int64_t)q->node + c;
        double origin = (1 - t) * from[a] + t * to[a];
        u[c] = (1 - t) * from[b] + t * to[b] - origin;
        v[c] = (1 - t) * from[d] + t * to[d] - origin;
        p[c] = (1 - t) * from[e] + t * to[e] - origin;
    }
}

static double volume_at(const SnContactQuery* q, const int* n, double t)
{
    double p[3], u[3], v[3], across[3];
    place(q, n, t, p, u, v);
    sn_cross3(u, v, across);
    return sn_dot3(p, across);
}

static bool within_triangle(const SnContactQuery* q, const int* n, double t)
{
    double p[3], u[3], v[3];
    place(q, n, t, p, u, v);
    double uu = sn_dot3(u, u), uv = sn_dot3(u, v), vv = sn_dot3(v, v), up = sn_dot3(u, p), vp = sn_dot3(v, p);
    double area = uu * vv - uv * uv, a = vv * up - uv * vp, b = uu * vp - uv * up, least = -EDGE * area;
    return a >= least && b >= least && area - a - b >= least;
}

// The sign of the volume changes between two times: the time in between.
static double bisect(const SnContactQuery* q, const int* n, double from, double to, double sign)
{
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = 0.5 * (from + to);
        if (sign * volume_at(q, n, middle) > 0)
            from = middle;
        else
            to = middle;
    }
    return 0.5 * (from + to);
}

// Do the boxes meet that node and triangle are in on their paths?
static bool ways_meet(const SnContactQuery* q, const int* n)
{
    const double *from = q->contacts->start.x, *to = q->x;
    for (int c = 0; c < 3; c++) {
        int64_t e = 3 * (int64_t)q->node + c;
        double lo = INFINITY, hi = -INFINITY;
        for (int k = 0; k < 3; k++) {
            int64_t a = 3 * (int64_t)n[k] + c;
            lo = fmin(lo, fmin(from[a] - from[e], to[a] - to[e]));
            hi = fmax(hi, fmax(from[a] - from[e], to[a] - to[e]));
        }
        if (lo > 0 || hi < 0) return false;
    }
    return true;
}

static void look(Crossing* first, int item)
{
    const SnContactQuery* q = first->query;
    const int* n = sn_tree_corners(q->target->surface, item);
    if (!ways_meet(q, n)) return;
    double before = volume_at(q, n, 0);
    for (int k = 1; k <= PIECES; k++) {
        double begin = (k - 1.0) / PIECES, end = (double)k / PIECES, after = volume_at(q, n, end);
        if (before != 0 && before * after <= 0) {
            double sign = before > 0 ? 1 : -1, time = bisect(q, n, begin, end, sign);
            bool sooner = time < first->time || (time == first->time && item < first->item);
            if (sooner && within_triangle(q, n, time)) *first = (Crossing){q, time, sign, item};
        }
        before = after;
    }
}

static bool visit(void* user, int item)
{
    Crossing* first = user;
    const SnContactQuery* q = first->query;
    if (sn_contact_may_touch(q, q->target->surface, item)) look(first, item);
    return true;
}

// What was crossed is no further away than node and sheet went past each other.
static void look_at_all(Crossing* first, double reach)
{
    const SnContactQuery* q = first->query;
    double strayed = sn_contact_strayed(q->contacts, q->node, q->target, q->p);
    if (reach <= q->pair->near * (1 - 1e-9) - strayed) {
        const SnNearbyItem* items = q->items + q->pair->tetrahedra;
        for (int i = 0; i < q->pair->triangles; i++) look(first, items[i].item);
        return;
    }
    SnBox box;
    for (int c = 0; c < 3; c++) box.lo[c] = q->p[c] - reach, box.hi[c] = q->p[c] + reach;
    sn_tree_overlaps(q->target->surface, &box, visit, first);
}

static void plane_of(const SnContactQuery* q, int item, double side, const double p[3], SnContactPlane* plane)
{
    const int* n = sn_tree_corners(q->target->surface, item);
    const double* x = q->x;
    sn_nearest_on_triangle(x + 3 * (int64_t)n[0], x + 3 * (int64_t)n[1], x + 3 * (int64_t)n[2], p, &plane->nearest);
    plane->nearest.item = item;
    sn_contact_face_normal(x, n, 0, plane->normal);
    for (int c = 0; c < 3; c++) plane->normal[c] *= side;
}

bool sn_contact_crossing(const SnContactQuery* q, double reach, SnContactPlane* plane)
{
    Crossing first = {q, 2, 0, -1};
    look_at_all(&first, reach);
    if (first.item < 0) return false;
    plane_of(q, first.item, first.side, q->p, plane);
    return sn_dot3(plane->normal, plane->normal) > 0;
}
