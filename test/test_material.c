// Every row of the material table: derivatives by finite differences, rest state, symmetry, packs against single lanes.
#include "check.h"
#include "core/random.h"
#include "material/material.h"

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

// psi = sum a(s_i) + sum b(s_i s_j) + c(J) has no mixed third differences but by products (Valanis and Landel 1967):
// with s3 = 1/(s1 s2) fixed ... here the plain case, psi = sum a(s_i): no mixed second derivatives.
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
    m = sn_material("neo-hokean", 1e5, 0.3, 1000);
    check_fails(sn_material_resolve(&m, &type), SN_ERROR_VALUE, "neo-hokean", "did you mean 'neo-hookean'?");
    const SnMaterialType incomplete = {.name = "mine", .energy = no_energy};
    m.custom = &incomplete;
    check_fails(sn_material_resolve(&m, &type), SN_ERROR_VALUE, "gradient");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),    cmocka_unit_test(test_rest_and_symmetry),
        cmocka_unit_test(test_small_strain),   cmocka_unit_test(test_packs),
        cmocka_unit_test(test_invariants),     cmocka_unit_test(test_separable),
        cmocka_unit_test(test_axial_stress),   cmocka_unit_test(test_biaxial_stress),
        cmocka_unit_test(test_shear_stress),   cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_bad_parameters),
    };
    return cmocka_run_group_tests_name("material", tests, NULL, NULL);
}
