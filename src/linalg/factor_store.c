#include "linalg/factor_store.h"

#include <string.h>

void sn_factor_store_clear(SnFactorStore* store)
{
    for (int i = 0; i < store->count; i++) sn_cholesky_free(store->items[i]);
    SN_FREE(store->items, store->next);
    *store = (SnFactorStore){0};
}

bool sn_factor_store_take(SnFactorStore* store, SnCholesky* c)
{
    int capacity = store->capacity;
    if (!SN_GROW(store->items, capacity, store->count + 1, "factors") ||
        !SN_GROW(store->next, store->capacity, store->count + 1, "factors"))
        return false;
    sn_factor_copy_free(&c->copy);
    SN_FREE(c->work, c->vector, c->sums, c->many, c->many_sums, c->probe, c->place);
    c->work = c->vector = c->sums = c->many = c->many_sums = c->probe = NULL, c->place = NULL;
    if (!c->values || !c->factored) {
        sn_free(c->l);
        c->l = NULL;
    }
    store->next[store->count] = 0;
    store->items[store->count++] = c;
    return true;
}

SnStatus sn_factor_store_expect(SnCholesky* c)
{
    const SnGraphParts* parts = &c->plan.parts;
    const SnScalarMatrix* m = c->scalar;
    if (!SN_NEW(c->values, m->col_start[m->n], "the Cholesky factorisation") ||
        !SN_NEW(c->value_start, parts->count + 1, "the Cholesky factorisation") ||
        !SN_NEW(c->kept, c->plan.shape.count, "the Cholesky factorisation"))
        return SN_ERROR_MEMORY;
    for (int p = 0; p < parts->count; p++) {
        c->value_start[p + 1] = c->value_start[p];
        for (int k = parts->start[p]; k < parts->start[p + 1]; k++)
            c->value_start[p + 1] += m->col_start[parts->node[k] + 1] - m->col_start[parts->node[k]];
    }
    return SN_OK;
}

static size_t bytes_of(const SnCholesky* c, int part)
{
    return (size_t)(c->value_start[part + 1] - c->value_start[part]) * sizeof *c->values;
}

// Whether a part of one that is kept has this pattern and, where they are wanted, the numbers of `c`.
static bool fits(const SnCholesky* item, int candidate, const SnGraphParts* parts, int part, const SnCholesky* c,
                 double shift)
{
    const SnGraphParts* own = &item->plan.parts;
    if (own->hash[candidate] != parts->hash[part]) return false;
    if (c &&
        (!item->l || item->shift != shift || bytes_of(item, candidate) != bytes_of(c, part) ||
         memcmp(item->values + item->value_start[candidate], c->values + c->value_start[part], bytes_of(c, part)) != 0))
        return false;
    if (!sn_graph_parts_same(own, candidate, parts, part)) return false;
    size_t size = (size_t)sn_graph_part_size(parts, part) * sizeof *parts->order;
    return !c || memcmp(own->order + own->start[candidate], parts->order + parts->start[part], size) == 0;
}

// One that is kept, and its part, that fits; NULL: none does.
static const SnCholesky* find(SnFactorStore* store, const SnGraphParts* parts, int part, const SnCholesky* c,
                              double shift, int* found)
{
    for (int i = 0; i < store->count; i++) {
        const SnCholesky* item = store->items[i];
        int count = item->plan.parts.count;
        for (int k = 0; k < count; k++) {
            int candidate = (store->next[i] + k) % count;
            if (!fits(item, candidate, parts, part, c, shift)) continue;
            store->next[i] = (candidate + 1) % count;
            *found = candidate;
            return item;
        }
    }
    return NULL;
}

bool sn_factor_store_order(void* user, const SnGraphParts* parts, int part, int* order)
{
    int found;
    const SnCholesky* item = find(user, parts, part, NULL, 0, &found);
    if (!item) return false;
    const SnGraphParts* own = &item->plan.parts;
    memcpy(order, own->order + own->start[found], (size_t)sn_graph_part_size(parts, part) * sizeof *order);
    return true;
}

// The numbers of a part as they are now, where they are kept; whether they were the same before.
static bool take_values(SnCholesky* c, int part)
{
    const SnGraphParts* parts = &c->plan.parts;
    const SnScalarMatrix* m = c->scalar;
    double* to = c->values + c->value_start[part];
    bool same = true;
    for (int k = parts->start[part]; k < parts->start[part + 1]; k++) {
        int j = parts->node[k];
        size_t count = (size_t)(m->col_start[j + 1] - m->col_start[j]);
        same = same && memcmp(to, m->values + m->col_start[j], count * sizeof *to) == 0;
        memcpy(to, m->values + m->col_start[j], count * sizeof *to);
        to += count;
    }
    return same;
}

static bool copy_part(SnFactorStore* store, SnCholesky* c, int part, double shift)
{
    int found;
    const SnCholesky* item = find(store, &c->plan.parts, part, c, shift, &found);
    if (!item) return false;
    const int64_t *from = item->plan.l_at, *to = c->plan.l_at;
    int first = item->plan.part_first[found], own = c->plan.part_first[part], end = c->plan.part_first[part + 1];
    memcpy(c->l + to[own], item->l + from[first], (size_t)(to[end] - to[own]) * sizeof *c->l);
    return true;
}

void sn_factor_store_fetch(SnFactorStore* store, SnCholesky* c, double shift)
{
    bool again = c->factored && c->shift == shift;
    c->kept_count = 0;
    for (int i = 0; i < store->count; i++) store->next[i] = 0;
    for (int p = 0; p < c->plan.parts.count; p++) {
        bool same = take_values(c, p) && again, kept = same || (store->count > 0 && copy_part(store, c, p, shift));
        for (int s = c->plan.part_first[p]; s < c->plan.part_first[p + 1]; s++) c->kept[s] = kept;
        c->kept_count += kept;
    }
}
