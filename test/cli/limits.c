// Limits that the system or the user sets: the size of files, and memory.
#include "program.h"

#include <sinew/run.h>

// As on a full disk: an error that says what to do, and what was written is there.
static void test_file_size_limit(void** state)
{
    (void)state;
    char command[4096];
    snprintf(command, sizeof command,
             "ulimit -f 800; '%s/sinew' run tiny.yaml -o limited.run --frames 4000 --quiet >out.txt 2>err.txt",
             SN_BINARY_DIR);
    int status = system(command);
    free(err), err = read_text("err.txt");
    check(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    check_has(err, "limited.run");
    check_has(err, "ulimit -f");
    check_has(err, "--resume");
    SnRunFile* run;
    check_ok(sn_run_file_open("limited.run", &run));
    int frames = sn_run_file_frame_count(run);
    check(frames > 1 && frames < 4000);
    sn_run_file_destroy(run);
    snprintf(command, sizeof command, "run tiny.yaml -o limited.run --frames %d --resume --quiet", frames + 3);
    check_code(sinew("%s", command), 0);
}

static void test_memory_limit(void** state)
{
    (void)state;
    check_code(sinew("check tiny.yaml"), 0);
    check_has(out, "B of memory");
    check_code(sinew("run tiny.yaml"), 0);
    check_has(out, "B of memory");
    check_code(sinew("check tiny.yaml --memory 20kB"), 1);
    check_has(err, "20 kB are allowed (--memory");
    check_code(sinew("run tiny.yaml --memory 20k"), 1);
    check_has(err, "more are wanted, 20 kB are allowed");
    check_code(sinew("run tiny.yaml --quiet --memory 50M --set bodies.0.mesh.box.cells=[60,60,60]"), 1);
    check_has(err, "50 MB are allowed");
    const char* const commands[] = {"check", "run"}; // before it is made, which took minutes
    for (int i = 0; i < 2; i++) {
        check_code(sinew("%s tiny.yaml --memory 20G --set bodies.0.mesh.box.cells=[200,200,200]", commands[i]), 1);
        check_has(err, "box: 48000000 elements would take at least 34 GB");
        check_has(err, "20 GB are allowed");
        check_code(sinew("%s tiny.yaml --memory 4G --set bodies.0.mesh.box.cells=[200,200,200] --set solver.type=lbfgs "
                         "--set solver.initial=identity",
                         commands[i]),
                   1);
        check_has(err, "box: 48000000 elements would take at least 14 GB");
    }
    check_code(sinew("run tiny.yaml --memory much"), 2);
    check_has(err, "must be a size such as 500M or 4G");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_file_size_limit),
    cmocka_unit_test(test_memory_limit),
};
RUN_TESTS(tests, set_up, tear_down)
