// Worlds that are changed between steps: the ledger still closes, and what cannot be is refused and leaves no trace.
#include "check_world.h"

#include "mesh/mesh.h"

enum { STEPS = 12 };

static SnWorld* make_world(const char* integrator, bool contact)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnMesh* mesh;
    def.time_step = 1.0 / 60, def.integrator = integrator, def.threads = 1;
    def.solver.type = "newton", def.solver.tolerance = 1e-12;
    def.contact.bodies = contact;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[3]){1, 1, 1}, (int[3]){2, 2, 2}, &mesh));
    double start[3 * 27];
    for (int b = 0; b < 2; b++) {
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh;
        body.material = sn_material("neo-hookean", 1e5, 0.3, 1000);
        memcpy(start, mesh->nodes, sizeof start);
        for (int i = 0; i < 27; i++) start[3 * i] += 2 * b;
        body.start = start;
        check_ok(sn_world_add_body(world, &body, NULL));
    }
    sn_mesh_destroy(mesh);
    return world;
}

static double total(const SnEnergy* e)
{
    return e->kinetic + e->elastic + e->gravity - e->pins + e->viscous + e->friction + e->numerical;
}

// Gravity turns, all are pushed, one is squeezed: what that took is in the ledger, and the momentum is what was given.
static void test_ledger_closes(void** unused)
{
    (void)unused;
    for (int k = 0; k < DYNAMIC; k++) {
        SnWorld* world = make_world(dynamic[k], false);
        SnStepReport first, now;
        double values[6 * 27];
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < STEPS; step++) {
            if (step == 3) check_ok(sn_world_set_gravity(world, (double[3]){3, 2, -1}));
            if (step == 6) {
                memcpy(values, sn_world_velocities(world), sizeof values);
                for (int i = 0; i < 54; i++) values[3 * i + 1] += i % 5;
                check_ok(sn_world_set_velocities(world, values));
            }
            if (step == 9) {
                memcpy(values, sn_world_positions(world), sizeof values);
                for (int i = 0; i < 27; i++) values[3 * i + 2] *= 0.9;
                check_ok(sn_world_set_positions(world, values));
            }
            check_ok(sn_world_step(world, &now));
            check(now.outcome == SN_OUTCOME_CONVERGED);
            check_near(total(&now.energy), total(&first.energy), 1e-9 * fabs(now.energy.kinetic + now.energy.pins));
        }
        check_momentum(dynamic[k], &first, &now, 1e-6);
        check(fabs(now.energy.pins) > 1000);
        sn_world_destroy(world);
    }
}

// Backward Euler under the new gravity: v' = v + h g.
static void test_gravity_acts(void** unused)
{
    (void)unused;
    SnWorld* world = make_world("backward-euler", false);
    check_ok(sn_world_step(world, NULL));
    double before = sn_world_velocities(world)[0];
    check_ok(sn_world_set_gravity(world, (double[3]){6, 0, 0}));
    check_ok(sn_world_step(world, NULL));
    check_near(sn_world_velocities(world)[0] - before, 6.0 / 60, 1e-9);
    check_fails(sn_world_set_gravity(world, (double[3]){NAN, 0, 0}), SN_ERROR_VALUE, "gravity");
    sn_world_destroy(world);
}

static void test_crossing_is_refused(void** unused)
{
    (void)unused;
    SnWorld* world = make_world("backward-euler", true);
    double values[6 * 27];
    check_ok(sn_world_step(world, NULL));
    uint64_t hash = sn_world_hash(world);
    memcpy(values, sn_world_positions(world), sizeof values);
    for (int i = 0; i < 27; i++) values[3 * i] += 1.7, values[3 * i + 1] += 0.1, values[3 * i + 2] += 0.1;
    check_fails(sn_world_set_positions(world, values), SN_ERROR_VALUE, "crosses");
    check(sn_world_hash(world) == hash);
    values[0] = INFINITY;
    check_fails(sn_world_set_positions(world, values), SN_ERROR_VALUE, "node 0");
    for (int i = 0; i < 27; i++) values[3 * i] += 3;
    values[0] = 4.7;
    check_ok(sn_world_set_positions(world, values));
    check_ok(sn_world_step(world, NULL));
    sn_world_destroy(world);
}

