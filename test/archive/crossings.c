// The checker of crossings is itself checked: signs against whole numbers, sweeps against straight paths, the grid
// against all pairs, surfaces and obstacles of run files against what is known of them.
#include "check.h"

#include <sqlite3.h>
#include <unistd.h>

#include "core/random.h"
#include "crossings_run.h"
#include "scene_run.h"

// --- signs ---

static __int128 whole_side(int64_t p[4][3])
{
    __int128 e[3][3];
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) e[i][c] = (__int128)p[i + 1][c] - p[0][c];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// Four points with whole coordinates; the last one in the plane of the others, or one off it.
static void flat_points(SnRandom* random, int off, int64_t p[4][3])
{
    int i = (int)sn_random_uniform(random, -3, 4), k = (int)sn_random_uniform(random, -3, 4);
    for (int n = 0; n < 3; n++)
        for (int c = 0; c < 3; c++) p[n][c] = (int64_t)sn_random_uniform(random, -3e10, 3e10);
    for (int c = 0; c < 3; c++) p[3][c] = p[0][c] + i * (p[1][c] - p[0][c]) + k * (p[2][c] - p[0][c]);
    p[3][2] += off;
}

static void test_signs_are_exact(void** state)
{
    (void)state;
    SnRandom random = {1};
    for (int n = 0; n < 60000; n++) {
        int64_t p[4][3];
        double x[4][3];
        flat_points(&random, n % 3 - 1, p);
        double scale = ldexp(1, n % 40 - 60);
        for (int i = 0; i < 12; i++) x[i / 3][i % 3] = (double)p[i / 3][i % 3] * scale;
        __int128 wanted = whole_side(p);
        assert_int_equal(crossing_side(x[0], x[1], x[2], x[3]), (wanted > 0) - (wanted < 0));
    }
}

static void test_edge_and_triangle(void** state)
{
    (void)state;
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0};
    const double* const triangle[3] = {a, b, c};
    static const struct {
        double p[3], q[3];
        Crossing wanted;
    } rows[] = {
        {{0.2, 0.2, -1}, {0.3, 0.3, 1}, CROSSING_YES},
        {{0.2, 0.2, 1e-300}, {0.2, 0.2, -1e-300}, CROSSING_YES},
        {{0.2, 0.2, 0.1}, {0.3, 0.3, 1}, CROSSING_NOT},
        {{0.8, 0.8, -1}, {0.8, 0.8, 1}, CROSSING_NOT},
        {{0.2, 0.2, 0}, {0.2, 0.2, 1}, CROSSING_TOUCH}, // ends in it
        {{0.5, 0, -1}, {0.5, 0, 1}, CROSSING_TOUCH},    // through its side
        {{0, 0, -1}, {0, 0, 1}, CROSSING_TOUCH},        // through a corner
        {{-1, 0.2, 0}, {1, 0.2, 0}, CROSSING_NOT},      // within its plane
        {{0.5, -1e-17, -1}, {0.5, -1e-17, 1}, CROSSING_NOT},
        {{0.5, 1e-17, -1}, {0.5, 1e-17, 1}, CROSSING_YES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(crossing_edge_triangle(rows[i].p, rows[i].q, triangle), rows[i].wanted);
        assert_int_equal(crossing_edge_triangle(rows[i].q, rows[i].p, triangle), rows[i].wanted);
    }
}

// --- sweeps ---

static void random_points(SnRandom* random, double x[4][3])
{
    for (int i = 0; i < 12; i++) x[i / 3][i % 3] = sn_random_uniform(random, -1, 1);
}

static Crossing sweep(Crossing (*test)(const double* const*, const double* const*), double before[4][3],
                      double after[4][3])
{
    const double *a[4], *b[4];
    for (int i = 0; i < 4; i++) a[i] = before[i], b[i] = after[i];
    return test(a, b);
}

