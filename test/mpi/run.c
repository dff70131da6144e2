// sinew-mpi as users meet it: the same answers as from one process, on 1 to 4 of them; runs that go on with another
// number; what is refused. What processes find together is compared in test/mpi/processes.
#include <sinew/mesh.h>

#include "mesh/mesh.h"
#include "shell.h"

// Two bodies that swing, one of them held by energy, with dampings of all kinds that sum over elements.
static const char bars[] = "time: {step: 1/30, frames: 4}\n"
                           "contact: {bodies: false}\n"
                           "solver: {type: newton, tolerance: 1e-10}\n"
                           "bodies:\n"
                           "  - name: bar\n"
                           "    mesh: {box: {size: [3, 1, 1], cells: [9, 3, 3]}}\n"
                           "    velocity: {angular: [3, 1, 0]}\n"
                           "    material: {type: neo-hookean, young: 5e5, poisson: 0.4, density: 1000}\n"
                           "    damping: [{type: strain-rate, shear: 200}]\n"
                           "  - name: second\n"
                           "    mesh: {box: {size: [2, 1, 1], cells: [4, 2, 2]}}\n"
                           "    place: {move: [0, 3, 0]}\n"
                           "    material: {type: fixed-corotated, young: 3e5, poisson: 0.3, density: 900}\n"
                           "    damping: [{type: drag, drag: 0.5}]\n"
                           "handles:\n"
                           "  - {body: bar, where: {x: [min, min]}}\n"
                           "  - {body: second, where: {x: [max, max]}, how: energy, motion: {velocity: [0.2, 0, 0]}}\n";

// A sheet that bends, whose hinges have nodes of several processes.
static const char sheet[] = "time: {step: 1/50, frames: 3}\n"
                            "contact: {self: false}\n"
                            "solver: {type: newton, tolerance: 1e-10}\n"
                            "bodies:\n"
                            "  - name: cloth\n"
                            "    mesh: {cloth: {size: [1, 1], cells: [8, 8]}}\n"
                            "    material: {type: stvk, young: 1e5, poisson: 0.3, density: 300, thickness: 1e-3,\n"
                            "               bending: 1e-3}\n"
                            "handles:\n"
                            "  - {body: cloth, where: {x: [min, min]}}\n";

// Boxes on each other, on a plane and at a mesh, a rope that falls on them: contacts of all kinds of elements.
static const char touch[] = "time: {step: 1/30, frames: 2}\n"
                            "contact: {friction: 0.2, self: true}\n"
                            "solver: {type: newton, tolerance: 1e-8}\n"
                            "bodies:\n"
                            "  - name: low\n"
                            "    mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}\n"
                            "    place: {rotate: [0, 0, 1, 20], move: [0, 0.02, 0]}\n"
                            "    material: {type: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n"
                            "  - name: high\n"
                            "    mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}\n"
                            "    place: {rotate: [1, 0, 1, 30], move: [0.2, 1.7, 0.1]}\n"
                            "    velocity: {linear: [0, -4, 0]}\n"
                            "    material: {type: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n"
                            "  - name: rope\n"
                            "    mesh: {rope: {length: 1, cells: 4}}\n"
                            "    place: {move: [-0.95, 1.16, 0.43]}\n"
                            "    velocity: {linear: [0, -3, 0]}\n"
                            "    material: {type: spring, young: 1e6, density: 1000, thickness: 0.02}\n"
                            "obstacles:\n"
                            "  - {type: plane, friction: 0.3}\n"
                            "  - {type: mesh, mesh: {file: wall.obj}, friction: 0.1}\n";
static const char wall[] = "v 1.05 -1 -1\nv 1.05 -1 3\nv 1.05 3 -1\nv 2 -1 -1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";

// Loads of all kinds, a slide on an obstacle and one on a body, handles in some axes.
static const char pushed[] = "time: {step: 1/30, frames: 2}\n"
                             "contact: {bodies: false}\n"
                             "solver: {type: newton, tolerance: 1e-9}\n"
                             "bodies:\n"
                             "  - name: a\n"
                             "    mesh: {box: {size: [1, 1, 1], cells: [3, 2, 2]}}\n"
                             "    place: {move: [0, 0.1, 0]}\n"
                             "    material: {type: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n"
                             "  - name: b\n"
                             "    mesh: {box: {size: [1, 0.5, 1], cells: [2, 1, 2]}}\n"
                             "    place: {move: [0, 1.1, 0]}\n"
                             "    material: {type: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n"
                             "obstacles: [{type: plane, name: floor}]\n"
                             "slides:\n"
                             "  - {body: a, where: {y: [min, min]}, on: floor}\n"
                             "  - {body: b, where: {y: [min, min]}, on: a}\n"
                             "handles: [{body: b, where: {x: [min, min]}, axes: [x]}]\n"
                             "loads:\n"
                             "  - {body: a, where: {x: [max, max]}, pressure: 2e3}\n"
                             "  - {body: a, where: {z: [max, max]}, traction: [0, 300, 500]}\n"
                             "  - {body: a, where: all, gas: 2e3}\n"
                             "  - {body: b, where: {x: [max, max]}, force: [50, 0, 20]}\n"
                             "  - {body: b, where: {y: [max, max]}, torque: [0, 30, 0]}\n"
                             "  - {body: b, acceleration: [0, 0, 2]}\n"
                             "  - {body: a, wind: [8, 0, 3], gust: 0.3}\n";

