// What probes have measured as CSV: a row for each step, a column for each number, with its unit.
#include <math.h>
#include <stdio.h>

#include "archive/exporter.h"
#include "archive/measured.h"
#include "core/plain.h"

static void write_header(FILE* file, const SnRunFile* run)
{
    const SnValueInfo* infos = sn_run_file_values(run);
    fputs("step,time s", file);
    for (int k = 0; k < sn_run_file_value_count(run); k++) {
        fputs(",\"", file);
        for (const char* c = sn_value_label(&infos[k]).text; *c; c++) fprintf(file, *c == '"' ? "\"\"" : "%c", *c);
        fprintf(file, "%s%s\"", *infos[k].unit ? " " : "", infos[k].unit);
    }
    fputc('\n', file);
}

static void write_rows(FILE* file, const SnRunFile* run, const SnRunStep* steps, int count, const int64_t* at,
                       const double* values, int rows)
{
    int width = sn_run_file_value_count(run);
    for (int i = 0, row = 0; i < count; i++) {
        fprintf(file, "%lld,%.17g", (long long)steps[i].step, steps[i].time);
        while (row < rows && at[row] < steps[i].step) row++;
        for (int k = 0; k < width; k++) {
            double value = row < rows && at[row] == steps[i].step ? values[(int64_t)row * width + k] : NAN;
            fputc(',', file);
            if (!isnan(value)) fprintf(file, "%.17g", value);
        }
        fputc('\n', file);
    }
}

SnStatus sn_export_values(SnRunFile* run, const char* folder, const char* name)
{
    char path[4200];
    const SnRunStep* steps;
    const int64_t* at;
    const double* values;
    int count, rows;
    if (sn_run_file_value_count(run) == 0)
        return sn_fail(SN_ERROR_VALUE,
                       "%s: nothing was measured; add what is wanted to `measure` of the scene and run it anew",
                       sn_run_file_path(run));
    SN_TRY(sn_run_file_read_steps(run, -1, &steps, &count));
    SN_TRY(sn_run_file_read_values(run, -1, &at, &values, &rows));
    if (snprintf(path, sizeof path, "%s/%s.measured.csv", folder, name) >= (int)sizeof path)
        return sn_fail(SN_ERROR_VALUE, "%.60s...: the path is too long", folder);
    SN_TRY(sn_export_make_folder(folder));
    FILE* file;
    SnPlain plain;
    SN_TRY(sn_export_open_file(path, &file));
    SnStatus status = sn_plain_begin(&plain);
    if (status == SN_OK) {
        write_header(file, run);
        write_rows(file, run, steps, count, at, values, rows);
    }
    sn_plain_end(&plain);
    SnStatus closed = sn_export_close_file(file, path);
    return status != SN_OK ? status : closed;
}
