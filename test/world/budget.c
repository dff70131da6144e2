// Steps whose work is bounded, of a heap that would take more of it: nothing crosses, it comes to rest all the same,
// and then has what it needs.
#include <math.h>

#include "check_world.h"

enum { SIDE = 3, LAYERS = 4, STEPS = 300, SAME = 60, LAST = 30 };

// A box that is turned by an angle about (1, 2, 3), by the formula of Rodrigues, and lies at a place.
static SnMesh* make_box(double angle, const double at[3])
{
    SnMesh* mesh;
    const double a[3] = {1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14)};
    check_ok(sn_mesh_make_box((double[3]){0.12, 0.1, 0.12}, (int[3]){2, 2, 2}, &mesh));
    for (int i = 0; i < sn_mesh_node_count(mesh); i++) {
        double *x = sn_mesh_nodes(mesh) + 3 * i, p[3] = {x[0], x[1], x[2]};
        double along = a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
        for (int c = 0; c < 3; c++) {
            double across = a[(c + 1) % 3] * p[(c + 2) % 3] - a[(c + 2) % 3] * p[(c + 1) % 3];
            x[c] = at[c] + p[c] * cos(angle) + across * sin(angle) + a[c] * along * (1 - cos(angle));
        }
    }
    return mesh;
}

static SnWorld* make_heap(int budget, int threads)
{
    SnWorldDef def = sn_default_world_def();
    SnObstacleDef plane = sn_default_obstacle_def();
    SnBodyDef body = sn_default_body_def();
    SnWorld* world;
    def.time_step = 1.0 / 60, def.threads = threads, def.solver.budget = budget;
    def.contact.friction = 0.3, plane.friction = 0.5;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_world_add_obstacle(world, &plane, NULL));
    for (int k = 0; k < SIDE * SIDE * LAYERS; k++) {
        double at[3] = {0.23 * (k % SIDE), 0.2 + 0.22 * (k / SIDE / SIDE), 0.23 * (k / SIDE % SIDE)};
        SnMesh* mesh = make_box(0.35 * k, at);
        body.mesh = mesh, body.material = sn_material("neo-hookean", 1e5, 0.4, 1000);
        check_ok(sn_world_add_body(world, &body, NULL));
        sn_mesh_destroy(mesh);
    }
    return world;
}

static double energy_of(const SnStepReport* r)
{
    return r->energy.elastic + r->energy.kinetic + r->energy.gravity;
}

// Three threads come to the same bits, as long as they are there.
static void step_both(SnWorld* one, SnWorld* three, SnStepReport* report)
{
    check_ok(sn_world_step(one, report));
    if (three) check_ok(sn_world_step(three, NULL));
    if (three) check(sn_world_hash(one) == sn_world_hash(three));
}

static void test_heap(void** state)
{
    (void)state;
    static const int budgets[] = {6, 8};
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        SnWorld *one = make_heap(budgets[b], 1), *three = make_heap(budgets[b], 3);
        SnStepReport report;
        int cut = 0, converged = 0;
        check_ok(sn_world_measure(one, &report));
        double most = energy_of(&report);
        for (int i = 0; i < STEPS; i++) {
            step_both(one, i < SAME ? three : NULL, &report);
            check(report.depth == 0 && report.distance > 0 && isfinite(report.gradient));
            if (!(energy_of(&report) < 1.001 * most)) fail_msg("step %d: %g J after %g", i, energy_of(&report), most);
            most = fmin(most, energy_of(&report));
            cut += report.outcome == SN_OUTCOME_ITERATION_LIMIT;
            converged += i >= STEPS - LAST && report.outcome == SN_OUTCOME_CONVERGED;
        }
        if (!(cut > 60 && converged > LAST / 2 && report.energy.kinetic < 1e-2))
            fail_msg("budget %d: %d cut, %d of the last %d converged, %g J", budgets[b], cut, converged, LAST,
                     report.energy.kinetic);
        sn_world_destroy(one), sn_world_destroy(three);
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_heap)};
RUN_TESTS(tests, NULL, NULL)
