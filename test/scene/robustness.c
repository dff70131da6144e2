// Scenes from nowhere good: bombs, monsters, corrupted bytes, and memory that runs out.
#include "core/random.h"
#include "scenes.h"

// Ten aliases of ten aliases of ...: refused at once, with little memory.
static void alias_bomb(void** state)
{
    (void)state;
    char text[4000];
    size_t used = (size_t)snprintf(text, sizeof text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 30; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++) used += (size_t)snprintf(text + used, sizeof text - used, "*a%d,", i - 1);
        used += (size_t)snprintf(text + used, sizeof text - used, "]\n");
    }
    SnScene* scene;
    check_fails(parse(text, &scene), SN_ERROR_FORMAT, "test.yaml:6:", "alias", "larger than 1000000 values");
    sn_scene_destroy(scene);
}

// Deep nesting and many keys are refused, quickly.
static void monsters(void** state)
{
    (void)state;
    enum { SIZE = 400000 };
    char* text = malloc(SIZE + 1);
    static const char* const units[] = {
        "[", "{a: ", "- ", "? ", "&a ", "!", "a: ", "[[],", "{", "\"", "*a ", "%", "|\n "};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        size_t length = strlen(units[u]);
        for (size_t i = 0; i + length <= SIZE; i += length) memcpy(text + i, units[u], length);
        SnScene* scene;
        SnStatus status = sn_scene_parse(text, SIZE / length * length, "monster.yaml", NULL, 0, &scene);
        if (status != SN_ERROR_FORMAT && status != SN_ERROR_VALUE) fail_msg("accepted: %s ...", units[u]);
        sn_scene_destroy(scene);
    }
    size_t used = 0;
    for (int i = 0; i < 30000; i++) used += (size_t)snprintf(text + used, SIZE - used, "k%d: 1\n", i);
    SnScene* scene;
    check_fails(sn_scene_parse(text, used, "monster.yaml", NULL, 0, &scene), SN_ERROR_FORMAT,
                "monster.yaml:1001:", "more than 1000 keys");
    sn_scene_destroy(scene);
    used = (size_t)snprintf(text, SIZE, "bodies: [");
    for (int i = 0; i < 50000; i++) used += (size_t)snprintf(text + used, SIZE - used, "{},");
    text[used++] = ']';
    check_fails(sn_scene_parse(text, used, "monster.yaml", NULL, 0, &scene), SN_ERROR_VALUE,
                "monster.yaml:1:9:", "50000 items; at most 10000");
    sn_scene_destroy(scene);
    free(text);
}

static void corrupt(SnRandom* random, char* text, size_t* length)
{
    static const char spice[] = "{}[]:,&*!|>'\"%@`#-?<~0129e^.\n\t \xff\x01";
    size_t at = sn_random_bits(random) % *length;
    switch (sn_random_bits(random) % 8) {
    case 0: text[at] = (char)sn_random_bits(random); break;
    case 1: text[at] = spice[sn_random_bits(random) % (sizeof spice - 1)]; break;
    case 2: // delete a few
        for (size_t n = 1 + sn_random_bits(random) % 8; n && *length > at + 1; n--)
            memmove(text + at, text + at + 1, --*length - at);
        break;
    case 3: // copy a few from elsewhere
        for (size_t n = 1 + sn_random_bits(random) % 8, from = sn_random_bits(random) % *length;
             n && at < *length && from < *length; n--)
            text[at++] = text[from++];
        break;
    default: // another number
        while (at + 1 < *length && !(text[at] >= '0' && text[at] <= '9')) at++;
        text[at] = "0123456789-.e^*"[sn_random_bits(random) % 15];
    }
}

static void corrupted_bytes(void** state)
{
    (void)state;
    SnRandom random = {7};
    int accepted = 0, refused = 0;
    for (int i = 0; i < 6000; i++) {
        char text[sizeof rich_scene];
        size_t length = sizeof rich_scene - 1;
        memcpy(text, rich_scene, length);
        for (uint64_t n = 1 + sn_random_bits(&random) % 4; n; n--) corrupt(&random, text, &length);
        SnScene* scene;
        SnStatus status = sn_scene_parse(text, length, "corrupt.yaml", NULL, 0, &scene);
        accepted += status == SN_OK;
        refused += status == SN_ERROR_FORMAT || status == SN_ERROR_VALUE;
        check(scene != NULL || status == SN_ERROR_MEMORY);
        for (int p = 0; scene && p < sn_scene_problem_count(scene); p++)
            check(sn_scene_problem(scene, p).line >= 1 && *sn_scene_problem(scene, p).message);
        sn_scene_destroy(scene);
    }
    if (accepted < 100 || refused < 3000) fail_msg("%d accepted, %d refused of 6000", accepted, refused);
}

static void truncated(void** state)
{
    (void)state;
    for (size_t length = 0; length < sizeof rich_scene; length++) {
        SnScene* scene;
        SnStatus status = sn_scene_parse(rich_scene, length, "short.yaml", NULL, 0, &scene);
        check(status == SN_OK || status == SN_ERROR_FORMAT || status == SN_ERROR_VALUE);
        sn_scene_destroy(scene);
    }
}

// Loads with the n-th allocation failing, for every n, with and without problems to report.
static void failing_allocations(void** state)
{
    (void)state;
    static const char* const overrides[] = {"time.frames=3", "bodies.bar.material.density=-1"};
    static const SnStatus wanted[] = {SN_OK, SN_ERROR_VALUE};
    for (int bad = 0; bad < 2; bad++) {
        SnStatus status = SN_ERROR_MEMORY;
        long n = 0;
        for (; status == SN_ERROR_MEMORY; n++) {
            FailingMemory memory;
            SnScene* scene = NULL;
            start_failing(&memory, n);
            status = sn_scene_parse(rich_scene, sizeof rich_scene - 1, "rich.yaml", &overrides[bad], 1, &scene);
            check(scene != NULL || status == SN_ERROR_MEMORY);
            check(scene == NULL || status != SN_ERROR_MEMORY);
            sn_scene_destroy(scene);
            stop_failing(&memory);
        }
        assert_int_equal(status, wanted[bad]);
        check(n > 20);
    }
}

// The same while the world is made of it.
static void failing_worlds(void** state)
{
    (void)state;
    SnScene* scene = good(rich_scene);
    SnStatus status = SN_ERROR_MEMORY;
    scene->part.world.threads = 1;
    for (long n = 0; status == SN_ERROR_MEMORY; n++) {
        FailingMemory memory;
        SnWorld* world = NULL;
        start_failing(&memory, n);
        status = sn_scene_create_world(scene, &world);
        check((world != NULL) == (status == SN_OK));
        sn_world_destroy(world);
        stop_failing(&memory);
    }
    check_ok(status);
    sn_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(alias_bomb),          cmocka_unit_test(monsters),
    cmocka_unit_test(corrupted_bytes),     cmocka_unit_test(truncated),
    cmocka_unit_test(failing_allocations), cmocka_unit_test(failing_worlds),
};
RUN_TESTS(tests, NULL, NULL)
