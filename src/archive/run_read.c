// Reading a run file: meta, meshes, frames, steps. Nothing in it is believed before it is checked.
#include "archive/run_database.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static SnStatus damaged(const SnRunFile* run, const char* what)
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
    // A view of that name could be made to compute for ever.
    sqlite3_stmt* statement = NULL;
    int code = sqlite3_prepare_v2(run->database,
                                  "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND "
                                  "name IN ('meta', 'frame', 'step', 'checkpoint', 'impulse', 'loss')",
                                  -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    int tables = code == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    if (code != SQLITE_ROW) return sn_run_fail(run, code, "read");
    if (tables == (version == 1 ? 4 : 6)) return SN_OK;
    return damaged(run, "one of the tables meta, frame, step, checkpoint, impulse and loss is missing");
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

// The same, but the key must be there with a value of this SQLite type.
static SnStatus need_meta(SnRunFile* run, const char* key, int type, sqlite3_stmt** statement)
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

static SnStatus meta_text(SnRunFile* run, const char* key, const char** text)
{
    sqlite3_stmt* statement;
    SN_TRY(need_meta(run, key, SQLITE_TEXT, &statement));
    const char* value = (const char*)sqlite3_column_text(statement, 0);
    *text = value ? sn_arena_text(&run->arena, value, strlen(value)) : NULL;
    sqlite3_reset(statement);
    if (!value) return sn_run_fail(run, SQLITE_NOMEM, "read meta");
    return *text ? SN_OK : SN_ERROR_MEMORY;
}

// A blob as items of `size` bytes, in the run's arena.
static SnStatus meta_blob(SnRunFile* run, const char* key, size_t size, const void** items, int* count)
{
    sqlite3_stmt* statement;
    SN_TRY(need_meta(run, key, SQLITE_BLOB, &statement));
    const void* bytes = sqlite3_column_blob(statement, 0);
    size_t length = (size_t)sqlite3_column_bytes(statement, 0);
    void* copy = NULL;
    SnStatus status = SN_OK;
    if (length % size || length / size > INT_MAX)
        status = sn_fail(SN_ERROR_FORMAT, "%s: meta %s has %zu bytes, not a multiple of %zu; the file is damaged",
                         run->path, key, length, size);
    else if (length && !bytes)
        status = sn_run_fail(run, SQLITE_NOMEM, "read meta");
    else if (!(copy = sn_arena_allocate(&run->arena, length + 1)))
        status = SN_ERROR_MEMORY;
    else if (length)
        memcpy(copy, bytes, length);
    sqlite3_reset(statement);
    *items = copy;
    *count = (int)(length / size);
    return status;
}

SnStatus sn_run_file_meta(SnRunFile* run, const char* key, char** text)
{
    *text = NULL;
    sqlite3_stmt* statement;
    SN_TRY(find_meta(run, key, &statement));
    if (!statement) return SN_OK;
    SnStatus status = SN_OK;
    if (sqlite3_column_type(statement, 0) == SQLITE_TEXT) {
        const char* value = (const char*)sqlite3_column_text(statement, 0);
        if (!value)
            status = sn_run_fail(run, SQLITE_NOMEM, "read meta");
        else if (!(*text = sn_copy_text(value)))
            status = SN_ERROR_MEMORY;
    }
    sqlite3_reset(statement);
    return status;
}

// --- meshes ---

static SnStatus load_elements(SnRunFile* run, int index, const char* kind, int corners, int node_count,
                              const int** elements, int* count)
{
    char key[64];
    snprintf(key, sizeof key, "body.%d.%s", index, kind);
    const void* items;
    SN_TRY(meta_blob(run, key, sizeof(int) * (size_t)corners, &items, count));
    *elements = items;
    for (size_t i = 0; i < (size_t)*count * (size_t)corners; i++)
        if ((*elements)[i] < 0 || (*elements)[i] >= node_count)
            return sn_fail(SN_ERROR_FORMAT, "%s: meta %s names node %d of a body of %d nodes; the file is damaged",
                           run->path, key, (*elements)[i], node_count);
    return SN_OK;
}

static SnStatus load_body(SnRunFile* run, int index)
{
    SnRunBody* body = &run->bodies[index];
    char key[64];
    snprintf(key, sizeof key, "body.%d.name", index);
    SN_TRY(meta_text(run, key, &body->name));
    snprintf(key, sizeof key, "body.%d.nodes", index);
    const char* range;
    SN_TRY(meta_text(run, key, &range));
    char rest_of_text;
    if (sscanf(range, "%d %d%c", &body->first_node, &body->node_count, &rest_of_text) != 2 || body->node_count < 0 ||
        body->first_node != run->node_count || body->node_count > INT_MAX / 3 - run->node_count)
        return sn_fail(SN_ERROR_FORMAT,
                       "%s: meta %s is \"%.40s\", but \"first count\" must begin at node %d; the file is "
                       "damaged",
                       run->path, key, range, run->node_count);
    snprintf(key, sizeof key, "body.%d.rest", index);
    const void* rest;
    int rest_count;
    SN_TRY(meta_blob(run, key, 3 * sizeof(double), &rest, &rest_count));
    body->rest = rest;
    if (rest_count != body->node_count)
        return sn_fail(SN_ERROR_FORMAT, "%s: meta %s holds %d nodes instead of %d; the file is damaged", run->path, key,
                       rest_count, body->node_count);
    int n = body->node_count;
    SN_TRY(load_elements(run, index, "tetrahedra", 4, n, &body->tetrahedra, &body->tetrahedron_count));
    SN_TRY(load_elements(run, index, "triangles", 3, n, &body->triangles, &body->triangle_count));
    SN_TRY(load_elements(run, index, "edges", 2, n, &body->edges, &body->edge_count));
    SN_TRY(load_elements(run, index, "surface", 3, n, &body->surface, &body->surface_count));
    run->node_count += n;
    return SN_OK;
}

static SnStatus load_bodies(SnRunFile* run)
{
    sqlite3_stmt* statement;
    SN_TRY(need_meta(run, "bodies", SQLITE_INTEGER, &statement));
    int64_t count = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    if (count < 0 || count > INT_MAX) return damaged(run, "meta bodies is not a number of bodies");
    for (int i = 0; i < count; i++) { // one at a time: the number may be wrong
        if (!SN_GROW(run->bodies, run->body_capacity, i + 1, "the bodies of a run file")) return SN_ERROR_MEMORY;
        SN_TRY(load_body(run, i));
        run->body_count = i + 1;
    }
    return SN_OK;
}

SnStatus sn_run_load(SnRunFile* run)
{
    SN_TRY(sn_run_check_kind(run));
    sqlite3_stmt* statement;
    int statements = run->format == 1 ? RUN_LIST_STEPS : RUN_STATEMENTS;
    for (int i = 0; i < statements; i++) SN_TRY(sn_run_statement(run, i, &statement)); // all columns are there
    SN_TRY(meta_text(run, "name", &run->name));
    SN_TRY(meta_text(run, "scene", &run->scene));
    SN_TRY(need_meta(run, "time_step", SQLITE_FLOAT, &statement));
    run->time_step = sqlite3_column_double(statement, 0);
    sqlite3_reset(statement);
    const char* compression;
    SN_TRY(meta_text(run, "compression", &compression));
    if (strcmp(compression, "none") && strcmp(compression, "zlib"))
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: compression \"%.40s\" is not known; this sinew %s reads none and zlib", run->path,
                       compression, sn_version());
    run->compression = strcmp(compression, "zlib") ? SN_COMPRESSION_NONE : SN_COMPRESSION_ZLIB;
    SN_TRY(sn_run_pragma(run, "schema_version", &run->incarnation));
    SN_TRY(load_bodies(run));
    return sn_run_file_refresh(run);
}

