// Writing a run file: made under another name and moved or copied when complete, then one transaction per frame.
//
// The writer holds SQLite's write lock from the moment it opens the file: in write-ahead mode readers do not notice,
// and a second writer is told at once. Every commit is followed by BEGIN IMMEDIATE for that reason.
#include "archive/run_database.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/timer.h"

static const char schema[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value);"
    "CREATE TABLE frame(step INTEGER PRIMARY KEY, time REAL, positions BLOB, velocities BLOB);"
    "CREATE TABLE step(step INTEGER PRIMARY KEY, time REAL, iterations INTEGER, outcome TEXT, gradient REAL, kinetic "
    "REAL, "
    "elastic REAL, gravity REAL, pins REAL, viscous REAL, friction REAL, numerical REAL, px REAL, py REAL, pz REAL, "
    "lx REAL, ly REAL, lz REAL, contacts INTEGER, ms_local REAL, ms_global REAL, ms_contact REAL, ms_total REAL);"
    "CREATE TABLE impulse(step INTEGER PRIMARY KEY, px REAL, py REAL, pz REAL, lx REAL, ly REAL, lz REAL);"
    "CREATE TABLE loss(step INTEGER, name TEXT, joule REAL, UNIQUE(step, name));"
    "CREATE TABLE checkpoint(step INTEGER PRIMARY KEY, state BLOB);";

// --- one transaction per frame ---

static SnStatus begin(SnRunFile* run)
{
    if (!sqlite3_get_autocommit(run->database)) return SN_OK;
    return sn_run_execute(run, "BEGIN IMMEDIATE", "begin writing");
}

static SnStatus commit(SnRunFile* run)
{
    SN_TRY(sn_run_execute(run, "COMMIT", "write"));
    sqlite3_exec(run->database, "BEGIN IMMEDIATE", NULL, NULL, NULL); // refused: the next frame asks again
    return SN_OK;
}

// Takes back what was written since the last commit, keeping the message of what went wrong.
static SnStatus give_up(SnRunFile* run, SnStatus status)
{
    if (!sqlite3_get_autocommit(run->database)) sqlite3_exec(run->database, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static SnStatus insert_step(SnRunFile* run, const SnRunStep* row)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_INSERT_STEP, &statement));
    const SnEnergy* e = &row->energy;
    const double* p = row->momentum;
    const double* l = row->angular_momentum;
    const double reals[] = {row->gradient,
                            e->kinetic,
                            e->elastic,
                            e->gravity,
                            e->pins,
                            e->viscous,
                            e->friction,
                            e->numerical,
                            p[0],
                            p[1],
                            p[2],
                            l[0],
                            l[1],
                            l[2],
                            row->ms_local,
                            row->ms_global,
                            row->ms_contact,
                            row->ms_total};
    sqlite3_bind_int64(statement, 1, row->step);
    sqlite3_bind_double(statement, 2, row->time);
    sqlite3_bind_int(statement, 3, row->iterations);
    sqlite3_bind_text(statement, 4, row->outcome, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, 5, row->contacts);
    for (int i = 0; i < (int)(sizeof reals / sizeof *reals); i++) sqlite3_bind_double(statement, 6 + i, reals[i]);
    SN_TRY(sn_run_finish(run, statement, "write a step"));
    SN_TRY(sn_run_statement(run, RUN_INSERT_IMPULSE, &statement));
    sqlite3_bind_int64(statement, 1, row->step);
    for (int c = 0; c < 3; c++) {
        sqlite3_bind_double(statement, 2 + c, row->impulse[c]);
        sqlite3_bind_double(statement, 5 + c, row->angular_impulse[c]);
    }
    return sn_run_finish(run, statement, "write a step");
}

