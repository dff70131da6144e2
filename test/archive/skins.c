// Skins in run files: all of it comes back, and what was changed by hand is told.
#include "mesh/faces.h"
#include "moments.h"

// A square and a triangle over five vertices, with something of everything on them.
static double rest[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, .5, 1.5, .25};
static int starts[] = {0, 4, 7}, corners[] = {0, 1, 2, 3, 3, 2, 4};
static double uvs[] = {0, 0, 1, 0, 1, 1, 0, 1, .5, .25}, normals[] = {0, 0, 1, 0, 1, 0};
static int corner_uvs[] = {0, 1, 2, 3, -1, 2, 4}, corner_normals[] = {0, 0, 0, 0, 1, -1, 1};
static float colours[] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, .5f, .5f, .5f, .25f, 1, 1, 1, 0};
static int smoothing[] = {0, 3}, first_face[] = {0}, both_faces[] = {0, 1};
static SnFaceGroup groups[] = {{SN_FACE_OBJECT, "card house", 2, both_faces},
                               {SN_FACE_GROUP, "front", 1, first_face},
                               {SN_FACE_MATERIAL, "paper", 0, both_faces}};
static int carriers[] = {0, 1, 2, 8, 1, 3, 2, 8, 3, 2, 1, 8, 2, 0, 3, 8, 6, 7, 2, 8};
static double weights[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, .75, .75, -.5, 0};

static SnSkin card(void)
{
    return (SnSkin){.vertex_count = 5,
                    .rest = rest,
                    .faces = {.count = 2,
                              .start = starts,
                              .corners = corners,
                              .uv_count = 5,
                              .uvs = uvs,
                              .corner_uvs = corner_uvs,
                              .normal_count = 2,
                              .normals = normals,
                              .corner_normals = corner_normals,
                              .colours = colours,
                              .smoothing = smoothing,
                              .group_count = 3,
                              .groups = groups},
                    .carrier_count = 4,
                    .carriers = carriers,
                    .weights = weights};
}

static void make_skinned(const char* path, const SnSkin* skin)
{
    SnRunDef def = three_body_def(false);
    SnBodyInfo bodies[3];
    memcpy(bodies, def.bodies, sizeof bodies);
    bodies[0].skin = skin;
    def.bodies = bodies;
    Moment m = moment_new(NODES);
    SnRunFile* run;
    moment_make(&m, 1, 0);
    check_ok(sn_run_file_create_from(path, &def, &m.frame, &run));
    check_ok(sn_run_file_close(run));
    moment_free(&m);
}

static void check_faces(const SnFaces* a, const SnFaces* b, int vertices)
{
    assert_int_equal(a->count, b->count);
    size_t corner_bytes = sizeof(int) * (size_t)b->start[b->count];
    assert_memory_equal(a->start, b->start, sizeof(int) * (size_t)(b->count + 1));
    assert_memory_equal(a->corners, b->corners, corner_bytes);
    assert_int_equal(a->uv_count, b->uv_count);
    assert_int_equal(a->normal_count, b->normal_count);
    check(!a->uvs == !b->uvs && !a->normals == !b->normals && !a->colours == !b->colours &&
          !a->smoothing == !b->smoothing && !a->corner_uvs == !b->corner_uvs);
    if (b->uvs) assert_memory_equal(a->uvs, b->uvs, sizeof(double[2]) * (size_t)b->uv_count);
    if (b->corner_uvs) assert_memory_equal(a->corner_uvs, b->corner_uvs, corner_bytes);
    if (b->normals) assert_memory_equal(a->normals, b->normals, sizeof(double[3]) * (size_t)b->normal_count);
    if (b->corner_normals) assert_memory_equal(a->corner_normals, b->corner_normals, corner_bytes);
    if (b->colours) assert_memory_equal(a->colours, b->colours, sizeof(float[4]) * (size_t)vertices);
    if (b->smoothing) assert_memory_equal(a->smoothing, b->smoothing, sizeof(int) * (size_t)b->count);
    assert_int_equal(a->group_count, b->group_count);
    for (int g = 0; g < b->group_count; g++) {
        check(a->groups[g].kind == b->groups[g].kind && a->groups[g].count == b->groups[g].count);
        assert_string_equal(a->groups[g].name, b->groups[g].name);
        assert_memory_equal(a->groups[g].faces, b->groups[g].faces, sizeof(int) * (size_t)b->groups[g].count);
    }
}

