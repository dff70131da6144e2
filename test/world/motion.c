// The world: free fall, rigid motion, equilibria against closed forms, handles, ledger, threads, state.
#include "world/motion.h"
#include "bodies.h"
#include "core/pi.h"
#include "core/random.h"
#include "material/material.h"
#include "world/world.h"

static void test_free_fall(void** state)
{
    (void)state;
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        if (!(type->elements & (SN_ON_TETRAHEDRA | SN_ON_EDGES))) continue;
        SnWorldDef def = sn_default_world_def();
        SnWorld* world = make_world(def);
        SnMesh* mesh = make_box(1, 1, 1, 3, 3, 3);
        if (type->elements == SN_ON_EDGES) {
            sn_mesh_destroy(mesh);
            check_ok(sn_mesh_make_rope(1, 20, &mesh));
        }
        add_body(world, mesh, sn_material(type->name, 1e5, 0.3, 1000), NULL, NULL);
        SnBodyInfo info;
        check_ok(sn_world_body(world, 0, &info));
        SnStepReport report;
        const int steps = 50;
        for (int i = 0; i < steps; i++) {
            check_ok(sn_world_step(world, &report));
            check(report.outcome == SN_OUTCOME_CONVERGED);
        }
        double h = def.time_step, v = -9.81 * h * steps, fall = -9.81 * h * h * steps * (steps + 1) / 2;
        for (int i = 0; i < info.node_count; i++)
            for (int c = 0; c < 3; c++) {
                check_near(sn_world_positions(world)[3 * i + c], info.rest[3 * i + c] + (c == 1 ? fall : 0), 1e-12);
                check_near(sn_world_velocities(world)[3 * i + c], c == 1 ? v : 0, 1e-11);
            }
        check_near(report.momentum[1], info.mass * v, 1e-10 * info.mass);
        check_near(report.energy.elastic, 0, 1e-15 * info.mass * 1e5);
        sn_world_destroy(world);
    }
}

// A body turned and moved as a whole is at rest: nothing acts on it.
static void test_rigid_placement_is_rest(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.gravity[1] = 0;
    SnWorld* world = make_world(def);
    SnMesh* mesh = make_box(1, 2, 1, 2, 4, 2);
    int n = mesh->node_count;
    double* start = calloc((size_t)n, 3 * sizeof *start);
    const double c = cos(1.1), s = sin(1.1);
    for (int i = 0; i < n; i++) {
        const double* p = mesh->nodes + 3 * i;
        start[3 * i] = c * p[0] - s * p[1] + 5, start[3 * i + 1] = s * p[0] + c * p[1], start[3 * i + 2] = p[2] - 2;
    }
    add_body(world, mesh, sn_material("neo-hookean", 1e5, 0.3, 1000), start, NULL);
    SnStepReport report;
    for (int i = 0; i < 10; i++) check_ok(sn_world_step(world, &report));
    for (int i = 0; i < 3 * n; i++) check_near(sn_world_positions(world)[i], start[i], 1e-12);
    check_near(report.energy.elastic, 0, 1e-15 * 1e5); // rounding of mu V
    free(start);
    sn_world_destroy(world);
}

// Every node turned by a handle: positions follow the rotation to rounding, the work done is the kinetic energy won.
static void test_rigid_rotation(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.gravity[1] = 0;
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 1, 1, 3, 3, 3), sn_material("stvk", 1e5, 0.3, 1000), NULL, NULL);
    SnHandleDef handle = sn_default_handle_def();
    handle.motion.rotate_rate = 2, handle.motion.rotate_axis[2] = 3;
    handle.motion.rotate_centre[0] = handle.motion.rotate_centre[1] = 0.5;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    SnStepReport report;
    for (int i = 0; i < 30; i++) check_ok(sn_world_step(world, &report));
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    double angle = 2 * report.time, c = cos(angle), s = sin(angle);
    for (int i = 0; i < info.node_count; i++) {
        double x = info.rest[3 * i] - 0.5, y = info.rest[3 * i + 1] - 0.5;
        check_near(sn_world_positions(world)[3 * i], c * x - s * y + 0.5, 1e-14);
        check_near(sn_world_positions(world)[3 * i + 1], s * x + c * y + 0.5, 1e-14);
    }
    check_near(report.energy.elastic, 0, 1e-16 * 1e5);
    sn_world_destroy(world);
}

