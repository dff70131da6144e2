// Worlds whose parts come and go, or get other numbers, while they run: obstacles, handles, attachments, slides,
// materials, dampings, integrators. Each does what it would have done from the start, the ledger closes over it, and
// all of it can be made again to the same bits.
#include "check_world.h"

#include "core/random.h"
#include "mesh/mesh.h"

enum { SIDE = 3, NODES = SIDE * SIDE * SIDE };
#define STEP (1.0 / 60)
#define EDGE 0.5 // m

static const SnPose upright = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

static SnPose at(double x, double y, double z)
{
    SnPose pose = upright;
    pose.shift[0] = x, pose.shift[1] = y, pose.shift[2] = z;
    return pose;
}

static SnWorld* make_empty(const char* integrator, double tolerance)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    def.time_step = STEP, def.integrator = integrator, def.threads = 1;
    def.solver.type = "newton", def.solver.tolerance = tolerance, def.solver.iterations = 2000;
    def.contact.bodies = true;
    check_ok(sn_world_create(&def, &world));
    return world;
}

static SnMesh* cube(double y)
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[3]){EDGE, EDGE, EDGE}, (int[3]){SIDE - 1, SIDE - 1, SIDE - 1}, &mesh));
    for (int i = 0; i < NODES; i++) mesh->nodes[3 * i + 1] += y;
    return mesh;
}

static int add_cube(SnWorld* world, double y, double beta, double young)
{
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh = cube(y);
    int number;
    damping.beta = beta;
    body.mesh = mesh, body.material = sn_material("neo-hookean", young, 0.3, 125);
    body.damping = &damping, body.damping_count = 1;
    check_ok(sn_world_add_body(world, &body, &number));
    sn_mesh_destroy(mesh);
    return number;
}

static int add_floor(SnWorld* world, double height, bool shelf)
{
    SnObstacleDef def = sn_default_obstacle_def();
    int number;
    def.shape.point[1] = height, def.shelf = shelf, def.friction = 0.3;
    check_ok(sn_world_add_obstacle(world, &def, &number));
    return number;
}

// A flat block of triangles whose top is at a height.
static int add_block(SnWorld* world, double top, bool frames)
{
    SnObstacleDef def = sn_default_obstacle_def();
    SnMesh* mesh;
    int number;
    check_ok(sn_mesh_make_box((double[3]){2, 0.2, 2}, (int[3]){1, 1, 1}, &mesh));
    for (int i = 0; i < mesh->node_count; i++)
        mesh->nodes[3 * i] -= 0.75, mesh->nodes[3 * i + 1] += top - 0.2, mesh->nodes[3 * i + 2] -= 0.75;
    def.shape = sn_obstacle("mesh");
    const SnMesh* list[] = {mesh};
    if (frames)
        def.shape.frames = list, def.shape.frame_count = 1;
    else
        def.shape.mesh = mesh;
    check_ok(sn_world_add_obstacle(world, &def, &number));
    sn_mesh_destroy(mesh);
    return number;
}

static void run(SnWorld* world, int steps, SnStepReport* report)
{
    for (int i = 0; i < steps; i++) {
        check_ok(sn_world_step(world, report));
        if (report->outcome != SN_OUTCOME_CONVERGED) fail_msg("step %d: %s", (int)report->step, report->detail);
        check(report->crossings == 0);
    }
}

static double total(const SnEnergy* e)
{
    return e->kinetic + e->elastic + e->gravity - e->pins + e->viscous + e->friction + e->numerical;
}

static double lowest(const SnWorld* world, int body)
{
    double y = INFINITY;
    for (int i = NODES * body; i < NODES * (body + 1); i++) y = fmin(y, sn_world_positions(world)[3 * i + 1]);
    return y;
}

