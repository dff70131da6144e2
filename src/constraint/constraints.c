// The constraints of a minimisation: collected, and as part of the objective.
#include "constraint/constraints.h"

#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "constraint/method.h"
#include "constraint/wedge.h"
#include "core/share.h"
#include "core/timer.h"
#include "linalg/vec3.h"

enum { GRAIN = 64 }; // constraints

void sn_constraints_free(SnConstraints* c)
{
    sn_contacts_destroy(c->contacts);
    sn_constraint_set_free(&c->before);
    SN_FREE(c->end, c->touched, c->pushing);
    *c = (SnConstraints){0};
}

// Contacts that push: what they hold is held from the first iteration on, also where something else is nearer.
static SnStatus note_pushing(SnConstraints* c)
{
    int count = 0;
    if (!SN_GROW(c->pushing, c->pushing_capacity, c->now->count, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < c->now->count; i++) {
        const SnKept* item = &c->now->items[i];
        bool pushes = item->constraint.met && item->multiplier.force > 0;
        if (pushes) c->pushing[count++] = item->constraint.key & ~SN_CONTACT_KEYS;
    }
    sn_contacts_set_pushing(c->contacts, count, c->pushing);
    return SN_OK;
}

SnStatus sn_constraints_begin_stage(SnConstraints* c, const double* x, double span, double further)
{
    c->scene.span = span, c->scene.begins = true;
    c->further = further;
    c->start = x;
    for (int i = 0; i < c->now->count; i++) {
        SnMultiplier* m = &c->now->items[i].multiplier;
        memcpy(m->tangent, m->rub, sizeof m->tangent);
        memcpy(m->crept, m->left, sizeof m->crept);
    }
    if (!c->contacts) return SN_OK;
    sn_contacts_begin(c->contacts, x, c->nodes->free_index, span);
    return note_pushing(c);
}

// Of one for the end of the step, which may lie `further` times as far from its start as the end of the stage.
static void to_stage(const SnConstraints* c, SnStencil* at)
{
    if (c->further != 1) at->offset = (at->offset + (c->further - 1) * sn_stencil_along(at, c->start)) / c->further;
}

static SnStatus add_contact(void* user, const SnContact* contact)
{
    SnConstraints* c = user;
    SnKept item = {.constraint = {.at = contact->at,
                                  .unilateral = true,
                                  .blocked = contact->blocked,
                                  .met = contact->met,
                                  .friction = contact->friction,
                                  .velocity = {contact->velocity[0], contact->velocity[1], contact->velocity[2]},
                                  .key = SN_CONTACT_KEYS | contact->key,
                                  .place = contact->place,
                                  .owner = contact->owner,
                                  .target = contact->target}};
    to_stage(c, &item.constraint.at);
    return sn_constraint_set_add(c->now, &item);
}

// Where nodes at x will be at the end of the step.
static void to_end(const SnConstraints* c, const double* x, double* end)
{
    for (int64_t k = 0; k < 3 * (int64_t)c->nodes->count; k++)
        end[k] = c->further == 1 ? x[k] : c->start[k] + c->further * (x[k] - c->start[k]);
}

bool sn_constraint_is_own(const SnNodes* nodes, const SnKept* item)
{
    return sn_share_owns(nodes->tasks, item->constraint.at.node[0]);
}

static void count_all(SnConstraints* c)
{
    double count = 0;
    for (int i = 0; i < c->now->count; i++) count += sn_constraint_is_own(c->nodes, &c->now->items[i]);
    c->count = (int64_t)sn_share_total(c->nodes->tasks, count);
}

void sn_constraints_drop(SnConstraints* c)
{
    c->now->count = 0, c->count = 0;
}

// Where scripts have their ends is told for the end of the step, too.
static SnStatus collect_scripted(SnConstraints* c, const double* x)
{
    if (c->slide_count > 0 || c->hinge_count > 0) to_end(c, x, c->end);
    for (int k = 0; k < c->slide_count; k++) SN_TRY(sn_slide_collect(&c->slides[k], k, &c->scene, c->end, c->now));
    c->scene.begins = false;
    for (int k = 0; k < c->tie_count; k++) SN_TRY(sn_tie_collect(&c->ties[k], c->slide_count, c->nodes->tasks, c->now));
    for (int k = 0; k < c->hinge_count; k++)
        SN_TRY(sn_hinge_collect(&c->hinges[k], c->slide_count, c->nodes->tasks, c->end,
                                c->further != 1 ? c->start : NULL, c->now));
    for (int i = 0; i < c->now->count; i++) to_stage(c, &c->now->items[i].constraint.at);
    return SN_OK;
}

static SnStatus collect(SnConstraints* c, const double* x, SnKeeping keep)
{
    SnConstraintSet before = *c->now;
    *c->now = c->before, c->before = before;
    c->now->count = 0;
    SN_TRY(collect_scripted(c, x));
    for (int k = 0; k < c->grab_count; k++)
        SN_TRY(sn_grab_collect(&c->grabs[k], c->first_grab + k, c->slide_count, c->now));
    if (c->contacts) SN_TRY(sn_contacts_collect(c->contacts, add_contact, c));
    sn_constraint_set_sort(c->now);
    return sn_constraint_set_warm_start(c->now, &c->before, keep);
}

SnStatus sn_constraints_aim(SnConstraints* c, const double* x)
{
    double begin = sn_now_ms();
    if (c->contacts) {
        to_end(c, x, c->end);
        SN_TRY(sn_contacts_aim(c->contacts, c->end));
    }
    SN_TRY(collect(c, x, SN_KEEP_NOTHING));
    sn_constraints_find_wedged(c, x);
    count_all(c);
    if (c->contacts) c->ms_aim += sn_now_ms() - begin;
    return SN_OK;
}

SnStatus sn_constraints_advance(SnConstraints* c, const double* x, const SnGoing* going, SnAdvance* advance)
{
    *advance = (SnAdvance){.whole = true};
    if (!c->contacts) return SN_OK;
    to_end(c, x, c->end);
    SN_TRY(sn_contacts_aim(c->contacts, c->end));
    return sn_contacts_advance(c->contacts, going, advance);
}

static void from_end(const SnConstraints* c, double* x)
{
    for (int64_t k = 0; k < 3 * (int64_t)c->nodes->count && c->further != 1; k++)
        x[k] = c->start[k] + (x[k] - c->start[k]) / c->further;
}

void sn_constraints_ahead(const SnConstraints* c, const double* ways, double* x)
{
    sn_contacts_ahead(c->contacts, ways, x);
    from_end(c, x);
}

void sn_constraints_safe(const SnConstraints* c, double* x)
{
    memcpy(x, sn_contacts_safe(c->contacts), 3 * (size_t)c->nodes->count * sizeof *x);
    from_end(c, x);
}

double sn_constraint_yield(const SnNodes* nodes, const SnStencil* at)
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
    double sums[2] = {0}; // those that push, and squares of their forces
    c->penalty = penalty;
    for (int i = 0; i < c->now->count; i++) {
        SnMultiplier* m = &c->now->items[i].multiplier;
        double yield = sn_constraint_yield(c->nodes, &c->now->items[i].constraint.at);
        bool spring = c->now->items[i].constraint.springy;
        double given = c->now->items[i].constraint.spring;
        m->stiffness = yield > 0 ? (spring ? SN_SPRING : penalty) / yield : 0;
        m->compliance = spring ? yield / SN_SPRING : 0;
        if (given > 0) m->stiffness = yield > 0 ? given : 0, m->compliance = 1 / given;
        m->normal_force = m->force;
        if (!sn_constraint_is_own(c->nodes, &c->now->items[i])) continue;
        sums[0] += m->force != 0;
        sums[1] += m->force * m->force;
    }
    if (c->count > 0) sn_share_sum(c->nodes->tasks, 2, sums);
    c->mean_force = sums[0] > 0 ? sqrt(sums[1] / sums[0]) : 0;
}

