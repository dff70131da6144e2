// Fibers and hinges in worlds: closed forms, masses, ledger, threads, every allocation.
#include "check_world.h"
#include "core/pi.h"

#include "bodies.h"
#include "core/random.h"
#include "mesh/mesh.h"
#include "world/world.h"

static SnMesh* make_cloth(double x, double z, int nx, int nz)
{
    SnMesh* mesh = NULL;
    check_ok(sn_mesh_make_cloth((double[]){x, z}, (int[]){nx, nz}, &mesh));
    return mesh;
}

static SnMaterial fibrous(const char* type, double young, double fiber, double x, double y, double z)
{
    SnMaterial material = sn_material(type, young, 0, 1000);
    material.fiber = fiber;
    material.fiber_direction[0] = x, material.fiber_direction[1] = y, material.fiber_direction[2] = z;
    return material;
}

// A world of equilibria without gravity.
static SnWorld* make_static(void)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = "static", def.gravity[1] = 0, def.solver.tolerance = 1e-11;
    return make_world(def);
}

// Without lateral contraction (poisson 0) the bar is stretched evenly: V (psi(s) + fiber/2 (|F d| - 1)^2).
static void test_fiber_adds_stiffness(void** state)
{
    (void)state;
    const double kappa = 3e5, young = 1e5, s = 1.25;
    const struct {
        double d[3], length; // |F d| for F = diag(s, 1, 1)
    } rows[] = {{{1, 0, 0}, 1.25}, {{-7, 0, 0}, 1.25}, {{0, 1, 0}, 1}, {{0, 2, 2}, 1}};
    for (int k = 0; k < 4; k++) {
        SnWorld* world = make_static();
        add_body(world, make_box(2, 1, 1, 6, 3, 3),
                 fibrous("corotated", young, kappa, rows[k].d[0], rows[k].d[1], rows[k].d[2]), NULL, NULL);
        double long_by = rows[k].length - 1,
               expected = 2 * 0.5 * (young * (s - 1) * (s - 1) + kappa * long_by * long_by);
        check_near(pull(world, s), expected, 1e-9 * expected);
        sn_world_destroy(world);
    }
}

// Halves in series, of which one has fibers: strains as 1/(young + fiber).
static void test_fiber_regions(void** state)
{
    (void)state;
    SnWorld* world = make_static();
    SnMaterial soft = sn_material("corotated", 1e5, 0, 1000), hard = fibrous("corotated", 1e5, 2e5, 1, 0, 0);
    check_ok(add_halves(world, &soft, &hard, 1));
    pull(world, 1.002);
    assert_int_equal(world->model.bodies[0].fiber_count, world->model.bodies[0].tetrahedron_count / 2);
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    for (int i = 0; i < info.node_count; i++) {
        double x = info.rest[3 * i], expected = x < 1 ? 0.003 * x : 0.003 + 0.001 * (x - 1);
        check_near(sn_world_positions(world)[3 * i] - x, expected, 1e-9);
    }
    sn_world_destroy(world);
}

// Directions by element take the place of the material's; where they are zero there are no fibers.
static void test_fiber_field(void** state)
{
    (void)state;
    SnMesh* mesh = make_box(2, 1, 1, 6, 3, 3);
    int count = mesh->tetrahedron_count;
    double* directions = calloc((size_t)count, 3 * sizeof *directions);
    for (int e = 0; e < count; e += 2) directions[3 * e + (e % 4 ? 0 : 2)] = e % 3 ? 1 : -2; // x, none, z, none
    SnBodyDef def = sn_default_body_def();
    def.mesh = mesh, def.material = fibrous("arap", 1e5, 1e5, 0, 0, 0), def.fiber_directions = directions;
    SnWorld* world = make_static();
    check_ok(sn_world_add_body(world, &def, NULL));
    assert_int_equal(world->model.bodies[0].fiber_count, (count + 1) / 2);
    // Every node is put where x is 1.25 times as large, so the energy is exact: a quarter of the volume has fibers on
    // x.
    double* x = calloc((size_t)mesh->node_count, 3 * sizeof *x);
    memcpy(x, mesh->nodes, 3 * (size_t)mesh->node_count * sizeof *x);
    for (int i = 0; i < mesh->node_count; i++) x[3 * i] *= 1.25;
    SnStepReport report;
    SnWorld* stretched = make_static();
    def.start = x;
    check_ok(sn_world_add_body(stretched, &def, NULL));
    check_ok(sn_world_measure(stretched, &report));
    double along = 0;
    for (int e = 0; e < count; e++) along += directions[3 * e] != 0;
    double expected = 2 * 0.5 * 1e5 * 0.0625 * (1 + along / count); // all tetrahedra have the same volume
    check_near(report.energy.elastic, expected, 1e-10 * expected);
    directions[4] = NAN;
    check_fails(sn_world_add_body(world, &def, NULL), SN_ERROR_VALUE, "direction of element 1 is not finite");
    free(directions), free(x);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world), sn_world_destroy(stretched);
}

