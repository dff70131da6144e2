// How far everything may go: each point its own part of the way, such that no two elements come nearer than a part of
// the thickness.
//
// All points are given the whole way; what is hit there is shortened, and what belongs to it tested again, until
// nothing is hit. A part that is shorter changes who meets whom, so a few passes are needed; what is still hit then
// stays where it is. Scripted things, obstacles and held nodes, go together, and are held up only by what cannot go out
// of their way.
#include <math.h>
#include <string.h>

#include "contact/apart.h"
#include "contact/ccd.h"
#include "contact/inside.h"

enum {
    PASSES = 6, // in which what is hit goes as far as that; after these it stays
    MOST = 30,  // passes; after these nothing moves
};

#define PLENTY 2.5 // separations

typedef struct Pass {
    SnContacts* contacts;
    bool all; // all pairs are tested, or only those of which a point has been stopped
} Pass;

static const SnPair* pair_of(const SnContacts* c, int index, bool* edges)
{
    const SnPairArray* nodes = sn_pairs_node_triangle(c->pairs);
    *edges = index >= nodes->count;
    return *edges ? &sn_pairs_edge_edge(c->pairs)->items[index - nodes->count] : &nodes->items[index];
}

static int pair_count(const SnContacts* c)
{
    return sn_pairs_node_triangle(c->pairs)->count + sn_pairs_edge_edge(c->pairs)->count;
}

static void ends_of(const SnContacts* c, const SnPair* pair, double from[4][3], double to[4][3])
{
    for (int k = 0; k < 4; k++)
        for (int a = 0; a < 3; a++) {
            int64_t i = 3 * (int64_t)pair->point[k] + a;
            from[k][a] = c->safe[i], to[k][a] = c->end[i];
        }
}

// How far the pair may go, of the way that its points have.
static double way_of(const SnContacts* c, const SnPair* pair, bool edges, double separation)
{
    double from[4][3], to[4][3];
    ends_of(c, pair, from, to);
    return edges ? sn_ccd_edge_edge((const double(*)[3])from, (const double(*)[3])to, separation)
                 : sn_ccd_node_triangle((const double(*)[3])from, (const double(*)[3])to, separation);
}

static bool is_changed(const SnContacts* c, const SnPair* pair)
{
    bool changed = false;
    for (int k = 0; k < 4; k++) changed |= c->fraction[pair->point[k]] < 1;
    return changed;
}

// Of most a plane tells that they stay so far apart that no step is wanted to know (see contact/ccd.c).
static void test_pack(const Pass* p, int first, int count)
{
    SnContacts* c = p->contacts;
    bool edges, apart[SN_LANES];
    double separation[SN_LANES] = {0}, plenty[SN_LANES] = {0};
    const SnPair* pairs = pair_of(c, first, &edges);
    SnBetween between = {{-1, -1}, 0};
    for (int l = 0; l < count; l++) {
        sn_contact_find_between(c, &pairs[l], edges, &between);
        separation[l] = SN_CONTACT_SEPARATION * between.thickness, plenty[l] = PLENTY * separation[l];
    }
    SnNoteApart* note = edges ? SN_OF_ISA(sn_note_apart_edges) : SN_OF_ISA(sn_note_apart_nodes);
    note(c->safe, c->end, pairs, count, plenty, apart);
    for (int l = 0; l < count; l++) {
        bool test = !apart[l] && (p->all || is_changed(c, &pairs[l])) && !sn_contact_is_idle(c, &pairs[l], edges);
        c->pair_hit[first + l] = test ? way_of(c, &pairs[l], edges, separation[l]) : 1;
    }
}

static void test_pairs(void* context, int first, int last)
{
    const Pass* p = context;
    int nodes = sn_pairs_node_triangle(p->contacts->pairs)->count;
    for (int i = first, next; i < last; i = next) {
        next = last - i < SN_LANES ? last : i + SN_LANES;
        if (i < nodes && next > nodes) next = nodes;
        test_pack(p, i, next - i);
    }
}

static void test_nodes(void* context, int first, int last)
{
    const Pass* p = context;
    SnContacts* c = p->contacts;
    for (int i = first; i < last; i++)
        for (int k = 0; k < c->obstacle_count; k++) {
            int node = c->touching[i];
            bool test = sn_contact_meets(c, node, k) && (p->all || c->fraction[node] < 1 || c->scene < 1) &&
                        !sn_contact_obstacle_arranged(c, k, node);
            c->node_hit[(int64_t)i * c->obstacle_count + k] =
                test ? sn_contact_obstacle_way(c, k, node, c->end + 3 * (int64_t)node, c->scene) : 1;
        }
}

