// Shapes: every one is sound, of the right size, and refuses what it cannot be; meshes from arrays.
#include "core/pi.h"
#include "files.h"
#include "fixtures.h"
#include "mesh/elements.h"
#include "mesh/mesh.h"

static SnMesh* make_shape(const SnShape* shape, int pattern)
{
    SnShapeDef def = {0};
    sn_parameters_default(shape->parameters, &def);
    def.pattern = pattern;
    SnMesh* mesh;
    check_ok(shape->make(&def, &mesh));
    return mesh;
}

static void check_sound(const SnMesh* mesh, const char* name)
{
    SnMeshCheck found;
    check_ok(sn_mesh_check(mesh, &found));
    for (int kind = 0; kind < SN_MESH_PROBLEM_KINDS; kind++) {
        char text[256];
        sn_mesh_problem_text(&found, kind, text, sizeof text);
        if (text[0]) fail_msg("%s: %s", name, text);
    }
    assert_false(sn_mesh_check_fatal(&found));
}

// V - E + F of the surface, which must be closed: each edge of one triangle is, turned around, that of one other.
static int euler_characteristic(const SnMesh* mesh)
{
    int *triangles, count, vertices = 0;
    check_ok(sn_mesh_surface(mesh, &triangles, &count));
    char* used = calloc((size_t)mesh->node_count, 1);
    SnNodeKey* edges = calloc(3 * (size_t)count, sizeof *edges);
    for (int i = 0; i < 3 * count; i++) {
        int from = triangles[i], to = triangles[i % 3 == 2 ? i - 2 : i + 1];
        vertices += !used[from];
        used[from] = 1;
        edges[i] = sn_node_key((int[]){from, to}, 2, from < to);
    }
    check_ok(sn_sort_keys(edges, 3 * count, mesh->node_count));
    for (int i = 0; i < 3 * count; i += 2) {
        assert_true(sn_same_key(&edges[i], &edges[i + 1]));
        assert_true(edges[i].item == 0 && edges[i + 1].item == 1);
        assert_true(i == 0 || !sn_same_key(&edges[i - 1], &edges[i]));
    }
    free(edges);
    free(used);
    sn_free(triangles);
    return vertices - 3 * count / 2 + count;
}

