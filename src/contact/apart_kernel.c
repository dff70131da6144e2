// Planes between elements, for as many pairs at once as there are lanes.
#include "contact/apart.h"

#include <float.h>

#include "contact/pair_pack.h"

#define ROUNDING (256 * DBL_EPSILON) // of the largest coordinate

// From the first point to the triangle, or from the first edge to the other.
SN_INLINE double gap(const SnPack* p, bool edges, SnVector d, int l)
{
    double a = sn_vector_along(sn_pack_way(p, 0, 1, l), d), b = sn_vector_along(sn_pack_way(p, 0, 2, l), d),
           c = sn_vector_along(sn_pack_way(p, 0, 3, l), d);
    return edges ? sn_lane_min(b, c) - sn_lane_max(a, 0) : sn_lane_min(a, sn_lane_min(b, c));
}

// p: at both ends of the way.
SN_INLINE int exceeds(const SnPack p[2], bool edges, SnVector d, double square, int l)
{
    double least = sn_lane_min(gap(&p[0], edges, d, l), gap(&p[1], edges, d, l));
    return (least > 0) & (least * least > square * sn_vector_along(d, d));
}

SN_INLINE SnVector sum(SnVector a, SnVector b)
{
    return (SnVector){a.x + b.x, a.y + b.y, a.z + b.z};
}

SN_INLINE SnVector to_centre(const SnPack p[2], bool edges, int l)
{
    SnVector a = sum(sn_pack_way(&p[0], 0, 1, l), sn_pack_way(&p[1], 0, 1, l));
    SnVector b = sum(sn_pack_way(&p[0], 0, 2, l), sn_pack_way(&p[1], 0, 2, l));
    SnVector others = sum(b, sum(sn_pack_way(&p[0], 0, 3, l), sn_pack_way(&p[1], 0, 3, l)));
    return edges ? sn_vector_back(others, 1, a) : sum(others, a);
}

// To the side where the second element is.
SN_INLINE SnVector across(const SnPack* p, bool edges, int l)
{
    SnVector a = sn_pack_way(p, 0, 1, l), u = edges ? a : sn_pack_way(p, 1, 2, l),
             v = edges ? sn_pack_way(p, 2, 3, l) : sn_pack_way(p, 1, 3, l);
    SnVector d = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    double sign = sn_vector_along(edges ? sn_pack_way(p, 0, 2, l) : a, d) < 0 ? -1 : 1;
    return (SnVector){sign * d.x, sign * d.y, sign * d.z};
}

// Which pairs of a pack are kept apart, one number per lane, by the first direction, or the other.
SN_INLINE void look(const SnPack p[2], bool edges, double square, int apart[SN_LANES])
{
    int all = 1;
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) apart[l] = exceeds(p, edges, to_centre(p, edges, l), square, l);
    for (int l = 0; l < SN_LANES; l++) all &= apart[l];
    if (all) return;
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) apart[l] |= exceeds(p, edges, across(p, edges, l), square, l);
}

SN_INLINE int drop(const SnApart* a, bool edges, SnPair* pairs, int count)
{
    int left = 0;
    for (int first = 0; first < count; first += SN_LANES) {
        int apart[SN_LANES], lanes = count - first < SN_LANES ? count - first : SN_LANES;
        SnPack pack[2];
        sn_pack_gather(a->x0, pairs + first, lanes, &pack[0]);
        sn_pack_gather(a->x1, pairs + first, lanes, &pack[1]);
        look(pack, edges, a->reach * a->reach, apart);
        for (int l = 0; l < lanes; l++) {
            pairs[left] = pairs[first + l];
            left += !apart[l];
        }
    }
    return left;
}

int SN_KERNEL(sn_drop_apart_nodes)(const SnApart* apart, SnPair* pairs, int count)
{
    return drop(apart, false, pairs, count);
}

int SN_KERNEL(sn_drop_apart_edges)(const SnApart* apart, SnPair* pairs, int count)
{
    return drop(apart, true, pairs, count);
}

SN_INLINE double largest(const SnPack p[2], int l)
{
    double most = 0;
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++) most = sn_lane_max(fabs(p[end].x[k][c][l]), most);
    return most;
}

// From where they are nearest at the start to the second element.
SN_INLINE SnVector to_nearest(const SnPack* p, bool edges, int l)
{
    SnVector way = edges ? sn_lane_edge_edge(p, l).way : sn_lane_node_triangle(p, l).way;
    return (SnVector){-way.x, -way.y, -way.z};
}

SN_INLINE void note(const double* x0, const double* x1, bool edges, const SnPair* pairs, int count,
                    const double distance[SN_LANES], bool apart[SN_LANES])
{
    double square[SN_LANES];
    int found[SN_LANES], all = 1;
    SnPack p[2];
    sn_pack_gather(x0, pairs, count, &p[0]);
    sn_pack_gather(x1, pairs, count, &p[1]);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        double least = distance[l] + ROUNDING * largest(p, l);
        square[l] = least * least;
        found[l] = exceeds(p, edges, to_nearest(p, edges, l), square[l], l);
    }
    for (int l = 0; l < SN_LANES; l++) all &= found[l];
#pragma omp simd
    for (int l = 0; l < (all ? 0 : SN_LANES); l++) found[l] |= exceeds(p, edges, across(p, edges, l), square[l], l);
    for (int l = 0; l < SN_LANES; l++) apart[l] = found[l];
}

void SN_KERNEL(sn_note_apart_nodes)(const double* x0, const double* x1, const SnPair* pairs, int count,
                                    const double distance[SN_LANES], bool apart[SN_LANES])
{
    note(x0, x1, false, pairs, count, distance, apart);
}

void SN_KERNEL(sn_note_apart_edges)(const double* x0, const double* x1, const SnPair* pairs, int count,
                                    const double distance[SN_LANES], bool apart[SN_LANES])
{
    note(x0, x1, true, pairs, count, distance, apart);
}
