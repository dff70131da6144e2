// Clay: powers of dissipation with the exponent 0, which hold what is below their threshold and give way above it.
#include "blocks.h"
#include "world/world.h"

#define SIDE 1.0
#define DENSITY 1000.0
#define GRAVITY 10.0
#define WEIGHT (DENSITY * GRAVITY * SIDE) // Pa, where it hangs

// A block that hangs from its upper face, or lies free, of clay that yields at `strength`.
static SnWorld* make_clay(const SnWorldDef* def, const char* damping, double strength, bool hangs)
{
    SnWorld* world = make_world(*def);
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){SIDE, SIDE, SIDE}, (int[]){2, 2, 2}, &mesh));
    SnDampingDef d = sn_default_damping_def(damping);
    // power-law: R = (reference shear)^1/2 |E'|
    d.exponent = 0, d.strength = strength, d.shear = strength, d.reference = strength;
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.damping = &d, body.damping_count = 1;
    body.material = sn_material("neo-hookean", 2e5, 0.3, DENSITY);
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    if (hangs) hold(world, 1, SIDE, SIDE, still());
    return world;
}

static SnWorldDef clay_def(const char* integrator, double step)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = step;
    def.gravity[1] = -GRAVITY;
    def.solver.tolerance = 1e-8, def.solver.iterations = 1000;
    return def;
}

static double furthest(const SnWorld* world)
{
    double most = 0;
    const double *x = sn_world_positions(world), *rest = world->model.bodies[0].rest;
    for (int k = 0; k < 3 * sn_world_node_count(world); k++) most = fmax(most, fabs(x[k] - rest[k]));
    return most;
}

static double fastest(const SnWorld* world)
{
    double most = 0;
    const double* v = sn_world_velocities(world);
    for (int k = 0; k < 3 * sn_world_node_count(world); k++) most = fmax(most, fabs(v[k]));
    return most;
}

static void step_converged(SnWorld* world, SnStepReport* report)
{
    check_ok(sn_world_step(world, report));
    if (report->outcome != SN_OUTCOME_CONVERGED)
        fail_msg("step %d: %s (%s) after %d iterations, %g of %g N", (int)report->step,
                 sn_outcome_name(report->outcome), report->detail, report->iterations, report->gradient,
                 report->tolerance);
}

// Kinetic, elastic and gravity, and where they went.
static double balance(const SnEnergy* e)
{
    return e->kinetic + e->elastic + e->gravity - e->pins + e->viscous + e->friction + e->numerical;
}

// Below the threshold nothing moves in ten seconds. Above it, it gives way until elasticity carries the rest, and stops
// dead.
static void test_threshold(void** state)
{
    (void)state;
    const char *integrators[] = {"backward-euler", "bdf2", "tr-bdf2"}, *types[] = {"fast-power-law", "power-law"};
    for (int k = 0; k < 6; k++)
        for (int above = 0; above < 2; above++) {
            SnWorldDef def = clay_def(integrators[k % 3], 0.1);
            SnWorld* world = make_clay(&def, types[k / 3], above ? 0.1 * WEIGHT : 3 * WEIGHT, true);
            SnStepReport first, report;
            check_ok(sn_world_measure(world, &first));
            for (int step = 0; step < 100; step++) step_converged(world, &report);
            double moved = furthest(world), speed = fastest(world);
            if (above ? !(moved > 0.01 * SIDE && speed < 1e-6) : !(moved < 1e-7 * SIDE && speed < 1e-7))
                fail_msg("%s, %s, %s the threshold: %g m, at last %g m/s", integrators[k % 3], types[k / 3],
                         above ? "above" : "below", moved, speed);
            double all = WEIGHT * SIDE * SIDE * moved; // J
            check_near(balance(&report.energy), balance(&first.energy), 1e-9 * WEIGHT);
            if (above) check(report.energy.viscous > 0.05 * all && report.energy.viscous < all);
            if (!above) check_near(report.energy.viscous, 0, 1e-6 * WEIGHT);
            sn_world_destroy(world);
        }
}

// What is loaded and then, all but a hundredth, unloaded has no more to give back than elasticity does against the
// threshold: it stays bent, where a body without clay comes back.
static void test_stays_bent(void** state)
{
    (void)state;
    SnWorldDef def = clay_def("tr-bdf2", 0.02);
    SnWorld* world = make_clay(&def, "fast-power-law", 0.3 * WEIGHT, true);
    SnStepReport report;
    for (int step = 0; step < 100; step++) step_converged(world, &report);
    double bent = furthest(world);
    world->model.def.gravity[1] *= 0.01;
    sn_world_discard_problem(world);
    world->state.force_known = false;
    for (int step = 0; step < 100; step++) step_converged(world, &report);
    double left = furthest(world), speed = fastest(world);
    if (!(bent > 5e-3 && left > 0.1 * bent && left < 0.9 * bent && speed < 1e-6))
        fail_msg("bent by %g m, %g m are left, at %g m/s", bent, left, speed);
    sn_world_destroy(world);
}

