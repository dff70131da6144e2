// What acts, and what touches, comes while a world runs: loads, actuators, dampings and contact pairs. Each does what
// it would have done from the start, by its own clock; the ledger closes over it; what is refused leaves nothing
// behind.
#include "check_world.h"

#include <sinew/actuator.h>
#include <sinew/load.h>

#include "core/random.h"
#include "mesh/mesh.h"

enum { SIDE = 3, NODES = SIDE * SIDE * SIDE };
#define EDGE 0.5 // m

static SnWorld* make_empty(const char* integrator, double tolerance, bool gravity)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    def.time_step = 1.0 / 64, def.integrator = integrator, def.threads = 1; // times are exact
    def.solver.type = "newton", def.solver.tolerance = tolerance, def.solver.iterations = 2000;
    def.contact.bodies = true;
    if (!gravity) memset(def.gravity, 0, sizeof def.gravity);
    check_ok(sn_world_create(&def, &world));
    return world;
}

static void add_cube(SnWorld* world, const char* name, double x, double y, bool shelf, const SnDampingDef* damping)
{
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[3]){EDGE, EDGE, EDGE}, (int[3]){SIDE - 1, SIDE - 1, SIDE - 1}, &mesh));
    for (int i = 0; i < NODES; i++) mesh->nodes[3 * i] += x, mesh->nodes[3 * i + 1] += y;
    body.name = name, body.mesh = mesh, body.material = sn_material("neo-hookean", 3e4, 0.3, 125), body.shelf = shelf;
    body.damping = damping, body.damping_count = damping ? 1 : 0;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
}

static void run(SnWorld* world, int steps, SnStepReport* report)
{
    for (int i = 0; i < steps; i++) {
        check_ok(sn_world_step(world, report));
        if (report->outcome != SN_OUTCOME_CONVERGED) fail_msg("step %d: %s", (int)report->step, report->detail);
    }
}

static double total(const SnEnergy* e)
{
    return e->kinetic + e->elastic + e->gravity - e->pins + e->viscous + e->friction + e->numerical;
}

static const double ramp[][2] = {{0, 0}, {0.125, 1}, {0.25, 0.5}};

static SnLoadDef load_of(const char* type)
{
    SnLoadDef def = sn_default_load_def(type);
    def.ramp = (SnCurve){3, ramp[0]};
    def.vector[0] = 20, def.vector[1] = 10, def.pressure = 300, def.gas = 300, def.volume = 1.1;
    def.gust = 0.3, def.length = 0.5;
    return def;
}

static SnActuatorDef growth(void)
{
    SnActuatorDef def = sn_default_actuator_def("growth");
    def.ramp = (SnCurve){3, ramp[0]}, def.growth[0] = 0.2, def.growth[1] = -0.1;
    return def;
}

static SnDampingDef damping_of(const char* type)
{
    SnDampingDef def = sn_default_damping_def(type);
    def.exponent = 0.5, def.beta = 0.02;
    return def;
}

// Everything that acts on a body that is at rest.
static void make_act(SnWorld* world, int what)
{
    static const char* const types[] = {"force", "traction", "torque", "pressure", "gas", "volume", "wind"};
    SnActuatorDef actuator = growth();
    if (what < 7) {
        SnLoadDef load = load_of(types[what]);
        check_ok(sn_world_add_load(world, &load, NULL));
    } else
        check_ok(sn_world_add_actuator(world, &actuator, NULL));
}
enum { ACTS = 8 };

