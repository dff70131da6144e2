// Linear constraints on a few nodes each.
#include "contact/rows.h"

#include <math.h>
#include <stdlib.h>

SnStatus sn_row_set_add(SnRowSet* set, const SnRow* row)
{
    if (!SN_GROW(set->rows, set->capacity, (int64_t)set->count + 1, "constraints")) return SN_ERROR_MEMORY;
    set->rows[set->count++] = *row;
    return SN_OK;
}

void sn_row_set_free(SnRowSet* set)
{
    sn_free(set->rows);
    *set = (SnRowSet){0};
}

double sn_row_gap(const SnRow* row, const double* x)
{
    double sum = -row->offset;
    for (int k = 0; k < row->count; k++) {
        const double* p = x + 3 * (int64_t)row->node[k];
        sum += row->weight[k] * (row->normal[0] * p[0] + row->normal[1] * p[1] + row->normal[2] * p[2]);
    }
    return sum;
}

void sn_row_add(const SnRow* row, double scale, double* f)
{
    for (int k = 0; k < row->count; k++)
        for (int c = 0; c < 3; c++) f[3 * (int64_t)row->node[k] + c] += scale * row->weight[k] * row->normal[c];
}

static int compare_rows(const void* a, const void* b)
{
    int64_t x = ((const SnRow*)a)->key, y = ((const SnRow*)b)->key;
    return x < y ? -1 : x > y;
}

void sn_row_set_sort(SnRowSet* set)
{
    bool sorted = true; // contacts alone are
    for (int i = 1; i < set->count && sorted; i++) sorted = set->rows[i - 1].key <= set->rows[i].key;
    if (!sorted) qsort(set->rows, (size_t)set->count, sizeof *set->rows, compare_rows);
}

void sn_row_set_warm_start(SnRowSet* set, const SnRowSet* before)
{
    for (int i = 0, j = 0; i < set->count; i++) {
        while (j < before->count && before->rows[j].key < set->rows[i].key) j++;
        if (j < before->count && before->rows[j].key == set->rows[i].key) set->rows[i].force = before->rows[j].force;
    }
}

#define MOST_TURNS 0.5 // radians, about

static bool pushes(const SnRow* row, const double* x)
{
    return row->unilateral && (row->force > 0 || sn_row_gap(row, x) < 0);
}

// `row` is what `before` was found to be now.
static void hold(SnRow* row, const SnRow* before, const double* x)
{
    double square = 0;
    for (int c = 0; c < 3; c++) square += (row->normal[c] - before->normal[c]) * (row->normal[c] - before->normal[c]);
    double turned = before->turned + sqrt(square);
    if (turned > MOST_TURNS && pushes(before, x)) *row = *before;
    row->turned = turned;
}

SnStatus sn_row_set_hold(SnRowSet* set, const SnRowSet* before, const double* x)
{
    int found = set->count;
    for (int i = 0, j = 0; j < before->count; j++) {
        const SnRow* old = &before->rows[j];
        while (i < found && set->rows[i].key < old->key) i++;
        if (old->turned < 0) continue;
        if (i < found && set->rows[i].key == old->key)
            hold(&set->rows[i], old, x);
        else if (pushes(old, x))
            SN_TRY(sn_row_set_add(set, old));
    }
    if (set->count > found) sn_row_set_sort(set);
    return SN_OK;
}
