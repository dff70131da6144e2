// The shapes that can be made, in the order in which they are listed.
#include "mesh/mesh.h"

#define SHAPE_LIST(X) \
    X(box) X(sphere) X(cylinder) X(torus) X(cloth) X(rope) X(knot) X(net) X(walker) X(creature) X(shirt)

#define DECLARE(name) extern const SnShape sn_shape_##name;
SHAPE_LIST(DECLARE)

#define ROW(name) &sn_shape_##name,
const SnTable sn_shape_table = {"shape", (const void* const[]){SHAPE_LIST(ROW) NULL},
                                .parameters = offsetof(SnShape, parameters)};
