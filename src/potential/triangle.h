// The rest shape of a triangle, for the terms that live in one.
//
// It lies in its own plane, whose first axis is the x axis laid into it (the z axis where x stands upright): warp and
// weft of a cloth made in the xz plane.
#pragma once
#include "linalg/svd3.h"

// The first axis of the rest plane with normal n.
SN_INLINE void sn_triangle_axis(const double* n, double* t)
{
    int axis = n[0] * n[0] < 0.9 * sn_lane_dot(n, n) ? 0 : 2;
    double along = n[axis] / sn_lane_dot(n, n);
    for (int c = 0; c < 3; c++) t[c] = (c == axis ? 1 : 0) - along * n[c];
    double length = sqrt(sn_lane_dot(t, t));
    for (int c = 0; c < 3; c++) t[c] /= length;
}

// inverse: B^-1 by rows, B the 2x2 matrix of edges from corner 0; volume: area times section. False: no area.
SN_INLINE bool sn_triangle_shape(const double* x, double section, double* inverse, double* volume, double* faces)
{
    double e[2][3], far[3], n[3], t[3], w[3];
    for (int c = 0; c < 3; c++) e[0][c] = x[3 + c] - x[c], e[1][c] = x[6 + c] - x[c], far[c] = x[6 + c] - x[3 + c];
    sn_lane_cross(e[0], e[1], n);
    double twice = sqrt(sn_lane_dot(n, n));
    *volume = 0.5 * twice * section;
    faces[0] = section * sqrt(sn_lane_dot(far, far));
    faces[1] = section * sqrt(sn_lane_dot(e[1], e[1]));
    faces[2] = section * sqrt(sn_lane_dot(e[0], e[0]));
    if (!(*volume > 0) || !isfinite(1 / twice)) return false;
    sn_triangle_axis(n, t);
    sn_lane_cross(n, t, w);
    double a = sn_lane_dot(e[0], t), b = sn_lane_dot(e[1], t), c = sn_lane_dot(e[0], w) / twice,
           d = sn_lane_dot(e[1], w) / twice, det = a * d - b * c; // B = [a b; c d]
    inverse[0] = d / det, inverse[1] = -b / det, inverse[2] = -c / det, inverse[3] = a / det;
    return isfinite(1 / det);
}