// Added later to a body at rest, it is the same motion, as much later; added while changes are noted, before the first
// step, it is the same bits.
static void test_by_its_own_clock(void** unused)
{
    (void)unused;
    for (int what = 0; what < ACTS; what++) {
        SnWorld* worlds[3];
        SnStepReport report;
        for (int w = 0; w < 3; w++) {
            worlds[w] = make_empty(dynamic[what % DYNAMIC], 1e-11, false);
            add_cube(worlds[w], "cube", 0, 0, false, NULL);
            if (w == 1) check_ok(sn_world_note_changes(worlds[w], true));
            if (w == 2) run(worlds[w], 16, &report); // nothing moves
            make_act(worlds[w], what);
            run(worlds[w], 12, &report);
            check(report.energy.kinetic > 1e-6);
        }
        check(sn_world_hash(worlds[0]) == sn_world_hash(worlds[1]));
        for (int i = 0; i < 3 * NODES; i++)
            check_near(sn_world_positions(worlds[0])[i], sn_world_positions(worlds[2])[i], 1e-8);
        for (int w = 0; w < 3; w++) sn_world_destroy(worlds[w]);
    }
}

// A damping that comes before the first step is as one of the definition, also where other bodies have some.
static void test_damping_as_defined(void** unused)
{
    (void)unused;
    static const char* const types[] = {"rayleigh", "power-law", "drag"};
    for (int t = 0; t < 3; t++) {
        SnDampingDef own = damping_of(types[t]), other = damping_of("rayleigh");
        SnWorld* worlds[2];
        SnStepReport report;
        for (int w = 0; w < 2; w++) {
            worlds[w] = make_empty("bdf2", 1e-7, true);
            add_cube(worlds[w], "first", 0, 0, false, w ? NULL : &own);
            add_cube(worlds[w], "second", 2, 0, false, &other);
            int number = -1, nodes[] = {0, 1, 2};
            if (w) check_ok(sn_world_note_changes(worlds[w], true));
            if (w) check_ok(sn_world_add_damping(worlds[w], 0, &own, &number));
            check(w == 0 || number == 0);
            SnHandleDef handle = sn_default_handle_def();
            handle.nodes = nodes, handle.node_count = 3;
            check_ok(sn_world_add_handle(worlds[w], &handle, NULL));
            for (int i = 0; i < 10; i++) check_ok(sn_world_step(worlds[w], &report));
        }
        check(sn_world_hash(worlds[0]) == sn_world_hash(worlds[1]));
        for (int k = 0; k < 2; k++) {
            SnLoss a, b;
            check_ok(sn_world_loss(worlds[0], k, &a));
            check_ok(sn_world_loss(worlds[1], k, &b));
            check(strcmp(a.name, b.name) == 0 && a.energy == b.energy && (k == 1 || a.energy > 0));
        }
        sn_world_destroy(worlds[0]), sn_world_destroy(worlds[1]);
    }
}

static double loss_of(const SnWorld* world, const char* name)
{
    for (int k = 0; k < sn_world_loss_count(world); k++) {
        SnLoss loss;
        check_ok(sn_world_loss(world, k, &loss));
        if (strcmp(loss.name, name) == 0) return loss.energy;
    }
    fail_msg("there is no loss '%s'", name);
    return NAN;
}

// On the way: what is added is somebody's work, and what others have lost so far stays theirs.
static void test_ledger_closes(void** unused)
{
    (void)unused;
    for (int s = 0; s < DYNAMIC; s++) {
        SnWorld* world = make_empty(dynamic[s], 1e-10, true);
        SnDampingDef damping = damping_of("rayleigh"), law = damping_of("power-law"), drag = damping_of("drag");
        SnActuatorDef actuator = growth();
        SnLoadDef load = load_of("force");
        SnStepReport report, first;
        int nodes[] = {0, 1, 2}, index;
        for (int b = 0; b < 2; b++) {
            SnHandleDef handle = sn_default_handle_def();
            add_cube(world, b ? "second" : "first", 2 * b, 0, false, b ? &damping : NULL);
            handle.body = b, handle.nodes = nodes, handle.node_count = 3;
            check_ok(sn_world_add_handle(world, &handle, NULL));
        }
        law.exponent = 1.5; // smooth, so that the tolerance can be met
        actuator.ramp = (SnCurve){0};
        check_ok(sn_world_measure(world, &first));
        run(world, 6, &report);
        double lost = loss_of(world, "second: rayleigh");
        check(lost > 0);
        check_ok(sn_world_add_damping(world, 0, &law, &index));
        check_ok(sn_world_add_damping(world, 0, &drag, &index));
        check(index == 1 && loss_of(world, "first: power-law") == 0 && loss_of(world, "second: rayleigh") == lost);
        run(world, 4, &report);
        check(loss_of(world, "first: power-law") > 0 && loss_of(world, "first: drag") > 0);
        double pins = report.energy.pins;
        check_ok(sn_world_add_actuator(world, &actuator, &index));
        check_ok(sn_world_measure(world, &report));
        check(fabs(report.energy.pins - pins) > 0.01); // at once
        run(world, 4, &report);
        check_ok(sn_world_set_actuator(world, index, 0.3));
        check_ok(sn_world_add_load(world, &load, NULL));
        run(world, 8, &report);
        double off = fabs(total(&report.energy) - total(&first.energy));
        if (!(off < 1e-9 * 300)) fail_msg("%s: %g J", dynamic[s], off);
        sn_world_destroy(world);
    }
}

