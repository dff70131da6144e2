// `sinew completion`: scripts for shells, which ask the program itself what a word may become. So the tables of
// commands, options and parts are the only source, as they are of --help.
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "integrator/integrator.h"
#include "solver/solver.h"

// Each calls `sinew completion of -- WORD...` and offers the names of files where that says nothing.
typedef struct Shell {
    const char *name, *summary, *script;
} Shell;
static const Shell shells[] = {
    {"bash", "for ~/.bashrc: source <(sinew completion bash)",
     "# Completion of sinew for bash.\n"
     "_sinew()\n"
     "{\n"
     "    mapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" completion of -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null "
     "| cut -f1)\n"
     "}\n"
     "complete -o bashdefault -o default -F _sinew sinew\n"},
    {"zsh", "for a folder of $fpath: sinew completion zsh > _sinew",
     "#compdef sinew\n"
     "_sinew()\n"
     "{\n"
     "    local -a lines\n"
     "    lines=(${(f)\"$(\"${words[1]}\" completion of -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
     "    if (( ${#lines} )); then\n"
     "        lines=(${${lines//:/\\\\:}/$'\\t'/:})\n"
     "        _describe sinew lines\n"
     "    else\n"
     "        _files\n"
     "    fi\n"
     "}\n"
     "if [[ ${funcstack[1]} == _sinew ]]; then _sinew \"$@\"; else compdef _sinew sinew; fi\n"},
    {"fish", "sinew completion fish > ~/.config/fish/completions/sinew.fish",
     "# Completion of sinew for fish.\n"
     "function __sinew_complete\n"
     "    set -l words (commandline -opc) (commandline -ct | string collect -a)\n"
     "    $words[1] completion of -- $words[2..] 2>/dev/null\n"
     "end\n"
     "complete -c sinew -f -n '__sinew_complete | string length -q' -a '(__sinew_complete)'\n"},
    {0},
};
static const SnTable shell_table = {.noun = "shell", .rows = shells, .stride = sizeof *shells};

// Options that take a row of another table, beside parameters, which know their names.
static const SnTable* table_of_option(const SnCommand* command, const char* name)
{
    if (command->parts_option && strcmp(name, command->parts_option) == 0) return command->parts;
    if (strcmp(name, "solver") == 0) return &sn_solver_table;
    if (strcmp(name, "integrator") == 0) return &sn_integrator_table;
    return NULL;
}

static void offer(const char* before, const char* name, const char* summary, const char* word)
{
    char text[200];
    snprintf(text, sizeof text, "%s%s", before, name);
    if (strncmp(text, word, strlen(word)) == 0) printf("%s\t%s\n", text, summary);
}

static void offer_table(const SnTable* table, const char* before, const char* word)
{
    for (int i = 0; sn_table_at(table, i); i++) {
        const char* name = sn_table_name(table, i);
        const char* last = strrchr(name, ' '); // "mesh make" after "mesh" is "make"
        const char* summary = sn_table_summary(table, i);
        offer(before, last ? last + 1 : name, summary ? summary : "", word);
    }
}

static void offer_options(const SnCommand* command, const char* word)
{
    for (const SnOption* o = command->options; o && o->name; o++) offer("--", o->name, o->summary, word);
    for (const SnParameter* row = command->parameters; row && row->name; row++) offer("--", row->name, row->doc, word);
    offer("--", "help", "print what it does", word);
}

// before: "--to=", where the word has that, too.
static void offer_values(const SnCommand* command, const char* option, const char* before, const char* word)
{
    const SnParameter* row = sn_parameter_find(command->parameters, option);
    bool names = row && (row->type == SN_ENUM || row->type == SN_CHOICE);
    for (int i = 0; names && sn_parameter_name(row, i); i++) offer(before, sn_parameter_name(row, i), "", word);
    const SnTable* table = row ? NULL : table_of_option(command, option);
    if (table) offer_table(table, before, word);
}

static void offer_values_after_equals(const SnCommand* command, const char* word, const char* equals)
{
    char before[80];
    SnOption option;
    snprintf(before, sizeof before, "%.*s", (int)(equals + 1 - word), word);
    if (sn_option_find(command, word + 2, (size_t)(equals - word - 2), &option))
        offer_values(command, option.name, before, word);
}

// Is the word after this one the value of an option?
static bool takes_value(const SnCommand* command, const char* word, SnOption* option)
{
    if (word[0] != '-' || !word[1]) return false;
    bool known = word[1] == '-' ? sn_option_find(command, word + 2, strlen(word + 2), option)
                                : sn_option_by_letter(command, word[1], option) && !word[2];
    return known && option->value;
}

// What the last of `count` words may become, after a command and its other words.
static void offer_after(const SnCommand* command, int count, const char* const* words)
{
    const char* word = words[count - 1];
    SnOption option;
    int plain = 0;
    for (int i = 0; i < count - 1; i++) {
        bool value = takes_value(command, words[i], &option);
        plain += words[i][0] != '-';
        if (!value) continue;
        i += strcmp(words[i + 1], "=") == 0 && i + 2 < count; // bash takes --to=vtu for three words
        if (++i == count - 1) {
            offer_values(command, option.name, "", strcmp(word, "=") == 0 ? "" : word);
            return;
        }
    }
    const char* equals = strchr(word, '=');
    if (word[0] == '-' && word[1] == '-' && equals)
        offer_values_after_equals(command, word, equals);
    else if (word[0] == '-')
        offer_options(command, word);
    else if (command->parts && !command->parts_option && plain == 0)
        offer_table(command->parts, "", word);
}

static void offer_for(const SnTable* table, int count, const char* const* words)
{
    SnCommand own;
    char name[96];
    if (count == 1) {
        offer_table(table, "", words[0]);
        return;
    }
    const SnCommand* command = sn_table_find(table, words[0]);
    while (command && !command->run && count > 2) {
        command = sn_command_part(command, words[1], name, &own);
        words++, count--;
    }
    if (command) offer_after(command, count - 1, words + 1);
}

static int run(const SnArguments* arguments)
{
    if (arguments->word_count > 1 && strcmp(arguments->words[0], "of") == 0) {
        offer_for(&sn_command_table, arguments->word_count - 1, arguments->words + 1);
        return SN_EXIT_DONE;
    }
    if (arguments->word_count != 1) return sn_usage_error(arguments, "which shell? bash, zsh or fish");
    const Shell* shell = sn_find_or_complain(&shell_table, arguments->words[0], "sinew completion --help");
    if (shell) fputs(shell->script, stdout);
    return shell ? SN_EXIT_DONE : SN_EXIT_USAGE;
}

const SnCommand sn_command_completion = {
    .name = "completion",
    .usage = "bash | zsh | fish",
    .summary = "a script by which a shell completes commands, options and names",
    .help =
        "The script asks the program: `sinew completion of -- WORD...` prints what the last word may become, a line\n"
        "each, with a tab before what it means; nothing where it is a file.",
    .parts = &shell_table,
    .parts_title = "shells",
    .parts_width = 6,
    .min_words = 1,
    .max_words = -1,
    .run = run,
};
