// Threads in triangles: U = V psi(|F d|) for a direction d of the rest plane, as warp (1, 0) and weft (0, 1) are.
#include "potential/strand.h"
#include "potential/triangle.h"

enum { CORNERS = 3 };

static bool prepare(const double* x, double section, const double* direction, double* shape, double* volume,
                    double* faces)
{
    double inverse[4] = {0}, length = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    bool good = sn_triangle_shape(x, section, inverse, volume, faces) && length > 0;
    shape[0] = 0;
    for (int a = 1; a < CORNERS; a++) { // row a-1 of B^-1 times d
        shape[a] = (inverse[2 * a - 2] * direction[0] + inverse[2 * a - 1] * direction[1]) / length;
        shape[0] -= shape[a];
    }
    return good;
}

SN_STRAND_FUNCTIONS(CORNERS)

const SnTermType SN_KERNEL(sn_thread) = {.name = "thread", .reinforcement = true, SN_STRAND_ROW(CORNERS)};
