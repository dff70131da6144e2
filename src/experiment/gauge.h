// An allocator that knows how much was in use at most.
#pragma once
#include <sinew/base.h>
#include <stdatomic.h>

typedef struct SnGauge {
    SnAllocator allocator;
    atomic_size_t used, peak; // bytes
} SnGauge;

// Starts at 0; the gauge must not move while its allocator is in use.
const SnAllocator* sn_gauge_start(SnGauge* gauge);
size_t sn_gauge_peak(SnGauge* gauge);
