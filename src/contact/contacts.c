// The detector: which nodes can touch, trees kept up to date, and contacts gathered in the order of the nodes.
#include "contact/contacts.h"

#include <math.h>
#include <string.h>

#include "contact/query.h"
#include "linalg/vec3.h"

#define STILL 1e-3

SnStatus sn_contact_list_add(SnContactList* list, const SnContact* contact)
{
    if (!SN_GROW(list->items, list->capacity, (int64_t)list->count + 1, "contacts")) return SN_ERROR_MEMORY;
    list->items[list->count++] = *contact;
    return SN_OK;
}

static SnStatus shifted_tree(const SnContactBody* body, int count, int corners, const int* items, SnTree** tree)
{
    SN_TRY(sn_tree_create(count, corners, items, body->rest, tree));
    for (int64_t i = 0; i < (int64_t)count * corners; i++) (*tree)->items[i] += body->first_node;
    return SN_OK;
}

static double mean_edge(const SnContactBody* body)
{
    double sum = 0;
    for (int64_t i = 0; i < 3 * (int64_t)body->surface_count; i++) {
        const int* t = body->surface + i / 3 * 3;
        double side[3];
        sn_subtract3(body->rest + 3 * (int64_t)t[i % 3], body->rest + 3 * (int64_t)t[(i + 1) % 3], side);
        sum += sn_length3(side) / (3.0 * body->surface_count);
    }
    return sum;
}

static SnStatus build_normals(SnTarget* t, const SnContactBody* body)
{
    SnNormals* normals;
    if (!SN_NEW(t->facing, 3 * (int64_t)body->node_count, "contacts")) return SN_ERROR_MEMORY;
    SN_TRY(sn_normals_create(body->surface_count, body->surface, body->node_count, &normals));
    sn_normals_update(normals, body->rest);
    for (int64_t i = 0; i < body->node_count; i++) {
        double normal[3];
        memcpy(normal, normals->node + 3 * i, sizeof normal);
        if (sn_normalize3(normal) > 0) memcpy(t->facing + 3 * i, normal, sizeof normal);
    }
    sn_normals_destroy(normals);
    return SN_OK;
}

static SnStatus build_surface(SnTarget* t, const SnContactBody* body)
{
    const double third[3] = {1 / 3.0, 1 / 3.0, 1 / 3.0};
    if (!SN_NEW(t->middles, 3 * (int64_t)body->surface_count, "contacts")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < body->surface_count; i++)
        sn_combine_nodes(body->rest, body->surface + 3 * i, 0, 3, third, t->middles + 3 * i);
    return shifted_tree(body, body->surface_count, 3, body->surface, &t->surface);
}

static SnStatus build_target(SnTarget* t, const SnContactBody* body)
{
    t->body = body;
    t->edge = mean_edge(body);
    if (body->surface_count) SN_TRY(build_surface(t, body));
    if (!body->tetrahedron_count) return SN_OK;
    SN_TRY(build_normals(t, body));
    SN_TRY(shifted_tree(body, body->tetrahedron_count, 4, body->tetrahedra, &t->tetrahedra));
    return sn_tree_create(body->surface_count, 3, body->surface, body->rest, &t->rest);
}

// Nodes of surfaces; all of a body that has none.
static SnStatus list_nodes(SnContacts* c)
{
    int total = 0;
    bool* touches;
    for (int b = 0; b < c->body_count; b++) {
        int end = c->bodies[b].first_node + c->bodies[b].node_count;
        total = end > total ? end : total;
    }
    if (!SN_NEW(touches, total, "contacts")) return SN_ERROR_MEMORY;
    if (!SN_NEW(c->nodes, total, "contacts") || !SN_NEW(c->body_of, total, "contacts")) {
        sn_free(touches);
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < c->body_count; b++) {
        const SnContactBody* body = &c->bodies[b];
        for (int i = 0; i < body->node_count && !body->surface_count; i++) touches[body->first_node + i] = true;
        for (int64_t i = 0; i < 3 * (int64_t)body->surface_count; i++)
            touches[body->first_node + body->surface[i]] = true;
        for (int i = body->first_node; i < body->first_node + body->node_count; i++)
            if (touches[i]) c->body_of[c->node_count] = b, c->nodes[c->node_count++] = i;
    }
    sn_free(touches);
    return SN_OK;
}

static SnStatus build(SnContacts* c, const SnContactBody* bodies)
{
    c->bodies = sn_copy_memory(bodies, (size_t)c->body_count, sizeof *bodies, "contacts");
    if (!c->bodies || !SN_NEW(c->targets, c->body_count, "contacts")) return SN_ERROR_MEMORY;
    bool needed = c->options.self || (c->options.bodies && c->body_count > 1);
    for (int b = 0; b < c->body_count && needed; b++) SN_TRY(build_target(&c->targets[b], &c->bodies[b]));
    SN_TRY(list_nodes(c));
    int total = 0;
    for (int b = 0; b < c->body_count; b++) total += c->bodies[b].node_count;
    if (needed && !SN_NEW(c->listed, 3 * (int64_t)total, "contacts")) return SN_ERROR_MEMORY;
    c->chunk_count = (c->node_count + SN_CONTACT_GRAIN - 1) / SN_CONTACT_GRAIN;
    if (!SN_NEW(c->last, 3 * (int64_t)c->node_count, "contacts") ||
        !SN_NEW(c->free, 4 * (int64_t)c->node_count, "contacts") || !SN_NEW(c->found, c->chunk_count, "contacts") ||
        !SN_NEW(c->nearby, c->chunk_count, "contacts") || !SN_NEW(c->reach, c->node_count, "contacts") ||
        !SN_NEW(c->outdated, c->chunk_count, "contacts") || !SN_NEW(c->status, c->chunk_count, "contacts"))
        return SN_ERROR_MEMORY;
    return SN_OK;
}

