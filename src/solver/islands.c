// Which nodes belong together, by joining sets; the energies of each island, and how far it goes.
#include "solver/islands.h"

#include <math.h>
#include <string.h>

#include "core/sets.h"
#include "core/share.h"

enum { STAY, EACH, TOGETHER, OPTIONS };

typedef struct Island {
    double energy[OPTIONS]; // J, without constraints, but for springs
    double least;           // of its way, when the first of its nodes is stopped
    bool stopped;           // one of them is
    int option;
} Island;

struct SnIslands {
    const SnObjective* objective;
    int count;           // of nodes; one more stands for all that the script moves
    int group_count;     // and what belongs together in any case: nodes, or bodies where processes share them
    int* group;          // count + 1
    int* elastic;        // group_count: a group that belongs to the same elements
    int* root;           // group_count: the first of its island
    int* numbers;        // count + 1: of their islands
    Island* items;       // group_count, at the roots
    double* values;      // group_count, to be shared
    double *each, *ways; // count + 1: how far nodes may go, each by itself; how far they go
};

// group: NULL: each node is its own.
static void join_elements(const SnPotential* p, const int* group, int* root)
{
    for (int i = 0; i < p->patch_count; i++)
        for (int k = 0; k < p->patches[i].slot_count; k++) {
            const int* nodes = p->slot_node + p->patches[i].first_slot;
            sn_sets_join(root, group ? group[nodes[0]] : nodes[0], group ? group[nodes[k]] : nodes[k]);
        }
}

// Nodes in between belong to a body, too, and so do those after it that no element has.
SnStatus sn_islands_bodies(const SnObjective* objective, int* body)
{
    int count = objective->nodes.count, *last;
    if (!SN_NEW(last, count, "islands")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) body[i] = i;
    join_elements(objective->potential, NULL, body);
    for (int i = 0; i < count; i++) last[sn_sets_root(body, i)] = i;
    for (int i = 0, first = 0, end = -1; i < count; i++) {
        bool is_root = sn_sets_root(body, i) == i;
        if (is_root && i > end && (last[i] > i || i == 0)) first = i;
        if (is_root) end = last[i] > end ? last[i] : end;
        last[i] = first;
    }
    memcpy(body, last, (size_t)count * sizeof *body);
    sn_free(last);
    return SN_OK;
}

static void group_nodes(SnIslands* s, const SnShare* share)
{
    for (int i = 0; i < s->count; i++) s->group[i] = share ? share->body[i] : i;
    s->group[s->count] = s->group_count - 1;
    for (int i = 0; i < s->group_count; i++) s->elastic[i] = i;
    join_elements(s->objective->potential, s->group, s->elastic);
}

SnStatus sn_islands_create(const SnObjective* objective, SnIslands** out)
{
    *out = NULL;
    SnIslands* s;
    const SnShare* share = sn_tasks_share(objective->nodes.tasks);
    if (!SN_NEW(s, 1, "islands")) return SN_ERROR_MEMORY;
    s->objective = objective;
    s->count = objective->nodes.count;
    s->group_count = (share ? share->body_count : s->count) + 1;
    int64_t n = (int64_t)s->count + 1, groups = s->group_count;
    bool room = SN_NEW(s->group, n, "islands") && SN_NEW(s->elastic, groups, "islands") &&
                SN_NEW(s->root, groups, "islands") && SN_NEW(s->items, groups, "islands") &&
                SN_NEW(s->values, groups, "islands") && SN_NEW(s->numbers, n, "islands") &&
                SN_NEW(s->each, n, "islands") && SN_NEW(s->ways, n, "islands");
    if (room) group_nodes(s, share);
    SN_FINISH(room ? SN_OK : SN_ERROR_MEMORY, s, sn_islands_destroy, out);
}

void sn_islands_destroy(SnIslands* s)
{
    if (s) SN_FREE(s->group, s->elastic, s->root, s->items, s->values, s->numbers, s->each, s->ways, s);
}

