// Run files that are something else, are changed by hand, cut or corrupted: refused, and nothing worse.
#include <unistd.h>

#include "archive/run_file.h"
#include "core/random.h"
#include "moments.h"

static void test_what_is_overwritten(void** state)
{
    (void)state;
    SnRunDef def = three_body_def(false);
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
    make_run(empty, false, 1, 2);
    make_run(empty, false, 2, 3); // an earlier run
    check_ok(sn_run_file_open(empty, &run));
    assert_int_equal(sn_run_file_frame_count(run), 3);
    make_run(empty, false, 3, 4); // one that somebody looks at
    check_fails(sn_run_file_read_frame(run, 0, NULL, NULL), SN_ERROR_FILE, empty, "replaced", "open the file again");
    check_fails(sn_run_file_refresh(run), SN_ERROR_FILE, "replaced");
    sn_run_file_destroy(run);
    char* bytes = read_bytes(empty, &size); // one that is damaged
    memset(bytes + 200, 0x55, size - 200);
    write_bytes(empty, bytes, size);
    free(bytes);
    make_run(empty, false, 4, 5);
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
        {"PRAGMA user_version=11", "format 11"},
        {"PRAGMA user_version=0", "formats 1 to 10"},
        {"PRAGMA user_version=2", "impulse"},
        {"DROP TABLE value", "tables"},
        {"DROP TABLE event", "tables"},
        {"UPDATE probe SET number = 7 WHERE number = 1", "one after the other"},
        {"INSERT INTO value VALUES(1, 5, 0)", "no probe"},
        {"INSERT INTO value VALUES(1, -1, 0)", "no probe"},
        {"DROP TABLE shape", "tables"},
        {"DROP TABLE pose; CREATE VIEW pose AS SELECT 1 AS obstacle", "tables"},
        {"DELETE FROM pose WHERE step=0", "no place"},
        {"DELETE FROM shape WHERE obstacle=1", "vertices of obstacle 1"},
        {"UPDATE shape SET vertices=x'00'", "1 bytes"},
        {"UPDATE obstacle SET vertices=-1 WHERE obstacle=1", "number of vertices"},
        {"UPDATE obstacle SET vertices=3 WHERE obstacle=1", "node 3 of 3"},
        {"UPDATE obstacle SET triangles=x'0000'", "multiple of 12"},
        {"DELETE FROM obstacle WHERE obstacle=0", "numbered"},
        {"ALTER TABLE step DROP COLUMN tolerance", "tables of a run file"},
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
        {"UPDATE meta SET value=x'0000000003000000' WHERE key='body.2.edges'", "node 3 of 3"},
        {"UPDATE meta SET value='lzma' WHERE key='compression'", "lzma"},
        {"UPDATE meta SET value='zlib' WHERE key='compression'", "decompress"},
        {"UPDATE frame SET positions=x'00' WHERE step=1", "positions of step 1 have 1 bytes"},
        {"UPDATE frame SET velocities=NULL WHERE step=0", "velocities of step 0 have 0 bytes"},
        {"UPDATE frame SET velocities=zeroblob(1000000)", "1000000 bytes"},
        {"DELETE FROM checkpoint", "no checkpoint"},
        {"DROP TABLE contact", "tables"},
        {"UPDATE contact SET count=2", "contacts is wrong"},
        {"UPDATE contact SET count=-1", "contacts is wrong"},
        {"UPDATE contact SET count=1e18", "contacts is wrong"},
        {"UPDATE contact SET forces=x'00'", "contacts of step 1 have 1 bytes and should have 44"},
        {"UPDATE contact SET pairs=zeroblob(32)", "names what is not there"}, // obstacle and body
        {"UPDATE contact SET pairs=x'03' || substr(pairs, 2)", "names what is not there"},
        {"UPDATE contact SET pairs=substr(pairs, 1, 12) || x'03' || substr(pairs, 14)", "names what is not there"},
        {"UPDATE contact SET pairs=substr(pairs, 1, 16) || x'ff' || substr(pairs, 18)", "names what is not there"},
    };
    const char* path = in_folder("hand.run");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unlink(path);
        make_run(path, false, 1, 2);
        run_sql(path, rows[i].sql);
        SnRunFile* run;
        double x[3 * NODES], v[3 * NODES];
        int64_t step;
        void* bytes;
        size_t size;
        SnStatus status = sn_run_file_open(path, &run);
        for (int f = 0; status == SN_OK && f < 2; f++) status = sn_run_file_read_frame(run, f, x, v);
        SnPose pose;
        for (int o = 0; status == SN_OK && o < OBSTACLES; o++)
            status = sn_run_file_read_obstacle(run, 1, o, &pose, (double[12]){0});
        const SnContactInfo* contacts;
        int count;
        if (status == SN_OK) status = sn_run_file_read_contacts(run, 1, &contacts, &count);
        const int64_t* steps;
        const double* values;
        if (status == SN_OK) status = sn_run_file_read_values(run, -1, &steps, &values, &count);
        if (status == SN_OK) {
            status = sn_run_file_read_checkpoint(run, INT64_MAX, &step, &bytes, &size);
            sn_free(bytes);
        }
        if (status != SN_ERROR_FORMAT && status != SN_ERROR_UNSUPPORTED) fail_msg("%s: accepted", rows[i].sql);
        if (!strstr(sn_last_error(), rows[i].text) || !strstr(sn_last_error(), path))
            fail_msg("%s: \"%s\" is not in \"%s\"", rows[i].sql, rows[i].text, sn_last_error());
        sn_run_file_destroy(run);
    }
}

