// Scenes: what good ones mean, and how bad ones are answered.
#include "dissipation/dissipation.h"
#include "scenes.h"

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
    check_same_world(&scene->part.world, &world);
    check_same_material(&scene->bodies[0].material, &material);
    assert_string_equal(sn_scene_name(scene), "test");
    sn_scene_destroy(scene);
}

// A type alone has the defaults of the C API; numbers, curves and elements arrive.
static void dampings(void** state)
{
    (void)state;
    for (int i = 0; i < sn_dissipation_count(); i++) {
        char body[200];
        const char* type = sn_dissipation_at(i)->name;
        bool curve = sn_parameter_find(sn_dissipation_at(i)->parameters, "curve") != NULL;
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

static void ropes_are_springs(void** state)
{
    (void)state;
    SnScene* scene = good("bodies: [{mesh: {rope: {length: 2, cells: 4}}, velocity: {angular: [0, 0, 1]}}]\n");
    assert_string_equal(scene->bodies[0].material.type, "spring");
    check_near(scene->bodies[0].velocity[1], -1, 1e-14); // the node at x = 0, turning about x = 1
    sn_scene_destroy(scene);
}

// Every generator makes a mesh with its own defaults, and there is a material for it; closed surfaces are shells.
static void every_shape(void** state)
{
    (void)state;
    for (int i = 0; sn_shape_at(i); i++) {
        char text[100];
        SnScene* scene;
        snprintf(text, sizeof text, "bodies: [{mesh: {%s: {}}, shell: true}]\n", sn_shape_at(i)->name);
        check_ok(parse(text, &scene));
        sn_scene_destroy(scene);
    }
}

static void output_formats(void** state)
{
    (void)state;
    static const char* const rows[][2] = {{"obj", ""}, {"vtu", ""}, {0}};
    static const SnTable formats = {.noun = "format", .rows = rows, .stride = sizeof *rows};
    SnScene* scene = box_scene("", "output: {write: [vtu, obj]}\n");
    check_ok(sn_scene_check_formats(scene, &formats));
    sn_scene_destroy(scene);
    scene = box_scene("", "output: {write: [vtk]}\n");
    check_fails(sn_scene_check_formats(scene, &formats), SN_ERROR_VALUE, "test.yaml:4:18", "unknown format 'vtk'",
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
    check_same_world(&scene->part.world, &plain->part.world);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(full_scene),
    cmocka_unit_test(defaults_agree),
    cmocka_unit_test(dampings),
    cmocka_unit_test(ropes_are_springs),
    cmocka_unit_test(every_shape),
    cmocka_unit_test(output_formats),
    cmocka_unit_test(worlds),
    cmocka_unit_test(defaults_parse_back),
    cmocka_unit_test(reference_example),
    cmocka_unit_test(reference_is_current),
};
RUN_TESTS(tests, NULL, NULL)
