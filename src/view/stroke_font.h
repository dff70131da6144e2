// A font of strokes for printable ASCII, for drawing texts without a font library.
#pragma once

// The strokes of a character: digit pairs "xy" are points, a comma lifts the pen. x from 0; y: 0 descender, 2 base
// line, 6 height of an x, 8 height of capitals, 9 the tallest.
const char* sn_stroke_glyph(char character);
double sn_stroke_advance(char character); // from one character to the next, in the same units
