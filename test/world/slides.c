// Slides: what slides keeps its distance, goes where nothing holds it, and both bodies feel it.
#include "check.h"

#include "mesh/mesh.h"
#include "world/world.h"

// A sheet just above a solid slab, all afloat; the sheet has a velocity along x.
static SnWorld* make_skin(const char* solver, int threads)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnMesh *slab, *sheet;
    def.gravity[1] = 0;
    def.threads = threads;
    def.solver.type = solver, def.solver.iterations = 3000, def.solver.tolerance = 1e-7;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){2, 0.2, 1}, (int[]){10, 1, 5}, &slab));
    check_ok(sn_mesh_make_cloth((double[]){0.5, 0.5}, (int[]){4, 4}, &sheet));
    for (int i = 0; i < sn_mesh_node_count(sheet); i++) {
        double* x = sn_mesh_nodes(sheet) + 3 * i;
        x[0] += 0.33, x[1] += 0.22, x[2] += 0.27;
    }
    SnBodyDef body = sn_default_body_def();
    body.mesh = slab;
    body.material = sn_material("corotated", 2e4, 0.3, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    body = sn_default_body_def();
    body.mesh = sheet;
    body.material = sn_material("arap", 1e5, 0.3, 1000);
    body.material.thickness = 0.01;
    double velocity[3 * 64] = {0};
    for (int i = 0; i < sn_mesh_node_count(sheet); i++) velocity[3 * i] = 1.5, velocity[3 * i + 1] = 0.4;
    body.velocity = velocity;
    check_ok(sn_world_add_body(world, &body, NULL));
    SnSlideDef slide = sn_default_slide_def();
    slide.body = 1, slide.on_body = 0;
    check_ok(sn_world_add_slide(world, &slide, NULL));
    sn_mesh_destroy(slab), sn_mesh_destroy(sheet);
    return world;
}

static void mean_position(const SnWorld* world, int body, double mean[3])
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, body, &info));
    for (int c = 0; c < 3; c++) mean[c] = 0;
    for (int i = 0; i < info.node_count; i++)
        for (int c = 0; c < 3; c++)
            mean[c] += sn_world_positions(world)[3 * (info.first_node + i) + c] / info.node_count;
}

// The distance of the farthest and of the nearest node of the sheet from the slab's surface.
static void measure_distance(SnWorld* world, double* lo, double* hi)
{
    const SnBody* slab = &world->model.bodies[0];
    SnTree* tree;
    check_ok(sn_tree_create(slab->surface_count, 3, slab->surface, world->state.x, &tree));
    sn_tree_refit(tree, NULL, world->state.x, 0);
    *lo = INFINITY, *hi = 0;
    for (int i = slab->node_count; i < world->model.node_count; i++) {
        SnNearest nearest;
        check(sn_tree_nearest(tree, world->state.x, world->state.x + 3 * i, 10, NULL, NULL, &nearest));
        *lo = fmin(*lo, nearest.distance), *hi = fmax(*hi, nearest.distance);
    }
    sn_tree_destroy(tree);
}

static void test_sheet_slides_on_a_body(void** state)
{
    (void)state;
    const char* solvers[] = {"admm", "pd", "newton"};
    for (int s = 0; s < 3; s++) {
        SnWorld* world = make_skin(solvers[s], 1);
        SnStepReport first, report;
        double from[2][3], to[2][3], lo, hi;
        for (int b = 0; b < 2; b++) mean_position(world, b, from[b]);
        check_ok(sn_world_measure(world, &first));
        for (int i = 0; i < 20; i++) {
            check_ok(sn_world_step(world, &report));
            measure_distance(world, &lo, &hi);
            // Rows are linear: what a step turns the surface by is left.
            if (!(lo > 0.02 - 2e-3 && hi < 0.02 + 2e-3)) fail_msg("%s: step %d: %g to %g m", solvers[s], i, lo, hi);
        }
        for (int b = 0; b < 2; b++) mean_position(world, b, to[b]);
        double left = 20.0 / 60 * sqrt(sn_world_node_count(world)) * report.tolerance; // by what is not converged
        check(left < 0.1); // the sheet has 3.75 kg m/s along and 1 across
        for (int c = 0; c < 3; c++) check_near(report.momentum[c], first.momentum[c], left);
        double along = to[1][0] - from[1][0] - (to[0][0] - from[0][0]), up = to[0][1] - from[0][1];
        check_near(along, 1.5 * 20.0 / 60, 0.1); // nothing holds it along the surface
        check(up > 0.0005);                      // the slab is taken along
        sn_world_destroy(world);
    }
}

