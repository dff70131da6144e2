// Every row of the material table: derivatives by finite differences, rest state, symmetry, packs against single lanes.
#include "check.h"
#include "core/random.h"
#include "linalg/lane.h"
#include "material/material.h"
#include "material/spline.h"

static SnMaterialParameters parameters_of(const SnMaterialType* type, SnInversion inversion)
{
    SnMaterial material = sn_material(type->name, 2e3, 0.3, 1000);
    SnMaterialParameters p;
    material.inversion = inversion;
    check_ok(sn_material_parameters(&material, type, &p));
    return p;
}

// Random stretches; with `inverted`, the smallest may be negative.
static SnStretches random_stretches(SnRandom* random, bool inverted)
{
    double a[3];
    for (int i = 0; i < 3; i++) a[i] = exp(sn_random_uniform(random, -1, 1));
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            if (a[j] > a[i]) {
                double t = a[i];
                a[i] = a[j], a[j] = t;
            }
    if (inverted) a[2] = sn_random_uniform(random, -1, 1) * a[1];
    return (SnStretches){a[0], a[1], a[2]};
}

static double component(SnStretches s, int i)
{
    return i == 0 ? s.s1 : i == 1 ? s.s2 : s.s3;
}

static SnStretches shifted(SnStretches s, int i, double by)
{
    if (i == 0) s.s1 += by;
    if (i == 1) s.s2 += by;
    if (i == 2) s.s3 += by;
    return s;
}

static double entry(SnStretchHessian h, int i, int j)
{
    const double m[3][3] = {{h.h11, h.h12, h.h13}, {h.h12, h.h22, h.h23}, {h.h13, h.h23, h.h33}};
    return m[i][j];
}

static void check_derivatives(const SnMaterialType* type, SnMaterialParameters p, SnStretches s)
{
    const double step = 1e-5;
    SnStretches g = type->gradient(s, p);
    SnStretchHessian h = type->hessian(s, p);
    double scale = p.mu * 100;
    for (int i = 0; i < 3; i++) {
        double up = type->energy(shifted(s, i, step), p), down = type->energy(shifted(s, i, -step), p);
        scale = fmax(scale, fabs(component(g, i)));
        check_near(component(g, i), (up - down) / (2 * step), 1e-6 * scale);
        SnStretches gu = type->gradient(shifted(s, i, step), p), gd = type->gradient(shifted(s, i, -step), p);
        for (int j = 0; j < 3; j++) {
            double expected = (component(gu, j) - component(gd, j)) / (2 * step);
            check_near(entry(h, i, j), expected, 1e-5 * fmax(scale, fabs(expected)));
        }
    }
}

static void test_derivatives(void** state)
{
    (void)state;
    SnRandom random = {1};
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        for (int k = 0; k < 200; k++) {
            check_derivatives(type, parameters_of(type, SN_INVERSION_BARRIER), random_stretches(&random, false));
            SnStretches s = random_stretches(&random, true);
            if (fabs(s.s3 - 0.3) > 1e-3 && fabs(s.s3 - 0.24) > 1e-3) // the third derivative jumps there
                check_derivatives(type, parameters_of(type, SN_INVERSION_EXTEND), s);
        }
        SnMaterialParameters extended = parameters_of(type, SN_INVERSION_EXTEND);
        check_derivatives(type, extended, (SnStretches){1, 1, 1});
        check_derivatives(type, extended, (SnStretches){2, 2, 2});
        check_derivatives(type, extended, (SnStretches){1, 0, 0});
        check_derivatives(type, extended, (SnStretches){0, 0, 0});
        check_derivatives(type, extended, (SnStretches){1, 1, -1});
    }
}

static void test_rest_and_symmetry(void** state)
{
    (void)state;
    SnRandom random = {2};
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        SnMaterialParameters p = parameters_of(type, SN_INVERSION_EXTEND);
        SnStretches rest = {1, 1, 1}, g = type->gradient(rest, p);
        check_near(type->energy(rest, p), 0, 1e-12 * p.mu);
        check_near(fabs(g.s1) + fabs(g.s2) + fabs(g.s3), 0, 1e-12 * p.mu);
        if (type->elements == SN_ON_EDGES) continue;
        for (int k = 0; k < 100; k++) {
            SnStretches s = random_stretches(&random, true);
            double e = type->energy(s, p), tolerance = 1e-12 * (fabs(e) + p.mu);
            check_near(type->energy((SnStretches){s.s2, s.s1, s.s3}, p), e, tolerance);
            if (type->elements == SN_ON_TRIANGLES) continue; // knows two stretches only
            check_near(type->energy((SnStretches){s.s3, s.s1, s.s2}, p), e, tolerance);
        }
    }
}

