// What a world refuses, each with its sentence, and goes on as it was: saved states of worlds with other nodes, steps,
// dissipations or springs; changes that come too late; probes of what is not there; elements that are too curved.
#include <math.h>

#include "bodies.h"
#include "world/restrict.h"
#include "world/world.h"
#include <sinew/load.h>
#include <sinew/probe.h>

// A box, with a damping where wanted, one of its nodes held by energy where wanted.
static SnWorld* make_other(int cells, double h, bool damped, bool held)
{
    SnWorldDef def = sn_default_world_def();
    SnBodyDef body = sn_default_body_def();
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    SnHandleDef handle = sn_default_handle_def();
    SnMesh* mesh = make_box(1, 1, 1, cells, 1, 1);
    def.time_step = h, def.threads = 1;
    SnWorld* world = make_world(def);
    body.mesh = mesh, body.damping = &damping, body.damping_count = damped;
    check_ok(sn_world_add_body(world, &body, NULL));
    handle.nodes = (int[]){0}, handle.node_count = 1, handle.how = SN_HOLD_ENERGY;
    if (held) check_ok(sn_world_add_handle(world, &handle, NULL));
    sn_mesh_destroy(mesh);
    return world;
}

static void test_states_of_others(void** state)
{
    (void)state;
    SnWorld* world = make_other(1, 0.01, false, false);
    const struct {
        SnWorld* world;
        const char* words[2];
    } others[] = {
        {make_other(2, 0.01, false, false), {"has 8 nodes", "the world 12"}},
        {make_other(1, 0.02, false, false), {"a time step of 0.01", "the world has 0.02"}},
        {make_other(1, 0.01, true, false), {"has 0 dissipations", "the world 1"}},
        {make_other(1, 0.01, false, true), {"has 0 nodes held by energy", "the world 1"}},
    };
    char bytes[20000];
    check_ok(sn_world_step(world, NULL));
    size_t size = sn_world_state_size(world);
    check(size <= sizeof bytes);
    check_ok(sn_world_save_state(world, bytes, size));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        uint64_t before = sn_world_hash(others[i].world);
        check_fails(sn_world_restore_state(others[i].world, bytes, size), SN_ERROR_VALUE, others[i].words[0],
                    others[i].words[1]);
        check(sn_world_hash(others[i].world) == before);
        sn_world_destroy(others[i].world);
    }
    sn_world_destroy(world);
}

static void test_too_late_or_too_far(void** state)
{
    (void)state;
    SnWorld* world = make_other(1, 0.01, false, false);
    SnPick pick;
    int grab;
    check_ok(sn_world_step(world, NULL));
    check_ok(sn_world_pick(world, (double[]){0.4, 9, 0.3}, (double[]){0, -1, 0}, &pick));
    check_ok(sn_world_grab(world, &pick, 0, &grab));
    check_fails(sn_world_drag(world, grab, (double[]){0, 1e31, 0}), SN_ERROR_VALUE, "a grab to 0 1e+31 0", "beyond");
    check_fails(sn_world_drag(world, grab, (double[]){NAN, 0, 0}), SN_ERROR_VALUE, "beyond all numbers");
    check_ok(sn_world_step(world, NULL));
    sn_world_destroy(world);
}

// A triangle by itself has no other one that a corner of it could be tied to.
static void test_tied_to_nothing(void** state)
{
    (void)state;
    SnMesh* mesh;
    SnWorld* world = make_world(sn_default_world_def());
    SnMeshDef def = sn_default_mesh_def();
    SnAttachmentDef tie = sn_default_attachment_def();
    def.node_count = 3, def.nodes = (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0};
    def.triangle_count = 1, def.triangles = (int[]){0, 1, 2};
    check_ok(sn_mesh_create(&def, &mesh));
    add_body(world, mesh, sn_material("arap", 1e5, 0.3, 1000), NULL, NULL);
    tie.from = (SnPlaceDef){0, (int[]){1}, 1}, tie.to.body = 0;
    check_fails(sn_world_add_attachment(world, &tie, NULL), SN_ERROR_VALUE, "finds nothing to tie node 1 to");
    check_ok(sn_world_step(world, NULL));
    sn_world_destroy(world);
}

