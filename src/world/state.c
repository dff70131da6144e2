// Saving and restoring the state to the bit.
#include <string.h>

#include "world/world.h"

// What is saved, in this order; then what the solver remembers, key and force of each constraint, the accounts, the
// forces of handles that hold by energy, and arrays of 3n numbers: the force and the state before where the integrator
// needs them, and last positions and velocities.
typedef struct StateHeader {
    char magic[8];
    int64_t node_count, memory_count, constraint_count, account_count, step, origin_step, force_known;
    double time, origin_time, time_step, step_length, last_length, gamma;
    double numerical;
    char integrator[32], solver[32];
} StateHeader;

static const char magic[8] = "sinew04";

typedef struct ConstraintState {
    int64_t key;
    double force;
} ConstraintState;

enum { MOST_ARRAYS = 5 };

// The arrays that make up the state.
static int list_arrays(const SnWorld* world, double* arrays[MOST_ARRAYS])
{
    int count = 0;
    if (world->model.integrator->needs_force) arrays[count++] = world->state.force;
    if (world->model.integrator->remembers)
        arrays[count++] = world->state.before_x, arrays[count++] = world->state.before_v;
    arrays[count++] = world->state.x;
    arrays[count++] = world->state.v;
    return count;
}

static size_t size_of_forces(const SnHandle* handle)
{
    return handle->how == SN_HOLD_ENERGY ? 3 * (size_t)handle->node_count * sizeof *handle->force : 0;
}

static size_t size_with(const SnWorld* world, int64_t memory_count, int64_t constraint_count)
{
    double* arrays[MOST_ARRAYS];
    size_t count = (size_t)list_arrays(world, arrays), forces = 0;
    for (int i = 0; i < world->model.handle_count; i++) forces += size_of_forces(&world->model.handles[i]);
    return sizeof(StateHeader) + forces + (size_t)memory_count * sizeof(double) +
           (size_t)constraint_count * sizeof(ConstraintState) + (size_t)world->state.account_count * sizeof(SnAccount) +
           count * 3 * (size_t)world->model.node_count * sizeof(double);
}

static int64_t memory_count(const SnWorld* world)
{
    const SnMemory* memory = world->model.solver_type->memory;
    return memory && world->problem.solver ? memory->size(world->problem.solver) : 0;
}

size_t sn_world_state_size(const SnWorld* world)
{
    return size_with(world, memory_count(world), world->state.constraints.count);
}

static void save_constraints(const SnConstraintSet* set, char* bytes)
{
    for (int i = 0; i < set->count; i++, bytes += sizeof(ConstraintState))
        memcpy(bytes, &(ConstraintState){set->items[i].constraint.key, set->items[i].multiplier.force},
               sizeof(ConstraintState));
}

static SnStatus restore_constraints(SnConstraintSet* set, int64_t count, const char* bytes)
{
    set->count = 0;
    for (int64_t i = 0; i < count; i++, bytes += sizeof(ConstraintState)) {
        ConstraintState saved;
        memcpy(&saved, bytes, sizeof saved);
        SnKept item = {.constraint = {.key = saved.key}, .multiplier = {.force = saved.force}};
        SN_TRY(sn_constraint_set_add(set, &item));
    }
    return SN_OK;
}

SnStatus sn_world_save_state(const SnWorld* world, void* bytes, size_t size)
{
    if (size < sn_world_state_size(world))
        return sn_fail(SN_ERROR_VALUE, "the state needs %zu bytes, not %zu", sn_world_state_size(world), size);
    StateHeader header = {
        .node_count = world->model.node_count,
        .memory_count = memory_count(world),
        .constraint_count = world->state.constraints.count,
        .account_count = world->state.account_count,
        .step = world->state.step,
        .origin_step = world->state.origin_step,
        .force_known = world->state.force_known,
        .time = world->state.time,
        .origin_time = world->state.origin_time,
        .time_step = world->model.def.time_step,
        .step_length = world->state.step_length,
        .last_length = world->state.last_length,
        .gamma = world->model.def.gamma,
        .numerical = world->energy.numerical,
    };
    memcpy(header.magic, magic, sizeof magic);
    strncpy(header.integrator, world->model.integrator->name, sizeof header.integrator - 1);
    strncpy(header.solver, world->model.solver_type->name, sizeof header.solver - 1);
    char* to = bytes;
    memcpy(to, &header, sizeof header), to += sizeof header;
    if (header.memory_count > 0) world->model.solver_type->memory->save(world->problem.solver, (double*)to);
    to += (size_t)header.memory_count * sizeof(double);
    save_constraints(&world->state.constraints, to),
        to += (size_t)world->state.constraints.count * sizeof(ConstraintState);
    size_t accounts = (size_t)world->state.account_count * sizeof *world->state.accounts;
    memcpy(to, world->state.accounts, accounts), to += accounts;
    for (int i = 0; i < world->model.handle_count; to += size_of_forces(&world->model.handles[i++]))
        if (world->model.handles[i].force)
            memcpy(to, world->model.handles[i].force, size_of_forces(&world->model.handles[i]));
    double* arrays[MOST_ARRAYS];
    size_t length = 3 * (size_t)world->model.node_count * sizeof(double);
    for (int i = 0, count = list_arrays(world, arrays); i < count; i++, to += length) memcpy(to, arrays[i], length);
    return SN_OK;
}

