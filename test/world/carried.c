// Obstacles that move or change their shape, and what they meet: bodies that rest on them, and nodes that are held.
#include "touching.h"

static double bottom(const SnWorld* world)
{
    double least = INFINITY;
    for (int i = 0; i < sn_world_node_count(world); i++) least = fmin(least, sn_world_positions(world)[3 * i + 1]);
    return least;
}

static SnWorld* block_world(const SnObstacleDef* obstacle, const char* solver, double y, bool held, double speed)
{
    SnWorld* world;
    SnWorldDef def = world_def(solver, 0.01);
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){2, 2, 2}, (double[]){-0.1, y, -0.1}, NULL, 1e6);
    SnHandleDef all = sn_default_handle_def();
    all.motion.velocity[1] = speed;
    if (held) check_ok(sn_world_add_handle(world, &all, NULL));
    check_ok(sn_world_add_obstacle(world, obstacle, NULL));
    return world;
}

// A floor that rises at 1 m/s by changing its shape, known by its distance alone; data: its height.
static double rising_distance(const SnObstacleShape* shape, const double p[3], double gradient[3])
{
    gradient[0] = gradient[2] = 0, gradient[1] = 1;
    return p[1] - *(const double*)shape->data;
}

static SnStatus rising_prepare(SnObstacleShape* shape)
{
    shape->data = calloc(1, sizeof(double));
    return shape->data ? SN_OK : SN_ERROR_MEMORY;
}

static void rising_release(SnObstacleShape* shape)
{
    free(shape->data);
}

static void rising_change(SnObstacleShape* shape, double before, double now)
{
    (void)before;
    *(double*)shape->data = now;
}

static const SnObstacleType rising = {.name = "rising",
                                      .distance = rising_distance,
                                      .prepare = rising_prepare,
                                      .release = rising_release,
                                      .change = rising_change};

static SnObstacleDef rising_floor(void)
{
    SnObstacleDef def = sn_default_obstacle_def();
    def.shape = (SnObstacleShape){.custom = &rising};
    return def;
}

// A plate of triangles that rises as fast: by its frames, or as a whole.
static SnObstacleDef plate(SnMesh* frames[2], bool by_frames)
{
    SnObstacleDef def = sn_default_obstacle_def();
    for (int k = 0; k < 2; k++) {
        check_ok(sn_mesh_make_box((double[]){1, 0.1, 1}, (int[]){2, 1, 2}, &frames[k]));
        for (int i = 0; i < sn_mesh_node_count(frames[k]); i++) {
            double* x = sn_mesh_nodes(frames[k]) + 3 * i;
            x[0] -= 0.47, x[1] += k - 0.1, x[2] -= 0.52;
        }
    }
    def.shape = sn_obstacle("mesh");
    if (by_frames)
        def.shape.frames = (const SnMesh* const*)frames, def.shape.frame_count = 2, def.shape.frame_rate = 1;
    else
        def.shape.mesh = frames[0], def.motion.velocity[1] = 1;
    return def;
}

// What rests on a floor that rises is carried as fast as it goes, whatever `push` is, and never ends a step inside.
static void test_push_does_not_limit_what_carries(void** state)
{
    (void)state;
    static const char* const both[] = {"auto", "lbfgs"};
    for (int kind = 0; kind < 3; kind++)
        for (int s = 0; s < 2; s++) {
            SnMesh* frames[2] = {NULL, NULL};
            SnObstacleDef def = kind == 0 ? rising_floor() : plate(frames, kind == 1);
            SnWorld* world = block_world(&def, both[s], 1e-3, false, 0);
            for (int i = 1; i <= 40; i++) {
                check_ok(sn_world_step(world, NULL));
                double above = bottom(world) - 0.01 * i;
                if (above < 1e-5 || (i > 5 && above > 0.05)) fail_msg("kind %d, step %d: %g m", kind, i, above);
            }
            sn_world_destroy(world);
            sn_mesh_destroy(frames[0]), sn_mesh_destroy(frames[1]);
        }
}

