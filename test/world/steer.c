// Worlds that somebody takes a hand in: grabs pull with their spring in every solver and integrator and the ledger
// closes over them; handles and obstacles go where they are told to; all of it can be made again to the same bits.
#include "check_world.h"

#include "core/random.h"
#include "mesh/mesh.h"
#include "world/world.h"
#include <sinew/load.h>

enum { SIDE = 3, NODES = SIDE * SIDE * SIDE };
#define STEP (1.0 / 60)
#define STIFF 500.0 // N/m, of grabs

static const char* const solvers[] = {"newton", "lbfgs", "auto", "dot", "chebyshev", "admm", "pd"};
enum { SOLVERS = 7 };

// A cube of one metre and 1000 kg/8 with its lower corner at the origin.
static SnWorld* make_world(const char* integrator, const char* solver, double tolerance)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnMesh* mesh;
    def.time_step = STEP, def.integrator = integrator, def.threads = 1;
    def.solver = sn_default_solver_def();
    def.solver.type = solver, def.solver.tolerance = tolerance, def.solver.iterations = 2000;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[3]){1, 1, 1}, (int[3]){SIDE - 1, SIDE - 1, SIDE - 1}, &mesh));
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    body.material = sn_material(strcmp(solver, "pd") == 0 ? "arap" : "neo-hookean", 1e5, 0.3, 125);
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    return world;
}

// Somewhere on its top, from above.
static int grab_top(SnWorld* world, double x, double z, double stiffness)
{
    SnPick pick;
    int grab;
    check_ok(sn_world_pick(world, (double[3]){x, 9, z}, (double[3]){0, -1, 0}, &pick));
    check(pick.body == 0);
    check_ok(sn_world_grab(world, &pick, stiffness, &grab));
    return grab;
}

static double total(const SnEnergy* e)
{
    return e->kinetic + e->elastic + e->gravity - e->pins + e->viscous + e->friction + e->numerical;
}

// A step of each solver ends at the same place, and the force is the spring's.
static void test_same_pull(void** unused)
{
    (void)unused;
    double first[3 * NODES];
    for (int s = 0; s < SOLVERS - 1; s++) {
        SnWorld* world = make_world("backward-euler", solvers[s], 1e-9);
        SnStepReport report;
        SnWrench pull;
        int grab = grab_top(world, 0.3, 0.6, STIFF);
        check_ok(sn_world_drag(world, grab, (double[3]){0.5, 1.4, 0.2}));
        for (int i = 0; i < 3; i++) check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: %s", solvers[s], report.detail);
        check_ok(sn_world_grab_force(world, grab, &pull));
        if (s == 0) memcpy(first, sn_world_positions(world), sizeof first);
        for (int k = 0; k < 3 * NODES; k++)
            if (!(fabs(sn_world_positions(world)[k] - first[k]) < 1e-6))
                fail_msg("%s: %g m off", solvers[s], sn_world_positions(world)[k] - first[k]);
        // What the pull and gravity gave is what the momentum has gained, and its rate is the force.
        double weight = 125 * 9.81;
        check_momentum(solvers[s], &(SnStepReport){0}, &report, 1e-3);
        check(pull.force[0] > 0 && pull.force[1] > 0 && pull.force[2] < 0 && pull.force[1] < weight);
        sn_world_destroy(world);
    }
}

// Held by nothing but a hand, at rest: the spring bears the weight, whatever finds the equilibrium.
static void test_hangs(void** unused)
{
    (void)unused;
    for (int s = 0; s < SOLVERS; s++) {
        SnWorld* world = make_world(s < 4 ? "static" : "backward-euler", solvers[s], s < 4 ? 1e-9 : 1e-7);
        SnStepReport report;
        SnWrench pull;
        int grab = grab_top(world, 0.5, 0.5, 1e4);
        if (s >= 4) check_ok(sn_world_drag(world, grab, (double[3]){0.5, 1 + 125 * 9.81 / 1e4, 0.5})); // little moves
        for (int i = 0; i < (s < 4 ? 2 : 400); i++) check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: %s", solvers[s], report.detail);
        check_ok(sn_world_grab_force(world, grab, &pull));
        check_near(pull.force[1], 125 * 9.81, 125 * 9.81 * 2e-3);
        check_near(pull.force[0], 0, 1);
        check_near(pull.force[2], 0, 1);
        sn_world_destroy(world);
    }
}

