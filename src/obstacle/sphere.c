// sphere: phi = |p - centre| - radius
#include "core/pi.h"
#include "linalg/vec3.h"
#include "obstacle/obstacle.h"

static double distance(const SnObstacleShape* s, const double p[3], double gradient[3])
{
    sn_subtract3(p, s->point, gradient);
    return sn_normalize3(gradient) - s->radius;
}

static SnStatus surface(const SnObstacleShape* s, double extent, SnMesh** mesh)
{
    (void)extent;
    double profile[2 * (SN_AROUND / 2 + 1)];
    for (int i = 0; i <= SN_AROUND / 2; i++) {
        double angle = 2 * SN_PI * i / SN_AROUND;
        profile[2 * i] = i % (SN_AROUND / 2) == 0 ? 0 : s->radius * sin(angle);
        profile[2 * i + 1] = -s->radius * cos(angle);
    }
    return sn_surface_of_revolution(s->point, (const double[]){0, 1, 0}, SN_AROUND / 2 + 1, profile, false, mesh);
}

static const SnParameter parameters[] = {
    {"centre", SN_NUMBER, offsetof(SnObstacleShape, point), .count = 3, .value = "[0, 0, 0]", .unit = "m",
     .doc = "its centre"},
    {"radius", SN_NUMBER, offsetof(SnObstacleShape, radius), .value = "1", .range = ">0", .unit = "m",
     .doc = "its radius"},
    {0},
};

const SnObstacleType sn_obstacle_sphere = {
    .name = "sphere",
    .summary = "a ball",
    .parameters = parameters,
    .distance = distance,
    .surface = surface,
    .convex = true,
};
