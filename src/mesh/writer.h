// A file being written: numbers with 17 digits in every locale, and one check at the end that all of it arrived.
#pragma once
#include "core/plain.h"

typedef struct SnWriter {
    const char* path;
    void* file;
    SnPlain plain; // until it is closed
    int error;     // errno of the first failure
} SnWriter;

SnStatus sn_writer_open(SnWriter* writer, const char* path);
void sn_write(SnWriter* writer, const char* format, ...) __attribute__((format(printf, 2, 3)));
void sn_write_bytes(SnWriter* writer, const void* bytes, size_t size);
void sn_write_real(SnWriter* writer, double value); // after a space, so that it reads back to the same bits
SnStatus sn_writer_close(SnWriter* writer);         // SN_ERROR_FILE when anything was lost, as on a full disk
