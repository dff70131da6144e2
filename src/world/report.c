// What a step reports: the work of its minimisations, and the state after them.
#include "world/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/handle.h"
#include "core/share.h"
#include "linalg/vec3.h"

enum { GRAIN = 4096 }; // tetrahedra of a task

static int badness(SnOutcome outcome)
{
    switch (outcome) {
    case SN_OUTCOME_CONVERGED: return 0;
    case SN_OUTCOME_UNSETTLED: return 1;
    case SN_OUTCOME_ITERATION_LIMIT: return 2;
    case SN_OUTCOME_STALLED: return 3;
    }
    return 3;
}

void sn_report_search(const SnSearch* s, SnStepReport* report, char detail[256])
{
    report->iterations += s->iterations;
    report->evaluations += s->evaluations;
    report->factorizations += s->factorizations;
    report->bounded += s->bounded;
    report->gradient = s->norm;
    report->ms.evaluate += s->ms.evaluate;
    report->ms.assemble += s->ms.assemble;
    report->ms.factor += s->ms.factor;
    report->ms.solve += s->ms.solve;
    report->ms.contact += s->ms.contact;
    bool unsettled = s->outcome == SN_OUTCOME_CONVERGED && s->open > 0; // what was cut short since then has stalled
    SnOutcome outcome = unsettled ? SN_OUTCOME_UNSETTLED : s->outcome;
    if (badness(outcome) > badness(report->outcome)) {
        report->outcome = outcome;
        snprintf(detail, 256, "%s", s->detail);
        report->worst_count = s->worst_count;
        memcpy(report->worst, s->worst, sizeof s->worst);
    }
}

const double* sn_world_residuals(const SnWorld* world)
{
    if (!sn_handle_lives(world)) return NULL;
    return world->problem.search && world->problem.reported ? world->problem.search->g : NULL;
}

#define MOST_ERROR 0.1 // thicknesses, or a part of the forces: contacts that contradict each other give way

void sn_report_errors(const SnStepReport* report, char detail[256])
{
    const SnContactErrors* e = &report->errors;
    double most = fmax(fmax(e->pull, e->gap), fmax(e->product, fmax(e->cone, e->slip)));
    if (!sn_outcome_meets(report->outcome)) return;
    if (report->depth > 0)
        sn_append(detail, 256, "%sa node is %.2g m inside an obstacle", *detail ? "; " : "", report->depth);
    if (!(most > MOST_ERROR)) return;
    size_t used = strlen(detail);
    snprintf(
        detail + used, 256 - used,
        "%scontacts are not kept well: errors of pull %.2g, gap %.2g, product %.2g, cone %.2g, slip %.2g; they may "
        "contradict each other, and shorter steps get further",
        used ? "; " : "", e->pull, e->gap, e->product, e->cone, e->slip);
}

typedef struct Corners {
    const int* tetrahedra; // 4 for each
    const double* x;       // of the body's nodes
} Corners;

static double inverted_chunk(void* context, int first, int last)
{
    const Corners* c = context;
    int count = 0;
    for (const int* t = c->tetrahedra + 4 * (int64_t)first; t < c->tetrahedra + 4 * (int64_t)last; t += 4) {
        const double* corner = c->x + 3 * (int64_t)t[0];
        double edges[3][3], normal[3];
        for (int k = 0; k < 3; k++) sn_subtract3(c->x + 3 * (int64_t)t[k + 1], corner, edges[k]);
        sn_cross3(edges[0], edges[1], normal);
        count += !(sn_dot3(normal, edges[2]) > 0);
    }
    return count;
}

static int count_inverted(const SnModel* model, const SnState* state)
{
    double count = 0;
    for (const SnBody* b = model->bodies; b < model->bodies + model->body_count; b++) {
        Corners corners = {b->tetrahedra, state->x + 3 * (int64_t)b->first_node};
        count += sn_tasks_sum(model->tasks, b->tetrahedron_count, GRAIN, inverted_chunk, &corners);
    }
    return (int)sn_share_total(model->tasks, count);
}

SnStatus sn_report_state(const SnModel* model, const SnState* state, const SnProblem* problem, double elastic,
                         SnStepReport* report)
{
    const SnAccount *impulse = state->accounts + SN_ACCOUNT_IMPULSE, *drag = state->accounts + SN_ACCOUNT_DRAG;
    report->step = state->step;
    report->time = state->time;
    report->energy = sn_ledger_energy(model, state, problem, elastic);
    sn_ledger_momentum(model, state, problem, report->momentum, report->angular_momentum);
    for (int c = 0; c < 3; c++) {
        report->impulse[c] = impulse[c].sum + drag[c].sum;
        report->angular_impulse[c] = impulse[3 + c].sum + drag[3 + c].sum;
    }
    report->tolerance = problem->search->tolerance;
    report->drift = sn_pins_drift(model, state, problem);
    report->inverted = count_inverted(model, state);
    return sn_touches_measure(state, problem, report);
}
