// Tests of contact: constraint rows.
#include "check.h"
#include "contact/rows.h"

static void test_gap_and_its_transpose(void** state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
    SnRow row = {.count = 3, .node = {0, 1, 2}, .weight = {1, -0.25, -0.75}, .normal = {0.6, 0, 0.8}, .offset = 0.5};
    double f[9] = {0}, gap = 0;
    sn_row_add(&row, 2, f); // 2 C^T
    for (int k = 0; k < 9; k++) gap += 0.5 * f[k] * x[k];
    check_near(sn_row_gap(&row, x), gap - 0.5, 1e-14);
    check_near(sn_row_gap(&row, x), 0.6 * (1 - 1 - 5.25) + 0.8 * (3 - 1.5 - 7.5) - 0.5, 1e-14);
}

static void test_forces_are_taken_over_by_key(void** state)
{
    (void)state;
    SnRowSet before = {0}, now = {0};
    const int64_t old_keys[] = {9, 2, 5}, new_keys[] = {7, 5, 1, 9};
    for (int i = 0; i < 3; i++)
        check_ok(sn_row_set_add(&before, &(SnRow){.key = old_keys[i], .force = 10.0 * old_keys[i]}));
    for (int i = 0; i < 4; i++) check_ok(sn_row_set_add(&now, &(SnRow){.key = new_keys[i]}));
    sn_row_set_sort(&before), sn_row_set_sort(&now);
    sn_row_set_warm_start(&now, &before);
    const double expected[] = {0, 50, 0, 90}; // keys 1, 5, 7, 9
    for (int i = 0; i < 4; i++) check_near(now.rows[i].force, expected[i], 0);
    sn_row_set_free(&before), sn_row_set_free(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap_and_its_transpose),
        cmocka_unit_test(test_forces_are_taken_over_by_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
