// box: with q = |R^T (p - centre)| - size/2, phi = |max(q, 0)| + min(max(q), 0)
#include "linalg/vec3.h"
#include "obstacle/obstacle.h"

static SnStatus prepare(SnObstacleShape* s)
{
    if (s->rotate[3] != 0 && sn_length3(s->rotate) == 0)
        return sn_fail(SN_ERROR_VALUE, "rotate of the box needs an axis that is not zero");
    return SN_OK;
}

// Rodrigues' formula, row after row.
static void rotation(const SnObstacleShape* s, double r[9])
{
    double k[3] = {s->rotate[0], s->rotate[1], s->rotate[2]};
    sn_normalize3(k);
    double c = cos(s->rotate[3]), w = sin(s->rotate[3]);
    const double cross[9] = {0, -k[2], k[1], k[2], 0, -k[0], -k[1], k[0], 0};
    for (int i = 0; i < 9; i++) r[i] = c * (i % 4 == 0) + w * cross[i] + (1 - c) * k[i / 3] * k[i % 3];
}

static double distance(const SnObstacleShape* s, const double p[3], double gradient[3])
{
    double r[9], offset[3], local[3], q[3], n[3] = {0}, square = 0;
    int most = 0;
    rotation(s, r);
    sn_subtract3(p, s->point, offset);
    sn_unrotate3(r, offset, local);
    for (int c = 0; c < 3; c++) {
        q[c] = fabs(local[c]) - s->size[c] / 2;
        square += q[c] > 0 ? q[c] * q[c] : 0;
        most = q[c] > q[most] ? c : most;
    }
    double d = square > 0 ? sqrt(square) : q[most];
    for (int c = 0; c < 3; c++) {
        double part = square > 0 ? (q[c] > 0 ? q[c] / d : 0) : c == most;
        n[c] = local[c] < 0 ? -part : part;
    }
    sn_rotate3(r, n, gradient);
    return d;
}

static SnStatus surface(const SnObstacleShape* s, double extent, SnMesh** mesh)
{
    (void)extent;
    static const int triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    double r[9], nodes[24];
    rotation(s, r);
    for (int i = 0; i < 8; i++) {
        double corner[3] = {i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5};
        for (int c = 0; c < 3; c++) corner[c] *= s->size[c];
        sn_rotate3(r, corner, nodes + 3 * i);
        for (int c = 0; c < 3; c++) nodes[3 * i + c] += s->point[c];
    }
    return sn_surface_of_triangles(8, nodes, 12, triangles, mesh);
}

static const SnParameter parameters[] = {
    {"centre", SN_NUMBER, offsetof(SnObstacleShape, point), .count = 3, .value = "[0, 0, 0]", .unit = "m",
     .doc = "its centre"},
    {"size", SN_NUMBER, offsetof(SnObstacleShape, size), .count = 3, .value = "[1, 1, 1]", .range = ">0", .unit = "m",
     .doc = "the lengths of its sides"},
    {"rotate", SN_NUMBER, offsetof(SnObstacleShape, rotate), .count = 4, .value = "[0, 0, 1, 0]", .unit = "degrees",
     .doc = "axis (any length) and angle, about its centre"},
    {0},
};

const SnObstacleType sn_obstacle_box = {
    .name = "box",
    .summary = "a box",
    .parameters = parameters,
    .prepare = prepare,
    .distance = distance,
    .surface = surface,
    .convex = true,
};
