// The prox with fibers: optimality for every material, inverted input, closed forms, and the isotropic prox without.
#include "check.h"

#include "core/random.h"
#include "linalg/svd3.h"
#include "potential/laplacian.h"
#include "potential/prox9.h"

// The objective and the relative size of its gradient, from the plain functions of the density.
static double prox9_objective(const SnProx9* p, const double* y, const double* f, double* relative)
{
    double a[9], u[9], s[3], v[9], fd[3], value = 0, largest = 0, size = 0;
    memcpy(a, f, sizeof a);
    sn_lane_svd3(a, u, s, v);
    for (int r = 0; r < 3; r++)
        fd[r] = f[r] * p->direction[0] + f[3 + r] * p->direction[1] + f[6 + r] * p->direction[2];
    double length = sqrt(sn_lane_dot(fd, fd)), w = p->weight, k = p->volume * p->fiber;
    SnStretches stretches = {s[0], s[1], s[2]}, g = p->material->gradient(stretches, p->parameters);
    value = p->volume * p->material->energy(stretches, p->parameters) + 0.5 * k * (length - 1) * (length - 1);
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            double off = f[3 * c + r] - y[3 * c + r];
            double iso = u[r] * g.s1 * v[c] + u[3 + r] * g.s2 * v[3 + c] + u[6 + r] * g.s3 * v[6 + c];
            double fiber = k * (1 - 1 / length) * fd[r] * p->direction[c];
            value += 0.5 * w * off * off;
            largest = fmax(largest, fabs(p->volume * iso + fiber + w * off));
            size = fmax(size, p->volume * fabs(iso) + fabs(fiber) + w * (1 + fabs(y[3 * c + r])));
        }
    *relative = largest / size;
    return value;
}

static SnProx9 random_prox9(const SnMaterialType* type, SnInversion inversion, SnRandom* random)
{
    SnMaterial m = sn_material(type->name, 1e4, 0.4, 1000);
    SnProx9 p = {.material = type, .volume = 1e-3};
    m.inversion = inversion;
    check_ok(sn_material_parameters(&m, type, &p.parameters));
    p.weight = p.volume * 1e4 * exp(sn_random_uniform(random, -2, 2));
    p.fiber = 1e4 * exp(sn_random_uniform(random, -3, 6));
    double length = 0;
    for (int c = 0; c < 3; c++) p.direction[c] = sn_random_uniform(random, -1, 1);
    length = sqrt(sn_lane_dot(p.direction, p.direction));
    for (int c = 0; c < 3; c++) p.direction[c] /= length;
    return p;
}

static bool is_solid(const SnMaterialType* type)
{
    return (type->elements & SN_ON_TETRAHEDRA) != 0;
}

// Every material, from near rest to inverted and far out: the gradient vanishes and nothing close by is lower.
static void test_prox9_is_optimal(void** state)
{
    (void)state;
    SnRandom random = {31};
    int inverted = 0, creased = 0;
    for (int m = 0; m < sn_material_count(); m++)
        for (int trial = 0; trial < 400 && is_solid(sn_material_at(m)); trial++) {
            SnInversion inversion = trial % 2 ? SN_INVERSION_BARRIER : SN_INVERSION_EXTEND;
            SnProx9 p = random_prox9(sn_material_at(m), inversion, &random);
            double y[9], z[9], near[9], relative, spread = 0.01 * pow(1.02, trial), unused; // up to 27
            for (int i = 0; i < 9; i++) y[i] = (i % 4 == 0) + sn_random_uniform(&random, -spread, spread) / 4;
            inverted += sn_lane_dot(y, (double[]){y[4] * y[8] - y[5] * y[7], y[5] * y[6] - y[3] * y[8],
                                                  y[3] * y[7] - y[4] * y[6]}) < 0;
            sn_prox9(&p, y, z);
            double best = prox9_objective(&p, y, z, &relative);
            // Far out, the sum of the stretches has a crease where s2 = -s3, in which a minimum may lie.
            double a[9], u[9], s[3], v[9];
            memcpy(a, z, sizeof a);
            sn_lane_svd3(a, u, s, v);
            bool crease = s[1] + s[2] < 1e-6;
            creased += relative > 1e-10 && crease;
            if (!(relative <= 1e-10) && !crease) fail_msg("%s %d: gradient %g", p.material->name, trial, relative);
            for (int k = 0; k < 8; k++) {
                for (int i = 0; i < 9; i++) near[i] = z[i] + sn_random_uniform(&random, -1e-4, 1e-4);
                double value = prox9_objective(&p, y, near, &unused);
                if (value < best - 1e-12 * fabs(best)) fail_msg("%s, trial %d: no minimum", p.material->name, trial);
            }
        }
    check(inverted > 300);
    check(creased <= 4);
}

