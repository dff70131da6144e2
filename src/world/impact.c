// Contacts and hinges of integrators of second order: what hits is not thrown back, what is led does not ring.
//
// Contacts keep places. Where x^p is more than x^n, v = (x - x^p)/b makes a rebound of that: by the trapezoidal rule a
// node that hits a floor it lies on comes away as fast as it came, and f^n, which has the force of the impact, pushes
// once more when all is over. So a step in which something hits is backward Euler's (world/step.c). In any other, f^n
// is kept without contacts, whose force a stage then takes at its end alone, and after a stage nodes that are pushed go
// along with what pushes them: v is replaced by the nearest v', by the masses, with n.(C v' - u) = 0. That takes
// kinetic energy, and never gives any, where obstacles are at rest. Friction goes by what pushed in all, so a stop
// brings its own. Sections of hinges, rollers and attachments are led in the same way, for where x^p is more than x^n
// their velocities across what they may do change sign from step to step, and forces that were carried on would grow.
// A slide that brings its node to its distance all at once is an impact, too, and leads its node in that step.
#include <math.h>
#include <string.h>

#include "core/share.h"
#include "linalg/vec3.h"
#include "world/world.h"

static bool looks_back(const SnModel* model)
{
    return model->integrator->order == 2 && model->integrator->extrapolate == 1;
}

bool sn_impact_stops(const SnModel* model, const SnProblem* problem)
{
    return problem->constraints.contacts && looks_back(model) && model->def.contact.restitution == 0;
}

bool sn_impact_leads(const SnModel* model, const SnProblem* problem)
{
    return (problem->ties.hinge_count > 0 || problem->ties.count > 0) && looks_back(model);
}

// Hinges are led as a whole.
static bool is_tie(const SnModel* model, const SnConstraint* c)
{
    return !c->curved && sn_tie_number(c, model->slide_count) >= 0;
}

// What the integrator is, also in a step that backward Euler takes in its place.
static bool is_second_order(const SnModel* model)
{
    return sn_integrator_find(model->def.integrator)->order == 2;
}

// A slide that draws its node faster than anything is pushed out; one that gives way does not.
static bool is_drawn(const SnModel* model, const SnProblem* problem, const SnConstraint* c)
{
    bool jumps = fabs(c->drawn) > model->def.contact.push * problem->constraints.scene.span; // 0: it is no slide
    return jumps && !c->springy && is_second_order(model);
}

static bool draws(const SnModel* model, const SnState* state, const SnProblem* problem)
{
    bool any = false;
    for (int i = 0; i < state->constraints.count && model->slide_count > 0 && !any; i++)
        any = is_drawn(model, problem, &state->constraints.items[i].constraint);
    return sn_share_any(model->tasks, any);
}

bool sn_impact_keeps_out(const SnModel* model, const SnProblem* problem, const SnConstraint* c)
{
    if (c->curved || is_tie(model, c)) return sn_impact_leads(model, problem);
    if (is_drawn(model, problem, c)) return true;
    return sn_constraint_is_contact(c) && sn_impact_stops(model, problem);
}

static bool pushes(const SnKept* item)
{
    return sn_constraint_is_contact(&item->constraint) && item->multiplier.force > 0;
}

double sn_impact_share(const SnModel* model, const SnState* state)
{
    const SnIntegratorType* type = model->integrator;
    const SnStage* last = &type->stages[type->stage_count - 1];
    bool own = state->last_length > 0 && !type->adjust; // not backward Euler in its place, nor stages that are made up
    return own ? last->alpha / (last->alpha + last->half) : 1;
}

void sn_impact_keep_out(const SnModel* model, SnState* state, const SnProblem* problem, const SnScratch* scratch)
{
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        double rub[3], slip[3];
        if (!sn_impact_keeps_out(model, problem, &item->constraint)) continue;
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
    bool any = draws(model, state, problem);
    if (any || !sn_impact_stops(model, problem)) return any;
    for (int i = 0; i < set->count && !any; i++)
        any = pushes(&set->items[i]) && approach(&set->items[i].constraint, state->v) > model->def.contact.push;
    return sn_share_any(model->tasks, any);
}

// How much an impulse along a direction changes the speed of the contact's point, 1/kg.
static double give_of(const SnProblem* problem, const SnStencil* at)
{
    double give = 0;
    for (int k = 0; k < at->count; k++) give += at->weight[k] * at->weight[k] * inverse_mass(problem, at->node[k]);
    return give;
}

