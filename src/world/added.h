// Handles, attachments and slides that are added while a world runs (world/added.c).
#pragma once
#include "world/world.h"

// Notes one that was just added, if somebody asked for notes.
SnStatus sn_added_note_handle(SnWorld* world, const SnHandleDef* def, const SnHandle* handle);
SnStatus sn_added_note_attachment(SnWorld* world, const SnAttachmentDef* def);
SnStatus sn_added_note_slide(SnWorld* world, const SnSlideDef* def);
// Adds it again.
SnStatus sn_added_handle(SnWorld* world, const SnEvent* event);
SnStatus sn_added_attachment(SnWorld* world, const SnEvent* event);
SnStatus sn_added_slide(SnWorld* world, const SnEvent* event);

// What `write` has to say of a definition, as an event; counted first.
struct SnWritten;
SnStatus sn_added_note(SnWorld* world, const char* kind, int target,
                       void (*write)(struct SnWritten* n, const void* def), const void* def);
// A body that is added while changes are noted (world/added_body.c): whether all of it can be said in numbers; and it.
SnStatus sn_added_check_body(const SnBodyDef* def);
SnStatus sn_added_note_body(SnWorld* world, const SnBodyDef* def, int body);
SnStatus sn_added_body(SnWorld* world, const SnEvent* event);
