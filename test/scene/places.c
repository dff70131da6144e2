// Where bodies are and how they start: placing, shapes, velocities, and which nodes are chosen.
#include "scenes.h"

static const double* rest_node(const SnScene* scene, int node)
{
    return scene->bodies[0].mesh->nodes + 3 * node;
}

static void places(void** state)
{
    (void)state;
    SnScene* scene = box_scene("    place: {move: [1, 2, 3], rotate: [0, 0, 2, 90], scale: 2}\n", "");
    const SnMeshMeasure* m = &scene->bodies[0].measure; // 8 x 4 x 4, turned to 4 x 8 x 4
    const double lo[3] = {1 - 4, 2, 3}, hi[3] = {1, 2 + 8, 3 + 4};
    for (int i = 0; i < 3; i++) {
        check_near(m->lo[i], lo[i], 1e-14);
        check_near(m->hi[i], hi[i], 1e-14);
    }
    check_near(m->volume, 8 * 16, 1e-12);
    sn_scene_destroy(scene);
    scene = good("bodies: [{mesh: {sphere: {radius: 3}}, place: {fit: 1, scale: 2, move: [5, 0, 0]}}]\n");
    m = &scene->bodies[0].measure; // fit comes before scale and move
    check_near(m->lo[0], 5, 1e-12);
    check_near(m->lo[1], 0, 1e-12);
    double longest = fmax(m->hi[0] - m->lo[0], fmax(m->hi[1] - m->lo[1], m->hi[2] - m->lo[2]));
    check_near(longest, 2, 1e-12);
    sn_scene_destroy(scene);
}

static void copies(void** state)
{
    (void)state;
    SnScene* scene = good("bodies:\n"
                          "  - {name: first, mesh: {rope: {}}}\n"
                          "  - name: box\n"
                          "    mesh: {box: {size: [1, 2, 4], cells: [1, 1, 1]}}\n"
                          "    place: {move: [10, 0, 0]}\n"
                          "    copies: {count: [2, 1, 3], step: [5, 7, -6], rotate: [0, 0, 3, 90]}\n"
                          "  - {mesh: {rope: {}}, copies: {count: [2, 1, 1]}}\n"
                          "handles: [{body: box 3, where: {x: [min, min]}}, {body: body 8, where: all}]\n");
    assert_int_equal(scene->body_count, 9);
    assert_string_equal(scene->bodies[6].name, "box 5");
    assert_int_equal(scene->handles[0].def.body, 4);
    for (int n = 0; n < 6; n++) {
        const SnMeshMeasure* m = &scene->bodies[1 + n].measure;
        double middle[3] = {10.5 + 5 * (n % 2), 1, 2 - 6 * (n / 2)}, size[3] = {n % 2 ? 2 : 1, n % 2 ? 1 : 2, 4};
        for (int i = 0; i < 3; i++) {
            check_near(0.5 * (m->lo[i] + m->hi[i]), middle[i], 1e-12);
            check_near(m->hi[i] - m->lo[i], size[i], 1e-12);
        }
    }
    sn_scene_destroy(scene);
}

// Frames may be made: a figure that walks on the spot, its left leg ahead and then its right one.
static void frames_of_shapes(void** state)
{
    (void)state;
    SnScene* scene = good("bodies: [{mesh: {rope: {}}}]\n"
                          "obstacles:\n"
                          "  - type: mesh\n"
                          "    place: {rotate: [0, 1, 0, 180], move: [0, 0, 3]}\n"
                          "    frames: [{walker: &w {phase: 1/4, cells: 6}}, {walker: {<<: *w, phase: 3/4}}]\n"
                          "    repeat: true\n");
    const SnObstacleShape* shape = &scene->obstacles[0].def.shape;
    assert_int_equal(shape->frame_count, 2);
    check(shape->repeat);
    for (int f = 0; f < 2; f++) {
        const double* ahead = shape->frames[f]->nodes;
        for (int n = 1; n < shape->frames[f]->node_count; n++)
            if (shape->frames[f]->nodes[3 * n + 2] < ahead[2]) ahead = shape->frames[f]->nodes + 3 * n;
        check(ahead[2] < 2.6 && (f == 0 ? ahead[0] < 0 : ahead[0] > 0));
    }
    sn_scene_destroy(scene);
}

static void start_point(void** state)
{
    (void)state;
    static const char* const ways[] = {"    start: point\n", "    start: {shape: point}\n"};
    for (int w = 0; w < 2; w++) {
        SnScene* scene = box_scene(ways[w], "");
        const double centre[3] = {2, 1, 1};
        for (int n = 0; n < 3 * scene->bodies[0].mesh->node_count; n++)
            check_near(scene->bodies[0].start[n], centre[n % 3], 1e-15);
        sn_scene_destroy(scene);
    }
}

static void start_random(void** state)
{
    (void)state;
    SnScene* one = box_scene("    start: random\n", "");
    SnScene* same = box_scene("    start: {shape: random, seed: 1}\n", "");
    SnScene* other = box_scene("    start: {shape: random, seed: 2}\n", "");
    const double size[3] = {4, 2, 2};
    int n = 3 * one->bodies[0].mesh->node_count;
    double lowest = 1, highest = 0;
    for (int i = 0; i < n; i++) {
        double x = one->bodies[0].start[i] / size[i % 3];
        check(x >= 0 && x < 1);
        lowest = fmin(lowest, x), highest = fmax(highest, x);
    }
    check(lowest < 0.1 && highest > 0.9);
    check(memcmp(one->bodies[0].start, same->bodies[0].start, (size_t)n * sizeof(double)) == 0);
    check(memcmp(one->bodies[0].start, other->bodies[0].start, (size_t)n * sizeof(double)) != 0);
    sn_scene_destroy(one), sn_scene_destroy(same), sn_scene_destroy(other);
}

