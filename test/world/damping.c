// Damped bodies: closed forms of one element, momenta, the same motion by every solver and any number of threads.
#include "check_world.h"

#include "core/pi.h"
#include "solver/solver.h"
#include "world/world.h"

static SnWorldDef exact_def(const char* integrator, double step)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = step;
    memset(def.gravity, 0, sizeof def.gravity);
    def.threads = 1;
    def.solver.type = "newton", def.solver.tolerance = 1e-12, def.solver.iterations = 300;
    return def;
}

static SnWorld* make_world(const SnWorldDef* def)
{
    SnWorld* world;
    check_ok(sn_world_create(def, &world));
    return world;
}

// --- one edge, of which one end is held and the other moves along it ---

#define LENGTH 2.0
#define DIAMETER 0.1
#define DENSITY 1000.0
static const double volume = SN_PI / 4 * DIAMETER * DIAMETER * LENGTH;

static SnWorld* make_spring(const SnWorldDef* world_def, double young, double stretch, double speed,
                            SnDampingDef damping)
{
    SnWorld* world = make_world(world_def);
    SnMesh* mesh;
    check_ok(sn_mesh_make_rope(LENGTH, 1, &mesh));
    double start[6], velocity[6] = {0};
    memcpy(start, sn_mesh_nodes(mesh), sizeof start);
    int far = start[3] > start[0] ? 1 : 0;
    start[3 * far] += stretch * LENGTH, velocity[3 * far] = speed;
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.start = start, body.velocity = velocity;
    body.material = sn_material("spring", young, 0, DENSITY);
    body.material.thickness = DIAMETER;
    body.damping = &damping, body.damping_count = 1;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = (int[]){1 - far}, handle.node_count = 1;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    return world;
}

static void step_until(SnWorld* world, double time)
{
    SnStepReport report;
    while (sn_world_time(world) < time - 1e-9) {
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("at %g s: %s", report.time, report.detail);
    }
}

// x'' + c x' + k x = 0: Rayleigh's has c = beta k/m, that of strain rates V (2 shear + bulk)/(L^2 m) near rest.
static void test_damped_oscillator(void** state)
{
    (void)state;
    const double young = 1e5, m = DENSITY * volume / 2, k = young * volume / (LENGTH * LENGTH), small = 1e-4;
    const char* types[] = {"rayleigh", "rayleigh", "principal-stretch", "strain-rate"};
    for (int i = 0; i < 4; i++) {
        SnDampingDef damping = sn_default_damping_def(types[i]);
        damping.beta = 0.02, damping.shear = 700, damping.bulk = 600;
        if (i == 1) damping.conserve_momentum = SN_MOMENTUM_PROJECTOR;
        double c = i < 3 ? damping.beta * k / m : volume * (2 * damping.shear + damping.bulk) / (LENGTH * LENGTH * m);
        double slow = c / 2, fast = sqrt(k / m - slow * slow);
        SnWorldDef def = exact_def("tr-bdf2", 1e-3);
        def.solver.tolerance = 1e-10;
        SnWorld* world = make_spring(&def, young, small, 0, damping);
        for (int n = 1; n <= 5; n++) {
            double t = 0.1 * n, x = small * LENGTH * exp(-slow * t) * (cos(fast * t) + slow / fast * sin(fast * t));
            step_until(world, t);
            const double* p = sn_world_positions(world);
            check_near(fabs(p[3] - p[0]) - LENGTH, x, 2e-4 * small * LENGTH + 4 * small * small);
        }
        sn_world_destroy(world);
    }
}

// What a damped spring loses in a step of the trapezoidal rule or of tr-bdf2, from weights of the three times t^n,
// t^n + gamma h, t^(n+1): the impulse of the damping times the mean velocity. Advances x (from its rest) and v.
static double lose(bool bdf2, double h, double k, double c, double* x, double* v)
{
    double gamma = bdf2 ? 2 - sqrt(2) : 1, b = gamma * h / 2, w = bdf2 ? 0.5 / (2 - gamma) : 0.5;
    double a = -k * *x - c * *v, xp = *x + b * *v, vp = *v + b * a;
    double middle = (vp - b * k * xp) / (1 + b * c + b * b * k), mean = 0.5 * (*v + middle);
    double x1 = xp + b * middle, v1 = middle;
    if (bdf2) {
        double am = (middle - vp) / b, d = (1 - gamma) / (2 - gamma) * h;
        double start = *x + h * w * (*v + middle), speed = *v + h * w * (a + am);
        v1 = (speed - d * k * start) / (1 + d * c + d * d * k);
        x1 = start + d * v1;
        mean = w * (*v + middle) + d / h * v1;
    }
    *x = x1, *v = v1;
    return h * c * mean * mean; // per mass
}

