// Plots: axes with marks at round numbers, curves, and a legend to the right.
#include "view/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "view/canvas.h"

// Distinct for the colour-blind, too (Okabe and Ito); after the last they are used again, dashed.
static const SnInk inks[] = {{0, 114, 178},  {213, 94, 0},  {0, 158, 115}, {204, 121, 167},
                             {86, 180, 233}, {230, 159, 0}, {90, 90, 90},  {148, 88, 30}};
enum { INKS = sizeof inks / sizeof *inks, MOST_MARKED = 80, MOST_DECADES = 8 };

static const SnInk black = {30, 30, 30}, grey = {225, 225, 225}, faint = {242, 242, 242};
static const double letters = 14, small_letters = 12;

// An axis on the canvas: numbers (or their logarithms) from lo to hi become pixels from a to b.
typedef struct Scale {
    const SnAxis* axis;
    double lo, hi, a, b;
} Scale;

typedef struct Drawing {
    const SnPlot* plot;
    SnCanvas* canvas;
    Scale x, y;
    double* points; // 2 x the longest curve
} Drawing;

static double coordinate(const SnAxis* axis, double value)
{
    if (!axis->logarithmic || !isfinite(value)) return value;
    return log10(value > axis->floor ? value : axis->floor);
}

static double pixel(const Scale* scale, double value)
{
    double u = (coordinate(scale->axis, value) - scale->lo) / (scale->hi - scale->lo);
    return scale->a + u * (scale->b - scale->a);
}

// The range of the curves on one axis; 0 to 1 when there is nothing.
static void find_range(const SnPlot* plot, bool y, Scale* scale)
{
    scale->axis = y ? &plot->y : &plot->x;
    scale->lo = INFINITY, scale->hi = -INFINITY;
    for (int c = 0; c < plot->curve_count; c++)
        for (int i = 0; i < plot->curves[c].count; i++) {
            if (!isfinite(plot->curves[c].x[i]) || !isfinite(plot->curves[c].y[i])) continue;
            double v = coordinate(scale->axis, y ? plot->curves[c].y[i] : plot->curves[c].x[i]);
            scale->lo = fmin(scale->lo, v), scale->hi = fmax(scale->hi, v);
        }
    if (!(scale->lo <= scale->hi)) scale->lo = 0, scale->hi = 1;
    if (scale->axis->from_zero && !scale->axis->logarithmic) scale->lo = fmin(scale->lo, 0);
}

// The distance of marks on a linear axis: 1, 2 or 5 times a power of ten, at most `most` of them.
static double round_step(double range, int most, bool whole)
{
    double step = pow(10, floor(log10(range / most)));
    static const double factors[] = {1, 2, 5, 10};
    int i = 0;
    while (i < 3 && range / (step * factors[i]) > most) i++;
    step *= factors[i];
    return whole && step < 1 ? 1 : step;
}

// Widens the range to round ends.
static void round_range(Scale* scale)
{
    if (scale->axis->names) {
        scale->lo = 0.5, scale->hi = scale->axis->name_count + 0.5;
        return;
    }
    if (scale->axis->logarithmic) {
        scale->lo = floor(scale->lo + 1e-9), scale->hi = ceil(scale->hi - 1e-9);
        if (scale->hi == scale->lo) scale->hi++;
        return;
    }
    double least = 1e-12 * fmax(fabs(scale->lo), fabs(scale->hi));
    if (scale->hi - scale->lo <= least) {
        double margin = scale->lo != 0 ? 0.1 * fabs(scale->lo) : 1;
        if (scale->lo != 0 || !scale->axis->from_zero) scale->lo -= margin;
        scale->hi += margin;
    }
    double step = round_step(scale->hi - scale->lo, 8, scale->axis->whole);
    if (!scale->axis->from_zero) scale->lo = floor(scale->lo / step + 1e-9) * step;
    scale->hi = ceil(scale->hi / step - 1e-9) * step;
}

static void draw_line(const Drawing* d, double x0, double y0, double x1, double y1, SnPen pen)
{
    d->canvas->line(d->canvas, (double[]){x0, y0, x1, y1}, 2, pen);
}

// A line across the plot where one axis has the value at `p`.
static void draw_grid(const Drawing* d, bool y, double p, SnInk ink)
{
    SnPen pen = {ink, 1, 0};
    if (y)
        draw_line(d, d->x.a, p, d->x.b, p, pen);
    else
        draw_line(d, p, d->y.a, p, d->y.b, pen);
}

