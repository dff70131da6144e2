// From a file's own numbers to indices: by subtraction when they are in order, by binary search otherwise.
#include "mesh/tags.h"

#include <stdlib.h>

// Those so far, which were in order.
static SnStatus write_out(SnTags* tags)
{
    if (!SN_GROW(tags->pairs, tags->capacity, tags->count + (int64_t)1, "tags")) return SN_ERROR_MEMORY;
    for (int i = 1; i < tags->count; i++) tags->pairs[i] = (SnTagPair){tags->pairs[0].tag + i, i};
    tags->in_order = false;
    return SN_OK;
}

SnStatus sn_tags_add(SnTags* tags, int64_t tag)
{
    bool next = tags->count > 0 && tag > tags->pairs[0].tag && tag - tags->pairs[0].tag == tags->count;
    if (tags->count == 0) tags->in_order = true;
    if (tags->in_order && next) {
        tags->count++;
        return SN_OK;
    }
    if (tags->in_order && tags->count > 0) SN_TRY(write_out(tags));
    if (!SN_GROW(tags->pairs, tags->capacity, tags->count + (int64_t)1, "tags")) return SN_ERROR_MEMORY;
    tags->pairs[tags->count] = (SnTagPair){tag, tags->count};
    tags->count++;
    return SN_OK;
}

static int compare(const void* left, const void* right)
{
    const SnTagPair *a = left, *b = right;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

bool sn_tags_sort(SnTags* tags)
{
    if (tags->count == 0 || tags->in_order || tags->sorted) return true;
    qsort(tags->pairs, (size_t)tags->count, sizeof *tags->pairs, compare);
    tags->sorted = true;
    for (int i = 1; i < tags->count; i++) {
        tags->duplicate = tags->pairs[i].tag;
        if (tags->pairs[i - 1].tag == tags->duplicate) return false;
    }
    return true;
}

int sn_tags_find(const SnTags* tags, int64_t tag)
{
    if (tags->count == 0) return -1;
    if (tags->in_order) {
        int64_t first = tags->pairs[0].tag;
        return tag >= first && tag - first < tags->count ? (int)(tag - first) : -1;
    }
    SnTagPair key = {tag, 0};
    const SnTagPair* pair = bsearch(&key, tags->pairs, (size_t)tags->count, sizeof key, compare);
    return pair ? pair->index : -1;
}

void sn_tags_free(SnTags* tags)
{
    sn_free(tags->pairs);
    *tags = (SnTags){0};
}
