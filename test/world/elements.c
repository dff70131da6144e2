// Elements: rates of convergence against exact solutions, patch tests, what locks and what does not, all solvers.
#include "bodies.h"
#include "check_world.h"
#include "core/random.h"
#include "linalg/vec3.h"
#include "world/world.h"

static const SnElement kinds[] = {SN_ELEMENT_LINEAR, SN_ELEMENT_LINEAR_BBAR, SN_ELEMENT_QUADRATIC};
enum { KINDS = sizeof kinds / sizeof *kinds };

static SnMesh* as_needed(SnMesh* mesh, SnElement element)
{
    SnMesh* raised;
    if (element != SN_ELEMENT_QUADRATIC) return mesh;
    check_ok(sn_mesh_raise(mesh, &raised));
    sn_mesh_destroy(mesh);
    return raised;
}

// A cube whose inner nodes are moved about, so that no symmetry helps.
static SnMesh* make_cube(SnElement element, int n)
{
    SnMesh* mesh = make_box(1, 1, 1, n, n, n);
    SnRandom random = {5};
    for (int i = 0; i < mesh->node_count; i++) {
        double* x = mesh->nodes + 3 * i;
        for (int c = 0; c < 3; c++)
            if (x[c] > 0.01 && x[c] < 0.99) x[c] += sn_random_uniform(&random, -0.15, 0.15) / n;
    }
    return as_needed(mesh, element);
}

// Within a share of what it should be.
static void check_within(double is, double should, double share)
{
    check_near(is, should, share * fabs(should));
}

static SnWorldDef equilibrium(const char* solver)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = "static";
    def.gravity[1] = 0;
    def.solver.type = solver;
    def.solver.tolerance = 1e-9, def.solver.iterations = 20000;
    return def;
}

static SnMaterial rubber(double poisson)
{
    return sn_material("neo-hookean", 1e5, poisson, 1000);
}

typedef void Displacement(const double X[3], double poisson, double u[3]);

// Of Papkovich and Neuber: u = B - grad(X.B)/(4 (1 - nu)) is in equilibrium where every B_i is harmonic.
static void exact(const double X[3], double poisson, double u[3])
{
    const double b[3] = {exp(X[0]) * cos(X[1]), exp(X[1]) * cos(X[2]), exp(X[2]) * cos(X[0])};
    double g[3] = {b[0] + X[0] * b[0] - X[2] * exp(X[2]) * sin(X[0]), b[1] + X[1] * b[1] - X[0] * exp(X[0]) * sin(X[1]),
                   b[2] + X[2] * b[2] - X[1] * exp(X[1]) * sin(X[2])};
    for (int c = 0; c < 3; c++) u[c] = 1e-7 * (b[c] - g[c] / (4 * (1 - poisson)));
}

static void affine(const double X[3], double poisson, double u[3])
{
    (void)poisson;
    u[0] = 0.2 * X[0] + 0.1 * X[1] - 0.3 * X[2], u[1] = -0.1 * X[1] + 0.2 * X[2], u[2] = 0.3 * X[0] - 0.1 * X[2];
}

static bool on_boundary(const double X[3])
{
    bool on = false;
    for (int c = 0; c < 3; c++) on |= X[c] < 1e-9 || X[c] > 1 - 1e-9;
    return on;
}

// A cube whose boundary is held where the displacement has it; the start inside is off.
static SnWorld* make_held(SnMesh* mesh, SnElement element, SnMaterial material, Displacement* displacement)
{
    SnWorld* world = make_world(equilibrium("newton"));
    int *held = calloc((size_t)mesh->node_count, sizeof *held), count = 0;
    double* start = calloc(3 * (size_t)mesh->node_count, sizeof *start);
    for (int i = 0; i < mesh->node_count; i++) {
        const double* X = mesh->nodes + 3 * i;
        bool on = on_boundary(X);
        double u[3];
        displacement(X, material.poisson, u);
        if (on) held[count++] = i;
        for (int c = 0; c < 3; c++) start[3 * i + c] = X[c] + (on ? 1 : 0.5) * u[c];
    }
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.material = material, body.start = start, body.element = element;
    check_ok(sn_world_add_body(world, &body, NULL));
    SnHandleDef hold = sn_default_handle_def();
    hold.nodes = held, hold.node_count = count;
    check_ok(sn_world_add_handle(world, &hold, NULL));
    free(held), free(start);
    return world;
}

