// What tests of worlds share: the integrators that move, momentum, what was changed, a body for which memory runs out.
#pragma once
#include "check.h"

#include <sinew/world.h>

static const char* const dynamic[] = {"backward-euler", "bdf2", "trapezoidal", "implicit-midpoint", "tr-bdf2"};
enum { DYNAMIC = 5 };

// The momentum has gained what was given, up to what the solver leaves over (N) in each step.
static inline void check_momentum(const char* path, const SnStepReport* first, const SnStepReport* now, double allowed)
{
    for (int c = 0; c < 3; c++) {
        double gained = now->momentum[c] - first->momentum[c];
        if (!(fabs(gained - now->impulse[c]) <= allowed))
            fail_msg("%s: momentum %d gained %.17g but was given %.17g (allowed %g)", path, c, gained, now->impulse[c],
                     allowed);
    }
}

static inline void restore_from(const SnWorld* from, SnWorld* to)
{
    size_t size = sn_world_state_size(from);
    void* state = malloc(size);
    check_ok(sn_world_save_state(from, state, size));
    check_ok(sn_world_restore_state(to, state, size));
    free(state);
}

// Adds the body to the world, takes a step and destroys the world, all with an allocator that fails the n-th time:
// nothing is left.
static inline SnStatus step_with_failing_memory(SnWorld* world, const SnBodyDef* def, long n)
{
    FailingMemory memory;
    start_failing(&memory, n);
    SnStatus status = sn_world_add_body(world, def, NULL);
    if (status == SN_OK) status = sn_world_step(world, NULL);
    sn_world_destroy(world);
    stop_failing(&memory);
    check(status == SN_OK || status == SN_ERROR_MEMORY);
    return status;
}

// Does to one world what was done to another since this was called last.
static inline void copy_events(SnWorld* from, SnWorld* to)
{
    for (int i = 0; i < sn_world_event_count(from); i++) {
        SnEvent event;
        check_ok(sn_world_event(from, i, &event));
        check_ok(sn_world_apply(to, &event));
    }
    check_ok(sn_world_note_changes(from, true));
}
