// Attachments: what is tied hangs together, with every solver and integrator; forces, momenta, books; seams that close,
// ties that tear, the same bits after a restore; mistakes.
#include <sinew/probe.h>

#include "bodies.h"
#include "check_world.h"
#include "solver/solver.h"

static SnWorldDef def_of(const char* integrator, const char* solver)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = 0.02, def.solver.type = solver;
    def.solver.tolerance = 1e-8, def.solver.iterations = 5000;
    return def;
}

static void add_box(SnWorld* world, const double size[3], const int cells[3], const double at[3])
{
    SnMesh* mesh = make_box(size[0], size[1], size[2], cells[0], cells[1], cells[2]);
    for (int i = 0; i < 3 * mesh->node_count; i++) mesh->nodes[i] += at[i % 3];
    add_body(world, mesh, sn_material("neo-hookean", 1e6, 0.3, 1000), NULL, NULL);
}

static int nodes_at(const SnWorld* world, int body, double y, int* nodes)
{
    SnBodyInfo info;
    int count = 0;
    check_ok(sn_world_body(world, body, &info));
    for (int i = 0; i < info.node_count; i++)
        if (fabs(info.rest[3 * i + 1] - y) < 1e-9) nodes[count++] = i;
    return count;
}

// A box that hangs from another one of another mesh, `gap` below it.
static SnWorld* make_hanging(SnWorldDef def, bool held, double gap, double strength, double close)
{
    SnWorld* world = make_world(def);
    add_box(world, (double[]){1, 1, 1}, (int[]){2, 2, 2}, (double[]){0, 1, 0});
    add_box(world, (double[]){0.9, 1, 0.9}, (int[]){3, 2, 3}, (double[]){0.05, -gap, 0.05});
    if (held) hold(world, 1, 2, 2, still());
    int nodes[64];
    SnAttachmentDef attachment = sn_default_attachment_def();
    attachment.from = (SnPlaceDef){1, nodes, nodes_at(world, 1, 1 - gap, nodes)};
    attachment.to.body = 0;
    attachment.strength = strength, attachment.close = close;
    check_ok(sn_world_add_attachment(world, &attachment, NULL));
    return world;
}

// How far the ties are apart at most: they began at one height.
static double apart(const SnWorld* world)
{
    SnPick pick;
    SnBodyInfo info;
    double most = 0;
    check_ok(sn_world_body(world, 1, &info));
    const double* x = sn_world_positions(world);
    for (int i = 0; i < info.node_count; i++) {
        if (fabs(info.rest[3 * i + 1] - 1) > 1e-9) continue;
        const double* p = x + 3 * (info.first_node + i);
        double from[3] = {p[0], p[1] - 1e-3, p[2]}, up[3] = {0, 1, 0};
        check_ok(sn_world_pick(world, from, up, &pick));
        most = fmax(most, fabs(pick.distance - 1e-3));
    }
    return most;
}

static void test_hanging(void** state)
{
    (void)state;
    for (int k = 0; k < sn_solver_count(); k++) {
        SnWorldDef def = def_of("static", sn_solver_at(k)->name);
        def.solver.tolerance = 1e-6; // admm takes thousands of iterations for less
        SnWorld* world = make_hanging(def, true, 0, INFINITY, 0);
        SnStepReport report;
        SnWrench glue, roof;
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: %s", sn_solver_at(k)->name, report.detail);
        check_ok(sn_world_attachment_force(world, 0, &glue));
        check_ok(sn_world_handle_force(world, 0, &roof));
        check_near(glue.force[1], 810 * 9.81, 1); // what hangs
        check_near(roof.force[1], 1810 * 9.81, 2);
        check_near(glue.force[0], 0, 1);
        check_near(glue.torque[2], 810 * 9.81 * 0.5, 5); // below its middle
        check(apart(world) < 1e-5);
        sn_world_destroy(world);
    }
}

// Free in space, turning: momenta stay, and no energy comes from the ties.
static void test_momenta(void** state)
{
    (void)state;
    static const char* const integrators[] = {"backward-euler", "bdf2", "trapezoidal", "implicit-midpoint", "tr-bdf2"};
    for (int k = 0; k < 5; k++) {
        SnWorldDef def = def_of(integrators[k], "auto");
        memset(def.gravity, 0, sizeof def.gravity);
        SnWorld* world = make_hanging(def, false, 0, INFINITY, 0);
        double v[3 * 128];
        const double* x = sn_world_positions(world);
        for (int i = 0; i < sn_world_node_count(world); i++)
            v[3 * i] = -x[3 * i + 1], v[3 * i + 1] = x[3 * i], v[3 * i + 2] = 0.5;
        check_ok(sn_world_set_velocities(world, v));
        SnStepReport start, report;
        check_ok(sn_world_measure(world, &start));
        for (int i = 0; i < 20; i++) check_ok(sn_world_step(world, &report));
        double size = fabs(start.angular_momentum[2]), energy = start.energy.kinetic;
        for (int c = 0; c < 3; c++) check_near(report.momentum[c], start.momentum[c], 1e-6 * size);
        check_near(report.energy.pins, start.energy.pins, 1e-9 * energy);
        check(report.energy.kinetic + report.energy.elastic < energy * (k == 0 || k == 1 || k == 4 ? 1 + 1e-6 : 1.01));
        check(apart(world) < 0.05 && report.outcome == SN_OUTCOME_CONVERGED);
        sn_world_destroy(world);
    }
}

