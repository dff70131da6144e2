// Sparse Cholesky on graphs of all shapes: against dense, with small copies of the factor, indefinite, out of memory.
#include "linalg/cholesky.h"
#include "systems.h"

static SnStatus create(const System* a, SnCholesky** cholesky)
{
    return a->blocks == 1 ? sn_cholesky_create_scalar(&a->scalar, NULL, cholesky)
                          : sn_cholesky_create(&a->block, NULL, cholesky);
}

// Many right-hand sides, each a multiple of b, or of its x, y or z: the same multiple of x, and the same bits as
// before.
static void check_many(SnCholesky* cholesky, const System* a, const double* b, const double* x, double** first)
{
    int rows = a->blocks * a->n, count = SN_MANY * rows;
    double* many = random_vector(count, 0);
    for (int i = 0; i < count; i++) {
        int row = i / SN_MANY, lane = i % SN_MANY;
        many[i] = (lane + 1) * (a->blocks == 1 ? b[3 * row + lane % 3] : b[row]);
    }
    check_ok(sn_cholesky_solve_many(cholesky, many));
    for (int i = 0; i < count; i++) {
        int row = i / SN_MANY, lane = i % SN_MANY;
        check_near(many[i], (lane + 1) * (a->blocks == 1 ? x[3 * row + lane % 3] : x[row]), 1e-10);
    }
    if (!*first)
        *first = many;
    else {
        check(memcmp(*first, many, (size_t)count * sizeof *many) == 0);
        sn_free(many);
    }
}

// The nodes' numbers, the others zero, or as they are.
static void put(const int* nodes, int count, int length, double* x)
{
    for (int k = 0; k < length * count; k++) x[length * nodes[k / length] + k % length] = sin(k + 1.0);
}

static void check_same(const int* nodes, int count, int length, const double* x, const double* y)
{
    for (int k = 0; k < count; k++) {
        size_t at = (size_t)length * (size_t)nodes[k];
        check(memcmp(x + at, y + at, (size_t)length * sizeof *x) == 0);
    }
}

// Right-hand sides at some nodes, and asked for there: the same bits as of all, whatever is at others, which stays.
static void check_some(SnCholesky* cholesky, const System* a)
{
    int length = SN_MANY * a->blocks, count = 0, *nodes;
    check(SN_NEW(nodes, a->n, "a test"));
    for (int i = 0; i < a->n; i++)
        if ((7 * i + 3) % 11 < 2 || i == a->n - 1) nodes[count++] = i;
    double *all = random_vector(length * a->n, 0), *some = random_vector(length * a->n, 5);
    memset(all, 0, (size_t)length * (size_t)a->n * sizeof *all);
    put(nodes, count, length, all), put(nodes, count, length, some);
    check_ok(sn_cholesky_solve_many(cholesky, all));
    check_ok(sn_cholesky_solve_some(cholesky, nodes, count, some));
    check_same(nodes, count, length, all, some);
    check(sn_cholesky_swept(cholesky) > 0 && sn_cholesky_swept(cholesky) <= 1);
    double* one = random_vector(3 * a->n, 5);
    memset(all, 0, (size_t)length * (size_t)a->n * sizeof *all);
    memcpy(some, one, 3 * (size_t)a->n * sizeof *one);
    put(nodes, count, 3, all), put(nodes, count, 3, some);
    check_ok(sn_cholesky_solve(cholesky, all, all));
    check_ok(sn_cholesky_solve_among(cholesky, nodes, count, some));
    check_same(nodes, count, 3, all, some);
    put(nodes, count, 3, one), put(nodes, count, 3, some);
    check(memcmp(one, some, 3 * (size_t)a->n * sizeof *one) == 0);
    sn_free(all), sn_free(some), sn_free(one), sn_free(nodes);
}

