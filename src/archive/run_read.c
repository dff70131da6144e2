// Opening a run file and reading its frames. Nothing in it is believed before it is checked.
#include "archive/run_database.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/getter.h"

SnStatus sn_run_damaged(const SnRunFile* run, const char* what)
{
    return sn_fail(SN_ERROR_FORMAT, "%s: %s; the file is damaged or was changed by another program", run->path, what);
}

// SQLite reads what is missing of a last page as zeros. A file with a log beside it may be short: the rest is there.
static SnStatus check_length(SnRunFile* run)
{
    bool has_log;
    int64_t pages, page_size;
    struct stat info;
    SN_TRY(sn_run_has_log(run, &has_log));
    SN_TRY(sn_run_pragma(run, "page_count", &pages));
    SN_TRY(sn_run_pragma(run, "page_size", &page_size));
    if (has_log || stat(run->path, &info) != 0 || info.st_size >= pages * page_size) return SN_OK;
    return sn_fail(SN_ERROR_FORMAT, "%s: the file has %lld bytes but should have %lld; copy it again or make it anew",
                   run->path, (long long)info.st_size, (long long)(pages * page_size));
}

// A view of that name could be made to compute for ever.
static SnStatus check_tables(SnRunFile* run)
{
    static const char* const tables[] = {NULL,
                                         "'meta', 'frame', 'step', 'checkpoint'",
                                         "'meta', 'frame', 'step', 'checkpoint', 'loss', 'impulse'",
                                         "'meta', 'frame', 'step', 'checkpoint', 'loss', 'obstacle', 'pose', 'shape'",
                                         "'meta', 'frame', 'step', 'checkpoint', 'loss', 'obstacle', 'pose', 'shape', "
                                         "'contact'",
                                         "'meta', 'frame', 'step', 'checkpoint', 'loss', 'obstacle', 'pose', 'shape', "
                                         "'contact', 'skin', 'skin_group'",
                                         "'meta', 'frame', 'step', 'checkpoint', 'loss', 'obstacle', 'pose', 'shape', "
                                         "'contact', 'skin', 'skin_group', 'probe', 'value'",
                                         "'meta', 'frame', 'step', 'checkpoint', 'loss', 'obstacle', 'pose', 'shape', "
                                         "'contact', 'skin', 'skin_group', 'probe', 'value', 'event'",
                                         "'meta', 'frame', 'step', 'checkpoint', 'loss', 'obstacle', 'pose', 'shape', "
                                         "'contact', 'skin', 'skin_group', 'probe', 'value', 'event', 'residual'"};
    static const int counts[] = {0, 4, 6, 8, 9, 11, 13, 14, 15};
    char sql[320];
    sqlite3_stmt* statement = NULL;
    static const int same_as[] = {0, 1, 2, 3, 3, 4, 4, 5, 6, 7, 8}; // some formats have the same
    int format = same_as[run->format];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (%s)",
             tables[format]);
    int code = sqlite3_prepare_v2(run->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    int count = code == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    if (code != SQLITE_ROW) return sn_run_fail(run, code, "read");
    if (count == counts[format]) return SN_OK;
    snprintf(sql, sizeof sql, "one of the tables %s is missing", tables[format]);
    return sn_run_damaged(run, sql);
}

SnStatus sn_run_check_kind(SnRunFile* run)
{
    int64_t id, version;
    SN_TRY(sn_run_pragma(run, "application_id", &id));
    SN_TRY(sn_run_pragma(run, "user_version", &version));
    if (id != RUN_APPLICATION_ID)
        return sn_fail(SN_ERROR_FORMAT,
                       "%s: this is not a run file but another program's database or an empty file; "
                       "run files are made by `sinew run`",
                       run->path);
    if (version < 1 || version > RUN_FORMAT_VERSION)
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: run file of format %lld, but this sinew %s reads formats 1 to %d",
                       run->path, (long long)version, sn_version(), RUN_FORMAT_VERSION);
    run->format = version;
    SN_TRY(check_length(run));
    return check_tables(run);
}

// --- columns ---

double sn_run_real(sqlite3_stmt* statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, column);
}

int sn_run_int(sqlite3_stmt* statement, int column)
{
    int64_t value = sqlite3_column_int64(statement, column);
    return value < INT_MIN ? INT_MIN : value > INT_MAX ? INT_MAX : (int)value;
}

const char* sn_run_text(SnArena* arena, sqlite3_stmt* statement, int column)
{
    if (sqlite3_column_type(statement, column) == SQLITE_NULL) return "";
    const char* text = sn_run_column_text(statement, column);
    return text ? sn_arena_text(arena, text, strlen(text)) : NULL;
}