// All that acts on a body rests while that is on the shelf, and acts when it is back; the ledger closes over it.
static void test_rests_on_the_shelf(void** unused)
{
    (void)unused;
    static const SnPose there = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    for (int what = 0; what < ACTS; what++) {
        SnWorld* world = make_empty(dynamic[what % DYNAMIC], 1e-10, false);
        SnStepReport report, first;
        add_cube(world, "cube", 0, 0, false, NULL);
        add_cube(world, "other", 3, 0, false, NULL);
        make_act(world, what);
        check_ok(sn_world_measure(world, &first));
        run(world, 10, &report);
        check_ok(sn_world_remove_body(world, 0));
        run(world, 4, &report);
        if (!(report.energy.kinetic < 1e-12)) fail_msg("%d: %g J, %g", what, report.energy.kinetic, report.momentum[0]);
        SnWrench force = {{1, 1, 1}, {1, 1, 1}};
        if (what < 7) check_ok(sn_world_load_force(world, 0, &force));
        check(what == 7 || (force.force[0] == 0 && force.torque[2] == 0));
        check_ok(sn_world_place_body(world, 0, &there, NULL));
        run(world, 6, &report);
        check(report.energy.kinetic > 1e-6);
        double off = fabs(total(&report.energy) - total(&first.energy));
        if (!(off < 1e-9 * 300)) fail_msg("%d: %g J", what, off);
        check_momentum(dynamic[what % DYNAMIC], &first, &report, 1e-6);
        sn_world_destroy(world);
    }
}

static double lowest(const SnWorld* world, int body)
{
    double y = INFINITY;
    for (int i = NODES * body; i < NODES * (body + 1); i++) y = fmin(y, sn_world_positions(world)[3 * i + 1]);
    return y;
}

static SnContactPairDef pair_of(const char* a, const char* b, int touch, double friction)
{
    SnContactPairDef def = sn_default_contact_pair_def();
    def.between[0] = a, def.between[1] = b, def.touch = touch, def.friction = friction;
    return def;
}

// What lies on another falls through it when they are not to touch; while they cross they cannot touch again, and a
// world that was asked to goes on as one that was not; when they are apart they can.
static void test_pairs(void** unused)
{
    (void)unused;
    SnWorld* worlds[2];
    SnStepReport report;
    SnContactPairDef not = pair_of("upper", "lower", 0, -1), again = pair_of("upper", "lower", 1, -1);
    SnContactPairDef no_floor = pair_of("upper", "floor", 0, -1), floor_again = pair_of("upper", "floor", 1, -1);
    for (int w = 0; w < 2; w++) {
        SnObstacleDef floor = sn_default_obstacle_def();
        floor.name = "floor";
        worlds[w] = make_empty("backward-euler", 1e-5, true);
        add_cube(worlds[w], "lower", 0, 0.01, false, NULL);
        add_cube(worlds[w], "upper", 0, EDGE + 0.03, false, NULL);
        check_ok(sn_world_add_obstacle(worlds[w], &floor, NULL));
        run(worlds[w], 20, &report);
        check(lowest(worlds[w], 1) > 0.4);
        check_ok(sn_world_add_contact_pair(worlds[w], &not ));
        run(worlds[w], 8, &report);
        check(lowest(worlds[w], 1) < 0.4);
        if (w) check_fails(sn_world_add_contact_pair(worlds[w], &again), SN_ERROR_VALUE, "cross");
        run(worlds[w], 4, &report);
        check_ok(sn_world_add_contact_pair(worlds[w], &no_floor));
        run(worlds[w], 40, &report);
        check(lowest(worlds[w], 1) < -EDGE);
        check_ok(sn_world_add_contact_pair(worlds[w], &again)); // apart
        if (w) check_fails(sn_world_add_contact_pair(worlds[w], &floor_again), SN_ERROR_VALUE, "inside");
        run(worlds[w], 4, &report);
    }
    check(sn_world_hash(worlds[0]) == sn_world_hash(worlds[1]));
    sn_world_destroy(worlds[0]), sn_world_destroy(worlds[1]);
}

