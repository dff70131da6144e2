// Numbers as text, the same in every locale: a decimal point is a point, whatever the host program's language.
#pragma once
#include <stdarg.h>
#include <stddef.h>

#include "core/status.h"

// From begin to end the thread's locale is C, also for the C library's own functions; what writes a file works in
// between.
typedef struct SnPlain {
    void *plain, *before;
} SnPlain;

SnStatus sn_plain_begin(SnPlain* plain);
void sn_plain_end(SnPlain* plain); // also of one that did not begin

// snprintf, vsnprintf and strtod so. Without memory for the C locale they are the host's.
int sn_plain_print(char* text, size_t size, const char* format, ...) __attribute__((format(printf, 3, 4)));
int sn_plain_print_list(char* text, size_t size, const char* format, va_list args)
    __attribute__((format(printf, 3, 0)));
double sn_plain_real(const char* text, char** end);
