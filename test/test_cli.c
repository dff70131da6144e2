// The program as its users meet it: run as a process, judged by exit code, output, errors and files.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/exporter.h"
#include "archive/run_file.h"
#include "check.h"
#include "cli/command.h"
#include "core/memory.h"
#include "experiment/gallery.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "scene/script.h"
#include "solver/initial.h"

static char folder[] = "/tmp/sinew-cli-XXXXXX";
static char *out, *err; // what the last command printed

static char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char* text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    text[size] = 0;
    fclose(file);
    return text;
}

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// Runs `sinew ARGUMENTS` through the shell, in the test's folder; the exit code, or 128 + signal.
static int sinew(const char* format, ...)
{
    char arguments[2048], command[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    snprintf(command, sizeof command, "'%s/sinew' %s >out.txt 2>err.txt </dev/null", SN_BINARY_DIR, arguments);
    int status = system(command);
    free(out);
    free(err);
    out = read_text("out.txt");
    err = read_text("err.txt");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#define check_code(call, wanted)                                                                         \
    do {                                                                                                 \
        int code_of_call = (call);                                                                       \
        if (code_of_call != (wanted)) fail_msg("%s: exit code %d: %s%s", #call, code_of_call, out, err); \
    } while (0)

static void check_has(const char* text, const char* part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static int count_of(const char* text, const char* part)
{
    int count = 0;
    for (const char* p = text; (p = strstr(p, part)); p += strlen(part)) count++;
    return count;
}

static const char tiny[] = "name: tiny\n"
                           "time: {step: 1/50, frames: 6}\n"
                           "bodies:\n"
                           "  - name: bar\n"
                           "    mesh: {box: {size: [2, 1, 1], cells: [4, 2, 2]}}\n"
                           "    material: {type: neo-hookean, young: 1e5, poisson: 0.4}\n"
                           "handles:\n"
                           "  - {body: bar, where: {x: [min, min]}}\n";

static int set_up(void** state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0) return -1;
    write_text("tiny.yaml", tiny);
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    free(out);
    free(err);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void test_top_level(void** state)
{
    (void)state;
    check_code(sinew("--version"), 0);
    check_has(out, sn_version());
    check_code(sinew("--help"), 0);
    for (const SnCommand* const* c = sn_commands; *c; c++) check_has(out, (*c)->summary);
    check_code(sinew(""), 2);
    check_has(err, "usage: sinew COMMAND");
    check_code(sinew("rnu tiny.yaml"), 2);
    check_has(err, "did you mean \"run\"?");
    check_code(sinew("help nonsense"), 2);
}

// Every option of every command is in its help, which has two ways to it.
static void test_help_texts(void** state)
{
    (void)state;
    for (const SnCommand* const* c = sn_commands; *c; c++) {
        check_code(sinew("%s --help", (*c)->name), 0);
        check_has(out, (*c)->usage);
        char option[64], *first = strdup(out);
        for (const SnOption* o = (*c)->options; o && o->name; o++) {
            snprintf(option, sizeof option, "--%s", o->name);
            check_has(out, option);
            check_has(out, o->summary);
        }
        check_code(sinew("help %s", (*c)->name), 0);
        assert_string_equal(out, first);
        free(first);
    }
}

static void test_bad_usage(void** state)
{
    (void)state;
    static const struct {
        const char *arguments, *complaint;
    } cases[] = {
        {"run", "something is missing"},
        {"run a.yaml b.yaml", "one word too many"},
        {"run tiny.yaml --frams 3", "unknown option --frams; did you mean --frames?"},
        {"run tiny.yaml --frames", "--frames needs a value"},
        {"run tiny.yaml --frames=-1", "at least 0"},
        {"run tiny.yaml --frames 3x", "whole number"},
        {"run tiny.yaml --frames 1 --frames 2", "given twice"},
        {"run tiny.yaml --quiet=yes", "takes no value"},
        {"run tiny.yaml --threads 0", "from 1 to"},
        {"run tiny.yaml --set young", "PATH=VALUE"},
        {"run tiny.yaml -z", "unknown option -z"},
        {"run missing.yaml", "missing.yaml"},
        {"run tiny.yaml -o missing/tiny.run", "missing/tiny.run"},
        {"run tiny.yaml --solver newtn", "newton"},
        {"run tiny.yaml --integrator backward-eular", "backward-euler"},
        {"check", "which scene"},
        {"stats missing.run", "missing.run"},
        {"stats tiny.yaml", "tiny.yaml"},
        {"stats tiny.run --csv --json", "exclude each other"},
        {"plot tiny.run", "-o FILE.svg"},
        {"plot tiny.run -o tiny.gif", "FILE.png, not tiny.gif"},
        {"plot tiny.run -o tiny.svg --what enrgy", "energy"},
        {"plot missing.run -o tiny.svg", "missing.run"},
        {"export tiny.run", "--to FORMAT is missing"},
        {"export tiny.run --to vtk2", "vtu"},
        {"mesh", "usage: sinew mesh"},
        {"mesh mak box", "did you mean \"mesh make\"?"},
        {"mesh make bax -o a.msh", "did you mean \"box\"?"},
        {"mesh make box", "-o FILE is missing"},
        {"mesh make box --cells 2,2 -o a.msh", "3 numbers"},
        {"mesh make box --cells 2,2,1.5 -o a.msh", "whole numbers"},
        {"mesh make box --patern kuhn -o a.msh", "did you mean --pattern?"},
        {"mesh make box --pattern kun -o a.msh", "kuhn"},
        {"mesh make box -o a.nonsense", "a.nonsense"},
        {"mesh make box -o a.msh --msh-version 3", "2.2, 4.0 and 4.1"},
        {"mesh make box -o a.vtk --msh-version 2.2", "gmsh files (.msh) only"},
        {"mesh make box -o a.ply --binary", "gmsh files (.msh) only"},
        {"mesh info missing.msh", "missing.msh"},
        {"list solver", "did you mean \"solvers\"?"},
        {"gallery baar", "did you mean \"bar\"?"},
        {"bench nonsense", "no benchmark"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = sinew("%s", cases[i].arguments);
        if (code != 2) fail_msg("sinew %s: exit code %d: %s%s", cases[i].arguments, code, out, err);
        bool on_stdout = strcmp(cases[i].arguments, "mesh") == 0;
        check_has(on_stdout ? out : err, cases[i].complaint);
    }
}

// Every problem of a scene, each with its place.
static void test_scene_problems(void** state)
{
    (void)state;
    write_text("bad.yaml", "tmie: {step: 1/30}\nbodies:\n  - mesh: {box: {}}\n    material: {youn: 1}\n");
    check_code(sinew("check bad.yaml"), 2);
    check_has(err, "bad.yaml:1:1: error: ");
    check_has(err, "bad.yaml:4:16: error: ");
    check_has(err, "young");
    check_code(sinew("run bad.yaml"), 2);
    check_has(err, "bad.yaml:1:1: error: ");
    check(access("bad.run", F_OK) != 0);
    check_code(sinew("check tiny.yaml"), 0);
    check_has(out, "45 nodes");
    assert_string_equal(err, "");
    write_text("write.yaml", "output: {write: [vtx]}\nbodies:\n  - mesh: {box: {}}\n");
    check_code(sinew("check write.yaml"), 2);
    check_has(err, "write.yaml:1:");
    check_has(err, "vtu");
}

// What `check --defaults` prints is itself a scene.
static void test_defaults_and_reference(void** state)
{
    (void)state;
    check_code(sinew("check --defaults"), 0);
    write_text("defaults.yaml", out);
    check_code(sinew("check defaults.yaml"), 0);
    check_code(sinew("check --reference"), 0);
    check_has(out, "tolerance");
}

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
    check_code(sinew("export tiny.run --to csv --frames 3:9"), 2);
    check_has(err, "frames from 0 to 6");
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
    for (int k = 0; k < 6 && code == 1; k++) { // 1: the step was over before the second one came
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

static void test_threads(void** state)
{
    (void)state;
    static const char* const counts[] = {"1", "2", "5"};
    for (int i = 0; i < 3; i++)
        check_code(sinew("run tiny.yaml -o threads%s.run --threads %s --quiet", counts[i], counts[i]), 0);
    check_same_frames("threads1.run", "threads2.run");
    check_same_frames("threads1.run", "threads5.run");
}

// Each generator makes a file that has nothing wrong with it, in its defaults and when converted.
static void test_mesh(void** state)
{
    (void)state;
    for (const SnShape* const* s = sn_shapes; *s; s++) {
        check_code(sinew("mesh make %s --help", (*s)->name), 0);
        for (int i = 0; i < SN_SHAPE_PARAMETERS && (*s)->parameters[i].name; i++)
            check_has(out, (*s)->parameters[i].summary);
        check_code(sinew("mesh make %s -o shape.msh", (*s)->name), 0);
        check_code(sinew("mesh info shape.msh"), 0);
        check_has(out, "problems           none");
        check_has(out, "edge lengths");
        check_code(sinew("mesh convert shape.msh shape.vtk"), 0);
        check_code(sinew("mesh info shape.vtk"), 0);
        check_has(out, "problems           none");
    }
    check_code(sinew("mesh make box -o box.msh --msh-version 2.2 --binary"), 0);
    check_code(sinew("mesh convert box.msh again.msh --binary"), 0);
    check_code(sinew("mesh convert again.msh last.msh --msh-version 4.0"), 0);
    check_code(sinew("mesh info last.msh"), 0);
    check_has(out, "problems           none");
    check_code(sinew("mesh make box --size 2,1,1 --cells 4x2x2 --pattern bcc -o box.mesh"), 0);
    check_code(sinew("mesh info box.mesh"), 0);
    check_has(out, ", 2 m3");
    check_has(out, "[0, 0, 0] to [2, 1, 1]");
    check_has(out, "dihedral angles");
    write_text("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    check_code(sinew("mesh info flat.obj"), 0);
    check_has(out, "problem            1 ");
    check_has(out, "cannot be simulated");
}

static void test_lists(void** state)
{
    (void)state;
    check_code(sinew("list"), 0);
    for (int i = 0; i < sn_material_count(); i++) check_has(out, sn_material_at(i)->name);
    for (int i = 0; i < sn_solver_count(); i++) check_has(out, sn_solver_at(i)->name);
    for (int i = 0; i < sn_initial_count(); i++) check_has(out, sn_initial_at(i)->summary);
    for (int i = 0; i < sn_integrator_count(); i++) check_has(out, sn_integrator_at(i)->name);
    for (const SnExporter* const* e = sn_exporters; *e; e++) check_has(out, (*e)->name);
    for (const SnScript* s = sn_scripts; s->name; s++) check_has(out, s->summary);
    check_code(sinew("list shapes"), 0);
    for (const SnShape* const* s = sn_shapes; *s; s++) check_has(out, (*s)->name);
}

// The value of a column in a line of CSV.
static double column(const char* line, int index)
{
    for (; index > 0; index--) line = strchr(line, ',') + 1;
    return strtod(line, NULL);
}

// All solvers end at the reference's minimum, from the same energy.
static void test_race(void** state)
{
    (void)state;
    check_code(sinew("race tiny.yaml --steps 2 --after 1 --tolerance 1e-11 --iterations 3000 -o tiny-race"), 0);
    check_has(out, "means per step over steps 2 to 3");
    check_has(out, "the reference is newton, converged to");
    char* table = read_text("tiny-race/table.csv");
    char* line = strchr(table, '\n') + 1;
    int rows = 0;
    for (; *line; line = strchr(line, '\n') + 1, rows++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line, ","), line);
        check_has(out, name);
        if (column(line, 8) > 1e-9) fail_msg("%s: error %g", name, column(line, 8));
        if (column(line, 9) > 1e-8) fail_msg("%s: %g m away", name, column(line, 9));
        if (column(line, 10) != 2) fail_msg("%s: %g of 2 converged", name, column(line, 10));
        check(column(line, 2) >= 1 && column(line, 3) > 0 && column(line, 5) >= 1 && column(line, 7) > 0.01);
    }
    check(rows >= sn_solver_count() + sn_initial_count() - 2);
    free(table);
    table = read_text("tiny-race/convergence.csv");
    double energy = NAN; // where everybody starts
    for (line = strchr(table, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        if (column(line, 1) != 2 || column(line, 3) != 0) continue;
        check_near(column(line, 7), 1, 0);
        if (isnan(energy)) energy = column(line, 5);
        check_near(column(line, 5), energy, 0);
    }
    check(!isnan(energy));
    free(table);
    static const char* const plots[] = {"iterations.svg", "iterations.png", "time.svg", "time.png"};
    for (int i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "tiny-race/%s", plots[i]);
        char* text = read_text(path);
        check(strncmp(text, i % 2 ? "\x89PNG" : "<?xml", 4) == 0);
        if (i % 2 == 0) check_has(text, "newton");
        free(text);
    }
}

// States grow with the contacts that they hold.
static void test_race_with_contacts(void** state)
{
    (void)state;
    check_code(sinew("race " SN_SOURCE_DIR "/scenes/gallery/pile.yaml -q --steps 12 --solvers newton -o pile-race"), 0);
    char* table = read_text("pile-race/table.csv");
    const char* line = strchr(table, '\n') + 1;
    check(column(line, 9) < 1e-3); // m: from the same states, of bodies that fall 30 mm in a step
    check_near(column(line, 10), 12, 0);
    free(table);
}

static void test_race_usage(void** state)
{
    (void)state;
    check_code(sinew("race tiny.yaml -q --steps 1 --solvers lbfgs/laplacian:history=0,newton"), 0);
    check_has(out, "lbfgs/laplacian:history=0");
    check(access("tiny.race/table.csv", F_OK) == 0);
    assert_string_equal(err, "");
    check_code(sinew("race tiny.yaml --solvers newton,newtn"), 2);
    check_has(err, "did you mean 'newton'?");
    check(!strstr(err, "the reference")); // before anything is run
    check_code(sinew("race tiny.yaml --solvers lbfgs:histry=2"), 2);
    check_has(err, "did you mean 'history'?");
    check_code(sinew("race tiny.yaml --solvers ,"), 2);
    check_has(err, "--solvers names none");
    check_code(sinew("race tiny.yaml --after 6"), 2);
    check_has(err, "the scene has 6 steps");
    check_code(sinew("race tiny.yaml --steps 7"), 2);
    check_code(sinew("race tiny.yaml --steps 2 --plot-step 3 --solvers newton"), 2);
    check_has(err, "steps 1 to 2");
    check_code(sinew("race tiny.yaml --tolerance=-1"), 2);
    check_code(sinew("race tiny.yaml --steps 1 --solvers newton -o /nowhere/there"), 2);
    check_has(err, "/nowhere/there");
    check_code(sinew("race missing.yaml"), 2);
}

static void test_gallery(void** state)
{
    (void)state;
    check_code(sinew("gallery"), 0);
    for (const SnGalleryScene* s = sn_gallery_scenes; s->name; s++) check_has(out, s->summary);
    for (const SnGalleryScene* s = sn_gallery_scenes; s->name; s++) {
        check_code(sinew("gallery %s --print", s->name), 0);
        assert_string_equal(out, s->text);
        check_code(sinew("gallery %s --frames 1", s->name), 0);
        check_has(out, "all converged");
        char path[128];
        snprintf(path, sizeof path, "%s.run", s->name);
        check(access(path, F_OK) == 0);
    }
}

// The loss to each dissipation is in every form of the statistics.
static void test_losses(void** state)
{
    (void)state;
    check_code(
        sinew(
            "run tiny.yaml --frames 3 --quiet -o lossy.run --set handles.0.body=0 --set 'bodies.0.name=a \"b\"' --set "
            "'bodies.0.damping=[{type: rayleigh}, {type: drag}]'"),
        0);
    check_code(sinew("stats lossy.run --csv"), 0);
    check_has(out, ",\"loss a \"\"b\"\": rayleigh\",\"loss a \"\"b\"\": drag\"\n");
    double rayleigh = 0, drag = 0;
    const char* end = out + strlen(out) - 1; // the last two numbers
    for (int commas = 0; commas < 2; commas += *--end == ',') {
    }
    assert_int_equal(sscanf(end, ",%lf,%lf", &rayleigh, &drag), 2);
    check(rayleigh > 0 && drag > 0);
    char expected[128];
    check_code(sinew("stats lossy.run --json"), 0);
    assert_int_equal(count_of(out, "\"losses\": {\"a \\\"b\\\": rayleigh\": "), 4);
    snprintf(expected, sizeof expected, "drag\": %.17g}}", drag);
    check_has(out, expected);
    check_code(sinew("stats lossy.run"), 0);
    snprintf(expected, sizeof expected, "lost to a \"b\": rayleigh: %.6g J", rayleigh);
    check_has(out, expected);
    check_code(sinew("plot lossy.run -o lossy.svg"), 0); // a curve for each
    char* text = read_text("lossy.svg");
    check_has(text, "lost to a"), check_has(text, ": drag");
    free(text);
}

// Every subject, of one run and of two, as text that names its curves, and as a picture.
static void test_plot(void** state)
{
    (void)state;
    static const struct {
        const char *what, *alone, *together;
    } rows[] = {
        {"energy", "numerical loss", "kinetic + elastic + gravity"},
        {"momentum", "kg m/s", "angular momentum"},
        {"iterations", "iterations per step", "iterations per step"},
        {"convergence", "gradient at the end", "gradient at the end"},
        {"time", "global", "ms per step"},
    };
    check_code(sinew("run tiny.yaml --frames 3 -o one.run"), 0);
    check_code(sinew("run tiny.yaml --frames 3 --integrator tr-bdf2 -o other.run"), 0);
    for (int i = 0; i < 5; i++) {
        check_code(sinew("plot one.run -o p.svg --what %s", rows[i].what), 0);
        char* text = read_text("p.svg");
        check_has(text, rows[i].alone);
        free(text);
        check_code(sinew("plot one.run other.run -o p.svg --what %s", rows[i].what), 0);
        text = read_text("p.svg");
        check_has(text, rows[i].together), check_has(text, "other");
        free(text);
    }
    check_code(sinew("plot one.run -o p.png"), 0);
    check_has(out, "wrote p.png");
    check_code(sinew("plot one.run -o nowhere/p.png"), 2);
}

// A figure is made, with all its files; the others are listed.
static void test_paper(void** state)
{
    (void)state;
    check_code(sinew("paper"), 0);
    assert_int_equal(count_of(out, "\n"), count_of(out, "Brown et al. 2018"));
    check_has(out, "diss-2"), check_has(out, "diss-8");
    check_code(sinew("paper diss-33"), 2);
    check_has(err, "diss-3");
    check_code(sinew("paper diss-3 -o figures"), 0);
    check_has(out, "expected: backward Euler loses most"), check_has(out, "seen as expected");
    const char* files[] = {"figures/diss-3.csv", "figures/diss-3-1.svg", "figures/diss-3-2.png", "figures/diss-3.txt"};
    for (int i = 0; i < 4; i++) assert_int_equal(access(files[i], R_OK), 0);
    char* text = read_text("figures/diss-3.csv");
    assert_int_equal(count_of(text, "\"TR-BDF2\""), 2 * 121);
    free(text);
    check_code(sinew("paper diss-3 -o tiny.yaml"), 2); // not a folder
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_plot),
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_top_level),
        cmocka_unit_test(test_help_texts),
        cmocka_unit_test(test_bad_usage),
        cmocka_unit_test(test_scene_problems),
        cmocka_unit_test(test_defaults_and_reference),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_progress_lines),
        cmocka_unit_test(test_options_of_run),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_second_interrupt),
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_race_with_contacts),
        cmocka_unit_test(test_race_usage),
        cmocka_unit_test(test_gallery),
    };
    return cmocka_run_group_tests_name("cli", tests, set_up, tear_down);
}