// Another friction of two is as one of them all, of a box that slides on a slope, and nothing is made anew for it.
static void test_pair_friction(void** unused)
{
    (void)unused;
    SnWorld* worlds[2];
    SnStepReport report;
    for (int w = 0; w < 2; w++) {
        SnObstacleDef floor = sn_default_obstacle_def();
        floor.name = "floor";
        worlds[w] = make_empty("backward-euler", 1e-6, true);
        add_cube(worlds[w], "cube", 0, 0.001, false, NULL);
        check_ok(sn_world_add_obstacle(worlds[w], &floor, NULL));
        check_ok(sn_world_set_gravity(worlds[w], (double[3]){4, -9, 0}));
        check_ok(sn_world_set_solver(worlds[w], "lbfgs"));
        run(worlds[w], 10, &report);
        for (int i = 1; i <= 50; i++) {
            SnContactPairDef pair = pair_of("cube", "floor", -1, 0.01 * i);
            if (w == 0) check_ok(sn_world_set_friction(worlds[w], 0, 0.01 * i));
            if (w == 1) check_ok(sn_world_add_contact_pair(worlds[w], &pair));
        }
        run(worlds[w], 1, &report);
        check(report.factorizations == 0);
        run(worlds[w], 19, &report);
        check(report.energy.friction > 1e-3);
    }
    check(sn_world_hash(worlds[0]) == sn_world_hash(worlds[1]));
    sn_world_destroy(worlds[0]), sn_world_destroy(worlds[1]);
}

static void blow(void* user, double time, const double x[3], double w[3])
{
    (void)user, (void)time, (void)x;
    w[0] = 3, w[1] = w[2] = 0;
}

static double nothing(SnStretches rate, SnStretches s, SnDissipationParameters p)
{
    (void)rate, (void)s, (void)p;
    return 0;
}

static SnWorld* make_some(void)
{
    SnWorld* world = make_empty("trapezoidal", 1e-6, true);
    SnActuatorDef actuator = growth();
    SnDampingDef damping = damping_of("rayleigh");
    add_cube(world, "cube", 0, 0, false, &damping);
    add_cube(world, "away", 3, 0, true, NULL);
    check_ok(sn_world_add_actuator(world, &actuator, NULL));
    actuator = sn_default_actuator_def("heat"), actuator.heat = 30, actuator.expansion = 1e-3;
    check_ok(sn_world_add_actuator(world, &actuator, NULL));
    return world;
}

