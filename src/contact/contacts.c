// Contacts: made, begun, aimed.
#include "contact/contacts.h"

#include <math.h>
#include <string.h>

#include "contact/inside.h"
#include "linalg/vec3.h"

void sn_contacts_destroy(SnContacts* c)
{
    if (!c) return;
    sn_pairs_destroy(c->pairs);
    sn_surfaces_destroy(c->surfaces);
    sn_neighbours_destroy(c->neighbours);
    for (int k = 0; k < c->chunk_capacity; k++) sn_free(c->found[k].items);
    sn_free(c->bodies), sn_free(c->radius), sn_free(c->reach), sn_free(c->obstacle_of), sn_free(c->first_vertex),
        sn_free(c->touching), sn_free(c->apart);
    sn_free(c->first_skin), sn_free(c->carriers), sn_free(c->weights);
    sn_free(c->safe), sn_free(c->aim), sn_free(c->rest), sn_free(c->before), sn_free(c->end);
    sn_free(c->began), sn_free(c->arranged), sn_free(c->clear);
    sn_free(c->fraction), sn_free(c->allowed), sn_free(c->changed), sn_free(c->pair_hit), sn_free(c->node_hit),
        sn_free(c->first_hit);
    sn_tangles_free(&c->tangles);
    sn_free(c->blocked.items), sn_free(c->untangling.items);
    sn_free(c->found), sn_free(c->status), sn_free(c->nearness);
    sn_free(c);
}

static bool vertices_of(const SnObstacle* o, SnObstacleVertices* v)
{
    if (o->type->vertices) o->type->vertices(&o->shape, v);
    return o->type->vertices != NULL;
}

