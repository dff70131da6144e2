// The parser of a command's words and options: `--name value`, `--name=value`, `-o value`, `-ovalue`, `--`.
#include <assert.h>
#include <limits.h>
#include <math.h>
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

static const SnOption* find_named(const SnCommand* command, const char* name, size_t length)
{
    for (const SnOption* o = command->options; o && o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
    return NULL;
}

static const SnOption* find_letter(const SnCommand* command, char letter)
{
    for (const SnOption* o = command->options; o && o->name; o++)
        if (o->letter == letter) return o;
    return NULL;
}

static int unknown_option(const SnArguments* arguments, const char* name, size_t length)
{
    const char* names[MOST_OPTIONS] = {"help"};
    int count = 1;
    for (const SnOption* o = arguments->command->options; o && o->name && count < MOST_OPTIONS; o++)
        names[count++] = o->name;
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
    arguments->given[arguments->given_count++] = (SnGivenOption){option, value};
    return true;
}

// `--name`, `--name=value`, `--name value`; advances *i when the value is the next word.
static bool parse_long(SnArguments* arguments, int argc, char** argv, int* i)
{
    const char* name = argv[*i] + 2;
    const char* equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const SnOption* option = find_named(arguments->command, name, length);
    if (!option) {
        unknown_option(arguments, name, length);
        return false;
    }
    const char* value = equals ? equals + 1 : NULL;
    if (option->value && !value && *i + 1 < argc) value = argv[++*i];
    return keep(arguments, option, value);
}

// `-o value` or `-ovalue`.
static bool parse_short(SnArguments* arguments, int argc, char** argv, int* i)
{
    const char* word = argv[*i];
    const SnOption* option = find_letter(arguments->command, word[1]);
    if (!option) {
        sn_usage_error(arguments, "unknown option %s", word);
        return false;
    }
    const char* value = word[2] ? word + 2 : NULL;
    if (option->value && !value && *i + 1 < argc) value = argv[++*i];
    return keep(arguments, option, value);
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

int sn_command_call(const SnCommand* command, int argc, char** argv)
{
    if (command->dispatch) return command->dispatch(argc, argv);
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
    sn_free(arguments.words);
    sn_free(arguments.given);
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
    const SnOption* option = find_named(arguments->command, name, strlen(name));
    assert(option && "a command asks for an option that is not in its table");
    for (int g = 0; g < arguments->given_count; g++)
        if (arguments->given[g].option == option && i-- == 0)
            return arguments->given[g].value ? arguments->given[g].value : "";
    return NULL;
}

bool sn_option_integer(const SnArguments* arguments, const char* name, int lo, int hi, int* value)
{
    const char* text = sn_option_value(arguments, name);
    if (!text) return true;
    char* end;
    long number = strtol(text, &end, 10);
    if (end != text && !*end && number >= lo && number <= hi) {
        *value = (int)number;
        return true;
    }
    if (hi == INT_MAX)
        sn_usage_error(arguments, "--%s %s: must be a whole number, at least %d", name, text, lo);
    else
        sn_usage_error(arguments, "--%s %s: must be a whole number from %d to %d", name, text, lo, hi);
    return false;
}

bool sn_option_numbers(const SnArguments* arguments, const char* name, int count, double* values)
{
    const char* text = sn_option_value(arguments, name);
    if (!text) return true;
    double numbers[16];
    int found = 0;
    for (const char* p = text; found < count && found < 16;) {
        char* end;
        numbers[found] = strtod(p, &end);
        if (strncmp(p, "0x", 2) == 0) numbers[found] = 0, end = (char*)p + 1; // as in 0x720, not a hexadecimal number
        if (end == p || !isfinite(numbers[found])) break;
        found++;
        if (!*end && found == count) {
            memcpy(values, numbers, (size_t)count * sizeof *values);
            return true;
        }
        if (*end != ',' && *end != 'x') break;
        p = end + 1;
    }
    sn_usage_error(arguments, "--%s %s: must be %d number%s%s", name, text, count, count == 1 ? "" : "s",
                   count == 1 ? "" : " separated by commas");
    return false;
}
