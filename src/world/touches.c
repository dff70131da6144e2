// What is told of contacts: a list of them, how far they are from their laws, and how near things are.
#include <math.h>
#include <string.h>

#include "core/getter.h"
#include "core/share.h"
#include "linalg/vec3.h"
#include "world/world.h"

#define STICKS (1 - 1e-9) // of the limit, below which it does

const char* sn_contact_state_name(SnContactState state)
{
    switch (state) {
    case SN_CONTACT_OPEN: return "open";
    case SN_CONTACT_STICKS: return "sticks";
    case SN_CONTACT_SLIDES: return "slides";
    }
    return "unknown";
}

SN_GETTER(int, sn_world_contact_count, const SnWorld*, touches.count)

SnStatus sn_world_contact(const SnWorld* world, int index, SnContactInfo* info)
{
    SN_HANDLE(world);
    SN_NEED(info);
    if (index < 0 || index >= world->touches.count)
        return sn_fail(SN_ERROR_VALUE, "there is no contact %d: the last step has %d", index, world->touches.count);
    *info = world->touches.items[index];
    return SN_OK;
}

// --- the list ---

static double share_of(const SnModel* model, const SnState* state, const SnProblem* problem)
{
    return sn_impact_stops(model, problem) ? sn_impact_share(model, state) : 1;
}

// Of nodes [first, last) the one with the most weight.
static int heaviest(const SnStencil* at, int first, int last)
{
    int most = first;
    for (int k = first + 1; k < last; k++)
        if (fabs(at->weight[k]) > fabs(at->weight[most])) most = k;
    return at->node[most];
}

// Those of a node, an edge or a triangle; of a skin's point one of each side.
static void list_nodes(const SnStencil* at, SnContactInfo* info)
{
    int second = at->count - at->first;
    bool all = at->first < 4 && second < 4 && at->count <= SN_CONTACT_NODES;
    info->node_count = all ? at->count : 1 + (second > 0);
    for (int k = 0; k < SN_CONTACT_NODES; k++) info->nodes[k] = all && k < at->count ? at->node[k] : -1;
    if (all) return;
    info->nodes[0] = heaviest(at, 0, at->first);
    if (second > 0) info->nodes[1] = heaviest(at, at->first, at->count);
}

// The nodes of the first side are the body's; the others are what pushes it, unless that is an obstacle.
static void set_nodes(const SnStencil* at, const double* x, SnContactInfo* info)
{
    double sum = 0;
    list_nodes(at, info);
    for (int k = 0; k < at->first; k++) {
        sum += at->weight[k];
        for (int a = 0; a < 3; a++) info->point[a] += at->weight[k] * x[3 * (int64_t)at->node[k] + a];
    }
    for (int a = 0; a < 3; a++) info->point[a] /= sum;
}

static SnContactState state_of(const SnKept* item)
{
    const SnMultiplier* m = &item->multiplier;
    double limit = item->constraint.friction * m->normal_force;
    if (!(m->force > 0)) return SN_CONTACT_OPEN;
    return sn_length3(m->rub) < STICKS * limit ? SN_CONTACT_STICKS : SN_CONTACT_SLIDES;
}

// end: where nodes are, x: where they were at the end of the stage that the constraint is of.
static SnContactInfo describe(const SnModel* model, const SnProblem* problem, const SnKept* item, double share,
                              const double* end, const double* x)
{
    const SnConstraint* c = &item->constraint;
    int other = c->target - model->obstacle_count;
    double sign = sn_stencil_sign(&c->at), friction[3], slip[3];
    SnContactInfo info = {
        .body = c->owner,
        .other_body = other < 0 ? -1 : other,
        .obstacle = other < 0 ? c->target : -1,
        .state = state_of(item),
        .gap = problem->constraints.further * sn_stencil_gap(&c->at, x),
        .force = share * item->multiplier.force,
        .thickness = sn_contacts_thickness(problem->constraints.contacts, c->owner, c->target),
        .coefficient = c->friction,
    };
    set_nodes(&c->at, end, &info);
    sn_friction_force(&problem->constraints.friction, item, x, friction, slip);
    for (int a = 0; a < 3; a++) {
        info.normal[a] = sign * c->at.normal[a];
        info.friction[a] = sign * share * item->multiplier.rub[a];
        info.slip[a] = sign * slip[a];
    }
    return info;
}

