// The kinds of loads, in the order in which they are listed; what all of them have.
#include "potential/load.h"

#include <stddef.h>

#include "linalg/vec3.h"

#define LOAD_LIST(X) X(force) X(traction) X(pressure) X(gas) X(torque) X(acceleration) X(wind)

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
    const SnCurve* ramp = &load->def.ramp;
    const double* p = ramp->points;
    int i = 0;
    if (ramp->count == 0) return 1;
    while (i + 1 < ramp->count && time >= p[2 * (i + 1)]) i++;
    if (time <= p[0] || i + 1 == ramp->count) return p[2 * i + 1];
    double part = (time - p[2 * i]) / (p[2 * i + 2] - p[2 * i]);
    return p[2 * i + 1] + part * (p[2 * i + 3] - p[2 * i + 1]);
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
