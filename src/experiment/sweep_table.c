// What came of the cases of a sweep: a row for each.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive/measured.h"
#include "archive/sheet.h"
#include "core/memory.h"
#include "experiment/sweep.h"

enum { COMMON = 9 }; // columns that every run has
static const char* const common[COMMON] = {"outcome", "steps",     "converged", "time",   "kinetic",
                                           "elastic", "work done", "numerical", "ms_step"};

typedef struct Table {
    SnSweep* sweep;
    int value_count; // of the first run that is there; others have the same
    SnSheet sheet;
    const char** columns;
    SnCell* cells;
} Table;

// Numbers as numbers, so that they can be plotted and sorted.
static SnCell cell_of(const char* text)
{
    char* end;
    double number = strtod(text, &end);
    return *end || end == text ? (SnCell){text, NAN} : (SnCell){NULL, number};
}

static SnStatus name_columns(Table* t, const SnRunFile* run)
{
    SnSweep* sweep = t->sweep;
    t->value_count = run ? sn_run_file_value_count(run) : 0;
    int count = 0, width = 1 + sweep->over_count + COMMON + 3 * t->value_count;
    t->columns = sn_arena_allocate(&sweep->arena, (size_t)width * sizeof *t->columns);
    if (!t->columns) return SN_ERROR_MEMORY;
    t->columns[count++] = "case";
    for (int k = 0; k < sweep->over_count; k++) t->columns[count++] = sweep->overs[k].path;
    for (int k = 0; k < COMMON; k++) t->columns[count++] = common[k];
    for (int k = 0; k < t->value_count; k++)
        for (int kind = 0; kind < 3; kind++) {
            static const char* const kinds[] = {"", " least", " most"};
            const char* label = sn_value_label(&sn_run_file_values(run)[k]).text;
            if (!(t->columns[count++] = sn_arena_print(&sweep->arena, "%s%s", label, kinds[kind])))
                return SN_ERROR_MEMORY;
        }
    t->sheet.column_count = width;
    return SN_OK;
}

static void put_steps(const SnRunStep* steps, int count, SnCell* cells)
{
    int converged = 0;
    double ms = 0;
    for (int i = 0; i < count; i++) {
        if (steps[i].step == 0) continue;
        converged += strcmp(steps[i].outcome, sn_outcome_name(SN_OUTCOME_CONVERGED)) == 0;
        ms += steps[i].ms_total;
    }
    const SnRunStep* last = &steps[count - 1];
    const double numbers[COMMON - 1] = {(double)last->step,
                                        converged,
                                        last->time,
                                        last->energy.kinetic,
                                        last->energy.elastic,
                                        last->energy.pins,
                                        last->energy.numerical,
                                        count > 1 ? ms / (count - 1) : 0};
    for (int k = 0; k < COMMON - 1; k++) cells[1 + k].number = numbers[k];
}

static void put_values(const Table* t, const double* values, int count, SnCell* cells)
{
    for (int k = 0; k < t->value_count && count > 0; k++) {
        double lo = NAN, hi = NAN;
        for (int i = 0; i < count; i++)
            lo = fmin(lo, values[i * t->value_count + k]), hi = fmax(hi, values[i * t->value_count + k]);
        cells[3 * k].number = values[(count - 1) * t->value_count + k];
        cells[3 * k + 1].number = lo, cells[3 * k + 2].number = hi;
    }
}

static SnStatus put_run(const Table* t, SnRunFile* run, SnCell* cells)
{
    const SnRunStep* steps;
    const int64_t* at;
    const double* values;
    int count;
    SN_TRY(sn_run_file_read_steps(run, -1, &steps, &count));
    if (count > 0) put_steps(steps, count, cells);
    if (sn_run_file_value_count(run) != t->value_count) return SN_OK; // the scene was changed: nothing to compare
    SN_TRY(sn_run_file_read_values(run, -1, &at, &values, &count));
    put_values(t, values, count, cells + COMMON);
    return SN_OK;
}

static SnStatus fill_row(const Table* t, int number, SnRunFile* run)
{
    const SnSweepCase* one = &t->sweep->cases[number];
    SnCell* cells = t->cells + (int64_t)number * t->sheet.column_count;
    for (int c = 0; c < t->sheet.column_count; c++) cells[c] = (SnCell){NULL, NAN};
    cells[0].number = number;
    for (int k = 0; k < t->sweep->over_count; k++) cells[1 + k] = cell_of(one->values[k]);
    SnCell* own = cells + 1 + t->sweep->over_count;
    own->text = one->done ? "done" : one->failure ? one->failure : run ? "unfinished" : "not run";
    return run ? put_run(t, run, own) : SN_OK;
}

static SnStatus write(const Table* t)
{
    const char* csv = sn_arena_print(&t->sweep->arena, "%s/table.csv", t->sweep->folder);
    const char* database = sn_arena_print(&t->sweep->arena, "%s/table.sqlite", t->sweep->folder);
    if (!csv || !database) return SN_ERROR_MEMORY;
    SN_TRY(sn_sheet_write_csv(&t->sheet, csv));
    return sn_sheet_write_database(&t->sheet, database);
}

static SnRunFile* open_run(SnSweep* sweep, int number)
{
    SnRunFile* run = NULL;
    const char* path = sn_sweep_path(sweep, number, ".run");
    return path && sn_run_file_open(path, &run) == SN_OK ? run : NULL;
}

SnStatus sn_sweep_write_table(SnSweep* sweep)
{
    Table t = {.sweep = sweep, .sheet = {.name = "result", .row_count = sweep->case_count}};
    SnRunFile* run = NULL;
    for (int i = 0; i < sweep->case_count && !run; i++) run = open_run(sweep, i);
    SnStatus status = name_columns(&t, run);
    sn_run_file_destroy(run);
    if (status == SN_OK && !SN_NEW(t.cells, (int64_t)t.sheet.column_count * sweep->case_count, "a table"))
        status = SN_ERROR_MEMORY;
    for (int i = 0; i < sweep->case_count && status == SN_OK; i++) {
        run = open_run(sweep, i);
        status = fill_row(&t, i, run);
        sn_run_file_destroy(run);
    }
    t.sheet.columns = t.columns, t.sheet.cells = t.cells;
    if (status == SN_OK) status = write(&t);
    sn_free(t.cells);
    return status;
}
