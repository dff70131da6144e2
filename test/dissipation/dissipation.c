// The table of dissipations: powers against the maths library, numbers and what is wrong with them.
#include "check.h"

#include "dissipation/dissipation.h"

static void test_table(void** state)
{
    (void)state;
    check(sn_dissipation_count() >= 7);
    for (int i = 0; i < sn_dissipation_count(); i++) {
        const SnDissipationType* type = sn_dissipation_at(i);
        check(sn_dissipation_find(type->name) == type);
        check(*type->formula && *type->keeps && type->parameters && type->packs);
        SnDampingDef def = sn_default_damping_def(type->name);
        def.curve = (SnCurve){2, (double[]){0.5, 1, 2, 1}};
        SnDissipation d;
        check_ok(sn_dissipation_set(&d, &def));
        check(d.type == type && d.base->packs->viscosity);
    }
    check(!sn_dissipation_find("raylei"));
}

// k ((r + e)^q - e^q) and its two derivatives.
static void smooth_power(double r, double e, double k, double q, double out[3])
{
    double s = r + e;
    out[0] = k * (pow(s, q) - pow(e, q));
    out[1] = k * q * pow(s, q - 1);
    out[2] = k * q * (q - 1) * pow(s, q - 2);
}

// min over z of k z^(2q) + eta/2 (y - z)^2, y^2 = r, by halving intervals; the slope by r is eta (y - z)/(2 y), the
// curvature that of the inverse of y(force).
static void envelope(double r, double e, double k, double q, double out[3])
{
    double y = sqrt(r), p = 2 * q - 1, eta = 2 * q * k * pow(e, q - 1), lo = 0, hi = y;
    for (int i = 0; i < 2000 && lo < hi; i++) {
        double z = lo > 0 ? sqrt(lo) * sqrt(hi) : 1e-300 < hi ? hi * 1e-3 : 0; // also those that are tiny
        if (z <= lo || z >= hi) break;
        *(2 * q * k * pow(z, p) + eta * z > eta * y ? &hi : &lo) = z;
    }
    double z = p == 0 ? fmax(y - sqrt(e), 0) : hi, force = p == 0 ? fmin(k, eta * y) : 2 * q * k * pow(z, p);
    double steep = p == 0 ? (z > 0 ? 0 : INFINITY) : p * force / z,
           rise = isinf(steep) ? eta : eta * steep / (steep + eta);
    out[0] = force * z / (2 * q) + force * force / (2 * eta);
    out[1] = force / (2 * y);
    out[2] = (rise - force / y) / (4 * r);
}

// Powers with their two derivatives, on every instruction set.
static void test_powers(void** state)
{
    (void)state;
    const char* names[] = {"power-law", "fast-power-law"};
    const double exponents[] = {0, 0.1, 0.5, 0.9, 1, 1.5, 2, 3};
    for (int isa = 0; isa < SN_ISA_COUNT; isa++) {
        if (!sn_isa_available((SnIsa)isa)) continue;
        check_ok(sn_isa_choose(sn_isa_name((SnIsa)isa)));
        for (int i = 0; i < 2; i++)
            for (int n = 0; n < 8; n++) {
                const SnDissipationType* type = sn_dissipation_find(names[i]);
                SnDissipationParameters m = {.exponent = exponents[n], .reference = 40, .strength = 7};
                double q = (exponents[n] + 1) / 2, k = i ? 7 : pow(40, 1 - q), r[SN_LANES], e[SN_LANES];
                double value[SN_LANES], slope[SN_LANES], curvature[SN_LANES], exact[3];
                for (int l = 0; l < SN_LANES; l++) r[l] = pow(10, l - 9), e[l] = q < 1 ? 1e-3 : 1e-6;
                type->packs->power(r, e, &m, value, slope, curvature);
                for (int l = 0; l < SN_LANES; l++) {
                    (q < 1 ? envelope : smooth_power)(r[l], e[l], k, q, exact);
                    double size = fmax(fabs(exact[2]), exact[1] / r[l]);
                    check_near(value[l], exact[0], 1e-11 * (exact[0] + exact[1] * (r[l] + e[l])));
                    check_near(slope[l], exact[1], 1e-11 * exact[1]);
                    check_near(curvature[l], exact[2], 1e-9 * size);
                }
            }
    }
    check_ok(sn_isa_choose(NULL));
}

