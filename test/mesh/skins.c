// Faces as files have them, and surfaces that solids carry.
#include "check.h"
#include "core/random.h"
#include "files.h"
#include "mesh/faces.h"

static const char text[] = "# two quads and a triangle\n"
                           "v 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0 0 0.5 1\nv 0 1 0\nv 0 2 0.5 1.0\nv 1 2 0.5\n"
                           "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 1\n"
                           "o sheet of two\nusemtl red\ng low \ns 2\nf 1/1/1 2/2/1 3/3/1 4/-1/-1\n"
                           "g high\ns off\nusemtl blue\nf 4 3 6 5\ng low\nf 4//1 3//1 6//1\n";

static SnMesh* load(const char* obj)
{
    SnMesh* mesh;
    save_text(".obj", obj);
    check_ok(sn_mesh_load(path_of(".obj"), &mesh));
    return mesh;
}

static void test_obj_faces(void** state)
{
    (void)state;
    SnMesh* mesh = load(text);
    const SnFaces* f = sn_mesh_faces(mesh);
    assert_non_null(f);
    check(mesh->node_count == 6 && mesh->triangle_count == 5 && f->count == 3 && f->uv_count == 4);
    check(f->start[1] == 4 && f->start[2] == 8 && f->start[3] == 11 && sn_faces_triangle_count(f) == 5);
    static const int uvs[] = {0, 1, 2, 3, -1, -1, -1, -1, -1, -1, -1};
    static const int normals[] = {0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0};
    assert_memory_equal(f->corner_uvs, uvs, sizeof uvs);
    assert_memory_equal(f->corner_normals, normals, sizeof normals);
    static const float colours[] = {1, 0, 0, 1, 1, 1, 1, 1, 0, .5f, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_memory_equal(f->colours, colours, sizeof colours);
    check(f->smoothing[0] == 2 && f->smoothing[1] == 0 && f->smoothing[2] == 0);
    static const struct {
        SnFaceGroupKind kind;
        const char* name;
        int count, faces[3];
    } groups[] = {{SN_FACE_OBJECT, "sheet of two", 3, {0, 1, 2}},
                  {SN_FACE_GROUP, "high", 1, {1}},
                  {SN_FACE_GROUP, "low", 2, {0, 2}},
                  {SN_FACE_MATERIAL, "blue", 2, {1, 2}},
                  {SN_FACE_MATERIAL, "red", 1, {0}}};
    assert_int_equal(f->group_count, 5);
    for (int g = 0; g < 5; g++) {
        check(f->groups[g].kind == groups[g].kind && f->groups[g].count == groups[g].count);
        assert_string_equal(f->groups[g].name, groups[g].name);
        assert_memory_equal(f->groups[g].faces, groups[g].faces, sizeof(int) * (size_t)groups[g].count);
    }
    int triangles[15];
    sn_faces_triangles(f, triangles);
    for (int i = 0; i < 15; i++) assert_int_equal(f->corners[triangles[i]], mesh->triangles[i]);
    assert_null(sn_faces_problem(f, 6));
    sn_mesh_destroy(mesh);
    mesh = load("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_null(sn_mesh_faces(mesh)); // nothing that its triangles do not tell
    sn_mesh_destroy(mesh);
}

static void test_obj_mistakes(void** state)
{
    (void)state;
    static const char* const rows[][2] = {
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2/1 3/1\n", "texture coordinate 1 (counted from 1), but there are 0"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//-1 2 3\n", "-1 the last of the 0"},
        {"v 0 0 0\nvt\n", "not none"},
        {"v 0 0 0\nvn 1 2\n", "three numbers"},
        {"v 0 0 0\ns soft\n", "smoothing group"},
        {"v 0 0 0 x\n", ":1:"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SnMesh* mesh;
        save_text(".obj", rows[i][0]);
        check_fails(sn_mesh_load(path_of(".obj"), &mesh), SN_ERROR_FORMAT, ".obj", rows[i][1]);
    }
}

// x -> A x + b carries each vertex to A X + b, also those that are a little outside.
static void test_skin_is_affine(void** state)
{
    (void)state;
    SnMesh *solid, *ball, *surface;
    check_ok(sn_mesh_make_box((double[]){2, 1, 1}, (int[]){4, 3, 2}, &solid));
    check_ok(sn_mesh_make_sphere(0.55, 4, &ball));
    for (int i = 0; i < 3 * ball->node_count; i++) ball->nodes[i] += 0.5;
    check_ok(sn_mesh_make_surface(ball, &surface));
    SnSkin* skin;
    check_ok(sn_skin_create(solid, surface, &skin));
    check_near(skin->outside, 0.05, 0.01);
    assert_int_equal(skin->vertex_count, surface->node_count);
    assert_int_equal(skin->faces.count, surface->triangle_count);
    static const double a[3][3] = {{1, .5, .25}, {-.25, 2, 0}, {.125, 0, .5}}, b[3] = {3, -1, 2};
    double* x = malloc(sizeof(double[3]) * (size_t)solid->node_count);
    double* y = malloc(sizeof(double[3]) * (size_t)skin->vertex_count);
    for (int n = 0; n < solid->node_count; n++)
        for (int i = 0; i < 3; i++) {
            const double* p = solid->nodes + 3 * n;
            x[3 * n + i] = a[i][0] * p[0] + a[i][1] * p[1] + a[i][2] * p[2] + b[i];
        }
    sn_skin_carry(skin, x, y);
    int beyond = 0;
    for (int v = 0; v < skin->vertex_count; v++) {
        const double *p = surface->nodes + 3 * v, *w = skin->weights + 4 * v;
        beyond += w[0] < -1e-12 || w[1] < -1e-12 || w[2] < -1e-12 || w[3] < -1e-12;
        for (int i = 0; i < 3; i++)
            check_near(y[3 * v + i], a[i][0] * p[0] + a[i][1] * p[1] + a[i][2] * p[2] + b[i], 1e-13);
    }
    check(beyond > 0 && beyond < skin->vertex_count / 2); // the others are in the tetrahedron that carries them
    free(x), free(y);
    sn_skin_destroy(skin);
    sn_mesh_destroy(solid), sn_mesh_destroy(ball), sn_mesh_destroy(surface);
}

static void test_skin_mistakes(void** state)
{
    (void)state;
    SnMesh *solid, *cloth, *rope;
    SnSkin* skin;
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &solid));
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){1, 1}, &cloth));
    check_ok(sn_mesh_make_rope(1, 2, &rope));
    check_fails(sn_skin_create(cloth, cloth, &skin), SN_ERROR_VALUE, "tetrahedra");
    check_fails(sn_skin_create(solid, rope, &skin), SN_ERROR_VALUE, "no faces");
    cloth->nodes[4] = NAN;
    check_fails(sn_skin_create(solid, cloth, &skin), SN_ERROR_VALUE, "vertex 1");
    assert_null(skin);
    sn_mesh_destroy(solid), sn_mesh_destroy(cloth), sn_mesh_destroy(rope);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_obj_faces),
    cmocka_unit_test(test_obj_mistakes),
    cmocka_unit_test(test_skin_is_affine),
    cmocka_unit_test(test_skin_mistakes),
};
RUN_TESTS(tests, make_folder, remove_folder)
