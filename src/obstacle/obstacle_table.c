// The table of obstacles: one row each.
#include "obstacle/obstacle.h"

#define OBSTACLE_LIST X(plane) X(sphere) X(capsule) X(cylinder) X(box) X(torus) X(terrain) X(mesh)

#define X(ID) extern const SnObstacleType sn_obstacle_##ID;
OBSTACLE_LIST
#undef X

static const SnObstacleType* const rows[] = {
#define X(ID) &sn_obstacle_##ID,
    OBSTACLE_LIST NULL
#undef X
};

const SnTable sn_obstacle_table = {"obstacle", rows, .key = "type", .parameters = offsetof(SnObstacleType, parameters)};
