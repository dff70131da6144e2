// Packs: the three density functions over lanes of elements. A material file defines energy, gradient and hessian for
// one element and ends with SN_MATERIAL, which makes the packs and the table row. The file is compiled once per
// instruction set.
#pragma once
#include <sinew/material.h>

#include "core/isa.h"

typedef struct SnParameterPack {
    const double* mu; // SN_LANES each
    const double* lambda;
    const double* floor;
    const void* user;
} SnParameterPack;

typedef struct SnMaterialPacks {
    void (*energy)(const double s[3][SN_LANES], const SnParameterPack* m, double psi[SN_LANES]);
    void (*gradient)(const double s[3][SN_LANES], const SnParameterPack* m, double g[3][SN_LANES]);
    void (*hessian)(const double s[3][SN_LANES], const SnParameterPack* m, double h[6][SN_LANES]); // 11 22 33 12 13 23
} SnMaterialPacks;

// A user's material has no packs of its own; these call its functions lane after lane.
void sn_material_energy(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                        double psi[SN_LANES]);
void sn_material_gradient(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                          double g[3][SN_LANES]);
void sn_material_hessian(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                         double h[6][SN_LANES]);

#define SN_LANE_STRETCHES(s, l) ((SnStretches){(s)[0][l], (s)[1][l], (s)[2][l]})
#define SN_LANE_PARAMETERS(m, l) ((SnMaterialParameters){(m)->mu[l], (m)->lambda[l], (m)->floor[l], (m)->user})

// The row `sn_ID`, named NAME; what follows are further fields of SnMaterialType.
#define SN_MATERIAL(ID, NAME, FORMULA, ...)                                                                       \
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
    static void hessian_pack(const double s[3][SN_LANES], const SnParameterPack* m, double h[6][SN_LANES])        \
    {                                                                                                             \
        _Pragma("omp simd") for (int l = 0; l < SN_LANES; l++)                                                    \
        {                                                                                                         \
            SnStretchHessian d = hessian(SN_LANE_STRETCHES(s, l), SN_LANE_PARAMETERS(m, l));                      \
            h[0][l] = d.h11, h[1][l] = d.h22, h[2][l] = d.h33, h[3][l] = d.h12, h[4][l] = d.h13, h[5][l] = d.h23; \
        }                                                                                                         \
    }                                                                                                             \
    static const SnMaterialPacks packs = {energy_pack, gradient_pack, hessian_pack};                              \
    const SnMaterialType SN_KERNEL(sn_##ID) = {.name = NAME,                                                      \
                                               .formula = FORMULA,                                                \
                                               .energy = energy,                                                  \
                                               .gradient = gradient,                                              \
                                               .hessian = hessian,                                                \
                                               .packs = &packs,                                                   \
                                               __VA_ARGS__}
