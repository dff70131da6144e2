// Meshes that no process has as a whole: read in slabs, dealt out, and written to the run file in pieces.
#include "shell.h"

// Two boxes with what scenes that are dealt out may have.
static const char boxes[] = "time: {step: 1/30, frames: 3}\n"
                            "contact: {bodies: false}\n"
                            "solver: {type: newton, tolerance: 1e-10}\n"
                            "bodies:\n"
                            "  - name: a\n"
                            "    mesh: {box: {size: [2, 1, 1], cells: [7, 3, 4]}}\n"
                            "    place: {fit: 3, rotate: [0, 0, 1, 10], move: [0, 1, 0]}\n"
                            "    start: {stretch: [1.1, 0.9, 1]}\n"
                            "    velocity: {angular: [1, 2, 0], linear: [0.1, 0, 0]}\n"
                            "    material: {type: neo-hookean, young: 5e5, poisson: 0.4, density: 1000}\n"
                            "    damping: [{type: rayleigh, beta: 0.01}]\n"
                            "  - name: b\n"
                            "    mesh: {box: {size: [1, 1, 1], cells: [3, 4, 5]}}\n"
                            "    place: {move: [5, 0.02, 0]}\n"
                            "    material: {type: fixed-corotated, young: 3e5, poisson: 0.3, density: 900}\n"
                            "obstacles: [{type: plane}, {type: sphere, centre: [5.5, 2, 0.5], radius: 0.2}]\n"
                            "handles:\n"
                            "  - {body: a, where: {x: [min, min+0.4]}, motion: {rotate: {axis: [1, 0, 0], rate: 60}}}\n"
                            "  - {body: b, where: {nodes: [0, 3, 119]}}\n"
                            "loads:\n"
                            "  - {body: b, where: {x: [max, max]}, pressure: 2e3}\n"
                            "  - {body: b, where: {z: [max, max]}, force: [10, 300, 500]}\n"
                            "  - {body: a, acceleration: [0, 0, 2]}\n";

// A bar of 4 x 2 x 2 cells in gmsh's format, with a group of triangles at one end, and tags that are in no order.
static void write_bar(const char* name, const char* held)
{
    static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    enum { X = 4, Y = 2, Z = 2, NODES = (X + 1) * (Y + 1) * (Z + 1) };
    char path[200];
    snprintf(path, sizeof path, "%s/%s.msh", folder, name);
    FILE* f = fopen(path, "w");
    assert_non_null(f);
#define NODE(i, j, k) (((i) * (Y + 1) + (j)) * (Z + 1) + (k))
#define TAG(n) ((n)*7 % NODES + 3)
    fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"%s\"\n3 9 \"all\"\n$EndPhysicalNames\n",
            held);
    fprintf(f, "$Nodes\n%d\n", NODES);
    for (int n = 0; n < NODES; n++) fprintf(f, "%d %g %g %g\n", TAG(n), n / 9 * 0.25, n / 3 % 3 * 0.25, n % 3 * 0.25);
    fprintf(f, "$EndNodes\n$Elements\n%d\n", 6 * X * Y * Z + 2 * Y * Z);
    for (int j = 0; j < Y; j++)
        for (int k = 0; k < Z; k++) {
            int a = NODE(0, j, k), b = NODE(0, j + 1, k), c = NODE(0, j + 1, k + 1), d = NODE(0, j, k + 1);
            fprintf(f, "1 2 2 7 1 %d %d %d\n1 2 2 7 1 %d %d %d\n", TAG(a), TAG(c), TAG(b), TAG(a), TAG(d), TAG(c));
        }
    for (int cell = 0; cell < X * Y * Z; cell++)
        for (int p = 0; p < 6; p++) {
            int at[3] = {cell / 4, cell / 2 % 2, cell % 2}, n[4] = {NODE(at[0], at[1], at[2])};
            for (int s = 0; s < 3; s++) at[paths[p][s]]++, n[s + 1] = NODE(at[0], at[1], at[2]);
            fprintf(f, "1 4 2 9 1 %d %d %d %d\n", TAG(n[0]), TAG(n[1]), TAG(n[p < 3 ? 2 : 3]), TAG(n[p < 3 ? 3 : 2]));
        }
    fprintf(f, "$EndElements\n");
    fclose(f);
}

static void write_bar_scene(const char* name, const char* mesh, const char* where)
{
    char text[600];
    snprintf(text, sizeof text,
             "time: {step: 1/30, frames: 2}\nsolver: {type: newton, tolerance: 1e-10}\nbodies:\n"
             "  - {name: bar, mesh: {file: %s}, material: {type: neo-hookean, young: 1e5, density: 1000}}\n"
             "handles: [{body: bar, where: %s}]\n",
             mesh, where);
    write_file(name, text);
}

