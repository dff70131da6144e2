// The run of a world: resumed, it goes on to the same bits; with another world it is refused.
#include <sinew/probe.h>
#include <sinew/world.h>

#include "archive/run_file.h"
#include "moments.h"

static const SnRunOptions options = {.name = "bar", .scene = "the scene", .contacts = true};

static SnWorld* make_bar(double step, double length)
{
    SnWorldDef def = sn_default_world_def();
    def.time_step = step;
    SnWorld* world;
    check_ok(sn_world_create(&def, &world));
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){length, 1, 1}, (int[]){4, 1, 1}, &mesh));
    SnBodyDef body = sn_default_body_def();
    body.name = "bar";
    body.mesh = mesh;
    body.material = sn_material("neo-hookean", 1e5, 0.4, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = (int[]){0};
    handle.node_count = 1;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    return world;
}

// Two steps a frame.
static void write_frames(SnRunFile* run, SnWorld* world, int frames)
{
    for (int i = 0; i < frames; i++) {
        SnStepReport report;
        for (int s = 0; s < 2; s++) {
            check_ok(sn_world_step(world, &report));
            check_ok(sn_run_file_add_step(run, &report));
        }
        check_ok(sn_run_file_write_frame(run, world));
    }
}

static void check_same_runs(const char* a_path, const char* b_path)
{
    SnRunFile *a, *b;
    check_ok(sn_run_file_open(a_path, &a));
    check_ok(sn_run_file_open(b_path, &b));
    assert_int_equal(sn_run_file_frame_count(a), sn_run_file_frame_count(b));
    size_t size = 3 * (size_t)sn_run_file_node_count(a);
    Moment m = moment_new(sn_run_file_node_count(a)), n = moment_new(sn_run_file_node_count(b));
    for (int i = 0; i < sn_run_file_frame_count(a); i++) {
        check_ok(sn_run_file_read_frame(a, i, m.x, m.v));
        check_ok(sn_run_file_read_frame(b, i, n.x, n.v));
        assert_memory_equal(m.x, n.x, 8 * size);
        assert_memory_equal(m.v, n.v, 8 * size);
    }
    const SnRunStep *s, *t;
    int s_count, t_count;
    check_ok(sn_run_file_read_steps(a, -1, &s, &s_count));
    check_ok(sn_run_file_read_steps(b, -1, &t, &t_count));
    assert_int_equal(s_count, t_count);
    for (int i = 0; i < s_count; i++) {
        assert_int_equal(s[i].step, i);
        assert_int_equal(s[i].iterations, t[i].iterations);
        assert_memory_equal(&s[i].energy, &t[i].energy, sizeof s[i].energy);
        assert_string_equal(s[i].outcome, t[i].outcome);
    }
    moment_free(&m), moment_free(&n);
    sn_run_file_destroy(a), sn_run_file_destroy(b);
}

static void test_resumed_world(void** state)
{
    (void)state;
    const char *whole = in_folder("whole.run"), *broken = in_folder("broken.run");
    SnWorld* world = make_bar(0.02, 4);
    SnRunFile* run;
    check_ok(sn_run_file_create(whole, world, &options, &run));
    write_frames(run, world, 6);
    check_ok(sn_run_file_close(run));
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);

    world = make_bar(0.02, 4);
    check_ok(sn_run_file_create(broken, world, &options, &run));
    write_frames(run, world, 3);
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
    // Rows after the checkpoint, as a version that saves checkpoints more rarely would leave them.
    run_sql(broken, "INSERT INTO frame SELECT 8, 1, positions, velocities FROM frame WHERE step=6;"
                    "INSERT INTO step(step) VALUES(7), (8)");
    world = make_bar(0.02, 4);
    check_ok(sn_run_file_resume(broken, "the scene", world, &run));
    assert_int_equal(sn_run_file_frame_count(run), 4);
    write_frames(run, world, 3);
    check_ok(sn_run_file_close(run));
    check(sn_world_hash(world) == hash);
    sn_world_destroy(world);
    check_same_runs(whole, broken);
}

