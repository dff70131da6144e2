// Tests of the bounding-volume tree: against looking at every element.
#include "check.h"

#include "core/random.h"
#include "mesh/bounding_tree.h"

enum { TREE_NODES = 300, TREE_TRIANGLES = 500 };

typedef struct TreeFixture {
    double x[3 * TREE_NODES];
    int triangles[3 * TREE_TRIANGLES];
    SnTree* tree;
} TreeFixture;

// Random triangles; some have no area, some are a point, and some lie on top of each other.
static void make_tree(TreeFixture* f)
{
    SnRandom random = {7};
    for (int i = 0; i < 3 * TREE_NODES; i++) f->x[i] = sn_random_uniform(&random, -1, 1);
    for (int c = 0; c < 3; c++) f->x[3 + c] = f->x[c]; // coincident nodes
    for (int i = 0; i < 3 * TREE_TRIANGLES; i++) f->triangles[i] = (int)sn_random_uniform(&random, 0, TREE_NODES);
    for (int c = 0; c < 3; c++) f->triangles[c] = c / 2, f->triangles[3 + c] = 5;
    memcpy(f->triangles + 6, f->triangles + 9, 3 * sizeof(int));
    check_ok(sn_tree_create(TREE_TRIANGLES, 3, f->triangles, f->x, &f->tree));
}

static bool accept_odd(void* user, int item)
{
    (void)user;
    return item % 2 == 1;
}

static double nearest_by_force(const TreeFixture* f, const double p[3], bool odd)
{
    double best = INFINITY;
    for (int t = odd; t < TREE_TRIANGLES; t += odd ? 2 : 1) {
        const int* n = f->triangles + 3 * t;
        SnNearest nearest;
        sn_nearest_on_triangle(f->x + 3 * n[0], f->x + 3 * n[1], f->x + 3 * n[2], p, &nearest);
        best = nearest.distance < best ? nearest.distance : best;
    }
    return best;
}

static void test_tree_nearest(void** state)
{
    (void)state;
    TreeFixture f;
    make_tree(&f);
    SnRandom random = {3};
    for (int k = 0; k < 200; k++) {
        if (k == 100) { // moved: the tree is as good after a refit
            for (int i = 0; i < 3 * TREE_NODES; i++) f.x[i] += sn_random_uniform(&random, -0.3, 0.3);
            sn_tree_refit(f.tree, NULL, f.x, 0);
        }
        double p[3], q[3] = {0};
        for (int c = 0; c < 3; c++) p[c] = sn_random_uniform(&random, -2, 2);
        SnNearest nearest;
        bool odd = k % 2 == 1;
        check(sn_tree_nearest(f.tree, f.x, p, INFINITY, odd ? accept_odd : NULL, NULL, &nearest));
        double distance = nearest_by_force(&f, p, odd);
        check_near(nearest.distance, distance, 0);
        check(!odd || nearest.item % 2 == 1);
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) q[c] += nearest.weights[a] * f.x[3 * f.triangles[3 * nearest.item + a] + c];
        for (int c = 0; c < 3; c++) check_near(q[c], nearest.point[c], 1e-14);
        check_near(sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2])),
                   distance, 1e-13);
        check(!sn_tree_nearest(f.tree, f.x, p, distance, odd ? accept_odd : NULL, NULL, &nearest));
    }
    sn_tree_destroy(f.tree);
}

// No sampled point of the triangle is nearer, and the feature is that of the weights.
static void test_nearest_on_triangle(void** state)
{
    (void)state;
    SnRandom random = {11};
    int seen[8] = {0};
    for (int k = 0; k < 500; k++) {
        double x[4][3];
        for (int i = 0; i < 12; i++) x[i / 3][i % 3] = sn_random_uniform(&random, -1, 1);
        if (k % 10 == 0) memcpy(x[1], x[0], sizeof x[0]);
        if (k % 20 == 0) memcpy(x[2], x[0], sizeof x[0]);
        SnNearest n;
        sn_nearest_on_triangle(x[0], x[1], x[2], x[3], &n);
        check_near(n.weights[0] + n.weights[1] + n.weights[2], 1, 1e-14);
        seen[n.feature]++;
        for (int i = 0; i <= 20; i++)
            for (int j = 0; i + j <= 20; j++) {
                double u = i / 20.0, v = j / 20.0, square = 0;
                for (int c = 0; c < 3; c++) {
                    double d = x[3][c] - ((1 - u - v) * x[0][c] + u * x[1][c] + v * x[2][c]);
                    square += d * d;
                }
                check(n.distance <= sqrt(square) + 1e-14);
            }
    }
    for (int feature = 1; feature < 8; feature++) check(seen[feature] > 10);
}

typedef struct Seen {
    char item[TREE_TRIANGLES];
    int count, most;
} Seen;

