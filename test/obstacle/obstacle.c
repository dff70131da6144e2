// Obstacles: every one of the table is a distance: by finite differences, by its surface's triangles, in any place.
#include "check.h"

#include "core/random.h"
#include "linalg/vec3.h"
#include "mesh/bounding_tree.h"
#include "mesh/mesh.h"
#include "obstacle/obstacle.h"

static double heights[5 * 4];
static SnMesh* ball;

static int make_ball(void** state)
{
    (void)state;
    SnRandom random = {2};
    for (int i = 0; i < 20; i++) heights[i] = sn_random_uniform(&random, 0, 1);
    return sn_mesh_make_sphere(0.7, 4, &ball) != SN_OK;
}

static int free_ball(void** state)
{
    (void)state;
    sn_mesh_destroy(ball);
    return 0;
}

// A row's shape with numbers of no symmetry.
static SnObstacleShape shape_of(const SnObstacleType* type)
{
    SnObstacleShape s = sn_obstacle(type->name);
    s.heights = heights, s.columns = 5, s.rows = 4;
    s.mesh = ball;
    if (strcmp(type->name, "terrain") == 0) s.size[0] = 2, s.size[1] = 0.6, s.size[2] = 1.5;
    if (strcmp(type->name, "terrain") == 0) s.point[0] = -1, s.point[1] = -0.3, s.point[2] = -0.8;
    if (strcmp(type->name, "box") == 0) s.size[0] = 1.5, s.rotate[1] = 1, s.rotate[3] = 0.7;
    if (strcmp(type->name, "plane") == 0) s.normal[0] = 0.5, s.normal[2] = -1, s.point[1] = 0.1;
    if (strcmp(type->name, "torus") == 0) s.normal[0] = 0.5;
    if (strcmp(type->name, "capsule") == 0 || strcmp(type->name, "cylinder") == 0) s.to[1] = 0.6;
    return s;
}

static double distance_of(const SnObstacle* o, double x, double y, double z)
{
    double gradient[3];
    return sn_obstacle_distance(o, (double[]){x, y, z}, gradient);
}

// Near creases (medial axes, corners seen from inside) the gradient jumps; there one-sided differences disagree.
static bool smooth_at(const SnObstacle* o, const double p[3], int axis, double* slope)
{
    double q[3] = {p[0], p[1], p[2]}, h = 1e-6, value[3];
    for (int k = 0; k < 3; k++) q[axis] = p[axis] + (k - 1) * h, value[k] = distance_of(o, q[0], q[1], q[2]);
    *slope = (value[2] - value[0]) / (2 * h);
    return fabs((value[2] - value[1]) - (value[1] - value[0])) < 1e-4 * h;
}

static void test_gradients(void** state)
{
    (void)state;
    for (int i = 0; i < sn_obstacle_count(); i++) {
        SnObstacle o;
        SnObstacleShape shape = shape_of(sn_obstacle_at(i));
        check_ok(sn_obstacle_create(&o, &shape));
        SnRandom random = {5};
        int smooth = 0, inside = 0;
        for (int k = 0; k < 500; k++) {
            double p[3], gradient[3], slope;
            for (int c = 0; c < 3; c++) p[c] = sn_random_uniform(&random, -0.9, 0.9);
            inside += sn_obstacle_distance(&o, p, gradient) < 0;
            check_near(sn_length3(gradient), 1, 1e-12);
            for (int c = 0; c < 3; c++) {
                if (!smooth_at(&o, p, c, &slope)) continue;
                check_near(gradient[c], slope, 2e-4);
                smooth++;
            }
        }
        check(smooth > 1200);
        check(inside > 10 && inside < 490);
        sn_obstacle_destroy(&o);
    }
}

