// The run file: all bits survive, odd numbers and names, empty runs, memory that runs out.
#include <unistd.h>

#include "archive/exporter.h"
#include "archive/run_file.h"
#include "moments.h"
#include "rows.h"

// --- round trips ---

static void check_elements(const int* a, int a_count, const int* b, int b_count, int corners)
{
    assert_int_equal(a_count, b_count);
    if (a_count) assert_memory_equal(a, b, sizeof(int) * (size_t)(a_count * corners));
}

static void check_bodies(const SnBodyInfo* a, const SnBodyInfo* b, int count)
{
    for (int i = 0; i < count; i++, a++, b++) {
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->first_node, b->first_node);
        assert_int_equal(a->node_count, b->node_count);
        assert_memory_equal(a->rest, b->rest, 24 * (size_t)a->node_count);
        check_elements(a->tetrahedra, a->tetrahedron_count, b->tetrahedra, b->tetrahedron_count, 4);
        check_elements(a->triangles, a->triangle_count, b->triangles, b->triangle_count, 3);
        check_elements(a->edges, a->edge_count, b->edges, b->edge_count, 2);
        check_elements(a->surface, a->surface_count, b->surface, b->surface_count, 3);
    }
}

static void check_obstacles(SnRunFile* run)
{
    assert_int_equal(sn_run_file_obstacle_count(run), OBSTACLES);
    for (int i = 0; i < OBSTACLES; i++) {
        const SnRunObstacle *a = &sn_run_file_obstacles(run)[i], *b = &three_obstacles[i];
        assert_string_equal(a->name, b->name);
        assert_string_equal(a->type, b->type);
        check(a->friction == b->friction && a->thickness == b->thickness && a->plane == b->plane);
        check(a->changes == b->changes && a->vertex_count == b->vertex_count);
        assert_memory_equal(a->point, b->point, sizeof a->point);
        assert_memory_equal(a->normal, b->normal, sizeof a->normal);
        check_elements(a->triangles, a->triangle_count, b->triangles, b->triangle_count, 3);
    }
}

// What stays as it is takes no room.
static int count_rows(const char* path, const char* table, int obstacle)
{
    char sql[96];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE obstacle = %d", table, obstacle);
    return count_in(path, sql);
}

static void test_places_that_stay(void** state)
{
    (void)state;
    static const int poses[OBSTACLES] = {1, 7, 1}, shapes[OBSTACLES] = {0, 1, 4};
    const char* path = in_folder("places.run");
    make_run(path, false, 3, 10);
    SnRunFile* run;
    Moment m = moment_new(NODES);
    check_ok(sn_run_file_open_to_append(path, &run)); // and goes on knowing what it wrote
    for (int i = 10; i < 20; i++) {
        moment_make(&m, 3, i);
        check_ok(sn_run_file_append(run, &m.frame));
    }
    check_ok(sn_run_file_close(run));
    moment_free(&m);
    for (int o = 0; o < OBSTACLES; o++) {
        assert_int_equal(count_rows(path, "pose", o), poses[o]);
        assert_int_equal(count_rows(path, "shape", o), shapes[o]);
    }
}