// A chain starts near the top of a sphere that moves, and slides down.
static void test_chain_slides_on_an_obstacle(void** state)
{
    (void)state;
    const char *solvers[] = {"admm", "pd", "newton"}, *methods[] = {"uzawa", "gauss-seidel", "auto"};
    for (int s = 0; s < 3; s++) {
        SnWorldDef def = sn_default_world_def();
        SnWorld* world;
        SnMesh* mesh;
        def.solver.type = solvers[s], def.solver.iterations = 3000, def.solver.tolerance = 1e-7;
        def.solver.constraints = methods[s];
        check_ok(sn_world_create(&def, &world));
        check_ok(sn_mesh_make_rope(1, 8, &mesh));
        for (int i = 0; i < sn_mesh_node_count(mesh); i++) {
            double* x = sn_mesh_nodes(mesh) + 3 * i;
            double angle = x[0];
            x[0] = 1.1 * sin(angle), x[1] = 1.1 * cos(angle);
        }
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh;
        body.material = sn_material("spring", 1e6, 0.3, 1000);
        body.material.thickness = 0.02;
        check_ok(sn_world_add_body(world, &body, NULL));
        SnObstacleDef ball = sn_default_obstacle_def();
        ball.shape = sn_obstacle("sphere");
        ball.motion.velocity[0] = 0.3;
        check_ok(sn_world_add_obstacle(world, &ball, NULL));
        SnSlideDef slide = sn_default_slide_def();
        slide.body = 0, slide.on_obstacle = 0;
        check_ok(sn_world_add_slide(world, &slide, NULL));
        double height = 0, start = 1.1 * cos(1);
        for (int i = 0; i < 20; i++) {
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: step %d: %s", solvers[s], i, report.detail);
            check(report.contacts == 0);
            const double* x = sn_world_positions(world);
            for (int k = 0; k < sn_world_node_count(world); k++) {
                double dx = x[3 * k] - 0.3 * report.time, dy = x[3 * k + 1], dz = x[3 * k + 2];
                check_near(sqrt(dx * dx + dy * dy + dz * dz), 1.1, s == 2 ? 1e-3 : 1e-5);
            }
            height = x[3 * sn_world_node_count(world) - 2]; // of the last node
        }
        check(height < start - 0.1);
        sn_mesh_destroy(mesh);
        sn_world_destroy(world);
    }
}

// A block that only slides hold, on a floor that rises and, unless it is free to go along that, on two walls.
static SnWorld* make_cornered(const char* solver, const char* initial, int planes)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnMesh* mesh;
    def.integrator = "static", def.time_step = 0.1;
    def.solver.type = solver, def.solver.initial = initial, def.solver.iterations = 500, def.solver.tolerance = 1e-8;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){1, 0.4, 0.4}, (int[]){6, 2, 2}, &mesh));
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.material = sn_material("neo-hookean", 1e5, 0.3, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    for (int k = 0; k < planes; k++) {
        int axis = (k + 1) % 3, nodes[100], count = 0;
        for (int i = 0; i < sn_mesh_node_count(mesh); i++)
            if (sn_mesh_nodes(mesh)[3 * i + axis] < 1e-9) nodes[count++] = i;
        SnObstacleDef plane = sn_default_obstacle_def();
        for (int c = 0; c < 3; c++) plane.shape.normal[c] = c == axis;
        if (axis == 1) plane.motion.velocity[1] = 0.2;
        check_ok(sn_world_add_obstacle(world, &plane, NULL));
        SnSlideDef slide = sn_default_slide_def();
        slide.body = 0, slide.on_obstacle = k, slide.nodes = nodes, slide.node_count = count;
        check_ok(sn_world_add_slide(world, &slide, NULL));
    }
    sn_mesh_destroy(mesh);
    return world;
}

