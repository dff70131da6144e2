// Pairs side by side, one to a lane, and the nearest points of each; for kernels.
#pragma once
#include "contact/pairs.h"
#include "linalg/lane.h"

typedef struct SnVector {
    double x, y, z;
} SnVector;

// Places of the points of pairs, by point and axis.
typedef struct SnPack {
    double x[4][3][SN_LANES];
} SnPack;

SN_INLINE void sn_pack_gather(const double* x, const SnPair* pairs, int count, SnPack* pack)
{
    for (int l = 0; l < SN_LANES; l++) {
        const int* point = pairs[l < count ? l : 0].point;
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++) pack->x[k][c][l] = x[3 * (int64_t)point[k] + c];
    }
}

// From one of its points to another.
SN_INLINE SnVector sn_pack_way(const SnPack* p, int from, int to, int l)
{
    return (SnVector){p->x[to][0][l] - p->x[from][0][l], p->x[to][1][l] - p->x[from][1][l],
                      p->x[to][2][l] - p->x[from][2][l]};
}

SN_INLINE double sn_vector_along(SnVector a, SnVector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// r - t e
SN_INLINE SnVector sn_vector_back(SnVector r, double t, SnVector e)
{
    return (SnVector){r.x - t * e.x, r.y - t * e.y, r.z - t * e.z};
}

// Nearest points, by the formulas of contact/distance.c.
typedef struct SnLaneDistance {
    SnVector way;  // from the second's nearest point to the first's
    double square; // of its length
    int known;     // of edges: no nearest point is within both
} SnLaneDistance;

SN_INLINE double sn_lane_foot(SnVector r, SnVector e, double square)
{
    double t = sn_vector_along(r, e) / square;
    return square > 0 ? t : 0;
}

SN_INLINE double sn_lane_clamp(double t)
{
    return sn_lane_min(sn_lane_max(t, 0), 1);
}

// From the line r - t e, at t; sign: which of the two elements it is of.
SN_INLINE SnLaneDistance sn_lane_past(SnVector r, double t, SnVector e, double sign)
{
    SnVector d = sn_vector_back(r, t, e);
    return (SnLaneDistance){{sign * d.x, sign * d.y, sign * d.z}, sn_vector_along(d, d), 0};
}

// The first, or else the second.
SN_INLINE SnLaneDistance sn_lane_choose(int first, SnLaneDistance a, SnLaneDistance b)
{
    return (SnLaneDistance){{first ? a.way.x : b.way.x, first ? a.way.y : b.way.y, first ? a.way.z : b.way.z},
                            first ? a.square : b.square,
                            0};
}

SN_INLINE SnLaneDistance sn_lane_nearer(SnLaneDistance a, SnLaneDistance b)
{
    return sn_lane_choose(a.square < b.square, a, b);
}

SN_INLINE SnLaneDistance sn_lane_node_triangle(const SnPack* p, int l)
{
    SnVector pa = sn_pack_way(p, 1, 0, l), ab = sn_pack_way(p, 1, 2, l), ac = sn_pack_way(p, 1, 3, l);
    SnVector pb = sn_pack_way(p, 2, 0, l), bc = sn_pack_way(p, 2, 3, l);
    double square = sn_vector_along(ab, ab), along = sn_lane_foot(pa, ab, square), skew = sn_lane_foot(ac, ab, square);
    SnVector across = sn_vector_back(ac, skew, ab), rest = sn_vector_back(pa, along, ab);
    double c = sn_lane_foot(rest, across, sn_vector_along(across, across)), b = along - c * skew, a = 1 - b - c;
    double on_ac = sn_lane_foot(pa, ac, sn_vector_along(ac, ac)), on_bc = sn_lane_foot(pb, bc, sn_vector_along(bc, bc));
    SnLaneDistance rim = sn_lane_nearer(
        sn_lane_past(pa, sn_lane_clamp(along), ab, 1),
        sn_lane_nearer(sn_lane_past(pa, sn_lane_clamp(on_ac), ac, 1), sn_lane_past(pb, sn_lane_clamp(on_bc), bc, 1)));
    return sn_lane_choose(sn_lane_min(a, sn_lane_min(b, c)) > 0, sn_lane_past(rest, c, across, 1), rim);
}

// Within an edge, to this much of it, is known where the two are not parallel and their lengths not too different.
#define SN_LANE_WITHIN 1e-4

SN_INLINE SnLaneDistance sn_lane_edge_edge(const SnPack* p, int l)
{
    SnVector ca = sn_pack_way(p, 2, 0, l), ab = sn_pack_way(p, 0, 1, l), cd = sn_pack_way(p, 2, 3, l);
    SnVector cb = sn_pack_way(p, 2, 1, l), ac = sn_pack_way(p, 0, 2, l), ad = sn_pack_way(p, 0, 3, l);
    double of_ab = sn_vector_along(ab, ab), of_cd = sn_vector_along(cd, cd);
    double along = sn_lane_foot(ca, ab, of_ab), skew = sn_lane_foot(cd, ab, of_ab);
    SnVector across = sn_vector_back(cd, skew, ab), rest = sn_vector_back(ca, along, ab);
    double width = sn_vector_along(across, across), t = sn_lane_foot(rest, across, width), s = t * skew - along;
    SnLaneDistance of_a = sn_lane_past(ca, sn_lane_clamp(sn_lane_foot(ca, cd, of_cd)), cd, 1);
    SnLaneDistance of_b = sn_lane_past(cb, sn_lane_clamp(sn_lane_foot(cb, cd, of_cd)), cd, 1);
    SnLaneDistance of_c = sn_lane_past(ac, sn_lane_clamp(-along), ab, -1);
    SnLaneDistance of_d = sn_lane_past(ad, sn_lane_clamp(sn_lane_foot(ad, ab, of_ab)), ab, -1);
    double within = sn_lane_min(sn_lane_min(s, 1 - s), sn_lane_min(t, 1 - t));
    SnLaneDistance ends = sn_lane_nearer(sn_lane_nearer(of_a, of_b), sn_lane_nearer(of_c, of_d));
    SnLaneDistance least = sn_lane_choose(within > 0, sn_lane_past(rest, t, across, 1), ends);
    least.known = (within < -SN_LANE_WITHIN) & (width > 1e-8 * of_cd) & (of_cd < 1e4 * of_ab) &
                  (sn_vector_along(ca, ca) < 1e8 * width);
    return least;
}
