// `sinew paper`: figures of the papers made anew; data, plots, and whether what was expected is seen.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/paper.h"

extern const SnFigure sn_figure_diss_2, sn_figure_diss_3, sn_figure_diss_6, sn_figure_diss_7, sn_figure_diss_8;

static const SnFigure* const figures[] = {
    &sn_figure_diss_2, &sn_figure_diss_3, &sn_figure_diss_6, &sn_figure_diss_7, &sn_figure_diss_8,
};
enum { FIGURES = sizeof figures / sizeof *figures };

static void print_figures(void)
{
    for (int i = 0; i < FIGURES; i++)
        printf("  %-8s %s: %s\n", figures[i]->name, figures[i]->source, figures[i]->shows);
}

static void print_figures_below(void)
{
    printf("\nfigures:\n");
    print_figures();
}

static SnStatus open_file(const char* folder, const char* name, const char* ending, FILE** file)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    *file = fopen(path, "w");
    return *file ? SN_OK : sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
}

static SnStatus close_file(FILE* file, const char* folder, const char* name)
{
    bool bad = ferror(file) != 0;
    if (fclose(file) == 0 && !bad) return SN_OK;
    return sn_fail(SN_ERROR_FILE, "%s/%s: could not be written; is the disk full?", folder, name);
}

static SnStatus write_data(const SnFigure* figure, const SnSheet* sheet, const char* folder)
{
    FILE* file;
    SN_TRY(open_file(folder, figure->name, ".csv", &file));
    fprintf(file, "plot,curve,x,y\n");
    for (int p = 0; p < sheet->plot_count; p++)
        for (int c = 0; c < sheet->plots[p].curve_count; c++) {
            const SnCurveData* curve = &sheet->curves[p][c];
            for (int i = 0; i < curve->count; i++)
                fprintf(file, "\"%s\",\"%s\",%.17g,%.17g\n", sheet->plots[p].title, curve->name, curve->x[i],
                        curve->y[i]);
        }
    return close_file(file, folder, figure->name);
}

static void print_text(FILE* file, const SnFigure* figure, const SnSheet* sheet)
{
    fprintf(file, "%s, after %s: %s\nexpected: %s\nmeasured: %s\n", figure->name, figure->source, figure->shows,
            figure->expected, sheet->measured);
    if (sheet->missing[0])
        fprintf(file, "not seen: %s\n", sheet->missing);
    else
        fprintf(file, "seen as expected\n");
}

static SnStatus write_sheet(const SnFigure* figure, const SnSheet* sheet, const char* folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return sn_fail(SN_ERROR_FILE, "%s: the folder cannot be made: %s", folder, strerror(errno));
    SN_TRY(write_data(figure, sheet, folder));
    for (int p = 0; p < sheet->plot_count; p++)
        for (int k = 0; k < 2; k++) {
            char path[4096], number[16] = "";
            if (sheet->plot_count > 1) snprintf(number, sizeof number, "-%d", p + 1);
            snprintf(path, sizeof path, "%s/%s%s.%s", folder, figure->name, number, k ? "png" : "svg");
            SN_TRY(sn_plot_write(&sheet->plots[p], path));
        }
    FILE* file;
    SN_TRY(open_file(folder, figure->name, ".txt", &file));
    print_text(file, figure, sheet);
    return close_file(file, folder, figure->name);
}

static int make(const SnFigure* figure, const char* folder)
{
    SnSheet sheet = {0};
    SnStatus status = figure->make(&sheet);
    for (int p = 0; p < sheet.plot_count; p++) sheet.plots[p].curves = sheet.curves[p];
    if (status == SN_OK) status = write_sheet(figure, &sheet, folder);
    if (status == SN_OK) print_text(stdout, figure, &sheet);
    if (status == SN_OK && sheet.missing[0]) sn_complain("%s: %s", figure->name, sheet.missing);
    int code = status != SN_OK ? sn_exit_of(status) : sheet.missing[0] ? SN_EXIT_FAILED : SN_EXIT_DONE;
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
    const char* names[FIGURES];
    for (int i = 0; i < FIGURES; i++) {
        names[i] = figures[i]->name;
        if (strcmp(arguments->words[0], names[i]) == 0) return make(figures[i], folder ? folder : "paper");
    }
    return sn_unknown_name("figure", arguments->words[0], names, FIGURES, "sinew paper");
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