// Its first step takes some minutes.
static const char slow[] =
    "time: {step: 10, frames: 5}\n"
    "solver: {type: lbfgs, initial: laplacian, history: 0, iterations: 2000000000, tolerance: 1e-14}\n"
    "bodies:\n"
    "  - name: bar\n"
    "    mesh: {box: {size: [30, 1, 1], cells: [30, 1, 1]}}\n"
    "    material: {type: neo-hookean, young: 1e9, poisson: 0.45, density: 1000}\n"
    "handles: [{body: bar, where: {x: [min, min]}}]\n";

static int begin(void** state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    write_file("bars.yaml", bars);
    write_file("sheet.yaml", sheet);
    write_file("touch.yaml", touch);
    write_file("wall.obj", wall);
    write_file("pushed.yaml", pushed);
    write_file("slow.yaml", slow);
    return 0;
}

static void test_parts_make_the_whole(void** state)
{
    (void)state;
    for (int n = 1; n <= 4; n++)
        for (int k = 0; k < 2; k++) expect_code(shell(MPIRUN "mpi_processes %s", n, k ? "sheet.yaml" : "bars.yaml"), 0);
}

static void test_same_minimiser(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char* scene = k ? "sheet" : "bars";
        expect_code(shell(SINEW "run %s.yaml -o one.run -q", scene), 0);
        for (int n = 1; n <= 4; n++) {
            expect_code(shell(MPIRUN "sinew-mpi run %s.yaml -o some.run -q", n, scene), 0);
            check(difference("one.run", "some.run") < 1e-7);
        }
    }
}

// dot and L-BFGS around the Laplacian find it, too.
static void test_other_solvers(void** state)
{
    (void)state;
    static const char* const names[] = {"dot", "lbfgs/laplacian", "dot --set solver.subdomains=7"};
    expect_code(shell(SINEW "run bars.yaml -o one.run -q --frames 2"), 0);
    for (int k = 0; k < 3; k++)
        for (int n = 1; n <= 3; n += 2) {
            expect_code(shell(MPIRUN "sinew-mpi run bars.yaml -o some.run -q --frames 2 --set solver.tolerance=1e-9 "
                                     "--set solver.iterations=2000 --solver %s",
                              n, names[k]),
                        0);
            if (difference("one.run", "some.run") >= 1e-5) print_error("%s, %d processes\n", names[k], n);
            check(difference("one.run", "some.run") < 1e-5);
        }
}

// What touches: bodies that are others' are not crossed, and pushed as in one process. Forces of contacts settle to
// 0.2 %, and in one process lbfgs is 2.5 mm/s off newton in this scene, in which things meet at 4 m/s.
static void test_touch(void** state)
{
    (void)state;
    static const char* const names[] = {"newton", "dot", "lbfgs/laplacian"};
    static const double bounds[] = {2e-4, 4e-3, 4e-3};
    expect_code(shell(SINEW "run touch.yaml -o one.run -q"), 0);
    expect_code(shell(SINEW "stats one.run --csv | tail -1 | cut -d, -f19"), 0);
    check(atoi(said) > 3); // contacts
    for (int k = 0; k < 3; k++)
        for (int n = 2; n <= (k == 0 ? 3 : 2); n++) {
            expect_code(shell(MPIRUN "sinew-mpi run touch.yaml -o some.run -q --solver %s", n, names[k]), 0);
            if (difference("one.run", "some.run") >= bounds[k])
                print_error("%s, %d: %g\n", names[k], n, difference("one.run", "some.run"));
            check(difference("one.run", "some.run") < bounds[k]);
            expect_code(shell(SN_BINARY_DIR "/crossings some.run --swept"), 0);
        }
}

