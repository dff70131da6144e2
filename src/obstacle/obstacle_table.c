// The table of obstacles: one row each.
#include "obstacle/obstacle.h"

#define OBSTACLE_LIST(X) X(plane) X(sphere) X(capsule) X(cylinder) X(box) X(torus) X(terrain) X(mesh)

#define DECLARE(ID) extern const SnObstacleType sn_obstacle_##ID;
OBSTACLE_LIST(DECLARE)

#define ROW(ID) &sn_obstacle_##ID,
const SnTable sn_obstacle_table = {"obstacle", (const void* const[]){OBSTACLE_LIST(ROW) NULL}, .key = "type",
                                   .parameters = offsetof(SnObstacleType, parameters)};
