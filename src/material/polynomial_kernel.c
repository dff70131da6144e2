// polynomial: psi = mu sum (s-1)^4: no stiffness at rest, stiffening with the square of the strain
// (a test of solvers that rely on a constant stiffness: Overby, Brown, Li, Narain 2017)
#include "material/pack.h"

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    double a = (s.s1 - 1.0) * (s.s1 - 1.0), b = (s.s2 - 1.0) * (s.s2 - 1.0), c = (s.s3 - 1.0) * (s.s3 - 1.0);
    return m.mu * (a * a + b * b + c * c);
}

SN_INLINE double slope(double s, double mu)
{
    return 4.0 * mu * (s - 1.0) * (s - 1.0) * (s - 1.0);
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    return (SnStretches){slope(s.s1, m.mu), slope(s.s2, m.mu), slope(s.s3, m.mu)};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    return (SnStretchHessian){.h11 = 12.0 * m.mu * (s.s1 - 1.0) * (s.s1 - 1.0),
                              .h22 = 12.0 * m.mu * (s.s2 - 1.0) * (s.s2 - 1.0),
                              .h33 = 12.0 * m.mu * (s.s3 - 1.0) * (s.s3 - 1.0)};
}

static const bool uses_sum = true, uses_i2 = true;

// sum s^4 = i1^2 - 2 i2 and sum s^3 = 3/2 sum i1 - 1/2 sum^3 + 3 j
SN_INLINE SnInvariantSlopes invariants(SnInvariants i, SnMaterialParameters m)
{
    double cubes = i.sum * (1.5 * i.i1 - 0.5 * i.sum * i.sum) + 3.0 * i.j;
    return (SnInvariantSlopes){
        .psi = m.mu * (i.i1 * i.i1 - 2.0 * i.i2 - 4.0 * cubes + 6.0 * i.i1 - 4.0 * i.sum + 3.0),
        .sum = m.mu * (6.0 * i.sum * i.sum - 6.0 * i.i1 - 4.0),
        .i1 = m.mu * (2.0 * i.i1 - 6.0 * i.sum + 6.0),
        .i2 = -2.0 * m.mu,
        .j = -12.0 * m.mu,
    };
}

SN_MATERIAL_BY_INVARIANTS(polynomial, "polynomial", "mu sum (s-1)^4", .elements = SN_SOLIDS_AND_SHEETS);