static void check_skin(const char* path, const SnSkin* skin)
{
    SnRunFile* run;
    check_ok(sn_run_file_open(path, &run));
    const SnSkin* found = sn_run_file_bodies(run)[0].skin;
    assert_non_null(found);
    assert_null(sn_run_file_bodies(run)[1].skin);
    assert_int_equal(found->vertex_count, skin->vertex_count);
    assert_memory_equal(found->rest, skin->rest, sizeof(double[3]) * (size_t)skin->vertex_count);
    check(!found->carriers == !skin->carriers && !found->weights == !skin->weights);
    if (skin->carriers) {
        assert_memory_equal(found->carriers, skin->carriers, sizeof(int[4]) * (size_t)skin->vertex_count);
        assert_memory_equal(found->weights, skin->weights, sizeof(double[4]) * (size_t)skin->vertex_count);
    }
    check_faces(&found->faces, &skin->faces, skin->vertex_count);
    sn_run_file_destroy(run);
}

static void test_skin_round_trip(void** state)
{
    (void)state;
    const char* path = in_folder("skin.run");
    SnSkin skin = card();
    make_skinned(path, &skin);
    check_skin(path, &skin);
    // The barest: faces alone, over the body's own nodes.
    int no_starts[] = {0};
    SnSkin bare = {
        .vertex_count = CUBE_NODES, .rest = (double*)cube_rest, .faces = {.start = no_starts, .corners = corners}};
    make_skinned(path, &bare);
    check_skin(path, &bare);
}

static void test_skin_copy(void** state)
{
    (void)state;
    SnSkin skin = card();
    FailingMemory memory;
    SnStatus status = SN_ERROR_MEMORY;
    for (int n = 0; status == SN_ERROR_MEMORY && n < 100; n++) {
        SnFaces copy;
        start_failing(&memory, n);
        status = sn_faces_copy(&skin.faces, 5, &copy);
        if (status == SN_OK) check_faces(&copy, &skin.faces, 5);
        if (status == SN_OK) sn_faces_free(&copy);
        stop_failing(&memory);
    }
    assert_int_equal(status, SN_OK);
}

static void test_skin_changed_by_hand(void** state)
{
    (void)state;
    static const char* const rows[][2] = {
        {"DROP TABLE skin", "tables"},
        {"DROP TABLE skin_group", "tables"},
        {"UPDATE skin SET body=3", "no body"},
        {"UPDATE skin SET rest=NULL", "no vertices"},
        {"UPDATE skin SET rest=x'00'", "multiple of 24"},
        {"UPDATE skin SET rest=substr(rest, 1, 96)", "another length"},
        {"UPDATE skin SET starts=NULL", "not all there"},
        {"UPDATE skin SET corners=substr(corners, 1, 24)", "not all there"},
        {"UPDATE skin SET starts=x'00000000060000000700' || x'0000'", "fewer than three"},
        {"UPDATE skin SET starts=x'00000000ffffff7f0700' || x'0000'", "fewer than three"},
        {"UPDATE skin SET corners=x'05' || substr(corners, 2)", "vertex that does not exist"},
        {"UPDATE skin SET corner_uvs=x'05' || substr(corner_uvs, 2)", "texture coordinate"},
        {"UPDATE skin SET uvs=NULL", "texture coordinate"},
        {"UPDATE skin SET corner_normals=x'02' || substr(corner_normals, 2)", "normal"},
        {"UPDATE skin SET colours=substr(colours, 1, 64)", "another length"},
        {"UPDATE skin SET smoothing=x'00000000'", "another length"},
        {"UPDATE skin SET carriers=NULL", "what carries it"},
        {"UPDATE skin SET weights=substr(weights, 1, 96)", "another length"},
        {"UPDATE skin SET carriers=x'09' || substr(carriers, 2)", "node that does not exist"},
        {"UPDATE skin SET carriers=NULL, weights=NULL", "what carries it"},
        {"UPDATE skin_group SET kind='tribe'", "no known kind"},
        {"UPDATE skin_group SET faces=x'02000000'", "face that does not exist"},
    };
    SnSkin skin = card();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SnRunFile* run;
        make_skinned(in_folder("hand.run"), &skin);
        run_sql(in_folder("hand.run"), rows[i][0]);
        SnStatus status = sn_run_file_open(in_folder("hand.run"), &run);
        if (status == SN_OK || !strstr(sn_last_error(), rows[i][1]))
            fail_msg("%s: \"%s\" is not in \"%s\"", rows[i][0], rows[i][1], status ? sn_last_error() : "OK");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_skin_round_trip),
    cmocka_unit_test(test_skin_copy),
    cmocka_unit_test(test_skin_changed_by_hand),
};
RUN_TESTS(tests, make_folder, remove_folder)
