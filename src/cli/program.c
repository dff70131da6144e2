// From the words of the command line to a command.
#include "cli/program.h"

#include <stdlib.h>
#include <string.h>

#include "core/isa.h"

enum { MOST_COMMANDS = 64 };

const SnCommand* sn_command_find(const SnCommand* const* table, const char* name)
{
    const char* names[MOST_COMMANDS];
    int count = 0;
    for (; table[count]; count++) {
        if (strcmp(table[count]->name, name) == 0) return table[count];
        names[count] = table[count]->name;
    }
    sn_unknown_name("command", name, names, count, "sinew --help");
    return NULL;
}

// `sinew help`, `sinew help run`, `sinew help mesh make`: the same as `sinew run --help`.
static int help(int argc, char** argv)
{
    char* words[MOST_COMMANDS];
    int count = 0;
    if (argc == 0 || argc >= MOST_COMMANDS) {
        sn_print_program_help(stdout);
        return SN_EXIT_DONE;
    }
    const SnCommand* command = sn_command_find(sn_commands, argv[0]);
    if (!command) return SN_EXIT_USAGE;
    for (int i = 1; i < argc; i++) words[count++] = argv[i];
    words[count++] = "--help";
    return sn_command_call(command, count, words);
}

// A wrong SINEW_ISA would otherwise go unnoticed: the library takes the best set it can run.
static bool isa_is_valid(void)
{
    const char* wanted = getenv("SINEW_ISA");
    for (int isa = 0; wanted && isa < SN_ISA_COUNT; isa++)
        if (strcmp(wanted, sn_isa_name((SnIsa)isa)) == 0 && sn_isa_available((SnIsa)isa)) return true;
    if (wanted)
        sn_complain("SINEW_ISA is '%s'; this machine takes base%s%s", wanted,
                    sn_isa_available(SN_ISA_AVX2) ? ", avx2" : "", sn_isa_available(SN_ISA_AVX512) ? ", avx512" : "");
    return !wanted;
}

static int run(int argc, char** argv)
{
    if (!isa_is_valid()) return SN_EXIT_USAGE;
    const char* word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        sn_print_program_help(stderr);
        return SN_EXIT_USAGE;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "version") == 0) {
        printf("sinew %s\n", sn_version());
        return SN_EXIT_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help(argc - 2, argv + 2);
    if (strcmp(word, "help") == 0) return help(argc - 2, argv + 2);
    const SnCommand* command = sn_command_find(sn_commands, word);
    return command ? sn_command_call(command, argc - 2, argv + 2) : SN_EXIT_USAGE;
}

int sn_program_run(int argc, char** argv)
{
    int code = run(argc, argv);
    // A full disk or a closed pipe shows only now.
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == SN_EXIT_DONE) {
        sn_complain("could not write to standard output");
        code = SN_EXIT_FAILED;
    }
    return code;
}
