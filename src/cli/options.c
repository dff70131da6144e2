// The parser of a command's words and options: `--name value`, `--name=value`, `-o value`, `-ovalue`, `--`.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "core/memory.h"
#include "core/suggest.h"

enum { MOST_OPTIONS = 64 };

int sn_usage_error(const SnArguments* arguments, const char* format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "sinew %s: ", arguments->command->name);
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n(`sinew %s --help` shows how it is used)\n", arguments->command->name);
    va_end(list);
    return SN_EXIT_USAGE;
}

bool sn_option_find(const SnCommand* command, const char* name, size_t length, SnOption* option)
{
    SnOptionText unused;
    for (const SnOption* o = command->options; o && o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) return *option = *o, true;
    for (const SnParameter* p = command->parameters; p && p->name; p++)
        if (strlen(p->name) == length && strncmp(p->name, name, length) == 0)
            return *option = sn_option_of(p, &unused), true;
    return false;
}

bool sn_option_by_letter(const SnCommand* command, char letter, SnOption* option)
{
    for (const SnOption* o = command->options; o && o->name; o++)
        if (o->letter == letter) return *option = *o, true;
    return false;
}

static int unknown_option(const SnArguments* arguments, const char* name, size_t length)
{
    const char* names[MOST_OPTIONS] = {"help"};
    int count = 1;
    for (const SnOption* o = arguments->command->options; o && o->name && count < MOST_OPTIONS; o++)
        names[count++] = o->name;
    for (const SnParameter* p = arguments->command->parameters; p && p->name && count < MOST_OPTIONS; p++)
        names[count++] = p->name;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const char* nearest = sn_nearest_name(word, names, count);
    if (nearest) return sn_usage_error(arguments, "unknown option --%s; did you mean --%s?", word, nearest);
    return sn_usage_error(arguments, "unknown option --%s", word);
}

// Keeps one option; false, with the complaint printed, when it lacks its value, has one too many or is given twice.
static bool keep(SnArguments* arguments, const SnOption* option, const char* value)
{
    if (option->value && !value) {
        sn_usage_error(arguments, "--%s needs a value: --%s %s", option->name, option->name, option->value);
        return false;
    }
    if (!option->value && value) {
        sn_usage_error(arguments, "--%s takes no value, but was given \"%s\"", option->name, value);
        return false;
    }
    if (!option->repeated && sn_option_given(arguments, option->name)) {
        sn_usage_error(arguments, "--%s is given twice", option->name);
        return false;
    }
    arguments->given[arguments->given_count++] = (SnGivenOption){option->name, value ? value : ""};
    return true;
}

// `--name`, `--name=value`, `--name value`; advances *i when the value is the next word.
static bool parse_long(SnArguments* arguments, int argc, char** argv, int* i)
{
    const char* name = argv[*i] + 2;
    const char* equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    SnOption option;
    if (!sn_option_find(arguments->command, name, length, &option)) {
        unknown_option(arguments, name, length);
        return false;
    }
    const char* value = equals ? equals + 1 : NULL;
    if (option.value && !value && *i + 1 < argc) value = argv[++*i];
    return keep(arguments, &option, value);
}

// `-o value` or `-ovalue`.
static bool parse_short(SnArguments* arguments, int argc, char** argv, int* i)
{
    const char* word = argv[*i];
    SnOption option;
    if (!sn_option_by_letter(arguments->command, word[1], &option)) {
        sn_usage_error(arguments, "unknown option %s", word);
        return false;
    }
    const char* value = word[2] ? word + 2 : NULL;
    if (option.value && !value && *i + 1 < argc) value = argv[++*i];
    return keep(arguments, &option, value);
}

static bool parse(SnArguments* arguments, int argc, char** argv)
{
    bool options_over = false;
    for (int i = 0; i < argc; i++) {
        const char* word = argv[i];
        if (options_over || word[0] != '-' || !word[1])
            arguments->words[arguments->word_count++] = word;
        else if (strcmp(word, "--") == 0)
            options_over = true;
        else if (!(word[1] == '-' ? parse_long(arguments, argc, argv, &i) : parse_short(arguments, argc, argv, &i)))
            return false;
    }
    return true;
}

static bool right_number_of_words(const SnArguments* arguments)
{
    const SnCommand* command = arguments->command;
    if (arguments->word_count < command->min_words)
        sn_usage_error(arguments, "something is missing: sinew %s %s", command->name, command->usage);
    else if (command->max_words >= 0 && arguments->word_count > command->max_words)
        sn_usage_error(arguments, "\"%s\" is one word too many: sinew %s %s", arguments->words[command->max_words],
                       command->name, command->usage);
    else
        return true;
    return false;
}

