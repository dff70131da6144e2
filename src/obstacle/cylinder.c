// cylinder: with a = radial distance - radius, b = distance along the axis beyond its ends,
// phi = |max(a, 0), max(b, 0)| + min(max(a, b), 0)
#include "linalg/vec3.h"
#include "obstacle/obstacle.h"

static SnStatus prepare(SnObstacleShape* s)
{
    double axis[3];
    sn_subtract3(s->to, s->point, axis);
    if (sn_length3(axis) > 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "the ends of the cylinder's axis, from and to, are the same point");
}

static double distance(const SnObstacleShape* s, const double p[3], double gradient[3])
{
    double axis[3], offset[3], across[3];
    sn_subtract3(s->to, s->point, axis);
    sn_subtract3(p, s->point, offset);
    double length = sn_normalize3(axis), along = sn_dot3(offset, axis), side = along < length / 2 ? -1 : 1;
    for (int c = 0; c < 3; c++) across[c] = offset[c] - along * axis[c];
    double radial = sn_length3(across);
    if (radial > 0)
        sn_normalize3(across);
    else
        sn_across3(axis, across);
    double out = radial - s->radius, beyond = side < 0 ? -along : along - length;
    if (out > 0 && beyond > 0) {
        double d = sqrt(out * out + beyond * beyond);
        for (int c = 0; c < 3; c++) gradient[c] = (out * across[c] + beyond * side * axis[c]) / d;
        return d;
    }
    for (int c = 0; c < 3; c++) gradient[c] = out > beyond ? across[c] : side * axis[c];
    return out > beyond ? out : beyond;
}

static SnStatus surface(const SnObstacleShape* s, double extent, SnMesh** mesh)
{
    (void)extent;
    double axis[3];
    sn_subtract3(s->to, s->point, axis);
    double r = s->radius, length = sn_length3(axis), profile[8] = {0, 0, r, 0, r, length, 0, length};
    return sn_surface_of_revolution(s->point, axis, 4, profile, false, mesh);
}

const SnObstacleType sn_obstacle_cylinder = {
    .name = "cylinder",
    .summary = "a cylinder with flat ends",
    .parameters = sn_axis_parameters,
    .prepare = prepare,
    .distance = distance,
    .surface = surface,
    .convex = true,
};
