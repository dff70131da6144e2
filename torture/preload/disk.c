// A disk that is slow, full, broken or not to be written to, for any program that is started with this loaded before
// its libraries. TORTURE_DISK says which, of files whose names have ".run" in them:
//     "slow MS"      every write and every sync takes so long, at most
//     "full BYTES"   so much can be written, and then there is no space left
//     "broken N"     the Nth write or sync fails
//     "read-only"    nothing can be opened to be written to
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST_FILES = 1024 };
static atomic_bool ours[MOST_FILES]; // by their descriptors
static atomic_llong room, left;      // bytes; writes and syncs before one fails
static double slow_ms;
static int kind; // the first letter; 0: a disk like any other

__attribute__((constructor)) static void read_wish(void)
{
    const char* wish = getenv("TORTURE_DISK");
    const char* number = wish ? strchr(wish, ' ') : NULL;
    double value = number ? atof(number) : 0;
    kind = wish ? *wish : 0;
    slow_ms = value;
    atomic_store(&room, (long long)value), atomic_store(&left, (long long)value);
}

static int fail(int code)
{
    errno = code;
    return -1;
}

// Before a write or a sync of so many bytes: how many of them go well, or -1 with errno.
static ssize_t allow(int file, size_t size)
{
    if (file < 0 || file >= MOST_FILES || !ours[file]) return (ssize_t)size;
    if (kind == 's') usleep((useconds_t)(1000 * slow_ms * (double)(rand() % 100) / 100));
    if (kind == 'b' && atomic_fetch_sub(&left, 1) == 1) return fail(EIO);
    if (kind != 'f' || size == 0) return (ssize_t)size;
    long long before = atomic_fetch_sub(&room, (long long)size);
    if (before >= (long long)size) return (ssize_t)size;
    return before > 0 ? (ssize_t)before : fail(ENOSPC);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int note(const char* path, int file)
{
    if (file >= 0 && file < MOST_FILES) ours[file] = strstr(path, ".run") != NULL;
    return file;
}

static int refuse(const char* path, int flags)
{
    bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;
    return kind == 'r' && writes && strstr(path, ".run") ? fail(EROFS) : 0;
}

#define OPEN(name)                                                \
    int name(const char* path, int flags, ...)                    \
    {                                                             \
        va_list list;                                             \
        va_start(list, flags);                                    \
        mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0; \
        va_end(list);                                             \
        if (refuse(path, flags) != 0) return -1;                  \
        return note(path, NEXT(name)(path, flags, mode));         \
    }
OPEN(open)
OPEN(open64)

#define WRITE(name, offset_type)                                                \
    ssize_t name(int file, const void* bytes, size_t size, offset_type offset)  \
    {                                                                           \
        ssize_t good = allow(file, size);                                       \
        return good < 0 ? good : NEXT(name)(file, bytes, (size_t)good, offset); \
    }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)

ssize_t write(int file, const void* bytes, size_t size)
{
    ssize_t good = allow(file, size);
    return good < 0 ? good : NEXT(write)(file, bytes, (size_t)good);
}

#define SYNC(name)                                         \
    int name(int file)                                     \
    {                                                      \
        return allow(file, 0) < 0 ? -1 : NEXT(name)(file); \
    }
SYNC(fsync)
SYNC(fdatasync)
