// Defaults, checks and values by name, from the rows of parameters.
#include "core/parameter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/expression.h"

enum { MOST_NUMBERS = 16, MOST_NAMES = 128 };

int sn_parameter_count(const SnParameter* row)
{
    return row->type == SN_MATRIX ? 9 : row->count ? row->count : 1;
}

size_t sn_parameter_size(const SnParameter* row)
{
    size_t count = (size_t)sn_parameter_count(row);
    switch (row->type) {
    case SN_NUMBER:
    case SN_MATRIX: return count * sizeof(double);
    case SN_INTEGER:
    case SN_ENUM: return count * sizeof(int);
    case SN_BOOLEAN: return sizeof(bool);
    case SN_POINTS: return sizeof(SnCurve);
    case SN_CHOICE:
    case SN_TEXT: return sizeof(const char*);
    default: return 0;
    }
}

const char* sn_parameter_name(const SnParameter* row, int index)
{
    static const char* const booleans[] = {"false", "true", NULL};
    const char* const* names = row->names || row->type != SN_BOOLEAN ? row->names : booleans;
    for (; names && *names; names++, index--)
        if (index == 0) return *names;
    if (!row->table) return NULL;
    int first = sn_table_count(row->table);
    if (index < first) return sn_table_name(row->table, index);
    return row->second ? sn_table_name(row->second, index - first) : NULL;
}

static int names_of(const SnParameter* row, const char* names[MOST_NAMES])
{
    int count = 0;
    for (; count < MOST_NAMES && sn_parameter_name(row, count); count++) names[count] = sn_parameter_name(row, count);
    return count;
}

