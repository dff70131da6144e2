// Contact and friction against closed forms: sliding, sticking, leaning, rolling, resting, piling.
#include "touching.h"

// v decreases by mu g h each step and the block stops where backward Euler has it: sum of v h.
static void test_sliding_block(void** state)
{
    (void)state;
    for (int s = 0; s < SOLVERS; s++) {
        double mu = 0.3, g = 9.81, h = 0.01, v = 1, way = 0;
        SnWorld* world;
        SnWorldDef def = world_def(solvers[s], h);
        check_ok(sn_world_create(&def, &world));
        add_box(world, (double[]){0.4, 0.1, 0.3}, (int[]){4, 1, 3}, (double[]){0, 1e-3, 0}, (double[]){v, 0, 0}, 1e7);
        SnObstacleDef floor = plane(0, 1, 0, 0, mu);
        check_ok(sn_world_add_obstacle(world, &floor, NULL));
        int n = sn_world_node_count(world);
        double start = mean(sn_world_positions(world), n, 0), mass = 1000 * 0.4 * 0.1 * 0.3;
        SnStepReport report = {0};
        for (int k = 0; k < 50; k++) {
            double before = v;
            report = step(world);
            v = report.momentum[0] / mass;
            way += h * (before > mu * g * h ? before - mu * g * h : 0);
            if (k >= 5 && before > 3 * mu * g * h) check_near((before - v) / h, mu * g, 0.002 * mu * g);
        }
        check_near(v, 0, 2e-4);
        check_near(mean(sn_world_positions(world), n, 0) - start, way, 0.01 * way);
        // All of the kinetic energy is accounted for, and nearly all went into friction; the rest is the integrator's.
        check_near(report.energy.friction + report.energy.numerical, 0.5 * mass, 1e-3 * mass);
        check(report.energy.friction > 0.45 * mass && report.energy.friction < 0.5 * mass);
        sn_world_destroy(world);
    }
}

static void check_incline(const char* solver, double mu, double angle)
{
    double g = 9.81, h = 0.01;
    SnWorld* world;
    SnWorldDef def = world_def(solver, h);
    def.gravity[0] = g * sin(angle), def.gravity[1] = -g * cos(angle);
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.4, 0.1, 0.3}, (int[]){4, 1, 3}, (double[]){0, 1e-3, 0}, NULL, 1e7);
    SnObstacleDef floor = plane(0, 1, 0, 0, mu);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    double before = 0, after = 0;
    for (int i = 0; i < 40; i++) {
        before = after;
        after = step(world).momentum[0] / (1000 * 0.4 * 0.1 * 0.3);
    }
    if (tan(angle) < mu)
        check(fabs(after) < 1e-6); // it sticks
    else
        check_near((after - before) / h, g * (sin(angle) - mu * cos(angle)), 0.01 * g);
    sn_world_destroy(world);
}

// How far a block of 10 MPa on an incline of tan 0.45, mu = 0.5, moves in ten seconds, after one.
static double creep(SnWorldDef def, const SnDampingDef* damping)
{
    double g = 9.81, angle = atan(0.45), moved = 0, *x;
    SnWorld* world;
    SnMesh* mesh;
    SnBodyDef body = sn_default_body_def();
    def.gravity[0] = g * sin(angle), def.gravity[1] = -g * cos(angle);
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){0.4, 0.1, 0.3}, (int[]){4, 1, 3}, &mesh));
    for (int i = 0; i < sn_mesh_node_count(mesh); i++) sn_mesh_nodes(mesh)[3 * i + 1] += 1e-3;
    body.mesh = mesh, body.material = sn_material("neo-hookean", 1e7, 0.3, 1000);
    if (damping) body.damping = damping, body.damping_count = 1;
    check_ok(sn_world_add_body(world, &body, NULL));
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.5);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    int n = 3 * sn_world_node_count(world);
    for (int i = 0; i < 50; i++) check_ok(sn_world_step(world, NULL));
    assert_non_null(x = malloc((size_t)n * sizeof *x));
    memcpy(x, sn_world_positions(world), (size_t)n * sizeof *x);
    for (int i = 0; i < 500; i++) check_ok(sn_world_step(world, NULL));
    for (int k = 0; k < n; k++) moved = fmax(moved, fabs(sn_world_positions(world)[k] - x[k]));
    free(x);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
    return moved;
}

