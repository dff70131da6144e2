// Actuators: free growth bears no stress, held growth and muscles have their closed forms with every solver and
// element; gradients, works, the same bits after a restore and with any number of threads; mistakes.
#include "bodies.h"
#include "check_world.h"
#include "core/pi.h"
#include "core/random.h"
#include "mesh/elements.h"
#include "mesh/raise.h"
#include "world/world.h"

#include <sinew/field.h>

static const char* const solvers[] = {"newton", "lbfgs", "admm", "pd", "chebyshev", "dot", "auto"};
enum { SOLVERS = 7 };

static SnWorldDef weightless(const char* integrator, const char* solver)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = 0.05;
    memset(def.gravity, 0, sizeof def.gravity);
    def.solver.type = solver, def.solver.tolerance = 1e-7, def.solver.iterations = 3000;
    return def;
}

// Rising from 0 to 1 within a tenth of a second.
static const double rise[] = {0, 0, 0.1, 1};

static SnActuatorDef rising(const char* type)
{
    SnActuatorDef def = sn_default_actuator_def(type);
    def.ramp = (SnCurve){2, rise};
    return def;
}

// Holds the nodes of body 0 at coordinate 0 of an axis along that axis alone.
static void roll(SnWorld* world, int axis)
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    int *nodes = calloc((size_t)info.node_count, sizeof *nodes), count = 0;
    for (int i = 0; i < info.node_count; i++)
        if (fabs(info.rest[3 * i + axis]) < 1e-9) nodes[count++] = i;
    SnHandleDef def = sn_default_handle_def();
    def.nodes = nodes, def.node_count = count, def.axis_count = 1, def.axes[axis] = 1;
    check_ok(sn_world_add_handle(world, &def, NULL));
    free(nodes);
}

static SnMesh* make_element_box(SnElement element)
{
    SnMesh *mesh = make_box(2, 1, 1, 4, 2, 2), *raised = NULL;
    if (element != SN_ELEMENT_QUADRATIC) return mesh;
    check_ok(sn_mesh_raise(mesh, &raised));
    sn_mesh_destroy(mesh);
    return raised;
}

static SnMaterial fibrous(const char* type, double young, double poisson, double fiber)
{
    SnMaterial material = sn_material(type, young, poisson, 1000);
    material.fiber = fiber, material.fiber_direction[0] = 1;
    return material;
}

static void check_converged(SnWorld* world, int steps, const char* what, SnStepReport* report)
{
    for (int i = 0; i < steps; i++) {
        check_ok(sn_world_step(world, report));
        if (report->outcome != SN_OUTCOME_CONVERGED)
            fail_msg("%s: %s %s", what, sn_outcome_name(report->outcome), report->detail);
    }
}

static void check_sizes(const SnWorld* world, const double factor[3], double allowed, const char* what)
{
    for (int i = 0; i < 3 * world->model.node_count; i++) {
        double expected = factor[i % 3] * world->model.bodies[0].rest[i];
        if (!(fabs(world->state.x[i] - expected) <= allowed))
            fail_msg("%s: %.12g instead of %.12g", what, world->state.x[i], expected);
    }
}

// What nothing holds becomes as large as it wants to be, without stress and without work; fibers grow with it.
static void test_free_growth(void** state)
{
    (void)state;
    for (int k = 0; k < 2 * SOLVERS; k++) {
        SnElement element = (SnElement)(k % 3);
        const char* solver = solvers[k / 2];
        SnWorldDef def = weightless("static", solver);
        def.solver.tolerance = 1e-6, def.solver.iterations = 20000;
        SnWorld* world = make_world(def);
        SnBodyDef body = sn_default_body_def();
        SnMesh* mesh = make_element_box(element);
        body.mesh = mesh, body.element = element;
        body.material = fibrous("neo-hookean", 1e6, 0.45, 2e6);
        check_ok(sn_world_add_body(world, &body, NULL));
        sn_mesh_destroy(mesh);
        for (int axis = 0; axis < 3; axis++) roll(world, axis);
        SnActuatorDef heat = rising("heat"), growth = rising("growth");
        heat.heat = 100, heat.expansion = 5e-4;
        growth.growth[0] = 0.1, growth.growth[1] = -0.05, growth.growth[2] = 0.02;
        check_ok(sn_world_add_actuator(world, k % 2 ? &growth : &heat, NULL));
        if (k % 2) check_ok(sn_world_add_actuator(world, &heat, NULL));
        SnStepReport report;
        check_converged(world, 3, solver, &report);
        double factor[3], stress[6] = {0}, *values = calloc((size_t)world->model.element_count, 6 * sizeof *values);
        for (int c = 0; c < 3; c++) factor[c] = 1.05 * (k % 2 ? 1 + growth.growth[c] : 1);
        check_sizes(world, factor, 2e-5, solver);
        check_ok(sn_world_field(world, "stress", SN_FIELD_ELEMENTS, values));
        for (int i = 0; i < 6 * world->model.element_count; i++) stress[i % 6] = fmax(stress[i % 6], fabs(values[i]));
        for (int c = 0; c < 6; c++) check(stress[c] < 300); // of 1e6
        check(fabs(report.energy.pins) < 75);               // of 7.5e4 that holding it would take
        free(values);
        sn_world_destroy(world);
    }
}

