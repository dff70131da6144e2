// spline: psi = sum a(s_i) + sum b(s_i s_j) + c(J), with a', b', c' given as natural cubic splines
// (Xu, Sin, Zhu, Barbic 2015; b is their h, c their j of a Valanis-Landel material)
//
// The curves are in units of mu and come by SnMaterialParameters.user, an SnSpline; without one a' = 2 (s - 1), which
// is arap. `barrier` k adds k mu max(-ln J, 0)^3, which has neither stress nor stiffness at J = 1.
#include "material/spline.h"

#include "material/barrier.h"
#include "material/pack.h"

#define NONE                                               \
    {                                                      \
        -INFINITY, [1 ... SN_SPLINE_PIECES - 1] = INFINITY \
    }
static const SnSpline linear = {
    .a = {.from = NONE, .origin = {1}, .p1 = {2}}, .b = {.from = NONE}, .c = {.from = NONE}};

typedef struct Curve {
    double value, d, e; // energy and its derivatives
} Curve;

// The piece by bisection, without branches: six steps find one of 64.
SN_INLINE Curve curve(const SnSplineCurve* c, double s)
{
    int64_t k = 0;
    k += c->from[k + 32] <= s ? 32 : 0;
    k += c->from[k + 16] <= s ? 16 : 0;
    k += c->from[k + 8] <= s ? 8 : 0;
    k += c->from[k + 4] <= s ? 4 : 0;
    k += c->from[k + 2] <= s ? 2 : 0;
    k += c->from[k + 1] <= s ? 1 : 0;
    double d = s - c->origin[k], p0 = c->p0[k], p1 = c->p1[k], p2 = c->p2[k], p3 = c->p3[k];
    return (Curve){c->energy[k] + d * (p0 + d * (0.5 * p1 + d * (1.0 / 3.0 * p2 + d * 0.25 * p3))),
                   p0 + d * (p1 + d * (p2 + d * p3)), p1 + d * (2.0 * p2 + 3.0 * d * p3)};
}

SN_INLINE const SnSpline* spline_of(SnMaterialParameters m)
{
    return m.user ? m.user : &linear;
}

// max(-ln J, 0) and the slopes of ln J, for the barrier; zero without one and where it is infinite.
SN_INLINE BarrierLog compressed(SnStretches s, SnMaterialParameters m)
{
    BarrierLog j = barrier_log(s, m.floor);
    double k = j.feasible ? m.extra[0] : 0.0;
    j.value = sn_lane_max(-j.value, 0.0);
    j.d1 = k > 0.0 ? j.d1 : 0.0, j.d2 = k > 0.0 ? j.d2 : 0.0, j.d3 = k > 0.0 ? j.d3 : 0.0;
    j.e1 = k > 0.0 ? j.e1 : 0.0, j.e2 = k > 0.0 ? j.e2 : 0.0, j.e3 = k > 0.0 ? j.e3 : 0.0;
    return j;
}

SN_INLINE double energy(SnStretches s, SnMaterialParameters m)
{
    const SnSpline* f = spline_of(m);
    BarrierLog j = compressed(s, m);
    double k = m.extra[0], sum = curve(&f->a, s.s1).value + curve(&f->a, s.s2).value + curve(&f->a, s.s3).value +
                                 curve(&f->b, s.s1 * s.s2).value + curve(&f->b, s.s1 * s.s3).value +
                                 curve(&f->b, s.s2 * s.s3).value + curve(&f->c, s.s1 * s.s2 * s.s3).value;
    double psi = m.mu * (sum + k * j.value * j.value * j.value);
    double outside = k > 0.0 ? INFINITY : m.mu * sum;
    return j.feasible ? psi : outside;
}

