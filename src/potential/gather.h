// Between patch-local arrays (3 per node) and packs of lanes.
#pragma once
#include "core/isa.h"

// x[c][lane] of one corner of a pack's elements.
SN_INLINE void sn_gather_corner(const int* nodes, const double* x, double out[3][SN_LANES])
{
    for (int l = 0; l < SN_LANES; l++) {
        const double* p = x + 3 * nodes[l];
        out[0][l] = p[0], out[1][l] = p[1], out[2][l] = p[2];
    }
}

// Adds f[c][lane] to the corners, lane after lane: two lanes may name the same node.
SN_INLINE void sn_scatter_corner(const int* nodes, double f[3][SN_LANES], double* g)
{
    for (int l = 0; l < SN_LANES; l++) {
        double* p = g + 3 * nodes[l];
        p[0] += f[0][l], p[1] += f[1][l], p[2] += f[2][l];
    }
}