// What lies on a floor falls when that is taken away, as in free fall, and lands on what is put below it.
static void test_obstacles_come_and_go(void** unused)
{
    (void)unused;
    for (int triangles = 0; triangles < 2; triangles++) {
        SnWorld* world = make_empty("backward-euler", 1e-9);
        SnStepReport report, first;
        SnObstacleInfo info;
        add_cube(world, 0.01, 0.05, 5e4);
        int floor = triangles ? add_block(world, 0, false) : add_floor(world, 0, false);
        int below = add_floor(world, -1, true);
        check_ok(sn_world_measure(world, &first));
        run(world, 30, &report);
        check(report.contacts > 0);
        double before = report.momentum[1];
        check_ok(sn_world_remove_obstacle(world, floor));
        check_ok(sn_world_obstacle(world, floor, &info));
        check(info.out);
        run(world, 4, &report);
        check(report.contacts == 0);
        check_near(report.momentum[1] - before, -9.81 * 125 * EDGE * EDGE * EDGE * 4 * STEP, 1e-6);
        SnPose inside = at(0, 1.2, 0), there = at(0, 0.1, 0);
        uint64_t hash = sn_world_hash(world);
        check_fails(sn_world_place_obstacle(world, below, &inside), SN_ERROR_VALUE, "inside");
        check_fails(sn_world_move_obstacle(world, below, &there), SN_ERROR_VALUE, "on the shelf");
        check(sn_world_hash(world) == hash);
        check_ok(sn_world_place_obstacle(world, below, &there));
        check_fails(sn_world_place_obstacle(world, below, &there), SN_ERROR_VALUE, "there already");
        check_fails(sn_world_remove_obstacle(world, floor), SN_ERROR_VALUE, "on the shelf already");
        check_fails(sn_world_remove_obstacle(world, 5), SN_ERROR_VALUE, "no obstacle 5");
        run(world, 60, &report);
        check(report.contacts > 0 && lowest(world, 0) > -0.9 && lowest(world, 0) < -0.85);
        check_near(total(&report.energy), total(&first.energy), 1e-9 * 1e3);
        sn_world_destroy(world);
    }
}

static double far_away(const SnObstacleShape* shape, const double p[3], double gradient[3])
{
    (void)shape;
    gradient[0] = gradient[2] = 0, gradient[1] = 1;
    return p[1] + 100;
}

// A placed obstacle of triangles that something goes through is refused, and the world goes on as if nobody had asked.
static void test_refused_obstacles_leave_nothing(void** unused)
{
    (void)unused;
    SnWorld *world = make_empty("bdf2", 1e-9), *other = make_empty("bdf2", 1e-9);
    SnStepReport report;
    SnWorld* both[] = {world, other};
    for (int i = 0; i < 2; i++) {
        add_cube(both[i], 0.01, 0.05, 5e4);
        add_floor(both[i], 0, false);
        int block = add_block(both[i], 5, false);
        run(both[i], 8, &report);
        check_ok(sn_world_remove_obstacle(both[i], block));
        run(both[i], 8, &report);
    }
    SnPose through = at(0, -4.7, 0);
    check_fails(sn_world_place_obstacle(world, 1, &through), SN_ERROR_VALUE, "cross");
    SnObstacleDef def = sn_default_obstacle_def();
    def.shape.point[1] = 0.2;
    check_fails(sn_world_add_obstacle(world, &def, NULL), SN_ERROR_VALUE, "inside");
    check(sn_world_obstacle_count(world) == 2);
    run(world, 8, &report), run(other, 8, &report);
    check(sn_world_hash(world) == sn_world_hash(other));
    def.shape.point[1] = -0.5;
    check_ok(sn_world_add_obstacle(world, &def, NULL));
    check(sn_world_obstacle_count(world) == 3);
    check_ok(sn_world_remove_obstacle(world, 0));
    run(world, 60, &report);
    check(report.contacts > 0 && lowest(world, 0) > -0.5);
    static const SnObstacleType own = {.name = "own", .distance = far_away};
    check_ok(sn_world_note_changes(world, true));
    def.shape.custom = &own;
    check_fails(sn_world_add_obstacle(world, &def, NULL), SN_ERROR_VALUE, "caller's functions", "run file");
    check(sn_world_obstacle_count(world) == 3 && sn_world_event_count(world) == 0);
    check_ok(sn_world_note_changes(world, false));
    check_ok(sn_world_add_obstacle(world, &def, NULL));
    sn_world_destroy(world), sn_world_destroy(other);
}

