// Bodies that sleep: they stay where they are to the last bit, cost nothing, and wake before anything touches them; the
// ledger closes over it, and threads, saved states and noted changes make no difference.
#include "check_world.h"

#include "core/random.h"
#include "mesh/mesh.h"

enum { SIDE = 3, NODES = SIDE * SIDE * SIDE };

static SnWorld* make(const char* integrator, int threads, double friction)
{
    SnWorldDef def = sn_default_world_def();
    SnObstacleDef plane = sn_default_obstacle_def();
    SnWorld* world;
    def.time_step = 1.0 / 60, def.integrator = integrator, def.threads = threads;
    def.contact.bodies = true, def.contact.friction = friction;
    def.sleep.speed = 0.01, def.sleep.after = 0.25;
    plane.friction = friction;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_world_add_obstacle(world, &plane, NULL));
    return world;
}

// A cube of half a metre with its lower corner at a place, and a velocity along x.
static int add_cube(SnWorld* world, double x, double y, double speed)
{
    SnDampingDef damping = sn_default_damping_def("rayleigh"); // without it some integrators ring for ever
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh;
    int number;
    double v[3 * NODES] = {0};
    check_ok(sn_mesh_make_box((double[3]){0.5, 0.5, 0.5}, (int[3]){SIDE - 1, SIDE - 1, SIDE - 1}, &mesh));
    for (int i = 0; i < NODES; i++) mesh->nodes[3 * i] += x, mesh->nodes[3 * i + 1] += y, v[3 * i] = speed;
    body.mesh = mesh, body.material = sn_material("neo-hookean", 1e5, 0.3, 125), body.velocity = v;
    damping.beta = 0.02, body.damping = &damping, body.damping_count = 1;
    check_ok(sn_world_add_body(world, &body, &number));
    sn_mesh_destroy(mesh);
    return number;
}

static bool sleeps(const SnWorld* world, int body)
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, body, &info));
    return info.asleep;
}

static double total(const SnEnergy* e)
{
    return e->kinetic + e->elastic + e->gravity - e->pins + e->viscous + e->friction + e->numerical;
}

// Until it sleeps, or for so many steps; how many it took.
static int run_until_asleep(SnWorld* world, int body, int most, SnStepReport* report)
{
    int steps = 0;
    for (; steps < most && !sleeps(world, body); steps++) check_ok(sn_world_step(world, report));
    return steps;
}

static void test_a_block_falls_asleep(void** unused)
{
    (void)unused;
    for (int i = 0; i < DYNAMIC; i++) {
        if (strcmp(dynamic[i], "implicit-midpoint") == 0) continue; // what touches goes to and fro for ever
        SnWorld* world = make(dynamic[i], 1, 0.5);
        SnStepReport first, report;
        add_cube(world, 0, 0.01, 0);
        check_ok(sn_world_measure(world, &first));
        int steps = run_until_asleep(world, 0, 400, &report);
        if (!(steps > 15 && steps < 400)) fail_msg("%s: %d steps", dynamic[i], steps); // a quarter of a second at least
        check(report.asleep == 1 && report.energy.kinetic == 0 && report.iterations == 0);
        uint64_t hash = sn_world_hash(world);
        for (int k = 0; k < 20; k++) check_ok(sn_world_step(world, &report));
        check(sn_world_hash(world) == hash && report.outcome == SN_OUTCOME_CONVERGED && report.asleep == 1);
        check_near(total(&report.energy), total(&first.energy), 1e-9);
        check_momentum(dynamic[i], &first, &report, 1e-3 * 15.6 * 9.81);
        sn_world_destroy(world);
    }
}

// The sleeper must be awake, and have moved, after what is done to it.
typedef SnStatus (*Change)(SnWorld* world);
static SnStatus turn_gravity(SnWorld* world)
{
    return sn_world_set_gravity(world, (double[3]){5, -9.81, 0});
}
static SnStatus pull(SnWorld* world)
{
    const double* x = sn_world_positions(world);
    int grab;
    SN_TRY(sn_world_grab(world, &(SnPick){.weights = {1, 0, 0}}, 0, &grab));
    return sn_world_drag(world, grab, (double[3]){x[0] - 1, x[1], x[2]});
}
static SnStatus soften(SnWorld* world)
{
    return sn_world_set_stiffness(world, 0, 2e4, 0.3);
}
static SnStatus lift_floor(SnWorld* world)
{
    return sn_world_move_obstacle(world, 0, &(SnPose){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0.01, 0}});
}
static SnStatus take_floor(SnWorld* world)
{
    return sn_world_remove_obstacle(world, 0);
}
static SnStatus say_so(SnWorld* world)
{
    return sn_world_wake(world, -1);
}

static void test_what_wakes(void** unused)
{
    (void)unused;
    static const Change changes[] = {turn_gravity, pull, soften, lift_floor, take_floor, say_so};
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
        SnWorld* world = make("backward-euler", 1, 0.1);
        SnStepReport report;
        add_cube(world, 0, 0.01, 0);
        add_cube(world, 30, 0.01, 0); // far away, it sleeps by itself
        run_until_asleep(world, 0, 400, &report), run_until_asleep(world, 1, 400, &report);
        check(report.asleep == 2);
        uint64_t hash = sn_world_hash(world);
        check_ok(changes[c](world));
        check_ok(sn_world_step(world, &report));
        if (sleeps(world, 0)) fail_msg("change %d wakes nobody", (int)c);
        check(sleeps(world, 1) == (changes[c] == pull || changes[c] == soften));
        check(report.asleep == (changes[c] == pull || changes[c] == soften) && sn_world_hash(world) != hash);
        sn_world_destroy(world);
    }
}

