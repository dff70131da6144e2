// torus: with a = distance from the axis - radius, b = distance along it, phi = |a, b| - tube
#include "core/pi.h"
#include "linalg/vec3.h"
#include "obstacle/obstacle.h"

static SnStatus prepare(SnObstacleShape* s)
{
    if (!(s->tube > 0 && s->radius > s->tube))
        return sn_fail(SN_ERROR_VALUE, "radius of the torus is %g m and tube %g m; it must be radius > tube > 0",
                       s->radius, s->tube);
    if (sn_length3(s->normal) == 0) return sn_fail(SN_ERROR_VALUE, "axis of the torus is zero; as in [0, 1, 0]");
    sn_normalize3(s->normal);
    return SN_OK;
}

static double distance(const SnObstacleShape* s, const double p[3], double gradient[3])
{
    double offset[3], across[3];
    sn_subtract3(p, s->point, offset);
    double along = sn_dot3(offset, s->normal);
    for (int c = 0; c < 3; c++) across[c] = offset[c] - along * s->normal[c];
    double radial = sn_length3(across);
    if (radial == 0)
        sn_across3(s->normal, across);
    else
        sn_normalize3(across);
    double a = radial - s->radius, d = sqrt(a * a + along * along);
    for (int c = 0; c < 3; c++) gradient[c] = d > 0 ? (a * across[c] + along * s->normal[c]) / d : across[c];
    return d - s->tube;
}

static SnStatus surface(const SnObstacleShape* s, double extent, SnMesh** mesh)
{
    (void)extent;
    enum { TUBE = SN_AROUND / 2 };
    double profile[2 * TUBE];
    for (int i = 0; i < TUBE; i++) {
        profile[2 * i] = s->radius + s->tube * cos(2 * SN_PI * i / TUBE);
        profile[2 * i + 1] = s->tube * sin(2 * SN_PI * i / TUBE);
    }
    return sn_surface_of_revolution(s->point, s->normal, TUBE, profile, true, mesh);
}

static const SnParameter parameters[] = {
    {"centre", SN_NUMBER, offsetof(SnObstacleShape, point), .count = 3, .value = "[0, 0, 0]", .unit = "m",
     .doc = "its centre"},
    {"axis", SN_NUMBER, offsetof(SnObstacleShape, normal), .count = 3, .value = "[0, 1, 0]", .doc = "any length"},
    {"radius", SN_NUMBER, offsetof(SnObstacleShape, radius), .value = "1", .range = ">0", .unit = "m",
     .doc = "of the circle inside its tube"},
    {"tube", SN_NUMBER, offsetof(SnObstacleShape, tube), .value = "0.25", .range = ">0", .unit = "m",
     .doc = "radius of the tube"},
    {0},
};

const SnObstacleType sn_obstacle_torus = {
    .name = "torus",
    .summary = "a ring",
    .parameters = parameters,
    .prepare = prepare,
    .distance = distance,
    .surface = surface,
};