// Forces of contacts go with the state.
static void test_touch_goes_on_with_others(void** state)
{
    (void)state;
    expect_code(shell(SINEW "run touch.yaml -o one.run -q"), 0);
    expect_code(shell(MPIRUN "sinew-mpi run touch.yaml -o some.run -q --frames 1", 3), 0);
    expect_code(shell(MPIRUN "sinew-mpi run touch.yaml -o some.run -q --frames 2 --resume", 2), 0);
    check(difference("one.run", "some.run") < 2e-4);
}

static void test_loads_and_slides(void** state)
{
    (void)state;
    double sums[2][6] = {0};
    expect_code(shell(SINEW "run pushed.yaml -o one.run -q"), 0);
    for (int n = 2; n <= 3; n++) {
        expect_code(shell(MPIRUN "sinew-mpi run pushed.yaml -o some.run -q", n), 0);
        if (difference("one.run", "some.run") >= 1e-5) print_error("%d: %g\n", n, difference("one.run", "some.run"));
        check(difference("one.run", "some.run") < 1e-5);
    }
    for (int k = 0; k < 2; k++) {
        expect_code(shell(SINEW "stats %s.run --csv | tail -1 | cut -d, -f6-11", k ? "some" : "one"), 0);
        assert_int_equal(sscanf(said, "%lf,%lf,%lf,%lf,%lf,%lf", &sums[k][0], &sums[k][1], &sums[k][2], &sums[k][3],
                                &sums[k][4], &sums[k][5]),
                         6);
    }
    for (int i = 0; i < 6; i++) check(fabs(sums[0][i] - sums[1][i]) < 1e-4 * fabs(sums[0][i]) + 1e-3);
}

// A handle that follows a point cache has its columns of it.
static void test_cache(void** state)
{
    (void)state;
    const char* scene = "time: {step: 1/30, frames: 2}\ncontact: {bodies: false}\n"
                        "bodies: [{name: a, mesh: {box: {cells: [3, 1, 1]}}%s}]\n%s\n";
    char text[500];
    snprintf(text, sizeof text, scene, ", start: {twist: 20}", "");
    write_file("one.yaml", text);
    snprintf(text, sizeof text, scene, "", "handles: [{body: a, where: all, motion: {cache: cache/a.pc2}}]");
    write_file("follows.yaml", text);
    expect_code(
        shell(SINEW "run one.yaml -q && " SINEW "export one.run --to pc2 -o cache && mv cache/*.pc2 cache/a.pc2"), 0);
    expect_code(shell(SINEW "run follows.yaml -o one.run -q"), 0);
    expect_code(shell(MPIRUN "sinew-mpi run follows.yaml -o some.run -q", 2), 0);
    check(difference("one.run", "some.run") < 1e-9);
}

static void test_same_bits_again(void** state)
{
    (void)state;
    for (int scene = 0; scene < 2; scene++) {
        const char* name = scene ? "touch" : "bars";
        for (int k = 0; k < 2; k++) expect_code(shell(MPIRUN "sinew-mpi run %s.yaml -o same%d.run -q", 3, name, k), 0);
        assert_true(difference("same0.run", "same1.run") == 0);
    }
}

static void test_integrators(void** state)
{
    (void)state;
    static const char* const names[] = {"bdf2", "trapezoidal", "implicit-midpoint", "tr-bdf2", "static"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        expect_code(shell(SINEW "run bars.yaml -o one.run -q --frames 3 --integrator %s", names[k]), 0);
        expect_code(shell(MPIRUN "sinew-mpi run bars.yaml -o some.run -q --frames 3 --integrator %s", 2, names[k]), 0);
        if (difference("one.run", "some.run") >= 1e-6) print_error("%s\n", names[k]);
        check(difference("one.run", "some.run") < 1e-6);
        expect_code(shell(SINEW "stats one.run --json | tail -3 > one.json; " SINEW "stats some.run --json | tail -3 > "
                                "some.json; cat one.json some.json"),
                    0);
    }
}

// From three processes to two, and from those to one without MPI.
static void test_goes_on_with_others(void** state)
{
    (void)state;
    expect_code(shell(SINEW "run bars.yaml -o one.run -q --frames 6 --integrator bdf2"), 0);
    expect_code(shell(MPIRUN "sinew-mpi run bars.yaml -o some.run -q --frames 2 --integrator bdf2", 3), 0);
    expect_code(shell(MPIRUN "sinew-mpi run bars.yaml -o some.run -q --frames 4 --resume", 2), 0);
    expect_code(shell(SINEW "run bars.yaml -o some.run -q --frames 6 --resume"), 0);
    check(difference("one.run", "some.run") < 1e-6);
}

