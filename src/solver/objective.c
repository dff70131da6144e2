// E(x) = 1/(2 b^2) |x - target|^2_M + U(x) + W(x) - force.x and its gradient.
#include "solver/objective.h"

#include <math.h>

#include "core/share.h"
#include "linalg/free_nodes.h"

enum { GRAIN = 2048 };

typedef struct Evaluation {
    const SnObjective* objective;
    const double* x;
    double* g;
} Evaluation;

static double inertia_chunk(void* context, int first, int last)
{
    Evaluation* e = context;
    const SnObjective* o = e->objective;
    double sum = 0;
    for (int i = first; i < last; i++) {
        if (o->nodes.free_index[i] < 0) continue;
        for (int c = 0; c < 3; c++) {
            double d = e->x[3 * i + c] - o->target[3 * i + c];
            sum += o->nodes.mass[i] * d * d;
        }
    }
    return 0.5 * o->nodes.inertia * sum;
}

static double force_chunk(void* context, int first, int last)
{
    Evaluation* e = context;
    const SnObjective* o = e->objective;
    double sum = 0;
    for (int i = first; i < last; i++)
        for (int c = 0; c < 3; c++) sum += o->force[3 * i + c] * e->x[3 * i + c];
    return sum;
}

static SnObjectiveValue add_terms(const SnObjective* o, const double* x, SnPotentialValue potential)
{
    Evaluation e = {o, x, NULL};
    SnTasks* tasks = o->nodes.tasks;
    double sums[2] = {0}; // inertia, work
    if (o->nodes.inertia > 0) sums[0] = sn_share_own_sum(tasks, o->nodes.count, GRAIN, inertia_chunk, &e);
    if (o->force) sums[1] = sn_share_own_sum(tasks, o->nodes.count, GRAIN, force_chunk, &e);
    sn_share_sum(tasks, 2, sums);
    double inertia = sums[0], work = sums[1];
    // Near rest the densities are differences of terms of the stiffness' size.
    double constraints = sn_constraints_energy(o->constraints, x);
    double elastic = potential.elastic, dissipation = potential.dissipation;
    double magnitude =
        fabs(elastic) + fabs(dissipation) + inertia + fabs(work) + fabs(constraints) + 0.01 * o->potential->stiffness;
    return (SnObjectiveValue){elastic + dissipation + inertia - work + constraints, elastic, dissipation, magnitude};
}

SnObjectiveValue sn_objective_value(const SnObjective* o, const double* x)
{
    return add_terms(o, x, sn_potential_energy(o->potential, x));
}

static void gradient_chunk(void* context, int first, int last)
{
    Evaluation* e = context;
    const SnObjective* o = e->objective;
    for (int i = first; i < last; i++) {
        bool pinned = o->nodes.free_index[i] < 0;
        for (int c = 0; c < 3; c++) {
            int k = 3 * i + c;
            double g = e->g[k];
            // What is pinned goes where its handle takes it, or as far as nothing is in its way: the ledger knows how.
            if (o->nodes.inertia > 0 && !pinned) g += o->nodes.inertia * o->nodes.mass[i] * (e->x[k] - o->target[k]);
            if (o->force) g -= o->force[k];
            o->reaction[k] = pinned ? g : 0;
            e->g[k] = pinned ? 0 : g;
        }
    }
}

SnObjectiveValue sn_objective_gradient(const SnObjective* o, const double* x, double* g)
{
    SnPotentialValue potential = sn_potential_gradient(o->potential, x, g);
    sn_constraints_gradient(o->constraints, 1, x, g);
    sn_tasks_for(o->nodes.tasks, o->nodes.count, GRAIN, gradient_chunk, &(Evaluation){o, x, g});
    return add_terms(o, x, potential);
}

// Matrices are of elements.
static bool has_row(const SnObjective* o, int node)
{
    return o->nodes.free_index[node] >= 0 && !sn_share_is_ghost(o->nodes.tasks, node);
}

void sn_objective_diagonal(const SnObjective* o, double* diagonal)
{
    for (int i = 0; i < o->nodes.count; i++)
        if (has_row(o, i))
            diagonal[o->nodes.free_index[i]] =
                sn_share_owns(o->nodes.tasks, i) ? o->nodes.inertia * o->nodes.mass[i] : 0;
}

void sn_objective_supported_diagonal(const SnObjective* o, double* diagonal)
{
    for (int i = 0; i < o->nodes.count; i++) {
        double support = o->nodes.support ? o->nodes.support[i] : 0;
        if (has_row(o, i))
            diagonal[o->nodes.free_index[i]] =
                sn_share_owns(o->nodes.tasks, i) ? sn_node_kept_inertia(&o->nodes, i) + support : 0;
    }
}

void sn_objective_gather(const SnObjective* o, double factor, const double* x, double* rows)
{
    sn_free_gather(o->nodes.tasks, o->nodes.count, o->nodes.free_index, factor, x, rows);
}

void sn_objective_scatter(const SnObjective* o, const double* rows, double* x)
{
    sn_free_scatter(o->nodes.tasks, o->nodes.count, o->nodes.free_index, rows, x);
}

void sn_objective_add_pull(const SnObjective* o, const double* x, double* r)
{
    for (int i = 0; i < o->nodes.count; i++)
        for (int c = 0; c < 3; c++) {
            int64_t k = 3 * (int64_t)i + c;
            if (o->nodes.inertia > 0) r[k] += o->nodes.inertia * o->nodes.mass[i] * (o->target[k] - x[k]);
            if (o->force) r[k] += o->force[k];
        }
}