// Near rest every solid is Hooke's: psi'' = 2 mu + lambda along, lambda across. A rope has Young's modulus. Arap and
// the spline without curves have no lambda, fung is incompressible, polynomial has no stiffness at rest.
static void test_small_strain(void** state)
{
    (void)state;
    const double young = 2e3, poisson = 0.3;
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        SnMaterialParameters p = parameters_of(type, SN_INVERSION_EXTEND);
        SnStretchHessian h = type->hessian((SnStretches){1, 1, 1}, p);
        double stiffness = sn_material_rest_stiffness(type, p);
        double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
        if (type->elements == SN_ON_EDGES) {
            check_near(h.h11, 2e3, 1e-9);
            check_near(stiffness, 2e3, 1e-9);
            continue;
        }
        if (strcmp(type->name, "polynomial") == 0) {
            check_near(h.h11, 0, 0);
            check(stiffness > 0.1 * mu && stiffness < 10 * mu);
            continue;
        }
        if (type->elements == SN_ON_TRIANGLES) {
            check_near(h.h11, 4 * mu, 1e-9 * mu);
            check_near(h.h12, 2 * mu, 1e-9 * mu);
            continue;
        }
        if (strcmp(type->name, "arap") == 0 || type->curves) lambda = 0;
        check_near(h.h11, 2 * mu + lambda, 1e-9 * mu);
        check_near(h.h23, lambda, 1e-9 * mu);
        double k = 2 * mu + lambda; // sqrt(3 (2 mu + lambda)^2 + 6 lambda^2 + 12 mu^2)
        check_near(stiffness, sqrt(3 * k * k + 6 * lambda * lambda + 12 * mu * mu), 1e-9 * k);
    }
}

static SnInvariants invariants_of(SnStretches s)
{
    double a = s.s1 * s.s1, b = s.s2 * s.s2, c = s.s3 * s.s3;
    return (SnInvariants){s.s1 + s.s2 + s.s3, a + b + c, a * b + a * c + b * c, s.s1 * s.s2 * s.s3};
}

// The form by invariants has the values and, by the chain rule, the derivatives of the form by stretches.
static void test_invariants(void** state)
{
    (void)state;
    SnRandom random = {4};
    int rows = 0;
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        if (!type->packs->invariants) continue;
        rows++;
        SnMaterialParameters p = parameters_of(type, SN_INVERSION_BARRIER);
        double mu[SN_LANES], lambda[SN_LANES], floor[SN_LANES] = {0}, extra[SN_LANES], in[4][SN_LANES],
                                               out[5][SN_LANES];
        for (int l = 0; l < SN_LANES; l++) mu[l] = p.mu, lambda[l] = p.lambda, extra[l] = p.extra[0];
        SnParameterPack pack = {.mu = mu, .lambda = lambda, .floor = floor, .extra = {extra, extra}};
        for (int k = 0; k < 20; k++) {
            SnStretches s[SN_LANES];
            for (int l = 0; l < SN_LANES; l++) {
                s[l] = l == 0 && k == 0 ? (SnStretches){1, 1, 1} : random_stretches(&random, !type->barrier && l % 2);
                SnInvariants i = invariants_of(s[l]);
                in[0][l] = i.sum, in[1][l] = i.i1, in[2][l] = i.i2, in[3][l] = i.j;
            }
            type->packs->invariants(in, &pack, out);
            for (int l = 0; l < SN_LANES; l++) {
                double e = type->energy(s[l], p), scale = p.mu * 10 + fabs(e);
                SnStretches g = type->gradient(s[l], p), v = s[l];
                check_near(out[0][l], e, 1e-13 * scale * 10);
                const double t[3] = {v.s1, v.s2, v.s3};
                for (int c = 0; c < 3; c++) {
                    double x = t[(c + 1) % 3], y = t[(c + 2) % 3];
                    double slope =
                        out[1][l] + 2 * t[c] * out[2][l] + 2 * t[c] * (x * x + y * y) * out[3][l] + x * y * out[4][l];
                    check_near(slope, component(g, c), 1e-12 * (scale + 100 * fabs(component(g, c))));
                }
            }
        }
    }
    check(rows >= 8);
}

