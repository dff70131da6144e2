// Time integrators: order of accuracy against a reference, energies against closed forms, momenta, the ledger on every
// scene of the gallery, step lengths that change, resumed runs, threads.
#include <complex.h>
#include <glob.h>
#include <sinew/scene.h>

#include "check.h"
#include "mesh/mesh.h"
#include "world/world.h"

#define PI 3.14159265358979323846

static const char* const dynamic[] = {"backward-euler", "bdf2", "trapezoidal", "implicit-midpoint", "tr-bdf2"};
enum { DYNAMIC = 5 };

static SnWorld* make_world(SnWorldDef def)
{
    SnWorld* world = NULL;
    check_ok(sn_world_create(&def, &world));
    return world;
}

static SnWorldDef exact_def(const char* integrator, double time_step)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = time_step;
    def.solver.type = "newton", def.solver.tolerance = 1e-13;
    return def;
}

static void hold(SnWorld* world, int axis, double lo, double hi, SnMotion motion)
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    int* nodes = calloc((size_t)info.node_count, sizeof *nodes);
    int count = 0;
    for (int i = 0; i < info.node_count; i++)
        if (info.rest[3 * i + axis] >= lo - 1e-9 && info.rest[3 * i + axis] <= hi + 1e-9) nodes[count++] = i;
    check(count > 0);
    SnHandleDef def = sn_default_handle_def();
    def.nodes = nodes, def.node_count = count, def.motion = motion;
    check_ok(sn_world_add_handle(world, &def, NULL));
    free(nodes);
}

static SnMotion still(void)
{
    return sn_default_handle_def().motion;
}

// A soft block on an end that is shaken: large turns, gravity, a smooth script.
static SnWorld* make_damped_block(SnWorldDef def, const SnDampingDef* dampings, int count)
{
    SnWorld* world = make_world(def);
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){2, 1, 1}, (int[]){3, 1, 1}, &mesh));
    double* velocity = calloc((size_t)mesh->node_count, 3 * sizeof *velocity);
    for (int i = 0; i < mesh->node_count; i++) {
        const double* p = mesh->nodes + 3 * i;
        velocity[3 * i + 1] = p[0], velocity[3 * i + 2] = 0.5 * p[0] * p[1];
    }
    body.mesh = mesh, body.velocity = velocity;
    body.material = sn_material("stvk", 2e4, 0.3, 1000);
    body.damping = dampings, body.damping_count = count;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh), free(velocity);
    SnMotion motion = still();
    motion.oscillate_amplitude[1] = 0.1, motion.oscillate_amplitude[2] = 0.05, motion.oscillate_frequency = 2;
    hold(world, 0, 0, 0, motion);
    return world;
}

static SnWorld* make_block(SnWorldDef def)
{
    return make_damped_block(def, NULL, 0);
}

// --- order of accuracy ---

// Accelerations of the free nodes at (x, v), with what the potential and its dissipation exert.
static void accelerate(SnWorld* w, const double* x, const double* v, double* a)
{
    double h = w->state.step_length, *past = calloc(3 * (size_t)w->model.node_count, sizeof *past);
    for (int k = 0; k < 3 * w->model.node_count; k++) past[k] = x[k] - h * v[k];
    sn_potential_begin_stage(w->problem.potential, past, v, h);
    sn_potential_gradient(w->problem.potential, x, a);
    free(past);
    for (int k = 0; k < 3 * w->model.node_count; k++)
        a[k] = w->problem.free_index[k / 3] < 0 ? 0 : (w->problem.gravity[k] - a[k]) / w->problem.mass[k / 3];
}

static void place(SnWorld* w, double time, double* x, double* v)
{
    sn_world_place_handles(w, time, x);
    sn_world_move_handles(w, time, true, v);
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
} Case;

static SnWorld* make_case(const Case* c, double time_step)
{
    SnWorldDef def = exact_def(c->integrator, time_step);
    def.gamma = c->gamma, def.dissipation_order = c->dissipation_order;
    if (!c->damping) return make_block(def);
    SnDampingDef damping = sn_default_damping_def(c->damping);
    damping.beta = 0.05;
    damping.shear = damping.bulk = 4000;
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
        {"backward-euler", 0, NULL, 0, 1},    {"bdf2", 0, NULL, 0, 2},    {"trapezoidal", 0, NULL, 0, 2},
        {"implicit-midpoint", 0, NULL, 0, 2}, {"tr-bdf2", 0, NULL, 0, 2}, {"tr-bdf2", 0.4, NULL, 0, 2},
    };
    double* reference = reference_of(&cases[0]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_order(&cases[i], reference);
    free(reference);
}

