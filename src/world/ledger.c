// The energy ledger: where each joule went; and the momenta, and what gave them.
//
// Works and impulses are integrals over time of powers and forces. They are integrated by the stages of the integrator
// itself, as v is: W = W^p + b P at the end of a stage, where W^p has the weights of v^p. So the momentum adds up to
// what the impulses gave, and the energy that is missing is what the integrator has lost, not an error of the books.
//
// Integrators that start from the force at t^n have the loss to a dissipation from its impulse J over the step instead,
// W = -J.(x^(n+1) - x^n)/h: damping that is stiff for the step turns velocities round within it, and the mean of the
// powers before and after may exceed all the energy there is.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/vec3.h"
#include "world/world.h"

// six += factor (f, x cross f)
void sn_ledger_add_wrench(double* six, double factor, const double* x, const double* f)
{
    for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3, e = (c + 2) % 3;
        six[c] += factor * f[c];
        six[3 + c] += factor * (x[d] * f[e] - x[e] * f[d]);
    }
}

SnStatus sn_ledger_create(SnWorld* world)
{
    if (!SN_GROW(world->state.accounts, world->state.account_capacity, SN_ACCOUNT_LOSS, "the ledger"))
        return SN_ERROR_MEMORY;
    world->state.account_count = SN_ACCOUNT_LOSS;
    return SN_OK;
}

void sn_ledger_close(SnWorld* world, int count)
{
    for (int k = sn_world_loss_count(world) - 1; k >= count; k--) {
        sn_free(world->model.loss_names[k]);
        world->state.account_count--;
    }
}

void sn_ledger_destroy(SnWorld* world)
{
    if (world->state.accounts) sn_ledger_close(world, 0);
    sn_free(world->model.loss_names);
    sn_free(world->state.accounts);
}

// "bar: rayleigh", and "bar: rayleigh 2" where there is one already.
static char* loss_name(const SnWorld* world, const char* body, const char* type)
{
    char* name;
    size_t size = strlen(body) + strlen(type) + 16, length;
    if (!SN_NEW(name, size, "the ledger")) return NULL;
    length = (size_t)snprintf(name, size, "%s: %s", body, type);
    for (int k = 0, same = 1; k < sn_world_loss_count(world); k++)
        if (strcmp(world->model.loss_names[k], name) == 0) {
            snprintf(name + length, size - length, " %d", ++same);
            k = -1;
        }
    return name;
}

SnStatus sn_ledger_open(SnWorld* world, const SnBody* body)
{
    for (int i = 0; i < body->damping_count; i++) {
        int index = sn_world_loss_count(world);
        if (!SN_GROW(world->state.accounts, world->state.account_capacity, world->state.account_count + 1,
                     "the ledger") ||
            !SN_GROW(world->model.loss_names, world->model.loss_capacity, index + 1, "the ledger"))
            return SN_ERROR_MEMORY;
        char* name = loss_name(world, body->name, body->dampings[i].dissipation.type->name);
        if (!name) return SN_ERROR_MEMORY;
        world->model.loss_names[index] = name;
        world->state.accounts[world->state.account_count++] = (SnAccount){0};
    }
    return SN_OK;
}

int sn_world_loss_count(const SnWorld* world)
{
    return world->state.account_count > SN_ACCOUNT_LOSS ? world->state.account_count - SN_ACCOUNT_LOSS : 0;
}

SnStatus sn_world_loss(const SnWorld* world, int index, SnLoss* loss)
{
    if (index < 0 || index >= sn_world_loss_count(world))
        return sn_fail(SN_ERROR_VALUE, "there is no loss %d: the world has %d dissipations", index,
                       sn_world_loss_count(world));
    *loss = (SnLoss){world->model.loss_names[index], world->state.accounts[SN_ACCOUNT_LOSS + index].sum};
    return SN_OK;
}

void sn_ledger_state(SnWorld* world, double elastic)
{
    double kinetic = 0, gravity = 0;
    for (int64_t i = 0; i < world->model.node_count; i++) {
        kinetic += 0.5 * world->problem.mass[i] * sn_dot3(world->state.v + 3 * i, world->state.v + 3 * i);
        gravity -= sn_dot3(world->problem.gravity + 3 * i, world->state.x + 3 * i);
    }
    world->energy.kinetic = kinetic;
    world->energy.gravity = gravity;
    world->energy.elastic = elastic;
    world->measured = true;
}

