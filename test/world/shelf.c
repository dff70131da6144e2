// Bodies that come and go while the world runs: what is on the shelf is as if it were not there, what is taken from it
// is as if it had been there from the start, the ledger closes over it, and all of it can be made again to the same
// bits.
#include "check_world.h"

#include "core/random.h"
#include "mesh/mesh.h"
#include "world/report.h"

enum { SIDE = 3, NODES = SIDE * SIDE * SIDE };
static const SnPose upright = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
static const char* const solvers[] = {"newton", "lbfgs", "auto", "dot", "admm", "pd"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static SnPose at(double x, double y, double z)
{
    SnPose pose = upright;
    pose.shift[0] = x, pose.shift[1] = y, pose.shift[2] = z;
    return pose;
}

static SnWorld* make_empty(const char* integrator, const char* solver, double tolerance, bool floor)
{
    SnWorldDef def = sn_default_world_def();
    SnObstacleDef plane = sn_default_obstacle_def();
    SnWorld* world;
    def.time_step = 1.0 / 60, def.integrator = integrator, def.threads = 1;
    def.solver.type = solver, def.solver.tolerance = tolerance, def.solver.iterations = 2000;
    def.contact.bodies = true;
    check_ok(sn_world_create(&def, &world));
    if (floor) check_ok(sn_world_add_obstacle(world, &plane, NULL));
    return world;
}

// A cube of half a metre, 15.6 kg; rests with its lower corner at a place.
static int add_cube(SnWorld* world, const char* material, double y, bool shelf)
{
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh;
    int number;
    check_ok(sn_mesh_make_box((double[3]){0.5, 0.5, 0.5}, (int[3]){SIDE - 1, SIDE - 1, SIDE - 1}, &mesh));
    for (int i = 0; i < NODES; i++) mesh->nodes[3 * i + 1] += y;
    body.mesh = mesh, body.material = sn_material(material, 5e4, 0.3, 125), body.shelf = shelf;
    body.damping = &damping, body.damping_count = 1;
    check_ok(sn_world_add_body(world, &body, &number));
    sn_mesh_destroy(mesh);
    return number;
}

static const char* material_for(const char* solver)
{
    return strcmp(solver, "pd") == 0 ? "arap" : "neo-hookean";
}

static void run(SnWorld* world, int steps, SnStepReport* report)
{
    for (int i = 0; i < steps; i++) {
        check_ok(sn_world_step(world, report));
        if (!sn_outcome_meets(report->outcome)) fail_msg("step %d: %s", (int)report->step, report->detail);
    }
}

static double difference(const SnWorld* a, int first_a, const SnWorld* b, int first_b)
{
    double most = 0;
    for (int k = 0; k < 3 * NODES; k++)
        most = fmax(most, fabs(sn_world_positions(a)[3 * first_a + k] - sn_world_positions(b)[3 * first_b + k]));
    return most;
}

static double total(const SnEnergy* e)
{
    return e->kinetic + e->elastic + e->gravity - e->pins + e->viscous + e->friction + e->numerical;
}

// A cube falls as it does alone, with another one on the shelf before it, and taken out from beside it.
static void test_what_is_out_is_not_there(void** unused)
{
    (void)unused;
    for (int s = 0; s < SOLVERS; s++) {
        const char* material = material_for(solvers[s]);
        SnWorld* alone = make_empty("backward-euler", solvers[s], 1e-10, true);
        SnWorld* shelved = make_empty("backward-euler", solvers[s], 1e-10, true);
        SnWorld* removed = make_empty("backward-euler", solvers[s], 1e-10, true);
        SnStepReport a, b, c;
        add_cube(alone, material, 0.05, false);
        add_cube(shelved, material, 0, true), add_cube(shelved, material, 0.05, false);
        add_cube(removed, material, 0.05, false), add_cube(removed, material, 5, false);
        check_ok(sn_world_remove_body(removed, 1));
        run(alone, 12, &a), run(shelved, 12, &b), run(removed, 12, &c);
        check(a.contacts > 0 && b.contacts == a.contacts && c.contacts == a.contacts);
        double off[] = {difference(alone, 0, shelved, NODES), difference(alone, 0, removed, 0)};
        if (!(fmax(off[0], off[1]) < 1e-7)) fail_msg("%s: %g and %g m off", solvers[s], off[0], off[1]);
        check_near(b.energy.gravity, a.energy.gravity, 1e-6);
        check_near(c.momentum[1], a.momentum[1], 1e-5);
        sn_world_destroy(alone), sn_world_destroy(shelved), sn_world_destroy(removed);
    }
}

// Taken from the shelf at the start, or later, it does what it would have done, with its velocity and turned.
static void test_what_is_placed_is_there(void** unused)
{
    (void)unused;
    for (int s = 0; s < SOLVERS; s++) {
        SnWorld* whole = make_empty("backward-euler", solvers[s], 1e-10, false);
        SnWorld* later = make_empty("backward-euler", solvers[s], 1e-10, false);
        SnStepReport report;
        SnBodyInfo info;
        const char* material = material_for(solvers[s]);
        SnPose turned = {{0, 0, 1, 1, 0, 0, 0, 1, 0}, {0, 3, 0}};
        double velocity[3] = {1, 0, -2};
        add_cube(whole, material, 0, false), add_cube(later, material, 0, true), add_cube(later, material, 9, false);
        run(later, 3, &report);
        check_ok(sn_world_body(later, 0, &info));
        check(info.out);
        check_ok(sn_world_place_body(later, 0, &turned, velocity));
        check_ok(sn_world_body(later, 0, &info));
        check(!info.out);
        run(later, 5, &report), run(whole, 5, &report);
        double most = 0, t = 5.0 / 60;
        for (int i = 0; i < NODES; i++)
            for (int k = 0; k < 3; k++) {
                const double *x = sn_world_positions(whole) + 3 * i, *y = sn_world_positions(later) + 3 * i;
                // falls as that does, along y, which the turn has made of x: so the shapes are compared at rest
                double fallen = k == 1 ? -9.81 * t * (t + 1.0 / 60) / 2 : 0;
                double rest = x[(k + 2) % 3] - ((k + 2) % 3 == 1 ? -9.81 * t * (t + 1.0 / 60) / 2 : 0);
                most = fmax(most, fabs(y[k] - (rest + turned.shift[k] + velocity[k] * t + fallen)));
            }
        if (!(most < 1e-6)) fail_msg("%s: %g m off", solvers[s], most);
        sn_world_destroy(whole), sn_world_destroy(later);
    }
}

// The lower of two cubes is taken out from under the other, and put on top of it: nothing is lost from the ledger.
static void test_ledger_closes(void** unused)
{
    (void)unused;
    for (int k = 0; k < DYNAMIC; k++) {
        SnWorld* world = make_empty(dynamic[k], "newton", 1e-12, false);
        SnStepReport first, now;
        add_cube(world, "neo-hookean", 0, false), add_cube(world, "neo-hookean", 0.6, false);
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < 24; step++) {
            SnPose high = at(0.1, 2, 0);
            if (step == 8) check_ok(sn_world_remove_body(world, 0));
            if (step == 16) check_ok(sn_world_place_body(world, 0, &high, (double[3]){0, -1, 0}));
            check_ok(sn_world_step(world, &now));
            double size = fabs(now.energy.kinetic) + fabs(now.energy.pins) + 1;
            if (!(fabs(total(&now.energy) - total(&first.energy)) < 1e-9 * size))
                fail_msg("%s, step %d: %g J are missing", dynamic[k], step, total(&now.energy) - total(&first.energy));
        }
        check_momentum(dynamic[k], &first, &now, 1e-5);
        sn_world_destroy(world);
    }
}

