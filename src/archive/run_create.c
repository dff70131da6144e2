// Making a run file: under another name, moved or copied into place when it is complete.
#include "archive/run_database.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/timer.h"

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
    sn_run_discard(*old);
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
    sn_run_discard(old);
    if (status != SN_OK || code == SQLITE_OK) return status;
    remove_with_journals(path); // too damaged even to be written over
    return move(partial, path);
}

static SnStatus make_tables(SnRunFile* run)
{
    char sql[RUN_LONGEST_SQL];
    sn_run_step_table(sql);
    SN_TRY(sn_run_execute(run, sql, "make"));
    return sn_run_execute(run, sn_run_tables, "make");
}

static SnStatus put_def(SnRunFile* run, const SnRunDef* def)
{
    SN_TRY(sn_run_put_text(run, "version", sn_version()));
    SN_TRY(sn_run_put_text(run, "name", def->name));
    SN_TRY(sn_run_put_text(run, "scene", def->scene));
    SN_TRY(sn_run_put_text(run, "compression", def->compress ? "zlib" : "none"));
    SN_TRY(sn_run_put_text(run, "contacts", def->contacts ? "kept" : "left out"));
    if (def->residuals) SN_TRY(sn_run_put_text(run, "residuals", "kept"));
    if (def->checkpoints) SN_TRY(sn_run_put_text(run, "checkpoints", "kept"));
    SN_TRY(sn_run_put_real(run, "time_step", def->time_step));
    SN_TRY(sn_run_put_probes(run, def));
    return sn_run_put_meshes(run, def);
}

// What a new file is made of: a definition and the start, or another run up to one of its steps.
typedef struct Source {
    const SnRunDef* def;
    const SnRunFrame* start;
    SnRunFile* run; // NULL: the definition
    int64_t step;
} Source;

static SnStatus fill_anew(SnRunFile* run, const SnRunDef* def, const SnRunFrame* start)
{
    SN_TRY(put_def(run, def));
    run->compress = def->compress;
    for (int i = 0; i < def->body_count; i++) run->node_count += def->bodies[i].node_count;
    int count = def->obstacle_count;
    if (!SN_GROW(run->obstacles, run->obstacle_capacity, count, "obstacles")) return SN_ERROR_MEMORY;
    for (; run->obstacle_count < count; run->obstacle_count++)
        run->obstacles[run->obstacle_count] = def->obstacles[run->obstacle_count];
    run->kept = -1;
    return sn_run_file_append(run, start);
}

static SnStatus fill(SnRunFile* run, const Source* source)
{
    char pragmas[256]; // no journal, no waiting for the disk: it is thrown away unless it becomes complete
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA page_size=%d; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA application_id=%d; "
             "PRAGMA user_version=%d",
             RUN_PAGE_SIZE, RUN_APPLICATION_ID, RUN_FORMAT_VERSION);
    SN_TRY(sn_run_execute(run, pragmas, "make"));
    if (source->run) SN_TRY(sn_run_copy_begin(run, source->run));
    SN_TRY(sn_run_execute(run, "BEGIN", "make"));
    SN_TRY(make_tables(run));
    if (!source->run) return fill_anew(run, source->def, source->start);
    SN_TRY(sn_run_copy_rows(run, source->run, source->step));
    return sn_run_copy_end(run);
}

static SnStatus make_partial(const char* partial, const Source* source)
{
    remove_with_journals(partial);
    SnRunFile* made;
    SN_TRY(sn_run_connect(partial, RUN_CREATE, &made));
    SnStatus status = fill(made, source);
    if (status == SN_OK) return sn_run_file_close(made);
    sn_run_discard(made);
    return status;
}

static SnStatus create(const char* path, const char* partial, const Source* source)
{
    SnRunFile* old;
    SN_TRY(find_old(path, &old));
    SnStatus status = make_partial(partial, source);
    if (status == SN_OK) return old ? replace(old, partial, path) : move(partial, path);
    sn_run_discard(old);
    return sn_fail_prefix(status, "%s cannot be made", path);
}

static SnStatus create_locked(const char* path, const Source* source, SnRunFile** run)
{
    *run = NULL;
    char partial[4096];
    if (snprintf(partial, sizeof partial, "%s.%d.partial", path, (int)getpid()) >= (int)sizeof partial - 16)
        return sn_fail(SN_ERROR_VALUE, "%.60s...: the path is too long", path);
    RunLock lock;
    SN_TRY(sn_run_lock(path, RUN_CREATE, &lock));
    SnStatus status = create(path, partial, source);
    remove_with_journals(partial);
    if (status == SN_OK) return sn_run_open_locked(path, &lock, source->def && source->def->pieces, run);
    sn_run_unlock(&lock);
    return status;
}

SnStatus sn_run_file_create_from(const char* path, const SnRunDef* def, const SnRunFrame* start, SnRunFile** run)
{
    return create_locked(path, &(Source){.def = def, .start = start}, run);
}

SnStatus sn_run_file_copy(SnRunFile* run, int64_t step, const char* path, SnRunFile** made)
{
    *made = NULL;
    SN_TRY(sn_run_copy_check(run, step, path));
    return create_locked(path, &(Source){.run = run, .step = step}, made);
}