static void test_ledger(void** state)
{
    (void)state;
    double sums[2][6] = {0};
    expect_code(shell(SINEW "run bars.yaml -o one.run -q"), 0);
    expect_code(shell(MPIRUN "sinew-mpi run bars.yaml -o some.run -q", 3), 0);
    for (int k = 0; k < 2; k++) {
        expect_code(shell(SINEW "stats %s.run --csv | tail -1 | cut -d, -f6-11", k ? "some" : "one"), 0);
        assert_int_equal(sscanf(said, "%lf,%lf,%lf,%lf,%lf,%lf", &sums[k][0], &sums[k][1], &sums[k][2], &sums[k][3],
                                &sums[k][4], &sums[k][5]),
                         6);
    }
    for (int i = 0; i < 6; i++) check(fabs(sums[0][i] - sums[1][i]) < 1e-6 * fabs(sums[0][i]) + 1e-6);
    check(sums[0][4] > 0); // something was lost to dissipations
}

// A step that takes minutes is given up on SIGTERM, also where only one process is told; what was written goes on.
static void test_terminate(void** state)
{
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        shell("rm -f slow.run*; export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; %s & p=$!; "
              "until " SINEW "stats slow.run >stats.txt 2>&1; do sleep 0.1; done; sleep 0.5; "
              "w=$(" SINEW "run slow.yaml -o slow.run --resume 2>&1 | sed -n 's/.*process \\([0-9]*\\).*/\\1/p'); "
              "kill %s; wait $p; echo it ended with $?",
              "timeout 120 mpirun --oversubscribe -n 2 " SN_BINARY_DIR "/sinew-mpi run slow.yaml -o slow.run -q",
              alone ? "$w" : "$p");
        bool told = strstr(said, "stopped within a step; everything up to the last frame is in slow.run") != NULL;
        if (!told) print_error("it said: %s\n", said);
        check(told || !alone); // mpirun may end before it has passed on what its processes say
        check(strstr(said, "it ended with 1\n") != NULL);
    }
    expect_code(shell(SINEW "run slow.yaml -o slow.run -q --frames 1 --resume --set solver.iterations=1"), 0);
}

// Ctrl-C, told to one process alone, ends all of them after their step.
static void test_interrupt(void** state)
{
    (void)state;
    shell("rm -f long.run*; export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; "
          "timeout 120 mpirun --oversubscribe -n 2 " SN_BINARY_DIR
          "/sinew-mpi run bars.yaml -o long.run -q --frames 100000 & p=$!; "
          "until " SINEW "stats long.run >stats.txt 2>&1; do sleep 0.1; done; "
          "kill -INT $(" SINEW "run bars.yaml -o long.run --resume 2>&1 | sed -n 's/.*process \\([0-9]*\\).*/\\1/p'); "
          "wait $p; echo it ended with $?");
    bool told = strstr(said, "of 100000; the same command with --resume goes on from there") != NULL;
    if (!told) print_error("it said: %s\n", said);
    check(told && strstr(said, "it ended with 1\n") != NULL);
    expect_code(shell(SINEW "replay long.run >replayed.txt; " SINEW "run bars.yaml -o long.run -q --frames 1 --resume"),
                0);
}

// All pieces of a frame, as VTK's files have them.
typedef struct Pieces {
    int cells;
    double volume, energy; // m3; J/m3, summed over cells
} Pieces;

static void add_piece(const char* name, Pieces* sum)
{
    char path[200];
    SnMesh* mesh;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check_ok(sn_mesh_load(path, &mesh));
    const double *density = NULL, *x = mesh->nodes;
    const int* t = mesh->tetrahedra;
    for (int i = 0; i < mesh->field_count; i++)
        if (strcmp(mesh->fields[i].name, "energy_density") == 0 && !mesh->fields[i].per_node)
            density = mesh->fields[i].values;
    assert_non_null(density);
    for (int i = 0; i < mesh->tetrahedron_count; i++) {
        double e[9];
        for (int k = 0; k < 9; k++) e[k] = x[3 * t[4 * i + 1 + k / 3] + k % 3] - x[3 * t[4 * i] + k % 3];
        sum->volume += (e[0] * (e[4] * e[8] - e[5] * e[7]) - e[1] * (e[3] * e[8] - e[5] * e[6]) +
                        e[2] * (e[3] * e[7] - e[4] * e[6])) /
                       6;
        sum->energy += density[i];
    }
    sum->cells += mesh->tetrahedron_count;
    sn_mesh_destroy(mesh);
}

