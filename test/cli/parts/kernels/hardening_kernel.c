// hardening: d = s - 1, psi = mu sum (d^2 + k d^4/2) + lambda/2 (sum d)^2, k = `hardening`
#include "material/pack.h"

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    double a = s.s1 - 1.0, b = s.s2 - 1.0, c = s.s3 - 1.0, trace = a + b + c;
    double squares = a * a + b * b + c * c, fourths = a * a * a * a + b * b * b * b + c * c * c * c;
    return m.mu * (squares + 0.5 * m.extra[0] * fourths) + 0.5 * m.lambda * trace * trace;
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    double a = s.s1 - 1.0, b = s.s2 - 1.0, c = s.s3 - 1.0, p = m.lambda * (a + b + c), k = m.extra[0];
    return (SnStretches){
        .s1 = 2.0 * m.mu * (a + k * a * a * a) + p,
        .s2 = 2.0 * m.mu * (b + k * b * b * b) + p,
        .s3 = 2.0 * m.mu * (c + k * c * c * c) + p,
    };
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    double a = s.s1 - 1.0, b = s.s2 - 1.0, c = s.s3 - 1.0, k = m.extra[0];
    return (SnStretchHessian){
        .h11 = 2.0 * m.mu * (1.0 + 3.0 * k * a * a) + m.lambda,
        .h22 = 2.0 * m.mu * (1.0 + 3.0 * k * b * b) + m.lambda,
        .h33 = 2.0 * m.mu * (1.0 + 3.0 * k * c * c) + m.lambda,
        .h12 = m.lambda,
        .h13 = m.lambda,
        .h23 = m.lambda,
    };
}

static const SnParameter parameters[] = {
    {"hardening", SN_NUMBER, offsetof(SnMaterial, extra[0]), .value = "1", .range = ">=0 <=100", .doc = "k"},
    {0},
};

SN_MATERIAL(hardening, "hardening", "d = s - 1: mu sum (d^2 + k d^4/2) + lambda/2 (sum d)^2", .parameters = parameters,
            .elements = SN_ON_TETRAHEDRA);
