// The files of the page, which the program carries.
#pragma once
#include <stddef.h>

typedef struct SnWebFile {
    const char *path, *type; // "/view.js", "text/javascript"
    const char *begin, *end;
} SnWebFile;

const SnWebFile* sn_web_find(const char* path); // NULL: there is none
