// arap (as rigid as possible): psi = mu sum (s-1)^2, the squared distance to the nearest rotation; Hooke's lambda is 0
// (Chao, Pinkall, Sanan, Schroeder 2010; the tetrahedra of Projective Dynamics, with k = 2 mu)
#include "material/pack.h"

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    double a = s.s1 - 1.0, b = s.s2 - 1.0, c = s.s3 - 1.0;
    return m.mu * (a * a + b * b + c * c);
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    return (SnStretches){2.0 * m.mu * (s.s1 - 1.0), 2.0 * m.mu * (s.s2 - 1.0), 2.0 * m.mu * (s.s3 - 1.0)};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    (void)s;
    return (SnStretchHessian){.h11 = 2.0 * m.mu, .h22 = 2.0 * m.mu, .h33 = 2.0 * m.mu};
}

static const bool uses_sum = true, uses_i2 = false;

SN_INLINE SnInvariantSlopes invariants(SnInvariants i, SnMaterialParameters m)
{
    return (SnInvariantSlopes){.psi = m.mu * (i.i1 - 2.0 * i.sum + 3.0), .sum = -2.0 * m.mu, .i1 = m.mu};
}

SN_MATERIAL_BY_INVARIANTS(arap, "arap", "mu sum (s-1)^2", .elements = SN_SOLIDS_AND_SHEETS);
