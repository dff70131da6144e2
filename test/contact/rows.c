// Constraint rows: gaps, forces that are taken over, rows that turn.
#include "check.h"

#include "contact/detector.h"

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

// A row that pushes and whose normal goes to and fro ends up as it was, one that is gone stays, one that is free goes.
static void test_rows_that_turn_are_held(void** state)
{
    (void)state;
    const double x[6] = {0};
    SnRow pushing = {.count = 1, .weight = {1}, .normal = {0, 1, 0}, .offset = 0.1, .unilateral = true, .key = 3};
    SnRow gone = pushing, free = pushing;
    gone.key = 1, free.key = 2, free.offset = -0.1;
    SnRowSet before = {0}, now = {0};
    const SnRow* rows[] = {&gone, &free, &pushing};
    for (int i = 0; i < 3; i++) check_ok(sn_row_set_add(&before, rows[i]));
    for (int k = 0; k < 4; k++) {
        SnRow turned = pushing;
        turned.normal[0] = k % 2 ? 0 : 0.28, turned.normal[1] = k % 2 ? 1 : 0.96;
        now.count = 0;
        check_ok(sn_row_set_add(&now, &turned));
        check_ok(sn_row_set_hold(&now, &before, x));
        check(now.count == 2 && now.rows[0].key == 1 && now.rows[1].key == 3);
        SnRowSet swap = before;
        before = now, now = swap;
    }
    check_near(before.rows[1].normal[0], 0.28, 0); // from the second turn on
    check(before.rows[1].turned > 0.5);
    before.rows[1].turned = -1; // of the stage before: nothing to compare with
    now.count = 0;
    check_ok(sn_row_set_add(&now, &pushing));
    check_ok(sn_row_set_hold(&now, &before, x));
    check_near(now.rows[1].normal[0], 0, 0);
    sn_row_set_free(&before), sn_row_set_free(&now);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gap_and_its_transpose),
    cmocka_unit_test(test_forces_are_taken_over_by_key),
    cmocka_unit_test(test_rows_that_turn_are_held),
};
RUN_TESTS(tests, NULL, NULL)
