// An obstacle in its place: the type's distance, seen from a moving frame.
#include "obstacle/obstacle.h"

#include <math.h>

#include "core/handle.h"
#include "linalg/vec3.h"

static const SnPose at_rest = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

SnObstacleShape sn_obstacle(const char* name)
{
    SnObstacleShape shape = {.type = name, .rotate = {0, 0, 1, 0}};
    const SnObstacleType* type = sn_obstacle_find(name ? name : "");
    sn_parameters_default(type ? type->parameters : NULL, &shape);
    return shape;
}

SnStatus sn_obstacle_set(SnObstacleShape* shape, const char* name, const char* value)
{
    SN_NEED(shape);
    SN_NEED(name);
    SN_NEED(value);
    const SnObstacleType* type;
    SN_TRY(sn_obstacle_resolve(shape, &type));
    const SnParameter* const lists[] = {type->parameters, NULL};
    return sn_parameters_set(lists, name, value, type->name, shape);
}

SnStatus sn_obstacle_resolve(const SnObstacleShape* shape, const SnObstacleType** type)
{
    const char* name = shape->type ? shape->type : "";
    *type = shape->custom ? shape->custom : sn_obstacle_find(name ? name : "");
    if (*type && (*type)->distance) return SN_OK;
    if (*type) return sn_fail(SN_ERROR_VALUE, "an obstacle's type needs a distance function");
    return sn_table_unknown(&sn_obstacle_table, name);
}

SnStatus sn_obstacle_create(SnObstacle* obstacle, const SnObstacleShape* shape)
{
    *obstacle = (SnObstacle){.shape = *shape, .frame = at_rest, .before = at_rest};
    obstacle->shape.data = NULL;
    SN_TRY(sn_obstacle_resolve(shape, &obstacle->type));
    obstacle->shape.type = obstacle->type->name;
    SN_TRY(sn_parameters_check(obstacle->type->parameters, shape, obstacle->type->name));
    SnStatus status = obstacle->type->prepare ? obstacle->type->prepare(&obstacle->shape) : SN_OK;
    obstacle->morphs = status == SN_OK && obstacle->type->change && !obstacle->type->vertices;
    if (obstacle->morphs) {
        obstacle->old = *shape;
        obstacle->old.data = NULL, obstacle->old.type = obstacle->type->name;
        status = obstacle->type->prepare ? obstacle->type->prepare(&obstacle->old) : SN_OK;
    }
    if (status != SN_OK) sn_obstacle_destroy(obstacle);
    return status;
}

void sn_obstacle_destroy(SnObstacle* obstacle)
{
    if (obstacle->type && obstacle->type->release) obstacle->type->release(&obstacle->shape);
    if (obstacle->morphs && obstacle->type->release) obstacle->type->release(&obstacle->old);
    *obstacle = (SnObstacle){0};
}

// The motion x' = R x + t from one frame to another, about the axis of R: R - R^T has it, and the pivot c, across it,
// has (1 - R) c = t.
static SnScrew screw_between(const SnPose* a, const SnPose* b)
{
    SnScrew s = {.axis = {1, 0, 0}};
    double turn[9], t[3], across[3];
    for (int i = 0; i < 9; i++) turn[i] = sn_dot3(b->rotation + 3 * (i / 3), a->rotation + 3 * (i % 3)); // B A^T
    sn_rotate3(turn, a->shift, t);
    sn_subtract3(b->shift, t, s.shift);
    double sine[3] = {turn[7] - turn[5], turn[2] - turn[6], turn[3] - turn[1]}, twice = sn_length3(sine);
    double trace = turn[0] + turn[4] + turn[8];
    if (!(twice > 1e-12) && trace > 0) return s; // it does not turn
    if (twice > 1e-12) {
        for (int i = 0; i < 3; i++) s.axis[i] = sine[i] / twice;
    } else { // half a turn: R = 2 a a^T - 1
        int k = turn[0] >= turn[4] && turn[0] >= turn[8] ? 0 : turn[4] >= turn[8] ? 1 : 2;
        for (int i = 0; i < 3; i++) s.axis[i] = turn[3 * i + k] + (i == k);
        sn_normalize3(s.axis);
    }
    s.angle = atan2(twice, turn[0] + turn[4] + turn[8] - 1);
    double along = sn_dot3(s.shift, s.axis), cotangent = 1 / tan(0.5 * s.angle);
    sn_cross3(s.axis, s.shift, across);
    for (int i = 0; i < 3; i++) {
        s.pivot[i] = 0.5 * (s.shift[i] - along * s.axis[i] + cotangent * across[i]);
        s.shift[i] = along * s.axis[i];
    }
    return s;
}

void sn_obstacle_place(SnObstacle* obstacle, const SnPose* frame_before, const SnPose* frame, double before, double now)
{
    obstacle->before = *frame_before;
    obstacle->frame = *frame;
    obstacle->screw = screw_between(frame_before, frame);
    before -= obstacle->since, now -= obstacle->since;
    if (obstacle->morphs) obstacle->type->change(&obstacle->old, before, before);
    if (obstacle->type->change) obstacle->type->change(&obstacle->shape, before, now);
}