static void add_impulse(const SnProblem* problem, const SnStencil* at, double amount, const double direction[3],
                        double* v)
{
    for (int k = 0; k < at->count; k++) {
        double share = amount * at->weight[k] * inverse_mass(problem, at->node[k]);
        for (int a = 0; a < 3; a++) v[3 * (int64_t)at->node[k] + a] += share * direction[a];
    }
}

bool sn_impact_push(const SnProblem* problem, SnKept* item, const double* x, double b, double* v)
{
    const SnConstraint* c = &item->constraint;
    double speed = approach(c, v), *stop = &item->multiplier.stop;
    if (!(speed > 0) && *stop == 0) return false; // as mostly
    double room = fmax(sn_stencil_gap(&c->at, x), 0) / b, give = give_of(problem, &c->at);
    if (!(give > 0)) return false;
    double more = fmax(*stop + (speed - room) / give, 0) - *stop;
    *stop += more;
    if (more != 0) add_impulse(problem, &c->at, more, c->at.normal, v);
    return more != 0;
}

// Moves v to where the contact's relative velocity is zero; how much that was.
static double stop_contact(const SnProblem* problem, SnKept* item, double* v, double* work)
{
    const SnConstraint* c = &item->constraint;
    double speed = -approach(c, v), give = give_of(problem, &c->at);
    if (!(give > 0)) return 0;
    if (sn_constraint_is_own(problem->constraints.nodes, item))
        *work -= speed / give * sn_dot3(c->at.normal, c->velocity);
    item->multiplier.stop -= speed / give;
    add_impulse(problem, &c->at, -speed / give, c->at.normal, v);
    return fabs(speed);
}

// The work of an attachment is what it does to what it is from.
static double lead_tie(const SnModel* model, SnState* state, const SnProblem* problem, SnKept* item, double* v,
                       double* work)
{
    const SnStencil* at = &item->constraint.at;
    const double *own = v + 3 * (int64_t)at->node[0], stop = item->multiplier.stop;
    int number = sn_tie_number(&item->constraint, model->slide_count);
    double given = 0, before = sn_dot3(at->normal, own), speed = stop_contact(problem, item, v, &given);
    double push = item->multiplier.stop - stop, to_node = 0.5 * push * (before + sn_dot3(at->normal, own));
    sn_works_add_lead(model, state, number, number < model->handle_count ? given : to_node);
    *work += given;
    return speed;
}

// Contact after contact, and hinge after hinge, again and again: in the end the nearest velocity at which none moves
// but as it may.
static void stop_all(const SnModel* model, SnState* state, const SnProblem* problem, const double* x, double* v,
                     double* work)
{
    enum { SWEEPS = 100 };
    SnConstraintSet* set = &state->constraints;
    double first = 0, most = INFINITY;
    bool stops = sn_impact_stops(model, problem), leads = sn_impact_leads(model, problem),
         drawn = draws(model, state, problem);
    for (int sweep = 0; sweep < SWEEPS && most > 1e-9 * first; sweep++) {
        most = 0;
        for (int i = 0; i < set->count && stops; i++)
            if (pushes(&set->items[i])) most = fmax(most, stop_contact(problem, &set->items[i], v, work));
        for (int i = 0; i < set->count && leads; i++)
            if (is_tie(model, &set->items[i].constraint))
                most = fmax(most, lead_tie(model, state, problem, &set->items[i], v, work));
        for (int i = 0; i < set->count && drawn; i++)
            if (is_drawn(model, problem, &set->items[i].constraint))
                most = fmax(most, stop_contact(problem, &set->items[i], v, work));
        for (int i = 0; i < problem->ties.hinge_count && leads; i++) {
            double given = 0;
            most = fmax(most, sn_hinge_lead(&problem->ties.hinges[i], problem->mass, x, v, &given));
            sn_works_add_lead(model, state, problem->ties.hinges[i].number, given);
            *work += given;
        }
        most = sn_share_largest(problem->objective.nodes.tasks, most);
        if (sweep == 0) first = most;
    }
}

// What a stage's stop gave; numbers alone, which are summed over processes.
typedef struct Given {
    double momenta[6];     // of obstacles
    double work, rub_work; // J, of obstacles; by rubbing alone
    double friction;       // J, lost
} Given;

