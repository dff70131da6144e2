// Meshes that are written and read again: the same bits, the same groups and fields.
#include <unistd.h>

#include "comma.h"
#include "files.h"
#include "mesh/elements.h"
#include "mesh/mesh.h"

static void add_group(SnMesh* mesh, int dimension, int tag, const char* name, int count, const int* items)
{
    mesh->groups = sn_reallocate(mesh->groups, (size_t)mesh->group_count + 1, sizeof *mesh->groups, "groups");
    mesh->groups[mesh->group_count++] = (SnMeshGroup){sn_copy_text(name), tag, dimension, count,
                                                      sn_copy_memory(items, (size_t)count, sizeof(int), "items")};
}

static void add_field(SnMesh* mesh, const char* name, bool per_node, int components, int count)
{
    mesh->fields = sn_reallocate(mesh->fields, (size_t)mesh->field_count + 1, sizeof *mesh->fields, "fields");
    SnMeshField* field = &mesh->fields[mesh->field_count++];
    *field = (SnMeshField){sn_copy_text(name), per_node, components, NULL};
    assert_true(SN_NEW(field->values, components * count, "values"));
    for (int i = 0; i < components * count; i++) field->values[i] = i / 3.0;
}

// Two tetrahedra, two triangles, an edge, awkward coordinates; overlapping groups when the format can hold them.
static SnMesh* make_rich_mesh(const char* ending)
{
    SnMesh* mesh = make_fixture_mesh();
    mesh->nodes[14] = 1.0 / 3, mesh->nodes[12] = 1.1e-300, mesh->nodes[13] = 1e22 / 3;
    mesh->nodes[0] = 0.1;
    bool gmsh = strcmp(ending, ".msh") == 0, medit = strcmp(ending, ".mesh") == 0;
    bool tetgen = strcmp(ending, ".node") == 0 || strcmp(ending, ".ele") == 0;
    if (gmsh || medit || tetgen) {
        add_group(mesh, 3, 2, gmsh ? "upper half" : "2", 1, (int[]){1});
        if (gmsh) add_group(mesh, 3, 3, "all of it", 2, (int[]){0, 1});
        if (!tetgen) add_group(mesh, 2, 9, "9", 1, (int[]){1});
        add_group(mesh, 0, 5, "5", 2, (int[]){1, 4});
    }
    if (gmsh || strcmp(ending, ".vtk") == 0) {
        add_field(mesh, "rest length", true, 1, 5);
        add_field(mesh, "fibre%", false, 3, 2);
    }
    if (tetgen || strcmp(ending, ".vtk") == 0 || gmsh) return mesh;
    if (!medit) mesh->tetrahedron_count = 0;
    if (strcmp(ending, ".stl") == 0) mesh->node_count = 4, mesh->edge_count = 0;
    return mesh;
}

static void check_same_groups(const SnMesh* a, const SnMesh* b)
{
    assert_int_equal(a->group_count, b->group_count);
    for (int g = 0; g < a->group_count; g++) {
        assert_string_equal(a->groups[g].name, b->groups[g].name);
        assert_int_equal(a->groups[g].tag, b->groups[g].tag);
        assert_int_equal(a->groups[g].dimension, b->groups[g].dimension);
        assert_int_equal(a->groups[g].count, b->groups[g].count);
        assert_memory_equal(a->groups[g].items, b->groups[g].items, sizeof(int) * (size_t)a->groups[g].count);
    }
}

static void check_same_fields(const SnMesh* a, const SnMesh* b)
{
    assert_int_equal(a->field_count, b->field_count);
    for (int f = 0; f < a->field_count; f++) {
        assert_string_equal(a->fields[f].name, b->fields[f].name);
        assert_int_equal(a->fields[f].per_node, b->fields[f].per_node);
        assert_int_equal(a->fields[f].components, b->fields[f].components);
        int count = a->fields[f].per_node ? a->node_count : sn_mesh_count_of(a, sn_mesh_top_dimension(a));
        assert_memory_equal(a->fields[f].values, b->fields[f].values,
                            sizeof(double) * (size_t)(count * a->fields[f].components));
    }
}

static void check_same_elements(const SnMesh* a, const SnMesh* b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_memory_equal(a->nodes, b->nodes, sizeof(double[3]) * (size_t)a->node_count);
    for (int d = 1; d < 4; d++) {
        int count = sn_mesh_count_of(a, d);
        assert_int_equal(count, sn_mesh_count_of(b, d));
        assert_memory_equal(sn_mesh_list_of(a, d), sn_mesh_list_of(b, d), sizeof(int) * (size_t)(count * (d + 1)));
    }
}

