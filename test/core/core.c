// The core room: messages, memory, arena, names, random numbers, tasks and ordered sums.
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/isa.h"
#include "core/log.h"
#include "core/random.h"
#include "core/suggest.h"
#include "core/tasks.h"
#include "core/timer.h"

static void test_messages(void** state)
{
    (void)state;
    check(sn_fail(SN_ERROR_VALUE, "young is %g", 3.5) == SN_ERROR_VALUE);
    assert_string_equal(sn_last_error(), "young is 3.5");
    sn_fail_prefix(SN_ERROR_VALUE, "body '%s'", "bar");
    assert_string_equal(sn_last_error(), "body 'bar': young is 3.5");
    for (int i = 0; i <= SN_ERROR_UNSUPPORTED; i++) check(strlen(sn_status_name((SnStatus)i)) > 1);
    check(strlen(sn_version()) >= 5);
}

static void test_memory(void** state)
{
    (void)state;
    double* a;
    check(SN_NEW(a, 100, "numbers"));
    check((uintptr_t)a % 64 == 0);
    for (int i = 0; i < 100; i++) check(a[i] == 0), a[i] = i;
    a = sn_reallocate(a, 1000, sizeof *a, "numbers");
    for (int i = 0; i < 1000; i++) check(a[i] == (i < 100 ? i : 0));
    sn_free(a);
    sn_free(NULL);
    check(sn_allocate(SIZE_MAX / 4, 8, "too much") == NULL);
    check(strstr(sn_last_error(), "too much") != NULL);
    int capacity = 0;
    int* list = NULL;
    for (int i = 0; i < 1000; i++) {
        check(SN_GROW(list, capacity, i + 1, "a list"));
        list[i] = i;
    }
    for (int i = 0; i < 1000; i++) check(list[i] == i);
    int64_t too_many = (int64_t)INT32_MAX + capacity;
    check(!SN_GROW(list, capacity, too_many, "a list"));
    sn_free(list);
}

static void test_allocator_hook(void** state)
{
    (void)state;
    FailingMemory memory;
    start_failing(&memory, 2);
    void* a = sn_allocate(10, 10, "a");
    void* b = sn_allocate(10, 10, "b");
    void* c = sn_allocate(10, 10, "c");
    sn_thread_set_allocator(NULL);
    void* d = sn_allocate(10, 10, "d"); // from the C library again
    check(a && b && !c && d);
    check(memory.live == 2);
    sn_free(a), sn_free(b), sn_free(d);
    check(memory.live == 0);
}

static void test_arena(void** state)
{
    (void)state;
    SnArena arena = {0};
    char* texts[500];
    for (int i = 0; i < 500; i++) check((texts[i] = sn_arena_print(&arena, "text %d", i)) != NULL);
    check(sn_arena_allocate(&arena, 100000) != NULL);
    char expected[32];
    for (int i = 0; i < 500; i++) {
        snprintf(expected, sizeof expected, "text %d", i);
        assert_string_equal(texts[i], expected);
    }
    check(sn_arena_allocate(&arena, SIZE_MAX / 2) == NULL);
    sn_arena_free(&arena);
    sn_arena_free(&arena);
}

static void test_nearest_name(void** state)
{
    (void)state;
    const char* names[] = {"material", "mesh", "name", "place", "velocity"};
    assert_string_equal(sn_nearest_name("materail", names, 5), "material");
    assert_string_equal(sn_nearest_name("mehs", names, 5), "mesh");
    assert_string_equal(sn_nearest_name("velocty", names, 5), "velocity");
    check(sn_nearest_name("gravitation", names, 5) == NULL);
}

static void test_random(void** state)
{
    (void)state;
    SnRandom a = {42}, b = {42}, c = {43};
    double sum = 0;
    bool differs = false;
    for (int i = 0; i < 10000; i++) {
        double x = sn_random_uniform(&a, -1, 3);
        check(x >= -1 && x < 3);
        check(x == sn_random_uniform(&b, -1, 3));
        differs |= x != sn_random_uniform(&c, -1, 3);
        sum += x;
    }
    check(differs);
    check_near(sum / 10000, 1, 0.05);
}

typedef struct Counts {
    int hits[1000];
    double values[100000];
} Counts;

static void hit(void* context, int index)
{
    ((Counts*)context)->hits[index]++;
}

static void hit_range(void* context, int first, int last)
{
    for (int i = first; i < last; i++) ((Counts*)context)->hits[i]++;
}

