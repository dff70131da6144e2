// The C locale of a thread, for as long as numbers are written or read.
#include "core/plain.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

SnStatus sn_plain_begin(SnPlain* plain)
{
    *plain = (SnPlain){.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (!plain->plain) return sn_fail_memory("the C locale", 0);
    plain->before = uselocale(plain->plain);
    return SN_OK;
}

void sn_plain_end(SnPlain* plain)
{
    if (!plain->plain) return;
    uselocale(plain->before);
    freelocale(plain->plain);
    plain->plain = NULL;
}

int sn_plain_print_list(char* text, size_t size, const char* format, va_list args)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;
    int length = vsnprintf(text, size, format, args);
    if (plain) uselocale(before), freelocale(plain);
    return length;
}

int sn_plain_print(char* text, size_t size, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    int length = sn_plain_print_list(text, size, format, args);
    va_end(args);
    return length;
}

double sn_plain_real(const char* text, char** end)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) return strtod(text, end);
    double value = strtod_l(text, end, plain);
    freelocale(plain);
    return value;
}