static void test_placed_too_far(void** state)
{
    (void)state;
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh = make_box(1, 1, 1, 1, 1, 1);
    SnWorld* world = make_world(sn_default_world_def());
    body.mesh = mesh, body.shelf = true, body.name = "far";
    check_ok(sn_world_add_body(world, &body, NULL));
    SnPose pose = {.shift = {2e20, 0, 0}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    uint64_t before = sn_world_hash(world);
    check_fails(sn_world_place_body(world, 0, &pose, NULL), SN_ERROR_VALUE,
                "its new pose is no rotation with a shift of numbers");
    check(sn_world_hash(world) == before);
    pose.shift[0] = 1;
    check_ok(sn_world_place_body(world, 0, &pose, NULL));
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

// A modulus that varies has no one number to be changed.
static void test_stiffness_that_varies(void** state)
{
    (void)state;
    double scale[6] = {1, 1, 2, 1, 1, 3};
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh = make_box(1, 1, 1, 1, 1, 1);
    SnWorld* world = make_world(sn_default_world_def());
    body.mesh = mesh, body.young_scale = scale, body.name = "mixed";
    check_ok(sn_world_add_body(world, &body, NULL));
    check_fails(sn_world_set_stiffness(world, 0, 1e5, 0.3), SN_ERROR_VALUE, "body 'mixed' varies from element");
    check_ok(sn_world_step(world, NULL));
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

static void test_probes_of_nothing(void** state)
{
    (void)state;
    SnWorld* world = make_world(sn_default_world_def());
    SnMesh *rope, *lone;
    // Node 3 belongs to no element.
    SnMeshDef def = sn_default_mesh_def();
    def.node_count = 5, def.nodes = (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 3, 3, 3, 0, 0, 1};
    def.tetrahedron_count = 1, def.tetrahedra = (int[]){0, 1, 2, 4};
    check_ok(sn_mesh_create(&def, &lone));
    check_ok(sn_mesh_make_rope(1, 4, &rope));
    add_body(world, rope, sn_material("spring", 1e5, 0, 1000), NULL, NULL);
    add_body(world, lone, sn_material("neo-hookean", 1e5, 0.3, 1000), NULL, NULL);
    SnProbeDef probe = sn_default_probe_def("area");
    probe.where.body = 0;
    check_fails(sn_world_add_probe(world, &probe, NULL), SN_ERROR_VALUE, "made of edges and has no area");
    probe = sn_default_probe_def("stress");
    probe.where.body = 1, probe.where.nodes = (int[]){3}, probe.where.node_count = 1;
    check_fails(sn_world_add_probe(world, &probe, NULL), SN_ERROR_VALUE, "the field 'stress' where body",
                "no elements");
    check(sn_world_value_count(world) == 0);
    sn_world_destroy(world);
}

// Middles of edges drawn to one side: none of the linear elements between the nodes is inside out, but one is at the
// point nearest to a corner.
static void test_curved_too_much(void** state)
{
    (void)state;
    SnBodyDef body = sn_default_body_def();
    SnMesh *box = make_box(1, 1, 1, 1, 1, 1), *raised;
    check_ok(sn_mesh_raise(box, &raised));
    SnWorld* world = make_world(sn_default_world_def());
    body.mesh = raised, body.element = SN_ELEMENT_QUADRATIC;
    double* x = sn_mesh_nodes(raised);
    for (int i = 3 * 8; i < 3 * sn_mesh_node_count(raised); i += 3) x[i] = x[i] == 1 ? 0.8 : x[i] == 0.5 ? 0.02 : x[i];
    check_fails(sn_world_add_body(world, &body, NULL), SN_ERROR_VALUE, "inside out or flat at one of its points",
                "too curved");
    for (int i = 3 * 8; i < 3 * sn_mesh_node_count(raised); i += 3) x[i] = x[i] == 0.8 ? 1 : x[i] == 0.02 ? 0.45 : x[i];
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(box), sn_mesh_destroy(raised);
    sn_world_destroy(world);
}

static void test_rate_of_frames(void** state)
{
    (void)state;
    SnWorld* world = make_world(sn_default_world_def());
    SnMesh* mesh = make_box(1, 1, 1, 1, 1, 1);
    const SnMesh* frames[] = {mesh, mesh};
    SnObstacleDef def = sn_default_obstacle_def();
    def.shape = sn_obstacle("mesh");
    def.shape.frames = frames, def.shape.frame_count = 2;
    const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        def.shape.frame_rate = bad[i];
        check_fails(sn_world_add_obstacle(world, &def, NULL), SN_ERROR_VALUE, "mesh rate is", "positive");
    }
    def.shape.frame_rate = 24;
    check_ok(sn_world_add_obstacle(world, &def, NULL));
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

// What processes cannot share yet.
static void test_what_is_not_distributed(void** state)
{
    (void)state;
    static const char* const words[] = {"elements other than `linear`", "on the shelf", "actuators are not",
                                        "loads of type volume are not"};
    for (int k = 0; k < 4; k++) {
        SnBodyDef body = sn_default_body_def();
        SnActuatorDef actuator = sn_default_actuator_def("heat");
        SnLoadDef load = sn_default_load_def("volume");
        SnMesh* mesh = make_box(1, 1, 1, 2, 2, 2);
        SnWorld* world = make_world(sn_default_world_def());
        body.mesh = mesh, body.name = "one", body.shelf = k == 1;
        if (k == 0) body.element = SN_ELEMENT_LINEAR_BBAR;
        actuator.heat = 10, load.volume = 1.1;
        check_ok(sn_world_add_body(world, &body, NULL));
        if (k == 2) check_ok(sn_world_add_actuator(world, &actuator, NULL));
        if (k == 3) check_ok(sn_world_add_load(world, &load, NULL));
        check_fails(sn_world_check_divisible(world), SN_ERROR_UNSUPPORTED, words[k], "distributed yet");
        sn_mesh_destroy(mesh);
        sn_world_destroy(world);
    }
}

// A wind that would like to change the world that it blows in.
typedef struct Meddler {
    SnWorld* world;
    int refused, done; // calls
} Meddler;

static void meddle(Meddler* m)
{
    static const SnPose pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    SnWorld* w = m->world;
    SnBodyDef body = sn_default_body_def();
    SnHandleDef handle = sn_default_handle_def();
    SnObstacleDef obstacle = sn_default_obstacle_def();
    SnLoadDef load = sn_default_load_def("force");
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    SnContactPairDef pair = sn_default_contact_pair_def();
    SnPick pick = {.weights = {1, 0, 0}};
    int n;
    SnStatus all[] = {sn_world_step(w, NULL),
                      sn_world_measure(w, &(SnStepReport){0}),
                      sn_world_set_gravity(w, (double[3]){0}),
                      sn_world_set_positions(w, sn_world_positions(w)),
                      sn_world_set_velocities(w, sn_world_velocities(w)),
                      sn_world_set_time_step(w, 1),
                      sn_world_set_stiffness(w, 0, 1, 0),
                      sn_world_set_material(w, 0, "young", 1),
                      sn_world_set_damping(w, 0, 0, "beta", 1),
                      sn_world_set_solver(w, "newton"),
                      sn_world_set_integrator(w, "bdf2"),
                      sn_world_set_friction(w, -1, 1),
                      sn_world_set_load(w, 0, 0),
                      sn_world_set_actuator(w, 0, 0),
                      sn_world_add_body(w, &body, NULL),
                      sn_world_remove_body(w, 0),
                      sn_world_place_body(w, 0, &pose, NULL),
                      sn_world_add_obstacle(w, &obstacle, NULL),
                      sn_world_remove_obstacle(w, 0),
                      sn_world_place_obstacle(w, 0, &pose),
                      sn_world_move_obstacle(w, 0, &pose),
                      sn_world_shape_obstacle(w, 0, sn_world_positions(w)),
                      sn_world_add_handle(w, &handle, NULL),
                      sn_world_hold(w, 0, &(int){0}, 1, &n),
                      sn_world_move_handle(w, 0, sn_world_positions(w)),
                      sn_world_pose_handle(w, 0, &pose),
                      sn_world_release_handle(w, 0),
                      sn_world_grab(w, &pick, 0, &n),
                      sn_world_drag(w, 0, (double[3]){0}),
                      sn_world_let_go(w, 0),
                      sn_world_add_load(w, &load, NULL),
                      sn_world_add_damping(w, 0, &damping, NULL),
                      sn_world_add_contact_pair(w, &pair),
                      sn_world_release_attachment(w, 0),
                      sn_world_release_slide(w, 0),
                      sn_world_sleep(w, 0),
                      sn_world_wake(w, -1),
                      sn_world_note_changes(w, true),
                      sn_world_apply(w, &(SnEvent){.kind = "wake"}),
                      sn_world_restore_state(w, &n, sizeof n)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        m->refused += all[i] == SN_ERROR_VALUE, m->done += all[i] == SN_OK;
    check(strstr(sn_last_error(), "in the middle of a step") != NULL);
}

static void blow(void* user, double time, const double x[3], double w[3])
{
    Meddler* m = user;
    (void)time, (void)x;
    if (m->world) meddle(m);
    w[0] = 1, w[1] = w[2] = 0;
}

static void test_changes_from_within(void** state)
{
    (void)state;
    Meddler meddlers[2] = {{0}, {0}};
    SnWorld* worlds[2];
    for (int k = 0; k < 2; k++) {
        SnLoadDef wind = sn_default_load_def("wind");
        worlds[k] = make_other(2, 0.01, true, false);
        if (k == 1) meddlers[k].world = worlds[k];
        wind.field = blow, wind.user = &meddlers[k];
        check_ok(sn_world_add_load(worlds[k], &wind, NULL));
        for (int i = 0; i < 3; i++) check_ok(sn_world_step(worlds[k], NULL));
    }
    check(meddlers[1].refused >= 40 && meddlers[1].refused % 40 == 0 && meddlers[1].done == 0);
    check(sn_world_hash(worlds[0]) == sn_world_hash(worlds[1]));
    check_ok(sn_world_set_gravity(worlds[1], (double[3]){0})); // when it is over
    sn_world_destroy(worlds[0]), sn_world_destroy(worlds[1]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_states_of_others),        cmocka_unit_test(test_too_late_or_too_far),
    cmocka_unit_test(test_stiffness_that_varies),   cmocka_unit_test(test_probes_of_nothing),
    cmocka_unit_test(test_curved_too_much),         cmocka_unit_test(test_rate_of_frames),
    cmocka_unit_test(test_what_is_not_distributed), cmocka_unit_test(test_tied_to_nothing),
    cmocka_unit_test(test_placed_too_far),          cmocka_unit_test(test_changes_from_within),
};
RUN_TESTS(tests, NULL, NULL)
