// The energy ledger: where each joule went; and the momenta, and what gave them.
//
// Works and impulses are integrals over time of powers and forces. They are integrated by the stages of the integrator
// itself, as v is: W = W^p + b P at the end of a stage, where W^p has the weights of v^p. So the momentum adds up to
// what the impulses gave, and the energy that is missing is what the integrator has lost, not an error of the books.
//
// Integrators that start from the force at t^n have the loss to a dissipation from its impulse J over the step instead,
// W = -J.(x^(n+1) - x^n)/h: damping that is stiff for the step turns velocities round within it, and the mean of the
// powers before and after may exceed all the energy there is. So they have the loss to friction, where the force at t^n
// has no contacts: all of a step's impulse is then found with the velocity at its end.
//
// Force times way is what a dissipation took only as long as it turns little on the way. Its power is that of its
// rates, and as a dissipation function R is convex and 0 at rest, it is never less than R: the loss within the time b
// is at least W = b R, and by an impulse at least 0. What forces did beyond that on a way that was too long for them is
// the integrator's.
#include <math.h>
#include <string.h>

#include "core/share.h"
#include "linalg/vec3.h"
#include "world/world.h"

void sn_ledger_add_wrench(double* six, double factor, const double* x, const double* f)
{
    for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3, e = (c + 2) % 3;
        six[c] += factor * f[c];
        six[3 + c] += factor * (x[d] * f[e] - x[e] * f[d]);
    }
}

SnEnergy sn_ledger_energy(const SnModel* model, const SnState* state, const SnProblem* problem, double elastic)
{
    const SnAccount* accounts = state->accounts;
    SnEnergy energy = {.elastic = elastic, .numerical = state->numerical};
    double sums[2] = {0}; // kinetic, gravity
    for (int64_t i = 0; i < model->node_count; i++) {
        if (!sn_share_owns(model->tasks, (int)i)) continue;
        sums[0] += 0.5 * problem->mass[i] * sn_dot3(state->v + 3 * i, state->v + 3 * i);
        sums[1] -= sn_dot3(problem->gravity + 3 * i, state->x + 3 * i);
    }
    sn_share_sum(model->tasks, 2, sums);
    energy.kinetic = sums[0], energy.gravity = sums[1];
    energy.pins = accounts[SN_ACCOUNT_PINS].sum + accounts[SN_ACCOUNT_OBSTACLES].sum + accounts[SN_ACCOUNT_LOADS].sum;
    energy.friction = accounts[SN_ACCOUNT_FRICTION].sum;
    energy.unconverged = accounts[SN_ACCOUNT_UNCONVERGED].sum;
    for (int k = 0; k < model->loss_count; k++) energy.viscous += accounts[SN_ACCOUNT_LOSS + k].sum;
    return energy;
}

// Energy and momenta of the held nodes: what they gain, their handles gave.
static void measure_held(const SnModel* model, const SnState* state, const SnProblem* problem, double* kinetic,
                         double momentum[6])
{
    double sums[7] = {0}; // momenta, energy
    for (int64_t i = 0; i < model->node_count; i++) {
        if (problem->free_index[i] >= 0 || !sn_share_owns(model->tasks, (int)i)) continue;
        sums[6] += 0.5 * problem->mass[i] * sn_dot3(state->v + 3 * i, state->v + 3 * i);
        sn_ledger_add_wrench(sums, problem->mass[i], state->x + 3 * i, state->v + 3 * i);
    }
    sn_share_sum(model->tasks, 7, sums);
    memcpy(momentum, sums, 6 * sizeof *momentum);
    *kinetic = sums[6];
}

// What gravity and handles give to node i at x within the time b, in which it moves by `displacement` and its handle
// pushes against `load`.
static void add_given(const SnProblem* problem, int64_t i, double b, const double x[3], const double displacement[3],
                      const double load[3], double* amounts)
{
    sn_ledger_add_wrench(amounts + SN_ACCOUNT_IMPULSE, b, x, problem->gravity + 3 * i);
    if (problem->free_index[i] >= 0) return;
    amounts[SN_ACCOUNT_PINS] += sn_dot3(load, displacement);
    sn_ledger_add_wrench(amounts + SN_ACCOUNT_IMPULSE, b, x, load);
}

