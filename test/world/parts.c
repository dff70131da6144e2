// Steps that contacts would cut short: taken in parts, and, where that does not help, cut short without loss or gain.
#include "touching.h"

#define SHOT 60.0 // m/s, of 0.5 kg

// A small block shot at a sheet that nobody holds: it goes a metre in a step.
static SnWorld* shot(const char* integrator, int threads, int iterations, int parts)
{
    SnWorld* world;
    SnMesh* mesh;
    SnWorldDef def = world_def("newton", 1.0 / 60);
    def.integrator = integrator, def.threads = threads;
    def.gravity[1] = 0;
    def.solver.iterations = iterations;
    def.contact.bodies = def.contact.self = true;
    def.contact.parts = parts;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){8, 8}, &mesh));
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    body.material = sn_material("neo-hookean", 1e6, 0.3, 500);
    body.material.thickness = 2e-3;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    add_box(world, (double[]){0.08, 0.08, 0.08}, (int[]){2, 2, 2}, (double[]){0.46, 0.3, 0.47}, (double[]){3, -SHOT, 0},
            1e6);
    return world;
}

static double energy_of(const SnStepReport* report)
{
    return report->energy.kinetic + report->energy.elastic + report->energy.gravity;
}

// In parts every step converges; momentum stays, energy does not rise, and time goes on by whole steps.
static void test_parts_keep_momentum(void** state)
{
    (void)state;
    SnWorld* world = shot("backward-euler", 1, 80, 32);
    SnStepReport first, report;
    check_ok(sn_world_measure(world, &first));
    double energy = energy_of(&first);
    int most = 0;
    for (int i = 0; i < 6; i++) {
        report = step(world);
        most = report.parts > most ? report.parts : most;
        check(report.time == (i + 1) * (1.0 / 60) && report.step == i + 1);
        for (int c = 0; c < 3; c++) {
            check_near(report.momentum[c], first.momentum[c], 1e-3 * fabs(first.momentum[1]));
            check_near(report.momentum[c] - first.momentum[c], report.impulse[c], 1e-3 * fabs(first.momentum[1]));
        }
        check(energy_of(&report) <= energy * (1 + 1e-9));
        energy = energy_of(&report);
    }
    check(most > 1 && most <= 32);
    // The sheet goes along with what hit it.
    check(mean(sn_world_velocities(world), 81, 1) < -0.1 * SHOT);
    sn_world_destroy(world);
}

// However fast: nobody waits for thousands of minimisations, and parts are not tried where none would be short enough.
static void test_work_is_bounded(void** state)
{
    (void)state;
    for (double times = 10; times < 1e8; times *= 1e6) {
        SnWorld* world = shot("backward-euler", 1, 80, 32);
        double v[3 * (81 + 27)];
        for (int i = 0; i < 3 * (81 + 27); i++) v[i] = times * sn_world_velocities(world)[i];
        check_ok(sn_world_set_velocities(world, v));
        for (int i = 0; i < 4; i++) {
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            check(report.iterations <= 4 * 300 + 4 * 80);
            if (times > 1e6 && i == 0) check(report.parts == 1 && report.iterations <= 2 * 80);
        }
        sn_world_destroy(world);
    }
}

// As a whole they are cut short: what is stopped keeps its momentum across what stops it, and nothing gains energy,
// however few iterations there are.
static void test_cut_short(void** state)
{
    (void)state;
    for (int iterations = 2; iterations <= 32; iterations *= 2) {
        SnWorld* world = shot("backward-euler", 1, iterations, 1);
        SnStepReport report;
        check_ok(sn_world_measure(world, &report));
        double energy = energy_of(&report), start = energy, across = report.momentum[0];
        int cut = 0;
        for (int i = 0; i < 10; i++) {
            check_ok(sn_world_step(world, &report));
            cut += report.outcome != SN_OUTCOME_CONVERGED;
            check(report.parts == 1);
            check(energy_of(&report) <= energy + 1e-9 * start);
            energy = energy_of(&report);
        }
        check(cut > 0);
        check(report.momentum[0] > 0.5 * across);
        sn_world_destroy(world);
    }
}

// Bits do not depend on threads, nor on being saved and restored between steps that are taken in parts.
static void test_parts_same_bits(void** state)
{
    (void)state;
    static const char* const integrators[] = {"backward-euler", "bdf2", "tr-bdf2", "trapezoidal", "implicit-midpoint"};
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
        SnWorld *one = shot(integrators[k], 1, 25, 8), *three = shot(integrators[k], 3, 25, 8),
                *other = shot(integrators[k], 1, 25, 8);
        SnStepReport report;
        bool parts = false;
        for (int i = 0; i < 4; i++) {
            size_t size = sn_world_state_size(one);
            char* bytes = malloc(size);
            assert_non_null(bytes);
            check_ok(sn_world_save_state(one, bytes, size));
            check_ok(sn_world_restore_state(other, bytes, size));
            free(bytes);
            check_ok(sn_world_step(one, &report));
            parts |= report.parts > 1;
            check_ok(sn_world_step(three, NULL));
            check_ok(sn_world_step(other, NULL));
            check(sn_world_hash(one) == sn_world_hash(three) && sn_world_hash(one) == sn_world_hash(other));
        }
        check(parts);
        sn_world_destroy(one), sn_world_destroy(three), sn_world_destroy(other);
    }
}

// What parts do not help is not tried in every step: they cost a few times as much, not 64 times.
static void test_parts_rest(void** state)
{
    (void)state;
    enum { STEPS = 40, LIMIT = 2 };
    SnWorld* world = shot("backward-euler", 1, LIMIT, 64);
    int iterations = 0, cut = 0;
    for (int i = 0; i < STEPS; i++) {
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        iterations += report.iterations;
        cut += report.outcome != SN_OUTCOME_CONVERGED;
    }
    check(cut > 0 && iterations < 6 * STEPS * LIMIT);
    sn_world_destroy(world);
}

// A block beside a shot whose steps are cut short falls as if it were alone: what is stopped does not hold it up.
static void test_bystander_falls(void** state)
{
    (void)state;
    SnWorld* world = shot("backward-euler", 1, 3, 1);
    int first = sn_world_node_count(world), cut = 0;
    add_box(world, (double[]){0.1, 0.1, 0.1}, (int[]){1, 1, 1}, (double[]){3, 0, 0}, (double[]){0, -5, 0}, 1e6);
    for (int i = 1; i <= 10; i++) {
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        cut += report.outcome != SN_OUTCOME_CONVERGED;
        check_near(mean(sn_world_positions(world) + 3 * first, 8, 1), 0.05 - 5 * i / 60.0, 1e-9);
    }
    check(cut > 0);
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parts_keep_momentum), cmocka_unit_test(test_work_is_bounded),
    cmocka_unit_test(test_cut_short),           cmocka_unit_test(test_parts_same_bits),
    cmocka_unit_test(test_parts_rest),          cmocka_unit_test(test_bystander_falls),
};
RUN_TESTS(tests, NULL, NULL)
