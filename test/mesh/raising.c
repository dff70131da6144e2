// Meshes of second order: raised, written and read again, with the order of nodes that gmsh and VTK have.
#include <math.h>

#include "core/random.h"
#include "files.h"
#include "mesh/raise.h"

// A box with a group of each kind and fields.
static SnMesh* make_marked(void)
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){2, 1, 1}, (int[]){2, 1, 1}, &mesh));
    mesh->triangle_count = 2;
    mesh->triangles = sn_copy_memory((int[]){mesh->tetrahedra[0], mesh->tetrahedra[1], mesh->tetrahedra[2],
                                             mesh->tetrahedra[1], mesh->tetrahedra[2], mesh->tetrahedra[3]},
                                     6, sizeof(int), "test");
    const int items[3] = {0, 1, 5};
    check(SN_NEW(mesh->groups, 3, "test") && SN_NEW(mesh->fields, 2, "test"));
    for (int g = 0; g < 3; g++)
        mesh->groups[mesh->group_count++] = (SnMeshGroup){.name = sn_copy_text((const char*[]){"all", "top", "few"}[g]),
                                                          .tag = g + 1,
                                                          .dimension = (int[]){3, 2, 3}[g],
                                                          .count = g == 1 ? 1 : 3,
                                                          .items = sn_copy_memory(items, 3, sizeof(int), "test")};
    for (int f = 0; f < 2; f++) {
        int count = f ? mesh->tetrahedron_count : mesh->node_count;
        SnMeshField* field = &mesh->fields[mesh->field_count++];
        *field = (SnMeshField){.name = sn_copy_text(f ? "grain" : "heat"), .per_node = !f, .components = 1};
        check(SN_NEW(field->values, count, "test"));
        for (int i = 0; i < count; i++) field->values[i] = f ? i : mesh->nodes[3 * i];
    }
    return mesh;
}

// Middles are in the middle, parts fill the whole and are wound alike.
static void check_whole(const SnMesh* mesh, double volume)
{
    static const int between[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    SnMeshMeasure m;
    sn_mesh_measure(mesh, &m);
    check(mesh->quadratic);
    check_near(m.volume, volume, 1e-12);
    for (int t = 0; t < mesh->tetrahedron_count; t++)
        check(sn_tetrahedron_volume(mesh->nodes, mesh->tetrahedra + 4 * t) > 0);
    for (int e = 0; e < mesh->tetrahedron_count / 8; e++) {
        int nodes[10];
        sn_mesh_quadratic(mesh, 3, e, nodes);
        for (int k = 0; k < 6; k++)
            for (int c = 0; c < 3; c++)
                check_near(mesh->nodes[3 * nodes[4 + k] + c],
                           0.5 *
                               (mesh->nodes[3 * nodes[between[k][0]] + c] + mesh->nodes[3 * nodes[between[k][1]] + c]),
                           1e-12);
    }
}

static void test_raise(void** state)
{
    (void)state;
    SnMesh *mesh = make_marked(), *raised, *again;
    check_ok(sn_mesh_raise(mesh, &raised));
    check(raised->tetrahedron_count == 8 * mesh->tetrahedron_count && raised->triangle_count == 8);
    check(raised->node_count == 12 + 33); // 12 nodes, 33 edges: 12 - 33 + 34 faces - 12 tetrahedra = 1
    check_whole(raised, 2);
    SnMeshGroupInfo group;
    check(sn_mesh_group_count(raised) == raised->group_count);
    check_ok(sn_mesh_group(raised, 1, &group));
    check(strcmp(group.name, "top") == 0 && group.count == 4 && group.items == raised->groups[1].items);
    check_fails(sn_mesh_group(raised, raised->group_count, &group), SN_ERROR_VALUE, "there is no group");
    check(raised->groups[2].count == 24 && raised->groups[2].items[16] == 40 && raised->groups[1].count == 4);
    for (int i = 0; i < raised->node_count; i++) check_near(raised->fields[0].values[i], raised->nodes[3 * i], 1e-12);
    for (int i = 0; i < raised->tetrahedron_count; i++) check(raised->fields[1].values[i] == i / 8);
    check_fails(sn_mesh_raise(raised, &again), SN_ERROR_VALUE, "already");
    check_ok(sn_mesh_lower(raised, &again));
    check(again->tetrahedron_count == mesh->tetrahedron_count && !again->quadratic);
    check(memcmp(again->tetrahedra, mesh->tetrahedra, 4 * (size_t)mesh->tetrahedron_count * sizeof(int)) == 0);
    check(again->groups[2].count == 3 && again->groups[2].items[2] == 5 && again->fields[1].values[7] == 7);
    sn_mesh_destroy(again), sn_mesh_destroy(raised), sn_mesh_destroy(mesh);
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){1, 1}, &mesh));
    check_fails(sn_mesh_raise(mesh, &raised), SN_ERROR_VALUE, "no tetrahedra");
    sn_mesh_destroy(mesh);
}

