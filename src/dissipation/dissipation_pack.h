// A dissipation is R = f(r), r half the square of a rate in some matrix; a row's file says what f and the matrix are.
// Rows are compiled once per instruction set.
#pragma once
#include <sinew/dissipation.h>

#include "core/isa.h"

// The matrix of r: `stiffness` times the material's, plus that of an isotropic fluid, shear |rate|^2 + bulk/2 tr^2.
typedef struct SnViscosity {
    double stiffness;   // s
    double shear, bulk; // Pa s
} SnViscosity;

typedef struct SnDissipationPacks {
    SnViscosity (*viscosity)(SnDissipationParameters p);
    // f of lanes of r, its slope and curvature, where anything below `floor` is smooth; NULL: f(r) = r.
    void (*power)(const double* r, const double* floor, const SnDissipationParameters* p, double* value, double* slope,
                  double* curvature);
} SnDissipationPacks;

// The row `sn_dissipation_ID`; its file has defined packs. What follows are further fields.
#define SN_DISSIPATION(ID, NAME, FORMULA, ...)                 \
    const SnDissipationType SN_KERNEL(sn_dissipation_##ID) = { \
        .name = NAME, .formula = FORMULA, .packs = &packs, __VA_ARGS__}
