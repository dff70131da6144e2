// Mappings of a scene as rows of parameters: those of the parts themselves, and those that only a scene has. The
// reader, the error messages, the printed defaults and the reference all come from the same rows.
#pragma once
#include "core/parameter.h"
#include "scene/tree.h"

// Types of rows that only a scene has.
enum {
    SN_MAPPING = SN_OTHER + 1, // `inside` is an SnMapping; its struct is at the offset
    SN_LIST,                   // SnItems of such structs
    SN_ROWS,                   // in its place, the rows `inside` of a definition that is at the offset
    SN_RAW,                    // const SnNode*: read by code of its own
    SN_PARTS,                  // in its place, the rows of all parts in `table`; off: each takes its own only
};

enum { SN_MOST_ITEMS = 10000 }; // of a list of mappings

typedef struct SnItems {
    void* items; // in the scene's arena
    int count;
} SnItems;

typedef struct SnMapping {
    const char* name; // "body"
    const char* doc;
    size_t size;             // of the struct that it fills
    const SnParameter* rows; // ends with a NULL name
    const char* shorthand;   // the key that a lone scalar stands for: `solver: newton`; or NULL
    size_t node;             // where the struct has its `const SnNode*`, which is NULL when the scene does not have it
    bool partial;            // what is not given is as elsewhere: rows have no defaults
    // Fills in definitions with their defaults, which may depend on the type that is named; NULL: those of the rows.
    void (*start)(void* out, const SnNode* node);
} SnMapping;

// The keys of a mapping, one after the other.
typedef struct SnKey {
    const SnParameter* row;
    size_t base;          // of the row's offset
    const SnTable* table; // of a part's row; NULL: of others
    bool own;             // a row of the mapping itself
    bool strict;          // only some types take it
    bool foreign;         // in the room for options of a type that was not chosen: checked, but not kept
} SnKey;
enum { SN_MOST_KEYS = 96 };
typedef struct SnKeys {
    SnKey items[SN_MOST_KEYS];
    int count;
} SnKeys;
// Where several parts have a row of one name, that of the type which the node names counts; else the first. node may be
// NULL.
void sn_mapping_keys(const SnMapping* mapping, const SnNode* node, SnKeys* keys);

const SnKey* sn_key_find(const SnKeys* keys, const char* name); // NULL: there is none

// Its meaning, and its row with what all parts that have it agree on.
typedef struct SnKeyWords {
    char doc[1000];
    SnParameter row; // default and range may be NULL
} SnKeyWords;
SnKeyWords sn_key_words(const SnMapping* mapping, const SnKey* key);

// Turns shorthands into mappings, in place, so that overrides find their keys. False: out of memory.
bool sn_schema_expand(SnProblems* problems, const SnMapping* mapping, SnNode* node);

// Fills `out` with defaults, then with what the node has (NULL or nothing: defaults only). `context` is "the scene" or
// "material of body 'bar'", for messages. Problems are recorded.
void sn_schema_read(SnProblems* problems, const SnMapping* mapping, const SnNode* node, const char* context, void* out);

// Records a problem for each key that belongs to other parts of the table, neither to `type` nor to `base`.
void sn_check_strangers(SnProblems* problems, const SnTable* table, const SnNode* node, const char* context,
                        const void* type, const void* base);
// Copies those members whose keys the node has.
void sn_copy_given(const SnParameter* rows, const SnNode* node, const void* from, void* to);

// Pieces for values that are read by their own code. False: a problem was recorded.
typedef struct SnVariables {
    const struct SnVariable* items;
    int count;
} SnVariables;
// Numbers of the scene's unit of length become metres; returns how many one unit is.
double sn_lengths(const SnProblems* problems, int count, double* values);
bool sn_read_number(SnProblems* problems, const SnNode* node, const char* what, SnVariables variables, double* value);
// A list of `count` numbers (a lone number when count is 1). variables[i] are those of number i, or NULL.
bool sn_read_numbers(SnProblems* problems, const SnNode* node, const char* what, const SnVariables* variables,
                     int count, double* values);
bool sn_read_int(SnProblems* problems, const SnNode* node, const char* what, int* value);
bool sn_check_range(SnProblems* problems, const SnNode* node, const char* what, const char* range, double value);
bool sn_check_list(SnProblems* problems, const SnNode* node, const char* what);
// "unknown WORD 'x' in CONTEXT; did you mean 'y'? valid WORDs: ..."
void sn_report_unknown(SnProblems* problems, SnPlace place, const char* word, const char* found, const char* context,
                       const char* const* names, int count);