// A floor that is faster than what falls onto it: nothing gets through from one step to the next.
static void test_fast_change(void** state)
{
    (void)state;
    SnObstacleDef def = rising_floor();
    SnWorldDef world_of = world_def("auto", 0.1);
    SnWorld* world;
    check_ok(sn_world_create(&world_of, &world));
    add_box(world, (double[]){0.02, 0.02, 0.02}, (int[]){1, 1, 1}, (double[]){0, 0.25, 0}, (double[]){0, -20, 0}, 1e6);
    check_ok(sn_world_add_obstacle(world, &def, NULL));
    for (int i = 1; i <= 5; i++) {
        check_ok(sn_world_step(world, NULL));
        check(bottom(world) > 0.1 * i);
    }
    sn_world_destroy(world);
}

// Along a floor that is straight things go as far as they like in a step, many thousand times what keeps them apart.
static void test_fast_slide(void** state)
{
    (void)state;
    SnWorldDef def = world_def("auto", 1.0 / 60);
    def.contact.thickness = 1e-5;
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.3);
    SnWorld* world;
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.2, 0.1, 0.2}, (int[]){2, 1, 2}, (double[]){0, 1e-5, 0}, (double[]){30, 0, 0}, 1e6);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    for (int i = 0; i < 20; i++) {
        SnStepReport report = step(world);
        check(report.outcome == SN_OUTCOME_CONVERGED && report.parts == 1);
    }
    sn_world_destroy(world);
}

// Held nodes are not taken into obstacles that are known by their distance, nor these into them.
static void test_held_nodes_stay_out(void** state)
{
    (void)state;
    SnObstacleDef def = plane(0, 1, 0, 0, 0);
    SnWorld* world = block_world(&def, "auto", 0.05, true, -1);
    for (int i = 0; i < 60; i++) { // each comes nearer to where it may not be; none is there, as by its will
        check_ok(sn_world_step(world, NULL));
        check(bottom(world) > 0);
    }
    check(bottom(world) < 0.01);
    sn_world_destroy(world);
    def.motion.velocity[1] = 1;
    world = block_world(&def, "auto", 0.05, true, 0);
    SnObstacleInfo info;
    for (int i = 0; i < 10; i++) {
        check_ok(sn_world_step(world, NULL));
        check_ok(sn_world_obstacle(world, 0, &info));
        check(info.pose.shift[1] < 0.05);
    }
    check(info.pose.shift[1] > 0.035); // by whole steps
    sn_world_destroy(world);
    def.motion.velocity[1] = 0;
    world = block_world(&def, "auto", -0.3, true, -1); // where it starts inside it goes where it likes
    for (int i = 0; i < 10; i++) check_ok(sn_world_step(world, NULL));
    check_near(bottom(world), -0.4, 1e-12);
    sn_world_destroy(world);
}

// A block is lifted by a plate that is smaller than it: the vertices and edges of that do the work.
static void test_work_of_vertices(void** state)
{
    (void)state;
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){0.1, 0.1, 0.1}, (int[]){1, 1, 1}, &mesh));
    for (int i = 0; i < sn_mesh_node_count(mesh); i++) {
        double* x = sn_mesh_nodes(mesh) + 3 * i;
        x[0] -= 0.047, x[1] -= 0.1, x[2] -= 0.052;
    }
    SnObstacleDef def = sn_default_obstacle_def();
    def.shape = sn_obstacle("mesh"), def.shape.mesh = mesh;
    def.motion.velocity[1] = 0.2, def.friction = 0.5;
    SnWorld* world = block_world(&def, "newton", 1e-3, false, 0);
    SnStepReport first, report = {0};
    check_ok(sn_world_measure(world, &first));
    for (int i = 0; i < 50; i++) report = step(world);
    double gained = report.energy.kinetic + report.energy.elastic + report.energy.gravity - first.energy.kinetic -
                    first.energy.elastic - first.energy.gravity;
    check(gained > 0.9 * 8 * 9.81 * 0.1);
    check_near(report.energy.pins, gained, 0.05 * gained);
    check_near(report.impulse[1], report.momentum[1], 1e-3);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