static void test_round_trip(void** state)
{
    (void)state;
    static const SnMeshWriteOptions options[] = {{0}, {"4.0", false}, {"4.1", true}, {"2.2", false}, {"2.2", true},
                                                 {0}};
    SnMesh *mesh = make_marked(), *raised, *read;
    check_ok(sn_mesh_raise(mesh, &raised));
    for (int k = 0; k < 6; k++) {
        const char* path = path_of(k == 5 ? ".vtk" : ".msh");
        raised->group_count = k == 3 || k == 4 ? 2 : 3; // 2.2 has one group for each element
        check_ok(sn_mesh_save_as(raised, path, &options[k]));
        raised->group_count = 3;
        check_ok(sn_mesh_load(path, &read));
        check_whole(read, 2);
        check(read->node_count == raised->node_count && read->triangle_count == raised->triangle_count);
        check(memcmp(read->tetrahedra, raised->tetrahedra, 4 * (size_t)read->tetrahedron_count * sizeof(int)) == 0);
        check(memcmp(read->triangles, raised->triangles, 3 * (size_t)read->triangle_count * sizeof(int)) == 0);
        check(read->group_count == (k < 3 ? 3 : k < 5 ? 2 : 0));
        for (int g = 0; g < read->group_count; g++)
            check(read->groups[g].count == (read->groups[g].dimension == 3 ? 24 : 4));
        check(read->field_count == 2);
        for (int f = 0; f < 2; f++) {
            int from = strcmp(read->fields[f].name, "grain") == 0;
            int count = from ? read->tetrahedron_count : read->node_count;
            for (int i = 0; i < count; i++) check(read->fields[f].values[i] == raised->fields[from].values[i]);
        }
        sn_mesh_destroy(read);
    }
    sn_mesh_destroy(raised), sn_mesh_destroy(mesh);
}

// One tetrahedron as gmsh 4 saves it with Mesh.ElementOrder = 2: corners, then 01 12 02 03 23 13; and wound the other
// way, with a flat face for a middle that VTK's order would have elsewhere.
#define TEN                                                                                                            \
    "$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n" \
    "$EndNodes\n"
static void test_gmsh_order(void** state)
{
    (void)state;
    SnMesh* mesh;
    check_ok(load_text(".msh",
                       "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" TEN
                       "$Elements\n1\n1 11 2 3 3 1 2 3 4 5 6 7 8 9 10\n$EndElements\n",
                       &mesh));
    check_whole(mesh, 1.0 / 6);
    sn_mesh_destroy(mesh);
    check_ok(load_text(".msh",
                       "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" TEN
                       "$Elements\n1\n1 11 2 3 3 1 3 2 4 7 6 5 8 10 9\n$EndElements\n",
                       &mesh));
    check_whole(mesh, 1.0 / 6);
    sn_mesh_destroy(mesh);
    check_fails(load_text(".msh",
                          "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" TEN
                          "$Elements\n2\n1 11 0 1 2 3 4 5 6 7 8 9 10\n2 2 0 1 2 3\n$EndElements\n",
                          &mesh),
                SN_ERROR_UNSUPPORTED, "triangles of first order beside tetrahedra of second order");
    check_fails(load_text(".vtk",
                          "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
                          "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n",
                          &mesh),
                SN_ERROR_FORMAT, "names node 4");
}

// Files that end too soon, or have another byte somewhere, are read or refused, and what is read hangs together.
static void test_damaged(void** state)
{
    (void)state;
    SnMesh *mesh, *raised, *read;
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh));
    check_ok(sn_mesh_raise(mesh, &raised));
    SnRandom random = {11};
    for (int k = 0; k < 3; k++) {
        static char bytes[20000], damaged[20000];
        const char* ending = k == 2 ? ".vtk" : ".msh";
        check_ok(sn_mesh_save_as(raised, path_of(ending), &(SnMeshWriteOptions){.binary = k == 1}));
        FILE* file = fopen(path_of(ending), "rb");
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        check(size > 500 && size < sizeof bytes);
        for (int trial = 0; trial < 600; trial++) {
            size_t at = (size_t)sn_random_uniform(&random, 0, (double)size);
            memcpy(damaged, bytes, size);
            if (trial % 3) damaged[at] = trial % 3 == 1 ? (char)('0' + trial % 10) : (char)trial;
            save_bytes(ending, damaged, trial % 3 ? size : at);
            if (sn_mesh_load(path_of(ending), &read) != SN_OK) continue;
            for (int i = 0; i < 4 * read->tetrahedron_count; i++)
                check(read->tetrahedra[i] >= 0 && read->tetrahedra[i] < read->node_count);
            check(!read->quadratic || read->tetrahedron_count % 8 == 0);
            sn_mesh_destroy(read);
        }
    }
    sn_mesh_destroy(raised), sn_mesh_destroy(mesh);
}

static void test_no_memory(void** state)
{
    (void)state;
    SnMesh *mesh = make_marked(), *raised, *lowered;
    SnStatus status = SN_ERROR_MEMORY;
    for (long n = 0; status != SN_OK; n++) {
        FailingMemory memory;
        start_failing(&memory, n);
        status = sn_mesh_raise(mesh, &raised);
        if (status == SN_OK) status = sn_mesh_lower(raised, &lowered);
        if (status == SN_OK) sn_mesh_destroy(lowered);
        sn_mesh_destroy(raised);
        stop_failing(&memory);
        check(status == SN_OK || status == SN_ERROR_MEMORY);
    }
    sn_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_raise),   cmocka_unit_test(test_round_trip), cmocka_unit_test(test_gmsh_order),
    cmocka_unit_test(test_damaged), cmocka_unit_test(test_no_memory),
};
RUN_TESTS(tests, make_folder, remove_folder)
