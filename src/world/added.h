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
