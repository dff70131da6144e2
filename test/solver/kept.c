// Matrices that are kept from step to step: how they turn with the body, and how long they serve.
#include "bar.h"
#include "core/pi.h"
#include "core/random.h"
#include "solver/initial.h"
#include "solver/warp.h"
#include "solver/wear.h"

// A turn by 110 degrees about (1, 2, 2)/3, row after row.
static void make_turn(double r[9])
{
    const double axis[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3}, c = cos(110 * SN_PI / 180), s = sin(110 * SN_PI / 180);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r[3 * i + j] = (i == j ? c : 0) + (1 - c) * axis[i] * axis[j];
    r[1] -= s * axis[2], r[3] += s * axis[2];
    r[2] += s * axis[1], r[6] -= s * axis[1];
    r[5] -= s * axis[0], r[7] += s * axis[0];
}

static void turn_all(const double r[9], int n, double* x)
{
    for (int i = 0; i < n; i += 3) {
        double y[3] = {x[i], x[i + 1], x[i + 2]};
        for (int c = 0; c < 3; c++) x[i + c] = r[3 * c] * y[0] + r[3 * c + 1] * y[1] + r[3 * c + 2] * y[2];
    }
}

// Of a body that turns as a whole, every node turns alike; rotations keep lengths.
static void test_nodes_turn_with_the_body(void** state)
{
    (void)state;
    Problem* p = make_problem("fixed-corotated", SN_INVERSION_EXTEND, 900, 0);
    int n = 3 * p->objective.nodes.count, rows = 3 * p->objective.nodes.free_count;
    double r[9], *x = calloc((size_t)n, sizeof *x), *a = calloc((size_t)rows, 3 * sizeof *a), *b = a + rows,
                 *c = b + rows;
    SnRandom random = {3};
    make_turn(r);
    memcpy(x, p->search->x, (size_t)n * sizeof *x);
    turn_all(r, n, x);
    for (int i = 0; i < n; i++) x[i] += i % 3; // and moves
    for (int i = 0; i < rows; i++) a[i] = b[i] = c[i] = sn_random_uniform(&random, -1, 1);
    SnHessian* hessian;
    SnWarp warp = {0};
    check_ok(sn_hessian_create(p->potential, p->free_index, p->objective.nodes.free_count, &hessian));
    check_ok(sn_warp_build(&warp, &p->objective, &hessian->matrix));
    sn_warp_turn(&warp, p->search->x, x);
    sn_warp_apply(&warp, false, 1, b);
    turn_all(r, rows, c);
    for (int i = 0; i < rows; i++) check_near(b[i], c[i], 5e-3); // it is a little reluctant
    sn_warp_apply(&warp, true, 1, b);
    for (int i = 0; i < rows; i++) check_near(b[i], a[i], 1e-12);
    sn_warp_free(&warp);
    sn_hessian_destroy(hessian);
    free(x), free(a);
    free_problem(p);
}

// R H^-1 R^T q is what the Hessian of the turned body would give.
static void test_kept_hessian_turns(void** state)
{
    (void)state;
    Problem* p = make_problem("stable-neo-hookean", SN_INVERSION_EXTEND, 900, 3e5);
    SnSearch* s = p->search;
    const SnInitialType* initial = sn_initial_find("kept-hessian");
    SnSolverDef def = solver_def();
    int n = 3 * p->objective.nodes.count;
    double r[9], *q = calloc((size_t)n, 3 * sizeof *q), *kept = q + n, *fresh = kept + n, size = 0;
    SnRandom random = {4};
    make_turn(r);
    for (int i = 0; i < n; i++) {
        if (p->free_index[i / 3] < 0) continue;
        s->x[i] += sn_random_uniform(&random, -0.05, 0.05), q[i] = sn_random_uniform(&random, -1, 1);
    }
    void *one, *two;
    check_ok(initial->create(&p->objective, &def, &one));
    check_ok(initial->create(&p->objective, &def, &two));
    sn_search_evaluate(s);
    check_ok(initial->start(one, s));
    turn_all(r, n, s->x);
    sn_search_evaluate(s);
    check_ok(initial->start(one, s));
    check_ok(initial->start(two, s));
    check(initial->taken(one) == 1 && initial->taken(two) == 1);
    check_ok(initial->apply(one, s, q, 0, kept));
    check_ok(initial->apply(two, s, q, 0, fresh));
    for (int i = 0; i < n; i++) size = fmax(size, fabs(fresh[i]));
    for (int i = 0; i < n; i++) check_near(kept[i], fresh[i], 1e-2 * size);
    initial->destroy(one), initial->destroy(two);
    free(q);
    free_problem(p);
}

// How often a matrix that is worth ten iterations is taken in sixty minimisations, if one with a matrix of that age
// takes so many iterations.
static int takes_of(double (*iterations)(int age))
{
    SnWear w = {.worth = 10, .hope = 1.5, .growth = 1};
    SnSearch s = {.norm = 1, .tolerance = 1e-3};
    int age = 0;
    for (int k = 0; k < 60; k++) {
        age = sn_wear_start(&w, &s) ? 0 : age + 1;
        for (int i = 0; i < (int)iterations(age); i++) sn_wear_apply(&w, &s);
    }
    return w.takes;
}

// Steps that become harder, for no fault of the matrix.
static int takes_of_harder(void)
{
    SnWear w = {.worth = 10, .hope = 1.5, .growth = 1};
    for (int k = 0; k < 60; k++) {
        int logs = 4 + k / 10;
        SnSearch s = {.norm = exp(logs), .tolerance = 1};
        sn_wear_start(&w, &s);
        for (int i = 0; i < logs; i++) sn_wear_apply(&w, &s);
    }
    return w.takes;
}

static double constant(int age)
{
    return age > 0 ? 5 : 4;
}

static double growing(int age)
{
    return 4 + age;
}

static double useless(int age)
{
    (void)age;
    return 40;
}

// It is kept while nothing is gained by another, also where gradients grow and iterations with them; with one iteration
// more in each step it is best taken every sqrt(2 x 10) steps; and after a few tries it is no longer taken in vain.
static void test_wear(void** state)
{
    (void)state;
    check(takes_of(constant) == 1);
    check(takes_of_harder() == 1);
    int takes = takes_of(growing);
    check(takes >= 60 / 7 && takes <= 60 / 4);
    takes = takes_of(useless);
    check(takes > 1 && takes < 8);
}

// Within a minimisation: it is taken anew where it makes little progress, and not where it is about to be done.
static void test_stale(void** state)
{
    (void)state;
    SnWear w = {.worth = 6, .hope = 1.5, .growth = 2};
    SnSearch s = {.norm = 1, .tolerance = 1e-6};
    check(sn_wear_start(&w, &s));
    for (int k = 0; k < 6; k++) check(!sn_wear_stale(&w, &s)), sn_wear_apply(&w, &s), s.norm *= 0.9;
    check(sn_wear_stale(&w, &s));
    check(sn_wear_start(&w, &s) && w.takes == 2);
    for (int k = 0; k < 12; k++) check(!sn_wear_stale(&w, &s)), sn_wear_apply(&w, &s), s.norm *= 0.3;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nodes_turn_with_the_body),
    cmocka_unit_test(test_kept_hessian_turns),
    cmocka_unit_test(test_wear),
    cmocka_unit_test(test_stale),
};
RUN_TESTS(tests, NULL, NULL)