SnStatus sn_run_file_open(const char* path, SnRunFile** run)
{
    SN_TRY(sn_run_connect(path, RUN_READ, run));
    SnStatus status = sn_run_execute(*run, "BEGIN", "read"); // one moment's view, should it be replaced just now
    if (status == SN_OK) status = sn_run_load(*run);
    if (status == SN_OK) status = sn_run_execute(*run, "COMMIT", "read");
    if (status != SN_OK) {
        sn_run_file_destroy(*run);
        *run = NULL;
    }
    return status;
}

// --- frames ---

// Replacing a run raises the version of its schema. Asked after reading: before, it might still happen.
static SnStatus check_not_replaced(SnRunFile* run, SnStatus status)
{
    int64_t version;
    SnStatus asked = sn_run_pragma(run, "schema_version", &version);
    if (asked == SN_OK && version != run->incarnation)
        return sn_fail(SN_ERROR_FILE, "%s: this run was replaced by a new one; open the file again", run->path);
    return status != SN_OK ? status : asked;
}

static double real_column(sqlite3_stmt* statement, int column)
{
    // SQLite keeps "not a number" as NULL.
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, column);
}

SnStatus sn_run_file_refresh(SnRunFile* run)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_LIST_FRAMES, &statement));
    int64_t last = run->frame_count ? run->frames[run->frame_count - 1].step : -1;
    sqlite3_bind_int64(statement, 1, last);
    SnStatus status = SN_OK;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && status == SN_OK) {
        RunFrameEntry entry = {sqlite3_column_int64(statement, 0), real_column(statement, 1)};
        if (entry.step <= last)
            status = damaged(run, "the frames are out of order");
        else if (!SN_GROW(run->frames, run->frame_capacity, run->frame_count + 1, "the list of frames"))
            status = SN_ERROR_MEMORY;
        else
            run->frames[run->frame_count++] = entry;
        last = entry.step;
    }
    sqlite3_reset(statement);
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read the frames");
    return check_not_replaced(run, status);
}