// Where psi is a sum of functions of one stretch each (Valanis and Landel 1967), there are no mixed derivatives.
static void test_separable(void** state)
{
    (void)state;
    SnRandom random = {5};
    const char* names[] = {"arap", "polynomial"};
    for (int n = 0; n < 2; n++) {
        const SnMaterialType* type = sn_material_find(names[n]);
        SnMaterialParameters p = parameters_of(type, SN_INVERSION_EXTEND);
        for (int k = 0; k < 100; k++) {
            SnStretchHessian h = type->hessian(random_stretches(&random, true), p);
            check_near(fabs(h.h12) + fabs(h.h13) + fabs(h.h23), 0, 0);
        }
    }
}

// Stresses by the books, written with C and Hooke's constants instead of stretches: the first Piola-Kirchhoff stress
// dW/ds_i at a stretch l along one axis (others w), which includes uniaxial (w = 1), equibiaxial and free lateral ones.
typedef struct Closed {
    const char* name;
    double (*stress)(double s, double w, double mu, double lambda); // along s, the two others being w
} Closed;

static double closed_arap(double s, double w, double mu, double lambda)
{
    (void)w, (void)lambda;
    return 2 * mu * (s - 1);
}

static double closed_corotated(double s, double w, double mu, double lambda)
{
    return 2 * mu * (s - 1) + lambda * (s + 2 * w - 3); // P = 2 mu (F - R) + lambda tr(S - I) R
}

static double closed_fixed_corotated(double s, double w, double mu, double lambda)
{
    double j = s * w * w;
    return 2 * mu * (s - 1) + lambda * (j - 1) * j / s; // P = 2 mu (F - R) + lambda (J - 1) J F^-T
}

static double closed_stvk(double s, double w, double mu, double lambda)
{
    double e = (s * s - 1) / 2, f = (w * w - 1) / 2;
    return s * (2 * mu * e + lambda * (e + 2 * f)); // P = F S, S = 2 mu E + lambda tr(E)
}

static double closed_neo_hookean(double s, double w, double mu, double lambda)
{
    return mu * (s - 1 / s) + lambda * log(s * w * w) / s; // P = mu (F - F^-T) + lambda ln J F^-T
}

// Cauchy stress of a Mooney-Rivlin solid, J sigma = mu1 (B - I) + mu2 (I1 B - B^2 - 2 I) + l ln J I; P = J sigma/s.
static double closed_mooney_rivlin(double s, double w, double mu, double lambda)
{
    double mu2 = 0.2 * mu, mu1 = mu - mu2, l = lambda - 2 * mu2, b = s * s, i1 = b + 2 * w * w;
    return (mu1 * (b - 1) + mu2 * (i1 * b - b * b - 2) + l * log(s * w * w)) / s;
}

// Smith et al. 2018, (18): P = mu (1 - 1/(I1 + 1)) F + lambda (J - alpha) dJ/dF, alpha = 1 + 3/4 mu/lambda.
static double closed_stable(double s, double w, double mu, double lambda)
{
    double m = 4 * mu / 3, l = lambda + 5 * mu / 6, i1 = s * s + 2 * w * w, j = s * w * w;
    return m * (1 - 1 / (i1 + 1)) * s + l * (j - 1 - 0.75 * m / l) * w * w;
}

static double closed_polynomial(double s, double w, double mu, double lambda)
{
    (void)w, (void)lambda;
    return 4 * mu * pow(s - 1, 3);
}

static const Closed closed_rows[] = {
    {"arap", closed_arap},
    {"corotated", closed_corotated},
    {"fixed-corotated", closed_fixed_corotated},
    {"stvk", closed_stvk},
    {"neo-hookean", closed_neo_hookean},
    {"mooney-rivlin", closed_mooney_rivlin},
    {"stable-neo-hookean", closed_stable},
    {"polynomial", closed_polynomial},
};
enum { CLOSED = sizeof closed_rows / sizeof *closed_rows };

static void test_axial_stress(void** state)
{
    (void)state;
    const double young = 2e3, nu = 0.3, mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    for (int c = 0; c < CLOSED; c++) {
        const SnMaterialType* type = sn_material_find(closed_rows[c].name);
        SnMaterialParameters p = parameters_of(type, SN_INVERSION_BARRIER);
        for (double s = 0.4; s < 2.5; s += 0.13)
            for (double w = 0.5; w < 2; w += 0.17) {
                double expected = closed_rows[c].stress(s, w, mu, lambda),
                       tolerance = 1e-12 * mu * (10 + s * s * s * w * w * w * w);
                check_near(type->gradient((SnStretches){s, w, w}, p).s1, expected, tolerance);
                check_near(type->gradient((SnStretches){w, s, w}, p).s2, expected, tolerance);
                check_near(type->gradient((SnStretches){w, w, s}, p).s3, expected, tolerance);
            }
    }
}

