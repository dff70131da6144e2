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
            if (fabs(s.s3 - 0.1) > 1e-3) // the third derivative jumps there
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
            check_near(type->energy((SnStretches){s.s3, s.s1, s.s2}, p), e, tolerance);
        }
    }
}

// Near rest every solid is Hooke's: psi'' = 2 mu + lambda along, lambda across. A rope has Young's modulus.
static void test_small_strain(void** state)
{
    (void)state;
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        SnMaterialParameters p = parameters_of(type, SN_INVERSION_EXTEND);
        SnStretchHessian h = type->hessian((SnStretches){1, 1, 1}, p);
        if (type->elements == SN_ON_EDGES) {
            check_near(h.h11, 2e3, 1e-9);
            check_near(sn_material_rest_stiffness(type, p), 2e3, 1e-9);
            continue;
        }
        check_near(h.h11, 2 * p.mu + p.lambda, 1e-9 * p.mu);
        check_near(h.h23, p.lambda, 1e-9 * p.mu);
        double k = 2 * p.mu + p.lambda; // sqrt(3 (2 mu + lambda)^2 + 6 lambda^2 + 12 mu^2)
        check_near(sn_material_rest_stiffness(type, p), sqrt(3 * k * k + 6 * p.lambda * p.lambda + 12 * p.mu * p.mu),
                   1e-9 * k);
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
            mu[l] = sn_random_uniform(&random, 1, 2), lambda[l] = sn_random_uniform(&random, 0, 9), floor[l] = 0.1;
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
        check(isfinite(type->energy(flat, soft)) && isfinite(type->energy(inverted, soft)));
        if (!type->barrier) continue;
        check(isinf(type->energy(flat, hard)) && type->energy(flat, hard) > 0);
        check(isinf(type->energy(inverted, hard)) && type->energy(inverted, hard) > 0);
        check(type->energy(thinner, hard) > type->energy(thin, hard));
        check(type->gradient(inverted, soft).s3 < 0); // pushes back out
        SnStretches mild = {1.3, 1.1, 0.6};           // above the floor the two are one
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
        cmocka_unit_test(test_derivatives),  cmocka_unit_test(test_rest_and_symmetry),
        cmocka_unit_test(test_small_strain), cmocka_unit_test(test_packs),
        cmocka_unit_test(test_barrier),      cmocka_unit_test(test_bad_parameters),
    };
    return cmocka_run_group_tests_name("material", tests, NULL, NULL);
}
