// Islands of bodies that sleep.
//
// A body that sleeps is held where it is: its nodes have no rows in the problem, its velocities are zero, and its
// terms, which are still, are not evaluated again. Others touch it as they touch anything that is held. Bodies whose
// boxes overlap, thicknesses included, are an island: they sleep and wake as one, so that nothing rests on what might
// move, and a body that comes near wakes its island before it touches. Whatever is decided is decided at the beginning
// of a step and by the state alone: any number of threads, and a run that is resumed, come to the same.
#include "world/sleep.h"

#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "world/event.h"
#include "world/report.h"
#include "world/shelf.h"
#include "world/steer.h"

#define REACH 1.5 // thicknesses around a body that are a part of it here

typedef struct SnSleepRoom {
    SnBox* boxes;    // body_count: where they are, and will be at the end of the step
    int* island;     // body_count: one of its bodies
    bool* disturbed; // body_count: something moves it, or might
} Room;

SnStatus sn_sleep_build(const SnModel* model, const SnState* state, SnProblem* problem)
{
    size_t count = (size_t)model->body_count;
    Room* room;
    bool* still;
    problem->asleep = sn_copy_memory(state->asleep, count, sizeof *state->asleep, "bodies that sleep");
    if (!problem->asleep || !SN_NEW(room, 1, "bodies that sleep")) return SN_ERROR_MEMORY;
    problem->sleep = room;
    if (!SN_NEW(room->boxes, count, "bodies that sleep") || !SN_NEW(room->island, count, "bodies that sleep") ||
        !SN_NEW(room->disturbed, count, "bodies that sleep") || !SN_NEW(still, model->node_count, "bodies that sleep"))
        return SN_ERROR_MEMORY;
    for (int b = 0; b < model->body_count; b++)
        for (int i = 0; i < model->bodies[b].node_count; i++)
            still[model->bodies[b].first_node + i] = state->asleep[b] != 0;
    SnStatus status = sn_potential_set_still(problem->potential, still);
    sn_free(still);
    return status;
}

void sn_sleep_free(SnProblem* problem)
{
    if (problem->sleep) SN_FREE(problem->sleep->boxes, problem->sleep->island, problem->sleep->disturbed);
    SN_FREE(problem->sleep, problem->asleep);
}

// Those who sleep with a body, or, without one, all; whether there were any.
static bool wake(const SnModel* model, SnState* state, int body)
{
    double island = body < 0 ? 0 : state->asleep[body];
    bool any = false;
    if (body >= 0 && island == 0) return false;
    for (int b = 0; b < model->body_count; b++) {
        if (state->asleep[b] == 0 || (body >= 0 && state->asleep[b] != island)) continue;
        state->asleep[b] = state->rest_time[b] = 0;
        any = true;
    }
    return any;
}

void sn_sleep_disturb(SnWorld* world, int body)
{
    if (wake(&world->model, &world->state, body)) sn_world_discard_problem(world);
}

// --- What disturbs ---

// Why a body cannot sleep; NULL: it can.
static const char* tie_of(const SnModel* model, const SnState* state, int body)
{
    const SnBody* b = &model->bodies[body];
    const char *tied = sn_shelf_tie(model, state, body), *tie = tied ? tied : sn_shelf_act(model, body);
    for (int k = 0; k < model->handle_count && !tie; k++) {
        const SnHandle* handle = &model->handles[k];
        bool plain = handle->how == SN_HOLD_ELIMINATE && !sn_handle_ties(handle);
        if (handle->body == body && !plain && !sn_handle_released(handle, state->time, state->step_length))
            tie = "a handle that does not hold it firmly";
    }
    for (int k = 0; k < model->grab_count && !tie; k++) {
        int node = model->grabs[k].node[0] - b->first_node;
        if (model->grabs[k].holds && node >= 0 && node < b->node_count) tie = "a spring that pulls at it";
    }
    return tie;
}

// Whether a handle of the body has its nodes elsewhere at the end of the step, or lets go of them.
static bool handles_move(const SnModel* model, const SnState* state, int body, double time)
{
    for (int k = 0; k < model->handle_count; k++) {
        const SnHandle* handle = &model->handles[k];
        if (handle->body != body || sn_handle_released(handle, state->time, state->step_length)) continue;
        if (sn_handle_released(handle, time, state->step_length)) return true;
        for (int i = 0; i < handle->node_count; i++) {
            double place[3];
            sn_handle_place(handle, i, time, place);
            if (memcmp(place, state->x + 3 * (int64_t)handle->nodes[i], sizeof place) != 0) return true;
        }
    }
    return false;
}

static double reach_of(const SnModel* model, const SnBody* body)
{
    return REACH * fmax(sn_body_thickness(model, body), sn_body_least_thickness(body));
}