// Equibiaxial stretch s, thickness t: the stress along s, from the books' tensors again.
static void test_biaxial_stress(void** state)
{
    (void)state;
    const double young = 2e3, nu = 0.3, mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    const double mu2 = 0.2 * mu, mu1 = mu - mu2, l = lambda - 2 * mu2, m = 4 * mu / 3, k = lambda + 5 * mu / 6;
    for (double s = 0.6; s < 2; s += 0.1)
        for (double t = 0.5; t < 1.5; t += 0.1) {
            double j = s * s * t, b = s * s, i1 = 2 * b + t * t, e = (b - 1) / 2, f = (t * t - 1) / 2;
            const struct {
                const char* name;
                double stress;
            } rows[] = {
                {"arap", 2 * mu * (s - 1)},
                {"corotated", 2 * mu * (s - 1) + lambda * (2 * s + t - 3)},
                {"fixed-corotated", 2 * mu * (s - 1) + lambda * (j - 1) * s * t},
                {"stvk", s * (2 * mu * e + lambda * (2 * e + f))},
                {"neo-hookean", mu * (s - 1 / s) + lambda * log(j) / s},
                {"mooney-rivlin", (mu1 * (b - 1) + mu2 * (i1 * b - b * b - 2) + l * log(j)) / s},
                {"stable-neo-hookean", m * (1 - 1 / (i1 + 1)) * s + k * (j - 1 - 0.75 * m / k) * s * t},
                {"polynomial", 4 * mu * pow(s - 1, 3)},
                {"fung", mu * exp(2 * b + 1 / (b * b) - 3) * (s - 1 / pow(s, 5))},
            };
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
                const SnMaterialType* type = sn_material_find(rows[r].name);
                SnMaterialParameters p = parameters_of(type, SN_INVERSION_BARRIER);
                SnStretches g = type->gradient((SnStretches){s, s, t}, p);
                check_near(g.s1, rows[r].stress, 1e-12 * (100 * mu + fabs(rows[r].stress)));
                check_near(g.s2, g.s1, 1e-12 * (100 * mu + fabs(g.s1)));
            }
        }
}

// Simple shear by k: stretches s, 1, 1/s with s - 1/s = k. By virtual work the shear stress is d psi/dk =
// (psi_1 - psi_3/s^2) ds/dk, ds/dk = 1/(1 + 1/s^2).
static void test_shear_stress(void** state)
{
    (void)state;
    const double young = 2e3, nu = 0.3, mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    for (double k = 0.05; k < 2; k += 0.1) {
        double s = k / 2 + sqrt(1 + k * k / 4), root = sqrt(4 + k * k), i1 = 3 + k * k;
        const struct {
            const char* name;
            double stress;
        } rows[] = {
            {"neo-hookean", mu * k},
            {"mooney-rivlin", mu * k},                             // (mu1 + mu2) k
            {"stvk", k * (mu * (1 + k * k) + lambda / 2 * k * k)}, // S12 + k S22 of E = [0 k/2; k/2 k^2/2]
            {"arap", 2 * mu * k * (1 - 1 / root)},                 // |F|^2 - 2 sum s + 3 = k^2 - 2 root + const
            {"fixed-corotated", 2 * mu * k * (1 - 1 / root)},      // J = 1
            {"corotated", 2 * mu * k * (1 - 1 / root) + lambda * (root - 2) * k / root},
            {"stable-neo-hookean", 4 * mu / 3 * k * (1 - 1 / (i1 + 1))},
            {"polynomial", mu * (4 * pow(s - 1, 3) - 4 * pow(1 / s - 1, 3) / (s * s)) / (1 + 1 / (s * s))},
        };
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            const SnMaterialType* type = sn_material_find(rows[r].name);
            SnStretches g = type->gradient((SnStretches){s, 1, 1 / s}, parameters_of(type, SN_INVERSION_BARRIER));
            check_near((g.s1 - g.s3 / (s * s)) / (1 + 1 / (s * s)), rows[r].stress, 1e-12 * 100 * mu);
        }
    }
}

// Of (s-1) (mu (s - 1/s) + lambda ln(s)/s).
static double neo_hookean_integral(double s, SnMaterialParameters p)
{
    double l = log(s);
    return p.mu * (s * s * s / 3 - s * s / 2 - s + l) + p.lambda * (s * l - s - l * l / 2);
}

