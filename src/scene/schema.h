// Mappings as tables of fields: one row says the key, its type, default, unit, range and meaning. The reader, the
// error messages, the printed defaults and the reference all come from the same rows.
#pragma once
#include "scene/tree.h"

typedef enum SnFieldType {
    SN_FIELD_TEXT,    // const char*
    SN_FIELD_NUMBERS, // double[count]; count 1 is written without brackets
    SN_FIELD_MATRIX,  // double[9], rows first; written as three lists of three
    SN_FIELD_CHOICE,  // const char*, one of the names
    SN_FIELD_MAPPING, // the mapping's struct
    SN_FIELD_LIST,    // SnItems of the mapping's structs
    SN_FIELD_RAW,     // const SnNode*: interpreted by its own code
} SnFieldType;

enum { SN_MOST_ITEMS = 10000 }; // of a list of mappings

typedef struct SnItems {
    void* items; // in the scene's arena
    int count;
} SnItems;

typedef struct SnField {
    const char* key;
    SnFieldType type;
    size_t offset; // in the mapping's struct
    int count;     // of numbers; 0 counts as 1
    bool whole;    // the numbers are whole
    bool required;
    bool off;                       // shown behind a # among the defaults
    const char* value;              // the default as text, or NULL: none
    const char* example;            // what to show where there is no default
    const char* range;              // ">0", ">=0 <0.5"; NULL: any finite number
    const char* unit;               // NULL: none
    const char* doc;                // one line
    const char* const* names;       // of a choice, ending with NULL; or
    const char* (*name)(int index); // NULL after the last
    const struct SnMapping* mapping;
} SnField;

// A struct filled from a mapping starts with `const SnNode* node`, NULL when the scene does not have it.
typedef struct SnMapping {
    const char* name; // "body"
    const char* doc;
    size_t size;           // of the struct
    const SnField* fields; // ends with a NULL key
    const char* shorthand; // the key that a lone scalar stands for: `solver: newton`; or NULL
} SnMapping;

// Turns shorthands into mappings, in place, so that overrides find their keys. False: out of memory.
bool sn_schema_expand(SnProblems* problems, const SnMapping* mapping, SnNode* node);

// Fills `out` with defaults, then with what the node has (NULL or nothing: defaults only). `context` is "the scene" or
// "material of body 'bar'", for messages. Problems are recorded.
void sn_schema_read(SnProblems* problems, const SnMapping* mapping, const SnNode* node, const char* context, void* out);

// Pieces for fields that are interpreted by their own code. False: a problem was recorded.
typedef struct SnVariables {
    const struct SnVariable* items;
    int count;
} SnVariables;
bool sn_read_number(SnProblems* problems, const SnNode* node, const char* what, SnVariables variables, double* value);
// A list of `count` numbers (a lone number when count is 1). variables[i] are those of number i, or NULL.
bool sn_read_numbers(SnProblems* problems, const SnNode* node, const char* what, const SnVariables* variables,
                     int count, double* values);
bool sn_read_int(SnProblems* problems, const SnNode* node, const char* what, int* value);
bool sn_check_range(SnProblems* problems, const SnNode* node, const char* what, const char* range, double value);
// ">=0 <0.5" becomes ">= 0 and < 0.5".
typedef struct SnRangeWords {
    char text[64];
} SnRangeWords;
SnRangeWords sn_range_words(const char* range);
bool sn_check_mapping(SnProblems* problems, const SnNode* node, const char* what);
bool sn_check_list(SnProblems* problems, const SnNode* node, const char* what);
// The i-th of a choice's names, or NULL after the last.
const char* sn_field_name(const SnField* field, int index);
// "unknown WORD 'x' in CONTEXT; did you mean 'y'? valid WORDs: ..."
void sn_report_unknown(SnProblems* problems, SnPlace place, const char* word, const char* found, const char* context,
                       const char* const* names, int count);
