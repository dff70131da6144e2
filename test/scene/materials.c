// Materials in scenes: presets, Lame's parameters, parameters of single materials, sheets, splines, regions.
#include <unistd.h>

#include "material/material.h"
#include "scene/build.h"
#include "scenes.h"
#include "world/world.h"

static SnMaterial material_by(const char* text)
{
    char body[300];
    snprintf(body, sizeof body, "    material: %s\n", text);
    SnScene* scene = box_scene(body, "");
    SnMaterial material = scene->bodies[0].material;
    bool splits = sn_material_find(material.type)->splits, stiff = material.poisson > 0.45;
    assert_int_equal(sn_scene_problem_count(scene), stiff && !splits); // a warning of elements that lock
    SnWorld* world;
    check_ok(sn_scene_create_world(scene, &world));
    assert_int_equal(world->model.bodies[0].element,
                     stiff && splits ? SN_ELEMENT_LINEAR_BBAR : SN_ELEMENT_LINEAR); // `auto`
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return material;
}

static void materials_by_preset_and_lame(void** state)
{
    (void)state;
    for (int i = 0; i < sn_preset_count(); i++) {
        const SnMaterialPreset* preset = sn_preset_at(i);
        SnMaterial m = material_by(preset->name);
        check_near(m.young, preset->young, 0);
        check_near(m.poisson, preset->poisson, 0);
        check_near(m.density, preset->density, 0);
    }
    SnMaterial m = material_by("{preset: cotton, young: 2e6}");
    assert_string_equal(m.type, "corotated");
    check_near(m.young, 2e6, 0);
    check_near(m.density, sn_preset_find("cotton")->density, 0);
    check_near(m.thickness, sn_preset_find("cotton")->thickness, 0);
    m = material_by("{type: stvk, preset: rubber}");
    assert_string_equal(m.type, "stvk");
    check_near(m.young, 1.2e6, 0);
    m = material_by("{mu: 4e4, lambda: 6e4}");
    check_near(m.young, 104000, 1e-9); // mu (3 lambda + 2 mu)/(lambda + mu)
    check_near(m.poisson, 0.3, 1e-15);
    check_near(material_by("{type: mooney-rivlin, ratio: 0.5}").extra[0], 0.5, 0);
    check(isnan(material_by("mooney-rivlin").extra[0]));
    m = material_by("{type: spline, barrier: 2, a: [[0.5, -1], [1, 0], [2, 2]]}");
    check_near(m.extra[0], 2, 0);
}

// The page for people names every material, own parameter and preset, and each preset's source.
static void page_is_complete(void** state)
{
    (void)state;
    static char page[60000];
    FILE* file = fopen(SN_SOURCE_DIR "/docs/materials.md", "r");
    check(file != NULL);
    size_t length = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    check(length > 1000 && length < sizeof page - 1);
    page[length] = 0;
    for (int i = 0; i < sn_material_count(); i++) {
        check(strstr(page, sn_material_at(i)->name) != NULL);
        for (const SnParameter* row = sn_material_at(i)->parameters; row && row->name; row++)
            check(strstr(page, row->name) != NULL);
    }
    for (int i = 0; i < sn_preset_count(); i++) {
        const SnMaterialPreset* preset = sn_preset_at(i);
        char row[100];
        snprintf(row, sizeof row, "| `%s` | %g | %g | %g | ", preset->name, preset->young, preset->poisson,
                 preset->density);
        if (!strstr(page, row) || !strstr(page, preset->source)) fail_msg("docs/materials.md lacks %s", preset->name);
    }
}

