// Contacts: what is found, and how far everything may go.
#include "check.h"

#include <math.h>
#include <string.h>

#include "contact/contacts.h"
#include "crossings.h"

enum { SIDE = 5, NODES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

// A square sheet of 1 m at a height.
typedef struct Sheet {
    double x[3 * NODES];
    int triangles[3 * TRIANGLES];
} Sheet;

static void make_sheet(double height, Sheet* s)
{
    int* t = s->triangles;
    for (int i = 0; i < NODES; i++) {
        s->x[3 * i] = (i % SIDE) / (SIDE - 1.0), s->x[3 * i + 2] = (double)(i / SIDE) / (SIDE - 1.0);
        s->x[3 * i + 1] = height;
    }
    for (int j = 0; j + 1 < SIDE; j++)
        for (int i = 0; i + 1 < SIDE; i++) {
            int a = j * SIDE + i, b = a + 1, c = a + SIDE, d = c + 1;
            *t++ = a, *t++ = b, *t++ = d, *t++ = a, *t++ = d, *t++ = c;
        }
}

static const int all_free[2 * NODES]; // row 0 each: none is held
static const double thickness = 0.01;

typedef struct Found {
    int count;
    SnContact items[1000];
} Found;

static SnStatus add(void* user, const SnContact* contact)
{
    Found* f = user;
    check(f->count < 1000);
    f->items[f->count++] = *contact;
    return SN_OK;
}

static SnContacts* two_sheets(Sheet sheets[2], int obstacle_count, const SnObstacle* obstacles)
{
    SnContactBody bodies[2];
    SnContacts* contacts;
    for (int b = 0; b < 2; b++) {
        make_sheet(0.1 * b, &sheets[b]);
        bodies[b] = (SnContactBody){.first_node = b * NODES,
                                    .node_count = NODES,
                                    .rest = sheets[b].x,
                                    .surface_count = TRIANGLES,
                                    .surface = sheets[b].triangles,
                                    .self = true,
                                    .thickness = thickness};
    }
    SnContactOptions options = {.push = 1};
    check_ok(sn_contacts_create(2, bodies, obstacle_count, obstacles, &options, NULL, &contacts));
    return contacts;
}

// How far nodes go: each as far as it may go, or all as far as the first that is stopped.
static void ways_of(const SnContacts* c, bool together, double ways[2 * NODES + 1])
{
    double least = 1;
    for (int i = 0; i <= 2 * NODES; i++) least = fmin(least, sn_contacts_first_hit(c, i));
    for (int i = 0; i <= 2 * NODES; i++) ways[i] = together ? least : sn_contacts_way(c, i);
}

static double lowest(const double* x)
{
    double least = INFINITY;
    for (int i = 0; i < NODES; i++) least = fmin(least, x[3 * i + 1]);
    return least;
}

// Where all nodes of each sheet are to go equally far they do, and stay apart; looking alone finds what is in the way
// and shortens no way again.
static void check_goings(SnContacts* c, double* there)
{
    int group[2 * NODES];
    double least[2], ways[2 * NODES + 1];
    SnAdvance way;
    for (int i = 0; i < 2 * NODES; i++) group[i] = i / NODES;
    check_ok(sn_contacts_advance(c, &(SnGoing){.group_count = 2, .group = group, .least = least}, &way));
    check(!way.whole && way.stopped >= NODES);
    ways_of(c, false, ways);
    for (int i = 0; i < 2 * NODES; i++) check(ways[i] == ways[i / NODES * NODES] && (i < NODES || ways[i] < 0.3));
    sn_contacts_ahead(c, ways, there);
    check(lowest(there + 3 * NODES) > 0.1 * thickness && lowest(there + 3 * NODES) < 0.1);
    check_ok(sn_contacts_advance(c, &(SnGoing){.looks = true}, &way));
    check(!way.whole && way.stopped >= NODES);
}

// A sheet that is to go through another stays above it, at a distance, and what stopped it is told; going along with it
// nothing is in the way.
static void test_sheets_stop(void** state)
{
    (void)state;
    Sheet sheets[2];
    double x[6 * NODES], aim[6 * NODES], there[6 * NODES], ways[2 * NODES + 1];
    SnContacts* c = two_sheets(sheets, 0, NULL);
    SnAdvance way;
    Found found = {0};
    for (int k = 0; k < 6 * NODES; k++) x[k] = sheets[k / (3 * NODES)].x[k % (3 * NODES)];
    for (int k = 0; k < 6 * NODES; k++) aim[k] = x[k] - (k % 3 == 1 && k >= 3 * NODES ? 0.5 : 0);
    sn_contacts_begin(c, x, all_free, 0.01);
    check_ok(sn_contacts_aim(c, aim));
    check_ok(sn_contacts_advance(c, NULL, &way));
    check(!way.whole && way.stopped >= NODES);
    for (int together = 0; together < 2; together++) {
        ways_of(c, together, ways);
        sn_contacts_ahead(c, ways, there);
        check(lowest(there + 3 * NODES) > 0.1 * thickness && lowest(there + 3 * NODES) < 0.1);
    }
    check_goings(c, there);
    check_ok(sn_contacts_collect(c, add, &found));
    check(found.count > 0);
    for (int i = 0; i < found.count; i++) {
        const SnContact* contact = &found.items[i];
        check_near(fabs(contact->at.normal[1]), 1, 1e-9);
        check(sn_stencil_gap(&contact->at, aim) < -0.3); // where it would be is behind the plane
        check(sn_stencil_gap(&contact->at, x) > 0.08);   // where it is is in front
    }
    for (int k = 0; k < 6 * NODES; k++) aim[k] = x[k] - (k % 3 == 1 ? 0.5 : 0);
    check_ok(sn_contacts_aim(c, aim));
    check_ok(sn_contacts_advance(c, NULL, &way));
    check(way.whole && way.stopped == 0);
    sn_contacts_destroy(c);
}

static CrossingSurface both_surfaces(const Sheet sheets[2])
{
    CrossingSurface s = {.node_count = 2 * NODES, .triangle_count = 2 * TRIANGLES, .bodies = 2};
    s.triangles = malloc(6 * TRIANGLES * sizeof *s.triangles), s.part = malloc(2 * NODES * sizeof *s.part);
    assert_true(s.triangles && s.part);
    for (int k = 0; k < 6 * TRIANGLES; k++)
        s.triangles[k] = sheets[0].triangles[k % (3 * TRIANGLES)] + (k < 3 * TRIANGLES ? 0 : NODES);
    for (int i = 0; i < 2 * NODES; i++) s.part[i] = i / NODES;
    check(crossing_add_edges(&s));
    return s;
}

// Wherever nodes are to go, nobody crosses anything where they get to, each on his own or all together.
static void test_random_aims(void** state)
{
    (void)state;
    Sheet sheets[2];
    double x[6 * NODES], aim[6 * NODES], there[6 * NODES], ways[2 * NODES + 1];
    int stopped = 0;
    SnContacts* c = two_sheets(sheets, 0, NULL);
    for (int k = 0; k < 6 * NODES; k++) x[k] = sheets[k / (3 * NODES)].x[k % (3 * NODES)];
    CrossingSurface surface = both_surfaces(sheets);
    unsigned seed = 1;
    for (int round = 0; round < 60; round++) {
        SnAdvance way;
        for (int k = 0; k < 6 * NODES; k++) {
            seed = seed * 1664525u + 1013904223u;
            aim[k] = x[k] + 0.4 * (seed / 4294967296.0 - 0.5);
        }
        sn_contacts_begin(c, x, all_free, 0.01);
        check_ok(sn_contacts_aim(c, aim));
        check_ok(sn_contacts_advance(c, NULL, &way));
        stopped += way.stopped;
        for (int together = 0; together < 2; together++) {
            ways_of(c, together, ways);
            sn_contacts_ahead(c, ways, there);
            CrossingCount count;
            check(crossing_count(&surface, there, &count));
            check(count.self + count.others == 0);
        }
        ways_of(c, round % 2, ways);
        sn_contacts_set_ways(c, ways);
        sn_contacts_take(c);
        memcpy(x, sn_contacts_safe(c), sizeof x);
    }
    check(stopped > 100);
    crossing_free(&surface);
    sn_contacts_destroy(c);
}

// A plane that comes up against a sheet whose nodes cannot get out of its way is held up, and goes all the way where
// they can.
static void test_obstacle_is_held_up(void** state)
{
    (void)state;
    SnObstacleShape shape = sn_obstacle("plane");
    SnObstacle plane;
    check_ok(sn_obstacle_create(&plane, &shape));
    plane.thickness = thickness;
    SnPose before = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .shift = {0, -0.1, 0}}, now = before;
    now.shift[1] = 0.2;
    sn_obstacle_place(&plane, &before, &now, 0, 0.01);
    Sheet sheets[2];
    double x[6 * NODES], aim[6 * NODES];
    SnContacts* c = two_sheets(sheets, 1, &plane);
    SnAdvance way;
    for (int k = 0; k < 6 * NODES; k++) x[k] = sheets[k / (3 * NODES)].x[k % (3 * NODES)];
    for (int lift = 0; lift < 2; lift++) {
        for (int k = 0; k < 6 * NODES; k++) aim[k] = x[k] + (k % 3 == 1 ? 0.5 * lift : 0);
        sn_contacts_begin(c, x, all_free, 0.01);
        check_ok(sn_contacts_aim(c, aim));
        check_ok(sn_contacts_advance(c, NULL, &way));
        sn_contacts_take(c);
        check(way.whole == lift);
        double plane_at = -0.1 + 0.3 * sn_contacts_scene(c);
        check(lowest(sn_contacts_safe(c)) > plane_at + 0.05 * thickness);
        check(sn_contacts_scene(c) == lift); // obstacles go by whole steps
    }
    sn_contacts_destroy(c);
    sn_obstacle_destroy(&plane);
}

