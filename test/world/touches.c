// What is told of contacts: forces against closed forms, distances, depths, and how far contacts are from their laws.
#include "touching.h"

#include "mesh/mesh.h"

typedef struct Sum {
    double normal, friction[3], force[3]; // N: sums; all that is on the body
    int count[3];                         // by state
} Sum;

// Of the contacts of a body with another one, or with an obstacle.
static Sum add_up(const SnWorld* world, int body, int other_body, int obstacle)
{
    Sum sum = {0};
    for (int i = 0; i < sn_world_contact_count(world); i++) {
        SnContactInfo c;
        check_ok(sn_world_contact(world, i, &c));
        bool is = c.body == body && c.other_body == other_body && c.obstacle == obstacle;
        bool reversed = other_body >= 0 && c.body == other_body && c.other_body == body;
        if (!is && !reversed) continue;
        sum.normal += c.force;
        sum.count[c.state]++;
        for (int a = 0; a < 3; a++) {
            sum.friction[a] += (is ? 1 : -1) * c.friction[a];
            sum.force[a] += (is ? 1 : -1) * (c.force * c.normal[a] + c.friction[a]);
        }
    }
    return sum;
}

static SnWorld* incline(const char* solver, const char* integrator, double tangent, double mu)
{
    double g = 9.81, angle = atan(tangent);
    SnWorld* world;
    SnWorldDef def = world_def(solver, 0.01);
    def.integrator = integrator;
    def.gravity[0] = g * sin(angle), def.gravity[1] = -g * cos(angle);
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.4, 0.1, 0.3}, (int[]){4, 1, 3}, (double[]){0, 1e-3, 0}, NULL, 1e7);
    SnObstacleDef floor = plane(0, 1, 0, 0, mu);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    return world;
}

// N = m g cos; friction m g sin where it sticks, mu N where it slips. Mean over the last steps: some integrators ring.
static void check_incline(const char* solver, const char* integrator, double tangent, double error)
{
    double mu = 0.5, weight = 1000 * 0.4 * 0.1 * 0.3 * 9.81, normal = weight * cos(atan(tangent));
    enum { STEPS = 80, LAST = 40 };
    SnWorld* world = incline(solver, integrator, tangent, mu);
    Sum mean = {0}, now;
    for (int i = 0; i < STEPS; i++) {
        SnStepReport report = step(world);
        now = add_up(world, 0, -1, 0);
        assert_int_equal(report.contacts, now.count[SN_CONTACT_STICKS] + now.count[SN_CONTACT_SLIDES]);
        const double* errors = &report.errors.pull;
        for (int k = 0; k < 5; k++) check(errors[k] >= 0 && errors[k] < 0.01);
        if (i < STEPS - LAST) continue;
        check_near(report.distance, 1e-3, 1e-5);
        mean.normal += now.normal / LAST;
        for (int a = 0; a < 3; a++) mean.friction[a] += now.friction[a] / LAST, mean.force[a] += now.force[a] / LAST;
    }
    double rub = tangent < mu ? normal * tangent : mu * normal;
    if (fabs(mean.normal - normal) > 1e-3 * normal || fabs(mean.friction[0] + rub) > error * normal)
        fail_msg("%s, %s, tan %g: %g of %g N, friction %g of %g N", solver, integrator, tangent, mean.normal, normal,
                 -mean.friction[0], rub);
    check_near(mean.friction[1], 0, 1e-9);
    check_near(mean.friction[2], 0, 1e-3 * normal);
    check_near(mean.force[1], mean.normal, 1e-9);
    check(now.count[tangent < mu ? SN_CONTACT_STICKS : SN_CONTACT_SLIDES] >= 16); // of 20: corners may just slip
    sn_world_destroy(world);
}

static void test_forces_on_an_incline(void** state)
{
    (void)state;
    static const char* const integrators[] = {"backward-euler", "bdf2", "trapezoidal", "implicit-midpoint", "tr-bdf2"};
    static const char* const others[] = {"auto", "lbfgs", "dot", "chebyshev", "admm", "pd"};
    for (int i = 0; i < 5; i++)
        for (int slips = 0; slips < 2; slips++) check_incline("newton", integrators[i], slips ? 0.6 : 0.4, 1e-3);
    for (int i = 0; i < 6; i++)
        for (int slips = 0; slips < 2; slips++) check_incline(others[i], "backward-euler", slips ? 0.6 : 0.4, 2e-3);
}

