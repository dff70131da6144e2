// A text that is written at random.
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/random.h"

typedef struct Text {
    SnRandom* random;
    char* text;
    size_t used, size;
} Text;

// What there is no room for is left out.
__attribute__((format(printf, 2, 3))) static inline void put(Text* t, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = t->size - t->used;
    int length = vsnprintf(t->text + t->used, room, format, arguments);
    if (length > 0) t->used += (size_t)length < room ? (size_t)length : room - 1;
    va_end(arguments);
}

static inline int below(Text* t, int count)
{
    return (int)(sn_random_bits(t->random) % (uint64_t)count);
}

static inline bool chance(Text* t, double probability)
{
    return sn_random_uniform(t->random, 0, 1) < probability;
}

static inline double between(Text* t, double lo, double hi)
{
    return sn_random_uniform(t->random, lo, hi);
}
