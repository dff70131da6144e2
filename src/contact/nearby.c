// Lists of the elements that a node may touch while nothing has moved far (Verlet 1967), so that the trees need not be
// walked in each iteration.
//
// When they are made, all elements are listed that can come to matter until some node has gone by more than `margin`
// past the body, or may reach further than `reach`. What is found with them is what would be found with all elements,
// bit for bit, whenever they were made.
#include <math.h>
#include <string.h>

#include "contact/query.h"
#include "linalg/vec3.h"

enum { MOST_ITEMS = 512 }; // of a pair: in a crumpled body walking the trees is cheaper
#define MARGIN 0.5         // of an edge
#define ROUNDING 1e-8      // of a distance: ten times what searches allow for

static SnDrift drift_of(const SnContactBody* body, const double* from, const double* x)
{
    SnDrift drift = {{0}, 0};
    int64_t first = 3 * (int64_t)body->first_node, count = body->node_count;
    for (int64_t k = 0; k < 3 * count; k++)
        drift.displacement[k % 3] += (x[first + k] - from[first + k]) / (double)count;
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        double square = 0;
        for (int a = 0; a < 3; a++) {
            double d = x[first + 3 * i + a] - from[first + 3 * i + a] - drift.displacement[a];
            square += d * d;
        }
        most = square > most ? square : most;
    }
    drift.spread = sqrt(most);
    return drift;
}

static bool wanted(const SnContacts* c, int index, int target)
{
    return c->targets[target].surface && (c->body_of[index] == target ? c->options.self : c->options.bodies);
}

// How far a node, now at p, went past a body since it was `from`, at most.
static double displacement_past(const SnDrift* drift, const double from[3], const double p[3])
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        double d = p[c] - from[c] - drift->displacement[c];
        square += d * d;
    }
    return sqrt(square) + drift->spread;
}

double sn_contact_strayed(const SnContacts* c, int node, const SnTarget* t, const double p[3])
{
    return displacement_past(&t->since, c->listed + 3 * (int64_t)node, p);
}

double sn_contact_reach(const SnContacts* c, int node, const SnTarget* t, const double p[3])
{
    return c->options.thickness + 0.1 * t->edge + displacement_past(&t->moved, c->start.x + 3 * (int64_t)node, p);
}

typedef struct Check {
    SnContacts* contacts;
    const double* x;
} Check;

static void check_chunk(void* context, int chunk)
{
    const Check* it = context;
    SnContacts* c = it->contacts;
    int first = chunk * SN_CONTACT_GRAIN, last = first + SN_CONTACT_GRAIN;
    bool good = true;
    for (int i = first; i < last && i < c->node_count && good; i++) {
        const double* p = it->x + 3 * (int64_t)c->nodes[i];
        for (int b = 0; b < c->body_count && good; b++)
            good = !wanted(c, i, b) || (sn_contact_strayed(c, c->nodes[i], &c->targets[b], p) <= c->targets[b].margin &&
                                        sn_contact_reach(c, c->nodes[i], &c->targets[b], p) <= c->reach[i]);
    }
    c->outdated[chunk] = !good;
}

bool sn_nearby_holds(SnContacts* c, const double* x)
{
    for (int b = 0; b < c->body_count; b++) {
        c->targets[b].moved = drift_of(&c->bodies[b], c->start.x, x);
        if (c->have_lists) c->targets[b].since = drift_of(&c->bodies[b], c->listed, x);
    }
    bool good = c->have_lists;
    if (good) sn_tasks_run(c->tasks, c->chunk_count, check_chunk, &(Check){c, x});
    for (int k = 0; k < c->chunk_count && good; k++) good = !c->outdated[k];
    return good;
}

void sn_nearby_begin(SnContacts* c, const double* x)
{
    for (int k = 0; k < c->body_count; k++) {
        SnTarget* t = &c->targets[k];
        int64_t first = 3 * (int64_t)c->bodies[k].first_node;
        memcpy(c->listed + first, x + first, 3 * (size_t)c->bodies[k].node_count * sizeof *x);
        t->since = (SnDrift){{0}, 0};
        t->margin = MARGIN * t->edge;
    }
    c->have_lists = true;
}

typedef struct Listing {
    SnContactQuery query;
    SnNearbyList* list;
    double near; // m: of triangles
    int first;   // item of the pair's tetrahedra, or triangles
    int most;    // items that the list may come to have
    bool full;
    SnStatus status;
} Listing;

// Puts it in its place: by distance, then number.
static bool list_item(Listing* l, int item, double distance)
{
    SnNearbyList* list = l->list;
    int k = list->item_count;
    l->full = k == l->most;
    if (l->full) return false;
    if (!SN_GROW(list->items, list->item_capacity, (int64_t)k + 1, "contacts")) {
        l->status = SN_ERROR_MEMORY;
        return false;
    }
    for (; k > l->first && list->items[k - 1].distance > distance; k--) list->items[k] = list->items[k - 1];
    list->items[k] = (SnNearbyItem){distance, item};
    list->item_count++;
    return true;
}