// Where contacts are, which nodes bear them, and that bad numbers are refused.
static void test_contacts_of_a_block(void** state)
{
    (void)state;
    SnContactInfo c;
    SnWorld* world = incline("newton", "backward-euler", 0.4, 0.5);
    assert_int_equal(sn_world_contact_count(world), 0);
    for (int i = 0; i < 5; i++) step(world);
    int count = sn_world_contact_count(world);
    assert_int_equal(count, 20);
    for (int i = 0; i < count; i++) {
        check_ok(sn_world_contact(world, i, &c));
        const double* x = sn_world_positions(world) + 3 * c.nodes[0];
        check(c.body == 0 && c.other_body == -1 && c.obstacle == 0 && c.node_count == 1 && c.nodes[1] == -1);
        for (int a = 0; a < 3; a++) check(c.point[a] == x[a] && c.normal[a] == (a == 1));
        check_near(c.gap, x[1] - 1e-3, 1e-15);
        check(c.thickness == 1e-3 && c.coefficient == 0.5 && c.force > 0);
    }
    check_fails(sn_world_contact(world, count, &c), SN_ERROR_VALUE, "no contact 20");
    check_fails(sn_world_contact(world, -1, &c), SN_ERROR_VALUE, "no contact -1");
    assert_string_equal(sn_contact_state_name(SN_CONTACT_STICKS), "sticks");
    size_t size = sn_world_state_size(world);
    void* bytes = malloc(size);
    check_ok(sn_world_save_state(world, bytes, size));
    check_ok(sn_world_restore_state(world, bytes, size));
    assert_int_equal(sn_world_contact_count(world), 0);
    free(bytes);
    sn_world_destroy(world);
}

// The force between two boxes is the weight of the upper one; the floor bears both.
static void test_stacked_boxes(void** state)
{
    (void)state;
    static const char* const all[] = {"newton", "lbfgs"};
    for (int s = 0; s < 2; s++) {
        double upper = 1000 * 0.15 * 0.1 * 0.12 * 9.81, lower = 1000 * 0.2 * 0.1 * 0.2 * 9.81;
        SnWorld* world;
        SnWorldDef def = world_def(all[s], 0.02);
        def.contact.bodies = true, def.contact.friction = 0.4;
        check_ok(sn_world_create(&def, &world));
        add_box(world, (double[]){0.2, 0.1, 0.2}, (int[]){3, 2, 3}, (double[]){0, 1e-3, 0}, NULL, 1e6);
        add_box(world, (double[]){0.15, 0.1, 0.12}, (int[]){2, 2, 2}, (double[]){0.03, 0.1021, 0.02}, NULL, 1e6);
        SnObstacleDef floor = plane(0, 1, 0, 0, 0.4);
        check_ok(sn_world_add_obstacle(world, &floor, NULL));
        for (int i = 0; i < 100; i++) step(world);
        Sum between = add_up(world, 1, 0, -1), below = add_up(world, 0, -1, 0);
        check_near(between.force[1], upper, 1e-3 * upper);
        check_near(below.force[1], upper + lower, 1e-3 * (upper + lower));
        check(add_up(world, 1, -1, 0).normal == 0);
        for (int a = 0; a < 3; a += 2) { // forces have settled to 0.2 %
            check_near(between.force[a], 0, 2e-3 * upper);
            check_near(below.force[a], 0, 2e-3 * upper);
        }
        assert_int_equal(between.count[SN_CONTACT_SLIDES] + below.count[SN_CONTACT_SLIDES], 0);
        sn_world_destroy(world);
    }
}

// Two boxes whose faces are so far apart, one turned so that edges are nearest.
static double distance_of(double gap, bool turned)
{
    SnWorld* world;
    SnMesh* mesh;
    SnWorldDef def = world_def("newton", 0.01);
    def.contact.bodies = true;
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){1, 1, 1}, (double[]){0, 0, 0}, NULL, 1e6);
    check_ok(sn_mesh_make_box((double[]){0.1, 0.1, 0.1}, (int[]){1, 1, 1}, &mesh));
    double c = turned ? sqrt(0.5) : 1, s = turned ? sqrt(0.5) : 0, *x = sn_mesh_nodes(mesh), top = turned ? 0.2 : 0;
    for (int i = 0; i < sn_mesh_node_count(mesh); i++) { // about z, standing on an edge that sticks out of the box
        double p[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        x[3 * i] = c * p[0] - s * p[1] + 0.1, x[3 * i + 1] = s * p[0] + c * p[1], x[3 * i + 2] = 3 * p[2] - top / 4;
    }
    add_mesh(world, mesh, (double[]){0, 0.2 + gap, turned ? 0 : 0.02}, NULL, 1e6);
    SnStepReport report;
    check_ok(sn_world_measure(world, &report));
    check(report.depth == 0);
    sn_world_destroy(world);
    return report.distance;
}