// Whether an obstacle, placed for the step, moves so near to a body that they may touch.
static bool comes_near(const SnModel* model, const SnState* state, const SnObstacle* o, const SnBody* body)
{
    double reach = fmax(reach_of(model, body), REACH * o->thickness), gradient[3];
    const double* x = state->x + 3 * (int64_t)body->first_node;
    for (int64_t i = 0; i < body->node_count; i++) {
        double way = sn_obstacle_speed(o, x + 3 * i) + fabs(sn_obstacle_growth(o, 1, x + 3 * i));
        if (way > 0 && sn_obstacle_distance_at(o, 0, x + 3 * i, gradient) <= reach + way) return true;
    }
    return false;
}

static bool obstacles_come(const SnModel* model, const SnState* state, SnProblem* problem, int body, double time)
{
    double start = state->time - state->lag;
    for (int k = 0; k < model->obstacle_count; k++) {
        SnObstacle* o = &problem->obstacles[k];
        SnPose before, now;
        if (model->obstacles[k].out) continue;
        sn_steer_pose(&model->obstacles[k], start, &before);
        sn_steer_pose(&model->obstacles[k], time, &now);
        if (memcmp(&before, &now, sizeof now) == 0 && sn_obstacle_vertex_count(o) == 0) continue;
        sn_obstacle_place(o, &before, &now, start, time);
        if (comes_near(model, state, o, &model->bodies[body])) return true;
    }
    return false;
}

// --- Islands ---

static SnBox box_of(const SnModel* model, const SnState* state, int body)
{
    const SnBody* b = &model->bodies[body];
    double h = state->step_length, reach = reach_of(model, b);
    SnBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int64_t k = 3 * (int64_t)b->first_node; k < 3 * ((int64_t)b->first_node + b->node_count); k++) {
        int c = (int)(k % 3);
        double x = state->x[k], next = x;
        if (state->asleep[body] == 0) next += h * (state->v[k] + h * model->def.gravity[c]);
        box.lo[c] = fmin(box.lo[c], fmin(x, next) - reach);
        box.hi[c] = fmax(box.hi[c], fmax(x, next) + reach);
    }
    return box;
}

static bool overlap(const SnBox* a, const SnBox* b)
{
    for (int c = 0; c < 3; c++)
        if (!(a->lo[c] <= b->hi[c] && b->lo[c] <= a->hi[c])) return false;
    return true;
}

static void look_around(SnWorld* world, double time)
{
    const SnModel* model = &world->model;
    const SnState* state = &world->state;
    Room* room = world->problem.sleep;
    for (int b = 0; b < model->body_count; b++) {
        room->disturbed[b] = state->out[b] != 0;
        if (state->out[b] != 0) continue;
        room->boxes[b] = box_of(model, state, b);
        room->disturbed[b] = tie_of(model, state, b) || handles_move(model, state, b, time) ||
                             obstacles_come(model, state, &world->problem, b, time);
    }
}

// What is disturbed itself, or comes near to one that is awake.
static void wake_up(SnWorld* world)
{
    const SnModel* model = &world->model;
    SnState* state = &world->state;
    const Room* room = world->problem.sleep;
    for (int b = 0; b < model->body_count; b++)
        if (room->disturbed[b]) wake(model, state, b);
    bool more = true;
    while (more) {
        more = false;
        for (int a = 0; a < model->body_count; a++) {
            if (state->out[a] != 0 || state->asleep[a] != 0) continue;
            for (int b = 0; b < model->body_count; b++)
                if (state->asleep[b] != 0 && overlap(&room->boxes[a], &room->boxes[b])) more |= wake(model, state, b);
        }
    }
}

static int find(int* island, int b)
{
    while (island[b] != b) b = island[b] = island[island[b]];
    return b;
}

// The least body of each island, of those that are there.
static void find_islands(const SnModel* model, const SnState* state, Room* room)
{
    for (int b = 0; b < model->body_count; b++) room->island[b] = b;
    for (int a = 0; a < model->body_count; a++)
        for (int b = a + 1; b < model->body_count && state->out[a] == 0; b++) {
            if (state->out[b] != 0 || !overlap(&room->boxes[a], &room->boxes[b])) continue;
            int p = find(room->island, a), q = find(room->island, b);
            room->island[p > q ? p : q] = p > q ? q : p;
        }
    for (int b = 0; b < model->body_count; b++) room->island[b] = find(room->island, b);
}

