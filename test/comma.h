// A host program whose language has decimal commas: the C library's own numbers do, from comma_begin to comma_end.
#pragma once
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

// LC_NUMERIC of glibc, as localedef would make it: how many strings there are, where, and they themselves. Nothing has
// to be installed for it.
static inline void comma_begin(const char* folder)
{
    char path[512];
    const uint32_t head[8] = {0x20031115 ^ LC_NUMERIC, 6, 32, 34, 36, 40, 44, 48}, comma = ',';
    char strings[22] = {[0] = ',', [16] = 'U', 'T', 'F', '-', '8'};
    memcpy(strings + 8, &comma, sizeof comma);
    snprintf(path, sizeof path, "%s/comma", folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/comma/LC_NUMERIC", folder);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, sizeof head, 1, file), 1);
    assert_int_equal(fwrite(strings, sizeof strings, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    setenv("LOCPATH", folder, 1);
    if (!setlocale(LC_NUMERIC, "comma")) skip(); // another C library
    snprintf(path, sizeof path, "%g", 0.5);
    assert_string_equal(path, "0,5");
}

static inline void comma_end(const char* folder)
{
    char path[512];
    setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    snprintf(path, sizeof path, "%s/comma/LC_NUMERIC", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/comma", folder);
    rmdir(path);
}
