// A benchmark of `sinew bench`: a const struct at the end of its file and a row in bench.c. Output is CSV on stdout.
#pragma once

typedef struct SnBench {
    const char* name;
    const char* summary;
    int (*run)(int argc, char** argv); // what follows the name on the command line; returns an SN_EXIT code
} SnBench;
