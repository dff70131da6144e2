// The run file: bits survive, kills do no harm, nonsense is refused, resumed worlds go on to the same bits.
#include "archive_moments.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include <sinew/world.h>

#include "archive/exporter.h"
#include "core/timer.h"

// --- round trips ---

static void check_elements(const int* a, int a_count, const int* b, int b_count, int corners)
{
    assert_int_equal(a_count, b_count);
    if (a_count) assert_memory_equal(a, b, sizeof(int) * (size_t)(a_count * corners));
}

static void check_bodies(const SnRunBody* a, const SnRunBody* b, int count)
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

static void test_round_trip(void** state)
{
    (void)state;
    for (SnCompression compression = SN_COMPRESSION_NONE; compression <= SN_COMPRESSION_ZLIB; compression++) {
        const char* path = in_folder("round.run");
        make_run(path, compression, 7, 20);
        check(!exists(path, "-wal") && !exists(path, "-shm") && !exists(path, "-journal"));
        SnRunFile* run;
        check_ok(sn_run_file_open(path, &run));
        assert_string_equal(sn_run_file_name(run), "three bodies");
        assert_string_equal(sn_run_file_scene(run), "name: three bodies\n");
        assert_string_equal(sn_run_file_path(run), path);
        check(sn_run_file_time_step(run) == 1.0 / 30);
        check(sn_run_file_compression(run) == compression);
        assert_int_equal(sn_run_file_frame_count(run), 20);
        assert_int_equal(sn_run_file_node_count(run), NODES);
        assert_int_equal(sn_run_file_body_count(run), 3);
        check_bodies(sn_run_file_bodies(run), three_bodies(), 3);
        check_frames(run, 7);
        check_rows(run, 7, 20);
        check_fails(sn_run_file_read_frame(run, 20, NULL, NULL), SN_ERROR_VALUE, path, "no frame 20", "20 frames");
        check_fails(sn_run_file_read_frame(run, -1, NULL, NULL), SN_ERROR_VALUE, "no frame -1");
        sn_run_file_destroy(run);
    }
}

static void test_meta_and_odd_numbers(void** state)
{
    (void)state;
    const char* path = in_folder("odd.run");
    SnRunDef def = three_body_def(SN_COMPRESSION_NONE);
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
    char* text;
    check_ok(sn_run_file_meta(run, "seed", &text));
    assert_string_equal(text, "18");
    sn_free(text);
    check_ok(sn_run_file_meta(run, "nobody", &text));
    assert_null(text);
    check_ok(sn_run_file_meta(run, "version", &text));
    assert_string_equal(text, sn_version());
    sn_free(text);
    SnRunStep* rows;
    int count;
    check_ok(sn_run_file_read_steps(run, -1, &rows, &count));
    check(isnan(rows[0].gradient) && isinf(rows[0].energy.elastic));
    sn_free(rows);
    check_ok(sn_run_file_read_steps(run, 0, &rows, &count));
    assert_int_equal(count, 0);
    sn_free(rows);
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
    for (SnCompression compression = SN_COMPRESSION_NONE; compression <= SN_COMPRESSION_ZLIB; compression++) {
        SnRunDef def = {"", "", 1, NULL, 0, compression};
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

// Names that SQLite would take for something else.
static void test_special_names(void** state)
{
    (void)state;
    char here[512];
    check(getcwd(here, sizeof here) != NULL);
    assert_int_equal(chdir(folder), 0);
    static const char* const names[] = {":memory:", "file:x?mode=memory", "a b%20#?.run", "\xc3\xa4.run"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make_run(names[i], SN_COMPRESSION_NONE, 3, 2);
        check(exists(names[i], ""));
        SnRunFile* run;
        check_ok(sn_run_file_open(names[i], &run));
        check_frames(run, 3);
        sn_run_file_destroy(run);
    }
    assert_int_equal(chdir(here), 0);
}

// --- several programs at one file ---

static void test_reading_while_writing(void** state)
{
    (void)state;
    const char* path = in_folder("live.run");
    SnRunDef def = three_body_def(SN_COMPRESSION_NONE);
    Moment m = moment_new(NODES);
    SnRunFile *writer, *reader, *second;
    moment_make(&m, 5, 0);
    check_ok(sn_run_file_create_from(path, &def, &m.frame, &writer));
    check_ok(sn_run_file_open(path, &reader));
    for (int i = 1; i < 50; i++) {
        assert_int_equal(sn_run_file_frame_count(reader), i);
        check_frames(reader, 5);
        moment_make(&m, 5, i);
        check_ok(sn_run_file_append(writer, &m.frame));
        check_ok(sn_run_file_refresh(reader));
    }
    check_fails(sn_run_file_open_to_append(path, &second), SN_ERROR_FILE, path, "another program is writing");
    check_fails(sn_run_file_create_from(path, &def, &m.frame, &second), SN_ERROR_FILE, path, "another program");
    moment_make(&m, 5, 50);
    check_ok(sn_run_file_append(writer, &m.frame)); // unharmed by the attempts
    check_ok(sn_run_file_close(writer));
    check_ok(sn_run_file_refresh(reader)); // and readers by the end of the writer
    assert_int_equal(sn_run_file_frame_count(reader), 51);
    check_frames(reader, 5);
    sn_run_file_destroy(reader);
    check_ok(sn_run_file_open(path, &reader));
    check_rows(reader, 5, 51);
    sn_run_file_destroy(reader);
    moment_free(&m);
}

// Writes frames and dies of SIGKILL, its own or another's. Big frames make SQLite move its log into the file.
static void write_and_die(const char* path, uint64_t seed, int nodes, int frames)
{
    double* rest = calloc((size_t)nodes * 3, 8);
    char name[32];
    snprintf(name, sizeof name, "%llu", (unsigned long long)seed);
    SnRunBody body = {.name = "cloud", .node_count = nodes, .rest = rest};
    SnRunDef def = {name, "", 1.0 / 30, &body, 1, seed % 4 == 1 ? SN_COMPRESSION_ZLIB : SN_COMPRESSION_NONE};
    Moment m = moment_new(nodes);
    SnRunFile* run;
    moment_make(&m, seed, 0);
    if (sn_run_file_create_from(path, &def, &m.frame, &run) != SN_OK) _exit(3);
    for (int i = 1; i < frames; i++) {
        moment_make(&m, seed, i);
        if (sn_run_file_append(run, &m.frame) != SN_OK) _exit(4);
    }
    kill(getpid(), SIGKILL);
}

static pid_t start_writer(const char* path, uint64_t seed, int nodes, int frames)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(5); // should the test fail before it kills
        write_and_die(path, seed, nodes, frames);
    }
    return child;
}

