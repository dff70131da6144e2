// Changes between steps as numbers, so that they can be kept in a run file and made again.
#pragma once
#include "world/world.h"

// Notes what was just done, if somebody asked for notes.
SnStatus sn_world_note(SnWorld* world, const char* kind, int target, int count, const double* numbers);
// After a change (world/change.c): nothing is known of the state's forces any more, and nobody looks back beyond it;
// what it added to energies and momenta, between two measurements, is somebody's work.
void sn_change_forget(SnWorld* world);
void sn_change_book(SnState* state, const SnStepReport* before, const SnStepReport* after);
// From now on changes are noted, or not; those noted so far are dropped.
void sn_events_start(SnEvents* events, bool noting);
void sn_events_free(SnEvents* events);

// What docs/run-file.md says of a kind of change; NULL after the last one.
typedef struct SnEventKind {
    const char *name, *target, *numbers;
} SnEventKind;
const SnEventKind* sn_event_kind(int index);