// Makes a file of the present format one of format 2: impulses in a table of their own, no obstacles, less of steps.
static void make_older(const char* path)
{
    static const char* const later[] = {"impulse_x",
                                        "impulse_y",
                                        "impulse_z",
                                        "angular_impulse_x",
                                        "angular_impulse_y",
                                        "angular_impulse_z",
                                        "tolerance",
                                        "evaluations",
                                        "factorizations",
                                        "depth",
                                        "drift",
                                        "detail",
                                        "worst"};
    run_sql(path,
            "CREATE TABLE impulse(step INTEGER PRIMARY KEY, px REAL, py REAL, pz REAL, lx REAL, ly REAL, lz REAL);"
            "INSERT INTO impulse SELECT step, impulse_x, impulse_y, impulse_z, angular_impulse_x, "
            "angular_impulse_y, angular_impulse_z FROM step;"
            "DROP TABLE obstacle; DROP TABLE pose; DROP TABLE shape; DELETE FROM meta WHERE key GLOB '*.mass';"
            "PRAGMA user_version=2");
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        char sql[96];
        snprintf(sql, sizeof sql, "ALTER TABLE step DROP COLUMN %s", later[i]);
        run_sql(path, sql);
    }
}

// Run files of earlier formats can be read but not gone on with.
static void test_earlier_formats(void** state)
{
    (void)state;
    const char* path = in_folder("first.run");
    SnRunFile* run;
    const SnRunStep* steps;
    const SnRunLoss* losses;
    int count;
    Moment m = moment_new(NODES);
    moment_make(&m, 1, 1);
    make_run(path, false, 1, 2);
    const int64_t* measured;
    const double* values;
    const SnEvent* events;
    check_ok(sn_run_file_open(path, &run));
    check_ok(sn_run_file_read_events(run, -1, &events, &count));
    check(count == 0);
    sn_run_file_destroy(run);
    run_sql(path, "ALTER TABLE step DROP COLUMN asleep; PRAGMA user_version=9");
    check_ok(sn_run_file_open(path, &run));
    check_frames(run, 1);
    check_ok(sn_run_file_read_steps(run, -1, &steps, &count));
    check(sn_run_file_format(run) == 9 && m.row.asleep > 0 && steps[1].asleep == 0);
    sn_run_file_destroy(run);
    run_sql(path, "DROP TABLE event; PRAGMA user_version=8");
    check_ok(sn_run_file_open(path, &run));
    check_frames(run, 1);
    check_ok(sn_run_file_read_events(run, -1, &events, &count));
    check(count == 0);
    sn_run_file_destroy(run);
    run_sql(path, "DROP TABLE probe; DROP TABLE value; PRAGMA user_version=7");
    check_ok(sn_run_file_open(path, &run));
    check_frames(run, 1);
    check_ok(sn_run_file_read_values(run, -1, &measured, &values, &count));
    check(count == 0 && sn_run_file_value_count(run) == 0);
    sn_run_file_destroy(run);
    check_fails(sn_run_file_open_to_append(path, &run), SN_ERROR_UNSUPPORTED, path, "older sinew", "start anew");
    run_sql(path, "ALTER TABLE step DROP COLUMN inverted; ALTER TABLE step DROP COLUMN bounded; PRAGMA user_version=5");
    check_ok(sn_run_file_open(path, &run));
    check_frames(run, 1);
    check_ok(sn_run_file_read_steps(run, -1, &steps, &count));
    check(sn_run_file_format(run) == 5 && count == 2 && steps[1].crossings == m.row.crossings);
    check(m.row.inverted > 0 && steps[1].inverted == 0 && steps[1].bounded == 0);
    sn_run_file_destroy(run);
    run_sql(path, "DROP TABLE contact; ALTER TABLE step DROP COLUMN distance; ALTER TABLE step DROP COLUMN pull_error;"
                  "ALTER TABLE step DROP COLUMN gap_error; ALTER TABLE step DROP COLUMN product_error;"
                  "ALTER TABLE step DROP COLUMN cone_error; ALTER TABLE step DROP COLUMN slip_error;"
                  "ALTER TABLE step DROP COLUMN parts; ALTER TABLE step DROP COLUMN crossings;"
                  "DELETE FROM meta WHERE key = 'contacts'; PRAGMA user_version=4");
    check_ok(sn_run_file_open(path, &run));
    check_frames(run, 1);
    check_ok(sn_run_file_read_steps(run, -1, &steps, &count));
    check(sn_run_file_format(run) == 4 && count == 2 && steps[1].energy.unconverged == m.row.energy.unconverged);
    check(isnan(steps[1].distance) && isnan(steps[1].errors.pull) && isnan(steps[1].errors.slip));
    sn_run_file_destroy(run);
    run_sql(path, "ALTER TABLE step DROP COLUMN unconverged; PRAGMA user_version=3");
    check_ok(sn_run_file_open(path, &run));
    check_ok(sn_run_file_read_steps(run, -1, &steps, &count));
    check(sn_run_file_format(run) == 3 && count == 2 && isnan(steps[1].energy.unconverged));
    check(steps[1].tolerance == m.row.tolerance && steps[1].energy.numerical == m.row.energy.numerical);
    sn_run_file_destroy(run);
    make_older(path);
    for (int format = 2; format >= 1; format--) {
        if (format == 1) run_sql(path, "DROP TABLE impulse; DROP TABLE loss; PRAGMA user_version=1");
        check_ok(sn_run_file_open(path, &run));
        assert_int_equal(sn_run_file_format(run), format);
        assert_int_equal(sn_run_file_obstacle_count(run), 0);
        check(isnan(sn_run_file_bodies(run)[0].mass));
        check_frames(run, 1);
        check_ok(sn_run_file_read_steps(run, -1, &steps, &count));
        assert_int_equal(count, 2);
        check(steps[1].momentum[0] == m.row.momentum[0] && steps[1].ms_total == m.row.ms_total);
        check(steps[1].impulse[2] == (format == 2 ? m.row.impulse[2] : 0));
        check(isnan(steps[1].tolerance) && steps[0].worst_count == 0);
        assert_string_equal(steps[0].detail, "");
        check_ok(sn_run_file_read_losses(run, -1, &losses, &count));
        assert_int_equal(count, format == 2 ? 4 : 0);
        sn_run_file_destroy(run);
    }
    moment_free(&m);
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
    const SnContactInfo* contacts;
    for (int i = 0, number; i < sn_run_file_frame_count(run); i++) {
        good &= sn_run_file_read_contacts(run, i, &contacts, &number) == SN_OK;
        for (int k = 0; k < number; k++)
            check(contacts[k].body >= 0 && contacts[k].nodes[0] < sn_run_file_node_count(run));
    }
    for (int b = 0; b < sn_run_file_body_count(run); b++) {
        const SnBodyInfo* body = &sn_run_file_bodies(run)[b];
        for (int i = 0; i < 3 * body->surface_count; i++)
            check(body->surface[i] >= 0 && body->surface[i] < body->node_count);
    }
    for (int o = 0; o < sn_run_file_obstacle_count(run); o++) {
        const SnRunObstacle* obstacle = &sn_run_file_obstacles(run)[o];
        double* x = malloc(24 * (size_t)obstacle->vertex_count + 1);
        SnPose pose;
        for (int i = 0; x && i < sn_run_file_frame_count(run); i++)
            good &= sn_run_file_read_obstacle(run, i, o, &pose, x) == SN_OK;
        for (int i = 0; i < 3 * obstacle->triangle_count; i++)
            check(obstacle->triangles[i] >= 0 && obstacle->triangles[i] < obstacle->vertex_count);
        free(x);
    }
    const SnRunStep* rows;
    int count;
    good &= sn_run_file_read_steps(run, -1, &rows, &count) == SN_OK;
    const int64_t* steps;
    const double* measured;
    good &= sn_run_file_read_values(run, -1, &steps, &measured, &count) == SN_OK;
    int64_t step;
    void* bytes;
    good &= sn_run_file_read_checkpoint(run, INT64_MAX, &step, &bytes, &size) == SN_OK;
    sn_free(bytes);
    free(values);
    sn_run_file_destroy(run);
    return good;
}

