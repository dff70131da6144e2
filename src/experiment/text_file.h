// A text file, written by a function.
#pragma once
#include <sinew/base.h>
#include <stdio.h>

// Fails when the disk is full, too. path may be NULL where memory has run out.
SnStatus sn_text_file_write(const char* path, void (*write)(const void* user, FILE* file), const void* user);
// A folder, unless it is there.
SnStatus sn_folder_make(const char* path);
