// Contact filters of a scene: bodies that fall past each other or do not, by what `pairs`, groups and bodies say.
#include "scenes.h"

static const char stage[] =
    "time: {step: 1/50}\n"
    "bodies:\n"
    "  - name: brick\n"
    "    mesh: &box {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}\n"
    "    place: {move: [0, 0.01, 0]}\n"
    "    material: &stuff {young: 1e6}\n"
    "  - {name: ball, mesh: *box, place: {move: [0.03, 0.23, 0.02]}, material: *stuff,\n"
    "     copies: {count: [1, 2, 1], step: [0, 0.23, 0]}, contact: {groups: [round]}}\n"
    "  - {name: rope, mesh: {rope: {length: 0.1, cells: 5}}, place: {move: [0.08, 0.75, 0.1]},\n"
    "     material: {type: spring, young: 1e6, thickness: 0.01}, contact: {groups: round}}\n"
    "obstacles:\n"
    "  - {name: floor, type: plane, groups: [ground], friction: 0.5}\n"
    "  - {type: plane, point: [0, -1, 0], friction: 0.5}\n";

static SnWorld* make(const char* contact)
{
    char text[2000];
    SnScene* scene;
    SnWorld* world;
    snprintf(text, sizeof text, "%scontact: %s\n", stage, contact);
    check_ok(parse(text, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    sn_scene_destroy(scene);
    return world;
}

static double bottom(const SnWorld* world, int body)
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, body, &info));
    double least = INFINITY;
    const double* x = sn_world_positions(world) + 3 * info.first_node;
    for (int i = 0; i < info.node_count; i++) least = fmin(least, x[3 * i + 1]);
    return least;
}

// Where brick, ball 0, ball 1 and rope end: on the lower plane, on the floor, or on one, two or three bodies.
static void test_filters(void** state)
{
    (void)state;
    static const struct {
        const char* contact;
        double height[4];
    } rows[] = {
        {"{friction: 0.5}", {0, 0.2, 0.4, 0.6}},
        {"{pairs: []}", {0, 0.2, 0.4, 0.6}},
        {"{bodies: false}", {0, 0, 0, 0}},
        {"{friction: 0.5, pairs: [{between: [brick, ball], touch: false}]}", {0, 0, 0.2, 0.4}},
        {"{friction: 0.5, pairs: [{between: [brick, ball 0], touch: false}]}", {0, 0, 0.2, 0.4}},
        {"{friction: 0.5, pairs: [{between: [ball, ball], touch: false}]}", {0, 0.2, 0.2, 0.4}},
        {"{friction: 0.5, pairs: [{between: [round, round], touch: false}]}", {0, 0.2, 0.2, 0.2}},
        {"{bodies: false, friction: 0.5, pairs: [{between: [0, round], touch: true}]}", {0, 0.2, 0.2, 0.2}},
        {"{friction: 0.5, pairs: [{between: [all, ground], touch: false}]}", {-1, -0.8, -0.6, -0.4}},
        {"{friction: 0.5, pairs: [{between: [all, floor], touch: false}, {between: [brick, floor], touch: true}]}",
         {0, 0.2, 0.4, 0.6}},
        {"{friction: 0.5, pairs: [{between: [rope, all], touch: false}, {between: [rope, obstacle 1], touch: true}]}",
         {0, 0.2, 0.4, -1}},
        {"{friction: 0.3, pairs: [{between: [all, all], friction: 1}]}", {0, 0.2, 0.4, 0.6}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SnWorld* world = make(rows[i].contact);
        for (int k = 0; k < 40; k++) check_ok(sn_world_step(world, NULL));
        for (int b = 0; b < 4; b++)
            if (fabs(bottom(world, b) - rows[i].height[b]) > 0.03)
                fail_msg("%s: body %d is at %g m", rows[i].contact, b, bottom(world, b));
        sn_world_destroy(world);
    }
}

// What a scene says gets to where it is used.
static void test_contact_of_bodies(void** state)
{
    (void)state;
    SnScene* scene = good("contact: {thickness: auto}\n"
                          "bodies:\n"
                          "  - {mesh: {box: {cells: [1, 1, 1]}}, contact: {self: true, thickness: 2e-3}}\n"
                          "  - {mesh: {box: {cells: [1, 1, 1]}}, contact: {self: false, groups: [a, b]}}\n"
                          "  - {mesh: {box: {cells: [1, 1, 1]}}}\n");
    const SnSceneBody* b = scene->bodies;
    check(sn_scene_world_def(scene)->contact.thickness == -1);
    check(b[0].contact.self == 1 && b[0].contact.thickness == 2e-3 && b[0].contact.group_count == 0);
    check(b[1].contact.self == 0 && b[1].contact.thickness == -1 && b[1].contact.group_count == 2);
    assert_string_equal(b[1].contact.groups[1], "b");
    check(b[2].contact.self == -1 && b[2].contact.thickness == -1 && b[2].contact.group_count == 0);
    sn_scene_destroy(scene);
}

// A body of which there is one copy is meant by its name.
static void test_one_copy(void** state)
{
    (void)state;
    sn_scene_destroy(good("bodies: [{name: a, mesh: {box: {cells: [1, 1, 1]}}, copies: {count: [1, 1, 1]}}]\n"
                          "contact: {pairs: [{between: [a, all], touch: false}]}\n"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_filters),
    cmocka_unit_test(test_contact_of_bodies),
    cmocka_unit_test(test_one_copy),
};
RUN_TESTS(tests, NULL, NULL)