// `write: [vtu]`: pieces that make up what one process writes.
static void test_pieces(void** state)
{
    (void)state;
    expect_code(shell(SINEW "run bars.yaml -o one.run --quiet --set output.write=[vtu]"), 0);
    Pieces whole = {0};
    add_piece("one/one.0004.vtu", &whole);
    for (int n = 1; n <= 4; n++) {
        Pieces sum = {0};
        char name[100];
        expect_code(shell("rm -rf parts && " MPIRUN "sinew-mpi run bars.yaml -o parts.run --set output.write=[vtu]", n),
                    0);
        for (int i = 0; i < n; i++) {
            snprintf(name, sizeof name, "parts/parts.0004.p%d.vtu", i);
            add_piece(name, &sum);
        }
        assert_int_equal(sum.cells, whole.cells);
        check_near(sum.volume, whole.volume, 1e-9);
        check_near(sum.energy, whole.energy, 1e-6 * whole.energy);
        expect_code(
            shell(
                "test $(grep -c 'Piece Source' parts/parts.0004.pvtu) = %d && grep -q parts.0004.pvtu parts/parts.pvd",
                n),
            0);
    }
}

static void test_refusals(void** state)
{
    (void)state;
    expect_code(shell(MPIRUN "sinew-mpi run bars.yaml -o no.run --solver admm", 2), 1);
    check(strstr(said, "solver 'admm' is not distributed yet") != NULL);
    static const char* const scenes[][2] = {
        {"  - {name: c, mesh: {surface: {sphere: {radius: 0.2, cells: 3}}, edge: 0.25}, place: {move: [3, 0, 0]}, "
         "contact: {skin: true}}",
         "body 'c': skins that touch are not distributed yet"},
        {"attach: [{from: {body: a, where: {nodes: [6]}}, to: {body: b}}]", "attachments are not distributed yet"},
        {"handles: [{body: a, where: {y: [min, min]}, hinge: {}}]", "hinges of handles are not distributed yet"},
        {"output: {write: [vtu, obj]}", "`write: [obj]` of `output` is not done by several processes"},
        {"output: {residuals: true}", "`residuals` of `output` are not kept by several processes"},
        {"sleep: {}", "bodies do not `sleep` in several processes"},
        {"measure: [{body: a, what: volume}]", "probes (`measure`, `forces` of `output`) are not distributed yet"},
        {"solver: {type: lbfgs, stiffness-interval: [0.7, 1.2]}", "stiffness-interval is not distributed yet"},
        {"solver: {type: dot, overlap: false}", "`overlap: false` of dot is for comparisons on one machine"},
        {"", "the world's elements make 2 parts, not 9; take fewer processes"},
    };
    const int last = sizeof scenes / sizeof *scenes - 1;
    for (int k = 0; k <= last; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "contact: {bodies: false}\nbodies:\n  - {name: a, mesh: {box: {cells: [1, 1, 1]}}}\n"
                 "  - {name: b, mesh: {box: {cells: [1, 1, 1]}}, place: {move: [0, 1.1, 0]}}\n%s\n",
                 scenes[k][0]);
        write_file("refused.yaml", text);
        expect_code(shell(MPIRUN "sinew-mpi run refused.yaml -o no.run", k < last ? 2 : 9), k < last ? 1 : 2);
        if (!strstr(said, scenes[k][1])) print_error("it said: %s\n", said);
        check(strstr(said, scenes[k][1]) != NULL);
    }
    expect_code(shell(MPIRUN "sinew-mpi run nowhere.yaml", 2), 2);
    check(strstr(said, "nowhere.yaml") != NULL);
    expect_code(shell(MPIRUN "sinew-mpi run bars.yaml -o no.run --preconditioner none", 1), 2);
    check(strstr(said, "--preconditioner none is not known") != NULL);
    expect_code(shell(MPIRUN "sinew-mpi walk", 1), 2);
}

// Nothing of a scene is passed over: it is served, or refused by name.
static void test_tables(void** state)
{
    (void)state;
    expect_code(shell(MPIRUN "mpi_processes --tables", 2), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parts_make_the_whole),
    cmocka_unit_test(test_same_minimiser),
    cmocka_unit_test(test_other_solvers),
    cmocka_unit_test(test_touch),
    cmocka_unit_test(test_touch_goes_on_with_others),
    cmocka_unit_test(test_loads_and_slides),
    cmocka_unit_test(test_cache),
    cmocka_unit_test(test_same_bits_again),
    cmocka_unit_test(test_integrators),
    cmocka_unit_test(test_goes_on_with_others),
    cmocka_unit_test(test_ledger),
    cmocka_unit_test(test_terminate),
    cmocka_unit_test(test_interrupt),
    cmocka_unit_test(test_pieces),
    cmocka_unit_test(test_refusals),
    cmocka_unit_test(test_tables),
};
RUN_TESTS(tests, begin, end)