// The ledger of a damped spring: the trapezoidal and midpoint rules lose nothing of their own, the others never gain,
// and dampings do not take more than there is, however stiff.
static void test_ledger_of_a_damped_spring(void** state)
{
    (void)state;
    const char* integrators[] = {"backward-euler", "implicit-midpoint", "trapezoidal", "tr-bdf2"};
    const double betas[] = {0.001, 0.05, 3}, young = 1e5, stretch = 0.1, h = 0.02;
    const double m = DENSITY * volume / 2, k = young * volume / (LENGTH * LENGTH) / m;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            SnDampingDef damping = sn_default_damping_def("rayleigh");
            damping.beta = betas[j];
            SnWorldDef def = exact_def(integrators[i], h);
            SnWorld* world = make_spring(&def, young, stretch, 1, damping);
            SnStepReport first, report;
            check_ok(sn_world_measure(world, &first));
            double all = first.energy.kinetic + first.energy.elastic, x = stretch * LENGTH, v = 1, lost = 0, before = 0;
            for (int step = 0; step < 20; step++) {
                check_ok(sn_world_step(world, &report));
                lost += m * lose(i == 3, h, k, betas[j] * k, &x, &v);
                if (i >= 2) check_near(report.energy.viscous, lost, 1e-8 * all);
                if (i == 1 || i == 2) check_near(report.energy.numerical, 0, 1e-8 * all);
                check(report.energy.numerical >= before - 1e-8 * all && report.energy.viscous <= all);
                before = report.energy.numerical;
            }
            check(report.energy.viscous > 0.01 * all || betas[j] == 3);
            sn_world_destroy(world);
        }
}

// A free end against R = a |s'|^(p+1): m v' = -(p+1) a V/L (v/L)^p stops at a time, decays exponentially, or like 1/t.
static void test_power_laws(void** state)
{
    (void)state;
    const double m = DENSITY * volume / 2, speed = 0.5, ends[3] = {0.04, 0.08, 0.08};
    const double strengths[3] = {DENSITY * speed * LENGTH / 2 / 0.04, 4000, 8000}; // p = 0 stops after 0.04 s
    for (int p = 0; p < 3; p++) {
        SnDampingDef damping = sn_default_damping_def("fast-power-law");
        damping.exponent = p, damping.strength = strengths[p], damping.smoothing = 1e-4;
        SnWorldDef def = exact_def("tr-bdf2", 1e-3);
        def.solver.tolerance = 0.1; // of a stiffness that is next to none, a tenth with tr-bdf2: 1e-4 N
        SnWorld* world = make_spring(&def, 1, 0, speed, damping);
        double a = (p + 1) * strengths[p] * volume / m / LENGTH;
        for (int n = 1; n <= 4; n++) {
            double t = ends[p] * n / 4, exact = speed - a * t;
            if (p == 1) exact = speed * exp(-a / LENGTH * t);
            if (p == 2) exact = speed / (1 + a / (LENGTH * LENGTH) * speed * t);
            if (p == 0 && n == 4) t += 0.003; // a moment after it has stopped
            step_until(world, t);
            const double* v = sn_world_velocities(world);
            double now = fabs(v[0]) + fabs(v[3]);
            check_near(now, exact, 2e-3 * speed);
            if (p == 0 && n == 4) check(now < 1e-5 * speed);
        }
        sn_world_destroy(world);
    }
}

// The general power law is that of its base where the base dissipates `reference`, and its power p of the rate else.
static void test_power_law_of_a_base(void** state)
{
    (void)state;
    SnDampingDef damping = sn_default_damping_def("power-law");
    const double rate = 0.2, factor = 3, m = DENSITY * volume / 2;
    damping.shear = 500, damping.reference = damping.shear * rate * rate, damping.exponent = 2;
    double forces[2];
    for (int i = 0; i < 2; i++) { // at the rate itself, and at one that is `factor` times as large
        SnWorldDef def = exact_def("backward-euler", 1e-4);
        def.solver.tolerance = 1e-4;
        double speed = LENGTH * rate * (i ? factor : 1);
        SnWorld* world = make_spring(&def, 1, 0, speed, damping);
        step_until(world, 1e-4);
        const double* v = sn_world_velocities(world);
        forces[i] = m * (speed - fabs(v[0]) - fabs(v[3])) / 1e-4;
        sn_world_destroy(world);
    }
    double exact = 3.0 / 2 * 2 * damping.shear * rate * volume / LENGTH; // q times the base's
    check_near(forces[0], exact, 1e-3 * exact);
    check_near(forces[1], exact * factor * factor, 1e-3 * exact * factor * factor);
}