// Somebody drags two points around, lets one go, grabs again: energies and momenta are what was given.
static void test_ledger_closes(void** unused)
{
    (void)unused;
    for (int k = 0; k < DYNAMIC; k++) {
        SnWorld* world = make_world(dynamic[k], "newton", 1e-12);
        SnStepReport first, now;
        check_ok(sn_world_measure(world, &first));
        int a = grab_top(world, 0.2, 0.2, STIFF), b = grab_top(world, 0.8, 0.7, 0);
        check(a == 0 && b == 1);
        for (int step = 0; step < 20; step++) {
            double t = 0.05 * step;
            if (step != 12) check_ok(sn_world_drag(world, b, (double[3]){0.8 + sin(t), 1 + t, 0.7 - t * t}));
            if (step == 8) check_ok(sn_world_let_go(world, a));
            if (step == 12) check_ok(sn_world_let_go(world, b));
            if (step == 12) b = grab_top(world, 0.8, 0.4, STIFF);
            if (step == 12) check(b == 0);
            check_ok(sn_world_step(world, &now));
            check(now.outcome == SN_OUTCOME_CONVERGED);
            double size = fabs(now.energy.kinetic) + fabs(now.energy.pins);
            if (!(fabs(total(&now.energy) - total(&first.energy)) < 1e-9 * size))
                fail_msg("%s, step %d: %g J are missing", dynamic[k], step, total(&now.energy) - total(&first.energy));
        }
        check_momentum(dynamic[k], &first, &now, 1e-5);
        check(fabs(now.energy.pins) > 1);
        sn_world_destroy(world);
    }
}

// What backward Euler loses, of a step that was dragged, is the formula's: 1/2 |dv|^2 M and the gap of convexity, so
// that it is small for small steps.
static void test_loss_is_of_the_integrator(void** unused)
{
    (void)unused;
    double lost[2];
    for (int k = 0; k < 2; k++) {
        SnWorld* world = make_world("backward-euler", "newton", 1e-12);
        SnStepReport now;
        int steps = k ? 100 : 50;
        check_ok(sn_world_set_time_step(world, 0.5 / steps));
        int grab = grab_top(world, 0.5, 0.5, STIFF);
        check_ok(sn_world_drag(world, grab, (double[3]){0.9, 1.6, 0.5}));
        for (int i = 0; i < steps; i++) check_ok(sn_world_step(world, &now));
        lost[k] = now.energy.numerical;
        check(lost[k] > 0);
        sn_world_destroy(world);
    }
    check_near(lost[0] / lost[1], 2, 0.2);
}

// What changes right-hand sides alone, each time another way.
static void turn_and_push(SnWorld* world, int what)
{
    SnPose pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0.001 * what, 0}};
    double values[3 * NODES];
    memcpy(values, what == 2 ? sn_world_positions(world) : sn_world_velocities(world), sizeof values);
    for (int i = 0; i < NODES; i++) values[3 * i] += 0.001;
    switch (what) {
    case 0: check_ok(sn_world_set_gravity(world, (double[3]){1, -5, 0})); break;
    case 1: check_ok(sn_world_set_velocities(world, values)); break;
    case 2: check_ok(sn_world_set_positions(world, values)); break;
    case 3: check_ok(sn_world_pose_handle(world, 0, &pose)); break;
    case 4: check_ok(sn_world_move_obstacle(world, 0, &pose)); break;
    case 5: check_ok(sn_world_set_friction(world, 0, 0.6)); break;
    default: check_ok(sn_world_set_load(world, 0, 3));
    }
}

