// Limits of stretch: psi = mu sum (s - clamp(s, lo, hi))^2, the squared distance to what is allowed, extra = lo, hi.
//
// Not a row of the table: bodies get it besides their material. ADMM keeps to the limits, others minimise this.
#include "material/limit.h"

static double beyond(double s, SnMaterialParameters m)
{
    return s < m.extra[0] ? s - m.extra[0] : s > m.extra[1] ? s - m.extra[1] : 0;
}

static double energy(SnStretches s, SnMaterialParameters m)
{
    double a = beyond(s.s1, m), b = beyond(s.s2, m), c = beyond(s.s3, m);
    return m.mu * (a * a + b * b + c * c);
}

static SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    return (SnStretches){2 * m.mu * beyond(s.s1, m), 2 * m.mu * beyond(s.s2, m), 2 * m.mu * beyond(s.s3, m)};
}

static SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    return (SnStretchHessian){.h11 = beyond(s.s1, m) != 0 ? 2 * m.mu : 0,
                              .h22 = beyond(s.s2, m) != 0 ? 2 * m.mu : 0,
                              .h33 = beyond(s.s3, m) != 0 ? 2 * m.mu : 0};
}

const SnMaterialType sn_limit = {
    .name = "limit",
    .formula = "mu sum (s - clamp(s, lo, hi))^2",
    .energy = energy,
    .gradient = gradient,
    .hessian = hessian,
    .elements = SN_ON_EDGES | SN_ON_TRIANGLES | SN_ON_TETRAHEDRA,
};