static void test_round_trip(void** state)
{
    (void)state;
    for (int compress = 0; compress < 2; compress++) {
        const char* path = in_folder("round.run");
        make_run(path, compress, 7, 20);
        check(!exists(path, "-wal") && !exists(path, "-shm") && !exists(path, "-journal"));
        SnRunFile* run;
        check_ok(sn_run_file_open(path, &run));
        assert_string_equal(sn_run_file_name(run), "three bodies");
        assert_string_equal(sn_run_file_scene(run), "name: three bodies\n");
        assert_string_equal(sn_run_file_path(run), path);
        check(sn_run_file_time_step(run) == 1.0 / 30);
        check(sn_run_file_compressed(run) == compress);
        assert_int_equal(sn_run_file_frame_count(run), 20);
        assert_int_equal(sn_run_file_node_count(run), NODES);
        assert_int_equal(sn_run_file_body_count(run), 3);
        check_bodies(sn_run_file_bodies(run), three_bodies(), 3);
        check_frames(run, 7);
        check_rows(run, 7, 20);
        check_obstacles(run);
        assert_int_equal(sn_run_file_value_count(run), PROBES);
        for (int i = 0; i < PROBES; i++) {
            const SnValueInfo *a = &sn_run_file_values(run)[i], *b = &two_probes[i];
            assert_string_equal(a->name, b->name);
            assert_string_equal(a->what, b->what);
            assert_string_equal(a->component, b->component);
            assert_string_equal(a->unit, b->unit);
        }
        check_fails(sn_run_file_read_obstacle(run, 0, OBSTACLES, NULL, NULL), SN_ERROR_VALUE, path, "no obstacle 3");
        check_fails(sn_run_file_read_frame(run, 20, NULL, NULL), SN_ERROR_VALUE, path, "no frame 20", "20 frames");
        check_fails(sn_run_file_read_frame(run, -1, NULL, NULL), SN_ERROR_VALUE, "no frame -1");
        sn_run_file_destroy(run);
    }
}

static void test_meta_and_odd_numbers(void** state)
{
    (void)state;
    const char* path = in_folder("odd.run");
    SnRunDef def = three_body_def(false);
    Moment m = moment_new(NODES);
    SnRunFile* run;
    moment_make(&m, 1, 0);
    m.row.gradient = NAN;
    m.row.energy.elastic = INFINITY;
    m.x[3] = NAN, m.x[4] = -0.0;
    check_ok(sn_run_file_create_from(path, &def, &m.frame, &run));
    check_ok(sn_run_file_set_meta(run, "seed", "17"));
    check_ok(sn_run_file_set_meta(run, "seed", "18"));
    check_fails(sn_run_file_append(run, &m.frame), SN_ERROR_VALUE, path, "in order");
    check_ok(sn_run_file_close(run));
    check_ok(sn_run_file_open(path, &run));
    const char* text;
    check_ok(sn_run_file_meta(run, "seed", &text));
    assert_string_equal(text, "18");
    check_ok(sn_run_file_meta(run, "nobody", &text));
    assert_null(text);
    check_ok(sn_run_file_meta(run, "version", &text));
    assert_string_equal(text, sn_version());
    const SnRunStep* rows;
    int count;
    check_ok(sn_run_file_read_steps(run, -1, &rows, &count));
    check(isnan(rows[0].gradient) && isinf(rows[0].energy.elastic));
    check_ok(sn_run_file_read_steps(run, 0, &rows, &count));
    assert_int_equal(count, 0);
    double x[3 * NODES];
    check_ok(sn_run_file_read_frame(run, 0, x, NULL));
    assert_memory_equal(x, m.x, sizeof x);
    check_fails(sn_run_file_append(run, &m.frame), SN_ERROR_VALUE, "reading only");
    check_fails(sn_run_file_set_meta(run, "a", "b"), SN_ERROR_VALUE, "reading only");
    sn_run_file_destroy(run);
    moment_free(&m);
}

static void test_nothing_in_it(void** state)
{
    (void)state;
    for (int compress = 0; compress < 2; compress++) {
        SnRunDef def = {"", "", 1, NULL, 0, .compress = compress};
        SnRunFrame frame = {0};
        SnRunFile* run;
        check_ok(sn_run_file_create_from(in_folder("nothing.run"), &def, &frame, &run));
        check_ok(sn_run_file_close(run));
        check_ok(sn_run_file_open(in_folder("nothing.run"), &run));
        assert_int_equal(sn_run_file_frame_count(run), 1);
        check_ok(sn_run_file_read_frame(run, 0, (double[]){0}, (double[]){0}));
        sn_run_file_destroy(run);
    }
}

// --- arrays in pieces ---

typedef struct Whole {
    const SnRunDef* def;
    const Moment* moment;
    const double* large; // in place of positions and velocities: of a body of its own
    int64_t large_size;
} Whole;

