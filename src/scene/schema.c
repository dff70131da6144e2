// Reads a mapping by its rows.
#include "scene/schema.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/expression.h"
#include "core/suggest.h"

enum { MOST_NAMES = 128, MOST_NUMBERS = 16 };

void sn_report_unknown(SnProblems* problems, SnPlace place, const char* word, const char* found, const char* context,
                       const char* const* names, int count)
{
    char list[900] = "";
    for (int i = 0; i < count; i++) sn_append(list, sizeof list, "%s%s", i ? ", " : "", names[i]);
    const char* nearest = sn_nearest_name(found, names, count);
    char plural[64];
    snprintf(plural, sizeof plural,
             strcmp(word, "body") == 0 ? "bodies"
             : strstr(word, "search")  ? "%ses"
                                       : "%ss",
             word);
    if (nearest)
        sn_problem_error(problems, place, "unknown %s '%.60s' in %s; did you mean '%s'? valid %s: %s", word, found,
                         context, nearest, plural, list);
    else
        sn_problem_error(problems, place, "unknown %s '%.60s' in %s; valid %s: %s", word, found, context, plural, list);
}

static bool check_mapping(SnProblems* problems, const SnNode* node, const char* what)
{
    if (node->kind == SN_NODE_MAP) return true;
    sn_problem_error(problems, node->place, "%s must be a mapping of keys and values, found %s", what,
                     sn_node_words(node).text);
    return false;
}

bool sn_check_list(SnProblems* problems, const SnNode* node, const char* what)
{
    if (node->kind == SN_NODE_LIST) return true;
    sn_problem_error(problems, node->place, "%s must be a list, found %s", what, sn_node_words(node).text);
    return false;
}

bool sn_read_number(SnProblems* problems, const SnNode* node, const char* what, SnVariables variables, double* value)
{
    if (node->kind != SN_NODE_SCALAR || sn_node_is_null(node)) {
        sn_problem_error(problems, node->place, "%s must be a number, found %s", what, sn_node_words(node).text);
        return false;
    }
    char error[200];
    if (sn_expression(node->text, variables.items, variables.count, value, error, sizeof error)) return true;
    sn_problem_error(problems, node->place, "%s must be a number, found %s: %s", what, sn_node_words(node).text, error);
    return false;
}

bool sn_read_numbers(SnProblems* problems, const SnNode* node, const char* what, const SnVariables* variables,
                     int count, double* values)
{
    if (count == 1) return sn_read_number(problems, node, what, variables ? variables[0] : (SnVariables){0}, values);
    if (node->kind != SN_NODE_LIST || node->count != count) {
        sn_problem_error(problems, node->place, "%s must be a list of %d numbers, found %s", what, count,
                         sn_node_words(node).text);
        return false;
    }
    bool good = true;
    int i = 0;
    for (const SnNode* item = node->first; item; item = item->next, i++)
        good &= sn_read_number(problems, item, what, variables ? variables[i] : (SnVariables){0}, &values[i]);
    return good;
}

double sn_lengths(const SnProblems* problems, int count, double* values)
{
    double metres = problems->metres > 0 ? problems->metres : 1;
    for (int i = 0; metres != 1 && i < count; i++) values[i] *= metres;
    return metres;
}

static bool check_whole(SnProblems* problems, const SnNode* node, const char* what, double value)
{
    if (sn_is_whole(value)) return true;
    sn_problem_error(problems, node->place, "%s must be a whole number, found %s", what, sn_node_words(node).text);
    return false;
}

bool sn_read_int(SnProblems* problems, const SnNode* node, const char* what, int* value)
{
    double number;
    if (!sn_read_number(problems, node, what, (SnVariables){0}, &number)) return false;
    if (!check_whole(problems, node, what, number)) return false;
    *value = (int)number;
    return true;
}