SnStatus sn_run_blob(SnRunFile* run, sqlite3_stmt* statement, int column, const char* what, size_t size,
                     const void** items, int* count)
{
    const void* bytes = sn_run_column_blob(statement, column);
    size_t length = (size_t)sqlite3_column_bytes(statement, column);
    if (length % size || length / size > INT_MAX)
        return sn_fail(SN_ERROR_FORMAT, "%s: %s has %zu bytes, not a multiple of %zu; the file is damaged", run->path,
                       what, length, size);
    if (length && !bytes) return sn_run_fail(run, SQLITE_NOMEM, "read");
    void* copy = sn_arena_allocate(&run->arena, length + 1);
    if (copy && length) memcpy(copy, bytes, length);
    *items = copy;
    *count = (int)(length / size);
    return copy ? SN_OK : SN_ERROR_MEMORY;
}

SnStatus sn_run_read_values(SnRunFile* run, sqlite3_stmt* statement, double* values, size_t count, const char* what)
{
    int code = sqlite3_step(statement);
    SnStatus status;
    if (code == SQLITE_DONE)
        status = sn_fail(SN_ERROR_FORMAT, "%s: %s are no longer there; open the file again", run->path, what);
    else if (code != SQLITE_ROW)
        status = sn_run_fail(run, code, "read a frame");
    else {
        const void* bytes = sn_run_column_blob(statement, 0);
        size_t size = (size_t)sqlite3_column_bytes(statement, 0);
        if (size && !bytes)
            status = sn_run_fail(run, SQLITE_NOMEM, "read a frame");
        else
            status = sn_run_unpack(run, bytes, size, values, count * sizeof(double), what);
    }
    sqlite3_reset(statement);
    return status;
}

// --- meta ---

// Leaves *statement on the row, to be reset by the caller, or sets it to NULL when there is no such key.
static SnStatus find_meta(SnRunFile* run, const char* key, sqlite3_stmt** statement)
{
    SN_TRY(sn_run_statement(run, RUN_GET_META, statement));
    sqlite3_bind_text(*statement, 1, key, -1, SQLITE_TRANSIENT);
    int code = sqlite3_step(*statement);
    if (code == SQLITE_ROW) return SN_OK;
    sqlite3_reset(*statement);
    *statement = NULL;
    return code == SQLITE_DONE ? SN_OK : sn_run_fail(run, code, "read meta");
}

SnStatus sn_run_need_meta(SnRunFile* run, const char* key, int type, sqlite3_stmt** statement)
{
    static const char* const type_names[] = {"", "an integer", "a number", "a text", "a blob"};
    SN_TRY(find_meta(run, key, statement));
    if (*statement && sqlite3_column_type(*statement, 0) == type) return SN_OK;
    if (*statement) sqlite3_reset(*statement);
    return sn_fail(SN_ERROR_FORMAT,
                   "%s: the meta table has no %s (%s); the file is damaged or was changed by another "
                   "program",
                   run->path, key, type_names[type]);
}

SnStatus sn_run_meta_text(SnRunFile* run, const char* key, const char** text)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_need_meta(run, key, SQLITE_TEXT, &statement));
    const char* value = sn_run_column_text(statement, 0);
    *text = value ? sn_arena_text(&run->arena, value, strlen(value)) : NULL;
    sqlite3_reset(statement);
    if (!value) return sn_run_fail(run, SQLITE_NOMEM, "read meta");
    return *text ? SN_OK : SN_ERROR_MEMORY;
}

SnStatus sn_run_file_meta(SnRunFile* run, const char* key, const char** text)
{
    SN_NEED(text);
    *text = NULL;
    SN_HANDLE(run);
    SN_NEED(key);
    *text = NULL;
    sqlite3_stmt* statement;
    SN_TRY(find_meta(run, key, &statement));
    if (!statement) return SN_OK;
    sn_free(run->meta);
    run->meta = NULL;
    SnStatus status = SN_OK;
    if (sqlite3_column_type(statement, 0) == SQLITE_TEXT) {
        const char* value = sn_run_column_text(statement, 0);
        if (!value || !(run->meta = sn_copy_text(value))) status = SN_ERROR_MEMORY;
    }
    sqlite3_reset(statement);
    *text = run->meta;
    return status;
}

