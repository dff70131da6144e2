// Live sessions at random, with every kind of change that there is, into run files: who makes them again, with another
// number of threads, from the start, from a state in between or from a checkpoint of the file, comes to the same bits.
#include <sinew/actuator.h>
#include <sinew/load.h>
#include <sinew/run.h>
#include <stdio.h>

#include "archive/again.h"
#include "archive/run_file.h"
#include "linalg/vec3.h"
#include "mesh/mesh.h"
#include "moments.h"
#include "world/event.h"

enum { SIDE = 3, STEPS = 24, MOST_KINDS = 64 };
#define EDGE 0.4 // m

static const char* const integrators[] = {"backward-euler", "bdf2", "trapezoidal", "tr-bdf2"};
static const char* const solvers[] = {"auto", "newton", "lbfgs", "dot"};
static const char surface_text[] = "v 0 0 0 1 0 0\nv 0.4 0 0 0 1 0\nv 0.4 0.4 0 0 0 1\nv 0 0.4 0 1 1 0\n"
                                   "v 0 0 0.4 1 0 1\nv 0.4 0 0.4 0 1 1\nv 0.4 0.4 0.4 1 1 1\nv 0 0.4 0.4 0 0 0\n"
                                   "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 -1\nvn 0 0 1\ng lower\nusemtl red\ns 1\n"
                                   "f 1/1/1 4/2/1 3/3/1 2/4/1\nf 1/1 2/2 6/3 5/4\nf 2 3 7 6\ng upper\nusemtl blue\n"
                                   "s off\nf 3 4 8 7\nf 4 1 5 8\nf 5/1/2 6/2/2 7/3/2 8/4/2\n";
static const char* const ghost[] = {"ghost"};

typedef struct Dice {
    SnRandom random;
    int bodies, obstacles, acts; // that were added: these, loads, actuators and dampings
    int next;                    // whose turn it is of all changes
} Dice;

static double roll(Dice* d, double least, double most)
{
    return sn_random_uniform(&d->random, least, most);
}

static int pick(Dice* d, int count)
{
    return count > 0 ? (int)roll(d, 0, count) : 0;
}

static SnPose at(double x, double y, double z)
{
    return (SnPose){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {x, y, z}};
}

static SnMesh* cube(double x, double y)
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[3]){EDGE, EDGE, EDGE}, (int[3]){SIDE - 1, SIDE - 1, SIDE - 1}, &mesh));
    for (int i = 0; i < mesh->node_count; i++) mesh->nodes[3 * i] += x, mesh->nodes[3 * i + 1] += y;
    return mesh;
}

static void add_cube(SnWorld* world, double x, double y, bool shelf)
{
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    SnBodyDef def = sn_default_body_def();
    SnMesh* mesh = cube(x, y);
    damping.beta = 0.02;
    def.mesh = mesh, def.material = sn_material("neo-hookean", 3e4, 0.3, 200), def.shelf = shelf;
    def.damping = &damping, def.damping_count = 1;
    if (shelf) def.contact.groups = ghost, def.contact.group_count = 1;
    check_ok(sn_world_add_body(world, &def, NULL));
    sn_mesh_destroy(mesh);
}

static SnMesh* plate(double top)
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[3]){3, 0.2, 3}, (int[3]){1, 1, 1}, &mesh));
    for (int i = 0; i < mesh->node_count; i++)
        mesh->nodes[3 * i] -= 1, mesh->nodes[3 * i + 1] += top - 0.2, mesh->nodes[3 * i + 2] -= 1;
    return mesh;
}

