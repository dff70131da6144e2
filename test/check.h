// The tests' few words: near, ok, fails-with; an allocator that fails the n-th time; and how a file's tests are run.
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants those first
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

#define check(condition) assert_true(condition)

#define check_near(a, b, tolerance)                                                             \
    do {                                                                                        \
        double near_a = (a), near_b = (b), near_t = (tolerance);                                \
        if (!(fabs(near_a - near_b) <= near_t))                                                 \
            fail_msg("%s = %.17g but %s = %.17g (allowed %g)", #a, near_a, #b, near_b, near_t); \
    } while (0)

#define check_ok(call)                                                   \
    do {                                                                 \
        if ((call) != SN_OK) fail_msg("%s: %s", #call, sn_last_error()); \
    } while (0)

// The call fails with this status and its message contains every given text.
#define check_fails(call, wanted, ...)                                                                                 \
    do {                                                                                                               \
        SnStatus got = (call);                                                                                         \
        if (got != (wanted))                                                                                           \
            fail_msg("%s: %s instead of %s: %s", #call, sn_status_name(got), sn_status_name(wanted), sn_last_error()); \
        const char* texts[] = {__VA_ARGS__};                                                                           \
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)                                                      \
            if (!strstr(sn_last_error(), texts[t]))                                                                    \
                fail_msg("%s: \"%s\" is not in \"%s\"", #call, texts[t], sn_last_error());                             \
    } while (0)

// An allocator that counts live blocks and fails the n-th allocation (n < 0: never).
typedef struct FailingMemory {
    SnAllocator allocator;
    long countdown, live;
    size_t most; // bytes that one may ask for at once; 0: any
} FailingMemory;

static inline void* failing_allocate(void* user, size_t bytes, size_t alignment)
{
    FailingMemory* memory = user;
    if (memory->most && bytes > memory->most) fail_msg("%zu bytes are asked for at once", bytes);
    if (memory->countdown == 0) return NULL;
    if (memory->countdown > 0) memory->countdown--;
    memory->live++;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static inline void failing_release(void* user, void* block, size_t bytes)
{
    FailingMemory* memory = user;
    (void)bytes;
    memory->live--;
    free(block);
}

// From here on the thread's n-th allocation fails.
static inline void start_failing(FailingMemory* memory, long n)
{
    *memory = (FailingMemory){{memory, failing_allocate, failing_release}, n, 0, 0};
    sn_thread_set_allocator(&memory->allocator);
}

// No longer; and nothing is left of what was allocated since.
static inline void stop_failing(const FailingMemory* memory)
{
    sn_thread_set_allocator(NULL);
    assert_int_equal(memory->live, 0);
}

// A file of tests ends with their list and this, and test/main.c runs it with the other files of its room.
#define RUN_TESTS(tests, set_up, tear_down)                                     \
    static int run_tests_of_file(void)                                          \
    {                                                                           \
        return cmocka_run_group_tests_name(__FILE__, tests, set_up, tear_down); \
    }                                                                           \
    __attribute__((constructor)) static void add_tests_of_file(void)            \
    {                                                                           \
        add_test_file(run_tests_of_file);                                       \
    }

void add_test_file(int (*run)(void));
