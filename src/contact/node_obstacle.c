// Nodes and obstacles that are known by their distance.
#include <math.h>
#include <string.h>

#include "contact/ccd.h"
#include "contact/inside.h"
#include "linalg/vec3.h"

#define AGREES 0.7 // the cosine between normals of one side of an obstacle

#define NEARER 0.9 // of the distance of what starts too near,
#define FLOOR 0.01 // of the thickness, from which on it comes no nearer at all

// A node on its way past an obstacle, which goes from `passed` on `scene` of its own.
typedef struct Way {
    const SnObstacle* obstacle;
    const double *from, *to;
    double passed, scene;
    double floor; // m: distances are measured from this one
} Way;

static void place(const Way* w, double t, double p[3], double* passed)
{
    for (int a = 0; a < 3; a++) p[a] = w->from[a] + t * (w->to[a] - w->from[a]);
    *passed = w->passed + t * w->scene * (1 - w->passed);
}

static double distance_on_way(void* user, double t)
{
    double p[3], passed, gradient[3];
    place(user, t, p, &passed);
    return sn_obstacle_distance_at(((const Way*)user)->obstacle, passed, p, gradient) - ((const Way*)user)->floor;
}

// What is too near at the start hardly comes nearer.
static double separation_of(double thickness, double start)
{
    double least = FLOOR * thickness, kept = NEARER * start > least ? NEARER * start : start * (1 - 1e-9);
    return start > 0 ? fmin(SN_CONTACT_SEPARATION * thickness, kept) : 0;
}

static void find_clear(void* context, int first, int last)
{
    SnContacts* c = context;
    for (int i = first; i < last; i++)
        for (int k = 0; k < c->obstacle_count; k++) {
            const SnObstacle* o = &c->obstacles[k];
            int64_t point = c->touching[i];
            double unused[3];
            bool stays = o->screw.angle == 0 && sn_length3(o->screw.shift) == 0 && !o->morphs;
            bool known = stays && sn_contact_meets(c, (int)point, k);
            c->clear[point * c->obstacle_count + k] =
                known ? sn_obstacle_distance_at(o, 0, c->before + 3 * point, unused) : -INFINITY;
        }
}

void sn_contact_find_clear(SnContacts* c)
{
    sn_tasks_for(c->tasks, c->touching_count, SN_NODE_GRAIN, find_clear, c);
}

// Where the stage began.
static double distance_before(const SnContacts* c, int obstacle, int node)
{
    double clear = c->clear[(int64_t)node * c->obstacle_count + obstacle], unused[3];
    if (clear > -INFINITY) return clear;
    return sn_obstacle_distance_at(&c->obstacles[obstacle], 0, c->before + 3 * (int64_t)node, unused);
}

double sn_contact_obstacle_way(const SnContacts* c, int obstacle, int node, const double to[3], double scene)
{
    const SnObstacle* o = &c->obstacles[obstacle];
    const double* from = c->safe + 3 * (int64_t)node;
    if (sn_contact_stays_clear(c, node, obstacle, from, to, sn_contact_apart(c, node, obstacle))) return 1;
    Way w = {o, from, to, c->passed, scene, 0};
    double start = distance_on_way(&w, 0), left = scene * (1 - c->passed);
    if (!(start > 0)) { // it began inside, and goes no deeper than it was then
        w.floor = fmin(0, distance_before(c, obstacle, node));
        start -= w.floor;
    }
    double speed = sn_distance3(to, w.from) + left * fmax(sn_obstacle_speed(o, to), sn_obstacle_speed(o, w.from));
    // What the shape's change does to the distance is itself known to be no more than twice a point's way off.
    if (o->morphs) speed += left * (sn_obstacle_growth(o, c->passed, w.from) + 2 * speed);
    double thickness = sn_contact_apart(c, node, obstacle),
           separation = w.floor < 0 ? 0 : separation_of(thickness, start);
    bool convex = o->type->convex && o->screw.angle == 0 && !o->morphs;
    return convex ? sn_ccd_convex_distance(distance_on_way, &w, speed, separation)
                  : sn_ccd_distance(distance_on_way, &w, speed, separation);
}

static void fill(const SnContacts* c, int obstacle, int node, SnContact* out)
{
    const SnObstacle* o = &c->obstacles[obstacle];
    double moved[3];
    int body = c->surfaces->of_point[node];
    *out = (SnContact){.owner = body,
                       .target = obstacle,
                       .friction = sn_contact_friction(c, body, obstacle),
                       .key = (int64_t)1 << 59 | sn_contact_number(c, node) << 20 | obstacle};
    sn_contact_add_point(c, node, 1, 0, &out->at);
    out->at.first = out->at.count;
    sn_obstacle_carry(o, c->aim + 3 * (int64_t)node, moved);
    for (int a = 0; a < 3 && c->span > 0; a++) out->velocity[a] = moved[a] / c->span;
}

