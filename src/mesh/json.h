// JSON, as a tree over the text it was read from. For glTF.
#pragma once
#include "core/arena.h"
#include "mesh/reader.h"

typedef enum SnJsonKind {
    SN_JSON_NULL,
    SN_JSON_BOOLEAN,
    SN_JSON_NUMBER,
    SN_JSON_TEXT,
    SN_JSON_LIST,
    SN_JSON_MAP
} SnJsonKind;

typedef struct SnJson {
    SnJsonKind kind;
    const char* key;  // in a map; ended by NUL
    const char* at;   // where it is in the file
    double number;    // also of a boolean: 0 or 1
    const char* text; // ended by NUL
    int count;        // of a list or map
    struct SnJson *first, *last, *next;
    struct SnJson** items; // of a list: by number
} SnJson;

// The value at the reader's place, up to `end`, and nothing after it but space. Memory is the arena's.
SnStatus sn_json_read(SnReader* reader, const char* end, SnArena* arena, const SnJson** value);
// NULL where there is none, or this is no map (no list).
const SnJson* sn_json_find(const SnJson* map, const char* key);
const SnJson* sn_json_item(const SnJson* list, int64_t index);
// A number of a map, or `otherwise`; a whole number from lo to hi, or an error that names the key.
double sn_json_real(const SnJson* map, const char* key, double otherwise);
SnStatus sn_json_integer(const SnReader* reader, const SnJson* map, const char* key, int64_t lo, int64_t hi,
                         int64_t otherwise, int64_t* value);
const char* sn_json_text(const SnJson* map, const char* key, const char* otherwise);
int sn_json_reals(const SnJson* list, int most, double* values); // how many numbers it has; -1: it is no such list
