// The world: free fall, rigid motion, equilibria against closed forms, handles, ledger, threads, state, every
// allocation.
#include <SuiteSparse_config.h>

#include "check_world.h"
#include "core/random.h"
#include "mesh/mesh.h"
#include "world/motion.h"
#include "world/world.h"

#define PI 3.14159265358979323846

static SnWorld* make_world(SnWorldDef def)
{
    SnWorld* world = NULL;
    check_ok(sn_world_create(&def, &world));
    return world;
}

static SnMesh* make_box(double x, double y, double z, int nx, int ny, int nz)
{
    SnMesh* mesh = NULL;
    check_ok(sn_mesh_make_box((double[]){x, y, z}, (int[]){nx, ny, nz}, &mesh));
    return mesh;
}

// Adds the mesh as a body and destroys it.
static void add_body(SnWorld* world, SnMesh* mesh, SnMaterial material, const double* start, const double* velocity)
{
    SnBodyDef def = sn_default_body_def();
    def.mesh = mesh, def.material = material, def.start = start, def.velocity = velocity;
    check_ok(sn_world_add_body(world, &def, NULL));
    sn_mesh_destroy(mesh);
}

// Holds the nodes of body 0 whose rest coordinate on an axis is in [lo, hi].
static void hold(SnWorld* world, int axis, double lo, double hi, SnMotion motion)
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    int* nodes = calloc((size_t)info.node_count, sizeof *nodes);
    int count = 0;
    for (int i = 0; i < info.node_count; i++)
        if (info.rest[3 * i + axis] >= lo - 1e-9 && info.rest[3 * i + axis] <= hi + 1e-9) nodes[count++] = i;
    check(count > 0);
    SnHandleDef def = sn_default_handle_def();
    def.nodes = nodes, def.node_count = count, def.motion = motion;
    check_ok(sn_world_add_handle(world, &def, NULL));
    free(nodes);
}

static SnMotion still(void)
{
    return sn_default_handle_def().motion;
}

static SnWorld* make_bar(int threads)
{
    SnWorldDef def = sn_default_world_def();
    def.threads = threads;
    def.time_step = 1.0 / 30;
    SnWorld* world = make_world(def);
    add_body(world, make_box(4, 1, 1, 12, 3, 3), sn_material("neo-hookean", 1e6, 0.4, 1000), NULL, NULL);
    hold(world, 0, 0, 0, still());
    return world;
}

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
        double t = 0.017 * i, x[3], far = 2 / PI * asin(sin(PI / 3 * (5 * t - 0.5))) * 1.5 + 0.5; // around 0.5, +-1.5
        sn_motion_apply(&motion, t, start, x);
        check_near(x[0], 1 + 0.6 * far, 1e-7);
        check_near(x[1], 1 + 0.8 * far, 1e-7);
        check_near(x[2], 1 + 0.5 * sin(3 * PI * t), 1e-12);
    }
    motion.turn[0] = -1;
    check_fails(sn_motion_check(&motion), SN_ERROR_VALUE, "turns -1 m ahead");
    motion.turn[0] = 1, motion.oscillate_frequency = NAN;
    check_fails(sn_motion_check(&motion), SN_ERROR_VALUE, "finite");
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

static double my_energy(SnStretches s, SnMaterialParameters m)
{
    return sn_material_find("stvk")->energy(s, m) * *(const double*)m.user;
}

static SnStretches my_gradient(SnStretches s, SnMaterialParameters m)
{
    SnStretches g = sn_material_find("stvk")->gradient(s, m);
    double k = *(const double*)m.user;
    return (SnStretches){k * g.s1, k * g.s2, k * g.s3};
}

static SnStretchHessian my_hessian(SnStretches s, SnMaterialParameters m)
{
    SnStretchHessian h = sn_material_find("stvk")->hessian(s, m);
    double k = *(const double*)m.user;
    return (SnStretchHessian){k * h.h11, k * h.h22, k * h.h33, k * h.h12, k * h.h13, k * h.h23};
}