// The rates of what is given at the start of the step, and the slopes of the dissipations there, from which their
// impulses start.
static void begin_rates(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch)
{
    double amounts[SN_ACCOUNT_OBSTACLES] = {0};
    sn_stage_begin_present(model, state, problem, scratch);
    for (int64_t i = 0; i < model->node_count; i++) {
        const double* force = state->force + 3 * i;
        const double load[3] = {-force[0], -force[1], -force[2]};
        if (!sn_share_owns(model->tasks, (int)i)) continue;
        add_given(problem, i, 1, state->x + 3 * i, scratch->present_v + 3 * i, load, amounts);
    }
    sn_pins_add_rates(model, state, problem, amounts);
    sn_share_sum(model->tasks, SN_ACCOUNT_OBSTACLES, amounts);
    for (int k = 0; k < SN_ACCOUNT_OBSTACLES; k++) state->accounts[k].rate = amounts[k];
    for (int k = 0; k < model->loss_count; k++)
        sn_potential_dissipation_gradient(problem->potential, k, state->x,
                                          scratch->loss_impulses + 3 * (int64_t)model->node_count * k);
}

void sn_ledger_reset(const SnModel* model, SnState* state)
{
    for (int k = 0; k < SN_ACCOUNT_LOSS + model->loss_count; k++) state->accounts[k].part = 0;
    sn_works_reset(model, state);
}

void sn_ledger_begin(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch, double elastic,
                     SnLedgerStart* start)
{
    start->energy = sn_ledger_energy(model, state, problem, elastic);
    measure_held(model, state, problem, &start->held_kinetic, start->held_momentum);
    sn_ledger_reset(model, state);
    if (model->integrator->needs_force) begin_rates(model, state, problem, scratch);
    sn_works_begin(model, state, problem, scratch);
}

void sn_ledger_begin_stage(const SnModel* model, SnState* state, const SnProblem* problem, const SnScratch* scratch,
                           const SnStage* stage)
{
    if (stage->alpha > 0) return;
    double amounts[SN_ACCOUNT_OBSTACLES] = {0};
    for (int64_t i = 0; i < model->node_count; i++)
        for (int64_t k = 3 * i; k < 3 * i + 3 && problem->free_index[i] < 0 && sn_share_owns(model->tasks, (int)i); k++)
            amounts[SN_ACCOUNT_PINS] -= state->force[k] * (scratch->target[k] - scratch->xp[k]);
    sn_pins_add_given(model, state, problem, scratch, 0, state->x, amounts);
    double work = sn_share_total(model->tasks, amounts[SN_ACCOUNT_PINS]);
    state->accounts[SN_ACCOUNT_PINS].rate = work / state->step_length;
    sn_works_begin_stage(model, state, problem, scratch);
}

// Without inertia works are means of what the forces before and after would have done on the way.
static void take_means(SnState* state, double* amounts)
{
    static const int works[] = {SN_ACCOUNT_PINS, SN_ACCOUNT_OBSTACLES};
    for (int k = 0; k < 2; k++) {
        SnAccount* account = &state->accounts[works[k]];
        double after = amounts[works[k]];
        amounts[works[k]] = 0.5 * (account->rate * state->step_length + after);
        account->rate = after / state->step_length;
    }
}

static void advance(SnAccount* a, const SnStage* stage, double h, double amount)
{
    a->part = stage->middle * a->part - stage->before * a->last + stage->half * h * a->rate + amount;
}

// The slope of dissipation k at x, into scratch; drag: the momenta that it gives within the time b, of this process's
// nodes. Its W, J.
static double find_slope(const SnModel* model, const SnProblem* problem, SnScratch* scratch, int k, double b,
                         const double* x, double drag[6])
{
    double w = sn_potential_dissipation_gradient(problem->potential, k, x, scratch->slope);
    for (int64_t i = 0; i < model->node_count; i++)
        if (sn_share_owns(model->tasks, (int)i)) sn_ledger_add_wrench(drag, -b, x + 3 * i, scratch->slope + 3 * i);
    return w;
}

// What loads do to node i at x, which moves by `displacement`, within the time b.
static void add_load(const double* acting, int64_t i, double b, const double x[3], const double displacement[3],
                     double* amounts)
{
    amounts[SN_ACCOUNT_LOADS] += sn_dot3(acting + 3 * i, displacement);
    sn_ledger_add_wrench(amounts + SN_ACCOUNT_DRAG, b, x, acting + 3 * i);
}

void sn_ledger_drag_rates(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch)
{
    double amounts[SN_ACCOUNT_LOSS] = {0};
    const double* loads = problem->loads.acting;
    for (int64_t i = 0; i < model->node_count && loads; i++)
        if (sn_share_owns(model->tasks, (int)i)) add_load(loads, i, 1, state->x + 3 * i, state->v + 3 * i, amounts);
    for (int k = 0; k < model->loss_count; k++)
        find_slope(model, problem, scratch, k, 1, state->x, amounts + SN_ACCOUNT_DRAG);
    sn_share_sum(model->tasks, SN_ACCOUNT_LOSS, amounts);
    for (int k = SN_ACCOUNT_OBSTACLES; k < SN_ACCOUNT_LOSS; k++)
        if (k != SN_ACCOUNT_UNCONVERGED) state->accounts[k].rate = amounts[k];
    sn_works_drag_rates(model, state, problem);
}