// A block on an incline does not move from where it has come to rest.
static void test_sticks(void** state)
{
    (void)state;
    static const char* const all[] = {"newton", "auto", "lbfgs", "dot", "chebyshev", "admm", "pd"};
    for (int s = 0; s < 7; s++) {
        double moved = creep(world_def(all[s], 0.02), NULL);
        if (!(moved < 1e-6)) fail_msg("%s: %g m", all[s], moved);
    }
}

// With integrators that damp nothing by themselves, a block that rings goes down a little whenever it is light: it
// needs a damping of its own.
static void test_sticks_with_any_integrator(void** state)
{
    (void)state;
    static const char* const all[] = {"backward-euler", "bdf2", "tr-bdf2", "trapezoidal", "implicit-midpoint"};
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    damping.beta = 0.01;
    for (int k = 0; k < 8; k++) {
        SnWorldDef def = world_def("auto", 0.02);
        def.integrator = all[k % 5];
        double moved = creep(def, k < 5 ? &damping : NULL);
        if (!(moved < 1e-6)) fail_msg("%s, %s: %g m", all[k % 5], k < 5 ? "damped" : "undamped", moved);
    }
}

// tan(angle) against mu, from 0.5 to 1.5 of the angle at which it slips.
static void test_incline(void** state)
{
    (void)state;
    double mu = 0.5, critical = atan(mu);
    for (int k = 0; k < 10 * SOLVERS; k++) check_incline(solvers[k / 10], mu, critical * (0.55 + 0.1 * (k % 10)));
}

// A rod leaning between floor and wall, friction mu at both ends, stays iff tan(angle from the horizontal) >= (1 -
// mu^2)/(2 mu); a bar of length l and width w, which touches with its lower edges, iff tan >= (1 - mu^2)/(2 mu + (1 +
// mu^2) w/l). Its foot moves away from the wall otherwise. Three angles for each of three coefficients.
static void test_leaning(void** state)
{
    (void)state;
    const double mus[3] = {0.3, 0.5, 0.8}, around[3] = {0.75, 1.1, 1.25};
    for (int k = 0; k < 9; k++) {
        double mu = mus[k / 3], width = 0.05, critical = atan((1 - mu * mu) / (2 * mu + (1 + mu * mu) * width)),
               angle = critical * around[k % 3];
        if (angle > 1.45) angle = 1.45; // upright
        double length = 1, c = cos(angle), s = sin(angle), touch = 1e-3;
        SnWorld* world;
        SnMesh* mesh;
        SnWorldDef def = world_def("newton", 0.01);
        check_ok(sn_world_create(&def, &world));
        check_ok(sn_mesh_make_box((double[]){length, width, 0.1}, (int[]){10, 1, 1}, &mesh));
        double *x = sn_mesh_nodes(mesh), low[2] = {1, 1};
        for (int i = 0; i < sn_mesh_node_count(mesh); i++) { // its upper end at the wall x = 0, to the left
            double along = x[3 * i], across = x[3 * i + 1];
            x[3 * i] = (length - along) * c + across * s;
            x[3 * i + 1] = along * s + across * c;
            for (int a = 0; a < 2; a++) low[a] = fmin(low[a], x[3 * i + a]);
        }
        // Mirrored, so turned inside out: swap the z side.
        for (int i = 0; i < sn_mesh_node_count(mesh); i++) x[3 * i + 2] = -x[3 * i + 2];
        add_mesh(world, mesh, (double[]){touch - low[0], touch - low[1], 0}, NULL, 2e8);
        SnObstacleDef floor = plane(0, 1, 0, 0, mu), wall = plane(1, 0, 0, 0, mu);
        check_ok(sn_world_add_obstacle(world, &floor, NULL));
        check_ok(sn_world_add_obstacle(world, &wall, NULL));
        double before = mean(sn_world_positions(world), sn_world_node_count(world), 1);
        for (int i = 0; i < 40; i++) check_ok(sn_world_step(world, NULL));
        double fallen = before - mean(sn_world_positions(world), sn_world_node_count(world), 1);
        bool stays = angle >= critical;
        if (stays != (fallen < 0.004))
            fail_msg("mu %g, angle %g (critical %g): fell %g m", mu, angle * 180 / SN_PI, critical * 180 / SN_PI,
                     fallen);
        sn_world_destroy(world);
    }
}

