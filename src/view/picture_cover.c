// Tiles that bodies may cover.
#include "view/picture_cover.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

SnStatus sn_picture_cover_create(SnPictureCover* c, int width, int height)
{
    c->columns = (width + SN_COVER_TILE - 1) / SN_COVER_TILE, c->rows = (height + SN_COVER_TILE - 1) / SN_COVER_TILE;
    int64_t count = (int64_t)c->columns * c->rows;
    bool room = SN_NEW(c->tiles, count, "picture") && SN_NEW(c->before, count, "picture") &&
                SN_NEW(c->corners, 12 * count, "picture") &&
                SN_NEW(c->ground, 2 * (c->columns + 1) * (int64_t)(c->rows + 1), "picture");
    return room ? SN_OK : SN_ERROR_MEMORY;
}

void sn_picture_cover_free(SnPictureCover* c)
{
    SN_FREE(c->tiles, c->before, c->corners, c->ground, c->places);
    *c = (SnPictureCover){0};
}

typedef struct Extent {
    double lo[2], hi[2];
} Extent;

// Where vertices are in the picture; those behind the camera have no place.
static void place_vertices(SnPictureCover* c, const SnPictureGeometry* g, const double matrix[16])
{
    float m[16];
    for (int i = 0; i < 16; i++) m[i] = (float)matrix[i];
    for (int v = 0; v < g->vertex_count; v++) {
        const float* p = g->vertices[v].position;
        float w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
        for (int i = 0; i < 2; i++)
            c->places[2 * v + i] = w > 0 ? (m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]) / w : NAN;
    }
}

// Of a triangle; false where a corner is behind the camera.
static bool find_extent(const SnPictureCover* c, const uint32_t index[3], Extent* e)
{
    for (int i = 0; i < 2; i++) {
        float x[3];
        for (int k = 0; k < 3; k++) x[k] = c->places[2 * (size_t)index[k] + (size_t)i];
        if (!(x[0] == x[0] && x[1] == x[1] && x[2] == x[2])) return false;
        float lo = x[0] < x[1] ? x[0] : x[1], hi = x[0] < x[1] ? x[1] : x[0];
        e->lo[i] = (double)(lo < x[2] ? lo : x[2]), e->hi[i] = (double)(hi > x[2] ? hi : x[2]);
    }
    return true;
}

// From -1 to 1 onto cells, at least one, those at the ends if it is beyond.
static void cells_of(double lo, double hi, double margin, double count, int most, int range[2])
{
    double a = (lo * 0.5 + 0.5 - margin) * count, b = (hi * 0.5 + 0.5 + margin) * count;
    range[0] = (int)fmin(fmax(a, 0), most - 1), range[1] = (int)fmin(fmax(b, 0), most - 1);
}

static void mark_tiles(SnPictureCover* c, const SnPictureGeometry* g, int width, int height)
{
    memset(c->tiles, 0, (size_t)c->columns * (size_t)c->rows);
    for (int t = 0; t < g->index_count; t += 3) {
        Extent e;
        int x[2] = {0, c->columns - 1}, y[2] = {0, c->rows - 1};
        if (find_extent(c, g->indices + t, &e)) {
            if (e.lo[0] > 1.01 || e.lo[1] > 1.01 || e.hi[0] < -1.01 || e.hi[1] < -1.01) continue;
            cells_of(e.lo[0], e.hi[0], 1.0 / width, (double)width / SN_COVER_TILE, c->columns, x);
            cells_of(e.lo[1], e.hi[1], 1.0 / height, (double)height / SN_COVER_TILE, c->rows, y);
        }
        for (int j = y[0]; j <= y[1]; j++)
            memset(c->tiles + (size_t)j * (size_t)c->columns + x[0], SN_COVER_BODY, (size_t)(x[1] - x[0] + 1));
    }
}

// Where corners of tiles show the ground; above the horizon they have no place.
static void place_corners(SnPictureCover* c, const SnPictureReach* reach)
{
    const SnPictureLight* light = reach->light;
    double drop = light->ground_height - light->eye[1];
    for (int k = 0; k < (c->columns + 1) * (c->rows + 1); k++) {
        double q[2] = {k % (c->columns + 1) * reach->tile[0] - 1, k / (c->columns + 1) * reach->tile[1] - 1}, ray[3];
        for (int i = 0; i < 3; i++)
            ray[i] = light->view.forward[i] + q[0] * light->view.right[i] + q[1] * light->view.up[i];
        double depth = ray[1] < -1e-4 ? drop / ray[1] : NAN;
        for (int i = 0; i < 2; i++) c->ground[2 * k + i] = light->eye[2 * i] + ray[2 * i] * depth;
    }
}

