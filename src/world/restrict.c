// From a world to a part of it: lists of what stays, then every array with what is in them.
#include "world/restrict.h"

#include <sinew/field.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/partition.h"

void sn_part_of_free(SnPartOf* of)
{
    SN_FREE(of->nodes, of->body, of->owner, of->own, of->ghost, of->spans, of->common, of->sharer_start, of->sharers,
            of->pins, of->shifts);
    *of = (SnPartOf){0};
}

// All elements as lists of nodes of the world.
typedef struct Elements {
    int count;
    int *start, *nodes;
} Elements;

static SnStatus list_elements(const SnWorld* world, Elements* out)
{
    int64_t count = sn_world_element_count(world), size = 0;
    for (int b = 0; b < world->model.body_count; b++) {
        SnElements e = sn_body_elements(&world->model.bodies[b]);
        size += (int64_t)e.count * e.nodes;
    }
    if (size > INT32_MAX)
        return sn_fail(SN_ERROR_UNSUPPORTED, "the world has %lld elements; too many", (long long)count);
    if (!SN_NEW(out->start, count + 1, "parts") || !SN_NEW(out->nodes, size, "parts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < world->model.body_count; b++) {
        const SnBody* body = &world->model.bodies[b];
        SnElements e = sn_body_elements(body);
        for (int k = 0; k < e.count; k++, out->count++) {
            int first = out->start[out->count];
            for (int c = 0; c < e.nodes; c++)
                out->nodes[first + c] = e.items[(int64_t)e.nodes * k + c] + body->first_node;
            out->start[out->count + 1] = first + e.nodes;
        }
    }
    return SN_OK;
}

static void free_elements(Elements* e)
{
    SN_FREE(e->start, e->nodes);
}

SnStatus sn_world_divide(const SnWorld* world, int parts, int* part)
{
    Elements e = {0};
    int made = 0;
    SnStatus status = list_elements(world, &e);
    int common = 2; // of neighbours: bodies of several kinds have at least these
    for (int b = 0; b < world->model.body_count; b++)
        if (sn_body_elements(&world->model.bodies[b]).nodes == 2) common = 1;
    if (status == SN_OK)
        status = sn_partition_elements(e.count, e.start, e.nodes, world->model.node_count, common, parts, part, &made);
    free_elements(&e);
    if (status == SN_OK && made < parts)
        status =
            sn_fail(SN_ERROR_VALUE, "the world's elements make %d parts, not %d; take fewer processes", made, parts);
    return status;
}

SnStatus sn_world_check_divisible(const SnWorld* world)
{
    const SnModel* model = &world->model;
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].element != SN_ELEMENT_LINEAR)
            return sn_fail(
                SN_ERROR_UNSUPPORTED,
                "body '%s': elements other than `linear` are not distributed yet; say `element: linear`, or run it in "
                "one process",
                model->bodies[i].name);
    for (int i = 0; i < model->body_count; i++)
        if (world->state.out[i] != 0)
            return sn_fail(SN_ERROR_UNSUPPORTED, "body '%s' is on the shelf, which is not distributed yet",
                           model->bodies[i].name);
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].skin_triangles)
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "body '%s': skins that touch are not distributed yet; leave `skin` of its `contact` out, or "
                           "run it in one process",
                           model->bodies[i].name);
    if (model->attachment_count > 0)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "attachments are not distributed yet; leave them out, or run it in one process");
    for (int i = 0; i < model->handle_count; i++)
        if (model->handles[i].hinge)
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "hinges of handles are not distributed yet; leave them out, or run it in one process");
    if (model->probe_count > 0)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "probes (`measure`, `forces` of `output`) are not distributed yet; leave them out, or run it in "
                       "one process");
    if (model->actuator_count > 0)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "actuators are not distributed yet; leave them out, or run it in one process");
    for (int i = 0; i < model->load_count; i++)
        if (model->loads[i].type->filled)
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "loads of type %s are not distributed yet; leave them out, or run it in one process",
                           model->loads[i].type->name);
    return SN_OK;
}

// Which parts each node of the whole is in.
typedef struct Touched {
    int* start;   // node_count + 1
    int* parts;   // in order, each once
    int* owner;   // node_count
    bool* common; // node_count: all parts have it
} Touched;