// Grabs, gravity and what a hand moves cost no factorisation.
static void test_nothing_is_made_anew(void** unused)
{
    (void)unused;
    SnWorld* world = make_world("backward-euler", "lbfgs", 1e-4);
    SnObstacleDef floor = sn_default_obstacle_def();
    SnHandleDef handle = sn_default_handle_def();
    SnLoadDef load = sn_default_load_def("force");
    SnStepReport report;
    floor.shape.point[1] = -0.01;
    handle.nodes = (int[]){0, 1, 2}, handle.node_count = 3, load.vector[0] = 5;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    check_ok(sn_world_add_handle(world, &handle, NULL));
    check_ok(sn_world_add_load(world, &load, NULL));
    check_ok(sn_world_step(world, &report));
    check(report.factorizations > 0);
    for (int what = 0; what < 7; what++) {
        turn_and_push(world, what);
        check_ok(sn_world_step(world, &report));
        if (report.factorizations != 0) fail_msg("change %d: %d", what, (int)report.factorizations);
    }
    int grab = grab_top(world, 0.5, 0.5, 0);
    for (int i = 0; i < 5; i++) {
        check_ok(sn_world_drag(world, grab, (double[3]){0.5, 1 + 0.1 * i, 0.5}));
        check_ok(sn_world_step(world, &report));
        check(report.factorizations == 0);
    }
    check_ok(sn_world_let_go(world, grab));
    check_ok(sn_world_step(world, &report));
    check(report.factorizations == 0);
    sn_world_destroy(world);
}

static SnWorld* make_held(const char* integrator, SnHold how)
{
    SnWorld* world = make_world(integrator, "newton", 1e-12);
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = (int[]){0, 1, 2}, handle.node_count = 3, handle.how = how;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    return world;
}

// Within a step its nodes are where they were told to, and then they stay.
static void test_handles(void** unused)
{
    (void)unused;
    for (int k = 0; k < DYNAMIC; k++) {
        SnWorld* world = make_held(dynamic[k], SN_HOLD_ELIMINATE);
        SnStepReport first, now;
        double to[9];
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < 12; step++) {
            memcpy(to, sn_world_positions(world), sizeof to);
            for (int i = 0; i < 3; i++) to[3 * i + 1] += 0.02, to[3 * i] -= 0.01 * step;
            if (step < 8) check_ok(sn_world_move_handle(world, 0, to));
            check_ok(sn_world_step(world, &now));
            for (int i = 0; i < 9 && step < 8; i++) check_near(sn_world_positions(world)[i], to[i], 1e-14);
            if (step >= 9)
                for (int i = 0; i < 9; i++) check_near(sn_world_velocities(world)[i], 0, 1e-12);
            double size = fabs(now.energy.kinetic) + fabs(now.energy.pins);
            if (!(fabs(total(&now.energy) - total(&first.energy)) < 1e-9 * size))
                fail_msg("%s, step %d: %g J are missing", dynamic[k], step, total(&now.energy) - total(&first.energy));
        }
        check_momentum(dynamic[k], &first, &now, 1e-5);
        check_ok(sn_world_release_handle(world, 0));
        check_ok(sn_world_step(world, &now));
        check(fabs(sn_world_velocities(world)[1]) > 1e-6);
        check_fails(sn_world_move_handle(world, 0, to), SN_ERROR_VALUE, "let go");
        sn_world_destroy(world);
    }
}

// Turned about z and shifted, from where the nodes were first, however often.
static void test_posed_handles(void** unused)
{
    (void)unused;
    SnWorld* world = make_held("backward-euler", SN_HOLD_ELIMINATE);
    SnEvent event;
    double first[9];
    memcpy(first, sn_world_positions(world), sizeof first);
    check_ok(sn_world_note_changes(world, true));
    for (int step = 1; step < 5; step++) {
        double c = cos(0.05 * step), s = sin(0.05 * step);
        SnPose pose = {{c, -s, 0, s, c, 0, 0, 0, 1}, {0, 0.01 * step, 0.02}};
        check_ok(sn_world_pose_handle(world, 0, &pose));
        check_ok(sn_world_step(world, NULL));
        for (int i = 0; i < 3; i++) {
            const double *x = sn_world_positions(world) + 3 * i, *from = first + 3 * i;
            check_near(x[0], c * from[0] - s * from[1], 1e-14);
            check_near(x[1], s * from[0] + c * from[1] + 0.01 * step, 1e-14);
            check_near(x[2], from[2] + 0.02, 1e-14);
        }
    }
    check_ok(sn_world_event(world, 3, &event));
    check(strcmp(event.kind, "move-handle") == 0);
    check_fails(sn_world_pose_handle(world, 0, &(SnPose){{2, 0, 0, 0, 2, 0, 0, 0, 2}, {0}}), SN_ERROR_VALUE,
                "rotation");
    check_fails(sn_world_pose_handle(world, 1, &(SnPose){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}}), SN_ERROR_VALUE,
                "no handle 1");
    sn_world_destroy(world);
}