bool sn_check_range(SnProblems* problems, const SnNode* node, const char* what, const char* range, double value)
{
    if (sn_range_holds(range, value)) return true;
    const char* size = sn_range_size(range, value);
    sn_problem_error(problems, node->place, "%s must be %s, found %s", what, size ? size : sn_range_words(range).text,
                     sn_node_words(node).text);
    return false;
}

static void read_text(SnProblems* problems, const SnNode* node, const char* what, const char** text)
{
    if (node->kind == SN_NODE_SCALAR && !sn_node_is_null(node))
        *text = node->text;
    else
        sn_problem_error(problems, node->place, "%s must be a text, found %s", what, sn_node_words(node).text);
}

static void read_choice(SnProblems* problems, const SnParameter* row, const SnNode* node, const char* what,
                        const char* context, void* out)
{
    const char *names[MOST_NAMES], *found = NULL;
    int count = 0;
    read_text(problems, node, what, &found);
    if (!found || sn_parameter_choose(row, found, out)) return;
    if (row->type == SN_BOOLEAN && !row->names) {
        sn_problem_error(problems, node->place, "%s must be true or false, found '%.60s'", what, found);
        return;
    }
    for (; count < MOST_NAMES && sn_parameter_name(row, count); count++) names[count] = sn_parameter_name(row, count);
    sn_report_unknown(problems, node->place, row->name, found, context, names, count);
}

static void read_number_row(SnProblems* problems, const SnParameter* row, const SnNode* node, const char* what,
                            void* out)
{
    double values[MOST_NUMBERS];
    int count = sn_parameter_count(row);
    bool word = row->names && node->kind == SN_NODE_SCALAR && !sn_node_is_null(node) && isalpha(node->text[0]);
    if (word) {
        if (!sn_parameter_open(row, node->text, out))
            sn_problem_error(problems, node->place, "%s must be a number or %s, found %s", what, row->names[0],
                             sn_node_words(node).text);
        return;
    }
    if (!sn_read_numbers(problems, node, what, NULL, count, values)) return;
    for (int i = 0; i < count; i++) {
        const SnNode* item = count == 1 ? node : sn_node_item(node, i);
        if (!sn_check_range(problems, item, what, row->range, values[i])) return;
        if (row->type == SN_INTEGER && !check_whole(problems, item, what, values[i])) return;
    }
    bool length = row->unit && (strcmp(row->unit, "m") == 0 || strcmp(row->unit, "m/s") == 0);
    if (length) sn_lengths(problems, count, values);
    sn_parameter_store(row, values, out);
}

static void read_matrix(SnProblems* problems, const SnParameter* row, const SnNode* node, const char* what, void* out)
{
    double values[9];
    if (node->kind != SN_NODE_LIST || node->count != 3) {
        sn_problem_error(problems, node->place,
                         "%s must be 3 lists of 3 numbers, as in [[1, 0, 0], [0, 1, 0], [0, 0, 1]]; found %s", what,
                         sn_node_words(node).text);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const SnNode* line = sn_node_item(node, i);
        if (!sn_read_numbers(problems, line, what, NULL, 3, &values[3 * i])) return;
        for (int j = 0; j < 3; j++)
            if (!sn_check_range(problems, line, what, NULL, values[3 * i + j])) return;
    }
    sn_parameter_store(row, values, out);
}

// [[s, value], ...]
static void read_points(SnProblems* problems, const SnNode* node, const char* what, SnCurve* curve)
{
    if (!sn_check_list(problems, node, what)) return;
    if (node->count == 0) {
        sn_problem_error(problems, node->place, "%s has no points; give at least two, as in [[0.5, -1], [2, 1]]", what);
        return;
    }
    double* points = sn_arena_allocate(problems->arena, 2 * (size_t)node->count * sizeof *points);
    if (!points) {
        problems->out_of_memory = true;
        return;
    }
    int count = 0;
    for (const SnNode* item = node->first; item; item = item->next, count++)
        if (!sn_read_numbers(problems, item, what, NULL, 2, points + 2 * count)) return;
    *curve = (SnCurve){count, points};
}

