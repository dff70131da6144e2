// Point caches of every format: read exactly, between frames, wrong ones, and glTF's animations against formulas.
#include "mesh/point_cache.h"

#include <unistd.h>

#include "core/pi.h"
#include "core/random.h"
#include "files.h"
#include "fixtures.h"

static SnStatus load_cache(const char* ending, const Bytes* b, double rate, SnPointCache** cache)
{
    save_bytes(ending, b->data, b->size);
    return sn_point_cache_load(path_of(ending), rate, cache);
}

// Three frames of two points.
static void make_pc2(Bytes* b)
{
    put(b, "POINTCACHE2", 12);
    put_i32(b, 1, false), put_i32(b, 2, false), put_f32(b, 0, false), put_f32(b, 0.5f, false), put_i32(b, 3, false);
    for (int i = 0; i < 18; i++) put_f32(b, (float)(i * i), false);
}

static void make_mdd(Bytes* b)
{
    put_i32(b, 3, true), put_i32(b, 2, true);
    put_f32(b, 0, true), put_f32(b, 0.25f, true), put_f32(b, 1, true);
    for (int i = 0; i < 18; i++) put_f32(b, (float)(i * i), true);
}

static const struct {
    const char* ending;
    void (*make)(Bytes* b);
    double times[3]; // at a rate of 10
} caches[] = {{".pc2", make_pc2, {0, 0.05, 0.1}}, {".mdd", make_mdd, {0, 0.25, 1}}};

static void test_caches(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        Bytes b = {0};
        SnPointCache* c;
        caches[k].make(&b);
        check_ok(load_cache(caches[k].ending, &b, 10, &c));
        assert_int_equal(c->point_count, 2);
        assert_int_equal(c->frame_count, 3);
        const double* t = caches[k].times;
        for (int i = 0; i < 3; i++) check_near(c->times[i], t[i], 1e-12);
        for (int i = 0; i < 18; i++) check(c->points[i] == i * i);
        double x[3], v[3];
        sn_point_cache_at(c, t[1] + 0.25 * (t[2] - t[1]), 1, x);
        for (int a = 0; a < 3; a++) check_near(x[a], 0.75 * (9 + a) * (9 + a) + 0.25 * (15 + a) * (15 + a), 1e-9);
        sn_point_cache_at(c, t[2] + 5, 0, x);
        check(x[0] == 144);
        sn_point_cache_at(c, -1, 0, x);
        check(x[2] == 4);
        sn_point_cache_speed(c, t[1], 1e-6, 0, v);
        check_near(v[0], (144 - 36) / (t[2] - t[1]), 1e-9);
        sn_point_cache_speed(c, t[1], -1e-6, 0, v);
        check_near(v[0], 36 / (t[1] - t[0]), 1e-9);
        sn_point_cache_speed(c, t[2], 1e-6, 0, v);
        check(v[0] == 0 && v[1] == 0 && v[2] == 0);
        sn_point_cache_destroy(c);
        for (size_t size = 0; size < b.size; size++) { // cut off anywhere
            Bytes shorter = {b.data, size, size};
            check(load_cache(caches[k].ending, &shorter, 10, &c) != SN_OK && !c);
        }
        free(b.data);
    }
}

static void test_wrong_caches(void** state)
{
    (void)state;
    SnPointCache* c;
    check_fails(sn_point_cache_load("a.abc", 30, &c), SN_ERROR_UNSUPPORTED, "a.abc", ".pc2", ".mdd");
    Bytes b = {0};
    make_pc2(&b);
    int32_t many = 1 << 30;
    memcpy(b.data + 28, &many, 4);
    check_fails(load_cache(".pc2", &b, 30, &c), SN_ERROR_FORMAT, "byte 32", "1073741824 frames are announced");
    b.data[0] = 'Q';
    check_fails(load_cache(".pc2", &b, 30, &c), SN_ERROR_FORMAT, "byte 0", "POINTCACHE2");
    b.size = 0;
    make_mdd(&b);
    memset(b.data + 16, 0, 4); // the third time
    check_fails(load_cache(".mdd", &b, 30, &c), SN_ERROR_FORMAT, "byte 16", "times must increase");
    b.size = 0;
    make_mdd(&b);
    memset(b.data + 20, 0xff, 4);
    check_fails(load_cache(".mdd", &b, 30, &c), SN_ERROR_FORMAT, "byte 20", "finite");
    free(b.data);
}

