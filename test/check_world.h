// What tests of worlds share: a body for which memory runs out.
#pragma once
#include "check.h"

#include <sinew/world.h>

#include "core/memory.h"

// Adds the body to the world, takes a step and destroys the world, all with an allocator that fails the n-th time:
// nothing is left.
static inline SnStatus step_with_failing_memory(SnWorld* world, const SnBodyDef* def, long n)
{
    FailingMemory memory = failing_memory(n);
    memory.allocator.user = &memory;
    sn_thread_set_allocator(&memory.allocator);
    SnStatus status = sn_world_add_body(world, def, NULL);
    if (status == SN_OK) status = sn_world_step(world, NULL);
    sn_world_destroy(world);
    sn_thread_set_allocator(NULL);
    check(status == SN_OK || status == SN_ERROR_MEMORY);
    assert_int_equal(memory.live, 0);
    return status;
}