static void free_touched(Touched* t)
{
    SN_FREE(t->start, t->parts, t->owner, t->common);
}

// A node in a part.
typedef struct Pair {
    int node, part;
} Pair;

static int compare_pairs(const void* a, const void* b)
{
    const Pair *p = a, *q = b;
    return p->node != q->node ? (p->node < q->node ? -1 : 1) : (p->part > q->part) - (p->part < q->part);
}

// Nodes of elements by counting; few have more parts than one, and these are sorted.
static SnStatus list_pairs(const Elements* e, const int* part, int node_count, int* only, Pair** pairs, int64_t* count)
{
    int capacity = 0;
    *count = 0;
    for (int i = 0; i < node_count; i++) only[i] = -1;
    for (int k = 0; k < e->count; k++)
        for (int a = e->start[k]; a < e->start[k + 1]; a++) {
            int* p = &only[e->nodes[a]];
            *p = *p == -1 || *p == part[k] ? part[k] : -2;
        }
    for (int k = 0; k < e->count; k++)
        for (int a = e->start[k]; a < e->start[k + 1]; a++) {
            if (only[e->nodes[a]] != -2) continue;
            if (!SN_GROW(*pairs, capacity, *count + 1, "parts")) return SN_ERROR_MEMORY;
            (*pairs)[(*count)++] = (Pair){e->nodes[a], part[k]};
        }
    return SN_OK;
}

static int64_t sort_pairs(Pair* pairs, int64_t count)
{
    int64_t kept = 0;
    qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || compare_pairs(&pairs[kept - 1], &pairs[i]) != 0) pairs[kept++] = pairs[i];
    return kept;
}

// Of several parts a node belongs to one or the other, so that all get about as many. One in no element belongs to the
// first part.
static SnStatus find_owners(const Elements* e, const int* part, int node_count, int* owner, Pair** pairs,
                            int64_t* count)
{
    SN_TRY(list_pairs(e, part, node_count, owner, pairs, count));
    *count = sort_pairs(*pairs, *count);
    for (int64_t i = 0, last; i < *count; i = last) {
        int node = (*pairs)[i].node;
        for (last = i; last < *count && (*pairs)[last].node == node;) last++;
        owner[node] = (*pairs)[i + node % (last - i)].part;
    }
    for (int i = 0; i < node_count; i++)
        if (owner[i] < 0) owner[i] = 0;
    return SN_OK;
}

// A hinge goes to the part that its first node belongs to, which then has all of its nodes.
static int hinge_part(const SnBody* body, int hinge, const int* owner)
{
    return owner[body->first_node + body->hinges[4 * (int64_t)hinge]];
}

static SnStatus add_hinges(const SnModel* model, const int* owner, Pair** pairs, int64_t* count)
{
    int64_t before = *count;
    int capacity = (int)*count;
    for (int b = 0; b < model->body_count; b++)
        for (int h = 0; h < model->bodies[b].hinge_count; h++)
            for (int c = 0; c < 4; c++) {
                const SnBody* body = &model->bodies[b];
                int node = body->first_node + body->hinges[4 * (int64_t)h + c], part = hinge_part(body, h, owner);
                if (owner[node] == part) continue;
                if (!SN_GROW(*pairs, capacity, *count + 2, "parts")) return SN_ERROR_MEMORY;
                (*pairs)[(*count)++] = (Pair){node, part};
                (*pairs)[(*count)++] = (Pair){node, owner[node]};
            }
    if (*count > before) *count = sort_pairs(*pairs, *count);
    return SN_OK;
}

// A part needs its surface as a whole.
static bool keeps_surface(const SnModel* model, int body)
{
    bool any = sn_model_surfaces_meet(model);
    for (int k = 0; k < model->slide_count; k++)
        any |= model->slides[k].obstacle < 0 && model->slides[k].target_body == body;
    return any;
}

