// Packs: the three density functions over lanes of elements. A material file defines energy, gradient and hessian for
// one element and ends with SN_MATERIAL, which makes the packs and the table row. The file is compiled once per
// instruction set.
#pragma once
#include <sinew/material.h>

#include "core/isa.h"

// The elements of materials that make sense on sheets too: there s3 = 1 and lambda is that of plane stress,
// 2 mu lambda/(lambda + 2 mu), so that near rest a sheet is Hooke's thin sheet.
enum { SN_SOLIDS_AND_SHEETS = SN_ON_TETRAHEDRA | SN_ON_TRIANGLES };

typedef struct SnParameterPack {
    const double* mu; // SN_LANES each
    const double* lambda;
    const double* floor;
    const double* extra[2];
    const void* user;
} SnParameterPack;

// Invariants of F from which many densities follow without a singular value decomposition.
typedef struct SnInvariants {
    double sum; // s1 + s2 + s3
    double i1;  // sum of s_i^2 = |F|^2
    double i2;  // sum over i < j of s_i^2 s_j^2 = |cof F|^2
    double j;   // s1 s2 s3 = det F
} SnInvariants;

// A density and its derivatives by the invariants.
typedef struct SnInvariantSlopes {
    double psi, sum, i1, i2, j;
} SnInvariantSlopes;

typedef struct SnMaterialPacks {
    void (*energy)(const double s[3][SN_LANES], const SnParameterPack* m, double psi[SN_LANES]);
    void (*gradient)(const double s[3][SN_LANES], const SnParameterPack* m, double g[3][SN_LANES]);
    // Gradient and Hessian (11 22 33 12 13 23) at once: they share most of their work.
    void (*derivatives)(const double s[3][SN_LANES], const SnParameterPack* m, double g[3][SN_LANES],
                        double h[6][SN_LANES]);
    // By invariants (sum, i1, i2, j): out is psi and its four derivatives. NULL: the density is known by stretches
    // only. For barrier materials only where no stretch is below floor.
    void (*invariants)(const double i[4][SN_LANES], const SnParameterPack* m, double out[5][SN_LANES]);
    bool uses_sum, uses_i2; // which of the invariants it looks at, besides i1 and j
} SnMaterialPacks;

// A user's material has no packs of its own; these call its functions lane after lane, or the one for many.
void sn_material_energy(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                        double psi[SN_LANES]);
void sn_material_gradient(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                          double g[3][SN_LANES]);
void sn_material_derivatives(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                             double g[3][SN_LANES], double h[6][SN_LANES]);

#define SN_LANE_STRETCHES(s, l) ((SnStretches){(s)[0][l], (s)[1][l], (s)[2][l]})
#define SN_LANE_PARAMETERS(m, l) \
    ((SnMaterialParameters){(m)->mu[l], (m)->lambda[l], (m)->floor[l], {(m)->extra[0][l], (m)->extra[1][l]}, (m)->user})

// The row `sn_ID`, named NAME; what follows are further fields of SnMaterialType. The file has defined energy, gradient
// and hessian; for SN_MATERIAL_BY_INVARIANTS also `SnInvariantSlopes invariants(SnInvariants i, SnMaterialParameters
// m)`, and the constants uses_sum and uses_i2.
#define SN_MATERIAL(ID, NAME, FORMULA, ...)                                                 \
    SN_MATERIAL_PACKS                                                                       \
    static const SnMaterialPacks packs = {                                                  \
        .energy = energy_pack, .gradient = gradient_pack, .derivatives = derivatives_pack}; \
    SN_MATERIAL_ROW(ID, NAME, FORMULA, __VA_ARGS__)

#define SN_MATERIAL_BY_INVARIANTS(ID, NAME, FORMULA, ...)                                                       \
    SN_MATERIAL_PACKS                                                                                           \
    static void invariants_pack(const double i[4][SN_LANES], const SnParameterPack* m, double out[5][SN_LANES]) \
    {                                                                                                           \
        _Pragma("omp simd") for (int l = 0; l < SN_LANES; l++)                                                  \
        {                                                                                                       \
            SnInvariantSlopes d =                                                                               \
                invariants((SnInvariants){i[0][l], i[1][l], i[2][l], i[3][l]}, SN_LANE_PARAMETERS(m, l));       \
            out[0][l] = d.psi, out[1][l] = d.sum, out[2][l] = d.i1, out[3][l] = d.i2, out[4][l] = d.j;          \
        }                                                                                                       \
    }                                                                                                           \
    static const SnMaterialPacks packs = {energy_pack,     gradient_pack, derivatives_pack,                     \
                                          invariants_pack, uses_sum,      uses_i2};                             \
    SN_MATERIAL_ROW(ID, NAME, FORMULA, __VA_ARGS__)

#define SN_MATERIAL_PACKS                                                                                         \
    static void energy_pack(const double s[3][SN_LANES], const SnParameterPack* m, double psi[SN_LANES])          \
    {                                                                                                             \
        _Pragma("omp simd") for (int l = 0; l < SN_LANES; l++) psi[l] =                                           \
            energy(SN_LANE_STRETCHES(s, l), SN_LANE_PARAMETERS(m, l));                                            \
    }                                                                                                             \
    static void gradient_pack(const double s[3][SN_LANES], const SnParameterPack* m, double g[3][SN_LANES])       \
    {                                                                                                             \
        _Pragma("omp simd") for (int l = 0; l < SN_LANES; l++)                                                    \
        {                                                                                                         \
            SnStretches d = gradient(SN_LANE_STRETCHES(s, l), SN_LANE_PARAMETERS(m, l));                          \
            g[0][l] = d.s1, g[1][l] = d.s2, g[2][l] = d.s3;                                                       \
        }                                                                                                         \
    }                                                                                                             \
    static void derivatives_pack(const double s[3][SN_LANES], const SnParameterPack* m, double g[3][SN_LANES],    \
                                 double h[6][SN_LANES])                                                           \
    {                                                                                                             \
        _Pragma("omp simd") for (int l = 0; l < SN_LANES; l++)                                                    \
        {                                                                                                         \
            SnStretches a = gradient(SN_LANE_STRETCHES(s, l), SN_LANE_PARAMETERS(m, l));                          \
            SnStretchHessian d = hessian(SN_LANE_STRETCHES(s, l), SN_LANE_PARAMETERS(m, l));                      \
            g[0][l] = a.s1, g[1][l] = a.s2, g[2][l] = a.s3;                                                       \
            h[0][l] = d.h11, h[1][l] = d.h22, h[2][l] = d.h33, h[3][l] = d.h12, h[4][l] = d.h13, h[5][l] = d.h23; \
        }                                                                                                         \
    }

#define SN_MATERIAL_ROW(ID, NAME, FORMULA, ...)                      \
    const SnMaterialType SN_KERNEL(sn_##ID) = {.name = NAME,         \
                                               .formula = FORMULA,   \
                                               .energy = energy,     \
                                               .gradient = gradient, \
                                               .hessian = hessian,   \
                                               .packs = &packs,      \
                                               __VA_ARGS__}
