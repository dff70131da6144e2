// Pictures as PNG files.
#pragma once
#include <sinew/base.h>

// pixels: 3 x width x height, sRGB, top row first. On failure no half-written file is left behind.
SnStatus sn_png_write_rgba(const char* path, int width, int height, const uint8_t* pixels); // 4 x width x height
SnStatus sn_png_write(const char* path, int width, int height, const uint8_t* pixels);
