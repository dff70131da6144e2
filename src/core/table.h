// Tables of parts: rows that start with their name, found by it.
#pragma once
#include "core/status.h"

typedef struct SnTable {
    const char* noun; // "solver", for messages
    const void*
        rows; // pointers to const structs that start with name and summary, ending with NULL; with a stride the structs
    size_t stride;                      // themselves, ending with a NULL name
    const void* const* (*choose)(void); // in place of rows: those of the instruction set in use
    const char* key;                    // by which a scene chooses one: "type"; NULL: by a key of its own name
    size_t own;                         // offset of the room for options in the parts' definition; 0: it has none
    size_t parameters;                  // offset of the member `const SnParameter* parameters`; 0: rows have none
} SnTable;

int sn_table_count(const SnTable* table);
const void* sn_table_at(const SnTable* table, int index);          // NULL after the last
const void* sn_table_find(const SnTable* table, const char* name); // NULL when unknown
const char* sn_table_summary(const SnTable* table, int index);
const char* sn_table_name(const SnTable* table, int index);                           // NULL after the last
const struct SnParameter* sn_table_parameters(const SnTable* table, const void* row); // NULL: none

// "unknown NOUN 'x'; did you mean 'y'? there are a, b and c".
SnStatus sn_fail_unknown(const char* noun, const char* name, const char* const* names, int count);
enum { SN_MOST_NAMES = 128 };
int sn_table_names(const SnTable* table, const char* names[SN_MOST_NAMES]);
const char* sn_table_nearest(const SnTable* table, const char* name); // the name that was probably meant; or NULL
SnStatus sn_table_unknown(const SnTable* table, const char* name);

// Typed functions over one table: `SN_TABLE(SnSolverType, solver)` declares sn_solver_table and makes sn_solver_count,
// sn_solver_at and sn_solver_find.
#define SN_TABLE(Type, noun)                                     \
    extern const SnTable sn_##noun##_table;                      \
    static inline int sn_##noun##_count(void)                    \
    {                                                            \
        return sn_table_count(&sn_##noun##_table);               \
    }                                                            \
    static inline const Type* sn_##noun##_at(int index)          \
    {                                                            \
        return sn_table_at(&sn_##noun##_table, index);           \
    }                                                            \
    static inline const Type* sn_##noun##_find(const char* name) \
    {                                                            \
        return sn_table_find(&sn_##noun##_table, name);          \
    }