// Pushed at one node alone, where sweeps leave out what that does not reach.
static void check_one(SnCholesky* cholesky, const System* a)
{
    double *b = random_vector(3 * a->n, 0), *x = random_vector(3 * a->n, 0), *back = random_vector(3 * a->n, 0);
    const int nodes[] = {0, a->n / 2, a->n - 1};
    for (int k = 0; k < 3; k++) {
        memset(b, 0, 3 * (size_t)a->n * sizeof *b);
        put(&nodes[k], 1, 3, b);
        check_ok(sn_cholesky_solve(cholesky, b, x));
        multiply(a, x, back);
        for (int i = 0; i < 3 * a->n; i++) check_near(back[i], b[i], 1e-9);
    }
    sn_free(b), sn_free(x), sn_free(back);
}

static void test_cholesky(void** state)
{
    (void)state;
    const int threads[] = {1, 2, 5};
    for (int which = 0; which < 2 * CASES; which++) {
        System a = make_system(&cases[which / 2], which % 2 ? 3 : 1);
        int n = 3 * a.n;
        double *x = random_vector(n, 13), *b = random_vector(n, 0), *y = random_vector(n, 0), *first = NULL;
        double* first_many = NULL;
        SnCholesky* cholesky;
        bool definite;
        multiply(&a, x, b);
        check_ok(create(&a, &cholesky));
        check_fails(sn_cholesky_solve(cholesky, b, y), SN_ERROR_VALUE, "no factor");
        check_fails(sn_cholesky_solve_many(cholesky, y), SN_ERROR_VALUE, "no factor");
        for (int k = 0; k < 4; k++) {
            SnTasks* tasks = NULL;
            if (k > 0) check_ok(sn_tasks_create(threads[k - 1], (SnTaskRunner){0}, &tasks));
            sn_cholesky_set_tasks(cholesky, tasks);
            check_ok(sn_cholesky_factor(cholesky, 0, &definite));
            if (!definite) fail_msg("%s of %d: not definite", cases[which / 2].name, a.blocks);
            check_ok(sn_cholesky_solve(cholesky, b, y));
            for (int i = 0; i < n; i++) check_near(y[i], x[i], 1e-11);
            if (!first)
                first = sn_copy_memory(y, (size_t)n, sizeof *y, "test");
            else if (memcmp(first, y, (size_t)n * sizeof *y) != 0)
                fail_msg("%s of %d: other bits with %d threads", cases[which / 2].name, a.blocks, threads[k - 1]);
            check_many(cholesky, &a, b, x, &first_many);
            check_some(cholesky, &a);
            check_one(cholesky, &a);
            sn_cholesky_set_tasks(cholesky, NULL);
            sn_tasks_destroy(tasks);
        }
        check_ok(sn_cholesky_factor(cholesky, -0.9e3, &definite)); // below every eigenvalue there is
        check(!definite);
        check_fails(sn_cholesky_solve(cholesky, b, y), SN_ERROR_VALUE, "no factor");
        check_ok(sn_cholesky_factor(cholesky, 2.5, &definite));
        check(definite);
        for (int i = 0; i < n; i++) b[i] += 2.5 * x[i];
        check_ok(sn_cholesky_solve(cholesky, b, b)); // in place
        for (int i = 0; i < n; i++) check_near(b[i], x[i], 1e-11);
        check(sn_cholesky_factor_entries(cholesky) >= a.blocks * a.n && sn_cholesky_factor_flops(cholesky) > 0);
        sn_cholesky_destroy(cholesky);
        free_system(&a);
        sn_free(x), sn_free(b), sn_free(y), sn_free(first), sn_free(first_many);
    }
}

// The rows elsewhere, in twice as long vectors: the same bits, and nothing else is touched.
static void check_placed(SnCholesky* cholesky, int rows, const double* b, const double* x)
{
    int* places;
    double* y = random_vector(6 * rows, 21);
    check(SN_NEW(places, rows, "test"));
    for (int i = 0; i < rows; i++) {
        places[i] = 2 * (rows - 1 - i);
        memcpy(y + 3 * places[i], b + 3 * i, 3 * sizeof *y);
    }
    double spare = y[3 * (2 * rows - 1)];
    check_ok(sn_cholesky_set_places(cholesky, places));
    check_ok(sn_cholesky_solve_placed(cholesky, y, y));
    for (int i = 0; i < rows; i++) check(memcmp(y + 3 * places[i], x + 3 * i, 3 * sizeof *y) == 0);
    check(y[3 * (2 * rows - 1)] == spare);
    sn_free(places), sn_free(y);
}