static const void* array_of(const Whole* w, SnRunArray array, int body, int64_t* size)
{
    const SnBodyInfo* b = &w->def->bodies[body];
    const void* bytes[] = {w->large ? w->large : w->moment->x,
                           w->large ? w->large : w->moment->v,
                           w->moment->state,
                           b->rest,
                           b->tetrahedra,
                           b->triangles,
                           b->edges,
                           b->surface};
    int64_t frame = w->large ? w->large_size : 24 * NODES;
    int64_t sizes[] = {frame,
                       frame,
                       sizeof w->moment->state,
                       24 * (int64_t)b->node_count,
                       16 * (int64_t)b->tetrahedron_count,
                       12 * (int64_t)b->triangle_count,
                       8 * (int64_t)b->edge_count,
                       12 * (int64_t)b->surface_count};
    *size = sizes[array];
    return bytes[array];
}

static int64_t size_of_array(void* self, SnRunArray array, int body)
{
    int64_t size;
    array_of(self, array, body, &size);
    return size;
}

static SnStatus read_array(void* self, SnRunArray array, int body, int64_t first, int64_t count, void* bytes)
{
    int64_t size;
    const char* all = array_of(self, array, body, &size);
    check(first >= 0 && count > 0 && first + count <= size && count <= 1 << 22);
    memcpy(bytes, all + first, (size_t)count);
    return SN_OK;
}

// The same file as from memory, as far as anybody can tell.
static void test_in_pieces(void** state)
{
    (void)state;
    for (int compress = 0; compress < 2; compress++) {
        SnRunDef def = three_body_def(compress);
        Moment m = moment_new(NODES);
        Whole whole = {&def, &m, NULL, 0};
        SnRunPieces pieces = {&whole, 1, size_of_array, read_array};
        SnRunFile *run, *plain;
        def.pieces = &pieces;
        for (int i = 0; i < 3; i++) {
            moment_make(&m, 7, i);
            m.frame.pieces = &pieces, m.frame.positions = m.frame.velocities = NULL, m.frame.state = NULL;
            check_ok(i ? sn_run_file_append(run, &m.frame)
                       : sn_run_file_create_from(in_folder("pieces.run"), &def, &m.frame, &run));
        }
        SnRunBlob* blob;
        char saved[sizeof m.state];
        check_ok(sn_run_blob_open(run, SN_RUN_STATE, 0, &blob));
        assert_int_equal(sn_run_blob_size(blob), sizeof saved);
        check_ok(sn_run_blob_read(blob, 5, (int)sizeof saved - 5, saved + 5));
        assert_memory_equal(saved + 5, (char*)m.state + 5, sizeof saved - 5);
        check_fails(sn_run_blob_read(blob, 5, sizeof saved, saved), SN_ERROR_FORMAT, "shorter than it should be");
        sn_run_blob_close(blob);
        check_ok(sn_run_file_close(run));
        make_run(in_folder("plain.run"), compress, 7, 3);
        check_ok(sn_run_file_open(in_folder("pieces.run"), &run));
        check_ok(sn_run_file_open(in_folder("plain.run"), &plain));
        check_frames(run, 7);
        for (int b = 0; b < sn_run_file_body_count(plain); b++) {
            const SnBodyInfo *one = &sn_run_file_bodies(plain)[b], *other = &sn_run_file_bodies(run)[b];
            assert_int_equal(one->surface_count, other->surface_count);
            assert_memory_equal(one->rest, other->rest, 24 * (size_t)one->node_count);
            assert_memory_equal(one->tetrahedra, other->tetrahedra, 16 * (size_t)one->tetrahedron_count);
            assert_memory_equal(one->edges, other->edges, 8 * (size_t)one->edge_count);
            assert_memory_equal(one->surface, other->surface, 12 * (size_t)one->surface_count);
        }
        sn_run_file_destroy(run), sn_run_file_destroy(plain);
        moment_free(&m);
    }
}