static void start_deformed(void** state)
{
    (void)state;
    SnScene* rest = box_scene("    start: rest\n", "");
    SnScene* stretch = box_scene("    start: {stretch: [2, 1, 0.5]}\n", "");
    SnScene* twist = box_scene("    start: {twist: 90}\n", "");
    SnScene* gradient = box_scene("    start: {gradient: [[1, 2, 3], [0, 1, 4], [0, 0, -1]]}\n", "");
    check(rest->bodies[0].start == NULL);
    for (int n = 0; n < rest->bodies[0].mesh->node_count; n++) {
        const double* X = rest_node(rest, n);
        const double* x = stretch->bodies[0].start + 3 * n;
        check_near(x[0], 2 + 2 * (X[0] - 2), 1e-14);
        check_near(x[1], X[1], 1e-14);
        check_near(x[2], 1 + 0.5 * (X[2] - 1), 1e-14);
        x = twist->bodies[0].start + 3 * n;
        double a = SN_PI / 2 * (X[0] / 4 - 0.5);
        check_near(x[0], X[0], 0);
        check_near(x[1], 1 + cos(a) * (X[1] - 1) - sin(a) * (X[2] - 1), 1e-14);
        check_near(x[2], 1 + sin(a) * (X[1] - 1) + cos(a) * (X[2] - 1), 1e-14);
        x = gradient->bodies[0].start + 3 * n;
        check_near(x[0], X[0] + 2 * X[1] + 3 * X[2], 1e-14);
        check_near(x[1], X[1] + 4 * X[2], 1e-14);
        check_near(x[2], -X[2], 1e-14);
    }
    sn_scene_destroy(rest), sn_scene_destroy(stretch), sn_scene_destroy(twist), sn_scene_destroy(gradient);
}

static void velocities(void** state)
{
    (void)state;
    SnScene* scene = box_scene("    place: {move: [10, 0, 0]}\n"
                               "    velocity: {linear: [1, 2, 3], angular: [0, 0, 2],\n"
                               "               gradient: [[1, 0, 0], [0, 0, 5], [0, 0, 0]]}\n",
                               "");
    for (int n = 0; n < scene->bodies[0].mesh->node_count; n++) {
        const double *X = rest_node(scene, n), *v = scene->bodies[0].velocity + 3 * n;
        double r[3] = {X[0] - 12, X[1] - 1, X[2] - 1}; // the centre of mass is the centre of the box
        check_near(v[0], 1 - 2 * r[1] + r[0], 1e-12);
        check_near(v[1], 2 + 2 * r[0] + 5 * r[2], 1e-12);
        check_near(v[2], 3, 1e-12);
    }
    sn_scene_destroy(scene);
    scene = box_scene("    velocity: {linear: [0, 0, 0]}\n", "");
    check(scene->bodies[0].velocity == NULL);
    sn_scene_destroy(scene);
}

// Selections on a 4 x 2 x 2 box of 4 x 2 x 2 cells: 5 x 3 x 3 nodes.
static void selections(void** state)
{
    (void)state;
    static const struct {
        const char* where;
        int count;
    } rows[] = {{"all", 45},
                {"{nodes: all}", 45},
                {"{nodes: [3, 0, 3, 44]}", 3},
                {"{x: [max-0.01, max]}", 9},
                {"{x: [4, 4]}", 9},
                {"{x: [(min+max)/2, inf]}", 27},
                {"{x: [min, min], y: [max, max]}", 3},
                {"{y: [0.9, 1.1], z: [max, max]}", 5},
                {"{box: [[0, 0, 0], [1, 1, 1]]}", 8},
                {"{box: [[1, 1, 1], [0, 0, 0]]}", 8},
                {"{box: [[min, min, min], [max, max, 0]]}", 15},
                {"{sphere: [[0, 0, 0], 1]}", 4},
                {"{sphere: [[max, max, max], 1.5]}", 7},
                {"{sphere: [[0, 0, 0], 1], nodes: all, x: [0, 0]}", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char handles[200];
        snprintf(handles, sizeof handles, "handles: [{body: bar, where: %s}]\n", rows[i].where);
        SnScene* scene = box_scene("", handles);
        if (scene->handles[0].def.node_count != rows[i].count)
            fail_msg("%s: %d instead of %d", rows[i].where, scene->handles[0].def.node_count, rows[i].count);
        for (int n = 1; n < rows[i].count; n++) check(scene->handles[0].nodes[n] > scene->handles[0].nodes[n - 1]);
        sn_scene_destroy(scene);
    }
}

// Nodes are chosen on the placed rest shape, whatever the start.
static void selection_is_placed(void** state)
{
    (void)state;
    SnScene* scene =
        box_scene("    place: {move: [10, 0, 0]}\n    start: point\n", "handles: [{body: 0, where: {x: [10, 10]}}]\n");
    assert_int_equal(scene->handles[0].def.node_count, 9);
    sn_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(places),      cmocka_unit_test(copies),       cmocka_unit_test(frames_of_shapes),
    cmocka_unit_test(start_point), cmocka_unit_test(start_random), cmocka_unit_test(start_deformed),
    cmocka_unit_test(velocities),  cmocka_unit_test(selections),   cmocka_unit_test(selection_is_placed),
};
RUN_TESTS(tests, NULL, NULL)
