// Several programs at one run file: readers while it is written, writers that are killed, logs that are damaged.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/run_file.h"
#include "core/random.h"
#include "core/timer.h"
#include "moments.h"

static void test_reading_while_writing(void** state)
{
    (void)state;
    const char* path = in_folder("live.run");
    SnRunDef def = three_body_def(false);
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
    check_fails(sn_run_file_open_to_append(path, &second), SN_ERROR_FILE, path, "is writing this run");
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
    SnBodyInfo body = {.name = "cloud", .node_count = nodes, .rest = rest};
    SnRunDef def = {.name = name,
                    .scene = "",
                    .time_step = 1.0 / 30,
                    .bodies = &body,
                    .body_count = 1,
                    .compress = seed % 4 == 1,
                    .probes = two_probes,
                    .probe_count = PROBES};
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

// While one program writes, no other gets in, not even between two frames; it is told who writes.
static void test_one_writer(void** state)
{
    (void)state;
    const char* path = in_folder("mine.run");
    char who[64];
    wait_for_death(start_writer(path, 2, 40, 3));
    pid_t child = start_writer(path, 3, 40, 1000000);
    SnRunFile* run;
    for (int frames = 0; frames < 5;) { // it has begun
        usleep(1000);
        if (sn_run_file_open(path, &run) != SN_OK) continue;
        frames = seed_of(run) == 3 ? sn_run_file_frame_count(run) : 0;
        sn_run_file_destroy(run);
    }
    snprintf(who, sizeof who, "another program (process %d) is writing this run", (int)child);
    SnRunDef def = three_body_def(false);
    Moment m = moment_new(NODES);
    moment_make(&m, 5, 0);
    for (int i = 0; i < 25; i++) {
        check_fails(sn_run_file_open_to_append(path, &run), SN_ERROR_FILE, path, who);
        check_fails(sn_run_file_create_from(path, &def, &m.frame, &run), SN_ERROR_FILE, path, who);
        usleep(1000);
    }
    kill(child, SIGKILL);
    wait_for_death(child);
    check_ok(sn_run_file_open(path, &run));
    check_frames(run, 3);
    check_rows(run, 3, sn_run_file_frame_count(run));
    sn_run_file_destroy(run);
    check(exists(path, "-lock")); // nobody's now
    check_goes_on(path);
    check(!exists(path, "-lock"));
    moment_free(&m);
}

// By another name of the same file, too.
static void test_one_writer_by_any_name(void** state)
{
    (void)state;
    const char *path = in_folder("named.run"), *other = in_folder("link.run");
    SnRunDef def = three_body_def(false);
    Moment m = moment_new(NODES);
    SnRunFile *run, *second;
    moment_make(&m, 5, 0);
    check_ok(sn_run_file_create_from(path, &def, &m.frame, &run));
    check(symlink(path, other) == 0);
    check_fails(sn_run_file_open_to_append(other, &second), SN_ERROR_FILE, other, "is writing this run");
    check_fails(sn_run_file_create_from(other, &def, &m.frame, &second), SN_ERROR_FILE, other, "is writing this run");
    check_ok(sn_run_file_close(run));
    check_ok(sn_run_file_open_to_append(other, &second));
    check_ok(sn_run_file_close(second));
    moment_free(&m);
}

// A file with two names would have two locks and two logs: it is written by neither.
static void test_hard_links(void** state)
{
    (void)state;
    const char *path = in_folder("hard.run"), *other = in_folder("other.run");
    SnRunDef def = three_body_def(false);
    Moment m = moment_new(NODES);
    SnRunFile *run, *second;
    moment_make(&m, 5, 0);
    check_ok(sn_run_file_create_from(path, &def, &m.frame, &run));
    check(link(path, other) == 0);
    const char* said = "the file has 2 names (hard links)";
    check_fails(sn_run_file_open_to_append(other, &second), SN_ERROR_FILE, other, said);
    check_fails(sn_run_file_create_from(other, &def, &m.frame, &second), SN_ERROR_FILE, other, said);
    moment_make(&m, 5, 1);
    check_ok(sn_run_file_append(run, &m.frame));
    check_ok(sn_run_file_close(run));
    check_fails(sn_run_file_open_to_append(path, &second), SN_ERROR_FILE, path, said);
    check(unlink(other) == 0);
    check_ok(sn_run_file_open_to_append(path, &run));
    check_ok(sn_run_file_close(run));
    moment_free(&m);
}

// What is written to a file that is no longer there is not lost without a word.
static void test_replaced_under_its_writer(void** state)
{
    (void)state;
    const char *path = in_folder("moved.run"), *away = in_folder("away.run");
    SnRunDef def = three_body_def(false);
    Moment m = moment_new(NODES);
    for (int how = 0; how < 4; how++) {
        SnRunFile* run;
        moment_make(&m, 5, 0);
        check_ok(sn_run_file_create_from(path, &def, &m.frame, &run));
        moment_make(&m, 5, 1);
        check_ok(sn_run_file_append(run, &m.frame));
        if (how % 2)
            check(unlink(path) == 0);
        else
            write_bytes(away, "not a run", 9), check(rename(away, path) == 0);
        moment_make(&m, 5, 2);
        const char* said = how % 2 ? "was removed" : "replaced by another";
        if (how < 2) check_fails(sn_run_file_append(run, &m.frame), SN_ERROR_FILE, path, said);
        check_fails(sn_run_file_close(run), SN_ERROR_FILE, path, said);
        unlink(path);
    }
    moment_free(&m);
}

// A good run that takes the place of one that is being written stays as it is, whatever lay beside the other.
static void test_log_of_another(void** state)
{
    (void)state;
    const char *path = in_folder("taken.run"), *good = in_folder("good.run");
    SnRunDef def = three_body_def(false);
    Moment m = moment_new(NODES);
    SnRunFile* run;
    wait_for_death(start_writer(good, 4, 40, 12));
    check_ok(sn_run_file_open_to_append(good, &run)); // its log is put into it
    check_ok(sn_run_file_close(run));
    moment_make(&m, 5, 0);
    check_ok(sn_run_file_create_from(path, &def, &m.frame, &run));
    for (int i = 1; i < 30; i++) {
        moment_make(&m, 5, i);
        check_ok(sn_run_file_append(run, &m.frame));
    }
    check(exists(path, "-wal") && rename(good, path) == 0);
    check_fails(sn_run_file_close(run), SN_ERROR_FILE, path, "replaced by another");
    check(!exists(path, "-wal") && !exists(path, "-shm"));
    check_ok(sn_run_file_open(path, &run));
    check_frames(run, 4);
    check_rows(run, 4, sn_run_file_frame_count(run));
    check(sn_run_file_frame_count(run) >= 12);
    sn_run_file_destroy(run);
    check_goes_on(path);
    moment_free(&m);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_reading_while_writing),
    cmocka_unit_test(test_killed_at_any_instant),
    cmocka_unit_test(test_one_writer),
    cmocka_unit_test(test_one_writer_by_any_name),
    cmocka_unit_test(test_hard_links),
    cmocka_unit_test(test_replaced_under_its_writer),
    cmocka_unit_test(test_log_of_another),
    cmocka_unit_test(test_damaged_log),
};
RUN_TESTS(tests, make_folder, remove_folder)
