// Bodies and obstacles that come while a run file is written: who reads it from the start, on, or later, and who makes
// it again.
#include <sinew/run.h>
#include <stdio.h>

#include "archive/run_file.h"
#include "linalg/vec3.h"
#include "moments.h"

enum { BOX = 8, SHEET = 9, ALL = BOX + SHEET, STEPS = 8, COMES = 4 };

static SnWorld* make_world(void)
{
    SnWorldDef def = sn_default_world_def();
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh;
    SnWorld* world;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[3]){1, 1, 1}, (int[3]){1, 1, 1}, &mesh));
    body.mesh = mesh, body.material = sn_material("neo-hookean", 1e5, 0.3, 100);
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
    return world;
}

static void fill_nothing(const SnMaterialMany* many)
{
    (void)many;
}

// A sheet with all that a body can have and a run can take up.
static SnStatus add_sheet(SnWorld* world, bool custom)
{
    static const SnMaterialType own = {.name = "own", .elements = SN_ON_TRIANGLES, .many = fill_nothing};
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh;
    SnDampingDef dampings[2] = {sn_default_damping_def("rayleigh"), sn_default_damping_def("power-law")};
    SnMaterial region = sn_material("stvk", 5e4, 0.2, 300);
    double start[3 * SHEET], velocity[3 * SHEET], scale[8];
    int of[8], some[] = {0, 3};
    check_ok(sn_mesh_make_cloth((double[2]){1, 1}, (int[2]){2, 2}, &mesh));
    for (int i = 0; i < 3 * SHEET; i++) {
        start[i] = sn_mesh_nodes(mesh)[i] * 1.01 + (i % 3 == 1 ? 3 : 0), velocity[i] = 0.1 * (i % 5);
        if (i < 8) scale[i] = 1 + 0.1 * i, of[i] = i % 2 - 1;
    }
    region.thickness = 0.01, region.bending = 1e-3;
    dampings[0].beta = 0.01, dampings[0].elements = some, dampings[0].element_count = 2;
    dampings[1].base = "strain-rate", dampings[1].exponent = 0.5, dampings[1].shear = 5, dampings[1].reference = 3;
    body.name = "sheet é", body.mesh = mesh, body.start = start, body.velocity = velocity;
    body.material = region, body.material.young = 1e5;
    if (custom) body.material.custom = region.custom = &own;
    body.regions = &region, body.region_count = 1, body.region_of_element = of, body.young_scale = scale;
    body.damping = dampings, body.damping_count = 2;
    body.limits.hi = 1.2, body.limits.lo = 0.9;
    SnStatus status = sn_world_add_body(world, &body, NULL);
    sn_mesh_destroy(mesh);
    return status;
}

static void make_step(SnWorld* world, SnRunFile* run)
{
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    check_ok(sn_run_file_add_step(run, &report));
    check_ok(sn_run_file_write_frame(run, world));
}

static void check_early(SnRunFile* run, int frame)
{
    double x[3 * ALL], v[3 * ALL];
    check_ok(sn_run_file_read_frame(run, frame, x, v));
    for (int i = BOX; i < ALL; i++)
        for (int c = 0; c < 3; c++) check(x[3 * i + c] == x[c] && v[3 * i + c] == 0);
}

// Made again, by its events.
static void check_again(SnRunFile* run)
{
    const SnEvent* events;
    SnWorld* again = make_world();
    double x[3 * ALL];
    int count, next = 0;
    check_ok(sn_run_file_read_events(run, -1, &events, &count));
    check(count == 1 && events[0].step == COMES && strcmp(events[0].kind, "add-body") == 0);
    for (int step = 0; step < STEPS; step++) {
        for (; next < count && events[next].step <= step; next++) check_ok(sn_world_apply(again, &events[next]));
        check_ok(sn_world_step(again, NULL));
        check_ok(sn_run_file_read_frame(run, step + 1, x, NULL));
        check(memcmp(x, sn_world_positions(again), 3 * (size_t)sn_world_node_count(again) * sizeof *x) == 0);
    }
    int fit = 0;
    for (int cut = 0; cut < 60; cut++) { // numbers that do not fit each other are refused
        SnEvent event = events[0];
        event.count = cut < 30 ? cut : event.count - cut + 29;
        if (sn_world_apply(again, &event) == SN_OK)
            fit++; // as in files before there were curves, groups and skins
        else
            check(strstr(sn_last_error(), "add-body") != NULL);
    }
    check(fit == 1);
    sn_world_destroy(again);
}

