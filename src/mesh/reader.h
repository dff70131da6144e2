// A file in memory with a place in it: words, numbers and bytes are taken from it, and failures name file and line
// (text) or byte (binary). Counts are checked against what the rest of the file can hold before anything is allocated.
#pragma once
#include "core/memory.h"

typedef struct SnReader {
    const char* path;
    char* bytes; // size + 1, ends with a NUL that is not part of the file
    size_t size;
    const char* at;  // the next byte
    const char* end; // bytes + size
    char comment;    // starts a comment that reaches to the end of its line; 0: there are none
    bool binary;     // failures name bytes instead of lines
    bool big_endian; // of binary numbers
    void* locale;    // the C locale, so that 0.5 is not 0,5 in some countries
    size_t mapped;   // bytes of the mapping, of a file that is read through from the disk; 0: it is in memory
    size_t released; // of which the first are not kept
} SnReader;

SnStatus sn_reader_open(SnReader* reader, const char* path);
// For files that are larger than memory: what was read is not kept. Nobody may shorten it meanwhile.
SnStatus sn_reader_open_mapped(SnReader* reader, const char* path);
void sn_reader_release(SnReader* reader); // what is before its place
void sn_reader_close(SnReader* reader);

// "path:line: message", for the place `where` (NULL: the reader's own).
SnStatus sn_reader_fail(const SnReader* reader, const char* where, SnStatus status, const char* format, ...)
    __attribute__((format(printf, 4, 5), cold));

// Malformed at the reader's own place.
#define sn_malformed(reader, ...) sn_reader_fail(reader, NULL, SN_ERROR_FORMAT, __VA_ARGS__)

// Fails when `count` items of at least `bytes` bytes each cannot be in the rest of the file.
SnStatus sn_reader_fits(const SnReader* reader, int64_t count, size_t bytes, const char* what);

// Text. Words are separated by white space.
typedef struct SnWord {
    const char* text; // not ended by NUL
    int length;
} SnWord;

void sn_skip_space(SnReader* reader);              // and comments
bool sn_skip_blanks(SnReader* reader);             // spaces within the line; true when the line goes on
void sn_skip_line(SnReader* reader);               // to the start of the next one
bool sn_next_word(SnReader* reader, SnWord* word); // false at the end of the file
bool sn_peek_word(SnReader* reader, SnWord* word); // the same, without passing it
bool sn_word_is(SnWord word, const char* text);    // upper and lower case are the same
SnStatus sn_read_word(SnReader* reader, SnWord* word, const char* what);
SnStatus sn_read_integer(SnReader* reader, int64_t lo, int64_t hi, int64_t* value, const char* what);
SnStatus sn_read_real(SnReader* reader, double* value, const char* what);
bool sn_take_real(SnReader* reader, double* value); // whatever comes after it; false: none is here
// A count of items that take at least `bytes` bytes each in the rest of the file.
SnStatus sn_read_count(SnReader* reader, size_t bytes, int* count, const char* what);
// "text" in quotes, or a bare word; *text is allocated.
SnStatus sn_read_quoted(SnReader* reader, char** text, const char* what);
char* sn_copy_word(SnWord word); // ended by NUL; NULL when out of memory

// Binary.
typedef enum SnNumberType {
    SN_INT8,
    SN_UINT8,
    SN_INT16,
    SN_UINT16,
    SN_INT32,
    SN_UINT32,
    SN_INT64,
    SN_UINT64,
    SN_FLOAT32,
    SN_FLOAT64
} SnNumberType;
size_t sn_number_size(SnNumberType type);
SnStatus sn_read_bytes(SnReader* reader, size_t count, const void** bytes, const char* what);
SnStatus sn_read_binary_integer(SnReader* reader, SnNumberType type, int64_t* value, const char* what);
SnStatus sn_read_binary_real(SnReader* reader, SnNumberType type, double* value, const char* what);

// Numbers of this type where the file is binary, and text where it is not.
SnStatus sn_read_typed_integer(SnReader* reader, SnNumberType type, int64_t* value, const char* what);
SnStatus sn_read_typed_real(SnReader* reader, SnNumberType type, double* value, const char* what);
SnStatus sn_reader_fits_typed(const SnReader* reader, int64_t count, SnNumberType type, const char* what);

// Of base 64, in either alphabet; -1: it is none.
int sn_base64_digit(char c);
// Is it one of these, which have spaces between them?
bool sn_is_one_of_endings(const char* endings, const char* ending);
