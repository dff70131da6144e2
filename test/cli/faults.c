// What hardly ever fails, failing (torture/preload/faults.c): the program says what, and nothing half is left behind.
#include "program.h"

#ifdef SN_FAULTS
typedef struct Fault {
    const char *fault, *arguments, *says;
} Fault;

static const Fault faults[] = {
    // libraries of pictures that are missing, or worse than the one at hand
    {"libEGL.so.1", "render good.run -o a.png", "libEGL.so.1 is missing"},
    {"libGL", "render good.run -o a.png", "libGL.so.1 is missing"},
    {"eglInitialize", "render good.run -o a.png", "EGL found no display"},
    {"eglBindAPI", "render good.run -o a.png", "EGL cannot draw without a surface"},
    {"eglChooseConfig", "render good.run -o a.png", "EGL offers no OpenGL configuration"},
    {"eglCreateContext", "render good.run -o a.png", "no OpenGL 3.3 context"},
    {"eglMakeCurrent", "render good.run -o a.png", "the OpenGL context cannot be used"},
    {"glGetShaderiv", "render good.run -o a.png", "this OpenGL driver rejects the"},
    {"glGetProgramiv", "render good.run -o a.png", "this OpenGL driver cannot link the"},
    {"glCheckFramebufferStatus", "render good.run -o a.png", "this OpenGL driver offers no"},
    {"glGetError", "render good.run -o a.png", "OpenGL error 0x505"},
    {"pipe2", "render good.run -o a.mp4", "cannot start ffmpeg: Too many open files"},
    {"poll", "render good.run -o a.mp4", "cannot wait for ffmpeg"},
    // disks and memory
    {"rename", "run tiny.yaml -q -o a.run", "a.run: cannot be made: Input/output error"},
    {"tmpfile", "export good.run --to glb -o .",
     "the temporary file for frames cannot be used: No space left on device"},
    {"compress2", "run tiny.yaml -q --set output.compress=true -o a.run", "out of memory: compressing a frame"},
    {"newlocale", "mesh info good.msh", "out of memory: the C locale"},
    {"newlocale", "mesh make box -o a.msh", "out of memory: the C locale"},
    {"yaml_parser_initialize", "check tiny.yaml", "out of memory: the YAML parser"},
    // orders and parts of meshes
    {"METIS_NodeND", "run tiny.yaml -q -o a.run --set bodies.bar.mesh.box.cells=[40,16,16]",
     "out of memory: ordering the nodes"},
    {"METIS_PartGraphKway", "run tiny.yaml -q -o a.run --solver dot --set solver.subdomains=4",
     "splitting the mesh failed with METIS code -4"},
    {"amd_l_order", "run tiny.yaml -q -o a.run --solver newton", "ordering the nodes failed with AMD status -2"},
    // processes and threads
    {"posix_spawn_file_actions_init", "sweep tiny.yaml --over time.step=0.01,0.02 -o study",
     "out of memory: a process"},
    {"posix_spawn", "sweep tiny.yaml --over time.step=0.01,0.02 -o study", "cannot be started: Resource temporarily"},
    {"posix_spawnp", "mesh tet good.obj --with tetgen -o a.msh", "cannot be run: Resource temporarily"},
    {"getcwd", "sweep tiny.yaml --over time.step=0.01,0.02 --slurm -o study", "the present folder is not known"},
    {"pthread_create", "view tiny.yaml --no-browser -o b.run", "cannot start a thread for the simulation"},
    {"getrandom", "view good.run --no-browser --address 127.0.0.2", "no random numbers to be had"},
};

static void test_faults(void** state)
{
    (void)state;
    check_code(sinew("run tiny.yaml -q -o good.run"), 0);
    check_code(sinew("mesh make box --cells 2,2,2 -o good.msh"), 0);
    check_code(sinew("mesh convert good.msh good.obj"), 0);
    int bad = 0;
    bool films = sinew("render good.run -o film.mp4 --size 160x120") == 0;
    setenv("LD_PRELOAD", SN_FAULTS, 1);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const Fault* f = &faults[i];
        setenv("SINEW_FAULT", f->fault, 1);
        int code = sinew("%s", f->arguments);
        if (strstr(err, "built without")) continue; // pictures, or the page
        if (strstr(f->arguments, ".mp4") && !films) continue;
        bool said = (code == 1 || code == 2) && strstr(err, f->says);
        bool left = access("a.run", F_OK) == 0 || access("a.png", F_OK) == 0 || access("a.mp4", F_OK) == 0;
        if (said && !left) continue;
        print_error("%s: %s: exit code %d%s: %s%s; it should say: %s\n", f->fault, f->arguments, code,
                    left ? ", and left a file" : "", out, err, f->says);
        bad++, unlink("a.run");
    }
    unsetenv("LD_PRELOAD"), unsetenv("SINEW_FAULT");
    assert_int_equal(bad, 0);
}

// Fewer threads than were asked for are no harm.
static void test_without_threads(void** state)
{
    (void)state;
    check_code(sinew("run tiny.yaml -q -o many.run --threads 3"), 0);
    setenv("LD_PRELOAD", SN_FAULTS, 1), setenv("SINEW_FAULT", "pthread_create", 1);
    check_code(sinew("replay many.run"), 0);
    unsetenv("LD_PRELOAD"), unsetenv("SINEW_FAULT");
    check_has(out, "the same bits");
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults), cmocka_unit_test(test_without_threads)};
RUN_TESTS(tests, set_up, tear_down)
#endif