// "body 'bar'", or "handle 2" (counted from 0, as in overrides).
static const char* item_context(SnProblems* problems, const SnMapping* mapping, const SnNode* item, int index)
{
    const SnNode* name = sn_node_find(item, "name");
    const char* context = name && name->kind == SN_NODE_SCALAR
                              ? sn_arena_print(problems->arena, "%s '%.60s'", mapping->name, name->text)
                              : sn_arena_print(problems->arena, "%s %d", mapping->name, index);
    if (!context) problems->out_of_memory = true;
    return context;
}

static void read_list(SnProblems* problems, const SnMapping* mapping, const SnNode* node, const char* what,
                      SnItems* items)
{
    if (sn_node_is_null(node) || !sn_check_list(problems, node, what)) return;
    if (node->count > SN_MOST_ITEMS) {
        sn_problem_error(problems, node->place, "%s has %d items; at most %d are possible", what, node->count,
                         SN_MOST_ITEMS);
        return;
    }
    items->items = sn_arena_allocate(problems->arena, (size_t)node->count * mapping->size);
    if (!items->items) {
        problems->out_of_memory = true;
        return;
    }
    for (const SnNode* item = node->first; item; item = item->next) {
        char* out = (char*)items->items + (size_t)items->count * mapping->size;
        const char* context = item_context(problems, mapping, item, items->count);
        if (!context) return;
        sn_schema_read(problems, mapping, item, context, out);
        items->count++;
    }
}

static void read_value(SnProblems* problems, const SnParameter* row, const SnNode* node, const char* context, void* out)
{
    char what[200];
    char* to = (char*)out + row->offset;
    snprintf(what, sizeof what, "'%s' in %s", row->name, context);
    switch (row->type) {
    case SN_TEXT: read_text(problems, node, what, (const char**)to); break;
    case SN_NUMBER:
    case SN_INTEGER: read_number_row(problems, row, node, what, out); break;
    case SN_MATRIX: read_matrix(problems, row, node, what, out); break;
    case SN_BOOLEAN:
    case SN_ENUM:
    case SN_CHOICE: read_choice(problems, row, node, what, context, out); break;
    case SN_POINTS: read_points(problems, node, what, (SnCurve*)to); break;
    case SN_RAW: *(const SnNode**)to = node; break;
    case SN_LIST: read_list(problems, row->inside, node, what, (SnItems*)to); break;
    default: break; // nested mappings are read below, also when absent; others by their own code
    }
}

// The options of a type that was not chosen are checked as well.
static void read_key(SnProblems* problems, const SnKey* key, const SnNode* node, const char* context, void* out)
{
    union {
        double numbers[MOST_NUMBERS];
        SnCurve curve;
        const char* text;
    } unused;
    SnParameter row = *key->row;
    if (key->foreign) row.offset = 0;
    read_value(problems, &row, node, context, key->foreign ? (char*)&unused : (char*)out + key->base);
}

static void read_nested(SnProblems* problems, const SnParameter* row, const SnNode* node, const char* context,
                        void* out)
{
    bool top = strcmp(context, "the scene") == 0;
    const char* inner = top ? sn_arena_print(problems->arena, "%s", row->name)
                            : sn_arena_print(problems->arena, "%s of %s", row->name, context);
    if (inner)
        sn_schema_read(problems, row->inside, node, inner, (char*)out + row->offset);
    else
        problems->out_of_memory = true;
}

static int key_names(const SnKeys* keys, const char* names[SN_MOST_KEYS])
{
    for (int i = 0; i < keys->count; i++) names[i] = keys->items[i].row->name;
    return keys->count;
}

static void unknown_key(SnProblems* problems, const SnKeys* keys, const SnNode* child, const char* context)
{
    const char* names[SN_MOST_KEYS];
    int count = key_names(keys, names);
    sn_report_unknown(problems, child->key_place, "key", child->key, context, names, count);
}

