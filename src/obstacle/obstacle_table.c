// The table of obstacles: one row each.
#include <string.h>

#include "obstacle/obstacle.h"

#define OBSTACLE_LIST X(plane) X(sphere) X(capsule) X(cylinder) X(box) X(torus) X(terrain) X(mesh)

#define X(ID) extern const SnObstacleType sn_obstacle_##ID;
OBSTACLE_LIST
#undef X

static const SnObstacleType* const table[] = {
#define X(ID) &sn_obstacle_##ID,
    OBSTACLE_LIST
#undef X
};

int sn_obstacle_count(void)
{
    return (int)(sizeof table / sizeof *table);
}

const SnObstacleType* sn_obstacle_at(int index)
{
    return table[index];
}

const SnObstacleType* sn_obstacle_find(const char* name)
{
    for (int i = 0; i < sn_obstacle_count(); i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}
