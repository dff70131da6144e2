// Units of length, and the axis that points upwards.
#include "core/convention.h"

#include <string.h>

static const struct {
    const char* name;
    double metres;
} UNITS[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}};
enum { UNIT_COUNT = sizeof UNITS / sizeof *UNITS };

SnStatus sn_convention_read(const char* units, const char* up, SnConvention* convention)
{
    int i = 0;
    while (units && i < UNIT_COUNT && strcmp(units, UNITS[i].name) != 0) i++;
    if (units && i == UNIT_COUNT) return sn_fail(SN_ERROR_VALUE, "units '%s': must be m, cm or mm", units);
    if (units) convention->metres = UNITS[i].metres;
    if (up && strcmp(up, "y") != 0 && strcmp(up, "z") != 0)
        return sn_fail(SN_ERROR_VALUE, "up '%s': must be y or z", up);
    if (up) convention->z_up = up[0] == 'z';
    return SN_OK;
}

static double metres_of(const SnConvention* convention)
{
    return convention->metres > 0 ? convention->metres : 1;
}

const char* sn_convention_units(const SnConvention* convention)
{
    for (int i = 1; i < UNIT_COUNT; i++)
        if (metres_of(convention) == UNITS[i].metres) return UNITS[i].name;
    return UNITS[0].name;
}

void sn_convention_change(const SnConvention* from, const SnConvention* to, bool lengths, size_t count, double* x)
{
    double scale = lengths ? metres_of(from) / metres_of(to) : 1;
    if (scale == 1 && from->z_up == to->z_up) return;
    for (size_t i = 0; i < count; i++, x += 3) {
        double y = x[1], z = x[2];
        x[0] *= scale;
        if (from->z_up == to->z_up)
            x[1] = scale * y, x[2] = scale * z;
        else if (to->z_up)                             // a quarter turn about x
            x[1] = scale * -z + 0.0, x[2] = scale * y; // -0 is 0
        else
            x[1] = scale * z, x[2] = scale * -y + 0.0;
    }
}
