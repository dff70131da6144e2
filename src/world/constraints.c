// The constraint rows of a stage: from everything in the world that makes some.
#include "world/world.h"

SnStatus sn_world_collect_rows(SnWorld* world, double time)
{
    (void)time;
    SnRowSet before = world->rows;
    world->rows = world->rows_before;
    world->rows_before = before;
    world->rows.count = 0;
    sn_row_set_sort(&world->rows);
    sn_row_set_warm_start(&world->rows, &world->rows_before);
    return SN_OK;
}
