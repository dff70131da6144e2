// Bodies of a world: a user's material, bad starts, regions, splines, and what is refused.
#include "check_world.h"

#include "bodies.h"
#include "core/random.h"
#include "material/material.h"

static double my_energy(SnStretches s, SnMaterialParameters m)
{
    return sn_material_find("stvk")->energy(s, m) * *(const double*)m.user;
}

static SnStretches my_gradient(SnStretches s, SnMaterialParameters m)
{
    SnStretches g = sn_material_find("stvk")->gradient(s, m);
    double k = *(const double*)m.user;
    return (SnStretches){k * g.s1, k * g.s2, k * g.s3};
}

static SnStretchHessian my_hessian(SnStretches s, SnMaterialParameters m)
{
    SnStretchHessian h = sn_material_find("stvk")->hessian(s, m);
    double k = *(const double*)m.user;
    return (SnStretchHessian){k * h.h11, k * h.h22, k * h.h33, k * h.h12, k * h.h13, k * h.h23};
}

// The same for many elements at once.
static void my_many(const SnMaterialMany* many)
{
    for (int i = 0; i < many->count; i++) {
        SnStretches s = {many->stretches[0][i], many->stretches[1][i], many->stretches[2][i]};
        SnMaterialParameters m = {.mu = many->mu[i], .lambda = many->lambda[i], .user = many->user};
        SnStretches g = my_gradient(s, m);
        SnStretchHessian h = my_hessian(s, m);
        const double slopes[3] = {g.s1, g.s2, g.s3}, bends[6] = {h.h11, h.h22, h.h33, h.h12, h.h13, h.h23};
        if (many->energy) many->energy[i] = my_energy(s, m);
        for (int k = 0; k < 3 && many->gradient[0]; k++) many->gradient[k][i] = slopes[k];
        for (int k = 0; k < 6 && many->hessian[0]; k++) many->hessian[k][i] = bends[k];
    }
}

// A user's own material, twice as stiff by its own pointer, moves like the built-in one with twice Young's modulus: by
// functions of one element, and to the same bits by one of many.
static void test_custom_material(void** state)
{
    (void)state;
    const double twice = 2;
    const SnMaterialType mine = {.name = "mine",
                                 .energy = my_energy,
                                 .gradient = my_gradient,
                                 .hessian = my_hessian,
                                 .elements = SN_ON_TETRAHEDRA};
    const SnMaterialType ours = {.name = "ours", .many = my_many, .elements = SN_ON_TETRAHEDRA};
    SnMaterial materials[3] = {sn_material("stvk", 2e5, 0.3, 1000), sn_material("ignored", 1e5, 0.3, 1000)};
    materials[1].custom = &mine, materials[1].user = &twice;
    materials[2] = materials[1];
    materials[2].custom = &ours;
    double last[3][3];
    for (int k = 0; k < 3; k++) {
        SnWorldDef def = sn_default_world_def();
        def.solver.tolerance = 1e-12;
        SnWorld* world = make_world(def);
        add_body(world, make_box(2, 1, 1, 4, 2, 2), materials[k], NULL, NULL);
        hold(world, 0, 0, 0, still());
        for (int i = 0; i < 10; i++) check_ok(sn_world_step(world, NULL));
        memcpy(last[k], sn_world_positions(world) + 3 * (sn_world_node_count(world) - 1), sizeof last[k]);
        sn_world_destroy(world);
    }
    for (int c = 0; c < 3; c++) check_near(last[0][c], last[1][c], 1e-9);
    check(memcmp(last[1], last[2], sizeof last[1]) == 0);
}

