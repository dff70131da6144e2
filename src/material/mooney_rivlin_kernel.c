// mooney-rivlin: psi = mu1/2 (I1 - 3 - 2 ln J) + mu2/2 (I2 - 3 - 4 ln J) + l/2 ln^2 J, I2 = sum over i<j of s_i^2 s_j^2
// (Mooney 1940, Rivlin 1948; made compressible as Bonet and Wood's neo-Hookean)
//
// mu1 + mu2 = mu and mu2 = ratio mu. Near rest the I2 term adds 2 mu2 to lambda, so l = lambda - 2 mu2: `adjust`.
#include "material/barrier.h"
#include "material/pack.h"

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    double mu2 = m.extra[0] * m.mu, mu1 = m.mu - mu2;
    BarrierLog j = barrier_log(s, m.floor);
    double a = s.s1 * s.s1, b = s.s2 * s.s2, c = s.s3 * s.s3;
    double psi = 0.5 * mu1 * (a + b + c - 3.0) + 0.5 * mu2 * (a * b + a * c + b * c - 3.0) -
                 (mu1 + 2.0 * mu2) * j.value + 0.5 * m.lambda * j.value * j.value;
    return j.feasible ? psi : INFINITY;
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    double mu2 = m.extra[0] * m.mu, mu1 = m.mu - mu2;
    BarrierLog j = barrier_log(s, m.floor);
    double a = s.s1 * s.s1, b = s.s2 * s.s2, c = s.s3 * s.s3, p = m.lambda * j.value - mu1 - 2.0 * mu2;
    return (SnStretches){s.s1 * (mu1 + mu2 * (b + c)) + p * j.d1, s.s2 * (mu1 + mu2 * (a + c)) + p * j.d2,
                         s.s3 * (mu1 + mu2 * (a + b)) + p * j.d3};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    double mu2 = m.extra[0] * m.mu, mu1 = m.mu - mu2;
    BarrierLog j = barrier_log(s, m.floor);
    double a = s.s1 * s.s1, b = s.s2 * s.s2, c = s.s3 * s.s3, p = m.lambda * j.value - mu1 - 2.0 * mu2;
    return (SnStretchHessian){
        .h11 = mu1 + mu2 * (b + c) + p * j.e1 + m.lambda * j.d1 * j.d1,
        .h22 = mu1 + mu2 * (a + c) + p * j.e2 + m.lambda * j.d2 * j.d2,
        .h33 = mu1 + mu2 * (a + b) + p * j.e3 + m.lambda * j.d3 * j.d3,
        .h12 = 2.0 * mu2 * s.s1 * s.s2 + m.lambda * j.d1 * j.d2,
        .h13 = 2.0 * mu2 * s.s1 * s.s3 + m.lambda * j.d1 * j.d3,
        .h23 = 2.0 * mu2 * s.s2 * s.s3 + m.lambda * j.d2 * j.d3,
    };
}

static const bool uses_sum = false, uses_i2 = true;

SN_INLINE SnInvariantSlopes invariants(SnInvariants i, SnMaterialParameters m)
{
    double mu2 = m.extra[0] * m.mu, mu1 = m.mu - mu2, pressure = mu1 + 2.0 * mu2;
    double log_j = sn_lane_log(i.j > 0.0 ? i.j : 1.0);
    double psi =
        0.5 * mu1 * (i.i1 - 3.0) + 0.5 * mu2 * (i.i2 - 3.0) - pressure * log_j + 0.5 * m.lambda * log_j * log_j;
    return (SnInvariantSlopes){
        .psi = i.j > 0.0 ? psi : INFINITY, .i1 = 0.5 * mu1, .i2 = 0.5 * mu2, .j = (m.lambda * log_j - pressure) / i.j};
}

// With a negative l the energy would have no lower bound.
static bool adjust(SnMaterialParameters* m)
{
    m->lambda -= 2.0 * m->extra[0] * m->mu;
    return m->lambda >= 0.0;
}

static const SnParameter parameters[] = {
    {"ratio", SN_NUMBER, offsetof(SnMaterial, extra[0]), .value = "0.2", .range = ">=0 <=1", .doc = "mu2/(mu1 + mu2)"},
    {0},
};

SN_MATERIAL_BY_INVARIANTS(mooney_rivlin, "mooney-rivlin",
                          "mu1/2 (I1 - 3 - 2 ln J) + mu2/2 (I2 - 3 - 4 ln J) + (lambda/2 - mu2) ln^2 J",
                          .parameters = parameters, .adjust = adjust,
                          .limits = "ratio at most lambda/(2 mu) = poisson/(1 - 2 poisson)", .barrier = true,
                          .splits = true, .elements = SN_SOLIDS_AND_SHEETS);
