// Ropes as tubes: edges are walked as chains, a ring of points is carried along each by parallel transport (the
// rotation-minimising frame: Wang et al. 2008), and round caps close the ends.
#include <math.h>

#include "core/memory.h"
#include "core/pi.h"
#include "linalg/vec3.h"
#include "view/picture_geometry.h"

enum { SIDES = 14, CAP_RINGS = 4 };

// Edges around each node, and which edges have been walked.
typedef struct Walk {
    int *first, *items;
    bool* done;
    int* chain; // nodes of the chain being walked
} Walk;

static void walk_free(Walk* walk)
{
    SN_FREE(walk->first, walk->items, walk->done, walk->chain);
}

static SnStatus walk_begin(Walk* walk, const SnPictureRope* rope)
{
    for (int i = 0; i < 2 * rope->edge_count; i++)
        if (rope->edges[i] < 0 || rope->edges[i] >= rope->node_count)
            return sn_fail(SN_ERROR_VALUE, "rope: edge %d names node %d of %d", i / 2, rope->edges[i],
                           rope->node_count);
    if (!SN_NEW(walk->first, (size_t)rope->node_count + 2, "rope") ||
        !SN_NEW(walk->items, 2 * (size_t)rope->edge_count, "rope") || !SN_NEW(walk->done, rope->edge_count, "rope") ||
        !SN_NEW(walk->chain, (size_t)rope->edge_count + 1, "rope"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < 2 * rope->edge_count; i++) walk->first[rope->edges[i] + 2]++;
    for (int i = 0; i < rope->node_count; i++) walk->first[i + 2] += walk->first[i + 1];
    for (int i = 0; i < 2 * rope->edge_count; i++) walk->items[walk->first[rope->edges[i] + 1]++] = i / 2;
    return SN_OK;
}

// Follows unwalked edges from `node` until the chain ends or branches; returns the number of nodes in walk->chain.
static int walk_chain(Walk* walk, const SnPictureRope* rope, int node, int edge)
{
    int count = 0;
    walk->chain[count++] = node;
    while (edge >= 0) {
        walk->done[edge] = true;
        node = rope->edges[2 * edge] == node ? rope->edges[2 * edge + 1] : rope->edges[2 * edge];
        walk->chain[count++] = node;
        edge = -1;
        if (walk->first[node + 1] - walk->first[node] != 2) break;
        for (int i = walk->first[node]; i < walk->first[node + 1]; i++)
            if (!walk->done[walk->items[i]]) edge = walk->items[i];
    }
    return count;
}

static bool unit(double v[3])
{
    double length = sn_length3(v);
    for (int i = 0; i < 3; i++) v[i] = length > 0 ? v[i] / length : 0;
    return length > 0 && isfinite(length);
}

// Takes off the part of u along the unit vector t; any perpendicular where nothing is left.
static void make_perpendicular(double u[3], const double t[3])
{
    double along = sn_dot3(u, t);
    for (int i = 0; i < 3; i++) u[i] -= along * t[i];
    if (sn_dot3(u, u) < 1e-12) {
        int axis = fabs(t[0]) < 0.6 ? 0 : fabs(t[1]) < 0.6 ? 1 : 2;
        for (int i = 0; i < 3; i++) u[i] = (i == axis) - t[axis] * t[i];
    }
    unit(u);
}

// One ring around `centre`; `tilt` is the angle of its normals towards the tangent (caps), radians.
static void add_ring(SnPictureGeometry* g, const SnPictureRope* rope, const double* centre, const double t[3],
                     const double u[3], double tilt)
{
    double v[3];
    sn_cross3(t, u, v);
    for (int s = 0; s < SIDES; s++) {
        double angle = 2 * SN_PI * s / SIDES;
        SnPictureVertex* vertex = &g->vertices[g->vertex_count++];
        for (int i = 0; i < 3; i++) {
            double n = cos(tilt) * (cos(angle) * u[i] + sin(angle) * v[i]) + sin(tilt) * t[i];
            vertex->normal[i] = (float)n;
            vertex->position[i] = (float)(centre[i] - g->origin[i] + rope->radius * n);
            vertex->colour[i] = (uint8_t)lrintf(255 * fminf(fmaxf(rope->colour[i], 0), 1));
        }
        vertex->colour[3] = 0;
    }
}

// Joins the last ring to the one before it.
static void join_rings(SnPictureGeometry* g)
{
    uint32_t b = (uint32_t)g->vertex_count - SIDES, a = b - SIDES;
    for (uint32_t s = 0; s < SIDES; s++) {
        uint32_t next = (s + 1) % SIDES, quad[6] = {a + s, a + next, b + next, a + s, b + next, b + s};
        for (int i = 0; i < 6; i++) g->indices[g->index_count++] = quad[i];
    }
}

// The direction of the chain at its node i: the bisector of the edges before and after.
static void tangent(const double* x, const int* chain, int count, int i, double t[3])
{
    const double* before = x + 3 * (size_t)chain[i > 0 ? i - 1 : 0];
    const double* here = x + 3 * (size_t)chain[i];
    const double* after = x + 3 * (size_t)chain[i + 1 < count ? i + 1 : i];
    double d[3], e[3];
    for (int k = 0; k < 3; k++) d[k] = here[k] - before[k], e[k] = after[k] - here[k];
    unit(d), unit(e);
    for (int k = 0; k < 3; k++) t[k] = d[k] + e[k];
    if (!unit(t))
        for (int k = 0; k < 3; k++) t[k] = d[k] + e[k] == 0 && d[0] + d[1] + d[2] == 0 ? k == 0 : d[k];
}

static SnStatus add_tube(SnPictureGeometry* g, const SnPictureRope* rope, const int* chain, int count)
{
    int64_t rings = count + 2 * CAP_RINGS;
    if (!sn_picture_geometry_reserve(g, rings * SIDES, rings * SIDES * 6)) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(rope->positions[3 * (size_t)chain[i] + k])) return SN_OK; // gone astray: not drawn
    double t[3], u[3] = {0, 0, 0};
    const double half_pi = 0.5 * SN_PI;
    tangent(rope->positions, chain, count, 0, t);
    make_perpendicular(u, t);
    for (int c = 0; c < CAP_RINGS; c++) {
        add_ring(g, rope, rope->positions + 3 * (size_t)chain[0], t, u, -half_pi * (CAP_RINGS - c) / CAP_RINGS);
        if (c > 0) join_rings(g);
    }
    for (int i = 0; i < count; i++) {
        tangent(rope->positions, chain, count, i, t);
        make_perpendicular(u, t);
        add_ring(g, rope, rope->positions + 3 * (size_t)chain[i], t, u, 0);
        join_rings(g);
    }
    for (int c = 1; c <= CAP_RINGS; c++) {
        add_ring(g, rope, rope->positions + 3 * (size_t)chain[count - 1], t, u, half_pi * c / CAP_RINGS);
        join_rings(g);
    }
    return SN_OK;
}