static void test_pick(void** unused)
{
    (void)unused;
    SnWorld* world = make_world("backward-euler", false);
    SnPick pick;
    check_ok(sn_world_pick(world, (double[3]){-5, 0.3, 0.6}, (double[3]){2, 0, 0}, &pick));
    check(pick.body == 0);
    check_near(pick.distance, 5, 1e-12);
    for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int i = 0; i < 3; i++) sum += pick.weights[i] * sn_world_positions(world)[3 * pick.nodes[i] + c];
        check_near(sum, ((double[3]){0, 0.3, 0.6})[c], 1e-12);
        check_near(pick.point[c], sum, 1e-12);
    }
    check_ok(sn_world_pick(world, (double[3]){9, 0.3, 0.6}, (double[3]){-1, 0, 0}, &pick));
    check(pick.body == 1 && pick.nodes[0] >= 27);
    check_near(pick.distance, 6, 1e-12);
    check_ok(sn_world_pick(world, (double[3]){9, 9, 9}, (double[3]){1, 0, 0}, &pick));
    check(pick.body == -1 && isinf(pick.distance));
    sn_world_destroy(world);
}

// A load that is changed is as one that was so from the start; it is noted, and made again.
static void test_loads(void** unused)
{
    (void)unused;
    static const char* const types[] = {"force", "pressure", "wind", "acceleration"};
    for (int type = 0; type < 4; type++)
        for (int k = 0; k < DYNAMIC; k++) {
            SnWorld* worlds[3];
            SnEvent event;
            for (int w = 0; w < 3; w++) {
                SnWorldDef def = sn_default_world_def();
                SnBodyDef body = sn_default_body_def();
                SnLoadDef load = sn_default_load_def(types[type]);
                SnMesh* mesh;
                def.integrator = dynamic[k], def.threads = 1, def.solver.tolerance = 1e-10;
                check_ok(sn_world_create(&def, &worlds[w]));
                check_ok(sn_mesh_make_box((double[3]){1, 1, 1}, (int[3]){2, 2, 2}, &mesh));
                body.mesh = mesh;
                check_ok(sn_world_add_body(worlds[w], &body, NULL));
                double factor = w == 2 ? 1 : 3;
                load.vector[0] = 40 * (w == 2 || type == 2 ? 3 : 1), load.pressure = 500 * (w == 2 ? 3 : 1);
                if (type == 2) factor = 1; // its force is not in proportion
                check_ok(sn_world_add_load(worlds[w], &load, NULL));
                check_ok(sn_world_note_changes(worlds[w], true));
                if (w == 0) check_ok(sn_world_set_load(worlds[w], 0, factor));
                if (w == 1) check_ok(sn_world_event(worlds[0], 0, &event));
                if (w == 1) check_ok(sn_world_apply(worlds[w], &event));
                for (int i = 0; i < 5; i++) check_ok(sn_world_step(worlds[w], NULL));
                sn_mesh_destroy(mesh);
            }
            check(sn_world_hash(worlds[0]) == sn_world_hash(worlds[1]));
            for (int i = 0; i < 3 * sn_world_node_count(worlds[0]); i++)
                check_near(sn_world_positions(worlds[0])[i], sn_world_positions(worlds[2])[i], 1e-9);
            check_fails(sn_world_set_load(worlds[0], 1, 2), SN_ERROR_VALUE, "no load 1");
            check_fails(sn_world_set_load(worlds[0], 0, NAN), SN_ERROR_VALUE, "nan");
            for (int w = 0; w < 3; w++) sn_world_destroy(worlds[w]);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_loads),        cmocka_unit_test(test_ledger_closes),
    cmocka_unit_test(test_gravity_acts), cmocka_unit_test(test_crossing_is_refused),
    cmocka_unit_test(test_pick),
};
RUN_TESTS(tests, NULL, NULL)
