// What single handles, obstacles and loads have done, where a probe asks: the ledger's sums (world/ledger.c) by whom.
//
// Of obstacles it is without what contacts did when they stopped something, which is the integrator's doing.
#include <math.h>
#include <string.h>

#include "core/share.h"
#include "linalg/vec3.h"
#include "world/world.h"

// Force times way of the handle's held nodes, or, with these held by energy, of where they belong. b: the time of the
// stage.
static double of_handle(const SnModel* model, const SnState* state, const SnProblem* problem, const SnScratch* scratch,
                        int index, double b)
{
    const SnHandle* handle = &model->handles[index];
    const double* loads = problem->loads.acting;
    double sum = 0;
    for (int i = 0; i < handle->node_count && sn_handle_eliminates(model, problem, index); i++)
        for (int64_t k = 3 * (int64_t)handle->nodes[i]; k < 3 * (int64_t)handle->nodes[i] + 3; k++) {
            double external = b > 0 ? problem->gravity[k] + (loads ? loads[k] : 0) : 0;
            sum += (scratch->reaction[k] - external) * (scratch->stage_x[k] - scratch->xp[k]);
        }
    for (int64_t i = 0; i < problem->pin_count; i++) {
        const SnPin* pin = &problem->pins[i];
        const double* force = state->pin_force + 3 * (int64_t)(handle->first_pin + pin->entry);
        if (pin->handle == index) sum += sn_dot3(force, scratch->pin_displacement + 3 * i);
    }
    return sum;
}

// Its power at the present state, with velocities of held nodes as their script goes on from there.
static double handle_power(const SnModel* model, const SnState* state, const SnProblem* problem,
                           const SnScratch* scratch, int index)
{
    const SnHandle* handle = &model->handles[index];
    double sum = 0, speed[3];
    for (int i = 0; i < handle->node_count && !problem->released[index]; i++) {
        int64_t at = 3 * (int64_t)handle->nodes[i];
        if (handle->how == SN_HOLD_ELIMINATE) {
            sum -= sn_dot3(state->force + at, scratch->present_v + at);
            continue;
        }
        sn_handle_velocity(handle, i, state->time, SN_LEAN * state->step_length, speed);
        sum += sn_dot3(state->pin_force + 3 * (int64_t)(handle->first_pin + i), speed);
    }
    return sum;
}

// pressure: in a chamber, Pa; NAN: of a gas, that of x.
static void put_force(const SnModel* model, const SnProblem* problem, int index, double time, const double* x,
                      const double* v, double pressure, SnLoadSum* own)
{
    const SnLoad* load = &model->loads[index];
    SnLoadState at = {time, x, v, problem->potential->rest, problem->mass, pressure, model->tasks};
    memset(own->force, 0, 3 * (size_t)model->node_count * sizeof *own->force);
    memset(own->drag, 0, (size_t)model->node_count * sizeof *own->drag);
    if (!problem->loads.rests[index]) load->type->add(load, &at, own);
    sn_share_add(model->tasks, 3, own->force);
    sn_share_add(model->tasks, 1, own->drag);
}

void sn_works_find_load(const SnModel* model, SnProblem* problem, const SnLoadState* at)
{
    for (int i = 0; i < problem->loads.own_count; i++)
        if (problem->loads.own[i].force)
            put_force(model, problem, model->works[i].index, at->time, at->x, at->v,
                      problem->loads.gases[model->works[i].index].pressure, &problem->loads.own[i]);
}

// The sum of force times way, the force being that of the load's own sum at velocities v, NULL: none.
static double times_way(const SnModel* model, const SnLoadSum* own, const double* v, const double* x,
                        const double* from)
{
    double sum = 0;
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++)
        sum += (own->force[k] - (v ? own->drag[k / 3] * v[k] : 0)) * (x[k] - from[k]);
    return sum;
}

// Without inertia, the mean of what it would have done before and does now.
static double of_load(const SnModel* model, const SnState* state, SnProblem* problem, const SnScratch* scratch,
                      int work, double b)
{
    int index = model->works[work].index;
    SnLoadSum* own = &problem->loads.own[work];
    const double *x = scratch->stage_x, *from = scratch->xp, *v = b > 0 ? scratch->stage_v : state->v;
    const SnLoadType* type = model->loads[index].type;
    double now_p = type->filled ? problem->loads.ended[index].pressure : NAN;
    double before_p = type->filled ? state->chambers[index].pressure : NAN;
    if (type->follows) put_force(model, problem, index, problem->loads.at, x, NULL, now_p, own);
    double now = times_way(model, own, v, x, from);
    if (b > 0) return now;
    put_force(model, problem, index, state->time, state->x, state->v, before_p, own);
    return 0.5 * (now + times_way(model, own, state->v, x, from));
}

