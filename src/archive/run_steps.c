// Rows of the tables step and loss, written and read.
#include "archive/run_database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- writing ---

// "7 12" in the file; nothing where a step did not stall.
static void bind_nodes(sqlite3_stmt* statement, int index, const SnRunStep* row)
{
    char text[SN_WORST_NODES * 12] = "";
    for (int i = 0; i < row->worst_count; i++) sn_append(text, sizeof text, "%s%d", i ? " " : "", row->worst[i]);
    if (*text) sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

static void bind_column(sqlite3_stmt* statement, int index, const SnRunStep* row, const SnRunColumn* column)
{
    const void* member = (const char*)row + column->offset;
    switch (column->type) {
    case SN_COLUMN_INT64: sqlite3_bind_int64(statement, index, *(const int64_t*)member); break;
    case SN_COLUMN_INT: sqlite3_bind_int(statement, index, *(const int*)member); break;
    case SN_COLUMN_REAL: sqlite3_bind_double(statement, index, *(const double*)member); break;
    case SN_COLUMN_TEXT: {
        const char* text = *(const char* const*)member;
        if (text && *text) sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
        break;
    }
    case SN_COLUMN_NODES: bind_nodes(statement, index, row); break;
    }
}

SnStatus sn_run_insert_step(SnRunFile* run, const SnRunStep* row)
{
    int count;
    const SnRunColumn* columns = sn_run_columns(&count);
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_INSERT_STEP, &statement));
    for (int i = 0; i < count; i++) bind_column(statement, i + 1, row, &columns[i]);
    return sn_run_finish(run, statement, SQLITE_OK, "write a step");
}

SnStatus sn_run_insert_losses(SnRunFile* run, const SnRunFrame* frame)
{
    for (int i = 0; i < frame->loss_count; i++) {
        sqlite3_stmt* statement;
        SN_TRY(sn_run_statement(run, RUN_INSERT_LOSS, &statement));
        sqlite3_bind_int64(statement, 1, frame->step);
        sqlite3_bind_text(statement, 2, frame->losses[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_double(statement, 3, frame->losses[i].energy);
        SN_TRY(sn_run_finish(run, statement, SQLITE_OK, "write losses"));
    }
    return SN_OK;
}

// --- reading ---

// Outcomes that we know need no memory.
static const char* text_of(SnRunFile* run, sqlite3_stmt* statement, int index)
{
    const char* text = sn_run_column_text(statement, index);
    for (int i = SN_OUTCOME_CONVERGED; text && i <= SN_OUTCOME_UNSETTLED; i++)
        if (strcmp(text, sn_outcome_name(i)) == 0) return sn_outcome_name(i);
    return sn_run_text(&run->step_texts, statement, index);
}

// As many as make sense.
static void read_nodes(const SnRunFile* run, sqlite3_stmt* statement, int index, SnRunStep* row)
{
    const char* text = sn_run_column_text(statement, index);
    char* end;
    while (text && row->worst_count < SN_WORST_NODES) {
        long node = strtol(text, &end, 10);
        if (end == text || node < 0 || node >= run->node_count) break;
        row->worst[row->worst_count++] = (int)node;
        text = end;
    }
}

static SnStatus read_step(SnRunFile* run, sqlite3_stmt* statement, void* to)
{
    int count;
    const SnRunColumn* column = sn_run_columns(&count);
    SnRunStep* row = to;
    *row = (SnRunStep){0};
    for (int i = 0; i < count; i++, column++) {
        void* member = (char*)row + column->offset;
        switch (column->type) {
        case SN_COLUMN_INT64: *(int64_t*)member = sqlite3_column_int64(statement, i); break;
        case SN_COLUMN_INT: *(int*)member = sn_run_int(statement, i); break;
        case SN_COLUMN_REAL: *(double*)member = sn_run_real(statement, i); break;
        case SN_COLUMN_TEXT:
            if (!(*(const char**)member = text_of(run, statement, i))) return SN_ERROR_MEMORY;
            break;
        case SN_COLUMN_NODES: read_nodes(run, statement, i, row); break;
        }
    }
    return SN_OK;
}

static SnStatus read_loss(SnRunFile* run, sqlite3_stmt* statement, void* to)
{
    SnRunLoss* row = to;
    row->step = sqlite3_column_int64(statement, 0);
    row->name = sn_run_text(&run->loss_texts, statement, 1);
    row->energy = sn_run_real(statement, 2);
    return row->name ? SN_OK : SN_ERROR_MEMORY;
}

// Rows of `size` bytes, kept in *rows.
static SnStatus read_rows(SnRunFile* run, RunStatement which, int64_t after,
                          SnStatus (*read)(SnRunFile* run, sqlite3_stmt* statement, void* to), size_t size, void** rows,
                          int* capacity, int* count)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, which, &statement));
    sqlite3_bind_int64(statement, 1, after);
    SnStatus status = SN_OK;
    int code = SQLITE_DONE, used = 0;
    while (status == SN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (used == *capacity && !sn_grow(rows, capacity, used + 1, size, "the rows of a run file"))
            status = SN_ERROR_MEMORY;
        else
            status = read(run, statement, (char*)*rows + (size_t)used++ * size);
    }
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read the steps");
    sqlite3_reset(statement);
    status = sn_run_check_not_replaced(run, status);
    *count = status == SN_OK ? used : 0;
    return status;
}

SnStatus sn_run_file_read_steps(SnRunFile* run, int64_t after, const SnRunStep** steps, int* count)
{
    SN_HANDLE(run);
    SN_NEED(steps);
    SN_NEED(count);
    void* rows = run->steps;
    sn_arena_free(&run->step_texts);
    SnStatus status =
        read_rows(run, RUN_LIST_STEPS, after, read_step, sizeof **steps, &rows, &run->step_capacity, count);
    *steps = run->steps = rows;
    return status;
}

SnStatus sn_run_file_read_losses(SnRunFile* run, int64_t after, const SnRunLoss** losses, int* count)
{
    SN_HANDLE(run);
    SN_NEED(losses);
    SN_NEED(count);
    void* rows = run->losses;
    *count = 0;
    sn_arena_free(&run->loss_texts);
    SnStatus status = run->format == 1 ? SN_OK
                                       : read_rows(run, RUN_LIST_LOSSES, after, read_loss, sizeof **losses, &rows,
                                                   &run->loss_capacity, count);
    *losses = run->losses = rows;
    return status;
}