static void test_a_body_comes(void** state)
{
    (void)state;
    for (int compress = 0; compress < 2; compress++) {
        SnRunOptions options = sn_default_run_options();
        const char* path = in_folder("growing.run");
        SnWorld* world = make_world();
        SnRunFile *run, *reader;
        double x[3 * ALL];
        options.compress = compress, options.residuals = true;
        check_ok(sn_run_file_create(path, world, &options, &run));
        for (int i = 0; i < COMES; i++) make_step(world, run);
        check_ok(sn_run_file_open(path, &reader));
        check_fails(add_sheet(world, true), SN_ERROR_VALUE, "caller's functions", "shelf");
        check_ok(add_sheet(world, false));
        for (int i = COMES; i < STEPS; i++) make_step(world, run);
        check_ok(sn_run_file_refresh(reader)); // it reads on what it knows of
        check(sn_run_file_frame_count(reader) == 1 + STEPS && sn_run_file_node_count(reader) == BOX);
        check(sn_run_file_has_grown(reader) && sn_run_file_body_count(reader) == 1);
        check_ok(sn_run_file_read_frame(reader, STEPS, x, NULL));
        check(memcmp(x, sn_world_positions(world), 3 * BOX * sizeof *x) == 0);
        check_ok(sn_run_file_read_frame(reader, 1, x, NULL));
        sn_run_file_destroy(reader);
        check_ok(sn_run_file_close(run));
        check_ok(sn_run_file_open(path, &reader));
        check(!sn_run_file_has_grown(reader) && sn_run_file_body_count(reader) == 2);
        check(sn_run_file_node_count(reader) == ALL && sn_run_file_nodes_at(reader, COMES) == BOX);
        check(sn_run_file_bodies_at(reader, COMES) == 1 && sn_run_file_bodies_at(reader, COMES + 1) == 2);
        check(strcmp(sn_run_file_bodies(reader)[1].name, "sheet é") == 0);
        check_early(reader, 0), check_early(reader, COMES);
        check_ok(sn_run_file_read_frame(reader, STEPS, x, NULL));
        check(memcmp(x, sn_world_positions(world), sizeof x) == 0);
        check_ok(sn_run_file_read_residuals(reader, STEPS, x));
        for (int i = 0; i < ALL; i++)
            check_near(x[i], sn_length3(sn_world_residuals(world) + 3 * i),
                       1e-6 * sn_length3(sn_world_residuals(world) + 3 * i));
        check_ok(sn_run_file_read_residuals(reader, 0, x));
        check(x[0] == 0);
        check_again(reader);
        sn_run_file_destroy(reader);
        sn_world_destroy(world);
    }
}

static void write_surface(const char* path)
{
    FILE* file = fopen(path, "w");
    check(file != NULL);
    fputs("v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 0 1\nv 0 1 0 1 1 0\nv 0 0 1 1 0 1\nv 1 0 1 0 1 1\nv 1 1 1 1 1 1\n"
          "v 0 1 1 0 0 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 -1\nvn 0 0 1\ng lower\nusemtl red\ns 1\n"
          "f 1/1/1 4/2/1 3/3/1 2/4/1\nf 1/1 2/2 6/3 5/4\nf 2 3 7 6\ng upper\nusemtl blue\ns off\nf 3 4 8 7\n"
          "f 4 1 5 8\nf 5/1/2 6/2/2 7/3/2 8/4/2\n",
          file);
    check(fclose(file) == 0);
}

// A box of second order with a skin, or a sheet whose faces are its skin.
static void add_skinned(SnWorld* world, bool solid)
{
    SnBodyDef body = sn_default_body_def();
    SnMesh *box, *raised = NULL, *surface;
    check_ok(sn_mesh_make_box((double[3]){1, 1, 1}, (int[3]){1, 1, 1}, &box));
    check_ok(sn_mesh_raise(box, &raised));
    check_ok(sn_mesh_load(in_folder("surface.obj"), &surface));
    for (int i = 0; i < sn_mesh_node_count(raised); i++) sn_mesh_nodes(raised)[3 * i] += 3;
    for (int i = 0; i < sn_mesh_node_count(surface); i++) sn_mesh_nodes(surface)[3 * i] += solid ? 3 : 6;
    body.mesh = solid ? raised : surface, body.material = sn_material(solid ? "neo-hookean" : "stvk", 1e5, 0.3, 100);
    body.material.thickness = 0.01;
    if (solid) body.element = SN_ELEMENT_QUADRATIC, body.skin = surface, body.skin_weights = SN_SKIN_SMOOTH;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(box), sn_mesh_destroy(raised), sn_mesh_destroy(surface);
}

