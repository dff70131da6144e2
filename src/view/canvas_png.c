// A canvas of pixels: one that becomes a PNG file, or one over a picture. A pixel is covered by a line as far as its
// centre is inside, over one pixel's width; the segments of one line count once where they overlap.
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "view/canvas.h"
#include "view/png_file.h"
#include "view/stroke_font.h"

enum { SCALE = 2 }; // pixels of the file per pixel of the canvas, so that small texts can be read

typedef struct PngCanvas {
    SnCanvas base;
    char* path; // NULL: the pixels are the caller's
    int scale;  // pixels per pixel of the canvas
    int width, height;
    uint8_t* pixels;  // 3 x width x height
    float* covered;   // width x height: by the line being drawn
    int lo[2], hi[2]; // where that is not zero
} PngCanvas;

static double distance_to_segment(double x, double y, const double a[2], const double b[2])
{
    double dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

static int clamp(double value, int most)
{
    return value < 0 ? 0 : value > most ? most : (int)value;
}

static void cover_segment(PngCanvas* png, const double a[2], const double b[2], double radius)
{
    int size[2] = {png->width, png->height}, lo[2], hi[2];
    for (int c = 0; c < 2; c++) {
        lo[c] = clamp(floor(fmin(a[c], b[c]) - radius - 1), size[c]);
        hi[c] = clamp(ceil(fmax(a[c], b[c]) + radius + 1), size[c]);
        if (lo[c] < png->lo[c]) png->lo[c] = lo[c];
        if (hi[c] > png->hi[c]) png->hi[c] = hi[c];
    }
    for (int y = lo[1]; y < hi[1]; y++)
        for (int x = lo[0]; x < hi[0]; x++) {
            double inside = radius + 0.5 - distance_to_segment(x + 0.5, y + 0.5, a, b);
            float* covered = &png->covered[(size_t)y * (size_t)png->width + (size_t)x];
            if (inside > *covered) *covered = inside < 1 ? (float)inside : 1;
        }
}

// Puts the ink where the line covers, and forgets the line.
static void apply_ink(PngCanvas* png, SnInk ink)
{
    const uint8_t rgb[3] = {ink.r, ink.g, ink.b};
    for (int y = png->lo[1]; y < png->hi[1]; y++)
        for (int x = png->lo[0]; x < png->hi[0]; x++) {
            size_t k = (size_t)y * (size_t)png->width + (size_t)x;
            float share = png->covered[k];
            for (int c = 0; c < 3 && share > 0; c++)
                png->pixels[3 * k + c] = (uint8_t)lrintf((1 - share) * png->pixels[3 * k + c] + share * rgb[c]);
            png->covered[k] = 0;
        }
    png->lo[0] = png->width, png->lo[1] = png->height;
    png->hi[0] = png->hi[1] = 0;
}

// One segment of a dashed line that starts `along` the dashes; returns where the next one starts.
static double cover_dashes(PngCanvas* png, const double a[2], const double b[2], double radius, double dash,
                           double along)
{
    double length = hypot(b[0] - a[0], b[1] - a[1]), done = 0;
    while (done < length) {
        double phase = fmod(along + done, 2 * dash), left = phase < dash ? dash - phase : 2 * dash - phase;
        double end = fmin(done + fmax(left, 1e-3), length), u = done / length, v = end / length;
        double p[2] = {a[0] + u * (b[0] - a[0]), a[1] + u * (b[1] - a[1])};
        double q[2] = {a[0] + v * (b[0] - a[0]), a[1] + v * (b[1] - a[1])};
        if (phase < dash) cover_segment(png, p, q, radius);
        done = end;
    }
    return along + length;
}

static void line(SnCanvas* canvas, const double* points, int count, SnPen pen)
{
    PngCanvas* png = (PngCanvas*)canvas;
    double radius = 0.5 * pen.width * png->scale, along = 0;
    for (int i = 0; i < (count > 1 ? count - 1 : count); i++) {
        const double *from = points + 2 * i, *to = count > 1 ? from + 2 : from;
        double a[2] = {png->scale * from[0], png->scale * from[1]}, b[2] = {png->scale * to[0], png->scale * to[1]};
        if (pen.dash > 0)
            along = cover_dashes(png, a, b, radius, pen.dash * png->scale, along);
        else
            cover_segment(png, a, b, radius);
    }
    apply_ink(png, pen.ink);
}

static double text_units(const char* words)
{
    double units = 0;
    for (; *words; words++) units += sn_stroke_advance(*words);
    return units;
}

static const double unit_x = 0.098, unit_y = 0.118; // of the font's grid, relative to the size

double sn_canvas_text_width(const char* words, double size)
{
    return text_units(words) * unit_x * size;
}

// The strokes of one character whose origin is at `pen_x` along the base line.
static void cover_glyph(PngCanvas* png, const char* glyph, double pen_x, const SnLabel* label, double radius)
{
    double before[2] = {0, 0};
    bool down = false;
    for (; *glyph; glyph++) {
        if (*glyph == ',') {
            down = false;
            continue;
        }
        double u = pen_x + (glyph[0] - '0') * unit_x * label->size, v = (glyph[1] - '2') * unit_y * label->size;
        double p[2] = {png->scale * (label->upright ? label->x - v : label->x + u),
                       png->scale * (label->upright ? label->y - u : label->y - v)};
        if (down) cover_segment(png, before, p, radius);
        memcpy(before, p, sizeof p);
        down = true;
        glyph++; // past y
    }
}

static void text(SnCanvas* canvas, const char* words, SnLabel label)
{
    PngCanvas* png = (PngCanvas*)canvas;
    double width = sn_canvas_text_width(words, label.size) - 1.8 * unit_x * label.size;
    double x = label.anchor == SN_ANCHOR_END ? -width : label.anchor == SN_ANCHOR_MIDDLE ? -0.5 * width : 0;
    double radius = 0.5 * png->scale * label.size * (label.bold ? 0.14 : 0.09);
    for (; *words; words++) {
        cover_glyph(png, sn_stroke_glyph(*words), x, &label, radius);
        x += sn_stroke_advance(*words) * unit_x * label.size;
    }
    apply_ink(png, label.ink);
}

static void release(PngCanvas* png)
{
    if (png->path) sn_free(png->pixels);
    SN_FREE(png->path, png->covered, png);
}

static SnStatus finish(SnCanvas* canvas)
{
    PngCanvas* png = (PngCanvas*)canvas;
    SnStatus status = png->path ? sn_png_write(png->path, png->width, png->height, png->pixels) : SN_OK;
    release(png);
    return status;
}

static SnStatus create(int width, int height, int scale, PngCanvas** out)
{
    PngCanvas* png;
    *out = NULL;
    if (!SN_NEW(png, 1, "a drawing")) return SN_ERROR_MEMORY;
    png->base = (SnCanvas){width, height, line, text, finish};
    png->scale = scale, png->width = scale * width, png->height = scale * height;
    bool room = SN_NEW(png->covered, (size_t)png->width * (size_t)png->height, "a drawing");
    png->lo[0] = png->width, png->lo[1] = png->height;
    SN_FINISH(room ? SN_OK : SN_ERROR_MEMORY, png, release, out);
}

SnStatus sn_canvas_create_png(const char* path, int width, int height, SnCanvas** canvas)
{
    PngCanvas* png;
    *canvas = NULL;
    SN_TRY(create(width, height, SCALE, &png));
    size_t size = 3 * (size_t)png->width * (size_t)png->height;
    png->path = sn_copy_text(path);
    if (!png->path || !SN_NEW(png->pixels, size, "a plot")) {
        release(png);
        return SN_ERROR_MEMORY;
    }
    memset(png->pixels, 255, size);
    *canvas = &png->base;
    return SN_OK;
}

SnStatus sn_canvas_create_over(int width, int height, uint8_t* pixels, SnCanvas** canvas)
{
    PngCanvas* png;
    *canvas = NULL;
    SN_TRY(create(width, height, 1, &png));
    png->pixels = pixels;
    *canvas = &png->base;
    return SN_OK;
}