static bool note_item(void* user, int item)
{
    Seen* seen = user;
    check(!seen->item[item]);
    seen->item[item] = 1;
    return ++seen->count < seen->most;
}

static void test_tree_overlaps(void** state)
{
    (void)state;
    TreeFixture f;
    make_tree(&f);
    SnBox box = {{-0.1, -0.2, 0.1}, {0.1, 0.1, 0.3}};
    for (int round = 0; round < 2; round++) {
        double margin = 0.25 * round;
        Seen seen = {.most = TREE_TRIANGLES};
        sn_tree_refit(f.tree, NULL, f.x, margin);
        sn_tree_overlaps(f.tree, &box, note_item, &seen);
        for (int t = 0; t < TREE_TRIANGLES; t++) {
            bool meets = true;
            for (int c = 0; c < 3; c++) {
                double lo = INFINITY, hi = -INFINITY;
                for (int a = 0; a < 3; a++) {
                    lo = fmin(lo, f.x[3 * f.triangles[3 * t + a] + c]);
                    hi = fmax(hi, f.x[3 * f.triangles[3 * t + a] + c]);
                }
                meets = meets && lo - margin <= box.hi[c] && box.lo[c] <= hi + margin;
            }
            check(seen.item[t] || !meets);
        }
        Seen few = {.most = 3};
        sn_tree_overlaps(f.tree, &box, note_item, &few);
        check(few.count == 3);
    }
    SnBox away = {{5, 5, 5}, {6, 6, 6}};
    Seen none = {.most = 1};
    sn_tree_overlaps(f.tree, &away, note_item, &none);
    check(none.count == 0);
    sn_tree_destroy(f.tree);
}

static void test_tree_threads(void** state)
{
    (void)state;
    TreeFixture f;
    SnTasks* tasks;
    SnBox boxes[2 * TREE_TRIANGLES];
    make_tree(&f);
    check_ok(sn_tasks_create(3, (SnTaskRunner){0}, &tasks));
    size_t size = ((size_t)2 << f.tree->depth) * sizeof *boxes - sizeof *boxes;
    memcpy(boxes, f.tree->boxes, size);
    sn_tree_refit(f.tree, tasks, f.x, 0);
    assert_memory_equal(boxes, f.tree->boxes, size);
    for (int k = 0; 2 * k + 2 < (2 << f.tree->depth) - 1; k++) // boxes contain their children's
        for (int c = 0; c < 3; c++)
            check(boxes[k].lo[c] <= boxes[2 * k + 1].lo[c] && boxes[k].hi[c] >= boxes[2 * k + 2].hi[c]);
    sn_tasks_destroy(tasks);
    sn_tree_destroy(f.tree);
}

static void test_small_trees(void** state)
{
    (void)state;
    double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, p[3] = {0.2, 0.3, 2};
    int triangle[3] = {0, 1, 2};
    for (int count = 0; count < 2; count++) {
        SnTree* tree;
        SnNearest n;
        check_ok(sn_tree_create(count, 3, triangle, x, &tree));
        check(sn_tree_nearest(tree, x, p, INFINITY, NULL, NULL, &n) == (count == 1));
        if (count) check_near(n.distance, 2, 0);
        sn_tree_destroy(tree);
    }
    for (long countdown = 0; countdown < 5; countdown++) {
        FailingMemory memory;
        start_failing(&memory, countdown);
        SnTree* tree;
        check_fails(sn_tree_create(1, 3, triangle, x, &tree), SN_ERROR_MEMORY, "tree");
        stop_failing(&memory);
    }
}

static void test_point_in_tetrahedron(void** state)
{
    (void)state;
    SnRandom random = {5};
    for (int k = 0; k < 100; k++) {
        double x[12], wanted[4] = {1}, p[3] = {0}, weights[4];
        for (int i = 0; i < 12; i++) x[i] = sn_random_uniform(&random, -1, 1);
        for (int a = 1; a < 4; a++) wanted[a] = sn_random_uniform(&random, -1, 1), wanted[0] -= wanted[a];
        for (int i = 0; i < 12; i++) p[i % 3] += wanted[i / 3] * x[i];
        check(sn_point_in_tetrahedron(x, p, weights));
        for (int a = 0; a < 4; a++) check_near(weights[a], wanted[a], 1e-10);
    }
    double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, p[3] = {0}, weights[4];
    check(!sn_point_in_tetrahedron(flat, p, weights));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tree_nearest),  cmocka_unit_test(test_nearest_on_triangle),
    cmocka_unit_test(test_tree_overlaps), cmocka_unit_test(test_tree_threads),
    cmocka_unit_test(test_small_trees),   cmocka_unit_test(test_point_in_tetrahedron),
};
RUN_TESTS(tests, NULL, NULL)
