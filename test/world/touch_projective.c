// Contacts and friction in solvers with a global step, by each of the ways to keep them.
#include "touching.h"

typedef struct Way {
    const char *solver, *method;
} Way;

static const Way ways[] = {
    {"admm", "auto"}, {"admm", "uzawa"}, {"admm", "gauss-seidel"}, {"admm", "energy"},
    {"pd", "uzawa"},  {"pd", "energy"},  {"pd", "gauss-seidel"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static SnWorldDef way_def(const Way* way, double step)
{
    SnWorldDef def = world_def(way->solver, step);
    def.contact.method = way->method;
    def.solver.iterations = 1000;
    return def;
}

// A block on the plane y = 0, pulled along x by gravity at an angle.
static SnWorld* block_on_plane(const Way* way, double angle, double speed, double friction, double belt)
{
    SnWorld* world;
    SnWorldDef def = way_def(way, 0.01);
    def.gravity[0] = 9.81 * sin(angle), def.gravity[1] = -9.81 * cos(angle);
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.4, 0.1, 0.3}, (int[]){4, 1, 3}, (double[]){0, 1e-3, 0}, (double[]){speed, 0, 0}, 1e6);
    SnObstacleDef floor = plane(0, 1, 0, 0, friction);
    floor.motion.velocity[2] = belt;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    return world;
}

static const double block_mass = 12;

// It slows down at mu g and stops where it should, and the ledger has where its energy went.
static void test_projective_sliding(void** state)
{
    (void)state;
    for (int k = 0; k < WAYS; k++) {
        double mu = 0.3, drop = mu * 9.81 * 0.01, v = 0.6, way = 0, energy = 0.5 * block_mass * v * v;
        SnWorld* world = block_on_plane(&ways[k], 0, v, mu, 0);
        int n = sn_world_node_count(world);
        double start = mean(sn_world_positions(world), n, 0);
        SnStepReport report = {0};
        for (int i = 0; i < 40; i++) {
            double before = v;
            report = step(world);
            v = report.momentum[0] / block_mass;
            way += 0.01 * (before > drop ? before - drop : 0);
            if (i >= 5 && before > 3 * drop) check_near(before - v, drop, 0.005 * drop);
        }
        check_near(v, 0, 2e-5);
        check_near(mean(sn_world_positions(world), n, 0) - start, way, 0.01 * way);
        check_near(report.energy.friction + report.energy.numerical, energy, 2e-3 * energy);
        check(report.energy.friction > 0.9 * energy && report.energy.friction < energy);
        sn_world_destroy(world);
    }
}

// It sticks or slips at tan(angle) = mu.
static void test_projective_incline(void** state)
{
    (void)state;
    const double around[] = {0.7, 0.95, 1.05, 1.3}, mu = 0.5;
    for (int k = 0; k < 4 * WAYS; k++) {
        double angle = atan(mu) * around[k % 4], before = 0, after = 0;
        SnWorld* world = block_on_plane(&ways[k / 4], angle, 0, mu, 0);
        for (int i = 0; i < 30; i++) before = after, after = step(world).momentum[0] / block_mass;
        if (tan(angle) < mu)
            check(after < 1e-3);
        else
            check_near((after - before) / 0.01, 9.81 * (sin(angle) - mu * cos(angle)), 0.01);
        sn_world_destroy(world);
    }
}

// A belt takes it along; its work is the block's energy and the heat.
static void test_projective_conveyor(void** state)
{
    (void)state;
    for (int k = 0; k < WAYS; k++) {
        SnWorld* world = block_on_plane(&ways[k], 0, 0, 0.5, 0.5);
        SnStepReport report = {0};
        for (int i = 0; i < 30; i++) report = step(world);
        check_near(report.momentum[2] / block_mass, 0.5, 1e-3);
        check_near(report.energy.pins, block_mass * 0.25, 0.02 * block_mass);
        check_near(report.impulse[2], report.momentum[2], 3e-2);
        sn_world_destroy(world);
    }
}

static SnWorld* thrown(const Way* way)
{
    SnWorld* world;
    SnWorldDef def = way_def(way, 0.01);
    def.solver.tolerance = 1e-7;
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){3, 3, 3}, (double[]){0, 0.02, 0}, (double[]){0.7, -0.5, 0.2},
            1e5);
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.4);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    return world;
}