static void wait_for_death(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    check(WIFSIGNALED(status)); // it would have ended by itself only after an error
}

static uint64_t seed_of(SnRunFile* run)
{
    return strtoull(sn_run_file_name(run), NULL, 10);
}

// A killed run can be gone on with, and then is one file again.
static void check_goes_on(const char* path)
{
    SnRunFile* run;
    check_ok(sn_run_file_open_to_append(path, &run));
    int frames = sn_run_file_frame_count(run);
    Moment m = moment_new(sn_run_file_node_count(run));
    moment_make(&m, seed_of(run), frames);
    check_ok(sn_run_file_append(run, &m.frame));
    check_ok(sn_run_file_close(run));
    check(!exists(path, "-wal") && !exists(path, "-shm"));
    check_ok(sn_run_file_open(path, &run));
    assert_int_equal(sn_run_file_frame_count(run), frames + 1);
    check_frames(run, seed_of(run));
    check_rows(run, seed_of(run), frames + 1);
    sn_run_file_destroy(run);
    moment_free(&m);
}

// Reads a run that goes on, or is just being replaced.
static void look_on(const char* path)
{
    SnRunFile* run;
    check_ok(sn_run_file_open(path, &run));
    Moment m = moment_new(sn_run_file_node_count(run)), got = moment_new(sn_run_file_node_count(run));
    SnStatus status = SN_OK;
    for (int i = 0; status == SN_OK && i < sn_run_file_frame_count(run); i++) {
        status = sn_run_file_read_frame(run, i, got.x, got.v);
        moment_make(&m, seed_of(run), i);
        if (status == SN_OK) assert_memory_equal(got.x, m.x, 24 * (size_t)m.nodes);
    }
    if (status != SN_OK && !strstr(sn_last_error(), "replaced")) fail_msg("%s", sn_last_error());
    moment_free(&m), moment_free(&got);
    sn_run_file_destroy(run);
}

