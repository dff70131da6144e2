// Points (potential/points.h): F = sum of x_a G_a^T with G given.
#include "potential/points.h"

enum { NODES = SN_POINT_NODES };
#include "potential/solid_term.h"

const SnTermType SN_KERNEL(sn_point) = {
    .name = "point",
    .elements = SN_ON_TETRAHEDRA,
    .nodes = NODES,
    .coordinates = 3,
    .shape_size = SN_POINT_SHAPE,
    .energy = energy,
    .gradient = gradient,
    .hessian = hessian,
    .prox = prox,
};
