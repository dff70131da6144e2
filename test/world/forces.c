// Forces, tractions, pressures, torques and accelerations: closed forms, momenta, books; forces that follow.
#include "bodies.h"
#include "check_world.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "world/world.h"

#include <sinew/field.h>
#include <sinew/probe.h>

static SnWorldDef weightless(const char* integrator)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = 0.02;
    memset(def.gravity, 0, sizeof def.gravity);
    def.solver.tolerance = 1e-9, def.solver.iterations = 1000;
    return def;
}

// The nodes of body 0 whose rest coordinate on an axis is `at`; the count.
static int choose(const SnWorld* world, int axis, double at, int* nodes)
{
    SnBodyInfo info;
    int count = 0;
    check_ok(sn_world_body(world, 0, &info));
    for (int i = 0; i < info.node_count; i++)
        if (fabs(info.rest[3 * i + axis] - at) < 1e-9) nodes[count++] = i;
    return count;
}

static void add_load(SnWorld* world, SnLoadDef load, int axis, double at)
{
    int* nodes = calloc((size_t)sn_world_node_count(world), sizeof *nodes);
    load.nodes = nodes, load.node_count = choose(world, axis, at, nodes);
    check_ok(sn_world_add_load(world, &load, NULL));
    free(nodes);
}

static SnLoadDef vector_load(const char* type, double x, double y, double z)
{
    SnLoadDef load = sn_default_load_def(type);
    load.vector[0] = x, load.vector[1] = y, load.vector[2] = z;
    return load;
}

// mu (s - 1/s) = t, of a bar that gets no thinner (lambda = 0).
static double stretch_of(double mu, double t)
{
    return t / (2 * mu) + sqrt(t * t / (4 * mu * mu) + 1);
}

// A bar pulled or pressed at its end is stretched alike everywhere; the solvers agree.
static void test_bar(void** state)
{
    (void)state;
    const char* const solvers[] = {"auto", "newton", "lbfgs", "dot", "admm"};
    for (int k = 0; k < 10; k++) {
        bool presses = k % 2;
        SnWorldDef def = weightless("static");
        def.solver.type = solvers[k / 2], def.solver.iterations = 20000;
        SnWorld* world = make_world(def);
        add_body(world, make_box(2, 1, 1, 4, 2, 2), sn_material("neo-hookean", 1e5, 0, 1000), NULL, NULL);
        hold(world, 0, 0, 0, still());
        SnLoadDef load = presses ? sn_default_load_def("pressure") : vector_load("traction", 3e4, 0, 0);
        load.pressure = 3e4;
        add_load(world, load, 0, 2);
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: %s", solvers[k / 2], report.detail);
        double s = stretch_of(5e4, presses ? -3e4 : 3e4);
        for (int i = 0; i < world->model.node_count; i++) {
            const double *x = world->state.x + 3 * i, *rest = world->model.bodies[0].rest + 3 * i;
            if (!(fabs(x[0] - s * rest[0]) < 1e-5 && fabs(x[1] - rest[1]) < 1e-5))
                fail_msg("%s, %s: %g of %g m", solvers[k / 2], load.type, x[0], s * rest[0]);
        }
        // It has acted with all its force from the beginning.
        check_near(report.energy.pins, (presses ? -3e4 : 3e4) * (s - 1) * 2, 1e-4 * fabs(report.energy.pins));
        sn_world_destroy(world);
    }
}

// A strip that a pressure bends far: its forces are those of the shape that it ends with, at once.
static void test_following_at_rest(void** state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        SnWorld* world = make_world(weightless("static"));
        add_body(world, make_box(1, 0.1, 0.2, 12, 2, 2), sn_material("neo-hookean", 1e6, 0.3, 1000), NULL, NULL);
        hold(world, 0, 0, 0, still());
        SnLoadDef load = kind ? vector_load("torque", 0, 0, 18) : sn_default_load_def("pressure");
        load.pressure = 900;
        add_load(world, load, kind ? 0 : 1, kind ? 1 : 0.1);
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: %s", load.type, report.detail);
        int n = 3 * world->model.node_count, tip = n - 3;
        double *before = calloc((size_t)n, sizeof *before), change = 0;
        memcpy(before, world->state.x, (size_t)n * sizeof *before);
        double bent = fabs(before[tip + 1] - world->model.bodies[0].rest[tip + 1]);
        if (!(bent > 0.2)) fail_msg("%s: bent by %g m", load.type, bent);
        check_ok(sn_world_step(world, &report));
        for (int k = 0; k < n; k++) change = fmax(change, fabs(world->state.x[k] - before[k]));
        if (!(change < 1e-6)) fail_msg("%s: %g m in a second step", load.type, change);
        free(before);
        sn_world_destroy(world);
    }
}

