// Faces as files have them, and surfaces that solids carry.
#include <math.h>

#include "check.h"
#include "core/random.h"
#include "files.h"
#include "linalg/vec3.h"
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

static void check_same_numbers(const int* a, const int* b, int count)
{
    assert_true(!a == !b);
    if (a) assert_memory_equal(a, b, sizeof(int) * (size_t)count);
}

// Texture coordinates, normals and colours that are no numbers, or beyond floats, are as if they had not been given.
static void test_unreal_corners(void** state)
{
    (void)state;
    SnMesh* mesh = load("v 0 0 0 nan 0 1\nv 1 0 0\nv 1 1 0\nvt nan 0\nvt 1 1e300\nvt 0.5 1\nvn 0 inf 0\nvn 0 0 1\n"
                        "f 1/1/1 2/2/2 3/3/2\n");
    const SnFaces* f = sn_mesh_faces(mesh);
    assert_non_null(f);
    static const int uvs[] = {-1, -1, 2}, normals[] = {-1, 1, 1};
    assert_memory_equal(f->corner_uvs, uvs, sizeof uvs);
    assert_memory_equal(f->corner_normals, normals, sizeof normals);
    for (int i = 0; i < 6; i++) check(isfinite(f->uvs[i]) && isfinite(f->normals[i]));
    check(f->colours[0] == 1 && f->colours[1] == 0 && f->colours[2] == 1);
    check(f->uvs[4] == 0.5 && f->uvs[5] == 1);
    sn_mesh_destroy(mesh);
}

// What was read comes back: of OBJ all of it, of PLY what its faces may have.
static void test_faces_are_written(void** state)
{
    (void)state;
    static const char* const endings[] = {".obj", ".ply"};
    for (int i = 0; i < 2; i++) {
        bool obj = i == 0;
        SnMesh *mesh = load(text), *again;
        const SnFaces* a = sn_mesh_faces(mesh);
        int corners = a->start[a->count];
        check_ok(sn_mesh_save(mesh, path_of(endings[i])));
        check_ok(sn_mesh_load(path_of(endings[i]), &again));
        const SnFaces* b = sn_mesh_faces(again);
        assert_non_null(b);
        check(a->count == b->count && mesh->node_count == again->node_count);
        assert_memory_equal(mesh->nodes, again->nodes, sizeof(double) * 3 * (size_t)mesh->node_count);
        assert_memory_equal(a->start, b->start, sizeof(int) * ((size_t)a->count + 1));
        check_same_numbers(a->corners, b->corners, corners);
        assert_memory_equal(a->colours, b->colours, sizeof(float) * 4 * (size_t)mesh->node_count);
        for (int k = 0; k < corners; k++) { // the numbers may be others, what they name is the same
            assert_int_equal(a->corner_uvs[k] < 0, b->corner_uvs[k] < 0);
            if (a->corner_uvs[k] < 0) continue;
            assert_memory_equal(a->uvs + 2 * a->corner_uvs[k], b->uvs + 2 * b->corner_uvs[k], 2 * sizeof(double));
        }
        if (obj) {
            check_same_numbers(a->corner_uvs, b->corner_uvs, corners);
            check_same_numbers(a->corner_normals, b->corner_normals, corners);
            check_same_numbers(a->smoothing, b->smoothing, a->count);
            assert_memory_equal(a->normals, b->normals, sizeof(double) * 3 * (size_t)a->normal_count);
            assert_int_equal(a->group_count, b->group_count);
        }
        for (int g = 0; obj && g < a->group_count; g++) {
            assert_string_equal(a->groups[g].name, b->groups[g].name);
            assert_int_equal(a->groups[g].count, b->groups[g].count);
            check_same_numbers(a->groups[g].faces, b->groups[g].faces, a->groups[g].count);
        }
        sn_mesh_destroy(mesh);
        sn_mesh_destroy(again);
    }
}

