// Fields as a table: numbers made of what elements bear and of what nodes do.
#pragma once
#include <sinew/field.h>

#include "core/table.h"
#include "potential/borne.h"

// A field is a row of the table in world/field.c; one of the two functions is there.
typedef struct SnField {
    const char *name, *summary, *unit;
    int components;
    void (*of_element)(const SnBorne* borne, double* out);
    SnStatus (*of_nodes)(SnWorld* world, double* out); // zero before
} SnField;

extern const SnTable sn_field_table;