static SnStatus read_values(SnRunFile* run, RunStatement which, int64_t step, double* values, const char* what)
{
    char text[64];
    snprintf(text, sizeof text, "%s of step %lld", what, (long long)step);
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, which, &statement));
    sqlite3_bind_int64(statement, 1, step);
    int code = sqlite3_step(statement);
    SnStatus status;
    if (code == SQLITE_DONE)
        status = sn_fail(SN_ERROR_FORMAT, "%s: %s are no longer there; open the file again", run->path, text);
    else if (code != SQLITE_ROW)
        status = sn_run_fail(run, code, "read a frame");
    else {
        const void* bytes = sqlite3_column_blob(statement, 0);
        size_t size = (size_t)sqlite3_column_bytes(statement, 0);
        if (size && !bytes)
            status = sn_run_fail(run, SQLITE_NOMEM, "read a frame");
        else
            status = sn_run_unpack(run, bytes, size, values, 3 * (size_t)run->node_count, text);
    }
    sqlite3_reset(statement);
    return status;
}

SnStatus sn_run_file_read_frame(SnRunFile* run, int frame, double* positions, double* velocities)
{
    if (frame < 0 || frame >= run->frame_count)
        return sn_fail(SN_ERROR_VALUE, "%s: there is no frame %d; the run has %d frames, counted from 0", run->path,
                       frame, run->frame_count);
    int64_t step = run->frames[frame].step;
    SnStatus status = SN_OK;
    if (positions) status = read_values(run, RUN_GET_POSITIONS, step, positions, "positions");
    if (velocities && status == SN_OK) status = read_values(run, RUN_GET_VELOCITIES, step, velocities, "velocities");
    return check_not_replaced(run, status);
}

// --- steps ---

static int int_column(sqlite3_stmt* statement, int column)
{
    int64_t value = sqlite3_column_int64(statement, column);
    return value < INT_MIN ? INT_MIN : value > INT_MAX ? INT_MAX : (int)value;
}

static SnRunStep step_row(sqlite3_stmt* statement)
{
    SnRunStep row = {.step = sqlite3_column_int64(statement, 0), .time = real_column(statement, 1)};
    row.iterations = int_column(statement, 2);
    const char* outcome = (const char*)sqlite3_column_text(statement, 3);
    snprintf(row.outcome, sizeof row.outcome, "%s", outcome ? outcome : "");
    row.contacts = int_column(statement, 4);
    row.gradient = real_column(statement, 5);
    SnEnergy* e = &row.energy;
    double* energies[] = {&e->kinetic, &e->elastic, &e->gravity, &e->pins, &e->viscous, &e->friction, &e->numerical};
    for (int i = 0; i < 7; i++) *energies[i] = real_column(statement, 6 + i);
    for (int i = 0; i < 3; i++) row.momentum[i] = real_column(statement, 13 + i);
    for (int i = 0; i < 3; i++) row.angular_momentum[i] = real_column(statement, 16 + i);
    row.ms_local = real_column(statement, 19);
    row.ms_global = real_column(statement, 20);
    row.ms_contact = real_column(statement, 21);
    row.ms_total = real_column(statement, 22);
    for (int i = 0; i < 3; i++) row.impulse[i] = real_column(statement, 23 + i);
    for (int i = 0; i < 3; i++) row.angular_impulse[i] = real_column(statement, 26 + i);
    return row;
}

