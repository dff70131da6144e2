// Time integrators: order of accuracy against a reference, closed forms, one trajectory by every solver, changing
// steps.
#include <complex.h>

#include "blocks.h"
#include "core/pi.h"
#include "world/world.h"

// --- order of accuracy ---

// Accelerations of the free nodes at (x, v), with what the potential and its dissipation exert.
static void accelerate(SnWorld* w, const double* x, const double* v, double* a)
{
    double h = w->state.step_length, *past = calloc(3 * (size_t)w->model.node_count, sizeof *past);
    for (int k = 0; k < 3 * w->model.node_count; k++) past[k] = x[k] - h * v[k];
    SnPast from = {.xp = past, .count = 1, .weight = {1}, .x = {x}, .lead = -h, .v = v, .ahead = true};
    sn_potential_begin_stage(w->problem.potential, &from, h);
    sn_potential_gradient(w->problem.potential, x, a);
    free(past);
    for (int k = 0; k < 3 * w->model.node_count; k++)
        a[k] = w->problem.free_index[k / 3] < 0 ? 0 : (w->problem.gravity[k] - a[k]) / w->problem.mass[k / 3];
}

static void place(SnWorld* w, double time, double* x, double* v)
{
    sn_handles_place(&w->model, &w->problem, time, x);
    sn_handles_move(&w->model, &w->problem, time, SN_LEAN * w->state.step_length, v);
}