static void test_killed_at_any_instant(void** state)
{
    (void)state;
    const char* path = in_folder("killed.run");
    SnRandom random = {4};
    double start = sn_now_ms();
    wait_for_death(start_writer(path, 1, 40, 3));                 // what is replaced first
    double patience = 1000 * fmin(2 * (sn_now_ms() - start), 60); // microseconds; disks differ
    int most = 0, replaced = 0;
    for (int round = 1; round <= 40; round++) {
        int nodes = round % 3 ? 40 : 6000;
        pid_t child = start_writer(path, (uint64_t)round + 1, nodes, 1000000);
        usleep((useconds_t)sn_random_uniform(&random, 0, round % 2 ? 2 * patience : patience));
        SnRunFile* run;
        if (round % 5 == 0) look_on(path);
        kill(child, SIGKILL);
        wait_for_death(child);
        check_ok(sn_run_file_open(path, &run));
        int frames = sn_run_file_frame_count(run);
        check(frames >= 1);
        check_frames(run, seed_of(run));
        check_rows(run, seed_of(run), frames);
        replaced += seed_of(run) == (uint64_t)round + 1; // killed early, it leaves the one that was there before
        sn_run_file_destroy(run);
        if (round % 2) check_goes_on(path);
        if (frames > most) most = frames;
    }
    check(most > 3 && replaced > 5); // otherwise nothing was tested
}

// The log of a killed run, damaged: frames before the damage are there, whole.
static void test_damaged_log(void** state)
{
    (void)state;
    const char* path = in_folder("log.run");
    const char* log = in_folder("log.run-wal");
    wait_for_death(start_writer(path, 9, 40, 20)); // too few for the log to have been put into the file
    size_t size, log_size;
    char* bytes = read_bytes(path, &size);
    char* log_bytes = read_bytes(log, &log_size);
    check(log_size > 1000);
    SnRandom random = {5};
    for (int round = 0; round < 30; round++) {
        write_bytes(path, bytes, size);
        char* damaged = malloc(log_size);
        memcpy(damaged, log_bytes, log_size);
        size_t place = (size_t)(sn_random_bits(&random) % log_size);
        damaged[place] ^= (char)(1 << round % 8);
        write_bytes(log, damaged, round % 2 ? log_size : place);
        unlink(in_folder("log.run-shm"));
        free(damaged);
        SnRunFile* run;
        check_ok(sn_run_file_open(path, &run));
        check(sn_run_file_frame_count(run) >= 1);
        check_frames(run, 9);
        check_rows(run, 9, sn_run_file_frame_count(run));
        sn_run_file_destroy(run);
    }
    free(bytes), free(log_bytes);
}

// --- files that are something else ---

static void run_sql(const char* path, const char* sql)
{
    sqlite3* database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    sqlite3_close(database);
}

static void test_what_is_overwritten(void** state)
{
    (void)state;
    SnRunDef def = three_body_def(SN_COMPRESSION_NONE);
    Moment m = moment_new(NODES);
    moment_make(&m, 1, 0);
    SnRunFile* run;
    const char* text = in_folder("thesis.txt");
    write_bytes(text, "do not lose this, it is long enough to look like a page of something or other\n", 78);
    check_fails(sn_run_file_create_from(text, &def, &m.frame, &run), SN_ERROR_FORMAT, text, "not overwritten", "-o");
    assert_null(run);
    const char* other = in_folder("other.db");
    run_sql(other, "CREATE TABLE meta(key, value)");
    check_fails(sn_run_file_create_from(other, &def, &m.frame, &run), SN_ERROR_FORMAT, other, "another program's");
    check_fails(sn_run_file_create_from(folder, &def, &m.frame, &run), SN_ERROR_FILE, folder, "folder");
    check_fails(sn_run_file_create_from("/dev/null", &def, &m.frame, &run), SN_ERROR_FILE, "/dev/null", "device");
    const char* nowhere = in_folder("no/where.run");
    check_fails(sn_run_file_create_from(nowhere, &def, &m.frame, &run), SN_ERROR_FILE, nowhere, "folder");
    size_t size;
    char* kept = read_bytes(text, &size);
    assert_int_equal(size, 78);
    free(kept);

    const char* empty = in_folder("empty.run");
    write_bytes(empty, "", 0);
    make_run(empty, SN_COMPRESSION_NONE, 1, 2);
    make_run(empty, SN_COMPRESSION_NONE, 2, 3); // an earlier run
    check_ok(sn_run_file_open(empty, &run));
    assert_int_equal(sn_run_file_frame_count(run), 3);
    make_run(empty, SN_COMPRESSION_NONE, 3, 4); // one that somebody looks at
    check_fails(sn_run_file_read_frame(run, 0, NULL, NULL), SN_ERROR_FILE, empty, "replaced", "open the file again");
    check_fails(sn_run_file_refresh(run), SN_ERROR_FILE, "replaced");
    sn_run_file_destroy(run);
    char* bytes = read_bytes(empty, &size); // one that is damaged
    memset(bytes + 200, 0x55, size - 200);
    write_bytes(empty, bytes, size);
    free(bytes);
    make_run(empty, SN_COMPRESSION_NONE, 4, 5);
    check_ok(sn_run_file_open(empty, &run));
    check_frames(run, 4);
    sn_run_file_destroy(run);
    moment_free(&m);
}