SnStatus sn_touches_list(const SnModel* model, const SnState* state, const SnProblem* problem, SnTouches* touches)
{
    const SnConstraintSet* set = &state->constraints;
    double share = share_of(model, state, problem);
    touches->count = 0;
    if (!isfinite(problem->search->value.total)) return SN_OK; // the step was not made
    if (!SN_GROW(touches->items, touches->capacity, set->count, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < set->count; i++)
        if (sn_constraint_is_contact(&set->items[i].constraint) &&
            sn_constraint_is_own(problem->constraints.nodes, &set->items[i]))
            touches->items[touches->count++] =
                describe(model, problem, &set->items[i], share, state->x, problem->search->x);
    return SN_OK;
}

void sn_touches_spread(const SnModel* model, const SnState* state, const SnProblem* problem, const SnTouches* touches,
                       double* force)
{
    const SnConstraintSet* set = &state->constraints;
    if (touches->count == 0) return;
    double share = share_of(model, state, problem);
    for (int i = 0; i < set->count; i++) {
        const SnKept* item = &set->items[i];
        const SnStencil* at = &item->constraint.at;
        double pushed = share * item->multiplier.force * sn_stencil_sign(at);
        for (int k = 0; k < at->count && sn_constraint_is_contact(&item->constraint); k++)
            force[at->node[k]] += (k < at->first ? pushed : -pushed) * at->weight[k];
    }
}

// --- their laws ---

static double part_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

void sn_touches_add_errors(const SnModel* model, const SnTouches* touches, SnContactErrors* errors)
{
    enum { PULL, SIZE, PRODUCT, REACH, CONE, FORCE, SLIP, RUB_REACH, SUMS };
    double sums[SUMS] = {0}, gap = 0;
    for (int i = 0; i < touches->count; i++) {
        const SnContactInfo* c = &touches->items[i];
        double push = fmax(c->force, 0), limit = c->coefficient * push, s = sn_length3(c->slip);
        sums[SIZE] += fabs(c->force), sums[FORCE] += push;
        sums[PULL] += fmax(-c->force, 0);
        gap = fmax(gap, part_of(-c->gap, c->thickness));
        sums[PRODUCT] += push * fabs(c->gap), sums[REACH] += push * c->thickness;
        sums[CONE] += fmax(sn_length3(c->friction) - limit, 0);
        sums[SLIP] += fmax(limit * s + sn_dot3(c->friction, c->slip), 0), sums[RUB_REACH] += limit * c->thickness;
    }
    sn_share_sum(model->tasks, SUMS, sums);
    errors->pull = fmax(errors->pull, part_of(sums[PULL], sums[SIZE]));
    errors->gap = fmax(errors->gap, sn_share_largest(model->tasks, gap));
    errors->product = fmax(errors->product, part_of(sums[PRODUCT], sums[REACH]));
    errors->cone = fmax(errors->cone, part_of(sums[CONE], sums[FORCE]));
    errors->slip = fmax(errors->slip, part_of(sums[SLIP], sums[RUB_REACH]));
}

// --- how near things are ---

SnStatus sn_touches_measure(const SnState* state, const SnProblem* problem, SnStepReport* report)
{
    SnNearness near = {INFINITY, 0};
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        report->contacts += sn_constraint_is_contact(&item->constraint) && item->multiplier.force > 0 &&
                            sn_constraint_is_own(problem->constraints.nodes, item);
    }
    report->contacts = (int)sn_share_total(problem->objective.nodes.tasks, report->contacts);
    if (problem->constraints.contacts) SN_TRY(sn_contacts_measure(problem->constraints.contacts, state->x, &near));
    report->distance = near.distance;
    report->depth = near.depth;
    return SN_OK;
}