static void test_springy_handles(void** unused)
{
    (void)unused;
    SnWorld* world = make_held("backward-euler", SN_HOLD_ENERGY);
    SnStepReport report;
    double to[9];
    memcpy(to, sn_world_positions(world), sizeof to);
    for (int i = 0; i < 3; i++) to[3 * i + 2] += 0.1;
    check_ok(sn_world_step(world, NULL));
    check_ok(sn_world_move_handle(world, 0, to));
    check_ok(sn_world_step(world, &report));
    check(report.drift < 2e-3);
    for (int i = 0; i < 9; i++) check_near(sn_world_positions(world)[i], to[i], 2e-3);
    sn_world_destroy(world);
}

// A floor that is lifted and tilted by hand carries the cube; where it is, is told.
static void test_obstacles(void** unused)
{
    (void)unused;
    SnWorld* world = make_world("backward-euler", "auto", 1e-4);
    SnObstacleDef floor = sn_default_obstacle_def();
    SnObstacleInfo info;
    SnStepReport report;
    SnPose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    floor.friction = 0.8;
    floor.shape.point[1] = -0.01;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    for (int i = 0; i < 60; i++) {
        double angle = 0.004 * (i > 30 ? i - 30 : 0);
        pose.rotation[0] = pose.rotation[4] = cos(angle), pose.rotation[1] = -sin(angle), pose.rotation[3] = sin(angle);
        if (i > 10) pose.shift[1] += 0.01;
        check_ok(sn_world_move_obstacle(world, 0, &pose));
        check_ok(sn_world_step(world, &report));
        check(report.depth == 0);
        check_ok(sn_world_obstacle(world, 0, &info));
        for (int k = 0; k < 9; k++) check_near(info.pose.rotation[k], pose.rotation[k], 1e-14);
        for (int k = 0; k < 3; k++) check_near(info.pose.shift[k], pose.shift[k], 1e-14);
    }
    check(sn_world_positions(world)[1] > 0.4 && report.contacts > 0);
    pose.rotation[0] = 2;
    check_fails(sn_world_move_obstacle(world, 0, &pose), SN_ERROR_VALUE, "rotation");
    check_fails(sn_world_move_obstacle(world, 1, &pose), SN_ERROR_VALUE, "no obstacle 1");
    sn_world_destroy(world);
}

// One step of somebody's play; which is all there is.
static void play(SnWorld* world, int step, int* grab)
{
    SnPose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .shift = {0, 0.005 * step, 0}};
    double to[9], v[3 * NODES];
    memcpy(to, sn_world_positions(world), sizeof to);
    memcpy(v, sn_world_velocities(world), sizeof v);
    if (step == 2) *grab = grab_top(world, 0.7, 0.7, 0);
    if (step > 2 && step < 9) check_ok(sn_world_drag(world, *grab, (double[3]){1, 1 + 0.1 * step, 0.3}));
    if (step == 9) check_ok(sn_world_let_go(world, *grab));
    for (int i = 0; i < 3; i++) to[3 * i + 2] -= 0.01;
    if (step % 3 == 1 && step < 10) check_ok(sn_world_move_handle(world, 0, to));
    if (step == 11) check_ok(sn_world_release_handle(world, 0));
    if (step % 2) check_ok(sn_world_move_obstacle(world, 0, &pose));
    for (int i = 0; i < NODES; i++) v[3 * i] += 0.1;
    if (step == 5) check_ok(sn_world_set_velocities(world, v));
    if (step == 6) check_ok(sn_world_set_gravity(world, (double[3]){1, -5, 0}));
    if (step == 7) check_ok(sn_world_set_time_step(world, 0.01));
    if (step == 8) check_ok(sn_world_set_stiffness(world, 0, 5e4, 0.35));
    if (step == 9) check_ok(sn_world_set_friction(world, 0, 0.7));
    if (step == 10) check_ok(sn_world_set_friction(world, -1, 0.2));
    if (step == 11) check_ok(sn_world_set_solver(world, "lbfgs"));
    if (step == 12) check_ok(sn_world_hold(world, 0, (int[]){0, 4, 26}, 3, grab));
}