static SnStatus check_header(const SnWorld* world, const StateHeader* header, size_t size)
{
    if (header->node_count != world->model.node_count)
        return sn_fail(SN_ERROR_VALUE, "the saved state has %lld nodes, the world %d", (long long)header->node_count,
                       world->model.node_count);
    if (strncmp(header->integrator, world->model.integrator->name, sizeof header->integrator) != 0)
        return sn_fail(SN_ERROR_VALUE, "the saved state was made with the integrator %.31s, the world has %s",
                       header->integrator, world->model.integrator->name);
    if (header->time_step != world->model.def.time_step)
        return sn_fail(SN_ERROR_VALUE, "the saved state was made with a time step of %.17g s, the world has %.17g s",
                       header->time_step, world->model.def.time_step);
    if (header->gamma != world->model.def.gamma)
        return sn_fail(SN_ERROR_VALUE, "the saved state was made with gamma %.17g, the world has %.17g", header->gamma,
                       world->model.def.gamma);
    if (header->account_count != world->state.account_count)
        return sn_fail(SN_ERROR_VALUE, "the saved state has %lld dissipations, the world %d",
                       (long long)header->account_count - SN_ACCOUNT_LOSS,
                       world->state.account_count - SN_ACCOUNT_LOSS);
    uint64_t most = (size - sizeof *header) / sizeof(double);
    if (header->constraint_count < 0 || most < (uint64_t)header->constraint_count || header->memory_count < 0 ||
        most < (uint64_t)header->memory_count ||
        size != size_with(world, header->memory_count, header->constraint_count))
        return sn_fail(SN_ERROR_VALUE,
                       "the saved state has %zu bytes, which is not what %lld nodes and %lld constraints need", size,
                       (long long)header->node_count, (long long)header->constraint_count);
    return SN_OK;
}

// What another solver remembers is of no use to this one, which then goes on with what it has itself.
static SnStatus restore_memory(SnWorld* world, const StateHeader* header, const void* bytes)
{
    const SnMemory* memory = world->model.solver_type->memory;
    if (!memory || strncmp(header->solver, world->model.solver_type->name, sizeof header->solver) != 0) return SN_OK;
    SN_TRY(sn_world_prepare(world));
    int64_t count = memory_count(world);
    if (world->problem.solver) memory->restore(world->problem.solver, header->memory_count == count ? bytes : NULL);
    return SN_OK;
}

SnStatus sn_world_restore_state(SnWorld* world, const void* bytes, size_t size)
{
    StateHeader header;
    if (size < sizeof header || memcmp(bytes, magic, sizeof magic) != 0)
        return sn_fail(SN_ERROR_FORMAT, "the saved state is not one of this version of Sinew");
    memcpy(&header, bytes, sizeof header);
    SN_TRY(check_header(world, &header, size));
    const char* from = (const char*)bytes + sizeof header + (size_t)header.memory_count * sizeof(double);
    SN_TRY(restore_constraints(&world->state.constraints, header.constraint_count, from));
    from += (size_t)header.constraint_count * sizeof(ConstraintState);
    size_t accounts = (size_t)world->state.account_count * sizeof *world->state.accounts;
    memcpy(world->state.accounts, from, accounts), from += accounts;
    for (int i = 0; i < world->model.handle_count; from += size_of_forces(&world->model.handles[i++]))
        if (world->model.handles[i].force)
            memcpy(world->model.handles[i].force, from, size_of_forces(&world->model.handles[i]));
    double* arrays[MOST_ARRAYS];
    size_t length = 3 * (size_t)world->model.node_count * sizeof(double);
    for (int i = 0, count = list_arrays(world, arrays); i < count; i++, from += length) memcpy(arrays[i], from, length);
    world->state.step = header.step;
    world->state.time = header.time;
    world->state.step_length = header.step_length;
    sn_world_release_handles(world, world->state.time); // before it is known how far one may look back
    world->state.last_length = header.last_length;
    world->state.origin_step = header.origin_step;
    world->state.origin_time = header.origin_time;
    world->state.force_known = header.force_known != 0;
    world->energy = (SnEnergy){.numerical = header.numerical};
    sn_ledger_read_accounts(world);
    world->measured = false;
    return restore_memory(world, &header, (const char*)bytes + sizeof header);
}
