// Bodies that sleep (world/sleep.c).
#pragma once
#include "mesh/bounding_tree.h"
#include "world/world.h"

// With the problem: who sleeps, whose terms are still, and room for what follows.
SnStatus sn_sleep_build(const SnModel* model, const SnState* state, SnProblem* problem);
void sn_sleep_free(SnProblem* problem);
// Before a step that ends at `time`: what is disturbed wakes, and what has been at rest for long enough falls asleep.
SnStatus sn_sleep_begin(SnWorld* world, double time);
// After it: how long each body has been at rest.
void sn_sleep_end(SnWorld* world, SnStepReport* report);
// After a change: those who sleep with a body wake; -1: all do.
void sn_sleep_disturb(SnWorld* world, int body);
