// Runs as users meet them: round trips, progress, options, interrupted, killed and resumed.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinew/run.h>

#include "program.h"

static SnRunFile* open_run(const char* path)
{
    SnRunFile* run;
    check_ok(sn_run_file_open(path, &run));
    return run;
}

static void test_round_trip(void** state)
{
    (void)state;
    check_code(sinew("run tiny.yaml --quiet"), 0);
    assert_string_equal(out, "");
    check_code(sinew("stats tiny.run --csv"), 0);
    assert_int_equal(count_of(out, "\n"), 1 + 7); // a header, the start and six steps
    check_has(out, "step,time,iterations,outcome,gradient,kinetic,elastic,gravity,pins,");
    check(count_of(out, ",converged,") >= 6);
    check_code(sinew("stats tiny.run --json"), 0);
    assert_int_equal(count_of(out, "{\"step\": "), 7);
    check_code(sinew("stats tiny.run"), 0);
    check_has(out, "6 steps, 6 converged");
    check_code(sinew("export tiny.run --to csv -o exported --frames 2:-1"), 0);
    FILE* csv = fopen("exported/tiny.csv", "r");
    assert_non_null(csv);
    char line[256];
    assert_non_null(fgets(line, sizeof line, csv));
    assert_string_equal(line, "frame,time,node,x,y,z\n");
    SnRunFile* run = open_run("tiny.run");
    int nodes = sn_run_file_node_count(run);
    double* positions = malloc(3 * (size_t)nodes * sizeof *positions);
    for (int f = 2; f <= 6; f++) {
        check_ok(sn_run_file_read_frame(run, f, positions, NULL));
        for (int n = 0; n < nodes; n++) {
            int frame, node;
            double time, x[3];
            assert_non_null(fgets(line, sizeof line, csv));
            assert_int_equal(sscanf(line, "%d,%lf,%d,%lf,%lf,%lf", &frame, &time, &node, x, x + 1, x + 2), 6);
            assert_int_equal(frame, f);
            assert_int_equal(node, n);
            assert_memory_equal(x, positions + 3 * n, sizeof x);
        }
    }
    assert_null(fgets(line, sizeof line, csv));
    fclose(csv);
    free(positions);
    sn_run_file_destroy(run);
    check_code(sinew("render tiny.run -o a.png --frame 9999"), 2);
    check_has(err, "--frame 9999: must be a whole number from -");
    check_code(sinew("export tiny.run --to csv --frames 3:9"), 2);
    check_has(err, "frames from 0 to 6");
}

// How far obstacle 0 reaches from the origin, at the start.
static double reach_of_obstacle(const char* path)
{
    SnRunFile* run = open_run(path);
    check(sn_run_file_obstacle_count(run) > 0);
    int count = sn_run_file_obstacles(run)[0].vertex_count;
    double *x = malloc(24 * (size_t)count + 1), most = 0;
    check_ok(sn_run_file_read_obstacle(run, 0, 0, NULL, x));
    for (int i = 0; i < count; i++) most = fmax(most, hypot(hypot(x[3 * i], x[3 * i + 1]), x[3 * i + 2]));
    free(x);
    sn_run_file_destroy(run);
    return most;
}

// The run file has the obstacles as they were: changed by --set, and read from a mesh beside the scene.
static void test_obstacles_are_kept(void** state)
{
    (void)state;
    write_text("ball.yaml", "time: {frames: 1}\nbodies: [{mesh: {box: {}}, place: {move: [0, 3, 0]}}]\n"
                            "obstacles: [{type: sphere, radius: 0.25}]\n");
    check_code(sinew("run ball.yaml -q -o small.run"), 0);
    check_code(sinew("run ball.yaml -q -o large.run --set obstacles.0.radius=0.6"), 0);
    check_near(reach_of_obstacle("small.run"), 0.25, 1e-12);
    check_near(reach_of_obstacle("large.run"), 0.6, 1e-12);
    check_code(sinew("run ball.yaml -q -o large.run --resume --frames 2 --set obstacles.0.radius=0.5"), 2);
    check_has(err, "obstacle 0"), check_has(err, "another surface");

    check_code(sinew("mesh make box --size 1,1,1 -o box.obj"), 0);
    write_text("mesh.yaml", "time: {frames: 1}\nbodies: [{mesh: {box: {}}, place: {move: [0, 3, 0]}}]\n"
                            "obstacles: [{type: mesh, mesh: {file: box.obj}}]\n");
    assert_int_equal(mkdir("elsewhere", 0700), 0);
    check_code(sinew("run mesh.yaml -q -o elsewhere/mesh.run"), 0);
    assert_int_equal(unlink("box.obj"), 0);
    check_near(reach_of_obstacle("elsewhere/mesh.run"), sqrt(3), 1e-6);
}

