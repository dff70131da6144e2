// Which parts of a picture bodies may be in, by the bounding boxes of triangles: the others are lit more cheaply, and
// those that no shadow reaches not at all while the camera stands still.
#pragma once
#include "view/picture_light.h"

enum { SN_COVER_TILE = 16 }; // pixels on each side

typedef enum SnCover { SN_COVER_BARE, SN_COVER_BODY, SN_COVER_STILL } SnCover; // STILL: as in the picture before

typedef struct SnPictureCover {
    int columns, rows;
    uint8_t* tiles; // columns x rows, bottom row first: SnCover
    uint8_t* far;   // columns x rows: neither a body nor a shadow was there in the last picture
    // Rectangles of tiles of one kind, two triangles each: those with bodies first. Corners in pixels.
    int16_t* corners; // 2 x 6 x (with + without)
    int with, without;
} SnPictureCover;

SnStatus sn_picture_cover_create(SnPictureCover* cover, int width, int height);
void sn_picture_cover_free(SnPictureCover* cover);
// What shadows on the ground may change.
typedef struct SnPictureReach {
    const SnPictureLight* light;
    double tile[2]; // its sides, the picture being 2 x 2
    bool same;      // all else is as in the picture before
} SnPictureReach;
// reach: NULL: all of the picture
void sn_picture_cover_fill(SnPictureCover* cover, const SnPictureGeometry* geometry, const double camera_matrix[16],
                           int width, int height, const SnPictureReach* reach);