// A user's own material, twice as stiff by its own pointer, moves like the built-in one with twice Young's modulus.
static void test_custom_material(void** state)
{
    (void)state;
    const double twice = 2;
    const SnMaterialType mine = {.name = "mine",
                                 .energy = my_energy,
                                 .gradient = my_gradient,
                                 .hessian = my_hessian,
                                 .elements = SN_ON_TETRAHEDRA};
    SnMaterial materials[2] = {sn_material("stvk", 2e5, 0.3, 1000), sn_material("ignored", 1e5, 0.3, 1000)};
    materials[1].custom = &mine, materials[1].user = &twice;
    double last[2][3];
    for (int k = 0; k < 2; k++) {
        SnWorldDef def = sn_default_world_def();
        def.solver.tolerance = 1e-12;
        SnWorld* world = make_world(def);
        add_body(world, make_box(2, 1, 1, 4, 2, 2), materials[k], NULL, NULL);
        hold(world, 0, 0, 0, still());
        for (int i = 0; i < 10; i++) check_ok(sn_world_step(world, NULL));
        memcpy(last[k], sn_world_positions(world) + 3 * (sn_world_node_count(world) - 1), sizeof last[k]);
        sn_world_destroy(world);
    }
    for (int c = 0; c < 3; c++) check_near(last[0][c], last[1][c], 1e-9);
}

// Starts that are inside out recover with `extend`; a barrier material that the handles crush stalls and says so.
static void test_bad_starts(void** state)
{
    (void)state;
    SnBodyInfo info;
    SnWorldDef def = sn_default_world_def();
    def.gravity[1] = 0;
    def.solver.tolerance = 1e-8;
    def.integrator = "static";
    def.solver.iterations = 1000;
    SnWorld* world = make_world(def);
    SnMesh* mesh = make_box(1, 1, 1, 3, 3, 3);
    double* start = calloc((size_t)mesh->node_count, 3 * sizeof *start);
    SnRandom random = {5};
    for (int i = 0; i < 3 * mesh->node_count; i++)
        start[i] = mesh->nodes[i] + sn_random_uniform(&random, -0.25, 0.25); // cells are 0.33 m
    add_body(world, mesh, sn_material("neo-hookean", 1e5, 0.3, 1000), start, NULL);
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    check(report.outcome == SN_OUTCOME_CONVERGED);
    check_near(report.energy.elastic, 0, 1e-3);
    free(start);
    sn_world_destroy(world);

    def = sn_default_world_def();
    world = make_world(def);
    SnMaterial hard = sn_material("neo-hookean", 1e5, 0.3, 1000);
    hard.inversion = SN_INVERSION_BARRIER;
    add_body(world, make_box(1, 1, 1, 3, 3, 3), hard, NULL, NULL);
    SnMotion motion = still();
    motion.velocity[0] = 100; // more than an element's size in one step
    hold(world, 0, 0, 0, motion);
    check_ok(sn_world_step(world, &report));
    check(report.outcome == SN_OUTCOME_STALLED);
    check(strstr(report.detail, "not feasible") != NULL);
    check(isinf(report.gradient) && report.energy.pins == 0 && report.energy.numerical == 0);
    check_ok(sn_world_body(world, 0, &info));
    check(memcmp(sn_world_positions(world), info.rest, 3 * (size_t)info.node_count * sizeof(double)) == 0);
    sn_world_destroy(world);
}

// From a point, every node in one place, every material with a force there unfolds.
static void test_point_starts(void** state)
{
    (void)state;
    const char* names[] = {"arap", "corotated", "fixed-corotated", "neo-hookean", "mooney-rivlin"};
    for (int k = 0; k < 5; k++) {
        SnWorldDef def = sn_default_world_def();
        def.gravity[1] = 0;
        def.solver.tolerance = 1e-8; // the energy is asked to vanish below
        def.integrator = "static";
        SnWorld* world = make_world(def);
        SnMesh* mesh = make_box(1, 1, 1, 3, 3, 3);
        double* start = calloc((size_t)mesh->node_count, 3 * sizeof *start);
        add_body(world, mesh, sn_material(names[k], 1e5, 0.4, 1000), start, NULL);
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED || report.energy.elastic > 1e-3)
            fail_msg("%s: %s, %g J", names[k], sn_outcome_name(report.outcome), report.energy.elastic);
        free(start);
        sn_world_destroy(world);
    }
}