static void test_flipped_bytes(void** state)
{
    (void)state;
    SnRandom random = {6};
    for (int compress = 0; compress < 2; compress++) {
        const char* path = in_folder("flipped.run");
        make_run(path, compress, 1, 6);
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
    make_run(path, false, 1, 300);
    size_t size;
    char* bytes = read_bytes(path, &size);
    for (size_t length = 0; length < size; length += length < 600 ? 31 : 3331) {
        write_bytes(path, bytes, length);
        check(!read_all(path));
    }
    free(bytes);
}

// Another program of SQLite has begun to write: neither gone on with nor replaced.
static void test_written_by_others(void** state)
{
    (void)state;
    const char* path = in_folder("busy.run");
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh;
    SnRunFile* run;
    sqlite3* other;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh));
    body.mesh = mesh;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    check_ok(sn_run_file_create(path, world, NULL, &run));
    check_ok(sn_run_file_close(run));
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE; UPDATE meta SET value = value", NULL, NULL, NULL),
                     SQLITE_OK);
    check_fails(sn_run_file_resume(path, NULL, world, &run), SN_ERROR_FILE, "another program is writing", "busy.run");
    check_fails(sn_run_file_create(path, world, NULL, &run), SN_ERROR_FILE, "another program is writing", "busy.run");
    sqlite3_close(other);
    check_ok(sn_run_file_resume(path, NULL, world, &run));
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_overwritten), cmocka_unit_test(test_what_is_not_opened),
    cmocka_unit_test(test_changed_by_hand),     cmocka_unit_test(test_earlier_formats),
    cmocka_unit_test(test_flipped_bytes),       cmocka_unit_test(test_truncated),
    cmocka_unit_test(test_written_by_others),
};
RUN_TESTS(tests, make_folder, remove_folder)