// Momenta of free bodies: F t, tau t and m a t, with every integrator; a ramp's mean.
static void test_momenta(void** state)
{
    (void)state;
    const struct {
        SnLoadDef load;
        double linear[3], angular;
    } cases[] = {{vector_load("force", 3, 0, -1), {3, 0, -1}, 0},
                 {vector_load("acceleration", 0, 2, 0), {0, 2 * 1000, 0}, 0},
                 {vector_load("torque", 0, 0, 5), {0}, 5}};
    for (int k = 0; k < 3 * DYNAMIC; k++) {
        SnWorld* world = make_world(weightless(dynamic[k / 3]));
        SnMesh* mesh = make_box(1, 1, 1, 2, 2, 2);
        for (int i = 0; i < 3 * mesh->node_count; i++) mesh->nodes[i] -= 0.5; // around the origin
        add_body(world, mesh, sn_material("neo-hookean", 1e6, 0.3, 1000), NULL, NULL);
        SnLoadDef load = cases[k % 3].load;
        check_ok(sn_world_add_load(world, &load, NULL));
        SnStepReport report;
        for (int i = 0; i < 25; i++) check_ok(sn_world_step(world, &report));
        for (int c = 0; c < 3; c++) {
            check_near(report.momentum[c], 0.5 * cases[k % 3].linear[c], 1e-5);
            check_near(report.impulse[c], 0.5 * cases[k % 3].linear[c], 1e-5);
        }
        if (!(fabs(report.angular_impulse[2] - 0.5 * cases[k % 3].angular) < 1e-4))
            fail_msg("%s, %s: %g N m s", dynamic[k / 3], load.type, report.angular_impulse[2]);
        sn_world_destroy(world);
    }
}

// A balloon: the ledger knows what pressure gives as it grows, and the membrane bears p r/(2 t).
static void test_balloon(void** state)
{
    (void)state;
    SnWorldDef def = weightless("backward-euler");
    def.time_step = 0.5;
    SnWorld* world = make_world(def);
    SnMesh *ball, *mesh;
    check_ok(sn_mesh_make_sphere(1, 5, &ball));
    check_ok(sn_mesh_make_surface(ball, &mesh));
    sn_mesh_destroy(ball);
    SnMaterial material = sn_material("neo-hookean", 1e6, 0.3, 1000);
    material.thickness = 0.01;
    add_body(world, mesh, material, NULL, NULL);
    SnLoadDef load = sn_default_load_def("pressure");
    load.pressure = -400;
    check_ok(sn_world_add_load(world, &load, NULL));
    SnStepReport report;
    for (int i = 0; i < 40; i++) check_ok(sn_world_step(world, &report));
    check(report.outcome == SN_OUTCOME_CONVERGED && report.energy.kinetic < 1e-6);
    int count = sn_world_element_count(world);
    double *stress = calloc(6 * (size_t)count, sizeof *stress), *ratio = calloc((size_t)count, sizeof *ratio), mean = 0;
    check_ok(sn_world_field(world, "stress", SN_FIELD_ELEMENTS, stress));
    check_ok(sn_world_field(world, "volume-ratio", SN_FIELD_ELEMENTS, ratio));
    for (int i = 0; i < count; i++) mean += (stress[6 * i] + stress[6 * i + 1] + stress[6 * i + 2]) / 2 / count;
    // Flat triangles have a little less of a radius.
    double r = sqrt(ratio[0]);
    check_near(mean, 400 * r / (2 * 0.01), 0.02 * mean);
    for (int c = 0; c < 3; c++) check_near(report.impulse[c], 0, 1e-6);
    check(report.energy.pins > report.energy.elastic && report.energy.pins < 3 * report.energy.elastic);
    free(stress), free(ratio);
    sn_world_destroy(world);
}

