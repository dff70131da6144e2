// Saving and restoring the state to the bit.
#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "world/world.h"

// What the world that reads it must have alike; then what the solver remembers, key, place and forces of each
// constraint, and the members of SnState by their table, positions and velocities last.
typedef struct Header {
    char magic[8];
    int64_t node_count, memory_count, constraint_count, loss_count, pin_count;
    double time_step, gamma;
    char integrator[32], solver[32];
} Header;

static const char magic[8] = "sinew19";

typedef struct ConstraintState {
    int64_t key;
    int64_t place, met;
    double force, rub[3], left[3];
} ConstraintState;

static size_t size_with(const SnModel* model, int64_t memory_count, int64_t constraint_count)
{
    return sizeof(Header) + (size_t)memory_count * sizeof(double) + (size_t)constraint_count * sizeof(ConstraintState) +
           sn_state_size(model);
}

static int64_t memory_count(const SnWorld* world)
{
    const SnMemory* memory = world->model.solver_type->memory;
    return memory && world->problem.solver ? memory->size(world->problem.solver) : 0;
}

size_t sn_world_state_size(const SnWorld* world)
{
    if (!sn_handle_lives(world)) return 0;
    return size_with(&world->model, memory_count(world), world->state.constraints.count);
}

static void save_constraints(const SnConstraintSet* set, char* bytes)
{
    for (int i = 0; i < set->count; i++, bytes += sizeof(ConstraintState)) {
        const SnKept* item = &set->items[i];
        const SnConstraint* it = &item->constraint;
        ConstraintState saved = {it->key, it->place, it->met, item->multiplier.force, {0}, {0}};
        memcpy(saved.rub, item->multiplier.rub, sizeof saved.rub);
        memcpy(saved.left, item->multiplier.left, sizeof saved.left);
        memcpy(bytes, &saved, sizeof saved);
    }
}

static SnStatus restore_constraints(SnConstraintSet* set, int64_t count, const char* bytes)
{
    set->count = 0;
    for (int64_t i = 0; i < count; i++, bytes += sizeof(ConstraintState)) {
        ConstraintState saved;
        memcpy(&saved, bytes, sizeof saved);
        SnKept item = {.constraint = {.key = saved.key, .place = saved.place, .met = saved.met != 0},
                       .multiplier = {.force = saved.force}};
        memcpy(item.multiplier.rub, saved.rub, sizeof saved.rub);
        memcpy(item.multiplier.left, saved.left, sizeof saved.left);
        SN_TRY(sn_constraint_set_add(set, &item));
    }
    return SN_OK;
}

static Header header_of(const SnModel* model, int64_t memory, int64_t constraints)
{
    Header header = {
        .node_count = model->node_count,
        .memory_count = memory,
        .constraint_count = constraints,
        .loss_count = model->loss_count,
        .pin_count = model->pin_count,
        .time_step = model->def.time_step,
        .gamma = model->def.gamma,
    };
    memcpy(header.magic, magic, sizeof magic);
    strncpy(header.integrator, model->integrator->name, sizeof header.integrator - 1);
    strncpy(header.solver, model->solver_type->name, sizeof header.solver - 1);
    return header;
}

SnStatus sn_world_save_state(const SnWorld* world, void* bytes, size_t size)
{
    SN_HANDLE(world);
    SN_NEED(bytes);
    const SnModel* model = &world->model;
    if (size < sn_world_state_size(world))
        return sn_fail(SN_ERROR_VALUE, "the state needs %zu bytes, not %zu", sn_world_state_size(world), size);
    Header header = header_of(model, memory_count(world), world->state.constraints.count);
    char* to = bytes;
    memcpy(to, &header, sizeof header), to += sizeof header;
    if (header.memory_count > 0) model->solver_type->memory->save(world->problem.solver, (double*)to);
    to += (size_t)header.memory_count * sizeof(double);
    save_constraints(&world->state.constraints, to), to += (size_t)header.constraint_count * sizeof(ConstraintState);
    sn_state_save(model, &world->state, to);
    return SN_OK;
}

static SnStatus check_header(const SnModel* model, const Header* header, size_t size)
{
    if (header->node_count != model->node_count)
        return sn_fail(SN_ERROR_VALUE, "the saved state has %lld nodes, the world %d", (long long)header->node_count,
                       model->node_count);
    if (strncmp(header->integrator, model->integrator->name, sizeof header->integrator) != 0)
        return sn_fail(SN_ERROR_VALUE, "the saved state was made with the integrator %.31s, the world has %s",
                       header->integrator, model->integrator->name);
    if (header->time_step != model->def.time_step)
        return sn_fail(SN_ERROR_VALUE, "the saved state was made with a time step of %.17g s, the world has %.17g s",
                       header->time_step, model->def.time_step);
    if (header->gamma != model->def.gamma)
        return sn_fail(SN_ERROR_VALUE, "the saved state was made with gamma %.17g, the world has %.17g", header->gamma,
                       model->def.gamma);
    if (header->loss_count != model->loss_count)
        return sn_fail(SN_ERROR_VALUE, "the saved state has %lld dissipations, the world %d",
                       (long long)header->loss_count, model->loss_count);
    if (header->pin_count != model->pin_count)
        return sn_fail(SN_ERROR_VALUE, "the saved state has %lld nodes held by energy, the world %d",
                       (long long)header->pin_count, model->pin_count);
    uint64_t most = (size - sizeof *header) / sizeof(double);
    if (header->constraint_count < 0 || most < (uint64_t)header->constraint_count || header->memory_count < 0 ||
        most < (uint64_t)header->memory_count ||
        size != size_with(model, header->memory_count, header->constraint_count))
        return sn_fail(SN_ERROR_VALUE,
                       "the saved state has %zu bytes, which is not what %lld nodes and %lld constraints need", size,
                       (long long)header->node_count, (long long)header->constraint_count);
    return SN_OK;
}