// Triangles that are told to rise lift what lies on them, and their work is in the ledger.
static void test_shaped_obstacles_lift(void** unused)
{
    (void)unused;
    SnWorld* world = make_empty("backward-euler", 1e-9);
    SnStepReport report, first;
    SnMesh* mesh;
    add_cube(world, 0.01, 0.05, 5e4);
    int block = add_block(world, 0, true), stiff = add_block(world, -3, false);
    check_ok(sn_world_measure(world, &first));
    run(world, 30, &report);
    double before = lowest(world, 0);
    check_ok(sn_world_obstacle_surface(world, block, 1, &mesh));
    for (int i = 0; i < 30; i++) {
        for (int k = 0; k < mesh->node_count; k++)
            if (mesh->nodes[3 * k + 1] > -0.1) mesh->nodes[3 * k + 1] += 0.01; // the top alone
        check_ok(sn_world_shape_obstacle(world, block, mesh->nodes));
        run(world, 1, &report);
    }
    run(world, 30, &report);
    check_near(lowest(world, 0) - before, 0.3, 1e-3);
    check(report.energy.pins > 0.9 * 9.81 * 125 * EDGE * EDGE * EDGE * 0.3);
    check_near(total(&report.energy), total(&first.energy), 1e-9 * 1e3);
    check_fails(sn_world_shape_obstacle(world, stiff, mesh->nodes), SN_ERROR_VALUE, "frames");
    mesh->nodes[1] = NAN;
    check_fails(sn_world_shape_obstacle(world, block, mesh->nodes), SN_ERROR_VALUE, "beyond");
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

// Changed before the first step, a number is as if it had been given.
static void test_numbers(void** unused)
{
    (void)unused;
    SnWorld *world = make_empty("bdf2", 1e-9), *given = make_empty("tr-bdf2", 1e-9);
    SnStepReport report, other;
    double young;
    add_cube(world, 0.01, 0.2, 1e4), add_cube(given, 0.01, 0.05, 5e4);
    add_floor(world, 0, false), add_floor(given, 0, false);
    check_ok(sn_world_set_material(world, 0, "young", 5e4));
    check_ok(sn_world_set_damping(world, 0, 0, "beta", 0.05));
    check_ok(sn_world_set_integrator(world, "tr-bdf2"));
    run(world, 12, &report), run(given, 12, &other);
    check(sn_world_hash(world) == sn_world_hash(given));
    check_ok(sn_world_material(world, 0, "young", &young));
    check_near(young, 5e4, 0);
    check_ok(sn_world_damping(world, 0, 0, "beta", &young));
    check_near(young, 0.05, 0);
    check_fails(sn_world_damping(world, 0, 0, "drag", &young), SN_ERROR_VALUE, "drag");
    check_fails(sn_world_damping(world, 0, 2, "beta", &young), SN_ERROR_VALUE, "no damping 2");
    check_ok(sn_world_set_stiffness(given, 0, 2e4, 0.3));
    check_ok(sn_world_set_material(world, 0, "young", 2e4));
    run(world, 2, &report), run(given, 2, &other);
    check(sn_world_hash(world) == sn_world_hash(given));
    check_fails(sn_world_set_material(world, 0, "fuzz", 1), SN_ERROR_VALUE, "fuzz", "young, poisson, density");
    check_fails(sn_world_set_material(world, 0, "young", -1), SN_ERROR_VALUE, "young");
    check_fails(sn_world_set_material(world, 3, "young", 1), SN_ERROR_VALUE, "body 3");
    check_fails(sn_world_set_damping(world, 0, 0, "drag", 1), SN_ERROR_VALUE, "drag");
    check_fails(sn_world_set_damping(world, 0, 0, "exponent", 1), SN_ERROR_VALUE, "exponent");
    check_fails(sn_world_set_damping(world, 0, 0, "beta", -1), SN_ERROR_VALUE, "beta");
    check_fails(sn_world_set_damping(world, 0, 1, "beta", 1), SN_ERROR_VALUE, "no damping 1");
    check_fails(sn_world_set_integrator(world, "static"), SN_ERROR_VALUE, "inertia");
    check_fails(sn_world_set_integrator(world, "eulr"), SN_ERROR_VALUE, "eulr");
    run(world, 2, &report), run(given, 2, &other);
    check(sn_world_hash(world) == sn_world_hash(given));
    sn_world_destroy(world), sn_world_destroy(given);
}

// Numbers that change on the way: what they add is somebody's work; twice the density has twice the momentum.
static void test_ledger_closes_over_numbers(void** unused)
{
    (void)unused;
    for (int s = 0; s < DYNAMIC; s++) {
        SnWorld* world = make_empty(dynamic[s], 1e-10);
        SnStepReport report, first;
        add_cube(world, 0.1, 0.02, 2e4);
        add_floor(world, 0, false);
        check_ok(sn_world_measure(world, &first));
        run(world, 12, &report);
        double momentum = report.momentum[1], pins = report.energy.pins;
        check_ok(sn_world_set_material(world, 0, "density", 250));
        check_ok(sn_world_measure(world, &report));
        check_near(report.momentum[1], 2 * momentum, 1e-9 * fabs(momentum));
        check(fabs(report.energy.pins - pins) > 0.1);
        run(world, 4, &report);
        check_ok(sn_world_set_damping(world, 0, 0, "beta", 0.2));
        run(world, 4, &report);
        check_ok(sn_world_set_integrator(world, dynamic[(s + 1) % DYNAMIC]));
        run(world, 8, &report);
        double off = fabs(total(&report.energy) - total(&first.energy));
        if (!(off < 1e-9 * 300)) fail_msg("%s: %g J", dynamic[s], off);
        sn_world_destroy(world);
    }
}

// A handle that is added on the way takes its nodes along from where they are then, by its own clock.
static void test_handles_are_added(void** unused)
{
    (void)unused;
    for (int how = 0; how < 2; how++) {
        SnWorld* world = make_empty("backward-euler", 1e-10);
        SnStepReport report, first;
        SnHandleDef def = sn_default_handle_def();
        int nodes[] = {NODES - 1, NODES - 2, NODES - 3}, handle;
        double from[3];
        add_cube(world, 0, 0.02, 5e4);
        check_ok(sn_world_measure(world, &first));
        run(world, 10, &report);
        def.nodes = nodes, def.node_count = 3, def.how = how ? SN_HOLD_ENERGY : SN_HOLD_ELIMINATE;
        def.motion.velocity[0] = 0.5, def.motion.until = 0.2, def.motion.release = 0.5;
        memcpy(from, sn_world_positions(world) + 3 * nodes[0], sizeof from);
        check_ok(sn_world_add_handle(world, &def, &handle));
        check(handle == 0);
        run(world, 6, &report);
        const double* x = sn_world_positions(world) + 3 * nodes[0];
        check_near(x[0], from[0] + 0.5 * 6 * STEP, how ? 1e-2 : 1e-12);
        check_near(x[1], from[1], how ? 1e-2 : 1e-12);
        run(world, 22, &report); // it stands still since 0.2 s
        check_near(x[0], from[0] + 0.5 * 0.2, how ? 1e-2 : 1e-12);
        run(world, 6, &report); // and has let go
        check(x[1] < from[1] - 0.01);
        check_near(total(&report.energy), total(&first.energy), 1e-9 * 300);
        sn_world_destroy(world);
    }
}

// Two cubes that fall beside a third one that is held: tied, they hang; let go, they fall.
static void test_attachments_and_slides_are_added(void** unused)
{
    (void)unused;
    SnWorld* world = make_empty("backward-euler", 1e-9);
    SnStepReport report, first;
    SnHandleDef handle = sn_default_handle_def();
    SnAttachmentDef tie = sn_default_attachment_def();
    SnSlideDef slide = sn_default_slide_def();
    int attachment, number, top[SIDE * SIDE], bottom[SIDE * SIDE], tops = 0, bottoms = 0;
    add_cube(world, 0, 0.05, 5e4), add_cube(world, EDGE + 0.02, 0.05, 5e4);
    int floor = add_floor(world, -9, false);
    for (int i = 0; i < NODES; i++) {
        double y = sn_world_positions(world)[3 * i + 1];
        if (y > 0.9 * EDGE) top[tops++] = i;
        if (y < 0.1 * EDGE) bottom[bottoms++] = i;
    }
    handle.body = 1, handle.nodes = top, handle.node_count = tops;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    check_ok(sn_world_measure(world, &first));
    run(world, 3, &report);
    tie.from = (SnPlaceDef){0, top, tops}, tie.to = (SnPlaceDef){1, bottom, bottoms}, tie.close = 0.1;
    check_ok(sn_world_add_attachment(world, &tie, &attachment));
    run(world, 40, &report);
    SnWrench force;
    check_ok(sn_world_attachment_force(world, attachment, &force));
    check_near(force.force[1], 9.81 * 125 * EDGE * EDGE * EDGE, 0.25 * 9.81 * 125 * EDGE * EDGE * EDGE);
    for (int i = 0; i < tops; i++) {
        const double* x = sn_world_positions(world);
        check_near(x[3 * top[i] + 1], x[3 * (NODES + bottom[i]) + 1], 1e-6);
    }
    slide.body = 0, slide.nodes = bottom, slide.node_count = 1, slide.on_obstacle = floor;
    double height = sn_world_positions(world)[3 * bottom[0] + 1];
    check_ok(sn_world_add_slide(world, &slide, &number));
    check_fails(sn_world_remove_obstacle(world, floor), SN_ERROR_VALUE, "slide");
    check_fails(sn_world_remove_body(world, 0), SN_ERROR_VALUE, "a slide");
    run(world, 10, &report);
    check_near(sn_world_positions(world)[3 * bottom[0] + 1], height, 1e-6);
    check_ok(sn_world_release_slide(world, number));
    check_fails(sn_world_remove_body(world, 0), SN_ERROR_VALUE, "an attachment");
    check_ok(sn_world_release_attachment(world, attachment));
    double low = lowest(world, 0);
    run(world, 10, &report);
    check(lowest(world, 0) < low - 0.1);
    check_near(total(&report.energy), total(&first.energy), 1e-7 * 300);
    check_ok(sn_world_remove_obstacle(world, floor));
    check_ok(sn_world_remove_body(world, 0)); // which nothing holds any more
    run(world, 2, &report);
    check_fails(sn_world_release_slide(world, 4), SN_ERROR_VALUE, "no slide 4");
    check_fails(sn_world_release_attachment(world, 4), SN_ERROR_VALUE, "no attachment 4");
    check_near(total(&report.energy), total(&first.energy), 1e-7 * 300);
    sn_world_destroy(world);
}

static SnWorld* make_session(int integrator)
{
    SnWorld* world = make_empty(dynamic[integrator], 1e-5);
    add_cube(world, 0.01, 0.02, 3e4), add_cube(world, EDGE + 0.05, 0.02, 3e4);
    add_floor(world, 0, false), add_floor(world, -0.5, true), add_block(world, -0.7, true);
    return world;
}

// A cube with curves, groups and a skin, far away.
static void add_ghost(SnWorld* world, double u)
{
    static const double points[][2] = {{0.5, -1}, {1, 0}, {2, 2}};
    static const char* const groups[] = {"ghost"};
    SnBodyDef body = sn_default_body_def();
    SnMesh *mesh, *skin = NULL;
    SnMeshDef surface = sn_default_mesh_def();
    double nodes[] = {0.1, 9.1, 0.1, 0.4, 9.1, 0.1, 0.1, 9.4, 0.1};
    surface.node_count = 3, surface.nodes = nodes, surface.triangle_count = 1, surface.triangles = (int[]){0, 1, 2};
    if (sn_mesh_make_box((double[3]){EDGE, EDGE, EDGE}, (int[3]){1, 1, 1}, &mesh) != SN_OK) return;
    for (int i = 0; i < mesh->node_count; i++) mesh->nodes[3 * i + 1] += 9;
    body.mesh = mesh, body.material = sn_material("spline", 2e4 + 1e4 * u, 0.3, 125);
    body.material.spline.a = (SnCurve){3, points[0]};
    body.contact.groups = groups, body.contact.group_count = 1;
    if (sn_world_body_count(world) < 4 && sn_mesh_create(&surface, &skin) == SN_OK) {
        body.skin = skin;
        (void)sn_world_add_body(world, &body, NULL);
    }
    sn_mesh_destroy(mesh), sn_mesh_destroy(skin);
}

// Below everything.
static void add_moving_block(SnWorld* world, double u)
{
    static const SnKeyframe keys[] = {{0, {0, 0, 0}}, {1, {0.1, 0, 0}}};
    static const char* const groups[] = {"ghost"};
    SnObstacleDef def = sn_default_obstacle_def();
    SnMesh *mesh, *later = NULL;
    if (sn_mesh_make_box((double[3]){1, 0.2, 1}, (int[3]){1, 1, 1}, &mesh) != SN_OK) return;
    for (int i = 0; i < mesh->node_count; i++) mesh->nodes[3 * i + 1] -= 4 + u;
    if (sn_mesh_make_box((double[3]){1, 0.3, 1}, (int[3]){1, 1, 1}, &later) == SN_OK) {
        for (int i = 0; i < later->node_count; i++) later->nodes[3 * i + 1] -= 4 + u;
        def.shape = sn_obstacle("mesh"), def.shape.frames = (const SnMesh*[]){mesh, later}, def.shape.frame_count = 2;
        def.motion.velocity[0] = 0.1, def.motion.keyframes = keys, def.motion.keyframe_count = 2;
        def.groups = groups, def.group_count = 1;
        if (sn_world_obstacle_count(world) < 8) (void)sn_world_add_obstacle(world, &def, NULL);
    }
    sn_mesh_destroy(mesh), sn_mesh_destroy(later);
}

static void disturb(SnWorld* world, SnRandom* random, int what)
{
    double u = sn_random_uniform(random, 0, 1);
    SnHandleDef handle = sn_default_handle_def();
    SnAttachmentDef tie = sn_default_attachment_def();
    SnSlideDef slide = sn_default_slide_def();
    int nodes[] = {(int)(u * NODES), 0};
    SnPose pose = at(0, 0.1 * u, 0);
    SnMesh* mesh;
    switch (what) {
    case 0: (void)sn_world_set_material(world, u < 0.5, "young", 1e4 + 4e4 * u); break;
    case 1: (void)sn_world_set_material(world, u < 0.5, "density", 100 + 100 * u); break;
    case 2: (void)sn_world_set_damping(world, u < 0.5, 0, "beta", 0.1 * u); break;
    case 3: (void)sn_world_set_integrator(world, dynamic[(int)(DYNAMIC * u)]); break;
    case 4: (void)sn_world_remove_obstacle(world, (int)(2 * u)); break;
    case 5: (void)sn_world_place_obstacle(world, (int)(2 * u), &pose); break;
    case 6:
        handle.body = u < 0.5, handle.nodes = nodes, handle.node_count = 1, handle.how = u < 0.7;
        handle.motion.velocity[1] = 0.2, handle.motion.release = 0.1;
        (void)sn_world_add_handle(world, &handle, NULL);
        break;
    case 7: (void)sn_world_release_handle(world, 0); break;
    case 8:
        tie.from = (SnPlaceDef){0, nodes, 1}, tie.to.body = 1, tie.close = 0.2;
        (void)sn_world_add_attachment(world, &tie, NULL);
        break;
    case 9: (void)sn_world_release_attachment(world, 0); break;
    case 10:
        slide.body = 1, slide.nodes = nodes, slide.node_count = 1, slide.on_obstacle = 0;
        if (sn_world_add_slide(world, &slide, NULL) == SN_OK) (void)sn_world_release_slide(world, 0);
        break;
    case 12: add_ghost(world, u); break;
    case 13: add_moving_block(world, u); break;
    default:
        check_ok(sn_world_obstacle_surface(world, 2, 1, &mesh));
        mesh->nodes[1] += 0.02 * u;
        check_ok(sn_world_shape_obstacle(world, 2, mesh->nodes));
        sn_mesh_destroy(mesh);
    }
}

// All of it at random, some of it refused, and the same done to another world.
static void test_made_again(void** unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        SnWorld *world = make_session((int)seed % DYNAMIC), *other = make_session((int)seed % DYNAMIC);
        SnRandom random = {seed};
        SnStepReport report;
        check_ok(sn_world_note_changes(world, true));
        for (int step = 0; step < 40; step++) {
            disturb(world, &random, (int)sn_random_uniform(&random, 0, 12));
            copy_events(world, other);
            check_ok(sn_world_step(world, &report));
            check_ok(sn_world_step(other, NULL));
            if (sn_world_hash(world) != sn_world_hash(other)) fail_msg("seed %d, step %d", (int)seed, step);
            check(isfinite(report.energy.kinetic) && isfinite(report.energy.elastic) && report.crossings == 0);
        }
        sn_world_destroy(world), sn_world_destroy(other);
    }
}