// --- a bar ---

static SnWorld* make_bar(const SnWorldDef* world_def, const char* material, const SnDampingDef* dampings, int count)
{
    SnWorld* world = make_world(world_def);
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){1, 0.3, 0.3}, (int[]){4, 2, 2}, &mesh));
    int n = sn_mesh_node_count(mesh);
    double *start = calloc((size_t)n, 3 * sizeof *start), *velocity = calloc((size_t)n, 3 * sizeof *velocity);
    for (int i = 0; i < n; i++) {
        const double* x = sn_mesh_nodes(mesh) + 3 * i;
        start[3 * i] = 1.2 * x[0], start[3 * i + 1] = x[1], start[3 * i + 2] = x[2] + 0.1 * x[0] * x[0];
        velocity[3 * i] = -4 * x[1], velocity[3 * i + 1] = 4 * x[0] - 2, velocity[3 * i + 2] = 1;
    }
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.start = start, body.velocity = velocity;
    body.material = sn_material(material, 5e4, 0.4, 1000);
    body.damping = dampings, body.damping_count = count;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh), free(start), free(velocity);
    return world;
}

// Every row of the table, with numbers that damp a lot.
static int every_damping(SnDampingDef* out)
{
    static const double points[] = {0.5, 3, 1, 1, 2, 3};
    int count = 0;
    for (int i = 0; i < sn_dissipation_count(); i++) {
        SnDampingDef d = sn_default_damping_def(sn_dissipation_at(i)->name);
        d.beta = 0.02, d.shear = 300, d.exponent = 0.5, d.strength = 300, d.drag = 1;
        d.curve = (SnCurve){3, points};
        out[count++] = d;
        if (strstr(d.type, "power-law")) d.exponent = 0, d.strength = d.reference = 1000, out[count++] = d;
        if (strcmp(d.type, "rayleigh") != 0) continue;
        d.conserve_momentum = SN_MOMENTUM_VELOCITY_GRADIENT;
        out[count++] = d;
        d.conserve_momentum = SN_MOMENTUM_PROJECTOR;
        out[count++] = d;
    }
    return count;
}

// The implicit midpoint rule keeps angular momentum by itself: what is lost, the damping took. Rayleigh's loses it, its
// corrected forms do not. All take energy.
static void test_momentum(void** state)
{
    (void)state;
    SnDampingDef dampings[20];
    int count = every_damping(dampings);
    for (int i = 0; i < count; i++) {
        SnWorldDef def = exact_def("implicit-midpoint", 0.01);
        SnWorld* world = make_bar(&def, "corotated", &dampings[i], 1);
        SnStepReport first, last;
        check_ok(sn_world_measure(world, &first));
        step_until(world, 0.3);
        check_ok(sn_world_measure(world, &last));
        double linear = 0, angular = 0, size = 0;
        for (int c = 0; c < 3; c++) {
            linear += fabs(last.momentum[c] - first.momentum[c]);
            angular += fabs(last.angular_momentum[c] - first.angular_momentum[c]);
            size += fabs(first.angular_momentum[c]);
        }
        bool drag = strcmp(dampings[i].type, "drag") == 0;
        bool loses = drag || (strcmp(dampings[i].type, "rayleigh") == 0 && dampings[i].conserve_momentum == 0);
        if (loses != (angular > 0.03 * size) || (!loses && angular > 1e-9 * size))
            fail_msg("%s %d: %g of the angular momentum %g is lost", dampings[i].type, dampings[i].conserve_momentum,
                     angular, size);
        check(drag == (linear > 1e-6));
        check(last.energy.viscous > 0.01 * (first.energy.kinetic + first.energy.elastic));
        check_near(last.energy.numerical, 0, 0.05 * last.energy.viscous);
        sn_world_destroy(world);
    }
}

