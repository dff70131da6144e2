// How near things are: true distances between elements, and of nodes from obstacles.
#include <math.h>
#include <string.h>

#include "contact/inside.h"
#include "contact/near.h"

typedef struct Measure {
    const SnContacts* contacts;
    const double* x; // 3 x point_count
    SnNearness* chunks;
    int nodes, node_triangles; // how many chunks
} Measure;

static void measure_pair(const Measure* m, const SnPair* pair, bool edges, SnNearness* near)
{
    SnDistance d;
    sn_contact_nearest(m->x, pair, edges, &d);
    double distance = sqrt(d.square),
           most = SN_CONTACT_NEAR * sn_contact_thickness(m->contacts, pair->point[0], pair->point[edges ? 2 : 1]);
    if (distance >= near->distance || distance > most) return;
    if (sn_contact_is_idle(m->contacts, pair, edges) || sn_contact_near_at_rest(m->contacts, pair, edges)) return;
    near->distance = distance;
}

static void measure_pack(const Measure* m, const SnPair* pairs, int count, bool edges, SnNearness* near)
{
    SnNoteNear* note = edges ? SN_OF_ISA(sn_note_near_edges) : SN_OF_ISA(sn_note_near_nodes);
    double squares[SN_LANES] = {0};
    bool is_near[SN_LANES];
    SnBetween between = {{-1, -1}, 0};
    for (int l = 0; l < count; l++) {
        sn_contact_find_between(m->contacts, &pairs[l], edges, &between);
        double most = fmin(SN_CONTACT_NEAR * between.thickness, near->distance);
        squares[l] = most * most;
    }
    note(m->x, pairs, count, squares, squares, is_near);
    for (int l = 0; l < count; l++)
        if (is_near[l]) measure_pair(m, &pairs[l], edges, near);
}

// Any node, also inside a body, where it is on no surface.
static void measure_node(const Measure* m, int node, SnNearness* near)
{
    const SnContacts* c = m->contacts;
    int body = c->surfaces->of_point[node];
    double gradient[3];
    if (sn_contact_scripted(c, node)) return;
    for (int k = 0; k < c->obstacle_count; k++) {
        double apart = c->apart[(int64_t)body * c->obstacle_count + k];
        if (c->first_vertex[k] >= 0 || apart < 0 || sn_contact_exempt(c, node, k)) continue;
        double distance = sn_obstacle_distance_at(&c->obstacles[k], c->passed, m->x + 3 * (int64_t)node, gradient);
        near->depth = fmax(near->depth, -distance);
        if (distance <= SN_CONTACT_NEAR * apart) near->distance = fmin(near->distance, distance);
    }
}

static void measure_nodes(const Measure* m, int first, SnNearness* near)
{
    for (int i = first; i < first + SN_NODE_GRAIN && i < m->contacts->touching_count; i++)
        measure_node(m, m->contacts->touching[i], near);
}

static void measure_pairs(const Measure* m, bool edges, int first, SnNearness* near)
{
    const SnPairArray* pairs =
        edges ? sn_pairs_edge_edge(m->contacts->pairs) : sn_pairs_node_triangle(m->contacts->pairs);
    int end = first + SN_CONTACT_GRAIN < pairs->count ? first + SN_CONTACT_GRAIN : pairs->count;
    for (int i = first; i < end; i += SN_LANES)
        measure_pack(m, &pairs->items[i], end - i < SN_LANES ? end - i : SN_LANES, edges, near);
}

static void measure_chunk(void* context, int chunk)
{
    const Measure* m = context;
    SnNearness near = {INFINITY, 0};
    int pairs = chunk - m->nodes, edges = pairs - m->node_triangles;
    if (pairs < 0)
        measure_nodes(m, chunk * SN_NODE_GRAIN, &near);
    else
        measure_pairs(m, edges >= 0, (edges >= 0 ? edges : pairs) * SN_CONTACT_GRAIN, &near);
    m->chunks[chunk] = near;
}

// Everything has gone to its aim, so the pairs found on the way there are all that are near.
static bool has_arrived(const SnContacts* c, const double* x)
{
    return c->aimed && memcmp(c->safe, c->aim, 3 * (size_t)c->point_count * sizeof *x) == 0 &&
           memcmp(x, c->aim, 3 * (size_t)c->node_count * sizeof *x) == 0;
}

// All pairs that are near where points are now.
static SnStatus find_pairs(SnContacts* c)
{
    c->aimed = false, c->stood = true;
    return sn_pairs_find(c->pairs, c->end, c->end, c->radius);
}

SnStatus sn_contacts_measure(SnContacts* c, const double* x, SnNearness* out)
{
    memcpy(c->end, c->safe, 3 * (size_t)c->point_count * sizeof *x);
    memcpy(c->end, x, 3 * (size_t)c->node_count * sizeof *x);
    sn_contact_carry(c, c->end);
    if (!has_arrived(c, x)) SN_TRY(find_pairs(c));
    Measure m = {c, c->end, NULL, sn_contact_chunks(c->touching_count, SN_NODE_GRAIN),
                 sn_contact_chunks(sn_pairs_node_triangle(c->pairs)->count, SN_CONTACT_GRAIN)};
    int chunks = m.nodes + m.node_triangles + sn_contact_chunks(sn_pairs_edge_edge(c->pairs)->count, SN_CONTACT_GRAIN);
    if (!SN_GROW(c->nearness, c->nearness_capacity, chunks, "contacts")) return SN_ERROR_MEMORY;
    m.chunks = c->nearness;
    sn_tasks_run(c->tasks, chunks, measure_chunk, &m);
    *out = (SnNearness){INFINITY, 0};
    for (int k = 0; k < chunks; k++) {
        out->distance = fmin(out->distance, c->nearness[k].distance);
        out->depth = fmax(out->depth, c->nearness[k].depth);
    }
    out->distance = sn_share_smallest(c->tasks, out->distance);
    out->depth = sn_share_largest(c->tasks, out->depth);
    return SN_OK;
}
