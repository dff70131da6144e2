// Mesh files in a folder of their own, and a mesh of all kinds of elements.
#pragma once
#include "check.h"

#include <unistd.h>

#include "fixtures.h"
#include "mesh/elements.h"
#include "mesh/faces.h"
#include "mesh/mesh.h"

static char folder[] = "/tmp/sinew-test-mesh-XXXXXX";

static inline const char* path_of(const char* ending)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/file%s", folder, ending);
    return path;
}

static inline void save_bytes(const char* ending, const void* data, size_t size)
{
    unlink(path_of(ending)); // a new file is not flushed to disk when it is closed, as an overwritten one may be
    FILE* file = fopen(path_of(ending), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static inline void save_text(const char* ending, const char* text)
{
    save_bytes(ending, text, strlen(text));
}

static inline SnStatus load_text(const char* ending, const char* text, SnMesh** mesh)
{
    save_text(ending, text);
    return sn_mesh_load(path_of(ending), mesh);
}

// --- meshes from arrays

static inline SnMesh* make_fixture_mesh(void)
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

// --- reading

static inline void save_fixture(const Fixture* fixture, Bytes* bytes)
{
    *bytes = (Bytes){0};
    fixture->make(bytes);
    save_bytes(fixture->ending, bytes->data, bytes->size);
    if (fixture->sibling) save_text(fixture->sibling_ending, fixture->sibling);
}

static inline void check_groups(const SnMesh* mesh)
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

static inline void check_fields(const SnMesh* mesh)
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
static inline void check_usable(const SnMesh* mesh)
{
    for (int d = 1; d < 4; d++)
        for (int i = 0; i < (d + 1) * sn_mesh_count_of(mesh, d); i++)
            if (sn_mesh_list_of(mesh, d)[i] < 0 || sn_mesh_list_of(mesh, d)[i] >= mesh->node_count)
                fail_msg("a node out of range");
    check_groups(mesh);
    check_fields(mesh);
    if (mesh->faces) assert_null(sn_faces_problem(mesh->faces, mesh->node_count));
    SnMeshCheck found;
    check_ok(sn_mesh_check(mesh, &found));
}

static inline int make_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void** state)
{
    (void)state;
    static const char* const endings[] = {".msh", ".mesh", ".node", ".ele", ".vtk", ".obj",  ".ply", ".stl",
                                          ".txt", ".gltf", ".glb",  ".pc2", ".mdd", ".usda", ".vtu", ".vtp"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) unlink(path_of(endings[i]));
    return rmdir(folder);
}