// It stops; what it had of energy is lost, and what it had of momentum is taken from it.
static void lay_down(const SnModel* model, SnState* state, const SnProblem* problem, int body, int island)
{
    const SnBody* b = &model->bodies[body];
    double taken[6] = {0};
    for (int64_t i = b->first_node; i < b->first_node + b->node_count; i++) {
        double* v = state->v + 3 * i;
        state->numerical += 0.5 * problem->mass[i] * sn_dot3(v, v);
        sn_ledger_add_wrench(taken, -problem->mass[i], state->x + 3 * i, v);
        memset(v, 0, 3 * sizeof *v);
        if (state->before_v) memset(state->before_v + 3 * i, 0, 3 * sizeof *v);
        if (model->integrator->remembers) memcpy(state->before_x + 3 * i, state->x + 3 * i, 3 * sizeof *v);
    }
    for (int c = 0; c < 6; c++) state->accounts[SN_ACCOUNT_IMPULSE + c].sum += taken[c];
    state->asleep[body] = 1 + island;
}

static void fall_asleep(SnWorld* world)
{
    const SnModel* model = &world->model;
    SnState* state = &world->state;
    Room* room = world->problem.sleep;
    double after = model->def.sleep.after * (1 - 1e-9);
    find_islands(model, state, room);
    for (int b = 0; b < model->body_count; b++) // one that does not rest speaks for its island
        if (room->disturbed[b] || (state->asleep[b] == 0 && !(state->rest_time[b] >= after)))
            room->disturbed[room->island[b]] = true;
    for (int b = 0; b < model->body_count; b++)
        if (state->asleep[b] == 0 && state->out[b] == 0 && !room->disturbed[room->island[b]])
            lay_down(model, state, &world->problem, b, room->island[b]);
}

static bool somebody_sleeps(const SnModel* model, const SnState* state)
{
    for (int b = 0; b < model->body_count; b++)
        if (state->asleep[b] != 0) return true;
    return false;
}

SnStatus sn_sleep_begin(SnWorld* world, double time)
{
    const SnModel* model = &world->model;
    bool able = model->def.sleep.speed > 0 && model->integrator->order > 0;
    if (!able && !somebody_sleeps(model, &world->state)) return SN_OK;
    SN_TRY(sn_world_prepare(world, world->state.time));
    look_around(world, time);
    wake_up(world);
    if (able) fall_asleep(world);
    return SN_OK;
}

void sn_sleep_end(SnWorld* world, SnStepReport* report)
{
    const SnModel* model = &world->model;
    SnState* state = &world->state;
    double most = model->def.sleep.speed * model->def.sleep.speed;
    for (int b = 0; b < model->body_count; b++) {
        const SnBody* body = &model->bodies[b];
        bool rests = most > 0 && sn_outcome_meets(report->outcome) && state->out[b] == 0;
        report->asleep += state->asleep[b] != 0;
        if (state->asleep[b] != 0) continue;
        for (int64_t i = body->first_node; i < body->first_node + body->node_count && rests; i++)
            rests = sn_dot3(state->v + 3 * i, state->v + 3 * i) <= most;
        state->rest_time[b] = rests ? state->rest_time[b] + state->step_length : 0;
    }
}

// --- From outside ---

SnStatus sn_world_wake(SnWorld* world, int body)
{
    SN_CHANGE(world);
    if (body != -1) SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    sn_sleep_disturb(world, body);
    return sn_world_note(world, "wake", body < 0 ? world->model.body_count : body, 0, NULL);
}

// All of an island, or, where one of it cannot, nobody.
SnStatus sn_world_sleep(SnWorld* world, int body)
{
    SN_CHANGE(world);
    const SnModel* model = &world->model;
    SnState* state = &world->state;
    SN_TRY(sn_model_check_body(model, body, "there is no"));
    if (model->integrator->order == 0) return sn_fail(SN_ERROR_VALUE, "without inertia nothing moves, nor sleeps");
    if (state->out[body] != 0)
        return sn_fail(SN_ERROR_VALUE, "body '%s' is on the shelf: it cannot sleep", model->bodies[body].name);
    SN_TRY(sn_world_prepare(world, state->time));
    Room* room = world->problem.sleep;
    for (int b = 0; b < model->body_count; b++)
        if (state->out[b] == 0) room->boxes[b] = box_of(model, state, b);
    find_islands(model, state, room);
    for (int b = 0; b < model->body_count; b++) {
        const char* tie = room->island[b] == room->island[body] ? tie_of(model, state, b) : NULL;
        if (tie)
            return sn_fail(SN_ERROR_VALUE, "body '%s' has %s: it, and what is near it, cannot sleep",
                           model->bodies[b].name, tie);
    }
    for (int b = 0; b < model->body_count; b++)
        if (room->island[b] == room->island[body] && state->asleep[b] == 0)
            lay_down(model, state, &world->problem, b, room->island[body]);
    sn_world_discard_problem(world);
    return sn_world_note(world, "sleep", body, 0, NULL);
}
