// PNG (ISO/IEC 15948): rows as differences of neighbours (filter "Sub"), which view/deflate.c packs, in one IDAT for
// each block.
#include "view/png_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "core/memory.h"
#include "view/deflate.h"

typedef struct Png {
    FILE* file;
    SnDeflate stream;
    bool begun;
    int count;                           // of bytes that wait
    uint8_t bytes[1 + SN_DEFLATE_BLOCK]; // the last one before them first
    uint8_t packed[SN_DEFLATE_ROOM];
} Png;

static void store(uint8_t to[4], uint32_t number)
{
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void write_chunk(Png* png, const char* name, const uint8_t* data, size_t size)
{
    uint8_t head[8], tail[4];
    store(head, (uint32_t)size);
    memcpy(head + 4, name, 4);
    store(tail, (uint32_t)crc32(crc32(0, head + 4, 4), data, (uInt)size));
    fwrite(head, 1, 8, png->file);
    fwrite(data, 1, size, png->file);
    fwrite(tail, 1, 4, png->file);
}

static void write_block(Png* png, bool last)
{
    size_t size = sn_deflate_block(&png->stream, png->bytes + 1, png->count, !png->begun, last, png->packed);
    write_chunk(png, "IDAT", png->packed, size);
    if (png->count > 0) png->bytes[0] = png->bytes[png->count];
    png->begun = true;
    png->count = 0;
}

static void add_bytes(Png* png, const uint8_t* bytes, int count)
{
    while (count > 0) {
        if (png->count == SN_DEFLATE_BLOCK) write_block(png, false);
        int room = SN_DEFLATE_BLOCK - png->count, part = count < room ? count : room;
        memcpy(png->bytes + 1 + png->count, bytes, (size_t)part);
        png->count += part, bytes += part, count -= part;
    }
}

static void write_rows(Png* png, int width, int height, const uint8_t* pixels, int channels, uint8_t* row)
{
    int size = width * channels;
    for (int y = 0; y < height; y++, pixels += size) {
        row[0] = 1;
        for (int i = 0; i < channels; i++) row[1 + i] = pixels[i];
        for (int i = channels; i < size; i++) row[1 + i] = (uint8_t)(pixels[i] - pixels[i - channels]);
        add_bytes(png, row, size + 1);
    }
    write_block(png, true);
}

static void write_file(Png* png, int width, int height, const uint8_t* pixels, int channels, uint8_t* row)
{
    static const uint8_t signature[8] = {137, 'P', 'N', 'G', '\r', '\n', 26, '\n'}, perceptual[1] = {0};
    uint8_t header[13] = {[8] = 8, [9] = channels == 4 ? 6 : 2};
    store(header, (uint32_t)width);
    store(header + 4, (uint32_t)height);
    fwrite(signature, 1, 8, png->file);
    write_chunk(png, "IHDR", header, sizeof header);
    write_chunk(png, "sRGB", perceptual, 1);
    write_rows(png, width, height, pixels, channels, row);
    write_chunk(png, "IEND", header, 0);
}

static SnStatus write_png(const char* path, int width, int height, const uint8_t* pixels, int channels)
{
    if (width < 1 || height < 1) return sn_fail(SN_ERROR_VALUE, "%s: a picture of %d x %d pixels", path, width, height);
    Png* png = NULL;
    uint8_t* row = NULL;
    SnStatus status = SN_ERROR_MEMORY;
    if (SN_NEW(png, 1, "a PNG file") && SN_NEW(row, (int64_t)width * channels + 1, "a PNG file")) {
        png->file = fopen(path, "wb");
        if (png->file) write_file(png, width, height, pixels, channels, row);
        bool failed = !png->file || ferror(png->file);
        if (png->file && fclose(png->file) != 0) failed = true;
        status = failed ? sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno)) : SN_OK;
        if (failed && png->file) remove(path);
    }
    SN_FREE(png, row);
    return status;
}

SnStatus sn_png_write(const char* path, int width, int height, const uint8_t* pixels)
{
    return write_png(path, width, height, pixels, 3);
}

SnStatus sn_png_write_rgba(const char* path, int width, int height, const uint8_t* pixels)
{
    return write_png(path, width, height, pixels, 4);
}
