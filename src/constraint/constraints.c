// The constraints of a minimisation: collected, and as part of the objective.
#include "constraint/constraints.h"

#include <math.h>

#include "constraint/constants.h"
#include "constraint/method.h"

void sn_constraints_free(SnConstraints* c)
{
    sn_contacts_destroy(c->contacts);
    sn_constraint_set_free(&c->before);
    *c = (SnConstraints){0};
}

void sn_constraints_begin_stage(SnConstraints* c, double span)
{
    c->scene.span = span;
    for (int i = 0; i < c->now->count; i++) c->now->items[i].multiplier.turned = -1; // those of the stage before
}

// A node that slides on something does not touch it as well.
static bool slides_on(const SnConstraints* c, int node, int target)
{
    for (int k = 0; k < c->slide_count; k++)
        if (sn_slide_holds(&c->slides[k], &c->scene, node, target)) return true;
    return false;
}

static SnStatus add_contact(void* user, const SnContact* contact)
{
    SnConstraints* c = user;
    if (slides_on(c, contact->at.node[0], contact->target)) return SN_OK;
    return sn_constraint_set_add(
        c->now, &(SnKept){.constraint = {.at = contact->at,
                                         .unilateral = true,
                                         .friction = contact->friction,
                                         .velocity = {contact->velocity[0], contact->velocity[1], contact->velocity[2]},
                                         .key = sn_contact_key(contact)}});
}

SnStatus sn_constraints_collect(SnConstraints* c, const double* x)
{
    SnConstraintSet before = *c->now;
    *c->now = c->before, c->before = before;
    c->now->count = 0;
    for (int k = 0; k < c->slide_count; k++) SN_TRY(sn_slide_collect(&c->slides[k], k, &c->scene, x, c->now));
    if (c->contacts) SN_TRY(sn_contacts_collect(c->contacts, x, add_contact, c));
    sn_constraint_set_sort(c->now);
    sn_constraint_set_warm_start(c->now, &c->before);
    return sn_constraint_set_hold(c->now, &c->before, x);
}

// How far the constraint's point gives way to a force, m/N.
static double yield_of(const SnNodes* nodes, const SnStencil* at)
{
    double yield = 0;
    for (int k = 0; k < at->count; k++) {
        double resistance = sn_node_resistance(nodes, at->node[k]), w = at->weight[k];
        if (nodes->free_index[at->node[k]] >= 0 && resistance > 0) yield += w * w / resistance;
    }
    return yield;
}

void sn_constraints_set_penalty(SnConstraints* c, double penalty)
{
    int loaded = 0;
    double squares = 0;
    c->penalty = penalty;
    for (int i = 0; i < c->now->count; i++) {
        SnMultiplier* m = &c->now->items[i].multiplier;
        double yield = yield_of(c->nodes, &c->now->items[i].constraint.at);
        m->stiffness = yield > 0 ? penalty / yield : 0;
        m->normal_force = m->force;
        squares += m->force * m->force;
        loaded += m->force != 0;
    }
    c->mean_force = loaded ? sqrt(squares / loaded) : 0;
}

void sn_constraints_start(SnConstraints* c, double balance)
{
    c->balance = balance;
    c->changed = c->contradicting = false;
    c->last_change = 0, c->slow_changes = 0;
    sn_constraints_set_penalty(c, SN_PENALTY);
}

double sn_constraints_energy(const SnConstraints* c, const double* x)
{
    double sum = 0;
    for (int i = 0; i < c->now->count && c->method->energy; i++) {
        sum += c->method->energy(c, &c->now->items[i], x);
        if (sn_friction_acts(&c->friction, &c->now->items[i]))
            sum += sn_friction_energy(&c->friction, &c->now->items[i], x);
    }
    return sum;
}

