// An obstacle in its place: the type's distance, seen from a moving frame.
#include "obstacle/obstacle.h"

#include "linalg/vec3.h"

static const SnPose at_rest = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

SnObstacleShape sn_obstacle(const char* name)
{
    SnObstacleShape shape = {.type = name, .rotate = {0, 0, 1, 0}};
    const SnObstacleType* type = sn_obstacle_find(name);
    sn_parameters_default(type ? type->parameters : NULL, &shape);
    return shape;
}

SnStatus sn_obstacle_set(SnObstacleShape* shape, const char* name, const char* value)
{
    const SnObstacleType* type;
    SN_TRY(sn_obstacle_resolve(shape, &type));
    const SnParameter* const lists[] = {type->parameters, NULL};
    return sn_parameters_set(lists, name, value, type->name, shape);
}

SnStatus sn_obstacle_resolve(const SnObstacleShape* shape, const SnObstacleType** type)
{
    const char* name = shape->type ? shape->type : "";
    *type = shape->custom ? shape->custom : sn_obstacle_find(name);
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
    if (status != SN_OK) sn_obstacle_destroy(obstacle);
    return status;
}

void sn_obstacle_destroy(SnObstacle* obstacle)
{
    if (obstacle->type && obstacle->type->release) obstacle->type->release(&obstacle->shape);
    *obstacle = (SnObstacle){0};
}

void sn_obstacle_place(SnObstacle* obstacle, const SnPose* frame_before, const SnPose* frame, double before, double now)
{
    obstacle->before = *frame_before;
    obstacle->frame = *frame;
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
    double local[3], local_gradient[3];
    to_shape(&obstacle->frame, p, local);
    double distance = obstacle->type->distance(&obstacle->shape, local, local_gradient);
    sn_rotate3(obstacle->frame.rotation, local_gradient, gradient);
    return distance;
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

double sn_obstacle_displacement(const SnObstacle* o, const double from[3], const double p[3])
{
    double a[3], b[3], offset[3];
    to_shape(&o->before, from, a), to_shape(&o->frame, p, b);
    sn_subtract3(b, a, offset);
    return sn_length3(offset);
}

// Sphere tracing: the surface is at least the distance away, so that far one may go at once.
bool sn_obstacle_entry(const SnObstacle* o, const double from[3], const double p[3], double near, double point[3],
                       double normal[3])
{
    enum { MOST = 100 };
    double a[3], b[3], q[3], gradient[3], t = 0;
    to_shape(&o->before, from, a), to_shape(&o->frame, p, b);
    double offset[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, length = sn_length3(offset);
    for (int k = 0; k < MOST && t <= 1 && length > 0; k++) {
        for (int c = 0; c < 3; c++) q[c] = a[c] + t * offset[c];
        double distance = o->type->distance(&o->shape, q, gradient);
        if (distance < near && k == 0) return false;
        if (distance < near) {
            sn_rotate3(o->frame.rotation, gradient, normal);
            sn_rotate3(o->frame.rotation, q, point);
            for (int c = 0; c < 3; c++) point[c] += o->frame.shift[c];
            return true;
        }
        t += distance / length;
    }
    return false;
}

SnStatus sn_obstacle_surface(const SnObstacle* obstacle, double extent, SnMesh** mesh)
{
    *mesh = NULL;
    return obstacle->type->surface ? obstacle->type->surface(&obstacle->shape, extent, mesh) : SN_OK;
}
