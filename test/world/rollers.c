// Handles that hold in some axes only: planes of symmetry against the whole and a closed form, with every solver;
// rollers at an angle; works, release, resumption, mistakes.
#include <sinew/probe.h>

#include "bodies.h"
#include "check_world.h"
#include "solver/solver.h"

static SnWorldDef weightless(const char* integrator, const char* solver)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = 0.1, def.solver.type = solver;
    memset(def.gravity, 0, sizeof def.gravity);
    def.solver.tolerance = 1e-8, def.solver.iterations = 5000;
    return def;
}

// The nodes of body 0 whose rest position along an axis is `at`, held in that direction.
static SnStatus try_hold(SnWorld* world, int axis, double at, const double direction[3], SnMotion motion)
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    int *nodes = calloc((size_t)info.node_count, sizeof *nodes), count = 0;
    for (int i = 0; i < info.node_count; i++)
        if (fabs(info.rest[3 * i + axis] - at) < 1e-9) nodes[count++] = i;
    SnHandleDef def = sn_default_handle_def();
    def.nodes = nodes, def.node_count = count, def.motion = motion;
    def.axis_count = 1;
    memcpy(def.axes, direction, 3 * sizeof *direction);
    SnStatus status = sn_world_add_handle(world, &def, NULL);
    free(nodes);
    return status;
}

static void hold_along(SnWorld* world, int axis, double at, SnMotion motion)
{
    double direction[3] = {0};
    direction[axis] = 2; // any length
    check_ok(try_hold(world, axis, at, direction, motion));
}

static SnMotion pulling(double speed)
{
    SnMotion motion = still();
    motion.velocity[0] = speed;
    motion.velocity[1] = 3; // across what it holds: of no matter
    return motion;
}

static SnWorld* make_eighth(SnWorldDef def)
{
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 0.5, 0.5, 3, 2, 2), sn_material("neo-hookean", 1e5, 0.3, 1000), NULL, NULL);
    for (int axis = 0; axis < 3; axis++) hold_along(world, axis, 0, still());
    hold_along(world, 0, 1, pulling(1));
    SnProbeDef probe = sn_default_probe_def("reaction");
    for (probe.handle = 0; probe.handle < 4; probe.handle++) check_ok(sn_world_add_probe(world, &probe, NULL));
    return world;
}

// mu (t - 1/t) + lambda ln(s t^2)/t = 0 across, for a stretch s along; the stress per area at rest along.
static double stress_of(double s, double* across)
{
    double mu = 1e5 / 2.6, lambda = 1e5 * 0.3 / (1.3 * 0.4), t = 1;
    for (int i = 0; i < 100; i++) {
        double f = mu * (t * t - 1) + lambda * log(s * t * t), slope = 2 * mu * t + 2 * lambda / t;
        t -= f / slope;
    }
    *across = t;
    return mu * (s - 1 / s) + lambda * log(s * t * t) / s;
}

// An eighth of a bar is stretched as the whole is: alike everywhere.
static void test_symmetry(void** state)
{
    (void)state;
    for (int k = 0; k < sn_solver_count(); k++) {
        SnWorld* world = make_eighth(weightless("static", sn_solver_at(k)->name));
        SnStepReport report;
        for (int i = 0; i < 5; i++) check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: %s", sn_solver_at(k)->name, report.detail);
        double across, force = 0.25 * stress_of(1.5, &across);
        SnBodyInfo info;
        check_ok(sn_world_body(world, 0, &info));
        const double* x = sn_world_positions(world);
        for (int i = 0; i < 3 * info.node_count; i++) check_near(x[i], info.rest[i] * (i % 3 ? across : 1.5), 2e-5);
        check_near(report.values[3 * 7], force, 1e-4 * force);
        check_near(report.values[0], -force, 1e-4 * force);
        check_near(report.values[7 + 1], 0, 1e-4 * force); // nothing presses from the side
        double works = 0;
        for (int h = 0; h < 4; h++) works += report.values[7 * h + 6];
        check_near(works, report.energy.pins, 1e-9 * works);
        check_near(report.energy.pins, report.energy.elastic, 0.01 * works); // five steps of the mean force
        sn_world_destroy(world);
    }
}

// With inertia the books are kept, too, with every integrator; and the same bits come after a restore.
static void test_motion_and_resumption(void** state)
{
    (void)state;
    static const char* const integrators[] = {"backward-euler", "bdf2", "trapezoidal", "implicit-midpoint", "tr-bdf2"};
    for (int k = 0; k < 5; k++) {
        SnWorldDef def = weightless(integrators[k], "auto");
        def.time_step = 0.01;
        SnWorld *world = make_eighth(def), *other = make_eighth(def);
        SnStepReport report, again;
        size_t size = 0;
        char* bytes = NULL;
        for (int i = 0; i < 12; i++) {
            check_ok(sn_world_step(world, &report));
            if (i != 5) continue;
            size = sn_world_state_size(world), bytes = calloc(1, size);
            check_ok(sn_world_save_state(world, bytes, size));
        }
        check_ok(sn_world_restore_state(other, bytes, size));
        for (int i = 6; i < 12; i++) check_ok(sn_world_step(other, &again));
        check(sn_world_hash(world) == sn_world_hash(other));
        assert_memory_equal(report.values, again.values, 28 * sizeof(double));
        double works = 0, change = report.energy.kinetic + report.energy.elastic;
        for (int h = 0; h < 4; h++) works += report.values[7 * h + 6];
        check_near(works, report.energy.pins, 1e-9 * fabs(works));
        check_near(change, report.energy.pins - report.energy.numerical, 1e-9 * change);
        for (int c = 0; c < 3; c++) check_near(report.momentum[c], report.impulse[c], 1e-3);
        free(bytes);
        sn_world_destroy(world), sn_world_destroy(other);
    }
}

