// Scenes: what good ones mean, and how bad ones are answered.
#include <glob.h>
#include <unistd.h>

#include "dissipation/dissipation.h"
#include "scene/expression.h"
#include "scene_fixture.h"
#include "scene_materials.h"
#include "scene_mistakes.h"
#include "scene_robustness.h"
#include "world/motion.h"

#define PI 3.14159265358979323846

static const double* rest_node(const SnScene* scene, int node)
{
    return scene->bodies[0].mesh->nodes + 3 * node;
}

static void expressions(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        double value;
    } rows[] = {{"1/30", 1.0 / 30}, {"2*pi", 2 * PI},   {"1e5", 1e5},         {"-2^2", -4},
                {"2^3^2", 512},     {"2^-1", 0.5},      {"(1+2)*3 - 4/2", 7}, {"1-2-3", -4},
                {"8/2/2", 2},       {"sqrt(16)", 4},    {"sin(30)", 0.5},     {"cos(60)", 0.5},
                {"tan(45)", 1},     {"max-0.01", 3.99}, {"(min+max)/2", 3},   {" .5 ", 0.5},
                {"5.", 5},          {"+3", 3},          {"--3", 3},           {"1E-3", 1e-3},
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

static void full_scene(void** state)
{
    (void)state;
    SnScene* scene = good("name: twisting bar\n"
                          "time: {step: 1/30, frames: 120}\n"
                          "gravity: [0, 0, -1.62]\n"
                          "integrator: {type: static}\n"
                          "solver: {type: lbfgs, iterations: 12, tolerance: 1e-6, armijo: 0.01,\n"
                          "         line-search: wolfe, initial: identity, history: 0,\n"
                          "         linear: pcg, subdomains: {nodes: 700}}\n"
                          "bodies:\n"
                          "  - mesh: {box: {size: [4, 1, 1], cells: [2, 1, 1], pattern: bcc}}\n"
                          "    material: {type: stvk, young: 2e5, poisson: 0.3, density: 900, weight: 2,\n"
                          "               inversion: barrier, thickness: 0.01}\n"
                          "output: {every: 2, write: [vtu, csv]}\n");
    const SnWorldDef* world = sn_scene_world_def(scene);
    const SnMaterial* material = &scene->bodies[0].material;
    assert_string_equal(sn_scene_name(scene), "twisting bar");
    assert_int_equal(sn_scene_frames(scene), 120);
    check_near(world->time_step, 1.0 / 30, 0);
    check_near(world->gravity[2], -1.62, 0);
    assert_string_equal(world->integrator, "static");
    assert_int_equal(world->solver.iterations, 12);
    check_near(world->solver.tolerance, 1e-6, 0);
    check_near(world->solver.armijo, 0.01, 0);
    assert_string_equal(world->solver.type, "lbfgs");
    assert_string_equal(world->solver.line_search, "wolfe");
    assert_string_equal(world->solver.initial, "identity");
    assert_int_equal(world->solver.history, 0);
    assert_string_equal(world->solver.linear, "pcg");
    assert_int_equal(world->solver.subdomains, 0);
    assert_int_equal(world->solver.subdomain_nodes, 700);
    assert_string_equal(material->type, "stvk");
    check_near(material->young, 2e5, 0);
    check_near(material->poisson, 0.3, 0);
    check_near(material->density, 900, 0);
    check_near(material->weight, 2, 0);
    check_near(material->thickness, 0.01, 0);
    assert_int_equal(material->inversion, SN_INVERSION_BARRIER);
    assert_int_equal(sn_scene_output(scene)->every, 2);
    assert_int_equal(sn_scene_output(scene)->write_count, 2);
    assert_string_equal(sn_scene_output(scene)->write[1], "csv");
    check(strstr(sn_scene_text(scene), "twisting bar") != NULL);
    check(scene->bodies[0].mesh->node_count == 12 + 2); // the pattern has a node in every cell
    sn_scene_destroy(scene);
}

static void check_same_world(const SnWorldDef* a, const SnWorldDef* b)
{
    check_near(a->time_step, b->time_step, 1e-15);
    for (int i = 0; i < 3; i++) check_near(a->gravity[i], b->gravity[i], 0);
    assert_string_equal(a->integrator, b->integrator);
    assert_string_equal(a->solver.type, b->solver.type);
    assert_int_equal(a->solver.iterations, b->solver.iterations);
    check_near(a->solver.tolerance, b->solver.tolerance, 0);
    check_near(a->solver.armijo, b->solver.armijo, 0);
    assert_string_equal(a->solver.line_search, b->solver.line_search);
    assert_string_equal(a->solver.initial, b->solver.initial);
    assert_int_equal(a->solver.history, b->solver.history);
    assert_string_equal(a->solver.linear, b->solver.linear);
    assert_int_equal(a->solver.subdomains, b->solver.subdomains);
    assert_int_equal(a->solver.subdomain_nodes, b->solver.subdomain_nodes);
}

static void check_same_material(const SnMaterial* a, const SnMaterial* b)
{
    assert_string_equal(a->type, b->type);
    check_near(a->young, b->young, 0);
    check_near(a->poisson, b->poisson, 0);
    check_near(a->density, b->density, 0);
    check_near(a->weight, b->weight, 0);
    check_near(a->thickness, b->thickness, 0);
    assert_int_equal(a->inversion, b->inversion);
}

// What the tables say by default is what the library's own definitions say.
static void defaults_agree(void** state)
{
    (void)state;
    SnScene* scene = box_scene("", "");
    SnWorldDef world = sn_default_world_def();
    SnMaterial material = sn_default_body_def().material;
    check_same_world(&scene->world, &world);
    check_same_material(&scene->bodies[0].material, &material);
    assert_string_equal(sn_scene_name(scene), "test");
    sn_scene_destroy(scene);
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
    assert_string_equal(scene->world.integrator, "static");
    sn_scene_destroy(scene);
    scene = good_set(text, "integrator=static");
    assert_string_equal(scene->world.integrator, "static");
    sn_scene_destroy(scene);
    scene = good_set("bodies: [{mesh: {box: }}]\n", "solver.tolerance=1e-9"); // creates the mapping
    check_near(scene->world.solver.tolerance, 1e-9, 0);
    sn_scene_destroy(scene);
    scene = good_set(text, "bodies.bar.mesh.sphere={radius: 2, cells: 2}"); // in the place of the box
    check_near(scene->bodies[0].measure.lo[0], -2, 1e-12);
    sn_scene_destroy(scene);
    scene = good_set(text, "solver.subdomains=12");
    assert_int_equal(scene->world.solver.subdomains, 12);
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

// The first problem at this line whose message has these words; fails when there is none.
static SnSceneProblem find_problem(const SnScene* scene, const char* what, int line, const char* words)
{
    for (int i = 0; i < sn_scene_problem_count(scene); i++) {
        SnSceneProblem problem = sn_scene_problem(scene, i);
        if (problem.line == line && strstr(problem.message, words)) return problem;
    }
    SnSceneProblem first = sn_scene_problem(scene, 0);
    fail_msg("\"%s\" has no problem \"%s\" at line %d, but %d: %s", what, words, line, first.line, first.message);
    return first;
}

static void check_mistake(const Mistake* m)
{
    SnScene* scene = NULL;
    SnWorld* world;
    SnStatus status = parse(base_scene(m->line, m->text), &scene);
    char place[64];
    if (status != SN_ERROR_VALUE && status != SN_ERROR_FORMAT) fail_msg("accepted: %s", m->text);
    SnSceneProblem problem = find_problem(scene, m->text, m->at ? m->at : m->line, m->words[0]);
    if (m->column && problem.column != m->column)
        fail_msg("%s: column %d: %s", m->text, problem.column, problem.message);
    for (int w = 1; w < 3 && m->words[w]; w++)
        if (!strstr(problem.message, m->words[w]))
            fail_msg("%s: \"%s\" lacks \"%s\"", m->text, problem.message, m->words[w]);
    check(!problem.warning && problem.column >= 1);
    problem = sn_scene_problem(scene, 0);
    snprintf(place, sizeof place, "test.yaml:%d:%d: ", problem.line, problem.column);
    check(strncmp(sn_last_error(), place, strlen(place)) == 0);
    check_fails(sn_scene_create_world(scene, &world), SN_ERROR_VALUE, "test.yaml", "cannot be simulated");
    sn_scene_destroy(scene);
}

// A type alone has the defaults of the C API; numbers, curves and elements arrive.
static void dampings(void** state)
{
    (void)state;
    for (int i = 0; i < sn_dissipation_count(); i++) {
        char body[200];
        const char* type = sn_dissipation_at(i)->name;
        bool curve = sn_dissipation_at(i)->numbers & SN_TAKES_CURVE;
        snprintf(body, sizeof body, "    damping: [{type: %s%s}]\n", type, curve ? ", curve: [[1, 1], [2, 3]]" : "");
        SnScene* scene = box_scene(body, "");
        const SnDampingDef *got = &scene->bodies[0].dampings[0], wanted = sn_default_damping_def(type);
        assert_string_equal(got->type, type);
        assert_string_equal(got->base, wanted.base);
        check(got->beta == wanted.beta && got->shear == wanted.shear && got->bulk == wanted.bulk);
        check(got->exponent == wanted.exponent && got->reference == wanted.reference && got->drag == wanted.drag);
        check(got->strength == wanted.strength && got->smoothing == wanted.smoothing && !got->elements);
        check(got->curve.count == (curve ? 2 : 0));
        sn_scene_destroy(scene);
    }
    SnScene* scene =
        box_scene("    damping:\n"
                  "      - drag\n"
                  "      - {type: power-law, base: rayleigh, beta: 1/4, exponent: 0, conserve-momentum: projector}\n"
                  "      - {type: strain-rate, shear: 7, where: {x: [min, 1]}}\n",
                  "");
    const SnDampingDef* d = scene->bodies[0].dampings;
    assert_int_equal(scene->bodies[0].damping_count, 3);
    check(d[1].beta == 0.25 && d[1].exponent == 0 && d[1].conserve_momentum == SN_MOMENTUM_PROJECTOR);
    assert_string_equal(d[1].base, "rayleigh");
    check(d[2].shear == 7);
    assert_int_equal(4 * d[2].element_count, scene->bodies[0].mesh->tetrahedron_count); // the first of four cells
    SnWorld* world;
    check_ok(sn_scene_create_world(scene, &world));
    check_ok(sn_world_step(world, NULL));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void mistakes(void** state)
{
    (void)state;
    for (const Mistake* m = mistake_rows; m->text; m++) check_mistake(m);
}

static void syntax_mistakes(void** state)
{
    (void)state;
    for (const SyntaxMistake* m = syntax_rows; m->text; m++) {
        SnScene* scene;
        check(parse(m->text, &scene) == m->status);
        find_problem(scene, m->text, m->line, m->words);
        sn_scene_destroy(scene);
    }
}

static void all_problems_sorted(void** state)
{
    (void)state;
    SnScene* scene;
    check_fails(parse("tme: 1\n"
                      "gravity: [1, 2]\n"
                      "solver: {iterations: 0, armijo: 0.7}\n"
                      "bodies:\n"
                      "  - {mesh: {box: {size: [1, 1, -1]}}, material: {poisson: 0.5}}\n"
                      "  - {mesh: {file: absent.msh}}\n"
                      "handles:\n"
                      "  - {body: 0}\n",
                      &scene),
                SN_ERROR_VALUE, "test.yaml:1:1: unknown key 'tme'", "did you mean 'time'");
    static const int lines[] = {1, 2, 3, 3, 5, 5, 6, 8};
    assert_int_equal(sn_scene_problem_count(scene), 8);
    for (int i = 0; i < 8; i++) assert_int_equal(sn_scene_problem(scene, i).line, lines[i]);
    sn_scene_destroy(scene);
}

static void problems_are_bounded(void** state)
{
    (void)state;
    static char text[200000];
    size_t used = (size_t)snprintf(text, sizeof text, "bodies:\n");
    for (int i = 0; i < 5000; i++) used += (size_t)snprintf(text + used, sizeof text - used, " - {mesh: {cube: {}}}\n");
    SnScene* scene;
    assert_int_equal(parse(text, &scene), SN_ERROR_VALUE);
    assert_int_equal(sn_scene_problem_count(scene), 101);
    check(strstr(sn_scene_problem(scene, 100).message, "4900 more") != NULL);
    sn_scene_destroy(scene);
}

static void places(void** state)
{
    (void)state;
    SnScene* scene = box_scene("    place: {move: [1, 2, 3], rotate: [0, 0, 2, 90], scale: 2}\n", "");
    const SnMeshMeasure* m = &scene->bodies[0].measure; // 8 x 4 x 4, turned to 4 x 8 x 4
    const double lo[3] = {1 - 4, 2, 3}, hi[3] = {1, 2 + 8, 3 + 4};
    for (int i = 0; i < 3; i++) {
        check_near(m->lo[i], lo[i], 1e-14);
        check_near(m->hi[i], hi[i], 1e-14);
    }
    check_near(m->volume, 8 * 16, 1e-12);
    sn_scene_destroy(scene);
    scene = good("bodies: [{mesh: {sphere: {radius: 3}}, place: {fit: 1, scale: 2, move: [5, 0, 0]}}]\n");
    m = &scene->bodies[0].measure; // fit comes before scale and move
    check_near(m->lo[0], 5, 1e-12);
    check_near(m->lo[1], 0, 1e-12);
    double longest = fmax(m->hi[0] - m->lo[0], fmax(m->hi[1] - m->lo[1], m->hi[2] - m->lo[2]));
    check_near(longest, 2, 1e-12);
    sn_scene_destroy(scene);
}

static void start_point(void** state)
{
    (void)state;
    static const char* const ways[] = {"    start: point\n", "    start: {shape: point}\n"};
    for (int w = 0; w < 2; w++) {
        SnScene* scene = box_scene(ways[w], "");
        const double centre[3] = {2, 1, 1};
        for (int n = 0; n < 3 * scene->bodies[0].mesh->node_count; n++)
            check_near(scene->bodies[0].start[n], centre[n % 3], 1e-15);
        sn_scene_destroy(scene);
    }
}

static void start_random(void** state)
{
    (void)state;
    SnScene* one = box_scene("    start: random\n", "");
    SnScene* same = box_scene("    start: {shape: random, seed: 1}\n", "");
    SnScene* other = box_scene("    start: {shape: random, seed: 2}\n", "");
    const double size[3] = {4, 2, 2};
    int n = 3 * one->bodies[0].mesh->node_count;
    double lowest = 1, highest = 0;
    for (int i = 0; i < n; i++) {
        double x = one->bodies[0].start[i] / size[i % 3];
        check(x >= 0 && x < 1);
        lowest = fmin(lowest, x), highest = fmax(highest, x);
    }
    check(lowest < 0.1 && highest > 0.9);
    check(memcmp(one->bodies[0].start, same->bodies[0].start, (size_t)n * sizeof(double)) == 0);
    check(memcmp(one->bodies[0].start, other->bodies[0].start, (size_t)n * sizeof(double)) != 0);
    sn_scene_destroy(one), sn_scene_destroy(same), sn_scene_destroy(other);
}

static void start_deformed(void** state)
{
    (void)state;
    SnScene* rest = box_scene("    start: rest\n", "");
    SnScene* stretch = box_scene("    start: {stretch: [2, 1, 0.5]}\n", "");
    SnScene* twist = box_scene("    start: {twist: 90}\n", "");
    SnScene* gradient = box_scene("    start: {gradient: [[1, 2, 3], [0, 1, 4], [0, 0, -1]]}\n", "");
    check(rest->bodies[0].start == NULL);
    for (int n = 0; n < rest->bodies[0].mesh->node_count; n++) {
        const double* X = rest_node(rest, n);
        const double* x = stretch->bodies[0].start + 3 * n;
        check_near(x[0], 2 + 2 * (X[0] - 2), 1e-14);
        check_near(x[1], X[1], 1e-14);
        check_near(x[2], 1 + 0.5 * (X[2] - 1), 1e-14);
        x = twist->bodies[0].start + 3 * n;
        double a = PI / 2 * (X[0] / 4 - 0.5);
        check_near(x[0], X[0], 0);
        check_near(x[1], 1 + cos(a) * (X[1] - 1) - sin(a) * (X[2] - 1), 1e-14);
        check_near(x[2], 1 + sin(a) * (X[1] - 1) + cos(a) * (X[2] - 1), 1e-14);
        x = gradient->bodies[0].start + 3 * n;
        check_near(x[0], X[0] + 2 * X[1] + 3 * X[2], 1e-14);
        check_near(x[1], X[1] + 4 * X[2], 1e-14);
        check_near(x[2], -X[2], 1e-14);
    }
    sn_scene_destroy(rest), sn_scene_destroy(stretch), sn_scene_destroy(twist), sn_scene_destroy(gradient);
}

static void velocities(void** state)
{
    (void)state;
    SnScene* scene = box_scene("    place: {move: [10, 0, 0]}\n"
                               "    velocity: {linear: [1, 2, 3], angular: [0, 0, 2],\n"
                               "               gradient: [[1, 0, 0], [0, 0, 5], [0, 0, 0]]}\n",
                               "");
    for (int n = 0; n < scene->bodies[0].mesh->node_count; n++) {
        const double *X = rest_node(scene, n), *v = scene->bodies[0].velocity + 3 * n;
        double r[3] = {X[0] - 12, X[1] - 1, X[2] - 1}; // the centre of mass is the centre of the box
        check_near(v[0], 1 - 2 * r[1] + r[0], 1e-12);
        check_near(v[1], 2 + 2 * r[0] + 5 * r[2], 1e-12);
        check_near(v[2], 3, 1e-12);
    }
    sn_scene_destroy(scene);
    scene = box_scene("    velocity: {linear: [0, 0, 0]}\n", "");
    check(scene->bodies[0].velocity == NULL);
    sn_scene_destroy(scene);
}

// Selections on a 4 x 2 x 2 box of 4 x 2 x 2 cells: 5 x 3 x 3 nodes.
static void selections(void** state)
{
    (void)state;
    static const struct {
        const char* where;
        int count;
    } rows[] = {{"all", 45},
                {"{nodes: all}", 45},
                {"{nodes: [3, 0, 3, 44]}", 3},
                {"{x: [max-0.01, max]}", 9},
                {"{x: [4, 4]}", 9},
                {"{x: [(min+max)/2, inf]}", 27},
                {"{x: [min, min], y: [max, max]}", 3},
                {"{y: [0.9, 1.1], z: [max, max]}", 5},
                {"{box: [[0, 0, 0], [1, 1, 1]]}", 8},
                {"{box: [[1, 1, 1], [0, 0, 0]]}", 8},
                {"{box: [[min, min, min], [max, max, 0]]}", 15},
                {"{sphere: [[0, 0, 0], 1]}", 4},
                {"{sphere: [[max, max, max], 1.5]}", 7},
                {"{sphere: [[0, 0, 0], 1], nodes: all, x: [0, 0]}", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char handles[200];
        snprintf(handles, sizeof handles, "handles: [{body: bar, where: %s}]\n", rows[i].where);
        SnScene* scene = box_scene("", handles);
        if (scene->handles[0].def.node_count != rows[i].count)
            fail_msg("%s: %d instead of %d", rows[i].where, scene->handles[0].def.node_count, rows[i].count);
        for (int n = 1; n < rows[i].count; n++) check(scene->handles[0].nodes[n] > scene->handles[0].nodes[n - 1]);
        sn_scene_destroy(scene);
    }
}

// Nodes are chosen on the placed rest shape, whatever the start.
static void selection_is_placed(void** state)
{
    (void)state;
    SnScene* scene =
        box_scene("    place: {move: [10, 0, 0]}\n    start: point\n", "handles: [{body: 0, where: {x: [10, 10]}}]\n");
    assert_int_equal(scene->handles[0].def.node_count, 9);
    sn_scene_destroy(scene);
}

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
    check_near(m->rotate_rate, PI / 2, 1e-15);
    check_near(m->rotate_centre[0], 2, 0);
    check_near(m->rotate_centre[1], 1, 0);
    check_near(m->until, 2, 0);
    check_near(m->release, 3, 0);
    assert_int_equal(m->keyframe_count, 2);
    check_near(m->keyframes[1].time, 0.5, 0);
    check_near(m->keyframes[1].move[1], 1, 0);
    m = &scene->handles[2].def.motion;
    check_near(m->rotate_rate, -PI, 1e-15);
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
    } rows[] = {
        {"stretch", 0.1, INFINITY, INFINITY, 0},           {"squash", -0.03, INFINITY, INFINITY, 0},
        {"twist", 0, INFINITY, INFINITY, 0.1 * PI},        {"stretch-squash", 0.9, 0.8, 0.4, 0},
        {"twist-stretch-squash", 0.9, 0.8, 0.4, 0.4 * PI}, {"large-twist-stretch-squash", 1.2, 1.2, 0.4, 0.4 * PI}};
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
    check_near(right->motion.rotate_rate, PI / 2, 1e-15);
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

static void ropes_are_springs(void** state)
{
    (void)state;
    SnScene* scene = good("bodies: [{mesh: {rope: {length: 2, cells: 4}}, velocity: {angular: [0, 0, 1]}}]\n");
    assert_string_equal(scene->bodies[0].material.type, "spring");
    check_near(scene->bodies[0].velocity[1], -1, 1e-14); // the node at x = 0, turning about x = 1
    sn_scene_destroy(scene);
}

// Every generator makes a mesh with its own defaults, and there is a material for it.
static void every_shape(void** state)
{
    (void)state;
    for (int i = 0; sn_shapes[i]; i++) {
        char text[100];
        SnScene* scene;
        snprintf(text, sizeof text, "bodies: [{mesh: {%s: {}}}]\n", sn_shapes[i]->name);
        check_ok(parse(text, &scene));
        sn_scene_destroy(scene);
    }
}

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    check(file != NULL);
    fputs(text, file);
    fclose(file);
}

static const char tetrahedron_msh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                                      "$PhysicalNames\n1\n2 7 \"clamped\"\n$EndPhysicalNames\n"
                                      "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 %s\n$EndNodes\n"
                                      "$Elements\n3\n1 2 2 7 1 1 2 3\n2 4 2 8 1 1 2 3 4\n3 4 2 8 1 %s\n$EndElements\n";

typedef struct Folder {
    char path[64], mesh[96], scene[96];
} Folder;

static Folder folder_with_mesh(const char* node, const char* element)
{
    Folder folder = {.path = "/tmp/sinew-scene-XXXXXX"};
    char text[1000];
    check(mkdtemp(folder.path) != NULL);
    snprintf(folder.mesh, sizeof folder.mesh, "%s/bar.msh", folder.path);
    snprintf(folder.scene, sizeof folder.scene, "%s/bar.yaml", folder.path);
    snprintf(text, sizeof text, tetrahedron_msh, node, element);
    write_text(folder.mesh, text);
    return folder;
}

static void remove_folder(const Folder* folder)
{
    remove(folder->mesh);
    remove(folder->scene);
    rmdir(folder->path);
}

static void mesh_files(void** state)
{
    (void)state;
    Folder folder = folder_with_mesh("1 1 1", "2 3 4 5");
    SnScene* scene;
    write_text(folder.scene, "bodies: [{name: t, mesh: {file: bar.msh}}]\n"
                             "handles: [{body: t, where: {group: clamped}}]\n");
    check_ok(sn_scene_load(folder.scene, NULL, 0, &scene));
    assert_int_equal(scene->bodies[0].mesh->tetrahedron_count, 2);
    assert_int_equal(scene->handles[0].def.node_count, 3);
    assert_string_equal(sn_scene_name(scene), "bar");
    sn_scene_destroy(scene);
    write_text(folder.scene, "bodies: [{mesh: {file: bar.msh}}]\n"
                             "handles:\n  - {body: 0, where: {group: clampd}}\n");
    check_fails(sn_scene_load(folder.scene, NULL, 0, &scene), SN_ERROR_VALUE, "bar.yaml:3:", "unknown group 'clampd'",
                "did you mean 'clamped'");
    sn_scene_destroy(scene);
    write_text(folder.scene, "bodies:\n  - {mesh: {file: none.msh}}\n");
    check_fails(sn_scene_load(folder.scene, NULL, 0, &scene), SN_ERROR_VALUE, "bar.yaml:2:19: ", folder.path,
                "/none.msh", "mesh of body 0");
    sn_scene_destroy(scene);
    remove_folder(&folder);
}

static void bad_meshes(void** state)
{
    (void)state;
    SnScene* scene;
    Folder folder = folder_with_mesh("1 1 1", "2 3 5 2"); // a node twice
    write_text(folder.scene, "bodies:\n  - mesh: {file: bar.msh}\n");
    check_fails(sn_scene_load(folder.scene, NULL, 0, &scene), SN_ERROR_VALUE, "bar.yaml:2:", "cannot be simulated",
                "degenerate", "1");
    sn_scene_destroy(scene);
    remove_folder(&folder);
    folder = folder_with_mesh("9 9 9", "2 3 4 6"); // out of range
    write_text(folder.scene, "bodies:\n  - mesh: {file: bar.msh}\n");
    check_fails(sn_scene_load(folder.scene, NULL, 0, &scene), SN_ERROR_VALUE, "bar.yaml:2:", "bar.msh");
    sn_scene_destroy(scene);
    remove_folder(&folder);
}

static void mesh_warnings(void** state)
{
    (void)state;
    SnScene* scene;
    Folder folder = folder_with_mesh("1 1 1\n6 5 5 5", "2 3 4 5"); // node 6 is in no element
    char text[1000];
    snprintf(text, sizeof text, tetrahedron_msh, "1 1 1\n6 5 5 5", "2 3 4 5");
    char* count = strstr(text, "$Nodes\n5");
    count[7] = '6';
    write_text(folder.mesh, text);
    write_text(folder.scene, "bodies:\n  - mesh: {file: bar.msh}\n");
    check_ok(sn_scene_load(folder.scene, NULL, 0, &scene));
    assert_int_equal(sn_scene_problem_count(scene), 1);
    SnSceneProblem problem = sn_scene_problem(scene, 0);
    check(problem.warning && problem.line == 2 && strstr(problem.message, "unreferenced"));
    sn_scene_destroy(scene);
    remove_folder(&folder);
}

static void missing_scene(void** state)
{
    (void)state;
    SnScene* scene;
    check_fails(sn_scene_load("/nowhere/x.yaml", NULL, 0, &scene), SN_ERROR_FILE, "/nowhere/x.yaml", "No such file");
    check(scene == NULL);
    check_fails(sn_scene_load("/tmp", NULL, 0, &scene), SN_ERROR_FILE, "/tmp", "directory");
    check(scene == NULL);
}

static void output_formats(void** state)
{
    (void)state;
    static const char* const formats[] = {"obj", "vtu"};
    SnScene* scene = box_scene("", "output: {write: [vtu, obj]}\n");
    check_ok(sn_scene_check_formats(scene, formats, 2));
    sn_scene_destroy(scene);
    scene = box_scene("", "output: {write: [vtk]}\n");
    check_fails(sn_scene_check_formats(scene, formats, 2), SN_ERROR_VALUE, "test.yaml:4:18", "unknown format 'vtk'",
                "did you mean 'vtu'");
    sn_scene_destroy(scene);
}

static void worlds(void** state)
{
    (void)state;
    SnScene* scene = good(rich_scene);
    SnWorld *first, *second;
    check_ok(sn_scene_create_world(scene, &first));
    check_ok(sn_scene_create_world(scene, &second));
    check(sn_world_hash(first) == sn_world_hash(second));
    assert_int_equal(sn_world_body_count(first), 2);
    assert_int_equal(sn_world_node_count(first), 24);
    SnBodyInfo body;
    check_ok(sn_world_body(first, 0, &body));
    assert_string_equal(body.name, "bar");
    for (int i = 0; i < 36; i++) {
        check_near(sn_world_positions(first)[i], scene->bodies[0].start[i], 0);
        check_near(sn_world_positions(first)[36 + i], scene->bodies[1].start[i], 0);
        if (i >= 12) check_near(sn_world_velocities(first)[i], scene->bodies[0].velocity[i], 0);
    }
    check_ok(sn_world_step(first, NULL));
    check_ok(sn_world_step(second, NULL));
    check(sn_world_hash(first) == sn_world_hash(second));
    sn_world_destroy(first);
    sn_world_destroy(second);
    sn_scene_destroy(scene);
}

// What a printer writes, as text; to be freed.
static void print_to(SnStatus (*print)(FILE*), char** text)
{
    size_t length;
    FILE* stream = open_memstream(text, &length);
    check(stream != NULL);
    check_ok(print(stream));
    fclose(stream);
}

static void defaults_parse_back(void** state)
{
    (void)state;
    char* text;
    print_to(sn_scene_print_defaults, &text);
    SnScene* scene = good(text);
    SnScene* plain = box_scene("", "");
    assert_int_equal(sn_scene_problem_count(scene), 0);
    check_same_world(&scene->world, &plain->world);
    check_same_material(&scene->bodies[0].material, &plain->bodies[0].material);
    assert_int_equal(scene->handles[0].def.node_count, 11 * 11);
    static const char* const keys[] = {"fit:", "torus:", "keyframes:", "# rotate:", "group:", "pattern:", "kg/m3"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strstr(text, keys[i])) fail_msg("%s is not among the defaults", keys[i]);
    sn_scene_destroy(scene);
    sn_scene_destroy(plain);
    free(text);
}

static void reference_example(void** state)
{
    (void)state;
    char* text;
    print_to(sn_scene_print_reference, &text);
    char* start = strstr(text, "```yaml\n");
    check(start != NULL);
    start += strlen("```yaml\n");
    *strstr(start, "```") = 0;
    SnScene* scene = good(start);
    assert_string_equal(sn_scene_name(scene), "twisting bar");
    assert_int_equal(scene->handle_count, 2);
    sn_scene_destroy(scene);
    free(text);
}

// docs/scene-reference.md is what the tables say. SINEW_WRITE_DOCS=1 writes it anew.
static void reference_is_current(void** state)
{
    (void)state;
    const char* path = SN_SOURCE_DIR "/docs/scene-reference.md";
    char* text;
    print_to(sn_scene_print_reference, &text);
    if (getenv("SINEW_WRITE_DOCS")) write_text(path, text);
    FILE* file = fopen(path, "r");
    if (!file) fail_msg("%s is missing; run this test with SINEW_WRITE_DOCS=1", path);
    size_t size = strlen(text);
    char* have = calloc(size + 2, 1);
    size_t got = fread(have, 1, size + 1, file);
    fclose(file);
    if (got != size || memcmp(have, text, size) != 0)
        fail_msg("%s differs from the tables; run this test with SINEW_WRITE_DOCS=1 and commit it", path);
    free(have);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions),
        cmocka_unit_test(bad_expressions),
        cmocka_unit_test(full_scene),
        cmocka_unit_test(defaults_agree),
        cmocka_unit_test(json_is_yaml),
        cmocka_unit_test(anchors_and_merges),
        cmocka_unit_test(overrides),
        cmocka_unit_test(bad_overrides),
        cmocka_unit_test(dampings),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(syntax_mistakes),
        cmocka_unit_test(all_problems_sorted),
        cmocka_unit_test(problems_are_bounded),
        cmocka_unit_test(places),
        cmocka_unit_test(start_point),
        cmocka_unit_test(start_random),
        cmocka_unit_test(start_deformed),
        cmocka_unit_test(velocities),
        cmocka_unit_test(selections),
        cmocka_unit_test(selection_is_placed),
        cmocka_unit_test(motions),
        cmocka_unit_test(scripts_follow_the_rule),
        cmocka_unit_test(slingshot),
        cmocka_unit_test(script_numbers_can_be_set),
        cmocka_unit_test(paper_scenes),
        cmocka_unit_test(ropes_are_springs),
        cmocka_unit_test(materials_by_preset_and_lame),
        cmocka_unit_test(page_is_complete),
        cmocka_unit_test(every_extra_is_a_key),
        cmocka_unit_test(sheets_by_area),
        cmocka_unit_test(spline_that_softens),
        cmocka_unit_test(regions_and_field),
        cmocka_unit_test(bad_regions),
        cmocka_unit_test(fibers_in_scenes),
        cmocka_unit_test(bad_fibers),
        cmocka_unit_test(bending_in_scenes),
        cmocka_unit_test(every_shape),
        cmocka_unit_test(mesh_files),
        cmocka_unit_test(bad_meshes),
        cmocka_unit_test(mesh_warnings),
        cmocka_unit_test(missing_scene),
        cmocka_unit_test(output_formats),
        cmocka_unit_test(alias_bomb),
        cmocka_unit_test(monsters),
        cmocka_unit_test(corrupted_bytes),
        cmocka_unit_test(truncated),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(failing_worlds),
        cmocka_unit_test(worlds),
        cmocka_unit_test(defaults_parse_back),
        cmocka_unit_test(reference_example),
        cmocka_unit_test(reference_is_current),
    };
    return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
