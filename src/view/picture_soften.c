// Means over squares as wide as each texel asks for, by summed areas (Crow 1984); two rounds of it leave no corners.
#include "view/picture_soften.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

enum { ROUNDS = 2, NARROWEST = 1 };
static const float OPEN =
    0.97f; // nothing is in the way: faint light far around, which changes with every motion, is none

typedef struct Soften {
    int size;
    float *light, *softer; // size x size
    double* sums;          // (size + 1)^2: of all texels left of and below a corner
} Soften;

static void add_up(const Soften* s, const float* light)
{
    size_t side = (size_t)s->size + 1;
    for (size_t y = 0; y + 1 < side; y++) {
        double row = 0, *below = s->sums + y * side, *above = below + side;
        for (size_t x = 0; x + 1 < side; x++) {
            row += (double)light[y * (side - 1) + x];
            above[x + 1] = below[x + 1] + row;
        }
    }
}

// Over a square of 2 r + 1 texels that stays inside, r not whole: a blend of two squares.
static double mean_around(const Soften* s, int x, int y, double r)
{
    double part = r - floor(r), mean[2];
    for (int k = 0; k < 2; k++) {
        int width = (int)r + k, lo[2] = {x - width, y - width}, hi[2] = {x + width + 1, y + width + 1};
        for (int i = 0; i < 2; i++) lo[i] = lo[i] < 0 ? 0 : lo[i], hi[i] = hi[i] > s->size ? s->size : hi[i];
        size_t side = (size_t)s->size + 1;
        const double *below = s->sums + (size_t)lo[1] * side, *above = s->sums + (size_t)hi[1] * side;
        mean[k] = (above[hi[0]] - above[lo[0]] - below[hi[0]] + below[lo[0]]) / ((hi[0] - lo[0]) * (hi[1] - lo[1]));
    }
    return mean[0] * (1 - part) + mean[1] * part;
}

static void blur(Soften* s, double widest)
{
    add_up(s, s->light);
    for (int i = 0; i < s->size * s->size; i++) {
        int x = i % s->size, y = i / s->size;
        double around = mean_around(s, x, y, widest / 2);
        s->softer[i] = (float)mean_around(s, x, y, NARROWEST + fmax(widest - NARROWEST, 0) * around * around);
    }
    float* other = s->light;
    s->light = s->softer, s->softer = other;
}

SnStatus sn_picture_soften(uint8_t* map, int size, double widest)
{
    Soften s = {.size = size};
    int64_t count = (int64_t)size * size, side = size + 1;
    bool room = SN_NEW(s.light, count, "picture") && SN_NEW(s.softer, count, "picture") &&
                SN_NEW(s.sums, side * side, "picture");
    for (int64_t i = 0; room && i < count; i++) s.light[i] = (float)map[i] / 255;
    for (int round = 0; room && round < ROUNDS; round++) blur(&s, widest);
    for (int64_t i = 0; room && i < count; i++) map[i] = (uint8_t)lrintf(255 * fminf(s.light[i] / OPEN, 1));
    SN_FREE(s.light, s.softer, s.sums);
    return room ? SN_OK : SN_ERROR_MEMORY;
}

// Three rows added up, then three columns; those at the rim stay.
SnStatus sn_picture_even(uint8_t* map, int size)
{
    uint16_t* columns = NULL;
    uint8_t* before = NULL;
    if (!SN_NEW(before, 2 * (int64_t)size, "picture") || !SN_NEW(columns, size, "picture")) {
        sn_free(before);
        return SN_ERROR_MEMORY;
    }
    uint8_t *last = before, *here = before + size;
    memcpy(last, map, (size_t)size);
    for (int y = 1; y + 1 < size; y++) {
        uint8_t *row = map + (size_t)y * (size_t)size, *next = row + size;
        memcpy(here, row, (size_t)size);
        for (int x = 0; x < size; x++) columns[x] = (uint16_t)(last[x] + here[x] + next[x]);
        for (int x = 1; x + 1 < size; x++) row[x] = (uint8_t)((columns[x - 1] + columns[x] + columns[x + 1] + 4) / 9);
        uint8_t* other = last;
        last = here, here = other;
    }
    SN_FREE(before, columns);
    return SN_OK;
}
