// Points that nodes carry: a vertex of a skin is at sum w_i x_i, so it goes straight where its nodes do, however far
// each of them goes; and where it is stopped, they are.
#include <math.h>
#include <string.h>

#include "contact/inside.h"

SnCarried sn_contact_carried(const SnContacts* c, int point)
{
    if (point < c->node_count) return (SnCarried){1, {point}, {1}};
    SnCarried by = {0};
    if (!sn_contact_is_carried(c, point)) return by;
    int64_t first = SN_CARRIERS * (int64_t)(point - c->node_count);
    for (int64_t k = first; k < first + SN_CARRIERS; k++) {
        if (c->weights[k] == 0) continue;
        by.node[by.count] = c->carriers[k];
        by.weight[by.count++] = c->weights[k];
    }
    return by;
}

bool sn_contact_carried_scripted(const SnContacts* c, int point)
{
    SnCarried by = sn_contact_carried(c, point);
    for (int k = 0; k < by.count; k++)
        if (c->free_index[by.node[k]] >= 0) return false;
    return true;
}

typedef struct Carry {
    const SnContacts* contacts;
    double* x;
} Carry;

static void carry(void* context, int first, int last)
{
    const Carry* job = context;
    const SnContacts* c = job->contacts;
    for (int i = first; i < last; i++) {
        const int* node = c->carriers + SN_CARRIERS * (int64_t)i;
        const double* w = c->weights + SN_CARRIERS * (int64_t)i;
        double* to = job->x + 3 * ((int64_t)c->node_count + i);
        for (int a = 0; a < 3; a++) {
            to[a] = 0;
            for (int k = 0; k < SN_CARRIERS; k++) to[a] += w[k] * job->x[3 * (int64_t)node[k] + a];
        }
    }
}

void sn_contact_carry(const SnContacts* c, double* x)
{
    int count = c->body_point_count - c->node_count;
    if (count > 0) sn_tasks_for(c->tasks, count, SN_CONTACT_GRAIN, carry, &(Carry){c, x});
}

void sn_contact_set_ends(SnContacts* c)
{
    for (int64_t k = 0; k < 3 * (int64_t)c->point_count; k++)
        c->end[k] = sn_contact_on_the_way(c, k, c->fraction[k / 3]);
    sn_contact_carry(c, c->end);
}
