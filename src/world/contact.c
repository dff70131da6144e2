// Contacts of the world: what starts inside something, what contacts add to the ledger.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/share.h"
#include "linalg/vec3.h"
#include "world/world.h"

static void warn(const SnModel* model, int body, int target, int nodes)
{
    bool obstacle = target < model->obstacle_count;
    int other = target - model->obstacle_count;
    const char* name = obstacle ? model->obstacles[target].name : model->bodies[other].name;
    sn_log(&model->def.log, SN_LOG_WARNING,
           "body '%s' starts inside %s '%s' with %d node%s; it is pushed out at no more than %g m/s",
           model->bodies[body].name,
           obstacle        ? "obstacle"
           : other == body ? "itself, body"
                           : "body",
           name, nodes, nodes > 1 ? "s" : "", model->def.contact.push);
}

// Contacts of nodes that are too deep to be out within the step are behind by as much as they are pushed.
SnStatus sn_contacts_warn_of_starts(const SnModel* model, const SnState* state)
{
    int targets = model->obstacle_count + model->body_count;
    double behind = model->def.contact.push * state->step_length, *nodes;
    if (!SN_NEW(nodes, (int64_t)targets * model->body_count, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < state->constraints.count; i++) {
        const SnConstraint* c = &state->constraints.items[i].constraint;
        double came = state->step_length * sn_dot3(c->velocity, c->at.normal); // planes are where they will be
        if (!sn_constraint_is_contact(c) || sn_stencil_gap(&c->at, state->x) + came > -0.4 * behind ||
            !sn_share_owns(model->tasks, c->at.node[0]))
            continue;
        nodes[c->owner * targets + c->target]++;
    }
    sn_share_sum(model->tasks, targets * model->body_count, nodes);
    for (int i = 0; i < targets * model->body_count; i++)
        if (nodes[i] > 0) warn(model, i / targets, i % targets, (int)nodes[i]);
    sn_free(nodes);
    return SN_OK;
}

static const char* name_of(const SnModel* model, int target)
{
    int body = target - model->obstacle_count;
    return body < 0 ? model->obstacles[target].name : model->bodies[body].name;
}

// Nodes are named as their own mesh has them.
static int own_number(const SnModel* model, const SnContacts* contacts, int target, int point)
{
    if (target < model->obstacle_count || !sn_tasks_share(model->tasks)) return sn_contacts_own_number(contacts, point);
    return sn_share_number(model->tasks, point) - model->bodies[target - model->obstacle_count].whole_first;
}

static const char* kind_of(const SnModel* model, int target)
{
    if (target < model->obstacle_count) return "obstacle";
    return model->bodies[target - model->obstacle_count].skin_triangles ? "the skin of body" : "body";
}

// "body 'a' crosses itself, body 'a'"
static void name_pair(const SnModel* model, const SnCrossingPair* pair, char* text, size_t size)
{
    int a = pair->target[0], b = pair->target[1];
    snprintf(text, size, "%s '%.60s' crosses %s%s '%.60s'", kind_of(model, a), name_of(model, a),
             a == b ? "itself, " : "", kind_of(model, b), name_of(model, b));
}

static SnStatus refuse(const SnModel* model, const SnContacts* c, const SnCrossings* found)
{
    char what[200], others[600] = "";
    const SnCrossingPair* first = &found->pairs[0];
    const int *e = first->edge, *t = first->triangle;
    int a = first->target[0], b = first->target[1];
    for (int i = 1; i < found->pair_count && i < 4; i++) {
        name_pair(model, &found->pairs[i], what, sizeof what);
        sn_append(others, sizeof others, "; %s, too", what);
    }
    if (found->pair_count > 4) sn_append(others, sizeof others, "; and %d more pairs", found->pair_count - 4);
    name_pair(model, first, what, sizeof what);
    return sn_fail(
        SN_ERROR_VALUE,
        "%s at the start: the edge of nodes %d, %d goes through the triangle of nodes %d, %d, %d (%d such "
        "crossing%s in all)%s; move them apart, let them not touch (`pairs`, `self`), or have them separated "
        "(`untangle: true`)",
        what, own_number(model, c, a, e[0]), own_number(model, c, a, e[1]), own_number(model, c, b, t[0]),
        own_number(model, c, b, t[1]), own_number(model, c, b, t[2]), found->count, found->count > 1 ? "s" : "",
        others);
}

static void warn_of_crossings(const SnModel* model, const SnCrossings* found)
{
    for (int i = 0; i < found->pair_count; i++) {
        char what[200];
        int count = found->pairs[i].count;
        name_pair(model, &found->pairs[i], what, sizeof what);
        sn_log(&model->def.log, SN_LOG_WARNING,
               "%s at the start (%d edge%s through triangles); they are separated at no more than %g m/s", what, count,
               count > 1 ? "s" : "", model->def.contact.push);
    }
}

SnStatus sn_contacts_check_start(const SnModel* model, const SnProblem* problem)
{
    SnCrossings found;
    SnStatus status = SN_OK;
    SN_TRY(sn_contacts_find_crossings(problem->constraints.contacts, &found));
    if (model->def.contact.untangle)
        warn_of_crossings(model, &found);
    else if (found.count > 0)
        status = refuse(model, problem->constraints.contacts, &found);
    sn_crossings_free(&found);
    return status;
}

// The obstacle that it is with, or the handle; index -1: a body. The keys of slides have their numbers in them.
static SnWork source_of(const SnProblem* problem, const SnConstraint* c)
{
    const SnConstraints* all = &problem->constraints;
    int tie = sn_tie_number(c, all->slide_count);
    if (tie >= 0) return (SnWork){SN_WORK_OF_HANDLE, tie < all->handle_count ? tie : -1, -1};
    if (!sn_constraint_is_contact(c)) return (SnWork){SN_WORK_OF_OBSTACLE, all->slides[c->key >> 32].obstacle, -1};
    return (SnWork){SN_WORK_OF_OBSTACLE, c->target < all->scene.obstacle_count ? c->target : -1, -1};
}

// A grab's work is what it does to the point that it holds: its spring is nobody's energy.
static void account_grab(const SnKept* item, double b, const double* from, const double* x, double* amounts)
{
    const SnStencil* at = &item->constraint.at;
    double force[3];
    for (int c = 0; c < 3; c++) force[c] = item->multiplier.force * at->normal[c];
    amounts[SN_ACCOUNT_OBSTACLES] += item->multiplier.force * (sn_stencil_along(at, x) - sn_stencil_along(at, from));
    for (int k = 0; k < at->count; k++)
        sn_ledger_add_wrench(amounts + SN_ACCOUNT_DRAG, b * at->weight[k], x + 3 * (int64_t)at->node[k], force);
}

// The part of their way that obstacles have gone: they wait for what cannot get out of it. Slides do not.
static double part_gone(const SnProblem* problem, const SnConstraint* constraint)
{
    return sn_constraint_is_contact(constraint) ? sn_contacts_scene(problem->constraints.contacts) : 1;
}

// What a slide does that brings its node to its distance, which the first stage does wholly: to a second one the node
// has come from x^p, the weight of x^n beyond it. Where it gives way it is a spring, which is nobody's energy.
static double work_of_drawing(const SnProblem* problem, const SnKept* item, const SnStage* stage, double span)
{
    double whole = problem->constraints.scene.span, share = stage->middle != 0 ? stage->present : span / whole;
    if (item->constraint.springy || !(whole > 0)) return 0;
    return share * item->multiplier.force * item->constraint.drawn;
}

static void account(const SnProblem* problem, const SnKept* item, double b, double span, const double* x,
                    double* rub_impulse, double* amounts)
{
    const SnStencil* at = &item->constraint.at;
    double force[3], slip[3];
    sn_friction_force(&problem->constraints.friction, item, x, force, slip);
    amounts[SN_ACCOUNT_FRICTION] += rub_impulse ? b * sn_dot3(force, item->constraint.velocity) : -sn_dot3(force, slip);
    if (rub_impulse) sn_stencil_spread(at, b, force, rub_impulse);
    bool outside = source_of(problem, &item->constraint).index >= 0;
    bool tied = sn_tie_number(&item->constraint, problem->constraints.slide_count) >= 0; // it may be drawing together
    if (!outside && !tied) return;
    for (int c = 0; c < 3; c++) force[c] += item->multiplier.force * at->normal[c];
    double way = span * part_gone(problem, &item->constraint);
    amounts[SN_ACCOUNT_OBSTACLES] += way * sn_dot3(force, item->constraint.velocity);
    if (!outside) return;
    for (int k = 0; k < at->count; k++)
        sn_ledger_add_wrench(amounts + SN_ACCOUNT_DRAG, b * at->weight[k], x + 3 * (int64_t)at->node[k], force);
}

void sn_contacts_account(const SnModel* model, const SnState* state, const SnProblem* problem, const SnStage* stage,
                         const double* from, const double* x, double* rub_impulse, double* contacts, double* slides)
{
    double b = stage->alpha * state->step_length, span = b > 0 ? b : state->step_length;
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        double others[SN_ACCOUNT_LOSS] = {0}; // those have accounts, too
        double* amounts = sn_impact_keeps_out(model, problem, &item->constraint) ? contacts : slides;
        bool own = sn_constraint_is_own(problem->constraints.nodes, item);
        if (!own) amounts = others;
        if (own) contacts[SN_ACCOUNT_OBSTACLES] += work_of_drawing(problem, item, stage, span); // over by the next step
        if (item->constraint.spring > 0)
            account_grab(item, b, from, x, amounts);
        else
            account(problem, item, b, span, x, rub_impulse, amounts);
    }
}

