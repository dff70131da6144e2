// Definitions as numbers that are written one after the other, and read again: what events have.
#pragma once
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/status.h"

enum { SN_MOST_WRITTEN = 100000000 }; // numbers of one event, which SQLite has room for

typedef struct SnWritten {
    double* items; // NULL: they are only counted
    int64_t count;
} SnWritten;

static inline void sn_put(SnWritten* n, int64_t count, const double* values)
{
    if (n->items && count > 0) memcpy(n->items + n->count, values, (size_t)count * sizeof *values);
    n->count += count;
}

static inline void sn_put_one(SnWritten* n, double value)
{
    sn_put(n, 1, &value);
}

static inline void sn_put_ints(SnWritten* n, int64_t count, const int* values)
{
    for (int64_t i = 0; i < count && n->items; i++) n->items[n->count + i] = values[i];
    n->count += count;
}

// How many letters, and these.
static inline void sn_put_text(SnWritten* n, const char* text)
{
    int length = text ? (int)strlen(text) : 0;
    sn_put_one(n, length);
    for (int i = 0; i < length; i++) sn_put_one(n, (unsigned char)text[i]);
}

typedef struct SnReading {
    const double* items;
    int count, next;
    bool bad;         // there were too few, or one that cannot be
    const char* what; // the kind of the event
} SnReading;

static inline const double* sn_take(SnReading* r, int64_t count)
{
    static const double none[16];
    if (r->bad || count < 0 || count > r->count - r->next) {
        r->bad = true;
        return none;
    }
    r->next += (int)count;
    return r->items + r->next - count;
}

static inline int sn_take_int(SnReading* r)
{
    double value = *sn_take(r, 1);
    bool whole = fabs(value) < 1e9 && value == (int)value;
    r->bad |= !whole;
    return whole ? (int)value : 0;
}

// A list of whole numbers, freed by the caller; NULL also where there are none. Of what is none -1.
static inline SnStatus sn_take_ints(SnReading* r, int64_t count, int** items)
{
    const double* values = sn_take(r, count);
    *items = NULL;
    if (r->bad) return SN_OK;
    if (!SN_NEW(*items, count, "changes")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) (*items)[i] = fabs(values[i]) < 1e9 ? (int)values[i] : -1;
    return SN_OK;
}

// Cut off where there is no room.
static inline void sn_take_text(SnReading* r, char* text, size_t size)
{
    int length = sn_take_int(r);
    const double* letters = sn_take(r, length);
    size_t used = 0;
    for (int i = 0; i < length && !r->bad && used + 1 < size; i++)
        if (letters[i] >= 1 && letters[i] <= 255) text[used++] = (char)(unsigned char)letters[i];
    text[used] = 0;
}

static inline SnStatus sn_reading_refuse(const SnReading* r)
{
    return sn_fail(SN_ERROR_VALUE, "a change '%s' has %d numbers, which do not fit each other", r->what, r->count);
}
