// An arena: many small pieces with one lifetime, freed together.
#pragma once
#include "core/memory.h"

typedef struct SnArena {
    struct SnArenaBlock* blocks;
} SnArena; // zero-initialised is empty

void* sn_arena_allocate(SnArena* arena, size_t bytes); // zeroed, 16-byte aligned; NULL on failure
char* sn_arena_text(SnArena* arena, const char* text, size_t length);
char* sn_arena_print(SnArena* arena, const char* format, ...) __attribute__((format(printf, 2, 3)));
void sn_arena_free(SnArena* arena);
