// USD as text: meshes in their places, attributes on them, time samples; and everything that may be wrong with it.
#include "check.h"
#include "core/pi.h"
#include "core/random.h"
#include "files.h"
#include "mesh/point_cache.h"

// A square in cm and z upwards, moved by 100 and turned about z in the scene, with two time samples; a triangle
// that is left-handed and lies in nothing; and prims that do not count.
static const char stage[] =
    "#usda 1.0\n(\n    \"a \\\"comment\\\"\"\n    defaultPrim = \"World\"\n    upAxis = \"Z\"\n    metersPerUnit = "
    "0.01\n"
    "    startTimeCode = 10\n    timeCodesPerSecond = 5\n    customLayerData = { string a = \"b\"; int[] c = [1, 2] }\n"
    ")\n\n# a comment { [\n"
    "def Xform \"World\" (\n    prepend apiSchemas = [\"X\"]\n)\n{\n"
    "    double3 xformOp:translate = (100, 0, 0)\n    float xformOp:rotateZ:mine = 90\n"
    "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateZ:mine\"]\n"
    "    def Mesh \"square\"\n    {\n"
    "        int[] faceVertexCounts = [4]\n        int[] faceVertexIndices = [0, 1, 2, 3]\n"
    "        point3f[] points = [(9, 9, 9)]\n"
    "        point3f[] points.timeSamples = {\n"
    "            10: [(0, 0, 0), (100, 0, 0), (100, 100, 0), (0, 100, 0)],\n"
    "            15: [(0, 0, 50), (100, 0, 0), (100, 100, 0), (0, 100, 0)],\n        }\n"
    "        texCoord2f[] primvars:map = [(0, 0), (1, 0.5)] (\n            interpolation = \"faceVarying\"\n        )\n"
    "        int[] primvars:map:indices = [0, 1, 1, 0]\n"
    "        color3f[] primvars:displayColor = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)] ("
    "interpolation = 'vertex')\n"
    "        rel material:binding = </World/Materials/a>\n        token unset\n    }\n"
    "    def Mesh \"hidden\" { token visibility = \"invisible\"  point3f[] points = [(1, 1, 1)] }\n"
    "    def Scope \"off\" (active = false) { def Mesh \"m\" { point3f[] points = [(1, 1, 1)] } }\n"
    "    class Mesh \"base\" { point3f[] points = [(1, 1, 1)] }\n"
    "    def Material \"a\" { asset inputs:file = @wood.png@ }\n"
    "    def Mesh \"left\"\n    {\n"
    "        uniform token orientation = \"leftHanded\"\n"
    "        int[] faceVertexCounts = [3]\n        int[] faceVertexIndices = [0, 1, 2]\n"
    "        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n"
    "        matrix4d xformOp:transform.timeSamples = {\n"
    "            10: ( (2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0), (0, 0, 7, 1) ),\n"
    "            12.5: ( (2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0), (0, 0, 9, 1) ) }\n"
    "        uniform token[] xformOpOrder = [\"!resetXformStack!\", \"xformOp:transform\"]\n    }\n"
    "}\n";

static void test_usda_mesh(void** state)
{
    (void)state;
    SnMesh* mesh;
    check_ok(load_text(".usda", stage, &mesh));
    assert_int_equal(mesh->node_count, 7);
    assert_int_equal(mesh->triangle_count, 3);
    // (x, y, z) of the file: turned by 90 degrees about z, moved by 100 along x, cm; z up to y up: (x, z, -y)
    static const double wanted[7][3] = {{1, 0, 0},   {1, 0, -1},    {0, 0, -1},    {0, 0, 0},
                                        {0, .07, 0}, {.02, .07, 0}, {0, .07, -.02}};
    for (int i = 0; i < 21; i++) check_near(mesh->nodes[i], wanted[i / 3][i % 3], 1e-15);
    static const int triangles[] = {0, 1, 2, 0, 2, 3, 6, 5, 4};
    assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
    const SnFaces* f = sn_mesh_faces(mesh);
    check(f && f->count == 2 && f->uv_count == 2 && f->group_count == 2);
    static const int uvs[] = {0, 1, 1, 0, -1, -1, -1};
    assert_memory_equal(f->corner_uvs, uvs, sizeof uvs);
    check(f->uvs[2] == 1 && f->uvs[3] == 0.5 && f->colours[4] == 0 && f->colours[5] == 1 && f->colours[4 * 6] == 1);
    assert_string_equal(f->groups[0].name, "left");
    assert_string_equal(f->groups[1].name, "square");
    sn_mesh_destroy(mesh);
}