const SnParameter* sn_parameter_find(const SnParameter* rows, const char* name)
{
    for (const SnParameter* row = rows; row && row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

void sn_parameter_store(const SnParameter* row, const double* numbers, void* definition)
{
    char* to = (char*)definition + row->offset;
    for (int i = 0; i < sn_parameter_count(row); i++)
        if (row->type == SN_INTEGER)
            ((int*)to)[i] = (int)numbers[i];
        else
            ((double*)to)[i] = numbers[i];
}

// Which of its names, from 0; -1: none.
static int find_name(const SnParameter* row, const char* name)
{
    for (int i = 0; sn_parameter_name(row, i); i++)
        if (strcmp(sn_parameter_name(row, i), name) == 0) return i;
    return -1;
}

bool sn_parameter_choose(const SnParameter* row, const char* name, void* definition)
{
    char* to = (char*)definition + row->offset;
    int found = find_name(row, name);
    if (found < 0) return false;
    if (row->type == SN_BOOLEAN)
        *(bool*)to = found == 1;
    else if (row->type == SN_ENUM)
        *(int*)to = found;
    else
        *(const char**)to = sn_parameter_name(row, found);
    return true;
}

// Numbers between brackets and commas; as many as the row has.
static bool read_numbers(const SnParameter* row, const char* text, double* numbers)
{
    char piece[64], error[64];
    for (int i = 0; i < sn_parameter_count(row); i++) {
        text += strspn(text, "[], ");
        size_t length = strcspn(text, "[],");
        snprintf(piece, sizeof piece, "%.*s", (int)length, text);
        numbers[i] = NAN;
        if (strcmp(piece, "nan") != 0 && !sn_expression(piece, NULL, 0, &numbers[i], error, sizeof error)) return false;
        text += length;
    }
    return text[strspn(text, "] ")] == '\0';
}

static bool is_numbers(const SnParameter* row)
{
    return row->type == SN_NUMBER || row->type == SN_INTEGER || row->type == SN_MATRIX;
}

static bool is_choice(const SnParameter* row)
{
    return row->type == SN_CHOICE || row->type == SN_ENUM || row->type == SN_BOOLEAN;
}

bool sn_parameter_open(const SnParameter* row, const char* text, void* definition)
{
    double numbers[MOST_NUMBERS];
    if (!is_numbers(row) || find_name(row, text) < 0 || !read_numbers(row, row->unset, numbers)) return false;
    sn_parameter_store(row, numbers, definition);
    return true;
}

static bool set_text(const SnParameter* row, const char* text, void* definition)
{
    double numbers[MOST_NUMBERS];
    if (is_choice(row)) return sn_parameter_choose(row, text, definition);
    if (sn_parameter_open(row, text, definition)) return true;
    if (row->type == SN_TEXT) {
        *(const char**)((char*)definition + row->offset) = text;
        return true;
    }
    if (!is_numbers(row) || !read_numbers(row, text, numbers)) return false;
    for (int i = 0; i < sn_parameter_count(row); i++)
        if (row->type == SN_INTEGER && !sn_is_whole(numbers[i])) return false;
    sn_parameter_store(row, numbers, definition);
    return true;
}

void sn_parameters_default(const SnParameter* rows, void* definition)
{
    for (const SnParameter* row = rows; row && row->name; row++) {
        const char* text = row->value ? row->value : row->unset;
        memset((char*)definition + row->offset, 0, sn_parameter_size(row));
        if (text) set_text(row, text, definition);
    }
}

static double number_at(const SnParameter* row, const void* definition, int index)
{
    const char* at = (const char*)definition + row->offset;
    return row->type == SN_INTEGER ? ((const int*)at)[index] : ((const double*)at)[index];
}

// Is it what the member has when nothing is given?
static bool is_unset(const SnParameter* row, const void* definition)
{
    double none[MOST_NUMBERS] = {0};
    if ((row->value && !row->names) || (row->unset && !read_numbers(row, row->unset, none))) return false;
    for (int i = 0; i < sn_parameter_count(row); i++) {
        double number = number_at(row, definition, i);
        if (number != none[i] && !(isnan(number) && isnan(none[i]))) return false;
    }
    return true;
}

// ">0" as "positive", ">=0 <=10" as "between 0 and 10".
static void say_range(const char* range, char* text, size_t size)
{
    char lower[32] = "", upper[32] = "";
    sscanf(range, ">%31[^ ] <%31[^ ]", lower, upper);
    bool closed = lower[0] == '=', below = upper[0] == '=';
    const char *low = lower + closed, *high = upper + below;
    if (!*low || strcmp(high, "inf") == 0) high = "";
    if (*low && *high)
        snprintf(text, size, "between %s and %s%s", low, high,
                 closed && below ? ""
                 : closed        ? ", the latter excluded"
                 : below         ? ", the former excluded"
                                 : ", both excluded");
    else if (strcmp(low, "0") == 0)
        snprintf(text, size, closed ? "0 or positive" : "positive");
    else if (*low)
        snprintf(text, size, "%s %s", closed ? "at least" : "above", low);
    else
        snprintf(text, size, "%s", sn_range_words(range).text);
}

static SnStatus fail_number(const SnParameter* row, const void* definition, const char* of)
{
    char value[200] = "", must[100] = "finite";
    int count = sn_parameter_count(row);
    const char* size = NULL;
    for (int i = 0; i < count; i++) {
        double number = number_at(row, definition, i);
        if (!size) size = sn_range_size(row->range, number);
        sn_append(value, sizeof value, "%s%g", i ? ", " : "", number);
    }
    bool finite = !size || strcmp(size, "finite") != 0;
    if (size) snprintf(must, sizeof must, "%s", size);
    if (row->range && (!size || (!finite && count == 1))) say_range(row->range, must, sizeof must);
    return sn_fail(SN_ERROR_VALUE, "%s%s%s is %s%s%s%s%s; it must be %s", of, *of ? " " : "", row->name,
                   count > 1 ? "[" : "", value, count > 1 ? "]" : "", row->unit ? " " : "", row->unit ? row->unit : "",
                   must);
}

static SnStatus fail_choice(const SnParameter* row, const char* name, const char* of)
{
    const char* names[MOST_NAMES];
    char noun[100];
    snprintf(noun, sizeof noun, "%s%s%s", of, *of ? " " : "", row->name);
    return sn_fail_unknown(row->table ? row->table->noun : noun, name, names, names_of(row, names));
}

static SnStatus check_range(const SnParameter* row, const void* definition, const char* of)
{
    for (int i = 0; is_numbers(row) && i < sn_parameter_count(row); i++)
        if (!sn_range_holds(row->range, number_at(row, definition, i))) return fail_number(row, definition, of);
    return SN_OK;
}

// "how is 7; it must be one of 0 (eliminate), 1 (energy)"
static SnStatus fail_enum(const SnParameter* row, int value, const char* of)
{
    char list[300] = "";
    for (int i = 0; sn_parameter_name(row, i); i++)
        sn_append(list, sizeof list, "%s%d (%s)", i ? ", " : "", i, sn_parameter_name(row, i));
    return sn_fail(SN_ERROR_VALUE, "%s%s%s is %d; it must be one of %s", of, *of ? " " : "", row->name, value, list);
}

SnStatus sn_parameters_check(const SnParameter* rows, const void* definition, const char* of)
{
    for (const SnParameter* row = rows; row && row->name; row++) {
        const char* const* name = (const char* const*)((const char*)definition + row->offset);
        if (row->type == SN_CHOICE && *name && find_name(row, *name) < 0) return fail_choice(row, *name, of);
        if (row->type == SN_ENUM && !sn_parameter_name(row, *(const int*)name))
            return fail_enum(row, *(const int*)name, of);
        if (is_numbers(row) && !is_unset(row, definition)) SN_TRY(check_range(row, definition, of));
    }
    return SN_OK;
}

void sn_parameters_intern(const SnParameter* rows, void* definition)
{
    for (const SnParameter* row = rows; row && row->name; row++) {
        if (row->type != SN_CHOICE) continue;
        const char* name = *(const char**)((char*)definition + row->offset);
        if (name || row->value) sn_parameter_choose(row, name ? name : row->value, definition);
    }
}

SnStatus sn_parameter_set(const SnParameter* row, const char* text, const char* of, void* definition)
{
    if (is_choice(row) && !sn_parameter_choose(row, text, definition)) return fail_choice(row, text, of);
    if (!set_text(row, text, definition))
        return sn_fail(SN_ERROR_VALUE, "%s%s%s is '%.60s'; it must be %s%s", of, *of ? " " : "", row->name, text,
                       row->type == SN_MATRIX ? "" : "a ", sn_parameter_form(row, "").text);
    return find_name(row, text) < 0 ? check_range(row, definition, of) : SN_OK;
}

SnStatus sn_parameters_set(const SnParameter* const* lists, const char* name, const char* text, const char* of,
                           void* definition)
{
    const char* names[MOST_NAMES];
    char noun[100];
    int count = 0;
    for (; *lists; lists++) {
        const SnParameter* row = sn_parameter_find(*lists, name);
        if (row) return sn_parameter_set(row, text, of, definition);
        for (row = *lists; row->name && count < MOST_NAMES; row++) names[count++] = row->name;
    }
    snprintf(noun, sizeof noun, "parameter of the %s", of);
    return sn_fail_unknown(noun, name, names, count);
}

bool sn_parameter_is_own(const SnParameter* row, size_t own)
{
    return row->offset >= own && row->offset < own + sizeof(SnOwn);
}

void sn_own_take(SnOwn* own, const char* type, const SnParameter* rows, void* definition)
{
    if (own->of && strcmp(own->of, type) == 0) return;
    size_t room = (size_t)((char*)own - (char*)definition);
    own->of = type;
    for (const SnParameter* row = rows; row && row->name; row++)
        if (sn_parameter_is_own(row, room)) sn_parameters_default((const SnParameter[2]){*row}, definition);
}

static void say_numbers(const SnParameter* row, const char* quote, char* text, size_t size)
{
    const char* kind = row->type == SN_INTEGER ? "whole number" : "number";
    int count = sn_parameter_count(row);
    if (count > 1)
        snprintf(text, size, "list of %d %ss", count, kind);
    else
        snprintf(text, size, "%s", kind);
    if (row->range) sn_append(text, size, ", %s", sn_range_words(row->range).text);
    if (row->names) sn_append(text, size, ", or %s%s%s", quote, row->names[0], quote);
}

SnParameterForm sn_parameter_form(const SnParameter* row, const char* quote)
{
    SnParameterForm form = {""};
    const char* names[MOST_NAMES];
    switch (row->type) {
    case SN_NUMBER:
    case SN_INTEGER: say_numbers(row, quote, form.text, sizeof form.text); break;
    case SN_MATRIX: snprintf(form.text, sizeof form.text, "3 lists of 3 numbers"); break;
    case SN_TEXT: snprintf(form.text, sizeof form.text, "text"); break;
    case SN_BOOLEAN:
        if (!row->names) {
            snprintf(form.text, sizeof form.text, "%strue%s or %sfalse%s", quote, quote, quote, quote);
            break;
        } // fall through
    case SN_CHOICE:
    case SN_ENUM:
        for (int i = 0, count = names_of(row, names); i < count; i++)
            sn_append(form.text, sizeof form.text, "%s%s%s%s", i ? ", " : "", quote, names[i], quote);
        break;
    default: snprintf(form.text, sizeof form.text, "as %s%s%s", quote, row->example ? row->example : "", quote);
    }
    return form;
}
