// Where a small map of light on the ground, a square of texels, differs from that of the picture before.
#pragma once
#include <sinew/base.h>

typedef struct SnPictureChange {
    int size;               // texels on a side
    double centre[2], half; // the square, m: x and z of its middle, half its side
    uint8_t *now, *before;  // size x size
    bool known;             // the map before was of the same square
    int* sums;              // (size + 1)^2: how many differ among those left of and below a corner
} SnPictureChange;

// A new map, whose texels go into `now`.
SnStatus sn_picture_change_begin(SnPictureChange* change, int size, const double centre[3], double half);
void sn_picture_change_end(SnPictureChange* change); // `now` is there
// Whether light differs somewhere in a rectangle of the ground; inside the square alone.
bool sn_picture_change_is_in(const SnPictureChange* change, const double lo[2], const double hi[2]);
void sn_picture_change_free(SnPictureChange* change);
