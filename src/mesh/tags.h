// From the numbers that a file gives its nodes or elements, in any order and with any gaps, to 0, 1, 2, ...
#pragma once
#include "core/memory.h"

typedef struct SnTagPair {
    int64_t tag;
    int index;
} SnTagPair;

typedef struct SnTags {
    int count, capacity;
    SnTagPair* pairs;  // in order of index, or by tag once sorted; only the first one as long as they are in order
    bool in_order;     // tags are first, first + 1, ...: nothing to search
    bool sorted;       // ready for sn_tags_find
    int64_t duplicate; // a tag that occurs twice, when sn_tags_sort returns false
} SnTags;              // zero-initialised is empty

SnStatus sn_tags_add(SnTags* tags, int64_t tag);   // its index is the number of tags before it
bool sn_tags_sort(SnTags* tags);                   // false when a tag occurs twice
int sn_tags_find(const SnTags* tags, int64_t tag); // -1 when there is none
void sn_tags_free(SnTags* tags);
