// Hinges of handles: a pendulum's period, a beam on two pins and a rod on a ball joint against closed forms; stiff
// sections, forces and works with every solver and integrator; a pivot that is carried, contacts, release, mistakes.
#include <sinew/probe.h>

#include "bodies.h"
#include "check_world.h"
#include "linalg/vec3.h"
#include "solver/solver.h"
#include "world/world.h"

#define PI 3.14159265358979323846

typedef struct Section {
    int axis;
    double lo, hi; // where its nodes are, of the rest shape
} Section;

static SnWorldDef def_of(const char* integrator, const char* solver, double h)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = h, def.solver.type = solver;
    def.solver.tolerance = 1e-8, def.solver.iterations = 5000;
    return def;
}

static SnStatus try_hinge(SnWorld* world, Section at, const double* axis, const double* point, SnMotion motion)
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    int *nodes = calloc((size_t)info.node_count, sizeof *nodes), count = 0;
    for (int i = 0; i < info.node_count; i++)
        if (info.rest[3 * i + at.axis] > at.lo - 1e-9 && info.rest[3 * i + at.axis] < at.hi + 1e-9) nodes[count++] = i;
    SnHandleDef def = sn_default_handle_def();
    def.nodes = nodes, def.node_count = count, def.motion = motion, def.hinge = true;
    if (axis) memcpy(def.hinge_axis, axis, sizeof def.hinge_axis);
    if (point) memcpy(def.hinge_point, point, sizeof def.hinge_point);
    SnStatus status = sn_world_add_handle(world, &def, NULL);
    free(nodes);
    return status;
}

static const double z_axis[3] = {0, 0, 3}, pivot[3] = {0.05, 1, 0.05}; // any length

// A rod that hangs from its upper end at y = 1.
static SnWorld* make_rod(SnWorldDef def, const double* axis, double depth, SnMotion motion, const double* velocity)
{
    SnWorld* world = make_world(def);
    add_body(world, make_box(0.1, 1, 0.1, 1, 8, 1), sn_material("neo-hookean", 1e7, 0.3, 1000), NULL, velocity);
    check_ok(try_hinge(world, (Section){1, 1 - depth, 1}, axis, pivot, motion));
    SnProbeDef probe = sn_default_probe_def("reaction");
    probe.handle = 0;
    check_ok(sn_world_add_probe(world, &probe, NULL));
    return world;
}

// By how much places of the section's nodes relative to each other and to the pivot have changed at most.
static double bent(const SnWorld* world, double depth, const double at[3])
{
    SnBodyInfo info;
    double most = 0;
    check_ok(sn_world_body(world, 0, &info));
    const double* x = sn_world_positions(world);
    for (int i = 0; i < info.node_count; i++)
        for (int j = -1; j < i; j++) {
            const double *p = info.rest + 3 * i, *q = j < 0 ? pivot : info.rest + 3 * j, *y = j < 0 ? at : x + 3 * j;
            if (p[1] < 1 - depth - 1e-9 || q[1] < 1 - depth - 1e-9) continue;
            most = fmax(most, fabs(sn_distance3(x + 3 * i, y) - sn_distance3(p, q)));
        }
    return most;
}

// Velocities of a turn about the pivot with w, rad/s.
static void turn(const SnMesh* mesh, const double w[3], double* velocity)
{
    for (int i = 0; i < mesh->node_count; i++) {
        double r[3];
        sn_subtract3(mesh->nodes + 3 * i, pivot, r);
        sn_cross3(w, r, velocity + 3 * i);
    }
}

// The time between two passages of the lower end through the middle, found by lines between steps.
static double half_period(SnWorld* world, int steps, double h)
{
    double first = 0, last = pivot[0];
    for (int i = 1; i <= steps; i++) {
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("step %d: %s", i, report.detail);
        const double* x = sn_world_positions(world);
        double now = 0.5 * (x[0] + x[3]);
        double passed = h * (i - (now - pivot[0]) / (now - last));
        if (i > 1 && (now - pivot[0]) * (last - pivot[0]) < 0) {
            if (first > 0) return passed - first;
            first = passed;
        }
        last = now;
    }
    fail_msg("it does not swing");
    return 0;
}