// A factorisation whose sweeps are to read a copy: b = A x; y and z are to be filled.
typedef struct Copied {
    double *x, *b, *y, *z;
    SnCholesky* cholesky;
    SnTasks* tasks;
} Copied;

static Copied make_copied(const System* a)
{
    int n = 3 * a->n;
    Copied t = {random_vector(n, 13), random_vector(n, 0), random_vector(n, 0), random_vector(n, 0), NULL, NULL};
    multiply(a, t.x, t.b);
    check_ok(create(a, &t.cholesky));
    check_ok(sn_tasks_create(3, (SnTaskRunner){0}, &t.tasks));
    return t;
}

static void free_copied(Copied* t)
{
    sn_cholesky_destroy(t->cholesky);
    sn_tasks_destroy(t->tasks);
    sn_free(t->x), sn_free(t->b), sn_free(t->y), sn_free(t->z);
}

// The factor in single precision: nearly right, with the same bits for any number of threads.
static void test_single(void** state)
{
    (void)state;
    for (int which = 0; which < 2 * CASES; which++) {
        System a = make_system(&cases[which / 2], which % 2 ? 3 : 1);
        Copied t = make_copied(&a);
        int n = 3 * a.n;
        double *x = t.x, *b = t.b, *y = t.y, *z = t.z;
        bool definite;
        if (which % 4 < 2)
            check_ok(sn_cholesky_set_precision(t.cholesky, SN_FACTOR_FLOAT)); // before factoring or after
        check_ok(sn_cholesky_factor(t.cholesky, 0, &definite));
        check_ok(sn_cholesky_set_precision(t.cholesky, SN_FACTOR_FLOAT));
        check_ok(sn_cholesky_solve(t.cholesky, b, y));
        for (int i = 0; i < n; i++) check_near(y[i], x[i], 2e-5);
        sn_cholesky_set_tasks(t.cholesky, t.tasks);
        check_ok(sn_cholesky_solve(t.cholesky, b, z));
        check(memcmp(y, z, (size_t)n * sizeof *y) == 0);
        check_placed(t.cholesky, a.n, b, y);
        check_ok(sn_cholesky_set_precision(t.cholesky, SN_FACTOR_DOUBLE));
        check_ok(sn_cholesky_solve(t.cholesky, b, y));
        for (int i = 0; i < n; i++) check_near(y[i], x[i], 1e-11);
        free_copied(&t);
        free_system(&a);
    }
}

// The factor in 16-bit integers: right to three digits, symmetric and positive, with the same bits for any number of
// threads; of scalar matrices alone.
static void test_short(void** state)
{
    (void)state;
    const Case many_rows = {"more rows than panels are long", make_clique, 1500};
    for (int which = 0; which <= CASES; which++) {
        System a = make_system(which < CASES ? &cases[which] : &many_rows, 1);
        Copied t = make_copied(&a);
        int n = 3 * a.n;
        double *x = t.x, *b = t.b, *y = t.y, *z = t.z;
        bool definite;
        check_ok(sn_cholesky_set_precision(t.cholesky, SN_FACTOR_SHORT));
        check_ok(sn_cholesky_factor(t.cholesky, 0, &definite));
        check_ok(sn_cholesky_solve(t.cholesky, b, y));
        double error = 0;
        for (int i = 0; i < n; i++) error = fmax(error, fabs(y[i] - x[i]));
        check(error < 2e-3);
        check(which < 9 || error > 1e-6); // it is not the copy in floats
        sn_cholesky_set_tasks(t.cholesky, t.tasks);
        check_ok(sn_cholesky_solve(t.cholesky, b, z));
        check(memcmp(y, z, (size_t)n * sizeof *y) == 0);
        check_ok(sn_cholesky_solve(t.cholesky, x, z)); // y = B b, z = B x
        check_near(dot(n, x, y), dot(n, b, z), 1e-5 * sqrt(dot(n, x, x) * dot(n, y, y)));
        check(dot(n, x, z) > 0);
        free_copied(&t);
        free_system(&a);
    }
    System blocks = make_system(&cases[9], 3);
    SnCholesky* cholesky;
    check_ok(create(&blocks, &cholesky));
    check(sn_cholesky_set_precision(cholesky, SN_FACTOR_SHORT) == SN_ERROR_VALUE);
    sn_cholesky_destroy(cholesky);
    free_system(&blocks);
}