void sn_constraints_gradient(const SnConstraints* c, double scale, const double* x, double* g)
{
    for (int i = 0; i < c->now->count; i++) {
        const SnKept* item = &c->now->items[i];
        double force[3], slip[3];
        sn_stencil_add(&item->constraint.at, -scale * c->method->push(item, x), g);
        if (!sn_friction_acts(&c->friction, item)) continue;
        sn_friction_force(&c->friction, item, x, force, slip);
        sn_stencil_spread(&item->constraint.at, -scale, force, g);
    }
}

bool sn_constraints_block(const SnConstraints* c, int index, const double* x, const double* g, double block[9])
{
    return c->method->block && c->method->block(c, &c->now->items[index], x, g, block);
}

void sn_constraints_hessian(const SnConstraints* c, const double* x, const double* g, const SnBlockMatrix* m)
{
    for (int i = 0; i < c->now->count; i++) {
        const SnStencil* at = &c->now->items[i].constraint.at;
        double all = 0, block[9];
        if (!sn_constraints_block(c, i, x, g, block)) continue;
        for (int k = 0; k < at->count; k++) all += fabs(at->weight[k]);
        for (int k = 0; k < at->count; k++) {
            int j = c->nodes->free_index[at->node[k]];
            double scale = all * fabs(at->weight[k]);
            for (int a = 0; a < 3 && j >= 0; a++)
                for (int r = a; r < 3; r++) m->values[sn_block_column(m, j, a) + r - a] += scale * block[3 * r + a];
        }
    }
}

double sn_constraints_longest_step(const SnConstraints* c, const double* x, const double* d)
{
    return c->now->count > 0 && c->method->longest_step ? c->method->longest_step(c, x, d) : 1;
}

SnStatus sn_constraints_update(SnConstraints* c, SnConstraintIterate* it)
{
    c->settled = true;
    return c->contacts || c->now->count > 0 ? c->method->update(c, it) : SN_OK;
}

void sn_constraints_take_over(SnConstraints* c, const double* x)
{
    for (int i = 0; i < c->now->count; i++) {
        SnMultiplier* m = &c->now->items[i].multiplier;
        m->force = m->normal_force = c->method->push(&c->now->items[i], x);
    }
}

void sn_constraints_end(SnConstraints* c, const double* x)
{
    for (int i = 0; i < c->now->count; i++) c->now->items[i].multiplier.force = c->method->push(&c->now->items[i], x);
}

double sn_constraints_change(const SnConstraints* c, const double* x, double* size)
{
    double changes = 0, forces = 0;
    for (int i = 0; i < c->now->count; i++) {
        const SnKept* item = &c->now->items[i];
        double force = c->method->push(item, x), change = force - item->multiplier.force;
        for (int k = 0; k < item->constraint.at.count; k++) {
            double w = item->constraint.at.weight[k];
            changes += w * w * change * change;
            forces += w * w * force * force;
        }
    }
    *size = sqrt(forces);
    return sqrt(changes);
}

bool sn_constraints_push(const SnConstraints* c, const double* x)
{
    for (int i = 0; i < c->now->count; i++)
        if (c->now->items[i].multiplier.force > 0 || sn_stencil_gap(&c->now->items[i].constraint.at, x) < 0)
            return true;
    return false;
}

double sn_constraint_push_multiplier(const SnKept* item, const double* x)
{
    (void)x;
    return item->multiplier.force;
}

// The length of all forces that hold the nodes.
static double force_of(const SnConstraintSet* set)
{
    double sum = 0;
    for (int i = 0; i < set->count; i++)
        for (int k = 0; k < set->items[i].constraint.at.count; k++) {
            double force = set->items[i].constraint.at.weight[k] * set->items[i].multiplier.force;
            sum += force * force;
        }
    return sqrt(sum);
}

SnStatus sn_constraints_settle(SnConstraints* c, SnConstraintIterate* it)
{
    if (!c->contacts) return SN_OK;
    double size = force_of(c->now);
    c->settled = size == 0 || it->norm <= fmax(c->balance * size, SN_TOLERANCE_SHARE * it->tolerance);
    return SN_OK;
}
