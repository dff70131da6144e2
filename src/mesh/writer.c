// A file being written; failures are kept until it is closed.
#include "mesh/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

SnStatus sn_writer_open(SnWriter* writer, const char* path)
{
    *writer = (SnWriter){.path = path};
    FILE* file = fopen(path, "wbe");
    if (!file) return sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    SnStatus status = sn_plain_begin(&writer->plain);
    if (status != SN_OK) fclose(file);
    writer->file = status == SN_OK ? file : NULL;
    return status;
}

void sn_write(SnWriter* writer, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    if (vfprintf(writer->file, format, args) < 0 && !writer->error) writer->error = errno;
    va_end(args);
}

void sn_write_bytes(SnWriter* writer, const void* bytes, size_t size)
{
    if (fwrite(bytes, 1, size, writer->file) != size && !writer->error) writer->error = errno;
}

void sn_write_real(SnWriter* writer, double value)
{
    sn_write(writer, " %.17g", value);
}

SnStatus sn_writer_close(SnWriter* writer)
{
    bool lost = ferror(writer->file);
    if (fclose(writer->file) != 0) {
        if (!writer->error) writer->error = errno;
        lost = true;
    }
    sn_plain_end(&writer->plain);
    if (!lost && !writer->error) return SN_OK;
    return sn_fail(SN_ERROR_FILE, "%s: could not be written: %s", writer->path,
                   writer->error ? strerror(writer->error) : "the disk may be full");
}