static void test_round_trips(void** state)
{
    (void)state;
    static const char* const endings[] = {".msh", ".mesh", ".node", ".ele", ".vtk", ".obj", ".ply", ".stl"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        assert_non_null(sn_mesh_format_of(path_of(endings[i]))->write);
        SnMesh *mesh = make_rich_mesh(endings[i]), *again;
        check_ok(sn_mesh_save(mesh, path_of(endings[i])));
        check_ok(sn_mesh_load(path_of(endings[i]), &again));
        bool tetgen = strcmp(endings[i], ".node") == 0 || strcmp(endings[i], ".ele") == 0;
        if (tetgen) mesh->triangle_count = mesh->edge_count = 0, again->field_count--; // regions are attributes, too
        check_same_elements(mesh, again);
        check_same_groups(mesh, again);
        check_same_fields(mesh, again);
        if (tetgen) again->field_count++;
        sn_mesh_destroy(again);
        sn_mesh_destroy(mesh);
    }
}

static void test_generated_round_trips(void** state)
{
    (void)state;
    for (int f = 0; sn_mesh_format_at(f); f++) {
        if (!sn_mesh_format_at(f)->write) continue;
        char ending[16];
        snprintf(ending, sizeof ending, "%.*s", (int)strcspn(sn_mesh_format_at(f)->endings, " "),
                 sn_mesh_format_at(f)->endings);
        SnMesh *mesh, *again, *surface = NULL;
        check_ok(sn_mesh_make_sphere(0.7, 3, &mesh));
        check_ok(sn_mesh_save(mesh, path_of(ending)));
        check_ok(sn_mesh_load(path_of(ending), &again));
        if (again->tetrahedron_count) {
            check_same_elements(mesh, again);
        } else { // the surface; of STL, in another order of nodes
            check_ok(sn_mesh_make_surface(mesh, &surface));
            assert_int_equal(again->node_count, surface->node_count);
            for (int i = 0; i < 3 * surface->triangle_count; i++)
                assert_memory_equal(again->nodes + 3 * again->triangles[i], surface->nodes + 3 * surface->triangles[i],
                                    sizeof(double[3]));
        }
        sn_mesh_destroy(surface);
        sn_mesh_destroy(again);
        sn_mesh_destroy(mesh);
    }
}

static const SnMeshWriteOptions gmsh_variants[] = {
    {"2.2", false}, {"2.2", true}, {"4.0", false}, {"4.0", true}, {"4.1", false}, {"4.1", true}, {NULL, true},
};
enum { GMSH_VARIANTS = sizeof gmsh_variants / sizeof *gmsh_variants };

// make_rich_mesh with nodes in two groups, an empty group and not a number, without elements in two groups for 2.2.
static SnMesh* make_variant_mesh(bool overlapping)
{
    SnMesh* mesh = make_rich_mesh(".msh");
    if (!overlapping) mesh->groups[1].count = 1; // leaves the second tetrahedron to the first group
    add_group(mesh, 0, 6, "upper", 3, (int[]){2, 3, 4});
    add_group(mesh, 0, 7, "empty", 0, (int[]){0});
    mesh->fields[0].values[2] = NAN;
    return mesh;
}

static void test_gmsh_variants(void** state)
{
    (void)state;
    for (int i = 0; i < GMSH_VARIANTS; i++) {
        const SnMeshWriteOptions* variant = &gmsh_variants[i];
        const char* version = variant->version ? variant->version : "4.1";
        SnMesh *mesh = make_variant_mesh(strcmp(version, "2.2") != 0), *again;
        check_ok(sn_mesh_save_as(mesh, path_of(".msh"), variant));
        char head[64] = "", wanted[64];
        FILE* file = fopen(path_of(".msh"), "rb");
        assert_int_equal(fread(head, 1, sizeof head - 1, file), sizeof head - 1);
        fclose(file);
        snprintf(wanted, sizeof wanted, "$MeshFormat\n%s %d 8\n", version, variant->binary);
        assert_memory_equal(head, wanted, strlen(wanted));
        check_ok(sn_mesh_load(path_of(".msh"), &again));
        check_same_elements(mesh, again);
        check_same_groups(mesh, again);
        check_same_fields(mesh, again);
        sn_mesh_destroy(again);
        sn_mesh_destroy(mesh);
    }
}

// Other formats number groups as they like; gmsh does from 1.
static void test_gmsh_numbers_groups(void** state)
{
    (void)state;
    for (int i = 0; i < GMSH_VARIANTS; i++) {
        SnMesh *mesh = make_fixture_mesh(), *again;
        add_group(mesh, 3, 1, "1", 1, (int[]){0});
        add_group(mesh, 3, -1, "-1", 1, (int[]){1});
        add_group(mesh, 0, -7, "-7", 2, (int[]){0, 3});
        check_ok(sn_mesh_save_as(mesh, path_of(".msh"), &gmsh_variants[i]));
        check_ok(sn_mesh_load(path_of(".msh"), &again));
        mesh->groups[1].tag = 3, mesh->groups[2].tag = 4;
        check_same_groups(mesh, again);
        mesh->groups[0].tag = INT32_MAX, mesh->groups[1].tag = -1;
        check_fails(sn_mesh_save_as(mesh, path_of(".msh"), &gmsh_variants[i]), SN_ERROR_UNSUPPORTED, "group -1",
                    "numbers groups from 1");
        sn_mesh_destroy(again);
        sn_mesh_destroy(mesh);
    }
}

