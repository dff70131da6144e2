// What a host program can get wrong in calling the library: each is an error with a sentence, or nothing, never a
// crash. Every call is made in a process of its own.
#include <signal.h>
#include <sinew/sinew.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static SnWorld* world;
static SnMesh* mesh;
static int calls;
static bool from_the_first; // and not one test alone

static int set_up(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.threads = 1;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh));
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    check_ok(sn_world_add_body(world, &body, NULL));
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    sn_world_destroy(world);
    sn_mesh_destroy(mesh);
    return 0;
}

// How the call ended in its own process: 0 as it should have.
static int begin_apart(void)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) signal(SIGSEGV, SIG_DFL), signal(SIGFPE, SIG_DFL), signal(SIGABRT, SIG_DFL);
    return child;
}

// In a build that counts what is reached, with what this process has reached.
int __llvm_profile_write_file(void) __attribute__((weak));
static _Noreturn void end_child(int code)
{
    if (__llvm_profile_write_file) __llvm_profile_write_file();
    _exit(code);
}

static void end_apart(const char* text, pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    calls++;
    if (WIFSIGNALED(status)) fail_msg("%s: signal %d", text, WTERMSIG(status));
    if (WEXITSTATUS(status) == 1) fail_msg("%s: is taken", text);
    if (WEXITSTATUS(status) == 2) fail_msg("%s: refused without a sentence", text);
    check(WEXITSTATUS(status) == 0);
}

