// What is wrong with a mesh is found and named; surfaces of solids.
#include "files.h"
#include "fixtures.h"
#include "mesh/mesh.h"

static void test_problems(void** state)
{
    (void)state;
    char text[256];
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        SnMesh* mesh = make_fixture_mesh();
        mesh->edge_count = mesh->triangle_count = 0;
        memcpy(mesh->tetrahedra, problems[i].nodes, sizeof problems[i].nodes);
        SnMeshCheck found;
        check_ok(sn_mesh_check(mesh, &found));
        sn_mesh_problem_text(&found, problems[i].kind, text, sizeof text);
        assert_string_equal(text, problems[i].text);
        assert_int_equal(sn_mesh_check_fatal(&found), problems[i].fatal);
        sn_mesh_destroy(mesh);
    }
}

static void test_node_problems(void** state)
{
    (void)state;
    char text[256];
    SnMesh* mesh = make_fixture_mesh();
    mesh->nodes[3] = NAN, mesh->nodes[14] = INFINITY;
    SnMeshCheck found;
    check_ok(sn_mesh_check(mesh, &found));
    sn_mesh_problem_text(&found, SN_MESH_NON_FINITE, text, sizeof text);
    assert_string_equal(text, "2 non-finite nodes (nodes 1, 4)");
    assert_true(sn_mesh_check_fatal(&found));
    sn_mesh_destroy(mesh);
    // twenty nodes and one edge: eight examples, then dots; not fatal
    check_ok(sn_mesh_make_rope(1, 20, &mesh));
    mesh->edge_count = 1;
    check_ok(sn_mesh_check(mesh, &found));
    sn_mesh_problem_text(&found, SN_MESH_UNREFERENCED, text, sizeof text);
    assert_string_equal(text, "19 unreferenced nodes (nodes 2, 3, 4, 5, 6, 7, 8, 9, ...)");
    assert_false(sn_mesh_check_fatal(&found));
    mesh->edges[1] = 0;
    check_ok(sn_mesh_check(mesh, &found));
    sn_mesh_problem_text(&found, SN_MESH_DEGENERATE, text, sizeof text);
    assert_string_equal(text, "1 degenerate edge (element 0)");
    sn_mesh_destroy(mesh);
}

static void check_non_manifold(const SnMeshDef* def, const char* wanted)
{
    SnMesh* mesh;
    SnMeshCheck found;
    char text[256];
    check_ok(sn_mesh_create(def, &mesh));
    check_ok(sn_mesh_check(mesh, &found));
    sn_mesh_problem_text(&found, SN_MESH_NON_MANIFOLD, text, sizeof text);
    assert_string_equal(text, wanted);
    assert_false(sn_mesh_check_fatal(&found));
    sn_mesh_destroy(mesh);
}

static void test_non_manifold(void** state)
{
    (void)state;
    const double nodes[8][3] = {{0, 0, 0},  {1, 0, 0}, {0, 1, 0},   {0, 0, 1},
                                {0, 0, -1}, {0, 0, 2}, {-1, -1, 0}, {-1, 0, 0}};
    SnMeshDef def = sn_default_mesh_def();
    def.node_count = 8, def.nodes = nodes[0];
    def.tetrahedra = (int[]){0, 1, 2, 3, 1, 0, 2, 4, 0, 1, 2, 5}; // three on the face 0 1 2
    def.tetrahedron_count = 3;
    check_non_manifold(&def, "3 non-manifold tetrahedra (elements 0, 1, 2)");
    def.tetrahedron_count = 2;
    check_non_manifold(&def, "");
    def.tetrahedra = (int[]){0, 1, 2, 3, 0, 7, 6, 3}; // two that touch along the edge 0 3
    check_non_manifold(&def, "2 non-manifold tetrahedra (elements 0, 1)");
    def.tetrahedron_count = 0;
    def.triangles = (int[]){0, 1, 2, 0, 1, 3, 1, 0, 4, 4, 5, 6}; // three on the edge 0 1
    def.triangle_count = 4;
    check_non_manifold(&def, "3 non-manifold triangles (elements 0, 1, 2)");
}

static void test_surface(void** state)
{
    (void)state;
    SnMesh* mesh = make_fixture_mesh();
    int *triangles, count;
    check_ok(sn_mesh_surface(mesh, &triangles, &count));
    const int wanted[6][3] = {{0, 3, 2}, {0, 1, 3}, {0, 2, 1}, {1, 4, 3}, {1, 2, 4}, {2, 3, 4}};
    assert_int_equal(count, 6);
    int sums[6] = {0};
    for (int i = 0; i < 6; i++) // each wanted triangle, up to rotation
        for (int j = 0; j < 6; j++)
            for (int r = 0; r < 3; r++)
                sums[i] += wanted[i][0] == triangles[3 * j + r] && wanted[i][1] == triangles[3 * j + (r + 1) % 3] &&
                           wanted[i][2] == triangles[3 * j + (r + 2) % 3];
    for (int i = 0; i < 6; i++) assert_int_equal(sums[i], 1);
    sn_free(triangles);
    mesh->tetrahedron_count = 0; // now its own triangles
    check_ok(sn_mesh_surface(mesh, &triangles, &count));
    assert_int_equal(count, 2);
    assert_memory_equal(triangles, fixture_triangles, sizeof fixture_triangles);
    sn_free(triangles);
    sn_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_problems),
    cmocka_unit_test(test_node_problems),
    cmocka_unit_test(test_non_manifold),
    cmocka_unit_test(test_surface),
};
RUN_TESTS(tests, NULL, NULL)