// Two sheets that go along with each other, of which the lower one is stopped: the upper one is, too.
static void test_what_goes_along_is_stopped(void** state)
{
    (void)state;
    SnObstacleShape shape = sn_obstacle("plane");
    SnObstacle plane;
    shape.point[1] = -0.05;
    check_ok(sn_obstacle_create(&plane, &shape));
    plane.thickness = thickness;
    SnPose still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    sn_obstacle_place(&plane, &still, &still, 0, 0.01);
    Sheet sheets[2];
    double x[6 * NODES], aim[6 * NODES], there[6 * NODES], ways[2 * NODES + 1];
    SnContacts* c = two_sheets(sheets, 1, &plane);
    SnAdvance way;
    for (int k = 0; k < 6 * NODES; k++) x[k] = sheets[k / (3 * NODES)].x[k % (3 * NODES)];
    for (int k = 0; k < 6 * NODES; k++) aim[k] = x[k] - (k % 3 == 1 ? 0.5 : 0);
    sn_contacts_begin(c, x, all_free, 0.01);
    check_ok(sn_contacts_aim(c, aim));
    check_ok(sn_contacts_advance(c, NULL, &way));
    check(!way.whole && way.stopped == 2 * NODES);
    for (int together = 0; together < 2; together++) {
        ways_of(c, together, ways);
        sn_contacts_ahead(c, ways, there);
        check(lowest(there) > -0.05 && lowest(there) < 0);
        for (int i = 0; i < NODES; i++) check(there[3 * (NODES + i) + 1] > there[3 * i + 1] + 0.1 * thickness);
    }
    sn_contacts_destroy(c);
    sn_obstacle_destroy(&plane);
}