static SnLabel label_at(const Drawing* d, bool y, double p)
{
    if (y) return (SnLabel){d->x.a - 8, p + 4.5, small_letters, SN_ANCHOR_END, false, false, black};
    return (SnLabel){p, d->y.a + 18, small_letters, SN_ANCHOR_MIDDLE, false, false, black};
}

// 10 with its exponent above.
static void draw_power(const Drawing* d, bool y, double p, int exponent)
{
    char text[16];
    snprintf(text, sizeof text, "%d", exponent);
    SnLabel label = label_at(d, y, p);
    double raised = 0.7 * small_letters, width = sn_canvas_text_width(text, raised);
    label.x = y ? label.x - width : label.x + 0.5 * (sn_canvas_text_width("10", small_letters) - width) - 1;
    label.anchor = SN_ANCHOR_END;
    d->canvas->text(d->canvas, "10", label);
    label.x += 1.5, label.y -= 5, label.size = raised, label.anchor = SN_ANCHOR_START;
    d->canvas->text(d->canvas, text, label);
}

static void draw_decades(const Drawing* d, const Scale* scale, bool y)
{
    int lo = (int)lround(scale->lo), hi = (int)lround(scale->hi), stride = (hi - lo + MOST_DECADES - 1) / MOST_DECADES;
    for (int k = lo; k <= hi; k++) {
        for (int m = 2; m < 10 && k < hi && hi - lo <= 5; m++) draw_grid(d, y, pixel(scale, m * pow(10, k)), faint);
    }
    for (int k = lo; k <= hi; k++) {
        double p = scale->a + (k - scale->lo) / (scale->hi - scale->lo) * (scale->b - scale->a);
        draw_grid(d, y, p, grey);
        if ((hi - k) % stride == 0) draw_power(d, y, p, k);
    }
}

static void draw_numbers(const Drawing* d, const Scale* scale, bool y)
{
    double step = round_step(scale->hi - scale->lo, 8, scale->axis->whole);
    double first = ceil(scale->lo / step - 1e-9);
    for (int i = 0; (first + i) * step <= scale->hi + 1e-9 * step; i++) {
        char text[32];
        double value = (first + i) * step, p = pixel(scale, value);
        snprintf(text, sizeof text, "%.6g", fabs(value) < 1e-9 * step ? 0 : value);
        draw_grid(d, y, p, grey);
        d->canvas->text(d->canvas, text, label_at(d, y, p));
    }
}

// Words in two rows, each as large as fits.
static void draw_names(const Drawing* d, const Scale* scale)
{
    int count = scale->axis->name_count;
    double room = (count > 1 ? 2 : 1) * fabs(scale->b - scale->a) / count - 6;
    for (int i = 0; i < count; i++) {
        const char* name = scale->axis->names[i];
        double p = pixel(scale, i + 1), width = 1.15 * sn_canvas_text_width(name, small_letters);
        SnLabel label = label_at(d, false, p);
        label.y += i % 2 ? 11 : -2;
        if (width > room) label.size *= room / width;
        draw_grid(d, false, p, grey);
        d->canvas->text(d->canvas, name, label);
    }
}

// The size of a title over `middle` that fits into the picture: readers' fonts may be wider than ours, bold ones more.
static double title_size(const Drawing* d, double middle)
{
    double room = 2 * fmin(middle, d->canvas->width - middle) - 16, size = 1.15 * letters;
    double width = d->plot->title ? 1.4 * sn_canvas_text_width(d->plot->title, size) : 0;
    return width > room ? size * room / width : size;
}