// The root mean square of what is off inside, by that of the displacement.
static double error_of(const SnWorld* world, const SnMesh* mesh, double poisson, Displacement* displacement)
{
    double off = 0, all = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        const double* X = mesh->nodes + 3 * i;
        double u[3];
        displacement(X, poisson, u);
        for (int c = 0; c < 3 && !on_boundary(X); c++) {
            double e = world->state.x[3 * i + c] - X[c] - u[c];
            off += e * e, all += u[c] * u[c];
        }
    }
    return sqrt(off / all);
}

static double solve_held(SnElement element, int n, double poisson, Displacement* displacement)
{
    SnMesh* mesh = make_cube(element, n);
    SnWorld* world = make_held(mesh, element, rubber(poisson), displacement);
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    check(report.outcome == SN_OUTCOME_CONVERGED);
    double error = error_of(world, mesh, poisson, displacement);
    sn_world_destroy(world);
    sn_mesh_destroy(mesh);
    return error;
}

// Errors of displacements go with h^2, of ten-node tetrahedra with h^3.
static void test_rates(void** state)
{
    (void)state;
    const double ratios[] = {0.3, 0.49, 0.499};
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 3; i++) {
            bool quadratic = kinds[k] == SN_ELEMENT_QUADRATIC;
            int n = quadratic ? 2 : 3;
            double coarse = solve_held(kinds[k], n, ratios[i], exact);
            double fine = solve_held(kinds[k], 2 * n, ratios[i], exact);
            if (!(log2(coarse / fine) > (quadratic ? 2.7 : 1.9)))
                fail_msg("element %d, nu %g: %g, %g", kinds[k], ratios[i], coarse, fine);
        }
}

// A patch test: what is affine on the boundary is so inside, with the stress that it has everywhere.
static void test_patch(void** state)
{
    (void)state;
    const char* const materials[] = {"neo-hookean", "fixed-corotated", "stvk",
                                     "corotated",   "mooney-rivlin",   "stable-neo-hookean"};
    for (int m = 0; m < 6; m++) {
        SnMaterial material = sn_material(materials[m], 1e5, 0.49, 1000);
        double stress[KINDS][6], energy[KINDS];
        for (int k = 0; k < KINDS; k++) {
            SnMesh* mesh = make_cube(kinds[k], 3);
            SnWorld* world = make_held(mesh, kinds[k], material, affine);
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            check_near(error_of(world, mesh, 0.49, affine), 0, 1e-6);
            double* all = calloc(6 * (size_t)world->model.element_count, sizeof *all);
            check_ok(sn_world_field(world, "stress", SN_FIELD_ELEMENTS, all));
            for (int c = 0; c < 6; c++) stress[k][c] = all[c];
            for (int i = 0; i < 6 * world->model.element_count; i++) check_near(all[i], all[i % 6], 1);
            for (int c = 0; c < 6; c++) check_near(stress[k][c], stress[0][c], 1);
            energy[k] = report.energy.elastic;
            check_near(energy[k], energy[0], 1e-7 * energy[0]);
            free(all);
            sn_world_destroy(world);
            sn_mesh_destroy(mesh);
        }
    }
}

// A block between two plates that it sticks to, pressed by a tenth; returns the force on the upper one.
static double press(SnElement element, int n, double poisson, const char* solver, int threads)
{
    SnWorldDef def = equilibrium(solver);
    def.threads = threads;
    SnWorld* world = make_world(def);
    SnMesh* mesh = as_needed(make_box(1, 0.5, 1, 2 * n, n, 2 * n), element);
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.material = rubber(poisson), body.element = element;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    SnMotion down = still();
    down.velocity[1] = -0.05 / def.time_step;
    hold(world, 1, 0, 0, still());
    hold(world, 1, 0.5, 0.5, down);
    SnStepReport report;
    SnWrench force;
    check_ok(sn_world_step(world, &report));
    check(report.outcome == SN_OUTCOME_CONVERGED);
    check_ok(sn_world_handle_force(world, 1, &force));
    sn_world_destroy(world);
    return -force.force[1];
}

// The force of 2 x 4 x 4 cells is that of twice as many within a half for linear-bbar, and twenty times it for linear.
static void test_locking(void** state)
{
    (void)state;
    double fine = press(SN_ELEMENT_LINEAR_BBAR, 4, 0.499, "newton", 1);
    check_within(press(SN_ELEMENT_LINEAR_BBAR, 2, 0.499, "newton", 1), fine, 0.6);
    check_within(press(SN_ELEMENT_QUADRATIC, 2, 0.499, "newton", 1), fine, 0.25);
    check(press(SN_ELEMENT_LINEAR, 2, 0.499, "newton", 1) > 20 * fine);
}

