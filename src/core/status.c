// Failure with a sentence; the message is kept per thread.
#include "core/status.h"

#include <stdarg.h>
#include <string.h>

#include "core/plain.h"

static _Thread_local char last_error[2048];

const char* sn_last_error(void)
{
    return last_error;
}

const char* sn_status_name(SnStatus status)
{
    switch (status) {
    case SN_OK: return "ok";
    case SN_ERROR_MEMORY: return "out of memory";
    case SN_ERROR_FILE: return "file error";
    case SN_ERROR_FORMAT: return "malformed file";
    case SN_ERROR_VALUE: return "bad value";
    case SN_ERROR_UNSUPPORTED: return "not supported";
    }
    return "unknown status";
}

const char* sn_version(void)
{
    return SN_VERSION;
}

SnStatus sn_fail(SnStatus status, const char* format, ...)
{
    char text[sizeof last_error]; // the arguments may point into the old message
    va_list args;
    va_start(args, format);
    sn_plain_print_list(text, sizeof text, format, args);
    va_end(args);
    memcpy(last_error, text, sizeof text);
    return status;
}

SnStatus sn_fail_prefix(SnStatus status, const char* format, ...)
{
    char prefix[512];
    va_list args;
    va_start(args, format);
    sn_plain_print_list(prefix, sizeof prefix, format, args);
    va_end(args);
    return sn_fail(status, "%s: %s", prefix, last_error);
}

void sn_append(char* text, size_t size, const char* format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    sn_plain_print_list(text + used, size - used, format, args);
    va_end(args);
}

SnStatus sn_fail_memory(const char* what, size_t bytes)
{
    return sn_fail(SN_ERROR_MEMORY, "out of memory: %s needs %zu bytes", what, bytes);
}
