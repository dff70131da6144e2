// Saving and restoring the state to the bit.
#include <string.h>

#include "world/world.h"

// What is saved, in this order; then 3n positions and 3n velocities, and key and force of each constraint row.
typedef struct StateHeader {
    char magic[8];
    int64_t node_count, step;
    double time, time_step;
    double pins, viscous, friction, numerical;
    int64_t row_count;
} StateHeader;

typedef struct RowState {
    int64_t key;
    double force;
} RowState;

static const char magic[8] = "sinew02";

size_t sn_world_state_size(const SnWorld* world)
{
    return sizeof(StateHeader) + 6 * (size_t)world->node_count * sizeof(double) +
           (size_t)world->rows.count * sizeof(RowState);
}

static void save_rows(const SnRowSet* set, char* bytes)
{
    for (int i = 0; i < set->count; i++, bytes += sizeof(RowState))
        memcpy(bytes, &(RowState){set->rows[i].key, set->rows[i].force}, sizeof(RowState));
}

static SnStatus restore_rows(SnRowSet* set, int64_t count, const char* bytes)
{
    set->count = 0;
    for (int64_t i = 0; i < count; i++, bytes += sizeof(RowState)) {
        RowState row;
        memcpy(&row, bytes, sizeof row);
        SN_TRY(sn_row_set_add(set, &(SnRow){.key = row.key, .force = row.force}));
    }
    return SN_OK;
}

SnStatus sn_world_save_state(const SnWorld* world, void* bytes, size_t size)
{
    if (size < sn_world_state_size(world))
        return sn_fail(SN_ERROR_VALUE, "the state needs %zu bytes, not %zu", sn_world_state_size(world), size);
    const SnEnergy* e = &world->energy;
    StateHeader header = {.node_count = world->node_count, .step = world->step, .time = world->time};
    memcpy(header.magic, magic, sizeof magic);
    header.time_step = world->def.time_step;
    header.pins = e->pins, header.viscous = e->viscous, header.friction = e->friction;
    header.numerical = e->numerical;
    header.row_count = world->rows.count;
    size_t half = 3 * (size_t)world->node_count * sizeof(double);
    memcpy(bytes, &header, sizeof header);
    memcpy((char*)bytes + sizeof header, world->x, half);
    memcpy((char*)bytes + sizeof header + half, world->v, half);
    save_rows(&world->rows, (char*)bytes + sizeof header + 2 * half);
    return SN_OK;
}

SnStatus sn_world_restore_state(SnWorld* world, const void* bytes, size_t size)
{
    StateHeader header;
    if (size < sizeof header || memcmp(bytes, magic, sizeof magic) != 0)
        return sn_fail(SN_ERROR_FORMAT, "the saved state is not one of this version of Sinew");
    memcpy(&header, bytes, sizeof header);
    size_t half = 3 * (size_t)world->node_count * sizeof(double);
    if (header.node_count != world->node_count)
        return sn_fail(SN_ERROR_VALUE, "the saved state has %lld nodes, the world %d", (long long)header.node_count,
                       world->node_count);
    if (header.time_step != world->def.time_step)
        return sn_fail(SN_ERROR_VALUE, "the saved state was made with a time step of %.17g s, the world has %.17g s",
                       header.time_step, world->def.time_step);
    if (header.row_count < 0 || (size - sizeof header) / sizeof(RowState) < (uint64_t)header.row_count ||
        size != sizeof header + 2 * half + (size_t)header.row_count * sizeof(RowState))
        return sn_fail(SN_ERROR_VALUE,
                       "the saved state has %zu bytes, which is not what %lld nodes and %lld "
                       "constraints need",
                       size, (long long)header.node_count, (long long)header.row_count);
    SN_TRY(restore_rows(&world->rows, header.row_count, (const char*)bytes + sizeof header + 2 * half));
    memcpy(world->x, (const char*)bytes + sizeof header, half);
    memcpy(world->v, (const char*)bytes + sizeof header + half, half);
    world->step = header.step;
    world->time = header.time;
    world->energy = (SnEnergy){.pins = header.pins, .viscous = header.viscous, .friction = header.friction};
    world->energy.numerical = header.numerical;
    world->measured = false;
    return SN_OK;
}
