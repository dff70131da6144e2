// Kinds of probes besides fields, one row each.
#include <math.h>
#include <string.h>

#include "core/pi.h"
#include "linalg/vec3.h"
#include "world/world.h"

#define VECTOR(what, unit)                \
    {what, "x", unit}, {what, "y", unit}, \
    {                                     \
        what, "z", unit                   \
    }

// --- of nodes ---

static void mean_of(const SnWorld* world, const SnProbePlace* place, double mean[3])
{
    for (int c = 0; c < 3; c++) {
        mean[c] = 0;
        for (int i = 0; i < place->count; i++) mean[c] += world->state.x[3 * (int64_t)place->nodes[i] + c];
        mean[c] /= place->count;
    }
}

static void read_position(SnWorld* world, const SnProbe* probe, double* out)
{
    for (int c = 0; c < 3; c++) {
        out[c] = 0;
        for (int i = 0; i < probe->where.count; i++) {
            double x = world->state.x[3 * (int64_t)probe->where.nodes[i] + c];
            if (probe->take == SN_TAKE_MEAN)
                out[c] += x / probe->where.count;
            else if (i == 0 || (probe->take == SN_TAKE_MIN ? x < out[c] : x > out[c]))
                out[c] = x;
        }
    }
}

static void read_distance(SnWorld* world, const SnProbe* probe, double* out)
{
    double a[3], b[3];
    mean_of(world, &probe->where, a);
    mean_of(world, &probe->to, b);
    *out = sn_distance3(a, b);
}

static void read_angle(SnWorld* world, const SnProbe* probe, double* out)
{
    double corner[3], a[3], b[3], across[3];
    mean_of(world, &probe->at, corner);
    mean_of(world, &probe->where, a);
    mean_of(world, &probe->to, b);
    for (int c = 0; c < 3; c++) a[c] -= corner[c], b[c] -= corner[c];
    sn_cross3(a, b, across);
    *out = atan2(sn_length3(across), sn_dot3(a, b)) * 180 / SN_PI;
}

// --- of a body ---

static const double* corner_of(const SnWorld* world, const SnBody* body, int corner)
{
    return world->state.x + 3 * (int64_t)(body->first_node + body->surface[corner]);
}

// Of what the surface encloses; from its first node, as far away numbers would cancel.
static void read_volume(SnWorld* world, const SnProbe* probe, double* out)
{
    const SnBody* body = &world->model.bodies[probe->def.where.body];
    const double* origin = corner_of(world, body, 0);
    *out = 0;
    for (int i = 0; i < body->surface_count; i++) {
        double edge[3][3], normal[3];
        for (int k = 0; k < 3; k++) sn_subtract3(corner_of(world, body, 3 * i + k), origin, edge[k]);
        sn_cross3(edge[0], edge[1], normal);
        *out += sn_dot3(normal, edge[2]) / 6;
    }
}

static void read_area(SnWorld* world, const SnProbe* probe, double* out)
{
    const SnBody* body = &world->model.bodies[probe->def.where.body];
    *out = 0;
    for (int i = 0; i < body->surface_count; i++)
        *out += sn_triangle_area(corner_of(world, body, 3 * i), corner_of(world, body, 3 * i + 1),
                                 corner_of(world, body, 3 * i + 2));
}

// --- of forces ---

