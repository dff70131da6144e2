// Names of the losses to dissipations, each with its account in the ledger.
#include <stdio.h>
#include <string.h>

#include "core/handle.h"
#include "world/world.h"

// "bar: rayleigh", and "bar: rayleigh 2" where there is one already.
static char* loss_name(const SnModel* model, const char* body, const char* type)
{
    char* name;
    size_t size = strlen(body) + strlen(type) + 16, length;
    if (!SN_NEW(name, size, "the ledger")) return NULL;
    length = (size_t)snprintf(name, size, "%s: %s", body, type);
    for (int k = 0, same = 1; k < model->loss_count; k++)
        if (strcmp(model->loss_names[k], name) == 0) {
            snprintf(name + length, size - length, " %d", ++same);
            k = -1;
        }
    return name;
}

static SnStatus append(SnModel* model, const SnBody* body, int damping)
{
    if (!SN_GROW(model->loss_names, model->loss_capacity, model->loss_count + 1, "the ledger")) return SN_ERROR_MEMORY;
    char* name = loss_name(model, body->name, body->dampings[damping].dissipation.type->name);
    if (!name) return SN_ERROR_MEMORY;
    model->loss_names[model->loss_count++] = name;
    return SN_OK;
}

SnStatus sn_losses_add(SnModel* model, const SnBody* body)
{
    for (int i = 0; i < body->damping_count; i++) SN_TRY(append(model, body, i));
    return SN_OK;
}

SnStatus sn_losses_insert(SnModel* model, const SnBody* body, int index)
{
    SN_TRY(append(model, body, body->damping_count - 1));
    char *name = model->loss_names[model->loss_count - 1], **at = model->loss_names + index;
    memmove(at + 1, at, (size_t)(model->loss_count - 1 - index) * sizeof *at);
    *at = name;
    return SN_OK;
}

void sn_losses_remove(SnModel* model, int index)
{
    char** at = model->loss_names + index;
    sn_free(*at);
    memmove(at, at + 1, (size_t)(--model->loss_count - index) * sizeof *at);
}

void sn_losses_drop(SnModel* model, int count)
{
    while (model->loss_count > count) sn_free(model->loss_names[--model->loss_count]);
}

SnStatus sn_world_loss(const SnWorld* world, int index, SnLoss* loss)
{
    SN_HANDLE(world);
    SN_NEED(loss);
    if (index < 0 || index >= world->model.loss_count)
        return sn_fail(SN_ERROR_VALUE, "there is no loss %d: the world has %d dissipations", index,
                       world->model.loss_count);
    *loss = (SnLoss){world->model.loss_names[index], world->state.accounts[SN_ACCOUNT_LOSS + index].sum};
    return SN_OK;
}