// How much more a contact rubs within the time b, now that it was stopped, N s against its slip, of which `took` was
// taken by the stage: Coulomb's law for both together. Friction does not turn a slip round, and gives back no more than
// it took.
static double more_rubbing(const SnKept* item, double b, double took, double slip_speed, double give)
{
    const SnMultiplier* m = &item->multiplier;
    double mu = item->constraint.friction, before = b * mu * m->normal_force;
    double more = mu * fmax(b * m->normal_force + m->stop, 0) - took;
    if (more <= 0) return more;
    return took < (1 - 1e-9) * before ? 0 : fmin(more, fmax(slip_speed, 0) / give); // what sticks stays
}

// The friction that goes with the stop of a contact, whose impulse is added where it is asked for; whether there is
// any.
static bool rub_contact(const SnProblem* problem, const SnKept* item, double b, const double* x, double* v,
                        double* impulse, Given* given)
{
    const SnConstraint* c = &item->constraint;
    double force[3], slip[3], give = give_of(problem, &c->at);
    sn_friction_force(&problem->constraints.friction, item, x, force, slip);
    double length = sn_length3(force), speed, along;
    if (!(length > 0) || !(give > 0)) return false;
    for (int a = 0; a < 3; a++) force[a] /= length;
    speed = along = sn_dot3(force, c->velocity);
    for (int k = 0; k < c->at.count; k++) speed -= c->at.weight[k] * sn_dot3(force, v + 3 * (int64_t)c->at.node[k]);
    double more = more_rubbing(item, b, b * length, speed, give);
    add_impulse(problem, &c->at, more, force, v);
    if (impulse) sn_stencil_spread(&c->at, more, force, impulse);
    if (sn_constraint_is_own(problem->constraints.nodes, item)) {
        given->rub_work += more * along;
        given->friction += more * (speed - 0.5 * more * give);
    }
    return more != 0;
}

// Stops the velocities of the stage.
static Given stop(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch, double b)
{
    Given given = {0};
    SnConstraintSet* set = &state->constraints;
    double *v = scratch->stage_v, *stopped = scratch->stopped_v,
           *impulse = sn_ledger_has_rub_impulse(model, problem) ? scratch->rub_impulse : NULL;
    memcpy(stopped, v, 3 * (size_t)model->node_count * sizeof *v);
    for (int i = 0; i < set->count; i++) set->items[i].multiplier.stop = 0;
    stop_all(model, state, problem, scratch->stage_x, stopped, &given.work);
    bool rubs = false;
    for (int i = 0; i < set->count && sn_impact_stops(model, problem); i++)
        rubs |= pushes(&set->items[i]) &&
                rub_contact(problem, &set->items[i], b, scratch->stage_x, stopped, impulse, &given);
    rubs = sn_share_any(model->tasks, rubs);
    if (rubs)
        stop_all(model, state, problem, scratch->stage_x, stopped,
                 &given.work); // nodes with several contacts were moved again
    for (int64_t i = 0; i < model->node_count; i++) {
        double change[3];
        for (int c = 0; c < 3; c++) {
            change[c] = stopped[3 * i + c] - v[3 * i + c];
            v[3 * i + c] = stopped[3 * i + c];
        }
        if (sn_share_owns(model->tasks, (int)i))
            sn_ledger_add_wrench(given.momenta, problem->mass[i], scratch->stage_x + 3 * i, change);
    }
    sn_share_sum(model->tasks, (int)(sizeof given / sizeof(double)), (double*)&given);
    return given;
}

void sn_impact_end_stage(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch,
                         const SnStage* stage)
{
    SnAccount* accounts = state->accounts;
    if (!sn_impact_stops(model, problem) && !sn_impact_leads(model, problem) && !draws(model, state, problem)) return;
    Given given = stop(model, state, problem, scratch, stage->alpha * state->step_length);
    for (int c = 0; c < 6; c++) accounts[SN_ACCOUNT_DRAG + c].part += given.momenta[c];
    accounts[SN_ACCOUNT_OBSTACLES].part += given.work + given.rub_work;
    // In a stage that another one follows, the impulse will tell.
    accounts[SN_ACCOUNT_FRICTION].part += stage->end == 1 ? given.friction : given.rub_work;
}
