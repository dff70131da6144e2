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

// Around a square on the ground; false where a corner of it is behind the camera.
static bool add_square(const SnPictureLight* light, const double centre[3], double radius, SnPictureReach* reach)
{
    const double* m = light->camera_matrix;
    for (int k = 0; k < 4; k++) {
        double p[3] = {centre[0] + (k % 2 ? radius : -radius), light->ground_height,
                       centre[2] + (k / 2 ? radius : -radius)};
        double w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
        if (!(w > light->near)) return false;
        for (int i = 0; i < 2; i++) {
            double x = (m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]) / w;
            reach->lo[i] = fmin(reach->lo[i], x), reach->hi[i] = fmax(reach->hi[i], x);
        }
    }
    return true;
}

SnPictureReach sn_picture_reach(const SnPictureLight* light)
{
    SnPictureReach reach = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, false};
    if (!light->ground) return reach;
    if (!add_square(light, light->centre, light->carpet_radius, &reach) ||
        !add_square(light, light->shade_centre, light->shade_radius, &reach))
        reach = (SnPictureReach){{-1, -1}, {1, 1}, false};
    return reach;
}

// Tiles that are out of reach, as they were in the picture before, which was of the same view, stay as they are.
static void keep_still(SnPictureCover* c, int width, int height, const SnPictureReach* reach)
{
    double tile[2] = {2.0 * SN_COVER_TILE / width, 2.0 * SN_COVER_TILE / height};
    for (int k = 0; k < c->columns * c->rows; k++) {
        int at[2] = {k % c->columns, k / c->columns};
        bool far = false;
        for (int i = 0; i < 2; i++)
            far |= (at[i] + 1.1) * tile[i] - 1 < reach->lo[i] || (at[i] - 0.1) * tile[i] - 1 > reach->hi[i];
        far &= c->tiles[k] == SN_COVER_BARE;
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
    if (reach) keep_still(c, width, height, reach);
    c->with = add_rectangles(c, 0, SN_COVER_BODY);
    c->without = add_rectangles(c, c->with, SN_COVER_BARE) - c->with;
}
