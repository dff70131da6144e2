// The prox of every term with every material is a minimum.
#include "bodies.h"
#include "core/random.h"
#include "linalg/svd3.h"

// The objective of the prox for one lane, written with the plain density functions.
static double prox_objective(const SnTermType* term, const SnMaterialType* material, const SnTermPack* pack,
                             double y[9][SN_LANES], const double* z, const double* weight, int l)
{
    const SnParameterPack* q = &pack->parameters;
    SnMaterialParameters m = {q->mu[l], q->lambda[l], q->floor[l], {q->extra[0][l], q->extra[1][l]}, q->user};
    double sum = 0, f[9], u[9], s[3] = {1, 1, 1}, v[9];
    for (int i = 0; i < 3 * term->coordinates; i++) sum += 0.5 * weight[l] * (z[i] - y[i][l]) * (z[i] - y[i][l]);
    for (int i = 0; i < 9; i++) f[i] = i < 3 * term->coordinates ? z[i] : 0;
    if (!term->elements) { // a hinge, whose shape ends with the length at rest
        double d = sqrt(sn_lane_dot(z, z)) - pack->shape[(term->shape_size - 1) * SN_LANES + l];
        return sum + 0.5 * pack->volume[l] * m.mu * d * d;
    }
    sn_lane_svd3(f, u, s, v);
    if (term->coordinates < 3) s[2] = 1;
    if (term->coordinates < 2) s[1] = 1;
    return sum + pack->volume[l] * material->energy((SnStretches){s[0], s[1], s[2]}, m);
}

// Optimality: the objective's gradient V P + w (z - y), with P = U diag(psi') V^T from the plain density functions,
// vanishes relative to what it is the sum of; and no neighbour is lower.
static void check_prox_lane(const SnTermType* term, const SnMaterialType* material, const SnTermPack* pack,
                            double y[9][SN_LANES], double z[9][SN_LANES], const double* weight, int l)
{
    if (pack->volume[l] == 0) return;
    const SnParameterPack* q = &pack->parameters;
    SnMaterialParameters m = {q->mu[l], q->lambda[l], q->floor[l], {q->extra[0][l], q->extra[1][l]}, q->user};
    int size = 3 * term->coordinates;
    double at[9] = {0}, f[9] = {0}, u[9], s[3], v[9], psi[3] = {0}, sum = 0;
    for (int i = 0; i < size; i++) at[i] = f[i] = z[i][l], sum += weight[l] * (1 + fabs(z[i][l]) + fabs(y[i][l]));
    double best = prox_objective(term, material, pack, y, at, weight, l);
    if (!isfinite(best))
        fail_msg("%s %s lane %d floor %g: z %g %g %g %g %g %g %g %g %g", term->name, material->name, l, m.floor,
                 z[0][l], z[1][l], z[2][l], z[3][l], z[4][l], z[5][l], z[6][l], z[7][l], z[8][l]);
    sn_lane_svd3(f, u, s, v);
    SnStretches d = {s[0], term->coordinates < 2 ? 1 : s[1], term->coordinates < 3 ? 1 : s[2]};
    if (term->elements) d = material->gradient(d, m);
    psi[0] = term->elements ? d.s1 : m.mu * (s[0] - pack->shape[4 * SN_LANES + l]); // a hinge at rest is bent by that
    if (term->coordinates > 1) psi[1] = d.s2;
    if (term->coordinates > 2) psi[2] = d.s3;
    for (int k = 0; k < 3; k++) sum += pack->volume[l] * fabs(psi[k]);
    for (int i = 0; i < size; i++) {
        double gradient = weight[l] * (z[i][l] - y[i][l]);
        for (int k = 0; k < term->coordinates; k++)
            gradient += pack->volume[l] * u[3 * k + i % 3] * psi[k] * v[3 * k + i / 3];
        if (!(fabs(gradient) <= 1e-10 * sum))
            fail_msg("%s of %s: gradient %g of %g, stretches %g %g %g", term->name, material->name, gradient, sum, s[0],
                     s[1], s[2]);
        const double step = 1e-5;
        for (int side = -1; side <= 1; side += 2) {
            at[i] = z[i][l] + side * step;
            check(prox_objective(term, material, pack, y, at, weight, l) >= best - 1e-12 * fabs(best));
        }
        at[i] = z[i][l];
    }
}

