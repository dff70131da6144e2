// Reads a mapping by its table of fields.
#include "scene/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/suggest.h"
#include "scene/expression.h"

enum { MOST_NAMES = 64 };
static const double largest_int = 2147483647;

void sn_report_unknown(SnProblems* problems, SnPlace place, const char* word, const char* found, const char* context,
                       const char* const* names, int count)
{
    if (count == 2 && strcmp(names[0], "false") == 0 && strcmp(names[1], "true") == 0) {
        sn_problem_error(problems, place, "'%s' in %s must be true or false, found '%.60s'", word, context, found);
        return;
    }
    char list[900] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
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

bool sn_check_mapping(SnProblems* problems, const SnNode* node, const char* what)
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

static bool check_whole(SnProblems* problems, const SnNode* node, const char* what, double value)
{
    if (value == floor(value) && fabs(value) <= largest_int) return true;
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

// One comparison, as in ">=0".
static bool compares(const char* text, size_t length, double value)
{
    char number[32], error[64];
    double bound = 0;
    bool less = text[0] == '<', equal = text[1] == '=';
    size_t start = 1 + (size_t)equal;
    snprintf(number, sizeof number, "%.*s", (int)(length - start), text + start);
    sn_expression(number, NULL, 0, &bound, error, sizeof error);
    if (value == bound) return equal;
    return less ? value < bound : value > bound;
}

// ">0 <0.5": every comparison must hold. Infinity is allowed where the range says `inf`.
static bool in_range(const char* range, double value)
{
    if (!range) return isfinite(value);
    if (!isfinite(value) && !strstr(range, "inf")) return false;
    while (*range) {
        size_t length = strcspn(range, " ");
        if (!compares(range, length, value)) return false;
        range += length;
        range += strspn(range, " ");
    }
    return true;
}

SnRangeWords sn_range_words(const char* range)
{
    SnRangeWords words = {""};
    size_t used = 0;
    for (const char* at = range; *at && used + 6 < sizeof words.text; at++) {
        if (strcmp(at, " <=inf") == 0) break; // goes without saying
        bool comparison = *at == '<' || *at == '>';
        if (*at == ' ')
            used += (size_t)snprintf(words.text + used, sizeof words.text - used, " and ");
        else
            words.text[used++] = *at;
        if ((comparison && at[1] != '=') || *at == '=') words.text[used++] = ' ';
    }
    return words;
}

bool sn_check_range(SnProblems* problems, const SnNode* node, const char* what, const char* range, double value)
{
    if (in_range(range, value)) return true;
    sn_problem_error(problems, node->place, "%s must be %s, found %s", what,
                     isfinite(value) ? sn_range_words(range).text : "finite", sn_node_words(node).text);
    return false;
}

const char* sn_field_name(const SnField* field, int index)
{
    if (field->name) return field->name(index);
    for (int i = 0; i < index; i++)
        if (!field->names[i]) return NULL;
    return field->names[index];
}

static int count_of(const SnField* field)
{
    return field->count ? field->count : 1;
}

// Defaults are our own text: numbers between brackets and commas.
static void set_default_numbers(const char* text, int count, double* values)
{
    char piece[32], error[64];
    for (int i = 0; i < count; i++) {
        text += strspn(text, "[], ");
        size_t n = strcspn(text, "[],");
        snprintf(piece, sizeof piece, "%.*s", (int)n, text);
        sn_expression(piece, NULL, 0, &values[i], error, sizeof error);
        text += n;
    }
}

static void set_default(const SnField* field, void* out)
{
    char* to = (char*)out + field->offset;
    if (!field->value) return;
    if (field->type == SN_FIELD_TEXT || field->type == SN_FIELD_CHOICE)
        *(const char**)to = field->value;
    else if (field->type == SN_FIELD_NUMBERS)
        set_default_numbers(field->value, count_of(field), (double*)to);
    else if (field->type == SN_FIELD_MATRIX)
        set_default_numbers(field->value, 9, (double*)to);
}

static void read_text(SnProblems* problems, const SnNode* node, const char* what, const char** text)
{
    if (node->kind == SN_NODE_SCALAR && !sn_node_is_null(node))
        *text = node->text;
    else
        sn_problem_error(problems, node->place, "%s must be a text, found %s", what, sn_node_words(node).text);
}

static void read_choice(SnProblems* problems, const SnField* field, const SnNode* node, const char* what,
                        const char* context, const char** choice)
{
    const char* names[MOST_NAMES];
    const char* found = NULL;
    int count = 0;
    read_text(problems, node, what, &found);
    if (!found) return;
    for (; count < MOST_NAMES && sn_field_name(field, count); count++) {
        names[count] = sn_field_name(field, count);
        if (strcmp(names[count], found) != 0) continue;
        *choice = names[count];
        return;
    }
    sn_report_unknown(problems, node->place, field->key, found, context, names, count);
}

static void read_number_field(SnProblems* problems, const SnField* field, const SnNode* node, const char* what,
                              double* to)
{
    enum { MOST = 16 };
    double values[MOST];
    int count = count_of(field);
    if (!sn_read_numbers(problems, node, what, NULL, count, values)) return;
    for (int i = 0; i < count; i++) {
        const SnNode* item = count == 1 ? node : sn_node_item(node, i);
        if (!sn_check_range(problems, item, what, field->range, values[i])) return;
        if (field->whole && !check_whole(problems, item, what, values[i])) return;
    }
    memcpy(to, values, (size_t)count * sizeof *to);
}

static void read_matrix(SnProblems* problems, const SnNode* node, const char* what, double* to)
{
    double values[9];
    if (node->kind != SN_NODE_LIST || node->count != 3) {
        sn_problem_error(problems, node->place,
                         "%s must be 3 lists of 3 numbers, as in [[1, 0, 0], [0, 1, 0], [0, 0, 1]]; found %s", what,
                         sn_node_words(node).text);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const SnNode* row = sn_node_item(node, i);
        if (!sn_read_numbers(problems, row, what, NULL, 3, &values[3 * i])) return;
        for (int j = 0; j < 3; j++)
            if (!sn_check_range(problems, row, what, NULL, values[3 * i + j])) return;
    }
    memcpy(to, values, sizeof values);
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

static void read_list(SnProblems* problems, const SnField* field, const SnNode* node, const char* what, SnItems* items)
{
    const SnMapping* mapping = field->mapping;
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

static void read_field(SnProblems* problems, const SnField* field, const SnNode* node, const char* context, void* out)
{
    char what[200];
    char* to = (char*)out + field->offset;
    snprintf(what, sizeof what, "'%s' in %s", field->key, context);
    switch (field->type) {
    case SN_FIELD_TEXT: read_text(problems, node, what, (const char**)to); break;
    case SN_FIELD_NUMBERS: read_number_field(problems, field, node, what, (double*)to); break;
    case SN_FIELD_MATRIX: read_matrix(problems, node, what, (double*)to); break;
    case SN_FIELD_CHOICE: read_choice(problems, field, node, what, context, (const char**)to); break;
    case SN_FIELD_LIST: read_list(problems, field, node, what, (SnItems*)to); break;
    case SN_FIELD_RAW: *(const SnNode**)to = node; break;
    case SN_FIELD_MAPPING: break; // read below, also when absent, for its defaults
    }
}

static void read_nested(SnProblems* problems, const SnField* field, const SnNode* node, const char* context, void* out)
{
    bool top = strcmp(context, "the scene") == 0;
    const char* inner = top ? sn_arena_print(problems->arena, "%s", field->key)
                            : sn_arena_print(problems->arena, "%s of %s", field->key, context);
    if (inner)
        sn_schema_read(problems, field->mapping, node, inner, (char*)out + field->offset);
    else
        problems->out_of_memory = true;
}

static const SnField* field_of(const SnMapping* mapping, const char* key)
{
    for (const SnField* field = mapping->fields; field->key; field++)
        if (strcmp(field->key, key) == 0) return field;
    return NULL;
}

static int field_names(const SnMapping* mapping, const char* names[MOST_NAMES])
{
    int count = 0;
    for (const SnField* field = mapping->fields; field->key && count < MOST_NAMES; field++) names[count++] = field->key;
    return count;
}

static void unknown_key(SnProblems* problems, const SnMapping* mapping, const SnNode* child, const char* context)
{
    const char* names[MOST_NAMES];
    int count = field_names(mapping, names);
    sn_report_unknown(problems, child->key_place, "key", child->key, context, names, count);
}

// True when an unknown key was probably meant to be this one, which then need not be reported as missing.
static bool is_misspelt(const SnMapping* mapping, const SnNode* node, const SnField* field)
{
    const char* names[MOST_NAMES];
    int count = field_names(mapping, names);
    for (const SnNode* child = node->first; child; child = child->next)
        if (!field_of(mapping, child->key) && sn_nearest_name(child->key, names, count) == field->key) return true;
    return false;
}

static void check_required(SnProblems* problems, const SnMapping* mapping, const SnNode* node, const char* context)
{
    for (const SnField* field = mapping->fields; field->key; field++) {
        if (!field->required || !sn_node_is_null(sn_node_find(node, field->key))) continue;
        if (!is_misspelt(mapping, node, field))
            sn_problem_error(problems, node->key_place, "'%s' is missing in %s (%s), as in %s: %s", field->key, context,
                             field->doc, field->key, field->example);
    }
}

void sn_schema_read(SnProblems* problems, const SnMapping* mapping, const SnNode* node, const char* context, void* out)
{
    if (sn_node_is_null(node)) node = NULL;
    for (const SnField* field = mapping->fields; field->key; field++) {
        set_default(field, out);
        if (field->type == SN_FIELD_MAPPING) read_nested(problems, field, sn_node_find(node, field->key), context, out);
    }
    if (!node || !sn_check_mapping(problems, node, context)) return;
    *(const SnNode**)out = node;
    for (const SnNode* child = node->first; child; child = child->next) {
        const SnField* field = field_of(mapping, child->key);
        if (field)
            read_field(problems, field, child, context, out);
        else
            unknown_key(problems, mapping, child, context);
    }
    check_required(problems, mapping, node, context);
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
    for (const SnField* field = mapping->fields; field->key && good; field++) {
        SnNode* child = sn_node_find(node, field->key);
        if (!child || !field->mapping) continue;
        good = field->type == SN_FIELD_LIST ? expand_items(problems, field->mapping, child)
                                            : sn_schema_expand(problems, field->mapping, child);
    }
    return good;
}
