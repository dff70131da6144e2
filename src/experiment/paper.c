// The figures, one row each, and the files they become.
#include "experiment/paper.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define FIGURE_LIST(X) X(diss_2) X(diss_3) X(diss_6) X(diss_7) X(diss_8)

#define DECLARE(name) extern const SnFigure sn_figure_##name;
FIGURE_LIST(DECLARE)

#define ROW(name) &sn_figure_##name,
const SnTable sn_figure_table = {.noun = "figure", .rows = (const void* const[]){FIGURE_LIST(ROW) NULL}};

static SnStatus write_file(const SnFigure* figure, const SnSheet* sheet, const char* folder, const char* ending,
                           void (*write)(const SnFigure* figure, const SnSheet* sheet, FILE* file))
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, figure->name, ending);
    FILE* file = fopen(path, "w");
    if (!file) return sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    write(figure, sheet, file);
    bool bad = ferror(file) != 0;
    if (fclose(file) == 0 && !bad) return SN_OK;
    return sn_fail(SN_ERROR_FILE, "%s: could not be written; is the disk full?", path);
}

static void print_data(const SnFigure* figure, const SnSheet* sheet, FILE* file)
{
    (void)figure;
    fprintf(file, "plot,curve,x,y\n");
    for (int p = 0; p < sheet->plot_count; p++)
        for (int c = 0; c < sheet->plots[p].curve_count; c++) {
            const SnCurveData* curve = &sheet->curves[p][c];
            for (int i = 0; i < curve->count; i++)
                fprintf(file, "\"%s\",\"%s\",%.17g,%.17g\n", sheet->plots[p].title, curve->name, curve->x[i],
                        curve->y[i]);
        }
}

void sn_figure_print(const SnFigure* figure, const SnSheet* sheet, FILE* file)
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
    SN_TRY(write_file(figure, sheet, folder, ".csv", print_data));
    for (int p = 0; p < sheet->plot_count; p++)
        for (int k = 0; k < 2; k++) {
            char path[4096], number[16] = "";
            if (sheet->plot_count > 1) snprintf(number, sizeof number, "-%d", p + 1);
            snprintf(path, sizeof path, "%s/%s%s.%s", folder, figure->name, number, k ? "png" : "svg");
            SN_TRY(sn_plot_write(&sheet->plots[p], path));
        }
    return write_file(figure, sheet, folder, ".txt", sn_figure_print);
}

SnStatus sn_figure_make(const SnFigure* figure, const char* folder, SnSheet* sheet)
{
    SN_TRY(figure->make(sheet));
    for (int p = 0; p < sheet->plot_count; p++) sheet->plots[p].curves = sheet->curves[p];
    return write_sheet(figure, sheet, folder);
}
