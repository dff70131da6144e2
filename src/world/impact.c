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

bool sn_impact_stops(const SnWorld* w)
{
    return w->problem.constraints.contacts && w->model.integrator->order == 2 &&
           w->model.integrator->extrapolate == 1 && w->model.def.contact.restitution == 0;
}

static bool pushes(const SnKept* item)
{
    return sn_constraint_is_contact(&item->constraint) && item->multiplier.force > 0;
}

void sn_impact_keep_out(SnWorld* w)
{
    for (int i = 0; i < w->state.constraints.count; i++) {
        const SnKept* item = &w->state.constraints.items[i];
        double rub[3], slip[3];
        if (!sn_constraint_is_contact(&item->constraint)) continue;
        sn_stencil_add(&item->constraint.at, -item->multiplier.force, w->state.force);
        sn_friction_force(&w->problem.constraints.friction, item, w->scratch.stage_x, rub, slip);
        sn_stencil_spread(&item->constraint.at, -1, rub, w->state.force);
    }
}

static double inverse_mass(const SnWorld* w, int node)
{
    return w->problem.free_index[node] >= 0 && w->problem.mass[node] > 0 ? 1 / w->problem.mass[node] : 0;
}

// How fast the contact's node comes nearer, m/s, at velocities v.
static double approach(const SnConstraint* c, const double* v)
{
    double speed = sn_dot3(c->at.normal, c->velocity);
    for (int k = 0; k < c->at.count; k++)
        speed -= c->at.weight[k] * sn_dot3(c->at.normal, v + 3 * (int64_t)c->at.node[k]);
    return speed;
}

bool sn_impact_happened(const SnWorld* w)
{
    const SnConstraintSet* set = &w->state.constraints;
    for (int i = 0; i < set->count && sn_impact_stops(w); i++)
        if (pushes(&set->items[i]) && approach(&set->items[i].constraint, w->state.v) > w->model.def.contact.push)
            return true;
    return false;
}

// Moves v to where the contact's relative velocity is zero; how much that was.
static double stop_contact(const SnWorld* w, const SnConstraint* c, double* v, double* work)
{
    const SnStencil* at = &c->at;
    double along = sn_dot3(at->normal, c->velocity), speed = -approach(c, v), give = 0;
    for (int k = 0; k < at->count; k++) give += at->weight[k] * at->weight[k] * inverse_mass(w, at->node[k]);
    if (!(give > 0)) return 0;
    *work -= speed / give * along;
    for (int k = 0; k < at->count; k++) {
        double share = speed / give * at->weight[k] * inverse_mass(w, at->node[k]);
        for (int a = 0; a < 3; a++) v[3 * (int64_t)at->node[k] + a] -= share * at->normal[a];
    }
    return fabs(speed);
}

// Contact after contact, again and again: in the end the nearest velocity at which none moves.
static void stop_contacts(const SnWorld* w, double* v, double* work)
{
    enum { SWEEPS = 100 };
    const SnConstraintSet* set = &w->state.constraints;
    double first = 0, most = INFINITY;
    for (int sweep = 0; sweep < SWEEPS && most > 1e-9 * first; sweep++) {
        most = 0;
        for (int i = 0; i < set->count; i++)
            if (pushes(&set->items[i])) most = fmax(most, stop_contact(w, &set->items[i].constraint, v, work));
        if (sweep == 0) first = most;
    }
}

// Stops v, of nodes at stage_x. given: the momenta that obstacles gave (six), and their work.
static void stop(SnWorld* w, double* v, double given[7])
{
    double* stopped = w->scratch.vp;
    memset(given, 0, 7 * sizeof *given);
    memcpy(stopped, v, 3 * (size_t)w->model.node_count * sizeof *v);
    stop_contacts(w, stopped, &given[6]);
    for (int64_t i = 0; i < w->model.node_count; i++) {
        double change[3];
        for (int c = 0; c < 3; c++) {
            change[c] = stopped[3 * i + c] - v[3 * i + c];
            v[3 * i + c] = stopped[3 * i + c];
        }
        sn_ledger_add_wrench(given, w->problem.mass[i], w->scratch.stage_x + 3 * i, change);
    }
}

void sn_impact_end_stage(SnWorld* w)
{
    double given[7];
    if (!sn_impact_stops(w)) return;
    stop(w, w->scratch.stage_v, given);
    for (int c = 0; c < 6; c++) w->state.accounts[SN_ACCOUNT_DRAG + c].part += given[c];
    w->state.accounts[SN_ACCOUNT_OBSTACLES].part += given[6];
}
