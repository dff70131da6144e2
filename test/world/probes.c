// Probes: what they measure against what is known of it, works against the ledger, resumption, mistakes.
#include <sinew/field.h>
#include <sinew/probe.h>

#include "bodies.h"
#include "check_world.h"
#include "mesh/mesh.h"
#include "world/world.h"

static SnWorld* make_hung(const char* integrator, SnMotion motion)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = 0.02;
    def.solver.tolerance = 1e-9;
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 0.2, 0.2, 5, 1, 1), sn_material("neo-hookean", 1e6, 0.3, 1000), NULL, NULL);
    hold(world, 0, 0, 0, still());
    hold(world, 0, 1, 1, motion);
    return world;
}

static int measure(SnWorld* world, SnProbeDef def)
{
    int before = sn_world_value_count(world);
    check_ok(sn_world_add_probe(world, &def, NULL));
    return before;
}

static SnProbeDef at_nodes(const char* what, const int* nodes, int count)
{
    SnProbeDef def = sn_default_probe_def(what);
    def.where = (SnPlaceDef){0, nodes, count};
    return def;
}

static SnProbeDef of_handle(const char* what, int handle)
{
    SnProbeDef def = sn_default_probe_def(what);
    def.handle = handle;
    return def;
}

// Of one element whose corners are put somewhere, all is known.
static void test_one_element(void** state)
{
    (void)state;
    const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, moved[12] = {5, 0, 0, 7, 0, 0, 5, 1, 0, 5, 0, 1};
    const int tetrahedron[4] = {0, 1, 2, 3};
    SnMesh* mesh;
    SnMeshDef one = {.node_count = 4, .nodes = corners, .tetrahedron_count = 1, .tetrahedra = tetrahedron};
    check_ok(sn_mesh_create(&one, &mesh));
    SnWorld* world = make_world(sn_default_world_def());
    add_body(world, mesh, sn_material("neo-hookean", 1e5, 0.3, 1000), moved, NULL);
    int second[] = {1}, first[] = {0}, third[] = {2}, all[] = {0, 1, 2, 3};
    SnProbeDef distance = at_nodes("distance", first, 1), angle = at_nodes("angle", second, 1);
    distance.to = (SnPlaceDef){0, second, 1};
    angle.to = (SnPlaceDef){0, third, 1}, angle.at = (SnPlaceDef){0, first, 1};
    SnProbeDef volume = sn_default_probe_def("volume"), area = sn_default_probe_def("area");
    volume.where.body = area.where.body = 0;
    SnProbeDef most = at_nodes("position", all, 4), least = at_nodes("displacement", all, 4);
    most.take = "max", least.take = "min";
    int x = measure(world, at_nodes("position", all, 4)), d = measure(world, distance), a = measure(world, angle);
    int v = measure(world, volume), s = measure(world, area), e = measure(world, at_nodes("strain", all, 4));
    int m = measure(world, most), u = measure(world, least), j = measure(world, at_nodes("volume-ratio", first, 1));
    SnStepReport report;
    check_ok(sn_world_measure(world, &report));
    assert_int_equal(report.value_count, sn_world_value_count(world));
    const double* y = report.values;
    check_near(y[x], 5.5, 1e-14);
    check_near(y[x + 1], 0.25, 1e-14);
    check_near(y[d], 2, 1e-14);
    check_near(y[a], 90, 1e-12);
    check_near(y[v], 1.0 / 3, 1e-14);
    check_near(y[s], 0.5 + 1 + 1 + 0.5 * sqrt(1 * 1 + 2 * 2 + 2 * 2), 1e-14);
    check_near(y[e], 1.5, 1e-13); // (4 - 1)/2
    for (int k = 1; k < 6; k++) check_near(y[e + k], 0, 1e-13);
    check_near(y[m], 7, 0);
    check_near(y[m + 2], 1, 0);
    check_near(y[u], 5, 0);
    check_near(y[j], 2, 1e-13);
    sn_world_destroy(world);
}