// The largest distance along an axis from a tetrahedron's box to p; 0 inside.
static double distance_from_box(const double* x, const int* n, const double p[3])
{
    double most = 0;
    for (int c = 0; c < 3; c++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int k = 0; k < 4; k++) {
            double at = x[3 * (int64_t)n[k] + c];
            lo = at < lo ? at : lo, hi = at > hi ? at : hi;
        }
        most = fmax(most, fmax(lo - p[c], p[c] - hi));
    }
    return most;
}

static bool list_tetrahedron(void* user, int item)
{
    Listing* l = user;
    const SnContactQuery* q = &l->query;
    if (!sn_contact_may_touch(q, q->target->tetrahedra, item)) return true;
    double far = distance_from_box(q->x, sn_tree_corners(q->target->tetrahedra, item), q->p);
    return far > q->target->margin * (1 + ROUNDING) || list_item(l, item, far);
}

static bool accept_triangle(void* user, int item)
{
    const SnContactQuery* q = user;
    return sn_contact_may_touch(q, q->target->surface, item);
}

static bool list_triangle(void* user, int item)
{
    Listing* l = user;
    const SnContactQuery* q = &l->query;
    const int* n = sn_tree_corners(q->target->surface, item);
    SnNearest nearest;
    if (sn_tree_square_to(q->target->surface, q->x, item, q->p) > l->near * l->near) return true;
    if (!sn_contact_may_touch(q, q->target->surface, item)) return true;
    sn_nearest_on_triangle(q->x + 3 * (int64_t)n[0], q->x + 3 * (int64_t)n[1], q->x + 3 * (int64_t)n[2], q->p,
                           &nearest);
    return nearest.distance > l->near || list_item(l, item, nearest.distance);
}

static void overlap(Listing* l, const SnTree* tree, double far, SnTreeVisit* visit)
{
    SnBox box;
    for (int c = 0; c < 3; c++) box.lo[c] = l->query.p[c] - far, box.hi[c] = l->query.p[c] + far;
    sn_tree_overlaps(tree, &box, visit, l);
}

// The nearest triangle may go away by the margin, and another one come as much nearer.
static void list_triangles(Listing* l, double reach)
{
    const SnTarget* t = l->query.target;
    SnNearest nearest;
    l->near = (reach + t->margin) * (1 + ROUNDING);
    l->first = l->list->item_count;
    if (!sn_tree_nearest(t->surface, l->query.x, l->query.p, l->near, accept_triangle, &l->query, &nearest)) return;
    l->near = fmin(l->near, (nearest.distance + 2 * t->margin) * (1 + ROUNDING));
    overlap(l, t->surface, l->near, list_triangle);
}

static SnStatus list_pair(SnContacts* c, const double* x, int index, int body, SnNearbyList* list)
{
    int node = c->nodes[index];
    const SnTarget* t = &c->targets[body];
    SnNearby pair = {.index = index, .body = body, .first = list->item_count};
    SnContactQuery query = {c, t, x, x + 3 * (int64_t)node, node, body == c->body_of[index], NULL, NULL};
    Listing l = {query, list, 0, pair.first, pair.first + MOST_ITEMS, false, SN_OK};
    if (t->tetrahedra) overlap(&l, t->tetrahedra, t->margin * (1 + ROUNDING), list_tetrahedron);
    pair.tetrahedra = list->item_count - pair.first;
    if (l.status == SN_OK && !l.full) list_triangles(&l, c->reach[index]);
    pair.triangles = list->item_count - pair.first - pair.tetrahedra;
    pair.near = l.near;
    if (l.full) {
        list->item_count = pair.first;
        pair.tetrahedra = pair.triangles = 0;
        pair.near = -1;
    }
    if (l.status != SN_OK || (!l.full && list->item_count == pair.first)) return l.status;
    if (!SN_GROW(list->pairs, list->capacity, (int64_t)list->count + 1, "contacts")) return SN_ERROR_MEMORY;
    list->pairs[list->count++] = pair;
    return SN_OK;
}

SnStatus sn_nearby_list(SnContacts* c, const double* x, int chunk)
{
    int first = chunk * SN_CONTACT_GRAIN, last = first + SN_CONTACT_GRAIN;
    SnNearbyList* list = &c->nearby[chunk];
    list->count = list->item_count = 0;
    for (int i = first; i < last && i < c->node_count; i++) {
        const double* p = x + 3 * (int64_t)c->nodes[i];
        c->reach[i] = 0;
        for (int b = 0; b < c->body_count; b++)
            if (wanted(c, i, b))
                c->reach[i] =
                    fmax(c->reach[i], sn_contact_reach(c, c->nodes[i], &c->targets[b], p) + c->targets[b].margin);
        for (int b = 0; b < c->body_count; b++)
            if (wanted(c, i, b)) SN_TRY(list_pair(c, x, i, b, list));
    }
    return SN_OK;
}