// T = 2 pi sqrt(I/(m g d)), with the masses of nodes as they are; held at a whole section, it would hardly move.
static void test_period(void** state)
{
    (void)state;
    SnMesh* mesh = make_box(0.1, 1, 0.1, 1, 8, 1);
    double *velocity = calloc(3 * (size_t)mesh->node_count, sizeof *velocity), h = 0.01, period = 0;
    turn(mesh, (double[]){0, 0, 0.05}, velocity);
    for (int k = 0; k < DYNAMIC; k++) {
        SnWorldDef def = def_of(dynamic[k], "newton", h);
        SnWorld* world = make_rod(def, z_axis, 0, still(), velocity);
        SnStepReport first;
        check_ok(sn_world_measure(world, &first));
        const double* mass = world->problem.mass;
        double inertia = 0, moment = 0;
        for (int i = 0; i < mesh->node_count; i++) {
            double x = mesh->nodes[3 * i] - pivot[0], y = mesh->nodes[3 * i + 1] - pivot[1];
            inertia += mass[i] * (x * x + y * y), moment -= mass[i] * y;
        }
        period = 2 * PI * sqrt(inertia / (-def.gravity[1] * moment));
        check_near(period, 2 * PI * sqrt((1.01 / 12 + 0.25) / (0.5 * -def.gravity[1])), 0.02); // of a solid box
        check_near(2 * half_period(world, 250, h), period, 4e-3 * period);
        check(bent(world, 0, pivot) < 1e-7);
        sn_world_destroy(world);
    }
    free(velocity);
    sn_mesh_destroy(mesh);
}

// A beam under its own weight, small: 5 w L^4/384 E I on two pins, w L^4/384 E I between two walls, and w L^2/8 k G A
// of shear in both.
static double sag_of(bool pins, const char* solver)
{
    SnWorldDef def = def_of("static", solver, 0.1);
    SnWorld* world = make_world(def);
    SnBodyDef body = sn_default_body_def();
    SnMesh *mesh = NULL, *linear = make_box(1, 0.1, 0.1, 10, 2, 1);
    check_ok(sn_mesh_raise(linear, &mesh));
    sn_mesh_destroy(linear);
    body.mesh = mesh, body.material = sn_material("neo-hookean", 1e9, 0, 1000), body.element = SN_ELEMENT_QUADRATIC;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    for (int end = 0; end < 2; end++) {
        if (pins)
            check_ok(try_hinge(world, (Section){0, end, end}, z_axis, NULL, still())); // about its middle
        else
            hold(world, 0, end, end, still());
    }
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s", report.detail);
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    const double* x = sn_world_positions(world);
    double sag = 0, count = 0, left[3];
    for (int i = 0; i < info.node_count; i++) {
        if (fabs(info.rest[3 * i] - 0.5) > 1e-9) continue;
        sag += info.rest[3 * i + 1] - x[3 * i + 1], count++;
    }
    SnWrench wrench;
    check_ok(sn_world_handle_force(world, 0, &wrench));
    check_near(wrench.force[1], 0.5 * 10 * 9.81, 0.02); // of the body's 10 kg
    sn_cross3((double[]){0, 0.05, 0.05}, wrench.force, left);
    double moment = wrench.torque[2] - left[2]; // about the pin
    check_near(moment, pins ? 0 : 10 * 9.81 / 12, pins ? 1e-6 : 0.05 * 8);
    sn_world_destroy(world);
    return sag / count;
}

static void test_beam(void** state)
{
    (void)state;
    double w = 10 * 9.81, bend = w / (384 * 1e9 * 1e-4 / 12), shear = w / (8 * (5.0 / 6) * 0.5e9 * 0.01);
    check_near(sag_of(false, "newton"), bend + shear, 0.02 * bend);
    check_near(sag_of(true, "newton"), 5 * bend + shear, 0.05 * bend);
    check_near(sag_of(true, "auto"), 5 * bend + shear, 0.05 * bend);
}