// Of a body's surface, or of those triangles of it whose corners are all below `end`.
static double enclosed(const SnWorld* world, int end)
{
    const SnBody* body = &world->model.bodies[0];
    double sum = 0, cross[3];
    for (int i = 0; i < body->surface_count; i++) {
        const int* t = body->surface + 3 * i;
        const double* x = world->state.x;
        if (t[0] >= end || t[1] >= end || t[2] >= end) continue;
        sn_cross3(x + 3 * t[1], x + 3 * t[2], cross);
        sum += sn_dot3(x + 3 * t[0], cross) / 6;
    }
    return sum;
}

// A balloon, or, solid, a block of 3 x 3 x 3 cells without the one in the middle, whose corners are its first eight
// nodes.
static SnMesh* make_chamber(bool solid)
{
    SnMesh *mesh, *ball;
    if (!solid) {
        check_ok(sn_mesh_make_sphere(1, 4, &ball));
        check_ok(sn_mesh_make_surface(ball, &mesh));
        sn_mesh_destroy(ball);
        return mesh;
    }
    int kept = 0, place[64], next[2] = {0, 8};
    mesh = make_box(3, 3, 3, 3, 3, 3);
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        const int* v = mesh->tetrahedra + 4 * t;
        bool middle = true;
        for (int k = 0; k < 12; k++) middle &= fabs(mesh->nodes[3 * v[k / 3] + k % 3] - 1.5) < 1;
        if (!middle) memmove(mesh->tetrahedra + 4 * kept++, v, 4 * sizeof *v);
    }
    mesh->tetrahedron_count = kept;
    double* moved = calloc(3 * 64, sizeof *moved);
    for (int i = 0; i < 64; i++) {
        const double* x = mesh->nodes + 3 * i;
        bool inner = fabs(x[0] - 1.5) < 1 && fabs(x[1] - 1.5) < 1 && fabs(x[2] - 1.5) < 1;
        place[i] = next[!inner]++;
        memcpy(moved + 3 * place[i], x, 3 * sizeof *x);
    }
    memcpy(mesh->nodes, moved, 3 * 64 * sizeof *moved);
    for (int k = 0; k < 4 * kept; k++) mesh->tetrahedra[k] = place[mesh->tetrahedra[k]];
    free(moved);
    return mesh;
}

// 40 steps under a load that grows for 10 of them.
static SnWorld* inflate(bool solid, SnLoadDef load)
{
    static const int inner[] = {0, 1, 2, 3, 4, 5, 6, 7};
    SnWorldDef def = weightless("backward-euler");
    def.time_step = 0.5;
    SnWorld* world = make_world(def);
    SnMaterial material = sn_material("neo-hookean", solid ? 1e5 : 1e6, 0.3, 1000);
    material.thickness = 0.01;
    add_body(world, make_chamber(solid), material, NULL, NULL);
    const double ramp[] = {0, 0, 5, 1};
    load.ramp = (SnCurve){.count = 2, .points = ramp};
    if (solid) load.nodes = inner, load.node_count = 8;
    check_ok(sn_world_add_load(world, &load, NULL));
    SnStepReport report;
    for (int i = 0; i < 40; i++) {
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("step %d: %s", i, report.detail);
    }
    for (int c = 0; c < 3; c++) check_near(report.impulse[c], 0, 1e-5);
    return world;
}