SnStatus sn_contacts_create(int body_count, const SnContactBody* bodies, int obstacle_count,
                            const SnObstacle* obstacles, const SnContactOptions* options, SnTasks* tasks,
                            SnContacts** out)
{
    SnContacts* c;
    *out = NULL;
    if (body_count + obstacle_count > 0xfffff)
        return sn_fail(SN_ERROR_VALUE, "%d bodies and obstacles are too many; at most %d", body_count + obstacle_count,
                       0xfffff);
    if (!SN_NEW(c, 1, "contacts")) return SN_ERROR_MEMORY;
    c->body_count = body_count;
    c->obstacle_count = obstacle_count;
    c->obstacles = obstacles;
    c->options = *options;
    c->tasks = tasks;
    SN_FINISH(build(c, bodies), c, sn_contacts_destroy, out);
}

void sn_contacts_destroy(SnContacts* c)
{
    if (!c) return;
    for (int b = 0; b < c->body_count && c->targets; b++) {
        sn_tree_destroy(c->targets[b].tetrahedra);
        sn_tree_destroy(c->targets[b].surface);
        sn_tree_destroy(c->targets[b].rest);
        sn_free(c->targets[b].facing);
        sn_free(c->targets[b].middles);
    }
    for (int k = 0; k < c->chunk_count && c->found; k++) sn_free(c->found[k].items);
    for (int k = 0; k < c->chunk_count && c->nearby; k++) sn_free(c->nearby[k].pairs), sn_free(c->nearby[k].items);
    sn_free(c->bodies), sn_free(c->targets);
    sn_free(c->nodes), sn_free(c->body_of), sn_free(c->free), sn_free(c->last);
    sn_free(c->listed), sn_free(c->reach), sn_free(c->outdated), sn_free(c->nearby);
    sn_free(c->found), sn_free(c->status);
    sn_free(c);
}

void sn_contacts_begin(SnContacts* c, const SnContactStart* start)
{
    c->start = *start;
    c->found_any = false;
    for (int i = 0; i < c->node_count; i++) c->free[4 * (int64_t)i + 3] = -INFINITY; // obstacles may have moved
}

typedef struct Collection {
    SnContacts* contacts;
    const double* x;
    bool list; // what is near has to be listed first
} Collection;

static SnStatus collect_nodes(SnContacts* c, const double* x, int chunk)
{
    int first = chunk * SN_CONTACT_GRAIN, last = first + SN_CONTACT_GRAIN;
    const SnNearbyList* near = &c->nearby[chunk];
    int k = 0;
    for (int i = first; i < last && i < c->node_count; i++) {
        SN_TRY(sn_contact_obstacles(c, i, x, &c->found[chunk]));
        for (; k < near->count && near->pairs[k].index == i; k++)
            SN_TRY(sn_contact_body(c, &near->pairs[k], near->items + near->pairs[k].first, x, &c->found[chunk]));
    }
    return SN_OK;
}

static void collect_chunk(void* context, int chunk)
{
    const Collection* it = context;
    SnContacts* c = it->contacts;
    c->found[chunk].count = 0;
    c->status[chunk] = it->list ? sn_nearby_list(c, it->x, chunk) : SN_OK;
    if (c->status[chunk] == SN_OK) c->status[chunk] = collect_nodes(c, it->x, chunk);
}

// Have all nodes that can touch stayed where they were, next to the thickness? Then so have the contacts.
static bool nothing_moved(SnContacts* c, const double* x)
{
    double least = STILL * c->options.thickness;
    bool still = c->found_any;
    for (int64_t k = 0; k < 3 * (int64_t)c->node_count && still; k++)
        still = fabs(x[3 * (int64_t)c->nodes[k / 3] + k % 3] - c->last[k]) < least;
    for (int64_t k = 0; k < 3 * (int64_t)c->node_count && !still; k++)
        c->last[k] = x[3 * (int64_t)c->nodes[k / 3] + k % 3];
    c->found_any = true;
    return still;
}

static void find(SnContacts* c, const double* x)
{
    bool list = c->listed && !sn_nearby_holds(c, x);
    for (int b = 0; b < c->body_count; b++) {
        const SnTarget* t = &c->targets[b];
        if (t->tetrahedra) sn_tree_refit(t->tetrahedra, c->tasks, x, 0);
        if (t->surface) sn_tree_refit(t->surface, c->tasks, x, 0);
    }
    if (list) sn_nearby_begin(c, x);
    sn_tasks_run(c->tasks, c->chunk_count, collect_chunk, &(Collection){c, x, list});
    for (int k = 0; k < c->chunk_count; k++) c->have_lists = c->have_lists && c->status[k] == SN_OK;
}

SnStatus sn_contacts_collect(SnContacts* c, const double* x, SnContactAdd* add, void* user)
{
    if (!nothing_moved(c, x)) find(c, x);
    for (int k = 0; k < c->chunk_count; k++) {
        if (c->status[k] != SN_OK) return sn_fail(c->status[k], "not enough memory for the contacts");
        for (int i = 0; i < c->found[k].count; i++) SN_TRY(add(user, &c->found[k].items[i]));
    }
    return SN_OK;
}
