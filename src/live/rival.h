// A second world that makes the same steps as the first, by another solver, into a run file of its own: `sinew race`
// while it is looked at.
#pragma once
#include "live/retrace.h"

typedef struct SnRival {
    SnWorld* world; // NULL: there is none
    SnRunFile* run;
    char why[160]; // it was left behind
} SnRival;

// From the step that def names on, with all that was done until then.
SnStatus sn_rival_start(const SnRetraceDef* def, const char* solver, SnRival* rival);
// Before a step of the leader, whose changes since its last frame are noted: they are made here, too, but for another
// solver; then a step, and its frame. Where that is not possible it is left behind, which is no error of the leader's.
SnStatus sn_rival_follow(SnRival* rival, const SnWorld* leader);
void sn_rival_stop(SnRival* rival);