// A column under its own weight: shortening rho g L^2 / 2E (nu = 0, small strain).
static void test_hanging_column(void** state)
{
    (void)state;
    for (int m = 0; m < sn_material_count(); m++) {
        const SnMaterialType* type = sn_material_at(m);
        SnMaterial material = sn_material(type->name, 1e9, 0, 1000);
        if (!(type->elements & (SN_ON_TETRAHEDRA | SN_ON_EDGES))) continue;
        if (strcmp(type->name, "polynomial") == 0) continue;                 // not Hooke's near rest
        if (strcmp(type->name, "mooney-rivlin") == 0) material.extra[0] = 0; // ratio, for nu = 0
        SnWorldDef def = sn_default_world_def();
        def.integrator = "static";
        def.solver.tolerance = 1e-11;
        SnWorld* world = make_world(def);
        SnMesh* mesh = make_box(1, 4, 1, 2, 16, 2);
        if (type->elements == SN_ON_EDGES) {
            sn_mesh_destroy(mesh);
            check_ok(sn_mesh_make_rope(4, 16, &mesh));
            for (int i = 0; i < mesh->node_count; i++) {
                mesh->nodes[3 * i + 1] = mesh->nodes[3 * i];
                mesh->nodes[3 * i] = 0;
            }
        }
        add_body(world, mesh, material, NULL, NULL);
        hold(world, 1, 4, 4, still());
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED)
            fail_msg("%s: %s, %d iterations", type->name, report.detail, report.iterations);
        SnBodyInfo info;
        check_ok(sn_world_body(world, 0, &info));
        double lowest = 0, expected = -1000 * 9.81 * 16 / (2 * 1e9);
        for (int i = 0; i < info.node_count; i++) lowest = fmin(lowest, sn_world_positions(world)[3 * i + 1]);
        check_near(lowest, expected, 2e-3 * fabs(expected));
        sn_world_destroy(world);
    }
}

static void test_motions(void** state)
{
    (void)state;
    const SnKeyframe keys[] = {{0, {0, 0, 0}}, {0.5, {0, 1, 0}}, {1, {0, 1, 2}}};
    SnMotion motion = still();
    motion.velocity[0] = 2, motion.keyframes = keys, motion.keyframe_count = 3, motion.until = 0.75;
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.05;
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 1, 1, 2, 2, 2), sn_material("corotated", 1e6, 0.3, 1000), NULL, NULL);
    SnHandleDef handle = sn_default_handle_def();
    const int node = 5;
    handle.nodes = &node, handle.node_count = 1, handle.motion = motion;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    for (int i = 1; i <= 20; i++) {
        check_ok(sn_world_step(world, NULL));
        double t = fmin(i * 0.05, 0.75), up = fmin(2 * t, 1), z = t > 0.5 ? 4 * (t - 0.5) : 0;
        const double* x = sn_world_positions(world) + 3 * node;
        check_near(x[0], info.rest[3 * node] + 2 * t, 1e-13);
        check_near(x[1], info.rest[3 * node + 1] + up, 1e-13);
        check_near(x[2], info.rest[3 * node + 2] + z, 1e-13);
    }
    sn_world_destroy(world);
}

