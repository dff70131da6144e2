// SQLite as the run file sees it: connections, statements prepared at first use, errors as sentences with a remedy.
#include "archive/run_database.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/sanitizer.h"

typedef struct Reason {
    int code; // primary result code
    SnStatus status;
    const char* text; // NULL: SQLite's own
} Reason;

static const Reason reasons[] = {
    {SQLITE_NOMEM, SN_ERROR_MEMORY, "out of memory"},
    {SQLITE_FULL, SN_ERROR_FILE, "the disk is full; what was written before is safe, make room and use --resume"},
    {SQLITE_IOERR, SN_ERROR_FILE, "the disk reports an error; what was written before is safe"},
    {SQLITE_CORRUPT, SN_ERROR_FORMAT, "the file is damaged; make it anew with `sinew run`"},
    {SQLITE_NOTADB, SN_ERROR_FORMAT, "this is not a run file; run files are made by `sinew run`"},
    {SQLITE_BUSY, SN_ERROR_FILE, "another program has the file open; close it or choose another name"},
    {SQLITE_LOCKED, SN_ERROR_FILE, "another program has the file open; close it or choose another name"},
    {SQLITE_READONLY, SN_ERROR_FILE, "the file or its folder may not be written; choose another place"},
    {SQLITE_TOOBIG, SN_ERROR_VALUE, "more than 1 GB in one piece, which a run file cannot hold"},
    {SQLITE_CONSTRAINT, SN_ERROR_VALUE, "this step is in the file already"},
    {SQLITE_CANTOPEN, SN_ERROR_FILE, "the file cannot be opened; check that its folder exists and may be written"},
    {SQLITE_ERROR, SN_ERROR_FORMAT, NULL},
};

SnStatus sn_run_fail(const SnRunFile* run, int code, const char* doing)
{
    struct rlimit most;
    bool limited = getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY;
    if (((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_FULL) && limited)
        return sn_fail(SN_ERROR_FILE,
                       "%s: cannot %s: the disk is full, or files may not become larger than %llu kB here (ulimit -f); "
                       "what was written before is safe, raise the limit and use --resume",
                       run->path, doing, (unsigned long long)most.rlim_cur / 1000);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].code != (code & 0xff)) continue;
        const char* text = reasons[i].text ? reasons[i].text : sqlite3_errmsg(run->database);
        return sn_fail(reasons[i].status, "%s: cannot %s: %s", run->path, doing, text);
    }
    return sn_fail(SN_ERROR_FILE, "%s: cannot %s: %s", run->path, doing, sqlite3_errstr(code));
}

const char* sn_run_column_text(sqlite3_stmt* statement, int column)
{
    const char* text = (const char*)sqlite3_column_text(statement, column);
    if (text) SN_WRITTEN(text, (size_t)sqlite3_column_bytes(statement, column) + 1);
    return text;
}

const void* sn_run_column_blob(sqlite3_stmt* statement, int column)
{
    const void* bytes = sqlite3_column_blob(statement, column);
    if (bytes) SN_WRITTEN(bytes, (size_t)sqlite3_column_bytes(statement, column));
    return bytes;
}

