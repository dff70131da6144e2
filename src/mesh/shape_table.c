// The shapes that can be made, in the order in which they are listed.
#include "mesh/mesh.h"

#define SHAPE_LIST X(box) X(sphere) X(cylinder) X(torus) X(cloth) X(rope) X(knot) X(walker)

#define X(name) extern const SnShape sn_shape_##name;
SHAPE_LIST
#undef X

static const SnShape* const rows[] = {
#define X(name) &sn_shape_##name,
    SHAPE_LIST
#undef X
        NULL,
};

const SnTable sn_shape_table = {"shape", rows, .parameters = offsetof(SnShape, parameters)};