static SnWorld* make_playground(const char* integrator)
{
    SnWorld* world = make_held(integrator, SN_HOLD_ELIMINATE);
    SnObstacleDef floor = sn_default_obstacle_def();
    floor.shape.point[1] = -0.05;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    return world;
}

// A cube that is held while it falls stays, and falls on when it is let go; then it may be held again.
static void test_hold(void** unused)
{
    (void)unused;
    for (int k = 0; k < DYNAMIC; k++) {
        SnWorld* world = make_world(dynamic[k], "newton", 1e-12);
        SnStepReport first, now;
        const int nodes[] = {18, 19, 20, 21, 22, 23, 24, 25, 26};
        int handle;
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < 24; step++) {
            if (step == 5 || step == 16) check_ok(sn_world_hold(world, 0, nodes, 9, &handle));
            if (step == 5 || step == 16) check(handle == step / 10);
            if (step == 7) check_fails(sn_world_hold(world, 0, nodes, 1, &handle), SN_ERROR_VALUE, "held by handle 0");
            if (step == 12) check_ok(sn_world_release_handle(world, 0));
            double before = sn_world_positions(world)[3 * 20 + 1];
            check_ok(sn_world_step(world, &now));
            bool held = (step >= 5 && step < 12) || step >= 16;
            check((sn_world_positions(world)[3 * 20 + 1] == before) == held);
            double size = fabs(now.energy.kinetic) + fabs(now.energy.pins) + now.energy.elastic;
            if (!(fabs(total(&now.energy) - total(&first.energy)) < 1e-9 * size))
                fail_msg("%s, step %d: %g J are missing", dynamic[k], step, total(&now.energy) - total(&first.energy));
        }
        check_momentum(dynamic[k], &first, &now, 1e-5);
        check_fails(sn_world_hold(world, 0, nodes, 0, &handle), SN_ERROR_VALUE, "some");
        sn_world_destroy(world);
    }
}

// Softer in the middle of a squeeze: what is stored becomes less, by the ratio, and the ledger says who took it.
static void test_stiffness(void** unused)
{
    (void)unused;
    SnWorld* world = make_world("backward-euler", "newton", 1e-12);
    SnStepReport before, after;
    double values[3 * NODES], young, poisson;
    check_ok(sn_world_step(world, NULL));
    memcpy(values, sn_world_positions(world), sizeof values);
    for (int i = 0; i < NODES; i++) values[3 * i] *= 1.1;
    check_ok(sn_world_set_positions(world, values));
    check_ok(sn_world_measure(world, &before));
    check_ok(sn_world_stiffness(world, 0, &young, &poisson));
    check(young == 1e5 && poisson == 0.3);
    check_ok(sn_world_set_stiffness(world, 0, young / 4, poisson));
    check_ok(sn_world_measure(world, &after));
    check_near(after.energy.elastic, before.energy.elastic / 4, 1e-9 * before.energy.elastic);
    check_near(total(&after.energy), total(&before.energy), 1e-9 * before.energy.elastic);
    check_ok(sn_world_step(world, &after));
    check(after.outcome == SN_OUTCOME_CONVERGED);
    check_near(total(&after.energy), total(&before.energy), 1e-9 * before.energy.elastic);
    check_fails(sn_world_set_stiffness(world, 0, -1, 0.3), SN_ERROR_VALUE, "young");
    check_fails(sn_world_set_stiffness(world, 0, 1e5, 0.6), SN_ERROR_VALUE, "poisson");
    check_fails(sn_world_set_stiffness(world, 2, 1e5, 0.3), SN_ERROR_VALUE, "body 2");
    check_ok(sn_world_step(world, NULL));
    sn_world_destroy(world);
}