static SnStatus insert_losses(SnRunFile* run, const SnRunFrame* frame)
{
    for (int i = 0; i < frame->loss_count; i++) {
        sqlite3_stmt* statement;
        SN_TRY(sn_run_statement(run, RUN_INSERT_LOSS, &statement));
        sqlite3_bind_int64(statement, 1, frame->step);
        sqlite3_bind_text(statement, 2, frame->losses[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_double(statement, 3, frame->losses[i].energy);
        SN_TRY(sn_run_finish(run, statement, "write losses"));
    }
    return SN_OK;
}

static SnStatus insert_frame(SnRunFile* run, const SnRunFrame* frame)
{
    const void *x, *v;
    size_t x_size, v_size;
    SN_TRY(sn_run_pack(run, 0, frame->positions, &x, &x_size));
    SN_TRY(sn_run_pack(run, 1, frame->velocities, &v, &v_size));
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_INSERT_FRAME, &statement));
    sqlite3_bind_int64(statement, 1, frame->step);
    sqlite3_bind_double(statement, 2, frame->time);
    int code = sqlite3_bind_blob64(statement, 3, x_size ? x : "", x_size, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_bind_blob64(statement, 4, v_size ? v : "", v_size, SQLITE_STATIC);
    if (code != SQLITE_OK) return sn_run_fail(run, code, "write a frame");
    return sn_run_finish(run, statement, "write a frame");
}

static SnStatus replace_checkpoint(SnRunFile* run, const SnRunFrame* frame)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_DELETE_CHECKPOINTS, &statement));
    SN_TRY(sn_run_finish(run, statement, "write a checkpoint"));
    SN_TRY(sn_run_statement(run, RUN_INSERT_CHECKPOINT, &statement));
    sqlite3_bind_int64(statement, 1, frame->step);
    int code = sqlite3_bind_blob64(statement, 2, frame->state ? frame->state : "", frame->state_size, SQLITE_STATIC);
    if (code != SQLITE_OK) return sn_run_fail(run, code, "write a checkpoint");
    return sn_run_finish(run, statement, "write a checkpoint");
}

static SnStatus write_rows(SnRunFile* run, const SnRunFrame* frame)
{
    SN_TRY(begin(run));
    for (int i = 0; i < frame->step_count; i++) SN_TRY(insert_step(run, &frame->steps[i]));
    SN_TRY(insert_losses(run, frame));
    SN_TRY(insert_frame(run, frame));
    SN_TRY(replace_checkpoint(run, frame));
    return commit(run);
}

SnStatus sn_run_file_append(SnRunFile* run, const SnRunFrame* frame)
{
    int64_t last = run->frame_count ? run->frames[run->frame_count - 1].step : -1;
    if (!run->writable) return sn_fail(SN_ERROR_VALUE, "%s: opened for reading only", run->path);
    if (frame->step <= last)
        return sn_fail(SN_ERROR_VALUE, "%s: frame of step %lld after that of step %lld; frames must be in order",
                       run->path, (long long)frame->step, (long long)last);
    if (!SN_GROW(run->frames, run->frame_capacity, run->frame_count + 1, "the list of frames")) return SN_ERROR_MEMORY;
    SnStatus status = write_rows(run, frame);
    if (status != SN_OK) return give_up(run, status);
    run->frames[run->frame_count++] = (RunFrameEntry){frame->step, frame->time};
    return SN_OK;
}

SnStatus sn_run_file_truncate(SnRunFile* run, int64_t step)
{
    if (!run->writable) return sn_fail(SN_ERROR_VALUE, "%s: opened for reading only", run->path);
    static const char* const tables[] = {"frame", "step", "impulse", "loss"};
    char sql[256];
    for (int i = 0, length = 0; i < 4; i++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, "DELETE FROM %s WHERE step > %lld;", tables[i],
                           (long long)step);
    SnStatus status = begin(run);
    if (status == SN_OK) status = sn_run_execute(run, sql, "drop later frames");
    if (status == SN_OK) status = commit(run);
    if (status != SN_OK) return give_up(run, status);
    while (run->frame_count && run->frames[run->frame_count - 1].step > step) run->frame_count--;
    return SN_OK;
}