static void test_what_is_not_opened(void** state)
{
    (void)state;
    SnRunFile* run;
    check_fails(sn_run_file_open(in_folder("nobody.run"), &run), SN_ERROR_FILE, "nobody.run", "No such file");
    assert_null(run);
    check_fails(sn_run_file_open(folder, &run), SN_ERROR_FILE, folder, "folder");
    write_bytes(in_folder("void.run"), "", 0);
    check_fails(sn_run_file_open(in_folder("void.run"), &run), SN_ERROR_FORMAT, "void.run", "empty", "sinew run");
    char text[3000];
    memset(text, 'x', sizeof text);
    write_bytes(in_folder("text.run"), text, sizeof text);
    check_fails(sn_run_file_open(in_folder("text.run"), &run), SN_ERROR_FORMAT, "text.run", "not a run file");
    run_sql(in_folder("someones.db"), "CREATE TABLE t(a)");
    check_fails(sn_run_file_open(in_folder("someones.db"), &run), SN_ERROR_FORMAT, "another program's database");
}

// A run file changed by hand: opening, reading a frame, the rows or the checkpoint says what is wrong.
static void test_changed_by_hand(void** state)
{
    (void)state;
    static const struct {
        const char *sql, *text;
    } rows[] = {
        {"PRAGMA user_version=3", "format 3"},
        {"PRAGMA user_version=0", "formats 1 to 2"},
        {"PRAGMA user_version=1", "impulse and loss"}, // there, but should not be
        {"DROP TABLE loss", "tables"},
        {"PRAGMA application_id=0", "not a run file"},
        {"DROP TABLE step", "tables"},
        {"DROP TABLE frame; CREATE VIEW frame AS SELECT 1 AS step, 2 AS time", "tables"},
        {"DROP TABLE frame; CREATE TABLE frame(step, time)", "tables of a run file"},
        {"DELETE FROM meta WHERE key='scene'", "no scene"},
        {"DELETE FROM meta WHERE key='body.1.edges'", "no body.1.edges"},
        {"UPDATE meta SET value='x' WHERE key='time_step'", "no time_step"},
        {"UPDATE meta SET value=4 WHERE key='bodies'", "no body.3.name"},
        {"UPDATE meta SET value=2000000000 WHERE key='bodies'", "no body.3.name"},
        {"UPDATE meta SET value=-1 WHERE key='bodies'", "number of bodies"},
        {"UPDATE meta SET value='0 x' WHERE key='body.0.nodes'", "\"0 x\""},
        {"UPDATE meta SET value='0 9 1' WHERE key='body.0.nodes'", "\"0 9 1\""},
        {"UPDATE meta SET value='0 -9' WHERE key='body.0.nodes'", "first count"},
        {"UPDATE meta SET value='1 9' WHERE key='body.0.nodes'", "begin at node 0"},
        {"UPDATE meta SET value='9 2147483647' WHERE key='body.1.nodes'", "first count"},
        {"UPDATE meta SET value='0 8' WHERE key='body.0.nodes'", "9 nodes instead of 8"},
        {"UPDATE meta SET value=x'00' WHERE key='body.0.rest'", "multiple of 24"},
        {"UPDATE meta SET value=x'0000000001000000ffffffff' WHERE key='body.1.surface'", "node -1"},
        {"UPDATE meta SET value=x'0000000003000000' WHERE key='body.2.edges'", "node 3 of a body of 3"},
        {"UPDATE meta SET value='lzma' WHERE key='compression'", "lzma"},
        {"UPDATE meta SET value='zlib' WHERE key='compression'", "decompress"},
        {"UPDATE frame SET positions=x'00' WHERE step=1", "positions of step 1 have 1 bytes"},
        {"UPDATE frame SET velocities=NULL WHERE step=0", "velocities of step 0 have 0 bytes"},
        {"UPDATE frame SET velocities=zeroblob(1000000)", "1000000 bytes"},
        {"DELETE FROM checkpoint", "no checkpoint"},
    };
    const char* path = in_folder("hand.run");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unlink(path);
        make_run(path, SN_COMPRESSION_NONE, 1, 2);
        run_sql(path, rows[i].sql);
        SnRunFile* run;
        double x[3 * NODES], v[3 * NODES];
        int64_t step;
        void* bytes;
        size_t size;
        SnStatus status = sn_run_file_open(path, &run);
        for (int f = 0; status == SN_OK && f < 2; f++) status = sn_run_file_read_frame(run, f, x, v);
        if (status == SN_OK) {
            status = sn_run_file_read_checkpoint(run, &step, &bytes, &size);
            sn_free(bytes);
        }
        if (status != SN_ERROR_FORMAT && status != SN_ERROR_UNSUPPORTED) fail_msg("%s: accepted", rows[i].sql);
        if (!strstr(sn_last_error(), rows[i].text) || !strstr(sn_last_error(), path))
            fail_msg("%s: \"%s\" is not in \"%s\"", rows[i].sql, rows[i].text, sn_last_error());
        sn_run_file_destroy(run);
    }
}