// Adds a bar of two halves, x < 1 and x > 1, which are two regions or are scaled.
static SnStatus add_halves(SnWorld* world, const SnMaterial* soft, const SnMaterial* hard, double scale)
{
    SnMesh* mesh = make_box(2, 1, 1, 4, 2, 2);
    int count = mesh->tetrahedron_count;
    int* region = calloc((size_t)count, sizeof *region);
    double* scales = calloc((size_t)count, sizeof *scales);
    for (int t = 0; t < count; t++) {
        double x = 0;
        for (int c = 0; c < 4; c++) x += mesh->nodes[3 * mesh->tetrahedra[4 * t + c]] / 4;
        region[t] = x > 1 ? 0 : -1;
        scales[t] = x > 1 ? scale : 1;
    }
    SnBodyDef def = sn_default_body_def();
    def.mesh = mesh, def.material = *soft;
    if (hard) def.regions = hard, def.region_count = 1, def.region_of_element = region;
    if (scale != 1) def.young_scale = scales;
    SnStatus status = sn_world_add_body(world, &def, NULL);
    sn_mesh_destroy(mesh), free(region), free(scales);
    return status;
}

// A bar of two materials in series under a pull: strains as 1/E; masses as the densities.
static void test_regions(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        SnWorldDef def = sn_default_world_def();
        def.integrator = "static", def.gravity[1] = 0, def.solver.tolerance = 1e-10;
        SnWorld* world = make_world(def);
        SnMaterial soft = sn_material("stvk", 1e5, 0, 1000), hard = sn_material("stvk", 3e5, 0, k ? 1000 : 4000);
        check_ok(add_halves(world, &soft, k ? NULL : &hard, k ? 3 : 1));
        hold(world, 0, 0, 0, still());
        SnMotion pull = still();
        pull.velocity[0] = 0.004 / def.time_step;
        hold(world, 0, 2, 2, pull);
        SnBodyInfo info;
        check_ok(sn_world_body(world, 0, &info));
        check_near(info.mass, k ? 2000 : 5000, 1e-9);
        check_ok(sn_world_step(world, NULL));
        for (int i = 0; i < info.node_count; i++) {
            double x = info.rest[3 * i], expected = x < 1 ? 0.003 * x : 0.003 + 0.001 * (x - 1);
            check_near(sn_world_positions(world)[3 * i] - x, expected, 1e-5);
        }
        sn_world_destroy(world);
    }
}

static void test_bad_regions(void** state)
{
    (void)state;
    SnWorld* world = make_world(sn_default_world_def());
    SnMaterial soft = sn_material("stvk", 1e5, 0.3, 1000), other = sn_material("arap", 1e5, 0.3, 1000), bad = soft;
    bad.poisson = 0.7;
    check_fails(add_halves(world, &soft, &other, 1), SN_ERROR_VALUE, "body 'body 0'", "region 0", "'arap'", "'stvk'");
    check_fails(add_halves(world, &soft, &bad, 1), SN_ERROR_VALUE, "region 0", "poisson is 0.7");
    check_fails(add_halves(world, &soft, NULL, -2), SN_ERROR_VALUE, "young_scale of -2", "must be positive");
    int regions[6] = {0, 0, 0, 5, 0, 0};
    SnBodyDef def = sn_default_body_def();
    def.mesh = make_box(1, 1, 1, 1, 1, 1), def.region_of_element = regions, def.regions = &def.material;
    def.region_count = 1;
    check_fails(sn_world_add_body(world, &def, NULL), SN_ERROR_VALUE, "element 3 is in region 5", "regions 0 to 0");
    sn_mesh_destroy((SnMesh*)def.mesh);
    assert_int_equal(sn_world_body_count(world), 0);
    sn_world_destroy(world);
}

