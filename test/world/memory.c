// Every allocation of a small world may fail; a step needs none.
#include <SuiteSparse_config.h>

#include "bodies.h"

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
        FailingMemory memory;
        start_failing(&memory, n);
        SnStatus status = small_scene();
        stop_failing(&memory);
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

// Above a floor with friction; budget: of its solver, 0: none.
static SnWorld* make_block(int budget)
{
    SnWorldDef def = sn_default_world_def();
    SnObstacleDef plane = sn_default_obstacle_def();
    SnBodyDef body = sn_default_body_def();
    SnWorld* world;
    SnMesh* mesh;
    def.time_step = 1.0 / 60, def.threads = 1, def.solver.budget = budget, plane.friction = 0.4;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_world_add_obstacle(world, &plane, NULL));
    check_ok(sn_mesh_make_box((double[3]){1, 0.5, 0.5}, (int[3]){6, 3, 3}, &mesh));
    for (int i = 0; i < sn_mesh_node_count(mesh); i++) sn_mesh_nodes(mesh)[3 * i + 1] += 0.2;
    body.mesh = mesh, body.material = sn_material("neo-hookean", 3e4, 0.4, 500);
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    return world;
}

// A step allocates nothing of ours once the problem stands.
static void test_steps_do_not_allocate(void** state)
{
    (void)state;
    FailingMemory memory;
    SnWorld* world = make_bar(2);
    check_ok(sn_world_step(world, NULL));
    start_failing(&memory, 0);
    for (int i = 0; i < 3; i++) check_ok(sn_world_step(world, NULL));
    stop_failing(&memory);
    sn_world_destroy(world);
}

// Nor does one with contacts, once there have been as many as there will be: a block comes to rest on a floor, and is
// pulled at.
static void pull_block(int budget)
{
    FailingMemory memory;
    SnWorld* world = make_block(budget);
    SnStepReport report;
    int grab;
    for (int i = 0; i < 60; i++) check_ok(sn_world_step(world, &report));
    check(report.contacts > 0);
    check_ok(sn_world_grab(world, &(SnPick){.weights = {1, 0, 0}}, 0, &grab));
    for (int i = 0; i < 20; i++) check_ok(sn_world_step(world, &report));
    start_failing(&memory, 0);
    for (int i = 0; i < 30; i++) {
        check_ok(sn_world_drag(world, grab, (double[3]){-0.01 * i, 0.005 * i, 0}));
        check_ok(sn_world_step(world, &report));
    }
    stop_failing(&memory);
    sn_world_destroy(world);
}

static void test_steps_in_contact_do_not_allocate(void** state)
{
    (void)state;
    pull_block(0);
    pull_block(8);
}

// A budget bounds what a step takes, whatever happens in it: nothing crosses, no energy comes from nowhere, and what is
// left over is said.
static void test_budget(void** state)
{
    (void)state;
    enum { BUDGET = 8, ITERATION = 12 };
    SnWorld* world = make_block(BUDGET);
    SnStepReport report, start;
    double most;
    int cut = 0, done = 0;
    check_ok(sn_world_measure(world, &start));
    most = start.energy.elastic + start.energy.kinetic + start.energy.gravity;
    for (int i = 0; i < 120; i++) {
        check_ok(sn_world_step(world, &report));
        if (report.evaluations > BUDGET + ITERATION || report.parts != 1)
            fail_msg("step %d took %d evaluations in %d parts", i, report.evaluations, report.parts);
        double now = report.energy.elastic + report.energy.kinetic + report.energy.gravity;
        if (!(report.depth == 0 && now <= most + 1e-5 * fabs(most))) // what the tolerance leaves over
            fail_msg("step %d: %.12g J after %.12g, %g m deep", i, now, most, report.depth);
        most = now;
        cut += report.outcome == SN_OUTCOME_ITERATION_LIMIT;
        done += report.outcome == SN_OUTCOME_CONVERGED;
    }
    if (!(cut > 0 && done > 0 && cut + done == 120)) fail_msg("%d cut, %d converged", cut, done);
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_steps_in_contact_do_not_allocate),
    cmocka_unit_test(test_budget),
    cmocka_unit_test(test_every_allocation_may_fail),
    cmocka_unit_test(test_steps_do_not_allocate),
};
RUN_TESTS(tests, NULL, NULL)
