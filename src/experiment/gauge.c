// Counting what is allocated, from any thread.
#include "experiment/gauge.h"

#include <stdlib.h>

static void* allocate(void* user, size_t bytes, size_t alignment)
{
    SnGauge* gauge = user;
    size_t used = atomic_fetch_add(&gauge->used, bytes) + bytes, peak = atomic_load(&gauge->peak);
    while (used > peak && !atomic_compare_exchange_weak(&gauge->peak, &peak, used)) {
    }
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void* user, void* memory, size_t bytes)
{
    SnGauge* gauge = user;
    atomic_fetch_sub(&gauge->used, bytes);
    free(memory);
}

const SnAllocator* sn_gauge_start(SnGauge* gauge)
{
    gauge->allocator = (SnAllocator){gauge, allocate, release};
    atomic_init(&gauge->used, 0);
    atomic_init(&gauge->peak, 0);
    return &gauge->allocator;
}

size_t sn_gauge_peak(SnGauge* gauge)
{
    return atomic_load(&gauge->peak);
}