// A ball that spins on the floor picks up speed and rolls: w0 r 2/7 in the end, whatever the friction. It is soft
// enough for several faces to touch: a stiff one tumbles from face to face and loses energy at each edge, as polyhedra
// do.
static void test_spinning_ball(void** state)
{
    (void)state;
    double radius = 0.1, spin = -10, h = 0.001;
    SnWorld* world;
    SnMesh* mesh;
    SnWorldDef def = world_def("newton", h);
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_sphere(radius, 3, &mesh));
    int n = sn_mesh_node_count(mesh);
    double *x = sn_mesh_nodes(mesh), *v = malloc(3 * (size_t)n * sizeof *v);
    assert_non_null(v);
    for (int i = 0; i < n; i++) v[3 * i] = -spin * x[3 * i + 1], v[3 * i + 1] = spin * x[3 * i], v[3 * i + 2] = 0;
    for (int i = 0; i < n; i++) x[3 * i + 1] += radius + 1e-3;
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.velocity = v, body.material = sn_material("neo-hookean", 1e6, 0.3, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.2);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    SnStepReport report, first;
    check_ok(sn_world_measure(world, &first));
    for (int i = 0; i < 170; i++) { // it slides for 2/7 w r/(mu g) = 0.15 s
        report = step(world);
    }
    double speed = report.momentum[0] / info.mass;
    double inertia = first.angular_momentum[2] / spin; // 2/5 m r^2, if its masses were not in nodes
    check_near(inertia, 0.4 * info.mass * radius * radius, 0.02 * inertia);
    double wanted = -spin * radius * inertia / (inertia + info.mass * radius * radius);
    check_near(speed, wanted, 0.01 * wanted);
    const double *p = sn_world_positions(world), *u = sn_world_velocities(world);
    double lowest = 1, slip = 0;
    for (int i = 0; i < n; i++)
        if (p[3 * i + 1] < lowest) lowest = p[3 * i + 1], slip = u[3 * i];
    check_near(slip, 0, 0.05 * speed); // it rolls
    free(v);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

// A clamp: a block of 1 x 1 x 0.3 m with a slot of 0.2 m from one side.
static SnMesh* make_clamp(void)
{
    SnMesh *whole, *clamp;
    check_ok(sn_mesh_make_box((double[]){1, 1, 0.3}, (int[]){10, 5, 3}, &whole));
    const int* from = sn_mesh_tetrahedra(whole);
    const double* x = sn_mesh_nodes(whole);
    int count = 0, *kept = malloc(4 * (size_t)sn_mesh_tetrahedron_count(whole) * sizeof *kept);
    assert_non_null(kept);
    for (int t = 0; t < sn_mesh_tetrahedron_count(whole); t++) {
        double centre[2] = {0};
        for (int a = 0; a < 4; a++)
            for (int c = 0; c < 2; c++) centre[c] += x[3 * from[4 * t + a] + c] / 4;
        if (centre[0] > 0.2 && centre[1] > 0.4 && centre[1] < 0.6) continue;
        memcpy(kept + 4 * (size_t)count++, from + 4 * (size_t)t, 4 * sizeof *kept);
    }
    SnMeshDef def = sn_default_mesh_def();
    def.node_count = sn_mesh_node_count(whole), def.nodes = x, def.tetrahedron_count = count, def.tetrahedra = kept;
    check_ok(sn_mesh_create(&def, &clamp));
    sn_mesh_destroy(whole);
    free(kept);
    return clamp;
}

// Its lower jaw is held, and the upper one bends down under its weight. How deep nodes of that were ever in the lower
// one, whose shape does not change.
static double deepest_of_the_upper_jaw(const char* solver, bool self)
{
    SnWorldDef def = world_def(solver, 0.01);
    def.contact.self = self;
    SnWorld* world;
    check_ok(sn_world_create(&def, &world));
    add_mesh(world, make_clamp(), (double[]){0, 0, 0}, NULL, 1e5);
    int n = sn_world_node_count(world), held = 0, upper = 0, *nodes = malloc(2 * (size_t)n * sizeof *nodes);
    assert_non_null(nodes);
    const double* x = sn_world_positions(world);
    for (int i = 0; i < n; i++) {
        if (x[3 * i + 1] < 0.41) nodes[held++] = i;
        if (x[3 * i + 1] > 0.59) nodes[2 * n - ++upper] = i;
    }
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = nodes, handle.node_count = held;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    double deepest = 0, energy = INFINITY;
    int touched = 0;
    for (int i = 0; i < 50; i++) {
        SnStepReport report = step(world);
        touched += report.contacts > 0;
        double now = report.energy.kinetic + report.energy.elastic + report.energy.gravity;
        check(now <= energy + 1e-6);
        energy = now;
        x = sn_world_positions(world);
        for (int k = 1; k <= upper; k++) {
            const double* p = x + 3 * nodes[2 * n - k];
            deepest = fmax(deepest, fmin(fmin(0.4 - p[1], 1 - p[0]), fmin(p[2], 0.3 - p[2])));
        }
    }
    check(self == (touched > 20));
    sn_world_destroy(world);
    free(nodes);
    return deepest;
}

