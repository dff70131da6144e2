// Readers: every variant of every format gives the same mesh, groups and fields.
#include "core/random.h"
#include "files.h"
#include "fixtures.h"
#include "mesh/mesh.h"
#include "mesh/reader.h"

static void test_fixtures(void** state)
{
    (void)state;
    for (int f = 0; f < FIXTURES; f++) {
        const Fixture* fixture = &fixtures[f];
        Bytes bytes;
        save_fixture(fixture, &bytes);
        SnMesh* mesh;
        if (sn_mesh_load(path_of(fixture->ending), &mesh) != SN_OK) fail_msg("%s: %s", fixture->name, sn_last_error());
        check_usable(mesh);
        bool stl = strcmp(fixture->ending, ".stl") == 0; // does not know of the fifth node
        if (mesh->node_count != (stl ? 4 : 5) || mesh->tetrahedron_count != fixture->tetrahedra ||
            mesh->triangle_count != fixture->triangles || mesh->edge_count != fixture->edges ||
            mesh->group_count != fixture->groups || mesh->field_count != fixture->fields)
            fail_msg("%s: %d nodes, %d tetrahedra, %d triangles, %d edges, %d groups, %d fields", fixture->name,
                     mesh->node_count, mesh->tetrahedron_count, mesh->triangle_count, mesh->edge_count,
                     mesh->group_count, mesh->field_count);
        assert_memory_equal(mesh->nodes, fixture_nodes, sizeof(double[3]) * (stl ? 4 : 5));
        assert_memory_equal(mesh->tetrahedra, fixture_tetrahedra, sizeof(int[4]) * (size_t)mesh->tetrahedron_count);
        assert_memory_equal(mesh->triangles, fixture_triangles, sizeof(int[3]) * (size_t)mesh->triangle_count);
        assert_memory_equal(mesh->edges, fixture_edge, sizeof(int[2]) * (size_t)mesh->edge_count);
        sn_mesh_destroy(mesh);
        free(bytes.data);
    }
}

static const SnMeshGroup* group_of(const SnMesh* mesh, int dimension, int tag)
{
    for (int g = 0; g < mesh->group_count; g++)
        if (mesh->groups[g].dimension == dimension && mesh->groups[g].tag == tag) return &mesh->groups[g];
    fail_msg("no group %d of dimension %d", tag, dimension);
    return NULL;
}

static void test_gmsh_groups_and_fields(void** state)
{
    (void)state;
    for (int f = 0; f < 9; f++) {
        Bytes bytes;
        save_fixture(&fixtures[f], &bytes);
        SnMesh* mesh;
        check_ok(sn_mesh_load(path_of(".msh"), &mesh));
        const SnMeshGroup* group = group_of(mesh, 3, 4);
        assert_string_equal(group->name, "soft part");
        assert_int_equal(group->count, 2);
        assert_string_equal(group_of(mesh, 2, 3)->name, "3");
        assert_string_equal(group_of(mesh, 1, 2)->name, "wire");
        assert_int_equal(group_of(mesh, 0, 1)->count, 1);
        assert_int_equal(group_of(mesh, 0, 1)->items[0], 0);
        assert_string_equal(mesh->fields[0].name, "warm th");
        assert_true(mesh->fields[0].per_node && mesh->fields[0].components == 1);
        for (int i = 0; i < 5; i++) check_near(mesh->fields[0].values[i], 0.5 * i, 0);
        assert_string_equal(mesh->fields[1].name, "pull");
        assert_true(!mesh->fields[1].per_node && mesh->fields[1].components == 3);
        for (int i = 0; i < 6; i++) check_near(mesh->fields[1].values[i], i, 0);
        sn_mesh_destroy(mesh);
        free(bytes.data);
    }
}

static void test_other_groups_and_fields(void** state)
{
    (void)state;
    for (int f = 9; f < FIXTURES; f++) {
        Bytes bytes;
        if (fixtures[f].groups + fixtures[f].fields == 0) continue;
        save_fixture(&fixtures[f], &bytes);
        SnMesh* mesh;
        check_ok(sn_mesh_load(path_of(fixtures[f].ending), &mesh));
        if (fixtures[f].make == make_medit) {
            assert_int_equal(group_of(mesh, 0, 7)->items[0], 1);
            assert_int_equal(group_of(mesh, 1, 3)->count, 1);
            assert_int_equal(group_of(mesh, 2, 9)->count, 1);
            assert_int_equal(group_of(mesh, 3, 2)->items[0], 1);
        } else if (fixtures[f].make == make_tetgen_nodes) {
            assert_int_equal(group_of(mesh, 0, 1)->count, 2);
            check_near(mesh->fields[0].values[4], 4.5, 0);
        } else if (fixtures[f].make == make_tetgen_elements) {
            assert_int_equal(group_of(mesh, 3, 18)->items[0], 1);
            check_near(mesh->fields[0].values[0], 17, 0);
        } else if (fixtures[f].make == make_vtk_polydata || fixtures[f].make == make_vtp) {
            check_near(mesh->fields[0].values[0], 3, 0); // after a vertex and a line
            check_near(mesh->fields[0].values[1], 4, 0);
        } else {
            assert_string_equal(mesh->fields[0].name, "warm th");
            check_near(mesh->fields[0].values[3], 1.5, 0);
            for (int i = 0; i < 6; i++) check_near(mesh->fields[1].values[i], i, 0);
        }
        sn_mesh_destroy(mesh);
        free(bytes.data);
    }
}

