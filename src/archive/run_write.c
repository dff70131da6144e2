// Writing a run file: one transaction per frame.
//
// The writer holds SQLite's write lock from the moment it opens the file: in write-ahead mode readers do not notice,
// and other programs that know SQLite wait. Every commit is followed by BEGIN IMMEDIATE for that reason. Between the
// two the lock is free: what keeps a second writer of runs away is the one of run_lock.c.
#include "archive/run_database.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// --- one transaction per frame ---

static SnStatus begin(SnRunFile* run)
{
    if (!sqlite3_get_autocommit(run->database)) return SN_OK;
    SN_TRY(sn_run_execute(run, "BEGIN IMMEDIATE", "begin writing"));
    return run->incarnation ? sn_run_check_not_replaced(run, SN_OK) : SN_OK;
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
    sn_run_forget_places(run);
    return status;
}

static SnStatus insert_frame_pieces(SnRunFile* run, const SnRunFrame* frame)
{
    static const char* const columns[] = {"positions", "velocities"};
    int64_t sizes[2];
    sqlite3_stmt* statement;
    for (int i = 0; i < 2; i++) SN_TRY(sn_run_pieces_size(run, frame->pieces, (SnRunArray)i, &sizes[i]));
    SN_TRY(sn_run_statement(run, RUN_INSERT_FRAME, &statement));
    sqlite3_bind_int64(statement, 1, frame->step);
    sqlite3_bind_double(statement, 2, frame->time);
    int code = SQLITE_OK;
    for (int i = 0; i < 2 && code == SQLITE_OK; i++)
        code = sqlite3_bind_zeroblob64(statement, 3 + i, (uint64_t)sizes[i]);
    SN_TRY(sn_run_finish(run, statement, code, "write a frame"));
    for (int i = 0; i < 2; i++)
        SN_TRY(sn_run_put_pieces(run, "frame", columns[i], frame->step, frame->pieces, (SnRunArray)i, 0));
    return SN_OK;
}

static SnStatus insert_frame(SnRunFile* run, const SnRunFrame* frame)
{
    if (frame->pieces) return insert_frame_pieces(run, frame);
    const void *x, *v;
    size_t x_size, v_size, raw = 3 * (size_t)run->node_count * sizeof(double);
    for (int i = 0; i < frame->later_count; i++) raw += 3 * (size_t)frame->later[i].node_count * sizeof(double);
    SN_TRY(sn_run_pack(run, 0, frame->positions, raw, &x, &x_size));
    SN_TRY(sn_run_pack(run, 1, frame->velocities, raw, &v, &v_size));
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_INSERT_FRAME, &statement));
    sqlite3_bind_int64(statement, 1, frame->step);
    sqlite3_bind_double(statement, 2, frame->time);
    int code = sn_run_bind_blob(statement, 3, x, x_size);
    if (code == SQLITE_OK) code = sn_run_bind_blob(statement, 4, v, v_size);
    return sn_run_finish(run, statement, code, "write a frame");
}

// --- checkpoints ---

// The newest one is replaced with each frame. Where some are to stay, one does as soon as the frames since the last
// that stayed take STAYS times its bytes: together they take so much less than frames, and from any frame back to one
// there are as many steps as that is, however long the run.
enum { STAYS = 4 };

static bool stays(const SnRunFile* run, int64_t step, size_t size)
{
    int64_t steps = step - (run->kept > 0 ? run->kept : 0), bytes = 6 * (int64_t)run->node_count * sizeof(double);
    return run->keeps_checkpoints && steps * bytes >= STAYS * (int64_t)size;
}

// Of a file that there is: all but the newest have stayed, and that one by the same rule.
static SnStatus find_kept(SnRunFile* run)
{
    int64_t newest, step;
    void* state;
    size_t size;
    run->kept = -1;
    if (!run->keeps_checkpoints) return SN_OK;
    SN_TRY(sn_run_file_find_checkpoint(run, INT64_MAX, &newest));
    if (newest < 0) return SN_OK;
    SN_TRY(sn_run_file_find_checkpoint(run, newest - 1, &run->kept));
    SN_TRY(sn_run_file_read_checkpoint(run, newest, &step, &state, &size));
    if (stays(run, newest, size)) run->kept = newest;
    sn_free(state);
    return SN_OK;
}

static SnStatus replace_checkpoint(SnRunFile* run, const SnRunFrame* frame)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_DELETE_CHECKPOINTS, &statement));
    sqlite3_bind_int64(statement, 1, run->kept);
    SN_TRY(sn_run_finish(run, statement, SQLITE_OK, "write a checkpoint"));
    SN_TRY(sn_run_statement(run, RUN_INSERT_CHECKPOINT, &statement));
    sqlite3_bind_int64(statement, 1, frame->step);
    const SnRunPieces* pieces = frame->pieces;
    int code = pieces ? sqlite3_bind_zeroblob64(statement, 2, (uint64_t)pieces->size(pieces->self, SN_RUN_STATE, 0))
                      : sn_run_bind_blob(statement, 2, frame->state, frame->state_size);
    SN_TRY(sn_run_finish(run, statement, code, "write a checkpoint"));
    return pieces ? sn_run_put_pieces(run, "checkpoint", "state", frame->step, pieces, SN_RUN_STATE, 0) : SN_OK;
}

