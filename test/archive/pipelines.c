// Exports for other programs' pipelines: point caches to the byte, USD and glTF by what they say, axes and units.
#include "archive/exporter.h"
#include "core/convention.h"
#include "mesh/point_cache.h"
#include "moments.h"

enum { FRAMES = 4 };

// Frames 0 .. 3 of a run with obstacles, in a convention.
static SnStatus export_as(const char* format, const SnExportChoice* choice)
{
    if (!exists(in_folder("p.run"), "")) make_run(in_folder("p.run"), false, 5, FRAMES);
    SnRunFile* run;
    check_ok(sn_run_file_open(in_folder("p.run"), &run));
    SnStatus status = sn_export_run(sn_exporter_find(format), run, in_folder("p"), "p", 0, FRAMES - 1, choice);
    sn_run_file_destroy(run);
    return status;
}

static void test_point_caches(void** state)
{
    (void)state;
    const SnExportChoice all = {.obstacles = true};
    check_ok(export_as("pc2", &all));
    check_ok(export_as("mdd", &all));
    size_t size, mdd_size;
    char *pc2 = read_bytes(in_folder("p/p.a_cube.pc2"), &size),
         *mdd = read_bytes(in_folder("p/p.a_cube.mdd"), &mdd_size);
    assert_int_equal(size, 32 + 12 * 8 * FRAMES); // the cube's centre is not shown
    assert_int_equal(mdd_size, 8 + 4 * FRAMES + 12 * 8 * FRAMES);
    assert_memory_equal(pc2, "POINTCACHE2\0\1\0\0\0\10\0\0\0\0\0\0\0\0\0\200\77\4\0\0\0", 32);
    assert_memory_equal(mdd, "\0\0\0\4\0\0\0\10\0\0\0\0", 12);
    Moment m = moment_new(NODES);
    for (int f = 0; f < FRAMES; f++) {
        moment_make(&m, 5, f);
        unsigned char t[4], turned[4];
        float time;
        for (int k = 0; k < 4; k++) t[k] = (unsigned char)mdd[8 + 4 * f + 3 - k];
        memcpy(&time, t, 4);
        check(time == (float)m.row.time);
        for (int i = 0; i < 24; i++) {
            float wanted = (float)m.x[i];
            assert_memory_equal(pc2 + 32 + 96 * f + 4 * i, &wanted, 4);
            for (int k = 0; k < 4; k++) turned[k] = (unsigned char)mdd[8 + 4 * FRAMES + 96 * f + 4 * i + 3 - k];
            assert_memory_equal(turned, &wanted, 4);
        }
    }
    free(pc2), free(mdd);
    moment_free(&m);
    SnMesh* mesh; // what the cache is for
    check_ok(sn_mesh_load(in_folder("p/p.a_cube.obj"), &mesh));
    assert_int_equal(sn_mesh_node_count(mesh), 8);
    assert_memory_equal(sn_mesh_triangles(mesh), cube_surface, sizeof cube_surface);
    sn_mesh_destroy(mesh);
    check(exists(in_folder("p/p.changed.pc2"), "") && exists(in_folder("p/p.floor.obj"), ""));
}

// Obstacles at their places, planes as squares; axes and units as asked for.
static void test_conventions(void** state)
{
    (void)state;
    check_ok(export_as("ply", &(SnExportChoice){.obstacles = true, .units = "cm", .up = "z"}));
    SnMesh* mesh;
    check_ok(sn_mesh_load(in_folder("p/p.0003.ply"), &mesh));
    assert_int_equal(sn_mesh_node_count(mesh), NODES - 1 + 4 + 4 + 4);
    assert_int_equal(sn_mesh_triangle_count(mesh), 14 + 2 + 4 + 4);
    Moment m = moment_new(NODES);
    moment_make(&m, 5, 3);
    const double *x = sn_mesh_nodes(mesh), *start = m.x;
    for (int c = 0; c < 3; c++) check_near(x[c], 100 * (c == 1 ? -start[2] : start[c == 2 ? 1 : c]), 1e-12);
    const double* corner = x + 3 * (NODES - 1); // the floor at y = -1: now at z = -100
    for (int i = 0; i < 4; i++) check_near(corner[3 * i + 2], -100, 1e-9);
    const SnPose* pose = &m.places[1].pose;
    double moved[3];
    const double* vertex = m.vertices[1];
    for (int c = 0; c < 3; c++)
        moved[c] = pose->shift[c] + pose->rotation[3 * c] * vertex[0] + pose->rotation[3 * c + 1] * vertex[1] +
                   pose->rotation[3 * c + 2] * vertex[2];
    const double* placed = corner + 12;
    for (int c = 0; c < 3; c++) check_near(placed[c], 100 * (c == 1 ? -moved[2] : moved[c == 2 ? 1 : c]), 1e-9);
    sn_mesh_destroy(mesh);
    moment_free(&m);
    check_fails(export_as("ply", &(SnExportChoice){.units = "inch"}), SN_ERROR_VALUE, "inch", "mm");
    check_fails(export_as("ply", &(SnExportChoice){.up = "x"}), SN_ERROR_VALUE, "'x'", "y or z");
    double there[3] = {1, 2, 3}, back[3] = {1, 2, 3};
    SnConvention y = {1, false}, z = {0.001, true};
    sn_convention_change(&y, &z, true, 1, there);
    check(there[0] == 1000 && there[1] == -3000 && there[2] == 2000);
    sn_convention_change(&z, &y, true, 1, there);
    for (int c = 0; c < 3; c++) check_near(there[c], back[c], 1e-12);
}