// A block on an inclined roller slides down it, and its weight across it is what the roller bears.
static void test_incline(void** state)
{
    (void)state;
    SnWorldDef def = weightless("backward-euler", "auto");
    def.gravity[1] = -10, def.time_step = 0.01;
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 1, 1, 1, 1, 1), sn_material("neo-hookean", 1e7, 0.3, 1000), NULL, NULL);
    const double normal[3] = {3, 4, 0};
    check_ok(try_hold(world, 1, 0, normal, still()));
    hold_along(world, 0, 0, still()); // until it lets go, with the other one held altogether
    SnProbeDef probe = sn_default_probe_def("force");
    probe.handle = 0;
    check_ok(sn_world_add_probe(world, &probe, NULL));
    SnStepReport report;
    for (int i = 0; i < 100; i++) check_ok(sn_world_step(world, &report));
    check_near(0.6 * report.values[0] + 0.8 * report.values[1], hypot(report.values[0], report.values[1]), 1e-9 * 1e4);
    sn_world_destroy(world);
    world = make_world(def);
    add_body(world, make_box(1, 1, 1, 1, 1, 1), sn_material("neo-hookean", 1e7, 0.3, 1000), NULL, NULL);
    SnHandleDef all = sn_default_handle_def();
    all.axis_count = 1, all.motion.release = 0.5;
    memcpy(all.axes, normal, sizeof normal);
    check_ok(sn_world_add_handle(world, &all, NULL));
    check_ok(sn_world_add_probe(world, &probe, NULL));
    for (int i = 0; i < 50; i++) check_ok(sn_world_step(world, &report));
    double down[3] = {0.8, -0.6, 0}, speed = 0; // along the incline at g sin = 6 m/s2
    for (int c = 0; c < 3; c++) speed += down[c] * report.momentum[c] / 1000;
    check_near(speed, 6 * 0.5, 1e-6);
    check_near(report.values[1], 0.8 * 8000, 1e-3 * 8000);
    check_near(report.values[0], 0.6 * 8000, 1e-3 * 8000);
    double before = report.momentum[1];
    check_ok(sn_world_step(world, &report)); // let go: it falls
    check_near(report.momentum[1] - before, -10 * 1000 * 0.01, 1e-3);
    check_near(report.values[1], 0, 0);
    sn_world_destroy(world);
}

// A plate that is pushed along is where its script has it at the end of each step, with every integrator; so is what
// slides on an obstacle.
static void test_places(void** state)
{
    (void)state;
    for (int k = 0; k < 2 * DYNAMIC; k++) {
        SnWorldDef def = weightless(dynamic[k / 2], "newton");
        def.time_step = 0.01;
        SnWorld* world = make_world(def);
        add_body(world, make_box(1, 1, 1, 1, 1, 1), sn_material("neo-hookean", 1e6, 0.3, 1000), NULL, NULL);
        if (k % 2) {
            SnObstacleDef floor = sn_default_obstacle_def();
            SnSlideDef slide = sn_default_slide_def();
            int nodes[4], count = 0;
            SnBodyInfo info;
            check_ok(sn_world_body(world, 0, &info));
            for (int i = 0; i < info.node_count; i++)
                if (info.rest[3 * i + 1] == 0) nodes[count++] = i;
            floor.motion.velocity[1] = 1;
            check_ok(sn_world_add_obstacle(world, &floor, &slide.on_obstacle));
            slide.nodes = nodes, slide.node_count = count;
            check_ok(sn_world_add_slide(world, &slide, NULL));
        } else {
            SnMotion motion = still();
            motion.velocity[1] = 1;
            hold_along(world, 1, 0, motion);
        }
        for (int i = 1; i <= 5; i++) {
            check_ok(sn_world_step(world, NULL));
            check_near(sn_world_positions(world)[1], 0.01 * i, 1e-4); // of 0.01
        }
        sn_world_destroy(world);
    }
}

static void test_mistakes(void** state)
{
    (void)state;
    SnWorld* world = make_world(weightless("static", "auto"));
    add_body(world, make_box(1, 1, 1, 1, 1, 1), sn_material("neo-hookean", 1e7, 0.3, 1000), NULL, NULL);
    const double x[3] = {1, 0, 0}, none[3] = {0};
    check_fails(try_hold(world, 0, 0, none, still()), SN_ERROR_VALUE, "axis 0", "a length");
    check_ok(try_hold(world, 0, 0, x, still()));
    check_fails(try_hold(world, 1, 0, x, still()), SN_ERROR_VALUE, "not independent", "node 0");
    SnHandleDef def = sn_default_handle_def();
    int node = 7;
    def.nodes = &node, def.node_count = 1, def.axis_count = 4;
    check_fails(sn_world_add_handle(world, &def, NULL), SN_ERROR_VALUE, "4 axes");
    def.axis_count = 1, def.axes[0] = 1, def.how = SN_HOLD_ENERGY;
    check_fails(sn_world_add_handle(world, &def, NULL), SN_ERROR_VALUE, "by energy");
    def.how = SN_HOLD_ELIMINATE, def.axis_count = 0, node = 0;
    check_fails(sn_world_add_handle(world, &def, NULL), SN_ERROR_VALUE, "held by handle 0 already");
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_symmetry), cmocka_unit_test(test_motion_and_resumption),
    cmocka_unit_test(test_incline),  cmocka_unit_test(test_places),
    cmocka_unit_test(test_mistakes),
};
RUN_TESTS(tests, NULL, NULL)