// Constraints join nodes of surfaces to any others.
static void mark_common(const SnModel* model, bool* common)
{
    for (int k = 0; k < model->slide_count; k++)
        for (int i = 0; i < model->slides[k].node_count && model->slides[k].obstacle < 0; i++)
            common[model->slides[k].nodes[i]] = true;
    for (int b = 0; b < model->body_count; b++) {
        const SnBody* body = &model->bodies[b];
        if (!keeps_surface(model, b)) continue;
        for (int64_t k = 0; k < 3 * (int64_t)body->surface_count; k++)
            common[body->first_node + body->surface[k]] = true;
        for (int64_t k = 0; k < 2 * (int64_t)body->edge_count; k++) common[body->first_node + body->edges[k]] = true;
    }
}

static SnStatus find_touched(const SnModel* model, const Elements* e, const int* part, Touched* t)
{
    Pair* pairs = NULL;
    int64_t count = 0, k = 0;
    if (!SN_NEW(t->owner, model->node_count, "parts") || !SN_NEW(t->start, (int64_t)model->node_count + 1, "parts") ||
        !SN_NEW(t->common, model->node_count, "parts"))
        return SN_ERROR_MEMORY;
    mark_common(model, t->common);
    SnStatus status = find_owners(e, part, model->node_count, t->owner, &pairs, &count);
    if (status == SN_OK) status = add_hinges(model, t->owner, &pairs, &count);
    if (status == SN_OK && !SN_NEW(t->parts, count + model->node_count, "parts")) status = SN_ERROR_MEMORY;
    for (int i = 0, used = 0; i < model->node_count && status == SN_OK; i++) {
        bool several = k < count && pairs[k].node == i;
        if (!several) t->parts[used++] = t->owner[i];
        for (; k < count && pairs[k].node == i; k++) t->parts[used++] = pairs[k].part;
        t->start[i + 1] = used;
    }
    sn_free(pairs);
    return status;
}

static bool is_in(const Touched* t, int node, int part)
{
    for (int k = t->start[node]; k < t->start[node + 1]; k++)
        if (t->parts[k] == part) return true;
    return false;
}

// Of each body the common ones, in their order, then its own, then copies.
static int order_of(const Touched* t, int node, int mine)
{
    return t->common[node] ? 0 : t->owner[node] == mine ? 1 : 2;
}

static void list_nodes(const SnModel* model, const Touched* t, int mine, const int* place, SnPartOf* of)
{
    for (int b = 0; b < model->body_count; b++) {
        const SnBody* body = &model->bodies[b];
        for (int pass = 0; pass < 3; pass++)
            for (int i = body->first_node; i < body->first_node + body->node_count; i++) {
                if (place[i] < 0 || order_of(t, i, mine) != pass) continue;
                if (pass == 0) of->common[of->common_count++] = of->node_count;
                of->body[of->node_count] = b;
                of->nodes[of->node_count++] = i;
            }
    }
}

// Own nodes, as ranges; those of several bodies are in several.
static void list_spans(SnPartOf* of)
{
    for (int k = 0; k < of->node_count; k++) {
        if (!of->own[k]) continue;
        bool on = k > 0 && of->own[k - 1] && of->body[k - 1] == of->body[k];
        if (!on) of->spans[2 * of->span_count++] = k;
        of->spans[2 * of->span_count - 1] = k + 1;
    }
}

// The part's nodes. place: node_count of the whole, the number in the part, or -1.
static SnStatus choose_nodes(const SnModel* model, const Touched* t, int mine, int* place, SnPartOf* of)
{
    int count = 0, sharers = 0, common = 0;
    for (int i = 0; i < model->node_count; i++) {
        bool here = is_in(t, i, mine);
        place[i] = here || t->common[i] ? count++ : -1;
        common += t->common[i];
        if (here) sharers += t->start[i + 1] - t->start[i] - 1;
    }
    of->body_count = model->body_count;
    if (!SN_NEW(of->nodes, count, "parts") || !SN_NEW(of->owner, count, "parts") || !SN_NEW(of->own, count, "parts") ||
        !SN_NEW(of->body, count, "parts") || !SN_NEW(of->ghost, count, "parts") ||
        !SN_NEW(of->common, common, "parts") || !SN_NEW(of->sharer_start, (int64_t)count + 1, "parts") ||
        !SN_NEW(of->sharers, sharers, "parts") ||
        !SN_NEW(of->spans, 2 * (int64_t)(common + model->body_count), "parts"))
        return SN_ERROR_MEMORY;
    list_nodes(model, t, mine, place, of);
    for (int k = 0, used = 0; k < count; k++) {
        int i = of->nodes[k];
        place[i] = k;
        of->owner[k] = t->owner[i], of->own[k] = t->owner[i] == mine, of->ghost[k] = !is_in(t, i, mine);
        for (int s = t->start[i]; s < t->start[i + 1] && !of->ghost[k]; s++)
            if (t->parts[s] != mine) of->sharers[used++] = t->parts[s];
        of->sharer_start[k + 1] = used;
    }
    list_spans(of);
    of->all_nodes = model->node_count;
    return SN_OK;
}

