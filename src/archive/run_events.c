// The table event: what was changed between steps (sn_world_apply), as numbers.
#include <string.h>

#include "archive/run_database.h"

// --- writing ---

SnStatus sn_run_insert_events(SnRunFile* run, const SnRunFrame* frame)
{
    for (int i = 0; i < frame->event_count; i++) {
        const SnEvent* e = &frame->events[i];
        sqlite3_stmt* statement;
        SN_TRY(sn_run_statement(run, RUN_INSERT_EVENT, &statement));
        sqlite3_bind_int64(statement, 1, e->step);
        int code = sqlite3_bind_text(statement, 2, e->kind, -1, SQLITE_STATIC);
        sqlite3_bind_int(statement, 3, e->target);
        if (code == SQLITE_OK) code = sn_run_bind_blob(statement, 4, e->numbers, (size_t)e->count * sizeof *e->numbers);
        SN_TRY(sn_run_finish(run, statement, code, "write changes"));
    }
    return SN_OK;
}

// --- reading ---

static SnStatus take_event(SnRunFile* run, sqlite3_stmt* statement, int count)
{
    size_t size = (size_t)sqlite3_column_bytes(statement, 3);
    const void* bytes = sn_run_column_blob(statement, 3);
    int64_t target = sqlite3_column_int64(statement, 2);
    if (size % sizeof(double) != 0 || target < 0 || target > INT32_MAX)
        return sn_run_damaged(run, "a change has no numbers, or none that it is of");
    if (size && !bytes) return sn_run_fail(run, SQLITE_NOMEM, "read changes");
    if (!SN_GROW(run->events, run->event_capacity, count + 1, "changes")) return SN_ERROR_MEMORY;
    const char* kind = sn_run_text(&run->event_texts, statement, 1);
    double* numbers = sn_arena_allocate(&run->event_texts, size + 1);
    if (!kind || !numbers) return SN_ERROR_MEMORY;
    if (size) memcpy(numbers, bytes, size);
    run->events[count] =
        (SnEvent){sqlite3_column_int64(statement, 0), kind, (int)target, (int)(size / sizeof(double)), numbers};
    return SN_OK;
}

SnStatus sn_run_file_read_events(SnRunFile* run, int64_t after, const SnEvent** events, int* count)
{
    SN_HANDLE(run);
    SN_NEED(events);
    SN_NEED(count);
    sqlite3_stmt* statement;
    *events = NULL, *count = 0;
    if (run->format < 9) return SN_OK;
    sn_arena_free(&run->event_texts);
    SN_TRY(sn_run_statement(run, RUN_LIST_EVENTS, &statement));
    sqlite3_bind_int64(statement, 1, after);
    SnStatus status = SN_OK;
    int code = SQLITE_DONE, used = 0;
    while (status == SN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = take_event(run, statement, used);
        used += status == SN_OK;
    }
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read changes");
    sqlite3_reset(statement);
    status = sn_run_check_not_replaced(run, status);
    if (status != SN_OK) return status;
    *events = run->events, *count = used;
    return SN_OK;
}