// How far tr-bdf2 with so many steps is from the reference after 0.1 s; without one, that is made.
static double error_of(const SnDampingDef* damping, int order, int steps, double** reference)
{
    SnWorldDef def = exact_def("tr-bdf2", 0.1 / steps);
    def.dissipation_order = order;
    def.solver.tolerance = 1e-10;
    SnWorld* world = make_bar(&def, "stvk", damping, 1);
    step_until(world, 0.1);
    int n = 3 * sn_world_node_count(world);
    const double* x = sn_world_positions(world);
    if (!*reference) *reference = memcpy(malloc((size_t)n * sizeof *x), x, (size_t)n * sizeof *x);
    double largest = 0;
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(x[k] - (*reference)[k]));
    sn_world_destroy(world);
    return largest;
}

// Of second order, halving the step quarters the error, whatever damps; powers below 1 have no second derivative.
static void test_order(void** state)
{
    (void)state;
    SnDampingDef dampings[20];
    int count = every_damping(dampings);
    for (int i = 0; i < count; i++) {
        dampings[i].exponent = 2, dampings[i].strength = 30, dampings[i].reference = 1e4;
        double* reference = NULL;
        error_of(&dampings[i], 2, 320, &reference);
        double coarse = error_of(&dampings[i], 2, 40, &reference), fine = error_of(&dampings[i], 2, 80, &reference);
        double slope = log2(coarse / fine);
        if (!(slope > 1.85 && slope < 2.3))
            fail_msg("%s %d: errors %g, %g: slope %g", dampings[i].type, dampings[i].conserve_momentum, coarse, fine,
                     slope);
        free(reference);
    }
}

// Speeds under drag decay as e^-ct, and a fall approaches g/c.
static void test_drag(void** state)
{
    (void)state;
    SnDampingDef damping = sn_default_damping_def("drag");
    damping.drag = 4;
    SnWorldDef def = exact_def("tr-bdf2", 1e-3);
    def.gravity[1] = -10;
    SnWorld* world = make_bar(&def, "corotated", &damping, 1);
    SnStepReport first, last;
    check_ok(sn_world_measure(world, &first));
    step_until(world, 0.5);
    check_ok(sn_world_measure(world, &last));
    double decay = exp(-4 * 0.5), mass = world->model.bodies[0].mass;
    check_near(last.momentum[2], first.momentum[2] * decay, 1e-4 * first.momentum[2]);
    check_near(last.momentum[1] / mass, -10.0 / 4 * (1 - decay) + first.momentum[1] / mass * decay, 1e-4);
    sn_world_destroy(world);
}

// --- one motion, whatever the solver or the threads ---

static void check_solver(const char* solver, bool merged, const char* material, const SnDampingDef* damping,
                         double** reference)
{
    SnWorldDef def = exact_def("backward-euler", 0.01);
    def.solver.type = solver, def.solver.tolerance = 1e-8, def.solver.iterations = 5000;
    def.solver.merge_dissipation = merged;
    SnWorld* world = make_bar(&def, material, damping, 1);
    SnStepReport report;
    for (int step = 0; step < 3; step++) {
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED)
            fail_msg("%s with %s: %s after %d iterations: %g of %g", solver, damping->type,
                     sn_outcome_name(report.outcome), report.iterations, report.gradient, report.tolerance);
    }
    int n = 3 * sn_world_node_count(world);
    const double* x = sn_world_positions(world);
    if (!*reference) *reference = memcpy(malloc((size_t)n * sizeof *x), x, (size_t)n * sizeof *x);
    for (int k = 0; k < n; k++)
        if (!(fabs(x[k] - (*reference)[k]) < 1e-6))
            fail_msg("%s with %s: %g m off", solver, damping->type, x[k] - (*reference)[k]);
    sn_world_destroy(world);
}

static void test_every_solver(void** state)
{
    (void)state;
    SnDampingDef dampings[20];
    int count = every_damping(dampings);
    for (int i = 0; i < count; i++) {
        double* reference = NULL;
        check_solver("newton", true, "neo-hookean", &dampings[i], &reference);
        for (int s = 0; s < sn_solver_count(); s++)
            check_solver(sn_solver_at(s)->name, true, "neo-hookean", &dampings[i], &reference);
        check_solver("admm", false, "neo-hookean", &dampings[i], &reference);
        free(reference);
    }
}

