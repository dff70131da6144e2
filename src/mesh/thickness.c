// The thinnest part of a closed surface: from faces straight inward to the opposite side.
#include <math.h>

#include "linalg/vec3.h"
#include "mesh/solid.h"

enum { MOST_SAMPLES = 4000 };
static const double OPPOSITE = 0.5; // cosine: a side that is more slanted is an edge of the body, not its other side

typedef struct Ray {
    const SnShells* s;
    double p[3], q[3], direction[3];
    int from;
    double nearest; // part of the way
} Ray;

static void corners_of(const SnShells* s, int triangle, const double* corners[3])
{
    for (int k = 0; k < 3; k++) corners[k] = s->nodes + 3 * (int64_t)s->triangles[3 * (int64_t)triangle + k];
}

static void normal_of(const double* const corners[3], double n[3])
{
    double u[3], v[3];
    sn_subtract3(corners[1], corners[0], u), sn_subtract3(corners[2], corners[0], v);
    sn_cross3(u, v, n);
    sn_normalize3(n);
}

static bool look_at(void* user, int item)
{
    Ray* r = user;
    const double* c[3];
    double n[3];
    if (item == r->from) return true;
    corners_of(r->s, item, c);
    double t = sn_segment_meets(c[0], c[1], c[2], r->p, r->q);
    if (!(t > 1e-9) || t >= r->nearest) return true;
    normal_of(c, n);
    if (sn_dot3(n, r->direction) > OPPOSITE) r->nearest = t;
    return true;
}

// In pieces that double: most parts are thin beside the whole.
static double thickness_at(const SnShells* s, const SnTree* tree, int triangle, double size)
{
    const double* c[3];
    double n[3];
    Ray r = {.s = s, .from = triangle};
    corners_of(s, triangle, c);
    normal_of(c, n);
    for (int i = 0; i < 3; i++) r.p[i] = (c[0][i] + c[1][i] + c[2][i]) / 3, r.direction[i] = -n[i];
    for (double length = size / 64; length <= 2 * size; length *= 2) {
        SnBox box;
        r.nearest = 1;
        for (int i = 0; i < 3; i++) {
            r.q[i] = r.p[i] + length * r.direction[i];
            box.lo[i] = fmin(r.p[i], r.q[i]), box.hi[i] = fmax(r.p[i], r.q[i]);
        }
        sn_tree_overlaps(tree, &box, look_at, &r);
        if (r.nearest < 1) return r.nearest * length;
    }
    return INFINITY;
}

SnStatus sn_shells_thickness(const SnShells* s, double* thickness)
{
    SnTree* tree;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    *thickness = INFINITY;
    SN_TRY(sn_tree_create(s->triangle_count, 3, s->triangles, s->nodes, &tree));
    for (int n = 0; n < s->node_count; n++)
        for (int c = 0; c < 3; c++)
            lo[c] = fmin(lo[c], s->nodes[3 * (int64_t)n + c]), hi[c] = fmax(hi[c], s->nodes[3 * (int64_t)n + c]);
    int samples = s->triangle_count < MOST_SAMPLES ? s->triangle_count : MOST_SAMPLES;
    for (int i = 0; i < samples; i++) {
        int triangle = (int)((int64_t)i * s->triangle_count / samples);
        *thickness = fmin(*thickness, thickness_at(s, tree, triangle, sn_distance3(lo, hi)));
    }
    sn_tree_destroy(tree);
    return SN_OK;
}
