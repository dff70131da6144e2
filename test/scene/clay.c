// The demonstrations of clay, powers below 1, varied: every step converges, and in few iterations.
#include "check_world.h"
#include "scenes.h"

enum { CHANGES = 3 };

typedef struct Course {
    int most, unconverged, inverted; // iterations of the longest step; steps; elements, at the end
    double gained;                   // J, at most
} Course;

static Course run(const char* name, const char* changes[CHANGES], int steps)
{
    char path[512];
    Course c = {0, 0, 0, -INFINITY};
    SnScene* scene;
    SnWorld* world;
    SnStepReport first, report;
    int count = 0;
    while (count < CHANGES && changes[count]) count++;
    snprintf(path, sizeof path, "%s/scenes/paper/%s.yaml", SN_SOURCE_DIR, name);
    check_ok(sn_scene_load(path, changes, count, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    sn_scene_destroy(scene);
    check_ok(sn_world_measure(world, &first));
    for (int i = 0; i < steps; i++) {
        check_ok(sn_world_step(world, &report));
        const SnEnergy *a = &first.energy, *b = &report.energy;
        double gained = b->kinetic + b->elastic + b->gravity - (a->kinetic + a->elastic + a->gravity) - b->pins;
        c.gained = fmax(c.gained, gained);
        c.most = report.iterations > c.most ? report.iterations : c.most;
        c.unconverged += report.outcome != SN_OUTCOME_CONVERGED;
        c.inverted = report.inverted;
    }
    sn_world_destroy(world);
    return c;
}

static void expect(const Course* c, const char* what, int most)
{
    if (c->unconverged > 0 || c->most > most || !(c->gained < 0))
        fail_msg("%s: %d steps did not converge, %d iterations in the longest, gained %g J", what, c->unconverged,
                 c->most, c->gained);
}

// Clay ten times as soft is crushed, and many of its elements go through being flat: a kink of their rates there took
// 500 iterations in a step.
static void test_soft_clay(void** state)
{
    (void)state;
    const char* soft[CHANGES] = {"bodies.0.material.young=3e3", "bodies.0.mesh.sphere.cells=3"};
    Course c = run("diss-clay", soft, 16);
    expect(&c, "soft clay", 120);
    check(c.inverted > 100);
}

// With ten times the strength besides: shifts of rates have far to go, which took 1000 iterations in a step; 179 to 215
// as the tolerance is a tenth less or more.
static void test_soft_strong_clay(void** state)
{
    (void)state;
    const char* strong[CHANGES] = {"bodies.0.material.young=3e3", "bodies.0.damping.0.strength=25000"};
    Course c = run("diss-clay", strong, 24);
    expect(&c, "soft and strong clay", 240);
}

// The paper's ball has all but stopped in mid-air, with one node that hardly touches: while that one's force settled,
// momentum led the shifts around, which took 1311 iterations in a step.
static void test_clay_that_hardly_touches(void** state)
{
    (void)state;
    const char* none[CHANGES] = {NULL};
    Course c = run("diss-clay", none, 50);
    expect(&c, "clay in mid-air", 250);
}

// A bar of clay that is let go, by Newton's method to a tight tolerance: 17 of 300 steps ended at their limit.
static void test_clay_let_go(void** state)
{
    (void)state;
    const char* dry[CHANGES] = {"bodies.bar.damping=[{type: fast-power-law, exponent: 0, strength: 6000}]",
                                "bodies.bar.mesh.box.cells=[4, 1, 1]"};
    Course c = run("diss-pull", dry, 300);
    expect(&c, "a bar of clay", 300);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_soft_clay),
    cmocka_unit_test(test_soft_strong_clay),
    cmocka_unit_test(test_clay_that_hardly_touches),
    cmocka_unit_test(test_clay_let_go),
};
RUN_TESTS(tests, NULL, NULL)