// Without fibers it is the prox of the stretches.
static void test_prox9_without_fibers(void** state)
{
    (void)state;
    const SnTermType* term = sn_term_find("tetrahedron");
    SnRandom random = {32};
    int same = 0, all = 0;
    for (int m = 0; m < sn_material_count(); m++)
        for (int trial = 0; trial < 40 && is_solid(sn_material_at(m)); trial++) {
            SnProx9 p = random_prox9(sn_material_at(m), SN_INVERSION_EXTEND, &random);
            p.fiber = 0;
            double y[9][SN_LANES], z[9][SN_LANES], weight[SN_LANES], volume[SN_LANES], numbers[5][SN_LANES];
            const double values[5] = {p.parameters.mu, p.parameters.lambda, p.parameters.floor, p.parameters.extra[0],
                                      p.parameters.extra[1]};
            double spread = trial < 20 ? 0.2 : 1.5;
            for (int l = 0; l < SN_LANES; l++) {
                for (int k = 0; k < 5; k++) numbers[k][l] = values[k];
                volume[l] = p.volume, weight[l] = p.weight;
                for (int i = 0; i < 9; i++) y[i][l] = (i % 4 == 0) + sn_random_uniform(&random, -spread, spread);
            }
            SnTermPack pack = {.volume = volume, .parameters = {.mu = numbers[0], .lambda = numbers[1]}};
            pack.parameters.floor = numbers[2], pack.parameters.user = p.parameters.user;
            pack.parameters.extra[0] = numbers[3], pack.parameters.extra[1] = numbers[4];
            term->prox(p.material, &pack, &y[0][0], weight, &z[0][0]);
            for (int l = 0; l < SN_LANES; l++, all++) {
                double from[9], mine[9], theirs[9], unused, apart = 0;
                for (int i = 0; i < 9; i++) from[i] = y[i][l], theirs[i] = z[i][l];
                sn_prox9(&p, from, mine);
                for (int i = 0; i < 9; i++) apart = fmax(apart, fabs(mine[i] - theirs[i]));
                double a = prox9_objective(&p, from, mine, &unused), b = prox9_objective(&p, from, theirs, &unused);
                same += apart < 1e-7;
                if (trial < 20 && apart > 1e-7)
                    fail_msg("%s: %g apart, %g instead of %g", p.material->name, apart, a, b);
                if (a > b + 1e-9 * fabs(b)) fail_msg("%s: %.9g is above %.9g", p.material->name, a, b);
            }
        }
    check(same >= 0.99 * all); // else another minimum, never a higher one
}

static void test_prox9_closed_forms(void** state)
{
    (void)state;
    SnProx9 p = {.material = sn_material_find("arap"), .volume = 2, .fiber = 7, .direction = {0, 1, 0}, .weight = 3};
    p.parameters.mu = 5;
    const double y[9] = {1, 0, 0, 0, 1.8, 0, 0, 0, 1};
    double z[9], expected = (2 * 2 * 5 + 2 * 7 + 3 * 1.8) / (2 * 2 * 5 + 2 * 7 + 3); // mu (s-1)^2 is half of 2 mu
    check(sn_prox9(&p, y, z) <= 1e-12);
    for (int i = 0; i < 9; i++) check_near(z[i], i == 4 ? expected : y[i], 1e-14);
    p.fiber = 1e6; // the fiber keeps its length
    const double any[9] = {1.3, 0.2, -0.4, 0.1, 1.8, 0.5, 0, 0.3, 0.7};
    check(sn_prox9(&p, any, z) <= 1e-10);
    check_near(sqrt(sn_lane_dot(z + 3, z + 3)), 1, 1e-5);
    const double point[9] = {0}; // collapsed: it opens
    p.fiber = 7;
    check(sn_prox9(&p, point, z) <= 1e-10);
    check(sn_lane_dot(z, z) > 0.1 && sn_lane_dot(z + 3, z + 3) > 0.1);
    p.volume = 0;
    sn_prox9(&p, any, z);
    for (int i = 0; i < 9; i++) check(z[i] == any[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_prox9_is_optimal),
    cmocka_unit_test(test_prox9_without_fibers),
    cmocka_unit_test(test_prox9_closed_forms),
};
RUN_TESTS(tests, NULL, NULL)
