// Contacts between surfaces, and all contacts in their order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/inside.h"
#include "contact/near.h"
#include "linalg/vec3.h"

SnStatus sn_contact_list_add(SnContactList* list, const SnContact* contact)
{
    if (!SN_GROW(list->items, list->capacity, (int64_t)list->count + 1, "contacts")) return SN_ERROR_MEMORY;
    list->items[list->count++] = *contact;
    return SN_OK;
}

static int target_of(const SnContacts* c, int point)
{
    int surface = c->surfaces->of_point[point];
    return c->obstacle_of[surface] >= 0 ? c->obstacle_of[surface] : c->obstacle_count + surface;
}

double sn_contact_thickness(const SnContacts* c, int a, int b)
{
    return a < c->body_point_count ? sn_contacts_thickness(c, c->surfaces->of_point[a], target_of(c, b))
                                   : sn_contacts_thickness(c, c->surfaces->of_point[b], target_of(c, a));
}

static void gather(const double* x, const SnPair* pair, double q[4][3])
{
    for (int k = 0; k < 4; k++) memcpy(q[k], x + 3 * (int64_t)pair->point[k], sizeof q[k]);
}

static void nearest(bool edges, const double q[4][3], SnDistance* d)
{
    edges ? sn_distance_edge_edge(q, d) : sn_distance_node_triangle(q, d);
}

// The points of a pair that matter, side by side: however its elements list their corners, and whichever elements share
// them, they are the same. The side with fewer points comes first, then that with the lower number.
typedef struct Sides {
    int count[2], point[2][3];
    bool turned; // the first is the pair's second
} Sides;

static void add_sorted(int* count, int* points, int point)
{
    int at = (*count)++;
    for (; at > 0 && points[at - 1] > point; at--) points[at] = points[at - 1];
    points[at] = point;
}

static Sides sides_of(const SnPair* pair, bool edges, const SnDistance* d)
{
    Sides s = {0};
    for (int k = 0; k < 4; k++) {
        int side = edges ? k / 2 : k > 0;
        if (d->weight[k] != 0) add_sorted(&s.count[side], s.point[side], pair->point[k]);
    }
    s.turned = s.count[0] != s.count[1] ? s.count[0] > s.count[1] : s.point[0][0] > s.point[1][0];
    if (!s.turned) return s;
    Sides t = {.turned = true};
    for (int side = 0; side < 2; side++) {
        t.count[side] = s.count[1 - side];
        memcpy(t.point[side], s.point[1 - side], sizeof t.point[side]);
    }
    return t;
}

// Their numbers, mixed (splitmix64).
static int64_t key_of(const SnContacts* c, const Sides* s)
{
    uint64_t h = (uint64_t)(4 * s->count[0] + s->count[1]);
    for (int k = 0; k < s->count[0] + s->count[1]; k++) {
        int point = k < s->count[0] ? s->point[0][k] : s->point[1][k - s->count[0]];
        h += ((uint64_t)sn_contact_number(c, point) + 1) * UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
        h ^= h >> 31;
    }
    return (int64_t)(h >> 5);
}

// The way a node's surface looks at the safe place, any length; zero of ropes.
static void normal_of(const SnContacts* c, int p, double normal[3])
{
    const SnNeighbours* n = c->neighbours;
    const double* x = c->safe;
    memset(normal, 0, 3 * sizeof *normal);
    for (int64_t k = n->first[p]; k < n->first[p + 1]; k++) {
        double u[3], v[3], w[3];
        sn_subtract3(x + 3 * (int64_t)n->triangles[2 * k], x + 3 * (int64_t)p, u);
        sn_subtract3(x + 3 * (int64_t)n->triangles[2 * k + 1], x + 3 * (int64_t)p, v);
        sn_cross3(u, v, w);
        for (int a = 0; a < 3; a++) normal[a] += w[a];
    }
}