static SnWorld* make_world(uint64_t seed, int threads)
{
    SnWorldDef def = sn_default_world_def();
    SnObstacleDef floor = sn_default_obstacle_def();
    SnLoadDef load = sn_default_load_def("force");
    SnContactPairDef pair = sn_default_contact_pair_def();
    SnMesh* mesh = plate(-0.2);
    SnWorld* world;
    def.time_step = 1.0 / 60, def.integrator = integrators[seed % 4], def.threads = threads;
    def.solver.type = solvers[seed / 4 % 4], def.solver.tolerance = 1e-3, def.contact.bodies = true;
    if (seed % 3 == 0) def.sleep.speed = 0.05, def.sleep.after = 0.05;
    check_ok(sn_world_create(&def, &world));
    add_cube(world, 0, 0.01, false), add_cube(world, 0, EDGE + 0.05, false), add_cube(world, 0, 0, true);
    floor.friction = 0.3;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    floor.shape = sn_obstacle("mesh"), floor.shape.frames = (const SnMesh*[]){mesh}, floor.shape.frame_count = 1;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    load.body = 0, load.vector[0] = 3;
    check_ok(sn_world_add_load(world, &load, NULL));
    pair.between[0] = "ghost", pair.between[1] = "all", pair.friction = 0.7;
    check_ok(sn_world_add_contact_pair(world, &pair));
    sn_mesh_destroy(mesh);
    return world;
}

// --- What may be done; much of it is refused, as it would be ---

static int body_of(SnWorld* world, Dice* d)
{
    return pick(d, sn_world_body_count(world));
}

static void gravity(SnWorld* world, Dice* d)
{
    (void)sn_world_set_gravity(world, (double[3]){roll(d, -1, 1), roll(d, -12, -6), 0});
}

static void change_nodes(SnWorld* world, Dice* d, bool places)
{
    int count = 3 * sn_world_node_count(world);
    double* values = malloc((size_t)count * sizeof *values);
    memcpy(values, places ? sn_world_positions(world) : sn_world_velocities(world), (size_t)count * sizeof *values);
    for (int i = 0; i < 3 * SIDE * SIDE * SIDE; i++) values[i] += (i % 3 == 0 ? 1 : 0) * roll(d, 0.001, 0.002);
    (void)(places ? sn_world_set_positions(world, values) : sn_world_set_velocities(world, values));
    free(values);
}

static void positions(SnWorld* world, Dice* d)
{
    change_nodes(world, d, true);
}

static void velocities(SnWorld* world, Dice* d)
{
    change_nodes(world, d, false);
}

static void time_step(SnWorld* world, Dice* d)
{
    (void)sn_world_set_time_step(world, roll(d, 0.01, 0.02));
}

static void grab(SnWorld* world, Dice* d)
{
    SnPick found;
    int given;
    check_ok(sn_world_pick(world, (double[3]){roll(d, 0, EDGE), 5, roll(d, 0, EDGE)}, (double[3]){0, -1, 0}, &found));
    if (found.body >= 0) (void)sn_world_grab(world, &found, 0, &given);
}

static void drag(SnWorld* world, Dice* d)
{
    (void)sn_world_drag(world, pick(d, 2), (double[3]){roll(d, -1, 1), roll(d, 0.5, 1.5), 0});
}

static void let_go(SnWorld* world, Dice* d)
{
    (void)sn_world_let_go(world, pick(d, 2));
}

static void hold(SnWorld* world, Dice* d)
{
    int given;
    (void)sn_world_hold(world, body_of(world, d), (int[]){pick(d, 8), 9, 13}, 3, &given);
}

static void move_handle(SnWorld* world, Dice* d)
{
    double places[9];
    for (int i = 0; i < 9; i++) places[i] = sn_world_positions(world)[3 * 9 + i % 3] + roll(d, 0, 0.02);
    (void)sn_world_move_handle(world, 0, places);
}

static void release_handle(SnWorld* world, Dice* d)
{
    (void)sn_world_release_handle(world, pick(d, 3));
}

static void move_obstacle(SnWorld* world, Dice* d)
{
    SnPose pose = at(roll(d, -0.05, 0.05), roll(d, -0.05, 0.02), 0);
    (void)sn_world_move_obstacle(world, pick(d, sn_world_obstacle_count(world)), &pose);
}