static void test_polygons(void** state)
{
    (void)state;
    SnMesh* mesh;
    const char* square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 2 0\nf 1 2 3 4 5\nl 1 2 3\n";
    check_ok(load_text(".obj", square, &mesh));
    const int fan[] = {0, 1, 2, 0, 2, 3, 0, 3, 4}, lines[] = {0, 1, 1, 2};
    assert_int_equal(mesh->triangle_count, 3);
    assert_memory_equal(mesh->triangles, fan, sizeof fan);
    assert_memory_equal(mesh->edges, lines, sizeof lines);
    sn_mesh_destroy(mesh);
    const char* strip =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
        "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 0 1 3\n";
    const int strips[] = {0, 1, 2, 2, 1, 3, 0, 1, 3};
    check_ok(load_text(".ply", strip, &mesh));
    assert_int_equal(mesh->triangle_count, 3);
    assert_memory_equal(mesh->triangles, strips, sizeof strips);
    sn_mesh_destroy(mesh);
}

// What real gmsh files also hold: nodes with parameters, partitions, a second-order element, odd sections.
static void test_gmsh_extras(void** state)
{
    (void)state;
    const char* text =
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
        "$Entities\n0 0 1 0\n1 0 0 0 1 1 1 2 6 -7 0\n$EndEntities\n"
        "$PartitionedEntities\n2\n1\n9 1\n0 0 1 0\n2 2 1 2 1 2 0 0 0 1 1 1 1 8 1 3\n$EndPartitionedEntities\n"
        "$Nodes\n2 4 1 4\n2 1 1 3\n1\n2\n3\n0 0 0 0.1 0.2\n1 0 0 0.3 0.4\n0 1 0 0.5 0.6\n1 2 1 1\n4\n0 0 1 0.5\n"
        "$EndNodes\n$Elements\n3 3 1 3\n2 1 2 1\n1 1 2 3\n2 2 2 1\n2 1 3 4\n1 2 8 1\n3 1 2 3\n$EndElements\n"
        "$Periodic\n1\n$EndPeriodic\n"
        "$ElementData\n1\n\"a\"\n0\n3\n0\n1\n2\n2 5\n3 6\n$EndElementData\n";
    SnMesh* mesh;
    check_ok(load_text(".msh", text, &mesh));
    assert_int_equal(mesh->node_count, 4);
    assert_int_equal(mesh->triangle_count, 2);
    assert_int_equal(mesh->edge_count, 2); // of second order
    assert_int_equal(group_of(mesh, 2, 6)->items[0], 0);
    assert_int_equal(group_of(mesh, 2, 7)->count, 1);
    assert_int_equal(group_of(mesh, 2, 8)->items[0], 1);
    assert_true(isnan(mesh->fields[0].values[0])); // not in the file
    check_near(mesh->fields[0].values[1], 5, 0);
    check_near(mesh->nodes[11], 1, 0);
    sn_mesh_destroy(mesh);
}

static void test_handedness(void** state)
{
    (void)state;
    const char* head =
        "MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1.25 0\n";
    char text[512];
    SnMesh* mesh;
    SnMeshCheck found;
    snprintf(text, sizeof text, "%sTetrahedra\n2\n1 2 4 3 0\n2 3 5 4 0\n", head); // all left-handed
    check_ok(load_text(".mesh", text, &mesh));
    assert_memory_equal(mesh->tetrahedra, fixture_tetrahedra, sizeof fixture_tetrahedra);
    sn_mesh_destroy(mesh);
    snprintf(text, sizeof text, "%sTetrahedra\n2\n1 2 4 3 0\n2 3 4 5 0\n", head); // one of each
    check_ok(load_text(".mesh", text, &mesh));
    check_ok(sn_mesh_check(mesh, &found));
    assert_int_equal(found.problems[SN_MESH_INVERTED].count, 1);
    assert_int_equal(found.problems[SN_MESH_INVERTED].examples[0], 0);
    sn_mesh_destroy(mesh);
}

// Text to numbers agrees with the C library to the last bit.
static void test_numbers(void** state)
{
    (void)state;
    static const char* const formats[] = {"%.17g", "%g", "%.3f", "%.20e", "%.0f", "%.15g"};
    SnRandom random = {1};
    Bytes bytes = {0};
    double wanted[1800];
    for (int i = 0; i < 1800; i++) {
        uint64_t bits = sn_random_bits(&random);
        double x = sn_random_uniform(&random, -1e3, 1e3);
        if (i % 3 == 0) memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) x = i;
        char text[400];
        snprintf(text, sizeof text, formats[i % 6], x);
        wanted[i] = strtod(text, NULL);
        put_text(&bytes, text);
        put_text(&bytes, i % 2 ? "\n" : " ");
    }
    save_bytes(".txt", bytes.data, bytes.size);
    SnReader reader;
    check_ok(sn_reader_open(&reader, path_of(".txt")));
    for (int i = 0; i < 1800; i++) {
        double got;
        check_ok(sn_read_real(&reader, &got, "a number"));
        assert_memory_equal(&got, &wanted[i], sizeof got);
    }
    sn_reader_close(&reader);
    free(bytes.data);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fixtures),
    cmocka_unit_test(test_gmsh_groups_and_fields),
    cmocka_unit_test(test_other_groups_and_fields),
    cmocka_unit_test(test_polygons),
    cmocka_unit_test(test_gmsh_extras),
    cmocka_unit_test(test_handedness),
    cmocka_unit_test(test_numbers),
};
RUN_TESTS(tests, make_folder, remove_folder)