SnStatus sn_run_load(SnRunFile* run)
{
    SN_TRY(sn_run_check_kind(run));
    sqlite3_stmt* statement;
    static const int statements[] = {0,           RUN_SINCE_2, RUN_SINCE_3, RUN_SINCE_5,  RUN_SINCE_5,   RUN_SINCE_7,
                                     RUN_SINCE_7, RUN_SINCE_8, RUN_SINCE_9, RUN_SINCE_10, RUN_STATEMENTS};
    for (int i = 0; i < statements[run->format]; i++)
        SN_TRY(sn_run_statement(run, i, &statement)); // all columns are there
    SN_TRY(sn_run_meta_text(run, "name", &run->name));
    SN_TRY(sn_run_meta_text(run, "scene", &run->scene));
    SN_TRY(sn_run_need_meta(run, "time_step", SQLITE_FLOAT, &statement));
    run->time_step = sqlite3_column_double(statement, 0);
    sqlite3_reset(statement);
    const char* compression;
    SN_TRY(sn_run_meta_text(run, "compression", &compression));
    if (strcmp(compression, "none") && strcmp(compression, "zlib"))
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: compression \"%.40s\" is not known; this sinew %s reads none and zlib", run->path,
                       compression, sn_version());
    run->compress = strcmp(compression, "zlib") == 0;
    const char* contacts;
    SN_TRY(sn_run_file_meta(run, "contacts", &contacts));
    run->keeps_contacts = contacts && strcmp(contacts, "kept") == 0;
    SN_TRY(sn_run_file_meta(run, "residuals", &contacts));
    run->keeps_residuals = run->format >= 10 && contacts && strcmp(contacts, "kept") == 0;
    SN_TRY(sn_run_file_meta(run, "checkpoints", &contacts));
    run->keeps_checkpoints = contacts && strcmp(contacts, "kept") == 0;
    SN_TRY(sn_run_pragma(run, "schema_version", &run->incarnation));
    SN_TRY(sn_run_load_meshes(run));
    SN_TRY(sn_run_load_probes(run));
    return sn_run_file_refresh(run);
}

static SnStatus open_to_read(const char* path, bool light, SnRunFile** run)
{
    SnRunFile* opened;
    SN_TRY(sn_run_connect(path, RUN_READ, &opened));
    opened->light = light;
    SnStatus status = sn_run_execute(opened, "BEGIN", "read"); // one moment's view, should it be replaced just now
    if (status == SN_OK) status = sn_run_load(opened);
    if (status == SN_OK) status = sn_run_execute(opened, "COMMIT", "read");
    SN_FINISH(status, opened, sn_run_file_destroy, run);
}

SnStatus sn_run_file_open(const char* path, SnRunFile** run)
{
    SN_NEED(run);
    *run = NULL;
    SN_NEED(path);
    return open_to_read(path, false, run);
}

SnStatus sn_run_file_open_lightly(const char* path, SnRunFile** run)
{
    *run = NULL;
    return open_to_read(path, true, run);
}

// --- frames ---

SnStatus sn_run_check_not_replaced(SnRunFile* run, SnStatus status)
{
    int64_t version;
    SnStatus asked = sn_run_pragma(run, "schema_version", &version);
    if (asked == SN_OK && version != run->incarnation)
        return sn_fail(SN_ERROR_FILE, "%s: this run was replaced by a new one; open the file again", run->path);
    return status != SN_OK ? status : asked;
}

SnStatus sn_run_file_refresh(SnRunFile* run)
{
    SN_HANDLE(run);
    sqlite3_stmt* statement;
    SN_TRY(sn_run_find_later(run));
    SN_TRY(sn_run_statement(run, RUN_LIST_FRAMES, &statement));
    int64_t last = run->frame_count ? run->frames[run->frame_count - 1].step : -1;
    sqlite3_bind_int64(statement, 1, last);
    SnStatus status = SN_OK;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && status == SN_OK) {
        RunFrameEntry entry = {sqlite3_column_int64(statement, 0), sn_run_real(statement, 1)};
        if (entry.step <= last)
            status = sn_run_damaged(run, "the frames are out of order");
        else if (!SN_GROW(run->frames, run->frame_capacity, run->frame_count + 1, "the list of frames"))
            status = SN_ERROR_MEMORY;
        else
            run->frames[run->frame_count++] = entry;
        last = entry.step;
    }
    sqlite3_reset(statement);
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read the frames");
    return sn_run_check_not_replaced(run, status);
}

// From a frame of another number of nodes: bodies that had not come yet are as those on the shelf, in one point; those
// that came since the file was opened are not known.
static void fill_up(const SnRunFile* run, int nodes, bool places, double* values)
{
    int known = nodes < run->node_count ? nodes : run->node_count;
    double shelf[3] = {0};
    if (places && known > 0) memcpy(shelf, run->wide, sizeof shelf);
    memcpy(values, run->wide, 3 * (size_t)known * sizeof *values);
    for (int64_t i = known; i < run->node_count; i++) memcpy(values + 3 * i, shelf, sizeof shelf);
}