// --- meta ---

typedef enum MetaKind { META_TEXT, META_BLOB, META_REAL, META_INTEGER } MetaKind;
typedef struct MetaValue {
    MetaKind kind;
    const void* bytes; // of a text or blob
    size_t size;
    double real;
    int64_t integer;
} MetaValue;

static SnStatus put_meta(SnRunFile* run, const char* key, MetaValue value)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_SET_META, &statement));
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    int code = SQLITE_OK;
    switch (value.kind) {
    case META_TEXT: code = sqlite3_bind_text(statement, 2, value.bytes, -1, SQLITE_STATIC); break;
    case META_BLOB:
        code = sqlite3_bind_blob64(statement, 2, value.size ? value.bytes : "", value.size, SQLITE_STATIC);
        break;
    case META_REAL: code = sqlite3_bind_double(statement, 2, value.real); break;
    case META_INTEGER: code = sqlite3_bind_int64(statement, 2, value.integer); break;
    }
    if (code != SQLITE_OK) return sn_run_fail(run, code, "write meta");
    return sn_run_finish(run, statement, "write meta");
}

static SnStatus put_text(SnRunFile* run, const char* key, const char* text)
{
    return put_meta(run, key, (MetaValue){META_TEXT, .bytes = text});
}

SnStatus sn_run_file_set_meta(SnRunFile* run, const char* key, const char* text)
{
    if (!run->writable) return sn_fail(SN_ERROR_VALUE, "%s: opened for reading only", run->path);
    SnStatus status = begin(run);
    if (status == SN_OK) status = put_text(run, key, text);
    if (status == SN_OK) status = commit(run);
    return status == SN_OK ? SN_OK : give_up(run, status);
}

static SnStatus put_body(SnRunFile* run, int index, const SnRunBody* body)
{
    const struct {
        const char* name;
        const void* items;
        size_t size;
    } blobs[] = {
        {"rest", body->rest, 3 * sizeof(double) * (size_t)body->node_count},
        {"tetrahedra", body->tetrahedra, 4 * sizeof(int) * (size_t)body->tetrahedron_count},
        {"triangles", body->triangles, 3 * sizeof(int) * (size_t)body->triangle_count},
        {"edges", body->edges, 2 * sizeof(int) * (size_t)body->edge_count},
        {"surface", body->surface, 3 * sizeof(int) * (size_t)body->surface_count},
    };
    char key[64], range[64];
    snprintf(key, sizeof key, "body.%d.name", index);
    SN_TRY(put_text(run, key, body->name));
    snprintf(key, sizeof key, "body.%d.nodes", index);
    snprintf(range, sizeof range, "%d %d", body->first_node, body->node_count);
    SN_TRY(put_text(run, key, range));
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs; i++) {
        snprintf(key, sizeof key, "body.%d.%s", index, blobs[i].name);
        SN_TRY(put_meta(run, key, (MetaValue){META_BLOB, .bytes = blobs[i].items, .size = blobs[i].size}));
    }
    return SN_OK;
}

static SnStatus put_def(SnRunFile* run, const SnRunDef* def)
{
    SN_TRY(put_text(run, "version", sn_version()));
    SN_TRY(put_text(run, "name", def->name));
    SN_TRY(put_text(run, "scene", def->scene));
    SN_TRY(put_text(run, "compression", sn_compression_names[def->compression]));
    SN_TRY(put_meta(run, "time_step", (MetaValue){META_REAL, .real = def->time_step}));
    SN_TRY(put_meta(run, "bodies", (MetaValue){META_INTEGER, .integer = def->body_count}));
    for (int i = 0; i < def->body_count; i++) SN_TRY(put_body(run, i, &def->bodies[i]));
    return SN_OK;
}

// --- making a file ---

// Closes without putting anything in order.
static void discard(SnRunFile* run)
{
    if (run) run->writable = false;
    sn_run_file_destroy(run);
}