static void stiffness(SnWorld* world, Dice* d)
{
    (void)sn_world_set_stiffness(world, body_of(world, d), roll(d, 2e4, 5e4), roll(d, 0.2, 0.4));
}

static void friction(SnWorld* world, Dice* d)
{
    (void)sn_world_set_friction(world, pick(d, sn_world_obstacle_count(world) + 1) - 1, roll(d, 0, 0.6));
}

static void set_load(SnWorld* world, Dice* d)
{
    (void)sn_world_set_load(world, 0, roll(d, 0, 2));
}

static void remove_body(SnWorld* world, Dice* d)
{
    (void)sn_world_remove_body(world, body_of(world, d));
}

static void place_body(SnWorld* world, Dice* d)
{
    SnPose pose = at(roll(d, -1, 1), roll(d, 1, 2), roll(d, -1, 1));
    (void)sn_world_place_body(world, body_of(world, d), &pose, (double[3]){0, -1, 0});
}

static void set_solver(SnWorld* world, Dice* d)
{
    (void)sn_world_set_solver(world, solvers[pick(d, 4)]);
}

static void set_integrator(SnWorld* world, Dice* d)
{
    (void)sn_world_set_integrator(world, integrators[pick(d, 4)]);
}

static void material(SnWorld* world, Dice* d)
{
    (void)sn_world_set_material(world, body_of(world, d), "density", roll(d, 150, 250));
}

static void damping(SnWorld* world, Dice* d)
{
    (void)sn_world_set_damping(world, body_of(world, d), 0, "beta", roll(d, 0, 0.05));
}

static void shape_obstacle(SnWorld* world, Dice* d)
{
    SnMesh* mesh;
    int number = 1 + pick(d, sn_world_obstacle_count(world) - 1);
    check_ok(sn_world_obstacle_surface(world, number, 1, &mesh));
    if (mesh) mesh->nodes[1] += roll(d, -0.02, 0);
    if (mesh) (void)sn_world_shape_obstacle(world, number, mesh->nodes);
    sn_mesh_destroy(mesh);
}

static void remove_obstacle(SnWorld* world, Dice* d)
{
    (void)sn_world_remove_obstacle(world, 1 + pick(d, sn_world_obstacle_count(world) - 1));
}

static void place_obstacle(SnWorld* world, Dice* d)
{
    SnPose pose = at(roll(d, -1, 1), roll(d, -0.5, 0.5), roll(d, -1, 1));
    (void)sn_world_place_obstacle(world, pick(d, sn_world_obstacle_count(world)), &pose);
}

static void add_handle(SnWorld* world, Dice* d)
{
    SnHandleDef def = sn_default_handle_def();
    int nodes[] = {20 + pick(d, 6)};
    def.body = body_of(world, d), def.nodes = nodes, def.node_count = 1, def.how = (SnHold)pick(d, 2);
    def.motion.velocity[1] = 0.1, def.motion.release = 0.1;
    (void)sn_world_add_handle(world, &def, NULL);
}

static void attach(SnWorld* world, Dice* d)
{
    SnAttachmentDef def = sn_default_attachment_def();
    def.from = (SnPlaceDef){1, (int[]){pick(d, 9)}, 1}, def.to.body = 0, def.close = 0.2;
    (void)sn_world_add_attachment(world, &def, NULL);
}

static void release_attachment(SnWorld* world, Dice* d)
{
    (void)sn_world_release_attachment(world, pick(d, 2));
}

static void slide(SnWorld* world, Dice* d)
{
    SnSlideDef def = sn_default_slide_def();
    def.body = 1, def.nodes = (int[]){18 + pick(d, 9)}, def.node_count = 1, def.on_obstacle = 0;
    (void)sn_world_add_slide(world, &def, NULL);
}

static void release_slide(SnWorld* world, Dice* d)
{
    (void)sn_world_release_slide(world, pick(d, 2));
}