static void join_nodes(void* user, int a, int b)
{
    const SnIslands* s = user;
    sn_sets_join(s->root, s->group[a], s->group[b]);
}

static void number_nodes(SnIslands* s)
{
    for (int i = 0; i < s->group_count; i++) s->root[i] = sn_sets_root(s->root, i);
    for (int i = 0; i <= s->count; i++) s->numbers[i] = s->root[s->group[i]];
}

// What one process has joined, all have.
static void agree(SnIslands* s)
{
    SnTasks* tasks = s->objective->nodes.tasks;
    bool changed = sn_tasks_share(tasks) != NULL;
    while (changed) {
        changed = false;
        for (int i = 0; i < s->group_count; i++) s->values[i] = -sn_sets_root(s->root, i);
        sn_share_most(tasks, s->group_count, s->values);
        for (int i = 0; i < s->group_count; i++) {
            changed |= sn_sets_root(s->root, i) != -(int)s->values[i];
            sn_sets_join(s->root, i, -(int)s->values[i]);
        }
        changed = sn_share_any(tasks, changed);
    }
}

// Nodes with a constraint in common, too: they are kept together.
static void join_all(SnIslands* s)
{
    const SnConstraints* c = s->objective->constraints;
    memcpy(s->root, s->elastic, (size_t)s->group_count * sizeof *s->root);
    sn_contacts_join(c->contacts, join_nodes, s);
    for (int i = 0; i < c->now->count; i++) {
        const SnStencil* at = &c->now->items[i].constraint.at;
        for (int k = 1; k < at->count; k++) join_nodes(s, at->node[0], at->node[k]);
    }
    agree(s);
    number_nodes(s);
}

SnGoing sn_islands_joined(SnIslands* s)
{
    const SnConstraints* c = s->objective->constraints;
    memcpy(s->root, s->elastic, (size_t)s->group_count * sizeof *s->root);
    for (int i = 0; i < c->now->count; i++) {
        const SnStencil* at = &c->now->items[i].constraint.at;
        bool joins = !sn_constraint_is_contact(&c->now->items[i].constraint);
        for (int k = 1; k < at->count && joins; k++) join_nodes(s, at->node[0], at->node[k]);
    }
    agree(s);
    number_nodes(s);
    return (SnGoing){.group_count = s->group_count, .group = s->numbers, .least = s->values};
}

static void join_everything(SnIslands* s)
{
    for (int i = 0; i < s->group_count; i++) s->root[i] = 0;
    number_nodes(s);
}

static void find_least(SnIslands* s)
{
    const SnConstraints* c = s->objective->constraints;
    SnTasks* tasks = s->objective->nodes.tasks;
    for (int i = 0; i < s->group_count; i++) s->items[i] = (Island){.least = 1};
    for (int i = 0; i <= s->count; i++) {
        Island* island = &s->items[s->numbers[i]];
        island->least = fmin(island->least, sn_contacts_first_hit(c->contacts, i));
        island->stopped |= s->each[i] < 1;
    }
    for (int i = 0; i < s->group_count; i++) s->values[i] = -s->items[i].least;
    sn_share_most(tasks, s->group_count, s->values);
    for (int i = 0; i < s->group_count; i++) s->items[i].least = -s->values[i], s->values[i] = s->items[i].stopped;
    sn_share_most(tasks, s->group_count, s->values);
    for (int i = 0; i < s->group_count; i++) s->items[i].stopped = s->values[i] > 0;
    // Obstacles that move do so by whole steps, so that where they are can be told from the time alone.
    Island* scripted = &s->items[s->numbers[s->count]];
    if (scripted->least < 1 && sn_contacts_obstacles_move(c->contacts)) scripted->least = 0;
}

