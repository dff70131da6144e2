// Smooth edges of pictures that have one sample a pixel, from the picture alone.
#pragma once
#include <sinew/base.h>

typedef struct SnPictureSmooth {
    int width, height;
    uint8_t* below; // width x height: differs from the pixel of the next row
    uint8_t* right; // width x height: differs from the next pixel of its row
    uint8_t* bytes; // 4 x width
} SnPictureSmooth;

SnStatus sn_picture_smooth_create(SnPictureSmooth* smooth, int width, int height);
void sn_picture_smooth_free(SnPictureSmooth* smooth);
// rgba: 4 x width x height, sRGB, changed in place; within columns lo[0] to before hi[0] and rows lo[1] to before
// hi[1].
void sn_picture_smooth_apply(SnPictureSmooth* smooth, const int lo[2], const int hi[2], uint8_t* rgba);
