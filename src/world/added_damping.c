// Dampings that bodies get while a world runs: what losses and their accounts are counted by changes with them. As an
// event they are the numbers of their definition.
#include <string.h>

#include "core/handle.h"
#include "world/added.h"
#include "world/event.h"
#include "world/shelf.h"
#include "world/written_parts.h"

// The number that the loss to the body's next damping has, among those of all bodies.
static int next_loss(const SnModel* model, int body)
{
    int count = 0;
    for (int b = 0; b <= body; b++) count += model->bodies[b].damping_count;
    return count;
}

// Room for a sum in the ledger, which is zero, before those of the bodies that follow.
static SnStatus open_account(SnWorld* world, int index)
{
    SN_TRY(sn_state_grow(&world->state, &world->model));
    SnAccount* at = world->state.accounts + SN_ACCOUNT_LOSS + index;
    memmove(at + 1, at, (size_t)(world->model.loss_count - 1 - index) * sizeof *at);
    *at = (SnAccount){0};
    return SN_OK;
}

static void close_account(SnWorld* world, int index)
{
    SnAccount* at = world->state.accounts + SN_ACCOUNT_LOSS + index;
    memmove(at, at + 1, (size_t)(world->model.loss_count - 1 - index) * sizeof *at);
}

// The numbers that dampings by powers below 1 keep are by the order of terms, in which there are others now: they begin
// anew.
static SnStatus count_shifts(SnModel* model, const SnBody* body, int64_t before)
{
    int64_t now = sn_body_shift_count(body);
    if (now < 0) return SN_ERROR_MEMORY;
    model->shift_count += now - before;
    return SN_OK;
}

static SnStatus add(SnWorld* world, int index, const SnDampingDef* def)
{
    SnModel* model = &world->model;
    SnBody* body = &model->bodies[index];
    int loss = next_loss(model, index);
    int64_t shifts = model->shift_count, own = sn_body_shift_count(body);
    if (own < 0) return SN_ERROR_MEMORY;
    SN_TRY(sn_body_add_damping(body, def));
    SnStatus status = sn_losses_insert(model, body, loss);
    if (status != SN_OK) {
        sn_body_drop_damping(body);
        return status;
    }
    status = count_shifts(model, body, own);
    if (status == SN_OK) status = open_account(world, loss);
    SnStepReport now; // and that the problem can be made with it
    bool opened = status == SN_OK;
    if (opened && sn_world_lives(world)) status = sn_change_measure(world, &now);
    if (status == SN_OK) return SN_OK;
    if (opened) close_account(world, loss);
    sn_losses_remove(model, loss);
    sn_body_drop_damping(body);
    model->shift_count = shifts;
    (void)sn_state_grow(&world->state, model); // larger than it need be it is right, too
    return status;
}

static void put_damping(SnWritten* n, const void* given)
{
    const SnDampingDef* def = given;
    sn_put_damping(n, def);
    sn_put_curve(n, &def->curve);
}

static SnStatus check(const SnWorld* world, int body, const SnDampingDef* def)
{
    SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    if (!world->events.noting || !def->custom) return SN_OK;
    return sn_fail(SN_ERROR_VALUE,
                   "body '%s': a damping of the caller's functions, of which a run file that is being written keeps "
                   "nothing: add it before, or close the file first",
                   world->model.bodies[body].name);
}

SnStatus sn_world_add_damping(SnWorld* world, int body, const SnDampingDef* def, int* index)
{
    SN_CHANGE(world);
    SN_NEED(def);
    SN_TRY(check(world, body, def));
    SnAside aside = sn_shelf_set_aside(world);
    SnStatus status = add(world, body, def);
    if (status != SN_OK) {
        sn_shelf_put_back(world, &aside);
        return status == SN_ERROR_MEMORY ? status : sn_fail_prefix(status, "body '%s'", world->model.bodies[body].name);
    }
    sn_shelf_drop_aside(world, &aside);
    sn_shelf_forget_shifts(world);
    sn_change_forget(world);
    if (index) *index = world->model.bodies[body].damping_count - 1;
    return sn_added_note(world, "add-damping", body, put_damping, def);
}

SnStatus sn_added_damping(SnWorld* world, const SnEvent* e)
{
    SnReading r = {e->numbers, e->count, 0, false, e->kind};
    char types[2][SN_WRITTEN_NAME];
    SnDampingDef def;
    int* elements = NULL;
    SnStatus status = sn_take_damping(&r, types, &def, &elements);
    sn_take_curve(&r, &def.curve);
    bool fits = !r.bad && r.next == r.count;
    if (status == SN_OK) status = fits ? sn_world_add_damping(world, e->target, &def, NULL) : sn_reading_refuse(&r);
    sn_free(elements);
    return status;
}
