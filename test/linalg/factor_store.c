// Parts of a matrix that come back: what is not ordered and factored again, and that nobody sees it in the bits.
#include "linalg/factor_store.h"
#include "systems.h"

enum { SIDE = 9, BODY = SIDE * SIDE * SIDE };

// Boxes that touch nothing, the k-th as stiff as stiffness[k].
static SnScalarMatrix make_bodies(int count, const double* stiffness)
{
    Pattern p;
    SnScalarMatrix m = {.n = count * BODY};
    make_solid(&p, SIDE);
    int64_t entries = p.col_start[BODY];
    check(SN_NEW(m.col_start, m.n + 1, "test") && SN_NEW(m.row, count * entries, "test") &&
          SN_NEW(m.values, count * entries, "test"));
    for (int b = 0; b < count; b++)
        for (int j = 0; j < BODY; j++) {
            m.col_start[b * BODY + j + 1] = b * entries + p.col_start[j + 1];
            for (int64_t k = p.col_start[j]; k < p.col_start[j + 1]; k++) {
                m.row[b * entries + k] = b * BODY + p.row[k];
                m.values[b * entries + k] = stiffness[b] * (p.row[k] == j ? 20 + 0.01 * j : -1);
            }
        }
    sn_free(p.col_start), sn_free(p.row);
    return m;
}

// Factors it, checks that so many parts were there already, and that the answer is the same as without a store.
static SnCholesky* check_factor(const SnScalarMatrix* m, SnFactorStore* store, int kept)
{
    SnCholesky *with, *without;
    bool definite;
    int n = 3 * m->n;
    double *b = random_vector(n, 5), *x = random_vector(n, 0), *y = random_vector(n, 0);
    check_ok(sn_cholesky_create_scalar(m, store, &with));
    check_ok(sn_cholesky_create_scalar(m, NULL, &without));
    check_ok(sn_cholesky_factor(with, 0, &definite));
    check(definite);
    check_ok(sn_cholesky_factor(without, 0, &definite));
    assert_int_equal(sn_cholesky_parts(with), m->n / BODY);
    assert_int_equal(sn_cholesky_parts_kept(with), kept);
    check_ok(sn_cholesky_solve(with, b, x));
    check_ok(sn_cholesky_solve(without, b, y));
    check(memcmp(x, y, (size_t)n * sizeof *x) == 0);
    sn_cholesky_destroy(without);
    SN_FREE(b, x, y);
    return with;
}

static void test_bodies_come_and_go(void** state)
{
    (void)state;
    static const double before[] = {1, 2, 3, 1}, more[] = {1, 2, 3, 1, 5}, fewer[] = {1, 3, 1}, other[] = {1, 4, 3, 1};
    SnScalarMatrix a = make_bodies(4, before), b = make_bodies(5, more), c = make_bodies(3, fewer);
    SnScalarMatrix d = make_bodies(4, other);
    SnFactorStore store = {0};
    sn_cholesky_destroy(check_factor(&a, &store, 0));
    assert_int_equal(store.count, 1);
    sn_cholesky_destroy(check_factor(&b, &store, 4)); // one is new
    sn_cholesky_destroy(check_factor(&c, &store, 3)); // one is gone
    sn_cholesky_destroy(check_factor(&d, &store, 3)); // one is stiffer
    sn_factor_store_clear(&store);
    sn_cholesky_destroy(check_factor(&a, &store, 0));
    sn_factor_store_clear(&store);
    sn_scalar_matrix_free(&a), sn_scalar_matrix_free(&b), sn_scalar_matrix_free(&c), sn_scalar_matrix_free(&d);
}

// One that is factored again with other numbers in one of its parts, or with a shift, which is in all of them.
static void test_factored_again(void** state)
{
    (void)state;
    static const double before[] = {1, 2, 3};
    SnScalarMatrix a = make_bodies(3, before); // more than are ordered together
    SnFactorStore store = {0};
    bool definite;
    SnCholesky* c = check_factor(&a, &store, 0);
    check_ok(sn_cholesky_factor(c, 0, &definite));
    assert_int_equal(sn_cholesky_parts_kept(c), 3);
    a.values[a.col_start[BODY]] *= 2;
    check_ok(sn_cholesky_factor(c, 0, &definite));
    assert_int_equal(sn_cholesky_parts_kept(c), 2);
    check_ok(sn_cholesky_factor(c, 1, &definite));
    check(definite);
    assert_int_equal(sn_cholesky_parts_kept(c), 0);
    a.values[a.col_start[2 * BODY]] = -1;
    check_ok(sn_cholesky_factor(c, 1, &definite));
    check(!definite);
    a.values[a.col_start[2 * BODY]] = 60;
    check_ok(sn_cholesky_factor(c, 1, &definite));
    check(definite);
    assert_int_equal(sn_cholesky_parts_kept(c), 0); // what was left half done is not taken for a factor
    sn_cholesky_destroy(c);
    sn_cholesky_destroy(check_factor(&a, &store, 0)); // without the shift
    sn_factor_store_clear(&store);
    sn_scalar_matrix_free(&a);
}

static void test_failing_memory(void** state)
{
    (void)state;
    static const double before[] = {1, 2}, more[] = {1, 2, 3};
    SnScalarMatrix a = make_bodies(2, before), b = make_bodies(3, more);
    for (long n = 0;; n++) {
        FailingMemory memory;
        SnFactorStore store = {0};
        SnCholesky *first, *second = NULL;
        bool definite;
        start_failing(&memory, n);
        SnStatus status = sn_cholesky_create_scalar(&a, &store, &first);
        if (status == SN_OK) status = sn_cholesky_factor(first, 0, &definite);
        sn_cholesky_destroy(first);
        if (status == SN_OK) status = sn_cholesky_create_scalar(&b, &store, &second);
        sn_cholesky_destroy(second);
        sn_factor_store_clear(&store);
        stop_failing(&memory);
        if (status == SN_OK && memory.countdown > 0) break;
        check(status == SN_OK || status == SN_ERROR_MEMORY);
        check(n < 1000);
    }
    sn_scalar_matrix_free(&a), sn_scalar_matrix_free(&b);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bodies_come_and_go),
    cmocka_unit_test(test_factored_again),
    cmocka_unit_test(test_failing_memory),
};
RUN_TESTS(tests, NULL, NULL)
