// Look-up in tables of parts.
#include "core/table.h"

#include <stdio.h>
#include <string.h>

#include "core/suggest.h"

const void* sn_table_at(const SnTable* table, int index)
{
    const void* const* rows = table->choose ? table->choose() : table->rows;
    if (!table->stride) return rows[index];
    const char* row = (const char*)table->rows + (size_t)index * table->stride;
    return *(const char* const*)row ? row : NULL;
}

const char* sn_table_name(const SnTable* table, int index)
{
    const void* row = sn_table_at(table, index);
    return row ? *(const char* const*)row : NULL;
}

const char* sn_table_summary(const SnTable* table, int index)
{
    return ((const char* const*)sn_table_at(table, index))[1];
}

int sn_table_count(const SnTable* table)
{
    int count = 0;
    while (sn_table_at(table, count)) count++;
    return count;
}

const void* sn_table_find(const SnTable* table, const char* name)
{
    for (int i = 0; sn_table_at(table, i); i++)
        if (strcmp(sn_table_name(table, i), name) == 0) return sn_table_at(table, i);
    return NULL;
}

const struct SnParameter* sn_table_parameters(const SnTable* table, const void* row)
{
    return table->parameters ? *(const struct SnParameter* const*)((const char*)row + table->parameters) : NULL;
}

SnStatus sn_fail_unknown(const char* noun, const char* name, const char* const* names, int count)
{
    char list[600] = "";
    for (int i = 0; i < count; i++)
        sn_append(list, sizeof list, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", names[i]);
    const char* nearest = sn_nearest_name(name, names, count);
    return sn_fail(SN_ERROR_VALUE, "unknown %s '%.60s'%s%s%s there are %s", noun, name,
                   nearest ? "; did you mean '" : ";", nearest ? nearest : "", nearest ? "'?" : "", list);
}

int sn_table_names(const SnTable* table, const char* names[SN_MOST_NAMES])
{
    int count = 0;
    for (; count < SN_MOST_NAMES && sn_table_name(table, count); count++) names[count] = sn_table_name(table, count);
    return count;
}

const char* sn_table_nearest(const SnTable* table, const char* name)
{
    const char* names[SN_MOST_NAMES];
    return sn_nearest_name(name, names, sn_table_names(table, names));
}

SnStatus sn_table_unknown(const SnTable* table, const char* name)
{
    const char* names[SN_MOST_NAMES];
    return sn_fail_unknown(table->noun, name, names, sn_table_names(table, names));
}