static void prox_pair(const SnTermType* term, const SnMaterialType* material)
{
    const SnInversion inversions[] = {SN_INVERSION_EXTEND, SN_INVERSION_BARRIER};
    SnRandom random = {21};
    for (int k = 0; k < 2; k++) {
        Fixture f = make_fixture(term, material, inversions[k], 1, 1);
        SnTermPack pack = sn_potential_pack(&f.potential->groups[0], 0);
        double spread = 0.1, frame[9][SN_LANES];
        for (int i = 0; i < 9; i++)
            for (int l = 0; l < SN_LANES; l++) frame[i][l] = i % 4 == 0;
        for (int trial = 0; trial < 60; trial++, spread *= trial % 20 == 0 ? 0.1 : 1.15) {
            int size = 3 * term->coordinates;
            double y[9][SN_LANES], z[9][SN_LANES], weight[SN_LANES];
            for (int l = 0; l < SN_LANES; l++) {
                weight[l] = pack.volume[l] * 1e4 * exp(sn_random_uniform(&random, -2, 2));
                for (int i = 0; i < size; i++) y[i][l] = (i % 4 == 0) + sn_random_uniform(&random, -spread, spread);
            }
            term->prox(material, &pack, &y[0][0], weight, &z[0][0]);
            for (int l = 0; l < SN_LANES; l++) check_prox_lane(term, material, &pack, y, z, weight, l);
            if (term->coordinates < 3) continue;
            // From singular vectors of the trial before, which are anywhere, and from a guess
            SnTermPack near = pack;
            double guess[9][SN_LANES];
            for (int i = 0; i < 9; i++)
                for (int l = 0; l < SN_LANES; l++) guess[i][l] = 0.5 * (z[i][l] + y[i][l]);
            near.frame = &frame[0][0], near.guess = &guess[0][0];
            term->prox(material, &near, &y[0][0], weight, &z[0][0]);
            for (int l = 0; l < SN_LANES; l++) check_prox_lane(term, material, &pack, y, z, weight, l);
        }
        free_fixture(&f);
    }
}

// Each iteration that is allowed lowers the objective or leaves it, down to where none is too many.
static void iterations_pair(const SnTermType* term, const SnMaterialType* material)
{
    static const int allowed[] = {1, 2, 4, 8, 60, 0};
    if (term->coordinates < 3) return;
    SnRandom random = {23};
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 1, 1);
    SnTermPack pack = sn_potential_pack(&f.potential->groups[0], 0);
    double y[9][SN_LANES], z[6][9][SN_LANES], weight[SN_LANES];
    for (int l = 0; l < SN_LANES; l++) {
        weight[l] = pack.volume[l] * 1e4;
        for (int i = 0; i < 9; i++) y[i][l] = (i % 4 == 0) + sn_random_uniform(&random, -0.4, 0.4);
    }
    for (int k = 0; k < 6; k++) {
        pack.iterations = allowed[k];
        term->prox(material, &pack, &y[0][0], weight, &z[k][0][0]);
    }
    for (int l = 0; l < SN_LANES && pack.volume[l] > 0; l++) {
        double before = INFINITY;
        for (int k = 0; k < 6; k++) {
            double at[9];
            for (int i = 0; i < 9; i++) at[i] = z[k][i][l];
            double value = prox_objective(term, material, &pack, y, at, weight, l);
            check(value <= before + 1e-9 * fabs(before));
            before = value;
        }
    }
    assert_memory_equal(z[4], z[5], sizeof z[4]);
    free_fixture(&f);
}

static void test_iterations(void** state)
{
    (void)state;
    for_all_pairs(iterations_pair);
}

static void test_prox(void** state)
{
    (void)state;
    for_all_pairs(prox_pair);
}

// With stretches that may not be negative: none is, and where none has been lifted off zero, no neighbour that is
// allowed is lower.
static void upright_pair(const SnTermType* term, const SnMaterialType* material)
{
    if (term->coordinates < 3) return;
    SnRandom random = {22};
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 1, 1);
    SnTermPack pack = sn_potential_pack(&f.potential->groups[0], 0);
    pack.upright = true;
    for (int trial = 0; trial < 40; trial++) {
        double y[9][SN_LANES], z[9][SN_LANES], weight[SN_LANES];
        for (int l = 0; l < SN_LANES; l++) {
            weight[l] = pack.volume[l] * 1e4 * exp(sn_random_uniform(&random, -2, 2));
            for (int i = 0; i < 9; i++)
                y[i][l] = (i % 4 == 0 ? i < 8 ? 1 : -1 : 0) + sn_random_uniform(&random, -0.3, 0.3);
        }
        term->prox(material, &pack, &y[0][0], weight, &z[0][0]);
        for (int l = 0; l < SN_LANES && pack.volume[l] > 0; l++) {
            double at[9], copy[9], u[9], s[3], v[9];
            for (int i = 0; i < 9; i++) at[i] = copy[i] = z[i][l];
            sn_lane_svd3(copy, u, s, v);
            check(s[2] > -1e-12);
            if (s[2] > 1e-9 && s[2] < 0.2 + 1e-9) continue; // it may have been lifted
            double best = prox_objective(term, material, &pack, y, at, weight, l), saved[3] = {s[0], s[1], s[2]};
            for (int k = 0; k < 6; k++) {
                memcpy(s, saved, sizeof s);
                s[k / 2] = fmax(s[k / 2] + (k % 2 ? 1e-5 : -1e-5), 0);
                for (int i = 0; i < 9; i++)
                    at[i] = u[i % 3] * s[0] * v[i / 3] + u[3 + i % 3] * s[1] * v[3 + i / 3] +
                            u[6 + i % 3] * s[2] * v[6 + i / 3];
                double other = prox_objective(term, material, &pack, y, at, weight, l);
                if (!(other >= best - 1e-9 * fabs(best)))
                    fail_msg("%s at %g %g %g: %.12g, next to it %.12g", material->name, saved[0], saved[1], saved[2],
                             best, other);
            }
        }
    }
    free_fixture(&f);
}

static void test_upright_prox(void** state)
{
    (void)state;
    for_all_pairs(upright_pair);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_upright_prox),
    cmocka_unit_test(test_prox),
    cmocka_unit_test(test_iterations),
};
RUN_TESTS(tests, NULL, NULL)
