// A benchmark of `sinew bench`: a file in bench/ with a const struct at its end, and a row in bench.c. Output is CSV on
// standard output, starting with a header line.
#pragma once
#include "core/parameter.h"

typedef struct SnBench {
    const char* name;
    const char* summary;
    const SnParameter* parameters; // its options, as members of a struct of its own
    size_t size;                   // of that struct
    // SN_ERROR_VALUE for options that do not fit each other.
    SnStatus (*run)(const void* options);
} SnBench;

SN_TABLE(SnBench, bench)