// Sheets and ropes, too.
static void test_free_sheet_and_rope(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        SnWorld* world = make_world(weightless("backward-euler", "newton"));
        SnMesh* mesh = NULL;
        if (k == 0)
            check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){3, 3}, &mesh));
        else
            check_ok(sn_mesh_make_rope(1, 4, &mesh));
        SnMaterial material = sn_material(k ? "spring" : "neo-hookean", 1e5, 0.3, 1000);
        material.thickness = 0.01;
        add_body(world, mesh, material, NULL, NULL);
        SnActuatorDef growth = rising("growth");
        growth.growth[0] = 0.2, growth.growth[1] = k ? 0 : 0.1;
        check_ok(sn_world_add_actuator(world, &growth, NULL));
        SnStepReport report;
        for (int i = 0; i < 200; i++) check_ok(sn_world_step(world, &report));
        const double *x = world->state.x, *rest = world->model.bodies[0].rest, factor[3] = {1.2, 1, k ? 1 : 1.1};
        for (int i = 3; i < 3 * world->model.node_count; i += 3) { // it may turn
            double now = hypot(hypot(x[i] - x[0], x[i + 1] - x[1]), x[i + 2] - x[2]), then = 0;
            for (int c = 0; c < 3; c++) then += pow(factor[c] * (rest[i + c] - rest[c]), 2);
            check_near(now, sqrt(then), 1e-6);
        }
        check_near(report.energy.elastic, 0, 1e-6);
        sn_world_destroy(world);
    }
}

// A bar between walls that grows by g along itself: F = 1, Fe = diag(1/g, 1, 1), sigma = mu (1/g - g), and the work is
// all there is in it.
static void test_held_growth(void** state)
{
    (void)state;
    const double mu = 5e4, g = 1.1, n = 20;
    for (int k = 0; k < SOLVERS; k++) {
        SnWorldDef def = weightless("static", solvers[k]);
        def.time_step = 0.1 / n;
        SnWorld* world = make_world(def);
        add_body(world, make_box(2, 1, 1, 4, 2, 2), sn_material("neo-hookean", 2 * mu, 0, 1000), NULL, NULL);
        hold(world, 0, 0, 0, still());
        hold(world, 0, 2, 2, still());
        SnActuatorDef growth = rising("growth");
        growth.growth[0] = g - 1;
        check_ok(sn_world_add_actuator(world, &growth, NULL));
        SnStepReport report;
        check_converged(world, (int)n, solvers[k], &report);
        SnWrench wall;
        check_ok(sn_world_handle_force(world, 1, &wall));
        check_near(wall.force[0], mu * (1 / g - g), 1e-5 * mu);
        double stored = 2 * g * (0.5 * mu * (1 / (g * g) - 1) + mu * log(g));
        check_near(report.energy.elastic, stored, 1e-6 * stored);
        check_near(report.energy.pins, stored, 1e-3 * stored);
        sn_world_destroy(world);
    }
}

