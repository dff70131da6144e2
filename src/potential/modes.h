// The second derivative of an isotropic density by F, in the frame of its singular vectors, and element blocks from it.
//
// With F = U diag(s) V^T, d2psi/dF2 is block diagonal there: a 3x3 block A = psi_ij for the scaling directions, and for
// each pair of axes i < j the entries F_ij, F_ji couple by [same cross; cross same], whose eigenvalues are the flip
// (psi_i - psi_j)/(s_i - s_j) and the twist (psi_i + psi_j)/(s_i + s_j). Clamping those at zero gives the nearest
// positive semidefinite matrix. For a sheet, axis 3 is its normal: A has no third row, and same_13 = psi_1/s_1, same_23
// = psi_2/s_2.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "linalg/svd3.h"

typedef double SnLaneArray[SN_LANES];

typedef struct SnModes {
    SnLaneArray a[6];              // 11 22 33 12 13 23
    SnLaneArray same[3], cross[3]; // of the pairs 12, 13, 23
} SnModes;

// Flip and twist of one pair: stretches, psi' and psi'' of its two axes.
SN_INLINE void sn_pair_modes(const double* si, const double* sj, const double* gi, const double* gj, const double* hii,
                             const double* hjj, const double* hij, bool project, double* same, double* cross)
{
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        double difference = si[l] - sj[l], sum = si[l] + sj[l];
        // Near equal stretches the quotient loses digits; its limit is then exact to second order.
        double close = fabs(difference) < 1e-5 ? 1.0 : 0.0;
        double limit = 0.5 * (hii[l] + hjj[l]) - hij[l];
        double flip = close != 0.0 ? limit : (gi[l] - gj[l]) / (close != 0.0 ? 1.0 : difference);
        double twist = (gi[l] + gj[l]) / (sum > 1e-12 ? sum : 1e-12);
        flip = project ? sn_lane_max(flip, 0.0) : flip;
        twist = project ? sn_lane_max(twist, 0.0) : twist;
        same[l] = 0.5 * (flip + twist);
        cross[l] = 0.5 * (flip - twist);
    }
}

SN_INLINE void sn_modes_project_lane(SnModes* m, int l)
{
    double h[6] = {m->a[0][l], m->a[1][l], m->a[2][l], m->a[3][l], m->a[4][l], m->a[5][l]};
    sn_lane_project_spd3(h);
    for (int k = 0; k < 6; k++) m->a[k][l] = h[k];
}

SN_INLINE void sn_modes_project(SnModes* m)
{
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) sn_modes_project_lane(m, l);
}

// Block of two corners: U K U^T times the volume, with K_ik = A_ik p_i q_k + (i = k) sum_{j != i} same_ij p_j q_j
// + (i != k) cross_ik p_k q_i, where p and q are the corners' shape gradients in the frame V. u: columns of U.
SN_INLINE void sn_block_lane(const SnModes* m, const SnLaneArray* u, const SnLaneArray* p, const SnLaneArray* q,
                             const double* volume, double* block, int l)
{
    double p0 = p[0][l], p1 = p[1][l], p2 = p[2][l], q0 = q[0][l], q1 = q[1][l], q2 = q[2][l];
    double s01 = m->same[0][l], s02 = m->same[1][l], s12 = m->same[2][l];
    double c01 = m->cross[0][l], c02 = m->cross[1][l], c12 = m->cross[2][l];
    double k00 = m->a[0][l] * p0 * q0 + s01 * p1 * q1 + s02 * p2 * q2;
    double k11 = m->a[1][l] * p1 * q1 + s01 * p0 * q0 + s12 * p2 * q2;
    double k22 = m->a[2][l] * p2 * q2 + s02 * p0 * q0 + s12 * p1 * q1;
    double k01 = m->a[3][l] * p0 * q1 + c01 * p1 * q0, k10 = m->a[3][l] * p1 * q0 + c01 * p0 * q1;
    double k02 = m->a[4][l] * p0 * q2 + c02 * p2 * q0, k20 = m->a[4][l] * p2 * q0 + c02 * p0 * q2;
    double k12 = m->a[5][l] * p1 * q2 + c12 * p2 * q1, k21 = m->a[5][l] * p2 * q1 + c12 * p1 * q2;
    for (int r = 0; r < 3; r++) {
        double u0 = u[r][l] * volume[l], u1 = u[3 + r][l] * volume[l], u2 = u[6 + r][l] * volume[l];
        double t0 = u0 * k00 + u1 * k10 + u2 * k20; // row r of V U K
        double t1 = u0 * k01 + u1 * k11 + u2 * k21;
        double t2 = u0 * k02 + u1 * k12 + u2 * k22;
        for (int c = 0; c < 3; c++)
            block[(3 * r + c) * SN_LANES + l] = t0 * u[c][l] + t1 * u[3 + c][l] + t2 * u[6 + c][l];
    }
}

enum { SN_BLOCK = 9 * SN_LANES };

// Number of the pair of corners a >= b.
SN_INLINE int sn_pair(int a, int b)
{
    return a * (a + 1) / 2 + b;
}

// Entry (r, c) of the block of corners a and b in any order; the stored ones have a >= b.
SN_INLINE const double* sn_block_entry(const double* blocks, int a, int b, int r, int c)
{
    const double* block = blocks + sn_pair(a > b ? a : b, a > b ? b : a) * SN_BLOCK;
    return block + (a >= b ? 3 * r + c : 3 * c + r) * SN_LANES;
}

// Blocks of corner 0 are minus the sums of the others': an element does not resist translation.
SN_INLINE void sn_complete_first_corner(int corners, double* blocks)
{
    for (int a = 1; a < corners; a++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                double* out = blocks + sn_pair(a, 0) * SN_BLOCK + (3 * r + c) * SN_LANES;
                for (int l = 0; l < SN_LANES; l++) out[l] = 0.0;
                for (int b = 1; b < corners; b++) {
                    const double* entry = sn_block_entry(blocks, a, b, r, c);
                    for (int l = 0; l < SN_LANES; l++) out[l] -= entry[l];
                }
            }
    for (int k = 0; k < SN_BLOCK; k++) {
        double sum = 0.0;
        for (int a = 1; a < corners; a++) sum += blocks[sn_pair(a, 0) * SN_BLOCK + k];
        blocks[k] = -sum;
    }
}

// All blocks of an element: g[k] is the shape gradient of corner k + 1 in the frame V.
SN_INLINE void sn_element_blocks(int corners, const SnModes* m, SnLaneArray* u, SnLaneArray (*g)[3],
                                 const double* volume, double* blocks)
{
    for (int a = 1; a < corners; a++)
        for (int b = 1; b <= a; b++) {
            double* block = blocks + sn_pair(a, b) * SN_BLOCK;
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++)
                sn_block_lane(m, (const SnLaneArray*)u, (const SnLaneArray*)g[a - 1], (const SnLaneArray*)g[b - 1],
                              volume, block, l);
        }
    sn_complete_first_corner(corners, blocks);
}
