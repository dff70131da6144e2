// What a report says of bodies that are inside obstacles, inside out, or at odds with themselves.
#include "touching.h"

static const char* const all_solvers[] = {"newton", "auto", "lbfgs", "dot", "chebyshev", "admm", "pd"};
enum { ALL_SOLVERS = sizeof all_solvers / sizeof *all_solvers };

static int count_inverted(const SnWorld* world)
{
    SnBodyInfo body;
    int count = 0;
    check_ok(sn_world_body(world, 0, &body));
    const double* x = sn_world_positions(world);
    for (int t = 0; t < body.tetrahedron_count; t++) {
        const double* p[4];
        double e[3][3];
        for (int k = 0; k < 4; k++) p[k] = x + 3 * body.tetrahedra[4 * t + k];
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) e[k][c] = p[k + 1][c] - p[0][c];
        double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                        e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                        e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
        count += volume <= 0;
    }
    return count;
}

// How far the deepest node is outside of low < y < high.
static double depth_of(const SnWorld* world, double low, double high)
{
    const double* x = sn_world_positions(world);
    double depth = 0;
    for (int i = 0; i < sn_world_node_count(world); i++)
        depth = fmax(depth, fmax(low - x[3 * i + 1], x[3 * i + 1] - high));
    return depth;
}

// A body that starts as its own mirror image, or flat.
static void test_inverted_elements_are_counted(void** state)
{
    (void)state;
    for (int flat = 0; flat < 2; flat++) {
        SnWorld* world;
        SnWorldDef def = world_def("newton", 0.01);
        SnMesh* mesh;
        double start[3 * 27];
        check_ok(sn_world_create(&def, &world));
        check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){2, 2, 2}, &mesh));
        for (int i = 0; i < 3 * 27; i++) start[i] = (i % 3 ? 1 : flat ? 0 : -1) * sn_mesh_nodes(mesh)[i];
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh, body.start = start;
        body.material = sn_material("arap", 1e5, 0.3, 1000);
        check_ok(sn_world_add_body(world, &body, NULL));
        SnStepReport report;
        check_ok(sn_world_measure(world, &report));
        assert_int_equal(report.inverted, sn_mesh_tetrahedron_count(mesh));
        check_ok(sn_world_step(world, &report));
        assert_int_equal(report.inverted, count_inverted(world));
        sn_mesh_destroy(mesh);
        sn_world_destroy(world);
    }
}

// The report has what is there; where the step has converged, nothing is beyond a surface.
static void check_report(const SnWorld* world, const SnStepReport* r, double low, double high, const char* solver)
{
    double depth = depth_of(world, low, high);
    check_near(r->depth, depth, 1e-12);
    assert_int_equal(r->inverted, count_inverted(world));
    if (sn_outcome_meets(r->outcome) && depth > 0)
        fail_msg("%s, step %d: converged %g m deep", solver, (int)r->step, depth);
}

// 1.7 m in a step, for a ball of 0.2 m: all of it would be beyond the plane.
static void test_ball_at_100_m_s(void** state)
{
    (void)state;
    for (int k = 0; k < ALL_SOLVERS; k++) {
        SnWorld* world;
        SnWorldDef def = world_def(all_solvers[k], 1.0 / 60);
        SnMesh* mesh;
        check_ok(sn_world_create(&def, &world));
        check_ok(sn_mesh_make_sphere(0.1, 2, &mesh));
        add_mesh(world, mesh, (double[]){0, 0.6, 0}, (double[]){0, -100, 0}, 1e6);
        SnObstacleDef floor = plane(0, 1, 0, 0, 0.3);
        check_ok(sn_world_add_obstacle(world, &floor, NULL));
        int touched = 0;
        for (int i = 0; i < 12; i++) {
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            check_report(world, &report, 0, INFINITY, all_solvers[k]);
            touched += report.contacts > 0;
        }
        check(touched > 0);
        sn_world_destroy(world);
    }
}