// Without thickness things touch all but exactly, and steps converge.
static void test_no_thickness(void** state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int s = 0; s < SOLVERS; s++) {
            SnMesh* frames[2] = {NULL, NULL};
            SnObstacleDef def = plane(0, 1, 0, 0, 0.3);
            if (kind == 1) def = plate(frames, false), def.motion.velocity[1] = 0;
            def.thickness = 0;
            SnWorld* world = block_world(&def, solvers[s], 0.01, false, 0);
            for (int i = 0; i < 30; i++) {
                step(world);
                check(bottom(world) > 0);
            }
            check(bottom(world) < 3e-4);
            sn_world_destroy(world);
            sn_mesh_destroy(frames[0]), sn_mesh_destroy(frames[1]);
        }
}

// Where every node is held and something is in the way, the step says so, and forces are those of where they got to.
static void test_held_nodes_in_the_way(void** state)
{
    (void)state;
    SnWorldDef def = world_def("newton", 0.01);
    SnWorld* world;
    SnMesh* mesh;
    SnBodyDef body = sn_default_body_def();
    SnDampingDef drag = sn_default_damping_def("drag");
    SnHandleDef all = sn_default_handle_def();
    SnObstacleDef floor = plane(0, 1, 0, 0, 0);
    SnStepReport last, report;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){0.2, 0.2, 0.2}, (int[]){1, 1, 1}, &mesh));
    for (int i = 0; i < sn_mesh_node_count(mesh); i++) sn_mesh_nodes(mesh)[3 * i + 1] += 0.025;
    body.mesh = mesh, body.damping = &drag, body.damping_count = 1;
    drag.beta = 1, all.motion.velocity[1] = -1;
    check_ok(sn_world_add_body(world, &body, NULL));
    check_ok(sn_world_add_handle(world, &all, NULL));
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    sn_mesh_destroy(mesh);
    check_ok(sn_world_measure(world, &last));
    for (int i = 0; i < 5; i++, last = report) {
        check_ok(sn_world_step(world, &report));
        double gained = report.momentum[1] - last.momentum[1], given = report.impulse[1] - last.impulse[1];
        check_near(gained, given, 1e-12 * (fabs(gained) + fabs(last.impulse[1])));
        assert_int_equal(report.outcome, i < 2 ? SN_OUTCOME_CONVERGED : SN_OUTCOME_STALLED);
        check(i < 2 || strstr(report.detail, "in the way of the handles"));
        check(bottom(world) > 0);
    }
    sn_world_destroy(world);
}

static int asked; // distances

static double counted_distance(const SnObstacleShape* shape, const double p[3], double gradient[3])
{
    (void)shape;
    __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
    gradient[0] = gradient[2] = 0, gradient[1] = 1;
    return p[1];
}

// Of nodes that stay far from an obstacle that stays, distances are found once in a stage and once for the report; it
// is met all the same.
static void test_far_nodes_are_asked_once(void** state)
{
    (void)state;
    static const SnObstacleType counted = {.name = "counted", .distance = counted_distance};
    SnObstacleDef def = sn_default_obstacle_def();
    def.shape = (SnObstacleShape){.custom = &counted};
    SnWorld* world = block_world(&def, "auto", 0.5, false, -1);
    check_ok(sn_world_step(world, NULL));
    asked = 0;
    for (int i = 0; i < 10; i++) check_ok(sn_world_step(world, NULL));
    check(asked > 0 && asked <= 10 * 2 * sn_world_node_count(world));
    for (int i = 0; i < 60; i++) {
        check_ok(sn_world_step(world, NULL));
        check(bottom(world) > 0);
    }
    check(bottom(world) < 0.01);
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_far_nodes_are_asked_once),
    cmocka_unit_test(test_push_does_not_limit_what_carries),
    cmocka_unit_test(test_fast_change),
    cmocka_unit_test(test_fast_slide),
    cmocka_unit_test(test_held_nodes_stay_out),
    cmocka_unit_test(test_held_nodes_in_the_way),
    cmocka_unit_test(test_work_of_vertices),
    cmocka_unit_test(test_no_thickness),
};
RUN_TESTS(tests, NULL, NULL)