static void test_usda_cache(void** state)
{
    (void)state;
    SnPointCache* c;
    save_text(".usda", stage);
    check_ok(sn_point_cache_load(path_of(".usda"), 30, &c));
    check(c->point_count == 7 && c->frame_count == 3);
    static const double times[] = {0, 0.5, 1};
    for (int f = 0; f < 3; f++) check_near(c->times[f], times[f], 1e-15);
    for (int f = 0; f < 3; f++) {
        const double* x = c->points + 21 * f;
        check_near(x[1], 0.5 * times[f], 1e-15);        // the first vertex is raised by 50 cm in a second
        check_near(x[13], f == 0 ? 0.07 : 0.09, 1e-15); // the matrix has come to its end
        check_near(x[3], 1, 1e-15);                     // the others stay
        check_near(x[5], -1, 1e-15);
    }
    sn_point_cache_destroy(c);
    for (size_t size = 0; size + 4 < strlen(stage); size += 3) { // cut off anywhere
        save_bytes(".usda", stage, size);
        check(sn_point_cache_load(path_of(".usda"), 30, &c) != SN_OK && !c);
    }
    SnRandom random = {5};
    char text[sizeof stage];
    for (int i = 0; i < 2000; i++) { // any byte another: an error, or other numbers
        memcpy(text, stage, sizeof stage);
        text[sn_random_bits(&random) % (sizeof stage - 1)] = (char)sn_random_bits(&random);
        save_bytes(".usda", text, sizeof stage - 1);
        if (sn_point_cache_load(path_of(".usda"), 4, &c) == SN_OK) sn_point_cache_destroy(c);
        SnMesh* mesh;
        if (sn_mesh_load(path_of(".usda"), &mesh) != SN_OK) continue;
        check_usable(mesh);
        sn_mesh_destroy(mesh);
    }
}

// Each operation on (1, 2, 3), against numbers worked out by hand.
static void test_usda_operations(void** state)
{
    (void)state;
    static const struct {
        const char *operation, *order;
        double wanted[3];
    } cases[] = {
        {"float3 xformOp:scale = (2, 3, 4)", "\"xformOp:scale\"", {2, 6, 12}},
        {"float3 xformOp:scale = (2, 4, 8)", "\"!invert!xformOp:scale\"", {0.5, 0.5, 0.375}},
        {"float xformOp:rotateX = 90", "\"xformOp:rotateX\"", {1, -3, 2}},
        {"float xformOp:rotateY = 90", "\"xformOp:rotateY\"", {3, 2, -1}},
        {"float3 xformOp:rotateXYZ = (90, 90, 0)", "\"xformOp:rotateXYZ\"", {2, -3, -1}}, // first about x
        {"float3 xformOp:rotateYXZ = (90, 90, 0)", "\"xformOp:rotateYXZ\"", {3, 1, 2}},   // first about y
        {"quatf xformOp:orient = (0.5, 0.5, 0.5, 0.5)", "\"xformOp:orient\"", {3, 1, 2}},
        {"double3 xformOp:translate = (1, 1, 1)\nfloat3 xformOp:scale = (2, 2, 2)",
         "\"xformOp:translate\", \"xformOp:scale\"",
         {3, 5, 7}},                                         // the last comes first
        {"float3 xformOp:scale = (2, 2, 2)", "", {1, 2, 3}}, // not in the order: does nothing
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "#usda 1.0\n(metersPerUnit = 1)\ndef Mesh \"m\"\n{\npoint3f[] points = [(1, 2, 3)]\n%s\n"
                 "uniform token[] xformOpOrder = [%s]\n}\n",
                 cases[i].operation, cases[i].order);
        SnMesh* mesh;
        check_ok(load_text(".usda", text, &mesh));
        for (int c = 0; c < 3; c++) check_near(mesh->nodes[c], cases[i].wanted[c], 1e-7);
        sn_mesh_destroy(mesh);
    }
}

