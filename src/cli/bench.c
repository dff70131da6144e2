// `sinew bench`: lists the benchmarks, or runs one.
#include "experiment/bench.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/memory.h"

extern const SnCommand sn_command_bench;

static void print_benches(void)
{
    printf("\nbenchmarks:\n");
    for (int i = 0; sn_bench_at(i); i++) printf("  %-12s %s\n", sn_bench_at(i)->name, sn_bench_at(i)->summary);
}

static int run(const SnArguments* arguments)
{
    const SnBench* bench = arguments->command->part;
    void* values = sn_allocate(bench->size, 1, "the benchmark's options");
    if (!values) return sn_exit_of(SN_ERROR_MEMORY);
    int code = sn_options_read(arguments, values) ? sn_exit_of(bench->run(values)) : SN_EXIT_USAGE;
    sn_free(values);
    return code;
}

static int call(const SnBench* bench, int argc, char** argv)
{
    char name[64];
    snprintf(name, sizeof name, "bench %s", bench->name);
    SnCommand command = {.name = name,
                         .usage = "[options]",
                         .summary = bench->summary,
                         .parameters = bench->parameters,
                         .part = bench,
                         .run = run};
    return sn_command_call(&command, argc, argv);
}

static int dispatch(int argc, char** argv)
{
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        sn_command_print_help(&sn_command_bench);
        return SN_EXIT_DONE;
    }
    const SnBench* bench = sn_find_or_complain(&sn_bench_table, argv[0], "sinew bench");
    return bench ? call(bench, argc - 1, argv + 1) : SN_EXIT_USAGE;
}

const SnCommand sn_command_bench = {
    .name = "bench",
    .usage = "[NAME [options]]",
    .summary = "benchmarks; CSV on standard output",
    .help = "Without a name: lists them. What follows the name goes to the benchmark; try --help there.",
    .dispatch = dispatch,
    .print_more = print_benches,
};