// k = 2 mu + lambda for the corotated material; 2.0066 mu + 1.0122 lambda for the neo-Hookean one, as published; and by
// a quadrature of another kind (midpoints) for all.
static void test_effective_stiffness(void** state)
{
    (void)state;
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        SnMaterialParameters p = parameters_of(type, SN_INVERSION_EXTEND);
        double k = sn_material_effective_stiffness(type, p), sum = 0;
        const int n = 20000;
        for (int i = 0; i < n; i++) {
            double s = 0.5 + (i + 0.5) / n;
            sum += (s - 1) * type->gradient((SnStretches){s, 1, 1}, p).s1 / n;
        }
        check_near(k, 12 * sum, 1e-5 * k);
        if (strcmp(type->name, "corotated") == 0) check_near(k, 2 * p.mu + p.lambda, 1e-9 * k);
        if (strcmp(type->name, "neo-hookean") == 0)
            check_near(k, 12 * (neo_hookean_integral(1.5, p) - neo_hookean_integral(0.5, p)), 1e-7 * k);
    }
}

static void test_packs(void** state)
{
    (void)state;
    SnRandom random = {3};
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        double s[3][SN_LANES], mu[SN_LANES], lambda[SN_LANES], floor[SN_LANES], extra[SN_LANES];
        double e[2][SN_LANES], g[2][3][SN_LANES], h[2][6][SN_LANES];
        for (int l = 0; l < SN_LANES; l++) {
            SnStretches r = random_stretches(&random, l % 2);
            s[0][l] = r.s1, s[1][l] = r.s2, s[2][l] = r.s3;
            mu[l] = sn_random_uniform(&random, 1, 2), lambda[l] = sn_random_uniform(&random, 0, 9), floor[l] = 0.3;
            extra[l] = 0.5;
        }
        SnParameterPack p = {.mu = mu, .lambda = lambda, .floor = floor, .extra = {extra, extra}};
        SnMaterialType plain = *type; // as a user's own would be: no packs
        plain.packs = NULL;
        const SnMaterialType* both[2] = {type, &plain};
        for (int t = 0; t < 2; t++) {
            sn_material_energy(both[t], s, &p, e[t]);
            sn_material_gradient(both[t], s, &p, g[t]);
            sn_material_hessian(both[t], s, &p, h[t]);
        }
        for (int l = 0; l < SN_LANES; l++) {
            check_near(e[0][l], e[1][l], 1e-12 * fabs(e[1][l]));
            for (int i = 0; i < 3; i++) check_near(g[0][i][l], g[1][i][l], 1e-11 * (1 + fabs(g[1][i][l])));
            for (int i = 0; i < 6; i++) check_near(h[0][i][l], h[1][i][l], 1e-11 * (1 + fabs(h[1][i][l])));
        }
    }
}

static void test_barrier(void** state)
{
    (void)state;
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        SnMaterialParameters hard = parameters_of(type, SN_INVERSION_BARRIER);
        SnMaterialParameters soft = parameters_of(type, SN_INVERSION_EXTEND);
        SnStretches flat = {1, 1, 0}, inverted = {1, 1, -0.5}, thin = {1, 1, 1e-6}, thinner = {1, 1, 1e-9};
        if (type->elements == SN_ON_TRIANGLES) flat.s2 = 0, inverted.s2 = -0.5, thin.s2 = 0.05, thinner.s2 = 0.04;
        if (type->curves) hard.extra[0] = soft.extra[0] = 0.5; // `barrier`
        check(isfinite(type->energy(flat, soft)) && isfinite(type->energy(inverted, soft)));
        if (!type->barrier) continue;
        check(isinf(type->energy(flat, hard)) && type->energy(flat, hard) > 0);
        check(isinf(type->energy(inverted, hard)) && type->energy(inverted, hard) > 0);
        check(type->energy(thinner, hard) > type->energy(thin, hard));
        check(component(type->gradient(inverted, soft), type->elements == SN_ON_TRIANGLES ? 1 : 2) < 0); // back out
        SnStretches mild = {1.3, 1.1, 0.6}; // above the floor the two are one
        check_near(type->energy(mild, soft), type->energy(mild, hard), 1e-12 * hard.mu);
    }
}