static SnStatus move(const char* from, const char* to)
{
    if (rename(from, to) == 0) return SN_OK;
    return sn_fail(SN_ERROR_FILE, "%s: cannot be made: %s", to, strerror(errno));
}

static void remove_with_journals(const char* path)
{
    static const char* const endings[] = {"", "-wal", "-shm", "-journal"};
    char name[4200];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

// Opens what is at path to be replaced, if it is a run file; *old is NULL when there is nothing.
static SnStatus find_old(const char* path, SnRunFile** old)
{
    struct stat info;
    *old = NULL;
    if (stat(path, &info) != 0 && errno == ENOENT) {
        remove_with_journals(path); // the log of a run file that was removed would be played into the new one
        return SN_OK;
    }
    SnStatus status = sn_run_connect(path, RUN_APPEND, old);
    int64_t id = RUN_APPLICATION_ID;
    if (status == SN_OK && info.st_size > 0) status = sn_run_pragma(*old, "application_id", &id);
    if (status == SN_OK && id != RUN_APPLICATION_ID)
        status = sn_fail(SN_ERROR_FORMAT, "%s: this is another program's database", path);
    if (status == SN_OK) return SN_OK;
    discard(*old);
    *old = NULL;
    return sn_fail_prefix(status, "an existing file is not overwritten unless it is a run file (remove it, or choose "
                                  "another name with -o)");
}

// Copies a database over another in one transaction. The file stays the same one: to rename over a database that
// another program may be reading would give it the new file's log with the old file's pages.
static int copy_database(SnRunFile* to, SnRunFile* from)
{
    sqlite3_busy_timeout(to->database, RUN_IN_USE_MS);
    sqlite3_backup* backup = sqlite3_backup_init(to->database, "main", from->database, "main");
    if (!backup) return sqlite3_errcode(to->database);
    double start = sn_now_ms();
    int code;
    do {
        code = sqlite3_backup_step(backup, -1);
        if ((code & 0xff) == SQLITE_BUSY) sqlite3_sleep(20);
    } while ((code & 0xff) == SQLITE_BUSY && sn_now_ms() - start < RUN_IN_USE_MS);
    sqlite3_backup_finish(backup);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

// Puts the finished file `partial` in the place of `old`, which is closed.
static SnStatus replace(SnRunFile* old, const char* partial, const char* path)
{
    SnRunFile* made;
    SnStatus status = sn_run_connect(partial, RUN_READ, &made);
    int code = status == SN_OK ? copy_database(old, made) : SQLITE_OK;
    if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED)
        status = sn_fail(SN_ERROR_FILE,
                         "%s: another program is writing this run; end it first, or choose another name "
                         "with -o",
                         path);
    else if (code != SQLITE_OK && (code & 0xff) != SQLITE_CORRUPT)
        status = sn_run_fail(old, code, "replace");
    sn_run_file_destroy(made);
    discard(old);
    if (status != SN_OK || code == SQLITE_OK) return status;
    remove_with_journals(path); // too damaged even to be written over
    return move(partial, path);
}

static SnStatus fill(SnRunFile* run, const SnRunDef* def, const SnRunFrame* start)
{
    char pragmas[256]; // no journal, no waiting for the disk: it is thrown away unless it becomes complete
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA page_size=%d; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; BEGIN IMMEDIATE; "
             "PRAGMA application_id=%d; PRAGMA user_version=%d",
             RUN_PAGE_SIZE, RUN_APPLICATION_ID, RUN_FORMAT_VERSION);
    SN_TRY(sn_run_execute(run, pragmas, "make"));
    SN_TRY(sn_run_execute(run, schema, "make"));
    SN_TRY(put_def(run, def));
    run->compression = def->compression;
    for (int i = 0; i < def->body_count; i++) run->node_count += def->bodies[i].node_count;
    return sn_run_file_append(run, start);
}