void sn_constraints_start(SnConstraints* c)
{
    c->changed = c->contradicting = false;
    c->settled = true; // as far as anybody knows before the first iteration
    c->share = SN_TAKE_OVER;
    c->last_change = c->same_change = c->left = c->open = c->asked = 0, c->slow_changes = c->rounds = 0;
    count_all(c);
    sn_constraints_set_penalty(c, c->method->energy ? SN_PENALTY : SN_PENALTY_GLOBAL);
}

double sn_constraint_spring_energy(const SnKept* item, const double* x)
{
    double compliance = item->constraint.springy ? item->multiplier.compliance : 0;
    double gap = compliance > 0 ? sn_stencil_gap(&item->constraint.at, x) : 0;
    return compliance > 0 ? 0.5 * gap * gap / compliance : 0;
}

double sn_constraints_spring_energy(const SnConstraints* c, const double* x)
{
    double sum = 0;
    for (int i = 0; i < c->now->count; i++)
        if (sn_constraint_is_own(c->nodes, &c->now->items[i])) sum += sn_constraint_spring_energy(&c->now->items[i], x);
    return c->count > 0 ? sn_share_total(c->nodes->tasks, sum) : 0;
}

// Of some constraints, by any thread; they are added up in their order.
typedef struct Acting {
    const SnConstraints* c;
    const double* x;
} Acting;