// Works of single handles and loads add up to those of the ledger, with every integrator; forces are those of the API.
static void test_works(void** state)
{
    (void)state;
    static const char* const integrators[] = {"static",      "backward-euler",    "bdf2",
                                              "trapezoidal", "implicit-midpoint", "tr-bdf2"};
    for (int k = 0; k < 6; k++)
        for (int energy = 0; energy < 2; energy++) {
            SnMotion motion = still();
            motion.velocity[0] = 0.1, motion.velocity[1] = -0.5;
            SnWorld* world = make_hung(integrators[k], motion);
            int middle[] = {8, 9, 10, 11};
            SnHandleDef third = sn_default_handle_def();
            third.nodes = middle, third.node_count = 1, third.how = energy ? SN_HOLD_ENERGY : SN_HOLD_ELIMINATE;
            third.motion.oscillate_amplitude[2] = 0.02, third.motion.oscillate_frequency = 3;
            check_ok(sn_world_add_handle(world, &third, NULL));
            SnLoadDef force = sn_default_load_def("force"), wind = sn_default_load_def("wind");
            force.vector[1] = 20, force.nodes = middle + 1, force.node_count = 2;
            wind.vector[2] = 10;
            check_ok(sn_world_add_load(world, &force, NULL));
            check_ok(sn_world_add_load(world, &wind, NULL));
            SnProbeDef loads[2] = {sn_default_probe_def("work"), sn_default_probe_def("reaction")};
            loads[0].load = 0, loads[1].load = 1;
            int at[5] = {measure(world, of_handle("work", 0)), measure(world, of_handle("reaction", 1)) + 6,
                         measure(world, of_handle("work", 2)), measure(world, loads[0]), measure(world, loads[1]) + 6};
            SnStepReport report;
            check_ok(sn_world_measure(world, &report));
            check(report.values[at[0]] == 0 && isnan(report.values[at[1] - 6]));
            for (int i = 0; i < 8; i++) check_ok(sn_world_step(world, &report));
            double sum = 0, size = 0;
            for (int i = 0; i < 5; i++) sum += report.values[at[i]], size += fabs(report.values[at[i]]);
            check_near(sum, report.energy.pins, 1e-11 * size);
            check(size > 0.1 && report.values[at[1]] != 0 && report.values[at[2]] != 0 && report.values[at[4]] != 0);
            check_near(report.values[at[0]], 0, 1e-12 * size); // it holds still
            SnWrench wrench;
            check_ok(sn_world_handle_force(world, 1, &wrench));
            for (int c = 0; c < 3; c++) check(report.values[at[1] - 6 + c] == wrench.force[c]);
            check_ok(sn_world_load_force(world, 1, &wrench));
            for (int c = 0; c < 3; c++) check(report.values[at[4] - 3 + c] == wrench.torque[c]);
            sn_world_destroy(world);
        }
}

// A block pushed by an obstacle: forces balance, and the obstacle's work is the ledger's.
static void test_contact(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.01, def.solver.tolerance = 1e-8;
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 1, 1, 2, 2, 2), sn_material("neo-hookean", 1e6, 0.3, 1000), NULL, NULL);
    SnObstacleDef floor = sn_default_obstacle_def();
    floor.motion.velocity[1] = 0.2, floor.friction = 0.3;
    floor.shape.point[1] = -0.01;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    SnProbeDef reaction = sn_default_probe_def("reaction"), contact = sn_default_probe_def("contact");
    reaction.obstacle = contact.obstacle = 0;
    int r = measure(world, reaction), c = measure(world, contact);
    SnStepReport report;
    for (int i = 0; i < 40; i++) check_ok(sn_world_step(world, &report));
    check_near(report.values[r + 6], report.energy.pins, 1e-9 * fabs(report.energy.pins));
    check(report.values[r + 6] > 100);
    assert_int_equal(report.contacts, (int)report.values[c]);
    check_near(report.values[c + 1], report.values[r + 1], 1e-9 * report.values[r + 1]);
    check_near(report.values[c + 3], 1, 0.02);   // the face
    check_near(report.values[c + 4], 0.5, 0.05); // its middle
    sn_world_destroy(world);
}

