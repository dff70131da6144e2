// stvk (Saint Venant-Kirchhoff): e = (s^2 - 1)/2, psi = mu sum e^2 + lambda/2 (sum e)^2
#include "material/pack.h"

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    double a = 0.5 * (s.s1 * s.s1 - 1.0), b = 0.5 * (s.s2 * s.s2 - 1.0), c = 0.5 * (s.s3 * s.s3 - 1.0);
    double trace = a + b + c;
    return m.mu * (a * a + b * b + c * c) + 0.5 * m.lambda * trace * trace;
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    double a = 0.5 * (s.s1 * s.s1 - 1.0), b = 0.5 * (s.s2 * s.s2 - 1.0), c = 0.5 * (s.s3 * s.s3 - 1.0);
    double p = m.lambda * (a + b + c);
    return (SnStretches){s.s1 * (2.0 * m.mu * a + p), s.s2 * (2.0 * m.mu * b + p), s.s3 * (2.0 * m.mu * c + p)};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    double a = 0.5 * (s.s1 * s.s1 - 1.0), b = 0.5 * (s.s2 * s.s2 - 1.0), c = 0.5 * (s.s3 * s.s3 - 1.0);
    double p = m.lambda * (a + b + c), k = 2.0 * m.mu + m.lambda;
    return (SnStretchHessian){
        .h11 = 2.0 * m.mu * a + p + k * s.s1 * s.s1,
        .h22 = 2.0 * m.mu * b + p + k * s.s2 * s.s2,
        .h33 = 2.0 * m.mu * c + p + k * s.s3 * s.s3,
        .h12 = m.lambda * s.s1 * s.s2,
        .h13 = m.lambda * s.s1 * s.s3,
        .h23 = m.lambda * s.s2 * s.s3,
    };
}

static const bool uses_sum = false, uses_i2 = true;

SN_INLINE SnInvariantSlopes invariants(SnInvariants i, SnMaterialParameters m)
{
    double trace = 0.5 * (i.i1 - 3.0), squares = 0.25 * (i.i1 * i.i1 - 2.0 * i.i2 - 2.0 * i.i1 + 3.0); // sum e, sum e^2
    return (SnInvariantSlopes){.psi = m.mu * squares + 0.5 * m.lambda * trace * trace,
                               .i1 = 0.5 * (m.mu * (i.i1 - 1.0) + m.lambda * trace),
                               .i2 = -0.5 * m.mu};
}

SN_MATERIAL_BY_INVARIANTS(
    stvk, "stvk", "e = (s^2 - 1)/2: mu sum e^2 + lambda/2 (sum e)^2",
    .inverted = "they may stay: the mirror image has the same energy, and no force acts where all is collapsed",
    .elements = SN_SOLIDS_AND_SHEETS);