// The node, what it touches, and whether that is on the side where its surface looks to; 0: of two edges.
static int64_t place_of(const SnContacts* c, const Sides* sides, const SnContact* contact)
{
    double normal[3];
    int p = sides->point[0][0];
    if (sides->count[0] > 1) return 0;
    normal_of(c, p, normal);
    bool side = sn_dot3(normal, contact->at.normal) > 0;
    int to = c->surfaces->of_point[sides->point[1][0]];
    return (int64_t)1 << 60 | sn_contact_number(c, p) << 24 | (int64_t)to << 1 | side;
}

double sn_contact_friction(const SnContacts* c, int body, int target)
{
    if (c->options.friction) return c->options.friction(c->options.user, body, target);
    return target < c->obstacle_count ? c->obstacles[target].friction : 0;
}

// Whom the contact belongs to, and who is touched.
static void name_sides(const SnContacts* c, const Sides* sides, SnContact* out)
{
    int body =
        c->obstacle_of[c->surfaces->of_point[sides->point[0][0]]] < 0 ? 0 : 1; // else the obstacle's node or edge
    out->owner = c->surfaces->of_point[sides->point[body][0]];
    out->target = target_of(c, sides->point[1 - body][0]);
    out->friction = sn_contact_friction(c, out->owner, out->target);
}

// What carries several points of a side has their weights together.
void sn_contact_add_point(const SnContacts* c, int point, double weight, int from, SnStencil* at)
{
    SnCarried by = sn_contact_carried(c, point);
    for (int k = 0; k < by.count; k++) {
        int i = from;
        while (i < at->count && at->node[i] != by.node[k]) i++;
        if (i == at->count) at->node[at->count] = by.node[k], at->weight[at->count++] = 0;
        at->weight[i] += weight * by.weight[k];
    }
}

// Points of obstacles go into the plane's offset and into the velocity.
static void add_vertex(const SnContacts* c, int64_t p, double weight, SnContact* out)
{
    out->at.offset -= weight * sn_dot3(out->at.normal, c->aim + 3 * p);
    for (int a = 0; a < 3 && c->span > 0; a++)
        out->velocity[a] -= weight * (c->aim[3 * p + a] - c->before[3 * p + a]) / c->span;
}

// The side of the contact's owner comes first.
static void add_points(const SnContacts* c, const SnPair* pair, bool edges, const SnDistance* d, bool turned,
                       double thickness, SnContact* out)
{
    SnStencil* at = &out->at;
    at->offset = thickness;
    for (int side = 0; side < 2; side++) {
        int from = at->count;
        for (int k = 0; k < 4; k++) {
            bool second = edges ? k > 1 : k > 0;
            if (d->weight[k] == 0 || second != ((side == 1) != turned)) continue;
            if (pair->point[k] < c->body_point_count)
                sn_contact_add_point(c, pair->point[k], d->weight[k], from, at);
            else
                add_vertex(c, pair->point[k], d->weight[k], out);
        }
        if (at->first == 0) at->first = at->count;
    }
}

void sn_contact_nearest(const double* x, const SnPair* pair, bool edges, SnDistance* d)
{
    double q[4][3];
    gather(x, pair, q);
    nearest(edges, q, d);
}

static double distance_at(const double* x, const SnPair* pair, bool edges)
{
    SnDistance d;
    sn_contact_nearest(x, pair, edges, &d);
    return sqrt(d.square);
}

bool sn_contact_near_at_rest(const SnContacts* c, const SnPair* pair, bool edges)
{
    int other = pair->point[edges ? 2 : 1], s = c->surfaces->of_point[pair->point[0]];
    double rest = SN_CONTACT_AT_REST * sn_contact_thickness(c, pair->point[0], other);
    return s == c->surfaces->of_point[other] && distance_at(c->rest, pair, edges) < rest;
}

