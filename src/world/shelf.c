// Bodies that are taken out of a world and put into it while it runs.
//
// One that is out, on the shelf, keeps its numbers: its nodes are all in one point, without mass, terms and surface, so
// that nothing acts on them and nothing of it is seen. What it takes along, or brings, of energies and momenta is
// booked as work and impulse of handles: somebody's hand did it.
#include "world/shelf.h"

#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "world/event.h"
#include "world/steer.h"

const char* sn_shelf_tie(const SnModel* model, const SnState* state, int body)
{
    const SnBody* b = &model->bodies[body];
    for (int k = 0; k < model->slide_count; k++) {
        if (model->slides[k].node_count == 0) continue; // it was released
        int node = model->slides[k].nodes[0] - b->first_node;
        bool on = model->slides[k].obstacle < 0 && model->slides[k].target_body == body;
        if (on || (node >= 0 && node < b->node_count)) return "a slide";
    }
    for (int k = 0; k < model->attachment_count; k++)
        if (model->attachments[k].from_body == body || model->attachments[k].to_body == body)
            for (int i = 0; i < model->attachments[k].node_count; i++)
                if (state->torn[model->attachments[k].first + i] == 0) return "an attachment";
    return NULL;
}

const char* sn_shelf_act(const SnModel* model, int body)
{
    for (int k = 0; k < model->load_count; k++)
        if (model->loads[k].def.body == body) return "a load";
    for (int k = 0; k < model->actuator_count; k++)
        if (model->actuators[k].def.body == body) return "an actuator";
    return NULL;
}

static bool holds(const SnWorld* world, const SnHandle* handle, int body)
{
    double h = world->state.step_length;
    return handle->body == body && !sn_handle_released(handle, world->state.time + h, h);
}

static SnStatus refuse(const SnBody* body, const char* what)
{
    return sn_fail(SN_ERROR_VALUE, "body '%s' has %s, which is tied to it: it cannot be put on the shelf, or taken off",
                   body->name, what);
}

SnStatus sn_shelf_check(const SnModel* model, const SnState* state)
{
    for (int b = 0; b < model->body_count; b++) {
        const char* what = state->out[b] != 0 ? sn_shelf_tie(model, state, b) : NULL;
        if (what) return refuse(&model->bodies[b], what);
    }
    return SN_OK;
}

SnStatus sn_shelf_check_tie(const SnWorld* world, int body, const char* what)
{
    if (!sn_world_lives(world) || world->state.out[body] == 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "body '%s' is on the shelf: it cannot have %s", world->model.bodies[body].name,
                   what);
}

static void put_at(const SnModel* model, SnState* state, int body, const double place[3])
{
    const SnBody* b = &model->bodies[body];
    double at[3] = {place[0], place[1], place[2]}, *x = state->x + 3 * (int64_t)b->first_node;
    for (int i = 0; i < b->node_count; i++) memcpy(x + 3 * (int64_t)i, at, sizeof at);
    memset(state->v + 3 * (int64_t)b->first_node, 0, 3 * (size_t)b->node_count * sizeof *x);
    state->out[body] = 1;
}

// Where nothing is seen of it: at a node of another body, so that pictures need not show more.
void sn_shelf_put(const SnModel* model, SnState* state, int body)
{
    int other = 0;
    while (other < model->body_count && (other == body || state->out[other] != 0)) other++;
    const SnBody* at = &model->bodies[other < model->body_count ? other : body];
    put_at(model, state, body, state->x + 3 * (int64_t)at->first_node);
}

static void change(SnWorld* world)
{
    sn_world_discard_problem(world);
    sn_change_forget(world);
}

void sn_shelf_forget_shifts(SnWorld* world)
{
    if (world->model.shift_count > 0)
        memset(world->state.shifts, 0, (size_t)world->model.shift_count * sizeof *world->state.shifts);
}

static SnStatus check_handles(SnWorld* world, int body, bool may_let_go)
{
    const SnModel* model = &world->model;
    for (int k = 0; k < model->handle_count; k++) {
        const SnHandle* handle = &model->handles[k];
        bool simple = handle->how == SN_HOLD_ELIMINATE && handle->axis_count == 0;
        if (holds(world, handle, body) && !(simple && may_let_go))
            return refuse(&model->bodies[body], "a handle that has not let go");
    }
    return SN_OK;
}

static SnStatus check(SnWorld* world, int body, bool out)
{
    SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    const SnBody* b = &world->model.bodies[body];
    const char* what = sn_shelf_tie(&world->model, &world->state, body);
    if ((world->state.out[body] != 0) == out)
        return sn_fail(SN_ERROR_VALUE, "body '%s' is %s", b->name, out ? "on the shelf already" : "there already");
    if (what) return refuse(b, what);
    return check_handles(world, body, out);
}

