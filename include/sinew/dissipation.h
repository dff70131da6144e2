// Dissipation functions: how a body loses energy as it deforms.
//
// A dissipation is a density R of some rate, W/m3; the force it exerts is minus its derivative by that rate. It is
// convex and zero where nothing changes, so it never adds energy.
#ifndef SINEW_DISSIPATION_H
#define SINEW_DISSIPATION_H

#include <sinew/material.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a dissipation takes the rate of. F is the deformation gradient. Only the first one is felt by a body that turns
// without deforming.
typedef enum SnRate {
    SN_RATE_GRADIENT,  // F
    SN_RATE_STRAIN,    // Green's strain E = (F^T F - I)/2
    SN_RATE_POLAR,     // S of F = R S
    SN_RATE_STRETCHES, // the principal stretches
    SN_RATE_POSITION,  // the nodes' positions
} SnRate;

// How a dissipation that damps rigid turning can be kept from it.
typedef enum SnMomentum {
    SN_MOMENTUM_AS_IS,             // not at all: angular momentum is lost
    SN_MOMENTUM_CONSERVED,         // in the first of the two ways
    SN_MOMENTUM_VELOCITY_GRADIENT, // only the symmetric part of the velocity gradient is damped
    SN_MOMENTUM_PROJECTOR,         // the nearest rigid turning is taken out of the rate of F
} SnMomentum;

// How the rate of Green's strain is taken.
typedef enum SnStrainRate {
    SN_STRAIN_RATE_DIFFERENCE, // of the strain itself, by the integrator's formula
    SN_STRAIN_RATE_END,        // F'^T F at the end of the stage, with the integrator's F' (Brown et al. 2018, eq. 28)
} SnStrainRate;

// What a dissipation's functions know: the numbers of SnDampingDef.
typedef struct SnDissipationParameters {
    double beta, shear, bulk, exponent, reference, strength, drag, smoothing;
    double extra[2];
    const void* user;
} SnDissipationParameters;

typedef struct SnDissipationType {
    const char* name;
    const char* formula; // for people, as printed by `sinew list dissipations`
    const char* keeps;   // which momenta it keeps, for people
    SnRate rate;
    const SnParameter* parameters; // its own: members of SnDampingDef, of which extra[2] is free; NULL: none
    bool stiffness;                // the square of the rate is taken in the material's stiffness
    // A user's own R, a function of the rates of the stretches, with the stretches s near which it is taken: the
    // density (W/m3) and its first and second derivatives by the rates. NULL in built-in ones.
    double (*energy)(SnStretches rate, SnStretches s, SnDissipationParameters p);
    SnStretches (*gradient)(SnStretches rate, SnStretches s, SnDissipationParameters p);
    SnStretchHessian (*hessian)(SnStretches rate, SnStretches s, SnDissipationParameters p);
    const struct SnDissipationPacks* packs; // of built-in ones (src/dissipation/dissipation_pack.h)
} SnDissipationType;

// One dissipation of a body. Which numbers a type takes, `sinew list dissipations` says; the others are ignored.
typedef struct SnDampingDef {
    const char* type;                // a name of `sinew list dissipations`; ignored when custom is set
    const SnDissipationType* custom; // a user's own type
    const void* user;                // handed to its functions
    double extra[2];                 // parameters of one type alone
    const char* base;                // of power-law and spline: strain-rate, rayleigh or principal-stretch
    double beta;                     // s, of the stiffness
    double shear, bulk;              // Pa s
    SnStrainRate rate;               // of strain-rate, and of power-law and spline over it
    double exponent;                 // p: the force grows with this power of the rate; 0: dry, 1: viscous
    double reference;                // W/m3, of power-law: the base's R at which both agree
    double strength;                 // Pa s^p, of fast-power-law
    double drag;                     // 1/s
    double smoothing;                // 1/s, of exponents below 1: how stiff what stands in for them is at first
    SnCurve curve;                   // of spline: factor by stretch; copied
    bool per_stretch;                // of spline: each stretch has its own factor; otherwise the largest counts
    SnMomentum conserve_momentum;    // of rayleigh, and of power-law and spline over it
    const int* elements;             // of the body; NULL: all
    int element_count;
} SnDampingDef;

SN_API SnDampingDef sn_default_damping_def(const char* type);
// A number by its name, as a scene has it: sn_damping_set(&def, "beta", "0.02").
SN_API SnStatus sn_damping_set(SnDampingDef* def, const char* name, const char* value);

#ifdef __cplusplus
}
#endif
#endif
