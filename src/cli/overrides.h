// Changes to a scene that the command line asks for: `path=value` texts for sn_load_scene, in order of rank.
#pragma once
#include "cli/command.h"
#include "core/arena.h"

typedef struct SnOverrides {
    SnArena arena; // of texts made here
    const char** items;
    int count, capacity;
} SnOverrides; // zero-initialised is empty

// The text must outlive the overrides (or be of their arena). False: out of memory, also when text is NULL.
bool sn_overrides_add(SnOverrides* overrides, const char* text);
// A solver as one word: TYPE, TYPE/INITIAL, and keys of `solver:` behind it: lbfgs/laplacian:history=10:armijo=0.1.
bool sn_overrides_add_solver(SnOverrides* overrides, const char* text);
// The values of --set.
bool sn_overrides_add_set(SnOverrides* overrides, const SnArguments* arguments);
void sn_overrides_free(SnOverrides* overrides);

// Complains and returns false when a --set is not PATH=VALUE.
bool sn_overrides_check_set(const SnArguments* arguments);