// The call is refused with a sentence.
#define REFUSED(call)                                                              \
    do {                                                                           \
        pid_t child = begin_apart();                                               \
        if (child == 0) end_child((call) == SN_OK ? 1 : *sn_last_error() ? 0 : 2); \
        end_apart(#call, child);                                                   \
    } while (0)
// The call does nothing, and tells what it tells of nothing.
#define HARMLESS(condition)                             \
    do {                                                \
        pid_t child = begin_apart();                    \
        if (child == 0) end_child((condition) ? 0 : 1); \
        end_apart(#condition, child);                   \
    } while (0)
// The same with a definition that is changed first.
#define WITH(Type, from, call, ...)                                                \
    do {                                                                           \
        Type def = from;                                                           \
        __VA_ARGS__;                                                               \
        pid_t child = begin_apart();                                               \
        if (child == 0) end_child((call) == SN_OK ? 1 : *sn_last_error() ? 0 : 2); \
        end_apart(#Type ": " #__VA_ARGS__, child);                                 \
    } while (0)

static void null_handles(void** state)
{
    (void)state;
    from_the_first = true;
    SnStepReport report = {0};
    SnBodyDef body = sn_default_body_def();
    SnHandleDef handle = sn_default_handle_def();
    SnObstacleDef obstacle = sn_default_obstacle_def();
    SnSlideDef slide = sn_default_slide_def();
    SnBodyInfo info;
    SnObstacleInfo there;
    SnLoss loss;
    SnMesh* surface;
    char bytes[64];
    REFUSED(sn_world_step(NULL, &report));
    REFUSED(sn_world_measure(NULL, &report));
    REFUSED(sn_world_add_body(NULL, &body, NULL));
    REFUSED(sn_world_add_handle(NULL, &handle, NULL));
    REFUSED(sn_world_add_obstacle(NULL, &obstacle, NULL));
    REFUSED(sn_world_add_slide(NULL, &slide, NULL));
    REFUSED(sn_world_body(NULL, 0, &info));
    REFUSED(sn_world_obstacle(NULL, 0, &there));
    REFUSED(sn_world_obstacle_surface(NULL, 0, 1, &surface));
    REFUSED(sn_world_loss(NULL, 0, &loss));
    REFUSED(sn_world_save_state(NULL, bytes, sizeof bytes));
    REFUSED(sn_world_restore_state(NULL, bytes, sizeof bytes));
    REFUSED(sn_world_set_time_step(NULL, 0.01));
    REFUSED(sn_world_set_gravity(NULL, (double[3]){0}));
    REFUSED(sn_world_set_positions(NULL, NULL));
    REFUSED(sn_world_set_velocities(NULL, NULL));
    REFUSED(sn_world_pick(NULL, NULL, NULL, NULL));
    HARMLESS(sn_world_node_count(NULL) == 0);
    HARMLESS(sn_world_positions(NULL) == NULL);
    HARMLESS(sn_world_velocities(NULL) == NULL);
    HARMLESS(sn_world_time(NULL) == 0);
    HARMLESS(sn_world_time_step(NULL) == 0);
    HARMLESS(sn_world_hash(NULL) == 0);
    HARMLESS(sn_world_body_count(NULL) == 0);
    HARMLESS(sn_world_obstacle_count(NULL) == 0);
    HARMLESS(sn_world_loss_count(NULL) == 0);
    HARMLESS(sn_world_state_size(NULL) == 0);
    HARMLESS((sn_world_destroy(NULL), sn_mesh_destroy(NULL), sn_scene_destroy(NULL), sn_run_file_destroy(NULL), true));
    HARMLESS(sn_mesh_node_count(NULL) == 0 && sn_mesh_nodes(NULL) == NULL);
    HARMLESS(sn_mesh_tetrahedron_count(NULL) == 0 && sn_mesh_tetrahedra(NULL) == NULL);
    HARMLESS(sn_mesh_triangle_count(NULL) == 0 && sn_mesh_triangles(NULL) == NULL);
    HARMLESS(sn_mesh_edge_count(NULL) == 0 && sn_mesh_edges(NULL) == NULL);
    HARMLESS(sn_scene_problem_count(NULL) == 0 && *sn_scene_problem(NULL, 0).message);
    HARMLESS(sn_scene_name(NULL) == NULL && sn_scene_text(NULL) == NULL);
    HARMLESS(sn_scene_frames(NULL) == 0 && sn_scene_world_def(NULL) == NULL);
    HARMLESS(sn_run_file_path(NULL) == NULL && sn_run_file_name(NULL) == NULL);
    HARMLESS(sn_run_file_format(NULL) == 0 && sn_run_file_node_count(NULL) == 0);
    HARMLESS(sn_run_file_body_count(NULL) == 0 && sn_run_file_bodies(NULL) == NULL);
    HARMLESS(sn_run_file_frame_count(NULL) == 0 && sn_run_file_frame_step(NULL, 0) == -1);
    HARMLESS(isnan(sn_run_file_frame_time(NULL, 0)) && sn_run_file_close(NULL) == SN_OK);
    HARMLESS(sn_run_file_scene(NULL) == NULL && !sn_run_file_compressed(NULL));
    HARMLESS(sn_run_file_obstacle_count(NULL) == 0 && sn_run_file_obstacles(NULL) == NULL);
}

static void null_arguments(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    SnMeshDef mesh_def = sn_default_mesh_def();
    SnWorld* made;
    SnMesh* shape;
    SnScene* scene;
    SnRunFile* run;
    SnMaterial material = sn_material("neo-hookean", 1e5, 0.4, 1000);
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    SnObstacleShape plane = sn_obstacle("plane");
    SnSolverDef solver = sn_default_solver_def();
    REFUSED(sn_world_create(NULL, &made));
    REFUSED(sn_world_create(&def, NULL));
    REFUSED(sn_world_add_body(world, NULL, NULL));
    REFUSED(sn_world_add_handle(world, NULL, NULL));
    REFUSED(sn_world_add_obstacle(world, NULL, NULL));
    REFUSED(sn_world_add_slide(world, NULL, NULL));
    REFUSED(sn_world_measure(world, NULL));
    REFUSED(sn_world_body(world, 0, NULL));
    REFUSED(sn_world_obstacle(world, 0, NULL));
    REFUSED(sn_world_loss(world, 0, NULL));
    REFUSED(sn_world_save_state(world, NULL, 100000));
    REFUSED(sn_world_restore_state(world, NULL, 100000));
    REFUSED(sn_mesh_create(NULL, &shape));
    REFUSED(sn_mesh_create(&mesh_def, NULL));
    REFUSED(sn_mesh_load(NULL, &shape));
    REFUSED(sn_mesh_load("a.obj", NULL));
    REFUSED(sn_mesh_save(NULL, "/tmp/a.obj"));
    REFUSED(sn_mesh_save(mesh, NULL));
    REFUSED(sn_mesh_make_box(NULL, (int[]){1, 1, 1}, &shape));
    REFUSED(sn_mesh_make_box((double[]){1, 1, 1}, NULL, &shape));
    REFUSED(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, NULL));
    REFUSED(sn_mesh_make_sphere(1, 1, NULL));
    REFUSED(sn_mesh_make_cylinder(1, 1, 1, 1, NULL));
    REFUSED(sn_mesh_make_torus(1, 0.2, 20, 1, NULL));
    REFUSED(sn_mesh_make_cloth(NULL, (int[]){1, 1}, &shape));
    REFUSED(sn_mesh_make_cloth((double[]){1, 1}, NULL, &shape));
    REFUSED(sn_mesh_make_rope(1, 1, NULL));
    REFUSED(sn_scene_load(NULL, NULL, 0, &scene));
    REFUSED(sn_scene_load("a.yaml", NULL, 0, NULL));
    REFUSED(sn_scene_parse(NULL, 0, "a.yaml", NULL, 0, &scene));
    REFUSED(sn_scene_parse("a: 1", 4, NULL, NULL, 0, &scene));
    REFUSED(sn_scene_parse("a: 1", 4, "a.yaml", NULL, 3, &scene));
    REFUSED(sn_scene_parse("a: 1", 4, "a.yaml", (const char*[]){NULL}, 1, &scene));
    REFUSED(sn_scene_parse("a: 1", 4, "a.yaml", NULL, -1, &scene));
    REFUSED(sn_scene_create_world(NULL, &made));
    REFUSED(sn_run_file_create(NULL, world, NULL, &run));
    REFUSED(sn_run_file_create("/tmp/a.run", NULL, NULL, &run));
    REFUSED(sn_run_file_create("/tmp/a.run", world, NULL, NULL));
    REFUSED(sn_run_file_resume(NULL, NULL, world, &run));
    REFUSED(sn_run_file_open(NULL, &run));
    REFUSED(sn_run_file_open("/tmp/a.run", NULL));
    REFUSED(sn_run_file_add_step(NULL, &(SnStepReport){0}));
    REFUSED(sn_run_file_write_frame(NULL, world));
    REFUSED(sn_run_file_set_meta(NULL, "a", "b"));
    REFUSED(sn_run_file_refresh(NULL));
    REFUSED(sn_run_file_read_frame(NULL, 0, NULL, NULL));
    REFUSED(sn_run_file_read_obstacle(NULL, 0, 0, NULL, NULL));
    REFUSED(sn_run_file_meta(NULL, "a", &(const char*){NULL}));
    REFUSED(sn_run_file_read_steps(NULL, -1, &(const SnRunStep*){NULL}, &(int){0}));
    REFUSED(sn_run_file_read_losses(NULL, -1, &(const SnRunLoss*){NULL}, &(int){0}));
    REFUSED(sn_material_set(NULL, "young", "1"));
    REFUSED(sn_material_set(&material, NULL, "1"));
    REFUSED(sn_material_set(&material, "young", NULL));
    REFUSED(sn_material_preset(NULL, &material));
    REFUSED(sn_material_preset("rubber", NULL));
    REFUSED(sn_damping_set(&damping, NULL, "1"));
    REFUSED(sn_damping_set(NULL, "beta", "1"));
    REFUSED(sn_obstacle_set(&plane, "point", NULL));
    REFUSED(sn_obstacle_set(NULL, "point", "1"));
    REFUSED(sn_solver_set(&solver, NULL, "1"));
    REFUSED(sn_solver_set(NULL, "history", "1"));
    HARMLESS(sn_material(NULL, 1, 0.3, 1).type == NULL || true);
    HARMLESS(sn_obstacle(NULL).type == NULL || true);
    HARMLESS(sn_default_damping_def(NULL).type == NULL || true);
    HARMLESS(sn_outcome_name((SnOutcome)99) != NULL && sn_status_name((SnStatus)99) != NULL);
}

#define BODY(...) \
    WITH(SnBodyDef, sn_default_body_def(), sn_world_add_body(world, &def, NULL), def.mesh = mesh; __VA_ARGS__)
#define HANDLE(...) WITH(SnHandleDef, sn_default_handle_def(), sn_world_add_handle(world, &def, NULL), __VA_ARGS__)
#define OBSTACLE(...) \
    WITH(SnObstacleDef, sn_default_obstacle_def(), sn_world_add_obstacle(world, &def, NULL), __VA_ARGS__)
#define WORLD(...) WITH(SnWorldDef, sn_default_world_def(), sn_world_create(&def, &(SnWorld*){NULL}), __VA_ARGS__)
#define SLIDE(...) WITH(SnSlideDef, sn_default_slide_def(), sn_world_add_slide(world, &def, NULL), __VA_ARGS__)
#define MESH(...) WITH(SnMeshDef, sn_default_mesh_def(), sn_mesh_create(&def, &(SnMesh*){NULL}), __VA_ARGS__)

static void counts_and_lists(void** state)
{
    (void)state;
    static double numbers[300];
    static const int far[] = {0, 99};
    static const int twice[] = {2, 2};
    BODY(def.mesh = NULL);
    BODY(def.damping_count = 2);
    BODY(def.damping_count = -1);
    BODY(def.damping_count = 1; SnDampingDef d = sn_default_damping_def("rayleigh"); d.elements = far;
         d.element_count = -1; def.damping = &d);
    BODY(def.damping_count = 1; SnDampingDef d = sn_default_damping_def("rayleigh"); d.elements = far;
         d.element_count = 2; def.damping = &d);
    BODY(def.damping_count = 1; SnDampingDef d = sn_default_damping_def("spline"); d.curve.count = 3; def.damping = &d);
    BODY(def.damping_count = 1; SnDampingDef d = sn_default_damping_def("nonsense"); def.damping = &d);
    BODY(def.region_of_element = (int[]){0, 0, 0, 0, 0, 0}; def.region_count = 1);
    BODY(def.region_of_element = (int[]){0, 0, 0, 0, 0, 0}; def.region_count = -1);
    BODY(def.region_of_element = (int[]){5, 0, 0, 0, 0, 0}; def.region_count = 1; def.regions = &def.material);
    BODY(def.young_scale = numbers);
    BODY(numbers[0] = NAN; def.start = numbers);
    BODY(numbers[0] = 1e150; def.start = numbers);
    BODY(numbers[0] = 1e200; def.velocity = numbers);
    BODY(def.material.young = -1);
    BODY(def.material.young = NAN);
    BODY(def.material.young = 1e200);
    BODY(def.material.density = 1e-200);
    BODY(def.material.poisson = 0.5);
    BODY(def.material.type = NULL);
    BODY(def.material.type = "nonsense");
    BODY(def.material.inversion = (SnInversion)7);
    BODY(def.material.type = "spline"; def.material.spline.a.count = 4);
    BODY(def.limits.mode = (SnLimitMode)9);
    BODY(def.limits.lo = 2);
    BODY(def.limits.hi = NAN);
    HANDLE(def.body = 7);
    HANDLE(def.body = -1);
    HANDLE(def.nodes = far; def.node_count = 2);
    HANDLE(def.nodes = far; def.node_count = -2);
    HANDLE(def.nodes = twice; def.node_count = 2);
    HANDLE(def.how = (SnHold)5);
    HANDLE(def.how = SN_HOLD_ENERGY; def.stiffness = -1);
    HANDLE(def.motion.keyframe_count = 2);
    HANDLE(def.motion.keyframe_count = -2);
    HANDLE(def.motion.velocity[0] = INFINITY);
    HANDLE(def.motion.velocity[0] = 1e200);
    HANDLE(def.motion.rotate_rate = 1);
    HANDLE(def.motion.until = -1);
    OBSTACLE(def.shape.type = NULL);
    OBSTACLE(def.shape.type = "nonsense");
    OBSTACLE(def.shape = sn_obstacle("mesh"));
    OBSTACLE(def.shape = sn_obstacle("mesh"); def.shape.frame_count = 2);
    OBSTACLE(def.shape = sn_obstacle("mesh"); def.shape.frame_count = -2);
    OBSTACLE(def.shape = sn_obstacle("mesh"); def.shape.frames = (const SnMesh*[]){mesh, NULL};
             def.shape.frame_count = 2);
    OBSTACLE(def.shape = sn_obstacle("terrain"); def.shape.columns = def.shape.rows = 4);
    OBSTACLE(def.shape = sn_obstacle("terrain"); def.shape.heights = numbers; def.shape.columns = def.shape.rows = -4);
    OBSTACLE(def.shape = sn_obstacle("terrain"); def.shape.heights = numbers;
             def.shape.columns = def.shape.rows = 20000);
    OBSTACLE(def.shape = sn_obstacle("sphere"); def.shape.radius = NAN);
    OBSTACLE(def.friction = -1);
    OBSTACLE(def.motion.keyframe_count = 3);
    WORLD(def.time_step = 0);
    WORLD(def.time_step = NAN);
    WORLD(def.time_step = 1e155);
    WORLD(def.time_step = 1e-200);
    WORLD(def.gravity[1] = 1e155);
    WORLD(def.integrator = "nonsense");
    WORLD(def.gamma = 2);
    WORLD(def.dissipation_order = 7);
    WORLD(def.threads = -1);
    WORLD(def.solver.type = "nonsense");
    WORLD(def.solver.iterations = 0);
    WORLD(def.solver.tolerance = -1);
    WORLD(def.solver.stop = "never");
    WORLD(def.solver.initial = "nonsense");
    WORLD(def.solver.history = -1);
    WORLD(def.solver.line_search = "nonsense");
    WORLD(def.contact.method = "nonsense");
    WORLD(def.contact.thickness = NAN);
    WORLD(def.contact.restitution = 3);
    SLIDE(def.on_body = 0);
    SLIDE(def.on_obstacle = 3);
    SLIDE(def.body = 9);
    MESH(def.node_count = 4);
    MESH(def.node_count = -4; def.nodes = numbers);
    MESH(def.node_count = 4; def.nodes = numbers; def.tetrahedron_count = 1);
    REFUSED(sn_mesh_make_box((double[]){1, -1, 1}, (int[]){1, 1, 1}, &(SnMesh*){NULL}));
    REFUSED(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 0, 1}, &(SnMesh*){NULL}));
    REFUSED(sn_mesh_make_box_pattern((double[]){1, 1, 1}, (int[]){1, 1, 1}, (SnBoxPattern)9, &(SnMesh*){NULL}));
    REFUSED(sn_mesh_make_sphere(NAN, 2, &(SnMesh*){NULL}));
    REFUSED(sn_world_body(world, 5, &(SnBodyInfo){0}));
    REFUSED(sn_world_obstacle(world, 0, &(SnObstacleInfo){0}));
    REFUSED(sn_world_loss(world, -1, &(SnLoss){0}));
    REFUSED(sn_world_set_time_step(world, -1));
    REFUSED(sn_world_set_gravity(world, NULL));
    REFUSED(sn_world_set_gravity(world, (double[3]){0, INFINITY, 0}));
    REFUSED(sn_world_set_positions(world, NULL));
    REFUSED(sn_world_set_velocities(world, NULL));
    REFUSED(sn_world_pick(world, NULL, NULL, NULL));
    REFUSED(sn_world_restore_state(world, "nonsense", 8));
    REFUSED(sn_world_save_state(world, numbers, 8));
}

