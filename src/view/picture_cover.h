// Which parts of a picture bodies may be in, by the bounding boxes of triangles: the others are lit more cheaply.
#pragma once
#include "view/picture_light.h"

enum { SN_COVER_TILE = 16 }; // pixels on each side

typedef struct SnPictureCover {
    int columns, rows;
    uint8_t* tiles; // columns x rows, bottom row first: 1 where a body may be
    // Rectangles of tiles of one kind, two triangles each: those with bodies first. Corners in pixels.
    int16_t* corners; // 2 x 6 x (with + without)
    int with, without;
} SnPictureCover;

SnStatus sn_picture_cover_create(SnPictureCover* cover, int width, int height);
void sn_picture_cover_free(SnPictureCover* cover);
void sn_picture_cover_fill(SnPictureCover* cover, const SnPictureGeometry* geometry, const double camera_matrix[16],
                           int width, int height);
