// Contacts of integrators of second order: what hits is not thrown back.
//
// Contacts keep places. Where x^p is more than x^n, v = (x - x^p)/b makes a rebound of that: by the trapezoidal rule a
// node that hits a floor it lies on comes away as fast as it came, and f^n, which has the force of the impact, pushes
// once more when all is over. So a step in which something hits is backward Euler's (world/step.c). In any other, f^n
// is kept without contacts, whose force a stage then takes at its end alone, and after a stage nodes that are pushed go
// along with what pushes them: v is replaced by the nearest v', by the masses, with n.(C v' - u) = 0. That takes
// kinetic energy, and never gives any, where obstacles are at rest.
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "world/world.h"

bool sn_impact_stops(const SnModel* model, const SnProblem* problem)
{
    return problem->constraints.contacts && model->integrator->order == 2 && model->integrator->extrapolate == 1 &&
           model->def.contact.restitution == 0;
}

static bool pushes(const SnKept* item)
{
    return sn_constraint_is_contact(&item->constraint) && item->multiplier.force > 0;
}

void sn_impact_keep_out(SnState* state, const SnProblem* problem, const SnScratch* scratch)
{
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        double rub[3], slip[3];
        if (!sn_constraint_is_contact(&item->constraint)) continue;
        sn_stencil_add(&item->constraint.at, -item->multiplier.force, state->force);
        sn_friction_force(&problem->constraints.friction, item, scratch->stage_x, rub, slip);
        sn_stencil_spread(&item->constraint.at, -1, rub, state->force);
    }
}

static double inverse_mass(const SnProblem* problem, int node)
{
    return problem->free_index[node] >= 0 && problem->mass[node] > 0 ? 1 / problem->mass[node] : 0;
}

// How fast the contact's node comes nearer, m/s, at velocities v.
static double approach(const SnConstraint* c, const double* v)
{
    double speed = sn_dot3(c->at.normal, c->velocity);
    for (int k = 0; k < c->at.count; k++)
        speed -= c->at.weight[k] * sn_dot3(c->at.normal, v + 3 * (int64_t)c->at.node[k]);
    return speed;
}

bool sn_impact_happened(const SnModel* model, const SnState* state, const SnProblem* problem)
{
    const SnConstraintSet* set = &state->constraints;
    for (int i = 0; i < set->count && sn_impact_stops(model, problem); i++)
        if (pushes(&set->items[i]) && approach(&set->items[i].constraint, state->v) > model->def.contact.push)
            return true;
    return false;
}

// Moves v to where the contact's relative velocity is zero; how much that was.
static double stop_contact(const SnProblem* problem, const SnConstraint* c, double* v, double* work)
{
    const SnStencil* at = &c->at;
    double along = sn_dot3(at->normal, c->velocity), speed = -approach(c, v), give = 0;
    for (int k = 0; k < at->count; k++) give += at->weight[k] * at->weight[k] * inverse_mass(problem, at->node[k]);
    if (!(give > 0)) return 0;
    *work -= speed / give * along;
    for (int k = 0; k < at->count; k++) {
        double share = speed / give * at->weight[k] * inverse_mass(problem, at->node[k]);
        for (int a = 0; a < 3; a++) v[3 * (int64_t)at->node[k] + a] -= share * at->normal[a];
    }
    return fabs(speed);
}

// Contact after contact, again and again: in the end the nearest velocity at which none moves.
static void stop_contacts(const SnConstraintSet* set, const SnProblem* problem, double* v, double* work)
{
    enum { SWEEPS = 100 };
    double first = 0, most = INFINITY;
    for (int sweep = 0; sweep < SWEEPS && most > 1e-9 * first; sweep++) {
        most = 0;
        for (int i = 0; i < set->count; i++)
            if (pushes(&set->items[i])) most = fmax(most, stop_contact(problem, &set->items[i].constraint, v, work));
        if (sweep == 0) first = most;
    }
}

// Stops the velocities of the stage. given: the momenta that obstacles gave (six), and their work.
static void stop(const SnModel* model, const SnState* state, const SnProblem* problem, SnScratch* scratch,
                 double given[7])
{
    double *v = scratch->stage_v, *stopped = scratch->stopped_v;
    memset(given, 0, 7 * sizeof *given);
    memcpy(stopped, v, 3 * (size_t)model->node_count * sizeof *v);
    stop_contacts(&state->constraints, problem, stopped, &given[6]);
    for (int64_t i = 0; i < model->node_count; i++) {
        double change[3];
        for (int c = 0; c < 3; c++) {
            change[c] = stopped[3 * i + c] - v[3 * i + c];
            v[3 * i + c] = stopped[3 * i + c];
        }
        sn_ledger_add_wrench(given, problem->mass[i], scratch->stage_x + 3 * i, change);
    }
}

void sn_impact_end_stage(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch)
{
    double given[7];
    if (!sn_impact_stops(model, problem)) return;
    stop(model, state, problem, scratch, given);
    for (int c = 0; c < 6; c++) state->accounts[SN_ACCOUNT_DRAG + c].part += given[c];
    state->accounts[SN_ACCOUNT_OBSTACLES].part += given[6];
}
