// neo-hookean: psi = mu/2 (|s|^2 - 3) - mu ln J + lambda/2 ln^2 J   (Bonet and Wood 1997, 6.4.3)
#include "material/barrier.h"
#include "material/pack.h"

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    BarrierLog j = barrier_log(s, m.floor);
    double squares = s.s1 * s.s1 + s.s2 * s.s2 + s.s3 * s.s3;
    double psi = 0.5 * m.mu * (squares - 3.0) - m.mu * j.value + 0.5 * m.lambda * j.value * j.value;
    return j.feasible ? psi : INFINITY;
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    BarrierLog j = barrier_log(s, m.floor);
    double p = m.lambda * j.value - m.mu;
    return (SnStretches){m.mu * s.s1 + p * j.d1, m.mu * s.s2 + p * j.d2, m.mu * s.s3 + p * j.d3};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    BarrierLog j = barrier_log(s, m.floor);
    double p = m.lambda * j.value - m.mu;
    return (SnStretchHessian){
        .h11 = m.mu + p * j.e1 + m.lambda * j.d1 * j.d1,
        .h22 = m.mu + p * j.e2 + m.lambda * j.d2 * j.d2,
        .h33 = m.mu + p * j.e3 + m.lambda * j.d3 * j.d3,
        .h12 = m.lambda * j.d1 * j.d2,
        .h13 = m.lambda * j.d1 * j.d3,
        .h23 = m.lambda * j.d2 * j.d3,
    };
}

static const bool uses_sum = false, uses_i2 = false;

SN_INLINE SnInvariantSlopes invariants(SnInvariants i, SnMaterialParameters m)
{
    double log_j = sn_lane_log(i.j > 0.0 ? i.j : 1.0);
    double psi = 0.5 * m.mu * (i.i1 - 3.0) - m.mu * log_j + 0.5 * m.lambda * log_j * log_j;
    return (SnInvariantSlopes){
        .psi = i.j > 0.0 ? psi : INFINITY, .i1 = 0.5 * m.mu, .j = (m.lambda * log_j - m.mu) / i.j};
}

SN_MATERIAL_BY_INVARIANTS(neo_hookean, "neo-hookean", "mu/2 (|s|^2 - 3) - mu ln J + lambda/2 ln^2 J", .barrier = true,
                          .splits = true, .elements = SN_SOLIDS_AND_SHEETS);