static double enclosed_volume(const SnMesh* mesh) // by the surface, outward
{
    int *triangles, count;
    double volume = 0;
    check_ok(sn_mesh_surface(mesh, &triangles, &count));
    for (int i = 0; i < count; i++) {
        const double *a = mesh->nodes + 3 * triangles[3 * i], *b = mesh->nodes + 3 * triangles[3 * i + 1],
                     *c = mesh->nodes + 3 * triangles[3 * i + 2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    sn_free(triangles);
    return volume;
}

static const struct {
    const char* name;
    double content, tolerance; // volume, area or length of the default
    int euler;
} expected_shapes[] = {
    {"box", 1, 1e-12, 2},
    {"sphere", 4 * SN_PI / 3 * 0.125, 6e-3, 2},
    {"cylinder", SN_PI * 0.0625, 2e-3, 2},
    {"torus", 2 * SN_PI* SN_PI * 0.5 * 0.15 * 0.15, 4e-3, 0},
    {"cloth", 1, 1e-12, 0},
    {"rope", 1, 1e-12, 0},
    {"knot", 2, 4e-3, 0},
    {"net", 22 + 20 * 1.4142135623730951 + 39.6, 1e-12, 0},
    {"walker", 2.632, 0.08, 0},
    {"creature", 0.0585, 0.02, 2},
    {"shirt", 1.23, 0.01, 0},
};

static void test_shapes(void** state)
{
    (void)state;
    for (int s = 0; sn_shape_at(s); s++) {
        const SnShape* shape = sn_shape_at(s);
        const SnParameter* patterns = sn_parameter_find(shape->parameters, "pattern");
        check((size_t)s < sizeof expected_shapes / sizeof *expected_shapes);
        assert_string_equal(shape->name, expected_shapes[s].name);
        for (int pattern = 0; pattern == 0 || (patterns && patterns->names[pattern]); pattern++) {
            SnMesh* mesh = make_shape(shape, pattern);
            SnMeshMeasure measure;
            sn_mesh_measure(mesh, &measure);
            check_sound(mesh, shape->name);
            double contents[] = {0, measure.length, measure.area, measure.volume};
            check_near(contents[sn_mesh_top_dimension(mesh)], expected_shapes[s].content, expected_shapes[s].tolerance);
            if (mesh->tetrahedron_count) {
                assert_int_equal(euler_characteristic(mesh), expected_shapes[s].euler);
                check_near(enclosed_volume(mesh), measure.volume, 1e-12);
            }
            sn_mesh_destroy(mesh);
        }
    }
}

static void test_uneven_boxes(void** state)
{
    (void)state;
    static const int counts[][3] = {{1, 1, 1}, {1, 2, 3}, {3, 1, 1}, {4, 3, 2}, {2, 5, 3}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (int pattern = SN_BOX_KUHN; pattern <= SN_BOX_BCC; pattern++) {
            SnMesh* mesh;
            check_ok(sn_mesh_make_box_pattern((double[]){2, 3, 0.5}, counts[i], pattern, &mesh));
            int cells = counts[i][0] * counts[i][1] * counts[i][2];
            assert_int_equal(mesh->tetrahedron_count, cells * (pattern == SN_BOX_KUHN ? 6 : 12));
            SnMeshMeasure measure;
            sn_mesh_measure(mesh, &measure);
            check_near(measure.volume, 3, 1e-12);
            for (int a = 0; a < 3; a++) check_near(measure.lo[a], 0, 0);
            check_near(measure.hi[1], 3, 1e-15);
            assert_int_equal(euler_characteristic(mesh), 2);
            check_sound(mesh, "box");
            sn_mesh_destroy(mesh);
        }
    }
}

static void test_rounded_shapes_refine(void** state)
{
    (void)state;
    SnMesh* mesh;
    SnMeshMeasure measure;
    double errors[2];
    for (int i = 0; i < 2; i++) {
        check_ok(sn_mesh_make_sphere(2, 4 << i, &mesh));
        sn_mesh_measure(mesh, &measure);
        errors[i] = 4 * SN_PI / 3 * 8 - measure.volume;
        int *triangles, count;
        check_ok(sn_mesh_surface(mesh, &triangles, &count));
        for (int j = 0; j < 3 * count; j++) {
            const double* p = mesh->nodes + 3 * triangles[j];
            check_near(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), 2, 1e-14);
        }
        sn_free(triangles);
        sn_mesh_destroy(mesh);
    }
    check_near(errors[0] / errors[1], 4, 0.3); // second order
    check_ok(sn_mesh_make_torus(1, 0.2, 12, 1, &mesh));
    assert_int_equal(euler_characteristic(mesh), 0);
    check_sound(mesh, "coarsest torus");
    sn_mesh_destroy(mesh);
}

static void test_shape_errors(void** state)
{
    (void)state;
    SnMesh* mesh;
    check_fails(sn_mesh_make_box((double[]){1, -1, 1}, (int[]){1, 1, 1}, &mesh), SN_ERROR_VALUE, "box: size is -1");
    check_fails(sn_mesh_make_box((double[]){1, NAN, 1}, (int[]){1, 1, 1}, &mesh), SN_ERROR_VALUE, "must be positive");
    check_fails(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 0, 1}, &mesh), SN_ERROR_VALUE, "cells is 0");
    int huge[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    check_fails(sn_mesh_make_box((double[]){1, 1, 1}, huge, &mesh), SN_ERROR_VALUE, "too many", "fewer cells");
    check_fails(sn_mesh_make_sphere(1, INT32_MAX, &mesh), SN_ERROR_VALUE, "too many");
    check_fails(sn_mesh_make_cylinder(1, 1, INT32_MAX, 1, &mesh), SN_ERROR_VALUE, "too many");
    check_fails(sn_mesh_make_torus(1, 2, 9, 2, &mesh), SN_ERROR_VALUE, "minor radius 2 must be below");
    check_fails(sn_mesh_make_torus(2, 1, 2, 2, &mesh), SN_ERROR_VALUE, "at least 3");
    check_fails(sn_mesh_make_torus(1, 0.9, 3, 1, &mesh), SN_ERROR_VALUE, "3 cells around are too few for 1 along");
    check_fails(sn_mesh_make_cloth((double[]){1, 1}, huge, &mesh), SN_ERROR_VALUE, "too many");
    check_fails(sn_mesh_make_rope(1, INT32_MAX, &mesh), SN_ERROR_VALUE, "too many");
    assert_null(mesh);
    SnShapeDef knot = {.length = 1, .radius = 0.3, .cells = {10}};
    check_fails(sn_shape_find("knot")->make(&knot, &mesh), SN_ERROR_VALUE, "length is 1, must be at least 2.", "0.3");
    SnShapeDef def = {.size = {1, 1, 1}};
    check_fails(sn_shape_find("box")->make(&def, &mesh), SN_ERROR_VALUE, "cells is 0", "at least 1");
}

static void test_create(void** state)
{
    (void)state;
    SnMesh* mesh = make_fixture_mesh();
    assert_int_equal(sn_mesh_node_count(mesh), 5);
    assert_int_equal(sn_mesh_tetrahedron_count(mesh), 2);
    assert_int_equal(sn_mesh_triangle_count(mesh), 2);
    assert_int_equal(sn_mesh_edge_count(mesh), 1);
    assert_memory_equal(sn_mesh_nodes(mesh), fixture_nodes, sizeof fixture_nodes);
    assert_memory_equal(sn_mesh_tetrahedra(mesh), fixture_tetrahedra, sizeof fixture_tetrahedra);
    assert_memory_equal(sn_mesh_triangles(mesh), fixture_triangles, sizeof fixture_triangles);
    assert_memory_equal(sn_mesh_edges(mesh), fixture_edge, sizeof fixture_edge);
    sn_mesh_destroy(mesh);
    sn_mesh_destroy(NULL);
    SnMeshDef def = sn_default_mesh_def();
    check_fails(sn_mesh_create(&def, &mesh), SN_ERROR_VALUE, "0 nodes");
    def.node_count = 4, def.nodes = fixture_nodes[0];
    def.tetrahedron_count = 2, def.tetrahedra = fixture_tetrahedra[0];
    check_fails(sn_mesh_create(&def, &mesh), SN_ERROR_VALUE, "tetrahedron 1 names node 4", "4 nodes");
    def.tetrahedron_count = -1;
    check_fails(sn_mesh_create(&def, &mesh), SN_ERROR_VALUE, "-1 tetrahedra");
    def.tetrahedron_count = 0, def.edge_count = 3;
    check_fails(sn_mesh_create(&def, &mesh), SN_ERROR_VALUE, "3 edges without a list");
    assert_null(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shapes),
    cmocka_unit_test(test_uneven_boxes),
    cmocka_unit_test(test_rounded_shapes_refine),
    cmocka_unit_test(test_shape_errors),
    cmocka_unit_test(test_create),
};
RUN_TESTS(tests, NULL, NULL)
