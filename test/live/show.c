// What a page is told: texts are JSON, arrays are what the run file has, what has not moved is left out.
#include "live/show.h"

#include <unistd.h>

#include "check.h"
#include "linalg/vec3.h"
#include <sinew/scene.h>

static const char scene_text[] =
    "name: two \"cubes\"\n"
    "time: {step: 1/60, frames: 3}\n"
    "bodies:\n"
    "  - {name: falls, mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}}\n"
    "  - {name: held, mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, "
    "place: {move: [3, 0, 0]}}\n"
    "handles: [{body: held, where: all}]\n"
    "obstacles: [{type: plane, point: [0, -5, 0]}, {type: sphere, radius: 0.5, centre: [0, -2, 0]}]\n";

// A run of three steps.
static void make_run_of(const char* text, char path[64])
{
    SnScene* scene;
    SnWorld* world;
    SnRunFile* run;
    SnStepReport report;
    strcpy(path, "/tmp/sinew-live-XXXXXX");
    int file = mkstemp(path);
    check(file >= 0);
    close(file);
    unlink(path);
    check_ok(sn_scene_parse(text, strlen(text), "two.yaml", NULL, 0, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    SnRunOptions options = {.name = sn_scene_name(scene), .scene = text};
    check_ok(sn_run_file_create(path, world, &options, &run));
    for (int i = 0; i < 3; i++) {
        check_ok(sn_world_step(world, &report));
        check_ok(sn_run_file_add_step(run, &report));
        check_ok(sn_run_file_write_frame(run, world));
    }
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void make_run(char path[64])
{
    make_run_of(scene_text, path);
}

// The number behind the n-th occurrence of a key.
static double number_after(const SnMessage* m, const char* key, int n)
{
    char* text = sn_copy_memory(m->text, (size_t)m->text_count + 1, 1, "a text");
    text[m->text_count] = 0;
    char* at = text;
    for (int i = 0; i <= n; i++) {
        at = strstr(at, key);
        if (!at) fail_msg("%s is not in %s", key, text);
        at += strlen(key);
    }
    double value = strtod(at, NULL);
    sn_free(text);
    return value;
}

static int count_of(const SnMessage* m, const char* key)
{
    int count = 0;
    for (int i = 0; i + (int)strlen(key) <= m->text_count; i++) count += memcmp(m->text + i, key, strlen(key)) == 0;
    return count;
}

static void test_frames(void** unused)
{
    (void)unused;
    enum { DRAWN = 6 + 2 * 12 + 3 * 8 };
    char path[64];
    SnShow* show;
    SnRunFile* run;
    SnMessage m = {0};
    uint64_t seen[2] = {0};
    double x[6 * 27];
    make_run(path);
    check_ok(sn_show_open(path, &show));
    check_ok(sn_run_file_open(path, &run));
    check(sn_show_frame_count(show) == 4 && sn_show_body_count(show) == 2);
    sn_show_describe(show, &m);
    check(m.status == SN_OK && count_of(&m, "two \\\"cubes\\\"") == 1 && count_of(&m, "\"plane\":true") == 1);
    // 6 in faces, 12 on edges and 8 at corners, which are drawn for each face; the one in the middle is not.
    check(number_after(&m, "\"nodes\":", 0) == DRAWN);
    check(number_after(&m, "\"triangles\":{\"at\":", 0) == 0 && number_after(&m, "\"count\":", 0) == 3 * 48);
    int numbers_at = (int)number_after(&m, "\"numbers\":{\"at\":", 0), numbers[DRAWN];
    memcpy(numbers, m.arrays + numbers_at, sizeof numbers);

    SnShowWish wish = {.field = SN_SHOW_SPEED};
    sn_message_clear(&m);
    check_ok(sn_show_frame(show, 3, &wish, seen, &m));
    check_ok(sn_run_file_read_frame(run, 3, x, NULL));
    double low = number_after(&m, "\"low\":[", 0), size = number_after(&m, "\"size\":[", 0);
    const uint16_t* q = (const void*)(m.arrays + (int)number_after(&m, "\"body\":0,\"at\":", 0));
    const float* speed = (const void*)(m.arrays + (int)number_after(&m, "\"field\":", 0));
    for (int i = 0; i < DRAWN; i++) {
        check(numbers[i] != 13);
        check_near(low + size * q[3 * i] / 65535, x[3 * numbers[i]], size / 65535);
        check_near(speed[i], 3 * 9.81 / 60, 1e-4); // it falls freely
    }

    wish.field = SN_SHOW_PLAIN;
    sn_message_clear(&m);
    check_ok(sn_show_frame(show, 2, &wish, seen, &m));
    check(count_of(&m, "\"body\":0") == 1 && count_of(&m, "\"body\":1") == 1); // with other fields it was another one
    sn_message_clear(&m);
    check_ok(sn_show_frame(show, 3, &wish, seen, &m));
    check(count_of(&m, "\"body\":0") == 1 && count_of(&m, "\"body\":1") == 0);
    sn_run_file_destroy(run);
    sn_show_close(show);
    sn_message_free(&m);
    unlink(path);
}

// A body that carries a skin is shown as that, its fields with it.
static void test_skins(void** unused)
{
    (void)unused;
    char path[64];
    SnShow* show;
    SnRunFile* run;
    SnMessage m = {0};
    uint64_t seen[1] = {0};
    make_run_of("bodies: [{mesh: {surface: {sphere: {radius: 0.5, cells: 4}}, edge: 0.4}}]\ntime: {step: 1/60}\n",
                path);
    check_ok(sn_show_open(path, &show));
    check_ok(sn_run_file_open(path, &run));
    const SnSkin* skin = sn_run_file_bodies(run)[0].skin;
    double *x = malloc(sizeof(double[3]) * (size_t)sn_run_file_node_count(run)),
           *y = malloc(sizeof(double[3]) * (size_t)skin->vertex_count);
    sn_show_describe(show, &m);
    check(number_after(&m, "\"nodes\":", 0) == skin->vertex_count);
    check(number_after(&m, "\"count\":", 0) == 3 * skin->faces.count);
    sn_message_clear(&m);
    check_ok(sn_show_frame(show, 3, &(SnShowWish){.field = SN_SHOW_SPEED}, seen, &m));
    check_ok(sn_run_file_read_frame(run, 3, x, NULL));
    sn_skin_carry(skin, x, y);
    double low = number_after(&m, "\"low\":[", 0), size = number_after(&m, "\"size\":[", 0);
    const uint16_t* q = (const void*)(m.arrays + (int)number_after(&m, "\"body\":0,\"at\":", 0));
    const float* speed = (const void*)(m.arrays + (int)number_after(&m, "\"field\":", 0));
    for (int i = 0; i < skin->vertex_count; i++) {
        check_near(low + size * q[3 * i] / 65535, y[3 * i], size / 65535);
        check_near(speed[i], 3 * 9.81 / 60, 1e-4);
    }
    free(x), free(y);
    sn_run_file_destroy(run);
    sn_show_close(show);
    sn_message_free(&m);
    unlink(path);
}

// What is seen of a skin is not less, and not more, than what its nodes have, of which half rest and half fall, also
// where it lies outside of them, as at sharp edges.
static void test_skin_between(void** unused)
{
    (void)unused;
    char path[64];
    SnShow* show;
    SnRunFile* run;
    SnMessage m = {0};
    uint64_t seen[1] = {0};
    double most = 0;
    make_run_of("bodies: [{mesh: {surface: {torus: {radii: [0.4, 0.16], cells: [48, 3]}}, edge: 0.09}}]\n"
                "time: {step: 1/60}\nhandles: [{body: 0, where: {box: [[-9, -9, -9], [0, 9, 9]]}}]\n",
                path);
    check_ok(sn_show_open(path, &show));
    check_ok(sn_run_file_open(path, &run));
    int count = sn_run_file_node_count(run), vertices = sn_run_file_bodies(run)[0].skin->vertex_count;
    double* v = malloc(sizeof(double[3]) * (size_t)count);
    check_ok(sn_run_file_read_frame(run, 3, NULL, v));
    for (int i = 0; i < count; i++) most = fmax(most, sn_length3(v + 3 * i));
    check_ok(sn_show_frame(show, 3, &(SnShowWish){.field = SN_SHOW_SPEED}, seen, &m));
    const float* speed = (const void*)(m.arrays + (int)number_after(&m, "\"field\":", 0));
    check(most > 0.3);
    for (int i = 0; i < vertices; i++) check(speed[i] >= 0 && speed[i] <= most * (1 + 1e-6));
    free(v);
    sn_run_file_destroy(run);
    sn_show_close(show);
    sn_message_free(&m);
    unlink(path);
}

static void test_steps(void** unused)
{
    (void)unused;
    char path[64];
    SnShow* show;
    SnMessage m = {0};
    make_run(path);
    check_ok(sn_show_open(path, &show));
    check_ok(sn_show_steps(show, 1, &m));
    check(number_after(&m, "\"count\":", 0) == 2 && count_of(&m, "\"converged\"") == 2);
    const float* time = (const void*)(m.arrays + (int)number_after(&m, "\"name\":\"time\",\"unit\":\"s\",\"at\":", 0));
    check_near(time[0], 2.0 / 60, 1e-7);
    check_near(time[1], 3.0 / 60, 1e-7);
    sn_show_close(show);
    sn_message_free(&m);
    unlink(path);
}

static void test_message(void** unused)
{
    (void)unused;
    SnMessage m = {0};
    int at;
    char* bytes;
    size_t size;
    sn_message_print(&m, "[");
    sn_message_quote(&m, "a\"\\\n\xff");
    sn_message_print(&m, ",");
    sn_message_numbers(&m, 2, (double[]){1.5, NAN});
    sn_message_print(&m, "]");
    uint16_t* array = sn_message_array(&m, 6, &at);
    check(array && at == 0);
    array[0] = 7;
    check(sn_message_array(&m, 4, &at) && at == 8);
    check_ok(sn_message_pack(&m, 16, &bytes, &size));
    const char text[] = "[\"a\\\"\\\\\\u000a\\u00ff\",[1.5,null]]";
    uint32_t length;
    memcpy(&length, bytes + 16, 4);
    check(length % 4 == 0 && length >= strlen(text) && size == 4 + length + 12);
    check(memcmp(bytes + 20, text, strlen(text)) == 0);
    check(bytes[16 + 4 + length] == 7);
    sn_free(bytes);
    sn_message_free(&m);
}

// A run without steps has arrays of nothing: they are there, and take no room.
static void test_empty_arrays(void** state)
{
    (void)state;
    SnMessage m = {0};
    int offset = -1;
    check(sn_message_array(&m, 0, &offset) != NULL);
    assert_int_equal(offset, 0);
    check(sn_message_array(&m, 6, &offset) != NULL && m.array_count == 8 && offset == 0);
    check_ok(m.status);
    sn_message_free(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_message),      cmocka_unit_test(test_frames), cmocka_unit_test(test_skins),
    cmocka_unit_test(test_skin_between), cmocka_unit_test(test_steps),  cmocka_unit_test(test_empty_arrays),
};
RUN_TESTS(tests, NULL, NULL)