// A spline through points of neo-Hookean's curves is neo-Hookean at the points, and close to it between them.
static void test_spline_interpolates(void** state)
{
    (void)state;
    enum { N = 40 };
    double a[N][2], c[N][2];
    for (int i = 0; i < N; i++) {
        double s = 0.2 + 0.05 * i; // 1 is among them
        a[i][0] = c[i][0] = s;
        a[i][1] = s - 1 / s, c[i][1] = 1.5 * log(s) / s; // lambda = 1.5 mu: poisson 0.3
    }
    const SnSplineDef def = {.a = {N, a[0]}, .c = {N, c[0]}};
    SnSpline* spline;
    double at;
    check_ok(sn_spline_create(&def, &spline));
    check(!sn_spline_softens(spline, &at));
    const SnMaterialType *type = sn_material_find("spline"), *neo = sn_material_find("neo-hookean");
    SnMaterialParameters p = parameters_of(type, SN_INVERSION_BARRIER), q = parameters_of(neo, SN_INVERSION_BARRIER);
    p.user = spline;
    SnRandom random = {6};
    for (int k = 0; k < 200; k++) {
        SnStretches s = {sn_random_uniform(&random, 0.7, 1.3), sn_random_uniform(&random, 0.7, 1.3),
                         sn_random_uniform(&random, 0.7, 1.0)};
        check_near(type->energy(s, p), neo->energy(s, q), 1e-4 * p.mu);
        for (int i = 0; i < 3; i++)
            check_near(component(type->gradient(s, p), i), component(neo->gradient(s, q), i), 1e-3 * p.mu);
        check_derivatives(type, p, s);
    }
    for (int i = 2; i < N; i++) { // at a point, along one axis
        SnStretches s = {a[i][0], 1, 1};
        check_near(type->gradient(s, p).s1, neo->gradient(s, q).s1, 1e-12 * p.mu * 10);
    }
    p.extra[0] = 0.5; // the barrier
    for (int k = 0; k < 100; k++) check_derivatives(type, p, random_stretches(&random, false));
    p.floor = 0.3;
    for (int k = 0; k < 100; k++) {
        SnStretches s = random_stretches(&random, true);
        if (fabs(s.s3 - 0.3) > 1e-3 && fabs(s.s3 - 0.24) > 1e-3) check_derivatives(type, p, s);
    }
    sn_spline_destroy(spline);
}

// All three curves, few points, far beyond them on both sides, where the slopes go on linearly.
static void test_spline_pieces(void** state)
{
    (void)state;
    const double a[][2] = {{0.6, -1}, {0.9, -0.4}, {1, -0.2}, {1.7, 3}}, b[][2] = {{0.5, -0.7}, {1, 0.05}, {1.5, 0.3}},
                 c[][2] = {{0.5, -1}, {1, 0.1}, {2, 2.0}};
    const SnSplineDef def = {.a = {4, a[0]}, .b = {3, b[0]}, .c = {3, c[0]}};
    SnSpline* spline;
    check_ok(sn_spline_create(&def, &spline));
    const SnMaterialType* type = sn_material_find("spline");
    SnMaterialParameters p = parameters_of(type, SN_INVERSION_EXTEND);
    p.user = spline;
    check_near(type->energy((SnStretches){1, 1, 1}, p), 0, 1e-14 * p.mu);
    check_near(type->gradient((SnStretches){1, 1, 1}, p).s2, 0, 1e-14 * p.mu);
    SnRandom random = {7};
    for (int k = 0; k < 300; k++) {
        SnStretches s = random_stretches(&random, true);
        check_derivatives(type, p, s);
        double e = type->energy(s, p);
        check_near(type->energy((SnStretches){s.s3, s.s1, s.s2}, p), e, 1e-12 * (fabs(e) + p.mu)); // Valanis and Landel
    }
    SnStretchHessian h = type->hessian((SnStretches){9, 0.01, -3}, p), g = type->hessian((SnStretches){7, 0.01, -3}, p);
    p.user = NULL; // a alone, linear
    check_near(type->hessian((SnStretches){9, 0.01, -3}, p).h11, 2 * p.mu, 1e-12 * p.mu);
    check(isfinite(h.h11) && isfinite(g.h11));
    sn_spline_destroy(spline);
}

static SnStatus try_spline(int count, const double (*points)[2])
{
    const SnSplineDef def = {.a = {count, points ? points[0] : NULL}};
    SnSpline* spline;
    SnStatus status = sn_spline_create(&def, &spline);
    check((status == SN_OK) == (spline != NULL));
    sn_spline_destroy(spline);
    return status;
}

