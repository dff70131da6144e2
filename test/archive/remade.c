// Fields of a run are those that its world had, with the numbers that materials and actuators had got by each frame.
#include "archive/remake.h"

#include <sinew/actuator.h>
#include <sinew/field.h>
#include <sinew/run.h>

#include "moments.h"

enum { STEPS = 9, BOX = 27 };
static const char text[] = "time: {step: 1/64}\n"
                           "bodies: [{name: box, mesh: {box: {cells: [2, 2, 2]}}, material: {young: 2e4}}]\n"
                           "handles: [{body: box, where: {x: [min, min]}}]\n";

static void change(SnWorld* world, int step)
{
    static const double ramp[] = {0, 0, 0.1, 1};
    SnActuatorDef growth = sn_default_actuator_def("growth");
    growth.growth[0] = 0.2, growth.ramp = (SnCurve){2, ramp};
    if (step == 3) check_ok(sn_world_set_material(world, 0, "young", 9e4));
    if (step == 5) check_ok(sn_world_add_actuator(world, &growth, NULL));
    if (step == 7) check_ok(sn_world_set_actuator(world, 0, 2));
}

static void test_fields_follow_changes(void** unused)
{
    (void)unused;
    static const int order[] = {4, 9, 2, 8, 0, 6, 7, 3, 1, 5};
    double had[STEPS + 1][BOX], x[3 * BOX], v[3 * BOX], field[BOX];
    SnScene *scene, *again;
    SnWorld *world, *remade;
    SnRunFile* run;
    SnRunOptions options = sn_default_run_options();
    check_ok(sn_scene_parse(text, strlen(text), "box.yaml", NULL, 0, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    options.scene = text;
    check_ok(sn_run_file_create(in_folder("run.run"), world, &options, &run));
    check_ok(sn_world_field(world, "von-mises", SN_FIELD_NODES, had[0]));
    for (int step = 0; step < STEPS; step++) {
        SnStepReport report;
        change(world, step);
        check_ok(sn_world_step(world, &report));
        check_ok(sn_run_file_add_step(run, &report));
        check_ok(sn_run_file_write_frame(run, world));
        check_ok(sn_world_field(world, "von-mises", SN_FIELD_NODES, had[step + 1]));
    }
    check_ok(sn_remake_scene(run, &again));
    check_ok(sn_remake_world(run, again, &remade));
    for (int k = 0; k <= STEPS; k++) {
        check_ok(sn_run_file_read_frame(run, order[k], x, v));
        check_ok(sn_remake_go(run, again, &remade, order[k], x, v));
        check_ok(sn_world_field(remade, "von-mises", SN_FIELD_NODES, field));
        for (int i = 0; i < BOX; i++) check_near(field[i], had[order[k]][i], 1e-9 * (1 + fabs(field[i])));
    }
    sn_world_destroy(remade), sn_scene_destroy(again);
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world), sn_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fields_follow_changes),
};
RUN_TESTS(tests, make_folder, remove_folder)
