// Loads: wind against its formulas, terminal speeds, books and momenta; and what is refused.
#include "bodies.h"
#include "check_world.h"
#include "linalg/vec3.h"
#include "world/world.h"

#define RHO 1.2
#define SPEED 10.0
#define SHEET 0.3 // kg/m2

// A square sheet of 1 m2 with its normal turned by `angle` degrees from y, in the plane of x and y.
static SnWorld* make_sheet(SnWorldDef def, double angle, const SnLoadDef* load)
{
    SnWorld* world = make_world(def);
    SnMesh* mesh;
    double c = cos(angle * 0.017453292519943295), s = sin(angle * 0.017453292519943295);
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){3, 3}, &mesh));
    for (int i = 0; i < mesh->node_count; i++) {
        double* x = mesh->nodes + 3 * i;
        double y[2] = {x[0] * c - x[1] * s, x[0] * s + x[1] * c};
        x[0] = y[0], x[1] = y[1];
    }
    SnMaterial material = sn_material("neo-hookean", 1e6, 0.3, SHEET / 1e-3);
    material.thickness = 1e-3;
    add_body(world, mesh, material, NULL, NULL);
    check_ok(sn_world_add_load(world, load, NULL));
    return world;
}

static SnLoadDef wind(double x, double y)
{
    SnLoadDef load = sn_default_load_def("wind");
    load.vector[0] = x, load.vector[1] = y, load.density = RHO;
    return load;
}

static SnWorldDef calm(const char* integrator)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = 0.01;
    def.gravity[0] = def.gravity[1] = def.gravity[2] = 0;
    def.solver.tolerance = 1e-9, def.solver.iterations = 2000;
    return def;
}

// rho/2 A u^2 (C_D c, C_L c s) on a sheet at rest, whatever side it shows.
static void test_drag_and_lift(void** state)
{
    (void)state;
    const double angles[] = {90, 60, 45, 0, 120, -60};
    for (int i = 0; i < 6; i++) {
        SnLoadDef load = wind(SPEED, 0);
        load.drag = 1.3, load.lift = 0.7;
        SnWorld* world = make_sheet(calm("backward-euler"), -angles[i], &load);
        check_ok(sn_world_prepare(world, 0.01));
        const double* f = sn_loads_find(&world->model, &world->state, &world->problem);
        double sum[3] = {0, 0, 0}, a = angles[i] * 0.017453292519943295, q = 0.5 * RHO * SPEED * SPEED;
        for (int k = 0; k < 3 * world->model.node_count; k++) sum[k % 3] += f[k];
        // The normal is at (sin a, cos a): it has sin a along the wind.
        double side = sin(a) < 0 ? -1 : 1;
        check_near(sum[0], 1.3 * q * fabs(sin(a)), 1e-9 * q);
        check_near(sum[1], 0.7 * q * fabs(sin(a)) * side * cos(a), 1e-9 * q);
        check_near(sum[2], 0, 1e-9 * q);
        sn_world_destroy(world);
    }
}

// The air at a place and a time: a vortex and a shear that turn, and a field of one's own.
static void own_field(void* user, double time, const double x[3], double w[3])
{
    w[0] = *(double*)user * x[1], w[1] = time, w[2] = 0;
}