// Gas that is ten times as stiff as what is around it, more of it or less: p V^n is kept, and the shape is that which a
// pressure of this p makes.
static void test_gas(void** state)
{
    (void)state;
    const double gases[] = {5e3, -2e3, 5e3, 400}, exponents[] = {1, 1, 1.4, 0};
    for (int k = 0; k < 8; k++) {
        bool solid = k >= 4;
        int end = solid ? 8 : INT32_MAX;
        SnLoadDef load = sn_default_load_def("gas"), pressure = sn_default_load_def("pressure");
        check_near(load.ambient, 101325, 0);
        load.gas = (solid ? 2 : 1) * gases[k % 4], load.exponent = exponents[k % 4];
        if (!solid && load.gas < 0) continue; // a balloon buckles
        SnWorld* world = inflate(solid, load);
        double before = solid ? -1 : 0, after = enclosed(world, end);
        if (!solid) {
            SnWorld* rest = make_world(weightless("static"));
            add_body(rest, make_chamber(false), sn_material("neo-hookean", 1e6, 0.3, 1000), NULL, NULL);
            before = enclosed(rest, end);
            sn_world_destroy(rest);
        }
        double p = (101325 + load.gas) * pow(before / after, load.exponent) - 101325;
        check((p > 0) == (load.gas > 0) && fabs(p) <= 1.0001 * fabs(load.gas) &&
              (fabs(after) > fabs(before)) == (p > 0));
        pressure.pressure = solid ? p : -p;
        SnWorld* other = inflate(solid, pressure);
        check_near(enclosed(other, end) / after, 1, 1e-4);
        sn_world_destroy(other);
        sn_world_destroy(world);
    }
}

// A chamber that is pumped to a volume has it, with the pressure that would make that shape; its work is in the books.
static void test_volume(void** state)
{
    (void)state;
    static const struct {
        const char *integrator, *solver;
        double volume;
        bool solid;
    } rows[] = {{"static", "newton", 1.5, false},
                {"static", "lbfgs", 1.2, true},
                {"backward-euler", "auto", 0.9, true},
                {"tr-bdf2", "newton", 1.3, true},
                {"trapezoidal", "lbfgs", 1.2, true},
                {"implicit-midpoint", "newton", 1.2, true},
                {"bdf2", "newton", 1.3, false},
                {"static", "admm", 1.1, true},
                {"backward-euler", "chebyshev", 1.2, true}};
    static const int inner[] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        SnWorldDef def = weightless(rows[k].integrator);
        def.solver.type = rows[k].solver, def.time_step = 0.05, def.solver.tolerance = 1e-7;
        SnWorld* world = make_world(def);
        SnMaterial material = sn_material("neo-hookean", 1e5, 0.3, 1000);
        material.thickness = 0.01;
        add_body(world, make_chamber(rows[k].solid), material, NULL, NULL);
        SnLoadDef load = sn_default_load_def("volume");
        const double ramp[] = {0, 0, 0.5, 1};
        load.ramp = (SnCurve){.count = 2, .points = ramp}, load.volume = rows[k].volume;
        if (rows[k].solid) load.nodes = inner, load.node_count = 8;
        check_ok(sn_world_add_load(world, &load, NULL));
        SnProbeDef chamber = sn_default_probe_def("chamber"), work = sn_default_probe_def("work");
        chamber.load = work.load = 0;
        check_ok(sn_world_add_probe(world, &chamber, NULL));
        check_ok(sn_world_add_probe(world, &work, NULL));
        int end = rows[k].solid ? 8 : INT32_MAX;
        double rest = fabs(enclosed(world, end));
        SnStepReport report;
        for (int i = 0; i < 12; i++) {
            check_ok(sn_world_step(world, &report));
            if (report.outcome != SN_OUTCOME_CONVERGED)
                fail_msg("%s, %s, step %d: %s", rows[k].integrator, rows[k].solver, i, report.detail);
        }
        double ratio = fabs(enclosed(world, end)) / rest;
        bool middle = strcmp(rows[k].integrator, "implicit-midpoint") == 0; // which has it in the middle of each step
        if (!(fabs(ratio - rows[k].volume) < (middle ? 1e-2 : 2e-5)))
            fail_msg("%s, %s: %g times the volume", rows[k].integrator, rows[k].solver, ratio);
        check_near(report.values[0], rest * ratio, 1e-9);
        if (k < 2) check((report.values[1] > 0) == (rows[k].volume > 1));                  // others swing
        check_near(report.values[2], report.energy.pins, 1e-4 * fabs(report.energy.pins)); // as it follows
        sn_world_destroy(world);
    }
}