// A seam that closes: at half the time half as far apart; then it is closed.
static void test_closing(void** state)
{
    (void)state;
    SnWorld* world = make_hanging(def_of("static", "auto"), true, 0.2, INFINITY, 1.0);
    SnStepReport report;
    SnBodyInfo info;
    check_ok(sn_world_body(world, 1, &info));
    int nodes[64], count = nodes_at(world, 1, 0.8, nodes);
    for (int i = 1; i <= 60; i++) {
        check_ok(sn_world_step(world, &report));
        const double* x = sn_world_positions(world) + 3 * (int64_t)info.first_node;
        double mean = 0, above = 0;
        for (int k = 0; k < count; k++) mean += x[3 * nodes[k] + 1] / count;
        const double* upper = sn_world_positions(world);
        int lower[64], many = nodes_at(world, 0, 1, lower);
        for (int k = 0; k < many; k++) above += upper[3 * lower[k] + 1] / many;
        if (i == 25 || i == 60) check_near(above - mean, i == 25 ? 0.1 : 0, 0.01);
    }
    check(report.energy.pins > 0); // what hangs was lifted
    sn_world_destroy(world);
}

// Drawn together at a steady pace, it takes a jolt at both ends of it, which dies away with any integrator: forces do
// not change sign from step to step, and grow.
static void test_closing_does_not_ring(void** state)
{
    (void)state;
    static const char* const integrators[] = {"backward-euler", "bdf2", "trapezoidal", "tr-bdf2", "implicit-midpoint"};
    for (int k = 0; k < 5; k++) {
        SnWorldDef def = def_of(integrators[k], "newton");
        memset(def.gravity, 0, sizeof def.gravity);
        SnWorld* world = make_hanging(def, true, 0.2, INFINITY, 0.2);
        double jolt = 0, after = 0;
        for (int i = 0; i < 60; i++) {
            SnStepReport report;
            SnWrench pull;
            check_ok(sn_world_step(world, &report));
            check(report.outcome == SN_OUTCOME_CONVERGED);
            check_ok(sn_world_attachment_force(world, 0, &pull));
            double* most = i * def.time_step < 0.3 ? &jolt : &after;
            *most = fmax(*most, fabs(pull.force[1]));
        }
        check(jolt < 5e4 && after < 0.9 * jolt); // 2e5 N and as much later, if it rings
        sn_world_destroy(world);
    }
}

// Ties that cannot bear it let go; a restored world knows which.
static void test_tearing(void** state)
{
    (void)state;
    static const char* const integrators[] = {"backward-euler", "tr-bdf2", "trapezoidal", "bdf2", "implicit-midpoint"};
    for (int k = 0; k < 5; k++) {
        SnWorld* worlds[2];
        SnStepReport report;
        size_t size = 0;
        char* bytes = NULL;
        int torn = 0, first = -1;
        for (int w = 0; w < 2; w++) {
            worlds[w] = make_hanging(def_of(integrators[k], "auto"), true, 0, 400, 0);
            if (w) check_ok(sn_world_restore_state(worlds[w], bytes, size));
            for (int i = w ? 6 : 0; i < 40; i++) {
                check_ok(sn_world_step(worlds[w], &report));
                check_ok(sn_world_attachment_torn(worlds[w], 0, &torn));
                SnWrench pull;
                check_ok(sn_world_attachment_force(worlds[w], 0, &pull));
                if (torn > 0 && first < 0) check(pull.force[1] > 400); // what it tore at is told
                if (torn > 0 && first < 0) first = i;
                if (w || i != 5) continue;
                size = sn_world_state_size(worlds[0]), bytes = calloc(1, size);
                check_ok(sn_world_save_state(worlds[0], bytes, size));
            }
            assert_int_equal(torn, 16); // 7946 N on 16 nodes, and it swings
        }
        check(first >= 1);
        check(sn_world_hash(worlds[0]) == sn_world_hash(worlds[1]));
        check_near(report.momentum[1] / 810, sn_world_velocities(worlds[0])[3 * (27 + 5) + 1], 1); // it falls
        check(report.momentum[1] < -1000);
        SnWrench wrench;
        check_ok(sn_world_attachment_force(worlds[0], 0, &wrench));
        check_near(wrench.force[1], 0, 0);
        free(bytes);
        for (int w = 0; w < 2; w++) sn_world_destroy(worlds[w]);
    }
}

