// A canvas that becomes an SVG file.
#include <unistd.h>

#include "core/memory.h"
#include "view/canvas.h"

typedef struct SvgCanvas {
    SnCanvas base;
    FILE* file;
    char* path;
} SvgCanvas;

static void line(SnCanvas* canvas, const double* points, int count, SnPen pen)
{
    FILE* file = ((SvgCanvas*)canvas)->file;
    if (count < 1) return;
    fprintf(file, "<polyline points=\"");
    for (int i = 0; i < count; i++) fprintf(file, "%s%.2f,%.2f", i ? " " : "", points[2 * i], points[2 * i + 1]);
    if (count == 1) fprintf(file, " %.2f,%.2f", points[0], points[1]);
    fprintf(file, "\" stroke=\"#%02x%02x%02x\" stroke-width=\"%.2f\"", pen.ink.r, pen.ink.g, pen.ink.b, pen.width);
    if (pen.dash > 0) fprintf(file, " stroke-dasharray=\"%.2f\"", pen.dash);
    fprintf(file, "/>\n");
}

// Text of a document: what would be markup is escaped, what XML forbids is left out.
static void print_text(FILE* file, const char* text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else if ((unsigned char)*text >= ' ' && (unsigned char)*text < 127)
            fputc(*text, file);
        else
            fputc('?', file);
    }
}

static void text(SnCanvas* canvas, const char* words, SnLabel label)
{
    static const char* const anchors[] = {"start", "middle", "end"};
    FILE* file = ((SvgCanvas*)canvas)->file;
    fprintf(file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"#%02x%02x%02x\"", label.x,
            label.y, label.size, anchors[label.anchor], label.ink.r, label.ink.g, label.ink.b);
    if (label.bold) fprintf(file, " font-weight=\"bold\"");
    if (label.upright) fprintf(file, " transform=\"rotate(-90 %.2f %.2f)\"", label.x, label.y);
    fputc('>', file);
    print_text(file, words);
    fprintf(file, "</text>\n");
}

static SnStatus finish(SnCanvas* canvas)
{
    SvgCanvas* svg = (SvgCanvas*)canvas;
    SnStatus status = SN_OK;
    fprintf(svg->file, "</g>\n</svg>\n");
    bool bad = ferror(svg->file) != 0;
    if (fclose(svg->file) != 0 || bad) {
        unlink(svg->path);
        status = sn_fail(SN_ERROR_FILE, "%s: could not be written; is the disk full?", svg->path);
    }
    SN_FREE(svg->path, svg);
    return status;
}

SnStatus sn_canvas_create_svg(const char* path, int width, int height, SnCanvas** canvas)
{
    SvgCanvas* svg;
    *canvas = NULL;
    if (!SN_NEW(svg, 1, "a plot")) return SN_ERROR_MEMORY;
    svg->base = (SnCanvas){width, height, line, text, finish};
    svg->path = sn_copy_text(path);
    svg->file = svg->path ? fopen(path, "w") : NULL;
    if (!svg->file) {
        SnStatus status = svg->path ? sn_fail(SN_ERROR_FILE, "%s: cannot be written: %m", path) : SN_ERROR_MEMORY;
        SN_FREE(svg->path, svg);
        return status;
    }
    fprintf(svg->file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n"
            "<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" "
            "font-family=\"Helvetica, Arial, sans-serif\">\n",
            width, height, width, height, width, height);
    *canvas = &svg->base;
    return SN_OK;
}
