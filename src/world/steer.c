// Handles and obstacles that somebody moves while the world runs: within the next step they go from where their script
// has them to where they are told to, and there they stay.
#include "world/steer.h"

#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "world/event.h"
#include "world/motion.h"

#define STRAIGHT 1e-6 // what a rotation's rows may be off from being orthonormal

// How much of the way has been gone at a time.
static double share_of(double begin, double end, double time)
{
    return time <= begin ? 0 : time >= end ? 1 : (time - begin) / (end - begin);
}

void sn_steer_place(const SnHandle* handle, int k, double time, double x[3])
{
    double share = share_of(handle->begin, handle->end, time);
    const double *from = handle->from + 3 * (int64_t)k, *to = handle->to + 3 * (int64_t)k;
    for (int c = 0; c < 3; c++) x[c] = share == 1 ? to[c] : from[c] + share * (to[c] - from[c]);
}

void sn_steer_velocity(const SnHandle* handle, int k, double time, double v[3])
{
    bool moves = time > handle->begin && time < handle->end;
    const double *from = handle->from + 3 * (int64_t)k, *to = handle->to + 3 * (int64_t)k;
    for (int c = 0; c < 3; c++) v[c] = moves ? (to[c] - from[c]) / (handle->end - handle->begin) : 0;
}

static SnStatus find_handle(const SnWorld* world, int handle)
{
    if (handle < 0 || handle >= world->model.handle_count)
        return sn_fail(SN_ERROR_VALUE, "there is no handle %d; the world has %d, counted from 0", handle,
                       world->model.handle_count);
    const SnHandle* h = &world->model.handles[handle];
    if (!sn_handle_released(h, world->state.time + world->state.step_length, world->state.step_length)) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "handle %d has let go at %g s", handle, h->motion.release);
}

static SnStatus make_places(SnHandle* h)
{
    if (h->from) return SN_OK;
    int64_t n = 3 * (int64_t)h->node_count;
    return SN_NEW(h->from, n, "a handle") && SN_NEW(h->to, n, "a handle") ? SN_OK : SN_ERROR_MEMORY;
}

// After the room was made, so that a handle is never half moved.
static void set_places(SnHandle* h, const SnState* state, const double* places)
{
    for (int k = 0; k < h->node_count; k++) {
        double now[3];
        sn_handle_place(h, k, state->time, now);
        memcpy(h->from + 3 * (int64_t)k, now, sizeof now);
    }
    memcpy(h->to, places, 3 * (size_t)h->node_count * sizeof *places);
    h->begin = state->time, h->end = state->time + state->step_length;
    h->steered = true;
}

SnStatus sn_world_move_handle(SnWorld* world, int handle, const double* places)
{
    SN_CHANGE(world);
    SN_NEED(places);
    SN_TRY(find_handle(world, handle));
    SnHandle* h = &world->model.handles[handle];
    if (h->hinge)
        return sn_fail(SN_ERROR_VALUE,
                       "handle %d is a hinge, whose nodes find their own places; its motion can take it "
                       "along",
                       handle);
    int beyond = sn_first_beyond(h->node_count, places);
    if (beyond >= 0) return sn_fail(SN_ERROR_VALUE, "node %d of handle %d would go beyond all numbers", beyond, handle);
    SN_TRY(make_places(h));
    set_places(h, &world->state, places);
    return sn_world_note(world, "move-handle", handle, 3 * h->node_count, places);
}

SnStatus sn_world_pose_handle(SnWorld* world, int handle, const SnPose* pose)
{
    SN_CHANGE(world);
    SN_NEED(pose);
    SN_TRY(find_handle(world, handle));
    SN_TRY(sn_steer_check_pose(pose, "handle", handle));
    const SnHandle* h = &world->model.handles[handle];
    double* places;
    if (!SN_NEW(places, 3 * (int64_t)h->node_count, "a handle")) return SN_ERROR_MEMORY;
    for (int64_t k = 0; k < 3 * (int64_t)h->node_count; k++)
        places[k] = sn_dot3(pose->rotation + 3 * (k % 3), h->start + 3 * (k / 3)) + pose->shift[k % 3];
    SnStatus status = sn_world_move_handle(world, handle, places);
    sn_free(places);
    return status;
}

SnStatus sn_world_release_handle(SnWorld* world, int handle)
{
    SN_CHANGE(world);
    SN_TRY(find_handle(world, handle));
    world->model.handles[handle].motion.release = world->state.time;
    return sn_world_note(world, "release-handle", handle, 0, NULL);
}

// --- Obstacles ---

// Of a rotation by rows; the largest of its parts is found first, so that nothing is divided by little.
static void to_quaternion(const double r[9], double q[4])
{
    double squares[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                         1 - r[0] - r[4] + r[8]};
    double sums[4][4] = {{0, r[7] - r[5], r[2] - r[6], r[3] - r[1]},
                         {r[7] - r[5], 0, r[1] + r[3], r[2] + r[6]},
                         {r[2] - r[6], r[1] + r[3], 0, r[5] + r[7]},
                         {r[3] - r[1], r[2] + r[6], r[5] + r[7], 0}};
    int at = 0;
    for (int k = 1; k < 4; k++)
        if (squares[k] > squares[at]) at = k;
    double most = 0.5 * sqrt(squares[at]);
    for (int k = 0; k < 4; k++) q[k] = k == at ? most : sums[at][k] / (4 * most);
}

