// Planes between elements, for as many pairs at once as there are lanes.
#include "contact/apart.h"

#include "linalg/lane.h"

// Points of a pack of pairs less the first of each, by end of the way, point and axis.
typedef struct Pack {
    double x[2][3][3][SN_LANES];
} Pack;

typedef struct Direction {
    double x, y, z;
} Direction;

SN_INLINE void gather(const SnApart* a, const SnPair* pairs, int count, Pack* pack)
{
    for (int l = 0; l < SN_LANES; l++) {
        const int* point = pairs[l < count ? l : 0].point;
        for (int end = 0; end < 2; end++) {
            const double *x = end ? a->x1 : a->x0, *first = x + 3 * (int64_t)point[0];
            for (int k = 0; k < 3; k++)
                for (int c = 0; c < 3; c++) pack->x[end][k][c][l] = x[3 * (int64_t)point[k + 1] + c] - first[c];
        }
    }
}

SN_INLINE double along(const Pack* p, int end, int k, Direction d, int l)
{
    return p->x[end][k][0][l] * d.x + p->x[end][k][1][l] * d.y + p->x[end][k][2][l] * d.z;
}

// From the first point to the triangle, or from the first edge to the other.
SN_INLINE double gap(const Pack* p, bool edges, int end, Direction d, int l)
{
    double a = along(p, end, 0, d, l), b = along(p, end, 1, d, l), c = along(p, end, 2, d, l);
    return edges ? sn_lane_min(b, c) - sn_lane_max(a, 0) : sn_lane_min(a, sn_lane_min(b, c));
}

SN_INLINE int exceeds(const Pack* p, bool edges, Direction d, double square, int l)
{
    double least = sn_lane_min(gap(p, edges, 0, d, l), gap(p, edges, 1, d, l));
    return (least > 0) & (least * least > square * (d.x * d.x + d.y * d.y + d.z * d.z));
}

SN_INLINE double to_centre(const Pack* p, bool edges, int c, int l)
{
    double a = p->x[0][0][c][l] + p->x[1][0][c][l];
    double others = p->x[0][1][c][l] + p->x[0][2][c][l] + (p->x[1][1][c][l] + p->x[1][2][c][l]);
    return edges ? others - a : others + a;
}

// To the side where the second element is.
SN_INLINE Direction across(const Pack* p, bool edges, int l)
{
    double u[3], v[3];
    for (int c = 0; c < 3; c++) {
        double a = p->x[0][0][c][l], b = p->x[0][1][c][l];
        u[c] = edges ? a : b - a;
        v[c] = p->x[0][2][c][l] - (edges ? b : a);
    }
    Direction d = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double sign = along(p, 0, edges ? 1 : 0, d, l) < 0 ? -1 : 1;
    return (Direction){sign * d.x, sign * d.y, sign * d.z};
}

// Which pairs of a pack are kept apart, one number per lane.
SN_INLINE void look(const Pack* p, bool edges, double square, int apart[SN_LANES])
{
    int all = 1;
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        Direction d = {to_centre(p, edges, 0, l), to_centre(p, edges, 1, l), to_centre(p, edges, 2, l)};
        apart[l] = exceeds(p, edges, d, square, l);
    }
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
        Pack pack;
        gather(a, pairs + first, lanes, &pack);
        look(&pack, edges, a->reach * a->reach, apart);
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