// A node that lies on a triangle is kept on the side that its own surface looks away from.
static bool face_normal(const SnContacts* c, const SnPair* pair, const double q[4][3], double normal[3])
{
    double u[3], v[3], own[3];
    sn_subtract3(q[2], q[1], u), sn_subtract3(q[3], q[1], v);
    sn_cross3(u, v, normal);
    double length = sn_length3(normal);
    normal_of(c, pair->point[0], own);
    for (int a = 0; a < 3; a++) normal[a] /= sn_dot3(own, normal) > 0 ? -length : length;
    return length > 0;
}

static double share_back(const SnContacts* c)
{
    return c->options.back > 0 ? c->options.back : SN_CONTACT_BACK;
}

bool sn_contact_make(const SnContacts* c, const SnPair* pair, bool edges, const double q[4][3], double share,
                     SnContact* out)
{
    SnDistance d;
    nearest(edges, q, &d);
    double length = sqrt(d.square),
           thickness = share * sn_contact_thickness(c, pair->point[0], pair->point[edges ? 2 : 1]);
    bool apart = length > 1e-9 * thickness;
    Sides sides = sides_of(pair, edges, &d);
    *out = (SnContact){.key = key_of(c, &sides)};
    if (!apart && (edges || !face_normal(c, pair, q, out->at.normal))) return false;
    for (int k = 0; k < 4 && apart; k++)
        for (int a = 0; a < 3; a++) out->at.normal[a] += d.weight[k] * q[k][a] / length;
    for (int k = 0; k < 4 && sides.turned; k++) d.weight[k] = -d.weight[k];
    for (int a = 0; a < 3 && sides.turned; a++) out->at.normal[a] = -out->at.normal[a];
    double before = distance_at(c->before, pair, edges), part = SN_CONTACT_PART * thickness;
    double back = before > thickness - part ? part : fmin(share_back(c) * thickness, c->options.push * c->span);
    name_sides(c, &sides, out);
    out->place = place_of(c, &sides, out);
    add_points(c, pair, edges, &d, sides.turned, fmin(thickness, before + back), out);
    return out->at.count > 0;
}

void sn_contact_push(const SnContacts* c, const SnPair* pair, const SnDistance* d, const double normal[3], double gap,
                     SnContact* out)
{
    Sides sides = sides_of(pair, false, d);
    *out = (SnContact){.key = (int64_t)3 << 58 | key_of(c, &sides) >> 1};
    memcpy(out->at.normal, normal, sizeof out->at.normal);
    name_sides(c, &sides, out);
    out->friction = 0;
    add_points(c, pair, false, d, sides.turned, gap, out);
}

// A pair that nobody but the script moves, and that is where it is by its will: of obstacles, or pinned to each other
// from the start. Not what the script has brought together since, which would then go through each other.
static bool is_arranged(const SnContacts* c, const SnPair* pair, bool edges)
{
    bool obstacles = true;
    for (int k = 0; k < 4; k++) {
        if (!sn_contact_scripted(c, pair->point[k])) return false;
        obstacles &= pair->point[k] >= c->body_point_count;
    }
    double thickness = sn_contact_thickness(c, pair->point[0], pair->point[edges ? 2 : 1]);
    return obstacles || (c->options.start && distance_at(c->began, pair, edges) <= SN_CONTACT_ARRANGED * thickness);
}

// A point of it is on its way through the other side's surface.
static bool is_tangled(const SnContacts* c, const SnPair* pair, bool edges)
{
    for (int k = 0; k < 4 && c->tangles.count > 0; k++) {
        bool first = edges ? k < 2 : k < 1;
        int other = pair->point[first ? edges ? 2 : 1 : 0];
        if (sn_tangles_has(&c->tangles, pair->point[k], c->surfaces->of_point[other])) return true;
    }
    return false;
}

bool sn_contact_is_idle(const SnContacts* c, const SnPair* pair, bool edges)
{
    if (is_arranged(c, pair, edges) || is_tangled(c, pair, edges)) return true;
    for (int k = 0; k < 4 && c->options.kept; k++) {
        bool first = edges ? k < 2 : k < 1;
        int other = pair->point[first ? edges ? 2 : 1 : 0];
        if (sn_contact_exempt(c, pair->point[k], target_of(c, other))) return true;
    }
    return false;
}