double sn_contacts_work(const SnModel* model, const SnState* state, const SnProblem* problem, const SnWork* of,
                        double span, const double* x, bool contacts)
{
    double work = 0;
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        const SnConstraint* c = &item->constraint;
        double force[3], slip[3];
        SnWork source = source_of(problem, c);
        if (c->spring > 0 || sn_impact_keeps_out(model, problem, c) != contacts || source.of != of->of ||
            source.index != of->index || !sn_constraint_is_own(problem->constraints.nodes, item))
            continue;
        sn_friction_force(&problem->constraints.friction, item, x, force, slip);
        for (int a = 0; a < 3; a++) force[a] += item->multiplier.force * c->at.normal[a];
        work += span * part_gone(problem, c) * sn_dot3(force, c->velocity);
    }
    return work;
}

SnStatus sn_contacts_report_crossings(const SnProblem* problem, SnStepReport* report, char detail[256])
{
    SnContacts* contacts = problem->constraints.contacts;
    if (!contacts) return SN_OK;
    SN_TRY(sn_contacts_count_crossings(contacts, &report->crossings));
    size_t used = strlen(detail);
    if (report->crossings > 0)
        snprintf(detail + used, 256 - used, "%s%d edge%s through triangles still", used ? "; " : "", report->crossings,
                 report->crossings > 1 ? "s go" : " goes");
    return SN_OK;
}