// Regions, a field and curves are allocated apart; each may fail, and nothing is left behind.
static void test_varied_bodies_may_fail(void** state)
{
    (void)state;
    const double points[][2] = {{0.5, -1}, {1, 0}, {2, 2}};
    const SnSplineDef curves = {.a = {3, points[0]}};
    SnMaterial soft = sn_material("spline", 1e5, 0.3, 1000), hard = sn_material("spline", 1e6, 0.3, 2000);
    soft.spline = &curves;
    SnStatus status = SN_ERROR_MEMORY;
    long n = 0;
    for (; status == SN_ERROR_MEMORY; n++) {
        SnWorld* world = make_world(sn_default_world_def());
        SnMesh* mesh = make_box(1, 1, 1, 1, 1, 1);
        const int region[6] = {0, -1, 0, -1, 0, -1};
        const double scales[6] = {1, 2, 3, 4, 5, 6};
        SnBodyDef def = sn_default_body_def();
        def.mesh = mesh, def.material = soft, def.regions = &hard, def.region_count = 1;
        def.region_of_element = region, def.young_scale = scales;
        status = step_with_failing_memory(world, &def, n);
        sn_mesh_destroy(mesh);
    }
    check(n > 15);
}

static void warn_into(void* user, SnLogLevel level, const char* message)
{
    if (level == SN_LOG_WARNING) snprintf(user, 200, "%s", message);
}

// A spline's curves are copied; one whose stress falls is warned of.
static void test_spline_body(void** state)
{
    (void)state;
    char warning[200] = "";
    double points[][2] = {{0.5, -1}, {1, 0}, {1.5, 1}, {2, 0.5}};
    SnSplineDef curves = {.a = {4, points[0]}};
    SnWorldDef def = sn_default_world_def();
    def.log = (SnLog){warning, warn_into};
    SnWorld* world = make_world(def);
    SnMaterial material = sn_material("spline", 1e5, 0.3, 1000);
    material.spline = &curves;
    add_body(world, make_box(1, 1, 1, 2, 2, 2), material, NULL, NULL);
    check(strstr(warning, "stress falls") != NULL);
    memset(points, 0, sizeof points);
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    check(report.outcome == SN_OUTCOME_CONVERGED);
    curves.a.count = 1;
    SnBodyDef body = sn_default_body_def();
    body.mesh = make_box(1, 1, 1, 1, 1, 1), body.material = material;
    sn_world_destroy(world);
    world = make_world(def);
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "body 'body 0'", "at least 2");
    sn_mesh_destroy((SnMesh*)body.mesh);
    sn_world_destroy(world);
}

static void test_errors(void** state)
{
    (void)state;
    SnWorld* world;
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0;
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "time step is 0");
    def = sn_default_world_def();
    def.integrator = "backward-eulr";
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "did you mean 'backward-euler'?");
    def = sn_default_world_def();
    def.solver.type = "newtno";
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "did you mean 'newton'?");
    def = sn_default_world_def();
    def.solver.iterations = 0;
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "iterations is 0");
    def = sn_default_world_def();
    def.solver.armijo = 0.7;
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "armijo is 0.7");

    world = make_world(sn_default_world_def());
    check_fails(sn_world_step(world, NULL), SN_ERROR_VALUE, "no bodies");
    SnBodyDef body = sn_default_body_def();
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "has no mesh");
    SnMesh* box = make_box(1, 1, 1, 1, 1, 1);
    body.mesh = box, body.name = "brick";
    body.material.type = "spring";
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "brick", "tetrahedra", "neo-hookean");
    body.material = sn_material("neo-hookean", 1e5, 0.6, 1000);
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "brick", "poisson is 0.6");
    body.material.poisson = 0.3;
    double keep = box->nodes[0];
    box->nodes[0] = NAN;
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "brick");
    box->nodes[0] = keep;
    int swap = box->tetrahedra[0];
    box->tetrahedra[0] = box->tetrahedra[1], box->tetrahedra[1] = swap;
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "brick", "inverted");
    swap = box->tetrahedra[0];
    box->tetrahedra[0] = box->tetrahedra[1], box->tetrahedra[1] = swap;
    check_ok(sn_world_add_body(world, &body, NULL));
    SnHandleDef handle = sn_default_handle_def();
    const int node = 99;
    handle.nodes = &node, handle.node_count = 1;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "node 99", "brick", "0 to 7");
    handle.nodes = NULL, handle.body = 3;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "body 3");
    handle.body = 0, handle.motion.rotate_rate = 1;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "axis");
    SnBodyInfo info;
    check_fails(sn_world_body(world, 1, &info), SN_ERROR_VALUE, "no body 1");
    check_ok(sn_world_step(world, NULL));
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "before the first step");
    sn_mesh_destroy(box);
    sn_world_destroy(world);
}