// Energy and momenta of the held nodes: what they gain, their handles gave.
static void measure_held(const SnWorld* w, double* kinetic, double momentum[6])
{
    *kinetic = 0;
    memset(momentum, 0, 6 * sizeof *momentum);
    for (int64_t i = 0; i < w->model.node_count; i++) {
        if (w->problem.free_index[i] >= 0) continue;
        *kinetic += 0.5 * w->problem.mass[i] * sn_dot3(w->state.v + 3 * i, w->state.v + 3 * i);
        sn_ledger_add_wrench(momentum, w->problem.mass[i], w->state.x + 3 * i, w->state.v + 3 * i);
    }
}

// What gravity and handles give within the time b, in which the nodes go `way` and the handles push against `load`.
static void add_given(const SnWorld* w, double b, const double* x, const double* way, const double* load,
                      double* amounts)
{
    for (int64_t i = 0; i < w->model.node_count; i++) {
        sn_ledger_add_wrench(amounts + SN_ACCOUNT_IMPULSE, b, x + 3 * i, w->problem.gravity + 3 * i);
        if (w->problem.free_index[i] >= 0) continue;
        amounts[SN_ACCOUNT_PINS] += sn_dot3(load + 3 * i, way + 3 * i);
        sn_ledger_add_wrench(amounts + SN_ACCOUNT_IMPULSE, b, x + 3 * i, load + 3 * i);
    }
}

// The slopes of the dissipations at the present state, from which their impulses start.
static void begin_impulses(SnWorld* w)
{
    int64_t size = 3 * (int64_t)w->model.node_count;
    if (sn_world_loss_count(w) > 0) sn_stage_begin_present(w);
    for (int k = 0; k < sn_world_loss_count(w); k++)
        sn_potential_dissipation_gradient(w->problem.potential, k, w->state.x, w->scratch.loss_impulses + k * size);
}

void sn_ledger_begin(SnWorld* w)
{
    measure_held(w, &w->scratch.held_kinetic, w->scratch.held_momentum);
    for (int k = 0; k < w->state.account_count; k++) w->state.accounts[k].part = 0;
    if (!w->model.integrator->needs_force) return;
    // The script may have a corner here: the way is that after it.
    double *way = w->scratch.xp, *load = w->scratch.vp, amounts[SN_ACCOUNT_OBSTACLES] = {0};
    memcpy(way, w->state.v, 3 * (size_t)w->model.node_count * sizeof *way);
    sn_world_move_handles(w, w->state.time, true, way);
    for (int64_t k = 0; k < 3 * (int64_t)w->model.node_count; k++) load[k] = -w->state.force[k];
    add_given(w, 1, w->state.x, way, load, amounts);
    sn_pins_add_rates(w, amounts);
    for (int k = 0; k < SN_ACCOUNT_OBSTACLES; k++) w->state.accounts[k].rate = amounts[k];
    begin_impulses(w);
}

static void advance(SnAccount* a, const SnStage* stage, double h, double amount)
{
    a->part = stage->middle * a->part - stage->before * a->last + stage->half * h * a->rate + amount;
}

// The slope of dissipation k at x, into trial_g; drag: the momenta that it gives within the time b.
static const double* find_slope(SnWorld* w, int k, double b, const double* x, double drag[6])
{
    double* slope = w->problem.search->trial_g;
    sn_potential_dissipation_gradient(w->problem.potential, k, x, slope);
    for (int64_t i = 0; i < w->model.node_count; i++) sn_ledger_add_wrench(drag, -b, x + 3 * i, slope + 3 * i);
    return slope;
}

void sn_ledger_drag_rates(SnWorld* w)
{
    double drag[6] = {0};
    w->state.accounts[SN_ACCOUNT_OBSTACLES].rate = w->state.accounts[SN_ACCOUNT_FRICTION].rate = 0;
    for (int k = 0; k < sn_world_loss_count(w); k++) find_slope(w, k, 1, w->state.x, drag);
    for (int c = 0; c < 6; c++) w->state.accounts[SN_ACCOUNT_DRAG + c].rate = drag[c];
}

// An amount within the time b at the end of a stage; where the next step starts there, the rate is kept for it.
static void advance_kept(SnAccount* a, const SnStage* stage, double h, double amount)
{
    advance(a, stage, h, amount);
    if (stage->end == 1 && stage->alpha > 0) a->rate = amount / (stage->alpha * h);
}