static void test_gmsh_variant_errors(void** state)
{
    (void)state;
    SnMesh *mesh = make_variant_mesh(true), *rope;
    for (int binary = 0; binary < 2; binary++) {
        unlink(path_of(".msh"));
        check_fails(sn_mesh_save_as(mesh, path_of(".msh"), &(SnMeshWriteOptions){"2.2", binary}), SN_ERROR_UNSUPPORTED,
                    "tetrahedron 1 is in the groups \"upper half\" and \"all of it\"", "write version 4.1");
        assert_int_equal(access(path_of(".msh"), F_OK), -1); // nothing half-done is left
    }
    check_fails(sn_mesh_save_as(mesh, path_of(".msh"), &(SnMeshWriteOptions){"3.0", false}), SN_ERROR_VALUE, "3.0",
                "2.2, 4.0 and 4.1");
    check_ok(sn_mesh_make_rope(1, 3, &rope));
    for (int f = 0; sn_mesh_format_at(f); f++) {
        if (!sn_mesh_format_at(f)->write) continue;
        char ending[16];
        snprintf(ending, sizeof ending, "%.*s", (int)strcspn(sn_mesh_format_at(f)->endings, " "),
                 sn_mesh_format_at(f)->endings);
        if (strcmp(ending, ".msh") == 0) continue;
        check_fails(sn_mesh_save_as(mesh, path_of(ending), &(SnMeshWriteOptions){"2.2", false}), SN_ERROR_UNSUPPORTED,
                    folder, "gmsh files (.msh) only");
        check_fails(sn_mesh_save_as(mesh, path_of(ending), &(SnMeshWriteOptions){NULL, true}), SN_ERROR_UNSUPPORTED,
                    folder, "gmsh files (.msh) only");
    }
    for (int i = 0; i < GMSH_VARIANTS && access("/dev/full", W_OK) == 0; i++) {
        assert_int_equal(symlink("/dev/full", path_of(".msh")), 0);
        check_fails(sn_mesh_save_as(rope, path_of(".msh"), &gmsh_variants[i]), SN_ERROR_FILE, folder,
                    "could not be written");
        unlink(path_of(".msh"));
    }
    sn_mesh_destroy(rope);
    sn_mesh_destroy(mesh);
}

static void test_write_errors(void** state)
{
    (void)state;
    SnMesh *mesh = make_fixture_mesh(), *rope;
    check_ok(sn_mesh_make_rope(1, 3, &rope));
    check_fails(sn_mesh_save(rope, path_of(".stl")), SN_ERROR_UNSUPPORTED, folder, "STL files hold triangles");
    check_fails(sn_mesh_save(rope, path_of(".ele")), SN_ERROR_UNSUPPORTED, folder, "TetGen files hold tetrahedra");
    check_fails(sn_mesh_save(mesh, "/nowhere/at/all.msh"), SN_ERROR_FILE, "/nowhere/at/all.msh", "cannot be written");
    if (access("/dev/full", W_OK) == 0) {
        for (int f = 0; sn_mesh_format_at(f); f++) {
            if (!sn_mesh_format_at(f)->write) continue;
            char ending[16];
            snprintf(ending, sizeof ending, "%.*s", (int)strcspn(sn_mesh_format_at(f)->endings, " "),
                     sn_mesh_format_at(f)->endings);
            unlink(path_of(ending));
            assert_int_equal(symlink("/dev/full", path_of(ending)), 0);
            check_fails(sn_mesh_save(mesh, path_of(ending)), SN_ERROR_FILE, folder, "could not be written");
            unlink(path_of(ending));
        }
    }
    sn_mesh_destroy(rope);
    sn_mesh_destroy(mesh);
}

static void test_comma_locale(void** state)
{
    (void)state;
    comma_begin(folder);
    test_round_trips(state); // with the messages that they ask for
    test_gmsh_variants(state);
    comma_end(folder);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_round_trips),         cmocka_unit_test(test_generated_round_trips),
    cmocka_unit_test(test_gmsh_variants),       cmocka_unit_test(test_gmsh_numbers_groups),
    cmocka_unit_test(test_gmsh_variant_errors), cmocka_unit_test(test_write_errors),
    cmocka_unit_test(test_comma_locale),
};
RUN_TESTS(tests, make_folder, remove_folder)
