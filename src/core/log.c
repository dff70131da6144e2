// Messages to the host's log hook; without one they are dropped.
#include "core/log.h"

#include <stdarg.h>

#include "core/plain.h"

void sn_log(const SnLog* log, SnLogLevel level, const char* format, ...)
{
    if (!log->write) return;
    char text[1024];
    va_list args;
    va_start(args, format);
    sn_plain_print_list(text, sizeof text, format, args);
    va_end(args);
    log->write(log->user, level, text);
}
