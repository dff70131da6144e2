// The rest shape of a tetrahedron, for the terms that live in one.
#pragma once
#include "linalg/svd3.h"

// inverse: B^-1 by rows, B the matrix of edges from corner 0; faces: area opposite to each corner. False: no volume.
SN_INLINE bool sn_tetrahedron_shape(const double* x, double* inverse, double* volume, double* faces)
{
    double e[3][3]; // e[k]: edge to corner k+1
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) e[k][c] = x[3 * (k + 1) + c] - x[c];
    double cof[3][3], all[3]; // cof[k]: twice the area of the face opposite to corner k+1
    for (int k = 0; k < 3; k++) sn_lane_cross(e[(k + 1) % 3], e[(k + 2) % 3], cof[k]);
    for (int c = 0; c < 3; c++) all[c] = cof[0][c] + cof[1][c] + cof[2][c];
    double det = sn_lane_dot(e[0], cof[0]);
    *volume = det / 6;
    faces[0] = 0.5 * sqrt(sn_lane_dot(all, all));
    for (int k = 0; k < 3; k++) faces[k + 1] = 0.5 * sqrt(sn_lane_dot(cof[k], cof[k]));
    // B has the edges as columns, so row k of its inverse is cof[k] / det.
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) inverse[3 * k + c] = cof[k][c] / det;
    return det > 0 && isfinite(1 / det);
}
