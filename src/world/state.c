// Saving and restoring the state to the bit.
#include <string.h>

#include "world/world.h"

// What is saved, in this order; then 3n positions and 3n velocities.
typedef struct StateHeader {
    char magic[8];
    int64_t node_count, step;
    double time, time_step;
    double pins, viscous, friction, numerical;
} StateHeader;

static const char magic[8] = "sinew01";

size_t sn_world_state_size(const SnWorld* world)
{
    return sizeof(StateHeader) + 6 * (size_t)world->node_count * sizeof(double);
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
    size_t half = 3 * (size_t)world->node_count * sizeof(double);
    memcpy(bytes, &header, sizeof header);
    memcpy((char*)bytes + sizeof header, world->x, half);
    memcpy((char*)bytes + sizeof header + half, world->v, half);
    return SN_OK;
}

SnStatus sn_world_restore_state(SnWorld* world, const void* bytes, size_t size)
{
    StateHeader header;
    if (size < sizeof header || memcmp(bytes, magic, sizeof magic) != 0)
        return sn_fail(SN_ERROR_FORMAT, "the saved state is not one of this version of Sinew");
    memcpy(&header, bytes, sizeof header);
    if (header.node_count != world->node_count || size != sn_world_state_size(world))
        return sn_fail(SN_ERROR_VALUE, "the saved state has %lld nodes, the world %d", (long long)header.node_count,
                       world->node_count);
    if (header.time_step != world->def.time_step)
        return sn_fail(SN_ERROR_VALUE, "the saved state was made with a time step of %.17g s, the world has %.17g s",
                       header.time_step, world->def.time_step);
    size_t half = 3 * (size_t)world->node_count * sizeof(double);
    memcpy(world->x, (const char*)bytes + sizeof header, half);
    memcpy(world->v, (const char*)bytes + sizeof header + half, half);
    world->step = header.step;
    world->time = header.time;
    world->energy = (SnEnergy){.pins = header.pins, .viscous = header.viscous, .friction = header.friction};
    world->energy.numerical = header.numerical;
    world->measured = false;
    return SN_OK;
}