// Whatever the order of their corners, elements that share what is nearest make one contact: a node above the edge of
// two triangles, above a corner of many, and two nodes that are nearest to each other.
static void test_keys_of_what_is_shared(void** state)
{
    (void)state;
    static const double roof[5][3] = {{-1, -0.3, 0}, {0, 0, -1}, {0, 0, 1}, {1, -0.3, 0}, {0, 0, 0}};
    static const int orders[4][6] = {{0, 1, 2, 1, 3, 2}, {0, 1, 2, 3, 2, 1}, {2, 0, 1, 2, 1, 3}, {1, 2, 0, 2, 1, 3}};
    int64_t key = 0;
    for (int k = 0; k < 4; k++) {
        // A roof with an edge, and above it the tip of a second one, upside down.
        double x[3 * 7], rest[3 * 7];
        for (int i = 0; i < 12; i++) x[i] = roof[i / 3][i % 3];
        static const double tip[3][3] = {{0.01, 0.009, 0.1}, {0.3, 1, 0.1}, {-0.3, 1, 0.2}};
        for (int i = 0; i < 9; i++) x[12 + i] = tip[i / 3][i % 3];
        memcpy(rest, x, sizeof rest);
        const int triangle[3] = {0, 1, 2};
        SnContactBody bodies[2] = {{.node_count = 4, .rest = rest, .surface_count = 2, .surface = orders[k]},
                                   {.first_node = 4, .node_count = 3, .rest = rest + 12, .surface_count = 1}};
        bodies[1].surface = triangle, bodies[0].thickness = bodies[1].thickness = thickness;
        SnContactOptions options = {.push = 1};
        SnContacts* c;
        Found found = {0};
        check_ok(sn_contacts_create(2, bodies, 0, NULL, &options, NULL, &c));
        x[12] = 0; // right above the edge: of both triangles that is nearest
        sn_contacts_begin(c, x, all_free, 0.01);
        check_ok(sn_contacts_aim(c, x));
        check_ok(sn_contacts_collect(c, add, &found));
        check(found.count >= 1);
        for (int i = 0; i < found.count; i++) check(found.items[i].key == found.items[0].key);
        check_near(found.items[0].at.normal[1], 1, 1e-12);
        check(k == 0 || found.items[0].key == key);
        key = found.items[0].key;
        sn_contacts_destroy(c);
    }
}