// A point as the obstacle at time 0 sees it.
static void to_shape(const SnPose* frame, const double p[3], double local[3])
{
    double shifted[3];
    sn_subtract3(p, frame->shift, shifted);
    sn_unrotate3(frame->rotation, shifted, local);
}

double sn_obstacle_distance(const SnObstacle* obstacle, const double p[3], double gradient[3])
{
    return sn_obstacle_distance_at(obstacle, 1, p, gradient);
}

void sn_obstacle_carry(const SnObstacle* obstacle, const double p[3], double moved[3])
{
    double now[3], old[3], changed[3] = {0}, from[3];
    to_shape(&obstacle->frame, p, now);
    if (obstacle->type->carry) obstacle->type->carry(&obstacle->shape, now, changed);
    sn_subtract3(now, changed, old);
    sn_rotate3(obstacle->before.rotation, old, from);
    for (int c = 0; c < 3; c++) moved[c] = p[c] - (from[c] + obstacle->before.shift[c]);
}

// R with angle about a unit axis (Rodrigues), times another rotation.
static void turn_rotation(const double axis[3], double angle, const double from[9], double out[9])
{
    double c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; k++) { // column after column
        double v[3] = {from[k], from[3 + k], from[6 + k]}, across[3], along = sn_dot3(axis, v);
        sn_cross3(axis, v, across);
        for (int a = 0; a < 3; a++) out[3 * a + k] = c * v[a] + s * across[a] + (1 - c) * along * axis[a];
    }
}

// Where the frame is when it has passed a part of its way.
static void frame_at(const SnObstacle* o, double passed, SnPose* frame)
{
    const SnScrew* s = &o->screw;
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double turn[9], offset[3], turned[3];
    turn_rotation(s->axis, passed * s->angle, one, turn);
    sn_subtract3(o->before.shift, s->pivot, offset);
    sn_rotate3(turn, offset, turned);
    for (int a = 0; a < 3; a++) frame->shift[a] = s->pivot[a] + turned[a] + passed * s->shift[a];
    turn_rotation(s->axis, passed * s->angle, o->before.rotation, frame->rotation);
}

static const SnPose* frame_of(const SnObstacle* o, double passed, SnPose* room)
{
    if (passed == 1) return &o->frame;
    if (passed == 0) return &o->before;
    frame_at(o, passed, room);
    return room;
}

// Of one that changes its shape the mean of both distances: it, too, changes by no more than a point moves.
static double local_distance(const SnObstacle* o, double passed, const double local[3], double gradient[3])
{
    double old[3], distance = passed > 0 || !o->morphs ? o->type->distance(&o->shape, local, gradient) : 0;
    if (passed == 1 || !o->morphs) return distance;
    double before = o->type->distance(&o->old, local, old);
    for (int a = 0; a < 3; a++) gradient[a] = passed > 0 ? (1 - passed) * old[a] + passed * gradient[a] : old[a];
    if (sn_length3(gradient) > 0) sn_normalize3(gradient);
    return passed > 0 ? (1 - passed) * before + passed * distance : before;
}

double sn_obstacle_distance_at(const SnObstacle* o, double passed, const double p[3], double gradient[3])
{
    SnPose room;
    const SnPose* frame = frame_of(o, passed, &room);
    double local[3], local_gradient[3];
    to_shape(frame, p, local);
    double distance = local_distance(o, passed, local, local_gradient);
    sn_rotate3(frame->rotation, local_gradient, gradient);
    return distance;
}

double sn_obstacle_growth(const SnObstacle* o, double passed, const double p[3])
{
    SnPose room;
    double local[3], unused[3];
    if (!o->morphs) return 0;
    to_shape(frame_of(o, passed, &room), p, local);
    return fabs(o->type->distance(&o->shape, local, unused) - o->type->distance(&o->old, local, unused));
}

double sn_obstacle_speed(const SnObstacle* o, const double p[3])
{
    const SnScrew* s = &o->screw;
    double offset[3], across[3];
    if (s->angle == 0) return sn_length3(s->shift);
    sn_subtract3(p, s->pivot, offset);
    sn_cross3(s->axis, offset, across);
    return sn_length3(s->shift) + s->angle * sn_length3(across);
}

void sn_obstacle_to_shape(const SnObstacle* o, double passed, const double p[3], double direction[3], double local[3])
{
    SnPose room;
    const SnPose* frame = frame_of(o, passed, &room);
    double turned[3];
    to_shape(frame, p, local);
    sn_unrotate3(frame->rotation, direction, turned);
    for (int a = 0; a < 3; a++) direction[a] = turned[a];
}

void sn_obstacle_from_shape(const SnObstacle* o, const double local[3], double direction[3], double p[3])
{
    double turned[3];
    sn_rotate3(o->frame.rotation, direction, turned);
    sn_rotate3(o->frame.rotation, local, p);
    for (int a = 0; a < 3; a++) direction[a] = turned[a], p[a] += o->frame.shift[a];
}

SnStatus sn_obstacle_surface(const SnObstacle* obstacle, double extent, SnMesh** mesh)
{
    *mesh = NULL;
    return obstacle->type->surface ? obstacle->type->surface(&obstacle->shape, extent, mesh) : SN_OK;
}
