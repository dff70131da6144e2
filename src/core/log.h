// Messages to the host's log hook.
#pragma once
#include <sinew/base.h>

void sn_log(const SnLog* log, SnLogLevel level, const char* format, ...) __attribute__((format(printf, 3, 4)));
