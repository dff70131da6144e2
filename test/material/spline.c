// Splines: curves go through their points, bad ones are refused, presets keep theirs.
#include "material/spline.h"
#include "core/random.h"
#include "material/material.h"
#include "stretches.h"

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
    FailingMemory memory;
    start_failing(&memory, 0);
    SnStatus status = sn_spline_create(&def, &spline);
    stop_failing(&memory);
    assert_int_equal(status, SN_ERROR_MEMORY);
    check(spline == NULL);
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
        check_ok(sn_spline_create(&material.spline, &spline));
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_spline_interpolates),
    cmocka_unit_test(test_spline_pieces),
    cmocka_unit_test(test_bad_splines),
    cmocka_unit_test(test_spline_presets),
};
RUN_TESTS(tests, NULL, NULL)