// A balloon of rubber bears most pressure when its radius is 1.38 of that at rest, s⁻¹ - s⁻⁷ of neo-Hookean membranes;
// pumped by volume it goes beyond.
static void test_volume_beyond_the_most_pressure(void** state)
{
    (void)state;
    SnWorldDef def = weightless("static");
    def.solver.type = "newton", def.time_step = 0.05, def.solver.tolerance = 1e-6;
    SnWorld* world = make_world(def);
    SnMaterial material = sn_material("neo-hookean", 1e5, 0.49, 1000);
    material.thickness = 0.01;
    add_body(world, make_chamber(false), material, NULL, NULL);
    SnLoadDef load = sn_default_load_def("volume");
    const double ramp[] = {0, 0, 1, 1};
    load.ramp = (SnCurve){.count = 2, .points = ramp}, load.volume = 6;
    check_ok(sn_world_add_load(world, &load, NULL));
    SnProbeDef chamber = sn_default_probe_def("chamber");
    chamber.load = 0;
    check_ok(sn_world_add_probe(world, &chamber, NULL));
    double rest = enclosed(world, INT32_MAX), most = 0, last = 0;
    SnStepReport report;
    for (int i = 0; i < 20; i++) {
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("step %d: %s", i, report.detail);
        most = fmax(most, last = report.values[1]);
    }
    check_near(enclosed(world, INT32_MAX) / rest, 6, 1e-3);
    check(last > 0 && last < 0.95 * most);
    sn_world_destroy(world);
}

// Forgotten in no save: the same bits after a restore.
static void test_volume_resumed(void** state)
{
    (void)state;
    static const int inner[] = {0, 1, 2, 3, 4, 5, 6, 7};
    SnWorld* worlds[2];
    const double ramp[] = {0, 0, 0.2, 1};
    for (int w = 0; w < 2; w++) {
        SnWorldDef def = weightless("backward-euler");
        def.solver.tolerance = 1e-5;
        worlds[w] = make_world(def);
        add_body(worlds[w], make_chamber(true), sn_material("neo-hookean", 1e5, 0.3, 1000), NULL, NULL);
        SnLoadDef load = sn_default_load_def("volume");
        load.ramp = (SnCurve){.count = 2, .points = ramp}, load.volume = 1.3;
        load.nodes = inner, load.node_count = 8;
        check_ok(sn_world_add_load(worlds[w], &load, NULL));
    }
    for (int i = 0; i < 5; i++) check_ok(sn_world_step(worlds[0], NULL));
    size_t size = sn_world_state_size(worlds[0]);
    char* bytes = malloc(size);
    check_ok(sn_world_save_state(worlds[0], bytes, size));
    check_ok(sn_world_restore_state(worlds[1], bytes, size));
    for (int i = 0; i < 10; i++) check_ok(sn_world_step(worlds[i % 2], NULL));
    check(memcmp(worlds[0]->state.x, worlds[1]->state.x, 3 * 64 * sizeof(double)) == 0);
    free(bytes);
    sn_world_destroy(worlds[0]), sn_world_destroy(worlds[1]);
}

static void test_gas_needs_a_chamber(void** state)
{
    (void)state;
    SnWorld* world = make_world(sn_default_world_def());
    add_body(world, make_box(1, 1, 1, 1, 1, 1), sn_material("neo-hookean", 1e5, 0.3, 1000), NULL, NULL);
    SnLoadDef load = sn_default_load_def("gas");
    const int side[] = {0, 1, 2, 3};
    load.nodes = side, load.node_count = 4, load.gas = 1e3;
    check_fails(sn_world_add_load(world, &load, NULL), SN_ERROR_VALUE, "rim", "cavity");
    load.nodes = NULL, load.exponent = -1;
    check_fails(sn_world_add_load(world, &load, NULL), SN_ERROR_VALUE, "exponent is -1");
    sn_world_destroy(world);
}