static void test_wind_in_space_and_time(void** state)
{
    (void)state;
    double scale = 3, sum[3] = {0};
    for (int k = 0; k < 4; k++) {
        SnLoadDef load = wind(0, 0);
        load.lift = 0, load.drag = 1;
        // A sheet that stands across x, of a square metre about the origin's height: air along x by its height.
        load.gradient[1] = 4, load.centre[1] = k == 1 ? -1 : -2;
        if (k == 2) load.turn[1] = 1, load.period = 2; // in a whole second it is turned round
        if (k == 3) load.field = own_field, load.user = &scale;
        SnWorld* world = make_sheet(calm("backward-euler"), 90, &load);
        world->state.time = k == 2 ? 1 : 0;
        check_ok(sn_world_prepare(world, 0.01));
        const double* f = sn_loads_find(&world->model, &world->state, &world->problem);
        double expected = 0;
        memset(sum, 0, sizeof sum);
        for (int i = 0; i < 3 * world->model.node_count; i++) sum[i % 3] += f[i];
        const SnLoad* l = &world->model.loads[0];
        for (int i = 0; i < l->triangle_count; i++) {
            double area[3], y = 0;
            sn_load_area(l->triangles + 3 * i, world->state.x, area);
            for (int c = 0; c < 3; c++) y += world->state.x[3 * l->triangles[3 * i + c] + 1] / 3;
            double u = k == 3 ? scale * y : 4 * (y + (k == 1 ? 1 : 2));
            expected += 0.5 * RHO * 0.5 * sn_length3(area) * fabs(u) * u * (k == 2 ? -1 : 1);
        }
        check(fabs(expected) > 1);
        check_near(sum[0], expected, 1e-9 * fabs(expected));
        check_near(sum[1], 0, 1e-6);
        sn_world_destroy(world);
    }
}

// Of a solid, what faces the wind: a box, from the side and from above.
static void test_faces_of_solids(void** state)
{
    (void)state;
    for (int axis = 0; axis < 2; axis++) {
        SnWorld* world = make_world(calm("backward-euler"));
        add_body(world, make_box(1, 2, 3, 2, 3, 2), sn_material("neo-hookean", 1e6, 0.3, 1000), NULL, NULL);
        SnLoadDef load = wind(axis == 0 ? SPEED : 0, axis == 0 ? 0 : SPEED);
        check_ok(sn_world_add_load(world, &load, NULL));
        check_ok(sn_world_prepare(world, 0.01));
        const double* f = sn_loads_find(&world->model, &world->state, &world->problem);
        double sum = 0, area = axis == 0 ? 6 : 3;
        for (int i = 0; i < world->model.node_count; i++) sum += f[3 * i + axis];
        check_near(sum, 0.5 * RHO * SPEED * SPEED * load.drag * area, 1e-9 * sum);
        sn_world_destroy(world);
    }
}

// A sheet that falls flat comes to the speed at which the air carries it, with every integrator and solver; long steps
// and a sheet that weighs next to nothing in a storm do no harm.
static void test_terminal_speed(void** state)
{
    (void)state;
    const char* solvers[] = {"auto", "newton", "lbfgs", "admm", "pd"};
    for (int k = 0; k < DYNAMIC + 5; k++) {
        SnWorldDef def = calm(k < DYNAMIC ? dynamic[k] : "backward-euler");
        def.solver.type = k < DYNAMIC ? "newton" : solvers[k - DYNAMIC];
        def.gravity[1] = -10, def.time_step = 0.05;
        SnLoadDef load = wind(0, 2);
        SnWorld* world = make_sheet(def, 0, &load);
        SnStepReport report;
        for (int step = 0; step < 120; step++) check_ok(sn_world_step(world, &report));
        double speed = 2 - sqrt(2 * SHEET * 10 / (RHO * load.drag)), mean = report.momentum[1] / SHEET;
        if (!(fabs(mean - speed) < 1e-6))
            fail_msg("%s, %s: %g m/s instead of %g", def.integrator, def.solver.type, mean, speed);
        sn_world_destroy(world);
    }
    for (int k = 0; k < 5; k++) {
        SnWorldDef def = calm("backward-euler");
        def.solver.type = solvers[k], def.solver.tolerance = 1e-6, def.time_step = 0.1;
        SnLoadDef load = wind(0, 100);
        load.drag = 5;
        SnWorld* world = make_sheet(def, 0, &load);
        SnStepReport report;
        for (int step = 0; step < 100; step++) {
            check_ok(sn_world_step(world, &report));
            check(report.momentum[1] > 0 && report.momentum[1] < 100 * SHEET * (1 + 1e-6));
        }
        if (!(report.momentum[1] > 99 * SHEET)) fail_msg("%s: %g m/s", solvers[k], report.momentum[1] / SHEET);
        sn_world_destroy(world);
    }
}

