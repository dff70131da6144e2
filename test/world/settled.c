// Planes of contacts at the end of a step.
#include "touching.h"

#include "linalg/vec3.h"

// A ball goes through the upper side of a soft block, sideways and down.
static SnWorld* ploughed(const char* solver)
{
    SnWorld* world;
    SnWorldDef def = world_def(solver, 1.0 / 60);
    memset(def.gravity, 0, sizeof def.gravity);
    def.solver.tolerance = 1e-8, def.solver.iterations = 2000;
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){1, 0.3, 0.6}, (int[]){8, 3, 5}, (double[]){0, 0, 0}, NULL, 3e4);
    int nodes[9 * 6], count = 0;
    const double* x = sn_world_positions(world);
    for (int i = 0; i < sn_world_node_count(world); i++)
        if (x[3 * i + 1] < 1e-9) nodes[count++] = i;
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = nodes, handle.node_count = count;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    SnObstacleDef ball = sn_default_obstacle_def();
    ball.shape = sn_obstacle("sphere");
    ball.shape.radius = 0.2;
    memcpy(ball.shape.point, (double[]){0.75, 0.52, 0.3}, sizeof ball.shape.point);
    ball.motion.velocity[0] = -0.8, ball.motion.velocity[1] = -0.4;
    check_ok(sn_world_add_obstacle(world, &ball, NULL));
    return world;
}

// N: by how much forces differ from those along the directions in which the ball pushes where nodes are.
static double turned(const SnWorld* world)
{
    SnObstacleInfo ball;
    double sum = 0;
    check_ok(sn_world_obstacle(world, 0, &ball));
    for (int i = 0; i < sn_world_contact_count(world); i++) {
        SnContactInfo contact;
        double away[3];
        check_ok(sn_world_contact(world, i, &contact));
        const double* p = sn_world_positions(world) + 3 * (int64_t)contact.nodes[0];
        for (int c = 0; c < 3; c++) away[c] = p[c] - ball.shape->point[c] - ball.pose.shift[c];
        double length = sn_length3(away);
        for (int c = 0; c < 3; c++) sum += pow(contact.force * (away[c] / length - contact.normal[c]), 2);
    }
    return sqrt(sum);
}

// Converged means balanced where nodes are, and around what is smooth planes settle.
static void test_planes(void** state)
{
    (void)state;
    static const char* const minimisers[] = {"newton", "auto", "admm"};
    for (int k = 0; k < 3; k++) {
        SnWorld* world = ploughed(minimisers[k]);
        for (int i = 0; i < 18; i++) {
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            double off = turned(world);
            bool converged = report.outcome == SN_OUTCOME_CONVERGED;
            if (converged ? off > 2 * report.tolerance : k < 2 || report.outcome != SN_OUTCOME_UNSETTLED)
                fail_msg("%s: step %d: %s, forces are off by %g N of %g %s", minimisers[k], i + 1,
                         sn_outcome_name(report.outcome), off, report.tolerance, report.detail);
        }
        sn_world_destroy(world);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_planes),
};
RUN_TESTS(tests, NULL, NULL)