// Each load's books close, with gravity of the scene taken off one body of two.
static void test_own_gravity(void** state)
{
    (void)state;
    SnWorldDef def = weightless("trapezoidal");
    def.gravity[1] = -10;
    SnWorld* world = make_world(def);
    for (int b = 0; b < 2; b++) {
        SnMesh* mesh = make_box(1, 1, 1, 1, 1, 1);
        for (int i = 0; i < mesh->node_count; i++) mesh->nodes[3 * i] += 3 * b;
        add_body(world, mesh, sn_material("neo-hookean", 1e6, 0.3, 1000), NULL, NULL);
    }
    SnLoadDef load = vector_load("acceleration", 0, 10, 0);
    load.body = 1;
    check_ok(sn_world_add_load(world, &load, NULL));
    SnStepReport report;
    for (int i = 0; i < 50; i++) check_ok(sn_world_step(world, &report));
    check_near(world->state.x[1], -5, 1e-6);
    check_near(world->state.x[3 * 8 + 1], 0, 1e-6);
    check_near(report.energy.pins, 0, 1e-3);
    sn_world_destroy(world);
}

// A pressure that is too strong for what it pushes says so, and nothing is lost.
static void test_too_strong(void** state)
{
    (void)state;
    SnWorldDef def = weightless("static");
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 0.02, 0.2, 20, 1, 2), sn_material("neo-hookean", 1e4, 0.3, 1000), NULL, NULL);
    hold(world, 0, 0, 0, still());
    SnLoadDef load = sn_default_load_def("pressure");
    load.pressure = 1e3;
    add_load(world, load, 1, 0.02);
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    check(report.outcome != SN_OUTCOME_CONVERGED);
    for (int k = 0; k < 3 * world->model.node_count; k++) check(isfinite(world->state.x[k]));
    sn_world_destroy(world);
}

// A force at a point turns what it pushes as one there does: between nodes, on an edge, and beside the surface.
static void test_force_at_a_point(void** state)
{
    (void)state;
    static const double places[3][3] = {{0.83, 0.2, 0.021}, {0.5, 0.2, 0.2}, {0.3, 0.25, 0.07}};
    for (int i = 0; i < 3; i++) {
        SnWorldDef def = weightless("static");
        SnWorld* world = make_world(def);
        add_body(world, make_box(1, 0.2, 0.2, 10, 2, 2), sn_material("corotated", 1e8, 0.3, 1000), NULL, NULL);
        hold(world, 0, 0, 0, still());
        SnLoadDef load = vector_load("force", 1, -2, 3);
        memcpy(load.at, places[i], sizeof load.at);
        check_ok(sn_world_add_load(world, &load, NULL));
        check_ok(sn_world_step(world, NULL));
        SnWrench wrench;
        double at[3] = {places[i][0], 0.2, places[i][2]}, torque[3];
        check_ok(sn_world_load_force(world, 0, &wrench));
        sn_cross3(at, load.vector, torque);
        for (int c = 0; c < 3; c++) {
            check_near(wrench.force[c], load.vector[c], 1e-12);
            check_near(wrench.torque[c], torque[c], 1e-4);
        }
        sn_world_destroy(world);
    }
    SnWorld* world = make_world(weightless("static"));
    add_body(world, make_box(1, 1, 1, 1, 1, 1), sn_material("corotated", 1e5, 0.3, 1000), NULL, NULL);
    SnLoadDef load = vector_load("force", 1, 0, 0);
    load.at[0] = load.at[1] = load.at[2] = 0, load.nodes = (const int[]){0}, load.node_count = 1;
    check_fails(sn_world_add_load(world, &load, NULL), SN_ERROR_VALUE, "at a point and on nodes");
    sn_world_destroy(world);
}