static void test_distance(void** state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        check_near(distance_of(1.2e-3, turned), 1.2e-3, 1e-15);
        check_near(distance_of(1e-6, turned), 1e-6, 1e-15);
        check(isinf(distance_of(1.6e-3, turned)));
    }
}

// A ball inside a block, which only a node that is on no surface touches; and a block that falls on a floor by the
// implicit midpoint, whose contacts are for another time than the state.
static void test_depth(void** state)
{
    (void)state;
    SnWorld* world;
    SnWorldDef def = world_def("newton", 0.01);
    def.gravity[1] = 0;
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){1, 1, 1}, (int[]){2, 2, 2}, (double[]){-0.5, -0.5, -0.5}, NULL, 1e5);
    SnObstacleDef ball = sn_default_obstacle_def();
    ball.shape = sn_obstacle("sphere");
    ball.shape.radius = 0.1, ball.shape.point[0] = 0.02;
    check_ok(sn_world_add_obstacle(world, &ball, NULL));
    SnStepReport report;
    check_ok(sn_world_measure(world, &report));
    check_near(report.depth, 0.08, 1e-12);
    check_ok(sn_world_step(world, &report)); // it is on its way out
    const double* x = sn_world_positions(world);
    double depth = 0;
    for (int i = 0; i < sn_world_node_count(world); i++)
        depth = fmax(depth, 0.1 - hypot(hypot(x[3 * i] - 0.02, x[3 * i + 1]), x[3 * i + 2]));
    check_near(report.depth, depth, 1e-12);
    check(depth > 0.05 && depth < 0.08);
    sn_world_destroy(world);

    def = world_def("newton", 0.01);
    def.integrator = "implicit-midpoint";
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){2, 2, 2}, (double[]){0, 0.3, 0}, NULL, 1e6);
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.3);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    bool touched = false;
    for (int i = 0; i < 60; i++) {
        check_ok(sn_world_step(world, &report));
        double low = INFINITY;
        for (int k = 0; k < sn_world_node_count(world); k++) low = fmin(low, sn_world_positions(world)[3 * k + 1]);
        check(report.depth == fmax(-low, 0));
        check(low > 1.5e-3 ? isinf(report.distance) : report.distance == low);
        for (int k = 0; k < sn_world_contact_count(world); k++) {
            SnContactInfo c;
            check_ok(sn_world_contact(world, k, &c));
            check_near(c.gap, c.point[1] - 1e-3, 1e-12); // the plane does not turn
        }
        touched |= report.contacts > 0;
    }
    check(touched);
    sn_world_destroy(world);
}

// The errors of a report are what its contacts say.
static void check_errors(const SnWorld* world, const SnContactErrors* e)
{
    double pull = 0, all = 0, gap = 0, product = 0, reach = 0, cone = 0, force = 0, slip = 0, rub = 0;
    for (int i = 0; i < sn_world_contact_count(world); i++) {
        SnContactInfo c;
        check_ok(sn_world_contact(world, i, &c));
        double f = c.force, s = 0, r = 0, rs = 0, limit = c.coefficient * f;
        for (int a = 0; a < 3; a++)
            s += c.slip[a] * c.slip[a], r += c.friction[a] * c.friction[a], rs += c.slip[a] * c.friction[a];
        check(f >= 0 && (f > 0) == (c.state != SN_CONTACT_OPEN));
        pull += f < 0 ? -f : 0, all += fabs(f), force += f;
        gap = fmax(gap, -c.gap / c.thickness);
        product += f * fabs(c.gap), reach += f * c.thickness;
        cone += fmax(sqrt(r) - limit, 0);
        slip += fmax(limit * sqrt(s) + rs, 0), rub += limit * c.thickness;
    }
    check(e->pull == (all > 0 ? pull / all : 0));
    check_near(e->gap, gap, 1e-12);
    check_near(e->product, reach > 0 ? product / reach : 0, 1e-12);
    check_near(e->cone, force > 0 ? cone / force : 0, 1e-12);
    check_near(e->slip, rub > 0 ? slip / rub : 0, 1e-12);
}

