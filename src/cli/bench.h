// A benchmark of `sinew bench`: a file in bench/ with a const struct at its end, and a row in bench.c. Output is CSV on
// standard output.
#pragma once

typedef struct SnBench {
    const char* name;
    const char* summary;
    int (*run)(int argc, char** argv); // what follows the name on the command line; returns an SN_EXIT code
} SnBench;