static void set_ways(SnIslands* s, int option)
{
    for (int i = 0; i <= s->count; i++) {
        const Island* island = &s->items[s->numbers[i]];
        int chosen = option < OPTIONS ? option : island->option;
        s->ways[i] = chosen == STAY ? 0 : chosen == EACH ? s->each[i] : island->least;
    }
}

// What each island has with an option, its nodes being at x.
static void add_energies(SnIslands* s, int option, const double* x)
{
    const SnObjective* o = s->objective;
    const SnPotential* p = o->potential;
    sn_potential_energy(o->potential, x);
    memset(s->values, 0, (size_t)s->group_count * sizeof *s->values);
    for (int i = 0; i < p->patch_count; i++)
        s->values[s->numbers[p->slot_node[p->patches[i].first_slot]]] += p->patch_energy[i];
    for (int64_t i = 0; i < s->count; i++) {
        if (!sn_share_owns(o->nodes.tasks, (int)i)) continue;
        double sum = 0, inertia = o->nodes.free_index[i] >= 0 ? 0.5 * o->nodes.inertia * o->nodes.mass[i] : 0;
        for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
            sum += inertia * (x[k] - o->target[k]) * (x[k] - o->target[k]);
            if (o->force) sum -= o->force[k] * x[k];
        }
        s->values[s->numbers[i]] += sum;
    }
    for (int i = 0; i < o->constraints->now->count; i++) {
        const SnKept* item = &o->constraints->now->items[i];
        if (sn_constraint_is_own(&o->nodes, item))
            s->values[s->numbers[item->constraint.at.node[0]]] += sn_constraint_spring_energy(item, x);
    }
    sn_share_sum(o->nodes.tasks, s->group_count, s->values);
    for (int i = 0; i < s->group_count; i++) s->items[i].energy[option] = s->values[i];
}

static void measure(SnIslands* s, bool together, double* x)
{
    find_least(s);
    for (int option = 0; option < (together ? OPTIONS : TOGETHER); option++) {
        set_ways(s, option);
        sn_constraints_ahead(s->objective->constraints, s->ways, x);
        add_energies(s, option, x);
    }
}

// Where nothing is stopped, everything goes; energies that are no numbers are none to go for.
static void choose(SnIslands* s, bool together)
{
    for (int i = 0; i < s->group_count; i++) {
        Island* island = &s->items[i];
        double stay = island->energy[STAY], least = island->stopped ? stay : INFINITY;
        island->option = island->stopped ? STAY : EACH;
        for (int option = EACH; option < (together ? OPTIONS : TOGETHER) && island->stopped; option++)
            if (island->energy[option] < least) least = island->energy[island->option = option];
    }
    set_ways(s, OPTIONS);
}

// Are ways as they were found, each by itself, or the same part for all? Then it is known that nothing is in the way.
static bool is_known(const SnIslands* s)
{
    bool each = true, same = true;
    for (int i = 0; i <= s->count; i++) each &= s->ways[i] == s->each[i], same &= s->ways[i] == s->ways[s->count];
    double not [2] = {!each, !same};
    sn_share_most(s->objective->nodes.tasks, 2, not );
    return not [0] == 0 || not [1] == 0;
}

SnStatus sn_islands_take(SnIslands* s, bool together, double* x)
{
    SnContacts* contacts = s->objective->constraints->contacts;
    for (int i = 0; i <= s->count; i++) s->each[i] = sn_contacts_way(contacts, i);
    join_all(s);
    measure(s, together, x);
    choose(s, together);
    sn_contacts_set_ways(contacts, s->ways);
    bool clear = is_known(s);
    if (!clear) SN_TRY(sn_contacts_look_ahead(contacts, s->numbers, &clear));
    if (!clear) { // who goes along with something that stays may come near to it
        join_everything(s);
        measure(s, together, x);
        choose(s, together);
        sn_contacts_set_ways(contacts, s->ways);
    }
    sn_contacts_take(contacts);
    return SN_OK;
}
