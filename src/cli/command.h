// A command of the program: a const struct at the end of its file and a row in command_table.c.
//
//     static const SnOption options[] = {{"frame", 0, "N", false, "draw frame N"}, {0}};
//     static int run(const SnArguments* arguments) { ... return SN_EXIT_DONE; }
//     const SnCommand sn_command_render = {
//         .name = "render", .usage = "RUN -o FILE [options]", .summary = "draw a run", .help = "...",
//         .options = options, .min_words = 1, .max_words = 1, .run = run};
//
// The parser, `--help` and the suggestions for misspelt options all work from the same table of options.
#pragma once
#include <sinew/base.h>

enum { SN_EXIT_DONE = 0, SN_EXIT_FAILED = 1, SN_EXIT_USAGE = 2 }; // USAGE: bad usage or bad input

typedef struct SnOption {
    const char* name;    // "frames" is --frames
    char letter;         // 'o' is -o; 0: none
    const char* value;   // what it takes, as named in the help ("N"); NULL: a flag
    bool repeated;       // may be given several times
    const char* summary; // one line for the help
} SnOption;

typedef struct SnGivenOption {
    const SnOption* option;
    const char* value; // NULL for a flag
} SnGivenOption;

typedef struct SnArguments {
    const struct SnCommand* command;
    int word_count;
    const char** words; // what is not an option, in order
    int given_count;
    SnGivenOption* given;
} SnArguments;

typedef struct SnCommand {
    const char* name;
    const char* usage;                        // what follows the name, e.g. "RUN --to FORMAT [-o DIR]"
    const char* summary;                      // one line
    const char* help;                         // further paragraphs, wrapped by hand at 100 columns; or NULL
    const SnOption* options;                  // ends with a NULL name; or NULL. --help is understood by every command
    int min_words, max_words;                 // how many words it takes; max -1: any number
    int (*run)(const SnArguments* arguments); // returns an SN_EXIT code
    // Instead of run: gets everything after the name unparsed, for commands with commands of their own.
    int (*dispatch)(int argc, char** argv);
    void (*print_more)(void); // adds to --help what comes from other tables; or NULL
} SnCommand;

extern const SnCommand* const sn_commands[]; // ends with NULL

// Parses argv (without the command's name) and runs the command; prints help or what is wrong with the usage.
int sn_command_call(const SnCommand* command, int argc, char** argv);
void sn_command_print_help(const SnCommand* command);

// What was given. Asking for an option that is not in the command's table is a bug and asserts.
bool sn_option_given(const SnArguments* arguments, const char* name);
const char* sn_option_value(const SnArguments* arguments, const char* name); // the last one given; NULL: not given
// The i-th value of a repeated option; NULL past the last.
const char* sn_option_at(const SnArguments* arguments, const char* name, int i);
// Whole number in [lo, hi]; *value is left alone when the option was not given. False, with the complaint printed, when
// it is not such a number: return SN_EXIT_USAGE then.
bool sn_option_integer(const SnArguments* arguments, const char* name, int lo, int hi, int* value);
// `count` numbers separated by commas (or by 'x', as in 640x480).
bool sn_option_numbers(const SnArguments* arguments, const char* name, int count, double* values);

// "sinew run: message" and where to find help, to stderr; returns SN_EXIT_USAGE.
int sn_usage_error(const SnArguments* arguments, const char* format, ...) __attribute__((format(printf, 2, 3)));
// "sinew: message" to stderr.
void sn_complain(const char* format, ...) __attribute__((format(printf, 1, 2)));
// "sinew: there is no benchmark "x"; did you mean "y"?", or else where they are listed; returns SN_EXIT_USAGE.
int sn_unknown_name(const char* what, const char* name, const char* const* names, int count, const char* listed_by);
// "sinew: " and sn_last_error() to stderr; returns SN_EXIT_USAGE for bad files and values, else SN_EXIT_FAILED.
int sn_exit_of(SnStatus status);
// The same where only a file that the user named can be to blame: a format that is not supported is bad input, too.
int sn_exit_of_file(SnStatus status);