void sn_works_reset(const SnModel* model, SnState* state)
{
    for (int i = 0; i < model->work_count; i++) state->works[i].part = 0;
}

// Energy of the nodes that a handle holds: what they gain, it gave.
static double held_kinetic(const SnModel* model, const SnState* state, const SnProblem* problem, const SnWork* work)
{
    double sum = 0;
    if (work->of != SN_WORK_OF_HANDLE || !sn_handle_eliminates(model, problem, work->index)) return 0;
    const SnHandle* handle = &model->handles[work->index];
    for (int i = 0; i < handle->node_count; i++) {
        const double* v = state->v + 3 * (int64_t)handle->nodes[i];
        sum += 0.5 * problem->mass[handle->nodes[i]] * sn_dot3(v, v);
    }
    return sum;
}

void sn_works_begin(const SnModel* model, SnState* state, const SnProblem* problem, const SnScratch* scratch)
{
    for (int i = 0; i < model->work_count; i++) {
        if (model->works[i].of != SN_WORK_OF_HANDLE) continue;
        state->works[i].sum -= held_kinetic(model, state, problem, &model->works[i]);
        if (model->integrator->needs_force && !sn_handle_ties(&model->handles[model->works[i].index]))
            state->works[i].rate = handle_power(model, state, problem, scratch, model->works[i].index);
    }
}

void sn_works_drag_rates(const SnModel* model, SnState* state, SnProblem* problem)
{
    for (int i = 0; i < model->work_count; i++) {
        if (model->works[i].of == SN_WORK_OF_HANDLE) continue;
        state->works[i].rate = 0;
        if (model->works[i].of != SN_WORK_OF_LOAD) continue;
        const SnLoadSum* own = &problem->loads.own[i];
        for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++)
            state->works[i].rate += (own->force[k] - own->drag[k / 3] * state->v[k]) * state->v[k];
    }
}

void sn_works_begin_stage(const SnModel* model, SnState* state, const SnProblem* problem, const SnScratch* scratch)
{
    for (int w = 0; w < model->work_count; w++) {
        double sum = 0;
        if (model->works[w].of != SN_WORK_OF_HANDLE) continue;
        const SnHandle* handle = &model->handles[model->works[w].index];
        if (sn_handle_ties(handle)) continue; // its rate was kept
        bool held = sn_handle_eliminates(model, problem, model->works[w].index);
        for (int i = 0; i < handle->node_count && held; i++)
            for (int64_t k = 3 * (int64_t)handle->nodes[i]; k < 3 * (int64_t)handle->nodes[i] + 3; k++)
                sum -= state->force[k] * (scratch->target[k] - scratch->xp[k]);
        for (int64_t i = 0; i < problem->pin_count; i++) {
            const SnPin* pin = &problem->pins[i];
            if (pin->handle == model->works[w].index)
                sum += sn_dot3(state->pin_force + 3 * (int64_t)(handle->first_pin + pin->entry),
                               scratch->pin_displacement + 3 * i);
        }
        state->works[w].rate = sum / state->step_length;
    }
}

static double of_node(const SnStencil* at, int k, const double force[3], const SnScratch* scratch)
{
    double way[3];
    sn_subtract3(scratch->stage_x + 3 * (int64_t)at->node[k], scratch->xp + 3 * (int64_t)at->node[k], way);
    return at->weight[k] * sn_dot3(force, way);
}

static bool has_node(const SnBody* body, int node)
{
    return node >= body->first_node && node < body->first_node + body->node_count;
}

// Of its nodes that are the body's; nothing where it is with none of the other's.
static double of_body(const SnStencil* at, const SnBody* body, const SnBody* other, const double force[3],
                      const SnScratch* scratch)
{
    double sum = 0;
    bool both = false;
    for (int k = 0; k < at->count; k++) {
        both |= has_node(other, at->node[k]);
        if (has_node(body, at->node[k])) sum += of_node(at, k, force, scratch);
    }
    return both ? sum : 0;
}