static const SnExportCamera camera = {{1, 2, 3},           {1, 0, 0},   {0, 1, 0},   {0, 0, -1},
                                      .field_of_view = 90, .aspect = 2, .near = 0.1, .far = 10};

static void test_usd(void** state)
{
    (void)state;
    check_ok(export_as("usda", &(SnExportChoice){.up = "z", .units = "cm", .camera = &camera}));
    size_t size;
    char* text = read_bytes(in_folder("p/p.usda"), &size);
    static const char* const wanted[] = {"#usda 1.0\n",
                                         "upAxis = \"Z\"",
                                         "metersPerUnit = 0.01",
                                         "endTimeCode = 3\n",
                                         "timeCodesPerSecond = 30\n",
                                         "def Mesh \"a_cube\"",
                                         "def BasisCurves \"rope\"",
                                         "def Mesh \"floor\"",
                                         "UsdPreviewSurface",
                                         "float focalLength = 12\n",
                                         "(1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (100, -300, 200, 1)"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text, wanted[i])) fail_msg("no %s", wanted[i]);
    int depth = 0;
    for (const char* c = text; *c; c++) depth += (*c == '{') - (*c == '}'), check(depth >= 0);
    assert_int_equal(depth, 0);
    Moment m = moment_new(NODES);
    moment_make(&m, 5, 2);
    char sample[128];
    static const char* const names[] = {"point3f[] points.timeSamples", "vector3f[] velocities.timeSamples"};
    for (int k = 0; k < 2; k++) { // frame 2 of the cube begins with its first node
        const double* x = k ? m.v : m.x;
        snprintf(sample, sizeof sample, "            2: [(%.9g, %.9g, %.9g), ", (double)(float)(100 * x[0]),
                 (double)(float)(100 * -x[2]), (double)(float)(100 * x[1]));
        char* place = strstr(text, names[k]);
        check(place && strstr(place, sample) && strstr(place, sample) < strstr(place, "        }\n"));
    }
    moment_free(&m);
    free(text);
}

// The JSON is balanced, and the buffer as long as it says; the first position of the cube and how far it goes.
static void test_gltf(void** state)
{
    (void)state;
    for (int quantise = 0; quantise < 2; quantise++) {
        check_ok(export_as("glb", &(SnExportChoice){.camera = &camera, .quantise = quantise}));
        size_t size;
        uint32_t head[5], chunk[2];
        char* bytes = read_bytes(in_folder("p/p.glb"), &size);
        memcpy(head, bytes, 20);
        memcpy(chunk, bytes + 20 + head[3], 8);
        check(memcmp(bytes, "glTF\2\0\0\0", 8) == 0 && head[2] == size && head[4] == 0x4e4f534a);
        check(chunk[1] == 0x4e4942 && 28 + (size_t)head[3] + chunk[0] == size && head[3] % 4 == 0);
        char *json = strndup(bytes + 20, head[3]), name[64];
        int depth = 0;
        for (const char* c = json; *c; c++) depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
        assert_int_equal(depth, 0);
        snprintf(name, sizeof name, "\"buffers\":[{\"byteLength\":%u}]", chunk[0]);
        check(strstr(json, name) && strstr(json, "\"yfov\":1.57") && strstr(json, "\"path\":\"weights\""));
        assert_int_equal(!!strstr(json, "KHR_mesh_quantization"), quantise);
        // After the indices come positions of the first frame, then how far the next ones are from it.
        Moment m = moment_new(NODES);
        const char* positions = bytes + 28 + head[3] + 12 * 12;
        double start[3];
        char* node = strstr(json, "\"mesh\":0");
        double shift[3] = {0}, scale = 1;
        if (quantise)
            check(sscanf(node, "\"mesh\":0,\"translation\":[%lf,%lf,%lf],\"scale\":[%lf", &shift[0], &shift[1],
                         &shift[2], &scale) == 4);
        moment_make(&m, 5, 0);
        for (int c = 0; c < 3; c++) {
            float wide;
            int16_t narrow;
            memcpy(&wide, positions + 4 * c, 4), memcpy(&narrow, positions + 2 * c, 2);
            start[c] = quantise ? shift[c] + scale * narrow / 32767 : (double)wide;
            check_near(start[c], m.x[c], quantise ? scale / 65534 : 1e-7);
        }
        moment_free(&m);
        free(json), free(bytes);
    }
}