// A run file of the first format, before impulses and losses were kept, can be read but not gone on with.
static void test_first_format(void** state)
{
    (void)state;
    const char* path = in_folder("first.run");
    make_run(path, SN_COMPRESSION_NONE, 1, 2);
    run_sql(path, "DROP TABLE impulse; DROP TABLE loss; PRAGMA user_version=1");
    SnRunFile* run;
    SnRunStep* steps;
    SnRunLoss* losses;
    int count;
    check_ok(sn_run_file_open(path, &run));
    check_frames(run, 1);
    check_ok(sn_run_file_read_steps(run, -1, &steps, &count));
    assert_int_equal(count, 2);
    check(steps[1].momentum[0] != 0 && steps[1].impulse[0] == 0);
    check_ok(sn_run_file_read_losses(run, -1, &losses, &count));
    assert_int_equal(count, 0);
    sn_free(steps), sn_free(losses);
    sn_run_file_destroy(run);
    check_fails(sn_run_file_open_to_append(path, &run), SN_ERROR_UNSUPPORTED, path, "older sinew", "start anew");
}

// Reads all there is. True when nothing failed.
static bool read_all(const char* path)
{
    SnRunFile* run;
    if (sn_run_file_open(path, &run) != SN_OK) {
        check(sn_last_error()[0] != 0);
        assert_null(run);
        return false;
    }
    bool good = true;
    size_t size = 3 * (size_t)sn_run_file_node_count(run);
    double* values = malloc(16 * size + 1);
    for (int i = 0; i < sn_run_file_frame_count(run); i++)
        good &= sn_run_file_read_frame(run, i, values, values + size) == SN_OK;
    for (int b = 0; b < sn_run_file_body_count(run); b++) {
        const SnRunBody* body = &sn_run_file_bodies(run)[b];
        for (int i = 0; i < 3 * body->surface_count; i++)
            check(body->surface[i] >= 0 && body->surface[i] < body->node_count);
    }
    SnRunStep* rows;
    int count;
    good &= sn_run_file_read_steps(run, -1, &rows, &count) == SN_OK;
    sn_free(rows);
    int64_t step;
    void* bytes;
    good &= sn_run_file_read_checkpoint(run, &step, &bytes, &size) == SN_OK;
    sn_free(bytes);
    free(values);
    sn_run_file_destroy(run);
    return good;
}

static void test_flipped_bytes(void** state)
{
    (void)state;
    SnRandom random = {6};
    for (SnCompression compression = SN_COMPRESSION_NONE; compression <= SN_COMPRESSION_ZLIB; compression++) {
        const char* path = in_folder("flipped.run");
        make_run(path, compression, 1, 6);
        size_t size;
        char* bytes = read_bytes(path, &size);
        char* changed = malloc(size);
        int refused = 0;
        for (int round = 0; round < 250; round++) {
            memcpy(changed, bytes, size);
            // Pages are mostly empty: aim at their first bytes, where the structure is, and at the rest.
            int flips = 1 + (int)(sn_random_bits(&random) % 16);
            for (int i = 0; i < flips; i++) {
                size_t place = (size_t)(sn_random_bits(&random) % size);
                if (round % 2) place = place / 4096 * 4096 + place % 128;
                changed[place] ^= (char)(1 << sn_random_bits(&random) % 8);
            }
            write_bytes(path, changed, size);
            refused += !read_all(path);
        }
        check(refused > 20 && refused < 250);
        write_bytes(path, bytes, size);
        check(read_all(path));
        free(bytes), free(changed);
    }
}