// Solvers take over from each other in the middle of a motion, which goes on as if it had been one.
static void test_solvers(void** unused)
{
    (void)unused;
    SnWorld *world = make_world("tr-bdf2", "newton", 1e-9), *one = make_world("tr-bdf2", "newton", 1e-9);
    double v[3 * NODES];
    for (int k = 0; k < 3 * NODES; k++) v[k] = sin(k);
    check_ok(sn_world_set_velocities(world, v));
    check_ok(sn_world_set_velocities(one, v));
    for (int s = 0; s < SOLVERS - 1; s++) {
        SnStepReport report;
        check_ok(sn_world_set_solver(world, solvers[s]));
        for (int i = 0; i < 2; i++) check_ok(sn_world_step(world, &report));
        for (int i = 0; i < 2; i++) check_ok(sn_world_step(one, NULL));
        if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: %s", solvers[s], report.detail);
        for (int k = 0; k < 3 * NODES; k++) {
            double off = sn_world_positions(world)[k] - sn_world_positions(one)[k];
            if (!(fabs(off) < 1e-6)) fail_msg("%s: %g m off", solvers[s], off);
        }
    }
    check_fails(sn_world_set_solver(world, "newtom"), SN_ERROR_VALUE, "newton");
    check_ok(sn_world_step(world, NULL));
    sn_world_destroy(world), sn_world_destroy(one);
}

// A block that slides on a floor stops at once when that becomes rough: v falls by mu g h in each step.
static void test_friction(void** unused)
{
    (void)unused;
    SnWorld* world = make_world("backward-euler", "auto", 1e-6);
    SnObstacleDef floor = sn_default_obstacle_def();
    SnStepReport report;
    double v[3 * NODES] = {0};
    floor.shape.point[1] = -0.005;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    for (int i = 0; i < NODES; i++) v[3 * i] = 2;
    for (int i = 0; i < 40; i++) check_ok(sn_world_step(world, NULL));
    check_ok(sn_world_set_velocities(world, v));
    for (int i = 0; i < 30; i++) check_ok(sn_world_step(world, &report));
    check_near(report.momentum[0] / 125, 2, 1e-3);
    check_ok(sn_world_set_friction(world, 0, 0.5));
    for (int i = 0; i < 12; i++) check_ok(sn_world_step(world, &report));
    check_near(report.momentum[0] / 125, 2 - 12 * STEP * 0.5 * 9.81, 0.05);
    check_ok(sn_world_set_friction(world, -1, 0.5));
    check_fails(sn_world_set_friction(world, 1, 0.5), SN_ERROR_VALUE, "no obstacle 1");
    check_fails(sn_world_set_friction(world, 0, NAN), SN_ERROR_VALUE, "friction");
    sn_world_destroy(world);
}

static void test_made_again(void** unused)
{
    (void)unused;
    for (int k = 0; k < DYNAMIC; k += 2) {
        SnWorld *world = make_playground(dynamic[k]), *again = make_playground(dynamic[k]);
        SnEvent event;
        int grab = -1, done = 0;
        check_ok(sn_world_note_changes(world, true));
        for (int step = 0; step < 14; step++) {
            play(world, step, &grab);
            for (int i = 0; i < sn_world_event_count(world); i++, done++) {
                check_ok(sn_world_event(world, i, &event));
                check(event.step == step);
            }
            copy_events(world, again);
            check_ok(sn_world_step(world, NULL));
            check_ok(sn_world_step(again, NULL));
            check(sn_world_hash(world) == sn_world_hash(again));
        }
        check(done > 20 && sn_world_event_count(again) == 0);
        check_fails(sn_world_event(world, 0, &event), SN_ERROR_VALUE, "no change");
        sn_world_destroy(world), sn_world_destroy(again);
    }
}

// The next steps are those that were made from the same state.
static void check_goes_on(SnWorld* world, int steps, const uint64_t* hashes, int k)
{
    for (int i = 0; i < steps; i++) {
        check_ok(sn_world_step(world, NULL));
        if (sn_world_hash(world) != hashes[i])
            fail_msg("%s, %s: gone back to %g s and on for %d steps, to other bits", dynamic[k / SOLVERS],
                     solvers[k % SOLVERS], sn_world_time(world), i + 1);
    }
}