// Starts that are inside out recover with `extend`; a barrier material that the handles crush stalls and says so.
static void test_bad_starts(void** state)
{
    (void)state;
    SnBodyInfo info;
    SnWorldDef def = sn_default_world_def();
    def.gravity[1] = 0;
    def.solver.tolerance = 1e-8;
    def.integrator = "static";
    def.solver.iterations = 1000;
    SnWorld* world = make_world(def);
    SnMesh* mesh = make_box(1, 1, 1, 3, 3, 3);
    double* start = calloc((size_t)mesh->node_count, 3 * sizeof *start);
    SnRandom random = {5};
    for (int i = 0; i < 3 * mesh->node_count; i++)
        start[i] = mesh->nodes[i] + sn_random_uniform(&random, -0.25, 0.25); // cells are 0.33 m
    add_body(world, mesh, sn_material("neo-hookean", 1e5, 0.3, 1000), start, NULL);
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    check(report.outcome == SN_OUTCOME_CONVERGED);
    check_near(report.energy.elastic, 0, 1e-3);
    free(start);
    sn_world_destroy(world);

    def = sn_default_world_def();
    world = make_world(def);
    SnMaterial hard = sn_material("neo-hookean", 1e5, 0.3, 1000);
    hard.inversion = SN_INVERSION_BARRIER;
    add_body(world, make_box(1, 1, 1, 3, 3, 3), hard, NULL, NULL);
    SnMotion motion = still();
    motion.velocity[0] = 100; // more than an element's size in one step
    hold(world, 0, 0, 0, motion);
    check_ok(sn_world_step(world, &report));
    check(report.outcome == SN_OUTCOME_STALLED);
    check(strstr(report.detail, "not feasible") != NULL);
    check(isinf(report.gradient) && report.energy.pins == 0 && report.energy.numerical == 0);
    check_ok(sn_world_body(world, 0, &info));
    check(memcmp(sn_world_positions(world), info.rest, 3 * (size_t)info.node_count * sizeof(double)) == 0);
    sn_world_destroy(world);
}

// From a point, every node in one place, every material with a force there unfolds.
static void test_point_starts(void** state)
{
    (void)state;
    const char* names[] = {"arap", "corotated", "fixed-corotated", "neo-hookean", "mooney-rivlin"};
    for (int k = 0; k < 5; k++) {
        SnWorldDef def = sn_default_world_def();
        def.gravity[1] = 0;
        def.solver.tolerance = 1e-8; // the energy is asked to vanish below
        def.integrator = "static";
        SnWorld* world = make_world(def);
        SnMesh* mesh = make_box(1, 1, 1, 3, 3, 3);
        double* start = calloc((size_t)mesh->node_count, 3 * sizeof *start);
        add_body(world, mesh, sn_material(names[k], 1e5, 0.4, 1000), start, NULL);
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED || report.energy.elastic > 1e-3)
            fail_msg("%s: %s, %g J", names[k], sn_outcome_name(report.outcome), report.energy.elastic);
        free(start);
        sn_world_destroy(world);
    }
}

// A bar of two materials in series under a pull: strains as 1/E; masses as the densities.
static void test_regions(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        SnWorldDef def = sn_default_world_def();
        def.integrator = "static", def.gravity[1] = 0, def.solver.tolerance = 1e-10;
        SnWorld* world = make_world(def);
        SnMaterial soft = sn_material("stvk", 1e5, 0, 1000), hard = sn_material("stvk", 3e5, 0, k ? 1000 : 4000);
        check_ok(add_halves(world, &soft, k ? NULL : &hard, k ? 3 : 1));
        hold(world, 0, 0, 0, still());
        SnMotion pull = still();
        pull.velocity[0] = 0.004 / def.time_step;
        hold(world, 0, 2, 2, pull);
        SnBodyInfo info;
        check_ok(sn_world_body(world, 0, &info));
        check_near(info.mass, k ? 2000 : 5000, 1e-9);
        check_ok(sn_world_step(world, NULL));
        for (int i = 0; i < info.node_count; i++) {
            double x = info.rest[3 * i], expected = x < 1 ? 0.003 * x : 0.003 + 0.001 * (x - 1);
            check_near(sn_world_positions(world)[3 * i] - x, expected, 1e-5);
        }
        sn_world_destroy(world);
    }
}

