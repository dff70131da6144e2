// Changes between steps as numbers, so that they can be kept in a run file and made again.
#pragma once
#include "world/world.h"

// Notes what was just done, if somebody asked for notes.
SnStatus sn_world_note(SnWorld* world, const char* kind, int target, int count, const double* numbers);
// From now on changes are noted, or not; those noted so far are dropped.
void sn_events_start(SnEvents* events, bool noting);
void sn_events_free(SnEvents* events);