static int begin(void** state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    write_file("boxes.yaml", boxes);
    write_bar("bar", "left");
    return 0;
}

static bool was_dealt(void)
{
    return strstr(said, "none of which had all of the mesh") != NULL;
}

static void test_same_objective(void** state)
{
    (void)state;
    write_bar_scene("bar.yaml", "bar.msh", "{group: left}");
    for (int n = 1; n <= 4; n++)
        for (int k = 0; k < 2; k++)
            expect_code(shell(MPIRUN "mpi_processes %s dealt", n, k ? "bar.yaml" : "boxes.yaml"), 0);
}

static void test_same_minimiser_of_boxes(void** state)
{
    (void)state;
    expect_code(shell(SINEW "run boxes.yaml -o one.run -q"), 0);
    for (int n = 1; n <= 4; n++) {
        expect_code(shell(MPIRUN "sinew-mpi run boxes.yaml -o some.run", n), 0);
        check(was_dealt());
        check(difference("one.run", "some.run") < 1e-5); // rubs nothing, but presses
    }
}

// Meshes, masses and surfaces as one process writes them; surfaces in another order.
static void test_same_meshes_in_the_run(void** state)
{
    (void)state;
    SnRunFile* runs[2];
    expect_code(shell(SINEW "run boxes.yaml -o one.run -q --frames 0"), 0);
    expect_code(shell(MPIRUN "sinew-mpi run boxes.yaml -o some.run -q --frames 0", 3), 0);
    for (int k = 0; k < 2; k++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s.run", folder, k ? "some" : "one");
        check_ok(sn_run_file_open(path, &runs[k]));
    }
    for (int b = 0; b < 2; b++) {
        const SnBodyInfo *one = &sn_run_file_bodies(runs[0])[b], *some = &sn_run_file_bodies(runs[1])[b];
        double areas[2][3] = {0}; // squared sums along the axes: each triangle once, wound alike
        assert_int_equal(one->node_count, some->node_count);
        assert_int_equal(one->tetrahedron_count, some->tetrahedron_count);
        assert_int_equal(one->surface_count, some->surface_count);
        assert_memory_equal(one->rest, some->rest, 3 * sizeof(double) * (size_t)one->node_count);
        assert_memory_equal(one->tetrahedra, some->tetrahedra, 4 * sizeof(int) * (size_t)one->tetrahedron_count);
        check(fabs(one->mass - some->mass) < 1e-12 * one->mass);
        for (int k = 0; k < 2; k++)
            for (int t = 0; t < one->surface_count; t++) {
                const int* c = (k ? some : one)->surface + 3 * t;
                const double *p = one->rest + 3 * c[0], *q = one->rest + 3 * c[1], *r = one->rest + 3 * c[2];
                for (int a = 0; a < 3; a++) {
                    int u = (a + 1) % 3, v = (a + 2) % 3;
                    double area = (q[u] - p[u]) * (r[v] - p[v]) - (q[v] - p[v]) * (r[u] - p[u]);
                    areas[k][a] += area * (p[a] + q[a] + r[a]); // six times the volume
                }
            }
        for (int a = 0; a < 3; a++) check(fabs(areas[0][a] - areas[1][a]) < 1e-12 * fabs(areas[0][a]));
    }
    for (int k = 0; k < 2; k++) sn_run_file_destroy(runs[k]);
}

static void test_formats(void** state)
{
    (void)state;
    expect_code(shell(SINEW "mesh convert bar.msh new.msh && " SINEW
                            "mesh convert bar.msh binary.msh --binary && " SINEW
                            "mesh convert bar.msh old.msh --binary --msh-version 2.2 && " SINEW
                            "mesh convert bar.msh bar.mesh && " SINEW "mesh convert bar.msh bar.ele"),
                0);
    static const char* const files[][2] = {{"bar.msh", "{group: left}"},    {"new.msh", "{group: left}"},
                                           {"binary.msh", "{group: left}"}, {"old.msh", "{group: left}"},
                                           {"bar.mesh", "{group: '7'}"},    {"bar.ele", "{x: [min, min]}"}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        write_bar_scene("bar.yaml", files[k][0], files[k][1]);
        expect_code(shell(SINEW "run bar.yaml -o one.run -q"), 0);
        expect_code(shell(MPIRUN "sinew-mpi run bar.yaml -o some.run", 3), 0);
        if (!was_dealt()) print_error("%s: %s\n", files[k][0], said);
        check(was_dealt());
        check(difference("one.run", "some.run") < 1e-7);
    }
}

static void test_same_bits(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        expect_code(shell(MPIRUN "sinew-mpi run boxes.yaml -o same%d.run -q --frames 2 --solver dot", 3, k), 0);
    assert_true(difference("same0.run", "same1.run") == 0);
}

