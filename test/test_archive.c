// The run file and the exporters: bits survive, kills do no harm, nonsense is refused, other programs can read.
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinew/world.h>

#include "archive/exporter.h"
#include "archive/run_file.h"
#include "core/memory.h"
#include "core/random.h"
#include "mesh/mesh.h"

// --- a folder to work in ---

static char folder[64];

static int make_folder(void** state)
{
    (void)state;
    strcpy(folder, "/tmp/sinew-archive-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static void empty_folder(const char* path)
{
    DIR* directory = opendir(path);
    if (!directory) return;
    for (struct dirent* entry; (entry = readdir(directory));) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (entry->d_type == DT_DIR)
            empty_folder(name), rmdir(name);
        else
            unlink(name);
    }
    closedir(directory);
}

static int remove_folder(void** state)
{
    (void)state;
    empty_folder(folder);
    return rmdir(folder);
}

// The path of a file in it, valid to the end.
static const char* in_folder(const char* name)
{
    enum { PATHS = 64 };
    static char paths[PATHS][128];
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (int i = 0; i < PATHS; i++) {
        if (!paths[i][0]) strcpy(paths[i], path);
        if (!strcmp(paths[i], path)) return paths[i];
    }
    fail_msg("more than %d paths", PATHS);
    return NULL;
}

static bool exists(const char* path, const char* ending)
{
    char name[256];
    struct stat info;
    snprintf(name, sizeof name, "%s%s", path, ending);
    return lstat(name, &info) == 0;
}

static char* read_bytes(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    if (!file) fail_msg("%s: %s", path, strerror(errno));
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static void write_bytes(const char* path, const char* bytes, size_t size)
{
    FILE* file = fopen(path, "wb");
    check(file != NULL);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// --- a run of three bodies: a cube of twelve tetrahedra around its centre, a sheet, a rope ---

enum { CUBE_NODES = 9, SHEET_NODES = 4, ROPE_NODES = 3, NODES = CUBE_NODES + SHEET_NODES + ROPE_NODES };

static const double cube_rest[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, .5, .5, .5};
static const double sheet_rest[] = {2, 0, 0, 3, 0, 0, 2, 0, 1, 3, 0, 1};
static const double rope_rest[] = {0, 2, 0, 1, 2, 0, 2, 2, 0};
static const int cube_surface[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const int sheet_triangles[] = {0, 2, 1, 1, 2, 3};
static const int rope_edges[] = {0, 1, 1, 2};
static int cube_tetrahedra[48];

static const SnRunBody* three_bodies(void)
{
    for (int i = 0; i < 12; i++) {
        for (int c = 0; c < 3; c++) cube_tetrahedra[4 * i + c] = cube_surface[3 * i + 2 - c];
        cube_tetrahedra[4 * i + 3] = 8;
    }
    static const SnRunBody bodies[] = {
        {.name = "a cube",
         .first_node = 0,
         .node_count = CUBE_NODES,
         .rest = cube_rest,
         .tetrahedron_count = 12,
         .tetrahedra = cube_tetrahedra,
         .surface_count = 12,
         .surface = cube_surface},
        {.name = "sheet",
         .first_node = CUBE_NODES,
         .node_count = SHEET_NODES,
         .rest = sheet_rest,
         .triangle_count = 2,
         .triangles = sheet_triangles,
         .surface_count = 2,
         .surface = sheet_triangles},
        {.name = "rope",
         .first_node = CUBE_NODES + SHEET_NODES,
         .node_count = ROPE_NODES,
         .rest = rope_rest,
         .edge_count = 2,
         .edges = rope_edges},
    };
    return bodies;
}

// What step `step` of a run with this seed looks like, out of nothing.
typedef struct Moment {
    int nodes;
    double *x, *v;
    SnRunStep row;
    SnRunFrame frame;
    uint64_t state[4];
} Moment;

static Moment moment_new(int nodes)
{
    return (Moment){nodes, calloc((size_t)nodes * 3 + 1, 8), calloc((size_t)nodes * 3 + 1, 8), {0}, {0}, {0}};
}

static void moment_free(Moment* m)
{
    free(m->x), free(m->v);
}

static void moment_make(Moment* m, uint64_t seed, int64_t step)
{
    SnRandom random = {seed * 1000003 + (uint64_t)step};
    for (int i = 0; i < 3 * m->nodes; i++) m->x[i] = sn_random_uniform(&random, -1, 1);
    for (int i = 0; i < 3 * m->nodes; i++) m->v[i] = sn_random_uniform(&random, -9, 9);
    for (int i = 0; i < 4; i++) m->state[i] = sn_random_bits(&random);
    m->row =
        (SnRunStep){.step = step, .time = (double)step / 30, .iterations = (int)(step % 7), .outcome = "converged"};
    m->row.gradient = sn_random_uniform(&random, 0, 1);
    double* energies = &m->row.energy.kinetic;
    for (int i = 0; i < 7; i++) energies[i] = sn_random_uniform(&random, -1, 1);
    for (int i = 0; i < 3; i++) m->row.momentum[i] = sn_random_uniform(&random, -1, 1);
    for (int i = 0; i < 3; i++) m->row.angular_momentum[i] = sn_random_uniform(&random, -1, 1);
    m->row.contacts = (int)(step % 5);
    m->row.ms_local = 1, m->row.ms_global = 2, m->row.ms_contact = 3, m->row.ms_total = 6.5;
    m->frame = (SnRunFrame){step, m->row.time, m->x, m->v, &m->row, 1, m->state, sizeof m->state};
}

static SnRunDef three_body_def(SnCompression compression)
{
    return (SnRunDef){"three bodies", "name: three bodies\n", 1.0 / 30, three_bodies(), 3, compression};
}

// A finished run of `frames` frames at path.
static void make_run(const char* path, SnCompression compression, uint64_t seed, int frames)
{
    SnRunDef def = three_body_def(compression);
    Moment m = moment_new(NODES);
    SnRunFile* run;
    moment_make(&m, seed, 0);
    check_ok(sn_run_file_create_from(path, &def, &m.frame, &run));
    for (int i = 1; i < frames; i++) {
        moment_make(&m, seed, i);
        check_ok(sn_run_file_append(run, &m.frame));
    }
    check_ok(sn_run_file_close(run));
    moment_free(&m);
}

// Every frame of the file is what the seed makes of it, and they have no gaps.
static void check_frames(SnRunFile* run, uint64_t seed)
{
    int nodes = sn_run_file_node_count(run);
    Moment m = moment_new(nodes), got = moment_new(nodes);
    for (int i = 0; i < sn_run_file_frame_count(run); i++) {
        moment_make(&m, seed, i);
        assert_int_equal(sn_run_file_frame_step(run, i), i);
        check(sn_run_file_frame_time(run, i) == m.row.time);
        check_ok(sn_run_file_read_frame(run, i, got.x, got.v));
        assert_memory_equal(got.x, m.x, 24 * (size_t)nodes);
        assert_memory_equal(got.v, m.v, 24 * (size_t)nodes);
    }
    moment_free(&m), moment_free(&got);
}

static void check_rows(SnRunFile* run, uint64_t seed, int frames)
{
    SnRunStep* rows;
    int count;
    Moment m = moment_new(sn_run_file_node_count(run));
    check_ok(sn_run_file_read_steps(run, -1, &rows, &count));
    assert_int_equal(count, frames);
    for (int i = 0; i < count; i++) {
        moment_make(&m, seed, i);
        assert_memory_equal(&rows[i], &m.row, sizeof m.row);
    }
    sn_free(rows);
    int64_t step;
    void* state;
    size_t size;
    check_ok(sn_run_file_read_checkpoint(run, &step, &state, &size));
    moment_make(&m, seed, frames - 1);
    assert_int_equal(step, frames - 1);
    assert_int_equal(size, sizeof m.state);
    assert_memory_equal(state, m.state, size);
    sn_free(state);
    moment_free(&m);
}

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

// Writes frames until it is killed. Big frames make SQLite move its log into the file between them.
static void write_for_ever(const char* path, uint64_t seed, int nodes, SnCompression compression)
{
    double* rest = calloc((size_t)nodes * 3, 8);
    char name[32];
    snprintf(name, sizeof name, "%llu", (unsigned long long)seed);
    SnRunBody body = {.name = "cloud", .node_count = nodes, .rest = rest};
    SnRunDef def = {name, "", 1.0 / 30, &body, 1, compression};
    Moment m = moment_new(nodes);
    SnRunFile* run;
    moment_make(&m, seed, 0);
    if (sn_run_file_create_from(path, &def, &m.frame, &run) != SN_OK) _exit(3);
    for (int i = 1;; i++) {
        moment_make(&m, seed, i);
        if (sn_run_file_append(run, &m.frame) != SN_OK) _exit(4);
    }
}

static pid_t start_writer(const char* path, uint64_t seed, int nodes, SnCompression compression)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(5); // should the test fail before it kills
        write_for_ever(path, seed, nodes, compression);
        _exit(5);
    }
    return child;
}

static void kill_writer(pid_t child)
{
    int status;
    kill(child, SIGKILL);
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

static void test_killed_at_any_instant(void** state)
{
    (void)state;
    const char* path = in_folder("killed.run");
    SnRandom random = {4};
    make_run(path, SN_COMPRESSION_NONE, 1, 2); // what is replaced first
    int most = 0, replaced = 0;
    for (int round = 1; round <= 60; round++) {
        int nodes = round % 3 ? 40 : 6000;
        pid_t child = start_writer(path, (uint64_t)round + 1, nodes, round % 4 == 1);
        usleep((useconds_t)sn_random_uniform(&random, 0, round % 2 ? 30000 : 8000));
        SnRunFile* run;
        if (round % 5 == 0 && exists(path, "")) { // look on
            check_ok(sn_run_file_open(path, &run));
            if (sn_run_file_body_count(run) == 1) check_frames(run, seed_of(run));
            sn_run_file_destroy(run);
        }
        kill_writer(child);
        check_ok(sn_run_file_open(path, &run));
        int frames = sn_run_file_frame_count(run);
        check(frames >= 1);
        bool ours = sn_run_file_body_count(run) == 1; // not the one that was there before
        if (ours) {
            check_frames(run, seed_of(run));
            check_rows(run, seed_of(run), frames);
            replaced++;
        }
        sn_run_file_destroy(run);
        if (ours && round % 2) check_goes_on(path);
        if (frames > most) most = frames;
    }
    check(most > 5 && replaced > 10); // otherwise nothing was tested
}

// The log of a killed run, damaged: frames before the damage are there, whole.
static void test_damaged_log(void** state)
{
    (void)state;
    const char* path = in_folder("log.run");
    const char* log = in_folder("log.run-wal");
    pid_t child = start_writer(path, 9, 40, SN_COMPRESSION_NONE);
    for (int i = 0; i < 2000 && !exists(path, "-wal"); i++) usleep(1000);
    usleep(20000);
    kill_writer(child);
    size_t size, log_size;
    char* bytes = read_bytes(path, &size);
    char* log_bytes = read_bytes(log, &log_size);
    check(log_size > 1000);
    SnRandom random = {5};
    for (int round = 0; round < 60; round++) {
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
    check_frames(run, 2);
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
        {"PRAGMA user_version=2", "format 2"},
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
        for (int round = 0; round < 400; round++) {
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
        check(refused > 20 && refused < 400);
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

// --- exporters ---

static void export_moment(const char* format, const char* name, int first, int last)
{
    const SnExporter* exporter = sn_exporter(format);
    check(exporter != NULL);
    Moment m = moment_new(NODES);
    SnExport* job;
    check_ok(sn_export_begin(exporter, in_folder("out/deep"), name, three_bodies(), 3, &job));
    for (int i = first; i <= last; i++) {
        moment_make(&m, 11, i);
        SnExportFrame frame = {i, m.row.time, m.x, m.v};
        check_ok(sn_export_frame(job, &frame));
    }
    check_ok(sn_export_end(job));
    check(exists(sn_export_main_file(job), ""));
    sn_export_destroy(job);
    moment_free(&m);
}

static void test_csv(void** state)
{
    (void)state;
    SnExport* job;
    double x[] = {0, -1.5, 1e-300, 0.1, 1.0 / 3, 12345678.9};
    SnRunBody body = {.name = "two", .node_count = 2, .rest = x};
    check_ok(sn_export_begin(sn_exporter("csv"), in_folder("table"), "two", &body, 1, &job));
    for (int i = 3; i < 5; i++) check_ok(sn_export_frame(job, &(SnExportFrame){i, i / 30.0, x, x}));
    check_ok(sn_export_end(job));
    assert_string_equal(sn_export_main_file(job), in_folder("table/two.csv"));
    sn_export_destroy(job);
    size_t size;
    char* text = read_bytes(in_folder("table/two.csv"), &size);
    assert_string_equal(text, "frame,time,node,x,y,z\n"
                              "3,0.10000000000000001,0,0,-1.5,1e-300\n"
                              "3,0.10000000000000001,1,0.10000000000000001,0.33333333333333331,12345678.9\n"
                              "4,0.13333333333333333,0,0,-1.5,1e-300\n"
                              "4,0.13333333333333333,1,0.10000000000000001,0.33333333333333331,12345678.9\n");
    free(text);
}

// Our own readers get back the shown nodes (all but the cube's centre), 14 triangles and 2 edges.
static void test_obj_and_ply(void** state)
{
    (void)state;
    static const struct {
        const char* format;
        double tolerance;
    } rows[] = {{"obj", 1e-8}, {"ply", 0}};
    for (int r = 0; r < 2; r++) {
        export_moment(rows[r].format, "mix", 7, 8);
        Moment m = moment_new(NODES);
        for (int number = 7; number < 9; number++) {
            char name[64];
            snprintf(name, sizeof name, "out/deep/mix.%04d.%s", number, rows[r].format);
            SnMesh* mesh;
            check_ok(sn_mesh_load(in_folder(name), &mesh));
            assert_int_equal(sn_mesh_node_count(mesh), NODES - 1);
            assert_int_equal(sn_mesh_triangle_count(mesh), 14);
            assert_int_equal(sn_mesh_edge_count(mesh), 2);
            moment_make(&m, 11, number);
            for (int i = 0; i < NODES - 1; i++)
                for (int c = 0; c < 3; c++)
                    check_near(sn_mesh_nodes(mesh)[3 * i + c], m.x[3 * (i < 8 ? i : i + 1) + c], rows[r].tolerance);
            assert_memory_equal(sn_mesh_triangles(mesh), cube_surface, sizeof cube_surface);
            const int sheet[] = {8, 10, 9, 9, 10, 11}, rope[] = {12, 13, 13, 14};
            assert_memory_equal(sn_mesh_triangles(mesh) + 36, sheet, sizeof sheet);
            assert_memory_equal(sn_mesh_edges(mesh), rope, sizeof rope);
            sn_mesh_destroy(mesh);
        }
        moment_free(&m);
    }
    size_t size;
    char* text = read_bytes(in_folder("out/deep/mix.0007.obj"), &size);
    check(strstr(text, "# frame 7, time 0.2333") == text && strstr(text, "\no a_cube\n") &&
          strstr(text, "\nl 13 14\n"));
    free(text);
    SnExport* job;
    double x[] = {0, NAN, 0};
    SnRunBody body = {.name = "lost", .node_count = 1, .rest = x};
    check_ok(sn_export_begin(sn_exporter("obj"), folder, "lost", &body, 1, &job));
    check_fails(sn_export_frame(job, &(SnExportFrame){0, 0, x, x}), SN_ERROR_VALUE, "frame 0", "node 0", "csv");
    sn_export_destroy(job);
}

// --- VTU, read by eyes other than the writer's ---

// Every tag up to `end` closes in order.
static void check_tags(const char* text, const char* end)
{
    char open[16][32];
    int depth = 0;
    for (const char* c = text; (c = memchr(c, '<', (size_t)(end - c))); c++) {
        const char* close = memchr(c, '>', (size_t)(end - c));
        check(close != NULL);
        char name[32];
        if (c[1] == '?') continue;
        check(sscanf(c + (c[1] == '/' ? 2 : 1), "%31[A-Za-z]", name) == 1);
        if (c[1] == '/') {
            check(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (close[-1] != '/') {
            check(depth < 16);
            strcpy(open[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
}

// The bytes of an appended array, checked against its length.
static const char* appended(const char* text, const char* data, const char* name, size_t bytes)
{
    char tag[64];
    snprintf(tag, sizeof tag, "Name=\"%s\"", name);
    const char* place = strstr(text, tag);
    if (!place) fail_msg("no array %s", name);
    place = strstr(place, "offset=\"");
    check(place && place < data);
    const char* array = data + strtoul(place + 8, NULL, 10);
    uint64_t length;
    memcpy(&length, array, 8);
    assert_int_equal(length, bytes);
    return array + 8;
}

static void test_vtu(void** state)
{
    (void)state;
    export_moment("vtu", "a&b", 0, 2);
    size_t size;
    char* text = read_bytes(in_folder("out/deep/a&b.0002.vtu"), &size);
    char* data = strstr(text, "<AppendedData encoding=\"raw\">");
    check(data != NULL);
    char* rest = memmem(text, size, "\n  </AppendedData>\n</VTKFile>\n", 30);
    check(rest && rest + 30 == text + size);
    data = strchr(data, '_') + 1;
    enum { CELLS = 12 + 2 + 2, CORNERS = 48 + 6 + 4 };
    Moment m = moment_new(NODES);
    moment_make(&m, 11, 2);
    assert_memory_equal(appended(text, data, "Points", 24 * NODES), m.x, 24 * NODES);
    assert_memory_equal(appended(text, data, "velocity", 24 * NODES), m.v, 24 * NODES);
    const char* types = appended(text, data, "types", CELLS);
    const char* corners = appended(text, data, "connectivity", 4 * CORNERS);
    const char* offsets = appended(text, data, "offsets", 8 * CELLS);
    const char* bodies = appended(text, data, "body", 4 * CELLS);
    assert_ptr_equal(bodies + 4 * CELLS, rest); // the last array ends where the XML goes on
    int64_t end = 0;
    for (int i = 0; i < CELLS; i++) {
        int64_t offset;
        int32_t body;
        memcpy(&offset, offsets + 8 * i, 8), memcpy(&body, bodies + 4 * i, 4);
        assert_int_equal(body, i < 12 ? 0 : i < 14 ? 1 : 2);
        assert_int_equal(types[i], i < 12 ? 10 : i < 14 ? 5 : 3);
        assert_int_equal(offset, end += i < 12 ? 4 : i < 14 ? 3 : 2);
    }
    assert_memory_equal(corners, cube_tetrahedra, sizeof cube_tetrahedra);
    const int others[] = {9, 11, 10, 10, 11, 12, 13, 14, 14, 15};
    assert_memory_equal(corners + sizeof cube_tetrahedra, others, sizeof others);
    check(strstr(text, "NumberOfPoints=\"16\" NumberOfCells=\"16\""));
    memset(data, ' ', (size_t)(rest - data)); // raw bytes may look like tags
    check_tags(text, text + size);
    free(text);
    moment_free(&m);
    text = read_bytes(in_folder("out/deep/a&b.pvd"), &size);
    check_tags(text, text + size);
    assert_string_equal(
        text, "<?xml version=\"1.0\"?>\n"
              "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
              "  <Collection>\n"
              "    <DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"a&amp;b.0000.vtu\"/>\n"
              "    <DataSet timestep=\"0.033333333333333333\" group=\"\" part=\"0\" file=\"a&amp;b.0001.vtu\"/>\n"
              "    <DataSet timestep=\"0.066666666666666666\" group=\"\" part=\"0\" file=\"a&amp;b.0002.vtu\"/>\n"
              "  </Collection>\n"
              "</VTKFile>\n");
    free(text);
}

// Exporters say so when the disk is full, the folder cannot be made, or the name is no name.
static void test_export_errors(void** state)
{
    (void)state;
    Moment m = moment_new(NODES);
    moment_make(&m, 1, 0);
    SnExportFrame frame = {0, 0, m.x, m.v};
    for (int i = 0; sn_exporters[i]; i++) {
        const SnExporter* exporter = sn_exporters[i];
        assert_ptr_equal(sn_exporter(exporter->name), exporter);
        SnExport* job;
        char name[64];
        write_bytes(in_folder("occupied"), "", 0);
        check_fails(sn_export_begin(exporter, in_folder("occupied/x"), "n", three_bodies(), 3, &job), SN_ERROR_FILE,
                    "occupied/x", "Not a directory");
        check_fails(sn_export_begin(exporter, folder, "a/b", three_bodies(), 3, &job), SN_ERROR_VALUE, "a/b");
        assert_null(job);
        snprintf(name, sizeof name, "full.0000.%s", exporter->name);
        check(symlink("/dev/full", in_folder(name)) == 0);
        snprintf(name, sizeof name, "full.%s", exporter->name);
        check(symlink("/dev/full", in_folder(name)) == 0);
        check_ok(sn_export_begin(exporter, folder, "full", three_bodies(), 3, &job));
        check_fails(sn_export_frame(job, &frame), SN_ERROR_FILE, "full.", "No space left");
        sn_export_destroy(job);
    }
    assert_null(sn_exporter("vtk"));
    check(strstr(sn_last_error(), "vtu"));
    moment_free(&m);
}

static void test_export_of_a_run(void** state)
{
    (void)state;
    make_run(in_folder("e.run"), SN_COMPRESSION_ZLIB, 1, 5);
    SnRunFile* run;
    check_ok(sn_run_file_open(in_folder("e.run"), &run));
    check_fails(sn_export_run(sn_exporter("obj"), run, folder, "e", 3, 5), SN_ERROR_VALUE, "3:5", "0:4");
    check_ok(sn_export_run(sn_exporter("obj"), run, folder, "e", 2, 3));
    sn_run_file_destroy(run);
    check(!exists(in_folder("e.0001.obj"), "") && exists(in_folder("e.0002.obj"), ""));
    check(exists(in_folder("e.0003.obj"), "") && !exists(in_folder("e.0004.obj"), ""));
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
        cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_memory_that_runs_out),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_obj_and_ply),
        cmocka_unit_test(test_vtu),
        cmocka_unit_test(test_export_errors),
        cmocka_unit_test(test_export_of_a_run),
        cmocka_unit_test(test_resumed_world),
        cmocka_unit_test(test_resumed_with_another_world),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