// True where the chain turns so sharply at its node i that one tube would be pinched.
static bool is_kink(const double* x, const int* chain, int i)
{
    const double *a = x + 3 * (size_t)chain[i - 1], *b = x + 3 * (size_t)chain[i], *c = x + 3 * (size_t)chain[i + 1];
    double d[3], e[3];
    for (int k = 0; k < 3; k++) d[k] = b[k] - a[k], e[k] = c[k] - b[k];
    return unit(d) && unit(e) && sn_dot3(d, e) < 0.5;
}

// Tubes for a chain, in pieces between its kinks, where round caps make the joint.
static SnStatus add_chain(SnPictureGeometry* g, const SnPictureRope* rope, const int* chain, int count)
{
    int first = 0;
    for (int i = 1; i < count; i++)
        if (i + 1 == count || is_kink(rope->positions, chain, i)) {
            SN_TRY(add_tube(g, rope, chain + first, i - first + 1));
            first = i;
        }
    return SN_OK;
}

SnStatus sn_picture_geometry_add_rope(SnPictureGeometry* g, const SnPictureRope* rope)
{
    Walk walk = {0};
    SnStatus status = walk_begin(&walk, rope);
    // First from ends and branches, then what is left: closed loops.
    for (int loops = 0; status == SN_OK && loops < 2; loops++)
        for (int node = 0; status == SN_OK && node < rope->node_count; node++) {
            int begin = walk.first[node], end = walk.first[node + 1];
            if (!loops && end - begin == 2) continue;
            for (int i = begin; status == SN_OK && i < end; i++)
                if (!walk.done[walk.items[i]])
                    status = add_chain(g, rope, walk.chain, walk_chain(&walk, rope, node, walk.items[i]));
        }
    walk_free(&walk);
    return status;
}