static double sum_range(void* context, int first, int last)
{
    double sum = 0;
    for (int i = first; i < last; i++) sum += ((Counts*)context)->values[i];
    return sum;
}

static void backwards(void* user, int count, SnTask* task, void* context)
{
    ++*(int*)user;
    for (int i = count - 1; i >= 0; i--) task(context, i);
}

static void test_tasks(void** state)
{
    (void)state;
    static Counts counts;
    SnRandom random = {7};
    for (int i = 0; i < 100000; i++) counts.values[i] = sn_random_uniform(&random, -1, 1) * pow(10, i % 17);
    double expected = sn_tasks_sum(NULL, 100000, 64, sum_range, &counts);
    int calls = 0;
    for (int kind = 0; kind < 5; kind++) {
        const int threads[] = {1, 2, 5, 0, 3};
        SnTaskRunner runner = {&calls, kind == 4 ? backwards : NULL};
        SnTasks* tasks;
        check_ok(sn_tasks_create(threads[kind], runner, &tasks));
        check(sn_tasks_threads(tasks) >= 1);
        for (int round = 0; round < 200; round++) {
            memset(counts.hits, 0, sizeof counts.hits);
            sn_tasks_run(tasks, round % 50, hit, &counts);
            for (int i = 0; i < 1000; i++) check(counts.hits[i] == (i < round % 50));
        }
        memset(counts.hits, 0, sizeof counts.hits);
        sn_tasks_for(tasks, 999, 10, hit_range, &counts);
        for (int i = 0; i < 1000; i++) check(counts.hits[i] == (i < 999));
        double sum = sn_tasks_sum(tasks, 100000, 64, sum_range, &counts);
        check(memcmp(&sum, &expected, sizeof sum) == 0); // to the bit
        sn_tasks_destroy(tasks);
    }
    check(calls > 0);
    SnTasks* tasks;
    check_fails(sn_tasks_create(-1, (SnTaskRunner){0}, &tasks), SN_ERROR_VALUE, "-1", "0 (all processors)");
}

static void keep_message(void* user, SnLogLevel level, const char* message)
{
    snprintf(user, 64, "%d %s", level, message);
}

static void test_log_and_time(void** state)
{
    (void)state;
    char kept[64] = "";
    SnLog log = {kept, keep_message};
    sn_log(&log, SN_LOG_WARNING, "%d nodes", 3);
    assert_string_equal(kept, "2 3 nodes");
    sn_log(&(SnLog){0}, SN_LOG_WARNING, "dropped");
    double start = sn_now_ms();
    check(sn_now_ms() >= start);
}

static void test_instruction_sets(void** state)
{
    (void)state;
    check(sn_isa_available(SN_ISA_BASE));
    check(sn_isa_available(sn_isa()));
    SnIsa before = sn_isa();
    setenv("SINEW_ISA", before == SN_ISA_BASE ? "avx2" : "base", 1);
    check(sn_isa() == before); // the environment is read once
    unsetenv("SINEW_ISA");
    check_ok(sn_isa_choose("base"));
    check(sn_isa() == SN_ISA_BASE);
    check(sn_isa_choose("nonsense") == SN_ERROR_VALUE);
    check(strstr(sn_last_error(), "'nonsense'; this machine takes base"));
    check(sn_isa_available(sn_isa()));
    check_ok(sn_isa_choose(NULL));
}

// Jobs that are over at once are the caller's alone, once that is known; but for those that were interrupted while they
// were timed.
typedef struct Who {
    pthread_t caller;
    atomic_int others;
} Who;

static void see_who(void* context, int index)
{
    Who* who = context;
    (void)index;
    if (!pthread_equal(pthread_self(), who->caller)) atomic_fetch_add(&who->others, 1);
}

static void test_short_jobs_wake_nobody(void** state)
{
    (void)state;
    SnTasks* tasks;
    Who who = {.caller = pthread_self()};
    check_ok(sn_tasks_create(4, (SnTaskRunner){0}, &tasks));
    for (int i = 0; i < 1000; i++) sn_tasks_run(tasks, 4, see_who, &who);
    atomic_store(&who.others, 0);
    for (int i = 0; i < 4000; i++) sn_tasks_run(tasks, 4, see_who, &who);
    if (atomic_load(&who.others) > 4000) fail_msg("%d of 16000 tasks were others'", atomic_load(&who.others));
    sn_tasks_destroy(tasks);
}

static void see_who_for_long(void* context, int index)
{
    double begin = sn_now_ms();
    while (sn_now_ms() < begin + 2e-3) continue;
    see_who(context, index);
}