// Triangles of surfaces are in the order of parts: PT-Scotch finds the same ones again.
static void test_same_parts(void** state)
{
    (void)state;
    SnRunFile* runs[2];
    write_file("cube.yaml", "time: {step: 1/60, frames: 0}\nbodies: [{mesh: {box: {cells: [24, 24, 24]}}}]\n");
    for (int k = 0; k < 2; k++) {
        char path[200];
        expect_code(shell(MPIRUN "sinew-mpi run cube.yaml -o parts%d.run -q", 3, k), 0);
        snprintf(path, sizeof path, "%s/parts%d.run", folder, k);
        check_ok(sn_run_file_open(path, &runs[k]));
    }
    const SnBodyInfo *a = sn_run_file_bodies(runs[0]), *b = sn_run_file_bodies(runs[1]);
    assert_int_equal(a->surface_count, 12 * 24 * 24);
    assert_memory_equal(a->surface, b->surface, 3 * sizeof(int) * (size_t)a->surface_count);
    for (int k = 0; k < 2; k++) sn_run_file_destroy(runs[k]);
}

// From three processes to two, to one that has the whole, and back; frames that are compressed on the way.
static void test_goes_on(void** state)
{
    (void)state;
    expect_code(shell(SINEW "run boxes.yaml -o one.run -q --frames 4 --integrator bdf2"), 0);
    expect_code(shell(MPIRUN "sinew-mpi run boxes.yaml -o some.run -q --frames 1 --integrator bdf2 "
                             "--set output.compress=true",
                      3),
                0);
    expect_code(shell(MPIRUN "sinew-mpi run boxes.yaml -o some.run -q --frames 2 --resume", 2), 0);
    expect_code(shell(SINEW "run boxes.yaml -o some.run -q --frames 3 --resume"), 0);
    expect_code(shell(MPIRUN "sinew-mpi run boxes.yaml -o some.run -q --frames 4 --resume", 4), 0);
    check(difference("one.run", "some.run") < 1e-5);
    expect_code(shell(MPIRUN "sinew-mpi run boxes.yaml -o some.run -q --frames 5 --resume "
                             "--set bodies.b.mesh.box.cells=[3,5,4]",
                      2),
                2);
    if (!strstr(said, "has another")) print_error("it said: %s\n", said);
    check(strstr(said, "has another") != NULL);
}

// What is wrong in a part is told by the first process, and ends all.
static void test_errors(void** state)
{
    (void)state;
    write_bar_scene("bar.yaml", "bar.msh", "{group: right}");
    expect_code(shell(MPIRUN "sinew-mpi run bar.yaml -o no.run", 3), 2);
    check(strstr(said, "'right'") != NULL);
    write_bar_scene("bar.yaml", "bar.msh", "{x: [5, 6]}");
    expect_code(shell(MPIRUN "sinew-mpi run bar.yaml -o no.run", 3), 2);
    check(strstr(said, "selects no node") != NULL);
    write_bar_scene("bar.yaml", "none.msh", "{x: [5, 6]}");
    expect_code(shell(MPIRUN "sinew-mpi run bar.yaml -o no.run", 3), 2);
    check(strstr(said, "none.msh") != NULL);
    // Two corners of the last element change places.
    expect_code(shell("awk '/EndElements/ { split(l, a, \" \"); l = a[1] \" \" a[2] \" \" a[3] \" \" a[4] \" \" a[5] "
                      "\" \" a[7] \" \" a[6] \" \" a[8] \" \" a[9] } { if (NR > 1) print l; l = $0 } END { print l }' "
                      "bar.msh > wrong.msh"),
                0);
    write_bar_scene("bar.yaml", "wrong.msh", "{group: left}");
    expect_code(shell(MPIRUN "sinew-mpi run bar.yaml -o no.run", 3), 2);
    if (!strstr(said, "1 inverted tetrahedron")) print_error("it said: %s\n", said);
    check(strstr(said, "1 inverted tetrahedron") != NULL && strstr(said, "95") != NULL);
}

// What needs more than parts is read as a whole: fewer elements than processes, a material that varies.
static void test_whole_where_it_must(void** state)
{
    (void)state;
    expect_code(shell(MPIRUN "sinew-mpi run boxes.yaml -o some.run --frames 1 --set bodies.b.start.shape=random "
                             "--set bodies.b.start.seed=1 --set solver.iterations=1",
                      2),
                0);
    check(!was_dealt());
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_same_objective),
    cmocka_unit_test(test_same_minimiser_of_boxes),
    cmocka_unit_test(test_same_meshes_in_the_run),
    cmocka_unit_test(test_formats),
    cmocka_unit_test(test_same_bits),
    cmocka_unit_test(test_same_parts),
    cmocka_unit_test(test_goes_on),
    cmocka_unit_test(test_errors),
    cmocka_unit_test(test_whole_where_it_must),
};
RUN_TESTS(tests, begin, end)