// Corotated, poisson 0: young (s - 1) + fiber (s/a - 1) + T = 0, of a bar that is free; held, it pulls with T.
static void test_muscle(void** state)
{
    (void)state;
    const double young = 1e5, fiber = 3e5, tension = 4e4, a = 0.8;
    for (int k = 0; k < 2 * SOLVERS; k++) {
        bool pulls = k % 2;
        SnWorld* world = make_world(weightless("static", solvers[k / 2]));
        add_body(world, make_box(2, 1, 1, 4, 2, 2), fibrous("corotated", young, 0, fiber), NULL, NULL);
        hold(world, 0, 0, 0, still());
        SnActuatorDef muscle = rising(pulls ? "tension" : "stretch");
        muscle.tension = tension, muscle.stretch = a;
        check_ok(sn_world_add_actuator(world, &muscle, NULL));
        SnStepReport report;
        check_converged(world, 2, solvers[k / 2], &report);
        double s = pulls ? 1 - tension / (young + fiber) : (young + fiber) / (young + fiber / a);
        check_sizes(world, (double[]){s, 1, 1}, 2e-5, solvers[k / 2]);
        sn_world_destroy(world);
    }
    SnWorld* world = make_world(weightless("static", "newton"));
    add_body(world, make_box(2, 1, 1, 4, 2, 2), fibrous("corotated", young, 0, fiber), NULL, NULL);
    hold(world, 0, 0, 0, still());
    hold(world, 0, 2, 2, still());
    SnActuatorDef muscle = rising("tension");
    muscle.tension = tension;
    check_ok(sn_world_add_actuator(world, &muscle, NULL));
    SnStepReport report;
    check_converged(world, 2, "held", &report);
    SnWrench wall;
    check_ok(sn_world_handle_force(world, 1, &wall));
    check_near(wall.force[0], tension, 1e-5 * tension);
    check_near(report.energy.pins, 0, 1e-6); // what cannot shorten does no work
    sn_world_destroy(world);
}

// A rope between two points that is wound up to a length of `a`, or pulls: its tension times its section.
static void test_cable(void** state)
{
    (void)state;
    const double young = 1e6, a = 0.8, tension = 5e4, d = 0.01;
    for (int k = 0; k < 2; k++) {
        SnWorld* world = make_world(weightless("static", "newton"));
        SnMesh* mesh = NULL;
        check_ok(sn_mesh_make_rope(1, 4, &mesh));
        SnMaterial material = sn_material("spring", young, 0.3, 1000);
        material.thickness = d;
        add_body(world, mesh, material, NULL, NULL);
        hold(world, 0, 0, 0, still());
        hold(world, 0, 1, 1, still());
        SnActuatorDef cable = sn_default_actuator_def(k ? "tension" : "stretch");
        cable.stretch = a, cable.tension = tension;
        check_ok(sn_world_add_actuator(world, &cable, NULL));
        SnStepReport report;
        check_converged(world, 1, "cable", &report);
        SnWrench end;
        check_ok(sn_world_handle_force(world, 1, &end));
        double expected = SN_PI / 4 * d * d * (k ? tension : young * (1 / a - 1));
        check_near(end.force[0], expected, 1e-6 * expected);
        sn_world_destroy(world);
    }
}

// Half of a bar is actuated by all kinds at once, and shaken: finite differences of the energy.
static SnWorld* make_mixed(SnWorldDef def, SnElement element)
{
    SnWorld* world = make_world(def);
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh = make_element_box(element);
    body.mesh = mesh, body.element = element, body.material = fibrous("neo-hookean", 1e5, 0.4, 1e5);
    body.material.fiber_direction[1] = 0.5;
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    damping.beta = 1e-3;
    body.damping = &damping, body.damping_count = 1;
    check_ok(sn_world_add_body(world, &body, NULL));
    hold(world, 0, 0, 0, still());
    const char* const kinds[] = {"growth", "heat", "stretch", "tension"};
    int *elements = calloc((size_t)mesh->tetrahedron_count, sizeof *elements), half = mesh->tetrahedron_count / 2;
    for (int i = 0; i < half; i++) elements[i] = i;
    for (int k = 0; k < 4; k++) {
        SnActuatorDef actuator = rising(kinds[k]);
        actuator.growth[0] = 0.1, actuator.growth[1] = -0.1, actuator.growth[2] = 0.05;
        actuator.heat = 50, actuator.expansion = 1e-3, actuator.stretch = 0.9, actuator.tension = 1e4;
        actuator.elements = k == 1 ? NULL : elements, actuator.element_count = half;
        check_ok(sn_world_add_actuator(world, &actuator, NULL));
    }
    free(elements);
    sn_mesh_destroy(mesh);
    return world;
}

static void test_derivatives(void** state)
{
    (void)state;
    for (int element = 0; element < 3; element++) {
        SnWorld* world = make_mixed(weightless("backward-euler", "newton"), (SnElement)element);
        check_ok(sn_world_prepare(world, 0));
        sn_actuators_set(&world->model, &world->problem, 0.07);
        SnPotential* p = world->problem.potential;
        int n = 3 * world->model.node_count;
        double *x = calloc((size_t)n, sizeof *x), *g = calloc((size_t)n, sizeof *g), *h = calloc((size_t)n, sizeof *h);
        SnRandom random = {7};
        for (int i = 0; i < n; i++) x[i] = world->state.x[i] + sn_random_uniform(&random, -0.03, 0.03);
        sn_potential_gradient(p, x, g);
        for (int i = 0; i < n; i += 5) {
            double e = 1e-6, at = x[i];
            x[i] = at + e;
            double more = sn_potential_energy(p, x).elastic;
            x[i] = at - e;
            double less = sn_potential_energy(p, x).elastic;
            x[i] = at;
            check_near((more - less) / (2 * e), g[i], 1e-4 * (1 + fabs(g[i])));
        }
        free(x), free(g), free(h);
        sn_world_destroy(world);
    }
}

