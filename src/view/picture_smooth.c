// Morphological antialiasing (Reshetov 2009). Between rows where pixels differ lie runs of separations, which end where
// the edge steps up or down; a line between the middles of these steps is the edge that was drawn, and what lies
// between it and the run gets the colour of the other side. The same between columns.
#include "view/picture_smooth.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

enum { DIFFERENT = 20 }; // of 255, in one of the three colours

SnStatus sn_picture_smooth_create(SnPictureSmooth* s, int width, int height)
{
    int64_t count = (int64_t)width * height;
    s->width = width, s->height = height;
    bool room = SN_NEW(s->below, count, "picture") && SN_NEW(s->right, count, "picture") &&
                SN_NEW(s->bytes, 4 * (int64_t)width, "picture");
    return room ? SN_OK : SN_ERROR_MEMORY;
}

void sn_picture_smooth_free(SnPictureSmooth* s)
{
    SN_FREE(s->below, s->right, s->bytes);
    *s = (SnPictureSmooth){0};
}

// Which of `count` pixels at a differ from those at b; in two loops that compilers turn into vectors.
static void compare(const uint8_t* a, const uint8_t* b, int count, uint8_t* bytes, uint8_t* flags)
{
    for (int i = 0; i < 4 * count; i++) {
        uint8_t more = a[i] > b[i] ? a[i] : b[i], less = a[i] > b[i] ? b[i] : a[i];
        bytes[i] = (uint8_t)(more - less) > DIFFERENT;
    }
    for (int i = 0; i < count; i++) flags[i] = bytes[4 * i] | bytes[4 * i + 1] | bytes[4 * i + 2];
}

// Pixels along a run and across it: `step` from one to the next along, `side` to the other side of the separations.
typedef struct Run {
    uint8_t* pixels; // the first on this side
    ptrdiff_t step, side;
    int length;
    double ends[2]; // by how much the edge lies on the other side at its ends: 1/2, 0, -1/2
} Run;

// How far the edge is on the other side at t of a run: straight from step to step where it goes through, else to its
// middle and away again.
static double height_at(const Run* run, double t)
{
    double part = t / run->length;
    if (run->ends[0] * run->ends[1] < 0) return run->ends[0] + (run->ends[1] - run->ends[0]) * part;
    return part < 0.5 ? run->ends[0] * (1 - 2 * part) : run->ends[1] * (2 * part - 1);
}

// The area between a line from height a to b and zero, above and below, over a length.
static void add_areas(double a, double b, double length, double area[2])
{
    if (a * b >= 0) {
        area[a + b < 0] += fabs(a + b) / 2 * length;
        return;
    }
    double zero = a / (a - b);
    area[a < 0] += fabs(a) / 2 * zero * length;
    area[b < 0] += fabs(b) / 2 * (1 - zero) * length;
}

// In about linear light.
static void blend(uint8_t* to, const uint8_t from[4], double part)
{
    for (int i = 0; i < 3; i++) to[i] = (uint8_t)lrint(sqrt((1 - part) * to[i] * to[i] + part * from[i] * from[i]));
}

static void smooth_run(const Run* run)
{
    if (run->ends[0] == 0 && run->ends[1] == 0) return;
    double middle = 0.5 * run->length;
    for (int i = 0; i < run->length; i++) {
        double areas[2] = {0}, turn = fmin(fmax(middle, i), i + 1);
        add_areas(height_at(run, i), height_at(run, turn), turn - i, areas);
        add_areas(height_at(run, turn), height_at(run, i + 1), i + 1 - turn, areas);
        uint8_t *here = run->pixels + i * run->step, *there = here + run->side, mine[4], other[4];
        memcpy(mine, here, 4), memcpy(other, there, 4);
        if (areas[0] > 0) blend(there, mine, areas[0]);
        if (areas[1] > 0) blend(here, other, areas[1]);
    }
}

// The separation that crosses the end of a run is on the other side, on this one, or on both or none.
static double end_of(bool here, bool there)
{
    return here == there ? 0 : there ? 0.5 : -0.5;
}

static void smooth_row(const SnPictureSmooth* s, const int lo[2], const int hi[2], int y, uint8_t* rgba)
{
    size_t width = (size_t)s->width;
    const uint8_t *flags = s->below + (size_t)y * width, *here = s->right + (size_t)y * width, *there = here + width;
    for (int x = lo[0]; x < hi[0];) {
        const uint8_t* found = memchr(flags + x, 1, (size_t)(hi[0] - x));
        if (!found) return;
        int first = x = (int)(found - flags);
        while (x < hi[0] && flags[x]) x++;
        Run run = {rgba + 4 * ((size_t)y * width + (size_t)first), 4, (ptrdiff_t)(4 * width), x - first, {0}};
        if (first > lo[0]) run.ends[0] = end_of(here[first - 1], there[first - 1]);
        if (x < hi[0]) run.ends[1] = end_of(here[x - 1], there[x - 1]);
        smooth_run(&run);
    }
}

// Runs down columns that begin in this row.
static void smooth_columns(const SnPictureSmooth* s, const int lo[2], const int hi[2], int y, uint8_t* rgba)
{
    size_t width = (size_t)s->width;
    const uint8_t* flags = s->right + (size_t)y * width;
    for (int x = lo[0]; x < hi[0] - 1; x++) {
        const uint8_t* found = memchr(flags + x, 1, (size_t)(hi[0] - 1 - x));
        if (!found) return;
        x = (int)(found - flags);
        if (y > lo[1] && found[-(ptrdiff_t)width]) continue;
        int last = y;
        size_t at = (size_t)y * width + (size_t)x;
        while (last < hi[1] && s->right[(size_t)last * width + (size_t)x]) last++;
        Run run = {rgba + 4 * at, (ptrdiff_t)(4 * width), 4, last - y, {0}};
        const uint8_t *above = s->below + at - width, *under = s->below + (size_t)(last - 1) * width + (size_t)x;
        if (y > lo[1]) run.ends[0] = end_of(above[0], above[1]);
        if (last < hi[1]) run.ends[1] = end_of(under[0], under[1]);
        smooth_run(&run);
    }
}

void sn_picture_smooth_apply(SnPictureSmooth* s, const int lo[2], const int hi[2], uint8_t* rgba)
{
    int count = hi[0] - lo[0];
    size_t width = (size_t)s->width;
    for (int y = lo[1]; y < hi[1]; y++) {
        size_t at = (size_t)y * width + (size_t)lo[0];
        const uint8_t* row = rgba + 4 * at;
        if (y + 1 < hi[1])
            compare(row, row + 4 * width, count, s->bytes, s->below + at);
        else
            memset(s->below + at, 0, (size_t)count);
        compare(row, row + 4, count - 1, s->bytes, s->right + at);
        s->right[at + (size_t)count - 1] = 0;
    }
    for (int y = lo[1]; y + 1 < hi[1]; y++) smooth_row(s, lo, hi, y, rgba);
    for (int y = lo[1]; y < hi[1]; y++) smooth_columns(s, lo, hi, y, rgba);
}
