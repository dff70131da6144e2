// fung: psi = mu/(2b) (exp(b (I1 - 3)) - 1) on incompressible sheets, s3 = 1/(s1 s2): soft tissue that stiffens
// exponentially   (Fung 1967; the isotropic form of Demiray 1972)
//
// I1 = s1^2 + s2^2 + r(A) with A = s1 s2 and r = 1/A^2. With a floor, r below that area ratio and the exponential above
// MOST are continued by their second-order Taylor polynomials (C2), so that collapsed sheets recover.
#include "linalg/lane.h"
#include "material/pack.h"

#define MOST 10.0 // exponent; e^10 is 22000 times the stiffness at rest

typedef struct Invariant {
    double value;         // b (I1 - 3)
    double d1, d2;        // of I1 by s1, s2
    double e11, e22, e12; // second derivatives
    bool feasible;
} Invariant;

SN_INLINE Invariant invariant(SnStretches s, SnMaterialParameters m)
{
    double area = s.s1 * s.s2, a = sn_lane_max(area, m.floor), below = area - a;
    Invariant i = {.feasible = a > 0.0};
    a = a > 0.0 ? a : 1.0;
    double w = 1.0 / a, r2 = 6.0 * w * w * w * w, r1 = -2.0 * w * w * w;
    double r = w * w + below * (r1 + 0.5 * r2 * below);
    r1 += r2 * below;
    i.value = m.extra[0] * (s.s1 * s.s1 + s.s2 * s.s2 + r - 3.0);
    i.d1 = 2.0 * s.s1 + r1 * s.s2;
    i.d2 = 2.0 * s.s2 + r1 * s.s1;
    i.e11 = 2.0 + r2 * s.s2 * s.s2;
    i.e22 = 2.0 + r2 * s.s1 * s.s1;
    i.e12 = r1 + r2 * area;
    return i;
}

typedef struct Exponential {
    double value, d, e; // and its derivatives
} Exponential;

SN_INLINE Exponential exponential(double x, SnMaterialParameters m)
{
    double inside = m.floor > 0.0 ? sn_lane_min(x, MOST) : x, over = x - inside, value = sn_lane_exp(inside);
    return (Exponential){value * (1.0 + over * (1.0 + 0.5 * over)), value * (1.0 + over), value};
}

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    Invariant i = invariant(s, m);
    double psi = 0.5 * m.mu / m.extra[0] * (exponential(i.value, m).value - 1.0);
    return i.feasible ? psi : INFINITY;
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    Invariant i = invariant(s, m);
    double k = 0.5 * m.mu * exponential(i.value, m).d;
    return (SnStretches){k * i.d1, k * i.d2, 0.0};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    Invariant i = invariant(s, m);
    Exponential x = exponential(i.value, m);
    double k = 0.5 * m.mu * x.d, c = 0.5 * m.mu * m.extra[0] * x.e;
    return (SnStretchHessian){
        .h11 = k * i.e11 + c * i.d1 * i.d1, .h22 = k * i.e22 + c * i.d2 * i.d2, .h12 = k * i.e12 + c * i.d1 * i.d2};
}

static const SnParameter parameters[] = {
    {"stiffening", SN_NUMBER, offsetof(SnMaterial, extra[0]), .value = "1", .range = ">=1e-3 <=1e3",
     .doc = "b of the formula"},
    {0},
};

SN_MATERIAL(fung, "fung", "mu/(2b) (exp(b (I1 - 3)) - 1), s3 = 1/(s1 s2)", .parameters = parameters, .barrier = true,
            .elements = SN_ON_TRIANGLES);
