// The ledger against closed forms: friction, and works without inertia.
#include "touching.h"

// A block of 16 kg that slides at 2 m/s on a floor.
static SnWorld* make_sliding(const char* integrator, const char* solver, double h)
{
    SnWorld* world;
    SnWorldDef def = world_def(solver, h);
    def.integrator = integrator;
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.4, 0.2, 0.2}, (int[]){4, 2, 2}, (double[]){0, 1e-3, 0}, (double[]){2, 0, 0}, 1e7);
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.2);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    return world;
}

// What it slows down by is friction's, and next to nothing the integrator's: not in proportion to the step.
static void test_friction_takes_it_all(void** state)
{
    (void)state;
    static const char* const integrators[] = {"trapezoidal", "tr-bdf2", "bdf2", "implicit-midpoint"};
    for (int k = 0; k < 4; k++) {
        SnWorld* world = make_sliding(integrators[k], "newton", 0.01);
        SnStepReport first, report = {0};
        check_ok(sn_world_measure(world, &first));
        for (int i = 0; i < 50; i++) report = step(world);
        double slower = first.energy.kinetic - report.energy.kinetic;
        check(slower > 23);
        check_near(report.energy.friction, slower, 5e-4 * slower);
        check_near(report.energy.numerical, 0, 5e-4 * slower);
        sn_world_destroy(world);
    }
}

// Coulomb's law for each step, dv_x = -mu (g h + dv_y), also where contacts are stopped at the end of stages.
static void test_every_step_obeys_coulomb(void** state)
{
    (void)state;
    static const char* const integrators[] = {"trapezoidal", "tr-bdf2", "implicit-midpoint"};
    static const char* const both[] = {"newton", "admm"};
    double h = 0.00125, mu = 0.2, g = 9.81, mass = 16;
    for (int k = 0; k < 6; k++) {
        SnWorld* world = make_sliding(integrators[k / 2], both[k % 2], h);
        SnStepReport before, now;
        check_ok(sn_world_measure(world, &before));
        double off = 0;
        for (int i = 0; i < 200; i++, before = now) {
            check_ok(sn_world_step(world, &now));
            double slower = (before.momentum[0] - now.momentum[0]) / mass,
                   pressed = g * h + (now.momentum[1] - before.momentum[1]) / mass;
            check_near(slower, mu * pressed, 0.06 * mu * g * h);
            off += slower - mu * pressed;
        }
        check_near(off, 0, 1e-3 * mu * g * 200 * h);
        check(now.energy.friction > 0 && now.energy.numerical > -0.01);
        sn_world_destroy(world);
    }
}

// A belt under the block at rest takes it along: what the belt gives is motion or friction.
static void test_belt(void** state)
{
    (void)state;
    static const char* const integrators[] = {"backward-euler", "trapezoidal", "tr-bdf2", "bdf2", "implicit-midpoint"};
    for (int k = 0; k < 5; k++) {
        SnWorld* world;
        SnWorldDef def = world_def("newton", 0.005);
        def.integrator = integrators[k];
        check_ok(sn_world_create(&def, &world));
        add_box(world, (double[]){0.4, 0.2, 0.2}, (int[]){4, 2, 2}, (double[]){0, 1e-3, 0}, NULL, 1e7);
        SnObstacleDef belt = plane(0, 1, 0, 0, 0.2);
        belt.motion.velocity[0] = 2;
        check_ok(sn_world_add_obstacle(world, &belt, NULL));
        SnStepReport report = {0};
        for (int i = 0; i < 100; i++) report = step(world);
        double v = report.momentum[0] / 16, given = 16 * v * 2;
        check(v > 0.9);
        check_near(report.energy.pins, given, 2e-3 * given);
        check_near(report.energy.friction, given - 8 * v * v, (k == 0 ? 1e-2 : 5e-3) * given);
        sn_world_destroy(world);
    }
}

// Works done on a bar by the end of so many equilibria: its end is pulled by a handle, or pushed by a wall.
static SnEnergy work_of(int steps, SnHold how, bool wall)
{
    SnWorld* world;
    SnWorldDef def = world_def("newton", 1.0 / steps);
    def.integrator = "static", def.gravity[1] = 0, def.solver.tolerance = 1e-10;
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){1, 0.2, 0.2}, (int[]){5, 1, 1}, (double[]){0, 0, 0}, NULL, 1e5);
    const double* x = sn_world_positions(world);
    int left[4], right[4], a = 0, b = 0;
    for (int i = 0; i < sn_world_node_count(world); i++) {
        if (x[3 * i] < 1e-9) left[a++] = i;
        if (x[3 * i] > 1 - 1e-9) right[b++] = i;
    }
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = left, handle.node_count = a;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    handle.nodes = right, handle.node_count = b, handle.motion.velocity[0] = 0.3, handle.how = how;
    if (!wall) check_ok(sn_world_add_handle(world, &handle, NULL));
    SnObstacleDef push = plane(-1, 0, 0, -1.001, 0);
    push.motion.velocity[0] = -0.1;
    if (wall) check_ok(sn_world_add_obstacle(world, &push, NULL));
    SnStepReport report = {0};
    for (int i = 0; i < steps; i++) check_ok(sn_world_step(world, &report));
    sn_world_destroy(world);
    return report.energy;
}

// Without inertia handles and walls give what is stored, up to an error of second order in the steps.
static void test_work_without_inertia(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        SnHold how = k == 1 ? SN_HOLD_ENERGY : SN_HOLD_ELIMINATE;
        SnEnergy coarse = work_of(9, how, k == 2), fine = work_of(18, how, k == 2);
        check(coarse.elastic > 10);
        check_near(coarse.pins, coarse.elastic, 0.01 * coarse.elastic);
        check_near(coarse.numerical, coarse.pins - coarse.elastic, 1e-9 * coarse.elastic);
        check(fabs(fine.numerical) < 0.3 * fabs(coarse.numerical));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_friction_takes_it_all),
    cmocka_unit_test(test_every_step_obeys_coulomb),
    cmocka_unit_test(test_belt),
    cmocka_unit_test(test_work_without_inertia),
};
RUN_TESTS(tests, NULL, NULL)