// A muscle that jerks a bar: what it does is in the books, to second order where the integrator is, with all of them.
static void test_works(void** state)
{
    (void)state;
    for (int k = 0; k < DYNAMIC; k++) {
        double lost[2];
        for (int fine = 0; fine < 2; fine++) {
            SnWorldDef def = weightless(dynamic[k], "newton");
            def.time_step = fine ? 0.001 : 0.002;
            SnWorld* world = make_world(def);
            add_body(world, make_box(2, 1, 1, 4, 2, 2), fibrous("corotated", 1e5, 0, 1e5), NULL, NULL);
            hold(world, 0, 0, 0, still());
            SnActuatorDef muscle = rising("tension"), growth = rising("growth");
            muscle.tension = 2e4, growth.growth[1] = 0.1;
            check_ok(sn_world_add_actuator(world, &muscle, NULL));
            check_ok(sn_world_add_actuator(world, &growth, NULL));
            SnStepReport report;
            check_converged(world, fine ? 100 : 50, dynamic[k], &report);
            lost[fine] = fabs(report.energy.numerical);
            double all = report.energy.kinetic + fabs(report.energy.elastic); // what pulls has less than none
            check(all > 10);
            check(lost[fine] < (k == 0 ? 0.2 : 0.02) * all);
            check_near(report.energy.kinetic + report.energy.elastic, report.energy.pins - report.energy.numerical,
                       1e-6 * all);
            sn_world_destroy(world);
        }
        if (!(lost[1] < (k == 0 ? 0.7 : 0.4) * lost[0]))
            fail_msg("%s: %g J lost, with half the step %g", dynamic[k], lost[0], lost[1]);
    }
}

// After a restore in the middle of the ramp, and with any number of threads, the same bits, whatever is kept.
static void test_same_bits(void** state)
{
    (void)state;
    static const struct {
        const char *integrator, *solver, *initial;
        SnElement element;
    } rows[] = {{"backward-euler", "newton", NULL, SN_ELEMENT_LINEAR},
                {"bdf2", "lbfgs", "kept-hessian", SN_ELEMENT_LINEAR_BBAR},
                {"tr-bdf2", "lbfgs", "trace-laplacian", SN_ELEMENT_LINEAR},
                {"implicit-midpoint", "lbfgs", "laplacian", SN_ELEMENT_QUADRATIC},
                {"trapezoidal", "admm", NULL, SN_ELEMENT_LINEAR},
                {"backward-euler", "pd", NULL, SN_ELEMENT_QUADRATIC},
                {"static", "auto", NULL, SN_ELEMENT_LINEAR}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        SnWorld* worlds[2];
        for (int w = 0; w < 2; w++) {
            SnWorldDef def = weightless(rows[k].integrator, rows[k].solver);
            def.time_step = 0.01, def.threads = w ? 3 : 1, def.solver.tolerance = 1e-5;
            if (rows[k].initial) def.solver.initial = rows[k].initial;
            worlds[w] = make_mixed(def, rows[k].element);
        }
        for (int i = 0; i < 4; i++) check_ok(sn_world_step(worlds[0], NULL));
        size_t size = sn_world_state_size(worlds[0]);
        char* bytes = malloc(size);
        check_ok(sn_world_save_state(worlds[0], bytes, size));
        check_ok(sn_world_restore_state(worlds[1], bytes, size));
        SnStepReport a, b;
        for (int i = 0; i < 8; i++) {
            check_ok(sn_world_step(worlds[0], &a));
            check_ok(sn_world_step(worlds[1], &b));
            size_t all = 3 * (size_t)worlds[0]->model.node_count * sizeof(double);
            if (memcmp(worlds[0]->state.x, worlds[1]->state.x, all) != 0 || a.energy.pins != b.energy.pins)
                fail_msg("%s, %s: other bits after %d steps", rows[k].integrator, rows[k].solver, i + 1);
        }
        free(bytes);
        sn_world_destroy(worlds[0]), sn_world_destroy(worlds[1]);
    }
}

