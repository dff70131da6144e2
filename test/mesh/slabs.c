// Slabs of shapes and files are the whole, cut: all nodes and elements, each once.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mesh/mesh.h"
#include "mesh/slab.h"

static void compare_slab(const SnSlab* slab, const SnMesh* mesh)
{
    assert_int_equal(slab->all_nodes, mesh->node_count);
    assert_int_equal(slab->all_elements, mesh->tetrahedron_count);
    assert_memory_equal(slab->nodes, mesh->nodes + 3 * slab->first_node, 24 * (size_t)slab->node_count);
    assert_memory_equal(slab->tetrahedra, mesh->tetrahedra + 4 * slab->first_element, 16 * (size_t)slab->element_count);
    for (int n = 0; n < slab->node_count; n++)
        assert_int_equal(sn_slab_of(slab->all_nodes, slab->first_node + n, slab->slabs), slab->number);
}

static void test_slabs_of_a_box(void** state)
{
    (void)state;
    static const int cells[][3] = {{3, 2, 4}, {5, 1, 1}, {2, 2, 2}};
    for (int k = 0; k < 3; k++) {
        SnShapeDef def = {.size = {1, 0.7, 2}, .cells = {cells[k][0], cells[k][1], cells[k][2]}};
        const SnShape* box = sn_shape_find("box");
        SnMesh* mesh;
        check_ok(box->make(&def, &mesh));
        for (int slabs = 1; slabs <= 5; slabs++) {
            int nodes = 0, elements = 0;
            for (int i = 0; i < slabs; i++) {
                SnSlab slab = {.number = i, .slabs = slabs};
                check_ok(sn_slab_make(box, &def, &slab));
                compare_slab(&slab, mesh);
                nodes += slab.node_count, elements += slab.element_count;
                sn_slab_free(&slab);
            }
            assert_int_equal(nodes, mesh->node_count);
            assert_int_equal(elements, mesh->tetrahedron_count);
        }
        sn_mesh_destroy(mesh);
    }
    SnShapeDef bcc = {.size = {1, 1, 1}, .cells = {2, 2, 2}, .pattern = SN_BOX_BCC};
    SnSlab slab = {.slabs = 2};
    check_fails(sn_slab_make(sn_shape_find("box"), &bcc, &slab), SN_ERROR_UNSUPPORTED, "box");
    check_fails(sn_slab_make(sn_shape_find("sphere"), &bcc, &slab), SN_ERROR_UNSUPPORTED, "sphere");
}

// A box in every format that has slabs.
static void test_slabs_of_files(void** state)
{
    (void)state;
    char path[64] = "/tmp/sinew-slabs-XXXXXX";
    double size[3] = {1, 1, 1};
    SnMesh *mesh, *loaded;
    int formats = 0;
    assert_non_null(mkdtemp(path));
    check_ok(sn_mesh_make_box(size, (const int[3]){3, 2, 2}, &mesh));
    for (int f = 0; sn_mesh_format_at(f); f++) {
        const SnMeshFormat* format = sn_mesh_format_at(f);
        if (!format->read_slab) continue;
        char file[128], ending[16];
        sscanf(format->endings, "%15s", ending);
        snprintf(file, sizeof file, "%s/box%s", path, ending);
        check_ok(sn_mesh_save(mesh, file));
        check_ok(sn_mesh_load(file, &loaded));
        for (int i = 0; i < 3; i++) {
            SnSlab slab = {.number = i, .slabs = 3};
            check_ok(sn_slab_read(format, file, &slab));
            compare_slab(&slab, loaded);
            sn_slab_free(&slab);
        }
        sn_mesh_destroy(loaded);
        SnSlab none = {.slabs = 1};
        snprintf(file, sizeof file, "%s/none%s", path, ending);
        check_fails(sn_slab_read(format, file, &none), SN_ERROR_FILE, "none");
        formats++;
    }
    assert_int_equal(formats, 3);
    sn_mesh_destroy(mesh);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", path);
    assert_int_equal(system(command), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slabs_of_a_box),
    cmocka_unit_test(test_slabs_of_files),
};
RUN_TESTS(tests, NULL, NULL)