static void let_go(SnWorld* world, int body)
{
    SnModel* model = &world->model;
    const SnBody* b = &model->bodies[body];
    for (int k = 0; k < model->handle_count; k++)
        if (holds(world, &model->handles[k], body)) model->handles[k].motion.release = world->state.time;
    for (int k = 0; k < model->grab_count; k++) {
        int node = model->grabs[k].node[0] - b->first_node;
        if (node >= 0 && node < b->node_count) model->grabs[k].holds = false;
    }
    while (model->grab_count > 0 && !model->grabs[model->grab_count - 1].holds) model->grab_count--;
}

SnStatus sn_world_remove_body(SnWorld* world, int body)
{
    SN_CHANGE(world);
    SnStepReport before, after;
    SN_TRY(check(world, body, true));
    SN_TRY(sn_change_measure(world, &before));
    let_go(world, body);
    sn_shelf_put(&world->model, &world->state, body);
    change(world);
    sn_shelf_forget_shifts(world);
    SN_TRY(sn_change_measure(world, &after));
    sn_change_book(&world->state, &before, &after);
    return sn_world_note(world, "remove-body", body, 0, NULL);
}

static void place(SnWorld* world, const SnBody* body, const SnPose* pose, const double velocity[3])
{
    double* x = world->state.x + 3 * (int64_t)body->first_node;
    double* v = world->state.v + 3 * (int64_t)body->first_node;
    for (int i = 0; i < body->node_count; i++)
        for (int c = 0; c < 3; c++) {
            x[3 * i + c] = sn_dot3(pose->rotation + 3 * c, body->rest + 3 * (int64_t)i) + pose->shift[c];
            v[3 * i + c] = velocity[c];
        }
}

SnStatus sn_shelf_admit(SnWorld* world, int index, const SnStepReport* before)
{
    const SnBody* body = &world->model.bodies[index];
    SnStepReport after;
    change(world);
    if (sn_first_beyond(body->node_count, world->state.x + 3 * (int64_t)body->first_node) >= 0)
        return sn_fail(SN_ERROR_VALUE, "body '%s' would be beyond all numbers", body->name);
    SN_TRY(sn_change_measure(world, &after));
    bool touches = world->problem.constraints.contacts && !world->model.def.contact.untangle;
    if (touches) SN_TRY(sn_contacts_check_start(&world->model, &world->problem));
    sn_shelf_forget_shifts(world);
    sn_change_book(&world->state, before, &after);
    return SN_OK;
}

SnAside sn_shelf_set_aside(SnWorld* world)
{
    SnAside aside = {world->problem, world->scratch,           world->measured,
                     world->elastic, world->state.last_length, world->state.force_known};
    world->problem = (SnProblem){0}, world->scratch = (SnScratch){0}, world->measured = (SnMeasured){0};
    return aside;
}

void sn_shelf_put_back(SnWorld* world, const SnAside* aside)
{
    sn_world_discard_problem(world);
    world->problem = aside->problem, world->scratch = aside->scratch, world->measured = aside->measured;
    world->elastic = aside->elastic;
    world->state.last_length = aside->last_length, world->state.force_known = aside->force_known;
}

void sn_shelf_drop_aside(SnWorld* world, const SnAside* aside)
{
    SnAside now = sn_shelf_set_aside(world);
    sn_shelf_put_back(world, aside);
    sn_world_discard_problem(world);
    sn_shelf_put_back(world, &now);
}

SnStatus sn_world_place_body(SnWorld* world, int body, const SnPose* pose, const double velocity[3])
{
    SN_CHANGE(world);
    SN_NEED(pose);
    static const double none[3];
    SnStepReport before;
    double numbers[15], shelf[3];
    const double* v = velocity ? velocity : none;
    SN_TRY(check(world, body, false));
    SN_TRY(sn_steer_check_pose(pose, "body", body));
    if (sn_first_beyond(1, v) >= 0)
        return sn_fail(SN_ERROR_VALUE, "a velocity of %g %g %g m/s is beyond all numbers", v[0], v[1], v[2]);
    SN_TRY(sn_change_measure(world, &before));
    memcpy(shelf, world->state.x + 3 * (int64_t)world->model.bodies[body].first_node, sizeof shelf);
    SnAside aside = sn_shelf_set_aside(world);
    world->state.out[body] = 0;
    place(world, &world->model.bodies[body], pose, v);
    SnStatus status = sn_shelf_admit(world, body, &before);
    if (status != SN_OK) {
        put_at(&world->model, &world->state, body, shelf);
        sn_shelf_put_back(world, &aside);
        return status;
    }
    sn_shelf_drop_aside(world, &aside);
    memcpy(numbers, pose->rotation, sizeof pose->rotation);
    memcpy(numbers + 9, pose->shift, sizeof pose->shift);
    memcpy(numbers + 12, v, 3 * sizeof *v);
    return sn_world_note(world, "place-body", body, 15, numbers);
}