// A ball that is carried to and fro, and a mesh that changes until the middle of the run.
static SnWorld* make_bar_among_obstacles(double radius)
{
    SnWorld* world = make_bar(0.02, 4);
    SnObstacleDef ball = sn_default_obstacle_def();
    ball.shape = sn_obstacle("sphere");
    ball.shape.radius = radius, ball.shape.point[1] = -0.8;
    ball.motion.oscillate_amplitude[0] = 0.1, ball.motion.oscillate_frequency = 3;
    ball.motion.rotate_axis[1] = 1, ball.motion.rotate_rate = 2;
    check_ok(sn_world_add_obstacle(world, &ball, NULL));
    SnMesh *mesh, *other;
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh));
    check_ok(sn_mesh_make_box((double[]){1, 2, 1}, (int[]){1, 1, 1}, &other));
    SnObstacleDef walker = sn_default_obstacle_def();
    walker.shape = sn_obstacle("mesh");
    walker.shape.frames = (const SnMesh*[]){mesh, other}, walker.shape.frame_count = 2, walker.shape.frame_rate = 8;
    walker.motion.velocity[1] = -0.5;
    check_ok(sn_world_add_obstacle(world, &walker, NULL));
    sn_mesh_destroy(mesh), sn_mesh_destroy(other);
    return world;
}

static void check_same_obstacles(const char* a_path, const char* b_path)
{
    SnRunFile *a, *b;
    check_ok(sn_run_file_open(a_path, &a));
    check_ok(sn_run_file_open(b_path, &b));
    double *x = malloc(1 << 20), *y = malloc(1 << 20);
    for (int o = 0; o < 2; o++)
        for (int i = 0; i < sn_run_file_frame_count(a); i++) {
            SnPose p, q;
            size_t size = 24 * (size_t)sn_run_file_obstacles(a)[o].vertex_count;
            check(size > 0 && size < 1 << 20);
            check_ok(sn_run_file_read_obstacle(a, i, o, &p, x));
            check_ok(sn_run_file_read_obstacle(b, i, o, &q, y));
            assert_memory_equal(&p, &q, sizeof p);
            assert_memory_equal(x, y, size);
        }
    free(x), free(y);
    sn_run_file_destroy(a), sn_run_file_destroy(b);
}

static void test_resumed_among_obstacles(void** state)
{
    (void)state;
    const char *whole = in_folder("among.run"), *broken = in_folder("among-broken.run");
    SnWorld* world = make_bar_among_obstacles(0.5);
    SnRunFile* run;
    check_ok(sn_run_file_create(whole, world, &options, &run));
    write_frames(run, world, 6);
    check_ok(sn_run_file_close(run));
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    world = make_bar_among_obstacles(0.5);
    check_ok(sn_run_file_create(broken, world, &options, &run));
    write_frames(run, world, 2);
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
    world = make_bar_among_obstacles(0.4);
    check_fails(sn_run_file_resume(broken, NULL, world, &run), SN_ERROR_VALUE, broken, "obstacle 0", "surface");
    sn_world_destroy(world);
    world = make_bar(0.02, 4);
    check_fails(sn_run_file_resume(broken, NULL, world, &run), SN_ERROR_VALUE, broken, "2 obstacles", "scene 0");
    sn_world_destroy(world);
    world = make_bar_among_obstacles(0.5);
    check_ok(sn_run_file_resume(broken, NULL, world, &run));
    write_frames(run, world, 4);
    check_ok(sn_run_file_close(run));
    check(sn_world_hash(world) == hash);
    sn_world_destroy(world);
    check_same_runs(whole, broken);
    check_same_obstacles(whole, broken);
}

static void test_resumed_with_another_world(void** state)
{
    (void)state;
    const char* path = in_folder("mine.run");
    SnWorld* world = make_bar(0.02, 4);
    SnRunFile* run;
    check_ok(sn_run_file_create(path, world, &options, &run));
    write_frames(run, world, 1);
    check_fails(sn_run_file_write_frame(run, world), SN_ERROR_VALUE, "report");
    check_ok(sn_run_file_close(run));
    check_fails(sn_run_file_resume(path, "another", world, &run), SN_ERROR_VALUE, path, "scene has changed", "anew");
    assert_null(run);
    check_fails(sn_run_file_resume(in_folder("none.run"), NULL, world, &run), SN_ERROR_FILE, "none.run");
    sn_world_destroy(world);
    world = make_bar(0.01, 4);
    check_fails(sn_run_file_resume(path, NULL, world, &run), SN_ERROR_VALUE, path, "time step 0.02");
    sn_world_destroy(world);
    world = make_bar(0.02, 5);
    check_fails(sn_run_file_resume(path, NULL, world, &run), SN_ERROR_VALUE, path, "bar", "rest shape");
    sn_world_destroy(world);
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.02;
    check_ok(sn_world_create(&def, &world));
    check_fails(sn_run_file_resume(path, NULL, world, &run), SN_ERROR_VALUE, path, "1 bodies", "scene 0");
    sn_world_destroy(world);
    world = make_bar(0.02, 4);
    run_sql(path, "UPDATE checkpoint SET state = x'00'");
    check(sn_run_file_resume(path, NULL, world, &run) != SN_OK);
    check(strstr(sn_last_error(), path) && strstr(sn_last_error(), "step 2"));
    sn_world_destroy(world);
}