// A change with some of its numbers wrong is refused, or makes something else of it; nothing is read that is not there.
static void check_damaged(const SnEvent* good, int rounds)
{
    static const double wrong[] = {NAN, INFINITY, -1,     0,          1,   2,   3,       7,
                                   255, 1e300,    -1e300, 2147483647, 1e9, 0.5, 16777216};
    SnRandom random = {5};
    double* numbers = malloc((size_t)good->count * sizeof *numbers);
    for (int round = 0; round < rounds; round++) {
        SnEvent event = *good;
        SnWorld* world = make_world();
        memcpy(numbers, good->numbers, (size_t)good->count * sizeof *numbers);
        for (int k = 0; k <= round % 3; k++) { // mostly where counts are
            int most = round % 2 ? good->count : good->count < 60 ? good->count : 60;
            numbers[(int)sn_random_uniform(&random, 0, most)] = wrong[(int)sn_random_uniform(&random, 0, 15)];
        }
        event.numbers = numbers;
        (void)sn_world_apply(world, &event);
        sn_world_destroy(world);
    }
    free(numbers);
}

static bool same(const void* a, const void* b, int64_t count, size_t size)
{
    return (a == NULL) == (b == NULL) && (!a || memcmp(a, b, (size_t)count * size) == 0);
}

static void check_same_skin(const SnSkin* a, const SnSkin* b)
{
    const SnFaces *f = &a->faces, *g = &b->faces;
    int64_t carried = (int64_t)a->vertex_count * a->carrier_count, corners = f->start[f->count];
    check(a->vertex_count == b->vertex_count && a->carrier_count == b->carrier_count && f->count == g->count);
    check(f->uv_count == g->uv_count && f->normal_count == g->normal_count && f->group_count == g->group_count);
    check(same(a->rest, b->rest, a->vertex_count, 3 * sizeof(double)));
    check(same(a->carriers, b->carriers, carried, sizeof(int)) &&
          same(a->weights, b->weights, carried, sizeof(double)));
    check(same(f->start, g->start, f->count + 1, sizeof(int)) && same(f->corners, g->corners, corners, sizeof(int)));
    check(same(f->uvs, g->uvs, f->uv_count, 2 * sizeof(double)));
    check(same(f->corner_uvs, g->corner_uvs, corners, sizeof(int)));
    check(same(f->normals, g->normals, f->normal_count, 3 * sizeof(double)));
    check(same(f->corner_normals, g->corner_normals, corners, sizeof(int)));
    check(same(f->colours, g->colours, a->vertex_count, 4 * sizeof(float)));
    check(same(f->smoothing, g->smoothing, f->count, sizeof(int)));
    check(f->group_count == 4 && f->uv_count == 4 && f->normal_count == 2 && f->colours && f->smoothing);
    for (int k = 0; k < f->group_count; k++) {
        check(strcmp(f->groups[k].name, g->groups[k].name) == 0 && f->groups[k].kind == g->groups[k].kind);
        check(f->groups[k].count == g->groups[k].count);
        check(same(f->groups[k].faces, g->groups[k].faces, f->groups[k].count, sizeof(int)));
    }
}

// Skins with all that is drawn on them, and elements of second order: in the file, and in a world that is made again.
static void test_skins_come(void** state)
{
    (void)state;
    const char* path = in_folder("skinned.run");
    SnWorld *world = make_world(), *again = make_world();
    SnRunFile* run;
    const SnEvent* events;
    int count;
    write_surface(in_folder("surface.obj"));
    check_ok(sn_run_file_create(path, world, NULL, &run));
    make_step(world, run);
    add_skinned(world, true), add_skinned(world, false);
    make_step(world, run);
    check_ok(sn_run_file_close(run));
    check_ok(sn_run_file_open(path, &run));
    check_ok(sn_run_file_read_events(run, -1, &events, &count));
    check_ok(sn_world_step(again, NULL));
    check(count == 2);
    for (int i = 0; i < count; i++) check_ok(sn_world_apply(again, &events[i]));
    check_ok(sn_world_step(again, NULL));
    check(sn_world_hash(again) == sn_world_hash(world));
    for (int b = 1; b < 3; b++) {
        SnBodyInfo info, other;
        check_ok(sn_world_body(world, b, &info));
        check_ok(sn_world_body(again, b, &other));
        check(info.skin && other.skin && sn_run_file_bodies(run)[b].skin);
        check_same_skin(info.skin, other.skin);
        check_same_skin(info.skin, sn_run_file_bodies(run)[b].skin);
    }
    SnWorld* third = make_world();
    for (int i = 0; i < count; i++) { // what does not fit each other is refused, wherever it is cut
        for (int cut = 0; cut < events[i].count; cut += 1 + cut / 20) {
            SnEvent event = events[i];
            event.count = cut;
            if (sn_world_apply(third, &event) == SN_OK) sn_world_destroy(third), third = make_world();
        }
    }
    check(sn_world_body_count(third) == 1);
    for (int i = 0; i < count; i++) check_damaged(&events[i], 1500);
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world), sn_world_destroy(again), sn_world_destroy(third);
}

