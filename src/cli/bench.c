// `sinew bench`: lists the benchmarks, or runs one.
#include "experiment/bench.h"

#include "cli/command.h"
#include "core/memory.h"

static int run(const SnArguments* arguments)
{
    const SnBench* bench = arguments->command->part;
    void* values = sn_allocate(bench->size, 1, "the benchmark's options");
    if (!values) return sn_exit_of(SN_ERROR_MEMORY);
    int code = sn_options_read(arguments, values) ? sn_exit_of(bench->run(values)) : SN_EXIT_USAGE;
    sn_free(values);
    return code;
}

static const SnCommand each = {.usage = "[options]", .run = run};

const SnCommand sn_command_bench = {
    .name = "bench",
    .usage = "[NAME [options]]",
    .summary = "benchmarks; CSV on standard output",
    .help = "Without a name: lists them. What follows the name goes to the benchmark; try --help there.",
    .parts = &sn_bench_table,
    .parts_title = "benchmarks",
    .parts_width = 12,
    .each = &each,
    .listed_by = "sinew bench",
    .lists = true,
};