static void fall_asleep(SnWorld* world, Dice* d)
{
    (void)sn_world_sleep(world, body_of(world, d));
}

static void wake(SnWorld* world, Dice* d)
{
    (void)sn_world_wake(world, body_of(world, d) - 1);
}

// With all that a body may have.
static void add_body(SnWorld* world, Dice* d)
{
    static const double points[][2] = {{0.5, -1}, {1, 0}, {2, 2}}, factors[][2] = {{0.5, 2}, {1, 1}, {2, 3}};
    SnBodyDef def = sn_default_body_def();
    SnDampingDef dampings[2] = {sn_default_damping_def("rayleigh"), sn_default_damping_def("spline")};
    SnMaterial hard = sn_material("spline", 6e4, 0.3, 300);
    SnMesh *mesh, *skin = NULL;
    int of[6 * 8], kind = pick(d, 4);
    if (d->bodies > 2) return; // time
    mesh = cube(roll(d, -2, 2), roll(d, 1.5, 3));
    for (int i = 0; i < 48; i++) of[i] = i % 2 - 1;
    def.mesh = mesh, def.material = sn_material("neo-hookean", 3e4, 0.3, 200), def.element = SN_ELEMENT_AUTO;
    if (kind == 0) {
        def.material = sn_material("spline", 3e4, 0.3, 200);
        def.material.spline.a = (SnCurve){3, points[0]};
        hard.spline = def.material.spline;
        def.regions = &hard, def.region_count = 1, def.region_of_element = of;
    }
    if (kind == 1) {
        SnMesh* raised;
        check_ok(sn_mesh_raise(mesh, &raised));
        sn_mesh_destroy(mesh);
        def.mesh = mesh = raised, def.element = SN_ELEMENT_QUADRATIC;
    }
    if (kind == 2) {
        check_ok(sn_mesh_load(in_folder("surface.obj"), &skin));
        for (int i = 0; i < skin->node_count; i++)
            for (int c = 0; c < 3; c++) skin->nodes[3 * i + c] += mesh->nodes[c];
        def.skin = skin, def.skin_weights = (SnSkinWeights)pick(d, 2);
        def.contact.skin = def.skin_weights == SN_SKIN_LINEAR;
    }
    dampings[0].beta = 0.01, dampings[1].base = "rayleigh", dampings[1].beta = 0.01;
    dampings[1].curve = (SnCurve){3, factors[0]};
    if (kind == 3) def.contact.groups = ghost, def.contact.group_count = 1, def.damping = dampings;
    def.damping_count = kind == 3 ? 2 : 0;
    d->bodies += sn_world_add_body(world, &def, NULL) == SN_OK;
    sn_mesh_destroy(mesh), sn_mesh_destroy(skin);
}

static void make_shape(Dice* d, SnMesh* frames[2], SnObstacleDef* def)
{
    static const char* const types[] = {"sphere", "box",  "capsule", "cylinder", "torus",
                                        "plane",  "mesh", "mesh",    "terrain",  "terrain"};
    static const double heights[6] = {0, 0.2, 0.1, 0.3, 0, 0.2};
    int kind = pick(d, 10);
    double x = roll(d, -1.5, 1.5), y = roll(d, -1.5, -0.6), z = roll(d, -1, 1);
    SnObstacleShape* s = &def->shape;
    *s = sn_obstacle(types[kind]);
    memcpy(s->point, (double[3]){x, y, z}, sizeof s->point);
    s->to[0] = x + 0.3, s->to[1] = y, s->to[2] = z, s->radius = 0.2, s->tube = 0.05;
    if (kind == 1) s->size[0] = s->size[1] = s->size[2] = 0.3, s->rotate[3] = roll(d, 0, 1);
    if (kind == 6) s->mesh = frames[0];
    if (kind == 7) s->frames = (const SnMesh* const*)frames, s->frame_count = 2, s->frame_rate = 3, s->repeat = true;
    if (kind >= 8) s->size[0] = s->size[2] = 3;
    if (kind == 8) s->heights = heights, s->columns = 3, s->rows = 2;
    if (kind == 9) s->height_map = in_folder("hills.pgm");
}