// Frames of several pieces, whose last one is short.
static void test_large_pieces(void** state)
{
    (void)state;
    enum { LARGE = 500 * 1000 };
    double *x = malloc(24 * LARGE), *got = malloc(24 * LARGE);
    for (int i = 0; i < 3 * LARGE; i++) x[i] = i % 1000 * 0.125;
    SnBodyInfo body = {.name = "large", .node_count = LARGE, .rest = x};
    Moment m = moment_new(1);
    for (int compress = 0; compress < 2; compress++) {
        SnRunDef def = {"", "", 1, &body, 1, .compress = compress};
        Whole whole = {&def, &m, x, 24 * LARGE};
        SnRunPieces pieces = {&whole, 1, size_of_array, read_array};
        SnRunStep row = {.outcome = "converged", .detail = ""};
        SnRunFrame frame = {.steps = &row, .step_count = 1, .pieces = &pieces};
        SnRunFile* run;
        def.pieces = &pieces;
        check_ok(sn_run_file_create_from(in_folder("large.run"), &def, &frame, &run));
        check_ok(sn_run_file_close(run));
        check_ok(sn_run_file_open(in_folder("large.run"), &run));
        assert_memory_equal(sn_run_file_bodies(run)[0].rest, x, 24 * LARGE);
        check_ok(sn_run_file_read_frame(run, 0, NULL, got));
        assert_memory_equal(got, x, 24 * LARGE);
        sn_run_file_destroy(run);
    }
    moment_free(&m);
    free(x), free(got);
}

// Names that SQLite would take for something else.
static void test_special_names(void** state)
{
    (void)state;
    char here[512];
    check(getcwd(here, sizeof here) != NULL);
    assert_int_equal(chdir(folder), 0);
    static const char* const names[] = {":memory:", "file:x?mode=memory", "a b%20#?.run", "\xc3\xa4.run"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make_run(names[i], false, 3, 2);
        check(exists(names[i], ""));
        SnRunFile* run;
        check_ok(sn_run_file_open(names[i], &run));
        check_frames(run, 3);
        sn_run_file_destroy(run);
    }
    assert_int_equal(chdir(here), 0);
}

// --- memory that runs out ---

static SnStatus use_everything(const char* path)
{
    SnRunDef def = three_body_def(true);
    Moment m = moment_new(NODES);
    moment_make(&m, 1, 0);
    SnRunFile* run = NULL;
    SnStatus status = sn_run_file_create_from(path, &def, &m.frame, &run);
    moment_make(&m, 1, 1);
    if (status == SN_OK) status = sn_run_file_append(run, &m.frame);
    if (status == SN_OK) status = sn_run_file_close(run), run = NULL;
    sn_run_file_destroy(run), run = NULL;
    if (status == SN_OK) status = sn_run_file_open(path, &run);
    const SnRunStep* rows;
    int count;
    if (status == SN_OK) status = sn_run_file_read_steps(run, -1, &rows, &count);
    for (int i = 0; status == SN_OK && sn_exporter_at(i); i++)
        status = sn_export_run(sn_exporter_at(i), run, in_folder("memory"), "m", 0, 1, NULL);
    sn_run_file_destroy(run);
    moment_free(&m);
    return status;
}

static void test_memory_that_runs_out(void** state)
{
    (void)state;
    const char* path = in_folder("memory.run");
    SnStatus status = SN_ERROR_MEMORY;
    int n = 0;
    for (; status != SN_OK && n < 1000; n++) {
        FailingMemory memory;
        start_failing(&memory, n);
        status = use_everything(path);
        stop_failing(&memory);
        if (status != SN_OK && status != SN_ERROR_MEMORY) fail_msg("%d: %s", n, sn_last_error());
    }
    check(n > 20 && status == SN_OK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_round_trip),
    cmocka_unit_test(test_places_that_stay),
    cmocka_unit_test(test_meta_and_odd_numbers),
    cmocka_unit_test(test_nothing_in_it),
    cmocka_unit_test(test_in_pieces),
    cmocka_unit_test(test_large_pieces),
    cmocka_unit_test(test_special_names),
    cmocka_unit_test(test_memory_that_runs_out),
};
RUN_TESTS(tests, make_folder, remove_folder)
