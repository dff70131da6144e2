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

const char* sn_overrides_lines(const SnOverrides* overrides, SnArena* arena)
{
    const char* text = "";
    for (int i = 0; i < overrides->count && text; i++)
        text = sn_arena_print(arena, "%s%s\n", text, overrides->items[i]);
    return text;
}

bool sn_overrides_add_lines(SnOverrides* overrides, const char* lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        if (length && !sn_overrides_add(overrides, sn_arena_text(&overrides->arena, lines, length))) return false;
        lines += length + (lines[length] == '\n');
    }
    return true;
}

static bool add_key(SnOverrides* overrides, const char* key, const char* text, size_t length)
{
    return sn_overrides_add(overrides, sn_arena_print(&overrides->arena, "%s%.*s", key, (int)length, text));
}

// Where a key of a solver's word is found: of `solver:`, or of the scene.
static const char* place_of(const char* key, size_t length)
{
    static const char* const of_bodies[] = {"material.", "damping.", "limits."};
    for (int i = 0; i < 3; i++)
        if (strncmp(key, of_bodies[i], strlen(of_bodies[i])) == 0) return "bodies.*.";
    size_t name = strcspn(key, "=");
    return memchr(key, '.', name < length ? name : length) ? "" : "solver.";
}

// How long a value is: to the next colon outside of brackets.
static size_t value_length(const char* text)
{
    int depth = 0;
    const char* end = text;
    for (; *end && (*end != ':' || depth > 0); end++)
        depth += (*end == '{' || *end == '[') - (*end == '}' || *end == ']');
    return (size_t)(end - text);
}

bool sn_overrides_add_solver(SnOverrides* overrides, const char* text)
{
    size_t type = strcspn(text, "/:");
    if (!add_key(overrides, "solver.type=", text, type)) return false;
    text += type;
    if (*text == '/') {
        size_t initial = strcspn(++text, ":");
        if (!add_key(overrides, "solver.initial=", text, initial)) return false;
        text += initial;
    }
    while (*text == ':') {
        size_t length = strcspn(++text, ":=");
        if (text[length] == '=') length += 1 + value_length(text + length + 1);
        if (!add_key(overrides, place_of(text, length), text, length)) return false;
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