static bool stop_node(SnContacts* c, int node, double way, bool stay)
{
    if (sn_contact_scripted(c, node)) return false;
    bool moves = c->fraction[node] > 0;
    double allowed = stay ? 0 : way * c->fraction[node];
    if (allowed < c->allowed[node]) c->allowed[node] = allowed;
    return moves;
}

// What is hit goes `way` of its way at most. stay: not at all. Whether it can still be stopped by this.
static bool stop_point(SnContacts* c, int point, double way, bool stay)
{
    SnCarried by = sn_contact_carried(c, point);
    bool moves = false;
    for (int k = 0; k < by.count; k++) moves |= stop_node(c, by.node[k], way, stay);
    return moves;
}

// Nodes of a group go as far as the one of them that may go least far. Scripted ones go as the script does.
static void keep_together(SnContacts* c, const SnGoing* going)
{
    int groups = going && going->group ? going->group_count : 0;
    double* least = groups > 0 ? going->least : NULL; // negative, as the most of all processes is found
    for (int i = 0; i < groups; i++) least[i] = -1;
    for (int i = 0; i < c->node_count && groups > 0; i++)
        if (!sn_contact_scripted(c, i)) least[going->group[i]] = fmax(least[going->group[i]], -c->allowed[i]);
    sn_share_most(c->tasks, groups, least);
    for (int i = 0; i < c->node_count && groups > 0; i++) c->allowed[i] = -least[going->group[i]];
}

// Shortens what was hit; whether anything was, of all processes. scene: how far scripted things may go.
static bool shorten(SnContacts* c, bool stay, double* scene)
{
    bool any = false;
    int count = pair_count(c);
    memcpy(c->allowed, c->fraction, (size_t)c->point_count * sizeof *c->allowed);
    for (int i = 0; i < count; i++) {
        bool edges, moves = false;
        if (!(c->pair_hit[i] < 1)) continue;
        const SnPair* pair = pair_of(c, i, &edges);
        for (int k = 0; k < 4; k++) moves |= stop_point(c, pair->point[k], c->pair_hit[i], stay);
        if (!moves) *scene = fmin(*scene, c->pair_hit[i] * c->scene);
        any = true;
    }
    for (int64_t i = 0; i < (int64_t)c->touching_count * c->obstacle_count; i++) {
        if (!(c->node_hit[i] < 1)) continue;
        if (!stop_point(c, c->touching[i / c->obstacle_count], c->node_hit[i], stay))
            *scene = fmin(*scene, c->node_hit[i] * c->scene);
        any = true;
    }
    *scene = sn_share_smallest(c->tasks, *scene);
    return sn_share_any(c->tasks, any);
}

// Of what nodes carry, the least of theirs.
static void set_carried(const SnContacts* c, double* parts)
{
    for (int i = c->node_count; i < c->body_point_count; i++) {
        SnCarried by = sn_contact_carried(c, i);
        parts[i] = 1;
        for (int k = 0; k < by.count; k++) parts[i] = fmin(parts[i], parts[by.node[k]]);
    }
}

static void set_fractions(SnContacts* c, double scene)
{
    c->scene = scene;
    for (int i = 0; i < c->point_count; i++) c->fraction[i] = sn_contact_scripted(c, i) ? scene : c->allowed[i];
    set_carried(c, c->fraction);
}

// A node is stopped where what it carries is.
static void stop_carriers(SnContacts* c)
{
    for (int i = c->node_count; i < c->body_point_count; i++) {
        SnCarried by = sn_contact_carried(c, i);
        for (int k = 0; k < by.count; k++) c->first_hit[by.node[k]] = fmin(c->first_hit[by.node[k]], c->first_hit[i]);
    }
}

static void find_first_hits(SnContacts* c)
{
    for (int i = 0; i < c->point_count; i++) c->first_hit[i] = 1;
    int count = pair_count(c);
    for (int i = 0; i < count; i++) {
        bool edges;
        if (!(c->pair_hit[i] < 1)) continue;
        const SnPair* pair = pair_of(c, i, &edges);
        for (int k = 0; k < 4; k++) c->first_hit[pair->point[k]] = fmin(c->first_hit[pair->point[k]], c->pair_hit[i]);
    }
    for (int64_t i = 0; i < (int64_t)c->touching_count * c->obstacle_count; i++) {
        double* first = &c->first_hit[c->touching[i / c->obstacle_count]];
        *first = fmin(*first, c->node_hit[i]);
    }
    stop_carriers(c);
}