// An amount within the time b at the end of a stage; where the next step starts there, the rate is kept for it.
static void advance_kept(SnAccount* a, const SnStage* stage, double h, double amount)
{
    advance(a, stage, h, amount);
    if (stage->end == 1 && stage->alpha > 0) a->rate = amount / (stage->alpha * h);
}

// What dissipation k, with its slope at the end of the stage in scratch and its W there, has taken by then.
static void account_loss(const SnModel* model, SnState* state, SnScratch* scratch, int k, double w,
                         const SnStage* stage)
{
    SnAccount* account = &state->accounts[SN_ACCOUNT_LOSS + k];
    const double *slope = scratch->slope, *x = scratch->stage_x;
    int64_t size = 3 * (int64_t)model->node_count;
    double h = state->step_length, b = stage->alpha * h, sum = 0;
    if (!model->integrator->needs_force) {
        for (int64_t i = 0; i < size; i++)
            if (sn_share_owns(model->tasks, (int)(i / 3))) sum += slope[i] * (x[i] - scratch->xp[i]);
        advance(account, stage, h, fmax(sn_share_total(model->tasks, sum), w));
        return;
    }
    double* impulse = scratch->loss_impulses + k * size;
    double keep = stage->middle + stage->half * h; // of the impulse up to here, or of the slope at t^n
    for (int64_t i = 0; i < size; i++) {
        impulse[i] = keep * impulse[i] + b * slope[i];
        if (sn_share_owns(model->tasks, (int)(i / 3))) sum += impulse[i] * (x[i] - state->x[i]);
    }
    account->part = fmax(sn_share_total(model->tasks, sum) / (stage->end * h), 0);
}

bool sn_ledger_has_rub_impulse(const SnModel* model, const SnProblem* problem)
{
    return model->integrator->needs_force && sn_impact_stops(model, problem);
}

// The friction of the step: what obstacles put into it is in the account, what the nodes did is found from its impulse.
static void account_rub(const SnModel* model, SnState* state, const SnScratch* scratch)
{
    double sum = 0;
    for (int64_t i = 0; i < 3 * (int64_t)model->node_count; i++)
        if (sn_share_owns(model->tasks, (int)(i / 3)))
            sum += scratch->rub_impulse[i] * (scratch->stage_x[i] - state->x[i]);
    state->accounts[SN_ACCOUNT_FRICTION].part -= sn_share_total(model->tasks, sum) / state->step_length;
}

// Without inertia, the mean of what loads would have done before and do now: the forces in between are not known.
static void add_mean_load(const SnModel* model, const SnState* state, SnProblem* problem, const SnScratch* scratch,
                          double* amounts)
{
    const double* before = sn_loads_find(model, state, problem);
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count && before; k++) {
        double now = problem->loads.external[k] - problem->gravity[k];
        if (!sn_share_owns(model->tasks, (int)(k / 3))) continue;
        amounts[SN_ACCOUNT_LOADS] += 0.5 * (before[k] + now) * (scratch->stage_x[k] - scratch->xp[k]);
    }
}

// What gravity, handles and loads gave to this process's nodes within the time b of the stage.
static void add_stage(const SnModel* model, const SnProblem* problem, const SnScratch* scratch, double b,
                      double* amounts)
{
    const double* loads = problem->loads.acting;
    for (int64_t i = 0; i < model->node_count; i++) {
        const double* x = scratch->stage_x + 3 * i;
        double displacement[3], load[3];
        if (!sn_share_owns(model->tasks, (int)i)) continue;
        for (int c = 0; c < 3; c++) {
            double reaction = scratch->reaction[3 * i + c];
            displacement[c] = x[c] - scratch->xp[3 * i + c];
            load[c] = b > 0 ? reaction - problem->gravity[3 * i + c] - (loads ? loads[3 * i + c] : 0) : reaction;
        }
        if (b > 0 && loads) add_load(loads, i, b, x, displacement, amounts);
        add_given(problem, i, b, x, displacement, load, amounts);
    }
}

// What the solve has left over took on the way. Without inertia, the mean of what was left before and now, which is
// then kept together with what pulls at held nodes.
static double work_left_over(const SnModel* model, SnState* state, const SnProblem* problem, const SnScratch* scratch,
                             double b)
{
    double sum = 0;
    const double* g = problem->search->g;
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        bool held = problem->free_index[k / 3] < 0;
        double before = b > 0 || held ? 0 : state->force[k], share = b > 0 ? 1 : 0.5;
        bool own = sn_share_owns(model->tasks, (int)(k / 3));
        if (!held && own) sum -= share * (g[k] - before) * (scratch->stage_x[k] - scratch->xp[k]);
        if (!(b > 0)) state->force[k] = held ? -scratch->reaction[k] : -g[k];
    }
    return sum;
}

