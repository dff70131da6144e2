// Strands: terms of one vector z = sum w_a x_a with a density of its length, U = V psi(|z|): edges (z = (b - a)/L) and
// fibers (z = F d).
//
// Gradient: V psi' w_a n, n = z/|z|. Hessian: V w_a w_b (psi'' n n^T + psi'/|z| (I - n n^T)); projected, both factors
// are clamped at zero (a compressed rope buckles). Prox of psi(|z|) + tau/2 |z - y|^2: along y, its length by Newton.
#pragma once
#include "potential/map.h"
#include "potential/modes.h"
#include "potential/prox.h"
#include "potential/term.h"

typedef struct SnStrand {
    SnLaneArray n[3]; // unit direction; a collapsed strand points nowhere
    SnLaneArray s[3]; // |z|, 1, 1
} SnStrand;

SN_INLINE void sn_strand_of(SnLaneArray z[3], SnStrand* strand)
{
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        double length = sqrt(z[0][l] * z[0][l] + z[1][l] * z[1][l] + z[2][l] * z[2][l]);
        double inverse = 1.0 / (length > 1e-290 ? length : 1.0);
        for (int c = 0; c < 3; c++) strand->n[c][l] = z[c][l] * inverse;
        strand->s[0][l] = length, strand->s[1][l] = 1.0, strand->s[2][l] = 1.0;
    }
}

SN_INLINE void sn_strand_find(int corners, const SnTermPack* pack, const double* x, SnStrand* strand)
{
    SnLaneArray z[3];
    sn_map_apply(corners, 1, pack, x, z);
    sn_strand_of(z, strand);
}

SN_INLINE void sn_strand_energy(int corners, const SnMaterialType* material, const SnTermPack* pack, const double* x,
                                double* out)
{
    SnStrand strand;
    sn_strand_find(corners, pack, x, &strand);
    sn_material_energy(material, (const double(*)[SN_LANES])strand.s, &pack->parameters, out);
    for (int l = 0; l < SN_LANES; l++) out[l] *= pack->volume[l];
}

SN_INLINE void sn_strand_gradient(int corners, const SnMaterialType* material, const SnTermPack* pack, const double* x,
                                  double* g, double* energies)
{
    SnStrand strand;
    SnLaneArray psi[3], f[3];
    sn_strand_find(corners, pack, x, &strand);
    sn_material_gradient(material, (const double(*)[SN_LANES])strand.s, &pack->parameters, psi);
    sn_material_energy(material, (const double(*)[SN_LANES])strand.s, &pack->parameters, energies);
    for (int l = 0; l < SN_LANES; l++) energies[l] *= pack->volume[l];
    for (int a = 0; a < corners; a++) {
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < SN_LANES; l++)
                f[c][l] = pack->volume[l] * pack->shape[a * SN_LANES + l] * psi[0][l] * strand.n[c][l];
        sn_scatter_corner(pack->nodes + a * SN_LANES, f, g);
    }
}

SN_INLINE void sn_strand_hessian(int corners, const SnMaterialType* material, const SnTermPack* pack, const double* x,
                                 bool project, double* blocks)
{
    SnStrand strand;
    SnLaneArray psi[3], h[6], k[9];
    sn_strand_find(corners, pack, x, &strand);
    sn_material_derivatives(material, (const double(*)[SN_LANES])strand.s, &pack->parameters, psi, h);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < SN_LANES; l++) {
                double along = h[0][l], across = psi[0][l] / sn_lane_max(strand.s[0][l], 1e-12);
                along = project ? sn_lane_max(along, 0.0) : along;
                across = project ? sn_lane_max(across, 0.0) : across;
                double nn = strand.n[r][l] * strand.n[c][l];
                k[3 * r + c][l] = pack->volume[l] * (along * nn + across * ((r == c ? 1.0 : 0.0) - nn));
            }
    for (int a = 0; a < corners; a++)
        for (int b = 0; b <= a; b++)
            for (int e = 0; e < 9; e++)
                for (int l = 0; l < SN_LANES; l++)
                    blocks[sn_pair(a, b) * SN_BLOCK + e * SN_LANES + l] =
                        pack->shape[a * SN_LANES + l] * pack->shape[b * SN_LANES + l] * k[e][l];
}

SN_INLINE void sn_strand_prox(const SnMaterialType* material, const SnTermPack* pack, const double* y,
                              const double* weight, double* z)
{
    SnStrand strand;
    SnLaneArray vector[3], s[3];
    memcpy(vector, y, sizeof vector);
    sn_strand_of(vector, &strand);
    sn_prox_stretches(1, material, pack, weight, strand.s, strand.s, s);
    for (int c = 0; c < 3; c++)
        for (int l = 0; l < SN_LANES; l++) z[c * SN_LANES + l] = s[0][l] * strand.n[c][l];
}

// The functions of a kind of strand with CORNERS nodes, whose file has defined prepare.
#define SN_STRAND_FUNCTIONS(CORNERS)                                                                                \
    static void energy(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* out)        \
    {                                                                                                               \
        sn_strand_energy(CORNERS, material, pack, x, out);                                                          \
    }                                                                                                               \
    static void gradient(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* g,        \
                         double* energies)                                                                          \
    {                                                                                                               \
        sn_strand_gradient(CORNERS, material, pack, x, g, energies);                                                \
    }                                                                                                               \
    static void hessian(const SnMaterialType* material, const SnTermPack* pack, const double* x, bool project,      \
                        double* blocks)                                                                             \
    {                                                                                                               \
        sn_strand_hessian(CORNERS, material, pack, x, project, blocks);                                             \
    }                                                                                                               \
    static void prox(const SnMaterialType* material, const SnTermPack* pack, const double* y, const double* weight, \
                     double* z)                                                                                     \
    {                                                                                                               \
        sn_strand_prox(material, pack, y, weight, z);                                                               \
    }

// What they have in common in the table of terms.
#define SN_STRAND_ROW(CORNERS)                                        \
    .elements = SN_ON_EDGES, /* takes the densities of one stretch */ \
        .nodes = (CORNERS), .coordinates = 1, .shape_size = (CORNERS), SN_TERM_FUNCTIONS