// --- arrays ---

// The chosen entries of an array, each `width` of them, in a new one.
static SnStatus choose(void* array, const int* chosen, int64_t count, size_t size)
{
    char **from = array, *to = sn_allocate((size_t)count, size, "parts");
    if (!*from || count < 0) {
        sn_free(to);
        return SN_OK;
    }
    if (!to) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) memcpy(to + (size_t)i * size, *from + (size_t)chosen[i] * size, size);
    sn_free(*from);
    *from = to;
    return SN_OK;
}

// A list of numbers: which stay, in order.
typedef struct Choice {
    int count;
    int* items;
} Choice;

static SnStatus renumber(int64_t count, const int* place, int from_first, int to_first, int* nodes)
{
    for (int64_t i = 0; i < count; i++) nodes[i] = place[nodes[i] + from_first] - to_first;
    return SN_OK;
}

// What a body needs to be cut.
typedef struct Cut {
    const int* part;  // of the body's elements
    const int* owner; // of nodes of the whole
    const int* place;
    int mine;
    bool whole_surface;     // as contacts need it
    Choice nodes, elements; // of the body
    int* element_place;     // of the body's elements in the part, or -1
    int first_node;         // in the part
} Cut;

// Ropes touch with their elements.
static SnStatus keep_touching_edges(SnBody* body, const Cut* cut)
{
    int64_t size = 2 * (int64_t)body->edge_count;
    if (!cut->whole_surface || size == 0) return SN_OK;
    body->touching_edges = sn_copy_memory(body->edges, (size_t)size, sizeof *body->edges, "parts");
    body->touching_edge_count = body->edge_count;
    if (!body->touching_edges) return SN_ERROR_MEMORY;
    return renumber(size, cut->place, body->first_node, cut->first_node, body->touching_edges);
}

static SnStatus cut_elements(SnBody* body, const Cut* cut)
{
    SN_TRY(keep_touching_edges(body, cut));
    int kinds[3] = {4, 3, 2}, **lists[3] = {&body->tetrahedra, &body->triangles, &body->edges};
    int* counts[3] = {&body->tetrahedron_count, &body->triangle_count, &body->edge_count};
    for (int k = 0; k < 3; k++) {
        if (*counts[k] == 0) continue;
        SN_TRY(choose(lists[k], cut->elements.items, cut->elements.count, (size_t)kinds[k] * sizeof(int)));
        *counts[k] = cut->elements.count;
        renumber((int64_t)kinds[k] * cut->elements.count, cut->place, body->first_node, cut->first_node, *lists[k]);
    }
    SN_TRY(
        choose(&body->element_parameters, cut->elements.items, cut->elements.count, sizeof *body->element_parameters));
    SN_TRY(choose(&body->node_density, cut->nodes.items, cut->nodes.count, sizeof *body->node_density));
    return choose(&body->rest, cut->nodes.items, cut->nodes.count, 3 * sizeof *body->rest);
}

// Those of `count` things that are kept, listed in room.
static SnStatus cut_fibers(SnBody* body, const Cut* cut, int* room)
{
    int count = 0;
    for (int k = 0; k < body->fiber_count; k++)
        if (cut->element_place[body->fibers[k]] >= 0) room[count++] = k;
    SN_TRY(choose(&body->fibers, room, count, sizeof(int)));
    SN_TRY(choose(&body->fiber_stiffness, room, count, sizeof(double)));
    SN_TRY(choose(&body->fiber_directions, room, count, 3 * sizeof(double)));
    for (int k = 0; k < count; k++) body->fibers[k] = cut->element_place[body->fibers[k]];
    body->fiber_count = count;
    return SN_OK;
}