// Nothing of it is left: a world that was asked for it goes on to the same bits.
static void test_refused(void** unused)
{
    (void)unused;
    SnWorld *world = make_some(), *other = make_some();
    SnStepReport report;
    run(world, 3, &report), run(other, 3, &report);
    check_ok(sn_world_note_changes(world, true));
    check_ok(sn_world_note_changes(other, true));
    SnLoadDef load = load_of("force"), wind = load_of("wind"), point = load_of("force"), open = load_of("gas");
    load.body = 7;
    check_fails(sn_world_add_load(world, &load, NULL), SN_ERROR_VALUE, "body 7");
    load.body = 0, load.vector[2] = NAN;
    check_fails(sn_world_add_load(world, &load, NULL), SN_ERROR_VALUE, "nan");
    wind.field = blow;
    check_fails(sn_world_add_load(world, &wind, NULL), SN_ERROR_VALUE, "caller's function");
    point.at[0] = 0, point.at[1] = 0, point.at[2] = 0, point.nodes = (int[]){0}, point.node_count = 1;
    check_fails(sn_world_add_load(world, &point, NULL), SN_ERROR_VALUE, "leave one of them out");
    open.nodes = (int[]){0, 1, 3, 4}, open.node_count = 4;
    check_fails(sn_world_add_load(world, &open, NULL), SN_ERROR_VALUE, "closed surface");
    SnActuatorDef actuator = growth();
    actuator = sn_default_actuator_def("tension");
    check_fails(sn_world_add_actuator(world, &actuator, NULL), SN_ERROR_VALUE, "fibers");
    const double vast[] = {0, 1e200};
    actuator = sn_default_actuator_def("heat"), actuator.heat = 1, actuator.ramp = (SnCurve){1, vast};
    check_fails(sn_world_add_actuator(world, &actuator, NULL), SN_ERROR_VALUE, "more energy");
    check_fails(sn_world_set_actuator(world, 1, 1e200), SN_ERROR_VALUE, "more energy");
    check_fails(sn_world_set_actuator(world, 2, 1), SN_ERROR_VALUE, "no actuator 2");
    check_fails(sn_world_set_actuator(world, -1, 1), SN_ERROR_VALUE, "no actuator -1");
    check_fails(sn_world_set_actuator(world, 0, INFINITY), SN_ERROR_VALUE, "inf");
    check_fails(sn_world_set_actuator(world, 0, 11), SN_ERROR_VALUE, "leaves nothing of a length");
    check_fails(sn_world_set_actuator(world, 0, -1e200), SN_ERROR_VALUE, "leaves nothing of a length");
    SnDampingDef damping = damping_of("rayleigh");
    check_fails(sn_world_add_damping(world, 5, &damping, NULL), SN_ERROR_VALUE, "no body 5");
    damping.beta = NAN;
    check_fails(sn_world_add_damping(world, 0, &damping, NULL), SN_ERROR_VALUE, "body 'cube'", "beta");
    damping = damping_of("rayleigh"), damping.elements = (int[]){3, 3}, damping.element_count = 2;
    check_fails(sn_world_add_damping(world, 0, &damping, NULL), SN_ERROR_VALUE, "named twice");
    damping = damping_of("clay");
    check_fails(sn_world_add_damping(world, 0, &damping, NULL), SN_ERROR_VALUE, "clay");
    static const SnDissipationType mine = {.name = "mine", .energy = nothing};
    damping = sn_default_damping_def(""), damping.custom = &mine;
    check_fails(sn_world_add_damping(world, 0, &damping, NULL), SN_ERROR_VALUE, "caller's functions");
    SnContactPairDef pair = pair_of("cube", "nobody", 0, -1);
    check_fails(sn_world_add_contact_pair(world, &pair), SN_ERROR_VALUE, "nobody");
    assert_int_equal(sn_world_event_count(world), 0);
    run(world, 6, &report), run(other, 6, &report);
    check(sn_world_hash(world) == sn_world_hash(other) && sn_world_loss_count(world) == 1);
    sn_world_destroy(world), sn_world_destroy(other);
}