// Two boxes, the second above the first by `gap`.
static SnWorld* make_two(SnWorldDef def, double gap)
{
    SnWorld* world = make_world(def);
    for (int b = 0; b < 2; b++) {
        SnMesh* mesh = make_box(b ? 0.8 : 1, 1, b ? 0.8 : 1, 2, 2, 2);
        for (int i = 0; i < mesh->node_count; i++) mesh->nodes[3 * i + 1] += b * (1 + gap);
        add_body(world, mesh, sn_material("neo-hookean", 1e5, 0.3, 1000), NULL, NULL);
    }
    return world;
}

// What one body does to another by contact the other one does not get back, but for friction and what is stored
// nowhere; the one that carries is pressed, and gains.
static void test_works_of_pairs(void** state)
{
    (void)state;
    for (int k = 0; k < DYNAMIC; k++) {
        SnWorldDef def = sn_default_world_def();
        def.integrator = dynamic[k], def.time_step = 0.005, def.solver.tolerance = 1e-7;
        def.contact.bodies = true, def.contact.thickness = 0.01;
        SnWorld* world = make_two(def, 0.011);
        hold(world, 1, 0, 0, still());
        int at[2];
        for (int w = 0; w < 2; w++) {
            SnProbeDef probe = sn_default_probe_def("reaction");
            probe.pair[0] = w, probe.pair[1] = 1 - w;
            at[w] = measure(world, probe) + 6;
        }
        SnStepReport report;
        for (int i = 0; i < 60; i++) check_ok(sn_world_step(world, &report));
        double down = report.values[at[0]], up = report.values[at[1]];
        check(report.values[at[0] - 5] < 0 && report.values[at[1] - 5] > 0); // forces along y
        check(down > 1 && up < -1);
        if (!(fabs(down + up) < 0.05 * down)) fail_msg("%s: %g and %g J", dynamic[k], down, up);
        sn_world_destroy(world);
    }
}

// A box that sags from another one that it is glued to: what the glue does to it is what it has gained.
static void test_works_of_attachments(void** state)
{
    (void)state;
    for (int k = 0; k < DYNAMIC; k++) {
        SnWorldDef def = sn_default_world_def();
        def.integrator = dynamic[k], def.time_step = 0.005, def.solver.tolerance = 1e-8;
        SnWorld* world = make_two(def, 0);
        hold(world, 1, 0, 0, still()); // the bottom of the lower one
        SnAttachmentDef glue = sn_default_attachment_def();
        int *nodes = calloc(27, sizeof *nodes), count = 0;
        for (int i = 0; i < 27; i++)
            if (fabs(world->model.bodies[1].rest[3 * i + 1] - 1) < 1e-9) nodes[count++] = i;
        glue.from = (SnPlaceDef){1, nodes, count}, glue.to = (SnPlaceDef){.body = 0};
        check_ok(sn_world_add_attachment(world, &glue, NULL));
        free(nodes);
        SnProbeDef probe = sn_default_probe_def("reaction");
        probe.attachment = 0;
        int at = measure(world, probe) + 6;
        SnStepReport report;
        for (int i = 0; i < 60; i++) check_ok(sn_world_step(world, &report));
        double gained = 0, stored = 0;
        double* density = calloc((size_t)world->model.element_count, sizeof *density);
        for (int i = 27; i < 54; i++) {
            const double *x = world->state.x + 3 * i, *v = world->state.v + 3 * i, m = world->problem.mass[i];
            gained += m * (0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                           9.81 * (x[1] - world->model.bodies[1].rest[3 * (i - 27) + 1]));
        }
        check_ok(sn_world_field(world, "energy-density", SN_FIELD_ELEMENTS, density));
        for (int e = world->model.bodies[1].first_element; e < world->model.element_count; e++)
            stored += density[e] * 0.64 / world->model.bodies[1].tetrahedron_count;
        double work = report.values[at], size = fabs(gained) + stored, allowed = (k == 0 ? 0.1 : 0.02) * size;
        if (!(fabs(work - gained - stored) < allowed))
            fail_msg("%s: %g J done, %g and %g J gained", dynamic[k], work, gained, stored);
        free(density);
        sn_world_destroy(world);
    }
}