static SnStatus cut_hinges(SnBody* body, const Cut* cut, int* room)
{
    int count = 0;
    for (int k = 0; k < body->hinge_count; k++)
        if (hinge_part(body, k, cut->owner) == cut->mine) room[count++] = k;
    SN_TRY(choose(&body->hinges, room, count, 4 * sizeof(int)));
    SN_TRY(choose(&body->hinge_stiffness, room, count, sizeof(double)));
    body->hinge_count = count;
    return renumber(4 * (int64_t)count, cut->place, body->first_node, cut->first_node, body->hinges);
}

// A triangle of the surface stays with the element that it is a face of: of those with all its nodes the first.
static SnStatus cut_surface(SnBody* body, const Cut* cut, const SnElements* e)
{
    int *start, *list = NULL, kept = 0;
    if (body->surface_count == 0) return SN_OK;
    if (cut->whole_surface)
        return renumber(3 * (int64_t)body->surface_count, cut->place, body->first_node, cut->first_node, body->surface);
    if (!SN_NEW(start, (int64_t)body->node_count + 2, "parts")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(list, (int64_t)e->count * e->nodes, "parts") ? SN_OK : SN_ERROR_MEMORY;
    int64_t size = (int64_t)e->count * e->nodes;
    for (int64_t k = 0; k < size && list; k++) start[e->items[k] + 2]++;
    for (int i = 0; i < body->node_count && list; i++) start[i + 2] += start[i + 1];
    for (int64_t k = 0; k < size && list; k++) list[start[e->items[k] + 1]++] = (int)(k / e->nodes);
    for (int t = 0; t < body->surface_count && list; t++) {
        int *corners = body->surface + 3 * (int64_t)t, of = -1;
        for (int k = start[corners[0]]; k < start[corners[0] + 1] && of < 0; k++) {
            const int* nodes = e->items + (int64_t)e->nodes * list[k];
            int found = 0;
            for (int c = 0; c < e->nodes; c++) found += nodes[c] == corners[1] || nodes[c] == corners[2];
            if (found == 2) of = list[k];
        }
        if (of >= 0 && cut->part[of] == cut->mine)
            memmove(body->surface + 3 * (int64_t)kept++, corners, 3 * sizeof(int));
    }
    body->surface_count = kept;
    renumber(3 * (int64_t)kept, cut->place, body->first_node, cut->first_node, body->surface);
    SN_FREE(start, list);
    return status;
}

// Where shifts of the body's dampings are in the whole, and which elements these act on.
static SnStatus cut_dampings(SnBody* body, const Cut* cut, int* room, int64_t* first_shift, SnPartOf* of)
{
    for (int d = 0; d < body->damping_count; d++) {
        SnBodyDamping* damping = &body->dampings[d];
        bool all = !damping->elements, sticks = sn_dissipation_sticks(&damping->dissipation);
        int before = all ? sn_body_elements(body).count : damping->element_count, count = 0;
        for (int k = 0; k < before; k++) {
            if (cut->element_place[all ? k : damping->elements[k]] < 0) continue;
            for (int s = 0; s < SN_SHIFT && sticks; s++)
                of->shifts[of->shift_count++] = *first_shift + (int64_t)SN_SHIFT * k + s;
            room[count++] = k;
        }
        *first_shift += sticks ? (int64_t)SN_SHIFT * before : 0;
        if (all) continue;
        SN_TRY(choose(&damping->elements, room, count, sizeof(int)));
        for (int k = 0; k < count; k++) damping->elements[k] = cut->element_place[damping->elements[k]];
        damping->element_count = count;
    }
    return SN_OK;
}

static SnStatus cut_body(SnBody* body, Cut* cut, int64_t* first_shift, SnPartOf* of)
{
    SnElements e = sn_body_elements(body);
    int most = e.count > body->hinge_count ? e.count : body->hinge_count, *room;
    if (body->fiber_count > most) most = body->fiber_count;
    if (!SN_NEW(room, most, "parts")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(cut->elements.items, e.count, "parts") && SN_NEW(cut->element_place, e.count, "parts")
                          ? SN_OK
                          : SN_ERROR_MEMORY;
    for (int k = 0; k < e.count && status == SN_OK; k++) {
        cut->element_place[k] = cut->part[k] == cut->mine ? cut->elements.count : -1;
        if (cut->element_place[k] >= 0) cut->elements.items[cut->elements.count++] = k;
    }
    if (status == SN_OK) status = cut_surface(body, cut, &e);
    if (status == SN_OK) status = cut_dampings(body, cut, room, first_shift, of);
    if (status == SN_OK) status = cut_fibers(body, cut, room);
    if (status == SN_OK) status = cut_hinges(body, cut, room);
    if (status == SN_OK) status = cut_elements(body, cut);
    SN_FREE(room, cut->elements.items, cut->element_place);
    if (status != SN_OK) return status;
    body->whole_first = body->first_node;
    body->first_node = cut->first_node;
    body->node_count = cut->nodes.count;
    return SN_OK;
}

// place: of nodes of the whole; first nodes of bodies are still the whole's.
static SnStatus cut_bodies(SnModel* model, const int* part, const Touched* t, const int* place, int mine, SnPartOf* of)
{
    int first = 0;
    int64_t element = 0, first_shift = 0;
    if (!SN_NEW(of->shifts, model->shift_count, "parts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < model->body_count; b++) {
        SnBody* body = &model->bodies[b];
        int count = 0, elements = sn_body_elements(body).count, *nodes;
        while (first + count < of->node_count && of->nodes[first + count] < body->first_node + body->node_count)
            count++;
        if (!SN_NEW(nodes, count, "parts")) return SN_ERROR_MEMORY;
        for (int i = 0; i < count; i++) nodes[i] = of->nodes[first + i] - body->first_node;
        Cut cut = {.part = part + element,
                   .owner = t->owner,
                   .place = place,
                   .mine = mine,
                   .whole_surface = keeps_surface(model, b),
                   .nodes = {count, nodes},
                   .first_node = first};
        SnStatus status = cut_body(body, &cut, &first_shift, of);
        sn_free(nodes);
        SN_TRY(status);
        first += count, element += elements;
    }
    model->node_count = of->node_count;
    model->shift_count = of->shift_count;
    return SN_OK;
}

// Nodes that are taken out of the problem stay in every part that has them; those held by energy where they belong.
// Fields of elements are of those that are left.
static void number_elements(SnModel* model)
{
    model->element_count = 0;
    for (int b = 0; b < model->body_count; b++) {
        model->bodies[b].first_element = model->element_count;
        model->element_count += sn_body_elements(&model->bodies[b]).count;
    }
}

static SnStatus cut_handles(SnModel* model, const int* place, SnPartOf* of)
{
    if (!SN_NEW(of->pins, model->pin_count, "parts")) return SN_ERROR_MEMORY;
    for (int h = 0; h < model->handle_count; h++) {
        SnHandle* handle = &model->handles[h];
        bool energy = handle->how == SN_HOLD_ENERGY;
        int count = 0, *room, first = of->pin_count;
        if (!SN_NEW(room, handle->node_count, "parts")) return SN_ERROR_MEMORY;
        for (int k = 0; k < handle->node_count; k++) {
            int node = place[handle->nodes[k]];
            if (node < 0 || (energy && !of->own[node])) continue;
            if (energy) of->pins[of->pin_count++] = handle->first_pin + k;
            room[count++] = k;
        }
        SnStatus status = choose(&handle->nodes, room, count, sizeof(int));
        if (status == SN_OK) status = choose(&handle->start, room, count, 3 * sizeof(double));
        if (handle->targets) sn_point_cache_choose(handle->targets, count, room);
        sn_free(room);
        SN_TRY(status);
        for (int k = 0; k < count; k++) handle->nodes[k] = place[handle->nodes[k]];
        handle->node_count = count, handle->first_pin = first;
    }
    model->pin_count = of->pin_count;
    return SN_OK;
}

// Of slides all nodes that are here.
static SnStatus cut_slides(SnModel* model, const int* place)
{
    for (int s = 0; s < model->slide_count; s++) {
        SnSlide* slide = &model->slides[s];
        int count = 0;
        for (int k = 0; k < slide->node_count; k++) {
            int node = place[slide->nodes[k]];
            if (node < 0) continue;
            slide->nodes[count] = node, slide->distance[count++] = slide->distance[k];
        }
        slide->node_count = count;
        if (slide->obstacle >= 0) continue;
        SnSlideSurface surface = sn_slide_surface_of(&model->bodies[slide->target_body]);
        SN_TRY(sn_slide_set_surface(slide, &surface));
    }
    return SN_OK;
}

// A triangle belongs to the first of the parts that have an element with all its corners.
static int triangle_part(const Touched* t, const int* corners)
{
    for (int k = t->start[corners[0]]; k < t->start[corners[0] + 1]; k++)
        if (is_in(t, corners[1], t->parts[k]) && is_in(t, corners[2], t->parts[k])) return t->parts[k];
    return t->owner[corners[0]];
}

static void cut_loads(SnModel* model, const Touched* t, const int* place, int mine)
{
    for (int l = 0; l < model->load_count; l++) {
        SnLoad* load = &model->loads[l];
        int nodes = 0, triangles = 0;
        for (int k = 0; k < load->node_count; k++)
            if (t->owner[load->nodes[k]] == mine) {
                if (load->weights) load->weights[nodes] = load->weights[k];
                load->nodes[nodes++] = place[load->nodes[k]];
            }
        for (int k = 0; k < load->triangle_count; k++) {
            const int* corners = load->triangles + 3 * (int64_t)k;
            if (triangle_part(t, corners) != mine) continue;
            for (int c = 0; c < 3; c++) load->triangles[3 * (int64_t)triangles + c] = place[corners[c]];
            triangles++;
        }
        load->node_count = nodes, load->triangle_count = triangles;
    }
}

// arrays: as they are in the whole.
static SnStatus cut_state(SnState* state, const SnModel* model, int array_count, const SnStateArray* arrays,
                          const SnPartOf* of)
{
    for (int a = 0; a < array_count; a++) {
        const SnStateArray* array = &arrays[a];
        const int* chosen = array->per == SN_PER_NODE ? of->nodes : of->pins;
        int64_t count = array->per == SN_PER_NODE ? of->node_count : of->pin_count;
        if (array->per == SN_PER_WORLD || array->count == 0) continue;
        if (array->per == SN_PER_SHIFT)
            for (int64_t i = 0; i < of->shift_count; i++) (*array->values)[i] = (*array->values)[of->shifts[i]];
        else
            SN_TRY(choose(array->values, chosen, count, (size_t)array->width * sizeof(double)));
    }
    state->constraints.count = 0;
    return sn_state_grow(state, model);
}

static SnStatus cut(SnWorld* world, const int* part, const Touched* t, int* place, int mine, SnPartOf* of)
{
    SnStateArray arrays[SN_STATE_ARRAYS];
    int count = sn_state_arrays(&world->model, &world->state, arrays);
    SN_TRY(choose_nodes(&world->model, t, mine, place, of));
    SN_TRY(cut_bodies(&world->model, part, t, place, mine, of));
    number_elements(&world->model);
    SN_TRY(cut_handles(&world->model, place, of));
    cut_loads(&world->model, t, place, mine);
    SN_TRY(cut_slides(&world->model, place));
    return cut_state(&world->state, &world->model, count, arrays, of);
}

SnStatus sn_world_restrict(SnWorld* world, const int* part, int mine, SnPartOf* of)
{
    Elements e = {0};
    Touched t = {0};
    int* place = NULL;
    *of = (SnPartOf){0};
    sn_world_discard_problem(world);
    SnStatus status = list_elements(world, &e);
    if (status == SN_OK) status = find_touched(&world->model, &e, part, &t);
    free_elements(&e);
    if (status == SN_OK && !SN_NEW(place, world->model.node_count, "parts")) status = SN_ERROR_MEMORY;
    if (status == SN_OK) status = cut(world, part, &t, place, mine, of);
    free_touched(&t);
    sn_free(place);
    return status;
}
