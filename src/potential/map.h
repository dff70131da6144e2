// The map D of a term, z = D x = (G (x) I3) x, from the weights G that its rest shape keeps.
//
// A strand (one column) keeps a weight per corner. Solids and sheets keep B^-1 by rows, for corners 1 and on; corner 0
// has minus their sum, so that z does not change when all corners move alike.
#pragma once
#include "potential/gather.h"
#include "potential/term.h"

// The kept weights of a corner in a column: of every corner of a strand, otherwise of all but corner 0.
SN_INLINE const double* sn_map_weight(int width, const SnTermPack* pack, int corner, int column)
{
    return pack->shape + (width == 1 ? corner : (corner - 1) * width + column) * SN_LANES;
}

// G of one lane: g[column][corner].
SN_INLINE void sn_map_weights(const SnTermType* term, const SnTermPack* pack, int lane, double g[3][SN_TERM_NODES])
{
    int width = term->coordinates;
    for (int c = 0; c < width; c++) {
        g[c][0] = width == 1 ? sn_map_weight(1, pack, 0, 0)[lane] : 0.0;
        for (int a = 1; a < term->nodes; a++) {
            g[c][a] = sn_map_weight(width, pack, a, c)[lane];
            if (width > 1) g[c][0] -= g[c][a];
        }
    }
}

// z = D x, column after column: [3 x width][lane]; x is patch-local.
SN_INLINE void sn_map_apply(int nodes, int width, const SnTermPack* pack, const double* x, double (*z)[SN_LANES])
{
    double corner[SN_TERM_NODES][3][SN_LANES];
    bool strand = width == 1;
    for (int a = 0; a < nodes; a++) sn_gather_corner(pack->nodes + a * SN_LANES, x, corner[a]);
    for (int c = 0; c < width; c++)
        for (int r = 0; r < 3; r++) {
            double* out = z[3 * c + r];
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++) {
                double sum = strand ? pack->shape[l] * corner[0][r][l] : 0.0;
#pragma GCC unroll 16
                for (int a = 1; a < nodes; a++) // sums stay in registers
                    sum += sn_map_weight(width, pack, a, c)[l] * (corner[a][r][l] - (strand ? 0.0 : corner[0][r][l]));
                out[l] = sum;
            }
        }
}

// The transpose: forces of the corners, D^T f.
SN_INLINE void sn_map_transpose(int nodes, int width, const SnTermPack* pack, double (*f)[SN_LANES],
                                double force[SN_TERM_NODES][3][SN_LANES])
{
    bool strand = width == 1;
    for (int r = 0; r < 3; r++) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) {
            double first = strand ? pack->shape[l] * f[r][l] : 0.0;
#pragma GCC unroll 16
            for (int a = 1; a < nodes; a++) {
                double sum = 0.0;
#pragma GCC unroll 3
                for (int c = 0; c < width; c++) sum += sn_map_weight(width, pack, a, c)[l] * f[3 * c + r][l];
                force[a][r][l] = sum;
                first -= strand ? 0.0 : sum;
            }
            force[0][r][l] = first;
        }
    }
}
