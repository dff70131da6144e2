// Scenes as text: expressions, JSON, anchors, and overrides.
#include "core/expression.h"
#include "scenes.h"

static void expressions(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        double value;
    } rows[] = {{"1/30", 1.0 / 30}, {"2*pi", 2 * SN_PI}, {"1e5", 1e5},         {"-2^2", -4},
                {"2^3^2", 512},     {"2^-1", 0.5},       {"(1+2)*3 - 4/2", 7}, {"1-2-3", -4},
                {"8/2/2", 2},       {"sqrt(16)", 4},     {"sin(30)", 0.5},     {"cos(60)", 0.5},
                {"tan(45)", 1},     {"max-0.01", 3.99},  {"(min+max)/2", 3},   {" .5 ", 0.5},
                {"5.", 5},          {"+3", 3},           {"--3", 3},           {"1E-3", 1e-3},
                {".inf", INFINITY}, {"-inf", -INFINITY}};
    const SnVariable variables[] = {{"min", 2}, {"max", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value;
        char error[200];
        if (!sn_expression(rows[i].text, variables, 2, &value, error, sizeof error)) fail_msg("%s", error);
        if (value != rows[i].value) check_near(value, rows[i].value, 1e-15 * fabs(rows[i].value));
    }
}

static void bad_expressions(void** state)
{
    (void)state;
    static const char* const rows[][2] = {{"", "missing"},
                                          {"1/0", "division by zero"},
                                          {"abc", "'abc' is not known"},
                                          {"1 2", "'2' was not expected"},
                                          {"(1", "')' is missing"},
                                          {"sqrt 2", "parentheses"},
                                          {"sqrt(-1)", "not a number"},
                                          {"1e999", "too large"},
                                          {"1.2.3", "'1.2.3' is not a number"},
                                          {"max", "only in the ranges"},
                                          {"0x10", "'x10' was not expected"},
                                          {"2*", "missing at the end"},
                                          {"nan", "'nan' is not known"},
                                          {"$", "'$' was not expected"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value;
        char error[200];
        if (sn_expression(rows[i][0], NULL, 0, &value, error, sizeof error)) fail_msg("'%s' passed", rows[i][0]);
        if (!strstr(error, rows[i][1])) fail_msg("'%s': \"%s\" lacks \"%s\"", rows[i][0], error, rows[i][1]);
    }
    char deep[5001], error[200];
    double value;
    memset(deep, '(', 5000), deep[5000] = 0;
    check(!sn_expression(deep, NULL, 0, &value, error, sizeof error));
    memset(deep, '-', 5000);
    check(!sn_expression(deep, NULL, 0, &value, error, sizeof error));
}

static void json_is_yaml(void** state)
{
    (void)state;
    SnScene* scene = good("{\"name\": \"json\", \"time\": {\"step\": 0.01, \"frames\": 3},\n"
                          "\t\"bodies\": [{\"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}}],\n"
                          "\t\"handles\": [{\"body\": 0, \"where\": \"all\"}]}");
    assert_string_equal(sn_scene_name(scene), "json");
    assert_int_equal(sn_scene_frames(scene), 3);
    assert_int_equal(scene->handles[0].def.node_count, 8);
    sn_scene_destroy(scene);
}

static void anchors_and_merges(void** state)
{
    (void)state;
    SnScene* scene = good("bodies:\n"
                          "  - name: a\n"
                          "    mesh: &mesh {box: {size: [1, 1, 1], cells: [1, 1, 1]}}\n"
                          "    material: &soft {type: stvk, young: 1e4}\n"
                          "  - name: b\n"
                          "    mesh: *mesh\n"
                          "    material: {<<: *soft, young: 3e4}\n");
    assert_int_equal(scene->body_count, 2);
    assert_string_equal(scene->bodies[1].material.type, "stvk");
    check_near(scene->bodies[1].material.young, 3e4, 0);
    assert_int_equal(scene->bodies[1].mesh->node_count, 8);
    sn_scene_destroy(scene);
}

static void overrides(void** state)
{
    (void)state;
    const char* text = base_scene(0, NULL);
    SnScene* scene = good_set(text, "bodies.bar.material.young=2e6");
    check_near(scene->bodies[0].material.young, 2e6, 0);
    sn_scene_destroy(scene);
    scene = good_set(text, "bodies.0.material.poisson=1/4");
    check_near(scene->bodies[0].material.poisson, 0.25, 0);
    check_near(scene->bodies[0].material.young, 1e5, 0);
    sn_scene_destroy(scene);
    scene = good_set(text, "time={step: 1/60, frames: 7}");
    assert_int_equal(sn_scene_frames(scene), 7);
    sn_scene_destroy(scene);
    scene = good_set(text, "integrator.type=static"); // the file has the short form
    assert_string_equal(scene->part.world.integrator, "static");
    sn_scene_destroy(scene);
    scene = good_set(text, "integrator=static");
    assert_string_equal(scene->part.world.integrator, "static");
    sn_scene_destroy(scene);
    scene = good_set("bodies: [{mesh: {box: }}]\n", "solver.tolerance=1e-9"); // creates the mapping
    check_near(scene->part.world.solver.tolerance, 1e-9, 0);
    sn_scene_destroy(scene);
    scene = good_set(text, "bodies.bar.mesh.sphere={radius: 2, cells: 2}"); // in the place of the box
    check_near(scene->bodies[0].measure.lo[0], -2, 1e-12);
    sn_scene_destroy(scene);
    scene = good_set(text, "solver.subdomains=12");
    assert_int_equal(scene->part.world.solver.subdomains, 12);
    sn_scene_destroy(scene);
    scene = good_set(text, "handles=[]");
    assert_int_equal(scene->handle_count, 0);
    sn_scene_destroy(scene);
}

static void bad_overrides(void** state)
{
    (void)state;
    static const char* const rows[][3] = {
        {"bodies.baz.name=x", "'baz' is not in the list 'bodies'", "0 to 0 or 'bar'"},
        {"bodies.7.name=x", "'7' is not in the list", "0 to 0"},
        {"time.step", "path=value", "in 'time.step'"},
        {"=3", "path=value", "in '=3'"},
        {"time..step=1", "empty", "in 'time..step=1'"},
        {"time.step=", "value is missing", "in 'time.step='"},
        {"time.step=-1", "'step' in time must be > 0", "in 'time.step=-1'"},
        {"time.stp=1", "unknown key 'stp' in time", "did you mean 'step'"},
        {"name.first=1", "has no key 'first'", "'name' is 'test'"},
        {"solver.type=nwton", "unknown type 'nwton' in solver", "did you mean 'newton'"},
        {"gravity=[1, 2", "YAML syntax", "in 'gravity=[1, 2'"},
        {"colour=red", "unknown key 'colour' in the scene", "valid keys"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SnScene* scene;
        SnStatus status = parse_set(base_scene(0, NULL), rows[i][0], &scene);
        check(status == SN_ERROR_VALUE || status == SN_ERROR_FORMAT);
        SnSceneProblem problem = sn_scene_problem(scene, 0);
        assert_string_equal(problem.file, "--set");
        assert_int_equal(problem.line, 0);
        for (int w = 1; w < 3; w++)
            if (!strstr(problem.message, rows[i][w])) fail_msg("\"%s\" lacks \"%s\"", problem.message, rows[i][w]);
        sn_scene_destroy(scene);
    }
}

// Texts that are larger than any scene, by what they are made of.
static void too_much(void** state)
{
    (void)state;
    enum { BYTES = (64 << 20) + 1 };
    static const struct {
        const char *begin, *piece, *end; // with a %d in it, a number
        int count;
        const char* says;
    } rows[] = {
        {"bodies: [", "1,", "]", 1000001, "more than 1000000 values"},
        {"bodies: [", "&a%d 1,", "]", 1001, "more than 1000 anchors"},
        {"a: &a {", "a%d: 1,", "}\nb: &b {c: 1, d: 2}\nbodies: [{<<: [*a, *b]}]", 999, "more than 1000 keys"},
        {"", "%1024d", "", BYTES / 1024 + 1, "larger than 64 MiB"},
    };
    char* text = malloc(BYTES + 2000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char* at = stpcpy(text, rows[i].begin);
        for (int k = 0; k < rows[i].count; k++) at += sprintf(at, rows[i].piece, k);
        strcpy(at, rows[i].end);
        SnScene* scene;
        check_fails(parse(text, &scene), SN_ERROR_FORMAT, rows[i].says);
        sn_scene_destroy(scene);
    }
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(expressions),        cmocka_unit_test(bad_expressions), cmocka_unit_test(json_is_yaml),
    cmocka_unit_test(anchors_and_merges), cmocka_unit_test(too_much),        cmocka_unit_test(overrides),
    cmocka_unit_test(bad_overrides),
};
RUN_TESTS(tests, NULL, NULL)
