// Obstacles as others see them: what they are, where they are, their surface.
#include "check.h"

#include <sinew/world.h>

#include "core/pi.h"
#include "mesh/mesh.h"

static void test_obstacle_info(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.25, def.contact.thickness = 2e-3;
    SnWorld* world;
    check_ok(sn_world_create(&def, &world));
    SnMesh* box;
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &box));
    SnBodyDef body = sn_default_body_def();
    body.mesh = box;
    body.material = sn_material("neo-hookean", 1e5, 0.4, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(box);
    SnObstacleDef ball = sn_default_obstacle_def();
    ball.name = "ball", ball.friction = 0.5;
    ball.shape = sn_obstacle("sphere");
    ball.shape.point[0] = 5, ball.shape.radius = 0.5;
    ball.motion.rotate_axis[2] = 1, ball.motion.rotate_rate = SN_PI, ball.motion.velocity[1] = 4;
    check_ok(sn_world_add_obstacle(world, &ball, NULL));
    assert_int_equal(sn_world_obstacle_count(world), 1);
    for (int step = 0; step < 3; step++) { // an eighth of a turn each
        SnObstacleInfo info;
        SnMesh* mesh;
        double angle = 0.25 * step * SN_PI;
        check_ok(sn_world_obstacle(world, 0, &info));
        assert_string_equal(info.name, "ball");
        assert_string_equal(info.shape->type, "sphere");
        check(info.friction == 0.5 && info.thickness == 2e-3 && !info.changes);
        check_near(info.pose.rotation[0], cos(angle), 1e-12);
        check_near(info.pose.rotation[3], sin(angle), 1e-12);
        check_near(info.pose.shift[1], 1.0 * step, 1e-12);
        check_ok(sn_world_obstacle_surface(world, 0, 1, &mesh)); // where it was at time 0
        for (int i = 0; i < mesh->node_count; i++) {
            const double* x = mesh->nodes + 3 * (size_t)i;
            check_near(hypot(hypot(x[0] - 5, x[1]), x[2]), 0.5, 1e-12);
        }
        sn_mesh_destroy(mesh);
        check_ok(sn_world_step(world, NULL));
    }
    SnObstacleInfo info;
    SnMesh* mesh;
    check_fails(sn_world_obstacle(world, 1, &info), SN_ERROR_VALUE, "no obstacle 1", "has 1");
    check_fails(sn_world_obstacle_surface(world, -1, 1, &mesh), SN_ERROR_VALUE, "no obstacle -1");
    sn_world_destroy(world);
}

static void test_wrong_obstacles(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    check_ok(sn_world_create(&def, &world));
    SnObstacleDef wrong = sn_default_obstacle_def();
    wrong.friction = -0.5;
    check_fails(sn_world_add_obstacle(world, &wrong, NULL), SN_ERROR_VALUE, "obstacle 'obstacle 0'", "friction is -0.5",
                "0 or positive");
    wrong.friction = 0, wrong.thickness = INFINITY;
    check_fails(sn_world_add_obstacle(world, &wrong, NULL), SN_ERROR_VALUE, "thickness is inf m", "0 or positive");
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_obstacle_info),
    cmocka_unit_test(test_wrong_obstacles),
};
RUN_TESTS(tests, NULL, NULL)