// The middle of the lower end, from the pivot.
static void find_end(const SnWorld* world, double end[3])
{
    const double* x = sn_world_positions(world);
    for (int c = 0; c < 3; c++) end[c] = 0.25 * (x[c] + x[3 + c] + x[6 + c] + x[9 + c]) - pivot[c];
}

// Pulled aside and downwards, a rod with a deep section hangs along the pull, and the hinge bears it.
static void test_equilibrium(void** state)
{
    (void)state;
    for (int k = 0; k < sn_solver_count(); k++)
        for (int ball = 0; ball < 2; ball++) {
            const char* name = sn_solver_at(k)->name;
            SnWorldDef def = def_of("static", name, 0.1);
            if (strcmp(name, "pd") == 0 || strcmp(name, "admm") == 0) continue; // turns as a whole are slow with them
            def.solver.tolerance = 1e-6;
            def.gravity[0] = 3, def.gravity[1] = -10, def.gravity[2] = ball ? 2 : 0;
            SnWorld* world = make_rod(def, ball ? NULL : z_axis, 0.25, still(), NULL);
            SnStepReport report;
            for (int i = 0; i < 5; i++) check_ok(sn_world_step(world, &report)); // chebyshev needs three
            if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: %s", name, report.detail);
            if (bent(world, 0.25, pivot) > 2e-6) fail_msg("%s: bent by %g m", name, bent(world, 0.25, pivot));
            double torque[3], end[3], across[3];
            sn_cross3(pivot, report.values, torque);
            for (int c = 0; c < 3; c++) {
                check_near(report.values[c], -10 * def.gravity[c], 1e-3 * 100);
                if (ball || c == 2) check_near(report.values[3 + c], torque[c], 1e-3);
            }
            find_end(world, end);
            sn_cross3(end, def.gravity, across);
            double off = sn_length3(across) / (sn_length3(end) * sn_length3(def.gravity));
            if (off > 2e-3) fail_msg("%s: it hangs %g off", name, off);
            sn_world_destroy(world);
        }
}

// It swings as Newton's does, with every solver.
static void test_solvers(void** state)
{
    (void)state;
    for (int ball = 0; ball < 2; ball++) {
        double first[3] = {0};
        for (int k = -1; k < sn_solver_count(); k++) {
            const char* name = k < 0 ? "newton" : sn_solver_at(k)->name;
            SnWorldDef def = def_of("backward-euler", name, 0.01);
            def.gravity[0] = 3, def.gravity[1] = -10, def.gravity[2] = ball ? 2 : 0;
            def.solver.tolerance = 1e-6;
            SnWorld* world = make_rod(def, ball ? NULL : z_axis, 0.25, still(), NULL);
            SnStepReport report;
            for (int i = 0; i < 10; i++) {
                check_ok(sn_world_step(world, &report));
                if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s, step %d: %s", name, i, report.detail);
            }
            double end[3];
            find_end(world, end);
            if (k < 0) memcpy(first, end, sizeof end);
            if (sn_distance3(first, end) > 2e-5) fail_msg("%s: %g m from newton's", name, sn_distance3(first, end));
            if (bent(world, 0.25, pivot) > 1e-5) fail_msg("%s: bent by %g m", name, bent(world, 0.25, pivot));
            sn_world_destroy(world);
        }
        check(first[0] > 0.01);
    }
}