// The vertices of skins, after all nodes.
static SnStatus number_skins(SnContacts* c)
{
    c->body_point_count = c->node_count;
    if (!SN_NEW(c->first_skin, c->body_count, "contacts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < c->body_count; b++) {
        c->first_skin[b] = c->bodies[b].skin_count > 0 ? c->body_point_count : -1;
        c->body_point_count += c->bodies[b].skin_count;
    }
    int64_t count = SN_CARRIERS * (int64_t)(c->body_point_count - c->node_count);
    if (!SN_NEW(c->carriers, count, "contacts") || !SN_NEW(c->weights, count, "contacts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < c->body_count; b++) {
        const SnContactBody* body = &c->bodies[b];
        int64_t to = SN_CARRIERS * (int64_t)(c->first_skin[b] - c->node_count);
        for (int64_t k = 0; k < SN_CARRIERS * (int64_t)body->skin_count; k++)
            c->carriers[to + k] = body->first_node + body->carriers[k], c->weights[to + k] = body->weights[k];
    }
    return SN_OK;
}

// Where the vertices of skins and obstacles are among the points, and how many points there are.
static SnStatus number_points(SnContacts* c)
{
    if (!SN_NEW(c->first_vertex, c->obstacle_count + 1, "contacts")) return SN_ERROR_MEMORY;
    c->node_count = 0;
    for (int b = 0; b < c->body_count; b++) c->node_count += c->bodies[b].node_count;
    SN_TRY(number_skins(c));
    c->point_count = c->body_point_count;
    for (int k = 0; k < c->obstacle_count; k++) {
        SnObstacleVertices v;
        c->first_vertex[k] = vertices_of(&c->obstacles[k], &v) ? c->point_count : -1;
        if (c->first_vertex[k] >= 0) c->point_count += v.count;
    }
    int64_t n = 3 * (int64_t)c->point_count;
    bool room = SN_NEW(c->safe, n, "contacts") && SN_NEW(c->aim, n, "contacts") && SN_NEW(c->rest, n, "contacts") &&
                SN_NEW(c->before, n, "contacts") && SN_NEW(c->end, n, "contacts") && SN_NEW(c->began, n, "contacts") &&
                SN_NEW(c->arranged, (int64_t)c->body_point_count * c->obstacle_count, "contacts") &&
                SN_NEW(c->clear, (int64_t)c->body_point_count * c->obstacle_count, "contacts") &&
                SN_NEW(c->fraction, c->point_count, "contacts") && SN_NEW(c->allowed, c->point_count, "contacts") &&
                SN_NEW(c->changed, c->point_count, "contacts") && SN_NEW(c->first_hit, c->point_count, "contacts");
    for (int64_t k = 0; k < (int64_t)c->body_point_count * c->obstacle_count && room; k++) c->clear[k] = -INFINITY;
    return room ? SN_OK : SN_ERROR_MEMORY;
}

static bool may_touch(const SnContacts* c, int body, int target)
{
    return !c->options.touch || c->options.touch(c->options.user, body, target);
}

// Of surfaces: one of them is a body, and these come first.
static bool touch(void* user, int a, int b)
{
    const SnContacts* c = user;
    int other = a > b ? a : b, obstacle = c->obstacle_of[other];
    return may_touch(c, a > b ? b : a, obstacle >= 0 ? obstacle : c->obstacle_count + other);
}

double sn_contacts_thickness(const SnContacts* c, int body, int target)
{
    const SnContactBody* b = &c->bodies[body];
    if (target >= c->obstacle_count) {
        const SnContactBody* other = &c->bodies[target - c->obstacle_count];
        return fmax(0.5 * (b->thickness + other->thickness), fmax(b->least, other->least));
    }
    double own = c->obstacles[target].thickness;
    return fmax(own >= 0 ? own : b->thickness, b->least);
}

static SnStatus keep_apart(SnContacts* c)
{
    if (!SN_NEW(c->apart, (int64_t)c->body_count * c->obstacle_count, "contacts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < c->body_count; b++)
        for (int k = 0; k < c->obstacle_count; k++)
            c->apart[(int64_t)b * c->obstacle_count + k] = may_touch(c, b, k) ? sn_contacts_thickness(c, b, k) : -1;
    return SN_OK;
}

static double largest_apart(const SnContacts* c, int obstacle)
{
    double most = 0;
    for (int b = 0; b < c->body_count; b++) most = fmax(most, c->apart[(int64_t)b * c->obstacle_count + obstacle]);
    return most;
}

static void set_rest(SnContacts* c)
{
    for (int b = 0; b < c->body_count; b++) {
        const SnContactBody* body = &c->bodies[b];
        memcpy(c->rest + 3 * (int64_t)body->first_node, body->rest, 3 * (size_t)body->node_count * sizeof *c->rest);
    }
    sn_contact_carry(c, c->rest);
}

static int define_surfaces(SnContacts* c, SnSurfaceDef* defs)
{
    int count = 0;
    for (int b = 0; b < c->body_count; b++) {
        const SnContactBody* body = &c->bodies[b];
        bool skin = c->first_skin[b] >= 0;
        int first = skin ? c->first_skin[b] : body->first_node;
        c->obstacle_of[count] = -1;
        c->radius[count] = 0.5 * SN_CONTACT_NEAR * fmax(body->thickness, 2 * body->least);
        defs[count++] = (SnSurfaceDef){.first_point = first,
                                       .point_count = skin ? body->skin_count : body->node_count,
                                       .rest = c->rest + 3 * (int64_t)first,
                                       .triangle_count = body->surface_count,
                                       .triangles = body->surface,
                                       .edge_count = body->edge_count,
                                       .edges = body->edges,
                                       .self = body->self};
    }
    for (int k = 0; k < c->obstacle_count; k++) {
        SnObstacleVertices v;
        if (c->first_vertex[k] < 0 || !vertices_of(&c->obstacles[k], &v)) continue;
        c->obstacle_of[count] = k;
        c->radius[count] = SN_CONTACT_NEAR * largest_apart(c, k);
        defs[count++] =
            (SnSurfaceDef){c->first_vertex[k], v.count, v.now, v.triangle_count, v.triangles, 0, NULL, false, true};
    }
    return count;
}

static SnStatus build_surfaces(SnContacts* c)
{
    SnSurfaceDef* defs;
    int most = c->body_count + c->obstacle_count;
    if (!SN_NEW(c->radius, most, "contacts") || !SN_NEW(c->reach, most, "contacts") ||
        !SN_NEW(c->obstacle_of, most, "contacts"))
        return SN_ERROR_MEMORY;
    if (!SN_NEW(defs, most, "contacts")) return SN_ERROR_MEMORY;
    set_rest(c);
    int count = define_surfaces(c, defs);
    SnStatus status = sn_surfaces_create(count, defs, touch, c, c->tasks, &c->surfaces);
    sn_free(defs);
    SN_TRY(status);
    SN_TRY(sn_neighbours_create(c->surfaces, &c->neighbours));
    return sn_pairs_create(c->surfaces, &c->pairs);
}

// The points of surfaces and ropes, and nodes inside: a body that is squeezed may have these outside of its surface.
// Where a skin touches, it may have them anywhere.
static SnStatus list_nodes(SnContacts* c)
{
    int* of_point = c->surfaces->of_point;
    if (!SN_NEW(c->touching, c->body_point_count + 1, "contacts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < c->body_count; b++)
        for (int k = 0; k < 4 * c->bodies[b].tetrahedron_count && c->first_skin[b] < 0; k++)
            of_point[c->bodies[b].first_node + c->bodies[b].tetrahedra[k]] = b;
    for (int b = 0; b < c->body_count; b++) // copies of nodes of others' elements
        for (int i = c->bodies[b].first_node; i < c->bodies[b].first_node + c->bodies[b].node_count; i++)
            if (!sn_share_owns(c->tasks, i)) of_point[i] = b;
    for (int i = 0; i < c->body_point_count && i < c->surfaces->point_count; i++)
        if (of_point[i] >= 0) c->touching[c->touching_count++] = i;
    return SN_OK;
}

// The vertices of obstacles, at the places of `frame`.
static void put_vertices(const SnContacts* c, bool now, double* x)
{
    for (int k = 0; k < c->obstacle_count; k++) {
        SnObstacleVertices v;
        if (c->first_vertex[k] < 0 || !vertices_of(&c->obstacles[k], &v)) continue;
        const SnPose* frame = now ? &c->obstacles[k].frame : &c->obstacles[k].before;
        const double* from = now ? v.now : v.before;
        double* to = x + 3 * (int64_t)c->first_vertex[k];
        for (int64_t i = 0; i < v.count; i++) {
            sn_rotate3(frame->rotation, from + 3 * i, to + 3 * i);
            for (int a = 0; a < 3; a++) to[3 * i + a] += frame->shift[a];
        }
    }
}

static void arrange(SnContacts* c)
{
    if (c->options.start) {
        memcpy(c->began, c->options.start, 3 * (size_t)c->node_count * sizeof *c->began);
        c->options.start = c->began;
    }
    sn_contact_carry(c, c->began);
    put_vertices(c, true, c->began);
    sn_contact_arrange_obstacles(c);
}

static SnStatus build(SnContacts* c)
{
    SN_TRY(number_points(c));
    SN_TRY(keep_apart(c));
    SN_TRY(build_surfaces(c));
    SN_TRY(list_nodes(c));
    arrange(c);
    return SN_OK;
}

SnStatus sn_contacts_create(int body_count, const SnContactBody* bodies, int obstacle_count,
                            const SnObstacle* obstacles, const SnContactOptions* options, SnTasks* tasks,
                            SnContacts** out)
{
    *out = NULL;
    SnContacts* c;
    if (!SN_NEW(c, 1, "contacts")) return SN_ERROR_MEMORY;
    c->body_count = body_count, c->obstacle_count = obstacle_count;
    c->obstacles = obstacles, c->options = *options, c->tasks = tasks;
    c->bodies = sn_copy_memory(bodies, (size_t)body_count, sizeof *bodies, "contacts");
    SN_FINISH(c->bodies ? build(c) : SN_ERROR_MEMORY, c, sn_contacts_destroy, out);
}

void sn_contacts_begin(SnContacts* c, const double* x, const int* free_index, double span)
{
    // Where nothing crosses, nothing does later on: unless somebody has put things somewhere else.
    c->tangles.none &= memcmp(c->safe, x, 3 * (size_t)c->node_count * sizeof *x) == 0;
    memcpy(c->safe, x, 3 * (size_t)c->node_count * sizeof *x);
    sn_contact_carry(c, c->safe);
    put_vertices(c, false, c->safe);
    memcpy(c->before, c->safe, 3 * (size_t)c->point_count * sizeof *x);
    put_vertices(c, true, c->aim);
    c->obstacles_move = false;
    for (int k = 0; k < c->obstacle_count; k++) {
        const SnScrew* s = &c->obstacles[k].screw;
        c->obstacles_move |= s->angle != 0 || sn_length3(s->shift) > 0 || c->obstacles[k].morphs;
    }
    for (int64_t k = 3 * (int64_t)c->body_point_count; k < 3 * (int64_t)c->point_count; k++)
        c->obstacles_move |= c->aim[k] != c->safe[k];
    c->free_index = free_index;
    c->span = span;
    c->passed = 0;
    c->aimed = false;
    c->blocked.count = 0;
    c->pushing_count = 0;
    c->begun = true;
    sn_contact_find_clear(c);
}

void sn_contacts_set_pushing(SnContacts* c, int count, const int64_t* keys)
{
    c->pushing_count = count, c->pushing = keys;
}

// How far to look around a surface: what goes along with it now may be stopped by others, so it is not the way that
// they come nearer that counts, but any; no further than a part of its edges.
static double reach_of(const SnContacts* c, int surface)
{
    const SnSurface* s = &c->surfaces->items[surface];
    const SnSurfaceElements* nodes = &s->of[SN_SURFACE_NODES];
    double square = 0;
    for (int i = 0; i < nodes->count; i++) {
        int64_t k = 3 * (int64_t)nodes->points[i];
        double d[3] = {c->aim[k] - c->safe[k], c->aim[k + 1] - c->safe[k + 1], c->aim[k + 2] - c->safe[k + 2]};
        square = fmax(square, sn_dot3(d, d));
    }
    return c->radius[surface] + fmin(sqrt(square), SN_CONTACT_FAR * s->edge);
}

// Nothing is to go anywhere, and what is near where everything is has been found.
static bool is_known(const SnContacts* c)
{
    size_t size = 3 * (size_t)c->point_count * sizeof *c->aim;
    return c->stood && memcmp(c->reach, c->radius, (size_t)c->surfaces->count * sizeof *c->reach) == 0 &&
           memcmp(c->safe, c->end, size) == 0 && memcmp(c->aim, c->end, size) == 0;
}

SnStatus sn_contacts_aim(SnContacts* c, const double* x)
{
    if (c->begun && c->options.untangle && !c->tangles.none) SN_TRY(sn_tangles_find(c));
    c->begun = false;
    memcpy(c->aim, x, 3 * (size_t)c->node_count * sizeof *x);
    sn_contact_carry(c, c->aim);
    c->blocked.count = 0;
    c->aimed = true;
    for (int k = 0; k < c->surfaces->count; k++) c->reach[k] = reach_of(c, k);
    bool known = is_known(c);
    c->stood = false; // what is found there will not be all that is near on the way somewhere else
    return known ? SN_OK : sn_pairs_find(c->pairs, c->safe, c->aim, c->reach);
}

void sn_contacts_ahead(const SnContacts* c, const double* ways, double* x)
{
    for (int64_t k = 0; k < 3 * (int64_t)c->node_count; k++) x[k] = sn_contact_on_the_way(c, k, ways[k / 3]);
}

void sn_contacts_take(SnContacts* c)
{
    sn_contact_set_ends(c);
    memcpy(c->safe, c->end, 3 * (size_t)c->point_count * sizeof *c->safe);
    c->passed = c->scene == 1 ? 1 : c->passed + c->scene * (1 - c->passed);
}

int sn_contacts_own_number(const SnContacts* c, int point)
{
    int surface = c->surfaces->of_point[point], obstacle = c->obstacle_of[surface];
    if (obstacle >= 0) return point - c->first_vertex[obstacle];
    return point - (point < c->node_count ? c->bodies[surface].first_node : c->first_skin[surface]);
}

const double* sn_contacts_safe(const SnContacts* c)
{
    return c->safe;
}

double sn_contacts_scene(const SnContacts* c)
{
    return c->passed;
}

bool sn_contacts_obstacles_move(const SnContacts* c)
{
    return c->obstacles_move;
}
