// fixed-corotated: psi = mu sum (s-1)^2 + lambda/2 (J-1)^2   (Stomakhin, Howes, Schroeder, Teran 2012)
#include "material/pack.h"

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    double a = s.s1 - 1.0, b = s.s2 - 1.0, c = s.s3 - 1.0, j = s.s1 * s.s2 * s.s3 - 1.0;
    return m.mu * (a * a + b * b + c * c) + 0.5 * m.lambda * j * j;
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    double p = m.lambda * (s.s1 * s.s2 * s.s3 - 1.0);
    return (SnStretches){2.0 * m.mu * (s.s1 - 1.0) + p * s.s2 * s.s3, 2.0 * m.mu * (s.s2 - 1.0) + p * s.s1 * s.s3,
                         2.0 * m.mu * (s.s3 - 1.0) + p * s.s1 * s.s2};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    double j1 = s.s2 * s.s3, j2 = s.s1 * s.s3, j3 = s.s1 * s.s2, p = m.lambda * (s.s1 * j1 - 1.0);
    return (SnStretchHessian){
        .h11 = 2.0 * m.mu + m.lambda * j1 * j1,
        .h22 = 2.0 * m.mu + m.lambda * j2 * j2,
        .h33 = 2.0 * m.mu + m.lambda * j3 * j3,
        .h12 = m.lambda * j1 * j2 + p * s.s3,
        .h13 = m.lambda * j1 * j3 + p * s.s2,
        .h23 = m.lambda * j2 * j3 + p * s.s1,
    };
}

static const bool uses_sum = true, uses_i2 = false;

SN_INLINE SnInvariantSlopes invariants(SnInvariants i, SnMaterialParameters m)
{
    double j = i.j - 1.0;
    return (SnInvariantSlopes){.psi = m.mu * (i.i1 - 2.0 * i.sum + 3.0) + 0.5 * m.lambda * j * j,
                               .sum = -2.0 * m.mu,
                               .i1 = m.mu,
                               .j = m.lambda * j};
}

SN_MATERIAL_BY_INVARIANTS(fixed_corotated, "fixed-corotated", "mu sum (s-1)^2 + lambda/2 (J-1)^2", .splits = true,
                          .elements = SN_SOLIDS_AND_SHEETS);