// Every solver finds the equilibrium, also those whose matrix would be singular without the slides.
static void test_held_only_by_slides(void** state)
{
    (void)state;
    const char *solvers[] = {"newton", "auto", "lbfgs", "dot", "chebyshev", "admm", "pd"},
               *initials[] = {"identity", "trace-laplacian", "hessian", "warped-rest-hessian", "ichol", "pcg"};
    for (int planes = 1; planes <= 3; planes += 2) {
        double height = NAN, elastic = NAN;
        for (int s = 0; s < 7 + 6; s++) {
            const char *solver = s < 7 ? solvers[s] : "lbfgs", *initial = s < 7 ? NULL : initials[s - 7];
            SnWorld* world = make_cornered(solver, initial, planes);
            SnStepReport report = {0};
            for (int i = 0; i < 2; i++) {
                check_ok(sn_world_step(world, &report));
                if (report.outcome != SN_OUTCOME_CONVERGED)
                    fail_msg("%s, %s: step %d: %s %s", solver, initial ? initial : "", i,
                             sn_outcome_name(report.outcome), report.detail);
                if (s == 5) check(report.iterations <= 60); // 829 where the matrix was factored by luck
            }
            double mean[3];
            mean_position(world, 0, mean);
            if (s == 0) height = mean[1], elastic = report.energy.elastic;
            check_near(mean[1], height, 2e-6);
            check_near(report.energy.elastic, elastic, 5e-3 * elastic);
            sn_world_destroy(world);
        }
    }
}

static void count_warning(void* user, SnLogLevel level, const char* message)
{
    *(int*)user += level == SN_LOG_WARNING && strstr(message, "slides contradict each other") != NULL;
}

// A sheet that is to slide on two planes at once, which meet further than its size away: nothing can keep both near
// where it is. warnings: that they contradict each other.
static SnWorld* make_torn(const char* solver, double slope, int* warnings)
{
    SnWorldDef def = sn_default_world_def();
    def.log = (SnLog){warnings, count_warning};
    SnWorld* world;
    SnMesh* mesh;
    def.solver.type = solver, def.gravity[1] = 0;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_cloth((double[]){0.5, 0.5}, (int[]){4, 4}, &mesh));
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.material = sn_material("arap", 1e4, 0.3, 1000), body.material.thickness = 0.01;
    check_ok(sn_world_add_body(world, &body, NULL));
    for (int k = 0; k < 2; k++) {
        SnObstacleDef plane = sn_default_obstacle_def();
        plane.shape = sn_obstacle("plane");
        plane.shape.point[1] = -0.01 - 0.03 * k, plane.shape.normal[0] = slope * k, plane.shape.normal[1] = 1;
        check_ok(sn_world_add_obstacle(world, &plane, NULL));
        SnSlideDef slide = sn_default_slide_def();
        slide.body = 0, slide.on_obstacle = k, slide.distance = 0.01;
        check_ok(sn_world_add_slide(world, &slide, NULL));
    }
    sn_mesh_destroy(mesh);
    return world;
}