// A body of which nothing is inside: its thickness is that of a cloth, not only what it takes to tell sides apart.
static bool is_sheet(const SnContacts* c, int surface)
{
    return c->obstacle_of[surface] < 0 && c->bodies[surface].tetrahedron_count == 0;
}

static int compare_keys(const void* a, const void* b)
{
    int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
    return x < y ? -1 : x > y;
}

static bool pushes(const SnContacts* c, const SnPair* pair, bool edges, const SnDistance* d)
{
    if (c->pushing_count == 0) return false;
    Sides sides = sides_of(pair, edges, d);
    int64_t key = key_of(c, &sides);
    return bsearch(&key, c->pushing, (size_t)c->pushing_count, sizeof key, compare_keys) != NULL;
}

// Of what is near at the safe place, or about to be: how much of the thickness is kept; 0: of others.
static double share_of(const SnContacts* c, const SnPair* pair, bool edges, double q[4][3], bool* met)
{
    int other = pair->point[edges ? 2 : 1], s = c->surfaces->of_point[pair->point[0]], t = c->surfaces->of_point[other];
    double near = c->reach[s] + c->reach[t], thickness = sn_contact_thickness(c, pair->point[0], other);
    SnDistance d;
    gather(c->safe, pair, q);
    nearest(edges, q, &d);
    if (d.square > near * near || sn_contact_near_at_rest(c, pair, edges)) return 0;
    SnNearestBy as = {.edges = edges, .close = d.square < SN_CONTACT_CLOSE * SN_CONTACT_CLOSE * thickness * thickness};
    if (sn_neighbours_nearest(c->neighbours, pair->point, as, &d, c->safe)) return 1;
    as.flat = edges && d.square < thickness * thickness && (is_sheet(c, s) || is_sheet(c, t));
    if (as.flat && sn_neighbours_nearest(c->neighbours, pair->point, as, &d, c->safe)) return SN_CONTACT_FLAT;
    *met = as.close && pushes(c, pair, edges, &d);
    return *met;
}

static SnStatus collect_pair(SnContacts* c, const SnPair* pair, bool edges, SnContactList* found)
{
    SnContact contact;
    double q[4][3];
    bool scripted = true, met = false;
    for (int k = 0; k < 4; k++) scripted &= sn_contact_scripted(c, pair->point[k]);
    if (scripted || sn_contact_is_idle(c, pair, edges)) return SN_OK;
    double share = share_of(c, pair, edges, q, &met);
    if (share == 0 || !sn_contact_make(c, pair, edges, q, share, &contact)) return SN_OK;
    contact.met = met;
    return sn_contact_list_add(found, &contact);
}

// The lines that parts of surfaces without triangles are made of: ropes.
static bool is_rope(const SnContacts* c, int point)
{
    return c->neighbours->first[point] == c->neighbours->first[point + 1];
}

// Squares of how near the points of a pair are to be, so that it may count: of edges that have ends nearest their nodes
// say as much, unless they push already.
static void limits_of(const SnContacts* c, const SnPair* pair, bool edges, const SnBetween* between, double* near,
                      double* at_end)
{
    double reach = c->reach[between->surface[0]] + c->reach[between->surface[1]];
    double close = SN_CONTACT_CLOSE * between->thickness;
    bool rope = edges && (is_rope(c, pair->point[0]) || is_rope(c, pair->point[2]));
    *near = reach * reach;
    *at_end = rope ? *near : close * close;
}