// What dissipation k has taken by the end of a stage, in which the nodes went `way` within the time b.
static void account_loss(SnWorld* w, int k, const SnStage* stage, const double* way, double drag[6])
{
    SnAccount* account = &w->state.accounts[SN_ACCOUNT_LOSS + k];
    int64_t size = 3 * (int64_t)w->model.node_count;
    double h = w->state.step_length, b = stage->alpha * h, sum = 0;
    const double* slope = find_slope(w, k, b, w->scratch.stage_x, drag);
    if (!w->model.integrator->needs_force) {
        for (int64_t i = 0; i < size; i++) sum += slope[i] * way[i];
        advance(account, stage, h, sum);
        return;
    }
    double* impulse = w->scratch.loss_impulses + k * size;
    double keep = stage->middle + stage->half * h; // of the impulse up to here, or of the slope at t^n
    for (int64_t i = 0; i < size; i++) {
        impulse[i] = keep * impulse[i] + b * slope[i];
        sum += impulse[i] * (w->scratch.stage_x[i] - w->state.x[i]);
    }
    account->part = sum / (stage->end * h);
}

void sn_ledger_stage(SnWorld* w, const SnStage* stage)
{
    double *way = w->scratch.xp, *load = w->scratch.vp,
           amounts[SN_ACCOUNT_LOSS] = {0}; // the stage is over: its arrays are free
    double h = w->state.step_length, b = stage->alpha * h;
    double touch[SN_ACCOUNT_LOSS];
    sn_world_account_contacts(w, b, w->scratch.stage_x, amounts); // while x^p is there
    memcpy(touch, amounts, sizeof touch);
    for (int64_t k = 0; k < 3 * (int64_t)w->model.node_count; k++) {
        way[k] = w->scratch.stage_x[k] - w->scratch.xp[k];
        load[k] = b > 0 ? w->scratch.reaction[k] - w->problem.gravity[k] : w->scratch.reaction[k];
    }
    add_given(w, b, w->scratch.stage_x, way, load, amounts);
    sn_pins_add_given(w, b, w->scratch.stage_x, amounts);
    for (int k = 0; k < sn_world_loss_count(w) && b > 0; k++) account_loss(w, k, stage, way, amounts + SN_ACCOUNT_DRAG);
    for (int k = 0; k < SN_ACCOUNT_OBSTACLES; k++) advance(&w->state.accounts[k], stage, h, amounts[k]);
    for (int k = SN_ACCOUNT_OBSTACLES; k < SN_ACCOUNT_LOSS; k++)
        advance_kept(&w->state.accounts[k], stage, h, amounts[k]);
    // As f^n, so its powers: without contacts.
    for (int k = SN_ACCOUNT_OBSTACLES; k < SN_ACCOUNT_LOSS && stage->end == 1 && b > 0 && sn_impact_stops(w); k++)
        w->state.accounts[k].rate -= touch[k] / b;
}

static void close_accounts(SnWorld* w)
{
    for (int k = 0; k < w->state.account_count; k++) {
        SnAccount* a = &w->state.accounts[k];
        a->last = w->model.integrator->extrapolate * a->part;
        a->sum += a->last;
    }
    double kinetic, momentum[6];
    measure_held(w, &kinetic, momentum);
    w->state.accounts[SN_ACCOUNT_PINS].sum += kinetic - w->scratch.held_kinetic;
    for (int c = 0; c < 6; c++)
        w->state.accounts[SN_ACCOUNT_IMPULSE + c].sum += momentum[c] - w->scratch.held_momentum[c];
}

void sn_ledger_read_accounts(SnWorld* w)
{
    w->energy.pins = w->state.accounts[SN_ACCOUNT_PINS].sum + w->state.accounts[SN_ACCOUNT_OBSTACLES].sum;
    w->energy.friction = w->state.accounts[SN_ACCOUNT_FRICTION].sum;
    w->energy.viscous = 0;
    for (int k = SN_ACCOUNT_LOSS; k < w->state.account_count; k++) w->energy.viscous += w->state.accounts[k].sum;
}

void sn_ledger_end(SnWorld* w, double elastic)
{
    const SnEnergy before = w->energy;
    sn_ledger_state(w, elastic);
    close_accounts(w);
    sn_ledger_read_accounts(w);
    SnEnergy* e = &w->energy;
    double change = e->kinetic - before.kinetic + (e->elastic - before.elastic) + (e->gravity - before.gravity);
    double given = e->pins - before.pins - (e->viscous - before.viscous) - (e->friction - before.friction);
    e->numerical = before.numerical + given - change;
}

void sn_ledger_momentum(const SnWorld* world, double linear[3], double angular[3])
{
    double six[6] = {0};
    for (int64_t i = 0; i < world->model.node_count; i++)
        sn_ledger_add_wrench(six, world->problem.mass[i], world->state.x + 3 * i, world->state.v + 3 * i);
    memcpy(linear, six, 3 * sizeof *six);
    memcpy(angular, six + 3, 3 * sizeof *six);
}
