// Continuous collision detection where it is known how far a path leads.
#include "check.h"

#include "contact/ccd.h"
#include "core/pi.h"
#include "core/random.h"
#include "linalg/vec3.h"

static const double node_above[4][3] = {{0, 0, 1}, {-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}};
static const double edge_above[4][3] = {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}};

// The first element of a pair is moved, as it is.
static double shift(const double from[4][3], double x, double y, double z, double separation)
{
    bool edges = from == edge_above;
    double to[4][3];
    memcpy(to, from, sizeof to);
    for (int k = 0; k <= edges; k++) to[k][0] += x, to[k][1] += y, to[k][2] += z;
    return edges ? sn_ccd_edge_edge(from, to, separation) : sn_ccd_node_triangle(from, to, separation);
}

static void test_ccd_times(void** state)
{
    (void)state;
    const double(*pairs[])[3] = {node_above, edge_above};
    for (int k = 0; k < 2; k++) {
        check_near(shift(pairs[k], 0, 0, -2, 0), 0.9 / 2, 1e-12);
        check_near(shift(pairs[k], 0, 0, -2, 0.1), 0.9 * 0.9 / 2, 1e-12);
        check_near(shift(pairs[k], 0, 0, -2, 0.01), (1 - 0.01 - 0.1 * 0.1) / 2, 1e-12); // of ten separations
        check_near(shift(pairs[k], 1e-3, 1e-3, -2, 0.1), 0.9 * 0.9 / 2, 1e-12);
        check_near(shift(pairs[k], 0, 0, -2, 2), 0.9 * 0.5 / 2, 1e-12); // nearer than wanted: half of it is kept
        check(shift(pairs[k], 0, 0, -0.8, 0) == 1);
        check(shift(pairs[k], 0, 0, 3, 2) == 1);
        check(shift(pairs[k], 1000, 2000, -0.01, 0.9) == 1); // slides along
        check(shift(pairs[k], 10, 0, -2, 0) > 0.45);         // past the rim
        check(shift(pairs[k], 0, 0, 0, 1) == 1);
    }
}

// Pushed on again and again, a pair comes near, but never to the other side.
static void test_ccd_pushed_on(void** state)
{
    (void)state;
    SnRandom random = {3};
    for (int k = 0; k < 2000; k++) {
        bool edges = k % 2;
        double from[4][3], to[4][3], push[4][3], u[3], v[3], n[3], d[3];
        memcpy(from, edges ? edge_above : node_above, sizeof from);
        for (int i = 0; i < 12; i++) push[i / 3][i % 3] = sn_random_uniform(&random, -0.2, 0.2);
        for (int i = 0; i <= edges; i++) push[i][2] -= 1.5;
        for (int step = 0; step < 50; step++) {
            for (int i = 0; i < 12; i++) to[i / 3][i % 3] = from[i / 3][i % 3] + push[i / 3][i % 3];
            double t = edges ? sn_ccd_edge_edge(from, to, 0) : sn_ccd_node_triangle(from, to, 0);
            for (int i = 0; i < 12; i++) from[i / 3][i % 3] += t * (to[i / 3][i % 3] - from[i / 3][i % 3]);
        }
        sn_subtract3(from[edges ? 1 : 2], from[edges ? 0 : 1], u), sn_subtract3(from[3], from[edges ? 2 : 1], v);
        sn_cross3(u, v, n), sn_subtract3(from[0], from[edges ? 2 : 1], d);
        check(sn_dot3(d, n) > 0 && sn_dot3(d, n) < 1e-9 * sn_length3(n));
    }
}

// A point past a unit sphere at the origin.
typedef struct Flight {
    double from[3], to[3];
    int evaluations;
} Flight;

static double above_sphere(void* user, double t)
{
    Flight* f = user;
    double x[3];
    f->evaluations++;
    for (int c = 0; c < 3; c++) x[c] = f->from[c] + t * (f->to[c] - f->from[c]);
    return sn_length3(x) - 1;
}

static double fly(Flight* f, double separation)
{
    double speed = sn_distance3(f->from, f->to), time = sn_ccd_distance(above_sphere, f, speed, separation);
    check_near(sn_ccd_convex_distance(above_sphere, f, speed, separation), time, 0.02);
    return time;
}

static void test_ccd_distance(void** state)
{
    (void)state;
    check_near(fly(&(Flight){{3, 0, 0}, {-1, 0, 0}, 0}, 0), 0.9 * 2 / 4, 1e-12);
    check_near(fly(&(Flight){{3, 0, 0}, {-1, 0, 0}, 0}, 1), 0.9 * 1 / 4, 1e-12);
    check_near(fly(&(Flight){{3, 0, 0}, {-1, 0, 0}, 0}, 5), 0.9 * 1 / 4, 1e-12);
    check(fly(&(Flight){{3, 0, 0}, {3, 4, 0}, 0}, 1.5) == 1);
    check(fly(&(Flight){{3, 0, 0}, {3, 0, 0}, 0}, 1.5) == 1);
    check(fly(&(Flight){{-5, 1.5, 0}, {5, 1.5, 0}, 0}, 0.1) == 1); // past it
    double t = fly(&(Flight){{-5, 1.1, 0}, {5, 1.1, 0}, 0}, 0.2);  // too near
    check(t > 0.3 && t < 0.5 - sqrt(1.2 * 1.2 - 1.1 * 1.1) / 10);
    check(fly(&(Flight){{0, 0.5, 0}, {0, 2, 0}, 0}, 0.1) == 1); // out of it
    check(fly(&(Flight){{0, 1, 0}, {1, 2, 0}, 0}, 0.1) == 1);
    check(fly(&(Flight){{0, 1, 0}, {0, 1, 0}, 0}, 0.1) == 1);
    check(fly(&(Flight){{0, 1, 0}, {0, -2, 0}, 0}, 0.1) == 0); // through it
    check(fly(&(Flight){{0, 0.5, 0}, {0, 0.4, 0}, 0}, 0.1) == 0);
}

