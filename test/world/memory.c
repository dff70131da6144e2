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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_allocation_may_fail),
    cmocka_unit_test(test_steps_do_not_allocate),
};
RUN_TESTS(tests, NULL, NULL)