// None before the first step and after a restore, as nobody has kept them.
static bool find_wrench(SnWorld* world, const SnProbe* probe, SnWrench* wrench)
{
    const SnProbeDef* d = &probe->def;
    *wrench = (SnWrench){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    if (!sn_forces_are_known(world)) return false;
    if (d->load >= 0)
        sn_force_of_load(world, d->load, world->measured.force, world->measured.drag, wrench);
    else if (d->attachment >= 0)
        sn_world_attachment_force(world, d->attachment, wrench);
    else if (d->handle >= 0)
        sn_world_handle_force(world, d->handle, wrench);
    else if (d->obstacle >= 0)
        sn_world_obstacle_force(world, d->obstacle, wrench);
    else
        sn_world_contact_force(world, d->pair[0], d->pair[1], wrench);
    return true;
}

static void read_force(SnWorld* world, const SnProbe* probe, double* out)
{
    SnWrench wrench;
    find_wrench(world, probe, &wrench);
    for (int c = 0; c < 3; c++) out[c] = wrench.force[c];
}

static void read_torque(SnWorld* world, const SnProbe* probe, double* out)
{
    SnWrench wrench;
    find_wrench(world, probe, &wrench);
    for (int c = 0; c < 3; c++) out[c] = wrench.torque[c];
}

static void read_work(SnWorld* world, const SnProbe* probe, double* out)
{
    *out = world->state.works[probe->work].sum;
}

static void read_reaction(SnWorld* world, const SnProbe* probe, double* out)
{
    SnWrench wrench;
    find_wrench(world, probe, &wrench);
    for (int c = 0; c < 3; c++) out[c] = wrench.force[c], out[3 + c] = wrench.torque[c];
    read_work(world, probe, out + 6);
}

// 1: the contact pushes the probe's body, or any, -1: it is the other one that it pushes; 0: it is of others.
static int side_of(const SnProbe* probe, const SnContactInfo* c)
{
    const int* pair = probe->def.pair;
    if (c->state == SN_CONTACT_OPEN) return 0;
    if (probe->def.obstacle >= 0) return c->obstacle == probe->def.obstacle;
    if (c->body == pair[0] && c->other_body == pair[1]) return 1;
    return c->body == pair[1] && c->other_body == pair[0] ? -1 : 0;
}

// Marks nodes of the body that the probe is of, or of any, that are pushed.
static void mark_pushed(const SnWorld* world, const SnProbe* probe, double* pushed)
{
    const SnConstraintSet* set = &world->state.constraints;
    memset(pushed, 0, (size_t)world->model.node_count * sizeof *pushed);
    for (int i = 0, k = 0; i < set->count && k < world->touches.count; i++) {
        const SnStencil* at = &set->items[i].constraint.at;
        if (!sn_constraint_is_contact(&set->items[i].constraint)) continue;
        int side = side_of(probe, &world->touches.items[k++]); // listed in the same order
        for (int n = 0; n < at->count && side != 0; n++)
            if ((n < at->first) == (side > 0)) pushed[at->node[n]] = 1;
    }
}

// Of the triangles that are pushed at all of their corners.
static double pushed_area(const SnWorld* world, const SnProbe* probe)
{
    double *pushed = world->measured.numbers, sum = 0;
    mark_pushed(world, probe, pushed);
    for (const SnBody* b = world->model.bodies; b < world->model.bodies + world->model.body_count; b++)
        for (int i = 0; i < b->surface_count; i++) {
            const int* t = b->surface + 3 * (int64_t)i;
            double all = pushed[b->first_node + t[0]] * pushed[b->first_node + t[1]] * pushed[b->first_node + t[2]];
            if (all > 0)
                sum += sn_triangle_area(corner_of(world, b, 3 * i), corner_of(world, b, 3 * i + 1),
                                        corner_of(world, b, 3 * i + 2));
        }
    return sum;
}

static void read_contact(SnWorld* world, const SnProbe* probe, double* out)
{
    double friction[3] = {0}, normal = 0, centre[3] = {0};
    if (!sn_forces_are_known(world)) {
        for (int k = 0; k < 7; k++) out[k] = NAN;
        return;
    }
    out[0] = 0;
    for (int i = 0; i < world->touches.count; i++) {
        const SnContactInfo* c = &world->touches.items[i];
        int side = side_of(probe, c);
        if (side == 0) continue;
        normal += c->force, out[0] += 1;
        for (int a = 0; a < 3; a++) friction[a] += side * c->friction[a], centre[a] += c->force * c->point[a];
    }
    out[1] = normal, out[2] = sn_length3(friction), out[3] = pushed_area(world, probe);
    for (int a = 0; a < 3; a++) out[4 + a] = normal > 0 ? centre[a] / normal : NAN;
}

// What the load fills, and with what pressure, above that outside.
static void read_chamber(SnWorld* world, const SnProbe* probe, double* out)
{
    const SnLoad* load = &world->model.loads[probe->def.load];
    const double* rest = world->problem.potential->rest;
    SnLoadState at = {world->state.time, world->state.x, world->state.v, rest, world->problem.mass, NAN,
                      world->model.tasks};
    out[0] = out[1] = NAN;
    if (world->problem.loads.rests[probe->def.load]) return;
    out[0] = fabs(sn_load_enclosed(load, world->model.tasks, world->state.x));
    out[1] = load->type->pressure ? load->type->pressure(load, &at) : world->state.chambers[probe->def.load].pressure;
}

static const SnProbeType types[] = {
    {"position", "where nodes are", SN_PROBE_WHERE, 3, {VECTOR(NULL, "m")}, read_position},
    {"distance",
     "between the middles of `where` and `to`",
     SN_PROBE_WHERE | SN_PROBE_TO,
     1,
     {{NULL, "", "m"}},
     read_distance},
    {"angle",
     "at the middle of `at`, between those of `where` and `to`",
     SN_PROBE_WHERE | SN_PROBE_TO | SN_PROBE_AT,
     1,
     {{NULL, "", "degrees"}},
     read_angle},
    {"volume",
     "of a solid, or of what a closed sheet encloses",
     SN_PROBE_BODY | SN_PROBE_CLOSED,
     1,
     {{NULL, "", "m3"}},
     read_volume},
    {"area", "of a body's surface", SN_PROBE_BODY, 1, {{NULL, "", "m2"}}, read_area},
    {"force", "that `of` exerts on bodies", SN_PROBE_BY, 3, {VECTOR(NULL, "N")}, read_force},
    {"torque", "the same, about the origin", SN_PROBE_BY, 3, {VECTOR(NULL, "N m")}, read_torque},
    {"work",
     "that `of` has done since the start; obstacles do it where they move, attachments to what they are from, pairs of "
     "bodies to the first one",
     SN_PROBE_BY | SN_PROBE_WORKS,
     1,
     {{NULL, "", "J"}},
     read_work},
    {"reaction",
     "force, torque and work",
     SN_PROBE_BY | SN_PROBE_WORKS,
     7,
     {VECTOR("force", "N"), VECTOR("torque", "N m"), {"work", "", "J"}},
     read_reaction},
    {"contact",
     "contacts with `of` that push: how many, the sum of their normal forces, their friction, the area of triangles "
     "that "
     "are pushed at all corners, and the centre of the normal forces",
     SN_PROBE_BY | SN_PROBE_TOUCH,
     7,
     {{"contacts", "", ""},
      {"normal-force", "", "N"},
      {"friction-force", "", "N"},
      {"area", "", "m2"},
      VECTOR("centre", "m")},
     read_contact},
    {"chamber",
     "volume that a load of kind gas or volume fills, and its pressure",
     SN_PROBE_BY | SN_PROBE_CHAMBER,
     2,
     {{"volume", "", "m3"}, {"pressure", "", "Pa"}},
     read_chamber},
    {0},
};
const SnTable sn_probe_type_table = {.noun = "probe", .rows = types, .stride = sizeof *types};

int sn_probe_is_of(const char* what)
{
    const SnProbeType* type = sn_probe_type_find(what);
    return type ? type->of : sn_table_find(&sn_field_table, what) ? SN_PROBE_WHERE : 0;
}