// The upper one falls to the floor, once the lower one is gone.
static void test_stack_falls(void** unused)
{
    (void)unused;
    SnWorld* world = make_empty("backward-euler", "auto", 1e-5, true);
    SnStepReport report;
    add_cube(world, "neo-hookean", 0.005, false), add_cube(world, "neo-hookean", 0.515, false);
    for (int i = 0; i < 40; i++) check_ok(sn_world_step(world, &report));
    check(sn_world_positions(world)[3 * NODES + 1] > 0.45);
    check_ok(sn_world_remove_body(world, 0));
    for (int i = 0; i < 60; i++) check_ok(sn_world_step(world, &report));
    check_near(sn_world_positions(world)[3 * NODES + 1], 0, 0.02);
    check(report.contacts > 0);
    sn_world_destroy(world);
}

static void test_what_cannot_be(void** unused)
{
    (void)unused;
    SnWorld* world = make_empty("backward-euler", "auto", 1e-5, true);
    SnStepReport report;
    SnPose inside = at(0.1, 0.15, 0.1), below = at(0, -3, 0), bent = {{1, 0, 0, 0, 2, 0, 0, 0, 1}, {0, 0, 0}};
    int lower = add_cube(world, "neo-hookean", 0.1, false), other = add_cube(world, "neo-hookean", 0, true);
    run(world, 2, &report);
    uint64_t before = sn_world_hash(world);
    check_fails(sn_world_place_body(world, other, &inside, NULL), SN_ERROR_VALUE, "cross");
    check_fails(sn_world_place_body(world, other, &bent, NULL), SN_ERROR_VALUE, "no rotation");
    check_fails(sn_world_place_body(world, lower, &upright, NULL), SN_ERROR_VALUE, "there already");
    check_fails(sn_world_place_body(world, 7, &upright, NULL), SN_ERROR_VALUE, "body 7");
    check_fails(sn_world_remove_body(world, other), SN_ERROR_VALUE, "on the shelf already");
    check_fails(sn_world_place_body(world, other, &below, (double[3]){INFINITY, 0, 0}), SN_ERROR_VALUE, "velocity");
    SnHandleDef handle = sn_default_handle_def();
    int number;
    handle.body = other;
    check_fails(sn_world_hold(world, other, (int[]){0}, 1, &number), SN_ERROR_VALUE, "on the shelf");
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "on the shelf");
    check(sn_world_hash(world) == before);
    run(world, 2, &report);
    sn_world_destroy(world);

    world = make_empty("backward-euler", "auto", 1e-5, false);
    add_cube(world, "neo-hookean", 0, false), add_cube(world, "neo-hookean", 2, true);
    SnAttachmentDef tie = sn_default_attachment_def();
    tie.from = (SnPlaceDef){1, (int[]){0}, 1}, tie.to.body = 0;
    check_ok(sn_world_add_attachment(world, &tie, NULL));
    check_fails(sn_world_step(world, &report), SN_ERROR_VALUE, "has an attachment");
    sn_world_destroy(world);
}

