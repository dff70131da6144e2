// Sets of constraints, sorted by key.
#include <stdlib.h>
#include <string.h>

#include "constraint/constraint.h"

SnStatus sn_constraint_set_add(SnConstraintSet* set, const SnKept* item)
{
    int64_t count = (int64_t)set->count + 1;
    if (!SN_GROW(set->items, set->capacity, count, "constraints") ||
        !SN_GROW(set->acting, set->acting_capacity, 4 * count, "constraints"))
        return SN_ERROR_MEMORY;
    set->items[set->count++] = *item;
    return SN_OK;
}

SnStatus sn_constraint_set_copy(const SnConstraintSet* from, SnConstraintSet* to)
{
    to->count = 0;
    for (int i = 0; i < from->count; i++) SN_TRY(sn_constraint_set_add(to, &from->items[i]));
    return SN_OK;
}

void sn_constraint_set_free(SnConstraintSet* set)
{
    SN_FREE(set->items, set->acting, set->lonely);
    *set = (SnConstraintSet){0};
}

static int64_t key_of(const SnConstraintSet* set, int i)
{
    return set->items[i].constraint.key;
}

static int compare(const void* a, const void* b)
{
    const SnConstraint *p = &((const SnKept*)a)->constraint, *q = &((const SnKept*)b)->constraint;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    if (p->blocked != q->blocked) return p->blocked ? -1 : 1; // it was not enough where it is near
    for (int k = 0; k < 3; k++) // which of the two is kept must not depend on how they are sorted
        if (p->at.normal[k] != q->at.normal[k]) return p->at.normal[k] < q->at.normal[k] ? -1 : 1;
    return p->at.offset < q->at.offset ? -1 : p->at.offset > q->at.offset;
}

void sn_constraint_set_sort(SnConstraintSet* set)
{
    bool sorted = true;
    for (int i = 1; i < set->count && sorted; i++) sorted = key_of(set, i - 1) <= key_of(set, i);
    if (!sorted) qsort(set->items, (size_t)set->count, sizeof *set->items, compare);
    int kept = set->count > 0;
    for (int i = 1; i < set->count; i++) {
        bool again = sn_constraint_is_contact(&set->items[i].constraint) && key_of(set, i) == key_of(set, kept - 1);
        if (!again) set->items[kept++] = set->items[i];
    }
    set->count = kept;
}

static void take_over(SnKept* item, const SnKept* before, SnKeeping keep)
{
    if (keep == SN_KEEP_ALL && !item->constraint.blocked && !item->constraint.curved) {
        *item = *before;
        return;
    }
    item->multiplier.force = before->multiplier.force;
    memcpy(item->multiplier.tangent, before->multiplier.tangent, sizeof item->multiplier.tangent);
    memcpy(item->multiplier.crept, before->multiplier.crept, sizeof item->multiplier.crept);
}

// An item without its like, by place.
typedef struct SnLonely {
    int64_t place;
    int index;
} SnLonely;

static int compare_places(const void* a, const void* b)
{
    const SnLonely *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place ? 1 : x->index < y->index ? -1 : x->index > y->index;
}

static void note(SnLonely* list, int* count, const SnConstraintSet* set, int i)
{
    list[(*count)++] = (SnLonely){set->items[i].constraint.place, i};
}

// Contacts that went over to other elements take over from those at their place that are gone, which are crossed out.
static void match_places(SnConstraintSet* set, const SnConstraintSet* before, SnKeeping keep, SnLonely* here, int count,
                         SnLonely* gone, int gone_count)
{
    qsort(here, (size_t)count, sizeof *here, compare_places);
    qsort(gone, (size_t)gone_count, sizeof *gone, compare_places);
    for (int i = 0, j = 0; i < count && j < gone_count;) {
        if (here[i].place != 0 && here[i].place == gone[j].place) {
            take_over(&set->items[here[i++].index], &before->items[gone[j].index], keep);
            gone[j++].index = -1;
        } else if (here[i].place <= gone[j].place)
            i++;
        else
            j++;
    }
}

// Those that push though they are no longer found: without them what they hold would go there again. In the end those
// that do not push, too.
static SnStatus keep_gone(SnConstraintSet* set, const SnConstraintSet* before, SnKeeping keep, const SnLonely* gone,
                          int count)
{
    for (int j = 0; j < count; j++) {
        const SnKept* old = gone[j].index >= 0 ? &before->items[gone[j].index] : NULL;
        if (old && old->constraint.unilateral && (keep == SN_KEEP_ALL || old->multiplier.force > 0))
            SN_TRY(sn_constraint_set_add(set, old));
    }
    sn_constraint_set_sort(set);
    return SN_OK;
}

static SnStatus warm_start(SnConstraintSet* set, const SnConstraintSet* before, SnKeeping keep, SnLonely* here)
{
    SnLonely* gone = here + set->count;
    int count = 0, gone_count = 0, j = 0;
    for (int i = 0; i < set->count; i++) {
        for (; j < before->count && key_of(before, j) < key_of(set, i); j++) note(gone, &gone_count, before, j);
        if (j < before->count && key_of(before, j) == key_of(set, i))
            take_over(&set->items[i], &before->items[j++], keep);
        else
            note(here, &count, set, i);
    }
    for (; j < before->count; j++) note(gone, &gone_count, before, j);
    match_places(set, before, keep, here, count, gone, gone_count);
    return keep != SN_KEEP_NOTHING ? keep_gone(set, before, keep, gone, gone_count) : SN_OK;
}

SnStatus sn_constraint_set_warm_start(SnConstraintSet* set, const SnConstraintSet* before, SnKeeping keep)
{
    int64_t most = (int64_t)set->count + before->count;
    if (most == 0) return SN_OK;
    if (!SN_GROW(set->lonely, set->lonely_capacity, most, "constraints")) return SN_ERROR_MEMORY;
    return warm_start(set, before, keep, set->lonely);
}
