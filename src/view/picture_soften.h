// Maps of light on the ground: that of the sky, made from a few directions, as if it had come from all of them; that of
// the key without its grain.
#pragma once
#include <sinew/base.h>

// Blurs where each direction alone would leave an edge: over up to `widest` texels each way where hardly anything is in
// the way, as that is far off then, and over few where all is dark.
SnStatus sn_picture_soften(uint8_t* map, int size, double widest);
// Means over nine texels each: of shadows whose few looks into a map turn from texel to texel.
SnStatus sn_picture_even(uint8_t* map, int size);