// Every body may be on the shelf.
static void test_nothing_is_left(void** unused)
{
    (void)unused;
    for (int s = 0; s < SOLVERS; s++) {
        SnWorld* world = make_empty("backward-euler", solvers[s], 1e-6, true);
        SnStepReport report;
        add_cube(world, material_for(solvers[s]), 0.1, false);
        run(world, 2, &report);
        check_ok(sn_world_remove_body(world, 0));
        run(world, 2, &report);
        check(report.energy.kinetic == 0 && report.contacts == 0);
        SnPose high = at(0, 1, 0);
        check_ok(sn_world_place_body(world, 0, &high, NULL));
        run(world, 2, &report);
        check(report.energy.kinetic > 0);
        sn_world_destroy(world);
    }
}

static void fill_nothing(const SnMaterialMany* many)
{
    (void)many;
}

// A body that is new, while it runs; while a run file has to know of it, one that numbers can say.
static void test_added_while_it_runs(void** unused)
{
    (void)unused;
    SnWorld* world = make_empty("trapezoidal", "auto", 1e-10, true);
    SnWorld* alone = make_empty("trapezoidal", "auto", 1e-10, true);
    SnStepReport first, report;
    SnBodyDef def = sn_default_body_def();
    SnMesh* mesh;
    add_cube(world, "neo-hookean", 0.02, false), add_cube(alone, "neo-hookean", 4, false);
    check_ok(sn_world_measure(world, &first));
    run(world, 4, &report);
    add_cube(world, "neo-hookean", 4, false);
    check(sn_world_body_count(world) == 2 && sn_world_node_count(world) == 2 * NODES);
    run(world, 6, &report), run(alone, 6, &report);
    check(difference(world, NODES, alone, 0) < 1e-8);
    check_ok(sn_mesh_make_box((double[3]){1, 1, 1}, (int[3]){1, 1, 1}, &mesh));
    def.mesh = mesh;
    check_fails(sn_world_add_body(world, &def, NULL), SN_ERROR_VALUE, "cross");
    check(sn_world_body_count(world) == 2 && sn_world_node_count(world) == 2 * NODES);
    check_ok(sn_world_note_changes(world, true));
    SnMaterialType own = {.name = "own", .elements = SN_ON_TETRAHEDRA, .many = fill_nothing};
    def.material.custom = &own;
    check_fails(sn_world_add_body(world, &def, NULL), SN_ERROR_VALUE, "caller's functions", "run file");
    def.material.custom = NULL;
    check_fails(sn_world_add_body(world, &def, NULL), SN_ERROR_VALUE, "cross");
    check(sn_world_event_count(world) == 0);
    for (int i = 0; i < 8; i++) mesh->nodes[3 * i] += 20;
    check_ok(sn_world_add_body(world, &def, NULL));
    check(sn_world_event_count(world) == 1 && sn_world_body_count(world) == 3);
    run(world, 2, &report);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world), sn_world_destroy(alone);
}

