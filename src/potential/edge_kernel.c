// Edges (springs, ropes): U = V psi(|b - a| / L), V = L pi d^2 / 4 for a rope of diameter d.
#include "core/pi.h"
#include "potential/strand.h"

enum { CORNERS = 2 };

static bool prepare(const double* x, double section, const double* direction, double* shape, double* volume,
                    double* faces)
{
    (void)direction;
    double dx = x[3] - x[0], dy = x[4] - x[1], dz = x[5] - x[2], length = sqrt(dx * dx + dy * dy + dz * dz);
    shape[0] = -1 / length;
    shape[1] = 1 / length;
    faces[0] = faces[1] = SN_PI / 4 * section * section; // pi/4 d^2
    *volume = length * faces[0];
    return *volume > 0 && isfinite(shape[1]);
}

SN_STRAND_FUNCTIONS(CORNERS)

const SnTermType SN_KERNEL(sn_edge) = {.name = "edge", SN_STRAND_ROW(CORNERS)};