static void add_obstacle(SnWorld* world, Dice* d)
{
    static const SnKeyframe keys[] = {{0, {0, 0, 0}}, {0.3, {0.1, 0, 0}}};
    SnObstacleDef def = sn_default_obstacle_def();
    SnMesh* frames[2] = {plate(roll(d, -1.5, -0.5)), NULL};
    frames[1] = plate(frames[0]->nodes[1] + 0.15);
    if (d->obstacles > 5) def.shelf = true; // as many as are wanted are about
    make_shape(d, frames, &def);
    def.friction = roll(d, 0, 0.5), def.groups = ghost, def.group_count = pick(d, 2);
    def.motion.velocity[0] = roll(d, -0.2, 0.2), def.motion.rotate_axis[1] = 1, def.motion.rotate_rate = 0.3;
    def.motion.keyframes = keys, def.motion.keyframe_count = 2 * pick(d, 2);
    d->obstacles += sn_world_add_obstacle(world, &def, NULL) == SN_OK;
    sn_mesh_destroy(frames[0]), sn_mesh_destroy(frames[1]);
}

static bool is_enough(Dice* d)
{
    return ++d->acts > 12; // time
}

// Of all kinds, weak ones.
static void add_load(SnWorld* world, Dice* d)
{
    static const char* const types[] = {"force", "force", "traction", "torque", "pressure", "gas", "volume", "wind"};
    static const double ramp[][2] = {{0, 0}, {0.1, 1}, {0.2, 0.5}};
    int kind = pick(d, 8), nodes[9];
    SnLoadDef def = sn_default_load_def(types[kind]);
    if (is_enough(d)) return;
    for (int i = 0; i < 9; i++) nodes[i] = i;
    def.body = body_of(world, d), def.ramp = (SnCurve){3 * pick(d, 2), ramp[0]};
    for (int c = 0; c < 3; c++) def.vector[c] = roll(d, -3, 3);
    if (kind == 0) def.nodes = nodes, def.node_count = 9;
    if (kind == 1) memcpy(def.at, (double[3]){0.1, EDGE, 0.1}, sizeof def.at);
    def.pressure = 20, def.gas = 20, def.volume = 1.01, def.gust = 0.3, def.length = 1;
    (void)sn_world_add_load(world, &def, NULL);
}

static void add_actuator(SnWorld* world, Dice* d)
{
    static const double ramp[][2] = {{0, 0}, {0.1, 1}};
    SnActuatorDef def = sn_default_actuator_def(pick(d, 2) ? "growth" : "heat");
    if (is_enough(d)) return;
    def.body = body_of(world, d), def.ramp = (SnCurve){2 * pick(d, 2), ramp[0]};
    def.growth[pick(d, 3)] = roll(d, 0, 0.03), def.heat = 10, def.expansion = roll(d, 0, 1e-3);
    if (pick(d, 2)) def.elements = (int[]){3, 4, 9}, def.element_count = 3;
    (void)sn_world_add_actuator(world, &def, NULL);
}

static void set_actuator(SnWorld* world, Dice* d)
{
    (void)sn_world_set_actuator(world, pick(d, 2), roll(d, 0, 2));
}

// Also those that keep numbers of elements.
static void add_damping(SnWorld* world, Dice* d)
{
    static const double factors[][2] = {{0.5, 2}, {1, 1}, {2, 3}};
    static const char* const types[] = {"rayleigh", "spline", "power-law", "fast-power-law", "drag"};
    SnDampingDef def = sn_default_damping_def(types[pick(d, 5)]);
    if (is_enough(d)) return;
    def.beta = roll(d, 0, 0.02), def.exponent = 0.5, def.strength = 10, def.shear = 5, def.bulk = 5, def.drag = 0.1;
    if (strcmp(def.type, "spline") == 0) def.base = "rayleigh", def.curve = (SnCurve){3, factors[0]};
    if (pick(d, 2)) def.elements = (int[]){1, 2, 8}, def.element_count = 3;
    (void)sn_world_add_damping(world, body_of(world, d), &def, NULL);
}