// Is it the first that stops one of its points that can go out of its way? Those behind it are often far sides, which
// contradict near ones.
static bool is_first(const SnContacts* c, const SnPair* pair, double hit)
{
    bool first = false;
    for (int k = 0; k < 4; k++) first |= !sn_contact_scripted(c, pair->point[k]) && hit <= c->first_hit[pair->point[k]];
    return first;
}

static SnStatus add_blocked(SnContacts* c, SnContact* contact)
{
    contact->blocked = contact->met = true;
    return sn_contact_list_add(&c->blocked, contact);
}

// Contacts where the whole way is blocked, at the time when it is.
static SnStatus list_blocked(SnContacts* c)
{
    SnContact contact;
    int count = pair_count(c);
    find_first_hits(c);
    for (int i = 0; i < count; i++) {
        bool edges;
        double from[4][3], to[4][3];
        if (!(c->pair_hit[i] < 1)) continue;
        const SnPair* pair = pair_of(c, i, &edges);
        if (!is_first(c, pair, c->pair_hit[i])) continue;
        ends_of(c, pair, from, to);
        for (int k = 0; k < 4; k++)
            for (int a = 0; a < 3; a++) from[k][a] += c->pair_hit[i] * (to[k][a] - from[k][a]);
        if (sn_contact_make(c, pair, edges, (const double(*)[3])from, 1, &contact)) SN_TRY(add_blocked(c, &contact));
    }
    for (int64_t i = 0; i < (int64_t)c->touching_count * c->obstacle_count; i++) {
        int node = c->touching[i / c->obstacle_count];
        if (!(c->node_hit[i] < 1) || c->node_hit[i] > c->first_hit[node] || sn_contact_scripted(c, node)) continue;
        sn_contact_obstacle_hit(c, (int)(i % c->obstacle_count), node, c->node_hit[i], &contact);
        SN_TRY(add_blocked(c, &contact));
    }
    return SN_OK;
}

static SnStatus make_room(SnContacts* c)
{
    int64_t nodes = (int64_t)c->touching_count * c->obstacle_count;
    if (!SN_GROW(c->pair_hit, c->pair_capacity, pair_count(c), "contacts")) return SN_ERROR_MEMORY;
    return SN_GROW(c->node_hit, c->node_capacity, nodes, "contacts") ? SN_OK : SN_ERROR_MEMORY;
}

static void report(SnContacts* c, SnAdvance* advance)
{
    *advance = (SnAdvance){.whole = c->scene == 1};
    for (int i = 0; i < c->node_count; i++) advance->stopped += c->fraction[i] < 1 && sn_share_owns(c->tasks, i);
    advance->stopped = (int)sn_share_total(c->tasks, advance->stopped);
    advance->whole &= advance->stopped == 0;
}

// Pairs on ways of which each point goes its own part: what goes along with something that is stopped now comes nearer
// to it. all: also those of which all points go all the way.
static SnStatus find_pairs_again(SnContacts* c, bool all)
{
    for (int i = 0; i < c->point_count; i++) c->changed[i] = all || c->fraction[i] < 1;
    sn_contact_set_ends(c);
    SN_TRY(sn_pairs_find_changed(c->pairs, c->safe, c->end, c->radius, c->changed));
    return make_room(c);
}

static void run_tests(SnContacts* c, bool all)
{
    sn_tasks_for(c->tasks, pair_count(c), SN_CONTACT_GRAIN, test_pairs, &(Pass){c, all});
    sn_tasks_for(c->tasks, c->touching_count, SN_NODE_GRAIN, test_nodes, &(Pass){c, all});
}

static SnStatus test(SnContacts* c, bool first)
{
    run_tests(c, first);
    return first ? list_blocked(c) : SN_OK;
}

// Shortens ways until nothing is hit; whether something still is.
static SnStatus shorten_all(SnContacts* c, const SnGoing* going, bool* hit)
{
    *hit = true;
    for (int pass = 0; *hit && pass < MOST; pass++) {
        double scene = c->scene;
        SN_TRY(test(c, pass == 0));
        *hit = shorten(c, pass >= PASSES, &scene);
        if (!*hit) break;
        keep_together(c, going);
        set_fractions(c, scene < 1 && c->obstacles_move ? 0 : scene);
        if (going && going->looks) break;
        SN_TRY(find_pairs_again(c, false));
    }
    return SN_OK;
}