static void surfaces(void** state)
{
    (void)state;
    static double numbers[300];
    SnRepairDef repair = sn_default_repair_def();
    SnRemeshDef remesh = sn_default_remesh_def();
    SnSolidDef solid = sn_default_solid_def();
    SnMesh *made, *sheet;
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){2, 2}, &sheet));
    REFUSED(sn_mesh_repair(NULL, &repair, &made, NULL));
    REFUSED(sn_mesh_repair(sheet, NULL, &made, NULL));
    REFUSED(sn_mesh_repair(sheet, &repair, NULL, NULL));
    REFUSED(sn_mesh_remesh(NULL, &remesh, &made, NULL));
    REFUSED(sn_mesh_remesh(sheet, NULL, &made, NULL));
    REFUSED(sn_mesh_remesh(sheet, &remesh, NULL, NULL));
    REFUSED(sn_mesh_make_solid(NULL, &solid, &made, NULL));
    REFUSED(sn_mesh_make_solid(sheet, NULL, &made, NULL));
    REFUSED(sn_mesh_make_solid(sheet, &solid, NULL, NULL));
    WITH(SnRepairDef, repair, sn_mesh_repair(sheet, &def, &made, NULL), def.merge = NAN);
    WITH(SnRepairDef, repair, sn_mesh_repair(sheet, &def, &made, NULL), def.holes = -1);
    WITH(SnRemeshDef, remesh, sn_mesh_remesh(sheet, &def, &made, NULL), def.edge = NAN);
    WITH(SnRemeshDef, remesh, sn_mesh_remesh(sheet, &def, &made, NULL), def.edge = -1);
    WITH(SnRemeshDef, remesh, sn_mesh_remesh(sheet, &def, &made, NULL), def.rounds = -1);
    WITH(SnRemeshDef, remesh, sn_mesh_remesh(sheet, &def, &made, NULL), def.sharp_degrees = INFINITY);
    WITH(SnSolidDef, solid, sn_mesh_make_solid(sheet, &def, &made, NULL), def.edge = NAN);
    WITH(SnSolidDef, solid, sn_mesh_make_solid(sheet, &def, &made, NULL), def.edge = -1);
    WITH(SnSolidDef, solid, sn_mesh_make_solid(sheet, &def, &made, NULL), def.tetrahedra = -1);
    WITH(SnSolidDef, solid, sn_mesh_make_solid(sheet, &def, &made, NULL), def.threads = -1);
    WITH(SnSolidDef, solid, sn_mesh_make_solid(sheet, &def, &made, NULL), def.fit_degrees = NAN);
    WITH(SnSolidDef, solid, sn_mesh_make_solid(sheet, &def, &made, NULL), def.least_degree = NAN);
    HARMLESS(sn_mesh_faces(NULL) == NULL && sn_faces_triangle_count(NULL) == 0);
    HARMLESS((sn_faces_triangles(NULL, NULL), sn_skin_carry(NULL, NULL, NULL), true));
    HARMLESS((sn_skin_carry(&(SnSkin){.vertex_count = 1}, NULL, numbers), true));
    HARMLESS((sn_young_poisson(1, 1, NULL, NULL), true));
    sn_mesh_destroy(sheet);
}