// The distance is that from the triangles of the drawn surface, as nearly as those are the surface.
static void test_surfaces(void** state)
{
    (void)state;
    for (int i = 0; i < sn_obstacle_count(); i++) {
        SnObstacle o;
        SnMesh* mesh;
        SnTree* tree;
        SnObstacleShape shape = shape_of(sn_obstacle_at(i));
        check_ok(sn_obstacle_create(&o, &shape));
        check_ok(sn_obstacle_surface(&o, 10, &mesh));
        check_ok(sn_tree_create(mesh->triangle_count, 3, mesh->triangles, mesh->nodes, &tree));
        SnRandom random = {9};
        for (int k = 0; k < 300; k++) {
            double p[3], gradient[3];
            SnNearest nearest;
            for (int c = 0; c < 3; c++) p[c] = sn_random_uniform(&random, -1.2, 1.2);
            check(sn_tree_nearest(tree, mesh->nodes, p, INFINITY, NULL, NULL, &nearest));
            double d = sn_obstacle_distance(&o, p, gradient);
            check_near(fabs(d), nearest.distance, 6e-3); // a circle of 48 corners is 1 - cos(pi/48) from its chords
            // Walking the distance down the gradient leads to the surface.
            for (int c = 0; c < 3; c++) p[c] -= d * gradient[c];
            check_near(distance_of(&o, p[0], p[1], p[2]), 0, 1e-9);
        }
        // Triangles are wound outward: a step along a face's normal leads out.
        int outward = 0;
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int* n = mesh->triangles + 3 * t;
            double u[3], v[3], w[3];
            sn_subtract3(mesh->nodes + 3 * n[1], mesh->nodes + 3 * n[0], u);
            sn_subtract3(mesh->nodes + 3 * n[2], mesh->nodes + 3 * n[0], v);
            sn_cross3(u, v, w);
            sn_normalize3(w);
            double q[3];
            for (int c = 0; c < 3; c++)
                q[c] = (mesh->nodes[3 * n[0] + c] + mesh->nodes[3 * n[1] + c] + mesh->nodes[3 * n[2] + c]) / 3 +
                       0.02 * w[c];
            outward += distance_of(&o, q[0], q[1], q[2]) > 0;
        }
        check(outward == mesh->triangle_count);
        sn_tree_destroy(tree);
        sn_mesh_destroy(mesh);
        sn_obstacle_destroy(&o);
    }
}

static void turned(double angle, SnPose* frame)
{
    double c = cos(angle), s = sin(angle);
    *frame = (SnPose){{c, 0, s, 0, 1, 0, -s, 0, c}, {0.3, -0.2, 0.5}};
}

// Moving the obstacle is moving the point the other way; a point of it is carried as the frames say.
static void test_frames(void** state)
{
    (void)state;
    for (int i = 0; i < sn_obstacle_count(); i++) {
        SnObstacle still, moving;
        SnObstacleShape shape = shape_of(sn_obstacle_at(i));
        check_ok(sn_obstacle_create(&still, &shape));
        check_ok(sn_obstacle_create(&moving, &shape));
        SnPose before, now;
        turned(0.3, &before), turned(0.8, &now);
        now.shift[1] = 0.1;
        sn_obstacle_place(&moving, &before, &now, 0, 1);
        SnRandom random = {4};
        for (int k = 0; k < 100; k++) {
            double p[3], q[3], from[3], g[3], h[3], turned_g[3], moved[3];
            for (int c = 0; c < 3; c++) p[c] = sn_random_uniform(&random, -1, 1);
            sn_rotate3(now.rotation, p, q), sn_rotate3(before.rotation, p, from);
            for (int c = 0; c < 3; c++) q[c] += now.shift[c], from[c] += before.shift[c];
            check_near(sn_obstacle_distance(&still, p, g), sn_obstacle_distance(&moving, q, h), 1e-12);
            sn_rotate3(now.rotation, g, turned_g);
            sn_obstacle_carry(&moving, q, moved);
            for (int c = 0; c < 3; c++) {
                check_near(h[c], turned_g[c], 1e-7);
                check_near(moved[c], q[c] - from[c], 1e-12);
            }
        }
        sn_obstacle_destroy(&still);
        sn_obstacle_destroy(&moving);
    }
}

static void test_mesh_frames(void** state)
{
    (void)state;
    SnMesh* grown;
    check_ok(sn_mesh_make_sphere(0.7, 4, &grown));
    for (int i = 0; i < 3 * grown->node_count; i++) grown->nodes[i] = 2 * grown->nodes[i] + (i % 3 == 0);
    const SnMesh* frames[2] = {ball, grown};
    SnObstacleShape shape = sn_obstacle("mesh");
    shape.frames = frames, shape.frame_count = 2, shape.frame_rate = 2;
    SnObstacle o;
    check_ok(sn_obstacle_create(&o, &shape));
    check_near(distance_of(&o, 2, 0, 0), 2 - 0.7, 1e-12);
    SnPose still = o.frame;
    sn_obstacle_place(&o, &still, &still, 0.2, 0.25); // half way: a ball of 1.5 x 0.7 around 0.5
    check_near(distance_of(&o, 2, 0, 0), 2 - (0.5 + 1.5 * 0.7), 1e-12);
    double moved[3];
    sn_obstacle_carry(&o, (double[]){0.5 + 1.5 * 0.7, 0, 0}, moved);
    check_near(moved[0], 0.1 * (1 + 0.7), 1e-12);
    sn_obstacle_place(&o, &still, &still, 7, 8); // the last frame stays
    check_near(distance_of(&o, 4, 0, 0), 4 - (1 + 2 * 0.7), 1e-12);
    sn_obstacle_destroy(&o);
    shape.repeat = true;
    check_ok(sn_obstacle_create(&o, &shape));
    sn_obstacle_place(&o, &still, &still, 7, 7.75); // on the way from the last frame back to the first
    check_near(distance_of(&o, 2, 0, 0), 2 - (0.5 + 1.5 * 0.7), 1e-12);
    sn_obstacle_destroy(&o);
    sn_mesh_destroy(grown);
}

