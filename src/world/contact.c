// Contacts of the world: what starts inside something, what contacts add to the ledger, what is reported of them.
#include <math.h>

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
    int targets = model->obstacle_count + model->body_count, *nodes;
    double behind = model->def.contact.push * state->step_length;
    if (!SN_NEW(nodes, (int64_t)targets * model->body_count, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < state->constraints.count; i++) {
        const SnConstraint* c = &state->constraints.items[i].constraint;
        if (!sn_constraint_is_contact(c) || sn_stencil_gap(&c->at, state->x) > -0.4 * behind) continue;
        nodes[c->owner * targets + c->target]++;
    }
    for (int i = 0; i < targets * model->body_count; i++)
        if (nodes[i] > 0) warn(model, i / targets, i % targets, nodes[i]);
    sn_free(nodes);
    return SN_OK;
}

static const char* name_of(const SnModel* model, int target, bool* obstacle)
{
    *obstacle = target < model->obstacle_count;
    return *obstacle ? model->obstacles[target].name : model->bodies[target - model->obstacle_count].name;
}

// Nodes are named as their own mesh has them.
static int own_number(const SnModel* model, int target, int point)
{
    return target < model->obstacle_count ? point - model->node_count
                                          : point - model->bodies[target - model->obstacle_count].first_node;
}

SnStatus sn_contacts_check_start(const SnModel* model, const SnProblem* problem)
{
    SnCrossings found;
    bool obstacle[2];
    SN_TRY(sn_contacts_find_crossings(problem->constraints.contacts, &found));
    if (found.count == 0) return SN_OK;
    const char* names[2];
    for (int k = 0; k < 2; k++) names[k] = name_of(model, found.target[k], &obstacle[k]);
    const int *e = found.edge, *t = found.triangle;
    int a = found.target[0], b = found.target[1];
    return sn_fail(SN_ERROR_VALUE,
                   "%s '%s' crosses %s '%s' at the start: the edge of nodes %d, %d goes through the triangle of nodes "
                   "%d, %d, %d (%d such crossing%s in all); move them apart, let them not touch (`pairs`, "
                   "`self`), or have them separated (`untangle: true`)",
                   obstacle[0] ? "obstacle" : "body", names[0],
                   obstacle[1] ? "obstacle"
                   : a == b    ? "itself, body"
                               : "body",
                   names[1], own_number(model, a, e[0]), own_number(model, a, e[1]), own_number(model, b, t[0]),
                   own_number(model, b, t[1]), own_number(model, b, t[2]), found.count, found.count > 1 ? "s" : "");
}

void sn_contacts_account(const SnState* state, const SnProblem* problem, double b, double span, const double* x,
                         double* rub_impulse, double* amounts)
{
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        const SnStencil* at = &item->constraint.at;
        double force[3], slip[3];
        sn_friction_force(&problem->constraints.friction, item, x, force, slip);
        amounts[SN_ACCOUNT_FRICTION] +=
            rub_impulse ? b * sn_dot3(force, item->constraint.velocity) : -sn_dot3(force, slip);
        if (rub_impulse) sn_stencil_spread(at, b, force, rub_impulse);
        if (at->count > 1) continue;
        for (int c = 0; c < 3; c++) force[c] += item->multiplier.force * at->normal[c];
        amounts[SN_ACCOUNT_OBSTACLES] += span * sn_dot3(force, item->constraint.velocity);
        sn_ledger_add_wrench(amounts + SN_ACCOUNT_DRAG, b, x + 3 * (int64_t)at->node[0], force);
    }
}

void sn_contacts_report(const SnState* state, const SnProblem* problem, SnStepReport* report)
{
    report->contacts = 0;
    report->depth = 0;
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        if (!sn_constraint_is_contact(&item->constraint)) continue;
        int target = item->constraint.target;
        double thickness = sn_contacts_thickness(problem->constraints.contacts, item->constraint.owner, target);
        report->contacts += item->multiplier.force > 0;
        report->depth = fmax(report->depth, -sn_stencil_gap(&item->constraint.at, state->x) - thickness);
    }
}