// A node that goes past a triangle, both carried along by the same motion, crosses where its path does.
static void test_swept_node(void** state)
{
    (void)state;
    SnRandom random = {2};
    int crossings = 0;
    for (int n = 0; n < 20000; n++) {
        double x[4][3], y[4][3], to[3], shift[3];
        random_points(&random, x);
        for (int c = 0; c < 3; c++) {
            to[c] = sn_random_uniform(&random, -1, 1);
            shift[c] = n % 2 ? sn_random_uniform(&random, -5, 5) : 0;
            for (int i = 0; i < 4; i++) y[i][c] = (i == 0 ? to[c] : x[i][c]) + shift[c];
        }
        Crossing wanted = crossing_edge_triangle(x[0], to, (const double* const[]){x[1], x[2], x[3]});
        assert_int_equal(sweep(crossing_swept_node, x, y), wanted);
        assert_int_equal(sweep(crossing_swept_node, y, x), wanted);
        crossings += wanted == CROSSING_YES;
    }
    check(crossings > 500);
}

// An edge that is shifted past another one crosses it where that one goes through the parallelogram it sweeps.
static void test_swept_edges(void** state)
{
    (void)state;
    SnRandom random = {3};
    int crossings = 0;
    for (int n = 0; n < 20000; n++) {
        double x[4][3], y[4][3];
        random_points(&random, x);
        memcpy(y, x, sizeof x);
        for (int c = 0; c < 3; c++) {
            double by = sn_random_uniform(&random, -1, 1), all = n % 2 ? sn_random_uniform(&random, -5, 5) : 0;
            for (int i = 0; i < 4; i++) y[i][c] += all + (i < 2 ? by : 0);
        }
        double z[4][3]; // where the edge ends up, were the other one at rest
        for (int i = 0; i < 12; i++) z[i / 3][i % 3] = y[i / 3][i % 3] - (y[2][i % 3] - x[2][i % 3]);
        Crossing one = crossing_edge_triangle(x[2], x[3], (const double* const[]){x[0], x[1], z[0]});
        Crossing two = crossing_edge_triangle(x[2], x[3], (const double* const[]){x[1], z[1], z[0]});
        Crossing wanted = one > two ? one : two;
        assert_int_equal(sweep(crossing_swept_edges, x, y), wanted);
        crossings += wanted == CROSSING_YES;
    }
    check(crossings > 500);
}