// Two that are not to touch may cross, and are refused when they are to touch again.
static void contact_pair(SnWorld* world, Dice* d)
{
    SnContactPairDef def = sn_default_contact_pair_def();
    SnBodyInfo info;
    check_ok(sn_world_body(world, body_of(world, d), &info));
    def.between[0] = info.name, def.between[1] = pick(d, 2) ? "ghost" : "all";
    def.touch = pick(d, 3) - 1;
    if (def.touch < 0 || pick(d, 2)) def.friction = roll(d, 0, 0.8);
    (void)sn_world_add_contact_pair(world, &def);
}

typedef void Change(SnWorld* world, Dice* d);
static Change* const changes[] = {
    gravity,        positions,          velocities,     time_step,      grab,          drag,          let_go,
    hold,           move_handle,        release_handle, stiffness,      move_obstacle, friction,      set_load,
    remove_body,    place_body,         set_solver,     set_integrator, material,      damping,       add_handle,
    shape_obstacle, remove_obstacle,    place_obstacle, attach,         slide,         release_slide, fall_asleep,
    wake,           release_attachment, add_body,       add_body,       add_obstacle,  add_obstacle,  add_load,
    add_load,       add_actuator,       set_actuator,   add_damping,    place_body,    contact_pair,
};
enum { CHANGES = sizeof changes / sizeof *changes };

// --- Recorded, and made again ---

typedef struct Recorded {
    int64_t middle;
    void* state; // of the middle
    size_t size;
    uint64_t hash; // of the end
} Recorded;

// Each step has one, as one can go back to it then.
static bool has_frames(uint64_t seed)
{
    return seed % 5 != 0;
}

// What is done before a step: something, at random or in turn.
typedef void Act(SnWorld* world, Dice* d, int step);
static void anything(SnWorld* world, Dice* d, int step)
{
    (void)step;
    for (int k = pick(d, 5); k > 0; k--) changes[pick(d, 2) ? pick(d, CHANGES) : d->next++ % CHANGES](world, d);
}

// A body that is held has the floor, which is told to come up, wait below it; told to go elsewhere, it waits there.
static void jam(SnWorld* world, Dice* d, int step)
{
    int nodes[SIDE * SIDE * SIDE], given;
    SnPose up = at(0, 0.5, 0), further = at(0.1, 0.9, 0);
    (void)d;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) nodes[i] = i;
    if (step == 2) check_ok(sn_world_hold(world, 0, nodes, SIDE * SIDE * SIDE, &given));
    if (step == 4) check_ok(sn_world_move_obstacle(world, 0, &up));
    if (step == 9) check_ok(sn_world_move_obstacle(world, 0, &further));
    if (step >= 9) check(world->state.lag > 0);
}

static void record(uint64_t seed, const char* path, Act* act, Recorded* recorded)
{
    SnRunOptions options = sn_default_run_options();
    SnWorld* world = make_world(seed, 2);
    Dice d = {{seed}, 0, 0, 0, 7 * (int)seed};
    SnRunFile* run;
    options.compress = seed % 2, options.checkpoints = true;
    check_ok(sn_run_file_create(path, world, &options, &run));
    recorded->middle = 3 + pick(&d, STEPS - 6);
    for (int step = 0; step < STEPS; step++) {
        SnStepReport report;
        act(world, &d, step);
        if (step == recorded->middle) {
            recorded->size = sn_world_state_size(world), recorded->state = malloc(recorded->size);
            check_ok(sn_world_save_state(world, recorded->state, recorded->size));
        }
        check_ok(sn_world_step(world, &report));
        check(isfinite(report.energy.kinetic) && isfinite(report.energy.elastic) && report.crossings == 0);
        check_ok(sn_run_file_add_step(run, &report));
        if (has_frames(seed) || step % 3 != 1 || step + 1 == STEPS) check_ok(sn_run_file_write_frame(run, world));
    }
    recorded->hash = sn_world_hash(world);
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
}

