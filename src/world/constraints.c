// The constraint rows of a stage: from everything in the world that makes some.
#include "world/world.h"

void sn_world_begin_rows(SnWorld* world, double time)
{
    sn_world_begin_contacts(world, time);
}

SnStatus sn_world_collect_rows(SnWorld* world, const double* x)
{
    SnRowSet before = world->rows;
    world->rows = world->rows_before;
    world->rows_before = before;
    world->rows.count = 0;
    if (world->contacts) SN_TRY(sn_contacts_collect(world->contacts, x, &world->rows));
    sn_row_set_sort(&world->rows);
    sn_row_set_warm_start(&world->rows, &world->rows_before);
    return SN_OK;
}
