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
    check(sn_integrator_find("backward-euler")->stages[0].alpha == 1);
    check(sn_integrator_find("static")->stages[0].alpha == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table)};
    return cmocka_run_group_tests_name("integrator", tests, NULL, NULL);
}