// A parameter that some material has is a key, in materials and in regions.
static void every_extra_is_a_key(void** state)
{
    (void)state;
    for (int i = 0; i < sn_material_count(); i++)
        for (const SnParameter* row = sn_material_at(i)->parameters; row && row->name; row++) {
            if (row->type != SN_NUMBER) continue;
            const char* points = sn_material_at(i)->curves ? ", a: [[0, -1], [2, 1]]" : "";
            bool sheet = !(sn_material_at(i)->elements & SN_ON_TETRAHEDRA);
            char text[300];
            snprintf(text, sizeof text, "bodies: [{mesh: {%s: {}}, material: {type: %s, %s: %s%s}}]\n",
                     sheet ? "cloth" : "box", sn_material_at(i)->name, row->name, row->value, points);
            SnScene* scene = good(text);
            const char* member = (const char*)&scene->bodies[0].material + row->offset;
            check_near(*(const double*)member, atof(row->value), 0);
            sn_scene_destroy(scene);
        }
}

// A sheet by area: the mass, and with a thickness the same body as by volume.
static void sheets_by_area(void** state)
{
    (void)state;
    const char* materials[] = {"{mu: 40, lambda: 60, area-density: 0.2}",
                               "{mu: 4e4, lambda: 6e4, density: 200, thickness: 1e-3, bending: 0}",
                               "{mu: 4e4, lambda: 6e4, area-density: 0.2, thickness: 1e-3, bending: 0}"};
    double lowest[3];
    for (int k = 0; k < 3; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "time: {step: 0.01, frames: 10}\nbodies: [{mesh: {cloth: {size: [1, 1], cells: [4, 4]}}, material: "
                 "%s}]\nhandles: [{body: 0, where: {x: [min, min]}}]\n",
                 materials[k]);
        SnScene* scene = good(text);
        SnWorld* world;
        SnBodyInfo info;
        check_ok(sn_scene_create_world(scene, &world));
        check_ok(sn_world_body(world, 0, &info));
        check_near(info.mass, 0.2, 1e-12);
        for (int i = 0; i < 10; i++) check_ok(sn_world_step(world, NULL));
        lowest[k] = 0;
        for (int i = 0; i < info.node_count; i++) lowest[k] = fmin(lowest[k], sn_world_positions(world)[3 * i + 1]);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
    check(lowest[0] < -0.01);
    check_near(lowest[1], lowest[0], 1e-6);
    check_near(lowest[2], lowest[1], 1e-12);
}

static void spline_that_softens(void** state)
{
    (void)state;
    SnScene* scene = box_scene("    material: {type: spline, a: [[0.5, -1], [1, 0], [1.5, 1], [2, 0.5]]}\n", "");
    assert_int_equal(sn_scene_problem_count(scene), 1);
    SnSceneProblem problem = sn_scene_problem(scene, 0);
    check(problem.warning && problem.line == 4);
    check(strstr(problem.message, "stress falls") != NULL);
    sn_scene_destroy(scene);
}

// Two tetrahedra, of 1/6 and 1/3 m3, in groups `soft` and `hard`, and a field per node.
static const char two_groups_msh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                                     "$PhysicalNames\n2\n3 7 \"soft\"\n3 8 \"hard\"\n$EndPhysicalNames\n"
                                     "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
                                     "$Elements\n2\n1 4 2 7 1 1 2 3 4\n2 4 2 8 1 2 3 4 5\n$EndElements\n"
                                     "$NodeData\n1\n\"k\"\n1\n0\n3\n0\n1\n5\n1 1\n2 2\n3 3\n4 4\n5 %s\n"
                                     "$EndNodeData\n";

// Fiber directions: per element along x and z; per node along y, with alternating sense.
static const char fibers_msh[] = "$ElementData\n1\n\"fibers\"\n1\n0\n3\n0\n3\n2\n1 2 0 0\n2 0 0 -3\n$EndElementData\n"
                                 "$NodeData\n1\n\"grain\"\n1\n0\n3\n0\n3\n5\n1 0 1 0\n2 0 -1 0\n3 0 1 0\n4 0 -1 0\n"
                                 "5 0 1 0\n$EndNodeData\n"
                                 "$NodeData\n1\n\"nothing\"\n1\n0\n3\n0\n3\n5\n1 0 0 0\n2 0 0 0\n3 0 0 0\n4 0 0 0\n"
                                 "5 0 0 0\n$EndNodeData\n";

