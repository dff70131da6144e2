// Impacts: momentum and energy of bodies that hit each other, that start inside each other, that bounce.
#include "touching.h"

// Momentum stays what it was, and energy is not made. How far the angular momentum was off at most.
static double check_impact(const char* solver, double friction, double h)
{
    SnWorld* world = two_blocks(solver, "auto", friction, h, 5e-11);
    SnStepReport first, report = {0};
    check_ok(sn_world_measure(world, &first));
    int touched = 0;
    double energy = first.energy.kinetic, off = 0;
    for (int i = 0; i < 0.25 / h - 0.5; i++) {
        report = step(world);
        touched += report.contacts > 0;
        for (int c = 0; c < 3; c++) {
            check_near(report.momentum[c], first.momentum[c], 1e-6);
            off = fmax(off, fabs(report.angular_momentum[c] - first.angular_momentum[c]));
        }
        check(report.energy.kinetic + report.energy.elastic <= energy * (1 + 1e-9));
        energy = report.energy.kinetic + report.energy.elastic;
    }
    check(touched > 3 && report.contacts == 0);
    check(friction == 0 || report.energy.friction > 0.003);
    // They have bounced off each other.
    const double* v = sn_world_velocities(world);
    check(mean(v, 27, 0) < mean(v + 81, sn_world_node_count(world) - 27, 0));
    sn_world_destroy(world);
    return off;
}

// What is lost of the angular momentum is the integrator's error: it halves with the step.
static void test_impact(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double off = 0;
        for (int s = SOLVERS - 1; s >= 0; s--) check((off = check_impact(solvers[s], 0.4 * k, 0.01)) < 0.065);
        check(check_impact(solvers[0], 0.4 * k, 0.005) < 0.6 * off);
    }
}

typedef struct Messages {
    char text[2000];
} Messages;

static void note(void* user, SnLogLevel level, const char* message)
{
    Messages* m = user;
    if (level == SN_LOG_WARNING) snprintf(m->text + strlen(m->text), sizeof m->text - strlen(m->text), "%s\n", message);
}

static SnWorld* two_in_the_ground(double height, Messages* messages)
{
    SnWorld* world;
    SnWorldDef def = world_def("newton", 0.01);
    def.contact.bodies = true;
    def.log = (SnLog){messages, note};
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){2, 2, 2}, (double[]){0, -0.05, 0}, NULL, 1e5);
    add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){2, 3, 2}, (double[]){0.02, height, 0.02}, NULL, 1e5);
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.3);
    floor.name = "ground";
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    return world;
}

// A body that starts inside an obstacle comes out slowly, with a warning that names it, and takes along what lies on
// it; bodies that cross each other are refused, with the names of both.
static void test_start_inside(void** state)
{
    (void)state;
    Messages messages = {""};
    SnWorld *world = two_in_the_ground(0.16, &messages), *crossed = two_in_the_ground(0.1, &messages);
    check(sn_world_step(crossed, NULL) == SN_ERROR_VALUE);
    check(strstr(sn_last_error(), "'body 0'") && strstr(sn_last_error(), "'body 1'"));
    sn_world_destroy(crossed);
    double fastest = 0;
    messages.text[0] = 0;
    for (int i = 0; i < 45; i++) {
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        const double* v = sn_world_velocities(world);
        for (int k = 0; k < 3 * sn_world_node_count(world); k++) fastest = fmax(fastest, fabs(v[k]));
    }
    check(strstr(messages.text, "body 0") && strstr(messages.text, "ground"));
    check(fastest < 1.5);
    const double* x = sn_world_positions(world);
    for (int i = 0; i < sn_world_node_count(world); i++) check(x[3 * i + 1] > 0.9e-3);
    sn_world_destroy(world);
}

// Two blocks in one body, the upper one 5 cm deep in the lower one, are refused where the body touches itself.
static void test_start_inside_itself(void** state)
{
    (void)state;
    SnMesh *box, *both;
    check_ok(sn_mesh_make_box((double[]){0.3, 0.2, 0.3}, (int[]){3, 2, 3}, &box));
    int n = sn_mesh_node_count(box), t = sn_mesh_tetrahedron_count(box);
    double* x = malloc(6 * (size_t)n * sizeof *x);
    int* elements = malloc(8 * (size_t)t * sizeof *elements);
    assert_true(x && elements);
    for (int i = 0; i < 6 * n; i++)
        x[i] = sn_mesh_nodes(box)[i % (3 * n)] + (i < 3 * n ? 0 : (double[]){0.03, 0.15, 0.02}[i % 3]);
    for (int k = 0; k < 8 * t; k++) elements[k] = sn_mesh_tetrahedra(box)[k % (4 * t)] + (k < 4 * t ? 0 : n);
    SnMeshDef two = sn_default_mesh_def();
    two.node_count = 2 * n, two.nodes = x, two.tetrahedron_count = 2 * t, two.tetrahedra = elements;
    for (int self = 0; self < 2; self++) {
        SnWorld* world;
        SnWorldDef def = world_def("newton", 0.01);
        def.contact.self = self;
        check_ok(sn_mesh_create(&two, &both));
        check_ok(sn_world_create(&def, &world));
        add_mesh(world, both, (double[]){0, 0, 0}, NULL, 1e5);
        SnStatus status = sn_world_step(world, NULL);
        check(status == (self ? SN_ERROR_VALUE : SN_OK));
        check(!self || (strstr(sn_last_error(), "'body 0'") && strstr(sn_last_error(), "itself")));
        sn_world_destroy(world);
    }
    sn_mesh_destroy(box);
    free(x), free(elements);
}

// Without restitution the block stays, nothing gains energy, and what rests comes to rest; with it, it bounces.
static void test_restitution(void** state)
{
    (void)state;
    static const struct {
        const char* integrator;
        double gain, kinetic; // J, of 39 J that the block falls with
    } rows[] = {{"tr-bdf2", 1e-6, 1e-10}, {"bdf2", 1e-6, 1e-10}, {"trapezoidal", 0.01, 0.05}};
    for (int k = 0; k < 3; k++) {
        double height = 0.5;
        Drop stays = drop(rows[k].integrator, 0, height, 150), bounces = drop(rows[k].integrator, 1, height, 150);
        check(stays.rebound < 0.05 * height && bounces.rebound > 0.5 * height);
        check(stays.gain < rows[k].gain && bounces.gain > 10);
        check(stays.kinetic < rows[k].kinetic);
        check(stays.momentum < 2e-3 * 8 * sqrt(2 * 9.81 * height)); // of what it falls with
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_impact),
    cmocka_unit_test(test_start_inside),
    cmocka_unit_test(test_start_inside_itself),
    cmocka_unit_test(test_restitution),
};
RUN_TESTS(tests, NULL, NULL)