// A pile with as many iterations as it takes, and with few: the errors tell.
static void test_errors_of_contacts(void** state)
{
    (void)state;
    double most[2][5] = {{0}};
    for (int few = 0; few < 2; few++) {
        SnWorld* world;
        SnWorldDef def = world_def("lbfgs", 0.01);
        def.contact.bodies = true, def.contact.friction = 0.3;
        if (few) def.solver.iterations = 2, def.contact.parts = 1;
        check_ok(sn_world_create(&def, &world));
        for (int i = 0; i < 3; i++)
            add_box(world, (double[]){0.2, 0.1, 0.2}, (int[]){2, 1, 2}, (double[]){0.03 * i, 0.002 + 0.104 * i, 0},
                    (double[]){0.5, -0.5, 0}, 1e5);
        SnObstacleDef floor = plane(0, 1, 0, 0, 0.5);
        check_ok(sn_world_add_obstacle(world, &floor, NULL));
        for (int i = 0; i < 20; i++) {
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            check(few || report.outcome == SN_OUTCOME_CONVERGED);
            check_errors(world, &report.errors);
            for (int k = 0; k < 5; k++) most[few][k] = fmax(most[few][k], (&report.errors.pull)[k]);
        }
        sn_world_destroy(world);
    }
    for (int k = 0; k < 5; k++) print_message("error %d: %g, with two iterations %g\n", k, most[0][k], most[1][k]);
    check(most[0][0] == 0 && most[1][0] == 0);
    for (int k = 1; k < 5; k++) check(most[0][k] < 0.03 && most[1][k] > 5 * most[0][k]);
}

// A sheet between two planes that leave it less room than both ask for: that it is not kept is said.
static void test_contradiction_is_said(void** state)
{
    (void)state;
    SnWorld* world;
    SnMesh* mesh;
    SnWorldDef def = world_def("newton", 0.01);
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_cloth((double[]){0.1, 0.1}, (int[]){2, 2}, &mesh));
    SnBodyDef body = sn_default_body_def();
    for (int i = 0; i < sn_mesh_node_count(mesh); i++) sn_mesh_nodes(mesh)[3 * i + 1] = 5e-4;
    body.mesh = mesh;
    body.material = sn_material("neo-hookean", 1e5, 0.3, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    SnObstacleDef below = plane(0, 1, 0, 0, 0.3), above = plane(0, -1, 0, -1e-3, 0.3);
    check_ok(sn_world_add_obstacle(world, &below, NULL));
    check_ok(sn_world_add_obstacle(world, &above, NULL));
    for (int i = 0; i < 5; i++) {
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        check(report.errors.gap > 0.3);
        if (!strstr(report.detail, "contacts are not kept") && sn_outcome_meets(report.outcome))
            fail_msg("%s \"%s\": gap %g", sn_outcome_name(report.outcome), report.detail, report.errors.gap);
    }
    sn_world_destroy(world);
}

// The same contacts for any number of threads.
static void test_same_contacts_any_threads(void** state)
{
    (void)state;
    SnWorld *one = pile(1, "newton"), *three = pile(3, "newton");
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        SnStepReport a = step(one), b = step(three);
        check(a.distance == b.distance && a.contacts == b.contacts);
        assert_memory_equal(&a.errors, &b.errors, sizeof a.errors);
        assert_int_equal(sn_world_contact_count(one), sn_world_contact_count(three));
        for (int k = 0; k < sn_world_contact_count(one); k++, sum++) {
            SnContactInfo c, d;
            check_ok(sn_world_contact(one, k, &c));
            check_ok(sn_world_contact(three, k, &d));
            assert_memory_equal(c.nodes, d.nodes, sizeof c.nodes);
            assert_memory_equal(c.point, d.point, sizeof c - offsetof(SnContactInfo, point));
        }
    }
    check(sum > 100);
    sn_world_destroy(one), sn_world_destroy(three);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_forces_on_an_incline),
    cmocka_unit_test(test_contacts_of_a_block),
    cmocka_unit_test(test_stacked_boxes),
    cmocka_unit_test(test_distance),
    cmocka_unit_test(test_depth),
    cmocka_unit_test(test_errors_of_contacts),
    cmocka_unit_test(test_contradiction_is_said),
    cmocka_unit_test(test_same_contacts_any_threads),
};
RUN_TESTS(tests, NULL, NULL)
