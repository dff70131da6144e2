// What is done with the rows of parameters: defaults, checks, values by name, words for people. Rows may be NULL: none.
#pragma once
#include <sinew/parameter.h>

#include "core/table.h"

void sn_parameters_default(const SnParameter* rows, void* definition);
const SnParameter* sn_parameter_find(const SnParameter* rows, const char* name); // NULL when unknown
// The first value that is not what its row asks for: "OF NAME is -1 m; it must be positive". `of` may be "".
SnStatus sn_parameters_check(const SnParameter* rows, const void* definition, const char* of);
// Choices as their tables write them, so that the caller's texts may go away; without one, the default.
void sn_parameters_intern(const SnParameter* rows, void* definition);

// By name, as a scene has it: "1e-5", "true", "[0, 1, 0]", "newton". Numbers may be arithmetic.
SnStatus sn_parameter_set(const SnParameter* row, const char* text, const char* of, void* definition);
// The same among several lists of rows, ending with NULL.
SnStatus sn_parameters_set(const SnParameter* const* lists, const char* name, const char* text, const char* of,
                           void* definition);

// Makes the room of options that of this type: its defaults, where it was another's.
void sn_own_take(SnOwn* own, const char* type, const SnParameter* rows, void* definition);
bool sn_parameter_is_own(const SnParameter* row, size_t own); // own: the offset of the room

int sn_parameter_count(const SnParameter* row);                   // of its numbers
const char* sn_parameter_name(const SnParameter* row, int index); // of a choice; NULL after the last
size_t sn_parameter_size(const SnParameter* row);                 // of its member
void sn_parameter_store(const SnParameter* row, const double* numbers, void* definition);
bool sn_parameter_choose(const SnParameter* row, const char* name, void* definition); // false: no such name
// Is it the word that leaves a number open? Then it is what it is when nothing is given.
bool sn_parameter_open(const SnParameter* row, const char* text, void* definition);

// What is written for it: "whole number, >= 1", or the names, each between quotes.
typedef struct SnParameterForm {
    char text[1200];
} SnParameterForm;
SnParameterForm sn_parameter_form(const SnParameter* row, const char* quote);

bool sn_range_holds(const char* range, double value); // infinity is allowed where the range says inf
// Why a number is too large or too small to be reckoned with, as in "at most 1e30 in size"; NULL: it is not.
const char* sn_range_size(const char* range, double value);
bool sn_is_whole(double value); // and an int
// ">=0 <0.5" becomes ">= 0 and < 0.5".
typedef struct SnRangeWords {
    char text[64];
} SnRangeWords;
SnRangeWords sn_range_words(const char* range);
