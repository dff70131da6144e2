// Energy that a step has gained from nowhere, where its solves have not converged.
//
// A fixed number of iterations may leave forces over, and these do work. Integrators that lose little make of it a
// motion that grows; their step is then taken again by backward Euler. What that one still gains is taken off its
// velocities, of each body first those relative to its mean. Where these have not as much, it is in the bodies' shapes;
// if it is more than half of what there was before, the step is not taken.
#include <math.h>

#include "core/share.h"
#include "linalg/vec3.h"
#include "world/world.h"

#define GAIN 1e-3 // of the energy there is: what may be gained
#define MOST 0.5  // of the energy there was: what shapes may have gained

// What rounding may do to the energies: its forces over the length of the largest body, J.
static double rounding(const SnWorld* world)
{
    double size = 0;
    for (int b = 0; b < world->model.body_count; b++)
        size = fmax(size, sn_body_rest_size(&world->model, &world->model.bodies[b]));
    return world->problem.search->stopping.floor * sn_share_largest(world->model.tasks, size);
}

// What slides that give way have at x, and not where the step began, J; a grab has an account. What they give back they
// were given in steps before, where it counted as lost.
static double energy_of_slides(const SnWorld* world, const double* x)
{
    const SnConstraints* c = &world->problem.constraints;
    double sum = 0;
    for (int i = 0; i < c->now->count; i++) {
        const SnKept* item = &c->now->items[i];
        if (item->constraint.spring == 0 && sn_constraint_is_own(c->nodes, item))
            sum += sn_constraint_spring_energy(item, x) - sn_constraint_spring_energy(item, world->state.x);
    }
    return fmax(sn_share_total(world->model.tasks, sum), -fmax(world->state.numerical, 0));
}

double sn_excess(const SnWorld* world, const SnStepReport* report)
{
    const SnModel* model = &world->model;
    const SnState* state = &world->state;
    const SnProblem* p = &world->problem;
    double further = model->integrator->extrapolate, elastic = sn_share_once(model->tasks, world->elastic);
    double sums[2] = {elastic, -elastic}; // what there is before and after, and by how much that changes
    double* x = p->search->trial;
    if (report->outcome != SN_OUTCOME_ITERATION_LIMIT || model->integrator->order == 0) return 0;
    for (int64_t k = 0, own = 0; k < 3 * (int64_t)model->node_count; k++) {
        double v = state->v[k], end = v + further * (world->scratch.stage_v[k] - v), half = 0.5 * p->mass[k / 3];
        x[k] = state->x[k] + further * (world->scratch.stage_x[k] - state->x[k]);
        if (k % 3 == 0) own = sn_share_owns(model->tasks, (int)(k / 3));
        if (!own) continue;
        sums[0] += half * (v * v + end * end);
        sums[1] += half * (end * end - v * v) - p->gravity[k] * (x[k] - state->x[k]);
    }
    sn_share_sum(model->tasks, 2, sums);
    double after = sn_potential_energy(p->potential, x).elastic, given = state->accounts[SN_ACCOUNT_PINS].part +
                                                                         state->accounts[SN_ACCOUNT_OBSTACLES].part +
                                                                         state->accounts[SN_ACCOUNT_LOADS].part;
    double gain = sums[1] + after + energy_of_slides(world, x) - fmax(further * given, 0);
    double least = GAIN * (sums[0] + after);
    return gain > least && gain > least + rounding(world) ? gain : 0;
}

// Twice the kinetic energy of the free nodes of a body, their mass, and their mean velocity, by mass.
static double mean_velocity(const SnProblem* p, const SnBody* body, const double* v, double* mass, double mean[3])
{
    SnTasks* tasks = p->objective.nodes.tasks;
    double sums[5] = {0}; // mass, m v^2, momentum
    for (int64_t i = body->first_node; i < body->first_node + body->node_count; i++) {
        if (p->free_index[i] < 0 || !sn_share_owns(tasks, (int)i)) continue;
        sums[0] += p->mass[i], sums[1] += p->mass[i] * sn_dot3(v + 3 * i, v + 3 * i);
        for (int c = 0; c < 3; c++) sums[2 + c] += p->mass[i] * v[3 * i + c];
    }
    sn_share_sum(tasks, 5, sums);
    for (int c = 0; c < 3; c++) mean[c] = sums[0] > 0 ? sums[2 + c] / sums[0] : 0;
    *mass = sums[0];
    return sums[1];
}

// What is relative to the mean times `relative`, and the mean times `whole`.
static void slow_down(const SnProblem* p, const SnBody* body, double relative, double whole, double* v)
{
    double mass, mean[3];
    mean_velocity(p, body, v, &mass, mean);
    for (int64_t i = body->first_node; i < body->first_node + body->node_count; i++)
        for (int c = 0; c < 3 && p->free_index[i] >= 0; c++)
            v[3 * i + c] = whole * mean[c] + relative * (v[3 * i + c] - mean[c]);
}

// What there was before the step, of motion and of shape, J.
static double energy_before(const SnWorld* world)
{
    const SnModel* model = &world->model;
    double sum = sn_share_once(model->tasks, world->elastic);
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++)
        if (sn_share_owns(model->tasks, (int)(k / 3)))
            sum += 0.5 * world->problem.mass[k / 3] * world->state.v[k] * world->state.v[k];
    return sn_share_total(model->tasks, sum);
}

bool sn_excess_remove(SnWorld* world, double gain)
{
    const SnModel* model = &world->model;
    double *v = world->scratch.stage_v, kinetic = 0, own = 0, mass, mean[3];
    for (int b = 0; b < model->body_count; b++) {
        kinetic += 0.5 * mean_velocity(&world->problem, &model->bodies[b], v, &mass, mean);
        own += 0.5 * mass * sn_dot3(mean, mean);
    }
    double within = kinetic - own; // of motion relative to the means
    double relative = within > gain ? sqrt(1 - gain / within) : 0;
    double whole = within > gain ? 1 : own > 0 ? sqrt(fmax(0, 1 - (gain - within) / own)) : 0;
    for (int b = 0; b < model->body_count; b++) slow_down(&world->problem, &model->bodies[b], relative, whole, v);
    return gain - kinetic <= MOST * energy_before(world);
}