#define LOAD(...) WITH(SnLoadDef, sn_default_load_def("wind"), sn_world_add_load(world, &def, NULL), __VA_ARGS__)
#define PAIR(...) \
    WITH(SnContactPairDef, sn_default_contact_pair_def(), sn_world_add_contact_pair(world, &def), __VA_ARGS__)

#define PROBE(...) \
    WITH(SnProbeDef, sn_default_probe_def("displacement"), sn_world_add_probe(world, &def, NULL), __VA_ARGS__)
#define TIE(...) \
    WITH(SnAttachmentDef, sn_default_attachment_def(), sn_world_add_attachment(world, &def, NULL), __VA_ARGS__)

static void probes_and_attachments(void** state)
{
    (void)state;
    static const int far[] = {0, 99};
    SnProbeDef probe = sn_default_probe_def("displacement");
    SnAttachmentDef tie = sn_default_attachment_def();
    REFUSED(sn_world_add_probe(NULL, &probe, NULL));
    REFUSED(sn_world_add_probe(world, NULL, NULL));
    PROBE(def.what = NULL);
    PROBE(def.where.body = 0; def.what = "nonsense");
    PROBE(def.where.body = 0; def.take = "nonsense");
    PROBE(def.where.body = 7);
    PROBE(def.where.body = 0; def.where.nodes = far; def.where.node_count = 2);
    PROBE(def.where.body = 0; def.where.nodes = far; def.where.node_count = -2);
    PROBE(def.where.body = 0; def.where.nodes = far; def.where.node_count = 0);
    PROBE(def.what = "force"; def.handle = 99);
    PROBE(def.what = "force"; def.handle = 0; def.load = 0);
    PROBE(def.what = "force"; def.pair[0] = 0; def.pair[1] = 99);
    REFUSED(sn_world_value(NULL, 0, &(SnValueInfo){0}));
    REFUSED(sn_world_value(world, 0, NULL));
    REFUSED(sn_world_value(world, 99, &(SnValueInfo){0}));
    REFUSED(sn_world_value(world, -1, &(SnValueInfo){0}));
    HARMLESS(sn_world_value_count(NULL) == 0 && sn_world_attachment_count(NULL) == 0);
    REFUSED(sn_world_add_attachment(NULL, &tie, NULL));
    REFUSED(sn_world_add_attachment(world, NULL, NULL));
    TIE(def.from.body = 0);
    TIE(def.from.body = 0; def.to.body = 99);
    TIE(def.from.body = 0; def.to.body = 0; def.from.nodes = far; def.from.node_count = 2);
    TIE(def.from.body = 0; def.to.body = 0; def.to.nodes = far; def.to.node_count = 2);
    TIE(def.from.body = 0; def.to.body = 0; def.strength = NAN);
    TIE(def.from.body = 0; def.to.body = 0; def.close = INFINITY);
    REFUSED(sn_world_attachment_force(NULL, 0, &(SnWrench){0}));
    REFUSED(sn_world_attachment_force(world, 0, NULL));
    REFUSED(sn_world_attachment_force(world, 99, &(SnWrench){0}));
    REFUSED(sn_world_attachment_torn(NULL, 0, &(int){0}));
    REFUSED(sn_world_attachment_torn(world, 0, NULL));
    REFUSED(sn_world_attachment_torn(world, 99, &(int){0}));
    HARMLESS(sn_run_file_value_count(NULL) == 0 && sn_run_file_values(NULL) == NULL);
    REFUSED(sn_run_file_read_values(NULL, -1, &(const int64_t*){NULL}, &(const double*){NULL}, &(int){0}));
}