// Equilateral triangles: rows of n sides of 1/n m along x, each row of nodes shifted by half a side or back.
static SnMesh* make_equilateral(int n, int rows)
{
    int columns = n + 1, count = 0;
    double* nodes = calloc((size_t)(columns * (rows + 1)), 3 * sizeof *nodes);
    int* triangles = calloc((size_t)(2 * n * rows), 3 * sizeof *triangles);
    for (int r = 0; r <= rows; r++)
        for (int k = 0; k < columns; k++) {
            nodes[3 * (r * columns + k)] = (k + 0.5 * (r % 2)) / n;
            nodes[3 * (r * columns + k) + 2] = r * sqrt(0.75) / n;
        }
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < n; k++) {
            int p = r * columns + k, q = p + columns, odd = r % 2;
            const int even[6] = {p, p + 1, q, p + 1, q + 1, q}, shifted[6] = {p, p + 1, q + 1, p, q + 1, q};
            memcpy(triangles + 3 * count, odd ? shifted : even, sizeof even);
            count += 2;
        }
    SnMeshDef def = sn_default_mesh_def();
    def.node_count = columns * (rows + 1), def.nodes = nodes, def.triangle_count = count, def.triangles = triangles;
    SnMesh* mesh;
    check_ok(sn_mesh_create(&def, &mesh));
    free(nodes), free(triangles);
    return mesh;
}

// The sag of the end of a strip along x, 1 m long, that is clamped up to x = clamp; the sheet is consumed.
static double sag_of_strip(SnMesh* mesh, double clamp, double load, double bending)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = "static", def.solver.tolerance = 1e-12;
    SnMaterial material = sn_material("corotated", 1e6, 0.3, 500);
    material.thickness = 1e-3, material.bending = bending;
    def.gravity[1] = -load / (material.density * material.thickness);
    SnWorld* world = make_world(def);
    add_body(world, mesh, material, NULL, NULL);
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    hold(world, 0, 0, clamp, still());
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s", report.detail);
    double sag = 0;
    int ends = 0;
    for (int i = 0; i < info.node_count; i++)
        if (fabs(info.rest[3 * i] - 1) < 1e-9) sag -= sn_world_positions(world)[3 * i + 1], ends++;
    sn_world_destroy(world);
    return sag / ends;
}

// A narrow plate, w = q L^4/(8 D (1 - nu^2)): with D the given bending and nu = -1/3 for equilateral triangles, 5/6 of
// it and nu = -1/5 for the chessboard of the cloth generator. A hinge stands for half a cell on either side of it, so
// the strip is free from the middle of the clamped cell on.
static void test_strip_bends_like_a_plate(void** state)
{
    (void)state;
    const double bending = 1e-3, load = 2e-5, given = load / (8 * bending);
    for (int k = 0; k < 2; k++) {
        int n = k ? 60 : 30;
        double cell = 1.0 / n, length = pow(1 - cell / 2, 4);
        double cloth = sag_of_strip(make_cloth(1, 6 * cell, n, 6), cell, load, bending) / (given * length);
        double equilateral = sag_of_strip(make_equilateral(n, 6), cell, load, bending) / (given * length);
        check_near(cloth, 1 / (5.0 / 6 * (1 - 0.04)), k ? 0.03 : 0.06);
        check_near(equilateral, 1 / (1 - 1.0 / 9), k ? 0.03 : 0.06);
    }
    // The wide strip does not curl across: w = q L^4/(8 D).
    double wide = sag_of_strip(make_equilateral(30, 60), 1.0 / 30, load, bending), length = 1 - 1.0 / 60;
    check_near(wide / (given * pow(length, 4)), 1, 0.04);
}