static void test_bad_splines(void** state)
{
    (void)state;
    const double good[][2] = {{0.5, -1}, {1, 0}, {2, 2}}, back[][2] = {{1, 0}, {0.5, -1}},
                 same[][2] = {{0.5, -1}, {1, 0}, {1, 0}}, strained[][2] = {{0, 0}, {2, 2}},
                 odd[][2] = {{0.5, NAN}, {1, 0}};
    check_ok(try_spline(3, good));
    check_fails(try_spline(0, NULL), SN_ERROR_VALUE, "no points", "at least curve a");
    check_fails(try_spline(1, good), SN_ERROR_VALUE, "1 point", "at least 2");
    check_fails(try_spline(64, good), SN_ERROR_VALUE, "64 points", "2 to 63");
    check_fails(try_spline(2, back), SN_ERROR_VALUE, "must increase", "0.5 follows 1");
    check_fails(try_spline(3, same), SN_ERROR_VALUE, "must increase", "1 follows 1");
    check_fails(try_spline(2, strained), SN_ERROR_VALUE, "stress at rest", "is 1", "must be 0");
    check_fails(try_spline(2, odd), SN_ERROR_VALUE, "point 0 is not finite");
    const double falls[][2] = {{0.5, -1}, {1, 0}, {1.5, 1}, {2, 0.5}};
    const SnSplineDef def = {.a = {4, falls[0]}};
    SnSpline* spline;
    double at = 0;
    check_ok(sn_spline_create(&def, &spline));
    check(sn_spline_softens(spline, &at) && at > 1.3 && at < 1.7);
    sn_spline_destroy(spline);
    FailingMemory memory = failing_memory(0);
    memory.allocator.user = &memory;
    sn_thread_set_allocator(&memory.allocator);
    SnStatus status = sn_spline_create(&def, &spline);
    sn_thread_set_allocator(NULL);
    assert_int_equal(status, SN_ERROR_MEMORY);
    check(spline == NULL && memory.live == 0);
}

// A sheet, s3 = 1 and plane-stress lambda, is Hooke's thin sheet near rest: E/(1 - nu^2) along, nu times that across.
static void test_sheets(void** state)
{
    (void)state;
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        if (!(type->elements & SN_ON_TRIANGLES) || type->elements == SN_ON_TRIANGLES || type->curves) continue;
        if (strcmp(type->name, "polynomial") == 0 || strcmp(type->name, "arap") == 0) continue; // no such constants
        SnMaterial material = sn_material(type->name, 2e3, 0.3, 1000);
        SnMaterialParameters p;
        check_ok(sn_material_sheet_parameters(&material, type, &p));
        SnStretchHessian h = type->hessian((SnStretches){1, 1, 1}, p);
        check_near(h.h11, 2e3 / (1 - 0.09), 1e-9 * 2e3);
        check_near(h.h12, 0.3 * 2e3 / (1 - 0.09), 1e-9 * 2e3);
    }
}

static void test_presets(void** state)
{
    (void)state;
    for (int i = 0; i < sn_preset_count(); i++) {
        const SnMaterialPreset* preset = sn_preset_at(i);
        SnMaterial material;
        const SnMaterialType* type;
        SnMaterialParameters p;
        check_ok(sn_material_preset(preset->name, &material));
        check_ok(sn_material_resolve(&material, &type));
        check_ok(sn_material_parameters(&material, type, &p));
        check(sn_material_find(preset->name) == NULL); // one word, one meaning
        check(strlen(preset->source) > 5 && strlen(preset->summary) > 5);
        check(preset->density > 50 && preset->density < 2e4);
        for (int k = 0; k < i; k++) check(strcmp(preset->name, sn_preset_at(k)->name) != 0);
        if (!preset->spline) continue;
        SnSpline* spline;
        double at;
        check_ok(sn_spline_create(preset->spline, &spline));
        check(!sn_spline_softens(spline, &at));
        sn_spline_destroy(spline);
    }
    SnMaterial material;
    check_fails(sn_material_preset("ruber", &material), SN_ERROR_VALUE, "'ruber'", "did you mean 'rubber'?");
}

// The modified neo-Hookean curves: the same at rest, stiffer on one side only.
static void test_spline_presets(void** state)
{
    (void)state;
    const SnMaterialType *type = sn_material_find("spline"), *neo = sn_material_find("neo-hookean");
    for (int k = 0; k < 2; k++) {
        SnMaterial material;
        SnMaterialParameters p, q;
        SnSpline* spline;
        check_ok(sn_material_preset(k ? "spline-stiff-tension" : "spline-stiff-compression", &material));
        check_ok(sn_spline_create(material.spline, &spline));
        check_ok(sn_material_parameters(&material, type, &p));
        check_ok(sn_material_parameters(&material, neo, &q));
        p.user = spline, q.floor = 0;
        for (double s = 0.5; s < 1.6; s += 0.5) {
            double factor = (s > 1) == (k == 1) ? 3 : 1;
            check_near(type->gradient((SnStretches){s, 1, 1}, p).s1,
                       factor * neo->gradient((SnStretches){s, 1, 1}, q).s1, 1e-9 * p.mu);
        }
        check_near(type->hessian((SnStretches){1, 1, 1}, p).h11, neo->hessian((SnStretches){1, 1, 1}, q).h11,
                   0.1 * p.mu);
        sn_spline_destroy(spline);
    }
}

