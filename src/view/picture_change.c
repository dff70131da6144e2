// Changes of a map, counted by summed areas (Crow 1984).
#include "view/picture_change.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

SnStatus sn_picture_change_begin(SnPictureChange* c, int size, const double centre[3], double half)
{
    c->known = c->sums && size == c->size && half == c->half && centre[0] == c->centre[0] && centre[2] == c->centre[1];
    if (size != c->size) {
        sn_picture_change_free(c);
        int64_t side = size + 1;
        if (!SN_NEW(c->now, (int64_t)size * size, "picture") || !SN_NEW(c->before, (int64_t)size * size, "picture") ||
            !SN_NEW(c->sums, side * side, "picture"))
            return SN_ERROR_MEMORY;
    }
    uint8_t* other = c->before;
    c->before = c->now, c->now = other;
    c->size = size, c->half = half, c->centre[0] = centre[0], c->centre[1] = centre[2];
    return SN_OK;
}

void sn_picture_change_end(SnPictureChange* c)
{
    for (int y = 0; c->known && y < c->size; y++) {
        size_t at = (size_t)y * (size_t)c->size, side = (size_t)c->size + 1;
        int *below = c->sums + (size_t)y * side, *above = below + side, row = 0;
        for (int x = 0; x < c->size; x++) {
            row += c->now[at + (size_t)x] != c->before[at + (size_t)x];
            above[x + 1] = below[x + 1] + row;
        }
    }
}

// Texels that light between lo and hi is blended from; false: none.
static bool find_texels(const SnPictureChange* c, int axis, double lo, double hi, int range[2])
{
    double texel = 2 * c->half / c->size, start = c->centre[axis] - c->half;
    double first = floor((lo - start) / texel - 0.5), last = floor((hi - start) / texel + 0.5) + 1;
    range[0] = (int)(first < 0         ? 0
                     : first > c->size ? c->size
                                       : first),
    range[1] = (int)(last < 0         ? 0
                     : last > c->size ? c->size
                                      : last);
    return range[0] < range[1];
}

bool sn_picture_change_is_in(const SnPictureChange* c, const double lo[2], const double hi[2])
{
    int x[2], y[2];
    if (!find_texels(c, 0, lo[0], hi[0], x) || !find_texels(c, 1, lo[1], hi[1], y)) return false;
    if (!c->known) return true;
    size_t side = (size_t)c->size + 1;
    const int *below = c->sums + (size_t)y[0] * side, *above = c->sums + (size_t)y[1] * side;
    return above[x[1]] - above[x[0]] - below[x[1]] + below[x[0]] > 0;
}

void sn_picture_change_free(SnPictureChange* c)
{
    SN_FREE(c->now, c->before, c->sums);
    *c = (SnPictureChange){0};
}