// Elastic energy of a cloth that is laid on a cylinder or a saddle, y = (a s^2 + b t^2)/2 over axes s, t at an angle to
// x, in units of bending/2. The membrane is made so soft that it does not count. With a rim, only the nodes that close
// to the edge of the square of 1 m are held and the others find their place.
static double bent_energy(SnMesh* mesh, double a, double b, double degrees, double rim)
{
    const double bending = 1e4;
    double c = cos(degrees * SN_PI / 180), s = sin(degrees * SN_PI / 180);
    double* x = calloc((size_t)mesh->node_count, 3 * sizeof *x);
    int* held = calloc((size_t)mesh->node_count, sizeof *held);
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = held;
    for (int i = 0; i < mesh->node_count; i++) {
        const double* p = mesh->nodes + 3 * i;
        double u = c * p[0] + s * p[2], v = c * p[2] - s * p[0];
        x[3 * i] = p[0], x[3 * i + 1] = 0.5 * (a * u * u + b * v * v), x[3 * i + 2] = p[2];
        if (fmin(fmin(p[0], 1 - p[0]), fmin(p[2], 1 - p[2])) < rim) held[handle.node_count++] = i;
    }
    SnMaterial material = sn_material("arap", 1e-6, 0, 1000);
    material.bending = bending;
    SnWorld* world = make_static();
    add_body(world, mesh, material, x, NULL);
    SnStepReport report;
    check_ok(sn_world_measure(world, &report));
    if (rim > 0) check_ok(sn_world_add_handle(world, &handle, NULL));
    if (rim > 0) check_ok(sn_world_step(world, &report));
    sn_world_destroy(world);
    free(x), free(held);
    return report.energy.elastic / (0.5 * bending);
}

// What a curvature of 1/m costs by direction. Equilateral triangles bend alike in every direction; the cloth
// generator's cost 1 along the threads and 3/2 on the bias in exactly this shape. Opposite curvatures, which cost
// a plate 2 (1 - nu), show that equilateral triangles bend as if poisson were -1/3.
static void test_plate_by_direction(void** state)
{
    (void)state;
    const int n = 60, rows = 69;  // about 1 m each
    const double slack = 3.0 / n; // the rim has hinges on one side only
    for (int k = 0; k < 4; k++) {
        SnMesh* mesh = make_equilateral(n, rows);
        SnMeshMeasure measure;
        sn_mesh_measure(mesh, &measure);
        double area = measure.area;
        check_near(bent_energy(mesh, 0.01, 0, 17.0 * k, 0) / 1e-4 / area, 1, slack);
        check_near(bent_energy(make_equilateral(n, rows), 0.01, -0.01, 17.0 * k, 0) / 1e-4 / area, 8.0 / 3, 2 * slack);
    }
    check_near(bent_energy(make_cloth(1, 1, n, n), 0.01, 0, 0, 0) / 1e-4, 1, slack);
    check_near(bent_energy(make_cloth(1, 1, n, n), 0.01, 0, 90, 0) / 1e-4, 1, slack);
    check_near(bent_energy(make_cloth(1, 1, n, n), 0.01, 0, 45, 0) / 1e-4, 1.5, 1.5 * slack);
    // The chessboard's two kinds of node find a shape that costs less.
    check_near(bent_energy(make_cloth(1, 1, n, n), 0.01, 0, 0, 1.5 / n) / 1e-4, 5.0 / 6, slack);
    check_near(bent_energy(make_cloth(1, 1, n, n), 0.01, 0, 45, 1.5 / n) / 1e-4, 4.0 / 3, 1.5 * slack);
}