// A block that falls on a floor and begins to slip, by an integrator of two stages.
static SnWorld* make_sliding_block(void)
{
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.01, def.integrator = "tr-bdf2", def.gravity[0] = 4;
    SnWorld* world;
    check_ok(sn_world_create(&def, &world));
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){0.2, 0.2, 0.2}, (int[]){2, 2, 2}, &mesh));
    for (int i = 0; i < sn_mesh_node_count(mesh); i++) sn_mesh_nodes(mesh)[3 * i + 1] += 2e-3;
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    body.material = sn_material("neo-hookean", 1e6, 0.3, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    SnObstacleDef floor = sn_default_obstacle_def();
    floor.friction = 0.3;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    return world;
}

static int count_rows(const char* path, const char* sql)
{
    sqlite3* database;
    sqlite3_stmt* statement;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement), sqlite3_close(database);
    return count;
}

// Contacts are the same bits, and none is there twice, when rows were written that the checkpoint does not know.
static void test_resumed_with_contacts(void** state)
{
    (void)state;
    const char *whole = in_folder("block.run"), *broken = in_folder("block-broken.run");
    SnWorld* world = make_sliding_block();
    SnRunFile *run, *other;
    check_ok(sn_run_file_create(whole, world, &options, &run));
    write_frames(run, world, 12);
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
    world = make_sliding_block();
    check_ok(sn_run_file_create(broken, world, &options, &run));
    write_frames(run, world, 8);
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
    run_sql(broken, "INSERT INTO contact SELECT step + 1, count, pairs, forces FROM contact WHERE step = 16");
    world = make_sliding_block();
    check_ok(sn_run_file_resume(broken, NULL, world, &run));
    assert_int_equal(sn_world_contact_count(world), 0);
    write_frames(run, world, 4);
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
    check_same_runs(whole, broken);
    check_ok(sn_run_file_open(whole, &run));
    check_ok(sn_run_file_open(broken, &other));
    int pushing = 0, sliding = 0;
    for (int i = 0; i < 13; i++) {
        const SnContactInfo *a, *b;
        int count, same;
        check_ok(sn_run_file_read_contacts(run, i, &a, &count));
        check_ok(sn_run_file_read_contacts(other, i, &b, &same));
        assert_int_equal(count, same);
        if (count > 0) assert_memory_equal(a, b, (size_t)count * sizeof *a);
        pushing += count > 0;
        for (int k = 0; k < count; k++) sliding += a[k].state == SN_CONTACT_SLIDES && a[k].friction[0] < 0;
    }
    check(pushing > 8 && sliding > 20);
    sn_run_file_destroy(run), sn_run_file_destroy(other);
    assert_int_equal(count_rows(whole, "SELECT count(*) FROM contact"), pushing);
    assert_int_equal(count_rows(broken, "SELECT count(*) FROM contact"), pushing);
}

// Left out where they are not asked for, also after resuming.
static void test_contacts_left_out(void** state)
{
    (void)state;
    const char* path = in_folder("without.run");
    SnWorld* world = make_sliding_block();
    SnRunFile* run;
    SnRunOptions without = options;
    without.contacts = false;
    check_ok(sn_run_file_create(path, world, &without, &run));
    write_frames(run, world, 4);
    check_ok(sn_run_file_close(run));
    check(sn_world_contact_count(world) > 0);
    check_ok(sn_run_file_resume(path, NULL, world, &run));
    write_frames(run, world, 1);
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
    assert_int_equal(count_rows(path, "SELECT count(*) FROM contact"), 0);
    check(count_rows(path, "SELECT max(contacts) FROM step") > 0);
}

