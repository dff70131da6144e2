// A node against obstacles: contacts at the nearest point of their surfaces.
#include <math.h>
#include <string.h>

#include "contact/detector.h"
#include "linalg/vec3.h"

// Where the node was when the step began, and the obstacle too.
static double distance_before(const SnObstacle* o, const double p[3], double gradient[3])
{
    SnObstacle then = *o;
    then.frame = o->before;
    return sn_obstacle_distance(&then, p, gradient);
}

// The contact's plane: at the nearest point; or, where the node has gone right through, at the point where it went in.
typedef struct Plane {
    double normal[3], distance;
} Plane;

static void find_plane(const SnObstacle* o, const double from[3], const double p[3], const double gradient_before[3],
                       double thickness, Plane* plane)
{
    double point[3], normal[3];
    bool turned = sn_dot3(gradient_before, plane->normal) < 0;
    if (!turned || !sn_obstacle_entry(o, from, p, 0.1 * thickness, point, normal)) return;
    double offset[3];
    sn_subtract3(p, point, offset);
    memcpy(plane->normal, normal, sizeof normal);
    plane->distance = sn_dot3(offset, normal);
}

static SnStatus add_contact(SnContacts* c, int index, int target, const double* p, const Plane* plane, double gap,
                            SnContactList* found)
{
    const SnObstacle* o = &c->obstacles[target];
    double surface[3], moved[3] = {0};
    for (int k = 0; k < 3; k++) surface[k] = p[k] - plane->distance * plane->normal[k];
    SnContact contact = {
        .at = {.count = 1, .node = {c->nodes[index]}, .weight = {1}, .offset = sn_dot3(plane->normal, surface) + gap},
        .target = target,
        .friction = o->friction,
    };
    memcpy(contact.at.normal, plane->normal, sizeof contact.at.normal);
    if (c->start.span > 0) {
        sn_obstacle_carry(o, surface, moved);
        for (int k = 0; k < 3; k++) contact.velocity[k] = moved[k] / c->start.span;
    }
    return sn_contact_list_add(found, &contact);
}

// The contact with one obstacle, if the node is near; otherwise how far it may go before it is.
static SnStatus touch(SnContacts* c, int index, int target, const double* p, SnContactList* found, double* clearance)
{
    const SnObstacle* o = &c->obstacles[target];
    const double* from = c->start.x + 3 * (int64_t)c->nodes[index];
    Plane plane;
    double gradient[3], moved = sn_obstacle_displacement(o, from, p);
    plane.distance = sn_obstacle_distance(o, p, plane.normal);
    double reach = o->thickness + fmax(o->thickness, moved), beyond = plane.distance - reach;
    *clearance = fmin(*clearance, 0.5 * beyond); // as the node moves, the distance shrinks and the reach grows
    if (beyond > 0) return SN_OK;
    double before = distance_before(o, from, gradient);
    if (moved >= before) find_plane(o, from, p, gradient, o->thickness, &plane);
    return plane.distance < reach
               ? add_contact(c, index, target, p, &plane, sn_contact_gap(c, o->thickness, before), found)
               : SN_OK;
}

SnStatus sn_contact_obstacles(SnContacts* c, int index, const double* x, SnContactList* found)
{
    const double* p = x + 3 * (int64_t)c->nodes[index];
    double *free = c->free + 4 * (int64_t)index, offset[3], clearance = INFINITY;
    sn_subtract3(p, free, offset);
    if (sn_length3(offset) < free[3]) return SN_OK;
    for (int k = 0; k < c->obstacle_count; k++) SN_TRY(touch(c, index, k, p, found, &clearance));
    memcpy(free, p, 3 * sizeof *free);
    free[3] = clearance;
    return SN_OK;
}
