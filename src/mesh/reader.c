// A file in memory: opening it, failing with its name and line, and words. Numbers are in reader_numbers.c.
#include "mesh/reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/plain.h"

static SnStatus size_of(SnReader* reader, int file, size_t* size)
{
    struct stat info;
    if (fstat(file, &info) != 0) return sn_fail(SN_ERROR_FILE, "%s: cannot be read: %s", reader->path, strerror(errno));
    if (!S_ISREG(info.st_mode)) // a device or a pipe may never end
        return sn_fail(SN_ERROR_FILE, "%s: not a regular file", reader->path);
    *size = (size_t)info.st_size;
    return SN_OK;
}

static SnStatus read_all(SnReader* reader, int file)
{
    size_t size;
    SN_TRY(size_of(reader, file, &size));
    if (!SN_NEW(reader->bytes, size + 1, "a mesh file")) return SN_ERROR_MEMORY;
    while (reader->size < size) {
        ssize_t got = read(file, reader->bytes + reader->size, size - reader->size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return sn_fail(SN_ERROR_FILE, "%s: cannot be read: %s", reader->path, strerror(errno));
        if (got == 0) break; // somebody shortened it meanwhile
        reader->size += (size_t)got;
    }
    return SN_OK;
}

// Over a page of zeros more, so that a NUL follows the last byte.
static SnStatus map_all(SnReader* reader, int file)
{
    size_t size, page = (size_t)sysconf(_SC_PAGESIZE);
    SN_TRY(size_of(reader, file, &size));
    size_t whole = (size / page + 1) * page;
    char* bytes = mmap(NULL, whole, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) return sn_fail_memory("a mesh file", whole);
    reader->bytes = bytes, reader->mapped = whole, reader->size = size;
    if (size > 0 && mmap(bytes, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
        return sn_fail(SN_ERROR_FILE, "%s: cannot be read: %s", reader->path, strerror(errno));
    return SN_OK;
}

static SnStatus open_by(SnReader* reader, const char* path, SnStatus (*take)(SnReader* reader, int file))
{
    *reader = (SnReader){.path = path};
    reader->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!reader->locale) return sn_fail_memory("the C locale", 0);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer would block
    SnStatus status =
        file < 0 ? sn_fail(SN_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno)) : take(reader, file);
    if (file >= 0) close(file);
    reader->at = reader->bytes;
    reader->end = reader->bytes ? reader->bytes + reader->size : NULL;
    if (status != SN_OK) sn_reader_close(reader);
    return status;
}

SnStatus sn_reader_open(SnReader* reader, const char* path)
{
    return open_by(reader, path, read_all);
}

SnStatus sn_reader_open_mapped(SnReader* reader, const char* path)
{
    return open_by(reader, path, map_all);
}

void sn_reader_release(SnReader* reader)
{
    enum { STEP = 1 << 24 }; // bytes, at a time
    size_t done = (size_t)(reader->at - reader->bytes) / STEP * STEP;
    if (!reader->mapped || done <= reader->released) return;
    madvise(reader->bytes + reader->released, done - reader->released, MADV_DONTNEED);
    reader->released = done;
}

void sn_reader_close(SnReader* reader)
{
    if (reader->mapped)
        munmap(reader->bytes, reader->mapped);
    else
        sn_free(reader->bytes);
    if (reader->locale) freelocale(reader->locale);
    *reader = (SnReader){0};
}

static size_t line_of(const SnReader* reader, const char* where)
{
    size_t line = 1;
    for (const char* c = reader->bytes; c < where; c++) line += *c == '\n';
    return line;
}

SnStatus sn_reader_fail(const SnReader* reader, const char* where, SnStatus status, const char* format, ...)
{
    char message[768];
    va_list args;
    va_start(args, format);
    sn_plain_print_list(message, sizeof message, format, args);
    va_end(args);
    if (!where) where = reader->at;
    if (reader->binary)
        return sn_fail(status, "%s: byte %zu: %s", reader->path, (size_t)(where - reader->bytes), message);
    return sn_fail(status, "%s:%zu: %s", reader->path, line_of(reader, where), message);
}

SnStatus sn_reader_fits(const SnReader* reader, int64_t count, size_t bytes, const char* what)
{
    uint64_t rest = (uint64_t)(reader->end - reader->at) + 1; // the last item needs no separator after it
    if (count >= 0 && (uint64_t)count <= rest / (bytes ? bytes : 1)) return SN_OK;
    return sn_malformed(reader, "%lld %s are announced, but the rest of the file has %llu bytes", (long long)count,
                        what, (unsigned long long)(rest - 1));
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void sn_skip_space(SnReader* reader)
{
    const char* at = reader->at;
    while (at < reader->end) {
        if (is_space(*at)) {
            at++;
        } else if (reader->comment && *at == reader->comment) {
            while (at < reader->end && *at != '\n') at++;
        } else {
            break;
        }
    }
    reader->at = at;
}

bool sn_skip_blanks(SnReader* reader)
{
    const char* at = reader->at;
    for (; at < reader->end; at++) {
        bool goes_on = *at == '\\' && at + 1 < reader->end && (at[1] == '\n' || at[1] == '\r');
        if (goes_on) at += at[1] == '\r' && at + 2 < reader->end && at[2] == '\n' ? 2 : 1;
        if (!goes_on && (!is_space(*at) || *at == '\n')) break;
    }
    reader->at = at < reader->end ? at : reader->end;
    return reader->at < reader->end && *reader->at != '\n' && !(reader->comment && *reader->at == reader->comment);
}

void sn_skip_line(SnReader* reader)
{
    const char* newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    reader->at = newline ? newline + 1 : reader->end;
}

bool sn_peek_word(SnReader* reader, SnWord* word)
{
    sn_skip_space(reader);
    const char* at = reader->at;
    while (at < reader->end && !is_space(*at) && at - reader->at < INT32_MAX) at++;
    *word = (SnWord){reader->at, (int)(at - reader->at)};
    return word->length > 0;
}

bool sn_next_word(SnReader* reader, SnWord* word)
{
    if (!sn_peek_word(reader, word)) return false;
    reader->at += word->length;
    return true;
}

bool sn_word_is(SnWord word, const char* text)
{
    for (int i = 0; i < word.length; i++)
        if (!text[i] || tolower((unsigned char)word.text[i]) != tolower((unsigned char)text[i])) return false;
    return text[word.length] == 0;
}

SnStatus sn_read_word(SnReader* reader, SnWord* word, const char* what)
{
    if (sn_next_word(reader, word)) return SN_OK;
    return sn_malformed(reader, "the file ends where %s should be", what);
}

char* sn_copy_word(SnWord word)
{
    char* copy = sn_allocate((size_t)word.length + 1, 1, "a name");
    if (copy) memcpy(copy, word.text, (size_t)word.length);
    return copy;
}

SnStatus sn_read_quoted(SnReader* reader, char** text, const char* what)
{
    SnWord word;
    sn_skip_space(reader);
    if (reader->at == reader->end || *reader->at != '"') {
        SN_TRY(sn_read_word(reader, &word, what));
    } else {
        const char* start = reader->at + 1;
        const char* c = start;
        while (c < reader->end && *c != '"' && *c != '\n' && c - start < INT32_MAX) c++;
        if (c == reader->end || *c != '"') return sn_malformed(reader, "%s lacks its closing quotation mark", what);
        word = (SnWord){start, (int)(c - start)};
        reader->at = c + 1;
    }
    *text = sn_copy_word(word);
    return *text ? SN_OK : SN_ERROR_MEMORY;
}

int sn_base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

bool sn_is_one_of_endings(const char* endings, const char* ending)
{
    size_t length = strlen(ending);
    for (const char* at = endings; length && *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (strcspn(at, " ") == length && strncasecmp(at, ending, length) == 0) return true;
    }
    return false;
}