// Solvers that keep constraints exactly would go there at once. They stay, and say why.
static void test_contradicting_slides_fling_nothing(void** state)
{
    (void)state;
    const char* solvers[] = {"auto", "lbfgs", "dot", "pd", "admm"};
    for (int s = 0; s < 5; s++) {
        int warnings = 0;
        SnWorld* world = make_torn(solvers[s], 0.03, &warnings);
        double from[3], to[3];
        mean_position(world, 0, from);
        for (int i = 0; i < 4; i++) {
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            bool told = report.outcome == SN_OUTCOME_STALLED && strstr(report.detail, "slides contradict");
            bool gained = report.outcome == SN_OUTCOME_STALLED && strstr(report.detail, "more than there are");
            // pd and admm take back what rises by themselves, or do not take the step
            told |= s >= 3 && (report.outcome == SN_OUTCOME_ITERATION_LIMIT || gained);
            if (!told || !(report.energy.elastic + report.energy.kinetic < 0.2))
                fail_msg("%s: step %d: %g J elastic, %g J kinetic, %s %s", solvers[s], i, report.energy.elastic,
                         report.energy.kinetic, sn_outcome_name(report.outcome), report.detail);
        }
        mean_position(world, 0, to);
        for (int c = 0; c < 3; c++) check_near(to[c], from[c], 0.15); // m, of some 1
        sn_world_destroy(world);
    }
}

// Planes that are all but parallel are not gone to at all: the sheet comes to rest in between, and it is said once.
static void test_contradicting_slides_give_way(void** state)
{
    (void)state;
    const double slopes[] = {0, 0.01};
    for (int k = 0; k < 2; k++)
        for (int s = 0; s < sn_solver_count(); s++) {
            int warnings = 0;
            SnWorld* world = make_torn(sn_solver_at(s)->name, slopes[k], &warnings);
            SnStepReport report;
            double to[3];
            for (int i = 0; i < 60; i++) check_ok(sn_world_step(world, &report));
            mean_position(world, 0, to);
            // from 0 to -0.03 m, and a little down the slope
            if (report.outcome != SN_OUTCOME_CONVERGED || !(fabs(to[1] + 0.015) < 2e-3) || warnings != 1)
                fail_msg("%s: %s, at %g m, %d warnings", sn_solver_at(s)->name, sn_outcome_name(report.outcome), to[1],
                         warnings);
            sn_world_destroy(world);
        }
}

static void test_slides_resume_to_the_bit(void** state)
{
    (void)state;
    SnWorld *a = make_skin("admm", 1), *b = make_skin("admm", 2);
    for (int i = 0; i < 3; i++) check_ok(sn_world_step(a, NULL));
    size_t size = sn_world_state_size(a);
    void* bytes = malloc(size);
    check_ok(sn_world_save_state(a, bytes, size));
    check_ok(sn_world_restore_state(b, bytes, size));
    for (int i = 0; i < 3; i++) check_ok(sn_world_step(a, NULL));
    for (int i = 0; i < 3; i++) check_ok(sn_world_step(b, NULL));
    check(sn_world_hash(a) == sn_world_hash(b));
    free(bytes);
    sn_world_destroy(a), sn_world_destroy(b);
}

static void test_wrong_slides(void** state)
{
    (void)state;
    SnWorld* world = make_skin("admm", 1);
    SnSlideDef slide = sn_default_slide_def();
    check_fails(sn_world_add_slide(world, &slide, NULL), SN_ERROR_VALUE, "either a body or an obstacle");
    slide.on_body = 0;
    check_fails(sn_world_add_slide(world, &slide, NULL), SN_ERROR_VALUE, "on itself");
    slide.on_body = 7;
    check_fails(sn_world_add_slide(world, &slide, NULL), SN_ERROR_VALUE, "body 7");
    slide.on_body = 1, slide.nodes = (int[]){3, 9999}, slide.node_count = 2;
    check_fails(sn_world_add_slide(world, &slide, NULL), SN_ERROR_VALUE, "node 9999");
    slide.distance = INFINITY;
    check_fails(sn_world_add_slide(world, &slide, NULL), SN_ERROR_VALUE, "slide distance is inf m", "finite");
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sheet_slides_on_a_body),
    cmocka_unit_test(test_chain_slides_on_an_obstacle),
    cmocka_unit_test(test_held_only_by_slides),
    cmocka_unit_test(test_contradicting_slides_fling_nothing),
    cmocka_unit_test(test_contradicting_slides_give_way),
    cmocka_unit_test(test_slides_resume_to_the_bit),
    cmocka_unit_test(test_wrong_slides),
};
RUN_TESTS(tests, NULL, NULL)