static void test_compressed_run(void** state)
{
    (void)state;
    check_code(sinew("run tiny.yaml -q -o plain.run"), 0);
    check_code(sinew("run tiny.yaml -q -o packed.run --set output.compress=true --frames 4"), 0);
    check_code(sinew("run tiny.yaml -q -o packed.run --resume --frames 6"), 0);
    SnRunFile *plain = open_run("plain.run"), *packed = open_run("packed.run");
    check(!sn_run_file_compressed(plain) && sn_run_file_compressed(packed));
    size_t size = 3 * (size_t)sn_run_file_node_count(plain) * sizeof(double);
    double *x = malloc(size), *y = malloc(size);
    assert_int_equal(sn_run_file_frame_count(packed), 7);
    for (int i = 0; i < 7; i++) {
        check_ok(sn_run_file_read_frame(plain, i, x, NULL));
        check_ok(sn_run_file_read_frame(packed, i, y, NULL));
        assert_memory_equal(x, y, size);
    }
    free(x), free(y);
    sn_run_file_destroy(plain), sn_run_file_destroy(packed);
    check_code(sinew("run tiny.yaml -q --set output.compress=maybe"), 2);
    check_has(err, "compress");
}

// A step that cannot converge: its tolerance, why it stalled and where, in the file and in all that stats prints.
static void test_stalls_are_kept(void** state)
{
    (void)state;
    check_code(sinew("run tiny.yaml -q -o stall.run --frames 4 --set output.every=2 --set solver.tolerance=1e-30"), 0);
    SnRunFile* run = open_run("stall.run");
    const SnRunStep* steps;
    int count, stalled = 0;
    check_ok(sn_run_file_read_steps(run, -1, &steps, &count));
    for (int i = 1; i < count; i++) {
        check(steps[i].tolerance > 0 && steps[i].tolerance < 1e-20);
        if (strcmp(steps[i].outcome, "stalled")) continue;
        stalled++;
        check_has(steps[i].detail, "the residual is");
        check(steps[i].worst_count > 0);
        char node[16];
        snprintf(node, sizeof node, " %d", steps[i].worst[0]);
        check_has(strstr(steps[i].detail, "largest at node"), node);
    }
    check(stalled > 0);
    check_code(sinew("stats stall.run"), 0);
    check_has(out, "tolerance");
    assert_int_equal(count_of(out, " stalled: "), stalled);
    check_code(sinew("stats stall.run --csv"), 0);
    check_has(out, ",tolerance,"),
        check_has(out, ",detail,worst,unconverged,distance,pull_error,gap_error,product_"
                       "error,cone_error,slip_error,parts,crossings,inverted,bounded,asleep\n");
    assert_int_equal(count_of(out, "the residual is"), stalled);
    check_code(sinew("stats stall.run --json"), 0);
    check_has(out, "\"worst\": [");
    assert_int_equal(count_of(out, "the residual is"), stalled);
    check_code(sinew("plot stall.run --what convergence -o stall.svg"), 0);
    char* text = read_text("stall.svg");
    check_has(text, "allowed");
    free(text);
    sn_run_file_destroy(run);
}

