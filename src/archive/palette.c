// The colours of bodies: muted, apart in hue and lightness, and readable on a light ground.
#include "archive/palette.h"

#include <stdint.h>

void sn_palette(int index, float colour[3])
{
    static const uint8_t COLOURS[][3] = {
        {226, 106, 74},  // coral
        {61, 125, 196},  // blue
        {240, 180, 66},  // amber
        {74, 164, 128},  // green
        {146, 108, 184}, // violet
        {62, 168, 186},  // teal
        {216, 110, 150}, // rose
        {140, 150, 162}, // slate
    };
    int count = (int)(sizeof COLOURS / sizeof *COLOURS);
    const uint8_t* c = COLOURS[(index % count + count) % count];
    for (int i = 0; i < 3; i++) colour[i] = (float)c[i] / 255;
}
