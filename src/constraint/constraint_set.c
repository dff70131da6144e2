// Sets of constraints, sorted by key.
#include <math.h>
#include <stdlib.h>

#include "constraint/constants.h"
#include "constraint/constraint.h"

SnStatus sn_constraint_set_add(SnConstraintSet* set, const SnKept* item)
{
    if (!SN_GROW(set->items, set->capacity, (int64_t)set->count + 1, "constraints")) return SN_ERROR_MEMORY;
    set->items[set->count++] = *item;
    return SN_OK;
}

void sn_constraint_set_free(SnConstraintSet* set)
{
    sn_free(set->items);
    *set = (SnConstraintSet){0};
}

static int64_t key_of(const SnConstraintSet* set, int i)
{
    return set->items[i].constraint.key;
}

static int compare(const void* a, const void* b)
{
    int64_t x = ((const SnKept*)a)->constraint.key, y = ((const SnKept*)b)->constraint.key;
    return x < y ? -1 : x > y;
}

void sn_constraint_set_sort(SnConstraintSet* set)
{
    bool sorted = true; // contacts alone are
    for (int i = 1; i < set->count && sorted; i++) sorted = key_of(set, i - 1) <= key_of(set, i);
    if (!sorted) qsort(set->items, (size_t)set->count, sizeof *set->items, compare);
}

void sn_constraint_set_warm_start(SnConstraintSet* set, const SnConstraintSet* before)
{
    for (int i = 0, j = 0; i < set->count; i++) {
        while (j < before->count && key_of(before, j) < key_of(set, i)) j++;
        if (j < before->count && key_of(before, j) == key_of(set, i))
            set->items[i].multiplier.force = before->items[j].multiplier.force;
    }
}

static bool pushes(const SnKept* item, const double* x)
{
    const SnConstraint* c = &item->constraint;
    return !c->unilateral || item->multiplier.force > 0 || sn_stencil_gap(&c->at, x) < 0;
}

// What slides on a body has gone over to another triangle of it.
static bool hops(const SnKept* item, const SnKept* before)
{
    const SnStencil *a = &item->constraint.at, *b = &before->constraint.at;
    bool other = a->count != b->count;
    for (int k = 0; k < a->count && !other; k++) other = a->node[k] != b->node[k];
    return other && !item->constraint.unilateral;
}

// `item` is what `before` was found to be now.
static void hold(SnKept* item, const SnKept* before, const double* x)
{
    const double *now = item->constraint.at.normal, *then = before->constraint.at.normal;
    double square = 0;
    for (int c = 0; c < 3; c++) square += (now[c] - then[c]) * (now[c] - then[c]);
    double turned = before->multiplier.turned + sqrt(square) + (hops(item, before) ? SN_HOP : 0);
    if (turned > SN_MOST_TURNED && pushes(before, x)) *item = *before;
    item->multiplier.turned = turned;
}

SnStatus sn_constraint_set_hold(SnConstraintSet* set, const SnConstraintSet* before, const double* x)
{
    int found = set->count;
    for (int i = 0, j = 0; j < before->count; j++) {
        const SnKept* old = &before->items[j];
        while (i < found && key_of(set, i) < key_of(before, j)) i++;
        if (old->multiplier.turned < 0) continue;
        if (i < found && key_of(set, i) == key_of(before, j))
            hold(&set->items[i], old, x);
        else if (pushes(old, x))
            SN_TRY(sn_constraint_set_add(set, old));
    }
    if (set->count > found) sn_constraint_set_sort(set);
    return SN_OK;
}