// The pivot is carried along and about: the section follows, the books are kept with every integrator, works add up,
// and the same bits come after a restore.
static void test_carried(void** state)
{
    (void)state;
    for (int k = 0; k < 2 * DYNAMIC; k++) {
        SnMotion motion = still();
        motion.velocity[0] = 0.5;
        motion.rotate_axis[0] = 1, motion.rotate_rate = 0.7; // the axis leaves z, too
        memcpy(motion.rotate_centre, pivot, sizeof pivot);
        SnWorldDef def = def_of(dynamic[k % DYNAMIC], "auto", 0.01);
        const double* axis = k < DYNAMIC ? z_axis : NULL;
        SnWorld *world = make_rod(def, axis, 0.25, motion, NULL), *other = make_rod(def, axis, 0.25, motion, NULL);
        SnStepReport first, report, again;
        size_t size = 0;
        char* bytes = NULL;
        check_ok(sn_world_measure(world, &first));
        for (int i = 1; i <= 30; i++) {
            check_ok(sn_world_step(world, &report));
            if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s, step %d: %s", def.integrator, i, report.detail);
            double at[3] = {pivot[0] + 0.5 * 0.01 * i, pivot[1], pivot[2]};
            if (bent(world, 0.25, at) > 2e-6)
                fail_msg("%s, step %d: bent by %g", def.integrator, i, bent(world, 0.25, at));
            if (i != 12) continue;
            size = sn_world_state_size(world), bytes = calloc(1, size);
            check_ok(sn_world_save_state(world, bytes, size));
        }
        check_ok(sn_world_restore_state(other, bytes, size));
        for (int i = 13; i <= 30; i++) check_ok(sn_world_step(other, &again));
        check(sn_world_hash(world) == sn_world_hash(other));
        assert_memory_equal(report.values, again.values, 7 * sizeof(double));
        double gained = report.energy.kinetic + report.energy.elastic + report.energy.gravity - first.energy.gravity;
        check_near(report.values[6], report.energy.pins, 1e-9);
        check_near(gained, report.energy.pins - report.energy.numerical, 1e-9);
        check_momentum(def.integrator, &first, &report, 1e-3);
        free(bytes);
        sn_world_destroy(world), sn_world_destroy(other);
    }
}