// Solvers find the same motion.
static void test_solvers_agree(void** state)
{
    (void)state;
    double* first = NULL;
    for (int k = 0; k < SOLVERS; k++) {
        SnWorldDef def = weightless("backward-euler", solvers[k]);
        def.time_step = 0.02;
        SnWorld* world = make_mixed(def, SN_ELEMENT_LINEAR);
        SnStepReport report;
        check_converged(world, 6, solvers[k], &report);
        int n = 3 * world->model.node_count;
        if (!first) {
            first = calloc((size_t)n, sizeof *first);
            memcpy(first, world->state.x, (size_t)n * sizeof *first);
        }
        for (int i = 0; i < n; i++)
            if (!(fabs(world->state.x[i] - first[i]) < 1e-5))
                fail_msg("%s: %g instead of %g m", solvers[k], world->state.x[i], first[i]);
        sn_world_destroy(world);
    }
    free(first);
}

static void test_memory(void** state)
{
    (void)state;
    long n = 0;
    for (SnStatus status = SN_ERROR_MEMORY; status != SN_OK; n++) {
        SnWorld* world = make_world(weightless("backward-euler", "newton"));
        add_body(world, make_box(1, 1, 1, 1, 1, 1), fibrous("neo-hookean", 1e5, 0.3, 1e5), NULL, NULL);
        SnActuatorDef muscle = rising("tension");
        muscle.tension = 1e4;
        FailingMemory memory;
        start_failing(&memory, n);
        status = sn_world_add_actuator(world, &muscle, NULL);
        if (status == SN_OK) status = sn_world_step(world, NULL);
        sn_world_destroy(world);
        stop_failing(&memory);
        check(status == SN_OK || status == SN_ERROR_MEMORY);
        check(n < 10000);
    }
    FailingMemory memory;
    SnWorld* world = make_mixed(weightless("backward-euler", "admm"), SN_ELEMENT_LINEAR);
    check_ok(sn_world_step(world, NULL));
    start_failing(&memory, 0);
    check_ok(sn_world_step(world, NULL));
    stop_failing(&memory);
    sn_world_destroy(world);
}

static void test_mistakes(void** state)
{
    (void)state;
    SnWorld* world = make_world(weightless("static", "newton"));
    add_body(world, make_box(1, 1, 1, 1, 1, 1), sn_material("neo-hookean", 1e5, 0.3, 1000), NULL, NULL);
    SnActuatorDef def = rising("grow");
    check_fails(sn_world_add_actuator(world, &def, NULL), SN_ERROR_VALUE, "unknown actuator 'grow'", "growth");
    def.type = NULL;
    check_fails(sn_world_add_actuator(world, &def, NULL), SN_ERROR_VALUE, "no type");
    def = rising("tension");
    check_fails(sn_world_add_actuator(world, &def, NULL), SN_ERROR_VALUE, "acts on fibers", "body 0");
    def = rising("growth"), def.growth[1] = -1;
    check_fails(sn_world_add_actuator(world, &def, NULL), SN_ERROR_VALUE, "growth");
    const double twice[] = {0, 0, 1, 3};
    def.growth[1] = -0.5, def.ramp.points = twice;
    check_fails(sn_world_add_actuator(world, &def, NULL), SN_ERROR_VALUE, "factor 3", "above -1");
    const double back[] = {1, 0, 0, 1};
    def.ramp.points = back;
    check_fails(sn_world_add_actuator(world, &def, NULL), SN_ERROR_VALUE, "increasing times");
    const int beyond[] = {99};
    def = rising("growth"), def.elements = beyond, def.element_count = 1;
    check_fails(sn_world_add_actuator(world, &def, NULL), SN_ERROR_VALUE, "element 99");
    def.element_count = 0;
    check_fails(sn_world_add_actuator(world, &def, NULL), SN_ERROR_VALUE, "0 elements");
    def = rising("growth"), def.body = 3;
    check_fails(sn_world_add_actuator(world, &def, NULL), SN_ERROR_VALUE, "body 3");
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_free_growth),   cmocka_unit_test(test_free_sheet_and_rope),
    cmocka_unit_test(test_held_growth),   cmocka_unit_test(test_muscle),
    cmocka_unit_test(test_cable),         cmocka_unit_test(test_derivatives),
    cmocka_unit_test(test_works),         cmocka_unit_test(test_same_bits),
    cmocka_unit_test(test_solvers_agree), cmocka_unit_test(test_memory),
    cmocka_unit_test(test_mistakes),
};
RUN_TESTS(tests, NULL, NULL)
