// A map of the sky's light on the ground, made from a few directions, as if it had come from all of them.
#pragma once
#include <sinew/base.h>

// Blurs where each direction alone would leave an edge: over up to `widest` texels each way where hardly anything is in
// the way, as that is far off then, and over few where all is dark.
SnStatus sn_picture_soften(uint8_t* map, int size, double widest);
