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
    // eta (y - z) at the minimum of f(z^2) + eta/2 (y - z)^2, f without a floor; of rates that have a local step of
    // their own, whose only unknown is a length.
    void (*pull)(const double* y, const double* eta, const SnDissipationParameters* p, double* force);
} SnDissipationPacks;

// Rows of parameters that several have.
#define SN_ROW_BETA                                                                                \
    "beta", SN_NUMBER, offsetof(SnDampingDef, beta), .value = "0.01", .range = ">=0", .unit = "s", \
                                                     .doc = "the part of the stiffness that damps"
#define SN_ROW_BASE(TYPE)                                                                                    \
    "base", SN_CHOICE, offsetof(SnDampingDef, base),                                                         \
        .value = TYPE, .names = (const char* const[]){"strain-rate", "rayleigh", "principal-stretch", NULL}, \
        .doc = "what it changes, whose own numbers it takes as well"
#define SN_ROW_EXPONENT                                      \
    "exponent", SN_NUMBER, offsetof(SnDampingDef, exponent), \
        .value = "1", .range = ">=0 <=10",                   \
        .doc = "the force grows with this power of the rate; 0 is dry, like clay, 1 is viscous"
#define SN_ROW_SMOOTHING                                                                                            \
    "smoothing", SN_NUMBER, offsetof(SnDampingDef, smoothing),                                                      \
        .value = "0.1", .range = ">0", .unit = "1/s",                                                               \
        .doc = "of exponents below 1: the rate at which the force is linear at first, until iterations have found " \
               "the true one; says how fast they do, not what"

// The row `sn_dissipation_ID`; its file has defined packs. What follows are further fields.
#define SN_DISSIPATION(ID, NAME, FORMULA, ...)                 \
    const SnDissipationType SN_KERNEL(sn_dissipation_##ID) = { \
        .name = NAME, .formula = FORMULA, .packs = &packs, __VA_ARGS__}
