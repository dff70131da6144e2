// A list of overrides, and a solver in one word.
#include "scene/override_list.h"

#include <string.h>

#include "core/memory.h"

bool sn_overrides_add(SnOverrides* overrides, const char* text)
{
    if (!text || !SN_GROW(overrides->items, overrides->capacity, overrides->count + 1, "overrides")) return false;
    overrides->items[overrides->count++] = text;
    return true;
}

static bool add_key(SnOverrides* overrides, const char* key, const char* text, size_t length)
{
    return sn_overrides_add(overrides, sn_arena_print(&overrides->arena, "solver.%s%.*s", key, (int)length, text));
}

bool sn_overrides_add_solver(SnOverrides* overrides, const char* text)
{
    size_t type = strcspn(text, "/:");
    if (!add_key(overrides, "type=", text, type)) return false;
    text += type;
    if (*text == '/') {
        size_t initial = strcspn(++text, ":");
        if (!add_key(overrides, "initial=", text, initial)) return false;
        text += initial;
    }
    while (*text == ':') {
        size_t length = strcspn(++text, ":=");
        const char* equals = text[length] == '=' ? text + length + 1 : NULL;
        if (equals) length += 1 + (*equals == '{' ? strcspn(equals, "}") + 1 : strcspn(equals, ":"));
        if (length > strlen(text)) length = strlen(text);
        if (!add_key(overrides, "", text, length)) return false;
        text += length;
    }
    return true;
}

void sn_overrides_free(SnOverrides* overrides)
{
    sn_arena_free(&overrides->arena);
    sn_free(overrides->items);
    *overrides = (SnOverrides){0};
}