// Saved and restored, works go on to the same bits.
static void test_resumed(void** state)
{
    (void)state;
    SnMotion motion = still();
    motion.velocity[1] = -0.5;
    SnWorld* worlds[2];
    SnStepReport reports[2];
    char* bytes = NULL;
    size_t size = 0;
    for (int w = 0; w < 2; w++) {
        worlds[w] = make_hung("tr-bdf2", motion);
        measure(worlds[w], of_handle("reaction", 1));
        if (w == 1) check_ok(sn_world_restore_state(worlds[1], bytes, size));
        for (int i = w ? 3 : 0; i < 6; i++) {
            check_ok(sn_world_step(worlds[w], &reports[w]));
            if (w || i != 2) continue;
            size = sn_world_state_size(worlds[0]);
            bytes = calloc(1, size);
            check_ok(sn_world_save_state(worlds[0], bytes, size));
        }
    }
    assert_memory_equal(reports[0].values, reports[1].values, 7 * sizeof(double));
    free(bytes);
    for (int w = 0; w < 2; w++) sn_world_destroy(worlds[w]);
}

static void test_mistakes(void** state)
{
    (void)state;
    SnWorld* world = make_hung("static", still());
    SnProbeDef def = sn_default_probe_def("displacment");
    def.where.body = 0;
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "displacment");
    def = sn_default_probe_def(NULL);
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "measures nothing");
    def = sn_default_probe_def("stress");
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "where", "probe 0");
    def = at_nodes("distance", (int[]){0}, 1);
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "'to'");
    def = sn_default_probe_def("force");
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "of 0 things", "one handle");
    def.handle = 7;
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "handle 7", "has 2");
    def = of_handle("contact", 0);
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "an obstacle or a pair");
    def = sn_default_probe_def("force");
    def.pair[0] = def.pair[1] = 0;
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "itself");
    SnMesh* sheet;
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){2, 2}, &sheet));
    add_body(world, sheet, sn_material("stvk", 1e5, 0.3, 100), NULL, NULL);
    def = sn_default_probe_def("volume");
    def.where.body = 1;
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "open sheet");
    def.what = "area";
    check_ok(sn_world_add_probe(world, &def, NULL));
    def = sn_default_probe_def("work");
    def.pair[0] = 0, def.pair[1] = 1;
    def.what = "chamber";
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "gas or volume");
    assert_int_equal(sn_world_value_count(world), 1);
    SnValueInfo info;
    check_ok(sn_world_value(world, 0, &info));
    assert_string_equal(info.what, "area");
    check_fails(sn_world_value(world, 1, &info), SN_ERROR_VALUE, "no value 1");
    check_ok(sn_world_step(world, NULL));
    check_fails(sn_world_add_probe(world, &def, NULL), SN_ERROR_VALUE, "before the first step");
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_element),
    cmocka_unit_test(test_works),
    cmocka_unit_test(test_contact),
    cmocka_unit_test(test_works_of_pairs),
    cmocka_unit_test(test_works_of_attachments),
    cmocka_unit_test(test_resumed),
    cmocka_unit_test(test_mistakes),
};
RUN_TESTS(tests, NULL, NULL)