// Momenta gain what they are given; the work of the wind is what the energy gains where an integrator loses nothing,
// and a half of m dv^2 more where it is backward Euler.
static void test_books(void** state)
{
    (void)state;
    for (int k = 0; k < DYNAMIC; k++) {
        SnLoadDef load = wind(SPEED, 3);
        load.gust = 0.3;
        SnWorldDef def = calm(dynamic[k]);
        SnWorld* world = make_sheet(def, -50, &load);
        for (int i = 0; i < 3 * sn_world_node_count(world); i++) world->state.v[i] = i % 3 == 2 ? 1 : 0;
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        double lost = 0, *before = calloc((size_t)world->model.node_count, 3 * sizeof *before);
        for (int step = 0; step < 30; step++) {
            memcpy(before, world->state.v, 3 * (size_t)world->model.node_count * sizeof *before);
            check_ok(sn_world_step(world, &report));
            for (int i = 0; i < 3 * world->model.node_count; i++)
                lost += 0.5 * world->problem.mass[i / 3] * pow(world->state.v[i] - before[i], 2);
        }
        check_momentum(dynamic[k], &first, &report, 1e-6);
        const SnEnergy* e = &report.energy;
        check(e->pins > 1 && e->kinetic > 1);
        check_near(e->kinetic + e->elastic - first.energy.kinetic, e->pins - e->numerical, 1e-9 * e->pins);
        if (strcmp(dynamic[k], "implicit-midpoint") == 0) check_near(e->numerical, 0, 1e-3 * e->pins);
        // Elastic losses, of a second order in what is small, come on top.
        if (k == 0 && !(e->numerical > lost && e->numerical < 1.05 * lost))
            fail_msg("%g J lost, at least %g", e->numerical, lost);
        free(before);
        sn_world_destroy(world);
    }
}

// Handles take what the wind gives; what is held still moves nothing, and gets no work.
static void test_held(void** state)
{
    (void)state;
    SnLoadDef load = wind(0, SPEED);
    SnWorld* world = make_sheet(calm("tr-bdf2"), 0, &load);
    hold(world, 0, 0, 1, still());
    SnStepReport report;
    for (int step = 0; step < 3; step++) check_ok(sn_world_step(world, &report));
    check_near(report.energy.pins, 0, 1e-12);
    for (int c = 0; c < 3; c++) check_near(report.impulse[c], 0, 1e-9);
    sn_world_destroy(world);
}

// Without inertia: a sheet that hangs by its edge leans such that the moments of weight and wind about it are equal.
static void test_equilibrium(void** state)
{
    (void)state;
    SnWorldDef def = calm("static");
    def.gravity[1] = -10;
    SnLoadDef load = wind(1.5, 0);
    load.ramp = (SnCurve){2, (const double[]){0.05, 0, 0.15, 1}}; // first it hangs: flat and slack it would be a saddle
    SnWorld* world = make_sheet(def, -90, &load);                 // from y = 0 down to -1
    hold(world, 1, 0, 0, still());
    SnStepReport first, report;
    check_ok(sn_world_measure(world, &first));
    for (int step = 0; step < 60; step++) check_ok(sn_world_step(world, &report));
    if (report.outcome != SN_OUTCOME_CONVERGED)
        fail_msg("%s, %s, %g of %g N", sn_outcome_name(report.outcome), report.detail, report.gradient,
                 report.tolerance);
    double moment[2] = {0, 0};
    const double *f = sn_loads_find(&world->model, &world->state, &world->problem), *x = world->state.x;
    for (int i = 0; i < world->model.node_count; i++) {
        moment[0] += x[3 * i] * f[3 * i + 1] - x[3 * i + 1] * f[3 * i];
        moment[1] += x[3 * i] * world->problem.gravity[3 * i + 1];
    }
    check(moment[0] > 0.1);
    check_near(moment[0] + moment[1], 0, 1e-3 * moment[0]);
    // The wind's work is all there is in it.
    const SnEnergy* e = &report.energy;
    check_near(e->elastic + e->gravity - first.energy.elastic - first.energy.gravity, e->pins, 0.05 * e->pins);
    sn_world_destroy(world);
}