// Classical Runge-Kutta to the time `end`, in `steps` steps, from the world's start; x and v are the result.
static void runge_kutta(SnWorld* w, double end, int steps, double* x, double* v)
{
    SnStepReport report;
    check_ok(sn_world_measure(w, &report)); // sets the problem up
    int n = 3 * w->model.node_count;
    double h = end / steps, *memory = calloc((size_t)n * 6, sizeof *memory);
    double *ax = memory, *av = ax + n, *tx = av + n, *tv = tx + n, *dv = tv + n, *dx = dv + n;
    const double reach[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    memcpy(x, sn_world_positions(w), (size_t)n * sizeof *x);
    memcpy(v, sn_world_velocities(w), (size_t)n * sizeof *v);
    for (int s = 0; s < steps; s++) {
        memset(ax, 0, 2 * (size_t)n * sizeof *ax); // and av
        for (int stage = 0; stage < 4; stage++) {
            for (int k = 0; k < n; k++) {
                tx[k] = x[k] + (stage ? reach[stage] * h * dx[k] : 0);
                tv[k] = v[k] + (stage ? reach[stage] * h * dv[k] : 0);
            }
            place(w, (s + reach[stage]) * h, tx, tv);
            accelerate(w, tx, tv, dv);
            memcpy(dx, tv, (size_t)n * sizeof *dx);
            for (int k = 0; k < n; k++) ax[k] += weight[stage] * dx[k], av[k] += weight[stage] * dv[k];
        }
        for (int k = 0; k < n; k++) x[k] += h * ax[k], v[k] += h * av[k];
        place(w, (s + 1) * h, x, v);
    }
    free(memory);
}

// The largest difference of positions, m, and a tenth of that of velocities.
static double distance(const SnWorld* w, const double* x, const double* v)
{
    double most = 0;
    for (int k = 0; k < 3 * w->model.node_count; k++) {
        most = fmax(most, fabs(w->state.x[k] - x[k]));
        if (w->problem.free_index[k / 3] >= 0) most = fmax(most, 0.1 * fabs(w->state.v[k] - v[k]));
    }
    return most;
}

typedef struct Case {
    const char* integrator;
    double gamma;
    const char* damping;
    int dissipation_order;
    double order;
    SnStrainRate rate;
} Case;

static SnWorld* make_case(const Case* c, double time_step)
{
    SnWorldDef def = exact_def(c->integrator, time_step);
    def.gamma = c->gamma, def.dissipation_order = c->dissipation_order;
    if (!c->damping) return make_block(def);
    SnDampingDef damping = sn_default_damping_def(c->damping);
    damping.beta = 0.05;
    damping.shear = damping.bulk = 4000, damping.rate = c->rate;
    return make_damped_block(def, &damping, 1);
}

static const double end = 0.4; // s

// Where the block is at the end, by Runge-Kutta: positions, then velocities.
static double* reference_of(const Case* c)
{
    SnWorld* world = make_case(c, 1e-3);
    double* x = calloc(6 * (size_t)world->model.node_count, sizeof *x);
    runge_kutta(world, end, 4000, x, x + 3 * world->model.node_count);
    sn_world_destroy(world);
    return x;
}

static void check_order(const Case* c, const double* reference)
{
    double errors[3];
    for (int k = 0; k < 3; k++) {
        int steps = 32 << k;
        SnWorld* world = make_case(c, end / steps);
        for (int i = 0; i < steps; i++) check_ok(sn_world_step(world, NULL));
        check_near(sn_world_time(world), end, 1e-12);
        errors[k] = distance(world, reference, reference + 3 * world->model.node_count);
        sn_world_destroy(world);
    }
    double slope = log2(errors[1] / errors[2]);
    print_message("%s (gamma %g), %s of order %d: errors %.3g %.3g %.3g, slope %.3f\n", c->integrator, c->gamma,
                  c->damping ? c->damping : "no damping", c->dissipation_order, errors[0], errors[1], errors[2], slope);
    check_near(slope, c->order, 0.15);
}

static void test_order(void** state)
{
    (void)state;
    const Case cases[] = {
        {"backward-euler", 0, NULL, 0, 1, 0},    {"bdf2", 0, NULL, 0, 2, 0},    {"trapezoidal", 0, NULL, 0, 2, 0},
        {"implicit-midpoint", 0, NULL, 0, 2, 0}, {"tr-bdf2", 0, NULL, 0, 2, 0}, {"tr-bdf2", 0.4, NULL, 0, 2, 0},
    };
    double* reference = reference_of(&cases[0]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_order(&cases[i], reference);
    free(reference);
}

// Rayleigh's matrix lags by a step of first order, unless it is taken where the nodes are heading for. Rates of strain
// are as exact as the integrator without that, but for the midpoint rule, whose stage has no other past than x^n.
static void test_order_with_damping(void** state)
{
    (void)state;
    const char* dampings[] = {"rayleigh", "strain-rate"};
    for (int k = 0; k < 2; k++) {
        double* reference = reference_of(&(Case){dynamic[0], 0, dampings[k], 1, 1, 0});
        for (int i = 0; i < DYNAMIC; i++)
            for (int order = 1; order <= 2; order++) {
                bool middle = strcmp(dynamic[i], "implicit-midpoint") == 0;
                double expected = i == 0 ? 1 : k == 0 || middle ? order : 2;
                check_order(&(Case){dynamic[i], 0, dampings[k], order, expected, 0}, reference);
            }
        free(reference);
    }
}

// F'^T F at the end of the stage has the force b dR/dF besides, which is of first order.
static void test_order_of_the_rate_at_the_end(void** state)
{
    (void)state;
    Case ends = {"tr-bdf2", 0, "strain-rate", 0, 1, SN_STRAIN_RATE_END}, reference = ends;
    reference.rate = SN_STRAIN_RATE_DIFFERENCE;
    double* x = reference_of(&reference);
    check_order(&ends, x);
    free(x);
}

// --- closed forms ---

// One spring on a wall: y = (omega x, v) turns and shrinks by a known factor per step.
static SnWorld* make_oscillator(const char* integrator, double time_step, double* omega)
{
    SnWorldDef def = exact_def(integrator, time_step);
    def.gravity[1] = 0, def.solver.tolerance = 1e-15;
    SnWorld* world = make_world(def);
    SnMesh* mesh;
    check_ok(sn_mesh_make_rope(1, 1, &mesh));
    SnBodyDef body = sn_default_body_def();
    const double start[6] = {0, 0, 0, 1.3, 0, 0}, velocity[6] = {0, 0, 0, 2, 0, 0};
    body.mesh = mesh, body.start = start, body.velocity = velocity;
    body.material = sn_material("spring", 1e4, 0, 1000);
    body.material.thickness = 0.1;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    hold(world, 0, 0, 0, still());
    SnStepReport report;
    check_ok(sn_world_measure(world, &report));
    double mass = 1000 * SN_PI / 4 * 0.01 / 2, stiffness = 2 * report.energy.elastic / (0.3 * 0.3);
    check_near(stiffness, 1e4 * SN_PI / 4 * 0.01, 1e-9 * stiffness);
    check_near(report.energy.kinetic, 0.5 * mass * 4, 1e-12);
    *omega = sqrt(stiffness / mass);
    return world;
}

static double complex advance(const char* integrator, double complex z, double complex y, double complex before,
                              int step)
{
    double g = 2 - sqrt(2);
    if (strcmp(integrator, "backward-euler") == 0 || (strcmp(integrator, "bdf2") == 0 && step == 0)) return y / (1 - z);
    if (strcmp(integrator, "bdf2") == 0) return (4 * y - before) / 3 / (1 - 2 * z / 3);
    if (strcmp(integrator, "tr-bdf2") != 0) return y * (1 + z / 2) / (1 - z / 2);
    double complex middle = y * (1 + g * z / 2) / (1 - g * z / 2);
    return (middle - (1 - g) * (1 - g) * y) / (g * (2 - g)) / (1 - (1 - g) / (2 - g) * z);
}

// Positions, velocities and losses of each integrator on a spring.
static void test_oscillator(void** state)
{
    (void)state;
    for (int i = 0; i < DYNAMIC; i++) {
        double omega, h = 0.05;
        SnWorld* world = make_oscillator(dynamic[i], h, &omega);
        double mass = world->problem.mass[1];
        double complex y = omega * 0.3 + I * 2, before = 0, z = -I * omega * h;
        double start = 0.5 * mass * creal(y * conj(y));
        for (int step = 0; step < 30; step++) {
            double complex next = advance(dynamic[i], z, y, before, step);
            before = y, y = next;
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            check_near(omega * (sn_world_positions(world)[3] - 1), creal(y), 1e-9);
            check_near(sn_world_velocities(world)[3], cimag(y), 1e-9);
            check_near(report.energy.numerical, start - 0.5 * mass * creal(y * conj(y)), 1e-9 * start);
            check_near(report.energy.pins, 0, 1e-12);
        }
        sn_world_destroy(world);
    }
}

// A chain of springs: what backward Euler loses is 1/2 |dv|^2_M + 1/2 |dx|^2_K, the midpoint and trapezoidal rules lose
// nothing; all the while one end is moved.
static void test_chain(void** state)
{
    (void)state;
    enum { CELLS = 8 };
    for (int i = 0; i < DYNAMIC; i++) {
        SnWorldDef def = exact_def(dynamic[i], 0.02);
        def.gravity[1] = 0, def.gravity[0] = -3, def.solver.tolerance = 1e-15;
        SnWorld* world = make_world(def);
        SnMesh* mesh;
        check_ok(sn_mesh_make_rope(2, CELLS, &mesh));
        double velocity[3 * (CELLS + 1)] = {0}, past[2 * (CELLS + 1)] = {0};
        for (int k = 0; k <= CELLS; k++) velocity[3 * k] = 0.3 * sin(2.5 * k);
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh, body.velocity = velocity;
        body.material = sn_material("spring", 1e5, 0, 1000), body.material.thickness = 0.1;
        check_ok(sn_world_add_body(world, &body, NULL));
        sn_mesh_destroy(mesh);
        SnMotion motion = still();
        motion.velocity[0] = -0.2;
        hold(world, 0, 0, 0, motion);
        SnStepReport report;
        check_ok(sn_world_measure(world, &report));
        double stiffness = 1e5 * SN_PI / 4 * 0.01 / (2.0 / CELLS), expected = 0;
        for (int step = 0; step < 40; step++) {
            for (int k = 0; k <= CELLS; k++)
                past[2 * k] = world->state.x[3 * k], past[2 * k + 1] = world->state.v[3 * k];
            check_ok(sn_world_step(world, &report));
            for (int k = 0; k <= CELLS && i == 0; k++) {
                double dv = world->state.v[3 * k] - past[2 * k + 1], dx = world->state.x[3 * k] - past[2 * k];
                if (world->problem.free_index[k] >= 0) expected += 0.5 * world->problem.mass[k] * dv * dv;
                if (k == 0) continue;
                double stretch = dx - (world->state.x[3 * k - 3] - past[2 * k - 2]);
                expected += 0.5 * stiffness * stretch * stretch;
            }
            double scale = report.energy.kinetic + report.energy.elastic + fabs(report.energy.gravity);
            bool known =
                i == 0 || strcmp(dynamic[i], "trapezoidal") == 0 || strcmp(dynamic[i], "implicit-midpoint") == 0;
            if (known)
                check_near(report.energy.numerical, expected, 1e-9 * scale);
            else
                check(report.energy.numerical > 0);
        }
        sn_world_destroy(world);
    }
}

// --- one trajectory, whatever the solver, the threads, or a break in between ---

static void test_every_solver_the_same_trajectory(void** state)
{
    (void)state;
    const char* names[] = {"newton", "lbfgs", "dot", "auto", "chebyshev", "admm"};
    double* reference = NULL;
    for (int i = 0; i < 6; i++) {
        SnWorldDef def = exact_def("tr-bdf2", 1.0 / 60);
        def.solver.type = names[i], def.solver.tolerance = 1e-10, def.solver.iterations = 2000;
        SnDampingDef damping = sn_default_damping_def("rayleigh");
        SnWorld* world = make_damped_block(def, &damping, 1);
        SnStepReport report;
        for (int step = 0; step < 20; step++) {
            check_ok(sn_world_step(world, &report));
            if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: %s", names[i], report.detail);
        }
        size_t size = 3 * (size_t)world->model.node_count * sizeof *reference;
        if (!reference) reference = memcpy(malloc(size), world->state.x, size);
        for (int k = 0; k < 3 * world->model.node_count; k++) check_near(world->state.x[k], reference[k], 1e-8);
        sn_world_destroy(world);
    }
    free(reference);
}

static void check_same(const SnWorld* a, const SnWorld* b, const SnStepReport* ra, const SnStepReport* rb)
{
    check(sn_world_hash(a) == sn_world_hash(b));
    check(ra->step == rb->step && ra->time == rb->time);
    check(memcmp(&ra->energy, &rb->energy, sizeof ra->energy) == 0);
    check(memcmp(ra->impulse, rb->impulse, sizeof ra->impulse) == 0);
    check(memcmp(ra->angular_impulse, rb->angular_impulse, sizeof ra->impulse) == 0);
}

// Saved after each step in turn, also just before the release and just after the change of the step length.
static void test_resumed_to_the_bit(void** state)
{
    (void)state;
    for (int i = 0; i < DYNAMIC; i++)
        for (int at = 0; at < 16; at++) {
            SnWorld *unbroken = make_eventful(dynamic[i], 2), *resumed = make_eventful(dynamic[i], 1);
            SnStepReport a, b;
            step_to(unbroken, 0, at, &a);
            size_t size = sn_world_state_size(unbroken);
            char* bytes = malloc(size);
            check_ok(sn_world_save_state(unbroken, bytes, size));
            check_ok(sn_world_restore_state(resumed, bytes, size));
            step_to(unbroken, at, 20, &a);
            step_to(resumed, at, 20, &b);
            check_same(unbroken, resumed, &a, &b);
            check_near(a.time, 0.15 + 8 * 0.005, 1e-12);
            free(bytes);
            sn_world_destroy(unbroken), sn_world_destroy(resumed);
        }
}

static void test_states_of_other_worlds(void** state)
{
    (void)state;
    SnWorld* world = make_eventful("bdf2", 1);
    size_t size = sn_world_state_size(world);
    char* bytes = malloc(size);
    check_ok(sn_world_step(world, NULL));
    check_ok(sn_world_save_state(world, bytes, size));
    SnWorld* other = make_eventful("trapezoidal", 1);
    check_fails(sn_world_restore_state(other, bytes, size), SN_ERROR_VALUE, "integrator bdf2", "trapezoidal");
    memcpy(bytes, "sinew01", 8);
    check_fails(sn_world_restore_state(world, bytes, size), SN_ERROR_FORMAT, "not one of this version");
    SnWorldDef def = sn_default_world_def();
    SnWorld* early;
    def.integrator = "tr-bdf2", def.gamma = 0.4;
    check_ok(sn_world_create(&def, &early));
    def.gamma = 0.5;
    sn_world_destroy(other);
    check_ok(sn_world_create(&def, &other));
    check_ok(sn_world_save_state(early, bytes, size));
    check_fails(sn_world_restore_state(other, bytes, sn_world_state_size(other)), SN_ERROR_VALUE, "with gamma 0.4",
                "has 0.5");
    sn_world_destroy(early);
    check_fails(sn_world_set_time_step(world, -1), SN_ERROR_VALUE, "time step is -1", "positive");
    free(bytes);
    sn_world_destroy(world), sn_world_destroy(other);
}

// --- step lengths that change ---

// The error against Runge-Kutta of a run whose steps are h, then h/3, then 2h, each for a third of the time.
static double error_with_changes(const char* integrator, int steps, const double* reference)
{
    SnWorld* world = make_block(exact_def(integrator, end / 3 / steps));
    for (int third = 0; third < 3; third++) {
        int count = third == 0 ? steps : third == 1 ? 3 * steps : steps / 2;
        check_ok(sn_world_set_time_step(world, end / 3 / count));
        check_near(sn_world_time_step(world), end / 3 / count, 0);
        for (int i = 0; i < count; i++) check_ok(sn_world_step(world, NULL));
    }
    check_near(sn_world_time(world), end, 1e-12);
    double error = distance(world, reference, reference + 3 * world->model.node_count);
    sn_world_destroy(world);
    return error;
}

static void test_changing_step(void** state)
{
    (void)state;
    double* reference = reference_of(&(Case){"tr-bdf2", 0, NULL, 0, 2, 0});
    for (int i = 0; i < DYNAMIC; i++) {
        double a = error_with_changes(dynamic[i], 24, reference), b = error_with_changes(dynamic[i], 48, reference);
        print_message("%s: errors %.3g %.3g, slope %.3f\n", dynamic[i], a, b, log2(a / b));
        check_near(log2(a / b), i == 0 ? 1 : 2, 0.15);
    }
    free(reference);
}

// Held nodes have the velocity of their script, and no handle rings: pulled steadily, the force that holds is steady.
static void test_handles_do_not_ring(void** state)
{
    (void)state;
    for (int i = 0; i < DYNAMIC; i++) {
        SnWorldDef def = exact_def(dynamic[i], 0.01);
        def.gravity[1] = 0;
        SnWorld* world = make_world(def);
        SnMesh* mesh;
        check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){2, 2, 2}, &mesh));
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh, body.material = sn_material("corotated", 1e5, 0.3, 1000);
        check_ok(sn_world_add_body(world, &body, NULL));
        sn_mesh_destroy(mesh);
        SnMotion motion = still();
        motion.velocity[0] = 2, motion.until = 0.1, motion.release = 0.2;
        hold(world, 0, 0, 1, motion); // all of it
        double mass = 1000;
        SnStepReport report;
        for (int step = 1; step <= 30; step++) {
            check_ok(sn_world_step(world, &report));
            double speed = step <= 10 ? 2 : 0;
            for (int k = 0; k < world->model.node_count; k++) check_near(world->state.v[3 * k], speed, 1e-10);
            check_near(report.momentum[0], mass * speed, 1e-6);
            check_near(report.impulse[0], mass * speed, 1e-6);
            check_near(report.energy.pins, 0.5 * mass * speed * speed, 1e-6);
            check_near(report.energy.numerical, 0, 1e-6);
        }
        sn_world_destroy(world);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_order),
    cmocka_unit_test(test_order_with_damping),
    cmocka_unit_test(test_order_of_the_rate_at_the_end),
    cmocka_unit_test(test_oscillator),
    cmocka_unit_test(test_chain),
    cmocka_unit_test(test_every_solver_the_same_trajectory),
    cmocka_unit_test(test_resumed_to_the_bit),
    cmocka_unit_test(test_states_of_other_worlds),
    cmocka_unit_test(test_changing_step),
    cmocka_unit_test(test_handles_do_not_ring),
};
RUN_TESTS(tests, NULL, NULL)
