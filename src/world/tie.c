// Ties of a world (constraint/tie.h): handles that hold their nodes in some directions only, as rollers and planes of
// symmetry do, and attachments (world/attachment.c).
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "world/world.h"

#define INDEPENDENT 1e-6 // sine of the least angle between directions

// Adds a direction to an orthonormal basis of `count`; false: it is in its span.
static bool add_direction(const double direction[3], int count, double* basis)
{
    double rest[3], length = sn_length3(direction);
    if (!(length > 0) || !isfinite(length) || count > 2) return false;
    for (int c = 0; c < 3; c++) rest[c] = direction[c] / length;
    for (int k = 0; k < count; k++) {
        double along = sn_dot3(rest, basis + 3 * k);
        for (int c = 0; c < 3; c++) rest[c] -= along * basis[3 * k + c];
    }
    length = sn_length3(rest);
    if (length < INDEPENDENT) return false;
    for (int c = 0; c < 3; c++) basis[3 * count + c] = rest[c] / length;
    return true;
}

SnStatus sn_handle_set_axes(SnHandle* handle, const SnHandleDef* def, const char* body)
{
    if (def->axis_count < 0 || def->axis_count > 3)
        return sn_fail(SN_ERROR_VALUE, "a handle of body '%s' has %d axes; there can be 0 (all) to 3", body,
                       def->axis_count);
    if (def->axis_count > 0 && def->how == SN_HOLD_ENERGY)
        return sn_fail(SN_ERROR_VALUE,
                       "a handle of body '%s' holds by energy, which knows no axes; leave out one of both", body);
    for (int k = 0; k < def->axis_count; k++)
        if (!add_direction(def->axes + 3 * k, k, handle->axes))
            return sn_fail(SN_ERROR_VALUE,
                           "axis %d of a handle of body '%s' is [%g, %g, %g]; it must have a length, and a direction "
                           "that is not among those before",
                           k, body, def->axes[3 * k], def->axes[3 * k + 1], def->axes[3 * k + 2]);
    handle->axis_count = def->axis_count < 3 ? def->axis_count : 0; // all three: held altogether
    return SN_OK;
}

bool sn_handle_add_axes(const SnHandle* handle, int* count, double basis[9])
{
    for (int k = 0; k < handle->axis_count; k++)
        if (!add_direction(handle->axes + 3 * k, (*count)++, basis)) return false;
    return true;
}

void sn_ties_free(SnTies* ties)
{
    for (int i = 0; i < ties->count; i++) SN_FREE(ties->items[i].place, ties->items[i].velocity);
    SN_FREE(ties->items, ties->hinges);
    *ties = (SnTies){0};
}

static SnStatus make_places(SnTie* tie)
{
    int64_t n = 3 * (int64_t)tie->node_count;
    return SN_NEW(tie->place, n, "handles") && SN_NEW(tie->velocity, n, "handles") ? SN_OK : SN_ERROR_MEMORY;
}

SnStatus sn_ties_build(const SnModel* model, const SnState* state, const SnProblem* problem, SnTies* ties)
{
    if (!SN_NEW(ties->items, model->handle_count + model->attachment_count, "handles")) return SN_ERROR_MEMORY;
    for (int i = 0; i < model->handle_count; i++) {
        const SnHandle* handle = &model->handles[i];
        if (handle->axis_count == 0 || problem->released[i]) continue;
        SnTie* tie = &ties->items[ties->count++];
        *tie = (SnTie){.number = i,
                       .node_count = handle->node_count,
                       .nodes = handle->nodes,
                       .axis_count = handle->axis_count,
                       .axes = handle->axes};
        SN_TRY(make_places(tie));
    }
    for (int i = 0; i < model->attachment_count; i++) {
        ties->items[ties->count++] = sn_attachment_tie(model, state, i);
        SN_TRY(make_places(&ties->items[ties->count - 1]));
    }
    return sn_hinges_build(model, problem, ties);
}

void sn_ties_place(const SnModel* model, const SnState* state, SnTies* ties, double time)
{
    double span = time - state->time;
    sn_hinges_place(model, state, ties, time);
    for (int i = 0; i < ties->count; i++) {
        SnTie* tie = &ties->items[i];
        if (tie->corners) {
            sn_attachment_place(&model->attachments[tie->number - model->handle_count], state->time, time, tie->place,
                                tie->velocity);
            continue;
        }
        const SnHandle* handle = &model->handles[tie->number];
        for (int k = 0; k < tie->node_count; k++) {
            double before[3], *place = tie->place + 3 * (int64_t)k, *velocity = tie->velocity + 3 * (int64_t)k;
            sn_handle_place(handle, k, state->time, before);
            sn_handle_place(handle, k, time, place);
            for (int c = 0; c < 3; c++) velocity[c] = span > 0 ? (place[c] - before[c]) / span : 0;
        }
    }
}

void sn_ties_add_force(const SnModel* model, const SnState* state, const SnProblem* problem, const double* x,
                       int number, SnWrench* wrench)
{
    double share = sn_impact_share(model, state);
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        const SnStencil* at = &item->constraint.at;
        if (sn_tie_number(&item->constraint, model->slide_count) != number) continue;
        double six[6] = {0};
        bool kept_out = sn_impact_keeps_out(model, problem, &item->constraint);
        double force[3], push = kept_out ? share * item->multiplier.force : item->multiplier.force;
        int nodes = number < model->handle_count ? at->count : 1; // attachments: on what they are from
        for (int c = 0; c < 3; c++) force[c] = push * at->normal[c];
        for (int k = 0; k < nodes; k++) sn_ledger_add_wrench(six, at->weight[k], x + 3 * (int64_t)at->node[k], force);
        for (int c = 0; c < 3; c++) wrench->force[c] += six[c], wrench->torque[c] += six[3 + c];
    }
}
