// Energy that a step has gained from nowhere, where its solves have not converged.
//
// A fixed number of iterations may leave forces over, and these do work. Integrators that lose little make of it a
// motion that grows; their step is then taken again by backward Euler. What that one still gains is taken off its
// velocities, of each body first those relative to its mean.
#include <math.h>

#include "linalg/vec3.h"
#include "world/world.h"

#define GAIN 1e-3 // of the energy there is: what may be gained

double sn_excess(const SnWorld* world, const SnStepReport* report)
{
    const SnModel* model = &world->model;
    const SnState* state = &world->state;
    const SnProblem* p = &world->problem;
    double further = model->integrator->extrapolate, moving = world->elastic, change = -world->elastic;
    double* x = p->search->trial;
    if (report->outcome != SN_OUTCOME_ITERATION_LIMIT || model->integrator->order == 0) return 0;
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        double v = state->v[k], end = v + further * (world->scratch.stage_v[k] - v), half = 0.5 * p->mass[k / 3];
        x[k] = state->x[k] + further * (world->scratch.stage_x[k] - state->x[k]);
        moving += half * (v * v + end * end);
        change += half * (end * end - v * v) - p->gravity[k] * (x[k] - state->x[k]);
    }
    double elastic = sn_potential_energy(p->potential, x).elastic, given = state->accounts[SN_ACCOUNT_PINS].part +
                                                                           state->accounts[SN_ACCOUNT_OBSTACLES].part +
                                                                           state->accounts[SN_ACCOUNT_LOADS].part;
    double gain = change + elastic - fmax(further * given, 0);
    return gain > GAIN * (moving + elastic) ? gain : 0;
}

// Twice the kinetic energy of the free nodes of a body, and their mean velocity, by mass.
static double mean_velocity(const SnProblem* p, const SnBody* body, const double* v, double mean[3])
{
    double mass = 0, sum = 0, momentum[3] = {0, 0, 0};
    for (int64_t i = body->first_node; i < body->first_node + body->node_count; i++) {
        if (p->free_index[i] < 0) continue;
        mass += p->mass[i], sum += p->mass[i] * sn_dot3(v + 3 * i, v + 3 * i);
        for (int c = 0; c < 3; c++) momentum[c] += p->mass[i] * v[3 * i + c];
    }
    for (int c = 0; c < 3; c++) mean[c] = mass > 0 ? momentum[c] / mass : 0;
    return sum;
}

// What is relative to the mean times `relative`, and the mean times `whole`.
static void slow_down(const SnProblem* p, const SnBody* body, double relative, double whole, double* v)
{
    double mean[3];
    mean_velocity(p, body, v, mean);
    for (int64_t i = body->first_node; i < body->first_node + body->node_count; i++)
        for (int c = 0; c < 3 && p->free_index[i] >= 0; c++)
            v[3 * i + c] = whole * mean[c] + relative * (v[3 * i + c] - mean[c]);
}

void sn_excess_remove(SnWorld* world, double gain)
{
    const SnModel* model = &world->model;
    double *v = world->scratch.stage_v, kinetic = 0, own = 0, mean[3];
    for (int b = 0; b < model->body_count; b++) {
        kinetic += 0.5 * mean_velocity(&world->problem, &model->bodies[b], v, mean);
        double mass = 0;
        for (int i = 0; i < model->bodies[b].node_count; i++)
            if (world->problem.free_index[model->bodies[b].first_node + i] >= 0)
                mass += world->problem.mass[model->bodies[b].first_node + i];
        own += 0.5 * mass * sn_dot3(mean, mean);
    }
    double within = kinetic - own; // of motion relative to the means
    double relative = within > gain ? sqrt(1 - gain / within) : 0;
    double whole = within > gain ? 1 : own > 0 ? sqrt(fmax(0, 1 - (gain - within) / own)) : 0;
    for (int b = 0; b < model->body_count; b++) slow_down(&world->problem, &model->bodies[b], relative, whole, v);
}
