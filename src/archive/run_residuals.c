// The table residual: what solves have left over at each node, where that is kept.
#include <string.h>

#include "archive/run_database.h"

static size_t size_at(const SnRunFile* run, const SnRunFrame* frame)
{
    size_t nodes = (size_t)run->node_count;
    for (int i = 0; i < frame->later_count; i++) nodes += (size_t)frame->later[i].node_count;
    return nodes * sizeof(float);
}

SnStatus sn_run_insert_residuals(SnRunFile* run, const SnRunFrame* frame)
{
    const void* bytes;
    size_t size;
    sqlite3_stmt* statement;
    if (!frame->residuals) return SN_OK;
    SN_TRY(sn_run_pack(run, 0, frame->residuals, size_at(run, frame), &bytes, &size));
    SN_TRY(sn_run_statement(run, RUN_INSERT_RESIDUALS, &statement));
    sqlite3_bind_int64(statement, 1, frame->step);
    return sn_run_finish(run, statement, sn_run_bind_blob(statement, 2, bytes, size), "write residuals");
}

static SnStatus read_row(SnRunFile* run, sqlite3_stmt* statement, int nodes)
{
    const void* bytes = sn_run_column_blob(statement, 0);
    size_t size = (size_t)sqlite3_column_bytes(statement, 0);
    if (size && !bytes) return sn_run_fail(run, SQLITE_NOMEM, "read residuals");
    return sn_run_unpack(run, bytes, size, run->residuals, (size_t)nodes * sizeof *run->residuals, "residuals");
}

SnStatus sn_run_file_read_residuals(SnRunFile* run, int frame, double* residuals)
{
    SN_HANDLE(run);
    SN_NEED(residuals);
    sqlite3_stmt* statement;
    SN_TRY(sn_run_check_frame(run, frame));
    if (!run->keeps_residuals)
        return sn_fail(SN_ERROR_VALUE,
                       "%s: no residuals were kept; `output: {residuals: true}` in the scene has them, and simulations "
                       "in the browser do",
                       run->path);
    int64_t step = run->frames[frame].step;
    int nodes = sn_run_nodes_at(run, step);
    if (!SN_GROW(run->residuals, run->residual_capacity, nodes, "residuals")) return SN_ERROR_MEMORY;
    memset(residuals, 0, (size_t)run->node_count * sizeof *residuals);
    SN_TRY(sn_run_statement(run, RUN_GET_RESIDUALS, &statement));
    sqlite3_bind_int64(statement, 1, step);
    int code = sqlite3_step(statement);
    SnStatus status = code == SQLITE_ROW    ? read_row(run, statement, nodes)
                      : code == SQLITE_DONE ? SN_OK
                                            : sn_run_fail(run, code, "read residuals");
    sqlite3_reset(statement);
    for (int i = 0; i < nodes && i < run->node_count && code == SQLITE_ROW && status == SN_OK; i++)
        residuals[i] = run->residuals[i];
    return sn_run_check_not_replaced(run, status);
}