static void draw_axes(const Drawing* d)
{
    for (int k = 0; k < 2; k++) {
        const Scale* scale = k ? &d->y : &d->x;
        if (scale->axis->names)
            draw_names(d, scale);
        else if (scale->axis->logarithmic)
            draw_decades(d, scale, k);
        else
            draw_numbers(d, scale, k);
    }
    SnPen pen = {black, 1, 0};
    double frame[] = {d->x.a, d->y.b, d->x.a, d->y.a, d->x.b, d->y.a, d->x.b, d->y.b, d->x.a, d->y.b};
    d->canvas->line(d->canvas, frame, 5, pen);
    double middle = 0.5 * (d->x.a + d->x.b);
    SnLabel title = {middle, d->y.b - 14, title_size(d, middle), SN_ANCHOR_MIDDLE, false, true, black};
    SnLabel below = {middle, d->y.a + 42, letters, SN_ANCHOR_MIDDLE, false, false, black};
    SnLabel beside = {20, 0.5 * (d->y.a + d->y.b), letters, SN_ANCHOR_MIDDLE, true, false, black};
    if (d->plot->title) d->canvas->text(d->canvas, d->plot->title, title);
    if (d->plot->x.label) d->canvas->text(d->canvas, d->plot->x.label, below);
    if (d->plot->y.label) d->canvas->text(d->canvas, d->plot->y.label, beside);
}

static SnPen pen_of(int curve)
{
    return (SnPen){inks[curve % INKS], 2, curve / INKS % 2 ? 6 : 0};
}

static void draw_curve(const Drawing* d, int index)
{
    const SnCurveData* curve = &d->plot->curves[index];
    SnPen pen = pen_of(index);
    int count = 0;
    for (int i = 0; i <= curve->count; i++) {
        bool gap = i == curve->count || !isfinite(curve->x[i]) || !isfinite(curve->y[i]);
        if (!gap) {
            d->points[2 * count] = pixel(&d->x, curve->x[i]);
            d->points[2 * count + 1] = pixel(&d->y, curve->y[i]);
            count++;
            continue;
        }
        if (count && !d->plot->x.names) d->canvas->line(d->canvas, d->points, count, pen); // words have no between
        for (int k = 0; k < count && curve->count <= MOST_MARKED; k++)
            d->canvas->line(d->canvas, d->points + 2 * k, 1, (SnPen){pen.ink, d->plot->x.names ? 9 : 5.5, 0});
        count = 0;
    }
}

static void draw_legend(const Drawing* d)
{
    double x = d->x.b + 16, y = d->y.b + 10;
    for (int c = 0; c < d->plot->curve_count; c++, y += 20) {
        SnLabel label = {x + 32, y + 4.5, small_letters, SN_ANCHOR_START, false, false, black};
        draw_line(d, x, y, x + 24, y, pen_of(c));
        d->canvas->text(d->canvas, d->plot->curves[c].name, label);
    }
}

// Room for the labels, and to the right for the legend.
static void lay_out(Drawing* d)
{
    const SnPlot* plot = d->plot;
    double widest = 0;
    for (int c = 0; c < plot->curve_count; c++)
        widest = fmax(widest, sn_canvas_text_width(plot->curves[c].name, small_letters));
    find_range(plot, false, &d->x);
    find_range(plot, true, &d->y);
    round_range(&d->x);
    round_range(&d->y);
    double right = plot->curve_count ? 16 + 32 + 1.25 * widest + 12 : 24;
    d->x.a = 84, d->x.b = fmax(d->canvas->width - right, d->x.a + 0.3 * d->canvas->width);
    d->y.a = d->canvas->height - 60, d->y.b = 44;
}

static SnStatus create_canvas(const SnPlot* plot, const char* path, SnCanvas** canvas)
{
    int width = plot->width > 0 ? plot->width : 800, height = plot->height > 0 ? plot->height : 480;
    const char* dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".svg") == 0) return sn_canvas_create_svg(path, width, height, canvas);
    if (dot && strcasecmp(dot, ".png") == 0) return sn_canvas_create_png(path, width, height, canvas);
    return sn_fail(SN_ERROR_VALUE, "%s: a plot's file ends in .svg or .png", path);
}

SnStatus sn_plot_write(const SnPlot* plot, const char* path)
{
    Drawing d = {.plot = plot};
    int longest = 1;
    for (int c = 0; c < plot->curve_count; c++)
        longest = plot->curves[c].count > longest ? plot->curves[c].count : longest;
    if (!SN_NEW(d.points, 2 * (int64_t)longest, "a plot")) return SN_ERROR_MEMORY;
    SnStatus status = create_canvas(plot, path, &d.canvas);
    if (status == SN_OK) {
        lay_out(&d);
        draw_axes(&d);
        for (int c = 0; c < plot->curve_count; c++) draw_curve(&d, c);
        draw_legend(&d);
        status = d.canvas->finish(d.canvas);
    }
    sn_free(d.points);
    return status;
}
