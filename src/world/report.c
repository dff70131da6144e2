// What a step reports: the work of its minimisations, and the state after them.
#include "world/report.h"

#include <stdio.h>
#include <string.h>

void sn_report_search(const SnSearch* s, SnStepReport* report, char detail[256])
{
    report->iterations += s->iterations;
    report->evaluations += s->evaluations;
    report->factorizations += s->factorizations;
    report->gradient = s->norm;
    report->ms.evaluate += s->ms.evaluate;
    report->ms.assemble += s->ms.assemble;
    report->ms.factor += s->ms.factor;
    report->ms.solve += s->ms.solve;
    report->ms.contact += s->ms.contact;
    if (s->outcome > report->outcome) {
        report->outcome = s->outcome;
        snprintf(detail, 256, "%s", s->detail);
        report->worst_count = s->worst_count;
        memcpy(report->worst, s->worst, sizeof s->worst);
    }
}

void sn_report_state(const SnModel* model, const SnState* state, const SnProblem* problem, double elastic,
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
    sn_contacts_report(state, problem, report);
}
