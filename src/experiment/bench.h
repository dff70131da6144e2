// A benchmark of `sinew bench`: a file in bench/ with a const struct at its end, and a row in bench.c. Output is CSV on
// standard output, starting with a header line.
#pragma once
#include <stddef.h>

#include "core/status.h"

typedef enum SnBenchType { SN_BENCH_INTEGER, SN_BENCH_NUMBER, SN_BENCH_TEXT } SnBenchType; // int, double, const char*

typedef struct SnBenchOption {
    const char* name;    // "steps" is --steps
    const char* value;   // what it takes, as named in the help ("N")
    SnBenchType type;    // of the member of the benchmark's options
    size_t offset;       // of that member
    int lo, hi;          // range of an integer
    const char* summary; // one line for the help
} SnBenchOption;

typedef struct SnBench {
    const char* name;
    const char* summary;
    const SnBenchOption* options; // ends with a NULL name
    const void* defaults;         // the struct of its options, when nothing is given
    size_t size;                  // of that struct
    // SN_ERROR_VALUE for options that do not fit each other.
    SnStatus (*run)(const void* options);
} SnBench;

extern const SnBench* const sn_benches[]; // ends with NULL
