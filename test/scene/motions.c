// Handles that move: motions, the scripts of the papers, and the scenes that use them.
#include <glob.h>

#include "scenes.h"
#include "world/motion.h"

static void motions(void** state)
{
    (void)state;
    SnScene* scene =
        box_scene("", "handles:\n"
                      "  - {body: bar, where: {x: [min, min]}}\n"
                      "  - body: bar\n"
                      "    where: {x: [max, max]}\n"
                      "    motion: {velocity: [1, 0, 0], rotate: {axis: [2, 0, 0], rate: 90}, until: 2, release: 3,\n"
                      "             keyframes: [[0, [0, 0, 0]], [1/2, [0, 1, 0]]]}\n"
                      "  - {body: bar, where: {x: [2, 2]},\n"
                      "     motion: {rotate: {axis: [0, 1, 0], rate: -180, centre: [7, 8, 9]}, turn: [2, 1],\n"
                      "              oscillate: {amplitude: [0, 3, 0], frequency: 1.5}}}\n");
    const SnMotion* none = &scene->handles[0].def.motion;
    const SnMotion* m = &scene->handles[1].def.motion;
    check(none->rotate_rate == 0 && none->keyframe_count == 0 && isinf(none->until) && isinf(none->release));
    check_near(m->velocity[0], 1, 0);
    check_near(m->rotate_axis[0], 2, 0);
    check_near(m->rotate_rate, SN_PI / 2, 1e-15);
    check_near(m->rotate_centre[0], 2, 0);
    check_near(m->rotate_centre[1], 1, 0);
    check_near(m->until, 2, 0);
    check_near(m->release, 3, 0);
    assert_int_equal(m->keyframe_count, 2);
    check_near(m->keyframes[1].time, 0.5, 0);
    check_near(m->keyframes[1].move[1], 1, 0);
    m = &scene->handles[2].def.motion;
    check_near(m->rotate_rate, -SN_PI, 1e-15);
    check_near(m->rotate_centre[2], 9, 0);
    check_near(m->turn[1], 1, 0);
    check_near(m->oscillate_amplitude[1], 3, 0);
    check_near(m->oscillate_frequency, 1.5, 0);
    sn_scene_destroy(scene);
}

// The papers' scripts as their codes do them: before each step, the ends turn when they are at their bounds or beyond.
static void scripts_follow_the_rule(void** state)
{
    (void)state;
    static const struct {
        const char* type;
        double speed, ahead, back, rate;
    } rows[] = {{"stretch", 0.1, INFINITY, INFINITY, 0},
                {"squash", -0.03, INFINITY, INFINITY, 0},
                {"twist", 0, INFINITY, INFINITY, 0.1 * SN_PI},
                {"stretch-squash", 0.9, 0.8, 0.4, 0},
                {"twist-stretch-squash", 0.9, 0.8, 0.4, 0.4 * SN_PI},
                {"large-twist-stretch-squash", 1.2, 1.2, 0.4, 0.4 * SN_PI}};
    const double h = 0.025, start[3] = {0.3, 0.1, 1.2};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "time: {step: 0.025}\nscripts: [{type: %s, body: bar}]\n", rows[i].type);
        SnScene* scene = box_scene("", text);
        assert_int_equal(scene->handle_count, 2);
        assert_int_equal(scene->handles[0].def.node_count, 9);
        double far = 0, sign = 1;
        for (int step = 1; step <= 400; step++) {
            if (far >= rows[i].ahead - 1e-9 || far <= -rows[i].back + 1e-9) sign = -sign;
            far += sign * rows[i].speed * h;
            for (int side = -1; side <= 1; side += 2) {
                double x[3], angle = side * rows[i].rate * step * h, c = cos(angle), s = sin(angle);
                sn_motion_apply(&scene->handles[side > 0].def.motion, step * h, start, x);
                check_near(x[0], start[0] + side * far, 1e-12);
                check_near(x[1], 1 + c * (start[1] - 1) - s * (start[2] - 1), 1e-12);
                check_near(x[2], 1 + s * (start[1] - 1) + c * (start[2] - 1), 1e-12);
            }
        }
        sn_scene_destroy(scene);
    }
}

static void slingshot(void** state)
{
    (void)state;
    SnScene* scene = good("time: {step: 0.025}\ngravity: [0, 0, 0]\n"
                          "bodies: [{name: bar, mesh: {box: {size: [2, 4, 2], cells: [1, 50, 1]}}}]\n"
                          "scripts: [{type: slingshot, body: bar}]\n");
    assert_int_equal(scene->handle_count, 3);
    const SnHandleDef *waist = &scene->handles[0].def, *bottom = &scene->handles[1].def, *top = &scene->handles[2].def;
    assert_int_equal(waist->node_count, 3 * 4); // y = 1.92, 2, 2.08
    assert_int_equal(bottom->node_count, 2 * 4);
    assert_int_equal(top->node_count, 2 * 4);
    check_near(waist->motion.velocity[0], -2.5, 0);
    check_near(waist->motion.release, 2, 1e-12);
    check_near(bottom->motion.velocity[1], -0.2, 0);
    check_near(top->motion.velocity[1], 0.2, 0);
    check_near(top->motion.until, 2, 1e-12);
    sn_scene_destroy(scene);
}

static void script_numbers_can_be_set(void** state)
{
    (void)state;
    SnScene* scene =
        box_scene("", "time: {step: 0.1}\nscripts: [{type: stretch, body: 0, width: 0.3, speed: -2, rate: 90,\n"
                      "           turn: [0.5, 0.1]}]\n");
    const SnHandleDef* right = &scene->handles[1].def;
    assert_int_equal(right->node_count, 2 * 9); // x = 3 and 4
    check_near(right->motion.velocity[0], -2, 0);
    check_near(right->motion.rotate_rate, SN_PI / 2, 1e-15);
    check_near(right->motion.turn[0], 0.6, 1e-15); // three steps of 0.2 m
    check_near(right->motion.turn[1], 0.2, 1e-15);
    sn_scene_destroy(scene);
}

// The scenes of the papers have no problems, and their handles hold something.
static void paper_scenes(void** state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob(SN_SOURCE_DIR "/scenes/paper/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        SnScene* scene;
        check_ok(sn_scene_load(files.gl_pathv[i], NULL, 0, &scene));
        assert_int_equal(sn_scene_problem_count(scene), 0);
        bool held = scene->part.handles.count + scene->part.scripts.count > 0; // some bodies fly freely
        check(held == (scene->handle_count > 0));
        for (int h = 0; h < scene->handle_count; h++) check(scene->handles[h].def.node_count >= 4);
        sn_scene_destroy(scene);
    }
    globfree(&files);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(motions),      cmocka_unit_test(scripts_follow_the_rule),
    cmocka_unit_test(slingshot),    cmocka_unit_test(script_numbers_can_be_set),
    cmocka_unit_test(paper_scenes),
};
RUN_TESTS(tests, NULL, NULL)
