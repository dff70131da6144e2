// What the program says about itself: help texts from the tables, and complaints on stderr.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/program.h"
#include "core/suggest.h"

static void print_option(const SnOption* option)
{
    char left[64];
    int n = option->letter ? snprintf(left, sizeof left, "-%c, --%s", option->letter, option->name)
                           : snprintf(left, sizeof left, "    --%s", option->name);
    if (option->value && n < (int)sizeof left) snprintf(left + n, sizeof left - (size_t)n, " %s", option->value);
    bool wide = strlen(left) > 26;
    printf("  %-26s %s%*s%s\n", left, wide ? "\n" : "", wide ? 29 : 0, "", option->summary);
}

void sn_print_parts(const SnTable* table, int width)
{
    for (int i = 0; sn_table_at(table, i); i++)
        printf("  %-*s %s\n", width, sn_table_name(table, i), sn_table_summary(table, i));
}

void sn_command_print_help(const SnCommand* command)
{
    printf("usage: sinew %s%s%s\n\n%s\n", command->name, *command->usage ? " " : "", command->usage, command->summary);
    if (command->help) printf("\n%s\n", command->help);
    printf("\noptions:\n");
    for (const SnOption* o = command->options; o && o->name; o++) print_option(o);
    for (const SnParameter* row = command->parameters; row && row->name; row++) {
        SnOptionText text;
        SnOption option = sn_option_of(row, &text);
        print_option(&option);
    }
    print_option(&(SnOption){"help", 'h', NULL, false, "print this"});
    if (command->parts_title) {
        printf("\n%s:\n", command->parts_title);
        sn_print_parts(command->parts, command->parts_width);
    }
    if (command->print_more) command->print_more();
}

void sn_print_program_help(FILE* out)
{
    int count = 0;
    fprintf(out, "sinew %s: simulation of deformable bodies\n\nusage: sinew COMMAND ...\n\ncommands:\n", sn_version());
    for (const SnCommand* c; (c = sn_command_at(count)); count++) fprintf(out, "  %-10s %s\n", c->name, c->summary);
    fprintf(out, "\n`sinew COMMAND --help` explains one, `sinew gallery` lists scenes to start with,\n"
                 "`sinew --version` prints the version.\n"
                 "exit codes: 0 done, 1 the run failed, 2 bad usage or bad input\n");
}

void sn_complain(const char* format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("sinew: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

const void* sn_find_or_complain(const SnTable* table, const char* name, const char* listed_by)
{
    const void* row = sn_table_find(table, name);
    if (row) return row;
    const char* nearest = sn_table_nearest(table, name);
    if (nearest)
        sn_complain("there is no %s \"%s\"; did you mean \"%s\"?", table->noun, name, nearest);
    else
        sn_complain("there is no %s \"%s\"; `%s` shows what there is", table->noun, name, listed_by);
    return NULL;
}

int sn_exit_of(SnStatus status)
{
    if (status == SN_OK) return SN_EXIT_DONE;
    sn_explain_memory(status);
    sn_complain("%s", sn_last_error());
    return status == SN_ERROR_MEMORY || status == SN_ERROR_UNSUPPORTED ? SN_EXIT_FAILED : SN_EXIT_USAGE;
}

int sn_exit_of_file(SnStatus status)
{
    int code = sn_exit_of(status);
    return status == SN_ERROR_UNSUPPORTED ? SN_EXIT_USAGE : code;
}
