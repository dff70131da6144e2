// stvk (Saint Venant-Kirchhoff): e = (s^2 - 1)/2, psi = mu sum e^2 + lambda/2 (sum e)^2
//
// As published that is even in each stretch: an element that is inside out has the energy of its mirror image, a
// minimum, and no force acts on one that is flat. Below J = t = 0.1 we add k/2 (t - J)^2, k a multiple of 2 mu +
// lambda, whose slope at J = 0 leads out of there: along (1, 1, s) the force of the rest is at most (2 mu + lambda)/2
// |s| (1 - s^2).
#include "linalg/lane.h"
#include "material/pack.h"

#define BELOW 0.1 // J; as floor, which a sheet does not have: it has no inside

SN_INLINE double stiffness(SnMaterialParameters m)
{
    return m.extra[0] * (2.0 * m.mu + m.lambda);
}

// t - J, or 0.
SN_INLINE double missing(double j, SnMaterialParameters m)
{
    return sn_lane_max(m.floor - j, 0.0);
}

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    double a = 0.5 * (s.s1 * s.s1 - 1.0), b = 0.5 * (s.s2 * s.s2 - 1.0), c = 0.5 * (s.s3 * s.s3 - 1.0);
    double trace = a + b + c, d = missing(s.s1 * s.s2 * s.s3, m);
    return m.mu * (a * a + b * b + c * c) + 0.5 * m.lambda * trace * trace + 0.5 * stiffness(m) * d * d;
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    double a = 0.5 * (s.s1 * s.s1 - 1.0), b = 0.5 * (s.s2 * s.s2 - 1.0), c = 0.5 * (s.s3 * s.s3 - 1.0);
    double p = m.lambda * (a + b + c), q = stiffness(m) * missing(s.s1 * s.s2 * s.s3, m);
    return (SnStretches){s.s1 * (2.0 * m.mu * a + p) - q * s.s2 * s.s3, s.s2 * (2.0 * m.mu * b + p) - q * s.s1 * s.s3,
                         s.s3 * (2.0 * m.mu * c + p) - q * s.s1 * s.s2};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    double a = 0.5 * (s.s1 * s.s1 - 1.0), b = 0.5 * (s.s2 * s.s2 - 1.0), c = 0.5 * (s.s3 * s.s3 - 1.0);
    double p = m.lambda * (a + b + c), k = 2.0 * m.mu + m.lambda;
    double j1 = s.s2 * s.s3, j2 = s.s1 * s.s3, j3 = s.s1 * s.s2, d = missing(s.s1 * j1, m);
    double n = d > 0.0 ? stiffness(m) : 0.0, q = n * d;
    return (SnStretchHessian){
        .h11 = 2.0 * m.mu * a + p + k * s.s1 * s.s1 + n * j1 * j1,
        .h22 = 2.0 * m.mu * b + p + k * s.s2 * s.s2 + n * j2 * j2,
        .h33 = 2.0 * m.mu * c + p + k * s.s3 * s.s3 + n * j3 * j3,
        .h12 = m.lambda * j3 + n * j1 * j2 - q * s.s3,
        .h13 = m.lambda * j2 + n * j1 * j3 - q * s.s2,
        .h23 = m.lambda * j1 + n * j2 * j3 - q * s.s1,
    };
}

static const bool uses_sum = false, uses_i2 = true;

SN_INLINE SnInvariantSlopes invariants(SnInvariants i, SnMaterialParameters m)
{
    double trace = 0.5 * (i.i1 - 3.0), squares = 0.25 * (i.i1 * i.i1 - 2.0 * i.i2 - 2.0 * i.i1 + 3.0); // sum e, sum e^2
    double d = missing(i.j, m), q = stiffness(m) * d;
    return (SnInvariantSlopes){.psi = m.mu * squares + 0.5 * m.lambda * trace * trace + 0.5 * q * d,
                               .i1 = 0.5 * (m.mu * (i.i1 - 1.0) + m.lambda * trace),
                               .i2 = -0.5 * m.mu,
                               .j = -q};
}

static const SnParameter parameters[] = {
    {"unfold", SN_NUMBER, offsetof(SnMaterial, extra), .value = "2", .range = ">=0",
     .doc =
         "stvk: k of k (2 mu + lambda)/2 (0.1 - J)^2, which is added where J < 0.1, so that what is flat or inside out "
         "recovers; 0: none, as published, and the mirror image is a minimum"},
    {0},
};

static bool adjust(SnMaterialParameters* m)
{
    m->floor = BELOW;
    return true;
}

SN_MATERIAL_BY_INVARIANTS(stvk, "stvk", "e = (s^2 - 1)/2: mu sum e^2 + lambda/2 (sum e)^2", .parameters = parameters,
                          .adjust = adjust, .splits = true, .elements = SN_SOLIDS_AND_SHEETS);