// A block that comes from below and is told to rise, a plane, and a ball that stays away.
static void add_obstacles(SnWorld* world)
{
    SnObstacleDef plane = sn_default_obstacle_def(), ball = sn_default_obstacle_def(), block = ball;
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[3]){3, 0.2, 3}, (int[3]){1, 1, 1}, &mesh));
    for (int i = 0; i < sn_mesh_node_count(mesh); i++)
        for (int c = 0; c < 3; c++) sn_mesh_nodes(mesh)[3 * i + c] -= c == 1 ? 1.5 : 1;
    block.shape = sn_obstacle("mesh"), block.shape.frames = (const SnMesh*[]){mesh}, block.shape.frame_count = 1;
    block.name = "block", block.motion.velocity[1] = 1.8, block.motion.until = 0.6;
    plane.shape.point[1] = -3, ball.shape = sn_obstacle("sphere"), ball.shape.point[0] = 9, ball.name = "ball";
    check_ok(sn_world_add_obstacle(world, &plane, NULL));
    check_ok(sn_world_add_obstacle(world, &block, NULL));
    check_ok(sn_world_add_obstacle(world, &ball, NULL));
    sn_mesh_destroy(mesh);
}

static void check_obstacle(SnRunFile* run, int frame, int obstacle, bool there, double height)
{
    SnPose pose;
    double first[3 * 8];
    check_ok(sn_run_file_read_obstacle(run, frame, obstacle, &pose,
                                       sn_run_file_obstacles(run)[obstacle].vertex_count == 8 ? first : NULL));
    for (int k = 0; k < 9; k++) check(pose.rotation[k] == (there && k % 4 == 0));
    if (there) check_near(pose.shift[1], height, 1e-12);
}

// Who reads the file from before goes on with what it knew, also over contacts with what has come.
static void test_obstacles_come(void** state)
{
    (void)state;
    enum { LAST = 40 };
    for (int compress = 0; compress < 2; compress++) {
        SnRunOptions options = sn_default_run_options();
        const char* path = in_folder("obstacles.run");
        SnWorld* world = make_world();
        SnRunFile *run, *reader;
        const SnContactInfo* contacts;
        const SnEvent* events;
        SnPose pose;
        int count;
        options.compress = compress;
        check_ok(sn_run_file_create(path, world, &options, &run));
        for (int i = 0; i < COMES; i++) make_step(world, run);
        check_ok(sn_run_file_open(path, &reader));
        add_obstacles(world);
        for (int i = COMES; i < LAST; i++) make_step(world, run);
        check(sn_world_contact_count(world) > 0);
        check_ok(sn_run_file_refresh(reader));
        check(sn_run_file_has_grown(reader) && sn_run_file_obstacle_count(reader) == 0);
        check_ok(sn_run_file_read_contacts(reader, LAST, &contacts, &count));
        check(count == 0);
        check_fails(sn_run_file_read_obstacle(reader, LAST, 1, &pose, NULL), SN_ERROR_VALUE, "no obstacle 1");
        sn_run_file_destroy(reader);
        check_ok(sn_run_file_close(run));
        check_ok(sn_run_file_open(path, &reader));
        check(!sn_run_file_has_grown(reader) && sn_run_file_obstacle_count(reader) == 3);
        check(strcmp(sn_run_file_obstacles(reader)[1].name, "block") == 0);
        check(sn_run_file_obstacles(reader)[0].plane && sn_run_file_obstacles(reader)[2].triangle_count > 100);
        check_ok(sn_run_file_read_contacts(reader, LAST, &contacts, &count));
        check(count > 0 && contacts[0].obstacle == 1);
        check_ok(sn_run_file_read_events(reader, -1, &events, &count));
        check(count == 3);
        for (int i = 0; i < count; i++) check_damaged(&events[i], 500);
        for (int k = 0; k < 3; k++) {
            double risen = k == 1 ? 1.8 * sn_run_file_time_step(reader) : 0;
            check_obstacle(reader, 0, k, false, 0), check_obstacle(reader, COMES, k, false, 0);
            check_obstacle(reader, COMES + 1, k, true, risen), check_obstacle(reader, COMES + 3, k, true, 3 * risen);
        }
        sn_run_file_destroy(reader);
        sn_world_destroy(world);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_body_comes),
    cmocka_unit_test(test_skins_come),
    cmocka_unit_test(test_obstacles_come),
};
RUN_TESTS(tests, make_folder, remove_folder)
