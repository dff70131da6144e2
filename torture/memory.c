// Random scenes whose n-th allocation fails: an error of memory, nothing left behind; and the same after it as before.
#include <sinew/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "random_scene.h"
#include "torture.h"

typedef struct Failing {
    SnAllocator allocator;
    long left, live;
} Failing;

static void* allocate(void* user, size_t bytes, size_t alignment)
{
    Failing* f = user;
    if (f->left-- == 0) return NULL;
    f->live++;
    return sn_libc_allocate(NULL, bytes, alignment);
}

static void release(void* user, void* memory, size_t bytes)
{
    ((Failing*)user)->live--;
    sn_libc_release(NULL, memory, bytes);
}

// Two steps of it; the number of allocations into `count`.
static SnStatus run(const char* text, long fail_at, long* count, long* left_over)
{
    Failing f = {{&f, allocate, release}, fail_at, 0};
    SnScene* scene;
    SnWorld* world = NULL;
    sn_thread_set_allocator(&f.allocator);
    SnStatus status = sn_scene_parse(text, strlen(text), "random.yaml", NULL, 0, &scene);
    if (status == SN_OK) {
        sn_scene_world_def(scene)->threads = 1;
        sn_scene_world_def(scene)->solver.iterations = 5;
        status = sn_scene_create_world(scene, &world);
    }
    for (int i = 0; i < 2 && status == SN_OK; i++) status = sn_world_step(world, NULL);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    sn_thread_set_allocator(NULL);
    *count = fail_at - f.left, *left_over = f.live;
    return status;
}

int torture_memory(const Torture* t)
{
    static char text[RANDOM_SCENE_SIZE];
    int done = 0, failed = 0, scenes = t->count ? t->count : 100;
    double begin = torture_seconds();
    for (int i = 0; i < scenes && !(t->seconds > 0 && torture_seconds() - begin > t->seconds); i++) {
        SnRandom random = {t->seed * 15485863 + (uint64_t)i};
        long all, count, left;
        random_scene(&random, WILD_TAME, text);
        if (run(text, 1L << 40, &all, &left) != SN_OK) continue;
        failed += left != 0;
        for (int k = 0; k < 20; k++) {
            long n = (long)(sn_random_bits(&random) % (uint64_t)all);
            SnStatus status = run(text, n, &count, &left);
            done++;
            if ((status == SN_OK || status == SN_ERROR_MEMORY) && left == 0) continue;
            failed++;
            printf("# memory, scene %d: allocation %ld of %ld fails: %s, %ld blocks are left: %s\n", i, n, all,
                   sn_status_name(status), left, sn_last_error());
        }
    }
    printf("# %d allocations failed, %d not as they should\n", done, failed);
    return failed;
}