static SnStatus load_groups(const char* last, const char* material, SnScene** scene)
{
    char folder[] = "/tmp/sinew-scene-XXXXXX", mesh[64], path[64], text[800];
    check(mkdtemp(folder) != NULL);
    snprintf(mesh, sizeof mesh, "%s/two.msh", folder);
    snprintf(path, sizeof path, "%s/two.yaml", folder);
    FILE* file = fopen(mesh, "w");
    check(file != NULL);
    fprintf(file, two_groups_msh, last);
    fputs(fibers_msh, file);
    fclose(file);
    snprintf(text, sizeof text,
             "bodies:\n  - mesh: {file: two.msh}\n    material: %s\n    place: {turn: [0, 0, 1, 30], rotate: [0, 0, 1, "
             "60]}\n",
             material);
    SnStatus status = sn_scene_parse(text, strlen(text), path, NULL, 0, scene);
    remove(mesh);
    rmdir(folder);
    return status;
}

static void regions_and_field(void** state)
{
    (void)state;
    SnScene* scene;
    SnWorld* world;
    SnBodyInfo info;
    check_ok(load_groups("5",
                         "{type: mooney-rivlin, young: 1e4, density: 600, young-field: k,\n"
                         "      regions: [{group: hard, young: 1e6, density: 1200, ratio: 0.4}]}",
                         &scene));
    const SnSceneBody* body = &scene->bodies[0];
    assert_int_equal(body->region_count, 1);
    assert_int_equal(body->region_of_element[0], -1);
    assert_int_equal(body->region_of_element[1], 0);
    check_near(body->regions[0].young, 1e6, 0);
    check_near(body->regions[0].poisson, 0.45, 0);
    check_near(body->regions[0].extra[0], 0.4, 0);
    check_near(body->young_scale[0], 2.5, 0); // the mean of 1, 2, 3, 4
    check_near(body->young_scale[1], 3.5, 0);
    check_ok(sn_scene_create_world(scene, &world));
    check_ok(sn_world_body(world, 0, &info));
    check_near(info.mass, 600.0 / 6 + 1200.0 / 3, 1e-10);
    SnStepReport report;
    check_ok(sn_world_step(world, &report)); // free fall for one step: p = m g h
    check_near(report.momentum[1], -info.mass * 9.81 / 60, 1e-9);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void bad_regions(void** state)
{
    (void)state;
    const struct {
        const char *last, *material, *words[3];
    } rows[] = {
        {"5", "{regions: [{group: hrd}]}", {"two.yaml:3:", "unknown group 'hrd' in region 0", "did you mean 'hard'?"}},
        {"5", "{regions: [{group: hard, mu: 1}]}", {"two.yaml:3:", "'mu' but not 'lambda'", "region 0"}},
        {"5", "{regions: [{group: hard, ratio: 1}]}", {"'ratio' in region 0", "is of mooney-rivlin", "neo-hookean"}},
        {"5",
         "{type: mooney-rivlin,\n     regions: [{group: hard, poisson: 0}]}",
         {"two.yaml:4:", "no mooney-rivlin material", "ratio at most"}},
        {"5", "{young-field: kk}", {"two.yaml:3:", "unknown field 'kk'", "did you mean 'k'?"}},
        {"-99", "{young-field: k}", {"field 'k'", "in tetrahedron 1", "must be positive"}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        SnScene* scene;
        check_fails(load_groups(rows[r].last, rows[r].material, &scene), SN_ERROR_VALUE, rows[r].words[0],
                    rows[r].words[1], rows[r].words[2]);
        sn_scene_destroy(scene);
    }
}

static void check_direction(const SnSceneBody* body, int element, double x, double y, double z)
{
    check_near(body->fiber_directions[3 * element], x, 1e-15);
    check_near(body->fiber_directions[3 * element + 1], y, 1e-15);
    check_near(body->fiber_directions[3 * element + 2], z, 1e-15);
}

// Fields turn with the mesh, by 30 and 60 degrees about z; directions that are given do not.
static void fibers_in_scenes(void** state)
{
    (void)state;
    SnMaterial m = material_by("{fiber: {stiffness: 2e5, direction: [0, 3, 4]}}");
    check_near(m.fiber, 2e5, 0);
    check_near(m.fiber_direction[2], 4, 0);
    check_near(material_by("{young: 1e5}").fiber, 0, 0);
    SnScene* scene;
    SnWorld* world;
    check_ok(load_groups("5", "{fiber: {stiffness: 1e5, direction: {field: fibers}}}", &scene));
    const SnSceneBody* body = &scene->bodies[0];
    check_direction(body, 0, 0, 2, 0);
    check_direction(body, 1, 0, 0, -3);
    check_ok(sn_scene_create_world(scene, &world));
    check_ok(sn_world_step(world, NULL));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    check_ok(load_groups("5", "{fiber: {stiffness: 1e5, direction: {field: grain}}}", &scene));
    check_direction(&scene->bodies[0], 0, -1, 0, 0); // the mean of four of either sense
    sn_scene_destroy(scene);
    check_ok(load_groups("5",
                         "{fiber: {stiffness: 1e5, direction: {field: grain}},\n"
                         "       regions: [{group: hard, fiber: {stiffness: 3e5, direction: [0, 0, 7]}}]}",
                         &scene));
    check_direction(&scene->bodies[0], 0, -1, 0, 0);
    check_direction(&scene->bodies[0], 1, 0, 0, 7);
    check_near(scene->bodies[0].regions[0].fiber, 3e5, 0);
    sn_scene_destroy(scene);
    check_ok(load_groups("5", "{regions: [{group: hard, fiber: {stiffness: 1, direction: {field: fibers}}}]}", &scene));
    check_direction(&scene->bodies[0], 1, 0, 0, -3);
    check_near(scene->bodies[0].material.fiber, 0, 0);
    check_ok(sn_scene_create_world(scene, &world));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void bad_fibers(void** state)
{
    (void)state;
    const struct {
        const char *fiber, *words[3];
    } rows[] = {
        {"{stiffness: 1, direction: {field: fibres}}", {"two.yaml:3:", "unknown field 'fibres'", "'fibers'"}},
        {"{stiffness: 1, direction: {field: k}}", {"unknown field 'k'", "fiber of body 0", "fibers, grain"}},
        {"{stiffness: 1, direction: {field: nothing}}", {"field 'nothing'", "zero everywhere", "body 0"}},
        {"{stiffness: 1, direction: {file: x}}", {"'direction' in fiber of body 0", "[x, y, z]", "{field: NAME}"}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char material[200];
        SnScene* scene;
        snprintf(material, sizeof material, "{fiber: %s}", rows[r].fiber);
        check_fails(load_groups("5", material, &scene), SN_ERROR_VALUE, rows[r].words[0], rows[r].words[1],
                    rows[r].words[2]);
        sn_scene_destroy(scene);
    }
}

// How a sheet bends without being told: as a solid one, as its preset says, or not at all when it is known by area.
static void bending_in_scenes(void** state)
{
    (void)state;
    const struct {
        const char* material;
        double bending;
    } rows[] = {
        {"{young: 1e6}", NAN},
        {"{bending: 2e-5}", 2e-5},
        {"{young: 100, area-density: 0.2}", 0},
        {"{young: 100, area-density: 0.2, bending: 3e-6}", 3e-6},
        {"{young: 1e5, area-density: 0.2, thickness: 1e-3}", NAN},
        {"cotton", sn_preset_find("cotton")->bending},
        {"{preset: cotton, bending: 0}", 0},
        {"paper", NAN},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[300];
        snprintf(text, sizeof text, "bodies: [{mesh: {cloth: {}}, material: %s}]\n", rows[r].material);
        SnScene* scene = good(text);
        double bending = scene->bodies[0].material.bending;
        if (isnan(rows[r].bending))
            check(isnan(bending));
        else
            check_near(bending, rows[r].bending, 0);
        sn_scene_destroy(scene);
    }
}

static const struct CMUnitTest tests[] = {
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
};
RUN_TESTS(tests, NULL, NULL)