#include "world_reinforcement.h"

static long library_countdown;

static void* failing_malloc(size_t size)
{
    if (library_countdown == 0) return NULL;
    if (library_countdown > 0) library_countdown--;
    return malloc(size);
}

static void* failing_calloc(size_t count, size_t size)
{
    if (library_countdown == 0) return NULL;
    if (library_countdown > 0) library_countdown--;
    return calloc(count, size);
}

static void* failing_realloc(void* memory, size_t size)
{
    if (library_countdown == 0) return NULL;
    if (library_countdown > 0) library_countdown--;
    return realloc(memory, size);
}

// Set-up and two steps of a small scene; every object is destroyed whatever happens.
static SnStatus small_scene(void)
{
    SnWorldDef def = sn_default_world_def();
    def.threads = 1;
    SnWorld* world = NULL;
    SnMesh* mesh = NULL;
    SnStatus status = sn_world_create(&def, &world);
    if (status == SN_OK) status = sn_mesh_make_box((double[]){1, 1, 1}, (int[]){2, 2, 2}, &mesh);
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    if (status == SN_OK) status = sn_world_add_body(world, &body, NULL);
    const int nodes[3] = {0, 1, 2};
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = nodes, handle.node_count = 3;
    if (status == SN_OK) status = sn_world_add_handle(world, &handle, NULL);
    for (int i = 0; i < 2 && status == SN_OK; i++) status = sn_world_step(world, NULL);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
    return status;
}

static void test_every_allocation_may_fail(void** state)
{
    (void)state;
    long n = 0;
    for (;; n++) {
        FailingMemory memory = failing_memory(n);
        memory.allocator.user = &memory;
        sn_thread_set_allocator(&memory.allocator);
        SnStatus status = small_scene();
        sn_thread_set_allocator(NULL);
        check(memory.live == 0);
        if (status == SN_OK) break;
        check(status == SN_ERROR_MEMORY);
        check(n < 10000);
    }
    check(n > 20);
    // The same for the memory the ordering takes by itself.
    SuiteSparse_config.malloc_func = failing_malloc, SuiteSparse_config.calloc_func = failing_calloc;
    SuiteSparse_config.realloc_func = failing_realloc;
    for (n = 0;; n++) {
        library_countdown = n;
        SnStatus status = small_scene();
        library_countdown = -1;
        if (status == SN_OK) break;
        check(status == SN_ERROR_MEMORY);
        check(n < 10000);
    }
    check(n > 0);
    SuiteSparse_config.malloc_func = malloc, SuiteSparse_config.calloc_func = calloc;
    SuiteSparse_config.realloc_func = realloc;
}

// A step allocates nothing of ours once the problem stands.
static void test_steps_do_not_allocate(void** state)
{
    (void)state;
    FailingMemory memory = failing_memory(-1);
    memory.allocator.user = &memory;
    SnWorld* world = make_bar(2);
    check_ok(sn_world_step(world, NULL));
    memory.countdown = 0;
    sn_thread_set_allocator(&memory.allocator);
    for (int i = 0; i < 3; i++) check_ok(sn_world_step(world, NULL));
    sn_thread_set_allocator(NULL);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(test_custom_material),
        cmocka_unit_test(test_bad_starts),
        cmocka_unit_test(test_point_starts),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_bad_regions),
        cmocka_unit_test(test_varied_bodies_may_fail),
        cmocka_unit_test(test_spline_body),
        cmocka_unit_test(test_fiber_adds_stiffness),
        cmocka_unit_test(test_fiber_regions),
        cmocka_unit_test(test_fiber_field),
        cmocka_unit_test(test_strip_bends_like_a_plate),
        cmocka_unit_test(test_plate_by_direction),
        cmocka_unit_test(test_bending_by_default),
        cmocka_unit_test(test_hinges_of_a_book),
        cmocka_unit_test(test_shell_keeps_its_shape),
        cmocka_unit_test(test_reinforcement_weighs_nothing),
        cmocka_unit_test(test_reinforced_ledger_and_threads),
        cmocka_unit_test(test_reinforced_bodies_may_fail),
        cmocka_unit_test(test_bad_reinforcement),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_steps_do_not_allocate),
    };
    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