// Without a number a sheet bends as a solid plate of its young, poisson and thickness does.
static void test_bending_by_default(void** state)
{
    (void)state;
    SnMaterial material = sn_material("stvk", 3e6, 0.25, 1000);
    check(isnan(material.bending));
    material.thickness = 2e-3;
    SnWorld* world = make_world(sn_default_world_def());
    add_body(world, make_cloth(1, 1, 3, 3), material, NULL, NULL);
    const SnBody* body = &world->model.bodies[0];
    assert_int_equal(body->hinge_count,
                     3 * 9 - 3 - 3); // three edges per cell and those of the rim, which are no hinges
    for (int i = 0; i < body->hinge_count; i++)
        check_near(3 * body->hinge_stiffness[i], 3e6 * 8e-9 / (12 * (1 - 0.0625)), 1e-15);
    sn_world_destroy(world);
    material.bending = 0;
    world = make_world(sn_default_world_def());
    add_body(world, make_cloth(1, 1, 3, 3), material, NULL, NULL);
    assert_int_equal(world->model.bodies[0].hinge_count, 0);
    check_ok(sn_world_step(world, NULL));
    sn_world_destroy(world);
}

// Pages of a book: k triangles at one edge make k - 1 hinges. Between two regions a hinge has the mean stiffness.
static void test_hinges_of_a_book(void** state)
{
    (void)state;
    const double nodes[] = {0, 0, 0, 0, 1, 0, 1, 0, 0, -1, 0, 0, 0, 0, 1, 0, 0, -1};
    const int triangles[] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 0, 1, 5}, region[] = {-1, 0, 0, 1};
    SnMeshDef mesh_def = sn_default_mesh_def();
    mesh_def.node_count = 6, mesh_def.nodes = nodes, mesh_def.triangle_count = 4, mesh_def.triangles = triangles;
    SnMesh* mesh;
    check_ok(sn_mesh_create(&mesh_def, &mesh));
    SnMaterial stuff[3];
    const double bending[3] = {3, 6, 0};
    for (int i = 0; i < 3; i++) stuff[i] = sn_material("arap", 1e5, 0.3, 1000), stuff[i].bending = bending[i];
    SnBodyDef def = sn_default_body_def();
    def.mesh = mesh, def.material = stuff[0], def.regions = stuff + 1, def.region_count = 2;
    def.region_of_element = region;
    SnWorld* world = make_world(sn_default_world_def());
    check_ok(sn_world_add_body(world, &def, NULL));
    const SnBody* body = &world->model.bodies[0];
    assert_int_equal(body->hinge_count, 3);
    const double expected[3] = {4.5 / 3, 6.0 / 3, 3.0 / 3};
    for (int i = 0; i < 3; i++) {
        check_near(body->hinge_stiffness[i], expected[i], 1e-15);
        const int* h = body->hinges + 4 * i;
        check(h[0] == 0 && h[1] == 1 && h[2] == i + 2 && h[3] == i + 3);
    }
    SnStepReport report;
    check_ok(sn_world_measure(world, &report));
    check_near(report.energy.elastic, 0, 1e-20); // it is bent at rest
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

// A sheet that is curved at rest stays as it is, pushed and released comes back. Hinges do not know which way they
// bend, so there are other minima nearby (a dent); Newton goes to the nearest.
static void test_shell_keeps_its_shape(void** state)
{
    (void)state;
    SnMesh* mesh = make_cloth(1, 1, 8, 8);
    for (int i = 0; i < mesh->node_count; i++) mesh->nodes[3 * i + 1] = 0.4 * cos(2 * mesh->nodes[3 * i]);
    SnMaterial material = sn_material("neo-hookean", 1e6, 0.3, 1000);
    material.thickness = 0.02;
    double* start = calloc((size_t)mesh->node_count, 3 * sizeof *start);
    SnRandom random = {11};
    for (int i = 0; i < 3 * mesh->node_count; i++) {
        double push = sn_random_uniform(&random, -0.01, 0.01);
        start[i] = mesh->nodes[i] + (mesh->nodes[i - i % 3] > 0.13 ? push : 0);
    }
    for (int k = 0; k < 2; k++) {
        SnBodyDef def = sn_default_body_def();
        def.mesh = mesh, def.material = material, def.start = k ? start : NULL;
        SnWorldDef world_def = sn_default_world_def();
        world_def.integrator = "static", world_def.gravity[1] = 0;
        world_def.solver.type = "newton", world_def.solver.tolerance = 1e-11;
        SnWorld* world = make_world(world_def);
        check_ok(sn_world_add_body(world, &def, NULL));
        hold(world, 0, -10, 0.13, still());
        SnStepReport report;
        check_ok(sn_world_measure(world, &report));
        check(k ? report.energy.elastic > 1 : report.energy.elastic < 1e-15);
        check_ok(sn_world_step(world, &report));
        check(report.outcome == SN_OUTCOME_CONVERGED);
        check_near(report.energy.elastic, 0, 1e-10);
        for (int i = 0; i < 3 * mesh->node_count; i++) check_near(sn_world_positions(world)[i], mesh->nodes[i], 1e-6);
        sn_world_destroy(world);
    }
    free(start);
    sn_mesh_destroy(mesh);
}