// --- glTF: a triangle with a morph target, and one with a skin of two joints, both on a node that turns ---

typedef struct Gltf {
    Bytes data;
    int views;
    char json[8192];
} Gltf;

static void add_floats(Gltf* g, const char* type, int components, int count, const double* values)
{
    size_t at = strlen(g->json);
    snprintf(g->json + at, sizeof g->json - at,
             "%s{\"bufferView\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"%s\"}", g->views ? "," : "", g->views,
             count, type);
    g->views++;
    for (int i = 0; i < components * count; i++) put_f32(&g->data, (float)values[i], false);
}

#define AXIS(angle) 0, 0, sin((angle) / 2), cos((angle) / 2)

static void make_animated(Bytes* out)
{
    Gltf g = {0};
    const double triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, morph[9] = {0, 0, 1, 0, 0, 0, 0, 0, 0};
    const double joints[12] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0},
                 weights[12] = {1, 0, 0, 0, 1, 0, 0, 0, .5, .5, 0, 0};
    const double turns[12] = {AXIS(0), AXIS((SN_PI / 2)), AXIS(SN_PI)}, times[3] = {0, 1, 2}, amount[3] = {0, 1, 0};
    double inverse[32] = {0};
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 4; i++) inverse[16 * j + 5 * i] = 1;
    inverse[16 + 12] = -1;                  // the second joint is at x = 1
    add_floats(&g, "VEC3", 3, 3, triangle); // 0
    add_floats(&g, "VEC3", 3, 3, morph);    // 1
    add_floats(&g, "VEC4", 4, 3, joints);   // 2
    add_floats(&g, "VEC4", 4, 3, weights);  // 3
    add_floats(&g, "MAT4", 16, 2, inverse); // 4
    add_floats(&g, "SCALAR", 1, 3, times);  // 5
    add_floats(&g, "VEC4", 4, 3, turns);    // 6
    add_floats(&g, "SCALAR", 1, 3, amount); // 7
    put_text(out, "glTF");
    Bytes json = {0};
    put_text(&json,
             "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0,\"translation\":[5,0,0]},{\"mesh\":1,"
             "\"skin\":0},{\"children\":[3]},{\"translation\":[1,0,0]}],\"meshes\":[{\"primitives\":[{"
             "\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":1}]}]},{\"primitives\":[{\"attributes\":{"
             "\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3}}]}],\"skins\":[{\"joints\":[2,3],"
             "\"inverseBindMatrices\":4}],\"animations\":[{\"samplers\":[{\"input\":5,\"output\":6},{\"input\":5,"
             "\"output\":7}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":3,\"path\":\"rotation\"}},{"
             "\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}},{\"sampler\":1,\"target\":{\"node\":0,"
             "\"path\":\"weights\"}}]}],\"accessors\":[");
    put_text(&json, g.json);
    put_text(&json, "],\"bufferViews\":[");
    static const int sizes[] = {36, 36, 48, 48, 128, 12, 48, 12};
    for (int i = 0, offset = 0; i < 8; offset += sizes[i++]) {
        char view[96];
        snprintf(view, sizeof view, "%s{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d}", i ? "," : "", offset,
                 sizes[i]);
        put_text(&json, view);
    }
    put_text(&json, "],\"buffers\":[{}]}");
    while (json.size % 4) put_text(&json, " ");
    put_i32(out, 2, false), put_i32(out, (int32_t)(28 + json.size + g.data.size), false);
    put_i32(out, (int32_t)json.size, false), put_text(out, "JSON"), put(out, json.data, json.size);
    put_i32(out, (int32_t)g.data.size, false), put(out, "BIN\0", 4), put(out, g.data.data, g.data.size);
    free(json.data), free(g.data.data);
}