static void test_all_solvers(void** state)
{
    (void)state;
    const char* const solvers[] = {"lbfgs", "admm", "dot", "chebyshev", "auto"};
    for (int k = 1; k < KINDS; k++) {
        double force = press(kinds[k], 2, 0.45, "newton", 1);
        for (int i = 0; i < 5; i++) check_within(press(kinds[k], 2, 0.45, solvers[i], 1), force, 1e-5);
        check(press(kinds[k], 2, 0.45, "newton", 3) == force);
        check(press(kinds[k], 2, 0.45, "lbfgs", 1) == press(kinds[k], 2, 0.45, "lbfgs", 3));
    }
}

// Where the material leaves room for its volume, nothing is apart: to the bit as linear ones.
static void test_small_poisson(void** state)
{
    (void)state;
    check(press(SN_ELEMENT_LINEAR_BBAR, 2, 0.2, "newton", 1) == press(SN_ELEMENT_LINEAR, 2, 0.2, "newton", 1));
}

// A free body that is let go stretched and turning, damped: momenta stay, energies fall.
static void test_damped(void** state)
{
    (void)state;
    for (int k = 1; k < KINDS; k++) {
        SnWorldDef def = sn_default_world_def();
        def.gravity[1] = 0;
        def.solver.type = "newton", def.solver.tolerance = 1e-10;
        SnWorld* world = make_world(def);
        SnMesh* mesh = make_cube(kinds[k], 2);
        double* start = calloc(3 * (size_t)mesh->node_count, sizeof *start);
        double* velocity = calloc(3 * (size_t)mesh->node_count, sizeof *velocity);
        for (int i = 0; i < mesh->node_count; i++) {
            const double* X = mesh->nodes + 3 * i;
            for (int c = 0; c < 3; c++) start[3 * i + c] = X[c] * (c == 0 ? 1.3 : 1);
            velocity[3 * i] = -X[1], velocity[3 * i + 1] = X[0];
        }
        SnBodyDef body = sn_default_body_def();
        SnDampingDef damping = sn_default_damping_def("rayleigh");
        body.mesh = mesh, body.material = rubber(0.49), body.element = kinds[k];
        body.start = start, body.velocity = velocity, body.damping = &damping, body.damping_count = 1;
        check_ok(sn_world_add_body(world, &body, NULL));
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        double energy = first.energy.elastic + first.energy.kinetic;
        for (int i = 0; i < 10; i++) {
            check_ok(sn_world_step(world, &report));
            check(report.outcome == SN_OUTCOME_CONVERGED);
            check(report.energy.elastic + report.energy.kinetic < energy);
            energy = report.energy.elastic + report.energy.kinetic;
        }
        check_momentum("damped", &first, &report, 1e-3);
        sn_world_destroy(world);
        sn_mesh_destroy(mesh);
        free(start), free(velocity);
    }
}

static void test_refused(void** state)
{
    (void)state;
    SnWorld* world = make_world(sn_default_world_def());
    SnMesh* mesh = make_box(1, 1, 1, 1, 1, 1);
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.element = SN_ELEMENT_LINEAR_BBAR;
    body.material = sn_material("arap", 1e5, 0.45, 1000);
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "linear-bbar", "'arap'", "neo-hookean");
    body.element = (SnElement)7;
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "element is 7");
    body.element = SN_ELEMENT_QUADRATIC;
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "second order", "sn_mesh_raise");
    sn_mesh_destroy(mesh);
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){2, 2}, &mesh));
    body.mesh = mesh, body.material = rubber(0.4), body.element = SN_ELEMENT_LINEAR_BBAR;
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "bodies of tetrahedra");
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

static void test_no_memory(void** state)
{
    (void)state;
    for (int k = 1; k < KINDS; k++) {
        SnMesh* mesh = as_needed(make_box(1, 1, 1, 1, 1, 1), kinds[k]);
        SnStatus status = SN_ERROR_MEMORY;
        for (long n = 0; status != SN_OK; n++) {
            SnBodyDef body = sn_default_body_def();
            body.mesh = mesh, body.material = rubber(0.49), body.element = kinds[k];
            status = step_with_failing_memory(make_world(sn_default_world_def()), &body, n);
        }
        sn_mesh_destroy(mesh);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rates),         cmocka_unit_test(test_patch),     cmocka_unit_test(test_locking),
    cmocka_unit_test(test_all_solvers),   cmocka_unit_test(test_damped),    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_small_poisson), cmocka_unit_test(test_no_memory),
};
RUN_TESTS(tests, NULL, NULL)
