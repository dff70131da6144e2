// ADMM's weights as they adapt: squeezed bodies converge, to the minimum; the same bits when resumed, for any threads.
#include "check.h"

#include "core/pi.h"
#include "world/world.h"

enum { STEPS = 16 };

// A bar that is bent and wrung, or pushed together to two thirds of its length.
typedef struct Case {
    const char *solver, *material;
    double poisson, tolerance;
    bool squeezed, fixed; // fixed: weights stay
    int anderson, threads;
} Case;

static SnWorld* make_bar(Case c)
{
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.025;
    def.threads = c.threads > 0 ? c.threads : 1;
    def.solver.type = c.solver;
    def.solver.iterations = 300;
    def.solver.tolerance = c.tolerance > 0 ? c.tolerance : 1e-7;
    def.solver.adapt = !c.fixed;
    def.solver.anderson = c.anderson;
    SnWorld* world;
    SnMesh* mesh;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){3, 1, 1}, (int[]){9, 3, 3}, &mesh));
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    body.material = sn_material(c.material ? c.material : "neo-hookean", 1e5, c.poisson > 0 ? c.poisson : 0.4, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    for (int end = 0; end < 2; end++) {
        int nodes[64], count = 0;
        for (int i = 0; i < sn_mesh_node_count(mesh); i++)
            if (fabs(sn_mesh_nodes(mesh)[3 * i] - 3 * end) < 1e-9) nodes[count++] = i;
        SnHandleDef handle = sn_default_handle_def();
        handle.nodes = nodes, handle.node_count = count;
        if (end == 1) {
            handle.motion.rotate_axis[0] = 1, handle.motion.rotate_rate = c.squeezed ? 0 : SN_PI / 2;
            handle.motion.rotate_centre[1] = handle.motion.rotate_centre[2] = 0.5;
            handle.motion.velocity[0] = c.squeezed ? -2.5 : 0.2;
        }
        check_ok(sn_world_add_handle(world, &handle, NULL));
    }
    sn_mesh_destroy(mesh);
    return world;
}

// Steps that did not converge; iterations of all.
static int run(SnWorld* world, int steps, int* iterations)
{
    int failed = 0;
    for (int i = 0; i < steps; i++) {
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        failed += report.outcome != SN_OUTCOME_CONVERGED;
        *iterations += report.iterations;
    }
    return failed;
}

// With constant weights these end in cycles, however many iterations there are.
static void test_squeezed_bodies_converge(void** state)
{
    (void)state;
    static const char* const materials[] = {"neo-hookean", "fixed-corotated"};
    for (int m = 0; m < 2; m++)
        for (int squeezed = 0; squeezed < 2; squeezed++) {
            int iterations[3] = {0};
            Case c = {.solver = "admm", .material = materials[m], .squeezed = squeezed};
            SnWorld* world = make_bar(c);
            check(run(world, STEPS, &iterations[0]) == 0);
            c.fixed = true;
            SnWorld* fixed = make_bar(c);
            check(run(fixed, STEPS, &iterations[1]) > 0);
            check(3 * iterations[0] < iterations[1]);
            c = (Case){.solver = "newton", .material = materials[m], .squeezed = squeezed, .tolerance = 1e-9};
            SnWorld* newton = make_bar(c);
            check(run(newton, STEPS, &iterations[2]) == 0);
            double most = 0;
            for (int i = 0; i < 3 * sn_world_node_count(world); i++)
                most = fmax(most, fabs(sn_world_positions(world)[i] - sn_world_positions(newton)[i]));
            check(most < 1e-4);
            sn_world_destroy(world), sn_world_destroy(fixed), sn_world_destroy(newton);
        }
}

// Nearly incompressible: the balance of residuals finds better weights than the shear stiffness'.
static void test_balance(void** state)
{
    (void)state;
    int adapted = 0, fixed = 0;
    SnWorld *one = make_bar((Case){.solver = "admm", .poisson = 0.49}),
            *other = make_bar((Case){.solver = "admm", .poisson = 0.49, .fixed = true});
    check(run(one, STEPS / 2, &adapted) == 0);
    run(other, STEPS / 2, &fixed);
    check(2 * adapted < fixed);
    sn_world_destroy(one), sn_world_destroy(other);
}

static void test_same_bits(void** state)
{
    (void)state;
    for (int anderson = 0; anderson < 4; anderson += 3) {
        Case c = {.solver = "admm", .anderson = anderson};
        SnWorld* world = make_bar(c);
        int iterations = 0, factors = 0;
        run(world, STEPS, &iterations);
        int64_t size = world->model.solver_type->memory->size(world->problem.solver);
        double* memory = calloc((size_t)size, sizeof *memory);
        world->model.solver_type->memory->save(world->problem.solver, memory);
        for (int64_t i = 0; i < 2 * size; i++) factors += ((const float*)memory)[i] != 1;
        check(factors > 0); // or there would be nothing to test
        free(memory);
        uint64_t hash = sn_world_hash(world);
        for (int at = 1; at < STEPS; at += 4) {
            c.threads = at % 3 + 1;
            SnWorld *one = make_bar(c), *two = make_bar(c);
            run(one, at, &iterations);
            size_t bytes = sn_world_state_size(one);
            void* saved = malloc(bytes);
            check_ok(sn_world_save_state(one, saved, bytes));
            check_ok(sn_world_restore_state(two, saved, bytes));
            free(saved);
            run(two, STEPS - at, &iterations);
            check(sn_world_hash(two) == hash);
            sn_world_destroy(one), sn_world_destroy(two);
        }
        sn_world_destroy(world);
    }
}

// Fixed numbers of iterations, also few: weights follow from step to step, and what is left over is a fraction of what
// the papers' weights leave.
static void test_fixed_counts_follow(void** state)
{
    (void)state;
    const int counts[] = {8, 40};
    for (int i = 0; i < 2; i++) {
        double left[2] = {0};
        for (int k = 0; k < 2; k++) {
            SnWorld* world = make_bar((Case){.solver = "admm", .squeezed = true, .fixed = k == 1});
            world->model.def.solver.tolerance = 0;
            world->model.def.solver.iterations = counts[i];
            SnStepReport report;
            for (int step = 0; step < STEPS; step++) {
                check_ok(sn_world_step(world, &report));
                check(report.iterations == counts[i]);
                left[k] = fmax(left[k], report.gradient);
            }
            sn_world_destroy(world);
        }
        if (!(left[0] < 0.3 * left[1])) fail_msg("%d iterations leave %g N, %g N", counts[i], left[0], left[1]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_squeezed_bodies_converge),
    cmocka_unit_test(test_balance),
    cmocka_unit_test(test_same_bits),
    cmocka_unit_test(test_fixed_counts_follow),
};
RUN_TESTS(tests, NULL, NULL)