static void to_rotation(const double q[4], double r[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double rows[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                      2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                      2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(r, rows, sizeof rows);
}

// Evenly along the shorter way (Shoemake 1985).
static void turn_between(const double from[9], const double to[9], double share, double r[9])
{
    double a[4], b[4], q[4], along = 0;
    to_quaternion(from, a), to_quaternion(to, b);
    for (int k = 0; k < 4; k++) along += a[k] * b[k];
    double angle = acos(fmin(1, fabs(along))), sine = sin(angle), sign = along < 0 ? -1 : 1, length = 0;
    double wa = sine > 1e-9 ? sin((1 - share) * angle) / sine : 1 - share;
    double wb = sine > 1e-9 ? sin(share * angle) / sine : share;
    for (int k = 0; k < 4; k++) q[k] = wa * a[k] + sign * wb * b[k], length += q[k] * q[k];
    for (int k = 0; k < 4; k++) q[k] /= sqrt(length);
    to_rotation(q, r);
}

void sn_steer_pose(const SnWorldObstacle* o, double time, SnPose* pose)
{
    if (!o->steered) {
        sn_motion_pose(&o->motion, time - o->since, pose);
        return;
    }
    double share = share_of(o->begin, o->end, time);
    *pose = share == 0 ? o->from : o->to;
    if (share == 0 || share == 1) return;
    turn_between(o->from.rotation, o->to.rotation, share, pose->rotation);
    for (int c = 0; c < 3; c++) pose->shift[c] = o->from.shift[c] + share * (o->to.shift[c] - o->from.shift[c]);
}

SnStatus sn_steer_check_pose(const SnPose* pose, const char* noun, int number)
{
    double off = 0, cross[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            off = fmax(off, fabs(sn_dot3(pose->rotation + 3 * i, pose->rotation + 3 * j) - (i == j)));
    sn_cross3(pose->rotation, pose->rotation + 3, cross);
    bool turns = off < STRAIGHT && sn_dot3(cross, pose->rotation + 6) > 0; // NAN is not
    if (turns && sn_first_beyond(1, pose->shift) < 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "%s %d: its new pose is no rotation with a shift of numbers", noun, number);
}

static SnStatus check_obstacle(const SnWorld* world, int obstacle)
{
    if (obstacle < 0 || obstacle >= world->model.obstacle_count)
        return sn_fail(SN_ERROR_VALUE, "there is no obstacle %d; the world has %d, counted from 0", obstacle,
                       world->model.obstacle_count);
    if (!world->model.obstacles[obstacle].out) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "obstacle '%s' is on the shelf", world->model.obstacles[obstacle].name);
}

SnStatus sn_world_move_obstacle(SnWorld* world, int obstacle, const SnPose* pose)
{
    SN_CHANGE(world);
    SN_NEED(pose);
    SN_TRY(check_obstacle(world, obstacle));
    SN_TRY(sn_steer_check_pose(pose, "obstacle", obstacle));
    SnWorldObstacle* o = &world->model.obstacles[obstacle];
    const SnState* state = &world->state;
    SnPose now;
    sn_steer_pose(o, state->time - state->lag, &now); // where it has got to
    o->steered = true;
    o->from = now, o->to = *pose;
    o->begin = state->time - state->lag, o->end = state->time + state->step_length;
    double numbers[12];
    memcpy(numbers, pose->rotation, sizeof pose->rotation);
    memcpy(numbers + 9, pose->shift, sizeof pose->shift);
    return sn_world_note(world, "move-obstacle", obstacle, 12, numbers);
}

SnStatus sn_world_shape_obstacle(SnWorld* world, int obstacle, const double* vertices)
{
    SN_CHANGE(world);
    SN_NEED(vertices);
    SN_TRY(check_obstacle(world, obstacle));
    SnObstacle* shape = &world->model.obstacle_shapes[obstacle];
    const char* name = world->model.obstacles[obstacle].name;
    const SnState* state = &world->state;
    int count = sn_obstacle_vertex_count(shape);
    if (count == 0)
        return sn_fail(SN_ERROR_VALUE,
                       "obstacle '%s' does not change its shape; one of triangles that has `frames`, one of them "
                       "being enough, does",
                       name);
    int beyond = sn_first_beyond(count, vertices);
    if (beyond >= 0)
        return sn_fail(SN_ERROR_VALUE, "vertex %d of obstacle '%s' would go beyond all numbers", beyond, name);
    SN_TRY(sn_obstacle_tell(shape, vertices, state->time - state->lag, state->time + state->step_length));
    return sn_world_note(world, "shape-obstacle", obstacle, 3 * count, vertices);
}
