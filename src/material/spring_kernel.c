// spring: psi = E/2 (s1 - 1)^2, for the edges of ropes; E is Young's modulus, mu (3 lambda + 2 mu)/(lambda + mu)
//
// What actuators add is T (s1 - 1), T = extra[0]: they pull.
#include "material/pack.h"

SN_INLINE double young(SnMaterialParameters m)
{
    return m.mu * (3.0 * m.lambda + 2.0 * m.mu) / (m.lambda + m.mu);
}

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    return (0.5 * young(m) * (s.s1 - 1.0) + m.extra[0]) * (s.s1 - 1.0);
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    return (SnStretches){young(m) * (s.s1 - 1.0) + m.extra[0], 0.0, 0.0};
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    (void)s;
    return (SnStretchHessian){.h11 = young(m)};
}

SN_MATERIAL(spring, "spring", "E/2 (s1 - 1)^2", .elements = SN_ON_EDGES);