static void test_sweeps_that_touch(void** state)
{
    (void)state;
    double node[4][3] = {{0.2, 0.2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, at[4][3], past[4][3];
    memcpy(at, node, sizeof node);
    memcpy(past, node, sizeof node);
    at[0][2] = 0;
    past[0][0] = 0.8, past[0][1] = 0.8, past[0][2] = -0.1;
    assert_int_equal(sweep(crossing_swept_node, node, at), CROSSING_TOUCH);
    assert_int_equal(sweep(crossing_swept_node, node, node), CROSSING_NOT);
    assert_int_equal(sweep(crossing_swept_node, node, past), CROSSING_NOT); // comes down beside it
    // There and back again within one sweep: the triangle turns over while the node stays where it was.
    double flip[4][3] = {{0.2, 0.2, 0.05}, {0, 0, 1}, {1, 0, -1}, {0, 1, -1}};
    memcpy(at, flip, sizeof flip);
    for (int i = 1; i < 4; i++) at[i][2] *= -1;
    check(sweep(crossing_swept_node, flip, at) == CROSSING_YES);
    // Edges side by side that slide along each other.
    double slide[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0.1}, {1, 0, 0.1}};
    memcpy(at, slide, sizeof slide);
    at[0][0] += 0.5, at[1][0] += 0.5;
    assert_int_equal(sweep(crossing_swept_edges, slide, at), CROSSING_NOT);
}

static void make_ring(int count, double radius, double wave, const double centre[3], int up, double* x)
{
    for (int i = 0; i < count; i++) {
        double angle = 2 * 3.14159265358979 * i / count;
        x[3 * i + up] = centre[up] + wave * sin(3 * angle);
        x[3 * i + (up + 1) % 3] = centre[(up + 1) % 3] + radius * cos(angle);
        x[3 * i + (up + 2) % 3] = centre[(up + 2) % 3] + radius * sin(angle);
    }
}

static void test_linking(void** state)
{
    (void)state;
    enum { N = 20 };
    double a[3 * N], b[3 * N], twice[6 * N];
    make_ring(N, 1, 0.1, (const double[]){0, 0, 0}, 2, a);
    make_ring(N, 1, 0.2, (const double[]){1, 0, 0}, 1, b);
    assert_int_equal(abs(crossing_linking(N, a, N, b)), 1);
    for (int i = 0; i < 2 * N; i++)
        for (int c = 0; c < 3; c++) twice[3 * i + c] = b[3 * (i % N) + c];
    assert_int_equal(abs(crossing_linking(N, a, 2 * N, twice)), 2);
    for (int i = 0; i < N; i++) b[3 * i] += 1.1;
    assert_int_equal(crossing_linking(N, a, N, b), 0);
}

// --- surfaces ---

enum { SOUP = 400 };

// Triangles anywhere, of three bodies, the last of which is an obstacle.
static void make_soup(CrossingSurface* s, double* x, double size, uint64_t seed)
{
    SnRandom random = {seed};
    *s = (CrossingSurface){.node_count = 3 * SOUP, .triangle_count = SOUP, .bodies = 2};
    s->triangles = malloc(3 * SOUP * sizeof(int));
    s->part = malloc(3 * SOUP * sizeof(int));
    check(s->triangles && s->part);
    for (int i = 0; i < 3 * SOUP; i++) {
        s->triangles[i] = i;
        s->part[i] = i / 3 % 3;
        for (int c = 0; c < 3; c++)
            x[3 * i + c] = i % 3 ? x[3 * (i - i % 3) + c] + sn_random_uniform(&random, -size, size)
                                 : sn_random_uniform(&random, 0, 1);
    }
    check(crossing_add_edges(s));
    assert_int_equal(s->edge_count, 3 * SOUP);
}

static void test_grid_sees_all_pairs(void** state)
{
    (void)state;
    static double x[9 * SOUP];
    for (int n = 0; n < 4; n++) {
        CrossingSurface s;
        CrossingCount count;
        make_soup(&s, x, 0.1 + 0.1 * n, (uint64_t)n);
        if (n == 3) x[3] = 50; // one box is as large as all the others together
        check(crossing_count(&s, x, &count));
        int64_t self = 0, others = 0;
        for (int e = 0; e < s.edge_count; e++)
            for (int t = 0; t < SOUP; t++) {
                const int *edge = s.edges + 2 * e, a = s.part[edge[0]], b = s.part[3 * t];
                if (edge[0] / 3 == t || (a == 2 && b == 2)) continue;
                const double* const triangle[3] = {x + 9 * t, x + 9 * t + 3, x + 9 * t + 6};
                if (crossing_edge_triangle(x + 3 * edge[0], x + 3 * edge[1], triangle) != CROSSING_YES) continue;
                *(a == b ? &self : &others) += 1;
            }
        assert_int_equal(count.self, self);
        assert_int_equal(count.others, others);
        check(self > 10 && count.example[0] >= 0 && count.touching == 0);
        crossing_free(&s);
    }
}

static void test_sweep_sees_all_pairs(void** state)
{
    (void)state;
    static double x[9 * SOUP], y[9 * SOUP];
    CrossingSurface s, other;
    CrossingCount count;
    make_soup(&s, x, 0.1, 7);
    make_soup(&other, y, 0.1, 8);
    for (int i = 0; i < 9 * SOUP; i++) y[i] = x[i] + 0.2 * (y[i] - x[i]);
    check(crossing_count_swept(&s, x, y, &count));
    int64_t sum = 0;
    for (int n = 0; n < s.node_count; n++)
        for (int t = 0; t < SOUP; t++) {
            const int nodes[4] = {n, 3 * t, 3 * t + 1, 3 * t + 2};
            const double *a[4], *b[4];
            for (int i = 0; i < 4; i++) a[i] = x + 3 * nodes[i], b[i] = y + 3 * nodes[i];
            if (n / 3 == t || (s.part[n] == 2 && s.part[3 * t] == 2)) continue;
            sum += crossing_swept_node(a, b) == CROSSING_YES;
        }
    for (int e = 0; e < s.edge_count; e++)
        for (int f = 0; f < e; f++) {
            const int *p = s.edges + 2 * e, *q = s.edges + 2 * f;
            const int nodes[4] = {p[0], p[1], q[0], q[1]};
            const double *a[4], *b[4];
            for (int i = 0; i < 4; i++) a[i] = x + 3 * nodes[i], b[i] = y + 3 * nodes[i];
            if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
            if (s.part[p[0]] == 2 && s.part[q[0]] == 2) continue;
            sum += crossing_swept_edges(a, b) == CROSSING_YES;
        }
    assert_int_equal(count.self + count.others, sum);
    check(sum > 100);
    crossing_free(&s);
    crossing_free(&other);
}

// --- run files ---

// A rope with a node 1 m along it, which starts 0.1 m deep in an obstacle; the obstacle moves away in x.
static void test_depths(void** state)
{
    (void)state;
    static const char* const obstacles[] = {
        "{type: plane, point: [0.9, 3, 3], normal: [-2, 0, 0], motion: {velocity: [1, 0, 0]}}",
        "{type: sphere, centre: [1.4, 0, 0], radius: 0.5, motion: {velocity: [1, 0, 0]}}",
        "{type: capsule, from: [1.2, 0, -1], to: [1.2, 0, 2], radius: 0.3, motion: {velocity: [1, 0, 0]}}",
        "{type: capsule, from: [1.2, 0, 0], to: [3, 0, 0], radius: 0.3, motion: {velocity: [1, 0, 0]}}",
        "{type: cylinder, from: [1.2, 0, -1], to: [1.2, 0, 2], radius: 0.3, motion: {velocity: [1, 0, 0]}}",
        "{type: cylinder, from: [0.9, 0, 0], to: [3, 0, 0], radius: 0.3, motion: {velocity: [1, 0, 0]}}",
        "{type: box, centre: [1.9, 0, 0], size: [4, 2, 3], rotate: [0, 0, 1, 90], motion: {velocity: [1, 0, 0]}}",
        "{type: torus, centre: [2.2, 0, 0], radius: 1, tube: 0.3, axis: [0, 0, 3], motion: {velocity: [1, 0, 0]}}",
    };
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++) {
        char text[600];
        CrossingRun run;
        CrossingDepth depth;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\ntime: {step: 0.01}\nbodies: [{mesh: {rope: {length: 1, cells: 2}}}]\n"
                 "handles: [{body: 0, where: all}]\nobstacles: [%s]\n",
                 obstacles[i]);
        write_run(text, 12, "depths.run");
        check_ok(crossing_run_open("depths.run", &run));
        for (int frame = 0; frame <= 12; frame++) {
            check_ok(crossing_run_read(&run, frame));
            check_ok(crossing_run_depth(&run, frame, &depth));
            check_near(depth.depth, fmax(0.1 - 0.01 * frame, 0), 1e-12);
            if (frame != 10) assert_int_equal(depth.nodes, frame < 10); // there it just touches
        }
        crossing_run_close(&run);
    }
}

