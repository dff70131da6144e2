// Scenes and meshes in files: good ones, bad ones, none.
#include <unistd.h>

#include "scenes.h"

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

static void locking_warning(void** state)
{
    (void)state;
    const char solid[] = "bodies:\n  - mesh: {box: {}}\n    material: {type: arap,\n      poisson: 0.46}\n";
    const char sheet[] = "bodies:\n  - mesh: {cloth: {}}\n    material: {type: stvk, poisson: 0.46}\n";
    SnScene* scene;
    check_ok(sn_scene_parse(solid, strlen(solid), "solid.yaml", NULL, 0, &scene));
    assert_int_equal(sn_scene_problem_count(scene), 1);
    SnSceneProblem problem = sn_scene_problem(scene, 0);
    check(problem.warning && problem.line == 4 && strstr(problem.message, "0.46") && strstr(problem.message, "refine"));
    sn_scene_destroy(scene);
    check_ok(sn_scene_parse(sheet, strlen(sheet), "sheet.yaml", NULL, 0, &scene));
    assert_int_equal(sn_scene_problem_count(scene), 0);
    sn_scene_destroy(scene);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mesh_files),      cmocka_unit_test(bad_meshes),    cmocka_unit_test(mesh_warnings),
    cmocka_unit_test(locking_warning), cmocka_unit_test(missing_scene),
};
RUN_TESTS(tests, NULL, NULL)