// The plane through a point at a distance from the obstacle, by the gradient there, and how far in front of it to stay:
// what began inside is pushed out gradually.
static void set_plane(const SnContacts* c, int obstacle, int node, const double p[3], double distance,
                      const double gradient[3], SnContact* out)
{
    double gap =
        fmin(sn_contact_apart(c, node, obstacle), distance_before(c, obstacle, node) + c->options.push * c->span);
    memcpy(out->at.normal, gradient, sizeof out->at.normal);
    out->at.offset = sn_dot3(gradient, p) - distance + gap;
}

// A point and a direction at some time of the obstacle's way, as they are at its end.
static void to_end(const SnObstacle* o, double passed, double p[3], double direction[3])
{
    double local[3];
    sn_obstacle_to_shape(o, passed, p, direction, local);
    sn_obstacle_from_shape(o, local, direction, p);
}

void sn_contact_arrange_obstacles(SnContacts* c)
{
    for (int i = 0; i < c->touching_count && c->options.start; i++)
        for (int k = 0; k < c->obstacle_count; k++) {
            int64_t node = c->touching[i];
            double unused[3], distance = sn_obstacle_distance(&c->obstacles[k], c->began + 3 * node, unused);
            c->arranged[node * c->obstacle_count + k] =
                distance <= SN_CONTACT_ARRANGED * sn_contact_apart(c, (int)node, k);
        }
}

bool sn_contact_obstacle_arranged(const SnContacts* c, int obstacle, int node)
{
    const double *from = c->safe + 3 * (int64_t)node, *aim = c->aim + 3 * (int64_t)node;
    if (!sn_contact_scripted(c, node)) return false;
    if (!c->obstacles_move && memcmp(from, aim, 3 * sizeof *from) == 0) return true;
    return c->arranged[(int64_t)node * c->obstacle_count + obstacle];
}

void sn_contact_obstacle_hit(const SnContacts* c, int obstacle, int node, double at, SnContact* out)
{
    const SnObstacle* o = &c->obstacles[obstacle];
    Way w = {o, c->safe + 3 * (int64_t)node, c->aim + 3 * (int64_t)node, c->passed, 1, 0};
    double p[3], passed, gradient[3];
    place(&w, at, p, &passed);
    double distance = sn_obstacle_distance_at(o, passed, p, gradient);
    to_end(o, passed, p, gradient);
    if (o->morphs) distance = sn_obstacle_distance_at(o, 1, p, gradient);
    fill(c, obstacle, node, out);
    set_plane(c, obstacle, node, p, distance, gradient, out);
}

// At the aim, where that is on the side from which the node comes; else where it first comes near.
static SnStatus collect(const SnContacts* c, int obstacle, int node, SnContactList* found)
{
    const SnObstacle* o = &c->obstacles[obstacle];
    const double *from = c->safe + 3 * (int64_t)node, *aim = c->aim + 3 * (int64_t)node;
    double here[3], there[3], p[3], near = SN_CONTACT_NEAR * sn_contact_apart(c, node, obstacle);
    if (sn_contact_stays_clear(c, node, obstacle, from, aim, near)) return SN_OK;
    double distance = sn_obstacle_distance_at(o, c->passed, from, here);
    double reach = sn_distance3(aim, from) + (1 - c->passed) * sn_obstacle_speed(o, from);
    if (o->morphs) reach += (1 - c->passed) * (sn_obstacle_growth(o, c->passed, from) + 2 * reach);
    if (distance > near + reach) return SN_OK;
    double end = sn_obstacle_distance_at(o, 1, aim, there);
    memcpy(p, from, sizeof p);
    to_end(o, c->passed, p, here);
    bool agrees = sn_dot3(here, there) > AGREES;
    if (agrees && end > near && distance > near) return SN_OK;
    SnContact contact;
    if (agrees) {
        fill(c, obstacle, node, &contact);
        set_plane(c, obstacle, node, aim, end, there, &contact);
        return sn_contact_list_add(found, &contact);
    }
    double way = sn_contact_obstacle_way(c, obstacle, node, aim, 1);
    if (way == 1 && distance > near) return SN_OK;
    sn_contact_obstacle_hit(c, obstacle, node, way == 1 ? 0 : way, &contact);
    return sn_contact_list_add(found, &contact);
}

SnStatus sn_contact_obstacles(const SnContacts* c, int node, SnContactList* found)
{
    for (int k = 0; k < c->obstacle_count && !sn_contact_scripted(c, node); k++)
        if (sn_contact_meets(c, node, k)) SN_TRY(collect(c, k, node, found));
    return SN_OK;
}
