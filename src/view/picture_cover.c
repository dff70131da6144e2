// Tiles that bodies may cover.
#include "view/picture_cover.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

SnStatus sn_picture_cover_create(SnPictureCover* c, int width, int height)
{
    c->columns = (width + SN_COVER_TILE - 1) / SN_COVER_TILE, c->rows = (height + SN_COVER_TILE - 1) / SN_COVER_TILE;
    int64_t count = (int64_t)c->columns * c->rows;
    bool room = SN_NEW(c->tiles, count, "picture") && SN_NEW(c->far, count, "picture") &&
                SN_NEW(c->corners, 12 * count, "picture");
    return room ? SN_OK : SN_ERROR_MEMORY;
}

void sn_picture_cover_free(SnPictureCover* c)
{
    SN_FREE(c->tiles, c->far, c->corners);
    *c = (SnPictureCover){0};
}

// Of a triangle through a matrix; false where a corner is behind the camera.
typedef struct Extent {
    double lo[2], hi[2];
} Extent;

static bool find_extent(const SnPictureGeometry* g, const uint32_t index[3], const double m[16], Extent* e)
{
    for (int i = 0; i < 2; i++) e->lo[i] = INFINITY, e->hi[i] = -INFINITY;
    for (int k = 0; k < 3; k++) {
        const float* p = g->vertices[index[k]].position;
        double w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
        if (!(w > 0)) return false;
        for (int i = 0; i < 2; i++) {
            double x = (m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]) / w;
            e->lo[i] = fmin(e->lo[i], x), e->hi[i] = fmax(e->hi[i], x);
        }
    }
    return true;
}

// From -1 to 1 onto cells, at least one, those at the ends if it is beyond.
static void cells_of(double lo, double hi, double margin, double count, int most, int range[2])
{
    double a = (lo * 0.5 + 0.5 - margin) * count, b = (hi * 0.5 + 0.5 + margin) * count;
    range[0] = (int)fmin(fmax(a, 0), most - 1), range[1] = (int)fmin(fmax(b, 0), most - 1);
}

static void mark_tiles(SnPictureCover* c, const SnPictureGeometry* g, const double matrix[16], int width, int height)
{
    memset(c->tiles, 0, (size_t)c->columns * (size_t)c->rows);
    for (int t = 0; t < g->index_count; t += 3) {
        Extent e;
        int x[2] = {0, c->columns - 1}, y[2] = {0, c->rows - 1};
        if (find_extent(g, g->indices + t, matrix, &e)) {
            if (e.lo[0] > 1.01 || e.lo[1] > 1.01 || e.hi[0] < -1.01 || e.hi[1] < -1.01) continue;
            cells_of(e.lo[0], e.hi[0], 1.0 / width, (double)width / SN_COVER_TILE, c->columns, x);
            cells_of(e.lo[1], e.hi[1], 1.0 / height, (double)height / SN_COVER_TILE, c->rows, y);
        }
        for (int j = y[0]; j <= y[1]; j++)
            memset(c->tiles + (size_t)j * (size_t)c->columns + x[0], SN_COVER_BODY, (size_t)(x[1] - x[0] + 1));
    }
}

// The box around what a tile shows of the ground; how many of its corners are below the horizon.
static int find_footprint(const SnPictureReach* reach, const int at[2], Extent* e)
{
    const SnPictureLight* light = reach->light;
    int below = 0;
    for (int i = 0; i < 2; i++) e->lo[i] = INFINITY, e->hi[i] = -INFINITY;
    for (int k = 0; k < 4; k++) {
        double q[2] = {(at[0] + k % 2) * reach->tile[0] - 1, (at[1] + k / 2) * reach->tile[1] - 1}, ray[3];
        for (int i = 0; i < 3; i++)
            ray[i] = light->view.forward[i] + q[0] * light->view.right[i] + q[1] * light->view.up[i];
        if (!(ray[1] < -1e-4)) continue;
        below++;
        double depth = (light->ground_height - light->eye[1]) / ray[1];
        for (int i = 0; i < 2; i++) {
            double x = light->eye[2 * i] + ray[2 * i] * depth;
            e->lo[i] = fmin(e->lo[i], x), e->hi[i] = fmax(e->hi[i], x);
        }
    }
    return below;
}

static bool is_in_square(const Extent* e, const double centre[3], double radius)
{
    bool in = true;
    for (int i = 0; i < 2; i++) in &= e->hi[i] > centre[2 * i] - radius && e->lo[i] < centre[2 * i] + radius;
    return in;
}

// Whether no shadow falls there.
static bool is_far(const SnPictureReach* reach, const int at[2])
{
    const SnPictureLight* light = reach->light;
    Extent e;
    int below = light->ground ? find_footprint(reach, at, &e) : 0;
    if (below % 4 != 0) return false;
    return below == 0 || (!is_in_square(&e, light->centre, light->carpet_radius) &&
                          !is_in_square(&e, light->shade_centre, light->shade_radius));
}

// Tiles that are out of reach, as they were in the picture before, which was of the same view, stay as they are.
static void keep_still(SnPictureCover* c, const SnPictureReach* reach)
{
    for (int k = 0; k < c->columns * c->rows; k++) {
        int at[2] = {k % c->columns, k / c->columns};
        bool far = c->tiles[k] == SN_COVER_BARE && is_far(reach, at);
        if (far && c->far[k] && reach->same) c->tiles[k] = SN_COVER_STILL;
        c->far[k] = far;
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

void sn_picture_cover_fill(SnPictureCover* c, const SnPictureGeometry* g, const double matrix[16], int width,
                           int height, const SnPictureReach* reach)
{
    mark_tiles(c, g, matrix, width, height);
    if (reach) keep_still(c, reach);
    c->with = add_rectangles(c, 0, SN_COVER_BODY);
    c->without = add_rectangles(c, c->with, SN_COVER_BARE) - c->with;
}
