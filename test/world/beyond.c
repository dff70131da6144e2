// Numbers that cannot be reckoned with: refused, or the step says that it has no end; never converged, never NaN.
#include "bodies.h"

static bool is_number(const SnStepReport* r)
{
    const SnEnergy* e = &r->energy;
    double sum = e->kinetic + e->gravity + e->pins + e->viscous + e->friction + e->numerical + e->unconverged;
    for (int c = 0; c < 3; c++) sum += r->momentum[c] + r->angular_momentum[c] + r->impulse[c] + r->angular_impulse[c];
    return isfinite(sum) && !isnan(r->gradient) && isfinite(r->tolerance + r->depth + r->drift + r->time);
}

// A cube that is told to fly so fast, in steps so long, under such a gravity.
static SnWorld* make_flying(double speed, double h, double gravity)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnMesh* mesh;
    def.time_step = h, def.gravity[1] = gravity, def.threads = 1;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh));
    SnBodyDef body = sn_default_body_def();
    double velocity[24];
    for (int i = 0; i < 24; i++) velocity[i] = speed;
    body.mesh = mesh, body.velocity = velocity;
    check_ok(sn_world_add_body(world, &body, NULL));
    SnObstacleDef floor = sn_default_obstacle_def();
    floor.shape.point[1] = -1;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    sn_mesh_destroy(mesh);
    return world;
}

static void test_steps_beyond_all_numbers(void** state)
{
    (void)state;
    static const double cases[][3] = {{1e19, 100, 0}, {0, 1e15, -9.81}, {0, 1, 1e25}, {1e20, 1e-3, 1e30}};
    for (int k = 0; k < 4; k++) {
        SnWorld* world = make_flying(cases[k][0], cases[k][1], cases[k][2]);
        SnStepReport report;
        for (int i = 0; i < 3; i++) {
            check_ok(sn_world_step(world, &report));
            check(is_number(&report));
            for (int n = 0; n < 24; n++)
                check(isfinite(sn_world_positions(world)[n]) && isfinite(sn_world_velocities(world)[n]));
            if (i == 0) check(report.outcome == SN_OUTCOME_STALLED && strstr(report.detail, "beyond all numbers"));
        }
        sn_world_destroy(world);
    }
}

static void log_warning(void* user, SnLogLevel level, const char* message)
{
    if (level == SN_LOG_WARNING && strstr(message, "starts inside")) ++*(int*)user;
}

// What an obstacle reaches in the first step did not start inside it.
static void test_obstacles_that_come(void** state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        int warnings = 0;
        SnWorldDef def = sn_default_world_def();
        SnWorld* world;
        SnMesh* mesh;
        def.log = (SnLog){&warnings, log_warning};
        check_ok(sn_world_create(&def, &world));
        check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh));
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh;
        check_ok(sn_world_add_body(world, &body, NULL));
        SnObstacleDef floor = sn_default_obstacle_def();
        floor.shape.point[1] = inside ? 0.1 : -0.05;
        floor.motion.velocity[1] = 10; // 0.17 m in a step
        check_ok(sn_world_add_obstacle(world, &floor, NULL));
        check_ok(sn_world_step(world, NULL));
        assert_int_equal(warnings, inside);
        sn_world_destroy(world);
        sn_mesh_destroy(mesh);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_steps_beyond_all_numbers),
    cmocka_unit_test(test_obstacles_that_come),
};
RUN_TESTS(tests, NULL, NULL)