// Back and forth between two bounds, and as a sine, against closed forms.
static void test_turning_and_oscillating(void** state)
{
    (void)state;
    SnMotion motion = still();
    motion.velocity[0] = 3, motion.velocity[1] = 4; // 5 m/s
    motion.turn[0] = 2, motion.turn[1] = 1;
    motion.oscillate_amplitude[2] = 0.5, motion.oscillate_frequency = 1.5;
    const double start[3] = {1, 1, 1};
    for (int i = 0; i < 500; i++) {
        double t = 0.017 * i, x[3],
               far = 2 / SN_PI * asin(sin(SN_PI / 3 * (5 * t - 0.5))) * 1.5 + 0.5; // around 0.5, +-1.5
        sn_motion_apply(&motion, t, start, x);
        check_near(x[0], 1 + 0.6 * far, 1e-7);
        check_near(x[1], 1 + 0.8 * far, 1e-7);
        check_near(x[2], 1 + 0.5 * sin(3 * SN_PI * t), 1e-12);
    }
    motion.turn[0] = -1;
    check_fails(sn_motion_check(&motion), SN_ERROR_VALUE, "motion turn is [-1, 1] m", "0 or positive");
    motion.turn[0] = 1, motion.oscillate_frequency = NAN;
    check_fails(sn_motion_check(&motion), SN_ERROR_VALUE, "oscillate frequency is nan 1/s", "finite");
}

static void test_release(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.1;
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 1, 1, 2, 2, 2), sn_material("corotated", 1e6, 0.3, 1000), NULL, NULL);
    SnMotion motion = still();
    motion.release = 0.3;
    hold(world, 1, 0, 1, motion); // every node
    double y0 = sn_world_positions(world)[1];
    for (int i = 1; i <= 6; i++) {
        check_ok(sn_world_step(world, NULL));
        double falling = i > 3 ? i - 3 : 0; // steps since
        check_near(sn_world_positions(world)[1] - y0, -9.81 * 0.01 * falling * (falling + 1) / 2, 1e-9);
    }
    sn_world_destroy(world);
}

// Work of a handle lifting everything is the energy gained; in general the books close.
static void test_ledger(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 1, 1, 2, 2, 2), sn_material("corotated", 1e6, 0.3, 1000), NULL, NULL);
    SnMotion motion = still();
    motion.velocity[1] = 3;
    hold(world, 1, 0, 1, motion);
    SnStepReport first, report;
    check_ok(sn_world_measure(world, &first));
    check(first.step == 0 && first.iterations == 0);
    for (int i = 0; i < 20; i++) check_ok(sn_world_step(world, &report));
    double mass = 1000, height = 3 * report.time;
    check_near(report.energy.kinetic, 0.5 * mass * 9, 1e-8);
    check_near(report.energy.gravity - first.energy.gravity, mass * 9.81 * height, 1e-8);
    // What held nodes gain their handles gave; nothing is lost in between.
    check_near(report.energy.pins, 0.5 * mass * 9 + mass * 9.81 * height, 1e-8);
    check_near(report.energy.numerical, 0, 1e-8);
    sn_world_destroy(world);

    world = make_bar(2);
    check_ok(sn_world_measure(world, &first));
    for (int i = 0; i < 30; i++) {
        check_ok(sn_world_step(world, &report));
        const SnEnergy *a = &first.energy, *b = &report.energy;
        double change = b->kinetic + b->elastic + b->gravity - a->kinetic - a->elastic - a->gravity;
        check_near(change, b->pins - b->viscous - b->friction - b->numerical, 1e-9 * fabs(b->gravity));
        check(b->numerical > 0); // backward Euler loses energy
    }
    sn_world_destroy(world);
}

static void test_momentum_in_flight(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.gravity[1] = 0;
    def.solver.tolerance = 1e-11;
    SnWorld* world = make_world(def);
    SnMesh* mesh = make_box(2, 1, 1, 4, 2, 2);
    double* velocity = calloc((size_t)mesh->node_count, 3 * sizeof *velocity);
    SnRandom random = {3};
    for (int i = 0; i < 3 * mesh->node_count; i++) velocity[i] = sn_random_uniform(&random, -1, 2);
    add_body(world, mesh, sn_material("neo-hookean", 1e5, 0.4, 1000), NULL, velocity);
    SnStepReport first, report;
    check_ok(sn_world_measure(world, &first));
    for (int i = 0; i < 20; i++) check_ok(sn_world_step(world, &report));
    for (int c = 0; c < 3; c++) check_near(report.momentum[c], first.momentum[c], 1e-7 * fabs(first.momentum[c]));
    check(report.energy.numerical > 0);
    free(velocity);
    sn_world_destroy(world);
}