void sn_ledger_stage(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch, const SnStage* stage)
{
    double h = state->step_length, b = stage->alpha * h, amounts[SN_ACCOUNT_LOSS] = {0}, touch[SN_ACCOUNT_LOSS] = {0};
    SnAccount* accounts = state->accounts;
    bool by_impulse = sn_ledger_has_rub_impulse(model, problem);
    for (int64_t i = 0; i < 3 * (int64_t)model->node_count && by_impulse; i++)
        scratch->rub_impulse[i] *= stage->middle; // 0 in a first stage
    sn_contacts_account(model, state, problem, stage, scratch->xp, scratch->stage_x,
                        by_impulse ? scratch->rub_impulse : NULL, touch, amounts);
    for (int k = 0; k < SN_ACCOUNT_LOSS; k++) amounts[k] += touch[k];
    add_stage(model, problem, scratch, b, amounts);
    sn_pins_add_given(model, state, problem, scratch, b, scratch->stage_x, amounts);
    sn_works_stage(model, state, problem, scratch, stage);
    if (b == 0) add_mean_load(model, state, problem, scratch, amounts);
    amounts[SN_ACCOUNT_UNCONVERGED] = work_left_over(model, state, problem, scratch, b);
    for (int k = 0; k < model->loss_count && b > 0; k++) {
        double w = find_slope(model, problem, scratch, k, b, scratch->stage_x, amounts + SN_ACCOUNT_DRAG);
        account_loss(model, state, scratch, k, w, stage);
    }
    sn_share_sum(model->tasks, SN_ACCOUNT_LOSS, amounts);
    sn_share_sum(model->tasks, SN_ACCOUNT_LOSS, touch);
    if (b == 0) take_means(state, amounts);
    for (int k = 0; k < SN_ACCOUNT_OBSTACLES; k++) advance(&accounts[k], stage, h, amounts[k]);
    for (int k = SN_ACCOUNT_OBSTACLES; k < SN_ACCOUNT_LOSS; k++) advance_kept(&accounts[k], stage, h, amounts[k]);
    // As f^n, so its powers: without what is kept out of it.
    bool apart = stage->end == 1 && b > 0;
    for (int k = SN_ACCOUNT_OBSTACLES; k < SN_ACCOUNT_LOSS && apart; k++) accounts[k].rate -= touch[k] / b;
    if (by_impulse && stage->end == 1) account_rub(model, state, scratch);
}

static void close_accounts(const SnModel* model, SnState* state, const SnProblem* problem, const SnLedgerStart* start)
{
    SnAccount* accounts = state->accounts;
    // Friction gives nothing: what did where a solve has not found its direction is the solve's.
    double given = fmin(accounts[SN_ACCOUNT_FRICTION].part, 0);
    accounts[SN_ACCOUNT_FRICTION].part -= given, accounts[SN_ACCOUNT_UNCONVERGED].part += given;
    for (int k = 0; k < SN_ACCOUNT_LOSS + model->loss_count; k++) {
        accounts[k].last = model->integrator->extrapolate * accounts[k].part;
        accounts[k].sum += accounts[k].last;
    }
    sn_works_end(model, state, problem);
    double kinetic, momentum[6];
    measure_held(model, state, problem, &kinetic, momentum);
    accounts[SN_ACCOUNT_PINS].sum += kinetic - start->held_kinetic;
    for (int c = 0; c < 6; c++) accounts[SN_ACCOUNT_IMPULSE + c].sum += momentum[c] - start->held_momentum[c];
}

void sn_ledger_end(const SnModel* model, SnState* state, const SnProblem* problem, const SnLedgerStart* start,
                   double elastic)
{
    close_accounts(model, state, problem, start);
    const SnEnergy *a = &start->energy, b = sn_ledger_energy(model, state, problem, elastic);
    double change = b.kinetic - a->kinetic + (b.elastic - a->elastic) + (b.gravity - a->gravity);
    double given = b.pins - a->pins - (b.viscous - a->viscous) - (b.friction - a->friction);
    if (isfinite(given - change)) state->numerical = a->numerical + given - change;
}

void sn_ledger_momentum(const SnModel* model, const SnState* state, const SnProblem* problem, double linear[3],
                        double angular[3])
{
    double six[6] = {0};
    for (int64_t i = 0; i < model->node_count; i++)
        if (sn_share_owns(model->tasks, (int)i))
            sn_ledger_add_wrench(six, problem->mass[i], state->x + 3 * i, state->v + 3 * i);
    sn_share_sum(model->tasks, 6, six);
    memcpy(linear, six, 3 * sizeof *six);
    memcpy(angular, six + 3, 3 * sizeof *six);
}