static void test_order_with_damping(void** state)
{
    (void)state;
    const char* dampings[] = {"rayleigh", "strain-rate"};
    for (int k = 0; k < 2; k++) {
        double* reference = reference_of(&(Case){dynamic[0], 0, dampings[k], 1, 1});
        for (int i = 0; i < DYNAMIC; i++)
            for (int order = 1; order <= 2; order++)
                check_order(&(Case){dynamic[i], 0, dampings[k], order, i == 0 ? 1 : order}, reference);
        free(reference);
    }
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
    double mass = 1000 * PI / 4 * 0.01 / 2, stiffness = 2 * report.energy.elastic / (0.3 * 0.3);
    check_near(stiffness, 1e4 * PI / 4 * 0.01, 1e-9 * stiffness);
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
        double stiffness = 1e5 * PI / 4 * 0.01 / (2.0 / CELLS), expected = 0;
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

// --- the ledger on the gallery ---

// What contacts take by pushing within a step of length h: what approaches is stopped, without a bounce.
static double loss_to_pushes(const SnWorld* w, const double* x)
{
    double loss = 0;
    for (int i = 0; i < w->state.rows.count; i++) {
        const SnRow* row = &w->state.rows.rows[i];
        for (int c = 0; c < 3; c++) {
            double way = -w->state.step_length * row->velocity[c];
            for (int k = 0; k < row->count; k++) {
                int64_t at = 3 * (int64_t)row->node[k] + c;
                way += row->weight[k] * (w->state.x[at] - x[at]);
            }
            loss -= row->force * row->normal[c] * way;
        }
    }
    return loss;
}

// What backward Euler and the equilibrium lose, from their definition: 1/2 |dv|^2 of the free nodes, the gap between
// the energy and its tangent, what contacts and limits take, less what the solver has left over.
static double loss_of_step(SnWorld* w, const double* x, const double* v, double elastic)
{
    double loss = elastic - w->energy.elastic + loss_to_pushes(w, x);
    double* slope = calloc(3 * (size_t)w->model.node_count, sizeof *slope);
    sn_potential_begin_stage(w->problem.potential, NULL, NULL, 0); // the elastic energy alone
    sn_potential_gradient(w->problem.potential, w->state.x, slope);
    for (int k = 0; k < 3 * w->model.node_count; k++) {
        double dx = w->state.x[k] - x[k], dv = w->state.v[k] - v[k];
        loss += slope[k] * dx;
        if (w->problem.objective.pull)
            loss += w->problem.objective.pull[k] * dx; // limits stop a stretch, without a bounce
        if (w->problem.free_index[k / 3] >= 0)
            loss += 0.5 * w->problem.mass[k / 3] * dv * dv - w->problem.search->g[k] * dx;
    }
    free(slope);
    return loss;
}

static double change(const SnEnergy* a, const SnEnergy* b)
{
    return b->kinetic - a->kinetic + b->elastic - a->elastic + b->gravity - a->gravity;
}

// The momentum has gained what was given, up to what the solver leaves over (N) in each step.
static void check_momentum(const char* path, const SnStepReport* first, const SnStepReport* now, double allowed)
{
    for (int c = 0; c < 3; c++) {
        double gained = now->momentum[c] - first->momentum[c];
        if (!(fabs(gained - now->impulse[c]) <= allowed))
            fail_msg("%s: momentum %d gained %.17g but was given %.17g (allowed %g)", path, c, gained, now->impulse[c],
                     allowed);
    }
}

static void run_gallery(const char* path, const char* integrator, int steps)
{
    char override[64];
    snprintf(override, sizeof override, "integrator=%s", integrator);
    const char* overrides[] = {override};
    SnScene* scene;
    SnWorld* world;
    check_ok(sn_scene_load(path, overrides, integrator[0] ? 1 : 0, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    SnStepReport first, report;
    check_ok(sn_world_measure(world, &first));
    size_t size = 3 * (size_t)world->model.node_count * sizeof(double);
    double *x = malloc(size), *v = malloc(size), allowed = 0, scale = 0, lost = 0, exact = 1e-9;
    for (int i = 0; i < steps; i++) {
        memcpy(x, world->state.x, size), memcpy(v, world->state.v, size);
        double elastic = world->energy.elastic;
        check_ok(sn_world_step(world, &report));
        const SnEnergy* e = &report.energy;
        scale = fmax(scale, e->kinetic + e->elastic + fabs(e->gravity) + fabs(e->pins) + fabs(e->viscous));
        double missing = e->pins - e->viscous - e->friction - e->numerical;
        check_near(change(&first.energy, e), missing, 1e-9 * scale);
        allowed += 4 * sqrt(world->model.node_count) * report.gradient * world->state.step_length + 1e-9 * scale;
        if (world->model.integrator->order > 0) check_momentum(path, &first, &report, allowed);
        if (world->model.integrator->order > 1) continue;
        lost += loss_of_step(world, x, v, elastic);
        if (e->friction != 0) exact = 1e-6; // friction was solved with the press of the iteration before
        if (!(fabs(e->numerical - lost) <= exact * scale))
            fail_msg("%s: numerical loss %.17g but by definition %.17g, of %g J", path, e->numerical, lost, scale);
    }
    free(x), free(v);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void test_gallery_ledger(void** state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(SN_SOURCE_DIR "/scenes/gallery/*.yaml", 0, NULL, &found), 0);
    check(found.gl_pathc >= 8);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        run_gallery(found.gl_pathv[i], "", 8);
        run_gallery(found.gl_pathv[i], dynamic[1 + i % (DYNAMIC - 1)], 4);
    }
    globfree(&found);
}

// --- momentum ---

// A damped block that is let go after 0.1 s, with steps that change after 0.15 s.
static SnWorld* make_eventful(const char* integrator, int threads)
{
    SnWorldDef def = exact_def(integrator, 0.0125);
    def.threads = threads;
    SnDampingDef dampings[] = {sn_default_damping_def("rayleigh"), sn_default_damping_def("drag"),
                               sn_default_damping_def("rayleigh")};
    dampings[0].beta = 0.01, dampings[1].drag = 0.5, dampings[2].beta = 0.005;
    dampings[2].conserve_momentum = SN_MOMENTUM_VELOCITY_GRADIENT;
    SnWorld* world = make_damped_block(def, dampings, 3);
    SnMotion motion = still();
    motion.velocity[1] = -1, motion.oscillate_amplitude[0] = 0.1, motion.oscillate_frequency = 3, motion.release = 0.1;
    hold(world, 0, 2, 2, motion);
    return world;
}

static void step_to(SnWorld* world, int first, int last, SnStepReport* report)
{
    for (int i = first; i < last; i++) {
        if (i == 12) check_ok(sn_world_set_time_step(world, 0.005));
        check_ok(sn_world_step(world, report));
    }
}

// Each dissipation takes something, and together what the ledger has as viscous.
static void check_losses(const SnWorld* world, const SnStepReport* report)
{
    const char* names[] = {"body 0: rayleigh", "body 0: drag", "body 0: rayleigh 2"};
    double sum = 0;
    assert_int_equal(sn_world_loss_count(world), 3);
    for (int k = 0; k < 3; k++) {
        SnLoss loss;
        check_ok(sn_world_loss(world, k, &loss));
        assert_string_equal(loss.name, names[k]);
        check(loss.energy > 0);
        sum += loss.energy;
    }
    check_near(report->energy.viscous, sum, 1e-12 * sum);
    SnLoss loss;
    check_fails(sn_world_loss(world, 3, &loss), SN_ERROR_VALUE, "no loss 3", "3 dissipations");
}

// Whatever happens, the momentum has gained what handles and gravity gave.
static void test_momentum(void** state)
{
    (void)state;
    for (int i = 0; i < DYNAMIC; i++) {
        SnWorld* world = make_eventful(dynamic[i], 1);
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < 24; step++) {
            step_to(world, step, step + 1, &report);
            check_momentum(dynamic[i], &first, &report, 1e-6);
            check_losses(world, &report);
        }
        check(fabs(report.impulse[0]) > 10 && fabs(report.impulse[1]) > 10);
        sn_world_destroy(world);
    }
}

// A cube slides and bounces on a plane with friction: normal and tangential impulses are in the books, too.
static void test_momentum_in_contact(void** state)
{
    (void)state;
    const char text[] = "time: {step: 1/100}\n"
                        "solver: {type: newton, tolerance: 1e-9}\n"
                        "bodies: [{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, place: {move: [0, 0.05, 0]},\n"
                        "  velocity: {linear: [1, 0, 0]}, material: {type: corotated, young: 1e5, density: 1000}}]\n"
                        "obstacles: [{type: plane, point: [0, 0, 0], normal: [0, 1, 0], friction: 0.3}]\n";
    for (int i = 0; i < DYNAMIC; i++) {
        SnScene* scene;
        check_ok(sn_scene_parse(text, strlen(text), "slide.yaml", NULL, 0, &scene));
        sn_scene_world_def(scene)->integrator = dynamic[i];
        SnWorld* world;
        check_ok(sn_scene_create_world(scene, &world));
        double allowed = 1e-6;
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < 40; step++) {
            check_ok(sn_world_step(world, &report));
            allowed += 2 * sqrt(world->model.node_count) * report.gradient *
                       world->state.step_length; // what solves leave over
            check_momentum(dynamic[i], &first, &report, allowed);
        }
        check(report.impulse[0] < -100 && report.energy.friction > 10);
        if (i == 0) check(report.energy.friction < first.energy.kinetic && report.energy.numerical > 0);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
}

// Angular momentum: the midpoint rule keeps the books to the solver's tolerance; backward Euler loses
// h sum m v^(n) x v^(n+1) of the free nodes.
static void test_angular_momentum(void** state)
{
    (void)state;
    const char* names[] = {"implicit-midpoint", "backward-euler"};
    for (int i = 0; i < 2; i++) {
        SnWorld* world = make_block(exact_def(names[i], 0.02));
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        double lost[3] = {0}, *v = malloc(3 * (size_t)world->model.node_count * sizeof *v);
        for (int step = 0; step < 30; step++) {
            memcpy(v, world->state.v, 3 * (size_t)world->model.node_count * sizeof *v);
            check_ok(sn_world_step(world, &report));
            for (int k = 0; k < world->model.node_count && i == 1; k++)
                for (int c = 0; c < 3 && world->problem.free_index[k] >= 0; c++) {
                    int d = 3 * k + (c + 1) % 3, e = 3 * k + (c + 2) % 3;
                    lost[c] += 0.02 * world->problem.mass[k] * (v[d] * world->state.v[e] - v[e] * world->state.v[d]);
                }
            check_momentum(names[i], &first, &report, 1e-6);
            for (int c = 0; c < 3; c++) {
                double gained = report.angular_momentum[c] - first.angular_momentum[c];
                check_near(gained, report.angular_impulse[c] - lost[c], 1e-6);
            }
        }
        check(fabs(report.angular_impulse[2]) > 100 && (i == 0 || fabs(lost[2]) > 1));
        free(v);
        sn_world_destroy(world);
    }
}

// Adds a beam that is stretched and spins about its middle.
static SnWorld* make_spinning_beam(const char* integrator, double time_step)
{
    SnWorldDef def = exact_def(integrator, time_step);
    def.gravity[1] = 0, def.solver.tolerance = 1e-9;
    SnWorld* world = make_world(def);
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){4, 1, 1}, (int[]){8, 2, 2}, &mesh));
    double* start = calloc((size_t)mesh->node_count, 6 * sizeof *start);
    double* velocity = start + 3 * mesh->node_count;
    for (int i = 0; i < mesh->node_count; i++) {
        const double* p = mesh->nodes + 3 * i;
        start[3 * i] = 1.3 * (p[0] - 2), start[3 * i + 1] = p[1] - 0.5, start[3 * i + 2] = p[2] - 0.5;
        velocity[3 * i] = -3 * start[3 * i + 1], velocity[3 * i + 1] = 3 * start[3 * i];
    }
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.start = start, body.velocity = velocity;
    body.material = sn_material("corotated", 1e5, 0.3, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh), free(start);
    return world;
}