// A plate comes down on a box until there is an eighth of its height left.
static void test_squeezed_to_an_eighth(void** state)
{
    (void)state;
    for (int k = 0; k < ALL_SOLVERS; k++) {
        SnWorld* world;
        SnWorldDef def = world_def(all_solvers[k], 1.0 / 60);
        double height = 0.2, top = height + 4e-3, speed = 60 * (top - height / 8) / 16;
        check_ok(sn_world_create(&def, &world));
        add_box(world, (double[]){0.2, height, 0.2}, (int[]){3, 3, 3}, (double[]){0, 2e-3, 0}, NULL, 1e5);
        SnObstacleDef floor = plane(0, 1, 0, 0, 0.3), plate = plane(0, -1, 0, -top, 0.3);
        plate.motion.velocity[1] = -speed, plate.motion.until = 16.0 / 60;
        check_ok(sn_world_add_obstacle(world, &floor, NULL));
        check_ok(sn_world_add_obstacle(world, &plate, NULL));
        int late = 0;
        for (int i = 1; i <= 20; i++) {
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            SnObstacleInfo now; // where it got to: what cannot get out of its way stops it
            check_ok(sn_world_obstacle(world, 1, &now));
            check_report(world, &report, 0, top + now.pose.shift[1], all_solvers[k]);
            late += sn_outcome_meets(report.outcome) && now.pose.shift[1] > -speed * fmin(i, 16) / 60 + 1e-9;
        }
        assert_int_equal(late, 0);
        sn_world_destroy(world);
    }
}

// A box of 64 nodes between two plates that pass each other; one of its sides slides on both.
static SnWorld* between_plates(const char* solver, const char* method)
{
    SnWorld* world;
    SnWorldDef def = world_def(solver, 1.0 / 60);
    def.contact.method = method;
    def.solver.iterations = 60;
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){3, 3, 3}, (double[]){0, 2e-3, 0}, NULL, 1e5);
    assert_int_equal(sn_world_node_count(world), 64);
    // not quite parallel, so that the slides could be kept, though far away
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.5), plate = plane(0.03, -1, 0, -0.204, 0.5);
    plate.motion.velocity[1] = -10;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    check_ok(sn_world_add_obstacle(world, &plate, NULL));
    SnSlideDef slide = sn_default_slide_def();
    int nodes[64], count = 0;
    const double* x = sn_world_positions(world);
    for (int i = 0; i < 64; i++)
        if (x[3 * i] < 1e-9) nodes[count++] = i;
    slide.nodes = nodes, slide.node_count = count, slide.distance = 0;
    for (slide.on_obstacle = 0; slide.on_obstacle < 2; slide.on_obstacle++)
        check_ok(sn_world_add_slide(world, &slide, NULL));
    return world;
}

// Contacts that cannot all be kept take a bounded number of iterations, and the steps say what is the matter with them.
static void test_contacts_in_conflict(void** state)
{
    (void)state;
    enum { MOST_TRIES = 6 + 16 }; // failures of a step, and its parts
    static const char *const projective[] = {"pd", "admm"}, *const methods[] = {"uzawa", "gauss-seidel", "energy"};
    int bounded[3] = {0};
    for (int k = 0; k < 6; k++) {
        SnWorld* world = between_plates(projective[k / 3], methods[k % 3]);
        for (int i = 0; i < 6; i++) {
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            bounded[k % 3] += report.bounded;
            check(report.iterations <= MOST_TRIES * 60);
            bool kept = sn_outcome_meets(report.outcome) && report.depth == 0 && report.errors.gap < 0.1;
            check(kept || !sn_outcome_meets(report.outcome) || *report.detail);
            check(report.depth == 0 || !sn_outcome_meets(report.outcome) ||
                  strstr(report.detail, "inside an obstacle"));
        }
        sn_world_destroy(world);
    }
    check(bounded[0] > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_inverted_elements_are_counted),
    cmocka_unit_test(test_ball_at_100_m_s),
    cmocka_unit_test(test_squeezed_to_an_eighth),
    cmocka_unit_test(test_contacts_in_conflict),
};
RUN_TESTS(tests, NULL, NULL)