static void loads_and_contacts(void** state)
{
    (void)state;
    static double numbers[300];
    static const int far[] = {0, 99};
    SnLoadDef load = sn_default_load_def("wind");
    SnContactPairDef pair = sn_default_contact_pair_def();
    REFUSED(sn_world_add_load(NULL, &load, NULL));
    REFUSED(sn_world_add_load(world, NULL, NULL));
    LOAD(def.type = NULL);
    LOAD(def.type = "nonsense");
    LOAD(def.body = 7);
    LOAD(def.body = -1);
    LOAD(def.nodes = far; def.node_count = 2);
    LOAD(def.nodes = far; def.node_count = -2);
    LOAD(def.ramp.count = 3);
    LOAD(def.ramp.count = -3; def.ramp.points = numbers);
    LOAD(def.ramp.count = 2; def.ramp.points = numbers);
    LOAD(def.vector[1] = NAN);
    LOAD(def.vector[1] = 1e200);
    LOAD(def.density = -1);
    LOAD(def.gust = INFINITY);
    HARMLESS(sn_default_load_def(NULL).type == NULL || true);
    REFUSED(sn_world_add_contact_pair(NULL, &pair));
    REFUSED(sn_world_add_contact_pair(world, NULL));
    PAIR(def.between[0] = NULL; def.between[1] = "all");
    PAIR(def.between[0] = "all"; def.between[1] = NULL);
    PAIR(def.between[0] = def.between[1] = "nobody");
    PAIR(def.between[0] = def.between[1] = "all"; def.touch = 7);
    PAIR(def.between[0] = def.between[1] = "all"; def.friction = NAN);
    BODY(def.contact.group_count = 2);
    BODY(def.contact.group_count = -2; def.contact.groups = (const char*[]){"a"});
    BODY(def.contact.group_count = 1; def.contact.groups = (const char*[]){NULL});
    BODY(def.contact.self = 5);
    BODY(def.contact.thickness = NAN);
    OBSTACLE(def.group_count = 2);
    OBSTACLE(def.group_count = -2; def.groups = (const char*[]){"a"});
    OBSTACLE(def.group_count = 1; def.groups = (const char*[]){NULL});
    OBSTACLE(def.thickness = NAN);
    HANDLE(def.target_count = 2);
    HANDLE(def.target_count = -2; def.targets = numbers; def.target_times = numbers);
    HANDLE(def.target_count = 2; def.targets = numbers);
    HANDLE(def.target_count = 2; def.target_times = numbers);
    HANDLE(def.target_count = 2; def.targets = numbers; def.target_times = numbers);
    HANDLE(def.node_count = 3; def.target_count = 1; def.targets = (double[24]){NAN}; def.target_times = numbers);
    HANDLE(def.motion.turn[0] = -1);
    HANDLE(def.motion.oscillate_frequency = NAN);
    BODY(def.damping_count = 1; SnDampingDef d = sn_default_damping_def("rayleigh");
         d.conserve_momentum = (SnMomentum)9; def.damping = &d);
    BODY(def.damping_count = 1; SnDampingDef d = sn_default_damping_def("strain-rate"); d.rate = (SnStrainRate)9;
         def.damping = &d);
    BODY(def.damping_count = 1; SnDampingDef d = sn_default_damping_def("power-law"); d.base = "nonsense";
         def.damping = &d);
    BODY(def.damping_count = 1; def.damping = &(SnDampingDef){.custom = &(SnDissipationType){.name = "own"}});
    BODY(def.material.custom = &(SnMaterialType){.name = "own"});
    OBSTACLE(def.shape.custom = &(SnObstacleType){.name = "own"});
    BODY(def.material.bending = INFINITY);
    BODY(def.material.fiber = 1; def.material.fiber_direction[0] = NAN);
    BODY(def.fiber_directions = (numbers[0] = NAN, numbers); def.material.fiber = 1);
    REFUSED(sn_world_contact(NULL, 0, &(SnContactInfo){0}));
    REFUSED(sn_world_contact(world, 0, NULL));
    REFUSED(sn_world_contact(world, 0, &(SnContactInfo){0}));
    REFUSED(sn_world_contact(world, -1, &(SnContactInfo){0}));
    REFUSED(sn_world_set_positions(world, (numbers[0] = NAN, numbers)));
    REFUSED(sn_world_set_velocities(world, (numbers[0] = NAN, numbers)));
    REFUSED(sn_world_pick(world, (double[3]){0}, (double[3]){0}, &(SnPick){0}));
    REFUSED(sn_world_pick(world, (double[3]){NAN}, (double[3]){0, 1, 0}, &(SnPick){0}));
    REFUSED(sn_run_file_read_contacts(NULL, 0, &(const SnContactInfo*){NULL}, &(int){0}));
    HARMLESS(sn_world_contact_count(NULL) == 0 && sn_contact_state_name((SnContactState)99) != NULL);
    HARMLESS(sn_run_file_time_step(NULL) == 0 && sn_run_columns(NULL) != NULL);
}

