// Parameters of parts. One row says a parameter's name, type, member, default, range, unit and meaning; scenes,
// defaults, checks and documentation are made from the rows. A user's own material, dissipation or obstacle may have
// some, too.
#ifndef SINEW_PARAMETER_H
#define SINEW_PARAMETER_H

#include <sinew/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnParameterType {
    SN_NUMBER,  // double, or double[count]
    SN_INTEGER, // int, or int[count]
    SN_BOOLEAN, // bool; with names, these are for false and true
    SN_CHOICE,  // const char*: one of the names
    SN_ENUM,    // an enum: the number of one of the names, from 0
    SN_TEXT,    // const char*
    SN_MATRIX,  // double[9], row after row
    SN_POINTS,  // SnCurve
    SN_OTHER,   // a scene's value that code of its own reads
} SnParameterType;

typedef struct SnParameter {
    const char* name;             // its key in a scene; NULL ends a list of rows
    int type;                     // SnParameterType
    size_t offset;                // of the member that holds it in the definition
    int count;                    // of numbers; 0 counts as 1
    const char* value;            // the default, as a scene has it; NULL: there is none, and then
    const char* unset;            // the member is this when nothing is given; NULL: 0
    const char* example;          // what to show where there is no default
    const char* range;            // ">0", ">=0 <0.5", ">=0 <=inf"; NULL: any finite number
    const char* unit;             // NULL: none
    const char* doc;              // one line
    const char* const* names;     // of a choice or an enum, ending with NULL; of a number, a word for `unset`;
    const struct SnTable* table;  // then the rows of a table, if any,
    const struct SnTable* second; // and those of another one
    bool required;                // in a scene
    bool off;                     // shown behind a # among the defaults of a scene
    const void* inside;           // what a mapping of a scene has in it
} SnParameter;

// A curve by points: a natural cubic spline between them, linear beyond them.
typedef struct SnCurve {
    int count;            // 0: the curve is zero; otherwise 2 to 63
    const double* points; // 2 x count: stretch, increasing, and slope of the energy there
} SnCurve;

// Room in a definition for options of one type alone. The type lays a struct of its own over `room`, and its rows have
// offsets by SN_OWN.
typedef struct SnOwn {
    const char* of; // the type whose options these are; those of another type are its defaults
    union {
        double numbers[8];
        const void* pointers[8];
        unsigned char bytes[64];
    } room;
} SnOwn;
#define SN_OWN(Definition, Own, member) (offsetof(Definition, own.room) + offsetof(Own, member))

#ifdef __cplusplus
}
#endif
#endif