// Colours of bytes, normals and texture coordinates of vertices; a polygon of so many corners that lists are long.
static void test_ply_vertices(void** state)
{
    (void)state;
    SnMesh* mesh;
    check_ok(load_text(".ply",
                       "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                       "property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\n"
                       "property uchar green\nproperty uchar blue\nproperty float s\nproperty float t\n"
                       "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
                       "0 0 0 0 0 1 255 0 51 0 0\n1 0 0 0 0 1 0 0 0 1 0\n0 1 0 0 0 1 0 255 0 0 0.25\n3 0 1 2\n",
                       &mesh));
    const SnFaces* f = sn_mesh_faces(mesh);
    assert_non_null(f);
    check(f->uv_count == 3 && f->corner_uvs[2] == 2 && f->uvs[5] == 0.25 && f->normal_count == 3 && f->normals[2] == 1);
    check(f->colours[0] == 1 && f->colours[1] == 0 && f->colours[3] == 1 && f->colours[9] == 1);
    check_near((double)f->colours[2], 0.2, 1e-7);
    sn_mesh_destroy(mesh);
    char* obj = malloc(40000);
    size_t at = 0;
    for (int i = 0; i < 300; i++) at += (size_t)sprintf(obj + at, "v %g %g 0\n", cos(i / 50.0), sin(i / 50.0));
    at += (size_t)sprintf(obj + at, "f");
    for (int i = 0; i < 300; i++) at += (size_t)sprintf(obj + at, " %d", i + 1);
    sprintf(obj + at, "\n");
    mesh = load(obj);
    free(obj);
    check_ok(sn_mesh_save(mesh, path_of(".ply")));
    sn_mesh_destroy(mesh);
    check_ok(sn_mesh_load(path_of(".ply"), &mesh));
    check(mesh->triangle_count == 298 && sn_mesh_faces(mesh)->count == 1);
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

// How far a skin is, in the middle of its solid, from where x -> x + bend (0, x_0^2, x_0 x_1) has it.
static double miss(const SnMesh* solid, const SnSkin* skin, double bend)
{
    double *x = malloc(sizeof(double[3]) * (size_t)solid->node_count),
           *y = malloc(sizeof(double[3]) * (size_t)skin->vertex_count), most = 0;
    for (int n = 0; n < solid->node_count; n++) {
        const double* p = solid->nodes + 3 * n;
        x[3 * n] = p[0], x[3 * n + 1] = p[1] + bend * p[0] * p[0], x[3 * n + 2] = p[2] + bend * p[0] * p[1];
    }
    sn_skin_carry(skin, x, y);
    for (int v = 0; v < skin->vertex_count; v++) {
        const double* p = skin->rest + 3 * v;
        bool inside = true; // nodes at the boundary have tetrahedra on one side alone
        for (int c = 0; c < 3; c++) inside &= p[c] > 0.3 && p[c] < 0.7;
        double to[3] = {p[0], p[1] + bend * p[0] * p[0], p[2] + bend * p[0] * p[1]};
        if (inside) most = fmax(most, sn_distance3(to, y + 3 * v));
    }
    free(x), free(y);
    return most;
}

// A smooth skin follows affine motions, and inside quadratic ones; a linear one lags behind these.
static void test_smooth_skin(void** state)
{
    (void)state;
    SnMesh *solid, *ball, *surface;
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){5, 5, 5}, &solid));
    check_ok(sn_mesh_make_sphere(0.18, 4, &ball));
    for (int i = 0; i < 3 * ball->node_count; i++) ball->nodes[i] += 0.5;
    check_ok(sn_mesh_make_surface(ball, &surface));
    SnSkin* skin;
    check_ok(sn_skin_create(solid, surface, &skin));
    double linear = miss(solid, skin, 1);
    check(linear > 3e-3 && miss(solid, skin, 0) < 1e-13);
    check_ok(sn_skin_smooth(solid, skin));
    check(skin->carrier_count > 4 && miss(solid, skin, 0) < 1e-13);
    double smooth = miss(solid, skin, 1);
    if (!(smooth < 0.05 * linear)) fail_msg("a smooth skin misses by %g m, a linear one by %g m", smooth, linear);
    for (int v = 0; v < skin->vertex_count; v++) {
        double sum = 0;
        for (int k = 0; k < skin->carrier_count; k++) sum += skin->weights[skin->carrier_count * v + k];
        check_near(sum, 1, 1e-13);
    }
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
    cmocka_unit_test(test_unreal_corners),    cmocka_unit_test(test_obj_faces),
    cmocka_unit_test(test_faces_are_written), cmocka_unit_test(test_ply_vertices),
    cmocka_unit_test(test_obj_mistakes),      cmocka_unit_test(test_skin_is_affine),
    cmocka_unit_test(test_smooth_skin),       cmocka_unit_test(test_skin_mistakes),
};
RUN_TESTS(tests, make_folder, remove_folder)