// Numbers of changes that come from a file may be anything.
static void test_changes_that_cannot_be(void** unused)
{
    (void)unused;
    static const char* const kinds[] = {"add-handle", "attach", "slide", "shape-obstacle"};
    SnWorld* world = make_session(0);
    double numbers[60];
    SnRandom random = {7};
    SnStepReport report;
    run(world, 2, &report);
    for (int i = 0; i < 4000; i++) {
        SnEvent event = {0, kinds[i % 4], (int)sn_random_uniform(&random, -1, 4),
                         (int)sn_random_uniform(&random, 0, 60), numbers};
        for (int k = 0; k < 60; k++) {
            double u = sn_random_uniform(&random, 0, 1);
            numbers[k] = u < 0.1 ? NAN : u < 0.2 ? 1e300 : u < 0.6 ? (int)(8 * u) - 3 : u;
        }
        (void)sn_world_apply(world, &event);
    }
    check_fails(sn_world_apply(world, &(SnEvent){0, "attach", 0, 2, (double[]){1, 1}}), SN_ERROR_VALUE, "fit");
    check_fails(sn_world_apply(world, &(SnEvent){0, "material", 0, 2, (double[]){9, 1}}), SN_ERROR_VALUE, "number 9");
    check_fails(sn_world_apply(world, &(SnEvent){0, "integrator", 99, 0, NULL}), SN_ERROR_VALUE, "?");
    sn_world_destroy(world);
}

