// A command of the program: a const struct at the end of its file and a row in command_table.c.
//
//     static const SnParameter parameters[] = {{"frame", SN_INTEGER, offsetof(Render, frame), .doc = "..."}, {0}};
//     static const SnOption options[] = {{"output", 'o', "FILE", false, "a picture or a film"}, {0}};
//     static int run(const SnArguments* arguments) { ... return SN_EXIT_DONE; }
//     const SnCommand sn_command_render = {
//         .name = "render", .usage = "RUN -o FILE [options]", .summary = "draw a run", .help = "...",
//         .parameters = parameters, .options = options, .min_words = 1, .max_words = 1, .run = run};
//
// The parser, `--help` and the suggestions for misspelt options all work from the same table of options.
#pragma once
#include <sinew/base.h>

#include "core/parameter.h"

enum { SN_EXIT_DONE = 0, SN_EXIT_FAILED = 1, SN_EXIT_USAGE = 2 }; // USAGE: bad usage or bad input

typedef struct SnOption {
    const char* name;    // "frames" is --frames
    char letter;         // 'o' is -o; 0: none
    const char* value;   // what it takes, as named in the help ("N"); NULL: a flag
    bool repeated;       // may be given several times
    const char* summary; // one line for the help
} SnOption;

typedef struct SnGivenOption {
    const char *name, *value; // "" for a flag
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
    const char* summary;           // one line
    const char* usage;             // what follows the name, e.g. "RUN --to FORMAT [-o DIR]"
    const char* help;              // further paragraphs, wrapped by hand at 100 columns; or NULL
    const SnOption* options;       // ends with a NULL name; or NULL. --help is understood by every command
    const SnParameter* parameters; // options that sn_options_read reads; or NULL
    const void* part;              // a row of another table that it is made for; or NULL
    const SnTable* parts;          // rows that --help lists below `parts_title`, unless that is NULL; or NULL
    const char* parts_title;
    const char* parts_option; // the option that takes one of them; NULL: the first word does
    int parts_width;          // of their names
    // Without run: the first word names one of the parts. They are commands, named after this one, or the rest is for
    // the command `each`, with the part's name, summary and parameters.
    const struct SnCommand* each;
    const char* listed_by;                    // the command that shows the parts
    bool lists;                               // without a word, it lists them
    int min_words, max_words;                 // how many words it takes; max -1: any number
    int (*run)(const SnArguments* arguments); // returns an SN_EXIT code
    void (*print_more)(void);                 // adds to --help what comes from other tables in another form; or NULL
} SnCommand;

SN_TABLE(SnCommand, command)

// Parses argv (without the command's name) and runs the command; prints help or what is wrong with the usage.
int sn_command_call(const SnCommand* command, int argc, char** argv);
// The command of a part that a word names; it may be made in `own`, with its name in `name`. NULL: there is none.
const SnCommand* sn_command_part(const SnCommand* command, const char* word, char name[96], SnCommand* own);
void sn_command_print_help(const SnCommand* command);
void sn_print_parts(const SnTable* table, int width); // name and summary of each row

// An option of a command; false: there is none of this name, or letter.
bool sn_option_find(const SnCommand* command, const char* name, size_t length, SnOption* option);
bool sn_option_by_letter(const SnCommand* command, char letter, SnOption* option);
// What was given. Asking for an option that is not in the command's table is a bug and asserts.
bool sn_option_given(const SnArguments* arguments, const char* name);
const char* sn_option_value(const SnArguments* arguments, const char* name); // the last one given; NULL: not given
// The i-th value of a repeated option; NULL past the last.
const char* sn_option_at(const SnArguments* arguments, const char* name, int i);
// Fills the struct of the command's parameters: with their defaults, then with what was given, numbers with commas (or
// an 'x', as in 640x480) between them. False, with the complaint printed: return SN_EXIT_USAGE then.
bool sn_options_read(const SnArguments* arguments, void* definition);
// A parameter as an option; its summary is in `text`.
typedef struct SnOptionText {
    char text[300];
} SnOptionText;
SnOption sn_option_of(const SnParameter* row, SnOptionText* text);

SnStatus sn_explain_memory(SnStatus status); // of memory that --memory does not allow (cli/memory.c)
// "sinew run: message" and where to find help, to stderr; returns SN_EXIT_USAGE.
int sn_usage_error(const SnArguments* arguments, const char* format, ...) __attribute__((format(printf, 2, 3)));
// "sinew: message" to stderr.
void sn_complain(const char* format, ...) __attribute__((format(printf, 1, 2)));
// A row by its name; or NULL, and "sinew: there is no benchmark "x"; did you mean "y"?", or else where they are listed.
const void* sn_find_or_complain(const SnTable* table, const char* name, const char* listed_by);
// "sinew: " and sn_last_error() to stderr; returns SN_EXIT_USAGE for bad files and values, else SN_EXIT_FAILED.
int sn_exit_of(SnStatus status);
// The same where only a file that the user named can be to blame: a format that is not supported is bad input, too.
int sn_exit_of_file(SnStatus status);
