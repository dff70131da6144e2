// Bodies on the shelf (world/shelf.c).
#pragma once
#include "world/world.h"

// An error where something is tied to one of them.
SnStatus sn_shelf_check(const SnModel* model, const SnState* state);
// Puts a body there, of which the world knows nothing else yet.
void sn_shelf_put(const SnModel* model, SnState* state, int body);
// After a body was put into the world, which was measured before: whether it can be so, as nothing crosses anything;
// then what it brought is booked.
SnStatus sn_shelf_admit(SnWorld* world, int body, const SnStepReport* before);
