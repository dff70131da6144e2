// The constraint rows of a stage: from everything in the world that makes some.
#include "world/world.h"

void sn_world_begin_rows(SnWorld* world, double time)
{
    world->rows_time = time;
    for (int i = 0; i < world->rows.count; i++) world->rows.rows[i].turned = -1; // those of the stage before
    sn_world_begin_contacts(world, time);
}

// Drops contacts of nodes with what they slide on.
static void drop_sliding(SnWorld* world, int first)
{
    SnRowSet* set = &world->rows;
    int kept = first;
    for (int i = first; i < set->count; i++)
        if (!sn_world_slides_on(world, set->rows[i].node[0], sn_contact_target(&set->rows[i])))
            set->rows[kept++] = set->rows[i];
    set->count = kept;
}

SnStatus sn_world_collect_rows(SnWorld* world, const double* x)
{
    SnRowSet before = world->rows;
    world->rows = world->rows_before;
    world->rows_before = before;
    world->rows.count = 0;
    SN_TRY(sn_world_collect_slides(world, x));
    int slides = world->rows.count;
    if (world->contacts) SN_TRY(sn_contacts_collect(world->contacts, x, &world->rows));
    if (slides > 0) drop_sliding(world, slides);
    sn_row_set_sort(&world->rows);
    sn_row_set_warm_start(&world->rows, &world->rows_before);
    return sn_row_set_hold(&world->rows, &world->rows_before, x);
}
