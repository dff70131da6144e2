// Changes between steps as numbers, so that they can be kept in a run file and made again.
#pragma once
#include "world/world.h"

// Notes what was just done, if somebody asked for notes.
SnStatus sn_world_note(SnWorld* world, const char* kind, int target, int count, const double* numbers);
// From now on changes are noted, or not; those noted so far are dropped.
void sn_events_start(SnEvents* events, bool noting);
void sn_events_free(SnEvents* events);

// What docs/run-file.md says of a kind of change; NULL after the last one.
typedef struct SnEventKind {
    const char *name, *target, *numbers;
} SnEventKind;
const SnEventKind* sn_event_kind(int index);
