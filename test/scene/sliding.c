// A sheet that slides on a soft ball while bodies also touch: constraints that join nodes settle with every solver.
#include "check_world.h"

#include <sinew/scene.h>

static void run(const char* solver, const char* contact, int most)
{
    char text[1000];
    snprintf(text, sizeof text,
             "time: {step: 1/100}\nsolver: {type: %s, iterations: 300}\n%s"
             "bodies:\n  - {name: ball, mesh: {sphere: {radius: 0.5, cells: 3}}, material: {type: arap, young: 1e5}}\n"
             "  - {name: sheet, mesh: {cloth: {size: [0.4, 0.4], cells: [5, 5]}}, place: {move: [-0.2, 0.52, -0.2]},\n"
             "     material: {type: arap, young: 1e5, thickness: 2e-3, density: 500}}\n"
             "handles: [{body: ball, where: {y: [min, min+0.3]}}]\nslides: [{body: sheet, on: ball}]\n",
             solver, contact);
    SnScene* scene;
    SnWorld* world;
    check_ok(sn_scene_parse(text, strlen(text), "sliding.yaml", NULL, 0, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    for (int i = 0; i < 10; i++) {
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED || report.iterations > most)
            fail_msg("%s, %s: step %d: %s after %d iterations", solver, contact, i, sn_outcome_name(report.outcome),
                     report.iterations);
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void test_slides_settle(void** state)
{
    (void)state;
    const char* contacts[] = {"", "contact: {bodies: true}\n", "contact: {bodies: false}\n"};
    for (int k = 0; k < 3; k++) {
        run("newton", contacts[k], 60);
        run("auto", contacts[k], 100);
        run("lbfgs", contacts[k], 200);
    }
}

// Skin between a ball and a body whose facets it slides on: planes go to and fro between them, and steps say so.
static void test_facets(void** state)
{
    (void)state;
    static const char* const overrides[] = {"solver={type: newton, tolerance: 1e-6, iterations: 200}"};
    SnScene* scene;
    SnWorld* world;
    int unsettled = 0;
    check_ok(sn_scene_load(SN_SOURCE_DIR "/scenes/paper/admm-skin.yaml", overrides, 1, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    for (int i = 0; i < 16; i++) {
        SnStepReport report;
        double left, asked;
        check_ok(sn_world_step(world, &report));
        check(report.gradient <= report.tolerance);
        if (report.outcome == SN_OUTCOME_CONVERGED) continue;
        assert_int_equal(report.outcome, SN_OUTCOME_UNSETTLED);
        const char* numbers = strstr(report.detail, "residual is ");
        assert_non_null(numbers);
        assert_int_equal(sscanf(numbers, "residual is %lf N (%lf N", &left, &asked), 2);
        check(left > asked && fabs(asked - report.tolerance) <= 0.01 * asked);
        unsettled++;
    }
    check(unsettled > 0);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// A net that is to be on a cylinder and cannot: what is cut short has stalled, wherever planes were by then.
static void test_cut_short(void** state)
{
    (void)state;
    const char* text =
        "bodies: [{name: net, mesh: {net: {cells: [1, 2]}}, place: {fit: 0.399, rotate: [-0.29, 1, -0.19, -116], "
        "move: [-0.0612271, 0.05, -0.0119438]}, start: {stretch: [5.6662515054464793, 9.5578489259478658, 1]}}]\n"
        "handles: [{body: net, where: {z: [min, min]}}]\n"
        "obstacles: [{type: cylinder, name: pipe, thickness: 0.00014886518140844028}]\n"
        "slides: [{body: net, on: pipe, distance: 0}]\n";
    SnScene* scene;
    SnWorld* world;
    SnStepReport report;
    check_ok(sn_scene_parse(text, strlen(text), "net.yaml", NULL, 0, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    check_ok(sn_world_step(world, &report));
    assert_int_equal(report.outcome, SN_OUTCOME_STALLED);
    check(report.gradient > report.tolerance && strstr(report.detail, "slides contradict"));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slides_settle),
    cmocka_unit_test(test_facets),
    cmocka_unit_test(test_cut_short),
};
RUN_TESTS(tests, NULL, NULL)
