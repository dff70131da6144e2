// Numbers as simple arithmetic: 1/30, 2*pi, max-0.01, sqrt(2), sin(30). Angles in degrees.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct SnVariable {
    const char* name;
    double value;
} SnVariable;

// True and *value; or false, and what was not understood in `error`. The value may be infinite (`inf`), never NaN.
bool sn_expression(const char* text, const SnVariable* variables, int variable_count, double* value, char* error,
                   size_t error_size);
