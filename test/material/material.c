// Every row of the material table: derivatives by finite differences, rest state, symmetry, packs against single lanes.
#include "material/material.h"
#include "core/random.h"
#include "linalg/lane.h"
#include "material/spline.h"
#include "stretches.h"

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

// What is said to be apart is: the energy of lambda is the same with any part of it taken out, and has no need of mu.
static void test_split(void** state)
{
    (void)state;
    SnRandom random = {3};
    int count = 0;
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        if (!type->splits) continue;
        count++;
        for (int k = 0; k < 100; k++) {
            SnMaterialParameters whole = parameters_of(type, SN_INVERSION_EXTEND), kept = whole, rest = whole;
            SnStretches s = random_stretches(&random, true);
            kept.lambda *= 0.3, rest.lambda *= 0.7, rest.mu = 0;
            double e = type->energy(s, whole);
            check_near(type->energy(s, kept) + type->energy(s, rest), e, 1e-12 * (fabs(e) + whole.lambda));
        }
    }
    check(count == 6);
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
        double mu[SN_LANES], lambda[SN_LANES], floor[SN_LANES], extra[SN_LANES], in[4][SN_LANES], out[5][SN_LANES];
        for (int l = 0; l < SN_LANES; l++)
            mu[l] = p.mu, lambda[l] = p.lambda, floor[l] = p.floor, extra[l] = p.extra[0];
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

static void test_packs(void** state)
{
    (void)state;
    SnRandom random = {3};
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        double s[3][SN_LANES], mu[SN_LANES], lambda[SN_LANES], floor[SN_LANES], extra[SN_LANES];
        double e[2][SN_LANES], g[2][3][SN_LANES], d[2][3][SN_LANES], h[2][6][SN_LANES];
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
            sn_material_derivatives(both[t], s, &p, d[t], h[t]);
        }
        for (int l = 0; l < SN_LANES; l++) {
            check_near(e[0][l], e[1][l], 1e-12 * fabs(e[1][l]));
            for (int i = 0; i < 3; i++) check_near(g[0][i][l], g[1][i][l], 1e-11 * (1 + fabs(g[1][i][l])));
            for (int i = 0; i < 3; i++) check_near(d[0][i][l], d[1][i][l], 1e-11 * (1 + fabs(d[1][i][l])));
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
        check_ok(sn_material_parameters_of(&material, type, true, &p));
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_derivatives),  cmocka_unit_test(test_rest_and_symmetry),
    cmocka_unit_test(test_small_strain), cmocka_unit_test(test_packs),
    cmocka_unit_test(test_invariants),   cmocka_unit_test(test_separable),
    cmocka_unit_test(test_barrier),      cmocka_unit_test(test_sheets),
    cmocka_unit_test(test_presets),      cmocka_unit_test(test_young_poisson),
    cmocka_unit_test(test_exponential),  cmocka_unit_test(test_bad_parameters),
    cmocka_unit_test(test_split),
};
RUN_TESTS(tests, NULL, NULL)
