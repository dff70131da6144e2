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

enum { LIMIT = 60 }; // iterations

// Two blocks that fly at each other and at a floor, turning.
static SnWorld* make_thrown(const char* solver, const char* integrator, double speed)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    def.threads = 1, def.solver.type = solver, def.solver.iterations = LIMIT, def.integrator = integrator;
    def.contact.bodies = def.contact.self = true, def.contact.friction = 0.3;
    check_ok(sn_world_create(&def, &world));
    for (int k = 0; k < 2; k++) {
        SnMesh* mesh;
        SnBodyDef body = sn_default_body_def();
        double velocity[3 * 12];
        check_ok(sn_mesh_make_box((double[]){0.4, 0.4, 0.4}, (int[]){2, 1, 1}, &mesh));
        for (int i = 0; i < 12; i++) {
            double* x = sn_mesh_nodes(mesh) + 3 * i;
            velocity[3 * i] = (k ? -1 : 1) * speed + speed * x[1], velocity[3 * i + 1] = -speed * x[0];
            velocity[3 * i + 2] = 0.1 * speed;
            x[0] += k, x[1] += 0.1 + 0.07 * k, x[2] += 0.03 * k;
        }
        body.mesh = mesh, body.velocity = velocity;
        check_ok(sn_world_add_body(world, &body, NULL));
        sn_mesh_destroy(mesh);
    }
    SnObstacleDef floor = sn_default_obstacle_def();
    floor.friction = 0.5;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    return world;
}

// Speeds at which contacts cannot be kept as they should be: a step has so many iterations, and these so many
// evaluations and factorisations, as docs/reliability.md has them.
static void check_work(const SnStepReport* r, int stages)
{
    int most = 4 * 300; // iterations, and the part that goes beyond them, and the rest of the step
    check(r->iterations <= most + 2 * stages * LIMIT);
    check(r->evaluations <= 42 * (r->iterations + 10));
    check(r->factorizations <= 25 * (r->iterations + 10));
    check(r->iterations < most || r->bounded > 0);
}

static void test_work_at_any_speed(void** state)
{
    (void)state;
    static const char* const solvers[] = {"newton", "auto", "lbfgs", "dot", "chebyshev", "admm", "pd"};
    static const double speeds[] = {1e3, 1e4, 4e4, 1e5, 1e6, 2.6e7, 1e8, 3e8};
    for (int k = 0; k < 7; k++) {
        int most = 0, touches = 0;
        for (int n = 0; n < 8; n++) {
            SnStepReport r;
            SnWorld* world = make_thrown(solvers[k], n % 2 ? "tr-bdf2" : "backward-euler", speeds[n]);
            check_ok(sn_world_step(world, &r));
            check(is_number(&r));
            check_work(&r, 1 + n % 2);
            if (r.iterations > most) most = r.iterations;
            touches += r.contacts;
            sn_world_destroy(world);
        }
        check(most > 9 * LIMIT && touches > 0); // it was hard
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_steps_beyond_all_numbers),
    cmocka_unit_test(test_obstacles_that_come),
    cmocka_unit_test(test_work_at_any_speed),
};
RUN_TESTS(tests, NULL, NULL)
