// From the words of the command line to a command.
#include "cli/program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa.h"

enum { MOST_WORDS = 64 };

// `sinew help`, `sinew help run`, `sinew help mesh make`: the same as `sinew run --help`.
static int help(int argc, char** argv)
{
    char* words[MOST_WORDS];
    int count = 0;
    if (argc == 0 || argc >= MOST_WORDS) {
        sn_print_program_help(stdout);
        return SN_EXIT_DONE;
    }
    const SnCommand* command = sn_find_or_complain(&sn_command_table, argv[0], "sinew --help");
    if (!command) return SN_EXIT_USAGE;
    for (int i = 1; i < argc; i++) words[count++] = argv[i];
    words[count++] = "--help";
    return sn_command_call(command, count, words);
}

static int run(int argc, char** argv)
{
    // A wrong name would otherwise go unnoticed: the library takes the best set it can run.
    SnStatus status = sn_isa_choose(getenv("SINEW_ISA"));
    if (status != SN_OK) return sn_exit_of(status);
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
    const SnCommand* command = sn_find_or_complain(&sn_command_table, word, "sinew --help");
    return command ? sn_command_call(command, argc - 2, argv + 2) : SN_EXIT_USAGE;
}

int sn_program_run(int argc, char** argv)
{
    signal(SIGXFSZ, SIG_IGN); // files beyond `ulimit -f` are an error like a full disk
    int code = run(argc, argv);
    // A full disk or a closed pipe shows only now.
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == SN_EXIT_DONE) {
        sn_complain("could not write to standard output");
        code = SN_EXIT_FAILED;
    }
    return code;
}