static void find_energies(void* self, int first, int last)
{
    const Acting* of = self;
    for (int i = first; i < last; i++) {
        const SnKept* item = &of->c->now->items[i];
        double* energy = of->c->now->acting + 4 * (int64_t)i;
        energy[0] = of->c->method->energy(of->c, item, of->x);
        energy[1] = sn_friction_acts(&of->c->friction, item) ? sn_friction_energy(&of->c->friction, item, of->x) : 0;
    }
}

double sn_constraints_energy(const SnConstraints* c, const double* x)
{
    double sum = 0;
    if (!c->method->energy) return sn_constraints_spring_energy(c, x);
    sn_tasks_for(c->nodes->tasks, c->now->count, GRAIN, find_energies, &(Acting){c, x});
    for (int64_t i = 0; i < c->now->count; i++)
        if (sn_constraint_is_own(c->nodes, &c->now->items[i]))
            sum += c->now->acting[4 * i], sum += c->now->acting[4 * i + 1];
    return c->count > 0 ? sn_share_total(c->nodes->tasks, sum) : 0;
}

// What a constraint pushes with at x, and what friction does.
static double forces_of(const SnConstraints* c, const SnKept* item, const double* x, double tangent[3])
{
    double slip[3];
    sn_friction_force(&c->friction, item, x, tangent, slip);
    return c->method->push(item, x);
}

static void find_forces(void* self, int first, int last)
{
    const Acting* of = self;
    for (int i = first; i < last; i++) {
        double* force = of->c->now->acting + 4 * (int64_t)i;
        force[0] = forces_of(of->c, &of->c->now->items[i], of->x, force + 1);
    }
}

// The same of all: 4 numbers each.
static const double* all_forces(const SnConstraints* c, const double* x)
{
    sn_tasks_for(c->nodes->tasks, c->now->count, GRAIN, find_forces, &(Acting){c, x});
    return c->now->acting;
}

