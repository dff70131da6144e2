// plane: phi = n.(p - point); everything behind it is inside
#include "linalg/vec3.h"
#include "obstacle/obstacle.h"

static SnStatus prepare(SnObstacleShape* s)
{
    if (sn_length3(s->normal) == 0)
        return sn_fail(SN_ERROR_VALUE, "normal of the plane is [0, 0, 0]; it must point somewhere, as [0, 1, 0]");
    sn_normalize3(s->normal);
    return SN_OK;
}

static double distance(const SnObstacleShape* s, const double p[3], double gradient[3])
{
    double offset[3];
    sn_subtract3(p, s->point, offset);
    for (int c = 0; c < 3; c++) gradient[c] = s->normal[c];
    return sn_dot3(s->normal, offset);
}

static SnStatus surface(const SnObstacleShape* s, double extent, SnMesh** mesh)
{
    double u[3], v[3], nodes[12];
    sn_across3(s->normal, u);
    sn_cross3(s->normal, u, v);
    for (int i = 0; i < 12; i++) {
        double a = i / 3 == 0 || i / 3 == 3 ? -extent : extent, b = i / 3 < 2 ? -extent : extent;
        nodes[i] = s->point[i % 3] + a * u[i % 3] + b * v[i % 3];
    }
    return sn_surface_of_triangles(4, nodes, 2, (const int[]){0, 1, 2, 0, 2, 3}, mesh);
}

static const SnParameter parameters[] = {
    {"point", SN_NUMBER, offsetof(SnObstacleShape, point), .count = 3, .value = "[0, 0, 0]", .unit = "m",
     .doc = "a point of the plane"},
    {"normal", SN_NUMBER, offsetof(SnObstacleShape, normal), .count = 3, .value = "[0, 1, 0]",
     .doc = "outward, any length"},
    {0},
};

const SnObstacleType sn_obstacle_plane = {
    .name = "plane",
    .summary = "a half space: all that lies behind a plane",
    .parameters = parameters,
    .prepare = prepare,
    .distance = distance,
    .surface = surface,
    .convex = true,
};