static SnStatus make_partial(const char* partial, const SnRunDef* def, const SnRunFrame* start)
{
    remove_with_journals(partial);
    SnRunFile* made;
    SN_TRY(sn_run_connect(partial, RUN_CREATE, &made));
    SnStatus status = fill(made, def, start);
    if (status == SN_OK) return sn_run_file_close(made);
    discard(made);
    return status;
}

SnStatus sn_run_file_create_from(const char* path, const SnRunDef* def, const SnRunFrame* start, SnRunFile** run)
{
    *run = NULL;
    char partial[4096];
    if (snprintf(partial, sizeof partial, "%s.%d.partial", path, (int)getpid()) >= (int)sizeof partial - 16)
        return sn_fail(SN_ERROR_VALUE, "%.60s...: the path is too long", path);
    SnRunFile* old;
    SN_TRY(find_old(path, &old));
    SnStatus status = make_partial(partial, def, start);
    if (status != SN_OK) {
        status = sn_fail_prefix(status, "%s cannot be made", path);
        discard(old);
    } else
        status = old ? replace(old, partial, path) : move(partial, path);
    remove_with_journals(partial);
    return status == SN_OK ? sn_run_file_open_to_append(path, run) : status;
}

// --- opening and closing ---

static SnStatus prepare_to_append(SnRunFile* run)
{
    SN_TRY(sn_run_check_kind(run));
    if (run->format != RUN_FORMAT_VERSION)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: the run was made by an older sinew and cannot be continued; start anew", run->path);
    bool log;
    sqlite3_busy_timeout(run->database, RUN_IN_USE_MS);
    // Where the file system has no shared memory the journal stays as it is: readers then wait for commits.
    SN_TRY(sn_run_journal_mode(run, "wal", &log));
    SN_TRY(sn_run_execute(run, "PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=256", "prepare"));
    int code = sqlite3_exec(run->database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if ((code & 0xff) == SQLITE_BUSY)
        return sn_fail(SN_ERROR_FILE,
                       "%s: another program is writing this run; end it first, or choose another name with "
                       "-o",
                       run->path);
    if (code != SQLITE_OK) return sn_run_fail(run, code, "write");
    sqlite3_busy_timeout(run->database, RUN_PATIENCE_MS);
    return sn_run_load(run);
}

SnStatus sn_run_file_open_to_append(const char* path, SnRunFile** run)
{
    SN_TRY(sn_run_connect(path, RUN_APPEND, run));
    SnStatus status = prepare_to_append(*run);
    if (status != SN_OK) {
        discard(*run);
        *run = NULL;
    }
    return status;
}

// Ends writing: everything into the one file, no log beside it. With readers about, the log stays until they are gone.
static SnStatus come_to_rest(SnRunFile* run)
{
    if (!sqlite3_get_autocommit(run->database)) SN_TRY(sn_run_execute(run, "COMMIT", "write"));
    sqlite3_busy_timeout(run->database, RUN_IN_USE_MS);
    bool at_rest;
    SN_TRY(sn_run_journal_mode(run, "delete", &at_rest));
    if (at_rest) return SN_OK;
    int code = sqlite3_wal_checkpoint_v2(run->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    bool done = code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
    return done ? SN_OK : sn_run_fail(run, code, "finish");
}

SnStatus sn_run_file_close(SnRunFile* run)
{
    if (!run) return SN_OK;
    for (int i = 0; i < RUN_STATEMENTS; i++) sqlite3_finalize(run->statements[i]);
    SnStatus status = run->writable && run->database ? come_to_rest(run) : SN_OK;
    sqlite3_close_v2(run->database);
    sn_arena_free(&run->arena);
    sn_free(run->bodies);
    sn_free(run->frames);
    for (int i = 0; i < 2; i++) sn_free(run->packed[i]);
    sn_free(run->state);
    sn_free(run->path);
    sn_free(run);
    return status;
}

void sn_run_file_destroy(SnRunFile* run)
{
    sn_run_file_close(run);
}