SnStatus sn_run_file_read_steps(SnRunFile* run, int64_t after, SnRunStep** steps, int* count)
{
    *steps = NULL;
    *count = 0;
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, run->format == 1 ? RUN_LIST_STEPS_OF_FORMAT_1 : RUN_LIST_STEPS, &statement));
    sqlite3_bind_int64(statement, 1, after);
    SnStatus status = SN_OK;
    int code, capacity = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && status == SN_OK) {
        if (!SN_GROW(*steps, capacity, *count + 1, "the list of steps"))
            status = SN_ERROR_MEMORY;
        else
            (*steps)[(*count)++] = step_row(statement);
    }
    sqlite3_reset(statement);
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read the steps");
    status = check_not_replaced(run, status);
    if (status == SN_OK && !*steps && !SN_NEW(*steps, 0, "the list of steps")) status = SN_ERROR_MEMORY;
    if (status != SN_OK) {
        sn_free(*steps);
        *steps = NULL;
        *count = 0;
    }
    return status;
}

SnStatus sn_run_file_read_losses(SnRunFile* run, int64_t after, SnRunLoss** losses, int* count)
{
    *losses = NULL;
    *count = 0;
    if (!SN_NEW(*losses, 0, "the list of losses")) return SN_ERROR_MEMORY;
    if (run->format == 1) return SN_OK;
    sqlite3_stmt* statement = NULL;
    SnStatus status = sn_run_statement(run, RUN_LIST_LOSSES, &statement);
    int code = SQLITE_DONE, capacity = 0;
    if (status == SN_OK) sqlite3_bind_int64(statement, 1, after);
    while (status == SN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!SN_GROW(*losses, capacity, *count + 1, "the list of losses")) {
            status = SN_ERROR_MEMORY;
            break;
        }
        SnRunLoss* row = &(*losses)[(*count)++];
        const char* name = (const char*)sqlite3_column_text(statement, 1);
        row->step = sqlite3_column_int64(statement, 0);
        row->energy = real_column(statement, 2);
        snprintf(row->name, sizeof row->name, "%s", name ? name : "");
    }
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read the losses");
    if (statement) sqlite3_reset(statement);
    status = check_not_replaced(run, status);
    if (status == SN_OK) return SN_OK;
    sn_free(*losses);
    *losses = NULL;
    *count = 0;
    return status;
}

SnStatus sn_run_file_read_checkpoint(SnRunFile* run, int64_t* step, void** state, size_t* state_size)
{
    *state = NULL;
    *state_size = 0;
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_GET_CHECKPOINT, &statement));
    int code = sqlite3_step(statement);
    SnStatus status = SN_OK;
    if (code == SQLITE_DONE)
        status = damaged(run, "there is no checkpoint");
    else if (code != SQLITE_ROW)
        status = sn_run_fail(run, code, "read the checkpoint");
    else {
        *step = sqlite3_column_int64(statement, 0);
        const void* bytes = sqlite3_column_blob(statement, 1);
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

const char* sn_run_file_path(const SnRunFile* run)
{
    return run->path;
}

const char* sn_run_file_name(const SnRunFile* run)
{
    return run->name;
}

const char* sn_run_file_scene(const SnRunFile* run)
{
    return run->scene;
}

double sn_run_file_time_step(const SnRunFile* run)
{
    return run->time_step;
}

SnCompression sn_run_file_compression(const SnRunFile* run)
{
    return run->compression;
}

int sn_run_file_node_count(const SnRunFile* run)
{
    return run->node_count;
}

int sn_run_file_body_count(const SnRunFile* run)
{
    return run->body_count;
}

const SnRunBody* sn_run_file_bodies(const SnRunFile* run)
{
    return run->bodies;
}

int sn_run_file_frame_count(const SnRunFile* run)
{
    return run->frame_count;
}

int64_t sn_run_file_frame_step(const SnRunFile* run, int frame)
{
    return frame >= 0 && frame < run->frame_count ? run->frames[frame].step : -1;
}

double sn_run_file_frame_time(const SnRunFile* run, int frame)
{
    return frame >= 0 && frame < run->frame_count ? run->frames[frame].time : NAN;
}