// A soft block is thrown on the floor: newton has it in the same place.
static void test_projective_agrees(void** state)
{
    (void)state;
    for (int k = 0; k < WAYS; k++) {
        SnWorld *world = thrown(&ways[k]), *newton = thrown(&(Way){"newton", "auto"});
        SnStepReport a = {0}, b = {0};
        for (int i = 0; i < 20; i++) a = step(world), b = step(newton);
        const double *x = sn_world_positions(world), *y = sn_world_positions(newton);
        for (int i = 0; i < 3 * sn_world_node_count(world); i++) check_near(x[i], y[i], 4e-5);
        check_near(a.energy.friction, b.energy.friction, 2e-3 * b.energy.friction);
        check(a.contacts == b.contacts);
        sn_world_destroy(world), sn_world_destroy(newton);
    }
}

// Blocks that hit and slide along each other, whose contacts join nodes: momentum stays, and newton agrees. (With more
// friction some stick for a moment, and which do has more than one answer.)
static void test_projective_impact(void** state)
{
    (void)state;
    static const Way some[] = {
        {"newton", "energy"}, {"admm", "auto"}, {"admm", "energy"}, {"pd", "uzawa"}, {"pd", "energy"}};
    SnWorld* newton = NULL;
    double friction = 0;
    for (int k = 0; k < 5; k++) {
        SnWorld* world = two_blocks(some[k].solver, some[k].method, 0.1, 0.01, 1e-7);
        SnStepReport first, report = {0};
        check_ok(sn_world_measure(world, &first));
        for (int i = 0; i < 12; i++) report = step(world);
        for (int c = 0; c < 3; c++) check_near(report.momentum[c], first.momentum[c], 1e-2);
        if (k == 0) newton = world, friction = report.energy.friction;
        check_near(report.energy.friction, friction, 0.03 * friction);
        const double *x = sn_world_positions(world), *y = sn_world_positions(newton);
        for (int i = 0; i < 3 * sn_world_node_count(world); i++) check_near(x[i], y[i], 2e-4);
        if (k > 0) sn_world_destroy(world);
    }
    sn_world_destroy(newton);
}

// The same bits for any number of threads, and after resuming.
static void test_projective_bits(void** state)
{
    (void)state;
    SnWorld *one = pile(1, "admm"), *three = pile(3, "admm"), *resumed = pile(2, "admm");
    for (int i = 0; i < 12; i++) {
        check_ok(sn_world_step(one, NULL));
        check_ok(sn_world_step(three, NULL));
        check(sn_world_hash(one) == sn_world_hash(three));
        if (i >= 6) {
            check_ok(sn_world_step(resumed, NULL));
            check(sn_world_hash(one) == sn_world_hash(resumed));
        }
        if (i != 5) continue;
        size_t size = sn_world_state_size(one);
        void* bytes = malloc(size);
        check_ok(sn_world_save_state(one, bytes, size));
        check_ok(sn_world_restore_state(resumed, bytes, size));
        free(bytes);
    }
    SnStepReport report;
    check_ok(sn_world_measure(one, &report));
    check(report.energy.friction > 0);
    sn_world_destroy(one), sn_world_destroy(three), sn_world_destroy(resumed);
}

// Ways that a solver does not have, or that contradict each other.
static void test_projective_mistakes(void** state)
{
    (void)state;
    SnWorld* world;
    SnWorldDef def = world_def("newton", 0.01);
    def.contact.method = "uzawa";
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "needs solver admm or pd");
    def.contact.method = "energy";
    check_ok(sn_world_create(&def, &world));
    sn_world_destroy(world);
    def = world_def("admm", 0.01);
    def.contact.method = "uzawa", def.solver.constraints = "gauss-seidel";
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "disagree");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_projective_sliding),  cmocka_unit_test(test_projective_incline),
    cmocka_unit_test(test_projective_agrees),   cmocka_unit_test(test_projective_conveyor),
    cmocka_unit_test(test_projective_mistakes), cmocka_unit_test(test_projective_impact),
    cmocka_unit_test(test_projective_bits),
};
RUN_TESTS(tests, NULL, NULL)
