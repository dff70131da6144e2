// A run up to one of its frames, as a file of its own: its rows are copied, nothing is simulated.
#include <stdio.h>

#include "archive/run_database.h"
#include "archive/start.h"

SnStatus sn_run_copy_check(const SnRunFile* from, int64_t step, const char* path)
{
    if (from->format != RUN_FORMAT_VERSION)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: the run was made by an older sinew and cannot be continued; start anew", from->path);
    if (sn_run_file_find_frame(from, step) < 0)
        return sn_fail(SN_ERROR_VALUE, "%s: there is no frame of step %lld", from->path, (long long)step);
    if (!sn_is_same_file(path, from->path)) return SN_OK;
    return sn_fail(SN_ERROR_FILE, "%s: this is the run itself, which would be lost; choose another name", path);
}

// Its journal and locks stay as they are: pragmas and a transaction that is begun to write would be of both files.
SnStatus sn_run_copy_begin(SnRunFile* made, const SnRunFile* from)
{
    const char* slash = from->path[0] == '/' ? "" : "./"; // names as ":memory:" mean something else to SQLite
    char* sql = sqlite3_mprintf("ATTACH '%q%q' AS source", slash, from->path);
    if (!sql) return sn_run_fail(made, SQLITE_NOMEM, "copy a run");
    SnStatus status = sn_run_execute(made, sql, "copy a run");
    sqlite3_free(sql);
    return status;
}

SnStatus sn_run_copy_end(SnRunFile* made)
{
    return sn_run_execute(made, "COMMIT; DETACH source", "copy a run");
}

// How many bodies, or obstacles, came after the step.
static SnStatus count_later(SnRunFile* made, int64_t step, const char* kind, int* later)
{
    char sql[128];
    sqlite3_stmt* statement = NULL;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM source.event WHERE step >= %lld AND kind = '%s'", (long long)step,
             kind);
    int code = sqlite3_prepare_v2(made->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    *later = code == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SN_OK : sn_run_fail(made, code, "copy a run");
}

static SnStatus drop_body(SnRunFile* made, int body)
{
    char sql[96];
    snprintf(sql, sizeof sql, "DELETE FROM main.meta WHERE key GLOB 'body.%d.*'", body);
    return sn_run_execute(made, sql, "copy a run");
}

static SnStatus copy_table(SnRunFile* made, const char* table, const char* where, int64_t bound)
{
    char sql[160];
    snprintf(sql, sizeof sql, "INSERT INTO main.%s SELECT * FROM source.%s WHERE %s %lld", table, table, where,
             (long long)bound);
    return sn_run_execute(made, sql, "copy a run");
}

// Those of steps up to this one; a change after it is none of them. Bodies and obstacles are numbered as they came.
SnStatus sn_run_copy_rows(SnRunFile* made, const SnRunFile* from, int64_t step)
{
    static const char* const by_step[] = {"frame", "step", "loss", "value", "contact", "residual", "checkpoint"};
    static const char* const by_obstacle[] = {"pose", "shape"};
    static const char* const by_body[] = {"skin", "skin_group"};
    char of_step[64];
    int later_bodies, later_obstacles;
    SN_TRY(count_later(made, step, "add-body", &later_bodies));
    SN_TRY(count_later(made, step, "add-obstacle", &later_obstacles));
    int bodies = from->body_count - later_bodies, obstacles = from->obstacle_count - later_obstacles;
    for (size_t i = 0; i < sizeof by_step / sizeof *by_step; i++) SN_TRY(copy_table(made, by_step[i], "step <=", step));
    SN_TRY(copy_table(made, "event", "step <", step));
    snprintf(of_step, sizeof of_step, "step <= %lld AND obstacle <", (long long)step);
    for (int i = 0; i < 2; i++) SN_TRY(copy_table(made, by_obstacle[i], of_step, obstacles));
    SN_TRY(copy_table(made, "obstacle", "obstacle <", obstacles));
    for (int i = 0; i < 2; i++) SN_TRY(copy_table(made, by_body[i], "body <", bodies));
    SN_TRY(copy_table(made, "probe", "number >=", 0));
    SN_TRY(copy_table(made, "meta", "key NOT IN ('branch_of', 'branch_step', 'branch_name') AND 0 =", 0));
    for (int b = bodies; b < from->body_count; b++) SN_TRY(drop_body(made, b));
    return sn_run_put_integer(made, "bodies", bodies);
}