static void fail_otherwise(uint64_t seed, SnRunFile* run, int frame)
{
    const SnEvent* events;
    int count;
    check_ok(sn_run_file_read_events(run, -1, &events, &count));
    for (int i = 0; i < count && events[i].step < sn_run_file_frame_step(run, frame); i++)
        print_message("after step %d: %s %d, %d numbers\n", (int)events[i].step, events[i].kind, events[i].target,
                      events[i].count);
    fail_msg("seed %d: frame %d, of step %d, came out otherwise", (int)seed, frame,
             (int)sn_run_file_frame_step(run, frame));
}

static void compare_frame(uint64_t seed, SnRunFile* run, int frame, const SnWorld* world)
{
    int count = 3 * sn_run_file_node_count(run);
    double* values = malloc(2 * (size_t)count * sizeof *values);
    size_t size = 3 * (size_t)sn_world_node_count(world) * sizeof *values;
    check_ok(sn_run_file_read_frame(run, frame, values, values + count));
    if (memcmp(values, sn_world_positions(world), size) || memcmp(values + count, sn_world_velocities(world), size))
        fail_otherwise(seed, run, frame);
    for (int k = 0; k < sn_world_obstacle_count(world); k++) {
        SnObstacleInfo info;
        SnPose pose;
        check_ok(sn_world_obstacle(world, k, &info));
        check_ok(sn_run_file_read_obstacle(run, frame, k, &pose, NULL));
        check(info.out ? pose.rotation[0] == 0 && pose.rotation[4] == 0
                       : memcmp(pose.shift, info.pose.shift, sizeof pose.shift) == 0);
    }
    for (int k = sn_world_obstacle_count(world); k < sn_run_file_obstacle_count(run); k++) {
        SnPose pose; // it has not come yet
        check_ok(sn_run_file_read_obstacle(run, frame, k, &pose, NULL));
        check(pose.rotation[0] == 0 && pose.rotation[4] == 0 && pose.rotation[8] == 0);
    }
    free(values);
}

// By one thread, from the start; resumed: from a state in the middle, which must be where it has come to itself.
static void make_again(uint64_t seed, const char* path, const Recorded* recorded, bool resumed, int seen[MOST_KINDS])
{
    SnWorld* world = make_world(seed, resumed ? 2 : 1);
    SnRunFile* run;
    const SnEvent* events;
    int count, next = 0, frame = 1;
    check_ok(sn_run_file_open(path, &run));
    check_ok(sn_run_file_read_events(run, -1, &events, &count));
    for (int step = 0; step < STEPS; step++) {
        for (; next < count && events[next].step <= step; next++) {
            check_ok(sn_world_apply(world, &events[next]));
            for (int k = 0; sn_event_kind(k); k++) seen[k] += strcmp(sn_event_kind(k)->name, events[next].kind) == 0;
        }
        if (resumed && step == recorded->middle)
            check_ok(sn_world_restore_state(world, recorded->state, recorded->size));
        check_ok(sn_world_step(world, NULL));
        if (sn_run_file_frame_step(run, frame) == step + 1) compare_frame(seed, run, frame++, world);
    }
    check(next == count && frame == sn_run_file_frame_count(run) && sn_world_hash(world) == recorded->hash);
    check(sn_world_obstacle_count(world) == sn_run_file_obstacle_count(run));
    check(sn_world_body_count(world) == sn_run_file_body_count(run));
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
}

