// The keys of a mapping: its own, those of definitions, and those of all parts of a table, of which each takes some.
#include <stdio.h>
#include <string.h>

#include "scene/schema.h"

const SnKey* sn_key_find(const SnKeys* keys, const char* name)
{
    for (int i = 0; i < keys->count; i++)
        if (strcmp(keys->items[i].row->name, name) == 0) return &keys->items[i];
    return NULL;
}

static void add_key(SnKeys* keys, SnKey key)
{
    if (keys->count < SN_MOST_KEYS && !sn_key_find(keys, key.row->name)) keys->items[keys->count++] = key;
}

static void add_parts(const SnMapping* mapping, const SnParameter* parts, const void* type, bool chosen, SnKeys* keys)
{
    const SnTable* table = parts->table;
    const SnParameter* row = sn_table_parameters(table, type);
    for (; row && row->name; row++) {
        SnKey key = {row, parts->offset, table, .strict = parts->off};
        if (mapping->partial && row->type == SN_POINTS) continue; // curves are the whole body's
        key.foreign = table->own && !chosen && sn_parameter_is_own(row, table->own);
        add_key(keys, key);
    }
}

void sn_mapping_keys(const SnMapping* mapping, const SnNode* node, SnKeys* keys)
{
    keys->count = 0;
    for (const SnParameter* row = mapping->rows; row->name; row++) {
        if (row->type == SN_ROWS) {
            for (const SnParameter* inner = row->inside; inner->name; inner++)
                add_key(keys, (SnKey){inner, row->offset, .own = false});
        } else if (row->type == SN_PARTS) {
            const SnNode* name = row->table->key ? sn_node_find(node, row->table->key) : NULL;
            const void* chosen = name && name->kind == SN_NODE_SCALAR ? sn_table_find(row->table, name->text) : NULL;
            if (chosen) add_parts(mapping, row, chosen, true, keys);
            for (int i = 0; sn_table_at(row->table, i); i++)
                add_parts(mapping, row, sn_table_at(row->table, i), false, keys);
        } else {
            add_key(keys, (SnKey){row, .own = true});
        }
    }
}

// "a, b and c" of the table's parts that have this row; or of the rows that a part has.
static void list_owners(const SnTable* table, const char* name, char* text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; sn_table_at(table, i); i++)
        if (sn_parameter_find(sn_table_parameters(table, sn_table_at(table, i)), name))
            sn_append(text, size, "%s%s", *text ? ", " : "", sn_table_name(table, i));
}

static void list_rows(const SnParameter* rows, char* text, size_t size)
{
    for (const SnParameter* row = rows; row && row->name; row++)
        sn_append(text, size, "%s%s", *text ? ", " : "", row->name);
}

void sn_check_strangers(SnProblems* problems, const SnTable* table, const SnNode* node, const char* context,
                        const void* type, const void* base)
{
    const SnParameter *own = sn_table_parameters(table, type), *more = base ? sn_table_parameters(table, base) : NULL;
    for (const SnNode* child = node ? node->first : NULL; child; child = child->next) {
        char owners[300], takes[300] = "";
        if (sn_parameter_find(own, child->key) || sn_parameter_find(more, child->key)) continue;
        list_owners(table, child->key, owners, sizeof owners);
        if (!*owners) continue; // a key of the mapping, or unknown, which is reported
        list_rows(own, takes, sizeof takes);
        if (more != own) list_rows(more, takes, sizeof takes);
        sn_problem_error(problems, child->key_place, "'%s' in %s is of %s, not of %s%s%s", child->key, context, owners,
                         *(const char* const*)type, *takes ? ", which takes " : "", takes);
    }
}

void sn_copy_given(const SnParameter* rows, const SnNode* node, const void* from, void* to)
{
    for (const SnParameter* row = rows; row && row->name; row++)
        if (sn_node_find(node, row->name))
            memcpy((char*)to + row->offset, (const char*)from + row->offset, sn_parameter_size(row));
}