static void test_truncated(void** state)
{
    (void)state;
    const char* path = in_folder("short.run");
    make_run(path, SN_COMPRESSION_NONE, 1, 300);
    size_t size;
    char* bytes = read_bytes(path, &size);
    for (size_t length = 0; length < size; length += length < 600 ? 31 : 3331) {
        write_bytes(path, bytes, length);
        check(!read_all(path));
    }
    free(bytes);
}

// --- memory that runs out ---

static SnStatus use_everything(const char* path)
{
    SnRunDef def = three_body_def(SN_COMPRESSION_ZLIB);
    Moment m = moment_new(NODES);
    moment_make(&m, 1, 0);
    SnRunFile* run = NULL;
    SnStatus status = sn_run_file_create_from(path, &def, &m.frame, &run);
    moment_make(&m, 1, 1);
    if (status == SN_OK) status = sn_run_file_append(run, &m.frame);
    if (status == SN_OK) status = sn_run_file_close(run), run = NULL;
    sn_run_file_destroy(run), run = NULL;
    if (status == SN_OK) status = sn_run_file_open(path, &run);
    SnRunStep* rows = NULL;
    int count;
    if (status == SN_OK) status = sn_run_file_read_steps(run, -1, &rows, &count);
    sn_free(rows);
    for (int i = 0; status == SN_OK && sn_exporters[i]; i++)
        status = sn_export_run(sn_exporters[i], run, in_folder("memory"), "m", 0, 1);
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
        FailingMemory memory = failing_memory(n);
        memory.allocator.user = &memory;
        sn_thread_set_allocator(&memory.allocator);
        status = use_everything(path);
        sn_thread_set_allocator(NULL);
        assert_int_equal(memory.live, 0);
        if (status != SN_OK && status != SN_ERROR_MEMORY) fail_msg("%d: %s", n, sn_last_error());
    }
    check(n > 20 && status == SN_OK);
}

// --- the run of a world ---

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
        SnStepReport reports[2];
        for (int s = 0; s < 2; s++) check_ok(sn_world_step(world, &reports[s]));
        check_ok(sn_run_file_write_frame(run, world, reports, 2));
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
    SnRunStep *s, *t;
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
    sn_free(s), sn_free(t);
    moment_free(&m), moment_free(&n);
    sn_run_file_destroy(a), sn_run_file_destroy(b);
}

static void test_resumed_world(void** state)
{
    (void)state;
    const char *whole = in_folder("whole.run"), *broken = in_folder("broken.run");
    SnWorld* world = make_bar(0.02, 4);
    SnRunFile* run;
    check_ok(sn_run_file_create(whole, "the scene", "bar", world, NULL, &run));
    write_frames(run, world, 6);
    check_ok(sn_run_file_close(run));
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);

    world = make_bar(0.02, 4);
    check_ok(sn_run_file_create(broken, "the scene", "bar", world, NULL, &run));
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

static void test_resumed_with_another_world(void** state)
{
    (void)state;
    const char* path = in_folder("mine.run");
    SnWorld* world = make_bar(0.02, 4);
    SnRunFile* run;
    check_ok(sn_run_file_create(path, "the scene", "bar", world, NULL, &run));
    write_frames(run, world, 1);
    check_fails(sn_run_file_write_frame(run, world, NULL, 0), SN_ERROR_VALUE, "report");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_meta_and_odd_numbers),
        cmocka_unit_test(test_nothing_in_it),
        cmocka_unit_test(test_special_names),
        cmocka_unit_test(test_reading_while_writing),
        cmocka_unit_test(test_killed_at_any_instant),
        cmocka_unit_test(test_damaged_log),
        cmocka_unit_test(test_what_is_overwritten),
        cmocka_unit_test(test_what_is_not_opened),
        cmocka_unit_test(test_changed_by_hand),
        cmocka_unit_test(test_first_format),
        cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_memory_that_runs_out),
        cmocka_unit_test(test_resumed_world),
        cmocka_unit_test(test_resumed_with_another_world),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
