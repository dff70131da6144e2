// PNG by libpng's simplified interface.
#include "view/png_file.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"

static SnStatus write(const char* path, int width, int height, const uint8_t* pixels, png_uint_32 format)
{
    if (width < 1 || height < 1) return sn_fail(SN_ERROR_VALUE, "%s: a picture of %d x %d pixels", path, width, height);
    FILE* file = fopen(path, "wb");
    if (!file) return sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = (png_uint_32)width, .height = (png_uint_32)height, .format = format};
    errno = 0;
    image.flags = PNG_IMAGE_FLAG_FAST; // 30 % more bytes, and little of the time
    int written = png_image_write_to_stdio(&image, file, 0, pixels, 0, NULL);
    SnStatus status = SN_OK;
    if (!written)
        status = sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, errno ? strerror(errno) : image.message);
    if (fclose(file) != 0 && status == SN_OK)
        status = sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    if (status != SN_OK) remove(path);
    return status;
}

SnStatus sn_png_write(const char* path, int width, int height, const uint8_t* pixels)
{
    return write(path, width, height, pixels, PNG_FORMAT_RGB);
}

SnStatus sn_png_write_rgba(const char* path, int width, int height, const uint8_t* pixels)
{
    return write(path, width, height, pixels, PNG_FORMAT_RGBA);
}