// All of these changes, where the n-th allocation fails: an error comes back, and nothing is left or lost.
static bool change_with_failing_memory(long n)
{
    SnWorld* world = make_session(0);
    FailingMemory memory;
    SnRandom random = {3};
    SnStepReport report;
    run(world, 1, &report);
    check_ok(sn_world_note_changes(world, true));
    start_failing(&memory, n);
    for (int what = 0; what < 14; what++)
        if (what != 11) disturb(world, &random, what); // which looks at surfaces
    SnStatus status = sn_world_step(world, NULL);
    bool failed = memory.countdown == 0;
    sn_world_destroy(world);
    stop_failing(&memory);
    check(status == SN_OK || status == SN_ERROR_MEMORY);
    return failed;
}

static void test_memory_runs_out(void** unused)
{
    (void)unused;
    long n = 1;
    while (change_with_failing_memory(n)) n += n < 60 ? 1 : 37;
    check(n > 60);
}

// What is drawn is where the nodes are, and normals of a ball point from its middle.
static void test_drawn(void** unused)
{
    (void)unused;
    SnWorld* world = make_empty("backward-euler", 1e-6);
    SnBodyDef body = sn_default_body_def();
    SnBodyInfo info;
    SnMesh* mesh;
    check_ok(sn_mesh_make_sphere(1, 6, &mesh));
    body.mesh = mesh;
    check_ok(sn_world_add_body(world, &body, NULL));
    check_ok(sn_world_body(world, 0, &info));
    float *x = malloc(12 * (size_t)info.node_count), *n = malloc(12 * (size_t)info.node_count);
    check_ok(sn_world_draw(world, 0, x, n));
    int outside = 0;
    for (int i = 0; i < info.node_count; i++) {
        const double* at = sn_world_positions(world) + 3 * i;
        double length = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        for (int c = 0; c < 3; c++) check(x[3 * i + c] == (float)at[c]);
        bool on = fabs(length - 1) < 1e-9;
        outside += on;
        double along = n[3 * i] * at[0] + n[3 * i + 1] * at[1] + n[3 * i + 2] * at[2];
        check(on ? along > 0.97 : along == 0);
    }
    check(outside > 20);
    check_ok(sn_world_draw(world, 0, NULL, NULL));
    check_fails(sn_world_draw(world, 1, x, NULL), SN_ERROR_VALUE, "body 1");
    free(x), free(n);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_obstacles_come_and_go),
    cmocka_unit_test(test_refused_obstacles_leave_nothing),
    cmocka_unit_test(test_shaped_obstacles_lift),
    cmocka_unit_test(test_numbers),
    cmocka_unit_test(test_ledger_closes_over_numbers),
    cmocka_unit_test(test_handles_are_added),
    cmocka_unit_test(test_attachments_and_slides_are_added),
    cmocka_unit_test(test_made_again),
    cmocka_unit_test(test_changes_that_cannot_be),
    cmocka_unit_test(test_memory_runs_out),
    cmocka_unit_test(test_drawn),
};
RUN_TESTS(tests, NULL, NULL)