// Two tips: each node is nearest to the other's triangle at its node, and the two contacts are one.
static void test_key_of_two_nodes(void** state)
{
    (void)state;
    static const double x[6][3] = {{0, 0, 0},         {1, -1, 0.1},  {-1, -1, 0.2},
                                   {0, 0.009, 0.001}, {0.1, 1, 0.9}, {0.2, 1, -1}};
    static const int triangle[3] = {0, 1, 2};
    SnContactBody bodies[2];
    for (int b = 0; b < 2; b++)
        bodies[b] = (SnContactBody){.first_node = 3 * b,
                                    .node_count = 3,
                                    .rest = x[3 * b],
                                    .surface_count = 1,
                                    .surface = triangle,
                                    .thickness = thickness};
    SnContactOptions options = {.push = 1};
    SnContacts* c;
    Found found = {0};
    check_ok(sn_contacts_create(2, bodies, 0, NULL, &options, NULL, &c));
    sn_contacts_begin(c, x[0], all_free, 0.01);
    check_ok(sn_contacts_aim(c, x[0]));
    check_ok(sn_contacts_collect(c, add, &found));
    check(found.count == 2);
    for (int i = 0; i < 2; i++) {
        check(found.items[i].key == found.items[0].key && found.items[i].place == found.items[0].place);
        check(found.items[i].owner == 0 && found.items[i].target == 1);
        check(found.items[i].at.normal[1] < -0.9); // of the first of the two, whichever found it
    }
    sn_contacts_destroy(c);
}

// How many contacts of two edges there are between two sheets that bend towards each other by hardly more than half a
// degree, each along a row of its nodes, where these rows cross in between; and the smallest of their gaps.
static int edges_between_flat_sheets(double gap, double span, double* least)
{
    Sheet sheets[2];
    SnContacts* c = two_sheets(sheets, 0, NULL);
    double x[2 * 3 * NODES];
    Found found = {0};
    for (int i = 0; i < NODES; i++) {
        double *low = x + 3 * i, *high = x + 3 * (NODES + i);
        memcpy(low, sheets[0].x + 3 * i, 3 * sizeof *low), memcpy(high, low, 3 * sizeof *high);
        low[1] = -0.01 * fabs(low[0] - 0.5);
        high[1] = gap + 0.01 * fabs(high[2] - 0.5);
        high[0] += 0.125, high[2] += 0.125;
    }
    sn_contacts_begin(c, x, all_free, span);
    check_ok(sn_contacts_aim(c, x));
    check_ok(sn_contacts_collect(c, add, &found));
    check(found.count > 0);
    int count = 0;
    *least = INFINITY;
    for (int i = 0; i < found.count; i++) {
        const SnStencil* at = &found.items[i].at;
        check(fabs(at->normal[1]) > 0.99);
        if (at->count != 4 || at->first != 2) continue;
        count++;
        *least = fmin(*least, sn_stencil_gap(at, x));
    }
    sn_contacts_destroy(c);
    return count;
}

// Where nodes keep faces apart, edges do not count; where they let these come nearer in between, they do, from a little
// less than the thickness on; and what is nearer still gets a little of it back, no faster than it may be pushed.
static void test_edges_of_flat_faces(void** state)
{
    (void)state;
    double least, flat = 0.9 * thickness, slow = 1e-6;
    assert_int_equal(edges_between_flat_sheets(1.1 * thickness, 0.01, &least), 0);
    check(edges_between_flat_sheets(0.95 * thickness, 0.01, &least) > 0);
    check_near(least, 0.95 * thickness - flat, 1e-6);
    check(edges_between_flat_sheets(0.6 * thickness, 0.01, &least) > 0);
    check_near(least, -3e-3 * flat, 1e-9);
    check(edges_between_flat_sheets(0.6 * thickness, slow, &least) > 0);
    check_near(least, -slow, 1e-9);                                   // at 1 m/s
    check(edges_between_flat_sheets(0.6 * thickness, 0, &least) > 0); // where there is no time
    check_near(least, 0, 1e-9);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_edges_of_flat_faces),
    cmocka_unit_test(test_sheets_stop),
    cmocka_unit_test(test_random_aims),
    cmocka_unit_test(test_obstacle_is_held_up),
    cmocka_unit_test(test_what_goes_along_is_stopped),
    cmocka_unit_test(test_keys_of_what_is_shared),
    cmocka_unit_test(test_key_of_two_nodes),
};
RUN_TESTS(tests, NULL, NULL)