// The box around what a tile shows of the ground; how many of its corners are below the horizon.
static int find_footprint(const SnPictureCover* c, const int at[2], Extent* e)
{
    int below = 0;
    for (int i = 0; i < 2; i++) e->lo[i] = INFINITY, e->hi[i] = -INFINITY;
    for (int k = 0; k < 4; k++) {
        const double* p = c->ground + 2 * ((at[1] + k / 2) * (c->columns + 1) + at[0] + k % 2);
        if (isnan(p[0])) continue;
        below++;
        for (int i = 0; i < 2; i++) {
            e->lo[i] = p[i] < e->lo[i] ? p[i] : e->lo[i];
            e->hi[i] = p[i] > e->hi[i] ? p[i] : e->hi[i];
        }
    }
    return below;
}

static bool is_in_square(const Extent* e, const SnPictureChange* c)
{
    bool in = true;
    for (int i = 0; i < 2; i++) in &= e->hi[i] > c->centre[i] - c->half && e->lo[i] < c->centre[i] + c->half;
    return in;
}

// Whether no shadow falls there; whether light is as it was. A tile that the horizon crosses is neither.
static void look(const SnPictureCover* c, const SnPictureReach* reach, const int at[2], bool* far, bool* same)
{
    Extent e;
    int below = reach->light->ground ? find_footprint(c, at, &e) : 0;
    *far = *same = below % 4 == 0;
    for (int k = 0; below == 4 && k < 2; k++) {
        *far &= !is_in_square(&e, reach->changes[k]);
        *same &= reach->changes[k]->known && !sn_picture_change_is_in(reach->changes[k], e.lo, e.hi);
    }
}

// Tiles without bodies that are out of reach, or where light has not changed, stay as they were in the picture before,
// if that was of the same view.
static void keep_still(SnPictureCover* c, const SnPictureReach* reach)
{
    place_corners(c, reach);
    for (int k = 0; k < c->columns * c->rows; k++) {
        const int at[2] = {k % c->columns, k / c->columns};
        bool far = false, same = false, bare = c->tiles[k] == SN_COVER_BARE;
        if (bare) look(c, reach, at, &far, &same);
        bool still =
            reach->same && ((far && c->before[k] & SN_COVER_WAS_FAR) || (same && c->before[k] & SN_COVER_WAS_BARE));
        if (still) c->tiles[k] = SN_COVER_STILL;
        c->before[k] = (uint8_t)((bare ? SN_COVER_WAS_BARE : 0) | (far ? SN_COVER_WAS_FAR : 0));
    }
}

static int add_rectangle(SnPictureCover* c, int at, int left, int bottom, int right, int top)
{
    const int x[6] = {left, right, right, left, right, left}, y[6] = {bottom, bottom, top, bottom, top, top};
    for (int k = 0; k < 6; k++) {
        c->corners[2 * (6 * at + k)] = (int16_t)(x[k] * SN_COVER_TILE);
        c->corners[2 * (6 * at + k) + 1] = (int16_t)(y[k] * SN_COVER_TILE);
    }
    return at + 1;
}

// Whether tiles from `first` to before `last` of a row are of one kind, and those beside them of the other.
static bool is_run(const SnPictureCover* c, int row, int first, int last, uint8_t kind)
{
    const uint8_t* tile = c->tiles + (size_t)row * (size_t)c->columns;
    for (int i = first; i < last; i++)
        if (tile[i] != kind) return false;
    return (first == 0 || tile[first - 1] != kind) && (last == c->columns || tile[last] != kind);
}

// Runs of tiles, as high as rows below and above have the same.
static int add_rectangles(SnPictureCover* c, int at, uint8_t kind)
{
    for (int row = 0; row < c->rows; row++)
        for (int first = 0, last; first < c->columns; first = last) {
            const uint8_t* tile = c->tiles + (size_t)row * (size_t)c->columns;
            for (last = first; last < c->columns && tile[last] == tile[first];) last++;
            if (tile[first] != kind || (row > 0 && is_run(c, row - 1, first, last, kind))) continue;
            int top = row + 1;
            while (top < c->rows && is_run(c, top, first, last, kind)) top++;
            at = add_rectangle(c, at, first, row, last, top);
        }
    return at;
}

SnStatus sn_picture_cover_fill(SnPictureCover* c, const SnPictureGeometry* g, const double matrix[16], int width,
                               int height, const SnPictureReach* reach)
{
    if (!SN_GROW(c->places, c->place_capacity, 2 * (int64_t)g->vertex_count, "picture")) return SN_ERROR_MEMORY;
    place_vertices(c, g, matrix);
    mark_tiles(c, g, width, height);
    if (reach) keep_still(c, reach);
    c->with = add_rectangles(c, 0, SN_COVER_BODY);
    c->without = add_rectangles(c, c->with, SN_COVER_BARE) - c->with;
    return SN_OK;
}

bool sn_picture_cover_box(const SnPictureCover* c, int lo[2], int hi[2])
{
    for (int i = 0; i < 2; i++) lo[i] = INT16_MAX, hi[i] = 0;
    for (int k = 0; k < 12 * c->with; k++) {
        int x = c->corners[k], i = k % 2;
        lo[i] = x < lo[i] ? x : lo[i], hi[i] = x > hi[i] ? x : hi[i];
    }
    return c->with > 0;
}
