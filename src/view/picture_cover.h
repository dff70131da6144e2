// Which parts of a picture bodies may be in, by the bounding boxes of triangles: the others are lit more cheaply, and
// those that no shadow reaches not at all while the camera stands still.
#pragma once
#include "view/picture_change.h"
#include "view/picture_light.h"

enum { SN_COVER_TILE = 8 }; // pixels on each side

typedef enum SnCover { SN_COVER_BARE, SN_COVER_BODY, SN_COVER_STILL } SnCover; // STILL: as in the picture before

// What a tile was, and stays as where light does not change: bare; so far out that no shadow reaches it.
typedef enum SnCoverBefore { SN_COVER_WAS_BARE = 1, SN_COVER_WAS_FAR = 2 } SnCoverBefore;

typedef struct SnPictureCover {
    int columns, rows;
    uint8_t* tiles;  // columns x rows, bottom row first: SnCover
    uint8_t* before; // columns x rows: of the last picture, SnCoverBefore
    // Rectangles of tiles of one kind, two triangles each: those with bodies first. Corners in pixels.
    int16_t* corners; // 2 x 6 x (with + without)
    int with, without;
    double* ground; // 2 x (columns + 1) x (rows + 1): x and z where corners of tiles show the ground, m
    float* places;  // 2 x vertex_count, of the vertices in the picture
    int place_capacity;
} SnPictureCover;

SnStatus sn_picture_cover_create(SnPictureCover* cover, int width, int height);
void sn_picture_cover_free(SnPictureCover* cover);
// What shadows on the ground may change.
typedef struct SnPictureReach {
    const SnPictureLight* light;
    double tile[2];                    // its sides, the picture being 2 x 2
    bool same;                         // all else is as in the picture before
    const SnPictureChange* changes[2]; // the key's light and the sky's on the ground
} SnPictureReach;
// reach: NULL: all of the picture
SnStatus sn_picture_cover_fill(SnPictureCover* cover, const SnPictureGeometry* geometry, const double camera_matrix[16],
                               int width, int height, const SnPictureReach* reach);
// The pixels around all tiles with bodies, lo to before hi; false: there are none.
bool sn_picture_cover_box(const SnPictureCover* cover, int lo[2], int hi[2]);