// A ball inside a ball, and outside it; a sheet has no inside.
static void test_nested(void** state)
{
    (void)state;
    static const struct {
        const char *mesh, *place;
        int wanted;
    } rows[] = {
        {"{sphere: {radius: 0.2, cells: 2}}", "[0.1, 0.2, 0]", 1},
        {"{sphere: {radius: 0.2, cells: 2}}", "[0.7, 0.7, 0.7]", 0}, // in the corner of the box around it
        {"{rope: {length: 0.1}}", "[0.1, 0.2, 0]", 1},
        {"{sphere: {radius: 3, cells: 3}}", "[0, 0, 0]", 1},
        {"{cloth: {size: [6, 6], cells: [2, 2]}}", "[-3, 2, -3]", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        CrossingRun run;
        int64_t pairs;
        snprintf(text, sizeof text, "bodies: [{mesh: {sphere: {radius: 1}}}, {mesh: %s, place: {move: %s}}]\n",
                 rows[i].mesh, rows[i].place);
        write_run(text, 0, "surfaces.run");
        check_ok(crossing_run_open("surfaces.run", &run));
        check_ok(crossing_run_read(&run, 0));
        check(crossing_count_nested(&run.surface, run.x, &pairs));
        assert_int_equal(pairs, rows[i].wanted);
        crossing_run_close(&run);
    }
}

// A sheet is carried through a ball that it does not touch, and a rope through the sheet's hem.
static void test_surfaces_of_a_run(void** state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\ntime: {step: 0.1}\n"
        "bodies:\n"
        "  - {name: sheet, mesh: {cloth: {size: [1, 1], cells: [8, 8]}}, place: {move: [-0.5, 0, -0.5]}}\n"
        "  - {name: rope, mesh: {rope: {length: 0.4, cells: 3}}, place: {move: [0.31, 0.25, 0.03]}}\n"
        "  - {name: ball, mesh: {sphere: {radius: 0.2, cells: 3}}, place: {move: [0.013, 0.75, 0.017]}}\n"
        "handles:\n"
        "  - {body: sheet, where: all, motion: {velocity: [0, 1, 0]}}\n"
        "  - {body: rope, where: all}\n"
        "  - {body: ball, where: all}\n"
        "obstacles:\n"
        "  - {type: mesh, mesh: {sphere: {radius: 0.2, cells: 3}}, place: {move: [5, 5, 5]}}\n";
    CrossingRun run;
    CrossingCount now, way;
    write_run(text, 12, "surfaces.run");
    check_ok(crossing_run_open("surfaces.run", &run));
    assert_int_equal(run.surface.bodies, 3);
    for (int frame = 0; frame <= 12; frame++) {
        check_ok(crossing_run_read(&run, frame));
        check(crossing_count(&run.surface, run.x, &now));
        bool inside = frame >= 6 && frame <= 9; // 0.55 to 0.95 m up
        check((now.others > 0) == inside && now.self == 0);
        if (frame == 0) continue;
        check(crossing_count_swept(&run.surface, run.before, run.x, &way));
        // The rope is passed from frame 2 to 3, by its edges and nodes; nothing else is met before the ball.
        check((way.others > 0) == (frame == 3 || (frame >= 6 && frame <= 10)) && way.self == 0);
        bool straight;
        check_ok(crossing_run_straight(&run, &straight));
        check(straight);
    }
    crossing_run_close(&run);
}

// Ways are straight where one step that was not taken in parts is between two frames.
static void test_ways_in_parts(void** state)
{
    (void)state;
    static const struct {
        int frame;
        bool straight;
    } rows[] = {{1, true}, {2, false}, {3, true}, {5, false}};
    CrossingRun run;
    bool straight;
    write_run("bodies: [{mesh: {rope: {length: 1, cells: 2}}}]\n", 5, "surfaces.run");
    sqlite3* db; // the second of five in parts
    assert_int_equal(sqlite3_open("surfaces.run", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE step SET parts = 3 WHERE step = 2", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    check_ok(crossing_run_open("surfaces.run", &run));
    check_ok(crossing_run_read(&run, 0));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_ok(crossing_run_read(&run, rows[i].frame));
        check_ok(crossing_run_straight(&run, &straight));
        check(straight == rows[i].straight);
    }
    crossing_run_close(&run);
}

static char folder[] = "/tmp/sinew-crossings-XXXXXX";

static int set_up(void** state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void** state)
{
    (void)state;
    unlink("depths.run");
    unlink("surfaces.run");
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_signs_are_exact),
    cmocka_unit_test(test_edge_and_triangle),
    cmocka_unit_test(test_swept_node),
    cmocka_unit_test(test_swept_edges),
    cmocka_unit_test(test_sweeps_that_touch),
    cmocka_unit_test(test_linking),
    cmocka_unit_test(test_grid_sees_all_pairs),
    cmocka_unit_test(test_sweep_sees_all_pairs),
    cmocka_unit_test(test_nested),
    cmocka_unit_test(test_depths),
    cmocka_unit_test(test_surfaces_of_a_run),
    cmocka_unit_test(test_ways_in_parts),
};

RUN_TESTS(tests, set_up, tear_down)