// The newest checkpoint up to a step, and its own.
static int64_t checkpoint_at(SnRunFile* run, int64_t latest, int64_t* newest)
{
    int64_t step;
    check_ok(sn_run_file_find_checkpoint(run, latest, &step));
    if (newest) *newest = step;
    return step;
}

// From a checkpoint to the end, in a file that goes on from there; whatever was made comes out again.
static void go_on(uint64_t seed, const char* path, int64_t from, const Recorded* recorded, bool whole)
{
    const char* copy = in_folder("copy.run");
    SnAgain again = {.world = make_world(seed, 1)};
    SnStepReport now;
    SnRunFile* made;
    int64_t at;
    check_ok(sn_run_file_open(path, &again.run));
    check_ok(sn_again_start(&again, NULL, NULL));
    check_ok(sn_again_jump(&again, from, &at));
    check(at == from);
    compare_frame(seed, again.run, (int)from, again.world);
    check_ok(sn_run_file_copy(again.run, from, copy, &made));
    check(sn_run_file_frame_count(made) == from + 1);
    check(sn_run_file_body_count(made) == sn_world_body_count(again.world));
    check(sn_run_file_obstacle_count(made) == sn_world_obstacle_count(again.world));
    check_ok(sn_world_note_changes(again.world, true));
    again.made = made;
    for (now.step = from; now.step < STEPS;) {
        check_ok(sn_again_step(&again, &now));
        check_ok(sn_run_file_write_frame(made, again.world));
        compare_frame(seed, again.run, (int)now.step, again.world);
    }
    check(sn_world_hash(again.world) == recorded->hash);
    for (int64_t a = INT64_MAX, b = INT64_MAX; a > 0;) // it keeps the same ones
        check(checkpoint_at(again.run, a - 1, &a) == checkpoint_at(made, b - 1, &b));
    check_ok(sn_run_file_close(made));
    sn_run_file_destroy(again.run);
    sn_world_destroy(again.world);
    int seen[MOST_KINDS] = {0};
    if (whole) make_again(seed, copy, recorded, false, seen);
}

// From each checkpoint that there is; how many stayed.
static int go_back(uint64_t seed, const char* path, const Recorded* recorded)
{
    SnRunFile* run;
    int64_t at = INT64_MAX;
    int count = 0;
    check_ok(sn_run_file_open(path, &run));
    for (; checkpoint_at(run, at - 1, &at) > 0; count++) go_on(seed, path, at, recorded, count == 1);
    check_ok(sn_run_file_close(run));
    return count;
}

static void write_text(const char* name, const char* text)
{
    FILE* file = fopen(in_folder(name), "w");
    check(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

// SINEW_SESSIONS=first,count: others, and more of them.
static void test_sessions(void** unused)
{
    (void)unused;
    int seen[MOST_KINDS] = {0}, first = 1, count = 12, stayed = 0;
    const char* more = getenv("SINEW_SESSIONS");
    if (more) check(sscanf(more, "%d,%d", &first, &count) == 2);
    write_text("surface.obj", surface_text);
    write_text("hills.pgm", "P2\n3 2\n255\n0 50 25\n75 0 50\n");
    for (int seed = first; seed < first + count; seed++) {
        Recorded recorded = {0};
        const char* path = in_folder("session.run");
        record((uint64_t)seed, path, seed == first ? jam : anything, &recorded);
        make_again((uint64_t)seed, path, &recorded, false, seen);
        make_again((uint64_t)seed, path, &recorded, true, seen);
        if (has_frames((uint64_t)seed)) stayed += go_back((uint64_t)seed, path, &recorded) - 1;
        free(recorded.state);
    }
    print_message("%d checkpoints stayed\n", stayed);
    check(stayed >= count / 3);
    for (int k = 0; sn_event_kind(k); k++)
        if (seen[k] == 0) fail_msg("there was no change '%s'", sn_event_kind(k)->name);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sessions),
};
RUN_TESTS(tests, make_folder, remove_folder)
