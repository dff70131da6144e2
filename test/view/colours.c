// Colours of nodes by their numbers; the steps of a run made again.
#include "pictures.h"

#include "solver/initial.h"
#include "view/picture_geometry.h"
#include "view/run_again.h"
#include "view/run_colour.h"
#include "view/run_trails.h"
#include <sinew/run.h>
#include <sinew/scene.h>

static const char text[] = "time: {step: 0.02, frames: 4}\n"
                           "solver: {type: dot, subdomains: 3, iterations: 3, tolerance: 0}\n"
                           "bodies:\n"
                           "  - mesh: {box: {size: [4, 1, 1], cells: [8, 2, 2]}}\n"
                           "    material: {young: 1e5}\n"
                           "handles:\n"
                           "  - {body: 0, where: {x: [min, min]}}\n";

// A run of that scene with one change, which the file has; the gradient of each step.
static SnRunFile* make_run(double* gradients)
{
    const char* changes[] = {"bodies.0.material.density=500"};
    SnScene* scene;
    SnWorld* world;
    SnRunFile* run;
    check_ok(sn_scene_parse(text, strlen(text), "scene.yaml", changes, 1, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    SnRunOptions options = sn_default_run_options();
    options.scene = text;
    check_ok(sn_run_file_create(in_folder("run.run"), world, &options, &run));
    check_ok(sn_run_file_set_meta(run, "overrides", "bodies.0.material.density=500\n"));
    for (int i = 0; i < 4; i++) {
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        check_ok(sn_run_file_add_step(run, &report));
        check_ok(sn_run_file_write_frame(run, world));
        gradients[i] = report.gradient;
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return run;
}

// They are those of the run, in any order; frame 0 has none.
static void test_residuals(void** state)
{
    (void)state;
    double gradients[4];
    SnRunFile* run = make_run(gradients);
    SnRunAgain* again;
    check_ok(sn_run_again_create(run, &again));
    static const int order[] = {1, 4, 2, 0, 3};
    for (int k = 0; k < 5; k++) {
        const double* residual;
        double sum = 0;
        check_ok(sn_run_again_residual(again, order[k], &residual));
        for (int i = 0; i < sn_run_file_node_count(run); i++) sum += residual[i] * residual[i];
        double expected = order[k] ? gradients[order[k] - 1] : 0;
        check_near(sqrt(sum), expected, 1e-12 * expected + 1e-300);
    }
    sn_run_again_destroy(again);
    sn_run_file_destroy(run);
}

// Each of the three has nodes, and they lie along the bar one after another.
static void test_subdomains(void** state)
{
    (void)state;
    double gradients[4], lo[3] = {9, 9, 9}, hi[3] = {0, 0, 0}, all = 0;
    SnRunFile* run = make_run(gradients);
    SnRunAgain* again;
    const int* part;
    check_ok(sn_run_again_create(run, &again));
    check_ok(sn_run_again_subdomains(again, &part));
    const double* rest = sn_run_file_bodies(run)[0].rest;
    for (int i = 0; i < sn_run_file_node_count(run); i++) {
        check(part[i] >= 0 && part[i] < 3);
        lo[part[i]] = fmin(lo[part[i]], rest[3 * i]), hi[part[i]] = fmax(hi[part[i]], rest[3 * i]);
    }
    for (int k = 0; k < 3; k++) all += hi[k] - lo[k];
    check(all > 2 && all < 6); // of 4 m; each alone would be as long as the bar if they were mixed
    sn_run_again_destroy(again);
    sn_run_file_destroy(run);
}

// The colours of the bar's nodes by how it is stretched, beside a body on the shelf, or without one.
static void colours_beside(bool shelf, float* colours, int count)
{
    char scene_text[600];
    const char *end = strstr(text, "handles:"), *more = "  - {mesh: {box: {}}, shelf: true}\n";
    snprintf(scene_text, sizeof scene_text, "%.*s%s%s", (int)(end - text), text, shelf ? more : "", end);
    SnScene* scene;
    SnWorld* world;
    SnRunFile* run;
    SnRunPicture* picture;
    SnRunColour* colour;
    check_ok(sn_scene_parse(scene_text, strlen(scene_text), "scene.yaml", NULL, 0, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    check_ok(sn_run_file_create(in_folder("run.run"), world, NULL, &run));
    for (int i = 0; i < 3; i++) {
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        check_ok(sn_run_file_add_step(run, &report));
        check_ok(sn_run_file_write_frame(run, world));
    }
    check_ok(sn_run_picture_create(run, 1.5, &picture));
    check_ok(sn_run_colour_create(picture, "stretch", NULL, &colour));
    check_ok(sn_run_picture_read(picture, 3));
    check_ok(sn_run_colour_read(colour, 3));
    memcpy(colours, picture->scene.bodies[0].colours, (size_t)count * sizeof *colours);
    sn_run_colour_destroy(colour);
    sn_run_picture_destroy(picture);
    sn_run_file_destroy(run);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// What is not seen has no part in the scale.
static void test_shelf(void** state)
{
    (void)state;
    enum { COUNT = 3 * 9 * 3 * 3 };
    float with[COUNT], without[COUNT];
    colours_beside(true, with, COUNT);
    colours_beside(false, without, COUNT);
    for (int i = 0; i < COUNT; i++) check_near(with[i], without[i], 1e-3);
}

// Every kind of number colours the nodes, differently where they differ; the scale is drawn.
static void test_colours(void** state)
{
    (void)state;
    double gradients[4];
    SnRunFile* run = make_run(gradients);
    SnRunPicture* picture;
    check_ok(sn_run_picture_create(run, 1.5, &picture));
    for (int k = 0; sn_run_colour_names[k]; k++) {
        SnRunColour* colour;
        check_ok(sn_run_colour_create(picture, sn_run_colour_names[k], NULL, &colour));
        check_ok(sn_run_picture_read(picture, 4));
        check_ok(sn_run_colour_read(colour, 4));
        const SnPictureBody* body = &picture->scene.bodies[0];
        SnPictureGeometry geometry = {0};
        check_ok(sn_picture_geometry_fill(&geometry, &picture->scene));
        int different = 0;
        for (int v = 1; v < geometry.vertex_count; v++) {
            const float* wanted = body->colours + 3 * body->surface->source[v];
            for (int i = 0; i < 3; i++) check_near(geometry.vertices[v].colour[i] / 255.0, wanted[i], 0.51 / 255);
            different += memcmp(geometry.vertices[v].colour, geometry.vertices[0].colour, 3) != 0;
        }
        check(different > 10);
        uint8_t* pixels = calloc(3, 300 * 200);
        check_ok(sn_run_colour_draw_scale(colour, 300, 200, pixels));
        int drawn = 0;
        for (int i = 0; i < 3 * 300 * 200; i++) drawn += pixels[i] != 0;
        check(strcmp(sn_run_colour_names[k], "subdomain") == 0 ? drawn == 0 : drawn > 100);
        free(pixels);
        sn_picture_geometry_free(&geometry);
        sn_run_colour_destroy(colour);
        check(picture->scene.bodies[0].colours == NULL);
    }
    SnRunColour* none;
    check_fails(sn_run_colour_create(picture, "sped", NULL, &none), SN_ERROR_VALUE, "speed", "sped");
    sn_run_picture_destroy(picture);
    sn_run_file_destroy(run);
}

// The ways of nodes, as far back as asked for: they end where the nodes are.
static void test_trails(void** state)
{
    (void)state;
    double gradients[4];
    SnRunFile* run = make_run(gradients);
    SnRunPicture* picture;
    SnRunTrails* trails;
    check_ok(sn_run_picture_create(run, 1, &picture));
    int before = picture->scene.rope_count, count;
    check_ok(sn_run_trails_create(picture, 0.04, &trails));
    sn_run_trails_show(trails, 0);
    assert_int_equal(picture->scene.rope_count, before); // nothing has moved yet
    double *now = malloc(sizeof(double) * 3 * (size_t)sn_run_file_node_count(run)), x[3];
    for (int frame = 1; frame <= 4; frame++) {
        sn_run_trails_show(trails, frame);
        count = picture->scene.rope_count - before;
        assert_int_equal(count, 6);
        check_ok(sn_run_file_read_frame(run, frame, now, NULL));
        for (int i = 0; i < count; i++) {
            const SnPictureRope* rope = &picture->scene.ropes[before + i];
            assert_int_equal(rope->edge_count, frame < 2 ? frame : 2);
            int hits = 0;
            for (int n = 0; n < sn_run_file_node_count(run); n++) {
                memcpy(x, now + 3 * n, sizeof x);
                sn_run_picture_turn(picture, x);
                hits += memcmp(x, rope->positions + 3 * rope->edge_count, sizeof x) == 0;
            }
            assert_int_equal(hits, 1);
        }
    }
    free(now);
    sn_run_trails_destroy(trails);
    sn_run_picture_destroy(picture);
    sn_run_file_destroy(run);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_residuals), cmocka_unit_test(test_subdomains), cmocka_unit_test(test_colours),
    cmocka_unit_test(test_shelf),     cmocka_unit_test(test_trails),
};
RUN_TESTS(tests, make_folder, remove_folder)