// Energy and angular momentum are lost to backward Euler most, to BDF2 less, to TR-BDF2 least.
static void test_spinning_beam(void** state)
{
    (void)state;
    const char* names[] = {"backward-euler", "bdf2", "tr-bdf2"};
    double energy[3], spin[3];
    for (int i = 0; i < 3; i++) {
        SnWorld* world = make_spinning_beam(names[i], 1.0 / 60);
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < 60; step++) check_ok(sn_world_step(world, &report));
        energy[i] = report.energy.numerical / (first.energy.kinetic + first.energy.elastic);
        spin[i] = 1 - report.angular_momentum[2] / first.angular_momentum[2];
        print_message("%s: lost %.3g of the energy, %.3g of the angular momentum\n", names[i], energy[i], spin[i]);
        check_near(report.momentum[0], 0, 1e-4);
        sn_world_destroy(world);
    }
    check(energy[0] > 2 * energy[1] && energy[1] > 2 * energy[2] && energy[2] > 0);
    check(spin[0] > 2 * spin[1] && spin[1] > 2 * fabs(spin[2]));
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
    double* reference = reference_of(&(Case){"tr-bdf2", 0, NULL, 0, 2});
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_order_with_damping),
        cmocka_unit_test(test_oscillator),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_gallery_ledger),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_momentum_in_contact),
        cmocka_unit_test(test_angular_momentum),
        cmocka_unit_test(test_spinning_beam),
        cmocka_unit_test(test_every_solver_the_same_trajectory),
        cmocka_unit_test(test_resumed_to_the_bit),
        cmocka_unit_test(test_states_of_other_worlds),
        cmocka_unit_test(test_changing_step),
        cmocka_unit_test(test_handles_do_not_ring),
    };
    return cmocka_run_group_tests_name("dynamics", tests, NULL, NULL);
}
