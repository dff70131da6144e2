// terrain: heights over a grid, cells cut in two triangles; phi is the distance from the nearest triangle, negative
// below the ground
#include <math.h>

#include "obstacle/height_map.h"
#include "obstacle/obstacle.h"
#include "obstacle/triangles.h"

static SnStatus check(const SnObstacleShape* s)
{
    if (!(s->size[0] > 0 && s->size[2] > 0))
        return sn_fail(SN_ERROR_VALUE, "size of the terrain is [%g, %g, %g] m; x and z must be positive", s->size[0],
                       s->size[1], s->size[2]);
    if (!s->heights || s->columns < 2 || s->rows < 2 || s->columns > SN_TERRAIN_MOST_SIDE ||
        s->rows > SN_TERRAIN_MOST_SIDE || (int64_t)s->columns * s->rows > SN_TERRAIN_MOST)
        return sn_fail(SN_ERROR_VALUE,
                       "the terrain has %d rows of %d heights; both must be from 2 to %d, and %d million in all",
                       s->rows, s->columns, SN_TERRAIN_MOST_SIDE, SN_TERRAIN_MOST / 1000000);
    for (int64_t i = 0; i < (int64_t)s->columns * s->rows; i++)
        if (!isfinite(s->heights[i]))
            return sn_fail(SN_ERROR_VALUE, "height %lld of the terrain is not finite", (long long)i);
    return SN_OK;
}

static void place_nodes(const SnObstacleShape* s, double* x)
{
    for (int64_t i = 0; i < (int64_t)s->columns * s->rows; i++) {
        x[3 * i] = s->point[0] + s->size[0] * (double)(i % s->columns) / (s->columns - 1);
        x[3 * i + 1] = s->point[1] + s->size[1] * s->heights[i];
        x[3 * i + 2] = s->point[2] + s->size[2] * (double)(i / s->columns) / (s->rows - 1);
    }
}

// Each cell is cut from its first to its last corner, upward.
static void cut_cells(const SnObstacleShape* s, int* triangles)
{
    int* t = triangles;
    for (int row = 0; row + 1 < s->rows; row++)
        for (int column = 0; column + 1 < s->columns; column++) {
            int a = row * s->columns + column, b = a + 1, c = a + s->columns, d = c + 1;
            *t++ = a, *t++ = d, *t++ = b;
            *t++ = a, *t++ = c, *t++ = d;
        }
}

static SnStatus build(SnObstacleShape* s)
{
    double* x;
    int* triangles = NULL;
    SN_TRY(check(s));
    int64_t nodes = (int64_t)s->columns * s->rows, cells = (int64_t)(s->columns - 1) * (s->rows - 1);
    SnStatus status = SN_ERROR_MEMORY;
    SnTriangles* made = NULL;
    if (SN_NEW(x, 3 * nodes, "a terrain") && SN_NEW(triangles, 6 * cells, "a terrain")) {
        place_nodes(s, x);
        cut_cells(s, triangles);
        status = sn_triangles_create((int)nodes, x, (int)(2 * cells), triangles, &made);
    }
    SN_FREE(x, triangles);
    s->data = made;
    return status;
}

static SnStatus prepare(SnObstacleShape* s)
{
    double* heights = NULL;
    if (s->height_map && s->heights)
        return sn_fail(SN_ERROR_VALUE, "the terrain has heights and the file '%s'; one of them is enough",
                       s->height_map);
    if (s->height_map) SN_TRY(sn_height_map_load(s->height_map, &s->columns, &s->rows, &heights));
    if (heights) s->heights = heights;
    SnStatus status = build(s);
    sn_free(heights);
    s->heights = NULL, s->height_map = NULL; // they were copied
    return status;
}

static void release(SnObstacleShape* s)
{
    sn_triangles_destroy(s->data);
    s->data = NULL;
}

// The ground's height at (x, z); false beyond the border.
static bool ground(const SnObstacleShape* s, const double p[3], double* height)
{
    const SnTriangles* t = s->data;
    double u = (p[0] - s->point[0]) / s->size[0] * (s->columns - 1);
    double v = (p[2] - s->point[2]) / s->size[2] * (s->rows - 1);
    if (!(u >= 0 && u <= s->columns - 1 && v >= 0 && v <= s->rows - 1)) return false;
    int column = u < s->columns - 2 ? (int)u : s->columns - 2, row = v < s->rows - 2 ? (int)v : s->rows - 2;
    u -= column, v -= row;
    const double* a = t->x + 3 * ((int64_t)row * s->columns + column) + 1;
    const double *b = a + 3, *c = a + 3 * (int64_t)s->columns, *d = c + 3;
    *height = u > v ? a[0] + u * (b[0] - a[0]) + v * (d[0] - b[0]) : a[0] + v * (c[0] - a[0]) + u * (d[0] - c[0]);
    return true;
}

static double distance(const SnObstacleShape* s, const double p[3], double gradient[3])
{
    SnNearest nearest;
    int side;
    double height, far = sn_triangles_distance(s->data, p, &nearest, gradient, &side);
    bool above = !ground(s, p, &height) || p[1] >= height;
    if (nearest.distance > 0 && !above)
        for (int c = 0; c < 3; c++) gradient[c] = -gradient[c];
    return above ? far : -far;
}

static void vertices(const SnObstacleShape* s, SnObstacleVertices* v)
{
    const SnTriangles* t = s->data;
    *v = (SnObstacleVertices){t->node_count, t->triangle_count, t->x, t->x, t->tree->items};
}

static SnStatus surface(const SnObstacleShape* s, double extent, SnMesh** mesh)
{
    (void)extent;
    const SnTriangles* t = s->data;
    return sn_surface_of_triangles(t->node_count, t->x, t->triangle_count, t->tree->items, mesh);
}

static const SnParameter parameters[] = {
    {"corner", SN_NUMBER, offsetof(SnObstacleShape, point), .count = 3, .value = "[0, 0, 0]", .unit = "m",
     .doc = "where the first height is, were it 0"},
    {"size", SN_NUMBER, offsetof(SnObstacleShape, size), .count = 3, .value = "[1, 1, 1]", .unit = "m",
     .doc = "along x, up for a height of 1, along z"},
    {"heights", SN_OTHER, offsetof(SnObstacleShape, heights), .example = "[[0, 0, 0.2], [0, 0.1, 0.3]]",
     .doc = "rows along x, one after the other along z"},
    {"file", SN_TEXT, offsetof(SnObstacleShape, height_map), .example = "hills.png",
     .doc = "in place of `heights`: a grey picture (PNG or PGM, 8 or 16 bits); black is 0, white 1, its top row the "
            "first along z"},
    {0},
};

const SnObstacleType sn_obstacle_terrain = {
    .name = "terrain",
    .summary = "ground by heights over a grid; nothing beyond its border",
    .parameters = parameters,
    .prepare = prepare,
    .release = release,
    .distance = distance,
    .vertices = vertices,
    .surface = surface,
};