// True when an unknown key was probably meant to be this one, which then need not be reported as missing.
static bool is_misspelt(const SnKeys* keys, const SnNode* node, const char* name)
{
    const char* names[SN_MOST_KEYS];
    int count = key_names(keys, names);
    for (const SnNode* child = node->first; child; child = child->next)
        if (!sn_key_find(keys, child->key) && sn_nearest_name(child->key, names, count) == name) return true;
    return false;
}

static void check_required(SnProblems* problems, const SnKeys* keys, const SnNode* node, const char* context)
{
    for (int i = 0; i < keys->count; i++) {
        const SnParameter* row = keys->items[i].row;
        if (!row->required || !sn_node_is_null(sn_node_find(node, row->name))) continue;
        if (!is_misspelt(keys, node, row->name))
            sn_problem_error(problems, node->key_place, "'%s' is missing in %s (%s), as in %s: %s", row->name, context,
                             row->doc, row->name, row->example);
    }
}

// Rows of the mapping itself; those of definitions where nothing else fills these in.
static void set_default(const SnMapping* mapping, const SnKey* key, void* out)
{
    const SnParameter rows[2] = {*key->row};
    if (key->row->type <= SN_OTHER && (!mapping->start || key->own))
        sn_parameters_default(rows, (char*)out + key->base);
}

void sn_schema_read(SnProblems* problems, const SnMapping* mapping, const SnNode* node, const char* context, void* out)
{
    SnKeys keys;
    if (sn_node_is_null(node)) node = NULL;
    sn_mapping_keys(mapping, node, &keys);
    for (int i = 0; i < keys.count; i++) set_default(mapping, &keys.items[i], out);
    if (mapping->start) mapping->start(out, node);
    for (int i = 0; i < keys.count; i++) {
        const SnParameter* row = keys.items[i].row;
        if (row->type == SN_MAPPING) read_nested(problems, row, sn_node_find(node, row->name), context, out);
    }
    if (!node || !check_mapping(problems, node, context)) return;
    *(const SnNode**)((char*)out + mapping->node) = node;
    for (const SnNode* child = node->first; child; child = child->next) {
        const SnKey* key = sn_key_find(&keys, child->key);
        if (key)
            read_key(problems, key, child, context, out);
        else
            unknown_key(problems, &keys, child, context);
    }
    check_required(problems, &keys, node, context);
}

// `solver: newton` becomes `solver: {type: newton}`, at the same place.
static bool expand_scalar(SnProblems* problems, const SnMapping* mapping, SnNode* node)
{
    SnNode* child = sn_node_create(problems->arena, SN_NODE_SCALAR, node->place);
    if (!child) return false;
    child->text = node->text;
    child->plain = node->plain;
    child->key = mapping->shorthand;
    node->kind = SN_NODE_MAP;
    node->text = "";
    sn_node_append(node, child);
    return true;
}

static bool expand_items(SnProblems* problems, const SnMapping* mapping, SnNode* list)
{
    bool good = true;
    for (SnNode* item = list->kind == SN_NODE_LIST ? list->first : NULL; item && good; item = item->next)
        good = sn_schema_expand(problems, mapping, item);
    return good;
}

bool sn_schema_expand(SnProblems* problems, const SnMapping* mapping, SnNode* node)
{
    bool good = true;
    if (node->kind == SN_NODE_SCALAR && mapping->shorthand && !sn_node_is_null(node))
        return expand_scalar(problems, mapping, node);
    for (const SnParameter* row = mapping->rows; row->name && good; row++) {
        SnNode* child = row->type == SN_MAPPING || row->type == SN_LIST ? sn_node_find(node, row->name) : NULL;
        if (!child) continue;
        good = row->type == SN_LIST ? expand_items(problems, row->inside, child)
                                    : sn_schema_expand(problems, row->inside, child);
    }
    return good;
}