static SnStatus step_with_interval(double from, double to)
{
    SnWorldDef def = sn_default_world_def();
    SnBodyDef body = sn_default_body_def();
    SnWorld* made;
    def.threads = 1, def.solver.type = "lbfgs", def.solver.initial = "laplacian";
    def.solver.stiffness_interval[0] = from, def.solver.stiffness_interval[1] = to;
    body.mesh = mesh;
    SnStatus status = sn_world_create(&def, &made);
    if (status == SN_OK) status = sn_world_add_body(made, &body, NULL);
    if (status == SN_OK) status = sn_world_step(made, NULL);
    sn_world_destroy(made);
    return status;
}

// Something that needs a surface, of a rope.
static SnStatus on_a_rope(bool slide)
{
    SnBodyDef body = sn_default_body_def();
    SnMesh* rope;
    int index;
    if (sn_mesh_make_rope(1, 2, &rope) != SN_OK) return SN_OK;
    body.mesh = rope, body.material = sn_material("spring", 1e5, 0.3, 1000);
    SnStatus added = sn_world_add_body(world, &body, &index);
    sn_mesh_destroy(rope);
    if (added != SN_OK) return SN_OK;
    SnSlideDef along = sn_default_slide_def();
    SnLoadDef wind = sn_default_load_def("wind");
    along.on_body = index, wind.body = index;
    return slide ? sn_world_add_slide(world, &along, NULL) : sn_world_add_load(world, &wind, NULL);
}

static SnStatus turn_inside_out(void)
{
    SnWorldDef def = sn_default_world_def();
    SnBodyDef body = sn_default_body_def();
    SnWorld* made;
    double x[24];
    body.mesh = mesh, body.material = sn_material("neo-hookean", 1e5, 0.3, 1000);
    body.material.inversion = SN_INVERSION_BARRIER;
    if (sn_world_create(&def, &made) != SN_OK || sn_world_add_body(made, &body, NULL) != SN_OK) return SN_OK;
    memcpy(x, sn_world_positions(made), sizeof x);
    for (int i = 0; i < 8; i++) x[3 * i] = -x[3 * i];
    return sn_world_set_positions(made, x);
}