static bool is_ours(const SnRunFile* run, const struct stat* info)
{
    return info->st_dev == run->device && info->st_ino == run->inode;
}

// Removed or renamed away, the file would take frames that nobody will ever find.
static SnStatus check_still_there(const SnRunFile* run)
{
    struct stat info;
    bool there = stat(run->path, &info) == 0;
    if (there && is_ours(run, &info)) return SN_OK;
    return sn_fail(SN_ERROR_FILE, "%s: the file was %s while it was being written; run again", run->path,
                   there ? "replaced by another" : "removed or renamed");
}

static SnStatus remember_file(SnRunFile* run)
{
    struct stat info;
    if (stat(run->path, &info) != 0) return sn_fail(SN_ERROR_FILE, "%s: %s", run->path, strerror(errno));
    run->device = info.st_dev, run->inode = info.st_ino;
    return SN_OK;
}

static SnStatus write_rows(SnRunFile* run, const SnRunFrame* frame)
{
    SN_TRY(begin(run));
    if (run->lock.name) SN_TRY(check_still_there(run));
    for (int i = 0; i < frame->step_count; i++) SN_TRY(sn_run_insert_step(run, &frame->steps[i]));
    SN_TRY(sn_run_insert_values(run, frame));
    SN_TRY(sn_run_insert_losses(run, frame));
    SN_TRY(sn_run_insert_places(run, frame));
    SN_TRY(sn_run_insert_contacts(run, frame));
    SN_TRY(sn_run_insert_residuals(run, frame));
    SN_TRY(sn_run_insert_events(run, frame));
    SN_TRY(sn_run_put_later(run, frame));
    SN_TRY(insert_frame(run, frame));
    SN_TRY(replace_checkpoint(run, frame));
    return commit(run);
}

SnStatus sn_run_check_writable(const SnRunFile* run)
{
    return run->writable ? SN_OK : sn_fail(SN_ERROR_VALUE, "%s: opened for reading only", run->path);
}

SnStatus sn_run_file_append(SnRunFile* run, const SnRunFrame* frame)
{
    int64_t last = run->frame_count ? run->frames[run->frame_count - 1].step : -1;
    SN_TRY(sn_run_check_writable(run));
    if (frame->step <= last)
        return sn_fail(SN_ERROR_VALUE, "%s: frame of step %lld after that of step %lld; frames must be in order",
                       run->path, (long long)frame->step, (long long)last);
    if (!SN_GROW(run->frames, run->frame_capacity, run->frame_count + 1, "the list of frames")) return SN_ERROR_MEMORY;
    SnStatus status = write_rows(run, frame);
    if (status != SN_OK) return give_up(run, status);
    run->frames[run->frame_count++] = (RunFrameEntry){frame->step, frame->time};
    SN_TRY(sn_run_take_up(run, frame));
    if (stays(run, frame->step, frame->state_size)) run->kept = frame->step;
    return SN_OK;
}

SnStatus sn_run_file_truncate(SnRunFile* run, int64_t step)
{
    SN_TRY(sn_run_check_writable(run));
    static const char* const tables[] = {"frame",   "step",  "loss",     "pose",      "shape",
                                         "contact", "value", "residual", "checkpoint"};
    char sql[600];
    for (int i = 0, length = 0; i < 9; i++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, "DELETE FROM %s WHERE step > %lld;", tables[i],
                           (long long)step);
    sn_append(sql, sizeof sql, "DELETE FROM event WHERE step >= %lld;", (long long)step);
    SnStatus status = begin(run);
    if (status == SN_OK) status = sn_run_execute(run, sql, "drop later frames");
    if (status == SN_OK) status = commit(run);
    if (status != SN_OK) return give_up(run, status);
    while (run->frame_count && run->frames[run->frame_count - 1].step > step) run->frame_count--;
    sn_run_forget_places(run);
    return find_kept(run);
}

// --- meta ---

// The value is bound to the statement's second parameter.
static SnStatus begin_meta(SnRunFile* run, const char* key, sqlite3_stmt** statement)
{
    SN_TRY(sn_run_statement(run, RUN_SET_META, statement));
    sqlite3_bind_text(*statement, 1, key, -1, SQLITE_STATIC);
    return SN_OK;
}

SnStatus sn_run_put_text(SnRunFile* run, const char* key, const char* text)
{
    sqlite3_stmt* statement;
    SN_TRY(begin_meta(run, key, &statement));
    return sn_run_finish(run, statement, sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC), "write meta");
}

