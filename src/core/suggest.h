// "Did you mean": the nearest of a list of names.
#pragma once
#include <stddef.h>

// The name closest to `word` by edit distance, or NULL when none is close enough to be a slip of the pen.
const char* sn_nearest_name(const char* word, const char* const* names, int count);