static void test_threads(void** state)
{
    (void)state;
    SnDampingDef dampings[20];
    int count = every_damping(dampings);
    for (int isa = 0; isa < SN_ISA_COUNT; isa++) {
        if (!sn_isa_available((SnIsa)isa)) continue;
        check_ok(sn_isa_choose(sn_isa_name((SnIsa)isa)));
        uint64_t hash = 0;
        for (int threads = 1; threads <= 5; threads += 2) {
            SnWorldDef def = exact_def("tr-bdf2", 0.01);
            def.threads = threads;
            SnWorld* world = make_bar(&def, "neo-hookean", dampings, count);
            step_until(world, 0.03);
            check(threads == 1 || sn_world_hash(world) == hash);
            hash = sn_world_hash(world);
            sn_world_destroy(world);
        }
    }
    check_ok(sn_isa_choose(NULL));
}

// --- what a body takes ---

// Half of the elements lose less than all of them; two halves as much as the whole.
static void test_elements(void** state)
{
    (void)state;
    SnDampingDef dampings[2] = {sn_default_damping_def("strain-rate"), sn_default_damping_def("strain-rate")};
    int halves[2][48], count = 96;
    for (int e = 0; e < count; e++) halves[e % 2][e / 2] = e;
    double viscous[3];
    for (int i = 0; i < 3; i++) {
        SnWorldDef def = exact_def("backward-euler", 0.01);
        dampings[0].elements = i == 0 ? NULL : halves[0], dampings[0].element_count = 48;
        dampings[1].elements = halves[1], dampings[1].element_count = 48;
        SnWorld* world = make_bar(&def, "corotated", dampings, i == 2 ? 2 : 1);
        check(world->model.bodies[0].tetrahedron_count == count);
        step_until(world, 0.05);
        SnStepReport report;
        check_ok(sn_world_measure(world, &report));
        viscous[i] = report.energy.viscous;
        sn_world_destroy(world);
    }
    check(viscous[1] > 0 && viscous[1] < 0.9 * viscous[0]);
    check_near(viscous[2], viscous[0], 1e-8 * viscous[0]);
}

static SnStatus add_damped(const SnDampingDef* damping)
{
    SnWorldDef def = exact_def("backward-euler", 0.01);
    SnWorld* world = NULL;
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh));
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.damping = damping, body.damping_count = 1, body.name = "cube";
    SnStatus status = sn_world_create(&def, &world);
    if (status == SN_OK) status = sn_world_add_body(world, &body, NULL);
    if (status == SN_OK) status = sn_world_step(world, NULL);
    sn_world_destroy(world);
    sn_mesh_destroy(mesh);
    return status;
}

static void test_mistakes(void** state)
{
    (void)state;
    SnDampingDef d = sn_default_damping_def("raylei");
    check_fails(add_damped(&d), SN_ERROR_VALUE, "body 'cube'", "damping 0", "did you mean 'rayleigh'");
    d = sn_default_damping_def("rayleigh");
    d.elements = (int[]){6}, d.element_count = 1;
    check_fails(add_damped(&d), SN_ERROR_VALUE, "tetrahedron 6 does not exist", "0 to 5");
    d.elements = (int[]){2, 2}, d.element_count = 2;
    check_fails(add_damped(&d), SN_ERROR_VALUE, "tetrahedron 2 is named twice");
    d.element_count = 1;
    check_ok(add_damped(&d));
}

static void test_failing_allocations(void** state)
{
    (void)state;
    SnDampingDef dampings[20];
    int count = every_damping(dampings);
    for (int i = 0; i < count; i++) {
        dampings[i].elements = (int[]){0, 3}, dampings[i].element_count = 2;
        SnStatus status = SN_ERROR_MEMORY;
        for (long n = 0; status != SN_OK; n++) {
            SnMesh* mesh;
            SnWorldDef def = exact_def("backward-euler", 0.01);
            SnWorld* world = make_world(&def);
            check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh));
            SnBodyDef body = sn_default_body_def();
            body.mesh = mesh, body.damping = &dampings[i], body.damping_count = 1;
            status = step_with_failing_memory(world, &body, n);
            sn_mesh_destroy(mesh);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_damped_oscillator),
    cmocka_unit_test(test_ledger_of_a_damped_spring),
    cmocka_unit_test(test_power_laws),
    cmocka_unit_test(test_power_law_of_a_base),
    cmocka_unit_test(test_momentum),
    cmocka_unit_test(test_order),
    cmocka_unit_test(test_drag),
    cmocka_unit_test(test_every_solver),
    cmocka_unit_test(test_threads),
    cmocka_unit_test(test_elements),
    cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_failing_allocations),
};
RUN_TESTS(tests, NULL, NULL)