// Velocities as an attribute: of the first frame, and how far those of the next ones are from these.
static void test_gltf_velocities(void** state)
{
    (void)state;
    check_ok(export_as("glb", &(SnExportChoice){.velocities = true}));
    size_t size;
    uint32_t head[5];
    char* bytes = read_bytes(in_folder("p/p.glb"), &size);
    memcpy(head, bytes, 20);
    char* json = strndup(bytes + 20, head[3]);
    int accessor = 0, view = -1;
    unsigned long long offset = 0;
    char *place = strstr(json, "\"_VELOCITY\":"), *list = strstr(json, "\"accessors\":[");
    check(place && sscanf(place, "\"_VELOCITY\":%d", &accessor) == 1 && list);
    check(strstr(strstr(json, "\"targets\""), "_VELOCITY"));
    for (int i = 0; i <= accessor && list; i++) list = strstr(list + 1, "{\"bufferView\"");
    check(list && sscanf(list, "{\"bufferView\":%d", &view) == 1);
    list = strstr(json, "\"bufferViews\":[");
    for (int i = 0; i <= view && list; i++) list = strstr(list + 1, "{\"buffer\":0");
    check(list && sscanf(list, "{\"buffer\":0,\"byteOffset\":%llu", &offset) == 1);
    Moment m = moment_new(NODES);
    moment_make(&m, 5, 0);
    for (int c = 0; c < 3; c++) {
        float v;
        memcpy(&v, bytes + 28 + head[3] + offset + 4 * (size_t)c, 4);
        check_near(v, m.v[c], 1e-6);
    }
    moment_free(&m);
    free(json), free(bytes);
}