static SnStatus read_values(SnRunFile* run, RunStatement which, int64_t step, double* values, const char* what)
{
    char text[64];
    snprintf(text, sizeof text, "%s of step %lld", what, (long long)step);
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, which, &statement));
    sqlite3_bind_int64(statement, 1, step);
    int nodes = sn_run_nodes_at(run, step);
    if (nodes == run->node_count) return sn_run_read_values(run, statement, values, 3 * (size_t)nodes, text);
    if (!SN_GROW(run->wide, run->wide_capacity, 3 * (int64_t)nodes, "a frame")) return SN_ERROR_MEMORY;
    SN_TRY(sn_run_read_values(run, statement, run->wide, 3 * (size_t)nodes, text));
    fill_up(run, nodes, which == RUN_GET_POSITIONS, values);
    return SN_OK;
}

SnStatus sn_run_check_frame(const SnRunFile* run, int frame)
{
    if (frame >= 0 && frame < run->frame_count) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "%s: there is no frame %d; the run has %d frames, counted from 0", run->path, frame,
                   run->frame_count);
}

SnStatus sn_run_file_read_frame(SnRunFile* run, int frame, double* positions, double* velocities)
{
    SN_HANDLE(run);
    SN_TRY(sn_run_check_frame(run, frame));
    int64_t step = run->frames[frame].step;
    SnStatus status = SN_OK;
    if (positions) status = read_values(run, RUN_GET_POSITIONS, step, positions, "positions");
    if (velocities && status == SN_OK) status = read_values(run, RUN_GET_VELOCITIES, step, velocities, "velocities");
    return sn_run_check_not_replaced(run, status);
}

SnStatus sn_run_file_find_checkpoint(SnRunFile* run, int64_t latest, int64_t* step)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_GET_CHECKPOINT, &statement));
    sqlite3_bind_int64(statement, 1, latest);
    int code = sqlite3_step(statement);
    *step = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_reset(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SN_OK : sn_run_fail(run, code, "read the checkpoint");
}

SnStatus sn_run_file_read_checkpoint(SnRunFile* run, int64_t latest, int64_t* step, void** state, size_t* state_size)
{
    *state = NULL;
    *state_size = 0;
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_GET_CHECKPOINT, &statement));
    sqlite3_bind_int64(statement, 1, latest);
    int code = sqlite3_step(statement);
    SnStatus status = SN_OK;
    if (code == SQLITE_DONE)
        status = sn_run_damaged(run, "there is no checkpoint");
    else if (code != SQLITE_ROW)
        status = sn_run_fail(run, code, "read the checkpoint");
    else {
        *step = sqlite3_column_int64(statement, 0);
        const void* bytes = sn_run_column_blob(statement, 1);
        *state_size = (size_t)sqlite3_column_bytes(statement, 1);
        if (*state_size && !bytes)
            status = sn_run_fail(run, SQLITE_NOMEM, "read the checkpoint");
        else if (!(*state = sn_copy_memory(bytes, *state_size, 1, "a checkpoint")))
            status = SN_ERROR_MEMORY;
    }
    sqlite3_reset(statement);
    return status;
}

// --- what was read at opening ---

SN_GETTER(const char*, sn_run_file_path, const SnRunFile*, path)
SN_GETTER(const char*, sn_run_file_name, const SnRunFile*, name)
SN_GETTER(const char*, sn_run_file_scene, const SnRunFile*, scene)
SN_GETTER(double, sn_run_file_time_step, const SnRunFile*, time_step)
SN_GETTER(bool, sn_run_file_compressed, const SnRunFile*, compress)

int sn_run_file_format(const SnRunFile* run)
{
    return sn_handle_lives(run) ? (int)run->format : 0;
}

SN_GETTER(int, sn_run_file_node_count, const SnRunFile*, node_count)
SN_GETTER(int, sn_run_file_body_count, const SnRunFile*, body_count)
SN_GETTER(const SnBodyInfo*, sn_run_file_bodies, const SnRunFile*, bodies)
SN_GETTER(int, sn_run_file_obstacle_count, const SnRunFile*, obstacle_count)
SN_GETTER(const SnRunObstacle*, sn_run_file_obstacles, const SnRunFile*, obstacles)
SN_GETTER(int, sn_run_file_frame_count, const SnRunFile*, frame_count)
SN_GETTER(bool, sn_run_file_keeps_checkpoints, const SnRunFile*, keeps_checkpoints)

int sn_run_file_find_frame(const SnRunFile* run, int64_t step)
{
    int low = 0, high = run->frame_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (run->frames[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low < run->frame_count && run->frames[low].step == step ? low : -1;
}

int64_t sn_run_file_frame_step(const SnRunFile* run, int frame)
{
    return sn_handle_lives(run) && frame >= 0 && frame < run->frame_count ? run->frames[frame].step : -1;
}

double sn_run_file_frame_time(const SnRunFile* run, int frame)
{
    return sn_handle_lives(run) && frame >= 0 && frame < run->frame_count ? run->frames[frame].time : NAN;
}