static void test_exponential(void** state)
{
    (void)state;
    SnRandom random = {8};
    for (int k = 0; k < 10000; k++) {
        double x = sn_random_uniform(&random, -700, 700), y = sn_random_uniform(&random, -1, 1);
        check_near(sn_lane_exp(x), exp(x), 4e-16 * exp(x));
        check_near(sn_lane_exp(y), exp(y), 4e-16 * exp(y));
    }
    check(sn_lane_exp(0) == 1 && sn_lane_exp(-1000) == 0 && isinf(sn_lane_exp(1000)) && isfinite(sn_lane_exp(709)));
}

static void test_young_poisson(void** state)
{
    (void)state;
    for (double nu = -0.9; nu < 0.5; nu += 0.1) {
        double young, poisson, mu = 7e3 / (2 * (1 + nu)), lambda = 7e3 * nu / ((1 + nu) * (1 - 2 * nu));
        sn_young_poisson(mu, lambda, &young, &poisson);
        check_near(young, 7e3, 1e-8);
        check_near(poisson, nu, 1e-12);
    }
}

static double no_energy(SnStretches s, SnMaterialParameters m)
{
    (void)s, (void)m;
    return 0;
}

static void test_bad_parameters(void** state)
{
    (void)state;
    const SnMaterialType* type = sn_material_find("neo-hookean");
    SnMaterialParameters p;
    SnMaterial m = sn_material("neo-hookean", -5, 0.3, 1000);
    check_fails(sn_material_parameters(&m, type, &p), SN_ERROR_VALUE, "young is -5", "positive");
    m = sn_material("neo-hookean", 1e5, 0.5, 1000);
    check_fails(sn_material_parameters(&m, type, &p), SN_ERROR_VALUE, "poisson is 0.5", "between -1 and 0.5");
    m = sn_material("neo-hookean", 1e5, NAN, 1000);
    check_fails(sn_material_parameters(&m, type, &p), SN_ERROR_VALUE, "poisson");
    m = sn_material("neo-hookean", 1e5, 0.3, 0);
    check_fails(sn_material_parameters(&m, type, &p), SN_ERROR_VALUE, "density is 0");
    m = sn_material("mooney-rivlin", 1e5, 0.1, 1000); // 2 ratio mu would be more than lambda
    check_fails(sn_material_parameters(&m, sn_material_find("mooney-rivlin"), &p), SN_ERROR_VALUE, "mooney-rivlin",
                "poisson 0.1", "ratio at most");
    m.poisson = 0.3, m.extra[0] = 1.5;
    check_fails(sn_material_parameters(&m, sn_material_find("mooney-rivlin"), &p), SN_ERROR_VALUE, "ratio is 1.5",
                "between 0 and 1");
    m = sn_material("neo-hokean", 1e5, 0.3, 1000);
    check_fails(sn_material_resolve(&m, &type), SN_ERROR_VALUE, "neo-hokean", "did you mean 'neo-hookean'?");
    const SnMaterialType incomplete = {.name = "mine", .energy = no_energy};
    m.custom = &incomplete;
    check_fails(sn_material_resolve(&m, &type), SN_ERROR_VALUE, "gradient");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_rest_and_symmetry),
        cmocka_unit_test(test_small_strain),
        cmocka_unit_test(test_packs),
        cmocka_unit_test(test_effective_stiffness),
        cmocka_unit_test(test_invariants),
        cmocka_unit_test(test_separable),
        cmocka_unit_test(test_axial_stress),
        cmocka_unit_test(test_biaxial_stress),
        cmocka_unit_test(test_shear_stress),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_spline_interpolates),
        cmocka_unit_test(test_spline_pieces),
        cmocka_unit_test(test_bad_splines),
        cmocka_unit_test(test_sheets),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_spline_presets),
        cmocka_unit_test(test_young_poisson),
        cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_bad_parameters),
    };
    return cmocka_run_group_tests_name("material", tests, NULL, NULL);
}
