// `sinew paper`: figures and tables of the papers made anew; data, plots, pictures, and whether they agree.
#include "experiment/paper.h"

#include <stdlib.h>

#include "cli/command.h"

static void print_figures(void)
{
    for (int i = 0; sn_figure_at(i); i++)
        printf("  %-14s %s: %s\n", sn_figure_at(i)->name, sn_figure_at(i)->source, sn_figure_at(i)->shows);
}

static void print_figures_below(void)
{
    printf("\nfigures:\n");
    print_figures();
}

// What does not agree, and nobody knows why, is a failure.
static int judge(const SnFigure* figure, const SnSheet* sheet)
{
    if (sn_sheet_agrees(sheet) || figure->differs) return SN_EXIT_DONE;
    for (int i = 0; i < sheet->finding_count; i++)
        if (!sheet->findings[i].holds) sn_complain("%s: %s", figure->name, sheet->findings[i].text);
    return SN_EXIT_FAILED;
}

static int make_one(const SnFigure* figure, const SnFigureOptions* options)
{
    static SnSheet sheet; // too large for a stack
    sheet = (SnSheet){0};
    SnStatus status = sn_figure_make(figure, options, &sheet);
    int code = sn_exit_of(status);
    if (status == SN_OK) {
        sn_figure_print(figure, &sheet, stdout);
        code = judge(figure, &sheet);
    }
    sn_arena_free(&sheet.arena);
    return code;
}

static int make_each(const SnFigureOptions* options, int count, const SnFigure** figures, SnSheet* sheets)
{
    int code = SN_EXIT_DONE;
    for (int i = 0; i < count; i++) {
        fprintf(stderr, "sinew: %s\n", figures[i]->name);
        SnStatus status = sn_figure_make(figures[i], options, &sheets[i]);
        if (status == SN_ERROR_FILE) return sn_exit_of(status);
        if (status != SN_OK) code = sn_exit_of(status);
        printf("%-14s %-15s %6.1f s  %s\n", figures[i]->name, sn_sheet_agrees(&sheets[i]) ? "agrees" : "does not agree",
               sheets[i].seconds, figures[i]->shows);
        fflush(stdout);
        if (status == SN_OK && judge(figures[i], &sheets[i]) != SN_EXIT_DONE) code = SN_EXIT_FAILED;
    }
    SnStatus status = sn_paper_report(options->folder, count, figures, sheets);
    return status == SN_OK ? code : sn_exit_of(status);
}

// Every figure, or those that take seconds.
static int make_all(const SnFigureOptions* options, bool quick)
{
    int count = 0;
    const SnFigure** figures = calloc((size_t)sn_figure_count(), sizeof *figures);
    SnSheet* sheets = calloc((size_t)sn_figure_count(), sizeof *sheets);
    for (int i = 0; figures && sn_figure_at(i); i++)
        if (!quick || sn_figure_at(i)->quick) figures[count++] = sn_figure_at(i);
    int code =
        figures && sheets ? make_each(options, count, figures, sheets) : sn_exit_of(sn_fail_memory("the figures", 0));
    for (int i = 0; sheets && i < count; i++) sn_arena_free(&sheets[i].arena);
    free(figures);
    free(sheets);
    return code;
}

static const SnParameter parameters[] = {
    {"threads", SN_INTEGER, offsetof(SnFigureOptions, threads), .range = ">=1 <=1024",
     .doc = "use N threads (1, so that times can be compared)"},
    {"full", SN_BOOLEAN, offsetof(SnFigureOptions, full), .value = "false", .doc = "at the paper's size; takes long"},
    {"film", SN_BOOLEAN, offsetof(SnFigureOptions, film), .value = "false",
     .doc = "a film of each run that is drawn; the run files stay"},
    {0},
};

static int run(const SnArguments* arguments)
{
    SnFigureOptions options = {0};
    if (!sn_options_read(arguments, &options)) return SN_EXIT_USAGE;
    const char* folder = sn_option_value(arguments, "output");
    options.folder = folder ? folder : "paper";
    options.mesh = sn_option_value(arguments, "mesh");
    bool quick = sn_option_given(arguments, "quick");
    if (quick || sn_option_given(arguments, "all")) {
        if (arguments->word_count > 0) return sn_usage_error(arguments, "a figure, or --all or --quick, not both");
        return make_all(&options, quick);
    }
    if (arguments->word_count == 0) {
        print_figures();
        return SN_EXIT_DONE;
    }
    const SnFigure* figure = sn_find_or_complain(&sn_figure_table, arguments->words[0], "sinew paper");
    return figure ? make_one(figure, &options) : SN_EXIT_USAGE;
}

static const SnOption options[] = {
    {"output", 'o', "DIR", false, "the folder (paper)"},
    {"all", 0, NULL, false, "every figure, and index.html with all of them"},
    {"quick", 0, NULL, false, "the same of those that take seconds"},
    {"mesh", 0, "FILE", false, "a mesh in place of the first body's, made as large as that"},
    {0},
};

const SnCommand sn_command_paper = {
    .name = "paper",
    .usage = "[FIGURE | --all | --quick] [-o DIR] [options]",
    .summary = "makes figures and tables of the papers anew, and tells whether they agree",
    .help =
        "Without a figure, lists them by the papers' own numbers. Writes FIGURE.csv (data), FIGURE-1.svg and so on\n"
        "(plots), FIGURE.png (pictures) and FIGURE.txt (what the paper shows, what was measured, the verdict). The\n"
        "scenes are our own, after the papers' descriptions: qualitative results are compared, not numbers. The\n"
        "exit code is 1 when one does not agree and the reason is not known.",
    .parameters = parameters,
    .options = options,
    .max_words = 1,
    .run = run,
    .parts = &sn_figure_table,
    .print_more = print_figures_below,
};
