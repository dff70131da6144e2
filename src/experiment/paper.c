// The figures, one row each, and the files they become.
#include "experiment/paper.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define FIGURE_LIST X(diss_2) X(diss_3) X(diss_6) X(diss_7) X(diss_8)

#define X(name) extern const SnFigure sn_figure_##name;
FIGURE_LIST
#undef X

#define X(name) &sn_figure_##name,
const SnTable sn_figure_table = {.noun = "figure", .rows = (const void* const[]){FIGURE_LIST NULL}};
#undef X

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
    sn_figure_print(figure, sheet, file);
    return close_file(file, folder, figure->name);
}

SnStatus sn_figure_make(const SnFigure* figure, const char* folder, SnSheet* sheet)
{
    SN_TRY(figure->make(sheet));
    for (int p = 0; p < sheet->plot_count; p++) sheet->plots[p].curves = sheet->curves[p];
    return write_sheet(figure, sheet, folder);
}