void sn_constraints_gradient(const SnConstraints* c, double scale, const double* x, double* g)
{
    const double* force = all_forces(c, x);
    for (int i = 0; i < c->now->count; i++, force += 4) {
        const SnKept* item = &c->now->items[i];
        sn_stencil_add(&item->constraint.at, -scale * force[0], g);
        if (sn_friction_acts(&c->friction, item)) sn_stencil_spread(&item->constraint.at, -scale, force + 1, g);
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
            for (int a = 0; a < 3 && j >= 0 && sn_share_owns(c->nodes->tasks, at->node[k]); a++)
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
    return c->contacts || c->count > 0 ? c->method->update(c, it) : SN_OK;
}

// Constraints that were just found come in.
static void come_in(SnConstraints* c, SnConstraintIterate* it)
{
    sn_constraints_find_wedged(c, it->x);
    count_all(c);
    sn_constraints_set_penalty(c, c->penalty);
    sn_constraints_correct(c, it, 1);
}

// Whether planes are those just found, which are in. before: N, what was left with the last ones. Where nodes slide and
// touch they are between facets, and what leads somewhere leads to other facets.
static bool follow(SnConstraints* c, const SnConstraintIterate* it, double before)
{
    double last = c->left;
    bool minimum = before <= it->tolerance;
    c->left = minimum ? sqrt(fmax(it->norm * it->norm - before * before, 0)) : 0;
    if (c->rounds < SN_MOST_ROUNDS) return true;
    bool leads = minimum && c->left <= SN_SETTLING * last && c->rounds < SN_MOST_SETTLING;
    return leads && it->room && !c->touched && it->norm > it->tolerance;
}

SnStatus sn_constraints_renew(SnConstraints* c, SnConstraintIterate* it)
{
    double begin = sn_now_ms(), before = it->norm, *without = c->end;
    size_t bytes = 3 * (size_t)c->nodes->count * sizeof *without;
    sn_constraints_correct(c, it, -1);
    SN_TRY(collect(c, it->x, SN_KEEP_PUSHING));
    it->ms_collect += sn_now_ms() - begin;
    double value = it->value;
    memcpy(without, it->g, bytes);
    c->same_change = c->open = 0;
    c->changed = true;
    c->rounds++;
    come_in(c, it);
    if (!follow(c, it, before)) { // those before stay, and of the others what is new
        c->open = it->norm > it->tolerance ? it->norm : 0;
        it->value = value;
        memcpy(it->g, without, bytes);
        SN_TRY(sn_constraint_set_warm_start(c->now, &c->before, SN_KEEP_ALL));
        come_in(c, it);
    }
    to_end(c, it->x, c->end);
    return SN_OK;
}

void sn_constraints_correct(const SnConstraints* c, SnConstraintIterate* it, double sign)
{
    it->value += sign * sn_constraints_energy(c, it->x);
    sn_constraints_gradient(c, sign, it->x, it->g);
    if (sign < 0) return;
    double sum = 0;
    for (int64_t i = 0; i < c->nodes->count; i++)
        for (int64_t k = 3 * i; k < 3 * i + 3 && c->nodes->free_index[i] >= 0; k++)
            if (sn_share_owns(c->nodes->tasks, (int)i)) sum += it->g[k] * it->g[k];
    it->norm = sqrt(sn_share_total(c->nodes->tasks, sum));
}

void sn_constraints_take_over(SnConstraints* c, const double* x)
{
    for (int i = 0; i < c->now->count; i++) {
        SnMultiplier* m = &c->now->items[i].multiplier;
        double tangent[3];
        m->force = m->normal_force = forces_of(c, &c->now->items[i], x, tangent);
        memcpy(m->tangent, tangent, sizeof tangent);
        memcpy(m->rub, tangent, sizeof tangent);
    }
}

void sn_constraints_end(SnConstraints* c, const double* x)
{
    for (int i = 0; i < c->now->count; i++) {
        SnMultiplier* m = &c->now->items[i].multiplier;
        double tangent[3];
        sn_friction_left(&c->friction, &c->now->items[i], x, m->left);
        m->force = forces_of(c, &c->now->items[i], x, tangent);
        memcpy(m->rub, tangent, sizeof tangent);
    }
}

// A node that is pressed against an obstacle; of other contacts nobody knows which of their nodes would bear it.
static bool is_pressed(const SnConstraints* c, const SnKept* item)
{
    const SnConstraint* it = &item->constraint;
    return sn_constraint_is_contact(it) && it->at.count == 1 && item->multiplier.force > 0 &&
           c->nodes->free_index[it->at.node[0]] >= 0;
}

SnStatus sn_constraints_bear(SnConstraints* c, SnConstraintIterate* it)
{
    double square = it->norm * it->norm;
    for (int i = 0; i < c->now->count && !c->method->energy; i++) {
        SnKept* item = &c->now->items[i];
        SnMultiplier* m = &item->multiplier;
        if (!is_pressed(c, item)) continue;
        const SnStencil* at = &item->constraint.at;
        double* g = it->g + 3 * (int64_t)at->node[0];
        double friction = item->constraint.friction, rubs = friction > 0 ? sn_length3(m->rub) / friction : 0;
        double change = fmax(m->force + sn_dot3(g, at->normal), rubs) - m->force;
        square -= sn_dot3(g, g);
        sn_stencil_add(at, -change, it->g);
        square += sn_dot3(g, g);
        m->force += change, m->normal_force = m->force;
    }
    it->norm = sqrt(fmax(square, 0));
    return SN_OK;
}

void sn_constraints_forget_pushed(SnConstraints* c)
{
    bool pushed = sn_contacts_obstacles_move(c->contacts);
    for (int i = 0; i < c->now->count && pushed && !c->method->energy; i++) {
        SnMultiplier* m = &c->now->items[i].multiplier;
        m->force = m->normal_force = 0;
        memset(m->tangent, 0, sizeof m->tangent);
        memset(m->rub, 0, sizeof m->rub);
    }
}

double sn_constraints_change(const SnConstraints* c, const double* x, double* size)
{
    double sums[2] = {0}; // squares of changes and of forces
    const double* all = all_forces(c, x);
    for (int64_t i = 0; i < c->now->count; i++) {
        const SnKept* item = &c->now->items[i];
        const SnMultiplier* m = &item->multiplier;
        if (!sn_constraint_is_own(c->nodes, item)) continue;
        double force = all[4 * i];
        const double* tangent = all + 4 * i + 1;
        double change = item->constraint.springy ? 0 : force - m->force, square = change * change;
        for (int a = 0; a < 3 && c->friction.speed == 0; a++)
            square += (tangent[a] - m->tangent[a]) * (tangent[a] - m->tangent[a]);
        for (int k = 0; k < item->constraint.at.count; k++) {
            double w = item->constraint.at.weight[k];
            sums[0] += w * w * square;
            sums[1] += w * w * force * force;
        }
    }
    if (c->count > 0) sn_share_sum(c->nodes->tasks, 2, sums);
    *size = sqrt(sums[1]);
    return sqrt(sums[0]);
}

bool sn_constraints_push(const SnConstraints* c, const double* x)
{
    bool any = false;
    for (int i = 0; i < c->now->count && !any; i++)
        any = c->now->items[i].multiplier.force > 0 || sn_stencil_gap(&c->now->items[i].constraint.at, x) < 0;
    return sn_share_any(c->nodes->tasks, any);
}

double sn_constraint_push_multiplier(const SnKept* item, const double* x)
{
    const SnMultiplier* m = &item->multiplier;
    bool spring = item->constraint.springy && m->compliance > 0; // which pulls with what it has where it is
    return spring ? -sn_stencil_gap(&item->constraint.at, x) / m->compliance : m->force;
}

SnStatus sn_constraints_settle(SnConstraints* c, SnConstraintIterate* it)
{
    if (!c->contacts) return SN_OK;
    double size, change = sn_constraints_change(c, it->x, &size);
    double least = fmax(SN_TOLERANCE_SHARE * it->tolerance, it->floor);
    c->settled =
        size == 0 || (it->norm <= fmax(SN_BALANCE * size, least) && change <= fmax(SN_FORCE_ERROR * size, least));
    return SN_OK;
}