// Where 16 bits would lose the little that holds a matrix up, floats take their place.
static void test_short_gives_way(void** state)
{
    (void)state;
    System a = make_system(&cases[10], 1);
    int n = 3 * a.n;
    double *x = random_vector(n, 13), *b = random_vector(n, 0), *y = random_vector(n, 0);
    for (int j = 0; j < a.n; j++) a.scalar.values[a.scalar.col_start[j]] -= 0.5 - 1e-5; // all that is not a Laplacian
    for (int i = 0; i < n; i++) x[i] = 1 + 0.1 * x[i];
    SnCholesky* cholesky;
    bool definite;
    multiply(&a, x, b);
    check_ok(create(&a, &cholesky));
    check_ok(sn_cholesky_set_precision(cholesky, SN_FACTOR_SHORT));
    check_ok(sn_cholesky_factor(cholesky, 0, &definite));
    check(definite);
    check_ok(sn_cholesky_solve(cholesky, b, y));
    for (int i = 0; i < n; i++) check_near(y[i], x[i], 0.02);
    // And back, when it can.
    multiply(&a, x, b);
    for (int i = 0; i < n; i++) b[i] += x[i];
    check_ok(sn_cholesky_factor(cholesky, 1, &definite));
    check_ok(sn_cholesky_solve(cholesky, b, y));
    double error = 0;
    for (int i = 0; i < n; i++) error = fmax(error, fabs(y[i] - x[i]));
    check(error > 1e-6 && error < 1e-3);
    sn_cholesky_destroy(cholesky);
    free_system(&a);
    sn_free(x), sn_free(b), sn_free(y);
}

// As large as a test may be: many groups, a top with chains of links.
static void test_large(void** state)
{
    (void)state;
    System a = make_system(&(Case){"large", make_solid, 21}, 1);
    int n = 3 * a.n;
    double *x = random_vector(n, 14), *b = random_vector(n, 0);
    SnCholesky* cholesky;
    SnTasks* tasks;
    bool definite;
    multiply(&a, x, b);
    check_ok(sn_tasks_create(3, (SnTaskRunner){0}, &tasks));
    check_ok(create(&a, &cholesky));
    sn_cholesky_set_tasks(cholesky, tasks);
    check_ok(sn_cholesky_factor(cholesky, 0, &definite));
    check_ok(sn_cholesky_solve(cholesky, b, b));
    for (int i = 0; i < n; i++) check_near(b[i], x[i], 1e-11);
    check(sn_cholesky_factor_entries(cholesky) < 3e6);
    sn_cholesky_destroy(cholesky);
    sn_tasks_destroy(tasks);
    free_system(&a);
    sn_free(x), sn_free(b);
}

// The whole inverse of small matrices, column after column, against dense elimination.
static void test_against_dense(void** state)
{
    (void)state;
    enum { MOST = 3 * 64 };
    static double dense[MOST][MOST], unit[MOST], column[MOST], factor[MOST][MOST];
    const Case small[] = {{"cube", make_solid, 4}, {"clique", make_clique, 20}, {"ropes", make_ropes, 40}};
    for (int t = 0; t < 6; t++) {
        System a = make_system(&small[t / 2], t % 2 ? 3 : 1);
        int n = 3 * a.n;
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) unit[i] = i == j;
            multiply(&a, unit, dense[j]);
        }
        for (int j = 0; j < n; j++) // dense = factor factor^T
            for (int i = j; i < n; i++) {
                double sum = dense[i][j];
                for (int k = 0; k < j; k++) sum -= factor[i][k] * factor[j][k];
                factor[i][j] = i == j ? sqrt(sum) : sum / factor[j][j];
            }
        SnCholesky* cholesky;
        bool definite;
        check_ok(create(&a, &cholesky));
        check_ok(sn_cholesky_factor(cholesky, 0, &definite));
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) unit[i] = column[i] = i == j;
            for (int i = 0; i < n; i++) {
                for (int k = 0; k < i; k++) column[i] -= factor[i][k] * column[k];
                column[i] /= factor[i][i];
            }
            for (int i = n - 1; i >= 0; i--) {
                for (int k = i + 1; k < n; k++) column[i] -= factor[k][i] * column[k];
                column[i] /= factor[i][i];
            }
            check_ok(sn_cholesky_solve(cholesky, unit, unit));
            for (int i = 0; i < n; i++) check_near(unit[i], column[i], 1e-13);
        }
        sn_cholesky_destroy(cholesky);
        free_system(&a);
    }
}