// It stops at the lower jaw if the body touches itself, and goes through it otherwise.
static void test_self_contact(void** state)
{
    (void)state;
    check(deepest_of_the_upper_jaw("newton", false) > 0.05);
    for (int s = 0; s < SOLVERS; s++) check(deepest_of_the_upper_jaw(solvers[s], true) < 1e-6);
}

// The kinetic energy of what rests decays to rounding.
static void test_rest(void** state)
{
    (void)state;
    for (int s = 0; s < SOLVERS; s++) {
        SnWorld* world;
        SnWorldDef def = world_def(solvers[s], 0.01);
        check_ok(sn_world_create(&def, &world));
        add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){3, 3, 3}, (double[]){0, 0.005, 0}, NULL, 1e5);
        SnObstacleDef floor = plane(0, 1, 0, 0, 0.3);
        check_ok(sn_world_add_obstacle(world, &floor, NULL));
        SnStepReport report = {0};
        double most = 0;
        for (int i = 0; i < 400; i++) {
            report = step(world);
            most = fmax(most, report.energy.kinetic);
        }
        if (!(report.energy.kinetic < 1e-12 * most))
            fail_msg("%s: %g of %g J", solvers[s], report.energy.kinetic, most);
        check(report.contacts == 16);
        sn_world_destroy(world);
    }
}

// What lies on a conveyor goes with it; the belt's work is the block's energy and the heat.
static void test_conveyor(void** state)
{
    (void)state;
    SnWorld* world;
    SnWorldDef def = world_def("newton", 0.01);
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.2, 0.1, 0.2}, (int[]){2, 1, 2}, (double[]){0, 1e-3, 0}, NULL, 1e7);
    SnObstacleDef belt = plane(0, 1, 0, 0, 0.5);
    belt.motion.velocity[2] = 0.5;
    check_ok(sn_world_add_obstacle(world, &belt, NULL));
    SnStepReport report = {0};
    for (int i = 0; i < 40; i++) report = step(world);
    double mass = 4;
    check_near(report.momentum[2] / mass, 0.5, 1e-3);
    check_near(report.energy.pins, mass * 0.25, 0.02 * mass); // m v^2: half kinetic, half heat
    check_near(report.energy.kinetic, mass * 0.125, 1e-3 * mass);
    check_near(report.impulse[2], report.momentum[2], 1e-2);
    check_near(report.impulse[1], report.momentum[1], 1e-2);
    sn_world_destroy(world);
}

static void check_pile(const char* solver)
{
    SnWorld *one = pile(1, solver), *three = pile(3, solver), *resumed = pile(2, solver);
    for (int i = 0; i < 60; i++) {
        step(one), step(three);
        check(sn_world_hash(one) == sn_world_hash(three));
        if (i != 30) continue;
        size_t size = sn_world_state_size(one);
        void* bytes = malloc(size);
        check_ok(sn_world_save_state(one, bytes, size));
        check_ok(sn_world_restore_state(resumed, bytes, size));
        free(bytes);
    }
    for (int i = 31; i < 60; i++) step(resumed);
    check(sn_world_hash(one) == sn_world_hash(resumed));
    SnStepReport report;
    check_ok(sn_world_measure(one, &report));
    check(report.energy.kinetic < 0.1);
    for (int b = 0; b < 4; b++) {
        SnBodyInfo info;
        check_ok(sn_world_body(one, b, &info));
        double y = mean(sn_world_positions(one) + 3 * info.first_node, info.node_count, 1);
        check(y > 0.035 + 0.09 * b && y < 0.06 + 0.104 * b);
    }
    sn_world_destroy(one);
    sn_world_destroy(three);
    sn_world_destroy(resumed);
}

// A pile stands, with the same bits for any number of threads and after a restore.
static void test_pile(void** state)
{
    (void)state;
    for (int s = 0; s < SOLVERS; s++) check_pile(solvers[s]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sliding_block), cmocka_unit_test(test_incline),
    cmocka_unit_test(test_sticks),        cmocka_unit_test(test_sticks_with_any_integrator),
    cmocka_unit_test(test_leaning),       cmocka_unit_test(test_spinning_ball),
    cmocka_unit_test(test_self_contact),  cmocka_unit_test(test_rest),
    cmocka_unit_test(test_conveyor),      cmocka_unit_test(test_pile),
};
RUN_TESTS(tests, NULL, NULL)