// Numbers and lists that do not go together.
static void what_does_not_fit(void** state)
{
    (void)state;
    static const double first[] = {0.5, -1, 1, 0, 1.5, 1}, other[] = {0.5, -2, 1, 0, 1.5, 2};
    static double heights[16];
    SnMesh* small;
    SnMaterial region = sn_material("spline", 1e5, 0.3, 1000);
    check_ok(sn_mesh_make_rope(1, 1, &small));
    WORLD(def.solver.type = "dot"; def.solver.subdomains = -1);
    WORLD(def.solver.type = "dot"; def.solver.subdomain_nodes = -1);
    REFUSED(step_with_interval(2, 3));
    REFUSED(step_with_interval(0.5, 0.9));
    REFUSED(on_a_rope(true));
    REFUSED(on_a_rope(false));
    REFUSED(turn_inside_out());
    BODY(def.material = region; def.material.spline.a = (SnCurve){3, first}; region.spline.a = (SnCurve){3, other};
         def.regions = &region; def.region_count = 1; def.region_of_element = (int[]){0, 0, 0, 0, 0, 0});
    BODY(def.material.spline.a = (SnCurve){3, NULL}; def.material.type = "spline");
    HANDLE(def.motion.keyframes = (SnKeyframe[]){{1, {0}}, {1, {0}}}; def.motion.keyframe_count = 2);
    OBSTACLE(def.shape = sn_obstacle("mesh"); def.shape.mesh = mesh; def.shape.frames = (const SnMesh*[]){mesh, mesh};
             def.shape.frame_count = 2; def.shape.frame_rate = -1);
    OBSTACLE(def.shape = sn_obstacle("mesh"); def.shape.frames = (const SnMesh*[]){mesh, small};
             def.shape.frame_count = 2; def.shape.frame_rate = 1);
    OBSTACLE(def.shape = sn_obstacle("terrain"); def.shape.columns = def.shape.rows = 4; def.shape.heights = heights;
             def.shape.size[0] = 0);
    OBSTACLE(def.shape = sn_obstacle("terrain"); def.shape.columns = def.shape.rows = 4;
             def.shape.heights = (heights[5] = NAN, heights));
    sn_mesh_destroy(small);
}

static SnStatus write_another_world(const char* path)
{
    SnWorldDef def = sn_default_world_def();
    SnStepReport report;
    SnWorld* empty;
    SnRunFile* run;
    if (sn_world_create(&def, &empty) != SN_OK || sn_run_file_create(path, world, NULL, &run) != SN_OK ||
        sn_world_step(world, &report) != SN_OK || sn_run_file_add_step(run, &report) != SN_OK)
        return SN_OK;
    return sn_run_file_write_frame(run, empty);
}

static void fields_and_forces(void** state)
{
    (void)state;
    static double numbers[300];
    SnWrench wrench;
    SnFieldInfo info;
    REFUSED(sn_field_at(-1, &info));
    REFUSED(sn_field_at(99, &info));
    REFUSED(sn_field_at(0, NULL));
    REFUSED(sn_field_named(NULL, &info));
    REFUSED(sn_field_named("nonsense", &info));
    REFUSED(sn_field_named("stress", NULL));
    REFUSED(sn_world_field(NULL, "stress", SN_FIELD_NODES, numbers));
    REFUSED(sn_world_field(world, NULL, SN_FIELD_NODES, numbers));
    REFUSED(sn_world_field(world, "nonsense", SN_FIELD_NODES, numbers));
    REFUSED(sn_world_field(world, "stress", (SnFieldPlace)9, numbers));
    REFUSED(sn_world_field(world, "stress", SN_FIELD_NODES, NULL));
    REFUSED(sn_world_handle_force(NULL, 0, &wrench));
    REFUSED(sn_world_handle_force(world, 0, &wrench));
    REFUSED(sn_world_handle_force(world, -1, &wrench));
    REFUSED(sn_world_obstacle_force(NULL, 0, &wrench));
    REFUSED(sn_world_obstacle_force(world, 7, &wrench));
    REFUSED(sn_world_load_force(NULL, 0, &wrench));
    REFUSED(sn_world_load_force(world, 7, &wrench));
    REFUSED(sn_world_contact_force(NULL, 0, 0, &wrench));
    REFUSED(sn_world_contact_force(world, 0, 9, &wrench));
    REFUSED(sn_world_contact_force(world, -1, 0, &wrench));
    REFUSED(sn_world_contact_force(world, 0, 0, NULL));
    LOAD(def = sn_default_load_def("force"); def.vector[0] = NAN);
    LOAD(def = sn_default_load_def("pressure"); def.pressure = INFINITY);
    LOAD(def = sn_default_load_def("torque"); def.vector[0] = 1e200);
    HARMLESS(sn_world_element_count(NULL) == 0 && sn_field_count() > 0);
}

// What a run that is open for reading can be asked wrongly.
static void runs(void** state)
{
    (void)state;
    static double numbers[300];
    char path[] = "/tmp/sinew-misuse-XXXXXX.run";
    int file = mkstemps(path, 4);
    SnRunFile* run;
    const SnContactInfo* contacts;
    const SnRunStep* steps;
    const SnRunLoss* losses;
    const char* text;
    int count;
    close(file), unlink(path);
    check_ok(sn_run_file_create(path, world, NULL, &run));
    check_ok(sn_run_file_close(run));
    check_ok(sn_run_file_open(path, &run));
    REFUSED(sn_run_file_read_frame(run, 1, numbers, NULL));
    REFUSED(sn_run_file_read_frame(run, -1, numbers, NULL));
    REFUSED(sn_run_file_read_obstacle(run, 0, 0, NULL, NULL));
    REFUSED(sn_run_file_read_contacts(run, 5, &contacts, &count));
    REFUSED(sn_run_file_read_contacts(run, 0, NULL, &count));
    REFUSED(sn_run_file_read_contacts(run, 0, &contacts, NULL));
    REFUSED(sn_run_file_read_steps(run, -1, NULL, &count));
    REFUSED(sn_run_file_read_steps(run, -1, &steps, NULL));
    REFUSED(sn_run_file_read_losses(run, -1, NULL, &count));
    REFUSED(sn_run_file_read_losses(run, -1, &losses, NULL));
    REFUSED(sn_run_file_meta(run, NULL, &text));
    REFUSED(sn_run_file_meta(run, "name", NULL));
    REFUSED(sn_run_file_set_meta(run, "name", "other")); // it is open for reading
    REFUSED(sn_run_file_add_step(run, &(SnStepReport){0}));
    REFUSED(sn_run_file_add_step(run, NULL));
    REFUSED(sn_run_file_write_frame(run, world));
    REFUSED(sn_run_file_write_frame(run, NULL));
    REFUSED(sn_run_file_resume(path, NULL, NULL, &(SnRunFile*){NULL}));
    REFUSED(sn_run_file_resume(path, NULL, world, NULL));
    HARMLESS(sn_run_file_frame_step(run, 9) == -1 && isnan(sn_run_file_frame_time(run, -1)));
    check_ok(sn_run_file_close(run));
    REFUSED(write_another_world(path));
    static char far_off[5000];
    memset(far_off, 'a', sizeof far_off - 1);
    REFUSED(sn_run_file_create(far_off, world, NULL, &run));
    unlink(path);
}

