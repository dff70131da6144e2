// The figures, one list per paper, and the files they become.
#include "experiment/paper.h"

#include "core/timer.h"
#include "experiment/figures.h"
#include "experiment/text_file.h"

// The papers' figures after each other.
static const void* const* all_figures(void)
{
    static const SnFigure* rows[SN_MOST_NAMES];
    static const SnFigure* const lists[] = {sn_figures_admm, sn_figures_diss, sn_figures_dot, sn_figures_qn};
    int count = 0;
    if (rows[0]) return (const void* const*)rows;
    for (int i = 0; i < 4; i++)
        for (const SnFigure* figure = lists[i]; figure->name && count + 1 < SN_MOST_NAMES; figure++)
            rows[count++] = figure;
    return (const void* const*)rows;
}

const SnTable sn_figure_table = {.noun = "figure", .choose = all_figures};

const char* sn_figure_path(const SnFigure* figure, const SnFigureOptions* options, SnArena* arena, const char* ending)
{
    return sn_arena_print(arena, "%s/%s%s", options->folder, figure->name, ending);
}

// A figure and what it came to.
typedef struct Made {
    const SnFigure* figure;
    const SnSheet* sheet;
} Made;

static void print_data(const void* user, FILE* file)
{
    const SnSheet* sheet = ((const Made*)user)->sheet;
    fprintf(file, "plot,curve,x,y\n");
    for (int p = 0; p < sheet->plot_count; p++)
        for (int c = 0; c < sheet->plots[p].curve_count; c++) {
            const SnCurveData* curve = &sheet->curves[p][c];
            for (int i = 0; i < curve->count; i++)
                fprintf(file, "\"%s\",\"%s\",%.17g,%.17g\n", sheet->plots[p].y.label, curve->name, curve->x[i],
                        curve->y[i]);
        }
}

void sn_figure_print(const SnFigure* figure, const SnSheet* sheet, FILE* file)
{
    fprintf(file, "%s, after %s: %s\nthe paper: %s\n", figure->name, figure->source, figure->shows, figure->expected);
    if (figure->setting) fprintf(file, "here: %s\n", figure->setting);
    fprintf(file, "measured:\n%s", sheet->measured);
    for (int i = 0; i < sheet->finding_count; i++)
        fprintf(file, "  %s  %s\n", sheet->findings[i].holds ? "yes" : "NO ", sheet->findings[i].text);
    if (sheet->notes[0]) fprintf(file, "note: %s\n", sheet->notes);
    bool agrees = sn_sheet_agrees(sheet);
    fprintf(file, "verdict: %s\n", agrees ? "agrees" : "does not agree");
    if (!agrees && figure->differs) fprintf(file, "why: %s\n", figure->differs);
}

static void print_verdict(const void* user, FILE* file)
{
    const Made* made = user;
    sn_figure_print(made->figure, made->sheet, file);
}

static SnStatus write_sheet(const SnFigure* figure, const SnFigureOptions* options, SnSheet* sheet)
{
    Made made = {figure, sheet};
    SN_TRY(sn_text_file_write(sn_figure_path(figure, options, &sheet->arena, ".csv"), print_data, &made));
    for (int p = 0; p < sheet->plot_count; p++) {
        char ending[16];
        snprintf(ending, sizeof ending, "-%d.svg", p + 1);
        const char* path = sn_figure_path(figure, options, &sheet->arena, ending);
        SN_TRY(path ? sn_plot_write(&sheet->plots[p], path) : SN_ERROR_MEMORY);
    }
    return sn_text_file_write(sn_figure_path(figure, options, &sheet->arena, ".txt"), print_verdict, &made);
}

SnStatus sn_figure_make(const SnFigure* figure, const SnFigureOptions* options, SnSheet* sheet)
{
    double begin = sn_processor_ms();
    SN_TRY(sn_folder_make(options->folder));
    SnStatus status = sn_study_make(figure, options, sheet);
    sheet->seconds = (sn_processor_ms() - begin) / 1000;
    if (status == SN_OK) status = write_sheet(figure, options, sheet);
    if (status != SN_OK) snprintf(sheet->failure, sizeof sheet->failure, "%s", sn_last_error());
    return status;
}