static void test_progress_lines(void** state)
{
    (void)state;
    check_code(sinew("run tiny.yaml --frames 4"), 0);
    assert_int_equal(count_of(out, "frame "), 4);
    check_has(out, "frame 4/4");
    check_has(out, "all converged");
    check_has(out, "wrote tiny.run");
    check_code(sinew("run tiny.yaml --frames 3 --set solver.iterations=1 --set solver.tolerance=1e-14"), 0);
    check_has(out, "3 hit the limit of iterations");
}

// --frames and --set reach the scene; every second frame is kept; exports appear beside the run.
static void test_options_of_run(void** state)
{
    (void)state;
    check_code(sinew("run tiny.yaml -o five.run --frames=5 --set output.every=2 --set output.write=[vtu,csv]"), 0);
    SnRunFile* run = open_run("five.run");
    assert_int_equal(sn_run_file_frame_count(run), 4); // steps 0 2 4 5
    assert_int_equal(sn_run_file_frame_step(run, 2), 4);
    assert_int_equal(sn_run_file_frame_step(run, 3), 5);
    sn_run_file_destroy(run);
    check(access("five/five.pvd", F_OK) == 0);
    check(access("five/five.csv", F_OK) == 0);
    check_code(sinew("stats five.run --csv"), 0);
    assert_int_equal(count_of(out, "\n"), 1 + 6); // steps are all kept
    check_code(sinew("run tiny.yaml --integrator static --solver newton --frames 1 -o static.run"), 0);
    check_code(sinew("run tiny.yaml --solver lbfgs/laplacian:history=3 --frames 1 -o lbfgs.run"), 0);
    check_code(
        sinew("run tiny.yaml --set 'solver={type: lbfgs, initial: laplacian, history: 5, iterations: 2, tolerance: 0}' "
              "--frames 1 -o two.run"),
        0);
    check_code(sinew("stats two.run --csv"), 0);
    check_has(out, "iteration limit");
    check_code(sinew("run tiny.yaml --solver lbfgs/laplacin --frames 1 -o bad.run"), 2);
    check_has(err, "did you mean 'laplacian'?");
    check_code(sinew("run tiny.yaml --solver lbfgs:hist=3 --frames 1 -o bad.run"), 2);
    check_has(err, "unknown key 'hist' in solver");
    check_code(sinew("stats five.run --csv >/dev/full 2>/dev/null #"),
               1); // the rest of the line is the test's redirection
    check_code(sinew("stats five.run --csv | cat"), 0);
}

static int run_output = -1; // the reading end of a started run's pipe

// Starts `sinew run SCENE -o RUN --frames N` and returns when it has printed `lines` lines.
static pid_t start_run(const char* scene, const char* run, const char* frames, int lines)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int log = open("run-err.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(ends[1], 1);
        dup2(log, 2);
        close(ends[0]);
        close(ends[1]);
        execl(SN_BINARY_DIR "/sinew", "sinew", "run", scene, "-o", run, "--frames", frames, (char*)NULL);
        _exit(127);
    }
    close(ends[1]);
    char c;
    while (lines > 0 && read(ends[0], &c, 1) == 1) lines -= c == '\n';
    assert_int_equal(lines, 0);
    // The rest is read by nobody, but the pipe must not fill up or break before the signal.
    fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
    run_output = ends[0];
    return child;
}