// One that is hit takes up the momentum, as it would have awake: on a floor without friction there is nobody else.
static void test_hit(void** unused)
{
    (void)unused;
    SnWorld *world = make("backward-euler", 1, 0), *other = make("backward-euler", 1, 0);
    SnStepReport report, awake;
    int target = add_cube(world, 0, 1e-3, 0), same = add_cube(other, 0, 1e-3, 0);
    add_cube(world, -4, 1e-3, 3), add_cube(other, -4, 1e-3, 3);
    run_until_asleep(world, target, 400, &report);
    int steps = (int)report.step;
    check(steps < 60 && report.asleep == 1);
    for (int i = 0; i < 100 - steps; i++) check_ok(sn_world_step(world, &report));
    for (int i = 0; i < 100; i++) {
        check_ok(sn_world_step(other, &awake));
        check_ok(sn_world_wake(other, same)); // it never sleeps for long
    }
    check(!sleeps(world, target));
    check_near(report.momentum[0], awake.momentum[0], 1e-3);
    check(report.momentum[0] > 0.99 * 3 * 0.125 * 125);
    check(sn_world_velocities(world)[3 * (target * NODES)] > 1);
    sn_world_destroy(world), sn_world_destroy(other);
}

// What is tied does not, and says so; nor what is near it.
static void test_what_cannot_sleep(void** unused)
{
    (void)unused;
    SnWorld* world = make("backward-euler", 1, 0.5);
    SnLoadDef load = sn_default_load_def("force");
    SnStepReport report;
    add_cube(world, 0, 1e-3, 0), add_cube(world, 0, 0.503, 0), add_cube(world, 5, 1e-3, 0);
    load.body = 1;
    check_ok(sn_world_add_load(world, &load, NULL));
    for (int i = 0; i < 60; i++) check_ok(sn_world_step(world, &report));
    check(!sleeps(world, 0) && !sleeps(world, 1) && sleeps(world, 2) && report.asleep == 1);
    check_fails(sn_world_sleep(world, 0), SN_ERROR_VALUE, "a load");
    check_fails(sn_world_sleep(world, 7), SN_ERROR_VALUE, "body 7");
    check_fails(sn_world_wake(world, -2), SN_ERROR_VALUE, "body -2");
    check_ok(sn_world_wake(world, 2));
    check(!sleeps(world, 2));
    check_ok(sn_world_sleep(world, 2));
    check(sleeps(world, 2));
    sn_world_destroy(world);
}

static SnWorld* make_heap(const char* integrator, int threads)
{
    SnWorld* world = make(integrator, threads, 0.4);
    add_cube(world, 0, 0.005, 0), add_cube(world, 0.1, 0.52, 0), add_cube(world, 3, 0.005, 0);
    add_cube(world, -4, 0.005, 2);
    return world;
}

// Threads, a state that is restored in the middle, and changes that are made again.
static void test_asleep_same_bits(void** unused)
{
    (void)unused;
    for (int i = 0; i < DYNAMIC; i += 2) {
        SnWorld *world = make_heap(dynamic[i], 1), *other = make_heap(dynamic[i], 2);
        SnStepReport report, there;
        SnRandom random = {(uint64_t)i + 1};
        int most = 0, woken = 0;
        check_ok(sn_world_note_changes(world, true));
        for (int step = 0; step < 140; step++) {
            int body = (int)sn_random_uniform(&random, 0, 4);
            if (step % 40 == 39) check_ok(sn_world_wake(world, body));
            if (step % 40 == 19) (void)sn_world_sleep(world, body);
            if (step == 100) check_ok(sn_world_set_gravity(world, (double[3]){0.5, -9, 0}));
            copy_events(world, other);
            if (step % 16 == 15) {
                sn_world_destroy(other);
                other = make_heap(dynamic[i], step % 32 == 31 ? 2 : 1);
                if (step >= 100) check_ok(sn_world_set_gravity(other, (double[3]){0.5, -9, 0}));
                restore_from(world, other);
            }
            check_ok(sn_world_step(world, &report));
            check_ok(sn_world_step(other, &there));
            woken += report.asleep < most, most = report.asleep;
            if (sn_world_hash(world) != sn_world_hash(other) || report.asleep != there.asleep ||
                report.energy.numerical != there.energy.numerical)
                fail_msg("%s: step %d", dynamic[i], step);
        }
        if (!(woken > 2)) fail_msg("%s: %d times something woke", dynamic[i], woken);
        sn_world_destroy(world), sn_world_destroy(other);
    }
}

// A step allocates nothing while bodies sleep.
static void test_asleep_nothing_is_allocated(void** unused)
{
    (void)unused;
    SnWorld* world = make("backward-euler", 1, 0.5);
    SnStepReport report;
    FailingMemory memory;
    add_cube(world, 0, 0.01, 0), add_cube(world, 2, 0.01, 0);
    run_until_asleep(world, 0, 400, &report), run_until_asleep(world, 1, 400, &report);
    start_failing(&memory, 0);
    for (int i = 0; i < 5; i++) check_ok(sn_world_step(world, &report));
    stop_failing(&memory);
    check(report.asleep == 2);
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_block_falls_asleep),
    cmocka_unit_test(test_what_wakes),
    cmocka_unit_test(test_hit),
    cmocka_unit_test(test_what_cannot_sleep),
    cmocka_unit_test(test_asleep_same_bits),
    cmocka_unit_test(test_asleep_nothing_is_allocated),
};
RUN_TESTS(tests, NULL, NULL)
