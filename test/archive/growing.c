// Bodies that come while a run file is written: who reads it from the start, on, or later, and who makes it again.
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

// A sheet with all that a body can have and a run can take up.
static SnStatus add_sheet(SnWorld* world, bool custom)
{
    static const SnMaterialType own;
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
    if (custom) body.material.custom = &own;
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
    for (int cut = 0; cut < 60; cut++) { // numbers that do not fit each other are refused
        SnEvent event = events[0];
        event.count = cut < 30 ? cut : event.count - cut + 29;
        check_fails(sn_world_apply(again, &event), SN_ERROR_VALUE, "add-body");
    }
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
        check_fails(add_sheet(world, true), SN_ERROR_VALUE, "material of its own", "shelf");
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_body_comes),
};
RUN_TESTS(tests, make_folder, remove_folder)