// A node follows one handle only.
static SnStatus hold_twice(void)
{
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = (int[]){0, 1}, handle.node_count = 2;
    if (sn_world_add_handle(world, &handle, NULL) != SN_OK) return SN_OK;
    handle.nodes = (int[]){1, 2};
    return sn_world_add_handle(world, &handle, NULL);
}

static void two_handles_on_a_node(void** state)
{
    (void)state;
    REFUSED(hold_twice());
    if (from_the_first) check(calls >= 300);
}

#ifdef SINEW_CHECK_HANDLES
static SnStatus step_a_world_that_is_gone(void)
{
    SnWorld* gone;
    SnWorldDef def = sn_default_world_def();
    if (sn_world_create(&def, &gone) != SN_OK) return SN_OK;
    sn_world_destroy(gone);
    return sn_world_step(gone, NULL);
}

static SnStatus add_a_mesh_that_is_gone(void)
{
    SnBodyDef body = sn_default_body_def();
    SnMesh* gone;
    if (sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &gone) != SN_OK) return SN_OK;
    sn_mesh_destroy(gone);
    body.mesh = gone;
    return sn_world_add_body(world, &body, NULL);
}

static SnStatus use_a_scene_that_is_gone(void)
{
    static const char text[] = "bodies: [{mesh: {box: {}}}]";
    SnScene* gone;
    SnWorld* made;
    if (sn_scene_parse(text, strlen(text), "gone.yaml", NULL, 0, &gone) != SN_OK) return SN_OK;
    sn_scene_destroy(gone);
    return sn_scene_create_world(gone, &made);
}

static SnStatus write_to_a_run_that_is_gone(void)
{
    char path[] = "/tmp/sinew-gone-XXXXXX.run";
    int file = mkstemps(path, 4);
    SnRunFile* gone;
    close(file), unlink(path);
    SnStatus made = sn_run_file_create(path, world, NULL, &gone);
    if (made == SN_OK) sn_run_file_destroy(gone);
    unlink(path);
    return made == SN_OK ? sn_run_file_write_frame(gone, world) : SN_OK;
}

// Told as errors, or as nothing where a call has no status.
static bool destroyed_twice_and_asked(void)
{
    SnWorld* other;
    SnMesh* shape;
    SnWorldDef def = sn_default_world_def();
    if (sn_world_create(&def, &other) != SN_OK) return false;
    if (sn_mesh_make_rope(1, 1, &shape) != SN_OK) return false;
    sn_world_destroy(other), sn_world_destroy(other);
    sn_mesh_destroy(shape), sn_mesh_destroy(shape);
    return sn_world_positions(other) == NULL && sn_world_hash(other) == 0 && sn_world_state_size(other) == 0 &&
           sn_mesh_nodes(shape) == NULL && sn_mesh_save(shape, "/tmp/gone.obj") != SN_OK;
}

static SnStatus close_a_run_twice(void)
{
    char path[] = "/tmp/sinew-gone-XXXXXX.run";
    int file = mkstemps(path, 4);
    SnRunFile* gone;
    close(file), unlink(path);
    SnStatus made = sn_run_file_create(path, world, NULL, &gone);
    if (made == SN_OK) made = sn_run_file_close(gone);
    unlink(path);
    return made == SN_OK ? sn_run_file_close(gone) : SN_OK;
}

static SnStatus never_made(void)
{
    double room[64] = {0};
    return sn_world_step((SnWorld*)(void*)room, NULL);
}

// In a build that knows which handles live, those that do not are told apart.
static void handles_that_are_gone(void** state)
{
    (void)state;
    REFUSED(step_a_world_that_is_gone());
    REFUSED(add_a_mesh_that_is_gone());
    REFUSED(use_a_scene_that_is_gone());
    REFUSED(write_to_a_run_that_is_gone());
    REFUSED(never_made());
    REFUSED(close_a_run_twice());
    HARMLESS(destroyed_twice_and_asked());
    check(step_a_world_that_is_gone() != SN_OK && strstr(sn_last_error(), "was destroyed"));
}
#endif

static const struct CMUnitTest tests[] = {
#ifdef SINEW_CHECK_HANDLES
    cmocka_unit_test(handles_that_are_gone),
#endif
    cmocka_unit_test(null_handles),
    cmocka_unit_test(null_arguments),
    cmocka_unit_test(counts_and_lists),
    cmocka_unit_test(surfaces),
    cmocka_unit_test(loads_and_contacts),
    cmocka_unit_test(probes_and_attachments),
    cmocka_unit_test(runs),
    cmocka_unit_test(fields_and_forces),
    cmocka_unit_test(what_does_not_fit),
    cmocka_unit_test(two_handles_on_a_node),
};
RUN_TESTS(tests, set_up, tear_down)
