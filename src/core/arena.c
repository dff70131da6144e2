// An arena: a list of blocks, each filled from the front; a piece larger than a block gets its own.
#include "core/arena.h"

#include <stdarg.h>
#include <string.h>

#include "core/plain.h"

enum { BLOCK_BYTES = 16384 };

typedef struct SnArenaBlock {
    struct SnArenaBlock* next;
    size_t used, size;
    _Alignas(16) char bytes[];
} SnArenaBlock;

void* sn_arena_allocate(SnArena* arena, size_t bytes)
{
    SnArenaBlock* block = arena->blocks;
    if (bytes > SIZE_MAX / 4) {
        sn_fail_memory("an arena", bytes);
        return NULL;
    }
    size_t rounded = (bytes + 15) / 16 * 16;
    if (!block || block->size - block->used < rounded) {
        size_t size = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;
        block = sn_allocate(1, sizeof *block + size, "an arena");
        if (!block) return NULL;
        block->size = size;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void* piece = block->bytes + block->used;
    block->used += rounded;
    return piece;
}

char* sn_arena_text(SnArena* arena, const char* text, size_t length)
{
    char* copy = sn_arena_allocate(arena, length + 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

char* sn_arena_print(SnArena* arena, const char* format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = sn_plain_print_list(NULL, 0, format, args);
    char* text = length < 0 ? NULL : sn_arena_allocate(arena, (size_t)length + 1);
    if (text) sn_plain_print_list(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void sn_arena_free(SnArena* arena)
{
    while (arena->blocks) {
        SnArenaBlock* next = arena->blocks->next;
        sn_free(arena->blocks);
        arena->blocks = next;
    }
}