static SnWorld* make_four(const char* integrator, const char* solver)
{
    SnWorld* world = make_empty(integrator, solver, 1e-4, true);
    for (int b = 0; b < 4; b++) add_cube(world, material_for(solver), 0.01, b > 0);
    return world;
}

// Cubes are dropped and taken away at random, and the same is done to another world; and from a state in between.
static void test_made_again(void** unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const char *integrator = dynamic[seed % DYNAMIC], *solver = solvers[seed % SOLVERS];
        SnWorld *world = make_four(integrator, solver), *other = make_four(integrator, solver);
        SnRandom random = {seed};
        SnStepReport report;
        check_ok(sn_world_note_changes(world, true));
        for (int step = 0; step < 24; step++) {
            int body = (int)sn_random_uniform(&random, 0, 4);
            SnPose pose = at(sn_random_uniform(&random, 0, 2), sn_random_uniform(&random, 0.7, 1.7), 0);
            SnBodyInfo info;
            check_ok(sn_world_body(world, body, &info));
            if (step % 3 == 0 && info.out)
                (void)sn_world_place_body(world, body, &pose, (double[3]){0, -1, 0}); // which may be refused
            else if (step % 3 == 0)
                check_ok(sn_world_remove_body(world, body));
            copy_events(world, other);
            if (step == 2 * (int)seed - 1) {
                sn_world_destroy(other);
                other = make_four(integrator, solver);
                restore_from(world, other);
            }
            check_ok(sn_world_step(world, &report));
            check_ok(sn_world_step(other, NULL));
            if (sn_world_hash(world) != sn_world_hash(other)) fail_msg("seed %d, step %d", (int)seed, step);
            check(isfinite(report.energy.kinetic) && isfinite(report.energy.elastic) && report.crossings == 0);
        }
        sn_world_destroy(world), sn_world_destroy(other);
    }
}

// A state knows what is there.
static void test_saved(void** unused)
{
    (void)unused;
    SnWorld* world = make_empty("bdf2", "auto", 1e-6, true);
    SnStepReport report;
    SnBodyInfo info;
    add_cube(world, "neo-hookean", 0.02, false), add_cube(world, "neo-hookean", 0.6, false);
    run(world, 5, &report);
    size_t size = sn_world_state_size(world);
    void* state = malloc(size);
    check_ok(sn_world_save_state(world, state, size));
    run(world, 5, &report);
    uint64_t there = sn_world_hash(world);
    check_ok(sn_world_remove_body(world, 1));
    run(world, 2, &report);
    check_ok(sn_world_restore_state(world, state, size));
    check_ok(sn_world_body(world, 1, &info));
    check(!info.out);
    run(world, 5, &report);
    check(sn_world_hash(world) == there);
    free(state);
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_out_is_not_there),
    cmocka_unit_test(test_what_is_placed_is_there),
    cmocka_unit_test(test_ledger_closes),
    cmocka_unit_test(test_stack_falls),
    cmocka_unit_test(test_what_cannot_be),
    cmocka_unit_test(test_nothing_is_left),
    cmocka_unit_test(test_added_while_it_runs),
    cmocka_unit_test(test_made_again),
    cmocka_unit_test(test_saved),
};
RUN_TESTS(tests, NULL, NULL)
