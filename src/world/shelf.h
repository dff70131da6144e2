// Bodies on the shelf (world/shelf.c).
#pragma once
#include "world/world.h"

// An error where something is tied to one of them.
SnStatus sn_shelf_check(const SnModel* model, const SnState* state);
// An error where this one is there: nothing can be tied to it then.
SnStatus sn_shelf_check_tie(const SnWorld* world, int body, const char* what);
// What is tied to a body for good, by its noun; NULL: nothing.
const char* sn_shelf_tie(const SnModel* model, const SnState* state, int body);
const char* sn_shelf_act(const SnModel* model, int body); // the same of what acts on it, and rests there
// Puts a body there, of which the world knows nothing else yet.
void sn_shelf_put(const SnModel* model, SnState* state, int body);
// After a body was put into the world, which was measured before: whether it can be so, as nothing crosses anything;
// then what it brought is booked.
SnStatus sn_shelf_admit(SnWorld* world, int body, const SnStepReport* before);
// What the dampings by powers below 1 keep is by the order of terms, which changes.
void sn_shelf_forget_shifts(SnWorld* world);

// What a change that may be refused has to leave as it was, also what the solver remembers: set aside, it is put back
// in place of what was made since, or dropped.
typedef struct SnAside {
    SnProblem problem;
    SnScratch scratch;
    SnMeasured measured;
    double elastic, last_length;
    int force_known;
} SnAside;
SnAside sn_shelf_set_aside(SnWorld* world);
void sn_shelf_put_back(SnWorld* world, const SnAside* aside);
void sn_shelf_drop_aside(SnWorld* world, const SnAside* aside);

// After an obstacle was put into the world, which was measured before, or more of it touches: whether it can be so
// (world/obstacle_shelf.c).
SnStatus sn_shelf_admit_touch(SnWorld* world, const char* who, const SnStepReport* before);
