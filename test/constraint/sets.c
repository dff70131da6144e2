// Sets of constraints: gaps, forces that are taken over, normals that turn.
#include "check.h"

#include "constraint/constraint.h"

static void test_gap_and_its_transpose(void** state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
    SnStencil at = {.count = 3, .node = {0, 1, 2}, .weight = {1, -0.25, -0.75}, .normal = {0.6, 0, 0.8}, .offset = 0.5};
    double f[9] = {0}, gap = 0;
    sn_stencil_add(&at, 2, f); // 2 C^T
    for (int k = 0; k < 9; k++) gap += 0.5 * f[k] * x[k];
    check_near(sn_stencil_gap(&at, x), gap - 0.5, 1e-14);
    check_near(sn_stencil_gap(&at, x), 0.6 * (1 - 1 - 5.25) + 0.8 * (3 - 1.5 - 7.5) - 0.5, 1e-14);
}

static void test_forces_are_taken_over_by_key(void** state)
{
    (void)state;
    SnConstraintSet before = {0}, now = {0};
    const int64_t old_keys[] = {9, 2, 5}, new_keys[] = {7, 5, 1, 9};
    for (int i = 0; i < 3; i++)
        check_ok(
            sn_constraint_set_add(&before, &(SnKept){{.key = old_keys[i]}, {.force = 10.0 * (double)old_keys[i]}}));
    for (int i = 0; i < 4; i++) check_ok(sn_constraint_set_add(&now, &(SnKept){.constraint = {.key = new_keys[i]}}));
    sn_constraint_set_sort(&before), sn_constraint_set_sort(&now);
    sn_constraint_set_warm_start(&now, &before);
    const double expected[] = {0, 50, 0, 90}; // keys 1, 5, 7, 9
    for (int i = 0; i < 4; i++) check_near(now.items[i].multiplier.force, expected[i], 0);
    sn_constraint_set_free(&before), sn_constraint_set_free(&now);
}

// One that pushes and whose normal goes to and fro ends up as it was, one that is gone stays, one that is free goes.
static void test_those_that_turn_are_held(void** state)
{
    (void)state;
    const double x[6] = {0};
    SnKept pushing = {.constraint = {.at = {.count = 1, .weight = {1}, .normal = {0, 1, 0}, .offset = 0.1},
                                     .unilateral = true,
                                     .key = 3}};
    SnKept gone = pushing, free = pushing;
    gone.constraint.key = 1, free.constraint.key = 2, free.constraint.at.offset = -0.1;
    SnConstraintSet before = {0}, now = {0};
    const SnKept* items[] = {&gone, &free, &pushing};
    for (int i = 0; i < 3; i++) check_ok(sn_constraint_set_add(&before, items[i]));
    for (int k = 0; k < 4; k++) {
        SnKept turned = pushing;
        double* normal = turned.constraint.at.normal;
        normal[0] = k % 2 ? 0 : 0.28, normal[1] = k % 2 ? 1 : 0.96;
        now.count = 0;
        check_ok(sn_constraint_set_add(&now, &turned));
        check_ok(sn_constraint_set_hold(&now, &before, x));
        check(now.count == 2 && now.items[0].constraint.key == 1 && now.items[1].constraint.key == 3);
        SnConstraintSet swap = before;
        before = now, now = swap;
    }
    check_near(before.items[1].constraint.at.normal[0], 0.28, 0); // from the second turn on
    check(before.items[1].multiplier.turned > 0.5);
    before.items[1].multiplier.turned = -1; // of the stage before: nothing to compare with
    now.count = 0;
    check_ok(sn_constraint_set_add(&now, &pushing));
    check_ok(sn_constraint_set_hold(&now, &before, x));
    check_near(now.items[1].constraint.at.normal[0], 0, 0);
    sn_constraint_set_free(&before), sn_constraint_set_free(&now);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gap_and_its_transpose),
    cmocka_unit_test(test_forces_are_taken_over_by_key),
    cmocka_unit_test(test_those_that_turn_are_held),
};
RUN_TESTS(tests, NULL, NULL)
