// What crosses at the start: refused with a remedy, or separated step by step.
#include "touching.h"

typedef struct Log {
    int crossings; // warnings of these
    char first[400];
} Log;

static void listen(void* user, SnLogLevel level, const char* text)
{
    Log* log = user;
    if (level != SN_LOG_WARNING || !strstr(text, "crosses")) return;
    if (log->crossings++ == 0) snprintf(log->first, sizeof log->first, "%s", text);
}

// Blocks a and b cross, c is next to a, and a sheet d goes through b.
static SnWorld* tangled(bool untangle, int threads, Log* log)
{
    static const double places[3][3] = {{0, 0, 0}, {0.03, 0.17, 0.05}, {0.03, -0.205, 0.05}};
    SnWorld* world;
    SnWorldDef def = world_def("auto", 1.0 / 60);
    def.contact.bodies = true, def.contact.untangle = untangle, def.gravity[1] = 0, def.threads = threads;
    if (log) def.log = (SnLog){.write = listen, .user = log};
    check_ok(sn_world_create(&def, &world));
    for (int i = 0; i < 3; i++) add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){3, 3, 3}, places[i], NULL, 1e5);
    SnMesh* mesh;
    check_ok(sn_mesh_make_cloth((double[]){0.3, 0.3}, (int[]){5, 5}, &mesh));
    for (int i = 0; i < sn_mesh_node_count(mesh); i++) {
        double* x = sn_mesh_nodes(mesh) + 3 * i;
        x[0] += 0.2, x[1] += 0.29 + 0.1 * x[2];
    }
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.material = sn_material("stvk", 1e4, 0.3, 300);
    body.material.thickness = 1e-3;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    return world;
}

static void test_refused(void** state)
{
    (void)state;
    SnWorld* world = tangled(false, 1, NULL);
    for (int again = 0; again < 2; again++)
        check_fails(sn_world_step(world, NULL), SN_ERROR_VALUE, "crosses body 'body 0' at the start", "untangle: true");
    check_fails(sn_world_step(world, NULL), SN_ERROR_VALUE, "'body 3' crosses body 'body 1', too");
    check(sn_world_time(world) == 0);
    sn_world_destroy(world);
}

// Fewer and fewer cross, as the report says; then none ever does; the same bits for any number of threads and from a
// state that was saved half way; nothing is thrown apart.
static void test_untangled(void** state)
{
    (void)state;
    Log log = {0};
    SnWorld *one = tangled(true, 1, &log), *three = tangled(true, 3, NULL), *again = tangled(true, 1, NULL);
    SnStepReport report = {0}, other;
    size_t size = sn_world_state_size(one);
    void* bytes = malloc(size);
    assert_non_null(bytes);
    int before = 0, done = 0;
    for (int i = 0; i < 60; i++) {
        if (i == 6) {
            size = sn_world_state_size(one);
            bytes = realloc(bytes, size);
            assert_non_null(bytes);
            check_ok(sn_world_save_state(one, bytes, size));
            check_ok(sn_world_restore_state(again, bytes, size));
        }
        check_ok(sn_world_step(one, &report));
        check_ok(sn_world_step(three, &other));
        check(sn_world_hash(one) == sn_world_hash(three) && report.crossings == other.crossings);
        if (i >= 6) {
            check_ok(sn_world_step(again, &other));
            check(sn_world_hash(one) == sn_world_hash(again) && report.crossings == other.crossings);
        }
        check((report.crossings > 0) == (strstr(report.detail, "through triangles still") != NULL));
        if (i == 0) before = report.crossings;
        if (report.crossings == 0 && !done) done = i;
        check(!done || report.crossings == 0);
        check(report.energy.kinetic < 2);
    }
    check(before > 20 && done > 5);
    assert_int_equal(log.crossings, 2);
    check(strstr(log.first, "'body 1' crosses body 'body 0' at the start") && strstr(log.first, "0.25 m/s"));
    free(bytes);
    sn_world_destroy(one), sn_world_destroy(three), sn_world_destroy(again);
}

// With memory that runs out in the first step, at each place: an error comes back, and the next step does what it
// should.
static void test_untangle_without_memory(void** state)
{
    (void)state;
    for (long n = 0;; n += 1 + n / 20) {
        SnWorld* world = tangled(true, 1, NULL);
        FailingMemory memory;
        SnStepReport report;
        start_failing(&memory, n);
        SnStatus status = sn_world_step(world, &report);
        memory.countdown = -1; // enough from now on
        check(status == SN_OK || status == SN_ERROR_MEMORY);
        check_ok(sn_world_step(world, &report));
        check(report.crossings > 0);
        sn_world_destroy(world);
        stop_failing(&memory);
        if (status == SN_OK) break;
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_untangled),
    cmocka_unit_test(test_untangle_without_memory),
};
RUN_TESTS(tests, NULL, NULL)
