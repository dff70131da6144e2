// Changes to a scene: `path=value` texts for sn_scene_load, in order of rank.
#pragma once
#include "core/arena.h"

typedef struct SnOverrides {
    SnArena arena; // of texts made here
    const char** items;
    int count, capacity;
} SnOverrides; // zero-initialised is empty

// The text must outlive the overrides (or be of their arena). False: out of memory, also when text is NULL.
bool sn_overrides_add(SnOverrides* overrides, const char* text);
// A solver as one word: TYPE, TYPE/INITIAL, and keys of `solver:` behind it: lbfgs/laplacian:history=10:armijo=0.1.
// A key with a dot in it is a path of the scene; material, damping and limits are those of all bodies:
// admm:material.weight=0.5.
bool sn_overrides_add_solver(SnOverrides* overrides, const char* text);
// All of them as one text, a line each, as run files keep them: of the arena, or NULL; and back.
const char* sn_overrides_lines(const SnOverrides* overrides, SnArena* arena);
bool sn_overrides_add_lines(SnOverrides* overrides, const char* lines);
void sn_overrides_free(SnOverrides* overrides);
