// What a key of a scene means, for people: of a part's parameter, also which parts have it.
#include <stdio.h>
#include <string.h>

#include "scene/parts.h"

enum { MOST_OWNERS = 64 };

typedef struct Owner {
    const SnTable* table;
    const char* name;
    const SnParameter* row;
    bool named; // already, together with others that say the same
} Owner;

static int find_owners(const SnMapping* mapping, const char* name, Owner owners[MOST_OWNERS])
{
    int count = 0;
    for (const SnParameter* parts = mapping->rows; parts->name; parts++)
        for (int i = 0; parts->type == SN_PARTS && sn_table_at(parts->table, i) && count < MOST_OWNERS; i++) {
            const SnParameter* rows = sn_table_parameters(parts->table, sn_table_at(parts->table, i));
            const SnParameter* row = sn_parameter_find(rows, name);
            if (row) owners[count++] = (Owner){parts->table, sn_table_name(parts->table, i), row, false};
        }
    return count;
}

static bool same(const char* a, const char* b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void append(SnKeyWords* words, const char* before, const char* text, const char* after)
{
    sn_append(words->doc, sizeof words->doc, "%s%s%s", before, text, after);
}

// "of `type: admm`, `pd`: " and what they say alike.
static void say(SnKeyWords* words, Owner* owners, int count, int first, bool values)
{
    const SnParameter* row = owners[first].row;
    const SnTable* table = NULL;
    append(words, words->doc[0] ? "; of " : "of ", "", "");
    for (int i = first; i < count; i++) {
        if (!same(owners[i].row->doc, row->doc) || (values && !same(owners[i].row->value, row->value))) continue;
        bool first_of = owners[i].table != table && owners[i].table->key; // without one, it is chosen by its name
        append(words, i == first ? "`" : ", `", first_of ? owners[i].table->key : "", first_of ? ": " : "");
        append(words, "", owners[i].name, "`");
        table = owners[i].table;
        owners[i].named = true;
    }
    if (values && row->value) append(words, " (default `", row->value, "`)");
    append(words, ": ", row->doc, "");
}

SnKeyWords sn_key_words(const SnMapping* mapping, const SnKey* key)
{
    Owner owners[MOST_OWNERS];
    SnKeyWords words = {"", *key->row};
    int count = key->table ? find_owners(mapping, key->row->name, owners) : 0;
    bool values = false;
    for (int i = 0; i < count; i++) {
        values |= !same(owners[i].row->value, key->row->value);
        if (!same(owners[i].row->range, key->row->range)) words.row.range = NULL;
    }
    if (values || mapping->partial) words.row.value = NULL;
    for (int i = 0; i < count; i++)
        if (!owners[i].named) say(&words, owners, count, i, values && !mapping->partial);
    if (count == 0) snprintf(words.doc, sizeof words.doc, "%s", key->row->doc);
    return words;
}
