// The kinds of loads, in the order in which they are listed; what all of them have.
#include <math.h>

#include "potential/load.h"

#include <stddef.h>

#include "linalg/vec3.h"
#include "potential/ramp.h"

#define LOAD_LIST(X) X(force) X(traction) X(pressure) X(gas) X(volume) X(torque) X(acceleration) X(wind)

#define DECLARE(name) extern const SnLoadType sn_load_##name;
LOAD_LIST(DECLARE)

#define ROW(name) &sn_load_##name,
const SnTable sn_load_table = {"load", (const void* const[]){LOAD_LIST(ROW) NULL},
                               .parameters = offsetof(SnLoadType, parameters)};

const SnParameter sn_load_parameters[] = {
    {"ramp", SN_POINTS, offsetof(SnLoadDef, ramp), .example = "[[0, 0], [1, 1]]", .unit = "s, -",
     .doc = "points [time, factor] by which the load grows and fades, linear between them, constant beyond"},
    {0},
};

double sn_load_factor(const SnLoad* load, double time)
{
    return load->scale * sn_ramp_at(&load->def.ramp, time - load->since);
}

void sn_load_area(const int t[3], const double* x, double area[3])
{
    double a[3], b[3];
    sn_subtract3(x + 3 * (int64_t)t[1], x + 3 * (int64_t)t[0], a);
    sn_subtract3(x + 3 * (int64_t)t[2], x + 3 * (int64_t)t[0], b);
    sn_cross3(a, b, area);
}

void sn_load_add_pressure(const SnLoad* load, double pressure, const double* x, SnLoadSum* sum)
{
    double factor = pressure / 6; // of a third of twice the area
    for (int i = 0; i < load->triangle_count; i++) {
        const int* t = load->triangles + 3 * (int64_t)i;
        double area[3];
        sn_load_area(t, x, area);
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) sum->force[3 * (int64_t)t[a] + c] += factor * area[c];
    }
}

double sn_load_enclosed(const SnLoad* load, const SnTasks* tasks, const double* x)
{
    double sum = 0, origin[3]; // any point near, the same for all
    for (int c = 0; c < 3; c++)
        origin[c] = load->triangle_count > 0 ? x[3 * (int64_t)load->triangles[0] + c] : -INFINITY;
    sn_share_most(tasks, 3, origin);
    for (int i = 0; i < load->triangle_count; i++) {
        const int* t = load->triangles + 3 * (int64_t)i;
        double area[3], from[3];
        sn_load_area(t, x, area);
        sn_subtract3(x + 3 * (int64_t)t[0], origin, from);
        sum += sn_dot3(area, from) / 6;
    }
    return sn_share_total(tasks, sum);
}
