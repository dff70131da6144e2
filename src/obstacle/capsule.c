// capsule: phi = distance from a segment - radius
#include "core/pi.h"
#include "linalg/vec3.h"
#include "obstacle/obstacle.h"

static double distance(const SnObstacleShape* s, const double p[3], double gradient[3])
{
    double axis[3], offset[3];
    sn_subtract3(s->to, s->point, axis);
    sn_subtract3(p, s->point, offset);
    double square = sn_dot3(axis, axis), t = square > 0 ? sn_dot3(offset, axis) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int c = 0; c < 3; c++) gradient[c] = offset[c] - t * axis[c];
    if (sn_dot3(gradient, gradient) == 0 && square > 0) { // on the axis any direction across leads out
        double unit[3] = {axis[0], axis[1], axis[2]};
        sn_normalize3(unit);
        sn_across3(unit, gradient);
        return -s->radius;
    }
    return sn_normalize3(gradient) - s->radius;
}

static SnStatus surface(const SnObstacleShape* s, double extent, SnMesh** mesh)
{
    (void)extent;
    enum { HALF = SN_AROUND / 4 + 1 };
    double axis[3], profile[2 * 2 * HALF];
    sn_subtract3(s->to, s->point, axis);
    double length = sn_length3(axis);
    for (int i = 0; i < 2 * HALF; i++) {
        bool upper = i >= HALF, pole = i == 0 || i == 2 * HALF - 1;
        double angle = 2 * SN_PI * (upper ? i - 1 : i) / SN_AROUND;
        profile[2 * i] = pole ? 0 : s->radius * sin(angle);
        profile[2 * i + 1] = (upper ? length : 0) - s->radius * cos(angle);
    }
    return sn_surface_of_revolution(s->point, axis, 2 * HALF, profile, false, mesh);
}

const SnParameter sn_axis_parameters[] = {
    {"from", SN_NUMBER, offsetof(SnObstacleShape, point), .count = 3, .value = "[-0.5, 0, 0]", .unit = "m",
     .doc = "one end of its axis"},
    {"to", SN_NUMBER, offsetof(SnObstacleShape, to), .count = 3, .value = "[0.5, 0, 0]", .unit = "m",
     .doc = "the other end"},
    {"radius", SN_NUMBER, offsetof(SnObstacleShape, radius), .value = "0.25", .range = ">0", .unit = "m",
     .doc = "its radius"},
    {0},
};

const SnObstacleType sn_obstacle_capsule = {
    .name = "capsule",
    .summary = "a cylinder with round ends: all within a radius of a segment",
    .parameters = sn_axis_parameters,
    .distance = distance,
    .surface = surface,
    .convex = true,
};