// Of the events of such changes, as a file may have them.
static void test_events_that_cannot_be(void** unused)
{
    (void)unused;
    static const char* const kinds[] = {"add-load", "add-actuator", "add-damping", "contact-pair"};
    SnWorld *world = make_some(), *source = make_some();
    SnLoadDef load = load_of("wind");
    SnActuatorDef actuator = growth();
    SnDampingDef damping = damping_of("power-law");
    SnContactPairDef pair = pair_of("cube", "away", -1, 0.3);
    SnRandom random = {11};
    double numbers[80];
    check_ok(sn_world_note_changes(source, true));
    check_ok(sn_world_add_load(source, &load, NULL));
    check_ok(sn_world_add_actuator(source, &actuator, NULL));
    check_ok(sn_world_add_damping(source, 0, &damping, NULL));
    check_ok(sn_world_add_contact_pair(source, &pair));
    for (int i = 0; i < 4000; i++) { // good ones with a few numbers changed, or cut
        SnEvent event;
        check_ok(sn_world_event(source, i % 4, &event));
        check(strcmp(event.kind, kinds[i % 4]) == 0 && event.count <= 80);
        memcpy(numbers, event.numbers, (size_t)event.count * sizeof *numbers);
        for (int k = (int)sn_random_uniform(&random, 1, 4); k > 0; k--)
            numbers[(int)sn_random_uniform(&random, 0, event.count)] =
                (double[]){NAN, -1, 1e9, 3, 1e300, -INFINITY}[(int)sn_random_uniform(&random, 0, 6)];
        event.numbers = numbers;
        if (i % 3 == 0) event.count = (int)sn_random_uniform(&random, 0, event.count);
        SnWorld* fresh = i % 100 == 0 ? make_some() : NULL; // as there would be ever more of them
        if (fresh) sn_world_destroy(world), world = fresh;
        (void)sn_world_apply(world, &event);
    }
    check_fails(sn_world_apply(world, &(SnEvent){0, "add-load", 0, 2, (double[]){1, 1}}), SN_ERROR_VALUE, "fit");
    check_fails(sn_world_apply(world, &(SnEvent){0, "contact-pair", 0, 1, (double[]){-4}}), SN_ERROR_VALUE, "fit");
    sn_world_destroy(world), sn_world_destroy(source);
}

static SnStatus change_all(SnWorld* world)
{
    SnLoadDef load = load_of("volume");
    SnActuatorDef actuator = growth();
    SnDampingDef damping = damping_of("power-law");
    SnContactPairDef pair = pair_of("cube", "away", 1, 0.3), rub = pair_of("cube", "away", -1, 0.3);
    SnStatus all[] = {sn_world_add_load(world, &load, NULL),          sn_world_add_actuator(world, &actuator, NULL),
                      sn_world_add_damping(world, 0, &damping, NULL), sn_world_add_contact_pair(world, &pair),
                      sn_world_add_contact_pair(world, &rub),         sn_world_set_actuator(world, 0, 2)};
    SnStatus worst = SN_OK;
    for (int i = 0; i < 6; i++) {
        check(all[i] == SN_OK || all[i] == SN_ERROR_MEMORY);
        if (all[i] != SN_OK) worst = all[i];
    }
    return worst;
}

// Where the n-th allocation fails an error comes back, and the world can be used and destroyed.
static void test_memory_runs_out(void** unused)
{
    (void)unused;
    SnStatus status = SN_ERROR_MEMORY;
    bool failed = true;
    for (long n = 1; failed; n += n < 60 ? 1 : 29) {
        SnWorld* world = make_some();
        FailingMemory memory;
        check_ok(sn_world_step(world, NULL));
        check_ok(sn_world_note_changes(world, true));
        start_failing(&memory, n);
        status = change_all(world);
        failed = memory.countdown == 0;
        SnStatus step = sn_world_step(world, NULL);
        check(step == SN_OK || step == SN_ERROR_MEMORY);
        sn_world_destroy(world);
        stop_failing(&memory);
    }
    check(status == SN_OK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rests_on_the_shelf),
    cmocka_unit_test(test_by_its_own_clock),
    cmocka_unit_test(test_damping_as_defined),
    cmocka_unit_test(test_ledger_closes),
    cmocka_unit_test(test_pairs),
    cmocka_unit_test(test_pair_friction),
    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_events_that_cannot_be),
    cmocka_unit_test(test_memory_runs_out),
};
RUN_TESTS(tests, NULL, NULL)