// Gusts: the same for any number of threads, after a resume, and with every solver's memory.
static void test_same_bits(void** state)
{
    (void)state;
    const char* solvers[] = {"auto", "newton", "lbfgs", "admm", "pd", "dot", "chebyshev"};
    for (int k = 0; k < 7; k++) {
        SnLoadDef load = wind(SPEED, 0);
        load.gust = 0.5;
        load.ramp = (SnCurve){2, (const double[]){0, 0.2, 0.05, 1}};
        SnWorldDef def = calm(k % 2 ? "tr-bdf2" : "bdf2");
        def.solver.type = solvers[k], def.solver.tolerance = 1e-5, def.solver.iterations = 100;
        SnWorld* worlds[3];
        for (int i = 0; i < 3; i++) {
            def.threads = i == 1 ? 3 : 1;
            worlds[i] = make_sheet(def, -90, &load);
            hold(worlds[i], 1, 0, 0, still());
        }
        for (int step = 0; step < 6; step++)
            for (int i = 0; i < 2; i++) check_ok(sn_world_step(worlds[i], NULL));
        size_t size = sn_world_state_size(worlds[0]);
        char* bytes = malloc(size);
        check_ok(sn_world_save_state(worlds[0], bytes, size));
        check_ok(sn_world_restore_state(worlds[2], bytes, size));
        free(bytes);
        for (int step = 0; step < 4; step++)
            for (int i = 0; i < 3; i++) check_ok(sn_world_step(worlds[i], NULL));
        if (sn_world_hash(worlds[0]) != sn_world_hash(worlds[1])) fail_msg("%s: threads", solvers[k]);
        if (sn_world_hash(worlds[0]) != sn_world_hash(worlds[2])) fail_msg("%s: resumed", solvers[k]);
        for (int i = 0; i < 3; i++) sn_world_destroy(worlds[i]);
    }
}

static void test_refused(void** state)
{
    (void)state;
    SnLoadDef good = wind(1, 0);
    SnWorld* world = make_sheet(calm("backward-euler"), 0, &good);
    SnLoadDef bad[8] = {good, good, good, good, good, good, good, good};
    const char* words[8] = {"rain", "no type", "body 7", "node 99", "density", "increasing", "no triangle", "numbers"};
    bad[0].type = "rain", bad[1].type = NULL, bad[2].body = 7;
    bad[3].nodes = (const int[]){99}, bad[3].node_count = 1;
    bad[4].density = -1;
    bad[5].ramp = (SnCurve){2, (const double[]){1, 0, 1, 1}};
    bad[6].nodes = (const int[]){0, 1}, bad[6].node_count = 2;
    bad[7].ramp = (SnCurve){1, (const double[]){0, NAN}};
    for (int i = 0; i < 8; i++) {
        check(sn_world_add_load(world, &bad[i], NULL) != SN_OK);
        if (!strstr(sn_last_error(), words[i])) fail_msg("%d: %s", i, sn_last_error());
    }
    check_ok(sn_world_step(world, NULL));
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_drag_and_lift),   cmocka_unit_test(test_wind_in_space_and_time),
    cmocka_unit_test(test_faces_of_solids), cmocka_unit_test(test_terminal_speed),
    cmocka_unit_test(test_books),           cmocka_unit_test(test_held),
    cmocka_unit_test(test_equilibrium),     cmocka_unit_test(test_same_bits),
    cmocka_unit_test(test_refused),
};
RUN_TESTS(tests, NULL, NULL)
