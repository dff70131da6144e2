// Failure with a sentence: every error names the file, line or value, and what would be right.
#pragma once
#include <sinew/base.h>

// Records the message for sn_last_error() and returns status, so that callers write `return sn_fail(...)`.
SnStatus sn_fail(SnStatus status, const char* format, ...) __attribute__((format(printf, 2, 3), cold));

// Puts "prefix: " in front of the last message; returns status.
SnStatus sn_fail_prefix(SnStatus status, const char* format, ...) __attribute__((format(printf, 2, 3), cold));

// Adds to a text in an array of `size` bytes, as much as there is room for.
void sn_append(char* text, size_t size, const char* format, ...) __attribute__((format(printf, 3, 4)));

// Out of memory, for `bytes` wanted by `what`.
SnStatus sn_fail_memory(const char* what, size_t bytes);

#define SN_TRY(call)                                        \
    do {                                                    \
        SnStatus status_of_call = (call);                   \
        if (status_of_call != SN_OK) return status_of_call; \
    } while (0)

// The end of a constructor: what has been built is handed over, or, half built, destroyed.
#define SN_FINISH(status, object, destroy, out) \
    do {                                        \
        SnStatus status_of_build = (status);    \
        if (status_of_build == SN_OK)           \
            *(out) = (object);                  \
        else                                    \
            destroy(object);                    \
        return status_of_build;                 \
    } while (0)