SnStatus sn_contacts_advance(SnContacts* c, const SnGoing* going, SnAdvance* advance)
{
    SN_TRY(make_room(c));
    c->scene = 1;
    c->blocked.count = 0;
    for (int i = 0; i < c->point_count; i++) c->fraction[i] = 1;
    sn_contact_set_ends(c);
    bool hit;
    SN_TRY(shorten_all(c, going, &hit));
    hit &= !going || !going->looks;
    for (int i = 0; i < c->point_count && hit; i++) c->fraction[i] = 0;
    if (hit) c->scene = 0;
    report(c, advance);
    sn_pairs_back(c->pairs); // for those who collect
    return SN_OK;
}

double sn_contacts_way(const SnContacts* c, int node)
{
    return node < c->node_count ? c->fraction[node] : c->scene;
}

double sn_contacts_first_hit(const SnContacts* c, int node)
{
    return node < c->node_count ? c->first_hit[node] : 1;
}

// One of the nodes that a point goes with, which are in one island; node_count stands for obstacles' vertices.
static int node_of(const SnContacts* c, int point)
{
    if (point < c->node_count) return point;
    return sn_contact_is_carried(c, point) ? sn_contact_carried(c, point).node[0] : c->node_count;
}

// Static obstacles are nobody's: what stops there stops by itself. Nodes of one element are in one island anyway.
static void join_pair(const SnContacts* c, const SnPair* pair, bool edges, void (*join)(void* user, int a, int b),
                      void* user)
{
    int first = -1;
    for (int k = 0; k < 4; k++) {
        bool begins = k == 0 || k == (edges ? 2 : 1);
        if (!begins && !sn_contact_is_carried(c, pair->point[k])) continue;
        int node = node_of(c, pair->point[k]);
        if (node == c->node_count && !c->obstacles_move) continue;
        if (first >= 0) join(user, first, node);
        first = node;
    }
}

// What carries one point goes equally far, else it would go elsewhere than where it was tested.
static void join_carriers(const SnContacts* c, void (*join)(void* user, int a, int b), void* user)
{
    for (int i = c->node_count; i < c->body_point_count; i++) {
        SnCarried by = sn_contact_carried(c, i);
        for (int k = 1; k < by.count; k++) join(user, by.node[0], by.node[k]);
    }
}

void sn_contacts_join(const SnContacts* c, void (*join)(void* user, int a, int b), void* user)
{
    int count = pair_count(c);
    for (int i = 0; i < count; i++) {
        bool edges;
        const SnPair* pair = pair_of(c, i, &edges);
        if (!sn_contact_is_idle(c, pair, edges)) join_pair(c, pair, edges, join, user);
    }
    join_carriers(c, join, user);
    for (int i = 0; i < c->node_count; i++) {
        bool moved =
            sn_contact_scripted(c, i) && memcmp(c->safe + 3 * (int64_t)i, c->aim + 3 * (int64_t)i, 3 * sizeof *c->aim);
        if (moved || (c->obstacles_move && c->first_hit[i] < 1)) join(user, i, c->node_count);
    }
}

void sn_contacts_set_ways(SnContacts* c, const double* ways)
{
    for (int i = 0; i < c->point_count; i++) c->fraction[i] = ways[i < c->node_count ? i : c->node_count];
    set_carried(c, c->fraction);
    c->scene = ways[c->node_count];
}

static bool differ(const SnContacts* c, const SnPair* pair, const int* numbers)
{
    bool differ = false;
    for (int k = 0, first = -1; k < 4; k++) {
        int node = node_of(c, pair->point[k]);
        if (node == c->node_count && !c->obstacles_move) continue;
        int number = numbers[node];
        differ |= first >= 0 && number != first;
        first = number;
    }
    return differ;
}

SnStatus sn_contacts_look_ahead(SnContacts* c, const int* numbers, bool* clear)
{
    *clear = true;
    SN_TRY(find_pairs_again(c, true));
    run_tests(c, true);
    int count = pair_count(c);
    for (int i = 0; i < count; i++) {
        bool edges;
        if (!(c->pair_hit[i] < 1)) continue;
        *clear &= !differ(c, pair_of(c, i, &edges), numbers);
    }
    for (int64_t i = 0; i < (int64_t)c->touching_count * c->obstacle_count && c->obstacles_move; i++) {
        int number = numbers[node_of(c, c->touching[i / c->obstacle_count])];
        *clear &= !(c->node_hit[i] < 1) || number == numbers[c->node_count];
    }
    *clear = !sn_share_any(c->tasks, !*clear);
    sn_pairs_back(c->pairs);
    return SN_OK;
}