static int wait_for(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    close(run_output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void check_same_frames(const char* a, const char* b)
{
    check_code(sinew("export %s --to csv -o same", a), 0);
    check_code(sinew("export %s --to csv -o same", b), 0);
    char path[128];
    snprintf(path, sizeof path, "same/%.*s.csv", (int)strcspn(a, "."), a);
    char* first = read_text(path);
    snprintf(path, sizeof path, "same/%.*s.csv", (int)strcspn(b, "."), b);
    char* second = read_text(path);
    if (strcmp(first, second) != 0) fail_msg("%s and %s differ", a, b);
    free(first);
    free(second);
}

// A stopped run is whole, and --resume makes of it what an unbroken run would have been.
static void stop_and_resume(int signal, int code, const char* run_path)
{
    pid_t child = start_run("tiny.yaml", run_path, "100000", 10);
    check_code(sinew("stats %s", run_path), 0); // while it goes on
    check_has(out, "unfinished");
    kill(child, signal);
    assert_int_equal(wait_for(child), code);
    SnRunFile* run = open_run(run_path);
    int frames = sn_run_file_frame_count(run);
    sn_run_file_destroy(run);
    check(frames > 10);
    check(frames < 100000);
    if (signal == SIGINT) {
        char* text = read_text("run-err.txt");
        check_has(text, "--resume");
        free(text);
    }
    check_code(sinew("stats %s", run_path), 0);
    check_has(out, "unfinished");
    check_code(sinew("stats %s --csv", run_path), 0);
    assert_int_equal(count_of(out, "\n"), 1 + frames);
    check_code(sinew("run tiny.yaml -o %s --resume --frames %d --quiet", run_path, frames + 4), 0);
    check_code(sinew("run tiny.yaml -o unbroken.run --frames %d --quiet", frames + 4), 0);
    check_same_frames(run_path, "unbroken.run");
}

static void test_interrupt(void** state)
{
    (void)state;
    stop_and_resume(SIGINT, 1, "interrupted.run");
}

// The second Ctrl-C does not wait for the end of a long step, and what was written stays whole.
static void test_second_interrupt(void** state)
{
    (void)state;
    write_text("slow.yaml", "solver: newton\nbodies:\n  - mesh: {box: {size: [3, 1, 1], cells: [48, 16, 16]}}\n"
                            "handles:\n  - {body: 0, where: {x: [min, min]}}\n");
    int code = 1;
    for (int k = 0; k < 40 && code == 1; k++) { // 1: the step was over before the second one came
        remove("slow.run");
        pid_t child = start_run("slow.yaml", "slow.run", "1000", 1);
        kill(child, SIGINT);
        usleep(20000);
        kill(child, SIGINT);
        code = wait_for(child);
    }
    assert_int_equal(code, 128 + SIGINT);
    check_code(sinew("stats slow.run --csv"), 0);
    check(count_of(out, "\n") >= 3);
}

// Nor does SIGTERM, of which there is only one.
static void test_terminate(void** state)
{
    (void)state;
    write_text("endless.yaml",
               "solver: {type: pd, iterations: 2000000000, tolerance: 0}\nbodies: [{mesh: {box: {}}}]\n");
    bool within = false;
    for (int k = 0; k < 40 && !within; k++) { // otherwise it was told before the step began
        remove("endless.run");
        pid_t child = start_run("endless.yaml", "endless.run", "1000", 0);
        while (sinew("stats endless.run") != 0) continue;
        usleep(20000);
        kill(child, SIGTERM);
        assert_int_equal(wait_for(child), 1);
        char* text = read_text("run-err.txt");
        check_has(text, "endless.run, and the same command with --resume goes on");
        within = strstr(text, "stopped within a step") != NULL;
        free(text);
    }
    check(within);
    check_code(sinew("run endless.yaml -o endless.run --resume --quiet --frames 2 --set solver.iterations=3"), 0);
    check_code(sinew("run endless.yaml -o unbroken.run --quiet --frames 2 --set solver.iterations=3"), 0);
    check_same_frames("endless.run", "unbroken.run");
}

static void test_kill(void** state)
{
    (void)state;
    stop_and_resume(SIGKILL, 128 + SIGKILL, "killed.run");
}

static void test_resume(void** state)
{
    (void)state;
    // Nothing to resume: starts. Then the recorded --set is kept although it is not repeated.
    check_code(sinew("run tiny.yaml -o r.run --resume --frames 3 --set gravity=[0,-20,0] --quiet"), 0);
    check_code(sinew("run tiny.yaml -o r.run --resume --frames 6"), 0);
    check_has(out, "resuming after step 3");
    assert_int_equal(count_of(out, "frame "), 3);
    check_code(sinew("run tiny.yaml -o whole.run --frames 6 --set gravity=[0,-20,0] --quiet"), 0);
    check_same_frames("r.run", "whole.run");
    check_code(sinew("run tiny.yaml -o r.run --resume"), 0);
    check_has(out, "nothing to do");
    // Another scene is not what the run was made from.
    write_text("other.yaml", tiny);
    FILE* file = fopen("other.yaml", "a");
    fputs("gravity: [0, 0, 0]\n", file);
    fclose(file);
    check_code(sinew("run other.yaml -o r.run --resume"), 2);
    check_has(err, "r.run");
    // A run that is not one is not overwritten by accident either.
    write_text("notes.run", "my notes\n");
    check_code(sinew("run tiny.yaml -o notes.run"), 2);
    check_has(err, "notes.run");
}

// Elements that are inside out and nodes inside obstacles are told of at the end, in the table and in the columns.
static void test_what_is_inside_is_told(void** state)
{
    (void)state;
    write_text("mixed.yaml",
               "bodies: [{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, start: {shape: random, seed: 1},\n"
               "          material: {type: arap, young: 100}}]\n"
               "time: {frames: 2}\n");
    check_code(sinew("run mixed.yaml"), 0);
    check_has(out, "ended with elements that are inside out, up to");
    check_code(sinew("stats mixed.run"), 0);
    check_has(out, " inverted "), check(!strstr(out, " depth "));
    SnRunFile* run = open_run("mixed.run");
    const SnRunStep* steps;
    int count;
    check_ok(sn_run_file_read_steps(run, -1, &steps, &count));
    check(count == 3 && steps[0].inverted > 0 && steps[1].inverted > 0);
    sn_run_file_destroy(run);
    // As published, stvk is at rest where it is inside out: that has converged, and is told of.
    write_text("mirror.yaml",
               "bodies: [{mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, start: {stretch: [-1, 1, 1]},\n"
               "          material: {type: stvk, unfold: 0}}]\n"
               "gravity: [0, 0, 0]\n"
               "time: {frames: 2}\n");
    check_code(sinew("run mirror.yaml"), 0);
    check_has(err, "6 elements inside out, where the energy of stvk has a minimum as well");
    check_has(out, "converged, 6 inside out"), check_has(out, "all converged, but not the right way round");
    check_has(out, "6 at the end");
    check_code(sinew("stats mirror.run"), 0);
    check_has(out, "2 converged (2 of them with elements inside out)");
    check_code(sinew("run mirror.yaml --set bodies.0.material.unfold=2 --set time.frames=30"), 0);
    check_has(err, "starts inside out as a whole"), check_has(out, ", 0 at the end");
    write_text("deep.yaml", "bodies: [{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}}]\n"
                            "obstacles: [{type: sphere, centre: [0.5, 0.5, 0.5], radius: 0.1}]\n"
                            "time: {frames: 1}\n");
    check_code(sinew("run deep.yaml"), 0);
    check_has(out, "nodes were up to "), check_has(out, " m inside obstacles");
    check_code(sinew("stats deep.run"), 0);
    check_has(out, " depth "), check(!strstr(out, " inverted "));
}

static void test_threads(void** state)
{
    (void)state;
    static const char* const counts[] = {"1", "2", "5"};
    for (int i = 0; i < 3; i++)
        check_code(sinew("run tiny.yaml -o threads%s.run --threads %s --quiet", counts[i], counts[i]), 0);
    check_same_frames("threads1.run", "threads2.run");
    check_same_frames("threads1.run", "threads5.run");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_obstacles_are_kept),
    cmocka_unit_test(test_stalls_are_kept), cmocka_unit_test(test_compressed_run),
    cmocka_unit_test(test_progress_lines),  cmocka_unit_test(test_options_of_run),
    cmocka_unit_test(test_interrupt),       cmocka_unit_test(test_second_interrupt),
    cmocka_unit_test(test_terminate),       cmocka_unit_test(test_kill),
    cmocka_unit_test(test_resume),          cmocka_unit_test(test_what_is_inside_is_told),
    cmocka_unit_test(test_threads),
};
RUN_TESTS(tests, set_up, tear_down)
