// Meshes: every shape is sound, every format reads and writes the same, and no file, however broken, does harm.
#include "check.h"

#include "core/random.h"
#include "mesh/elements.h"
#include "mesh/mesh.h"
#include "mesh/reader.h"
#include "mesh_fixtures.h"

#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/sinew-test-mesh-XXXXXX";

static const char* path_of(const char* ending)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/file%s", folder, ending);
    return path;
}

static void save_bytes(const char* ending, const void* data, size_t size)
{
    unlink(path_of(ending)); // a new file is not flushed to disk when it is closed, as an overwritten one may be
    FILE* file = fopen(path_of(ending), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static void save_text(const char* ending, const char* text)
{
    save_bytes(ending, text, strlen(text));
}

static SnStatus load_text(const char* ending, const char* text, SnMesh** mesh)
{
    save_text(ending, text);
    return sn_mesh_load(path_of(ending), mesh);
}

// --- shapes

static SnMesh* make_shape(const SnShape* shape, int pattern)
{
    double values[SN_SHAPE_PARAMETERS][3] = {0};
    for (int p = 0; p < SN_SHAPE_PARAMETERS && shape->parameters[p].name; p++)
        memcpy(values[p], shape->parameters[p].values, sizeof values[p]);
    SnMesh* mesh;
    check_ok(shape->make(values, pattern, &mesh));
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
    {"sphere", 4 * M_PI / 3 * 0.125, 6e-3, 2},
    {"cylinder", M_PI * 0.0625, 2e-3, 2},
    {"torus", 2 * M_PI* M_PI * 0.5 * 0.15 * 0.15, 4e-3, 0},
    {"cloth", 1, 1e-12, 0},
    {"rope", 1, 1e-12, 0},
};

static void test_shapes(void** state)
{
    (void)state;
    for (int s = 0; sn_shapes[s]; s++) {
        const SnShape* shape = sn_shapes[s];
        check((size_t)s < sizeof expected_shapes / sizeof *expected_shapes);
        assert_string_equal(shape->name, expected_shapes[s].name);
        for (int pattern = 0; pattern == 0 || (shape->patterns && shape->patterns[pattern]); pattern++) {
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
        errors[i] = 4 * M_PI / 3 * 8 - measure.volume;
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
    double values[SN_SHAPE_PARAMETERS][3] = {{1, 1, 1}, {1, 2.5, 1}};
    check_fails(sn_shapes[0]->make(values, 0, &mesh), SN_ERROR_VALUE, "2.5", "whole number");
}

// --- meshes from arrays

static SnMesh* make_fixture_mesh(void)
{
    SnMeshDef def = sn_default_mesh_def();
    def.node_count = 5, def.nodes = fixture_nodes[0];
    def.tetrahedron_count = 2, def.tetrahedra = fixture_tetrahedra[0];
    def.triangle_count = 2, def.triangles = fixture_triangles[0];
    def.edge_count = 1, def.edges = fixture_edge;
    SnMesh* mesh;
    check_ok(sn_mesh_create(&def, &mesh));
    return mesh;
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

// --- checks

static const struct {
    SnMeshProblemKind kind;
    int nodes[2][4]; // of two tetrahedra over the fixture's nodes
    const char* text;
    bool fatal;
} problems[] = {
    {SN_MESH_OUT_OF_RANGE, {{0, 1, 2, 3}, {1, 2, 3, 5}}, "1 out-of-range tetrahedron (element 1)", true},
    {SN_MESH_OUT_OF_RANGE, {{0, 1, 2, -1}, {1, 2, 3, 5}}, "2 out-of-range tetrahedra (elements 0, 1)", true},
    {SN_MESH_INVERTED, {{0, 1, 2, 3}, {2, 1, 3, 4}}, "1 inverted tetrahedron (element 1)", true},
    {SN_MESH_DEGENERATE, {{0, 1, 2, 2}, {1, 2, 3, 4}}, "1 degenerate tetrahedron (element 0)", true},
    {SN_MESH_DUPLICATE, {{1, 2, 3, 4}, {2, 3, 1, 4}}, "1 duplicate tetrahedron (element 1)", true},
    {SN_MESH_UNREFERENCED, {{0, 1, 2, 3}, {0, 1, 2, 3}}, "1 unreferenced node (node 4)", true},
};

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

// --- reading

static void save_fixture(const Fixture* fixture, Bytes* bytes)
{
    *bytes = (Bytes){0};
    fixture->make(bytes);
    save_bytes(fixture->ending, bytes->data, bytes->size);
    if (fixture->sibling) save_text(fixture->sibling_ending, fixture->sibling);
}

static void check_groups(const SnMesh* mesh)
{
    for (int g = 0; g < mesh->group_count; g++) {
        const SnMeshGroup* group = &mesh->groups[g];
        assert_non_null(group->name);
        for (int i = 0; i < group->count; i++) {
            assert_in_range(group->items[i], 0, sn_mesh_count_of(mesh, group->dimension) - 1);
            assert_true(i == 0 || group->items[i - 1] < group->items[i]);
        }
    }
}

static void check_fields(const SnMesh* mesh)
{
    double sum = 0;
    for (int f = 0; f < mesh->field_count; f++) {
        const SnMeshField* field = &mesh->fields[f];
        assert_non_null(field->name);
        int top = sn_mesh_top_dimension(mesh);
        int64_t count = field->per_node ? mesh->node_count : top ? sn_mesh_count_of(mesh, top) : 0;
        for (int64_t i = 0; i < field->components * count; i++) sum += field->values[i]; // the sanitizer looks on
    }
    (void)sum;
}

// Whatever was read can be used without harm.
static void check_usable(const SnMesh* mesh)
{
    for (int d = 1; d < 4; d++)
        for (int i = 0; i < (d + 1) * sn_mesh_count_of(mesh, d); i++)
            if (sn_mesh_list_of(mesh, d)[i] < 0 || sn_mesh_list_of(mesh, d)[i] >= mesh->node_count)
                fail_msg("a node out of range");
    check_groups(mesh);
    check_fields(mesh);
    SnMeshCheck found;
    check_ok(sn_mesh_check(mesh, &found));
}

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
    for (int f = 9; f < 17; f++) {
        Bytes bytes;
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
        } else if (fixtures[f].make == make_vtk_polydata) {
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

// What real gmsh files also hold: nodes with parameters, partitions, a skipped second-order element, odd sections.
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
    assert_int_equal(mesh->edge_count, 0);
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

// parts of this file
#include "mesh_robustness.h"
#include "mesh_tree.h"
#include "mesh_writing.h"

static int make_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void** state)
{
    (void)state;
    static const char* const endings[] = {".msh", ".mesh", ".node", ".ele", ".vtk", ".obj", ".ply", ".stl", ".txt"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) unlink(path_of(endings[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_uneven_boxes),
        cmocka_unit_test(test_rounded_shapes_refine),
        cmocka_unit_test(test_shape_errors),
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_node_problems),
        cmocka_unit_test(test_non_manifold),
        cmocka_unit_test(test_surface),
        cmocka_unit_test(test_fixtures),
        cmocka_unit_test(test_gmsh_groups_and_fields),
        cmocka_unit_test(test_other_groups_and_fields),
        cmocka_unit_test(test_polygons),
        cmocka_unit_test(test_gmsh_extras),
        cmocka_unit_test(test_handedness),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_generated_round_trips),
        cmocka_unit_test(test_gmsh_variants),
        cmocka_unit_test(test_gmsh_numbers_groups),
        cmocka_unit_test(test_gmsh_variant_errors),
        cmocka_unit_test(test_write_errors),
        cmocka_unit_test(test_comma_locale),
        cmocka_unit_test(test_path_errors),
        cmocka_unit_test(test_format_errors),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_corrupted),
        cmocka_unit_test(test_memory_failures),
        cmocka_unit_test(test_memory_failures_elsewhere),
        cmocka_unit_test(test_tree_nearest),
        cmocka_unit_test(test_nearest_on_triangle),
        cmocka_unit_test(test_tree_overlaps),
        cmocka_unit_test(test_tree_threads),
        cmocka_unit_test(test_small_trees),
        cmocka_unit_test(test_point_in_tetrahedron),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