static void test_open_mesh(void** state)
{
    (void)state;
    SnMesh* cloth;
    SnObstacle o;
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){2, 3}, &cloth));
    SnObstacleShape shape = sn_obstacle("mesh");
    shape.mesh = cloth;
    check_ok(sn_obstacle_create(&o, &shape));
    check(sn_obstacle_open_edges(&o) == 10);
    sn_obstacle_destroy(&o);
    shape.mesh = ball;
    check_ok(sn_obstacle_create(&o, &shape));
    check(sn_obstacle_open_edges(&o) == 0);
    sn_obstacle_destroy(&o);
    sn_mesh_destroy(cloth);
}

static void test_mistakes(void** state)
{
    (void)state;
    SnObstacle o;
    SnObstacleShape s = sn_obstacle("plain");
    check_fails(sn_obstacle_create(&o, &s), SN_ERROR_VALUE, "plain", "did you mean 'plane'");
    s = sn_obstacle("plane"), s.normal[1] = 0;
    check_fails(sn_obstacle_create(&o, &s), SN_ERROR_VALUE, "normal");
    s = sn_obstacle("sphere"), s.radius = -1;
    check_fails(sn_obstacle_create(&o, &s), SN_ERROR_VALUE, "radius", "-1");
    s = sn_obstacle("sphere"), s.point[1] = NAN;
    check_fails(sn_obstacle_create(&o, &s), SN_ERROR_VALUE, "centre", "finite");
    s = sn_obstacle("torus"), s.tube = 2;
    check_fails(sn_obstacle_create(&o, &s), SN_ERROR_VALUE, "tube", "2");
    s = sn_obstacle("cylinder"), memcpy(s.to, s.point, sizeof s.to);
    check_fails(sn_obstacle_create(&o, &s), SN_ERROR_VALUE, "from and to");
    s = sn_obstacle("terrain");
    check_fails(sn_obstacle_create(&o, &s), SN_ERROR_VALUE, "heights");
    s = sn_obstacle("mesh");
    check_fails(sn_obstacle_create(&o, &s), SN_ERROR_VALUE, "no mesh");
    s = sn_obstacle("box"), s.size[2] = 0;
    check_fails(sn_obstacle_create(&o, &s), SN_ERROR_VALUE, "size");
}

static double bowl(const SnObstacleShape* shape, const double p[3], double gradient[3])
{
    const double* radius = shape->user;
    double length = sn_length3(p);
    for (int c = 0; c < 3; c++) gradient[c] = -p[c] / length;
    return *radius - length;
}

static void test_custom(void** state)
{
    (void)state;
    const SnObstacleType type = {.name = "bowl", .distance = bowl};
    double radius = 3;
    SnObstacleShape s = {.custom = &type, .user = &radius};
    SnObstacle o;
    check_ok(sn_obstacle_create(&o, &s));
    check_near(distance_of(&o, 0, 2, 0), 1, 1e-15);
    SnMesh* mesh;
    check_ok(sn_obstacle_surface(&o, 1, &mesh));
    check(mesh == NULL);
    sn_obstacle_destroy(&o);
}

static void test_memory(void** state)
{
    (void)state;
    for (int i = 0; i < sn_obstacle_count(); i++)
        for (long countdown = 0; countdown < 12; countdown++) {
            FailingMemory memory;
            SnObstacle o;
            SnObstacleShape shape = shape_of(sn_obstacle_at(i));
            start_failing(&memory, countdown);
            if (sn_obstacle_create(&o, &shape) == SN_OK) sn_obstacle_destroy(&o);
            stop_failing(&memory);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gradients),   cmocka_unit_test(test_surfaces),  cmocka_unit_test(test_frames),
    cmocka_unit_test(test_mesh_frames), cmocka_unit_test(test_open_mesh), cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_custom),      cmocka_unit_test(test_memory),
};
RUN_TESTS(tests, make_ball, free_ball)