// Node to node, within one body, too: the edges of a sheet as a tube.
static void test_nodes(void** state)
{
    (void)state;
    SnWorldDef def = def_of("static", "auto");
    memset(def.gravity, 0, sizeof def.gravity);
    SnWorld* world = make_world(def);
    SnMesh* sheet;
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){8, 2}, &sheet));
    SnBodyDef body = sn_default_body_def();
    body.mesh = sheet, body.material = sn_material("stvk", 1e5, 0.3, 100);
    body.material.bending = 1e-4;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(sheet);
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    int left[16], right[16], lefts = 0, rights = 0;
    for (int i = 0; i < info.node_count; i++) {
        if (info.rest[3 * i] < 1e-9) left[lefts++] = i;
        if (info.rest[3 * i] > 1 - 1e-9) right[rights++] = i;
    }
    check(lefts == 3 && rights == 3);
    SnAttachmentDef seam = sn_default_attachment_def();
    seam.from = (SnPlaceDef){0, left, lefts}, seam.to = (SnPlaceDef){0, right, rights};
    check_ok(sn_world_add_attachment(world, &seam, NULL));
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    const double* x = sn_world_positions(world);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) check_near(x[3 * left[i] + c], x[3 * right[i] + c], 1e-4);
    sn_world_destroy(world);
}

// Tied bodies do not touch each other, but the floor.
static void test_among_contacts(void** state)
{
    (void)state;
    SnWorldDef def = def_of("backward-euler", "auto");
    def.contact.bodies = true;
    SnWorld* world = make_hanging(def, false, 0, INFINITY, 0);
    SnObstacleDef floor = sn_default_obstacle_def();
    floor.shape.point[1] = -0.1;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    SnStepReport report;
    for (int i = 0; i < 60; i++) {
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("step %d: %s", i + 1, report.detail);
    }
    for (int i = 0; i < sn_world_contact_count(world); i++) {
        SnContactInfo info;
        check_ok(sn_world_contact(world, i, &info));
        check(info.obstacle == 0 && info.body == 1);
    }
    SnWrench bears;
    check_ok(sn_world_obstacle_force(world, 0, &bears));
    check(report.contacts > 0 && apart(world) < 0.02);
    check_near(bears.force[1], 1810 * 9.81, 0.5 * 1810 * 9.81); // it still swings
    sn_world_destroy(world);
}

static void test_mistakes(void** state)
{
    (void)state;
    SnWorld* world = make_hanging(def_of("static", "auto"), true, 0, INFINITY, 0);
    SnAttachmentDef def = sn_default_attachment_def();
    check_fails(sn_world_add_attachment(world, &def, NULL), SN_ERROR_VALUE, "body -1");
    def.from.body = 0, def.to.body = 7;
    check_fails(sn_world_add_attachment(world, &def, NULL), SN_ERROR_VALUE, "body 7");
    def.to.body = 1, def.strength = -1;
    check_fails(sn_world_add_attachment(world, &def, NULL), SN_ERROR_VALUE, "break");
    def.strength = 1, def.close = -1;
    check_fails(sn_world_add_attachment(world, &def, NULL), SN_ERROR_VALUE, "close");
    int node = 3;
    def.close = 0, def.to = def.from = (SnPlaceDef){0, &node, 1};
    check_fails(sn_world_add_attachment(world, &def, NULL), SN_ERROR_VALUE, "itself");
    SnWrench wrench;
    int count;
    check_fails(sn_world_attachment_force(world, 1, &wrench), SN_ERROR_VALUE, "no attachment 1");
    check_fails(sn_world_attachment_torn(world, -1, &count), SN_ERROR_VALUE, "no attachment -1");
    assert_int_equal(sn_world_attachment_count(world), 1);
    SnProbeDef probe = sn_default_probe_def("chamber");
    probe.attachment = 0;
    check_fails(sn_world_add_probe(world, &probe, NULL), SN_ERROR_VALUE, "gas or volume");
    probe.what = "force";
    check_ok(sn_world_add_probe(world, &probe, NULL));
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    check_near(report.values[1], 810 * 9.81, 1);
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_hanging),  cmocka_unit_test(test_momenta),
    cmocka_unit_test(test_closing),  cmocka_unit_test(test_closing_does_not_ring),
    cmocka_unit_test(test_tearing),  cmocka_unit_test(test_nodes),
    cmocka_unit_test(test_mistakes), cmocka_unit_test(test_among_contacts),
};
RUN_TESTS(tests, NULL, NULL)
