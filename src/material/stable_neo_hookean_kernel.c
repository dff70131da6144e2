// stable-neo-hookean: psi = m/2 (I1 - 3) + l/2 (J - 1)^2 - 3m/4 (J - 1) - m/2 ln((I1 + 1)/4), m = 4 mu/3,
// l = lambda + 5 mu/6: smooth for any F, inverted or collapsed   (Smith, De Goes, Kim 2018)
//
// Their l/2 (J - a)^2 with a = 1 + 3m/(4l) is l/2 (J - 1)^2 - 3m/4 (J - 1) and a constant, which is left out.
#include "linalg/lane.h"
#include "material/pack.h"

typedef struct Stable {
    double mu, lambda; // m and l
    double i1, j, p;   // p = d psi/dJ
} Stable;

SN_INLINE Stable stable(double i1, double j, SnMaterialParameters m)
{
    Stable t = {.mu = 4.0 / 3.0 * m.mu, .lambda = m.lambda + 5.0 / 6.0 * m.mu, .i1 = i1, .j = j};
    t.p = t.lambda * (j - 1.0) - 0.75 * t.mu;
    return t;
}

SN_INLINE Stable of_stretches(SnStretches s, SnMaterialParameters m)
{
    return stable(s.s1 * s.s1 + s.s2 * s.s2 + s.s3 * s.s3, s.s1 * s.s2 * s.s3, m);
}

SN_INLINE double density(Stable t)
{
    double d = t.j - 1.0;
    return 0.5 * t.mu * (t.i1 - 3.0 - sn_lane_log(0.25 * (t.i1 + 1.0))) + d * (0.5 * t.lambda * d - 0.75 * t.mu);
}

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    return density(of_stretches(s, m));
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    Stable t = of_stretches(s, m);
    double k = t.mu * t.i1 / (t.i1 + 1.0); // m (1 - 1/(I1 + 1))
    return (SnStretches){k * s.s1 + t.p * s.s2 * s.s3, k * s.s2 + t.p * s.s1 * s.s3, k * s.s3 + t.p * s.s1 * s.s2};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    Stable t = of_stretches(s, m);
    double inverse = 1.0 / (t.i1 + 1.0), k = t.mu * t.i1 * inverse, q = 2.0 * t.mu * inverse * inverse;
    double j1 = s.s2 * s.s3, j2 = s.s1 * s.s3, j3 = s.s1 * s.s2;
    return (SnStretchHessian){
        .h11 = k + q * s.s1 * s.s1 + t.lambda * j1 * j1,
        .h22 = k + q * s.s2 * s.s2 + t.lambda * j2 * j2,
        .h33 = k + q * s.s3 * s.s3 + t.lambda * j3 * j3,
        .h12 = q * j3 + t.lambda * j1 * j2 + t.p * s.s3,
        .h13 = q * j2 + t.lambda * j1 * j3 + t.p * s.s2,
        .h23 = q * j1 + t.lambda * j2 * j3 + t.p * s.s1,
    };
}

static const bool uses_sum = false, uses_i2 = false;

SN_INLINE SnInvariantSlopes invariants(SnInvariants i, SnMaterialParameters m)
{
    Stable t = stable(i.i1, i.j, m);
    return (SnInvariantSlopes){.psi = density(t), .i1 = 0.5 * t.mu * t.i1 / (t.i1 + 1.0), .j = t.p};
}

SN_MATERIAL_BY_INVARIANTS(stable_neo_hookean, "stable-neo-hookean",
                          "m/2 (I1 - 3) + l/2 (J - a)^2 - m/2 ln(I1 + 1), m = 4 mu/3, l = lambda + 5 mu/6, "
                          "a = 1 + 3m/(4l)",
                          .inverted = "they recover; a body collapsed to a point stays, as no force acts there",
                          .splits = true, .elements = SN_SOLIDS_AND_SHEETS);