// What another solver remembers is of no use to this one, which then goes on with what it has itself.
static SnStatus restore_memory(SnWorld* world, const Header* header, const void* bytes)
{
    const SnSolverType* type = world->model.solver_type;
    if (!type->memory || strncmp(header->solver, type->name, sizeof header->solver) != 0) return SN_OK;
    SN_TRY(sn_world_prepare(world, world->state.time));
    SN_TRY(sn_world_prepare_solver(world));
    void* solver = world->problem.solver;
    if (!solver) return SN_OK;
    if (type->memory->expect) SN_TRY(type->memory->expect(solver, header->memory_count));
    type->memory->restore(solver, header->memory_count == memory_count(world) ? bytes : NULL);
    return SN_OK;
}

static SnStatus check_magic(const void* bytes, size_t size)
{
    if (size >= sizeof(Header) && memcmp(bytes, magic, sizeof magic) == 0) return SN_OK;
    return sn_fail(SN_ERROR_FORMAT, "the saved state is not one of this version of Sinew");
}

// Which bodies are out (FNV-1a).
static uint64_t hash_of_shelf(const SnWorld* world)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int b = 0; b < world->model.body_count; b++) hash = (hash ^ (world->state.out[b] != 0)) * 0x100000001b3u;
    return hash;
}

SnStatus sn_world_restore_state(SnWorld* world, const void* bytes, size_t size)
{
    SN_CHANGE(world);
    SN_NEED(bytes);
    Header header;
    SN_TRY(check_magic(bytes, size));
    memcpy(&header, bytes, sizeof header);
    SN_TRY(check_header(&world->model, &header, size));
    const char *memory = (const char*)bytes + sizeof header,
               *constraints = memory + (size_t)header.memory_count * sizeof(double),
               *state = constraints + (size_t)header.constraint_count * sizeof(ConstraintState);
    SN_TRY(sn_state_check(&world->model, state));
    SN_TRY(restore_constraints(&world->state.constraints, header.constraint_count, constraints));
    uint64_t shelf = hash_of_shelf(world);
    sn_state_restore(&world->model, &world->state, state);
    if (hash_of_shelf(world) != shelf) sn_world_discard_problem(world); // other bodies are there
    world->elastic = NAN;
    world->touches.count = 0;
    return restore_memory(world, &header, memory);
}

// --- in pieces ---

static void list_pieces(const SnModel* whole, SnState* part, SnSaved* saved)
{
    saved->piece_count = sn_state_pieces(whole, part, saved->pieces);
    for (int i = 0; i < saved->piece_count; i++) saved->pieces[i].first += saved->head_size;
}

SnStatus sn_saved_begin(const SnModel* whole, SnState* part, const SnConstraintSet* constraints, SnSaved* saved)
{
    Header header = header_of(whole, 0, constraints->count);
    *saved = (SnSaved){.size = (int64_t)size_with(whole, 0, constraints->count)};
    saved->head_size = saved->size - (int64_t)sn_state_size(whole);
    if (!SN_NEW(saved->head, saved->head_size, "a checkpoint")) return SN_ERROR_MEMORY;
    memcpy(saved->head, &header, sizeof header);
    save_constraints(constraints, saved->head + sizeof header);
    list_pieces(whole, part, saved);
    return SN_OK;
}

void sn_saved_free(SnSaved* saved)
{
    sn_free(saved->head);
    *saved = (SnSaved){0};
}

size_t sn_saved_header_size(void)
{
    return sizeof(Header);
}

SnStatus sn_saved_expect(const SnModel* whole, SnState* part, const void* bytes, int64_t size, SnSaved* saved)
{
    Header header;
    SN_TRY(check_magic(bytes, (size_t)size));
    memcpy(&header, bytes, sizeof header);
    SN_TRY(check_header(whole, &header, (size_t)size));
    *saved = (SnSaved){.size = size, .head_size = size - (int64_t)sn_state_size(whole)};
    saved->constraint_count = header.constraint_count;
    if (!SN_NEW(saved->head, saved->head_size, "a checkpoint")) return SN_ERROR_MEMORY;
    list_pieces(whole, part, saved);
    return SN_OK;
}

SnStatus sn_saved_constraints(const SnSaved* saved, SnConstraintSet* set)
{
    const char* bytes = saved->head + saved->head_size - saved->constraint_count * (int64_t)sizeof(ConstraintState);
    return restore_constraints(set, saved->constraint_count, bytes);
}