// One bad pivot, wherever it is, is found; so is a matrix that is not a number.
static void test_indefinite(void** state)
{
    (void)state;
    for (int t = 0; t < 4; t++) {
        System a = make_system(&cases[t < 2 ? 7 : 9], t % 2 ? 3 : 1);
        SnCholesky* cholesky;
        bool definite;
        check_ok(create(&a, &cholesky));
        for (int j = 0; j < a.n; j += a.n / 13) {
            double* diagonal = a.blocks == 1 ? a.scalar.values + a.scalar.col_start[j]
                                             : a.block.values + sn_block_column(&a.block, j, 1);
            double was = *diagonal, bad[] = {-1e-3, 0, NAN, INFINITY};
            for (int k = 0; k < 4; k++) {
                *diagonal = bad[k];
                check_ok(sn_cholesky_factor(cholesky, 0, &definite));
                check(!definite);
            }
            *diagonal = was;
        }
        check_ok(sn_cholesky_factor(cholesky, 0, &definite));
        check(definite);
        sn_cholesky_destroy(cholesky);
        free_system(&a);
    }
}

// After a right-hand side that is not a number, the next one is solved as if nothing had been.
static void test_nan_passes(void** state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        System a = make_system(&cases[9], t ? 3 : 1);
        int n = 3 * a.n;
        double *x = random_vector(n, 1), *b = random_vector(n, 2), *y = random_vector(n, 3);
        SnCholesky* cholesky;
        bool definite;
        check_ok(create(&a, &cholesky));
        check_ok(sn_cholesky_factor(cholesky, 0, &definite));
        for (int i = 0; i < n; i++) y[i] = NAN;
        check_ok(sn_cholesky_solve(cholesky, y, y));
        multiply(&a, x, b);
        check_ok(sn_cholesky_solve(cholesky, b, y));
        for (int i = 0; i < n; i++) check_near(y[i], x[i], 1e-12);
        sn_cholesky_destroy(cholesky);
        free_system(&a);
        sn_free(x), sn_free(b), sn_free(y);
    }
}

static void test_failing_memory(void** state)
{
    (void)state;
    for (int t = 0; t < 4; t++) {
        System a = make_system(&cases[t < 2 ? 7 : 9], t % 2 ? 3 : 1);
        for (long n = 0;; n++) {
            FailingMemory memory;
            start_failing(&memory, n);
            SnCholesky* cholesky;
            SnStatus created = create(&a, &cholesky);
            SnFactorPrecision precision = t % 2 ? SN_FACTOR_FLOAT : SN_FACTOR_SHORT;
            SnStatus status = created == SN_OK ? sn_cholesky_set_precision(cholesky, precision) : created;
            sn_cholesky_destroy(cholesky);
            stop_failing(&memory);
            if (status == SN_OK) break;
            check(status == SN_ERROR_MEMORY && (created == SN_OK || cholesky == NULL));
            check(n < 1000);
        }
        free_system(&a);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cholesky),   cmocka_unit_test(test_large),           cmocka_unit_test(test_single),
    cmocka_unit_test(test_short),      cmocka_unit_test(test_short_gives_way), cmocka_unit_test(test_against_dense),
    cmocka_unit_test(test_indefinite), cmocka_unit_test(test_nan_passes),      cmocka_unit_test(test_failing_memory),
};
RUN_TESTS(tests, NULL, NULL)