static void test_gltf_animation(void** state)
{
    (void)state;
    Bytes b = {0};
    SnPointCache* c;
    make_animated(&b);
    check_ok(load_cache(".glb", &b, 4, &c));
    assert_int_equal(c->frame_count, 9);
    assert_int_equal(c->point_count, 6);
    for (int f = 0; f < 9; f++) {
        double t = f / 4.0, angle = (SN_PI / 2) * t, u = t < 1 ? t : 2 - t, co = cos(angle), si = sin(angle);
        const double* x = c->points + 18 * f;
        check_near(c->times[f], t, 1e-12);
        const double wanted[18] = {// moved by 5, turned, the first vertex raised
                                   5, 0, u, 5 + co, si, 0, 5 - si, co, 0,
                                   // held by the first joint; by the second, which turns about (1, 0); by both
                                   0, 0, 0, 1, 0, 0, 0.5 * (0 + 1 - co - si), 0.5 * (1 - si + co), 0};
        for (int i = 0; i < 18; i++) check_near(x[i], wanted[i], 1e-6);
    }
    sn_point_cache_destroy(c);
    SnMesh* mesh; // the same vertices, at rest
    check_ok(sn_mesh_load(path_of(".glb"), &mesh));
    assert_int_equal(sn_mesh_node_count(mesh), 6);
    assert_int_equal(sn_mesh_triangle_count(mesh), 2);
    check_near(sn_mesh_nodes(mesh)[3], 6, 0);
    sn_mesh_destroy(mesh);
    check_fails(load_cache(".glb", &b, 1e6, &c), SN_ERROR_FORMAT, "2000001 frames", "a lower rate");
    // a morph of a length that is a number, by an amount that is one
    Bytes far = {malloc(b.size), b.size, b.size};
    memcpy(far.data, b.data, b.size);
    char* moved = strstr(far.data + 20, "\"translation\":[5,0,0]");
    memcpy(moved, "\"scale\":[1,1,9e307]  ", strlen("\"scale\":[1,1,9e307]  "));
    float* morph = (float*)(void*)(far.data + b.size - 368 + 36);
    for (int i = 0; i < 9; i++) morph[i] = morph[i] == 1 ? 3e38f : morph[i];
    check_fails(load_cache(".glb", &far, 4, &c), SN_ERROR_FORMAT, "vertex 0", "no finite place");
    free(far.data);
    for (size_t size = 0; size < b.size; size += 7) {
        Bytes shorter = {b.data, size, size};
        check(load_cache(".glb", &shorter, 4, &c) != SN_OK && !c);
    }
    SnRandom random = {3};
    for (int i = 0; i < 2000; i++) { // any byte another: an error, or other numbers
        size_t at = sn_random_bits(&random) % b.size;
        char before = b.data[at];
        b.data[at] = (char)sn_random_bits(&random);
        if (load_cache(".glb", &b, 4, &c) == SN_OK) sn_point_cache_destroy(c);
        b.data[at] = before;
    }
    free(b.data);
}

static void test_gltf_seams(void** state)
{
    (void)state;
    SnMesh* mesh; // two triangles with a seam between them: four places, six corners with UVs of their own
    Bytes b = {0};
    put_text(&b,
             "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
             "\"POSITION\":0,\"TEXCOORD_0\":1}}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5121,\"count\":6,"
             "\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5121,\"normalized\":true,\"count\":6,\"type\":"
             "\"VEC2\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":18},{\"buffer\":0,\"byteOffset\":18,"
             "\"byteLength\":12}],\"buffers\":[{\"uri\":\"data:;base64,"
             "AAAAAQAAAAEAAQAAAQEAAAEAAAD/AAD//wD//wD/\"}]}");
    check_ok(load_text(".gltf", b.data, &mesh));
    assert_int_equal(sn_mesh_node_count(mesh), 4);
    assert_int_equal(sn_mesh_triangle_count(mesh), 2);
    const SnFaces* faces = sn_mesh_faces(mesh);
    check(faces && faces->count == 2 && faces->corner_uvs);
    const double* first = faces->uvs + 2 * faces->corner_uvs[0];
    check_near(first[0], 0, 0);
    check_near(first[1], 1, 0); // v is downwards in glTF
    sn_mesh_destroy(mesh);
    free(b.data);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_caches),
    cmocka_unit_test(test_wrong_caches),
    cmocka_unit_test(test_gltf_animation),
    cmocka_unit_test(test_gltf_seams),
};
RUN_TESTS(tests, make_folder, remove_folder)
