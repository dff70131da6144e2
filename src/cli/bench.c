// `sinew bench`: lists the benchmarks, or runs one.
#include "experiment/bench.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/memory.h"

enum { MOST_BENCHES = 64, MOST_OPTIONS = 16 };

extern const SnCommand sn_command_bench;

// A benchmark as a command.
typedef struct BenchCommand {
    SnCommand command; // first: what the parser hands on
    const SnBench* bench;
} BenchCommand;

static void print_benches(void)
{
    printf("\nbenchmarks:\n");
    for (const SnBench* const* b = sn_benches; *b; b++) printf("  %-12s %s\n", (*b)->name, (*b)->summary);
}

static bool read_option(const SnArguments* arguments, const SnBenchOption* option, void* member)
{
    const char* text = sn_option_value(arguments, option->name);
    switch (option->type) {
    case SN_BENCH_INTEGER: return sn_option_integer(arguments, option->name, option->lo, option->hi, member);
    case SN_BENCH_NUMBER: return sn_option_numbers(arguments, option->name, 1, member);
    default:
        if (text) memcpy(member, &text, sizeof text);
        return true;
    }
}

static int run(const SnArguments* arguments)
{
    const SnBench* chosen = ((const BenchCommand*)arguments->command)->bench;
    char* values = sn_allocate(chosen->size, 1, "the benchmark's options");
    if (!values) return sn_exit_of(SN_ERROR_MEMORY);
    memcpy(values, chosen->defaults, chosen->size);
    bool good = true;
    for (const SnBenchOption* o = chosen->options; o->name && good; o++)
        good = read_option(arguments, o, values + o->offset);
    int code = good ? sn_exit_of(chosen->run(values)) : SN_EXIT_USAGE;
    sn_free(values);
    return code;
}

static int call(const SnBench* bench, int argc, char** argv)
{
    char name[64];
    SnOption options[MOST_OPTIONS] = {{0}};
    snprintf(name, sizeof name, "bench %s", bench->name);
    for (int i = 0; bench->options[i].name && i + 1 < MOST_OPTIONS; i++) {
        const SnBenchOption* o = &bench->options[i];
        options[i] = (SnOption){.name = o->name, .value = o->value, .summary = o->summary};
    }
    BenchCommand c = {
        .command = {.name = name, .usage = "[options]", .summary = bench->summary, .options = options, .run = run},
        .bench = bench,
    };
    return sn_command_call(&c.command, argc, argv);
}

static int dispatch(int argc, char** argv)
{
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        sn_command_print_help(&sn_command_bench);
        return SN_EXIT_DONE;
    }
    const char* names[MOST_BENCHES] = {0};
    int count = 0;
    for (; sn_benches[count] && count < MOST_BENCHES; count++) {
        if (strcmp(sn_benches[count]->name, argv[0]) == 0) return call(sn_benches[count], argc - 1, argv + 1);
        names[count] = sn_benches[count]->name;
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