// Fibers and hinges change neither masses nor what the stopping rule compares with.
static void test_reinforcement_weighs_nothing(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        SnWorld* worlds[2];
        for (int with = 0; with < 2; with++) {
            worlds[with] = make_world(sn_default_world_def());
            SnMaterial material = fibrous("stvk", 1e5, k == 0 && with ? 1e7 : 0, 1, 2, 3);
            material.bending = with;
            add_body(worlds[with], k ? make_cloth(1, 1, 5, 5) : make_box(1, 1, 1, 3, 3, 3), material, NULL, NULL);
            check_ok(sn_world_prepare(worlds[with], 0));
        }
        assert_int_equal(worlds[0]->problem.potential->group_count, 1);
        assert_int_equal(worlds[1]->problem.potential->group_count, 2);
        check(worlds[0]->problem.characteristic == worlds[1]->problem.characteristic);
        check(memcmp(worlds[0]->problem.mass, worlds[1]->problem.mass,
                     (size_t)worlds[0]->model.node_count * sizeof(double)) == 0);
        sn_world_destroy(worlds[0]), sn_world_destroy(worlds[1]);
    }
}

// A fibrous bar and a cloth in one world.
static SnWorld* make_reinforced(int threads)
{
    SnWorldDef def = sn_default_world_def();
    def.threads = threads;
    SnWorld* world = make_world(def);
    add_body(world, make_box(4, 1, 1, 12, 3, 3), fibrous("neo-hookean", 1e6, 1e7, 1, 1, 0), NULL, NULL);
    SnMaterial cloth = sn_material("corotated", 1e6, 0.3, 500);
    add_body(world, make_cloth(1, 1, 12, 12), cloth, NULL, NULL);
    hold(world, 0, 0, 0, still());
    const int corner = 0;
    SnHandleDef handle = sn_default_handle_def();
    handle.body = 1, handle.nodes = &corner, handle.node_count = 1;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    return world;
}

static void test_reinforced_ledger_and_threads(void** state)
{
    (void)state;
    const int threads[] = {1, 2, 5};
    uint64_t hash = 0;
    for (int t = 0; t < 3; t++) {
        SnWorld* world = make_reinforced(threads[t]);
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        check_near(first.energy.elastic, 0, 1e-9);
        for (int i = 0; i < 10; i++) {
            check_ok(sn_world_step(world, &report));
            check(report.outcome == SN_OUTCOME_CONVERGED);
            const SnEnergy *a = &first.energy, *b = &report.energy;
            double change = b->kinetic + b->elastic + b->gravity - a->kinetic - a->elastic - a->gravity;
            check_near(change, b->pins - b->viscous - b->friction - b->numerical, 1e-9 * fabs(b->gravity));
            check(b->numerical > 0);
        }
        if (t == 0) hash = sn_world_hash(world);
        check(sn_world_hash(world) == hash);
        sn_world_destroy(world);
    }
}

static void test_reinforced_bodies_may_fail(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        SnStatus status = SN_ERROR_MEMORY;
        long n = 0;
        for (; status == SN_ERROR_MEMORY; n++) {
            SnWorld* world = make_world(sn_default_world_def());
            SnMesh* mesh = k ? make_cloth(1, 1, 2, 2) : make_box(1, 1, 1, 1, 1, 1);
            SnBodyDef def = sn_default_body_def();
            def.mesh = mesh, def.material = fibrous("arap", 1e5, k ? 0 : 1e5, 1, 0, 0);
            status = step_with_failing_memory(world, &def, n);
            sn_mesh_destroy(mesh);
        }
        check(n > 15);
    }
}