// Of contacts of two bodies, on the first of them; or of an attachment, on what it is from.
static double of_joined(const SnModel* model, const SnState* state, const SnProblem* problem, const SnScratch* scratch,
                        const SnWork* work)
{
    bool pair = work->of == SN_WORK_OF_PAIR;
    int number = model->handle_count + work->index;
    double sum = 0, force[3], slip[3];
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        const SnStencil* at = &item->constraint.at;
        bool contact = sn_constraint_is_contact(&item->constraint);
        if (pair ? !contact || item->constraint.target < model->obstacle_count
                 : contact || sn_tie_number(&item->constraint, model->slide_count) != number)
            continue;
        const SnBody *own = &model->bodies[work->index], *other = &model->bodies[pair ? work->other : work->index];
        sn_friction_force(&problem->constraints.friction, item, scratch->stage_x, force, slip);
        for (int c = 0; c < 3; c++) force[c] += item->multiplier.force * at->normal[c];
        sum += pair ? of_body(at, own, other, force, scratch) : of_node(at, 0, force, scratch);
    }
    return sum;
}

// As the ledger does with sums of the same kind.
static void advance(SnAccount* a, const SnStage* stage, double h, double amount, bool kept)
{
    a->part = stage->middle * a->part - stage->before * a->last + stage->half * h * a->rate + amount;
    if (kept && stage->end == 1 && stage->alpha > 0) a->rate = amount / (stage->alpha * h);
}

void sn_works_stage(const SnModel* model, SnState* state, SnProblem* problem, const SnScratch* scratch,
                    const SnStage* stage)
{
    double h = state->step_length, b = stage->alpha * h;
    bool apart = stage->end == 1 && b > 0;
    for (int i = 0; i < model->work_count; i++) {
        const SnWork* work = &model->works[i];
        SnAccount* account = &state->works[i];
        double touch = 0, amount;
        bool tied = work->of == SN_WORK_OF_HANDLE && sn_handle_ties(&model->handles[work->index]);
        if (work->of == SN_WORK_OF_HANDLE && !tied)
            amount = of_handle(model, state, problem, scratch, work->index, b);
        else if (work->of == SN_WORK_OF_LOAD)
            amount = of_load(model, state, problem, scratch, i, b);
        else if (work->of != SN_WORK_OF_HANDLE && work->of != SN_WORK_OF_OBSTACLE)
            amount = of_joined(model, state, problem, scratch, work);
        else {
            double span = b > 0 ? b : h;
            touch = sn_contacts_work(model, state, problem, work, span, scratch->stage_x, true);
            amount = touch + sn_contacts_work(model, state, problem, work, span, scratch->stage_x, false);
        }
        if (b == 0 && (work->of == SN_WORK_OF_HANDLE || work->of == SN_WORK_OF_OBSTACLE)) {
            double after = amount;
            amount = 0.5 * (account->rate * h + after);
            account->rate = after / h;
        }
        advance(account, stage, h, amount, tied || work->of != SN_WORK_OF_HANDLE);
        bool kept_out = work->of == SN_WORK_OF_PAIR         ? sn_impact_stops(model, problem)
                        : work->of == SN_WORK_OF_ATTACHMENT ? sn_impact_leads(model, problem)
                                                            : false;
        if (kept_out) touch = amount;
        if (apart) account->rate -= touch / b;
    }
}

// Attachments are counted after handles.
void sn_works_add_lead(const SnModel* model, SnState* state, int number, double work)
{
    for (int i = 0; i < model->work_count; i++) {
        bool glue = model->works[i].of == SN_WORK_OF_ATTACHMENT;
        if ((glue || model->works[i].of == SN_WORK_OF_HANDLE) &&
            model->works[i].index + (glue ? model->handle_count : 0) == number)
            state->works[i].part += work;
    }
}

void sn_works_end(const SnModel* model, SnState* state, const SnProblem* problem)
{
    for (int i = 0; i < model->work_count; i++) {
        state->works[i].last = model->integrator->extrapolate * state->works[i].part;
        state->works[i].sum += state->works[i].last + held_kinetic(model, state, problem, &model->works[i]);
    }
}

void sn_works_let_go(const SnModel* model, SnState* state, const SnHandle* handle, double stored)
{
    for (int i = 0; i < model->work_count; i++)
        if (model->works[i].of == SN_WORK_OF_HANDLE && &model->handles[model->works[i].index] == handle)
            state->works[i].sum -= stored;
}