// What holds a bar is what pulls it; in motion, momentum is what all of them give.
static void test_reactions(void** state)
{
    (void)state;
    SnWrench wrench, load;
    SnStepReport report;
    for (int how = 0; how < 2; how++) {
        SnWorld* world = make_world(weightless("static"));
        add_body(world, make_box(2, 1, 1, 4, 2, 2), sn_material("neo-hookean", 1e5, 0.3, 1000), NULL, NULL);
        int* nodes = calloc((size_t)sn_world_node_count(world), sizeof *nodes);
        SnHandleDef handle = sn_default_handle_def();
        handle.nodes = nodes, handle.node_count = choose(world, 0, 0, nodes);
        handle.how = how ? SN_HOLD_ENERGY : SN_HOLD_ELIMINATE;
        check_ok(sn_world_add_handle(world, &handle, NULL));
        free(nodes);
        add_load(world, vector_load("traction", 3e3, 2e3, 0), 0, 2);
        check_ok(sn_world_handle_force(world, 0, &wrench));
        check_near(wrench.force[0], 0, 0); // before the first step
        check_ok(sn_world_step(world, &report));
        check_ok(sn_world_handle_force(world, 0, &wrench));
        check_ok(sn_world_load_force(world, 0, &load));
        const double wanted[3] = {3e3, 2e3, 0};
        for (int c = 0; c < 3; c++) {
            check_near(load.force[c], wanted[c], 1e-9 * 3e3);
            check_near(wrench.force[c], -wanted[c], 1e-5 * 3e3);
            check_near(wrench.torque[c], -load.torque[c], 1e-5 * 3e3);
        }
        sn_world_destroy(world);
    }
    SnWorldDef def = weightless("backward-euler");
    def.gravity[1] = -10;
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 1, 1, 2, 2, 2), sn_material("neo-hookean", 1e6, 0.3, 1000), NULL, NULL);
    SnMotion motion = still();
    motion.oscillate_amplitude[0] = 0.1, motion.oscillate_frequency = 2;
    hold(world, 1, 1, 1, motion);
    double given[3] = {0}, first[3] = {0};
    for (int i = 0; i < 20; i++) {
        check_ok(sn_world_step(world, &report));
        check_ok(sn_world_handle_force(world, 0, &wrench));
        if (i == 0) memcpy(first, report.momentum, sizeof first);
        for (int c = 0; c < 3 && i > 0; c++) given[c] += def.time_step * (wrench.force[c] + 1000 * def.gravity[c]);
    }
    for (int c = 0; c < 3; c++) check_near(report.momentum[c] - first[c], given[c], 1e-4);
    sn_world_destroy(world);
}

// What two stacked blocks, and the floor below them, do to each other.
static void test_contact_forces(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.05, def.contact.bodies = true;
    SnWorld* world = make_world(def);
    for (int b = 0; b < 2; b++) {
        SnMesh* mesh = make_box(1, 0.5, 1, 2, 1, 2);
        for (int i = 0; i < mesh->node_count; i++) mesh->nodes[3 * i + 1] += 0.51 * b;
        add_body(world, mesh, sn_material("neo-hookean", 1e6, 0.2, 1000), NULL, NULL);
    }
    SnObstacleDef floor = sn_default_obstacle_def();
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    SnStepReport report;
    for (int i = 0; i < 80; i++) check_ok(sn_world_step(world, &report));
    SnWrench below, between, back;
    const double weight = 500 * 9.81;
    check_ok(sn_world_obstacle_force(world, 0, &below));
    check_ok(sn_world_contact_force(world, 1, 0, &between));
    check_ok(sn_world_contact_force(world, 0, 1, &back));
    check_near(below.force[1], 2 * weight, 0.01 * weight);
    check_near(between.force[1], weight, 0.01 * weight);
    for (int c = 0; c < 3; c++) check_near(back.force[c], -between.force[c], 1e-9);
    check_fails(sn_world_contact_force(world, 0, 2, &back), SN_ERROR_VALUE, "body 2", "has 2");
    check_fails(sn_world_handle_force(world, 0, &back), SN_ERROR_VALUE, "handle 0", "has 0");
    check_fails(sn_world_load_force(world, -1, &back), SN_ERROR_VALUE, "load -1", "has 0");
    check_fails(sn_world_obstacle_force(world, 1, NULL), SN_ERROR_VALUE, "wrench", "NULL");
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bar),
    cmocka_unit_test(test_following_at_rest),
    cmocka_unit_test(test_momenta),
    cmocka_unit_test(test_balloon),
    cmocka_unit_test(test_gas),
    cmocka_unit_test(test_gas_needs_a_chamber),
    cmocka_unit_test(test_own_gravity),
    cmocka_unit_test(test_too_strong),
    cmocka_unit_test(test_volume),
    cmocka_unit_test(test_volume_beyond_the_most_pressure),
    cmocka_unit_test(test_volume_resumed),
    cmocka_unit_test(test_force_at_a_point),
    cmocka_unit_test(test_reactions),
    cmocka_unit_test(test_contact_forces),
};
RUN_TESTS(tests, NULL, NULL)