static void test_bad_reinforcement(void** state)
{
    (void)state;
    const struct {
        double fiber, direction, bending;
        bool cloth;
        const char* words[2];
    } rows[] = {
        {-1, 1, 0, false, {"fiber is -1 Pa", "0 or positive"}},
        {NAN, 1, 0, false, {"fiber is nan Pa", "0 or positive"}},
        {1e5, 0, 0, false, {"fiber_direction is [0, 0, 0]", "not zero"}},
        {1e5, INFINITY, 0, false, {"fiber_direction is [inf, 0, 0]", "finite"}},
        {1e5, 1, 0, true, {"fiber is 100000 Pa", "made of triangles"}},
        {0, 0, -1, true, {"bending is -1 N m", "0 or positive"}},
        {0, 0, INFINITY, true, {"bending is inf N m", "0 or positive"}},
    };
    SnWorld* world = make_world(sn_default_world_def());
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        SnBodyDef def = sn_default_body_def();
        SnMesh* mesh = rows[r].cloth ? make_cloth(1, 1, 2, 2) : make_box(1, 1, 1, 1, 1, 1);
        def.mesh = mesh, def.name = "it";
        def.material = fibrous("arap", 1e5, rows[r].fiber, rows[r].direction, 0, 0);
        def.material.bending = rows[r].bending;
        check_fails(sn_world_add_body(world, &def, NULL), SN_ERROR_VALUE, "body 'it'", rows[r].words[0],
                    rows[r].words[1]);
        sn_mesh_destroy(mesh);
    }
    SnMaterial soft = sn_material("stvk", 1e5, 0.3, 1000), bad = fibrous("stvk", 1e5, 1e5, 0, 0, 0);
    check_fails(add_halves(world, &soft, &bad, 1), SN_ERROR_VALUE, "region 0", "fiber_direction");
    assert_int_equal(sn_world_body_count(world), 0);
    sn_world_destroy(world);
}

// A sheet that is bent, of the same material from the start or made so later.
static void test_bending_of_another_stiffness(void** state)
{
    (void)state;
    double energy[2];
    for (int k = 0; k < 2; k++) {
        SnWorldDef def = sn_default_world_def();
        SnBodyDef body = sn_default_body_def();
        SnMesh* mesh = make_cloth(1, 1, 6, 6);
        double start[3 * 49];
        SnStepReport report;
        SnWorld* world;
        check_ok(sn_world_create(&def, &world));
        for (int i = 0; i < 49; i++)
            for (int c = 0; c < 3; c++) {
                double x = mesh->nodes[3 * i];
                start[3 * i + c] = mesh->nodes[3 * i + c] + (c == 1 ? 0.1 * x * x : 0);
            }
        body.mesh = mesh, body.start = start;
        body.material = sn_material("stvk", k ? 3e6 : 1e5, k ? 0.1 : 0.4, 100);
        body.material.thickness = 0.01;
        check_ok(sn_world_add_body(world, &body, NULL));
        if (!k) check_ok(sn_world_set_stiffness(world, 0, 3e6, 0.1));
        check_ok(sn_world_measure(world, &report));
        energy[k] = report.energy.elastic;
        sn_world_destroy(world);
        sn_mesh_destroy(mesh);
    }
    check(energy[0] > 0);
    check_near(energy[0] / energy[1], 1, 1e-12);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bending_of_another_stiffness),
    cmocka_unit_test(test_fiber_adds_stiffness),
    cmocka_unit_test(test_fiber_regions),
    cmocka_unit_test(test_fiber_field),
    cmocka_unit_test(test_strip_bends_like_a_plate),
    cmocka_unit_test(test_plate_by_direction),
    cmocka_unit_test(test_bending_by_default),
    cmocka_unit_test(test_hinges_of_a_book),
    cmocka_unit_test(test_shell_keeps_its_shape),
    cmocka_unit_test(test_reinforcement_weighs_nothing),
    cmocka_unit_test(test_reinforced_ledger_and_threads),
    cmocka_unit_test(test_reinforced_bodies_may_fail),
    cmocka_unit_test(test_bad_reinforcement),
};
RUN_TESTS(tests, NULL, NULL)