// After any step of the play: gone back to, with everything made anew that was built for a step before, a world goes
// on to the same bits as it did.
static void test_restored_between(void** unused)
{
    (void)unused;
    enum { FURTHER = 3 };
    for (int k = 0; k < DYNAMIC * SOLVERS; k++) {
        SnWorld* world = make_playground(dynamic[k / SOLVERS]);
        int grab = -1;
        check_ok(sn_world_set_solver(world, solvers[k % SOLVERS]));
        for (int step = 0; step < 14; step++) {
            play(world, step, &grab);
            size_t size = sn_world_state_size(world);
            void* state = malloc(size);
            check_ok(sn_world_save_state(world, state, size));
            uint64_t hashes[FURTHER];
            for (int i = 0; i < FURTHER; i++) {
                check_ok(sn_world_step(world, NULL));
                hashes[i] = sn_world_hash(world);
            }
            sn_world_discard_problem(world);
            check_ok(sn_world_restore_state(world, state, size));
            check_goes_on(world, FURTHER, hashes, k);
            check_ok(sn_world_restore_state(world, state, size));
            check_goes_on(world, 1, hashes, k);
            free(state);
        }
        sn_world_destroy(world);
    }
}

static int one_of(SnRandom* random, int count)
{
    return (int)sn_random_uniform(random, 0, count);
}

// Two soft blocks above a floor and a ball that can be moved, all touching.
static SnWorld* make_toys(SnRandom* random, int threads)
{
    static const char* const integrators[] = {"backward-euler", "bdf2", "trapezoidal", "implicit-midpoint", "tr-bdf2"};
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnMesh* mesh;
    def.time_step = STEP, def.threads = threads;
    def.integrator = integrators[one_of(random, 5)];
    def.solver.type = solvers[one_of(random, SOLVERS - 1)];
    def.solver.iterations = one_of(random, 3) ? 300 : 6;
    def.contact.bodies = def.contact.self = true, def.contact.friction = 0.3;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[3]){1, 1, 1}, (int[3]){SIDE - 1, SIDE - 1, SIDE - 1}, &mesh));
    double start[3 * NODES];
    for (int b = 0; b < 2; b++) {
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh;
        body.material = sn_material("neo-hookean", b ? 1e5 : 2e4, 0.3, 125);
        memcpy(start, mesh->nodes, sizeof start);
        for (int i = 0; i < NODES; i++) start[3 * i] += 0.2 * b, start[3 * i + 1] += 0.05 + 1.05 * b;
        body.start = start;
        check_ok(sn_world_add_body(world, &body, NULL));
    }
    sn_mesh_destroy(mesh);
    SnObstacleDef floor = sn_default_obstacle_def(), ball = sn_default_obstacle_def();
    floor.friction = 0.4;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    ball.shape = sn_obstacle("sphere");
    ball.shape.point[0] = -0.6, ball.shape.point[1] = 0.4, ball.shape.point[2] = 0.5, ball.shape.radius = 0.4;
    check_ok(sn_world_add_obstacle(world, &ball, NULL));
    return world;
}

static void act(SnWorld* world, SnRandom* random, int* grab)
{
    int what = one_of(random, 8), handle;
    double x = sn_random_uniform(random, -0.2, 1.4), z = sn_random_uniform(random, -0.1, 1.1);
    SnPose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .shift = {0.5 * x, 0.2 * z, 0}};
    SnPick pick;
    if (what == 0 && *grab >= 0) {
        check_ok(sn_world_let_go(world, *grab));
        *grab = -1;
    } else if (what <= 2 && *grab < 0) {
        check_ok(sn_world_pick(world, (double[3]){x, 9, z}, (double[3]){0, -1, 0}, &pick));
        if (pick.body >= 0) check_ok(sn_world_grab(world, &pick, what == 1 ? 0 : 1e4, grab));
    } else if (what <= 4 && *grab >= 0)
        check_ok(sn_world_drag(world, *grab, (double[3]){x, 3 * z, z}));
    else if (what == 5)
        check_ok(sn_world_move_obstacle(world, 1, &pose));
    else if (what == 6)
        check_ok(sn_world_set_gravity(world, (double[3]){x, -9 * z, 0}));
    else if (what == 7 && one_of(random, 4) == 0 && sn_world_hold(world, 0, (int[]){13}, 1, &handle) == SN_OK)
        check_ok(sn_world_release_handle(world, handle));
}

