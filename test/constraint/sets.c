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
    check_ok(sn_constraint_set_warm_start(&now, &before, SN_KEEP_NOTHING));
    const double expected[] = {0, 50, 0, 90}; // keys 1, 5, 7, 9
    for (int i = 0; i < 4; i++) check_near(now.items[i].multiplier.force, expected[i], 0);
    sn_constraint_set_free(&before), sn_constraint_set_free(&now);
}

// Contacts that went over to other elements take over by place; those that push and are gone are kept where asked.
static void test_places_and_those_that_are_gone(void** state)
{
    (void)state;
    SnConstraintSet before = {0}, now = {0};
    const SnKept old[] = {
        {{.key = SN_CONTACT_KEYS + 1, .place = 7, .unilateral = true}, {.force = 10, .tangent = {1, 2, 3}}},
        {{.key = SN_CONTACT_KEYS + 2, .place = 8, .unilateral = true}, {.force = 20}},
        {{.key = SN_CONTACT_KEYS + 3, .place = 9, .unilateral = true}, {.force = 0}},
    };
    for (int i = 0; i < 3; i++) check_ok(sn_constraint_set_add(&before, &old[i]));
    for (int keep = 0; keep < 2; keep++) {
        now.count = 0;
        check_ok(sn_constraint_set_add(&now, &(SnKept){.constraint = {.key = SN_CONTACT_KEYS + 4, .place = 7}}));
        check_ok(sn_constraint_set_warm_start(&now, &before, keep ? SN_KEEP_PUSHING : SN_KEEP_NOTHING));
        check(now.count == 1 + keep);
        check_near(now.items[keep].multiplier.force, 10, 0);
        check_near(now.items[keep].multiplier.tangent[2], 3, 0);
        if (keep) check_near(now.items[0].multiplier.force, 20, 0);
    }
    sn_constraint_set_free(&before), sn_constraint_set_free(&now);
}

// Of contacts with the same key one is kept; of other constraints all are.
static void test_contacts_are_kept_once(void** state)
{
    (void)state;
    SnConstraintSet set = {0};
    const int64_t keys[] = {SN_CONTACT_KEYS + 5, 3, SN_CONTACT_KEYS + 5, 3, SN_CONTACT_KEYS + 4};
    for (int i = 0; i < 5; i++) check_ok(sn_constraint_set_add(&set, &(SnKept){.constraint = {.key = keys[i]}}));
    sn_constraint_set_sort(&set);
    const int64_t expected[] = {3, 3, SN_CONTACT_KEYS + 4, SN_CONTACT_KEYS + 5};
    check(set.count == 4);
    for (int i = 0; i < 4; i++) check(set.items[i].constraint.key == expected[i]);
    sn_constraint_set_free(&set);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gap_and_its_transpose),
    cmocka_unit_test(test_forces_are_taken_over_by_key),
    cmocka_unit_test(test_places_and_those_that_are_gone),
    cmocka_unit_test(test_contacts_are_kept_once),
};
RUN_TESTS(tests, NULL, NULL)
