// `sinew bench`: lists the benchmarks, or runs one.
#include "cli/bench.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"

extern const SnCommand sn_command_bench;

// One row per benchmark.
#define BENCH_LIST X(newton) X(kernels) X(solvers) X(sweeps) X(admm) X(contact)

#define X(name) extern const SnBench sn_bench_##name;
BENCH_LIST
#undef X

static const SnBench* const benches[] = {
#define X(name) &sn_bench_##name,
    BENCH_LIST
#undef X
        NULL};

static void print_benches(void)
{
    printf("\nbenchmarks:\n");
    for (const SnBench* const* b = benches; *b; b++) printf("  %-12s %s\n", (*b)->name, (*b)->summary);
}

static int dispatch(int argc, char** argv)
{
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        sn_command_print_help(&sn_command_bench);
        return SN_EXIT_DONE;
    }
    const char* names[sizeof benches / sizeof *benches] = {0};
    int count = 0;
    for (; benches[count]; count++) {
        if (strcmp(benches[count]->name, argv[0]) == 0) return benches[count]->run(argc - 1, argv + 1);
        names[count] = benches[count]->name;
    }
    return sn_unknown_name("benchmark", argv[0], names, count, "sinew bench");
}

const SnCommand sn_command_bench = {
    .name = "bench",
    .usage = "[NAME [options]]",
    .summary = "benchmarks; CSV on standard output",
    .help = "Without a name: lists them. What follows the name goes to the benchmark; try --help there.",
    .dispatch = dispatch,
    .print_more = print_benches,
};
