// Stresses by the books: pulled, stretched both ways and sheared; effective stiffness.
#include "material/material.h"
#include "stretches.h"

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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_effective_stiffness),
    cmocka_unit_test(test_axial_stress),
    cmocka_unit_test(test_biaxial_stress),
    cmocka_unit_test(test_shear_stress),
};
RUN_TESTS(tests, NULL, NULL)
