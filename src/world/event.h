// Changes between steps as numbers, so that they can be kept in a run file and made again.
#pragma once
#include "world/world.h"

// Notes what was just done, if somebody asked for notes.
SnStatus sn_world_note(SnWorld* world, const char* kind, int target, int count, const double* numbers);
// Before and after a change (world/step.c): sn_world_measure, but no solver is made for it.
SnStatus sn_change_measure(SnWorld* world, SnStepReport* report);
// After a change (world/change.c): nothing is known of the state's forces any more, and nobody looks back beyond it;
// what it added to energies and momenta, between two measurements, is somebody's work.
void sn_change_forget(SnWorld* world);
void sn_change_book(SnState* state, const SnStepReport* before, const SnStepReport* after);
// Before one after which constraints are counted otherwise: the problem is made anew, and forces do not go on.
void sn_change_structure(SnWorld* world);
// Numbers by their numbers among those that can be changed (world/numbers.c).
SnStatus sn_world_set_material_number(SnWorld* world, int body, int which, double value);
SnStatus sn_world_set_damping_number(SnWorld* world, int body, int damping, int which, double value);
const char* sn_damping_number_name(int which); // NULL: there are not as many
// Whether what is added now comes into a world that runs: after its first step, or when changes are noted, or made
// again.
static inline bool sn_world_lives(const SnWorld* world)
{
    return world->state.step > 0 || world->events.noting || world->events.applying;
}
SnStatus sn_world_refuse_late(const char* what); // "loads" that are added then
// From now on changes are noted, or not; those noted so far are dropped.
void sn_events_start(SnEvents* events, bool noting);
void sn_events_free(SnEvents* events);

// What docs/run-file.md says of a kind of change; NULL after the last one.
typedef struct SnEventKind {
    const char *name, *target, *numbers;
} SnEventKind;
const SnEventKind* sn_event_kind(int index);