// Two hundred functions, by turns: none makes another one's time forgotten, so that threads that sleep go on to.
#define SEE_WHO(name)                          \
    static void name(void* context, int index) \
    {                                          \
        see_who(context, index);               \
        static atomic_int calls;               \
        atomic_fetch_add(&calls, 1);           \
    }
#define SEE_TEN(x) \
    SEE_WHO(x##0)  \
    SEE_WHO(x##1)  \
    SEE_WHO(x##2)  \
    SEE_WHO(x##3)  \
    SEE_WHO(x##4)  \
    SEE_WHO(x##5)  \
    SEE_WHO(x##6)  \
    SEE_WHO(x##7)  \
    SEE_WHO(x##8)  \
    SEE_WHO(x##9)
#define SEE_HUNDRED(x) \
    SEE_TEN(x##0)      \
    SEE_TEN(x##1)      \
    SEE_TEN(x##2)      \
    SEE_TEN(x##3)      \
    SEE_TEN(x##4)      \
    SEE_TEN(x##5)      \
    SEE_TEN(x##6)      \
    SEE_TEN(x##7)      \
    SEE_TEN(x##8)      \
    SEE_TEN(x##9)
#define NAME_TEN(x) x##0, x##1, x##2, x##3, x##4, x##5, x##6, x##7, x##8, x##9
#define NAME_HUNDRED(x)                                                                                             \
    NAME_TEN(x##0), NAME_TEN(x##1), NAME_TEN(x##2), NAME_TEN(x##3), NAME_TEN(x##4), NAME_TEN(x##5), NAME_TEN(x##6), \
        NAME_TEN(x##7), NAME_TEN(x##8), NAME_TEN(x##9)
SEE_HUNDRED(see_0)
SEE_HUNDRED(see_1)

// How often threads went to sleep while so many functions took turns: the caller once a round; others, where they had
// been woken.
static long count_sleeps(SnTask* const* kinds, int count)
{
    Who who = {.caller = pthread_self()};
    SnTasks* tasks;
    struct rusage before, after;
    check_ok(sn_tasks_create(4, (SnTaskRunner){0}, &tasks));
    for (int i = 0; i < 4000; i++) sn_tasks_run(tasks, 4, kinds[i % count], &who);
    getrusage(RUSAGE_SELF, &before);
    for (int round = 0; round < 200; round++) {
        usleep(500);
        for (int i = 0; i < 200; i++) sn_tasks_run(tasks, 4, kinds[i % count], &who);
    }
    getrusage(RUSAGE_SELF, &after);
    sn_tasks_destroy(tasks);
    return after.ru_nvcsw - before.ru_nvcsw;
}

static void test_short_jobs_of_many_kinds_wake_nobody(void** state)
{
    (void)state;
    SnTask* const kinds[200] = {NAME_HUNDRED(see_0), NAME_HUNDRED(see_1)};
    long few = count_sleeps(kinds, 1), many = count_sleeps(kinds, 200);
    if (many > 2 * few + 200) fail_msg("threads went to sleep %ld times, with one function %ld", many, few);
}

// Jobs none of which is worth it alone, one after the other: sooner or later somebody takes part.
static void test_short_jobs_wake_somebody_together(void** state)
{
    (void)state;
    SnTasks* tasks;
    Who who = {.caller = pthread_self()};
    check_ok(sn_tasks_create(2, (SnTaskRunner){0}, &tasks));
    for (int i = 0; i < 1000; i++) sn_tasks_run(tasks, 8, see_who_for_long, &who);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); // until all sleep
    atomic_store(&who.others, 0);
    double begin = sn_now_ms();
    while (atomic_load(&who.others) == 0 && sn_now_ms() < begin + 1e4) sn_tasks_run(tasks, 8, see_who_for_long, &who);
    check(atomic_load(&who.others) > 0);
    sn_tasks_destroy(tasks);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_short_jobs_wake_nobody),
    cmocka_unit_test(test_short_jobs_of_many_kinds_wake_nobody),
    cmocka_unit_test(test_short_jobs_wake_somebody_together),
    cmocka_unit_test(test_messages),
    cmocka_unit_test(test_memory),
    cmocka_unit_test(test_allocator_hook),
    cmocka_unit_test(test_arena),
    cmocka_unit_test(test_nearest_name),
    cmocka_unit_test(test_random),
    cmocka_unit_test(test_tasks),
    cmocka_unit_test(test_log_and_time),
    cmocka_unit_test(test_instruction_sets),
};
RUN_TESTS(tests, NULL, NULL)
