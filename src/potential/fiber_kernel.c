// Fibers through tetrahedra: U = V psi(|F d|) for a unit direction d of the rest shape, added to any material.
#include "potential/strand.h"
#include "potential/tetrahedron.h"

enum { CORNERS = 4 };

static bool prepare(const double* x, double section, const double* direction, double* shape, double* volume,
                    double* faces)
{
    (void)section;
    double inverse[9], length = sqrt(sn_lane_dot(direction, direction));
    bool good = sn_tetrahedron_shape(x, inverse, volume, faces) && length > 0;
    shape[0] = 0;
    for (int a = 1; a < CORNERS; a++) { // row a-1 of B^-1 times d
        shape[a] = sn_lane_dot(inverse + 3 * (a - 1), direction) / length;
        shape[0] -= shape[a];
    }
    return good;
}

SN_STRAND_FUNCTIONS(CORNERS)

const SnTermType SN_KERNEL(sn_fiber) = {.name = "fiber", .reinforcement = true, SN_STRAND_ROW(CORNERS)};
