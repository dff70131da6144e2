// What is added while a world runs: handles, attachments, slides and contact pairs (world/added.c), bodies, obstacles,
// loads and actuators, dampings.
#pragma once
#include "world/world.h"

// Notes one that was just added, if somebody asked for notes.
SnStatus sn_added_note_handle(SnWorld* world, const SnHandleDef* def, const SnHandle* handle);
SnStatus sn_added_note_attachment(SnWorld* world, const SnAttachmentDef* def);
SnStatus sn_added_note_slide(SnWorld* world, const SnSlideDef* def);
SnStatus sn_added_note_pair(SnWorld* world, const SnContactPairDef* def);
SnStatus sn_added_note_load(SnWorld* world, const SnLoadDef* def);
SnStatus sn_added_note_actuator(SnWorld* world, const SnActuatorDef* def);
// Adds it again.
SnStatus sn_added_handle(SnWorld* world, const SnEvent* event);
SnStatus sn_added_attachment(SnWorld* world, const SnEvent* event);
SnStatus sn_added_slide(SnWorld* world, const SnEvent* event);
SnStatus sn_added_pair(SnWorld* world, const SnEvent* event);
SnStatus sn_added_load(SnWorld* world, const SnEvent* event);
SnStatus sn_added_actuator(SnWorld* world, const SnEvent* event);
SnStatus sn_added_damping(SnWorld* world, const SnEvent* event);
SnStatus sn_added_check_load(const SnLoadDef* def); // whether all of it can be said in numbers

// What `write` has to say of a definition, as an event; counted first.
struct SnWritten;
typedef void SnWriteDef(struct SnWritten* n, const void* def);
SnStatus sn_added_note(SnWorld* world, const char* kind, int target, SnWriteDef* write, const void* def);
bool sn_added_fits(SnWriteDef* write, const void* def); // into a file
// A body that is added while changes are noted (world/added_body.c): whether all of it can be said in numbers, of one
// that is right otherwise; and it.
SnStatus sn_added_check_body(const SnBodyDef* def);
SnStatus sn_added_note_body(SnWorld* world, const SnBodyDef* def, int body);
SnStatus sn_added_body(SnWorld* world, const SnEvent* event);
// The same of an obstacle (world/added_obstacle.c); a terrain has its heights, not a file of them.
SnStatus sn_added_check_obstacle(const SnObstacleDef* def);
SnStatus sn_added_note_obstacle(SnWorld* world, const SnObstacleDef* def, int obstacle);
SnStatus sn_added_obstacle(SnWorld* world, const SnEvent* event);