SnStatus sn_run_put_blob(SnRunFile* run, const char* key, const void* bytes, size_t size)
{
    sqlite3_stmt* statement;
    SN_TRY(begin_meta(run, key, &statement));
    return sn_run_finish(run, statement, sn_run_bind_blob(statement, 2, bytes, size), "write meta");
}

SnStatus sn_run_put_real(SnRunFile* run, const char* key, double value)
{
    sqlite3_stmt* statement;
    SN_TRY(begin_meta(run, key, &statement));
    return sn_run_finish(run, statement, sqlite3_bind_double(statement, 2, value), "write meta");
}

SnStatus sn_run_put_integer(SnRunFile* run, const char* key, int64_t value)
{
    sqlite3_stmt* statement;
    SN_TRY(begin_meta(run, key, &statement));
    return sn_run_finish(run, statement, sqlite3_bind_int64(statement, 2, value), "write meta");
}

SnStatus sn_run_file_set_meta(SnRunFile* run, const char* key, const char* text)
{
    SN_HANDLE(run);
    SN_NEED(key);
    SN_NEED(text);
    SN_TRY(sn_run_check_writable(run));
    SnStatus status = begin(run);
    if (status == SN_OK) status = sn_run_put_text(run, key, text);
    if (status == SN_OK) status = commit(run);
    return status == SN_OK ? SN_OK : give_up(run, status);
}

// --- opening and closing ---

static SnStatus prepare_to_append(SnRunFile* run)
{
    SN_TRY(remember_file(run));
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
    if (run->lock.name) sn_run_lock_remember_log(&run->lock);
    SN_TRY(sn_run_load(run));
    return find_kept(run);
}

SnStatus sn_run_open_locked(const char* path, RunLock* lock, bool light, SnRunFile** run)
{
    SnRunFile* opened;
    *run = NULL;
    SnStatus status = sn_run_connect(path, RUN_APPEND, &opened);
    if (status != SN_OK) return sn_run_unlock(lock), status;
    opened->lock = *lock, opened->light = light;
    SN_FINISH(prepare_to_append(opened), opened, sn_run_discard, run);
}

SnStatus sn_run_open_to_append(const char* path, bool light, SnRunFile** run)
{
    RunLock lock;
    *run = NULL;
    SN_TRY(sn_run_lock(path, RUN_APPEND, &lock));
    return sn_run_open_locked(path, &lock, light, run);
}

SnStatus sn_run_file_open_to_append(const char* path, SnRunFile** run)
{
    return sn_run_open_to_append(path, false, run);
}

// Ends writing: everything into the one file, no log beside it. With readers about, the log stays until they are gone.
static SnStatus come_to_rest(SnRunFile* run)
{
    if (run->lock.name) SN_TRY(check_still_there(run));
    if (!sqlite3_get_autocommit(run->database)) SN_TRY(sn_run_execute(run, "COMMIT", "write"));
    sqlite3_busy_timeout(run->database, RUN_IN_USE_MS);
    bool at_rest;
    SN_TRY(sn_run_journal_mode(run, "delete", &at_rest));
    if (at_rest) return SN_OK;
    int code = sqlite3_wal_checkpoint_v2(run->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    bool done = code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
    return done ? SN_OK : sn_run_fail(run, code, "finish");
}

// The log of a file that is gone would be played into the one that has taken its place.
static void let_go(SnRunFile* run)
{
    struct stat info;
    if (run->lock.name && run->inode && !(stat(run->path, &info) == 0 && is_ours(run, &info)))
        sn_run_lock_remove_log(&run->lock);
    sn_run_unlock(&run->lock);
}

SnStatus sn_run_file_close(SnRunFile* run)
{
    if (!run) return SN_OK;
    if (!sn_handle_gone(run)) return sn_fail(SN_ERROR_VALUE, "the run file was closed before");
    for (int i = 0; i < RUN_STATEMENTS; i++) sqlite3_finalize(run->statements[i]);
    SnStatus status = run->writable && run->database ? come_to_rest(run) : SN_OK;
    sqlite3_close_v2(run->database);
    let_go(run);
    sn_run_forget_places(run);
    SnArena* arenas[] = {&run->arena, &run->step_texts, &run->loss_texts, &run->event_texts, &run->pending_texts};
    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++) sn_arena_free(arenas[i]);
    void* arrays[] = {run->bodies,          run->obstacles,      run->frames,   run->meta,
                      run->steps,           run->losses,         run->pending,  run->packed[0].bytes,
                      run->packed[1].bytes, run->state,          run->path,     run->contacts,
                      run->contact_pairs,   run->contact_values, run->probes,   run->value_steps,
                      run->values,          run->pending_values, run->events,   run->since,
                      run->later,           run->wide,           run->residuals};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sn_free(arrays[i]);
    sn_free(run);
    return status;
}

void sn_run_file_destroy(SnRunFile* run)
{
    sn_run_file_close(run);
}

void sn_run_discard(SnRunFile* run)
{
    if (run) run->writable = false;
    sn_run_file_destroy(run);
}