// Whatever is done to them: they stay numbers, nothing crosses or is inside, what is done between steps is booked,
// and the same is done to the same bits by two threads.
static void test_random_play(void** unused)
{
    (void)unused;
    int seeds = getenv("SINEW_PLAYS") ? atoi(getenv("SINEW_PLAYS")) : 12;
    for (int seed = 1; seed <= seeds; seed++) {
        SnRandom random = {(uint64_t)seed}, same = random;
        SnWorld *world = make_toys(&random, 1), *again = make_toys(&same, 2);
        SnStepReport first, now;
        int grab = -1, other = -1;
        for (int step = 0; step < 20; step++) {
            act(world, &random, &grab), act(again, &same, &other);
            if (step == 0) check_ok(sn_world_measure(world, &first)); // what is done before is the start
            check_ok(sn_world_step(world, &now));
            check_ok(sn_world_step(again, NULL));
            if (sn_world_hash(world) != sn_world_hash(again)) fail_msg("seed %d, step %d: other bits", seed, step);
            for (int k = 0; k < 6 * NODES; k++) check(isfinite(sn_world_positions(world)[k]));
            if (now.crossings > 0 || now.depth > 0) fail_msg("seed %d, step %d: crossed", seed, step);
            double size = fabs(now.energy.kinetic) + fabs(now.energy.pins) + now.energy.elastic + 1;
            if (!(fabs(total(&now.energy) - total(&first.energy)) < 1e-8 * size))
                fail_msg("seed %d, step %d: %g J are missing", seed, step, total(&now.energy) - total(&first.energy));
        }
        sn_world_destroy(world), sn_world_destroy(again);
    }
}

static void test_refused(void** unused)
{
    (void)unused;
    SnWorld* world = make_playground("backward-euler");
    SnPick pick = {.body = 0, .nodes = {0, 1, 2}, .weights = {0.5, 0.5, 0.5}};
    SnWrench pull;
    int grab;
    check_fails(sn_world_grab(world, &pick, 0, &grab), SN_ERROR_VALUE, "add up");
    pick.weights[2] = 0;
    check_fails(sn_world_grab(world, &pick, -1, &grab), SN_ERROR_VALUE, "N/m");
    pick.nodes[1] = NODES;
    check_fails(sn_world_grab(world, &pick, 0, &grab), SN_ERROR_VALUE, "not its");
    pick.body = 3;
    check_fails(sn_world_grab(world, &pick, 0, &grab), SN_ERROR_VALUE, "body 3");
    check_fails(sn_world_drag(world, 0, (double[3]){0}), SN_ERROR_VALUE, "no grab");
    check_fails(sn_world_let_go(world, -1), SN_ERROR_VALUE, "no grab");
    check_fails(sn_world_grab_force(world, 0, &pull), SN_ERROR_VALUE, "no grab");
    check_fails(sn_world_move_handle(world, 1, (double[9]){0}), SN_ERROR_VALUE, "no handle");
    check_fails(sn_world_move_handle(world, 0, (double[9]){NAN}), SN_ERROR_VALUE, "beyond");
    check_fails(sn_world_release_handle(world, 7), SN_ERROR_VALUE, "no handle");
    check_fails(sn_world_apply(world, &(SnEvent){.kind = "dance"}), SN_ERROR_VALUE, "dance");
    check_fails(sn_world_apply(world, &(SnEvent){.kind = "drag", .count = 1, .numbers = (double[1]){0}}),
                SN_ERROR_VALUE, "3 are needed");
    check_fails(sn_world_apply(world, &(SnEvent){.kind = "move-handle", .count = 6, .numbers = (double[6]){0}}),
                SN_ERROR_VALUE, "other nodes");
    check_fails(sn_world_apply(world, &(SnEvent){.kind = "drag", .count = 3}), SN_ERROR_VALUE, "not there");
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_same_pull),
    cmocka_unit_test(test_hangs),
    cmocka_unit_test(test_ledger_closes),
    cmocka_unit_test(test_loss_is_of_the_integrator),
    cmocka_unit_test(test_nothing_is_made_anew),
    cmocka_unit_test(test_handles),
    cmocka_unit_test(test_springy_handles),
    cmocka_unit_test(test_posed_handles),
    cmocka_unit_test(test_obstacles),
    cmocka_unit_test(test_hold),
    cmocka_unit_test(test_stiffness),
    cmocka_unit_test(test_solvers),
    cmocka_unit_test(test_friction),
    cmocka_unit_test(test_made_again),
    cmocka_unit_test(test_restored_between),
    cmocka_unit_test(test_random_play),
    cmocka_unit_test(test_refused),
};
RUN_TESTS(tests, NULL, NULL)