// Along a floor to a thin wall.
static double above_floor(void* user, double t)
{
    double height = *(double*)user;
    return fmin(height, fabs(t - 0.5) - 1e-3);
}

static void test_ccd_distance_to_wall(void** state)
{
    (void)state;
    double height[] = {0.05, 0.01, 1e-3};
    for (int k = 0; k < 3; k++) {
        double t = sn_ccd_distance(above_floor, &height[k], 1, 1e-4);
        check(t < 0.5 - 1e-3 - 1e-4);
        check(k == 2 || t > 0.498);
    }
}

// The least distance from the sphere up to time t.
static double least_above_sphere(const Flight* f, double t)
{
    double way[3];
    sn_subtract3(f->to, f->from, way);
    double lowest = fmin(fmax(-sn_dot3(f->from, way) / sn_dot3(way, way), 0), t);
    return above_sphere(&(Flight){{f->from[0], f->from[1], f->from[2]}, {f->to[0], f->to[1], f->to[2]}, 0}, lowest);
}

// Close by a sphere, from all sides: never too near, never stopped far from it, and soon decided.
static void test_ccd_convex_distance(void** state)
{
    (void)state;
    SnRandom random = {5};
    int ended = 0, evaluations = 0, count = 20000;
    for (int k = 0; k < count; k++) {
        Flight f = {0};
        double normal[3], tangent[3], speed = pow(10, sn_random_uniform(&random, -4, 1));
        for (int c = 0; c < 3; c++) normal[c] = sn_random_uniform(&random, -1, 1);
        sn_normalize3(normal), sn_across3(normal, tangent);
        double separation = 1e-4, height = separation * (1 + pow(10, sn_random_uniform(&random, -6, 2)));
        for (int c = 0; c < 3; c++) {
            f.from[c] = (1 + height) * normal[c];
            f.to[c] = f.from[c] + speed * (tangent[c] + sn_random_uniform(&random, -1e-2, 1e-2));
        }
        double t = sn_ccd_convex_distance(above_sphere, &f, sn_distance3(f.from, f.to), separation);
        double scale = fmin(height - separation, 10 * separation);
        check(least_above_sphere(&f, t) >= separation + 0.0999 * scale);
        check(t == 1 || above_sphere(&f, t) <= separation + 0.126 * scale);
        ended += t < 1, evaluations += f.evaluations;
    }
    check(ended > count / 10 && ended < count - count / 10);
    check(evaluations < 20 * count);
    print_message("%.1f evaluations per path, %d of %d ended\n", (double)evaluations / count, ended, count);
}

// What is not a number goes nowhere.
static void test_ccd_without_numbers(void** state)
{
    (void)state;
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < 2; k++) {
            double x[2][4][3], bad = k ? NAN : INFINITY;
            memcpy(x[0], node_above, sizeof x[0]), memcpy(x[1], node_above, sizeof x[1]);
            x[i / 12][i % 12 / 3][i % 3] = bad;
            check(sn_ccd_node_triangle(x[0], x[1], 0.1) == 0);
            check(sn_ccd_edge_edge(x[0], x[1], 0.1) == 0);
        }
    check(fly(&(Flight){{3, 0, 0}, {NAN, 0, 0}, 0}, 0.1) == 0);
    check(fly(&(Flight){{NAN, 0, 0}, {3, 0, 0}, 0}, 0.1) == 0);
}

// An edge rolls over another one by 60 degrees, a hundredth or a tenth of its length away from it, and never comes
// nearer than 0.8 of that: planes between them serve for small parts of the way only, but it may go all of it.
static void test_ccd_rolls_over(void** state)
{
    (void)state;
    for (double away = 0.01; away < 0.2; away *= 10) {
        double x[2][4][3] = {{{0}}}, half = SN_PI / 6;
        for (int end = 0; end < 2; end++) {
            double c = cos(half), s = end ? sin(half) : -sin(half);
            for (int k = 0; k < 2; k++) {
                x[end][k][1] = away * s + (k ? c : -c);
                x[end][k][2] = away * c - (k ? s : -s);
                x[end][k + 2][0] = k ? 1 : -1;
            }
        }
        check(sn_ccd_edge_edge(x[0], x[1], 0.1 * away) == 1);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ccd_rolls_over),       cmocka_unit_test(test_ccd_times),
    cmocka_unit_test(test_ccd_pushed_on),        cmocka_unit_test(test_ccd_distance),
    cmocka_unit_test(test_ccd_convex_distance),  cmocka_unit_test(test_ccd_without_numbers),
    cmocka_unit_test(test_ccd_distance_to_wall),
};
RUN_TESTS(tests, NULL, NULL)