// Most that meet on their way are not near where they are safe.
static SnStatus collect_pack(SnContacts* c, const SnPair* pairs, int count, bool edges, SnContactList* found)
{
    SnNoteNear* note = edges ? SN_OF_ISA(sn_note_near_edges) : SN_OF_ISA(sn_note_near_nodes);
    double near[SN_LANES] = {0}, at_end[SN_LANES] = {0};
    bool is_near[SN_LANES];
    SnBetween between = {{-1, -1}, 0};
    for (int l = 0; l < count; l++) {
        sn_contact_find_between(c, &pairs[l], edges, &between);
        limits_of(c, &pairs[l], edges, &between, &near[l], &at_end[l]);
    }
    note(c->safe, pairs, count, near, at_end, is_near);
    for (int l = 0; l < count; l++)
        if (is_near[l]) SN_TRY(collect_pair(c, &pairs[l], edges, found));
    return SN_OK;
}

// Chunks: nodes with obstacles, nodes with triangles, edges with edges.
static SnStatus collect_chunk(SnContacts* c, int chunk)
{
    const SnPairArray* lists[2] = {sn_pairs_node_triangle(c->pairs), sn_pairs_edge_edge(c->pairs)};
    SnContactList* found = &c->found[chunk];
    int nodes = sn_contact_chunks(c->touching_count, SN_NODE_GRAIN);
    found->count = 0;
    if (chunk < nodes) {
        int last = (chunk + 1) * SN_NODE_GRAIN;
        for (int i = chunk * SN_NODE_GRAIN; i < last && i < c->touching_count; i++)
            SN_TRY(sn_contact_obstacles(c, c->touching[i], found));
        return SN_OK;
    }
    chunk -= nodes;
    bool edges = chunk >= sn_contact_chunks(lists[0]->count, SN_CONTACT_GRAIN);
    if (edges) chunk -= sn_contact_chunks(lists[0]->count, SN_CONTACT_GRAIN);
    const SnPairArray* list = lists[edges];
    int first = chunk * SN_CONTACT_GRAIN,
        end = first + SN_CONTACT_GRAIN < list->count ? first + SN_CONTACT_GRAIN : list->count;
    for (int i = first; i < end; i += SN_LANES)
        SN_TRY(collect_pack(c, &list->items[i], end - i < SN_LANES ? end - i : SN_LANES, edges, found));
    return SN_OK;
}

static void collect_task(void* context, int chunk)
{
    SnContacts* c = context;
    c->status[chunk] = collect_chunk(c, chunk);
}

static SnStatus make_room(SnContacts* c, int chunks)
{
    int before = c->chunk_capacity, capacity = before;
    if (!SN_GROW(c->status, capacity, chunks, "contacts")) return SN_ERROR_MEMORY;
    if (!SN_GROW(c->found, c->chunk_capacity, chunks, "contacts")) return SN_ERROR_MEMORY;
    if (c->chunk_capacity > before)
        memset(c->found + before, 0, (size_t)(c->chunk_capacity - before) * sizeof *c->found);
    return SN_OK;
}

SnStatus sn_contacts_collect(SnContacts* c, SnContactAdd* add, void* user)
{
    int chunks = sn_contact_chunks(c->touching_count, SN_NODE_GRAIN) +
                 sn_contact_chunks(sn_pairs_node_triangle(c->pairs)->count, SN_CONTACT_GRAIN) +
                 sn_contact_chunks(sn_pairs_edge_edge(c->pairs)->count, SN_CONTACT_GRAIN);
    SN_TRY(make_room(c, chunks));
    sn_tasks_run(c->tasks, chunks, collect_task, c);
    for (int k = 0; k < chunks; k++) {
        if (c->status[k] != SN_OK) return sn_fail(c->status[k], "not enough memory for the contacts");
        for (int i = 0; i < c->found[k].count; i++) SN_TRY(add(user, &c->found[k].items[i]));
    }
    for (int i = 0; i < c->blocked.count; i++) SN_TRY(add(user, &c->blocked.items[i]));
    for (int i = 0; i < c->untangling.count; i++) SN_TRY(add(user, &c->untangling.items[i]));
    return SN_OK;
}