static void test_bad_regions(void** state)
{
    (void)state;
    SnWorld* world = make_world(sn_default_world_def());
    SnMaterial soft = sn_material("stvk", 1e5, 0.3, 1000), other = sn_material("arap", 1e5, 0.3, 1000), bad = soft;
    bad.poisson = 0.7;
    check_fails(add_halves(world, &soft, &other, 1), SN_ERROR_VALUE, "body 'body 0'", "region 0", "'arap'", "'stvk'");
    check_fails(add_halves(world, &soft, &bad, 1), SN_ERROR_VALUE, "region 0", "poisson is 0.7");
    check_fails(add_halves(world, &soft, NULL, -2), SN_ERROR_VALUE, "young_scale of -2", "must be positive");
    int regions[6] = {0, 0, 0, 5, 0, 0};
    SnBodyDef def = sn_default_body_def();
    def.mesh = make_box(1, 1, 1, 1, 1, 1), def.region_of_element = regions, def.regions = &def.material;
    def.region_count = 1;
    check_fails(sn_world_add_body(world, &def, NULL), SN_ERROR_VALUE, "element 3 is in region 5", "regions 0 to 0");
    sn_mesh_destroy((SnMesh*)def.mesh);
    assert_int_equal(sn_world_body_count(world), 0);
    sn_world_destroy(world);
}

// Regions, a field and curves are allocated apart; each may fail, and nothing is left behind.
static void test_varied_bodies_may_fail(void** state)
{
    (void)state;
    const double points[][2] = {{0.5, -1}, {1, 0}, {2, 2}};
    const SnSplineDef curves = {.a = {3, points[0]}};
    SnMaterial soft = sn_material("spline", 1e5, 0.3, 1000), hard = sn_material("spline", 1e6, 0.3, 2000);
    soft.spline = curves;
    SnStatus status = SN_ERROR_MEMORY;
    long n = 0;
    for (; status == SN_ERROR_MEMORY; n++) {
        SnWorld* world = make_world(sn_default_world_def());
        SnMesh* mesh = make_box(1, 1, 1, 1, 1, 1);
        const int region[6] = {0, -1, 0, -1, 0, -1};
        const double scales[6] = {1, 2, 3, 4, 5, 6};
        SnBodyDef def = sn_default_body_def();
        def.mesh = mesh, def.material = soft, def.regions = &hard, def.region_count = 1;
        def.region_of_element = region, def.young_scale = scales;
        status = step_with_failing_memory(world, &def, n);
        sn_mesh_destroy(mesh);
    }
    check(n > 15);
}

static void warn_into(void* user, SnLogLevel level, const char* message)
{
    if (level == SN_LOG_WARNING) snprintf(user, 200, "%s", message);
}

// A spline's curves are copied; one whose stress falls is warned of.
static void test_spline_body(void** state)
{
    (void)state;
    char warning[200] = "";
    double points[][2] = {{0.5, -1}, {1, 0}, {1.5, 1}, {2, 0.5}};
    SnSplineDef curves = {.a = {4, points[0]}};
    SnWorldDef def = sn_default_world_def();
    def.log = (SnLog){warning, warn_into};
    SnWorld* world = make_world(def);
    SnMaterial material = sn_material("spline", 1e5, 0.3, 1000);
    material.spline = curves;
    add_body(world, make_box(1, 1, 1, 2, 2, 2), material, NULL, NULL);
    check(strstr(warning, "stress falls") != NULL);
    memset(points, 0, sizeof points);
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    check(report.outcome == SN_OUTCOME_CONVERGED);
    material.spline.a.count = 1;
    SnBodyDef body = sn_default_body_def();
    body.mesh = make_box(1, 1, 1, 1, 1, 1), body.material = material;
    sn_world_destroy(world);
    world = make_world(def);
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "body 'body 0'", "at least 2");
    sn_mesh_destroy((SnMesh*)body.mesh);
    sn_world_destroy(world);
}

static SnStatus add_limited(SnWorld* world, const SnMesh* mesh, SnLimits limits)
{
    SnBodyDef def = sn_default_body_def();
    def.mesh = mesh;
    def.limits = limits;
    return sn_world_add_body(world, &def, NULL);
}

