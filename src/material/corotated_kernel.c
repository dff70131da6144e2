// corotated: psi = mu sum (s-1)^2 + lambda/2 (sum s - 3)^2: linear elasticity after taking out the rotation
#include "material/pack.h"

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    double a = s.s1 - 1.0, b = s.s2 - 1.0, c = s.s3 - 1.0, trace = a + b + c;
    return m.mu * (a * a + b * b + c * c) + 0.5 * m.lambda * trace * trace;
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    double a = s.s1 - 1.0, b = s.s2 - 1.0, c = s.s3 - 1.0, pressure = m.lambda * (a + b + c);
    return (SnStretches){2.0 * m.mu * a + pressure, 2.0 * m.mu * b + pressure, 2.0 * m.mu * c + pressure};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    (void)s;
    double diagonal = 2.0 * m.mu + m.lambda;
    return (SnStretchHessian){diagonal, diagonal, diagonal, m.lambda, m.lambda, m.lambda};
}

static const bool uses_sum = true, uses_i2 = false;

SN_INLINE SnInvariantSlopes invariants(SnInvariants i, SnMaterialParameters m)
{
    double trace = i.sum - 3.0; // sum (s-1)^2 = i1 - 2 sum + 3
    return (SnInvariantSlopes){.psi = m.mu * (i.i1 - 2.0 * i.sum + 3.0) + 0.5 * m.lambda * trace * trace,
                               .sum = m.lambda * trace - 2.0 * m.mu,
                               .i1 = m.mu};
}

SN_MATERIAL_BY_INVARIANTS(corotated, "corotated", "mu sum (s-1)^2 + lambda/2 (sum s - 3)^2", .splits = true,
                          .elements = SN_SOLIDS_AND_SHEETS);
