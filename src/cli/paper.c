// `sinew paper`: figures of the papers made anew; data, plots, and whether what was expected is seen.
#include "experiment/paper.h"

#include "cli/command.h"

static void print_figures(void)
{
    for (int i = 0; sn_figure_at(i); i++)
        printf("  %-8s %s: %s\n", sn_figure_at(i)->name, sn_figure_at(i)->source, sn_figure_at(i)->shows);
}

static void print_figures_below(void)
{
    printf("\nfigures:\n");
    print_figures();
}

static int make(const SnFigure* figure, const char* folder)
{
    SnSheet sheet = {0};
    SnStatus status = sn_figure_make(figure, folder, &sheet);
    int code = sn_exit_of(status);
    if (status == SN_OK) sn_figure_print(figure, &sheet, stdout);
    if (status == SN_OK && sheet.missing[0]) {
        sn_complain("%s: %s", figure->name, sheet.missing);
        code = SN_EXIT_FAILED;
    }
    sn_arena_free(&sheet.arena);
    return code;
}

static int run(const SnArguments* arguments)
{
    const char* folder = sn_option_value(arguments, "output");
    if (arguments->word_count == 0) {
        print_figures();
        return SN_EXIT_DONE;
    }
    const SnFigure* figure = sn_find_or_complain(&sn_figure_table, arguments->words[0], "sinew paper");
    return figure ? make(figure, folder ? folder : "paper") : SN_EXIT_USAGE;
}

static const SnOption options[] = {
    {"output", 'o', "DIR", false, "the folder (paper)"},
    {0},
};

const SnCommand sn_command_paper = {
    .name = "paper",
    .usage = "[FIGURE] [-o DIR]",
    .summary = "makes figures of the papers anew, and tells whether what was expected is seen",
    .help = "Without a figure, lists them. Writes FIGURE.csv, FIGURE.svg, FIGURE.png and FIGURE.txt. The scenes are\n"
            "our own, after the papers' descriptions: the qualitative result is compared, not the numbers. The\n"
            "exit code is 1, with the reason, when it is not seen.",
    .options = options,
    .max_words = 1,
    .run = run,
    .print_more = print_figures_below,
};