static void test_same_bits_any_threads(void** state)
{
    (void)state;
    const int threads[] = {1, 2, 5};
    uint64_t hash = 0;
    for (int t = 0; t < 3; t++) {
        SnWorld* world = make_bar(threads[t]);
        for (int i = 0; i < 10; i++) check_ok(sn_world_step(world, NULL));
        if (t == 0) hash = sn_world_hash(world);
        check(sn_world_hash(world) == hash);
        sn_world_destroy(world);
    }
}

static void test_state_resumes_to_the_bit(void** state)
{
    (void)state;
    SnWorld *unbroken = make_bar(2), *resumed = make_bar(1);
    SnStepReport a, b;
    for (int i = 0; i < 5; i++) check_ok(sn_world_step(unbroken, NULL));
    size_t size = sn_world_state_size(unbroken);
    char* bytes = malloc(size);
    check_ok(sn_world_save_state(unbroken, bytes, size));
    check_ok(sn_world_restore_state(resumed, bytes, size));
    for (int i = 0; i < 5; i++) {
        check_ok(sn_world_step(unbroken, &a));
        check_ok(sn_world_step(resumed, &b));
    }
    check(sn_world_hash(unbroken) == sn_world_hash(resumed));
    check(a.step == 10 && b.step == 10 && a.time == b.time);
    check(memcmp(&a.energy, &b.energy, sizeof a.energy) == 0);
    check_fails(sn_world_restore_state(resumed, bytes, size - 8), SN_ERROR_VALUE, "nodes");
    check_fails(sn_world_save_state(resumed, bytes, size - 1), SN_ERROR_VALUE, "bytes");
    bytes[0]++;
    check_fails(sn_world_restore_state(resumed, bytes, size), SN_ERROR_FORMAT, "not one of this version");
    free(bytes);
    sn_world_destroy(unbroken);
    sn_world_destroy(resumed);
}

// Bytes from a file that was damaged, or made to harm: nothing is taken of a state that cannot be one.
static void test_damaged_states(void** state)
{
    (void)state;
    SnWorld* world = make_bar(1);
    for (int i = 0; i < 3; i++) check_ok(sn_world_step(world, NULL));
    size_t size = sn_world_state_size(world), own = sn_state_size(&world->model);
    char *good = malloc(size), *bytes = malloc(size);
    uint64_t hash = sn_world_hash(world);
    check_ok(sn_world_save_state(world, good, size));
    int64_t many = INT64_MAX, few = -1;
    double none = 0, nowhere = NAN, far = 1e200;
    const struct {
        size_t at; // in the state's own bytes, as world/state.c has them
        const void* value;
        const char* said;
    } damages[] = {
        {0, &few, "counts"},     {8, &nowhere, "times"},      {16, &none, "step"},   {16, &nowhere, "step"},
        {32, &many, "counts"},   {72, &few, "counts"},        {72, &many, "counts"}, {88, &many, "counts"},
        {own - 8, &far, "node"}, {own - 8, &nowhere, "node"},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        memcpy(bytes, good, size);
        memcpy(bytes + size - own + damages[i].at, damages[i].value, 8);
        check_fails(sn_world_restore_state(world, bytes, size), SN_ERROR_FORMAT, "damaged", damages[i].said);
        check(sn_world_hash(world) == hash);
    }
    check_ok(sn_world_restore_state(world, good, size));
    check_ok(sn_world_step(world, NULL));
    free(good), free(bytes);
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_damaged_states),
    cmocka_unit_test(test_free_fall),
    cmocka_unit_test(test_rigid_placement_is_rest),
    cmocka_unit_test(test_rigid_rotation),
    cmocka_unit_test(test_hanging_column),
    cmocka_unit_test(test_motions),
    cmocka_unit_test(test_turning_and_oscillating),
    cmocka_unit_test(test_release),
    cmocka_unit_test(test_ledger),
    cmocka_unit_test(test_momentum_in_flight),
    cmocka_unit_test(test_same_bits_any_threads),
    cmocka_unit_test(test_state_resumes_to_the_bit),
};
RUN_TESTS(tests, NULL, NULL)