static void test_errors(void** state)
{
    (void)state;
    SnWorld* world;
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0;
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "time step is 0");
    def = sn_default_world_def();
    def.integrator = "backward-eulr";
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "did you mean 'backward-euler'?");
    def = sn_default_world_def();
    def.solver.type = "newtno";
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "did you mean 'newton'?");
    def = sn_default_world_def();
    def.solver.iterations = 0;
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "iterations is 0");
    def = sn_default_world_def();
    def.solver.armijo = 0.7;
    check_fails(sn_world_create(&def, &world), SN_ERROR_VALUE, "armijo is 0.7");

    world = make_world(sn_default_world_def());
    check_fails(sn_world_step(world, NULL), SN_ERROR_VALUE, "no bodies");
    SnBodyDef body = sn_default_body_def();
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "has no mesh");
    SnMesh* box = make_box(1, 1, 1, 1, 1, 1);
    body.mesh = box, body.name = "brick";
    body.material.type = "spring";
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "brick", "tetrahedra", "neo-hookean");
    body.material = sn_material("neo-hookean", 1e5, 0.6, 1000);
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "brick", "poisson is 0.6");
    body.material.poisson = 0.3;
    double keep = box->nodes[0];
    box->nodes[0] = NAN;
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "brick");
    box->nodes[0] = keep;
    int swap = box->tetrahedra[0];
    box->tetrahedra[0] = box->tetrahedra[1], box->tetrahedra[1] = swap;
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "brick", "inverted");
    swap = box->tetrahedra[0];
    box->tetrahedra[0] = box->tetrahedra[1], box->tetrahedra[1] = swap;
    check_ok(sn_world_add_body(world, &body, NULL));
    SnHandleDef handle = sn_default_handle_def();
    const int node = 99;
    handle.nodes = &node, handle.node_count = 1;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "node 99", "brick", "0 to 7");
    handle.nodes = NULL, handle.body = 3;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "body 3");
    handle.body = 0, handle.motion.rotate_rate = 1;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "axis");
    handle.motion.rotate_rate = INFINITY;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "rotate rate is inf degrees/s", "finite");
    handle.motion = (SnMotion){.until = -1};
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "motion until is -1 s", "0 or positive");
    const SnKeyframe keys[] = {{0}, {1, {0, NAN, 0}}};
    handle.motion = (SnMotion){.keyframes = keys, .keyframe_count = 2};
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "keyframe 1: move is [0, nan, 0] m");
    check_fails(add_limited(world, box, (SnLimits){.lo = 1.1, .hi = 1.2}), SN_ERROR_VALUE,
                "'stretch' in limits is [1.1, 1.2]", "between 0 and 1");
    check_fails(add_limited(world, box, (SnLimits){.lo = -1, .hi = 1}), SN_ERROR_VALUE, "limits stretch is [-1, 1]");
    check_fails(add_limited(world, box, (SnLimits){.hi = 1, .stiffness = -5}), SN_ERROR_VALUE,
                "limits stiffness is -5 Pa", "positive");
    check_fails(add_limited(world, box, (SnLimits){.hi = 1, .mode = (SnLimitMode)4}), SN_ERROR_VALUE,
                "limits mode is 4", "2 (warp-weft)");
    check_fails(add_limited(world, box, (SnLimits){.hi = 1, .mode = SN_LIMIT_WARP_WEFT}), SN_ERROR_VALUE,
                "is for sheets", "tetrahedra");
    SnBodyInfo info;
    check_fails(sn_world_body(world, 1, &info), SN_ERROR_VALUE, "no body 1");
    check_ok(sn_world_step(world, NULL));
    sn_mesh_destroy(box);
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_custom_material), cmocka_unit_test(test_bad_starts),
    cmocka_unit_test(test_point_starts),    cmocka_unit_test(test_regions),
    cmocka_unit_test(test_bad_regions),     cmocka_unit_test(test_varied_bodies_may_fail),
    cmocka_unit_test(test_spline_body),     cmocka_unit_test(test_errors),
};
RUN_TESTS(tests, NULL, NULL)
