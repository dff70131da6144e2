// One writer to a run file, from opening to closing: a lock on NAME.run-lock, which the system drops with its process.
//
// A file of its own: SQLite's locks on the database are lost when any descriptor of it is closed. It holds the number
// of the process, for messages. One that a killed run left behind is nobody's, and the next writer takes it over.
#include "archive/run_database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// By the file's own name, whatever links lead to it; a file that is yet to be made, by that of its folder.
static bool real_name(const char* path, char name[PATH_MAX])
{
    if (realpath(path, name)) return true;
    char folder[PATH_MAX], real[PATH_MAX];
    const char* slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (errno != ENOENT || length >= sizeof folder) return false;
    memcpy(folder, slash ? path : "./", slash ? length : 2);
    folder[slash ? length : 2] = 0;
    if (!realpath(folder, real)) return false;
    return snprintf(name, PATH_MAX, "%s/%s", real, path + length) < PATH_MAX;
}

static SnStatus cannot_lock(const char* path, const char* name)
{
    return sn_fail(SN_ERROR_FILE, "%s: cannot write %s: %s; check that the folder exists and may be written", path,
                   name, strerror(errno));
}

static SnStatus in_use(const char* path, int file)
{
    char text[24] = "";
    ssize_t got = pread(file, text, sizeof text - 1, 0);
    long process = got > 0 ? strtol(text, NULL, 10) : 0;
    char who[64] = "another program";
    if (process > 0) snprintf(who, sizeof who, "another program (process %ld)", process);
    return sn_fail(SN_ERROR_FILE, "%s: %s is writing this run; end it first, or choose another name with -o", path,
                   who);
}

// The last writer may have removed the file between our opening and locking it.
static bool is_there(const char* name, int file)
{
    struct stat here, there;
    return fstat(file, &here) == 0 && stat(name, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

static SnStatus take(const char* path, const char* name, int* file)
{
    for (;;) {
        *file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (*file < 0) return cannot_lock(path, name);
        SnStatus status = SN_OK;
        if (flock(*file, LOCK_EX | LOCK_NB) != 0)
            status = errno == EWOULDBLOCK ? in_use(path, *file) : cannot_lock(path, name);
        if (status == SN_OK && is_there(name, *file)) return SN_OK;
        close(*file);
        *file = -1;
        if (status != SN_OK) return status;
    }
}

// By each of two names that a file has it would get a log and a lock of its own.
static SnStatus check_one_name(const char* path)
{
    struct stat info;
    if (stat(path, &info) != 0 || info.st_nlink <= 1) return SN_OK;
    return sn_fail(
        SN_ERROR_FILE,
        "%s: the file has %ld names (hard links), and a run can be written by one only; copy it to a file of "
        "its own, or choose another name with -o",
        path, (long)info.st_nlink);
}

SnStatus sn_run_lock(const char* path, RunOpenMode mode, RunLock* lock)
{
    char real[PATH_MAX], text[24];
    *lock = (RunLock){.file = -1};
    SN_TRY(sn_run_check_file(path, mode));
    SN_TRY(check_one_name(path));
    if (!real_name(path, real))
        return sn_fail(SN_ERROR_FILE, "%s: %s; check that its folder exists", path, strerror(errno));
    size_t size = strlen(real) + 8;
    if (!SN_NEW(lock->name, size, "a run file")) return SN_ERROR_MEMORY;
    snprintf(lock->name, size, "%s-lock", real);
    SnStatus status = take(path, lock->name, &lock->file);
    if (status != SN_OK) return sn_run_unlock(lock), status;
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(lock->file, 0) != 0 || pwrite(lock->file, text, (size_t)length, 0) != length)
        errno = 0; // a full disk: only the message of others is the worse for it
    return SN_OK;
}

// Of "-wal" and "-shm" beside the file.
static void name_beside(const RunLock* lock, const char* ending, char name[PATH_MAX])
{
    snprintf(name, PATH_MAX, "%.*s%s", (int)(strlen(lock->name) - strlen("-lock")), lock->name, ending);
}

static uint64_t log_of(const RunLock* lock)
{
    char name[PATH_MAX];
    struct stat info;
    name_beside(lock, "-wal", name);
    return stat(name, &info) == 0 ? info.st_ino : 0;
}

void sn_run_lock_remember_log(RunLock* lock)
{
    lock->log = log_of(lock);
}

void sn_run_lock_remove_log(const RunLock* lock)
{
    char name[PATH_MAX];
    if (!lock->log || log_of(lock) != lock->log) return;
    static const char* const endings[] = {"-wal", "-shm"};
    for (int i = 0; i < 2; i++) {
        name_beside(lock, endings[i], name);
        unlink(name);
    }
}

void sn_run_unlock(RunLock* lock)
{
    if (!lock->name) return;
    if (lock->file >= 0) {
        unlink(lock->name); // while it is still ours
        close(lock->file);
    }
    sn_free(lock->name);
    lock->name = NULL;
}