// eta (y - z) = k (p + 1) z^p: the root that local steps ask for, over 30 orders of magnitude; dry, it is at most k.
static void test_pull(void** state)
{
    (void)state;
    const double exponents[] = {0, 1e-4, 0.01, 0.1, 0.5, 0.9, 1, 2, 10}, k = 7;
    const SnDissipationType* type = sn_dissipation_find("fast-power-law");
    for (int n = 0; n < 9; n++)
        for (int m = -4; m <= 4; m++) {
            double p = exponents[n], c = k * (p + 1), y[SN_LANES], eta[SN_LANES], force[SN_LANES];
            for (int l = 0; l < SN_LANES; l++) y[l] = pow(10, 0.7 * l - 6), eta[l] = c * pow(10, 2 * m);
            type->packs->pull(y, eta, &(SnDissipationParameters){.exponent = p, .strength = k}, force);
            for (int l = 0; l < SN_LANES; l++) {
                double lo = -800, hi = log(y[l]); // of log z
                for (int i = 0; i < 200; i++) {
                    double u = 0.5 * (lo + hi);
                    *(c * exp(p * u) + eta[l] * exp(u) > eta[l] * y[l] ? &hi : &lo) = u;
                }
                double exact = p == 0 ? fmin(k, eta[l] * y[l]) : fmin(c * exp(p * lo), eta[l] * y[l]);
                check_near(force[l], exact, 1e-9 * exact);
            }
        }
}

static void test_numbers(void** state)
{
    (void)state;
    SnDissipation d;
    SnDampingDef def = sn_default_damping_def("rayleigh");
    def.beta = -1;
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "beta is -1 s", "0 or positive");
    def = sn_default_damping_def("strain-rate");
    def.beta = -1; // not its own
    check_ok(sn_dissipation_set(&d, &def));
    def.bulk = INFINITY;
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "bulk is inf Pa s");
    def = sn_default_damping_def("power-law");
    def.reference = 0;
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "reference is 0 W/m3", "must be positive");
    def = sn_default_damping_def("power-law");
    def.exponent = 11;
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "exponent is 11", "between 0 and 10");
    def = sn_default_damping_def("power-law");
    def.base = "rayleigh", def.beta = NAN;
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "beta is");
    for (int i = 0; i < 2; i++) {
        def = sn_default_damping_def("power-law");
        def.base = (const char*[]){"drag", "power-law"}[i];
        check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "unknown base", def.base,
                    "strain-rate, rayleigh and principal-stretch");
    }
    def.base = NULL;
    check_ok(sn_dissipation_set(&d, &def));
    assert_string_equal(d.base->name, "strain-rate");
    def = sn_default_damping_def("drag");
    def.conserve_momentum = SN_MOMENTUM_PROJECTOR;
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "drag", "cannot conserve momentum");
    def = (SnDampingDef){.type = "fast-powerlaw"};
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "did you mean 'fast-power-law'?");
    def = (SnDampingDef){.custom = &(SnDissipationType){.name = "empty"}};
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "energy, gradient and hessian");
}

static void test_curve(void** state)
{
    (void)state;
    SnDissipation d;
    SnDampingDef def = sn_default_damping_def("spline");
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "spline needs a curve");
    def.curve = (SnCurve){3, (double[]){0.5, 3, 1, 1, 0.9, 2}};
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "the curve", "0.9 follows 1");
    def.curve = (SnCurve){3, (double[]){0.5, 3, 1, 1, 2, -3}};
    check_ok(sn_dissipation_set(&d, &def));
    check(sn_dissipation_factor(&d, 0.5) == 3 && sn_dissipation_factor(&d, 1) == 1);
    check(sn_dissipation_factor(&d, 2) == 0 && sn_dissipation_factor(&d, 10) == 0); // never negative
    def.per_stretch = true;
    check_ok(sn_dissipation_set(&d, &def));
    def.base = "rayleigh";
    check_fails(sn_dissipation_set(&d, &def), SN_ERROR_VALUE, "per-stretch", "principal-stretch, not rayleigh");
    check_ok(sn_dissipation_set(&d, &(SnDampingDef){.type = "rayleigh"}));
    check(sn_dissipation_factor(&d, 7) == 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_table),   cmocka_unit_test(test_powers), cmocka_unit_test(test_pull),
    cmocka_unit_test(test_numbers), cmocka_unit_test(test_curve),
};
RUN_TESTS(tests, NULL, NULL)