static bool wants_help(int argc, char** argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

const SnCommand* sn_command_part(const SnCommand* command, const char* word, char name[96], SnCommand* own)
{
    snprintf(name, 96, "%s %s", command->name, word);
    const void* part = sn_table_find(command->parts, command->each ? word : name);
    if (!part || !command->each) return part;
    *own = *command->each;
    own->part = part;
    own->name = name;
    own->summary = ((const char* const*)part)[1];
    own->parameters = sn_table_parameters(command->parts, part);
    return own;
}

// The command of the part that the first word names.
static int call_part(const SnCommand* command, int argc, char** argv)
{
    if (argc == 0 || wants_help(1, argv)) {
        sn_command_print_help(command);
        return argc || command->lists ? SN_EXIT_DONE : SN_EXIT_USAGE;
    }
    SnCommand own;
    char name[96];
    const SnCommand* part = sn_command_part(command, argv[0], name, &own);
    if (part) return sn_command_call(part, argc - 1, argv + 1);
    sn_find_or_complain(command->parts, command->each ? argv[0] : name, command->listed_by);
    return SN_EXIT_USAGE;
}

int sn_command_call(const SnCommand* command, int argc, char** argv)
{
    if (!command->run) return call_part(command, argc, argv);
    if (wants_help(argc, argv)) {
        sn_command_print_help(command);
        return SN_EXIT_DONE;
    }
    SnArguments arguments = {.command = command};
    int code = SN_EXIT_FAILED;
    if (!SN_NEW(arguments.words, argc, "arguments") || !SN_NEW(arguments.given, argc, "arguments"))
        sn_complain("%s", sn_last_error());
    else if (!parse(&arguments, argc, argv) || !right_number_of_words(&arguments))
        code = SN_EXIT_USAGE;
    else
        code = command->run(&arguments);
    SN_FREE(arguments.words, arguments.given);
    return code;
}

bool sn_option_given(const SnArguments* arguments, const char* name)
{
    return sn_option_at(arguments, name, 0) != NULL;
}

const char* sn_option_value(const SnArguments* arguments, const char* name)
{
    const char* value = NULL;
    for (int i = 0; sn_option_at(arguments, name, i); i++) value = sn_option_at(arguments, name, i);
    return value;
}

const char* sn_option_at(const SnArguments* arguments, const char* name, int i)
{
    SnOption option;
    bool known = sn_option_find(arguments->command, name, strlen(name), &option);
    assert(known && "a command asks for an option that is not in its table"), (void)known;
    for (int g = 0; g < arguments->given_count; g++)
        if (strcmp(arguments->given[g].name, name) == 0 && i-- == 0) return arguments->given[g].value;
    return NULL;
}

SnOption sn_option_of(const SnParameter* row, SnOptionText* text)
{
    static const char* const numbers[] = {"N", "N,N", "N,N,N"};
    int count = sn_parameter_count(row);
    bool choice = row->type == SN_ENUM || row->type == SN_CHOICE, flag = row->type == SN_BOOLEAN;
    bool shown = row->value && !flag;
    const char* value = row->example ? row->example : choice ? "NAME" : numbers[count < 3 ? count - 1 : 2];
    snprintf(text->text, sizeof text->text, "%s%s%.100s%s%s%s%s%s", row->doc, choice ? ": " : "",
             choice ? sn_parameter_form(row, "").text : "", shown ? " (" : "", shown ? row->value : "",
             shown && row->unit ? " " : "", shown && row->unit ? row->unit : "", shown ? ")" : "");
    return (SnOption){row->name, .value = flag ? NULL : value, .summary = text->text};
}

static bool read_row(const SnArguments* arguments, const SnParameter* row, void* definition)
{
    char numbers[200];
    const char* text = sn_option_value(arguments, row->name);
    if (!text) return true;
    snprintf(numbers, sizeof numbers, "%s", text);
    for (char* x = numbers; sn_parameter_count(row) > 1 && (x = strchr(x, 'x'));) *x = ',';
    if (row->type == SN_BOOLEAN) text = "true";
    if (sn_parameter_count(row) > 1) text = numbers;
    if (sn_parameter_set(row, text, "", definition) == SN_OK) return true;
    sn_usage_error(arguments, "%s%s", row->type == SN_ENUM || row->type == SN_CHOICE ? "" : "--", sn_last_error());
    return false;
}

bool sn_options_read(const SnArguments* arguments, void* definition)
{
    sn_parameters_default(arguments->command->parameters, definition);
    for (const SnParameter* row = arguments->command->parameters; row && row->name; row++)
        if (!read_row(arguments, row, definition)) return false;
    return true;
}