// A skin is exported as its file has it: a polygon with UVs, carried by the nodes.
static void test_skin(void** state)
{
    (void)state;
    int start[] = {0, 4}, corners[] = {3, 1, 0, 2}, corner_uvs[] = {0, 1, 1, 0}, smoothing[] = {3}, whole[] = {0};
    float colours[16] = {0.25f, 0.5f, 1, 1};
    SnFaceGroup groups[] = {{SN_FACE_GROUP, "hem", 1, whole}, {SN_FACE_MATERIAL, "wool\"", 1, whole}};
    double uvs[] = {0.25, 0.5, 1, 0}, x[12], v[12] = {1, 2, 3};
    SnSkin skin = {
        .vertex_count = 4,
        .rest = (double*)sheet_rest,
        .faces = {.count = 1, .start = start, .corners = corners, .uv_count = 2, .uvs = uvs, .corner_uvs = corner_uvs}};
    skin.faces.smoothing = smoothing, skin.faces.colours = colours;
    skin.faces.groups = groups, skin.faces.group_count = 2;
    SnBodyInfo sheet = three_bodies()[1];
    sheet.first_node = 0, sheet.skin = &skin;
    for (int i = 0; i < 12; i++) x[i] = sheet_rest[i] + 1;
    static const char* const formats[] = {"obj", "ply", "usda", "glb", "pc2"};
    for (int k = 0; k < 5; k++) {
        SnExport* job;
        SnExportDef def = {.folder = in_folder("s"), .name = "s", .bodies = &sheet, .body_count = 1};
        check_ok(sn_export_begin(sn_exporter_find(formats[k]), &def, &job));
        check_ok(sn_export_frame(job, &(SnExportFrame){0, 0, x, v, NULL, 0, NULL}));
        check_ok(sn_export_end(job));
        sn_export_destroy(job);
    }
    size_t size;
    char* text = read_bytes(in_folder("s/s.0000.obj"), &size);
    check(strstr(text, "v 3 1 1 0.25 0.5 1\n") && strstr(text, "v 4 1 1 0 0 0\n"));
    check(strstr(text, "vt 0.25 0.5\nvt 1 0\ng hem\nusemtl wool\"\ns 3\nf 4/1 2/2 1/2 3/1\n"));
    free(text);
    SnMesh* again; // as our own reader has it
    check_ok(sn_mesh_load(in_folder("s/s.0000.obj"), &again));
    const SnFaces* back = sn_mesh_faces(again);
    check(back && back->uv_count == 2 && back->colours && back->smoothing && back->smoothing[0] == 3);
    assert_memory_equal(back->corners, corners, sizeof corners);
    assert_memory_equal(back->corner_uvs, corner_uvs, sizeof corner_uvs);
    assert_int_equal(back->group_count, 3); // and the body
    sn_mesh_destroy(again);
    text = read_bytes(in_folder("s/s.usda"), &size);
    check(strstr(text, "faceVertexCounts = [4]") &&
          strstr(text, "primvars:st = [(0.25, 0.5), (1, 0), (1, 0), (0.25, 0.5)]"));
    check(strstr(text, "def GeomSubset \"hem\"") && strstr(text, "familyName = \"group\"") &&
          strstr(text, "rel material:binding = </World/GroupMaterials/sheet/wool_>") &&
          strstr(text, "def Material \"wool_\""));
    free(text);
    SnMesh* stage;
    check_ok(sn_mesh_load(in_folder("s/s.usda"), &stage)); // subsets are in nobody's way
    assert_int_equal(sn_mesh_triangle_count(stage), 2);
    sn_mesh_destroy(stage);
    text = read_bytes(in_folder("s/s.glb"), &size);
    check(strstr(text + 20, "{\"name\":\"wool\\\"\",") && !strstr(text + 20, "{\"name\":\"sheet\",\"doubleSided\""));
    check(strstr(text + 20, "\"COLOR_0\":") && strstr(text + 20, "\"baseColorFactor\":[1,1,1,1]"));
    free(text);
    SnMesh* mesh; // what our own reader makes of it
    check_ok(sn_mesh_load(in_folder("s/s.glb"), &mesh));
    assert_int_equal(sn_mesh_node_count(mesh), 4);
    assert_int_equal(sn_mesh_triangle_count(mesh), 2);
    const SnFaces* faces = sn_mesh_faces(mesh);
    check(faces && faces->corner_uvs);
    check_near(faces->uvs[2 * faces->corner_uvs[0]], 0.25, 1e-7);
    check_near(faces->uvs[2 * faces->corner_uvs[0] + 1], 0.5, 1e-7);
    sn_mesh_destroy(mesh);
}

// What was written as frames is read back as motion.
static void test_gltf_comes_back(void** state)
{
    (void)state;
    check_ok(export_as("glb", &(SnExportChoice){.bodies_only = true}));
    SnPointCache* cache;
    check_ok(sn_point_cache_load(in_folder("p/p.glb"), 30, &cache));
    assert_int_equal(cache->frame_count, FRAMES);
    assert_int_equal(cache->point_count, NODES - 1);
    Moment m = moment_new(NODES);
    for (int f = 0; f < FRAMES; f++) {
        moment_make(&m, 5, f);
        for (int i = 0; i < NODES - 1; i++) { // corners were split, and made one again: in another order
            double nearest = INFINITY;
            for (int k = 0; k < NODES; k++) {
                double far = 0;
                for (int c = 0; c < 3; c++)
                    far = fmax(far, fabs(cache->points[3 * (f * (NODES - 1) + i) + c] - m.x[3 * k + c]));
                nearest = fmin(nearest, far);
            }
            check(nearest < 1e-6);
        }
    }
    sn_point_cache_destroy(cache);
    moment_free(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_skin),
    cmocka_unit_test(test_gltf_comes_back),
    cmocka_unit_test(test_point_caches),
    cmocka_unit_test(test_conventions),
    cmocka_unit_test(test_usd),
    cmocka_unit_test(test_gltf),
    cmocka_unit_test(test_gltf_velocities),
};
RUN_TESTS(tests, make_folder, remove_folder)