static void test_usda_mistakes(void** state)
{
    (void)state;
    static const struct {
        const char *text, *parts[2];
    } cases[] = {
        {"#usda", {"no Mesh", "file.usda"}},
        {"PXR-USDC.......", {"binary", "usdcat"}},
        {"hello", {"#usda 1.0", ":1:"}},
        {"#usda 1.0\ndef Mesh \"m\" (\n references = @other.usda@\n) {}\n", {"references", "flatten"}},
        {"#usda 1.0\n(subLayers = [@a.usda@])\n", {"subLayers", "flatten"}},
        {"#usda 1.0\ndef PointInstancer \"i\" {}\n", {"PointInstancer", ":2:"}},
        {"#usda 1.0\ndef Mesh \"m\" { }\n", {"without points", "\"m\""}},
        {"#usda 1.0\ndef Mesh \"m\" { point3f[] points = [(1, 2)] }\n", {"three numbers", ":2:"}},
        {"#usda 1.0\ndef Mesh \"m\" {\npoint3f[] points = [(0,0,0)]\nint[] faceVertexCounts = [3]\n}\n",
         {"do not agree", "\"m\""}},
        {"#usda 1.0\ndef Mesh \"m\" {\npoint3f[] points = [(0,0,0)]\nint[] faceVertexCounts = [3]\n"
         "int[] faceVertexIndices = [0, 0, 1]\n}\n",
         {"names point 1", "there are 1"}},
        {"#usda 1.0\ndef Mesh \"m\" {\npoint3f[] points.timeSamples = {0: [(0,0,0)], 1: []}\n}\n",
         {"changes with time", "\"m\""}},
        {"#usda 1.0\ndef Mesh \"m\" {\npoint3f[] points.timeSamples = {1: [(0,0,0)], 1: [(0,0,0)]}\n}\n",
         {"must increase", ":3:"}},
        {"#usda 1.0\ndef Mesh \"m\" {\npoint3f[] points = [(0,0,0)]\n"
         "uniform token[] xformOpOrder = [\"xformOp:shear\"]\n}\n",
         {"xformOp:shear", "not given"}},
        {"#usda 1.0\ndef Mesh \"m\" {\npoint3f[] points = [(0,0,0)]\nfloat xformOp:shear = 1\n"
         "uniform token[] xformOpOrder = [\"xformOp:shear\"]\n}\n",
         {"xformOp:shear", "not known"}},
        {"#usda 1.0\n(metersPerUnit = 0)\n", {"metersPerUnit", "above 0"}},
        {"#usda 1.0\ndef Xform \"x\" { variantSet \"a\" = { } }\n", {"variants", "flatten"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SnMesh* mesh;
        check(load_text(".usda", cases[i].text, &mesh) != SN_OK);
        for (int k = 0; k < 2; k++)
            if (!strstr(sn_last_error(), cases[i].parts[k])) fail_msg("%zu: %s", i, sn_last_error());
    }
}

// Numbers of the file are finite, but not where they come to.
static void test_usda_beyond(void** state)
{
    (void)state;
    SnPointCache* c;
    save_text(".usda",
              "#usda 1.0\ndef Mesh \"m\"\n{\npoint3f[] points.timeSamples = {0: [(1, 2, 3)], 1: [(1e200, 2, 3)]}\n"
              "double3 xformOp:scale = (1e200, 1, 1)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]\n}\n");
    check_fails(sn_point_cache_load(path_of(".usda"), 30, &c), SN_ERROR_FORMAT, "point 0", "time code 1");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_usda_mesh),     cmocka_unit_test(test_usda_cache),  cmocka_unit_test(test_usda_operations),
    cmocka_unit_test(test_usda_mistakes), cmocka_unit_test(test_usda_beyond),
};
RUN_TESTS(tests, make_folder, remove_folder)
