// Ranges of numbers, written as ">=0 <0.5": every comparison must hold.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/expression.h"
#include "core/parameter.h"

static const double largest_int = 2147483647;
// Beyond these, squares and products of a few numbers are no longer numbers.
static const double least = 1e-30, most = 1e30;

bool sn_is_whole(double value)
{
    return value == floor(value) && fabs(value) <= largest_int;
}

// One comparison, as in ">=0".
static bool compares(const char* text, size_t length, double value)
{
    char number[32], error[64];
    double bound = 0;
    bool less = text[0] == '<', equal = text[1] == '=';
    size_t start = 1 + (size_t)equal;
    snprintf(number, sizeof number, "%.*s", (int)(length - start), text + start);
    sn_expression(number, NULL, 0, &bound, error, sizeof error);
    if (value == bound) return equal;
    return less ? value < bound : value > bound;
}

const char* sn_range_size(const char* range, double value)
{
    bool infinite = range && strstr(range, "inf") && isinf(value),
         positive = range && range[0] == '>' && range[1] == '0';
    if (infinite) return NULL;
    if (!isfinite(value)) return "finite";
    if (fabs(value) > most) return "at most 1e30 in size";
    return positive && value > 0 && value < least ? "at least 1e-30" : NULL;
}

bool sn_range_holds(const char* range, double value)
{
    if (isnan(value)) return false;
    if (!range) return fabs(value) <= most;
    if (!isfinite(value) && !strstr(range, "inf")) return false;
    if (sn_range_size(range, value)) return false;
    while (*range) {
        size_t length = strcspn(range, " ");
        if (!compares(range, length, value)) return false;
        range += length;
        range += strspn(range, " ");
    }
    return true;
}

SnRangeWords sn_range_words(const char* range)
{
    SnRangeWords words = {""};
    size_t used = 0;
    for (const char* at = range; *at && used + 6 < sizeof words.text; at++) {
        if (strcmp(at, " <=inf") == 0) break; // goes without saying
        bool comparison = *at == '<' || *at == '>';
        if (*at == ' ')
            used += (size_t)snprintf(words.text + used, sizeof words.text - used, " and ");
        else
            words.text[used++] = *at;
        if ((comparison && at[1] != '=') || *at == '=') words.text[used++] = ' ';
    }
    return words;
}