// About a point the momentum of turning about the vertical stays as it is.
static void test_cone(void** state)
{
    (void)state;
    SnMesh* mesh = make_box(0.1, 1, 0.1, 1, 8, 1);
    double* velocity = calloc(3 * (size_t)mesh->node_count, sizeof *velocity);
    turn(mesh, (double[]){2, 1, 1}, velocity);
    SnWorld* world = make_rod(def_of("implicit-midpoint", "newton", 0.005), NULL, 0.25, still(), velocity);
    SnStepReport first, report;
    check_ok(sn_world_measure(world, &first));
    double start = first.angular_momentum[1] - (pivot[2] * first.momentum[0] - pivot[0] * first.momentum[2]), most = 0;
    for (int i = 0; i < 200; i++) {
        check_ok(sn_world_step(world, &report));
        double now = report.angular_momentum[1] - (pivot[2] * report.momentum[0] - pivot[0] * report.momentum[2]);
        most = fmax(most, fabs(now - start));
        check(bent(world, 0.25, pivot) < 2e-6);
    }
    check(fabs(start) > 0.01);
    check_near(most, 0, 1e-3 * fabs(start));
    free(velocity);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

// It swings against a wall and stays there, the hinge and the wall bearing it.
static void test_against_a_wall(void** state)
{
    (void)state;
    for (int k = 0; k < DYNAMIC; k++) {
        SnWorldDef def = def_of(dynamic[k], "auto", 0.01);
        def.gravity[0] = 5, def.solver.tolerance = 1e-5;
        SnWorld* world = make_rod(def, z_axis, 0, still(), NULL);
        SnObstacleDef wall = sn_default_obstacle_def();
        wall.shape.point[0] = 0.2, wall.shape.normal[0] = -1, wall.shape.normal[1] = 0;
        check_ok(sn_world_add_obstacle(world, &wall, NULL));
        SnStepReport report;
        for (int i = 0; i < 100; i++) check_ok(sn_world_step(world, &report));
        SnBodyInfo info;
        check_ok(sn_world_body(world, 0, &info));
        const double* x = sn_world_positions(world);
        for (int i = 0; i < info.node_count; i++) check(x[3 * i] < 0.2);
        check(bent(world, 0, pivot) < 1e-4);
        check(report.contacts > 0);
        sn_world_destroy(world);
    }
}

static void test_release_and_few_nodes(void** state)
{
    (void)state;
    // One node at a distance is on a stiff rod without mass.
    SnWorldDef def = def_of("implicit-midpoint", "newton", 0.01);
    def.gravity[1] = 0;
    SnWorld* world = make_world(def);
    double v[12] = {0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2};
    SnMesh* mesh = NULL;
    SnMeshDef tetrahedron = sn_default_mesh_def();
    tetrahedron.nodes = (double[]){0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}, tetrahedron.node_count = 4;
    tetrahedron.tetrahedra = (int[]){0, 1, 2, 3}, tetrahedron.tetrahedron_count = 1;
    check_ok(sn_mesh_create(&tetrahedron, &mesh));
    add_body(world, mesh, sn_material("neo-hookean", 1e5, 0.3, 1000), NULL, v);
    SnHandleDef rod = sn_default_handle_def();
    int node = 0;
    rod.nodes = &node, rod.node_count = 1, rod.hinge = true, rod.motion.release = 0.3;
    rod.hinge_point[0] = 1, rod.hinge_point[1] = rod.hinge_point[2] = 0;
    check_ok(sn_world_add_handle(world, &rod, NULL));
    SnStepReport report;
    for (int i = 0; i < 30; i++) {
        check_ok(sn_world_step(world, &report));
        check_near(sn_distance3(sn_world_positions(world), rod.hinge_point), 1, 1e-6);
    }
    double before[3];
    memcpy(before, report.momentum, sizeof before);
    check_ok(sn_world_step(world, &report));
    for (int c = 0; c < 3; c++) check_near(report.momentum[c], before[c], 1e-9); // let go
    SnWrench wrench;
    check_ok(sn_world_handle_force(world, 0, &wrench));
    check_near(sn_length3(wrench.force), 0, 0);
    sn_world_destroy(world);
}

static void test_mistakes(void** state)
{
    (void)state;
    SnWorld* world = make_world(def_of("static", "auto", 0.1));
    add_body(world, make_box(1, 1, 1, 1, 1, 1), sn_material("neo-hookean", 1e7, 0.3, 1000), NULL, NULL);
    SnHandleDef def = sn_default_handle_def();
    int node = 0;
    def.nodes = &node, def.node_count = 1, def.hinge = true, def.axis_count = 1, def.axes[0] = 1;
    check_fails(sn_world_add_handle(world, &def, NULL), SN_ERROR_VALUE, "a hinge", "axes");
    def.axis_count = 0, def.how = SN_HOLD_ENERGY;
    check_fails(sn_world_add_handle(world, &def, NULL), SN_ERROR_VALUE, "a hinge", "energy");
    def.how = SN_HOLD_ELIMINATE, def.hinge_axis[1] = INFINITY;
    check_fails(sn_world_add_handle(world, &def, NULL), SN_ERROR_VALUE, "not of numbers");
    def.hinge_axis[1] = 0;
    check_ok(sn_world_add_handle(world, &def, NULL));
    check_fails(sn_world_add_handle(world, &def, NULL), SN_ERROR_VALUE, "held by handle 0 already");
    check_fails(sn_world_move_handle(world, 0, (double[]){0, 0, 0}), SN_ERROR_VALUE, "is a hinge");
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_period),         cmocka_unit_test(test_beam),
    cmocka_unit_test(test_equilibrium),    cmocka_unit_test(test_solvers),
    cmocka_unit_test(test_carried),        cmocka_unit_test(test_cone),
    cmocka_unit_test(test_against_a_wall), cmocka_unit_test(test_release_and_few_nodes),
    cmocka_unit_test(test_mistakes),
};
RUN_TESTS(tests, NULL, NULL)