// Somebody pulls at the bar, between frames, too: the run keeps it all, and made again from that it is the same.
static void test_events(void** state)
{
    (void)state;
    const char *path = in_folder("pulled.run"), *other = in_folder("again.run");
    SnWorld *world = make_bar(0.01, 4), *again = make_bar(0.01, 4);
    SnRunFile *run, *made;
    SnStepReport report;
    SnPick pick = {.body = 0, .nodes = {19, 18, 17}, .weights = {0.5, 0.25, 0.25}};
    const SnEvent* events;
    int grab, count, next = 0;
    check_ok(sn_run_file_create(path, world, &options, &run));
    for (int step = 0; step < 8; step++) {
        if (step == 1) check_ok(sn_world_grab(world, &pick, 1e4, &grab));
        if (step > 1 && step < 6) check_ok(sn_world_drag(world, grab, (double[3]){4, 1 + 0.1 * step, 2}));
        if (step == 6) check_ok(sn_world_let_go(world, grab));
        check_ok(sn_world_step(world, &report));
        check_ok(sn_run_file_add_step(run, &report));
        if (step % 2) check_ok(sn_run_file_write_frame(run, world));
    }
    sn_run_file_destroy(run);
    check_ok(sn_run_file_open(path, &run));
    check_ok(sn_run_file_read_events(run, 3, &events, &count));
    check(count == 3 && events[0].step == 4);
    check_ok(sn_run_file_read_events(run, -1, &events, &count));
    check(count == 6 && events[0].step == 1 && events[0].count == 7 && events[5].count == 0);
    check_ok(sn_run_file_create(other, again, &options, &made));
    for (int step = 0; step < 8; step++) {
        for (; next < count && events[next].step == step; next++) check_ok(sn_world_apply(again, &events[next]));
        check_ok(sn_world_step(again, &report));
        check_ok(sn_run_file_add_step(made, &report));
        if (step % 2) check_ok(sn_run_file_write_frame(made, again));
    }
    sn_run_file_destroy(made), sn_run_file_destroy(run);
    check(sn_world_hash(world) == sn_world_hash(again));
    check_same_runs(path, other);
    check_fails(sn_run_file_resume(path, NULL, again, &run), SN_ERROR_VALUE, path, "grab after step 1, and 5 more",
                "sinew replay");
    run_sql(path, "UPDATE event SET numbers = x'0011'");
    check_ok(sn_run_file_open(path, &run));
    check_fails(sn_run_file_read_events(run, -1, &events, &count), SN_ERROR_FORMAT, path, "damaged");
    check(count == 0);
    sn_run_file_destroy(run);
    sn_world_destroy(world), sn_world_destroy(again);
}

static SnWorld* make_measured(const char* what)
{
    SnWorld* world = make_bar(0.02, 4);
    SnProbeDef probe = sn_default_probe_def(what);
    probe.where.body = 0;
    check_ok(sn_world_add_probe(world, &probe, NULL));
    return world;
}

// What is measured is the same in all of a run.
static void test_resumed_with_other_probes(void** state)
{
    (void)state;
    const char* path = in_folder("probed.run");
    SnWorld *world = make_measured("position"), *none = make_bar(0.02, 4), *other = make_measured("velocity");
    SnRunFile* run;
    SnStepReport report;
    check_ok(sn_run_file_create(path, world, &options, &run));
    check_ok(sn_world_step(none, &report));
    check_fails(sn_run_file_add_step(run, &report), SN_ERROR_VALUE, path, "0 measured values", "started with 3");
    write_frames(run, world, 1);
    check_ok(sn_run_file_close(run));
    sn_world_destroy(none);
    none = make_bar(0.02, 4);
    check_fails(sn_run_file_resume(path, NULL, none, &run), SN_ERROR_VALUE, path, "3 measured values but the scene 0");
    check_fails(sn_run_file_resume(path, NULL, other, &run), SN_ERROR_VALUE, path, "value 0 is 'position' of 'probe 0'",
                "'velocity' of 'probe 0' in the scene");
    sn_world_destroy(world), sn_world_destroy(none), sn_world_destroy(other);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_events),
    cmocka_unit_test(test_resumed_world),
    cmocka_unit_test(test_resumed_among_obstacles),
    cmocka_unit_test(test_resumed_with_another_world),
    cmocka_unit_test(test_resumed_with_other_probes),
    cmocka_unit_test(test_resumed_with_contacts),
    cmocka_unit_test(test_contacts_left_out),
};
RUN_TESTS(tests, make_folder, remove_folder)
