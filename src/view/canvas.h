// What plots and marks on pictures are drawn on: lines and texts, as SVG or as pixels. Lengths are pixels, from the top
// left corner.
#pragma once
#include <sinew/base.h>

#include <stdio.h>

typedef struct SnInk {
    uint8_t r, g, b;
} SnInk;

typedef struct SnPen {
    SnInk ink;
    double width; // ends and corners are round, so that a line of no length is a dot
    double dash;  // length of dashes and of the gaps between them; 0: solid
} SnPen;

typedef enum SnAnchor { SN_ANCHOR_START, SN_ANCHOR_MIDDLE, SN_ANCHOR_END } SnAnchor;

typedef struct SnLabel {
    double x, y; // of the anchor, on the base line
    double size; // of the letters
    SnAnchor anchor;
    bool upright; // reads from bottom to top
    bool bold;
    SnInk ink;
} SnLabel;

typedef struct SnCanvas {
    int width, height;
    void (*line)(struct SnCanvas* canvas, const double* points, int count, SnPen pen); // 2 x count
    void (*text)(struct SnCanvas* canvas, const char* text, SnLabel label);
    // Ends the drawing and writes it; frees the canvas in any case.
    SnStatus (*finish)(struct SnCanvas* canvas);
} SnCanvas;

// White and empty. The file is written by `finish`; on failure no half-written file is left behind.
SnStatus sn_canvas_create_svg(const char* path, int width, int height, SnCanvas** canvas);
SnStatus sn_canvas_create_png(const char* path, int width, int height, SnCanvas** canvas);

// Draws on a picture: 3 x width x height, top row first; `finish` leaves it as it is then.
SnStatus sn_canvas_create_over(int width, int height, uint8_t* pixels, SnCanvas** canvas);

// How wide a text is about, in any font.
double sn_canvas_text_width(const char* text, double size);