SnStatus sn_run_execute(SnRunFile* run, const char* sql, const char* doing)
{
    int code = sqlite3_exec(run->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? SN_OK : sn_run_fail(run, code, doing);
}

static const char* const statement_texts[RUN_STATEMENTS] = {
    [RUN_INSERT_FRAME] = "INSERT INTO frame(step, time, positions, velocities) VALUES(?, ?, ?, ?)",
    [RUN_INSERT_LOSS] = "INSERT INTO loss(step, name, joule) VALUES(?,?,?)",
    [RUN_DELETE_CHECKPOINTS] = "DELETE FROM checkpoint WHERE step > ?",
    [RUN_INSERT_CHECKPOINT] = "INSERT INTO checkpoint(step, state) VALUES(?, ?)",
    [RUN_SET_META] = "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)",
    [RUN_GET_META] = "SELECT value FROM meta WHERE key = ?",
    [RUN_LIST_FRAMES] = "SELECT step, time FROM frame WHERE step > ? ORDER BY step",
    [RUN_GET_POSITIONS] = "SELECT positions FROM frame WHERE step = ?",
    [RUN_GET_VELOCITIES] = "SELECT velocities FROM frame WHERE step = ?",
    [RUN_LIST_LOSSES] = "SELECT step, name, joule FROM loss WHERE step > ? ORDER BY step, rowid",
    [RUN_GET_CHECKPOINT] = "SELECT step, state FROM checkpoint WHERE step <= ? ORDER BY step DESC LIMIT 1",
    [RUN_INSERT_OBSTACLE] = "INSERT INTO obstacle(obstacle, name, type, friction, thickness, px, py, pz, nx, ny, nz, "
                            "changes, vertices, triangles) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [RUN_LIST_OBSTACLES] = "SELECT obstacle, name, type, friction, thickness, px, py, pz, nx, ny, nz, changes, "
                           "vertices, triangles FROM obstacle ORDER BY obstacle",
    [RUN_COUNT_OBSTACLES] = "SELECT count(*) FROM obstacle",
    [RUN_INSERT_POSE] = "INSERT INTO pose(obstacle, step, xx, xy, xz, yx, yy, yz, zx, zy, zz, x, y, z) "
                        "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [RUN_GET_POSE] = "SELECT xx, xy, xz, yx, yy, yz, zx, zy, zz, x, y, z FROM pose WHERE obstacle = ? AND step <= ? "
                     "ORDER BY step DESC LIMIT 1",
    [RUN_INSERT_SHAPE] = "INSERT INTO shape(obstacle, step, vertices) VALUES(?,?,?)",
    [RUN_INSERT_CONTACTS] = "INSERT INTO contact(step, count, pairs, forces) VALUES(?,?,?,?)",
    [RUN_GET_CONTACTS] = "SELECT count, pairs, forces FROM contact WHERE step = ?",
    [RUN_INSERT_SKIN] = "INSERT INTO skin(body, rest, starts, corners, uvs, corner_uvs, normals, corner_normals, "
                        "colours, smoothing, carriers, weights) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
    [RUN_LIST_SKINS] = "SELECT body, rest, starts, corners, uvs, corner_uvs, normals, corner_normals, colours, "
                       "smoothing, carriers, weights FROM skin ORDER BY body",
    [RUN_INSERT_SKIN_GROUP] = "INSERT INTO skin_group(body, number, kind, name, faces) VALUES(?,?,?,?,?)",
    [RUN_LIST_SKIN_GROUPS] = "SELECT kind, name, faces FROM skin_group WHERE body = ? ORDER BY number",
    [RUN_INSERT_PROBE] = "INSERT INTO probe(number, name, what, component, unit) VALUES(?,?,?,?,?)",
    [RUN_LIST_PROBES] = "SELECT number, name, what, component, unit FROM probe ORDER BY number",
    [RUN_INSERT_VALUE] = "INSERT INTO value(step, number, value) VALUES(?,?,?)",
    [RUN_LIST_VALUES] = "SELECT step, number, value FROM value WHERE step > ? ORDER BY step, number",
    [RUN_INSERT_EVENT] = "INSERT INTO event(step, kind, target, numbers) VALUES(?,?,?,?)",
    [RUN_LIST_EVENTS] = "SELECT step, kind, target, numbers FROM event WHERE step > ? ORDER BY number",
    [RUN_INSERT_RESIDUALS] = "INSERT INTO residual(step, norms) VALUES(?,?)",
    [RUN_GET_RESIDUALS] = "SELECT norms FROM residual WHERE step = ?",
    [RUN_GET_SHAPE] = "SELECT vertices FROM shape WHERE obstacle = ? AND step <= ? ORDER BY step DESC LIMIT 1",
};

static int prepare(SnRunFile* run, RunStatement which, sqlite3_stmt** statement)
{
    char sql[RUN_LONGEST_SQL];
    const char* text = statement_texts[which];
    if (which == RUN_LIST_STEPS) sn_run_step_selection(run->format, sql);
    if (which == RUN_INSERT_STEP) sn_run_step_insertion(sql);
    return sqlite3_prepare_v3(run->database, text ? text : sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

SnStatus sn_run_statement(SnRunFile* run, RunStatement which, sqlite3_stmt** statement)
{
    sqlite3_stmt** kept = &run->statements[which];
    if (!*kept) {
        int code = prepare(run, which, kept);
        if (code != SQLITE_OK) return sn_run_fail(run, code, "use the tables of a run file in it");
    }
    sqlite3_reset(*kept); // a reader that failed half way may have left it standing
    *statement = *kept;
    return SN_OK;
}

SnStatus sn_run_finish(SnRunFile* run, sqlite3_stmt* statement, int bound, const char* doing)
{
    if (bound != SQLITE_OK) return sn_run_fail(run, bound, doing);
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement); // they point to memory of the caller
    return code == SQLITE_DONE ? SN_OK : sn_run_fail(run, code, doing);
}

int sn_run_bind_blob(sqlite3_stmt* statement, int index, const void* bytes, size_t size)
{
    return sqlite3_bind_blob64(statement, index, size ? bytes : "", size, SQLITE_STATIC);
}

SnStatus sn_run_pragma(SnRunFile* run, const char* name, int64_t* value)
{
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA %s", name);
    sqlite3_stmt* statement = NULL;
    int code = sqlite3_prepare_v2(run->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    *value = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SN_OK : sn_run_fail(run, code, "read");
}

// PRAGMA journal_mode or journal_mode=MODE: the code and whether the mode is then `mode`.
static int ask_journal_mode(SnRunFile* run, const char* sql, const char* mode, bool* is_mode)
{
    sqlite3_stmt* statement = NULL;
    int code = sqlite3_prepare_v2(run->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    *is_mode = code == SQLITE_ROW && !sqlite3_stricmp(sn_run_column_text(statement, 0), mode);
    sqlite3_finalize(statement);
    return code;
}

SnStatus sn_run_journal_mode(SnRunFile* run, const char* mode, bool* got)
{
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA journal_mode=%s", mode);
    int code = ask_journal_mode(run, sql, mode, got);
    bool busy = (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
    return code == SQLITE_ROW || busy ? SN_OK : sn_run_fail(run, code, "change the journal");
}

SnStatus sn_run_has_log(SnRunFile* run, bool* has_log)
{
    int code = ask_journal_mode(run, "PRAGMA journal_mode", "wal", has_log);
    return code == SQLITE_ROW ? SN_OK : sn_run_fail(run, code, "read");
}

// SQLite gives ":memory:", "file:..." and "" a meaning of their own, but not to "./:memory:".
static const char* plain_name(SnRunFile* run, const char* path)
{
    return path[0] == '/' ? sn_arena_print(&run->arena, "%s", path) : sn_arena_print(&run->arena, "./%s", path);
}

// As a URI that promises SQLite that nobody writes: the only way to read a database left in write-ahead mode, without
// its log, in a folder that may not be written.
static const char* immutable_name(SnRunFile* run, const char* plain)
{
    size_t length = strlen(plain);
    char* uri = sn_arena_allocate(&run->arena, 3 * length + 32);
    if (!uri) return NULL;
    char* end = uri + sprintf(uri, "file:");
    for (const char* c = plain; *c; c++) {
        if (*c == '?' || *c == '#' || *c == '%')
            end += sprintf(end, "%%%02X", *c);
        else
            *end++ = *c;
    }
    sprintf(end, "?immutable=1");
    return uri;
}

static int open_database(SnRunFile* run, const char* name, int flags)
{
    SN_TRUST_LIBRARIES();
    int code = sqlite3_open_v2(name, &run->database, flags, NULL);
    if (code != SQLITE_OK) return code;
    sqlite3_extended_result_codes(run->database, 1);
    sqlite3_busy_timeout(run->database, RUN_PATIENCE_MS);
    sqlite3_db_config(run->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    // Nothing in a file from elsewhere may run functions; sizes of cells are checked before they are believed.
    code = sqlite3_exec(run->database, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON", NULL, NULL, NULL);
    if (code != SQLITE_OK) return code;
    return sqlite3_exec(run->database, "PRAGMA application_id", NULL, NULL, NULL); // looks at the file only now
}

static bool has_log(const char* path)
{
    char name[4096];
    struct stat info;
    snprintf(name, sizeof name, "%s-wal", path);
    return stat(name, &info) == 0 && info.st_size > 0;
}

SnStatus sn_run_check_file(const char* path, RunOpenMode mode)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        if (mode == RUN_CREATE && errno == ENOENT) return SN_OK;
        return sn_fail(SN_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode))
        return sn_fail(SN_ERROR_FILE, "%s: %s, not a run file", path,
                       S_ISDIR(info.st_mode) ? "this is a folder" : "this is a device or pipe");
    return SN_OK;
}

static int reopen(SnRunFile* run, const char* name, int flags)
{
    sqlite3_close(run->database);
    run->database = NULL;
    return name ? open_database(run, name, flags) : SQLITE_NOMEM;
}

// Readers open for writing too where they may (SQLite falls back by itself) and then promise not to: only so is the
// journal of a killed run played back, and its log put into the file when the last reader leaves.
static int open_to_read(SnRunFile* run, const char* plain)
{
    int code = open_database(run, plain, SQLITE_OPEN_READWRITE);
    if (((code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY) && !has_log(run->path))
        code = reopen(run, immutable_name(run, plain), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    if (code == SQLITE_OK) code = sqlite3_exec(run->database, "PRAGMA query_only=ON", NULL, NULL, NULL);
    return code;
}

SnStatus sn_run_connect(const char* path, RunOpenMode mode, SnRunFile** result)
{
    *result = NULL;
    SN_TRY(sn_run_check_file(path, mode));
    SnRunFile* run;
    if (!SN_NEW(run, 1, "a run file")) return SN_ERROR_MEMORY;
    sn_handle_made(run);
    run->path = sn_copy_text(path);
    const char* plain = run->path ? plain_name(run, path) : NULL;
    if (!plain) return sn_run_file_destroy(run), SN_ERROR_MEMORY;
    int create = mode == RUN_CREATE ? SQLITE_OPEN_CREATE : 0;
    int code = mode == RUN_READ ? open_to_read(run, plain) : open_database(run, plain, SQLITE_OPEN_READWRITE | create);
    if (code != SQLITE_OK) {
        SnStatus status = sn_run_fail(run, code, "open");
        sn_run_file_destroy(run);
        return status;
    }
    run->writable = mode != RUN_READ;
    *result = run;
    return SN_OK;
}