// A block that was bent and holds itself, with nothing acting on it: its steps converge, though there is no force to
// measure rounding by, and it stays where it is, under stress.
static void test_holds_itself(void** state)
{
    (void)state;
    const char* solvers[] = {"auto", "newton", "lbfgs"};
    for (int k = 0; k < 3; k++) {
        SnWorldDef def = clay_def("backward-euler", 0.01);
        def.gravity[1] = 0;
        def.solver = sn_default_solver_def();
        def.solver.type = solvers[k];
        SnWorld* world = make_clay(&def, "fast-power-law", 20000, true);
        double v[3 * 27];
        for (int i = 0; i < 27; i++)
            for (int c = 0; c < 3; c++)
                v[3 * i + c] = c == 0 ? 5 * (SIDE - world->model.bodies[0].rest[3 * (int64_t)i + 1]) : 0;
        check_ok(sn_world_set_velocities(world, v));
        SnStepReport report;
        for (int step = 0; step < 60; step++) step_converged(world, &report);
        double there = furthest(world);
        for (int step = 0; step < 20; step++) step_converged(world, &report);
        check(there > 0.01 && fabs(furthest(world) - there) < 1e-9 && report.energy.elastic > 1);
        sn_world_destroy(world);
    }
}

// Turning is no deformation: a free block that spins keeps its shape and its spin, by every integrator that has more
// of a past than the step before, too.
static void test_turning(void** state)
{
    (void)state;
    const char* integrators[] = {"backward-euler", "bdf2", "tr-bdf2", "trapezoidal"};
    for (int k = 0; k < 4; k++) {
        SnWorldDef def = clay_def(integrators[k], 0.01);
        def.gravity[1] = 0;
        SnWorld* world = make_clay(&def, "fast-power-law", 1e6, false);
        for (int i = 0; i < sn_world_node_count(world); i++) {
            const double* x = world->state.x + 3 * i;
            world->state.v[3 * i] = -3 * (x[1] - SIDE / 2), world->state.v[3 * i + 1] = 3 * (x[0] - SIDE / 2);
        }
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < 50; step++) step_converged(world, &report);
        check(fabs(report.angular_momentum[2]) > 0.5 * fabs(first.angular_momentum[2]));
        if (!(report.energy.elastic < 1e-6 * first.energy.kinetic))
            fail_msg("%s: %g J of strain", integrators[k], report.energy.elastic);
        sn_world_destroy(world);
    }
}

// A block that hits a floor, by every integrator and several solvers: it converges, comes to rest, and gains nothing.
static void test_impact(void** state)
{
    (void)state;
    const char *integrators[] = {"bdf2", "tr-bdf2"}, *solvers[] = {"newton", "lbfgs", "admm", "auto"};
    const double exponents[] = {0, 2};
    for (int k = 0; k < 16; k++) {
        SnWorldDef def = clay_def(integrators[k % 2], 0.01);
        def.solver.type = solvers[k / 2 % 4], def.solver.tolerance = 1e-5;
        SnWorld* world = make_world(def);
        SnMesh* mesh;
        check_ok(sn_mesh_make_box((double[]){SIDE, SIDE, SIDE}, (int[]){2, 2, 2}, &mesh));
        int n = sn_mesh_node_count(mesh);
        double *start = calloc((size_t)n, 3 * sizeof *start), *velocity = calloc((size_t)n, 3 * sizeof *velocity);
        for (int i = 0; i < n; i++) {
            memcpy(start + 3 * i, sn_mesh_nodes(mesh) + 3 * i, 3 * sizeof *start);
            start[3 * i + 1] += 0.1, velocity[3 * i + 1] = -6;
        }
        SnDampingDef d = sn_default_damping_def("fast-power-law");
        d.exponent = exponents[k / 8], d.strength = k / 8 ? 500 : 5000;
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh, body.damping = &d, body.damping_count = 1, body.start = start, body.velocity = velocity;
        body.material = sn_material("neo-hookean", 3e4, 0.4, DENSITY);
        check_ok(sn_world_add_body(world, &body, NULL));
        sn_mesh_destroy(mesh), free(start), free(velocity);
        SnObstacleDef floor = sn_default_obstacle_def();
        check_ok(sn_world_add_obstacle(world, &floor, NULL));
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        double before = first.energy.kinetic + first.energy.elastic + first.energy.gravity, most = before;
        for (int step = 0; step < 40; step++) {
            step_converged(world, &report);
            double now = report.energy.kinetic + report.energy.elastic + report.energy.gravity;
            if (!(now < before + 1e-3 * most))
                fail_msg("%s, %s: %g J after %g J", def.integrator, def.solver.type, now, before);
            before = now;
        }
        check(report.energy.viscous > 0.1 * first.energy.kinetic && report.energy.kinetic < 0.1 * first.energy.kinetic);
        sn_world_destroy(world);
    }
}

// A saved state goes on with the forces that held.
static void test_resumed(void** state)
{
    (void)state;
    SnWorldDef def = clay_def("tr-bdf2", 0.05);
    SnWorld *whole = make_clay(&def, "fast-power-law", 0.3 * WEIGHT, true),
            *resumed = make_clay(&def, "fast-power-law", 0.3 * WEIGHT, true);
    SnStepReport report;
    for (int step = 0; step < 6; step++) step_converged(whole, &report);
    size_t size = sn_world_state_size(whole);
    char* bytes = malloc(size);
    check_ok(sn_world_save_state(whole, bytes, size));
    check_ok(sn_world_restore_state(resumed, bytes, size));
    for (int step = 0; step < 6; step++) step_converged(whole, &report), step_converged(resumed, &report);
    check(sn_world_hash(whole) == sn_world_hash(resumed));
    free(bytes);
    sn_world_destroy(whole), sn_world_destroy(resumed);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_threshold),    cmocka_unit_test(test_stays_bent), cmocka_unit_test(test_turning),
    cmocka_unit_test(test_holds_itself), cmocka_unit_test(test_impact),     cmocka_unit_test(test_resumed),
};
RUN_TESTS(tests, NULL, NULL)