SN_INLINE SnStretches gradient(SnStretches s, SnMaterialParameters m)
{
    const SnSpline* f = spline_of(m);
    BarrierLog j = compressed(s, m);
    double b12 = curve(&f->b, s.s1 * s.s2).d, b13 = curve(&f->b, s.s1 * s.s3).d, b23 = curve(&f->b, s.s2 * s.s3).d;
    double c = curve(&f->c, s.s1 * s.s2 * s.s3).d, q = -3.0 * m.extra[0] * j.value * j.value;
    return (SnStretches){
        m.mu * (curve(&f->a, s.s1).d + b12 * s.s2 + b13 * s.s3 + c * s.s2 * s.s3 + q * j.d1),
        m.mu * (curve(&f->a, s.s2).d + b12 * s.s1 + b23 * s.s3 + c * s.s1 * s.s3 + q * j.d2),
        m.mu * (curve(&f->a, s.s3).d + b13 * s.s1 + b23 * s.s2 + c * s.s1 * s.s2 + q * j.d3),
    };
}

SN_INLINE SnStretchHessian hessian(SnStretches s, SnMaterialParameters m)
{
    const SnSpline* f = spline_of(m);
    BarrierLog j = compressed(s, m);
    Curve b12 = curve(&f->b, s.s1 * s.s2), b13 = curve(&f->b, s.s1 * s.s3), b23 = curve(&f->b, s.s2 * s.s3);
    Curve c = curve(&f->c, s.s1 * s.s2 * s.s3);
    double j1 = s.s2 * s.s3, j2 = s.s1 * s.s3, j3 = s.s1 * s.s2;
    double q = -3.0 * m.extra[0] * j.value * j.value, r = 6.0 * m.extra[0] * j.value;
    return (SnStretchHessian){
        .h11 = m.mu * (curve(&f->a, s.s1).e + b12.e * s.s2 * s.s2 + b13.e * s.s3 * s.s3 + c.e * j1 * j1 + q * j.e1 +
                       r * j.d1 * j.d1),
        .h22 = m.mu * (curve(&f->a, s.s2).e + b12.e * s.s1 * s.s1 + b23.e * s.s3 * s.s3 + c.e * j2 * j2 + q * j.e2 +
                       r * j.d2 * j.d2),
        .h33 = m.mu * (curve(&f->a, s.s3).e + b13.e * s.s1 * s.s1 + b23.e * s.s2 * s.s2 + c.e * j3 * j3 + q * j.e3 +
                       r * j.d3 * j.d3),
        .h12 = m.mu * (b12.d + b12.e * j3 + c.d * s.s3 + c.e * j1 * j2 + r * j.d1 * j.d2),
        .h13 = m.mu * (b13.d + b13.e * j2 + c.d * s.s2 + c.e * j1 * j3 + r * j.d1 * j.d3),
        .h23 = m.mu * (b23.d + b23.e * j1 + c.d * s.s1 + c.e * j2 * j3 + r * j.d2 * j.d3),
    };
}

static const SnParameter parameters[] = {
    {"barrier", SN_NUMBER, offsetof(SnMaterial, extra[0]), .value = "0", .range = ">=0 <=1e6",
     .doc = "k of k mu max(-ln J, 0)^3, which is added"},
    {"a", SN_POINTS, offsetof(SnMaterial, spline.a), .example = "[[0.5, -1.5], [1, 0], [2, 1.5]]",
     .doc = "points [s, a'] of the slope of a(s), 2 to 63, in units of mu; a cubic spline between, linear beyond them"},
    {"b", SN_POINTS, offsetof(SnMaterial, spline.b), .example = "[[0.5, -0.1], [1, 0], [2, 0.1]]",
     .doc = "the same for b(s_i s_j)"},
    {"c", SN_POINTS, offsetof(SnMaterial, spline.c), .example = "[[0.5, -5], [1, 0], [2, 1]]",
     .doc = "the same for c(J)"},
    {0},
};

SN_MATERIAL(spline, "spline", "mu (sum a(s_i) + sum b(s_i s_j) + c(J)), slopes a', b', c' by points",
            .parameters = parameters, .curves = true, .barrier = true,
            .inverted = "finite without `barrier`: the curves go on linearly", .elements = SN_SOLIDS_AND_SHEETS);
