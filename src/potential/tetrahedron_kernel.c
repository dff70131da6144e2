// Tetrahedra: F = [b-a, c-a, d-a] B^-1.
enum { NODES = 4 };
#include "potential/solid_term.h"
#include "potential/tetrahedron.h"

static bool prepare(const double* x, double section, const double* direction, double* shape, double* volume,
                    double* faces)
{
    (void)section, (void)direction;
    return sn_tetrahedron_shape(x, shape, volume, faces);
}

const SnTermType SN_KERNEL(sn_tetrahedron) = {
    .name = "tetrahedron",
    .elements = SN_ON_TETRAHEDRA,
    .nodes = NODES,
    .coordinates = 3,
    .shape_size = 3 * (NODES - 1),
    SN_TERM_FUNCTIONS,
};
