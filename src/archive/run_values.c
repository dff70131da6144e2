// The tables probe and value: the numbers that are measured, and what they were in each step.
#include <math.h>

#include "archive/run_database.h"
#include "core/getter.h"

enum { MOST_PROBES = 1000000 }; // numbers of a file that can be right

// --- writing ---

SnStatus sn_run_put_probes(SnRunFile* run, const SnRunDef* def)
{
    for (int i = 0; i < def->probe_count; i++) {
        const SnValueInfo* p = &def->probes[i];
        const char* texts[] = {p->name, p->what, p->component, p->unit};
        sqlite3_stmt* statement;
        SN_TRY(sn_run_statement(run, RUN_INSERT_PROBE, &statement));
        int code = sqlite3_bind_int(statement, 1, i);
        for (int k = 0; k < 4 && code == SQLITE_OK; k++)
            code = sqlite3_bind_text(statement, 2 + k, texts[k], -1, SQLITE_STATIC);
        SN_TRY(sn_run_finish(run, statement, code, "write probes"));
    }
    run->probe_count = def->probe_count;
    return SN_OK;
}

// What is not a number is NULL in the file.
SnStatus sn_run_insert_values(SnRunFile* run, const SnRunFrame* frame)
{
    for (int i = 0; i < frame->step_count; i++)
        for (int k = 0; k < run->probe_count; k++) {
            sqlite3_stmt* statement;
            SN_TRY(sn_run_statement(run, RUN_INSERT_VALUE, &statement));
            sqlite3_bind_int64(statement, 1, frame->steps[i].step);
            sqlite3_bind_int(statement, 2, k);
            sqlite3_bind_double(statement, 3, frame->values[(int64_t)i * run->probe_count + k]);
            SN_TRY(sn_run_finish(run, statement, SQLITE_OK, "write values"));
        }
    return SN_OK;
}

// --- reading ---

static SnStatus load_probe(SnRunFile* run, sqlite3_stmt* statement)
{
    if (run->probe_count >= MOST_PROBES || sqlite3_column_int64(statement, 0) != run->probe_count)
        return sn_run_damaged(run, "the probes are not numbered one after the other");
    if (!SN_GROW(run->probes, run->probe_capacity, run->probe_count + 1, "probes")) return SN_ERROR_MEMORY;
    const char* texts[4];
    for (int k = 0; k < 4; k++)
        if (!(texts[k] = sn_run_text(&run->arena, statement, 1 + k))) return SN_ERROR_MEMORY;
    run->probes[run->probe_count++] = (SnValueInfo){texts[0], texts[1], texts[2], texts[3]};
    return SN_OK;
}

SnStatus sn_run_load_probes(SnRunFile* run)
{
    sqlite3_stmt* statement;
    if (run->format < 8) return SN_OK;
    SN_TRY(sn_run_statement(run, RUN_LIST_PROBES, &statement));
    SnStatus status = SN_OK;
    int code = SQLITE_DONE;
    while (status == SN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) status = load_probe(run, statement);
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read the probes");
    sqlite3_reset(statement);
    return status;
}

SN_GETTER(int, sn_run_file_value_count, const SnRunFile*, probe_count)
SN_GETTER(const SnValueInfo*, sn_run_file_values, const SnRunFile*, probes)

static SnStatus take_value(SnRunFile* run, int64_t step, int64_t number, double value, int* count)
{
    if (number < 0 || number >= run->probe_count) return sn_run_damaged(run, "a value is of no probe");
    if (*count == 0 || run->value_steps[*count - 1] != step) {
        int64_t used = (int64_t)*count * run->probe_count;
        if (!SN_GROW(run->value_steps, run->value_step_capacity, *count + 1, "values") ||
            !SN_GROW(run->values, run->values_capacity, used + run->probe_count, "values"))
            return SN_ERROR_MEMORY;
        for (int k = 0; k < run->probe_count; k++) run->values[used + k] = NAN;
        run->value_steps[(*count)++] = step;
    }
    run->values[(int64_t)(*count - 1) * run->probe_count + number] = value;
    return SN_OK;
}

SnStatus sn_run_file_read_values(SnRunFile* run, int64_t after, const int64_t** steps, const double** values,
                                 int* count)
{
    SN_HANDLE(run);
    SN_NEED(steps);
    SN_NEED(values);
    SN_NEED(count);
    sqlite3_stmt* statement;
    *steps = NULL, *values = NULL, *count = 0;
    if (run->probe_count == 0) return SN_OK;
    SN_TRY(sn_run_statement(run, RUN_LIST_VALUES, &statement));
    sqlite3_bind_int64(statement, 1, after);
    SnStatus status = SN_OK;
    int code = SQLITE_DONE, used = 0;
    while (status == SN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = take_value(run, sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                            sn_run_real(statement, 2), &used);
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read the values");
    sqlite3_reset(statement);
    status = sn_run_check_not_replaced(run, status);
    if (status != SN_OK) return status;
    *steps = run->value_steps, *values = run->values, *count = used;
    return SN_OK;
}
