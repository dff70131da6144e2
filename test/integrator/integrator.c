// The table of integrators: names can be found, stages make sense.
#include "check.h"

#include "integrator/integrator.h"

static void test_table(void** state)
{
    (void)state;
    check(sn_integrator_count() >= 2);
    for (int i = 0; i < sn_integrator_count(); i++) {
        const SnIntegratorType* type = sn_integrator_at(i);
        check(sn_integrator_find(type->name) == type);
        check(strlen(type->summary) > 10);
        check(type->stage_count >= 1 && type->stage_count <= 2);
        for (int k = 0; k < type->stage_count; k++) check(type->stages[k].alpha >= 0 && type->stages[k].alpha <= 1);
    }
    check(sn_integrator_find("forward-euler") == NULL);
    check(sn_integrator_count() == 6);
    check(sn_integrator_find("backward-euler")->stages[0].alpha == 1);
    check(sn_integrator_find("static")->stages[0].alpha == 0);
}

// Whatever gamma and the step before, a uniform motion x = t, v = 1 is followed exactly, and the last stage ends the
// step.
static void test_weights(void** state)
{
    (void)state;
    const double gammas[] = {0.2, 0.5, 2 - sqrt(2)}, ratios[] = {0, 0.3, 1, 2};
    for (int k = 0; k < 6 * 3 * 4; k++) {
        const SnIntegratorType* type = sn_integrator_at(k / 12);
        double ratio = ratios[k % 4], before = ratio > 0 ? -1 / ratio : NAN, middle = NAN;
        SnStage stages[SN_MOST_STAGES];
        memcpy(stages, type->stages, sizeof stages);
        if (type->adjust) type->adjust(gammas[k / 4 % 3], type->remembers ? ratio : 1, stages);
        for (int i = 0; i < type->stage_count && type->order > 0; i++) {
            const SnStage* s = &stages[i];
            check_near(s->present + s->before + s->middle, 1, 1e-14);
            double start =
                (s->before != 0 ? s->before * before : 0) + (s->middle != 0 ? s->middle * middle : 0) + s->half;
            check_near(start + s->alpha, s->end, 1e-14);
            check(s->half == 0 || type->needs_force);
            check(s->before == 0 || type->remembers);
            middle = s->end;
        }
        check_near(type->extrapolate * stages[type->stage_count - 1].end, 1, 1e-15);
    }
}

// By default both stages of TR-BDF2 have the same matrix, to the bit.
static void test_one_factorisation(void** state)
{
    (void)state;
    const SnIntegratorType* type = sn_integrator_find("tr-bdf2");
    SnStage stages[SN_MOST_STAGES];
    type->adjust(type->gamma, 1, stages);
    check(stages[0].alpha == stages[1].alpha);
    check_near(stages[0].alpha, 1 - 1 / sqrt(2), 1e-15);
    SnStage other[SN_MOST_STAGES];
    type->adjust(type->gamma + 1e-9, 1, other); // the formula agrees
    check_near(other[1].alpha, stages[1].alpha, 1e-8);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_table),
    cmocka_unit_test(test_weights),
    cmocka_unit_test(test_one_factorisation),
};
RUN_TESTS(tests, NULL, NULL)
