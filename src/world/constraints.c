// The constraint rows of a stage: from everything in the world that makes some.
#include "world/world.h"

void sn_world_begin_rows(SnWorld* world, double time)
{
    world->problem.rows_time = time;
    for (int i = 0; i < world->state.rows.count; i++)
        world->state.rows.rows[i].turned = -1; // those of the stage before
    sn_world_begin_contacts(world, time);
}

// Drops contacts of nodes with what they slide on.
static void drop_sliding(SnWorld* world, int first)
{
    SnRowSet* set = &world->state.rows;
    int kept = first;
    for (int i = first; i < set->count; i++)
        if (!sn_world_slides_on(world, set->rows[i].node[0], sn_contact_target(&set->rows[i])))
            set->rows[kept++] = set->rows[i];
    set->count = kept;
}

SnStatus sn_world_collect_rows(SnWorld* world, const double* x)
{
    SnRowSet before = world->state.rows;
    world->state.rows = world->scratch.rows_before;
    world->scratch.rows_before = before;
    world->state.rows.count = 0;
    SN_TRY(sn_world_collect_slides(world, x));
    int slides = world->state.rows.count;
    if (world->problem.contacts) SN_TRY(sn_contacts_collect(world->problem.contacts, x, &world->state.rows));
    if (slides > 0) drop_sliding(world, slides);
    sn_row_set_sort(&world->state.rows);
    sn_row_set_warm_start(&world->state.rows, &world->scratch.rows_before);
    return sn_row_set_hold(&world->state.rows, &world->scratch.rows_before, x);
}
